"""How ids are written: why some are unknown where others are known (a prefix, a suffix, zeros in front, capitals)."""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import chain
from unicodedata import normalize

from fairtrec.support.late_patterns import compile_late

ASKED = 1000  # unknown ids that a guess is tried on
_PARTS = compile_late(r"(.*?[^0-9]|)(0*)([1-9][0-9]*+|0)([^0-9]*)", re.DOTALL)


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
    r"""Name one of our ids and one of theirs, if possible two that are the same but for their spelling, and how.

    >>> compare(["D7-1", "D9-1"], ["D8", "D9"]), compare(["7"], ["D7"]), compare(["a"], ["b"])
    (('D9-1', 'D9', ': cut "-1"?'), ('7', 'D7', ': add "D"?'), ('a', 'b', ''))
    >>> compare(["7", "8"], ["008", "009"]), compare(["DA"], ["da"])
    (('8', '008', ': zeros to 3 digits?'), ('DA', 'da', ': in lower case?'))
    >>> compare(["e\u0301"], ["\xe9"])[2]
    ': the same letters in another Unicode form; write both in NFC'
    """
    ours = ours[:ASKED]
    ways = (_find_longer(ours, theirs), _find_variants(ours, theirs), _find_other_forms(ours, theirs))
    return next(chain(*ways), (ours[0], theirs[0], ""))


def _find_longer(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Find ids of which one begins or ends with the other."""
    for change, some, others in (("cut", ours, {*theirs}), ("add", theirs[:ASKED], {*ours})):
        for name in some:
            seams = () if name.isdigit() or name.isalpha() else range(1, len(name))  # a number or word has none
            for at in seams:
                if _is_seam(name, at):
                    for part, rest in ((name[:at], name[at:]), (name[at:], name[:at])):
                        if part in others:
                            pair = (name, part) if change == "cut" else (part, name)
                            yield (*pair, f': {change} "{rest}"?')


def _find_variants(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Find ids that are the same but for a prefix, zeros in front, or capitals."""
    known = {*theirs}
    for name in ours:
        yield from ((name, variant, f": {done}?") for done, variant in variants(name, theirs[0]) if variant in known)


def _find_other_forms(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Find ids that look the same, in other forms of Unicode."""
    composed = {normalize("NFC", name): name for name in theirs}
    for name in ours:
        if (other := composed.get(normalize("NFC", name))) is not None:
            yield name, other, ": the same letters in another Unicode form; write both in NFC"


def _is_seam(name: str, at: int) -> bool:
    """Tell whether two parts of an id meet there: within a number or a word nothing is cut."""
    before, behind = name[at - 1], name[at]
    return not (before.isdigit() and behind.isdigit()) and not (before.isalpha() and behind.isalpha())
