"""Submissions of strangers: which files are taken for runs under ``--untrusted``, and how much each may hold.

``Border`` is what was asked for: by ``--untrusted``, ``--limit`` and ``--no-links``, by ``untrusted=`` in Python, or by
FAIRTREC_UNTRUSTED=1. Each file of a run passes ``refuse`` before it is read, and what was read of it ``refuse_many``.
"""
# ruff: noqa: PTH113, PTH114 - pathlib takes its time to be imported

import os
from collections.abc import Iterable, Iterator, Mapping, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from os import fspath

from fairtrec.support.errors import FilePath, InputError, UsageError
from fairtrec.support.files import opening

VARIABLE = "FAIRTREC_UNTRUSTED"
LONGEST = 19  # digits of a limit
LIMITS = {  # of a submission; groups are those of labels, terms or counts that runs are measured by
    "bytes": 1 << 30,  # once it is unpacked
    "lines": 10_000_000,
    "depth": 10_000,  # documents of one query
    "groups": 1_000,
}
NOUNS = {"bytes": "bytes", "lines": "lines", "depth": "documents for one query", "groups": "groups"}
UNSEEN = (  # letters that nobody sees, by their numbers: a name with one looks like another
    *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0),
    *range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0),
)  # fmt: skip
ODD = frozenset(map(chr, UNSEEN)) | frozenset("*?[]{}\\:~|<>\"'`$&;=@")  # also of patterns, paths and shells


@dataclass(frozen=True)
class Border:
    """What is refused: links, and of ``untrusted`` submissions also streams, odd names, and what is beyond limits."""

    untrusted: bool = True
    limits: Mapping[str, int] = field(default_factory=LIMITS.copy)

    def refuse(self, path: FilePath) -> None:
        """Raise InputError for a file that is no submission; one that is not there is left to its reader."""
        name = fspath(path)
        if link := _link_in(name):
            what = "this" if link == name else link
            raise InputError(f"{what} is a link, and links are refused; pass the file itself", path)
        if not self.untrusted:
            return
        if opening.is_stream(path):
            raise InputError("a pipe or device, not a file (--untrusted); save its content to a file", path)
        if odd := _odd_in(name):
            what = f"the name {odd!r} contains wildcards, path or control characters, or invisible letters"
            raise InputError(f"{what} (--untrusted); rename the file", path)
        if os.path.isfile(name):
            self._refuse_long(path)

    def _refuse_long(self, path: FilePath) -> None:
        size = lines = 0
        with opening.open_input(path) as stream:
            while block := stream.read(opening.BLOCK):
                is_text = size > 0 or not block.startswith(opening.PARQUET)
                size += len(block)
                lines += block.count(b"\n") if is_text else 0
                opening.refuse_bomb(path, size)
                self.refuse_many("bytes", size, path)
                self.refuse_many("lines", lines, path)

    def refuse_many(self, limit: str, many: int, path: FilePath | None = None) -> None:
        """Raise InputError for more of something than there may be."""
        if self.untrusted and many > self.limits[limit]:
            more = f"more than {self.limits[limit]:,} {NOUNS[limit]}"
            raise InputError(f"{more} (--untrusted); make it smaller, or raise the limit with --limit {limit}=N", path)


_asked: ContextVar[Border | None] = ContextVar("untrusted", default=None)


def border() -> Border | None:
    """Give what was asked for, or what the environment asks for; None where files are taken as they are."""
    return _asked.get() or (Border() if is_set() else None)


def is_set() -> bool:
    """Tell whether the environment asks for it."""
    return os.environ.get(VARIABLE, "") not in {"", "0"}


def is_untrusted() -> bool:
    """Tell whether runs are those of strangers."""
    found = border()
    return found is not None and found.untrusted


@contextmanager
def guard_files(*, untrusted: bool | Mapping[str, int] = False, no_links: bool = False) -> Iterator[None]:
    """Refuse files while this lasts; as ``untrusted`` also with other limits, by their names."""
    is_asked = untrusted is not False or is_set()
    is_settled = untrusted is False and _asked.get() is not None
    if is_settled or not (is_asked or no_links):
        yield
        return
    limits = dict(untrusted) if isinstance(untrusted, Mapping) else {}
    for name, most in limits.items():
        _refuse_unknown(name)
        if not isinstance(most, int) or most < 1:
            raise UsageError(f"the limit of {name} is {most}; it must be a whole number of 1 or more")
    token = _asked.set(Border(is_asked, LIMITS | limits))
    try:
        yield
    finally:
        _asked.reset(token)


def resume(found: Border | None) -> None:
    """Put in force, in another process, what was settled in the first."""
    if found is not None and found != border():
        _asked.set(found)


def read_limits(entries: Iterable[str]) -> dict[str, int]:
    """Read limits as they are typed.

    >>> read_limits(["lines=20000000"])
    {'lines': 20000000}
    """
    found = {}
    for entry in entries:
        name, sign, most = entry.partition("=")
        if not sign or not name:
            raise UsageError(f"--limit {entry} is not a limit; write NAME=N, with one of {', '.join(LIMITS)}")
        _refuse_unknown(name)
        if not (most.isascii() and most.isdigit()):
            what = f"the limit of {name} is {most!r}, which is not a whole number"
            raise UsageError(f"{what}; write it like --limit {name}={LIMITS[name]}")
        if len(most) >= LONGEST:
            raise UsageError(f"the limit of {name} has more than {LONGEST - 1} digits; write a smaller number")
        found[name] = int(most)
    return found


def _refuse_unknown(name: str) -> None:
    if name not in LIMITS:
        raise UsageError(f"there is no limit {name}; choose one of {', '.join(LIMITS)}")


def refuse(path: FilePath) -> None:
    """Raise InputError for a file that is refused."""
    if (found := border()) is not None:
        found.refuse(path)


def is_refused(path: FilePath) -> bool:
    """Tell whether a file is refused."""
    try:
        refuse(path)
    except InputError:
        return True
    return False


def refuse_groups(attributes: Iterable[Sized]) -> None:
    """Raise InputError for more groups of an attribute than there may be beside submissions."""
    if (found := border()) is not None:
        found.refuse_many("groups", max(map(len, attributes)))


def _link_in(path: str) -> str:
    """Name the first part of a path that is a link, from where the command is called on."""
    parts = path.rstrip("/").split("/")
    several = ("/".join(parts[: end + 1]) for end in range(len(parts)))
    return next((each for each in several if each and os.path.islink(each)), "")


def _odd_in(path: str) -> str:
    """Give the first part of a path with a character that a name of a submission does not have.

    >>> _odd_in("runs/my run (2).run"), _odd_in("runs/*.run"), _odd_in("a\\x1b.run")
    ('', '*.run', 'a\\x1b.run')
    """
    from unicodedata import category, is_normalized

    for part in os.path.splitdrive(path)[1].replace(os.sep, "/").split("/"):
        is_odd = any(
            letter in ODD or category(letter)[0] == "C" or (category(letter)[0] == "Z" and letter != " ")
            for letter in part
        )
        if is_odd or part.startswith("-") or not is_normalized("NFC", part):
            return part
    return ""
