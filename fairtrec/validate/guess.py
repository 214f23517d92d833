"""Guesses: why ids are unknown (a prefix, a suffix, zeros in front, capitals), what a line of other columns is."""

import re
from collections.abc import Container, Iterable, Iterator

COLUMNS = 6
ASKED = 1000  # unknown ids that a guess is tried on
_PARTS = re.compile(r"(.*?[^0-9]|)(0*)([1-9][0-9]*+|0)([^0-9]*)", re.DOTALL)


def variants(name: str, example: str) -> Iterator[tuple[str, str]]:
    """Write an id as those might be written of which ``example`` is one, each with what was done to it.

    >>> dict(variants("q1", "7"))
    {"without the prefix 'q'": '1', 'in capitals': 'Q1'}
    >>> dict(variants("7", "dl19-0012"))
    {"with the prefix 'dl19-'": 'dl19-7', "with the prefix 'dl19-' and zeros to 4 digits": 'dl19-0007'}
    """
    own, other = _PARTS.fullmatch(name), _PARTS.fullmatch(example)
    if own is not None and other is not None:
        changes = []
        if own[1] != other[1]:
            changes += [f"without the prefix {own[1]!r}"] * bool(own[1]) + [f"with the prefix {other[1]!r}"] * bool(
                other[1]
            )
        if own[4] != other[4]:
            changes += [f"without the suffix {own[4]!r}"] * bool(own[4]) + [f"with the suffix {other[4]!r}"] * bool(
                other[4]
            )
        done = " and ".join(changes)
        if done:
            yield done, f"{other[1]}{own[2]}{own[3]}{other[4]}"
        digits = len(other[2] + other[3])
        bare = own[3].lstrip("0") or "0"
        if own[2] + own[3] != bare:
            yield " and ".join([*changes, "without zeros in front"]), f"{other[1]}{bare}{other[4]}"
        if other[2] and len(bare) < digits:
            yield " and ".join([*changes, f"zeros to {digits} digits"]), f"{other[1]}{bare.zfill(digits)}{other[4]}"
    for done, cased in (("in lower case", name.lower()), ("in capitals", name.upper())):
        if cased != name:
            yield done, cased


def guess(unknown: Iterable[str], known: Container[str], example: str) -> str:
    """Say what would make most of the unknown ids known; an empty string if nothing does."""
    asked = list(unknown)[:ASKED]
    hits: dict[str, int] = {}
    for name in asked:
        for done, variant in variants(name, example):
            hits[done] = hits.get(done, 0) + (variant in known)
    best = max(hits, key=lambda done: hits[done], default="")
    return f"; {best}, {hits[best]:,} of {len(asked):,} would be known" if best and 2 * hits[best] > len(asked) else ""


def meant(line: bytes, cells: list[bytes]) -> str:  # noqa: PLR0911 - one for each guess
    """Say what a line of not six columns may be; an empty string if there is no telling.

    >>> meant(b"q1 d7 1 0.5", b"q1 d7 1 0.5".split())
    ', it looks like qid docno rank score'
    """
    many = len(cells)
    if many == 1 and line.count(b",") >= 3:
        return ", it is parted by commas"
    if many > COLUMNS and many % COLUMNS == 0 and b"\r" in line:
        return ", its lines end in CR alone"
    if many > COLUMNS:
        return ", is there a blank in a docno or in the tag?"
    if many == 4 and all(map(_is_number, cells[2:])):
        return ", it looks like qid docno rank score"
    if many == 5 and all(map(_is_number, cells[2:4])):
        return ", is the second, Q0, missing?"
    if many == 5 and all(map(_is_number, cells[3:])):
        return ", is the tag missing?"
    return ""


def _is_number(cell: bytes) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
