"""Lists of word pairs: ``she,he`` or ``she<TAB>he`` lines, ``#`` starts a comment line; or JSON, ``[["she", "he"]]``.

All words on the left are of one group, all on the right of the other. The counterpart of a word is its partner on the
first line that holds it; a later line with it gives only the way back: after ``mom,dad`` the line ``mum,dad`` says that
mum becomes dad, while dad stays mom.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from fairtrec.errors import FilePath, InputError
from fairtrec.files import opening

LEFT, RIGHT = "left", "right"


@dataclass(frozen=True)
class Counterparts:
    """The counterpart of each word, in the order of the list; words with a capital are names."""

    name: str
    partners: dict[str, str]
    lines: frozenset[tuple[str, str]]
    sha256: str = ""

    @property
    def shared(self) -> dict[str, tuple[str, ...]]:
        """The words that stand for several, with these: first the one that they become, the others by the alphabet.

        >>> of([("she", "they"), ("he", "they")]).shared
        {'they': ('she', 'he')}
        """
        several: dict[str, set[str]] = {word: set() for word in self.partners}
        for left, right in self.lines:
            several[left].add(right)
            several[right].add(left)
        return {
            word: (self.partners[word], *sorted(others - {self.partners[word]}))
            for word, others in several.items()
            if len(others) > 1
        }


def read(path: FilePath) -> Counterparts:
    """Read a list. Raises InputError for what is no pair, a word with itself, and a line that adds nothing."""
    start = next(iter(opening.lines(path)), (0, b""))[1].lstrip()
    rows = _of_json(path) if start.startswith(b"[") else _of_lines(path)
    return _paired(rows, opening.name(path), path, opening.sha256(path))


def of(pairs: Iterable[Any]) -> Counterparts:
    """Take pairs that are in memory."""
    rows = ((number, pair) for number, pair in enumerate(pairs, 1))
    return _paired(rows, "given", "the pairs", "")


def _of_lines(path: FilePath) -> Iterator[tuple[int, Any]]:
    for number, raw in opening.lines(path, comment=b"#"):
        line = raw.decode()
        yield number, line.split("\t" if "\t" in line else ",")


def _of_json(path: FilePath) -> Iterator[tuple[int, Any]]:
    with opening.opened(path) as stream:
        text = b"".join(block for block, _ in opening.blocks(stream, path))
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise InputError(f"this is not JSON ({fault}); write a list of pairs of words", path) from None
    yield from enumerate(found, 1)


def _paired(rows: Iterable[tuple[int, Any]], name: str, path: FilePath, sha256: str) -> Counterparts:
    partners: dict[str, str] = {}
    sides: dict[str, str] = {}
    lines = set()
    for number, row in rows:
        pair = _pair(row, path, number)
        for word, side in zip(pair, (LEFT, RIGHT), strict=True):
            if sides.setdefault(word, side) != side:
                message = f"{word} stands on the {sides[word]} of another pair, and here on the {side}; "
                raise InputError(f"{message}keep each group on one side", path, number)
        if partners.keys() >= {*pair}:
            raise InputError(f"{pair[0]} and {pair[1]} both have a counterpart already; remove the line", path, number)
        partners.setdefault(pair[0], pair[1])
        partners.setdefault(pair[1], pair[0])
        lines.add(pair)
    if not partners:
        raise InputError("this list has no pairs; write: she,he", path)
    return Counterparts(name, partners, frozenset(lines), sha256)


def _pair(row: Any, path: FilePath, number: int) -> tuple[str, str]:
    if not isinstance(row, list | tuple) or len(row) != 2 or not all(isinstance(word, str) for word in row):
        many = f"{len(row)} column{'s' * (len(row) != 1)}" if isinstance(row, list | tuple) else "no pair"
        raise InputError(f"{many}, where two words belong; write it as: she,he", path, number)
    first, second = (" ".join(word.split()) for word in row)
    for word in (first, second):
        if "*" in word:
            raise InputError(f"{word}: there are no wildcards; list the words", path, number)
        if not word[:1].isalnum():
            what = "an empty word" if not word else f"{word} begins with neither a letter nor a digit"
            raise InputError(f"{what}; write it as: she,he", path, number)
    if first == second:
        raise InputError(f"{first} is paired with itself; remove the line", path, number)
    return first, second
