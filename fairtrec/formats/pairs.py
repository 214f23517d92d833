"""Lists of word pairs: ``she,he`` or ``she<TAB>he`` lines, ``#`` starts a comment line; or JSON, ``[["she", "he"]]``.

All words on the left are of one group, all on the right of the other. The counterpart of a word is its partner on the
first line that holds it; a later line with it gives only the way back: after ``mom,dad`` the line ``mum,dad`` says that
mum becomes dad, while dad stays mom.

Read one way, words on the left become those on the right, which stay; several may share a right one, and ``she,``
leaves a word out.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import json_text, opening

LEFT, RIGHT = "left", "right"


@dataclass(frozen=True)
class Counterparts:
    """The counterpart of each word, in the order of the list; words with a capital are names.

    One way, a word on the right is its own counterpart, and "" that of a word which goes.
    """

    name: str
    partners: dict[str, str]
    lines: frozenset[tuple[str, str]]
    sha256: str = ""
    one_way: bool = False

    @property
    def shared_words(self) -> dict[str, tuple[str, ...]]:
        """The words that stand for several, with these: first the one that they become, the others by the alphabet.

        >>> take_pairs([("she", "they"), ("he", "they")]).shared_words
        {'they': ('she', 'he')}
        >>> take_pairs([("she", "they"), ("he", "they"), ("her", "his"), ("her", "him")], one_way=True).shared_words
        {'her': ('his', 'him')}
        """
        several: dict[str, set[str]] = {word: set() for word in self.partners}
        for left, right in self.lines:
            several[left].add(right)
            if not self.one_way:
                several[right].add(left)
        return {
            word: (self.partners[word], *sorted(others - {self.partners[word]}))
            for word, others in several.items()
            if len(others) > 1
        }


def read(path: FilePath, *, one_way: bool = False) -> Counterparts:
    """Read a list. Raises InputError for what is no pair, a word with itself, and a line that adds nothing."""
    lines = list(opening.lines(path, longest=opening.LONGEST_TEXT))
    words = ((number, line.decode()) for number, line in lines if not line.startswith(b"#"))
    cells = ((number, line.split("\t" if "\t" in line else ",")) for number, line in words)
    is_json = bool(lines) and lines[0][1].lstrip().startswith(b"[")
    rows = _of_json(b"\n".join(line for _, line in lines), path) if is_json else cells
    return _paired(rows, opening.name(path), path, opening.sha256(path), one_way=one_way)


def take_pairs(pairs: Iterable[Any], *, one_way: bool = False) -> Counterparts:
    """Take pairs that are in memory."""
    rows = ((number, pair) for number, pair in enumerate(pairs, 1))
    return _paired(rows, "given", "the pairs", "", one_way=one_way)


def _of_json(text: bytes, path: FilePath) -> Iterator[tuple[int, Any]]:
    yield from enumerate(json_text.parse_at(text, path, None, "write a list of pairs of words", "this is"), 1)


def _paired(rows: Iterable[tuple[int, Any]], name: str, path: FilePath, sha256: str, *, one_way: bool) -> Counterparts:
    partners: dict[str, str] = {}
    sides: dict[str, str] = {}
    lines = set()
    for number, row in rows:
        pair = left, right = _pair(row, path, number, one_way=one_way)
        for word, side in zip(pair, (LEFT, RIGHT) if right else (LEFT,), strict=False):
            if sides.setdefault(word, side) != side:
                message = f"{word} is on the {sides[word]} of another pair, and on the {side} here; "
                raise InputError(f"{message}keep each group on one side", path, number)
        if one_way and left in partners and (right in partners or "" in (right, partners[left])):
            becomes = f"becomes {partners[left]}" if partners[left] else "goes"
            raise InputError(f"{left} {becomes} already; remove the line", path, number)
        if not one_way and partners.keys() >= {*pair}:
            raise InputError(f"{left} and {right} both have a counterpart already; remove the line", path, number)
        partners.setdefault(left, right)
        if right:
            partners.setdefault(right, right if one_way else left)
        lines.add(pair)
    if not partners:
        raise InputError("this list has no pairs; write: she,he", path)
    return Counterparts(name, partners, frozenset(lines), sha256, one_way)


def _pair(row: Any, path: FilePath, number: int, *, one_way: bool) -> tuple[str, str]:
    if not isinstance(row, list | tuple) or len(row) != 2 or not all(isinstance(word, str) for word in row):
        many = f"{len(row)} column{'s' * (len(row) != 1)}" if isinstance(row, list | tuple) else "no pair"
        raise InputError(f"{many} instead of two words; write: she,he", path, number)
    first, second = (" ".join(word.split()) for word in row)
    for word in (first, second) if second or not one_way else (first,):
        if "*" in word:
            raise InputError(f"{word}: there are no wildcards; list the words", path, number)
        if not word[:1].isalnum():
            what = "an empty word" if not word else f"{word} begins with neither a letter nor a digit"
            more = ", or let it go with --one-way" if first and not second else ""
            raise InputError(f"{what}; write it as: she,he{more}", path, number)
    if first == second:
        raise InputError(f"{first} is paired with itself; remove the line", path, number)
    return first, second
