"""Labels as they are read, from whatever table: collected column by column, and put together as weights."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, pairwise
from numbers import Number
from typing import Any

import numpy as np

from fairtrec.data import (
    MISSING,
    NONE,
    UNKNOWN,
    Docnos,
    Docs,
    Floats,
    Ints,
    Labels,
    decode,
    digest_columns,
    find_starts,
    fingerprints,
    is_number,
    join_ids,
    order_by_number,
)
from fairtrec.formats import label_rules
from fairtrec.formats.columns import WIDEST
from fairtrec.formats.label_rules import EntryLines, EntryPart, GroupCodes, LabelRules, LeftOut, find_line, find_lines
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.notes import Note, NoteKind


def _write_repeats(many: int, line: int) -> str:
    labels = "1 label is" if many == 1 else f"{many:,} labels are"
    return f"{labels} repeated with the same weight" + (f" (first: line {line})" if line else "")


REPEATED = NoteKind("repeated labels", _write_repeats)
HELD = 1 << 20  # labels that are held before those of documents that nothing names are let go
LARGE_TABLE = 1 << 25  # cells of a table of weights, from which on they are let go, too
MOST_CELLS = 1 << 27  # of a table of weights: 1 GiB
MOST_GROUPS = 1 << 12  # of which each has a column although others were named


def list_memberships(value: Any) -> dict[Any, Any]:
    """List the groups of a document, as Python holds them, with their weights; nothing that is known is unknown.

    >>> list_memberships("f"), list_memberships(["f", None]), list_memberships({"f": 0.5}), list_memberships(None)
    ({'f': 1}, {'f': 1}, {'f': 0.5}, {'?': 1})
    """
    if isinstance(value, Mapping):
        found: dict[Any, Any] = dict(value)
    else:
        several = [value] if label_rules.detect_kind(value) == "one" else value
        found = {group: 1 for group in several if not label_rules.is_missing(group)}
    return found or {UNKNOWN: 1}


class LabelTable:
    """The columns of labels: document, group, weight. ``counted`` weights are how many of something there are.

    ``path``    where they stand, for complaints
    ``cuts``    the numbers at which bins begin
    ``how``     how they are taken
    """

    def __init__(self, path: FilePath, cuts: Sequence[str] = (), how: LabelRules | None = None) -> None:
        self.path, self.counted, self.per_query = path, False, False
        self._files: list[tuple[int, FilePath]] = []  # the first part of each file, where there are several
        self.how = how or LabelRules()
        self.codes = GroupCodes(cuts, renamed=self.how.renamed)
        self._parts: list[EntryPart] = []
        self._fresh, self._held = 0, 0  # the first part of which documents may be let go, and labels from there on
        self._left: LeftOut | None = None
        self.id_column = "docno"  # as it stands in the file that is read
        self.repeats, self.repeated_at = 0, 0  # labels that were there before, and the line of the first; 0: not known
        self._wanted: Docnos | None = None

    def add(
        self,
        docnos: Docs,
        codes: Ints,
        weights: Floats | None = None,
        lines: EntryLines = None,
        qids: Docs | None = None,
    ) -> None:
        """Take labels, each of a document and of the group of that number, with a weight of 1 if none is given."""
        if not len(docnos):
            return
        odd = label_rules.odd_name(docnos)
        odd = odd if odd is not None or qids is None else label_rules.odd_name(qids, empty=True)
        if odd is not None:
            raise InputError(label_rules.describe_lacking_id(self.id_column), self.path, find_line(lines, odd))
        has_qid = np.zeros(1, dtype=np.bool_) if qids is None else qids != b""
        per_query = bool(has_qid.any())
        if (per_query and not has_qid.all()) or (self._parts and per_query != self.per_query):
            what = "some labels have a qid and others have none; add it to all, or remove it"
            raise InputError(what, self.path)
        self.per_query = per_query
        if qids is not None and per_query:
            docnos = join_ids(qids, docnos)
        self._parts.append((docnos, codes, weights, lines))
        self._held += len(docnos)
        if self._held > HELD:
            self._cut()

    def start_file(self, path: FilePath) -> None:
        """Take what comes from another file, which complaints name."""
        self.path = path
        self._files.append((len(self._parts), path))

    def settle_single(self, what: str) -> tuple[Docs, Ints]:
        """Settle the only label of each document: give the documents, each once, and the numbers of their groups.

        A cell that says nothing leaves it to the other rows. Raises InputError for a document of two labels, each of
        ``what``; those in one cell, as in a list, are one.
        """
        docs, codes, _, lines = label_rules.join_parts(self._parts)
        if not len(docs):
            return docs, codes
        table = Docnos.collect(docs)
        rows, entry = table.rows(docs), np.arange(len(docs))
        part = np.repeat(np.arange(len(self._parts)), [len(some) for some, *_ in self._parts])
        where = part * (int(np.max(lines, initial=0)) + 1) + lines if lines is not None else entry
        cell = np.unique(where, return_inverse=True)[1]
        is_known = codes != self.codes.names.get(UNKNOWN, MISSING)
        rank = np.where(is_known, entry, entry + len(docs))  # what is known comes first
        first = np.full(len(table), 2 * len(docs))
        np.minimum.at(first, rows, rank)
        first %= len(docs)
        is_first = cell == cell[first[rows]]
        pairs = rows * len(self.codes.names) + codes
        many = np.bincount(cell)[cell]
        is_other = is_known & ~(np.isin(pairs, pairs[is_first]) & (many == many[first[rows]]))
        if is_other.any():
            at = int(is_other.argmax())
            names, before = list(self.codes.names), int(first[rows[at]])
            line = self._find_line(before, 0)
            is_same_file = self._find_path(before, 0) == self._find_path(at, 0)
            both = " and ".join("+".join(names[code] for code in codes[cell == cell[one]]) for one in (before, at))
            both += f" (first on line {line})" if line and is_same_file else ""
            raise self._fault(f"{self.how.single} {docs[at].decode()} has two {what}s, {both}; keep one", at, 0)
        kept = np.flatnonzero(is_first & (is_known | (entry == first[rows])))
        self._parts = [(docs[kept], codes[kept], None, find_lines(lines, kept))]
        return docs[kept], codes[kept]

    def digest(self) -> str:
        """Hash the labels as they stand."""
        docs, codes, weights, _ = label_rules.join_parts(self._parts)
        names = np.array([name.encode() for name in self.codes.names] or [b""], dtype=np.bytes_)
        return digest_columns(docs, names[codes], weights)

    def take_ids(self, cells: list[Any], lines: EntryLines = None) -> Docs:
        """Take the ids in cells. Raises InputError for what no line of a run could hold, which may be an empty one."""
        texts = (
            list(map(str, cells))
            if {*map(type, cells)} <= {str, int}
            else [str(cell) if label_rules.is_id(cell) else "" for cell in cells]
        )
        try:
            encoded = "\n".join(texts).encode().split(b"\n")
        except UnicodeEncodeError:
            encoded = []
        if len(encoded) < len(texts) or max(map(len, encoded), default=0) > WIDEST or "\0" in "".join(texts):
            odd = (label_rules.word(text) is None or len(text.encode()) > WIDEST for text in texts)
            row = next(row for row, is_odd in enumerate(odd) if is_odd)
            raise InputError(label_rules.describe_lacking_id(self.id_column), self.path, find_line(lines, row))
        return np.array(encoded, dtype=np.bytes_)[: len(cells)]

    def code_groups(self, cells: Iterable[Any], lines: EntryLines = None) -> Ints:
        """Number the groups that cells name, unknown where they say nothing. Raises InputError for what is no name."""
        cells = cells if isinstance(cells, list) else list(cells)
        rest = iter(cells)
        try:
            return np.fromiter(map(self.codes.__getitem__, rest), np.int64, len(cells))
        except (ValueError, TypeError) as fault:
            row = len(cells) - 1 - sum(1 for _ in rest)
            what = str(fault) if isinstance(fault, ValueError) else label_rules.ODD_GROUP
            raise InputError(what, self.path, find_line(lines, row)) from None

    def take(self, docnos: Docs, values: list[Any], lines: EntryLines = None) -> None:
        """Take what stands in a field of each document.

        A text, number or Enum is one group, a list several, each whole; an object of names to numbers holds counts;
        null and what is empty is unknown.
        """
        kinds = {label_rules.detect_kind(value) for value in {type(value): value for value in values}.values()}
        for kind in kinds:
            if len(kinds) == 1:
                at, some = np.arange(len(values)), values
            else:
                at = np.flatnonzero([label_rules.detect_kind(value) == kind for value in values])
                some = [values[row] for row in at.tolist()]
            if kind == "one":
                self.add(docnos[at], self.code_groups(some, find_lines(lines, at)), None, find_lines(lines, at))
                continue
            if kind == "list":
                some = [[cell for cell in each if not label_rules.is_missing(cell)] for each in some]
            many = np.fromiter(map(len, some), np.int64, len(some))
            nothing = at[many == 0]
            self.add(docnos[nothing], self.code_groups([None] * len(nothing)), None, find_lines(lines, nothing))
            rows = np.repeat(at, many)
            where = find_lines(lines, rows)
            codes = self.code_groups(chain.from_iterable(some), where)
            amounts = None
            if kind == "counts":
                self.counted = True
                amounts = self._amounts(list(chain.from_iterable(map(dict.values, some))), where)
            if kind == "list" or self.codes.bins:
                rows, codes, amounts = self._distinct(rows, codes, amounts)
            self.add(docnos[rows], codes, amounts, find_lines(lines, rows))

    def take_memberships(self, memberships: Mapping[Any, Any]) -> str:
        """Take ``{docno: group}``, ``{docno: [group, ...]}`` or ``{docno: {group: weight}}``; give their digest.

        Raises InputError for what is no group, and for a weight that is no number.
        """
        entries = [
            (str(docno), group, weight)
            for docno, value in memberships.items()
            for group, weight in list_memberships(value).items()
        ]
        names = [UNKNOWN if label_rules.is_missing(group) else label_rules.word(group) for _, group, _ in entries]
        for name, (docno, group, weight) in zip(names, entries, strict=True):
            if name is None:
                shown = f"{group!r} " if isinstance(group, str | bytes | Number) else ""
                raise InputError(f"the group {shown}of document {docno} is no text or number; correct it", self.path)
            if not is_number(weight):
                raise InputError(f"the weight {weight!r} of document {docno} is not a number; correct it", self.path)
        docnos = self.take_ids([docno for docno, *_ in entries])
        weights = np.array([float(weight) for *_, weight in entries])
        self.add(docnos, self.code_groups(names), weights)
        groups = np.array([str(name).encode() for name in names], dtype=np.bytes_)
        return digest_columns(docnos, groups, weights)

    def _amounts(self, cells: list[Any], lines: EntryLines) -> Floats:
        with suppress(OverflowError):
            if {*map(type, cells)} <= {int, float}:
                amounts = np.array(cells, dtype=np.float64)
                if np.isfinite(amounts).all():
                    return amounts
        row = next(row for row, cell in enumerate(cells) if type(cell) not in (int, float) or not is_number(cell))
        raise InputError(f"the count {cells[row]!r} is not a number; correct it", self.path, find_line(lines, row))

    def _distinct(self, rows: Ints, codes: Ints, amounts: Floats | None) -> tuple[Ints, Ints, Floats | None]:
        """Put together what of one document falls into one group."""
        keys, first, into = np.unique(rows * len(self.codes.names) + codes, return_index=True, return_inverse=True)
        if len(keys) == len(codes):
            return rows, codes, amounts
        return rows[first], codes[first], None if amounts is None else np.bincount(into, amounts).astype(np.float64)

    def labels(self, name: str, sha256: str = "") -> Labels:
        """Put the labels together.

        Raises InputError for a weight outside 0..1, a count below 0, a label that appears twice, a document that is of
        none of the groups and of some, and for fewer than two groups; ScatteredError.
        """
        path, names = self.path, self.codes.names
        groups = tuple(sorted({*names} - {UNKNOWN, NONE}))
        if self._left is not None or len(groups) * sum(len(docs) for docs, *_ in self._parts) > LARGE_TABLE:
            self._cut(last=True)
        docs, codes, weights, _ = label_rules.join_parts(self._parts)
        if not len(docs) and self._left is None:
            raise InputError("no document has a label; check that this is the right file", path)
        rows_of = Docnos.collect(docs)
        rows = rows_of.rows(docs)
        once = self._check(docs, rows, codes, weights)
        rows, codes, weights = rows[once], codes[once], weights[once]
        if len(groups) < 2:
            raise InputError("these labels have fewer than two groups; fairness needs at least two", path)
        found = label_rules.members(rows, codes, weights, names, self.how.rule, counted=self.counted)
        columns = self._columns(groups)
        if len(rows_of) * len(columns) > MOST_CELLS:
            many = f"{len(groups):,} groups of {len(rows_of):,} documents"
            raise InputError(f"{many} do not fit into memory; choose those that you need with --groups", path)
        table = np.zeros((len(rows_of), len(columns)))
        column = {name: i for i, name in enumerate(columns)}
        of_group = np.array([column.get(name, len(columns) - 1) for name in names], dtype=np.int64)[codes]
        of_some = ~np.isin(codes, [names.get(word, MISSING) for word in (UNKNOWN, NONE)])
        at = rows[of_some], of_group[of_some]
        if columns == groups:
            table[at] = found.held[of_some]
        else:
            np.add.at(table, at, found.held[of_some])
        table[found.nobody] = np.nan
        none = NONE in names or bool((~table.any(axis=1)).any()) or bool(self._left and self._left.none)
        order = tuple(self.codes.bins) or self._order(groups)
        unsure = found.unsure if found.unsure.any() else None
        beyond = None if self._left is None else self._left.sums(names, path)
        return Labels(
            name, columns, rows_of, table, self.per_query, sha256, order=order, none=none, unsure=unsure, beyond=beyond,
            written=frozenset(self.codes.written), notes=tuple(self._list_notes()),
        )  # fmt: skip

    def _list_notes(self) -> Iterator[Note]:
        """Note labels that are repeated."""
        if self.repeats:
            yield REPEATED.note(many=self.repeats, line=self.repeated_at)

    def _columns(self, groups: tuple[str, ...]) -> tuple[str, ...]:
        """Name the groups that have a column; of very many all that are not asked for share the last."""
        some = tuple(name for name in groups if self.how.groups is None or name in self.how.groups)
        if len(groups) <= MOST_GROUPS or len(some) == len(groups):
            return groups
        return (*some, f"{len(groups) - len(some):,} others")

    def _cut(self, *, last: bool = False) -> None:
        """Let the labels of documents go that nothing names, but for sums; those of the last may not be complete.

        Raises InputError for what is wrong with labels that stand one after the other, as nothing is kept of them.
        """
        self._wanted = self._wanted or (self.how.wanted() if self.how.wanted and not self.per_query else None)
        if self._wanted is None or not self._parts[self._fresh :]:
            self._held = -MOST_CELLS  # what they are is not asked for again
            return
        docs, codes, weights, lines = label_rules.join_parts(self._parts[self._fresh :])
        starts = find_starts(docs)
        rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        once = self._check(docs, rows, codes, weights, self._fresh)
        docs, codes, weights, lines = docs[once], codes[once], weights[once], find_lines(lines, once)
        starts = find_starts(docs)
        end = len(docs) if last else int(starts[-2])
        there = self._wanted.rows(docs[:end]) != MISSING
        self._left = self._left or LeftOut()
        if last and not there.any() and not any(len(names) for names, *_ in self._parts[: self._fresh]):
            there = docs == docs[-1]  # so that there is a row
            self._left.keys.append(fingerprints(docs[-1:]))
        out = np.flatnonzero(~there)
        names = self.codes.names
        self._left.add(docs[out], codes[out], weights[out], names, self.how, counted=self.counted)
        kept, rest = np.flatnonzero(there), np.arange(end, len(docs))
        self._parts[self._fresh :] = [(docs[at], codes[at], weights[at], find_lines(lines, at)) for at in (kept, rest)]
        self._fresh, self._held = self._fresh + 1, len(rest)

    def _check(self, docs: Docs, rows: Ints, codes: Ints, weights: Floats, first: int = 0) -> Ints:
        """Give the entries without those that are repeated, of the parts from the ``first`` on, of documents [row].

        Raises InputError for what is wrong with one.
        """
        wrong = (weights < 0) | (weights > 1) & (not self.counted)
        if wrong.any():
            at = int(wrong.argmax())
            what = f"{weights[at]:g} of {docs[at].decode()}"
            raise self._fault(f"the count {what} is below 0; correct it" if self.counted
                              else f"the weight {what} is not between 0 and 1; correct it", at, first)  # fmt: skip
        once = np.arange(len(docs))
        if int(rows.max(initial=-1)) + 1 < len(docs):  # some document has more than one
            once = self._find_once(docs, rows, codes, weights, first)
            if NONE in self.codes.names:
                self._refuse_contradiction(docs, rows, codes, weights, first)
        return once

    def _order(self, groups: Sequence[str]) -> tuple[str, ...]:
        order = order_by_number(groups)
        for one, other in pairwise(order):
            if float(one) == float(other):
                raise InputError(f"the groups {one} and {other} are the same number; write it in one way", self.path)
        return order

    def rows(self) -> Iterator[tuple[int | None, str, str, str, float]]:
        """Give the labels one by one: line, query or "", document, group, weight."""
        names = list(self.codes.names)
        for docs, codes, weights, lines in self._parts:
            several = decode(docs), codes.tolist(), [1.0] * len(codes) if weights is None else weights.tolist()
            for row, (name, code, weight) in enumerate(zip(*several, strict=True)):
                qid, _, docno = name.partition(" ") if self.per_query else ("", "", name)
                yield find_line(lines, row), qid, docno, names[code], weight

    def _fault(self, what: str, entry: int, first: int) -> InputError:
        return InputError(what, self._find_path(entry, first), self._find_line(entry, first))

    def _find_path(self, entry: int, first: int) -> FilePath:
        """Find the file of an entry of the parts from the ``first`` on."""
        for number, (docs, *_) in enumerate(self._parts[first:], first):
            if entry < len(docs):
                return next((path for start, path in reversed(self._files) if start <= number), self.path)
            entry -= len(docs)
        return self.path

    def _find_line(self, entry: int, first: int) -> int | None:
        """Find the line of an entry of the parts from the ``first`` on."""
        for docs, _, _, lines in self._parts[first:]:
            if entry < len(docs):
                return find_line(lines, entry)
            entry -= len(docs)
        raise AssertionError(entry)

    def _find_once(self, docs: Docs, rows: Ints, codes: Ints, weights: Floats, first: int) -> Ints:
        """Find the entries that repeat none before. Raises InputError for the same label with another weight."""
        keys = rows * len(self.codes.names) + codes
        order = np.argsort(keys, kind="stable")
        again = order[1:][keys[order[1:]] == keys[order[:-1]]]
        before = order[:-1][keys[order[1:]] == keys[order[:-1]]]
        if (other := weights[again] != weights[before]).any():
            at = int(again[other].min())
            group = list(self.codes.names)[codes[at]]
            what = f"document {docs[at].decode()} has the label {group} twice, with other weights"
            raise self._fault(f"{what}; keep one", at, first)
        if len(again):
            self.repeats += len(again)
            lines = self.repeated_at, self._find_line(int(again.min()), first)  # those of a cut were looked at before
            self.repeated_at = min(filter(None, lines), default=0)
        is_first = np.ones(len(docs), dtype=np.bool_)
        is_first[again] = False
        return np.flatnonzero(is_first)

    def _refuse_contradiction(self, docs: Docs, rows: Ints, codes: Ints, weights: Floats, first: int) -> None:
        """Raise InputError for what is of none of the groups and of some, unless these are votes."""
        names = self.codes.names
        of_none = (codes == names[NONE]) & (weights > 0)
        of_some = (codes != names[NONE]) & (weights > 0)
        both = (np.bincount(rows, of_none) > 0) & (np.bincount(rows, of_some) > 0)
        wrong = (both & ((np.bincount(rows, weights) > 1 + label_rules.ROUNDING) | self.counted))[rows]
        if wrong.any():
            at = len(wrong) - 1 - int(wrong[::-1].argmax())
            called = [name for name, code in names.items() if (of_some & (codes == code) & (rows == rows[at])).any()]
            others = ", ".join(sorted(called, key=lambda name: (name == UNKNOWN, name)))
            what = f"document {docs[at].decode()} is of none of the groups ({NONE}), and of {others}"
            raise self._fault(f"{what}; keep one, or add weights that sum to at most 1", at, first)
