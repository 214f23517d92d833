"""An address -> a file whose sha256 is known beforehand.

What is fetched is small, so it is taken whole or not at all: a try that was cut short begins anew, and the file moves
to its place only when its sha256 is the expected one.

FAIRTREC_TIMEOUT   seconds to wait for each read (20).
FAIRTREC_MIRROR    an address that replaces scheme and host of every address, for closed networks:
                   with http://lists.local/mirror the file https://host/a/b.tsv is read from
                   http://lists.local/mirror/a/b.tsv. ``file:`` addresses are allowed.
"""

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from fairtrec.support.errors import ResourceError
from fairtrec.support.files.atomic import make_folder, replace_file

LIMIT = 64 * 2**20  # bytes, where the size is not known
PIECE = 1 << 20
SLOWEST = 1024  # bytes a second
PAUSES = (0.25, 0.5)  # seconds before the second and the third try
WORTH_A_RETRY = {408, 429}  # besides 5xx; any other 4xx stays what it is


class _Interrupted(Exception):  # noqa: N818 (it is no error until the last try)
    """The network failed in a way that another try may mend."""


def fetch(url: str, target: Path, sha256: str, size: int | None = None) -> None:
    """Make ``target`` the file at ``url``.

    Raises ResourceError if the address does not give that file, OSError if the target cannot be written.
    """
    import hashlib

    content = _content(_mirrored(url), LIMIT if size is None else size)
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise ResourceError(f"wrong bytes: the sha256 is {found[:12]}, expected is {sha256[:12]}")
    with make_folder(target.parent, parents=True), replace_file(target, synced=True) as part:
        part.write_bytes(content)


def digest(path: Path) -> str:
    """Take the sha256 of a file."""
    import hashlib

    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def has_digest(path: Path, sha256: str) -> bool:
    """Is this file there, readable, and the expected one?"""
    try:
        return digest(path) == sha256
    except OSError:
        return False


def _content(url: str, limit: int) -> bytes:
    for pause in PAUSES:
        try:
            return _answer(url, limit)
        except _Interrupted:
            time.sleep(pause)
    try:
        return _answer(url, limit)
    except _Interrupted as error:
        raise ResourceError(f"cannot fetch {url}: {error} (tried {len(PAUSES) + 1} times)") from error


def _answer(url: str, limit: int) -> bytes:
    """Ask once for a file of at most so many bytes."""
    from http.client import HTTPException
    from urllib import request
    from urllib.error import HTTPError

    opener = request.OpenerDirector()  # urllib's own would follow ftp: and data: too
    for handler in (
        request.ProxyHandler,
        request.HTTPHandler,
        request.HTTPSHandler,
        request.FileHandler,
        request.HTTPRedirectHandler,
        request.HTTPDefaultErrorHandler,
        request.HTTPErrorProcessor,
        request.UnknownHandler,
    ):
        opener.add_handler(handler())
    try:
        asked = request.Request(url, headers={"User-Agent": "fairtrec"})  # noqa: S310 - _mirrored has looked at it
        with opener.open(asked, timeout=_timeout()) as response:
            length = getattr(response, "length", None)  # http only, and None where the server does not say
            content = _read(response, limit + 1)
    except HTTPError as error:
        error.close()
        if error.code < 500 and error.code not in WORTH_A_RETRY:
            raise ResourceError(f"cannot fetch {url}: HTTP {error.code}") from error
        raise _Interrupted(f"HTTP {error.code}") from error
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", error)
        if isinstance(error, ValueError) or url.startswith("file:"):
            raise ResourceError(f"cannot fetch {url}: {reason}") from error
        raise _Interrupted(str(reason)) from error
    if len(content) > limit:
        raise ResourceError(f"cannot fetch {url}: larger than the {limit} bytes expected")
    if length is not None and len(content) < length:
        raise _Interrupted(f"the connection was cut after {len(content)} of {length} bytes")
    return content


def _read(response: Any, most: int) -> bytes:
    """Read at most so many bytes, unless they come so slowly that there is no end to be seen."""
    began, content = time.monotonic(), b""
    while len(content) < most and (piece := response.read1(min(PIECE, most - len(content)))):
        content += piece
        if time.monotonic() - began > _timeout() + len(content) / SLOWEST:
            raise _Interrupted(f"fewer than {SLOWEST} bytes a second arrive")
    return content


def _mirrored(url: str) -> str:
    if mirror := os.environ.get("FAIRTREC_MIRROR"):
        url = f"{mirror.rstrip('/')}/{url.split('/', 3)[-1]}"
    if not url.startswith(("http://", "https://", "file:")):
        raise ResourceError(f"cannot fetch {url}: only http:, https: and file: addresses are allowed")
    return url


def _timeout() -> float:
    text = os.environ.get("FAIRTREC_TIMEOUT") or "20"
    with suppress(ValueError):
        if 0 < float(text) <= 86_400:
            return float(text)
    raise ResourceError(f"FAIRTREC_TIMEOUT={text} is not a number of seconds; run: unset FAIRTREC_TIMEOUT")
