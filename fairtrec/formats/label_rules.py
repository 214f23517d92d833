"""Entries of labels, and how they are taken: what names a group, what several groups mean, which documents are kept.

Labels of a whole collection are of many more documents than runs and judgments name. Of the others sums are kept.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from fairtrec.data import (
    MISSING,
    NONE,
    UNKNOWN,
    Beyond,
    Bools,
    Docnos,
    Docs,
    Floats,
    Ints,
    Keys,
    find_starts,
    fingerprints,
    is_number,
)
from fairtrec.formats.columns import WIDEST, LineNumbers, describe_no_number, find_line_number
from fairtrec.formulas.distribution import quotient
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.literals import DOCUMENT, Membership

Names = Mapping[str, int]  # the number of each group
EntryLines = LineNumbers | None  # of rows: the first, all, or none
EntryPart = tuple[Docs, Ints, Floats | None, EntryLines]  # documents, numbers of groups, weights, lines
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")  # and what ends lines; other marks may be
ODD_GROUP = f"this group is no text or number of one line and at most {WIDEST} letters; correct it"
TOGETHER = 1 << 20  # bytes of names that are looked at, few enough for a processor to keep them near
ROUNDING = 1e-5  # by which weights of votes may exceed 1


def find_line(lines: EntryLines, row: int) -> int | None:
    """Give the line of a row, if there are lines."""
    return None if lines is None else int(find_line_number(lines, row))


def find_lines(lines: EntryLines, rows: Ints) -> Ints | None:
    """Give the lines of these rows."""
    return None if lines is None else np.asarray(lines + rows if isinstance(lines, int) else np.asarray(lines)[rows])


def join_parts(parts: Sequence[EntryPart]) -> tuple[Docs, Ints, Floats, EntryLines]:
    """Put parts together; nobody knows their lines where one has none."""
    if not parts:
        return np.empty(0, "S1"), np.empty(0, np.int64), np.empty(0), None
    docs, codes, weights, lines = zip(*parts, strict=True)
    given = [np.ones(len(some)) if weight is None else weight for some, weight in zip(docs, weights, strict=True)]
    every = [find_lines(each, np.arange(len(some))) for some, each in zip(docs, lines, strict=True)]
    known = [each for each in every if each is not None]
    where = np.concatenate(known) if len(known) == len(parts) else None
    joined = docs[0] if len(docs) == 1 else np.concatenate(docs)
    return joined, np.concatenate(codes), np.concatenate(given), where


@dataclass(frozen=True, eq=False)
class LabelRules:
    """How labels are taken.

    ``rule``    what several groups of a document mean, None: weights are as they stand, and counts are shares
    ``groups``  those that count, and perhaps ``-`` for none of them; None is all
    ``wanted``  gives the documents that something names, or None where they cannot be told; None keeps all
    ``renamed`` the names of groups by those in the file; ``-`` is none of them
    ``column``  the column of documents in a table with a field, if that has it; it is else found by ``names``
    ``tables``  those of the runs themselves, where a document stands in many rows
    ``single``  what has one label only, in however many rows it stands; nothing: all may have several
    """

    rule: Membership | None = None
    groups: Sequence[str] | None = None
    wanted: Callable[[], Docnos | None] | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)
    column: str = ""
    names: Sequence[str] = DOCUMENT
    tables: Sequence[FilePath] = ()
    single: str = ""

    def read_own(self, what: str, names: Sequence[str], column: str) -> "LabelRules":
        """Give the rules by which a column of a run's own table is read: ``what`` stands in a row has one label."""
        return replace(self, wanted=None, column=column, names=names, single=what)


@dataclass(frozen=True, eq=False)
class Members:
    """What the entries of labels [entry] are worth, of documents [row].

    ``held``     the membership of each entry
    ``nobody``   of which documents nothing is known
    ``unsure``   how much of each document is of unknown group while the rest is known
    """

    held: Floats
    nobody: Bools
    unsure: Floats


def members(
    rows: Ints, codes: Ints, weights: Floats, names: Names, rule: Membership | None, *, counted: bool
) -> Members:
    """Make members of entries, each of a document [entry], a group, and a weight, or how many of something there are.

    >>> entries = np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([3.0, 1.0, 2.0])
    >>> members(*entries, {"f": 0, "m": 1}, None, counted=True).held.tolist()
    [0.75, 0.25, 1.0]
    >>> members(*entries, {"f": 0, "m": 1}, "majority", counted=True).held.tolist()
    [1.0, 0.0, 1.0]
    """
    of_unknown, of_none = (codes == names.get(word, MISSING) for word in (UNKNOWN, NONE))
    held = np.where(of_unknown | of_none, 0.0, weights)
    total, unknown = np.bincount(rows, held), np.bincount(rows, np.where(of_unknown, weights, 0.0))
    nobody = np.asarray(unknown > 0)
    unsure = np.zeros(len(total))
    if counted:
        nobody = (total == 0) & (np.bincount(rows, np.where(of_none, weights, 0.0)) == 0)
        rule = rule or "share"
    if rule == "share":
        whole = np.where(total > 0, total + unknown, 0.0) if counted else total
        held = quotient(held, whole[rows], 0.0)
        unsure = quotient(unknown, whole, 0.0) if counted else unsure
    elif rule == "any":
        held = (held > 0).astype(np.float64)
    elif rule == "majority":
        most = np.zeros(len(total))
        np.maximum.at(most, rows, held)
        first = (held > 0) & (held == most[rows])
        held = (first & (np.bincount(rows, first) == 1)[rows]).astype(np.float64)
    return Members(held, nobody, unsure)


class ScatteredError(InputError):
    """Labels of a document stand apart, so that those of documents that nothing names cannot be let go."""


@dataclass
class LeftOut:
    """What labels say of the documents that are left out, added up by the numbers of groups.

    ``keys``, of each document where it stood, are all that is kept of it: 8 bytes.
    """

    documents: Floats = field(default_factory=lambda: np.zeros(0))
    amounts: Floats = field(default_factory=lambda: np.zeros(0))
    none: int = 0
    part: int = 0  # of these, of which something is unknown
    unknown: tuple[int, float] = (0, 0.0)  # documents, and how much of them
    keys: list[Keys] = field(default_factory=list)

    def add(self, docs: Docs, codes: Ints, weights: Floats, names: Names, how: LabelRules, *, counted: bool) -> None:
        """Add entries of documents, those of each one after the other."""
        starts = find_starts(docs)
        if len(starts) < 2:
            return
        self.keys.append(fingerprints(docs[starts[:-1]]))
        rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        found = members(rows, codes, weights, names, how.rule, counted=counted)
        held = np.where(found.nobody[rows], 0.0, found.held)
        there = np.bincount(rows, held) > 0
        none = ~found.nobody & ~there
        unknown = found.nobody
        if how.groups is not None:
            chosen = np.array([name in how.groups for name in names], dtype=np.bool_)
            held = np.where(chosen[codes], held, 0.0)
            elsewhere = there & (np.bincount(rows, held) == 0)
            none, unknown = (none | elsewhere, unknown) if NONE in how.groups else (none, unknown | elsewhere)
        self.documents = _added(self.documents, np.bincount(codes, held > 0, len(names)))
        self.amounts = _added(self.amounts, np.bincount(codes, held, len(names)))
        self.none += int(none.sum())
        self.part += int((none & (found.unsure > 0)).sum())
        part = np.where(unknown, 1.0, found.unsure)
        self.unknown = self.unknown[0] + int((part > 0).sum()), self.unknown[1] + float(part.sum())

    def sums(self, names: Names, path: FilePath) -> Beyond:
        """Give what was added up. Raises ScatteredError if a document may have stood in several places."""
        keys = np.concatenate([np.empty(0, np.uint64), *self.keys])
        keys.sort()
        if (keys[1:] == keys[:-1]).any():
            raise ScatteredError("the labels of a document are not on adjacent lines; sort them by docno", path)
        documents = dict(zip(names, self.documents.astype(np.int64).tolist(), strict=False))
        amounts = dict(zip(names, self.amounts.tolist(), strict=False))
        return Beyond(
            documents | {UNKNOWN: self.unknown[0]}, amounts | {UNKNOWN: self.unknown[1]}, self.none, self.part
        )


def _added(before: Floats, more: Any) -> Floats:
    total: Floats = np.pad(before, (0, len(more) - len(before))) + more
    return total


def is_missing(cell: Any) -> bool:
    """Tell whether a cell says nothing, so that a label is unknown: null, NaN, NaT, NA, blank text, an empty list.

    The texts nan, None and null are names of groups.

    >>> [is_missing(cell) for cell in (None, float("nan"), " ", [], 0, "nan")]
    [True, True, True, True, False, False]
    """
    if isinstance(cell, str):
        return not cell or cell.isspace()
    if isinstance(cell, list | tuple | set | frozenset | dict):
        return not cell
    if isinstance(cell, float | np.floating):
        return bool(np.isnan(cell))
    return cell is None or type(cell).__name__ in ("NAType", "NaTType")  # of pandas, which need not be here


def word(cell: Any) -> str | None:
    """Write a name on a line, as a run has it; None if that cannot be. A number is written without needless zeros.

    >>> word("F"), word(3.0), word(True), word(["F"])
    ('F', '3', 'true', None)
    """
    if type(cell) is str:
        written = cell.strip()
        return written if len(written) <= WIDEST and not _CONTROL.search(written) else None
    if isinstance(cell, np.generic):
        cell = cell.item()
    if isinstance(cell, Enum):
        cell = cell.name
    if isinstance(cell, bytes):
        cell = cell.decode(errors="replace")
    if isinstance(cell, bool):
        cell = str(cell).lower()
    if isinstance(cell, float):
        cell = int(cell) if cell.is_integer() else repr(cell)
    text = str(cell).strip() if isinstance(cell, str | int) else None
    return text if text is not None and len(text) <= WIDEST and not _CONTROL.search(text) else None


class GroupCodes(dict[Any, int]):
    """The number of each group, by the cells that name it; numbers are put into bins where there are ``cuts``.

    A cell that says nothing is of the unknown group. A group that is ``renamed`` has the number of its new name.
    """

    def __init__(self, cuts: Sequence[str], *, renamed: Mapping[str, str] = MappingProxyType({})) -> None:
        super().__init__()
        self.renamed = renamed
        self.written: set[str] = set()  # the names of groups before any is renamed
        self.edges = [float(cut) for cut in cuts]
        inner = [f"{low}-<{high}" for low, high in pairwise(cuts)]
        self.bins = [f"<{cuts[0]}", *inner, f">={cuts[-1]}"] if cuts else []
        self.names: dict[str, int] = {name: code for code, name in enumerate(self.bins)}

    def __missing__(self, cell: Any) -> int:
        text = UNKNOWN if is_missing(cell) else word(cell)
        if text is None:
            raise ValueError(ODD_GROUP)
        if self.bins and text not in (UNKNOWN, NONE):
            if not is_number(text):
                what = describe_no_number("the label", text, "a number, as bins take")
                raise ValueError(f"{what}, or leave the bins out")
            text = self.bins[int(np.searchsorted(self.edges, float(text), side="right"))]
        self.written.add(text)
        text = self.renamed.get(text, text)
        code = self[cell] = self.names.setdefault(text, len(self.names))
        return code


def describe_lacking_id(column: str = "docno") -> str:
    """Say that a row has nothing in this column of ids that a line of a run could hold."""
    return f"this label has no {column}; write it as text, or leave out the line"


def is_id(cell: Any) -> bool:
    """Tell whether this can be the id of a document or query: text or a whole number."""
    return isinstance(cell, str | int) and not isinstance(cell, bool)


def detect_kind(value: Any) -> Literal["counts", "list", "one"]:
    """Tell what stands in a field: counts by group, a list of groups, or one."""
    several = isinstance(value, list | tuple | set | frozenset)
    return "counts" if isinstance(value, dict) else "list" if several else "one"


def odd_name(names: Docs, *, empty: bool = False) -> int | None:
    """Find a name that no run could hold; ``empty`` ones may be allowed. Blanks may be: JSON has ids with them."""
    several = max(1, TOGETHER // names.dtype.itemsize)
    for first in range(0, len(names), several):
        some = names[first : first + several]
        letters = some.view(np.uint8).reshape(len(some), -1)
        odd = (((letters < ord(" ")) & (letters != 0)) | (letters == 127)).any(axis=1) | (
            (letters[:, 0] == 0) & (not empty)
        )
        if (letters >= 128).any():
            high = np.flatnonzero((letters >= 128).any(axis=1))
            odd[high] |= [word(name) is None for name in some[high].tolist()]
        if odd.any():
            return first + int(odd.argmax())
    return None
