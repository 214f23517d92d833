"""An address -> a file whose sha256 is known beforehand.

The bytes go to ``NAME.part`` beside the target, which a later try continues with a Range request, and move to their
place only when their sha256 is the expected one. A lock lets one process at a time fetch a target.

FAIRTREC_TIMEOUT   seconds to wait for each read (20).
FAIRTREC_MIRROR    an address that replaces scheme and host of every address, for closed networks:
                   with http://lists.local/mirror the file https://host/a/b.tsv is read from
                   http://lists.local/mirror/a/b.tsv. ``file:`` addresses are allowed.
"""

import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from fairtrec.errors import ResourceError

if TYPE_CHECKING:
    from http.client import HTTPResponse

LIMIT = 64 * 2**20  # bytes, where the size is not known
BLOCK = 2**16
PAUSES = (0.25, 0.5)  # seconds before the second and the third try
PATIENCE = 300.0  # seconds to wait for another process that fetches the same target
WORTH_A_RETRY = {408, 429}  # besides 5xx; any other 4xx stays what it is


class _Interrupted(Exception):  # noqa: N818 (it is no error until the last try)
    """The network failed in a way that another try may mend."""


class _Stale(_Interrupted):
    """What we have is no beginning of the file that the server has."""


def fetch(url: str, target: Path, sha256: str, size: int | None = None) -> None:
    """Make ``target`` the file at ``url``, unless it is that file already.

    Raises ResourceError if the address does not give that file, OSError if the target cannot be written.
    """
    part = target.with_name(f"{target.name}.part")
    target.parent.mkdir(parents=True, exist_ok=True)
    with locked(target.with_name(f"{target.name}.lock")):
        if not intact(target, sha256):
            _download(_mirrored(url), part, LIMIT if size is None else size)
            settle(part, target, sha256)


def digest(path: Path) -> str:
    """Take the sha256 of a file."""
    import hashlib

    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def intact(path: Path, sha256: str) -> bool:
    """Is this file there, readable, and the expected one?"""
    try:
        return digest(path) == sha256
    except OSError:
        return False


def settle(part: Path, target: Path, sha256: str) -> None:
    """Move ``part`` to its place if it is the expected file; remove it if it is not."""
    found = digest(part)
    if found != sha256:
        part.unlink()
        raise ResourceError(f"wrong bytes: the sha256 is {found[:12]}, expected is {sha256[:12]}")
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    part.replace(target)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock ``path``. The system frees it when its holder ends, however it ends; the empty file stays."""
    with path.open("ab") as file:
        deadline = time.monotonic() + PATIENCE
        while not _taken(file.fileno()):
            if time.monotonic() > deadline:
                raise ResourceError(f"another process has held {path} for {PATIENCE:.0f} seconds")
            time.sleep(0.02)
        yield


def _taken(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True  # a file system without locks: the sha256 is still checked
    return True


def _download(url: str, part: Path, limit: int) -> None:
    for pause in (*PAUSES, None):
        try:
            return _continue(url, part, limit)
        except _Interrupted as error:
            if isinstance(error, _Stale):
                part.unlink(missing_ok=True)
            if pause is None:
                raise ResourceError(f"cannot fetch {url}: {error} (tried {len(PAUSES) + 1} times)") from error
            time.sleep(pause)
    return None


def _continue(url: str, part: Path, limit: int) -> None:
    """Take ``part`` to the end of the file, from its beginning if the server knows no Range requests."""
    have = part.stat().st_size if part.exists() else 0
    with _open(url, have) as response:
        start = _start(response) if response.status == 206 else 0
        if start not in {0, have}:
            raise _Stale("the server continued from another byte than asked")
        length = getattr(response, "length", None)  # http only, and None where the server does not say
        size = start
        with part.open("ab" if start else "wb") as file:
            for block in _blocks(response):
                size += len(block)
                if size > limit:
                    break
                file.write(block)
    if size > limit:
        part.unlink()
        raise ResourceError(f"cannot fetch {url}: larger than the {limit} bytes expected")
    if length is not None and size < start + length:
        raise _Interrupted(f"the connection was cut after {size} of {start + length} bytes")


def _open(url: str, have: int) -> "HTTPResponse":
    """Ask for the bytes from ``have`` on; a file: address gives urllib's look-alike of an HTTPResponse."""
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
    headers = {"User-Agent": "fairtrec"} | ({"Range": f"bytes={have}-"} if have else {})
    try:
        response: HTTPResponse = opener.open(request.Request(url, headers=headers), timeout=_timeout())  # noqa: S310
    except HTTPError as error:
        error.close()
        if error.code == 416:  # nothing is behind what we have, and yet it did not pass as the file
            raise _Stale("HTTP 416") from error
        if error.code < 500 and error.code not in WORTH_A_RETRY:
            raise ResourceError(f"cannot fetch {url}: HTTP {error.code}") from error
        raise _Interrupted(f"HTTP {error.code}") from error
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", error)
        if isinstance(error, ValueError) or url.startswith("file:"):
            raise ResourceError(f"cannot fetch {url}: {reason}") from error
        raise _Interrupted(str(reason)) from error
    return response


def _blocks(response: "HTTPResponse") -> Iterator[bytes]:
    """Read block by block; what goes wrong here is the network's fault, not that of the file being written."""
    from http.client import HTTPException

    try:
        while block := response.read1(BLOCK):
            yield block
    except (OSError, HTTPException, ValueError) as error:
        raise _Interrupted(str(error)) from error


def _start(response: "HTTPResponse") -> int:
    found = re.match(r"bytes (\d{1,15})-", response.headers.get("Content-Range", ""))
    return int(found[1]) if found else -1


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
