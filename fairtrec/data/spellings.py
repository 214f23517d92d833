"""How ids are written: why some are unknown where others are known (a prefix, a suffix, zeros in front, capitals)."""

import re
from collections.abc import Container, Iterable, Iterator, Sequence

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
        for part, what in ((1, "prefix"), (4, "suffix")):
            both = (("without", own[part]), ("with", other[part])) if own[part] != other[part] else ()
            changes += [f"{how} the {what} {text!r}" for how, text in both if text]
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


def compare(ours: Sequence[str], theirs: Sequence[str]) -> tuple[str, str, str]:
    """Name one of our ids and one of theirs, if possible two of which one begins or ends with the other, and how.

    >>> compare(["D7-1", "D9-1"], ["D8", "D9"]), compare(["7"], ["D7"]), compare(["a"], ["b"])
    (('D9-1', 'D9', ': cut "-1"?'), ('7', 'D7', ': add "D"?'), ('a', 'b', ''))
    """
    for change, some, others in (("cut", ours, {*theirs}), ("add", theirs, {*ours})):
        for name in some[:ASKED]:
            for at in range(1, len(name)):
                if _is_seam(name, at):
                    for part, rest in ((name[:at], name[at:]), (name[at:], name[:at])):
                        if part in others:
                            pair = (name, part) if change == "cut" else (part, name)
                            return (*pair, f': {change} "{rest}"?')
    return ours[0], theirs[0], ""


def _is_seam(name: str, at: int) -> bool:
    """Tell whether two parts of an id meet there: within a number or a word nothing is cut."""
    before, behind = name[at - 1], name[at]
    return not (before.isdigit() and behind.isdigit()) and not (before.isalpha() and behind.isalpha())
