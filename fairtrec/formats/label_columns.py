"""Labels as they are read, from whatever table: collected column by column, and put together as weights."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np

from fairtrec.data import NONE, UNKNOWN, Docnos, Docs, Floats, Ints, Labels, by_number, decode, is_number
from fairtrec.errors import FilePath, InputError
from fairtrec.formats.columns import WIDEST, LineNumbers, line_of
from fairtrec.formats.label_words import LACKING, GroupCodes, is_id, word
from fairtrec.formulas import distribution
from fairtrec.formulas.neutrality import membership
from fairtrec.literals import Membership

EntryLines = LineNumbers | None  # of rows: the first, all, or none
MOST_CELLS = 1 << 30  # of a table of weights
ROUNDING = 1e-5  # by which weights of votes may exceed 1


class LabelColumns:
    """The columns of labels: document, group, weight. ``counted`` weights are how many of something there are.

    ``path``    where they stand, for complaints
    ``cuts``    the numbers at which bins begin
    ``strict``  a label names its group; else it is unknown where there is none
    """

    def __init__(self, path: FilePath, cuts: Sequence[str] = (), *, strict: bool = False) -> None:
        self.path, self.counted, self.per_query = path, False, False
        self.codes = GroupCodes(cuts, strict=strict)
        self._parts: list[tuple[Docs, Ints, Floats | None, EntryLines]] = []

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
        odd = _odd(docnos)
        odd = odd if odd is not None or qids is None else _odd(qids, empty=True)
        if odd is not None:
            raise InputError(LACKING, self.path, _line(lines, odd))
        if qids is not None and (qids != b"").any():
            if (qids == b"").any() or (self._parts and not self.per_query):
                self._refuse_mixed()
            self.per_query = True
            docnos = np.char.add(np.char.add(qids, b" "), docnos)
        elif self.per_query:
            self._refuse_mixed()
        self._parts.append((docnos, codes, weights, lines))

    def _refuse_mixed(self) -> None:
        raise InputError("some of these labels have a qid and others have none; give it to all or to none", self.path)

    def named(self, cells: list[Any], lines: EntryLines = None) -> Docs:
        """Take the ids in cells. Raises InputError for what no line of a run could hold, which may be an empty one."""
        texts = (
            list(map(str, cells))
            if {*map(type, cells)} <= {str, int}
            else [str(cell) if is_id(cell) else "" for cell in cells]
        )
        try:
            encoded = "\n".join(texts).encode().split(b"\n")
        except UnicodeEncodeError:
            encoded = []
        if len(encoded) < len(texts) or max(map(len, encoded), default=0) > WIDEST or "\0" in "".join(texts):
            row = next(row for row, text in enumerate(texts) if word(text) is None or len(text.encode()) > WIDEST)
            raise InputError(LACKING, self.path, _line(lines, row))
        return np.array(encoded, dtype=np.bytes_)[: len(cells)]

    def coded(self, cells: Iterable[Any], lines: EntryLines = None) -> Ints:
        """Number the groups that cells name. Raises InputError for what names none."""
        cells = cells if isinstance(cells, list) else list(cells)
        try:
            return np.fromiter(map(self.codes.__getitem__, cells), np.int64, len(cells))
        except (ValueError, TypeError) as fault:
            row = next(row for row, cell in enumerate(cells) if self._faulty(cell))
            what = str(fault) if isinstance(fault, ValueError) else LACKING
            raise InputError(what, self.path, _line(lines, row)) from None

    def _faulty(self, cell: Any) -> bool:
        try:
            self.codes[cell]
        except (ValueError, TypeError):
            return True
        return False

    def take(self, docnos: Docs, values: list[Any], lines: EntryLines = None) -> None:
        """Take what stands in a field of each document.

        A text, number or Enum is one group, a list several, each whole; an object of names to numbers holds counts;
        null and what is empty is unknown.
        """
        kinds = {"counts" if isinstance(value, dict) else "list" if isinstance(value, list | tuple | set | frozenset)
                 else "one" for value in _one_of_each_type(values)}  # fmt: skip
        for kind in kinds:
            if len(kinds) == 1:
                at, some = np.arange(len(values)), values
            else:
                at = np.array([row for row, value in enumerate(values) if _is(value, kind)], dtype=np.int64)
                some = [values[row] for row in at.tolist()]
            if kind == "one":
                self.add(docnos[at], self.coded(some, _of(lines, at)), None, _of(lines, at))
                continue
            if kind == "list":
                some = [[cell for cell in each if cell is not None and cell != ""] for each in some]
            many = np.fromiter(map(len, some), np.int64, len(some))
            nothing = at[many == 0]
            self.add(docnos[nothing], self.coded([None] * len(nothing)), None, _of(lines, nothing))
            rows = np.repeat(at, many)
            where = _of(lines, rows)
            codes = self.coded(chain.from_iterable(some), where)
            amounts = None
            if kind == "counts":
                self.counted = True
                amounts = self._amounts(list(chain.from_iterable(map(dict.values, some))), where)
            if kind == "list" or self.codes.bins:
                rows, codes, amounts = self._distinct(rows, codes, amounts)
            self.add(docnos[rows], codes, amounts, _of(lines, rows))

    def _amounts(self, cells: list[Any], lines: EntryLines) -> Floats:
        try:
            if {*map(type, cells)} <= {int, float}:
                amounts = np.array(cells, dtype=np.float64)
                if np.isfinite(amounts).all():
                    return amounts
        except OverflowError:
            pass
        row = next(row for row, cell in enumerate(cells) if type(cell) not in (int, float) or not is_number(cell))
        raise InputError(f"the count {cells[row]!r} is not a number; correct it", self.path, _line(lines, row))

    def _distinct(self, rows: Ints, codes: Ints, amounts: Floats | None) -> tuple[Ints, Ints, Floats | None]:
        """Put together what of one document falls into one group."""
        keys, first, into = np.unique(rows * len(self.codes.names) + codes, return_index=True, return_inverse=True)
        if len(keys) == len(codes):
            return rows, codes, amounts
        return rows[first], codes[first], None if amounts is None else np.bincount(into, amounts).astype(np.float64)

    def labels(self, name: str, sha256: str = "", rule: Membership | None = None) -> Labels:
        """Put the labels together; ``rule`` says what several groups of a document mean, else counts are shares.

        Raises InputError for a weight outside 0..1, a count below 0, a label that stands twice, a document that is of
        none of the groups and of some, and for fewer than two groups.
        """
        path, names = self.path, self.codes.names
        groups = tuple(sorted({*names} - {UNKNOWN, NONE}))
        docs, codes, weights = self._joined()
        if not len(docs):
            raise InputError("no document has a label here; is this the right file?", path)
        rows_of = Docnos.of(docs)
        rows = rows_of.rows(docs)
        wrong = (weights < 0) | (weights > 1) & (not self.counted)
        if wrong.any():
            at = int(wrong.argmax())
            what = f"{weights[at]:g} of {docs[at].decode()}"
            raise self._fault(f"the count {what} is below 0; correct it" if self.counted
                              else f"the weight {what} is not between 0 and 1; correct it", at)  # fmt: skip
        if len(rows_of) < len(docs):
            self._refuse_twice(docs, rows, codes)
        if len(rows_of) * (len(groups) + 2) > MOST_CELLS:
            many = f"{len(groups):,} groups of {len(rows_of):,} documents"
            raise InputError(f"{many} do not fit into memory; take a field with fewer, or label fewer documents", path)
        table = np.zeros((len(rows_of), len(groups) + 2))  # the last two: of none, and unknown
        column = {name: i for i, name in enumerate((*groups, NONE, UNKNOWN))}
        table[rows, np.array([column[name] for name in names])[codes]] = weights
        if NONE in names:
            self._refuse_contradiction(docs, rows, table, groups)
        if len(groups) < 2:
            raise InputError("these labels have fewer than two groups; fairness needs at least two", path)
        known, unknown = table[:, :-2], table[:, -1] > 0
        unsure = None
        if self.counted:
            known, unsure = _of_counts(table, rule or "share")
        else:
            known = membership(known, rule) if rule else known
            known[unknown] = np.nan
        none = NONE in names or bool((~known.any(axis=1)).any())
        order = tuple(self.codes.bins) or self._order(groups)
        return Labels(name, groups, rows_of, known, self.per_query, sha256, order=order, none=none, unsure=unsure)

    def _order(self, groups: Sequence[str]) -> tuple[str, ...]:
        """Order groups that are numbers. Raises InputError where two are the same number."""
        order = by_number(groups)
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
                qid, _, docno = name.rpartition(" ")
                yield _line(lines, row), qid, docno, names[code], weight

    def _joined(self) -> tuple[Docs, Ints, Floats]:
        if not self._parts:
            return np.empty(0, "S1"), np.empty(0, np.int64), np.empty(0)
        docs, codes, weights, _ = zip(*self._parts, strict=True)
        given = [np.ones(len(some)) if weight is None else weight for some, weight in zip(docs, weights, strict=True)]
        return np.concatenate(docs), np.concatenate(codes), np.concatenate(given)

    def _fault(self, what: str, entry: int) -> InputError:
        for docs, _, _, lines in self._parts:
            if entry < len(docs):
                return InputError(what, self.path, _line(lines, entry))
            entry -= len(docs)
        raise AssertionError(entry)

    def _refuse_twice(self, docs: Docs, rows: Ints, codes: Ints) -> None:
        keys = rows * len(self.codes.names) + codes
        order = np.argsort(keys, kind="stable")
        again = order[1:][keys[order[1:]] == keys[order[:-1]]]
        if len(again):
            at = int(again.min())
            group = list(self.codes.names)[codes[at]]
            raise self._fault(f"document {docs[at].decode()} has the label {group} twice; keep one", at)

    def _refuse_contradiction(self, docs: Docs, rows: Ints, table: Floats, groups: Sequence[str]) -> None:
        """Raise InputError for what is of none of the groups and of some, unless these are votes."""
        table = table[:, [*range(len(groups)), -1, -2]]
        both = (table[:, -1] > 0) & (table[:, :-1] > 0).any(axis=1)
        wrong = both[rows] & ((table.sum(axis=1) > 1 + ROUNDING)[rows] | self.counted)
        if wrong.any():
            at = len(wrong) - 1 - int(wrong[::-1].argmax())
            others = ", ".join(
                name for name, weight in zip((*groups, UNKNOWN), table[rows[at]], strict=False) if weight > 0
            )
            what = f"document {docs[at].decode()} is of none of the groups ({NONE}), and of {others}"
            raise self._fault(f"{what}; keep one, or give weights that sum to at most 1", at)


def _of_counts(table: Floats, rule: Membership) -> tuple[Floats, Floats | None]:
    """Make members of counts [row, group, and last none and unknown], nan of which nothing is known; and the unsure."""
    known, unknown = table[:, :-2], table[:, -1:]
    total: Floats = known.sum(axis=1, keepdims=True)
    lacking = (total == 0) & (table[:, -2:-1] == 0)
    if rule != "share":
        return np.where(lacking, np.nan, membership(known, rule)), None
    parts = distribution.quotient(np.column_stack((known, unknown)), np.where(total > 0, total + unknown, 0), 0.0)
    return np.where(lacking, np.nan, parts[:, :-1]), parts[:, -1] if unknown.any() else None


def _odd(names: Docs, *, empty: bool = False) -> int | None:
    """Find a name that no line of a run could hold; ``empty`` ones may be allowed."""
    letters = names.view(np.uint8).reshape(len(names), -1)
    odd = (((letters <= ord(" ")) & (letters != 0)) | (letters == 127)).any(axis=1) | (
        (letters[:, 0] == 0) & (not empty)
    )
    if (letters >= 128).any():
        high = np.flatnonzero((letters >= 128).any(axis=1))
        odd[high] |= [word(name) is None or b" " in name for name in names[high].tolist()]
    return int(odd.argmax()) if odd.any() else None


def _one_of_each_type(values: Iterable[Any]) -> Iterable[Any]:
    return {type(value): value for value in values}.values()


def _is(value: Any, kind: str) -> bool:
    is_list = isinstance(value, list | tuple | set | frozenset)
    return (
        isinstance(value, dict)
        if kind == "counts"
        else is_list
        if kind == "list"
        else not (is_list or isinstance(value, dict))
    )


def _line(lines: EntryLines, row: int) -> int | None:
    return None if lines is None else int(line_of(lines, row))


def _of(lines: EntryLines, rows: Ints) -> EntryLines:
    """Give the lines of these rows."""
    return None if lines is None else lines + rows if isinstance(lines, int) else np.asarray(lines)[rows]
