"""Rankings of documents for queries, and judgments of them: a run, samples of rankings, qrels and their index."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from fairtrec.data.docnos import (
    MISSING,
    Bools,
    Docnos,
    Docs,
    Floats,
    Ints,
    encode_ids,
    find_starts,
    lay_rows,
    list_lines,
    number_rows,
    refuse_large,
)
from fairtrec.support.notes import Note

PIECE = 1 << 15  # documents that are looked up at a time, as caches have them
STEPS = 64  # ranks that all rankings go on together, to find how far documents are tied


class ByQuery:
    """What stands query by query: its lines ``starts[i]:starts[i + 1]`` are of ``qids[i]``."""

    qids: tuple[str, ...]
    starts: Ints

    @cached_property
    def _table(self) -> tuple[Docnos, Ints]:
        column = encode_ids(self.qids)
        table = Docnos.collect(column)
        return table, number_rows(table.rows(column), len(table) + 1)  # the last is of what is in no row

    def numbers(self, qids: Sequence[str]) -> Ints:
        """Give each query its number among these; MISSING where it has none."""
        if tuple(qids) == self.qids:
            return np.arange(len(qids))
        table, number = self._table
        numbers: Ints = number[table.rows(encode_ids(qids))]
        return numbers


@dataclass(frozen=True, eq=False)
class Run(ByQuery):
    """One system's rankings. The documents of ``qids[i]`` are ``docnos[starts[i]:starts[i + 1]]``, best first."""

    sampled: ClassVar[bool] = False  # whether there may be several rankings for a query

    name: str  # the name in reports, by default the path
    tag: str  # the tag in the file
    qids: tuple[str, ...]  # the ids of queries [query]
    starts: Ints  # where the documents of each query begin [query + 1]
    docnos: Docs  # the ids of documents [row]
    scores: Floats  # the scores of documents [row]
    positions: Ints | None = None  # the ranks of documents [row], from 1, where some are of no document; None: 1, 2, 3
    last_ranks: Ints | None = (
        None  # and the last rank of each ranking [query], which a cut may leave without a document
    )
    rises: bool = False  # whether the file has the worst score at the first rank
    numbered: bool = False  # whether its ids are those of queries and of samples, which are still to be told apart
    notes: tuple[Note, ...] = ()  # what a reader of its values must know of its file

    @classmethod
    def from_arrays(
        cls,
        qids: Sequence[str],
        docnos: Any,
        scores: Any,
        *,
        indices: Any = None,
        depth: int | None = None,
        name: str = "run",
    ) -> "Run":
        """Make a run from the scores of a trainer or of an index of vectors.

        Args:
            qids: an id for each row of ``scores``.
            docnos: an id for each column of ``scores``, or for each score [query, document]: texts, or bytes of numpy,
                which need no encoding in each call.
            scores: floats [query, document]: an array of numpy, or an object with ``__array__`` or ``__dlpack__``, such
                as a tensor of PyTorch. A score of -inf leaves its document out.
            indices: the places of the scored documents in ``docnos`` [query, document], as a top-k search returns them.
            depth: keep this many documents of each query.
            name: of the run.

        Raises:
            InputError: shapes that do not fit, nan, or a document or query that occurs twice.

        >>> run = Run.from_arrays(["q1"], ["d1", "d2", "d3"], np.array([[0.5, 2.0, 1.0]]), depth=2)
        >>> run.docnos.tolist(), run.scores.tolist()
        ([b'd2', b'd3'], [2.0, 1.0])
        """
        from fairtrec.data.arrays import rank_arrays

        ranked = rank_arrays(qids, docnos, scores, indices, depth)
        run = cls(name, name, *ranked)
        return run if depth is None else run.cut(ranked[0], depth)

    @property
    def empty(self) -> tuple[str, ...]:
        """The queries whose rankings are empty."""
        return tuple(self.qids[row] for row in np.flatnonzero(self.depths == 0).tolist())

    @property
    def runs(self) -> "tuple[Run, ...]":
        """Itself: it is the only one."""
        return (self,)

    @property
    def depths(self) -> Ints:
        """The last rank of each ranking [query], 0 if it is empty."""
        return np.diff(self.starts) if self.last_ranks is None else self.last_ranks

    def find_depths(self, rows: Ints) -> Ints:
        """Find the last rank of rankings by their numbers [query]; 0 for one that is empty or MISSING."""
        return np.where(rows == MISSING, 0, np.append(self.depths, 0)[rows])

    def find_ranks(self, lines: Ints) -> Ints:
        """Give the ranks of documents by their lines, from 1."""
        if self.positions is not None:
            return np.asarray(self.positions[lines])
        return np.asarray(lines - self.starts[np.searchsorted(self.starts, lines, side="right") - 1] + 1)

    def count_first(self, depth: int) -> Ints:
        """Count the documents at the first ranks of each ranking [query]."""
        if self.positions is None:
            return np.minimum(np.diff(self.starts), depth)
        return np.diff(np.concatenate(([0], np.cumsum(self.positions <= depth)))[self.starts])

    def parts(self, qids: Sequence[str]) -> "list[tuple[Run, Sequence[str]]]":
        """Give the runs of one ranking for a query, each with those of these queries that are looked for in it."""
        return [(self, qids)]

    def top(self, qids: Sequence[str], depth: int | None) -> Ints:
        """Give the lines of each query's documents at the first ``depth`` ranks [query, rank]; MISSING: none there."""
        return self.find_top(self.numbers(qids), depth)

    def find_top(self, rows: Ints, depth: int | None) -> Ints:
        """Give the same for the numbers of queries."""
        if self.positions is not None:
            return self._place(rows, depth)
        first = np.where(rows == MISSING, 0, self.starts[rows])
        length = np.where(rows == MISSING, 0, self.starts[rows + 1] - first)
        width = int(length.max(initial=0))
        rank = np.arange(width if depth is None else min(width, depth))
        refuse_large(queries=len(rows), documents=len(rank))
        lines: Ints = first[:, None] + rank
        if length.min(initial=len(rank)) < len(rank):
            lines[rank >= length[:, None]] = MISSING
        return lines

    def _place(self, rows: Ints, depth: int | None) -> Ints:
        """Give the lines of documents where their positions are [query, rank]."""
        assert self.positions is not None
        first, many = (
            np.where(rows == MISSING, 0, each[rows]) for each in (self.starts, np.diff(self.starts, append=0))
        )
        width = int(self.find_depths(rows).max(initial=0))
        width = width if depth is None else min(width, depth)
        refuse_large(queries=len(rows), documents=width)
        lines, query = list_lines(first, many), np.repeat(np.arange(len(rows)), many)
        there = self.positions[lines] <= width
        found = np.full((len(rows), width), MISSING, dtype=np.int64)
        found[query[there], self.positions[lines[there]] - 1] = lines[there]
        return found

    def cut(self, qids: Sequence[str], depth: int | None, *, with_ties: bool = False) -> "Run":
        """Keep only the documents at the first ``depth`` ranks of these queries, of those that the run has.

        ``with_ties``  keep what is tied with the last of them, too.
        """
        if with_ties:
            return self.cut_behind_ties(depth).cut(qids, None)
        rows = self.numbers(qids)
        rows = rows[rows != MISSING]
        if len(rows) == len(self.qids) and (depth is None or depth >= self.depths.max(initial=0)):
            return self
        kept = tuple(self.qids[row] for row in rows.tolist())
        lengths = np.diff(self.starts) if depth is None else self.count_first(depth)
        found = self._keep_first(kept, self.starts[rows], lengths[rows])
        if self.last_ranks is None:
            return found
        ends = self.last_ranks[rows]
        return replace(found, last_ranks=ends if depth is None else np.minimum(ends, depth))

    def cut_behind_ties(self, depth: int | None) -> "Run":
        """Cut each ranking after ``depth`` documents, but behind those that are tied with the last."""
        if depth is None:
            return self
        if self.positions is not None:  # no two are tied
            return self.cut(self.qids, depth)
        lengths = np.diff(self.starts)
        depth = min(depth, int(lengths.max(initial=0)))
        kept = np.minimum(lengths, depth)
        longer = np.flatnonzero(lengths > depth)
        for _ in range(STEPS):
            next_lines = self.starts[longer] + kept[longer]
            longer = longer[self.scores[next_lines] == self.scores[next_lines - 1]]
            kept[longer] += 1
            longer = longer[kept[longer] < lengths[longer]]
            if not len(longer):
                break
        for query in longer.tolist():
            rest = self.scores[self.starts[query] + kept[query] - 1 : self.starts[query + 1]]
            kept[query] += int(np.searchsorted(-rest, -rest[0], side="right")) - 1
        return self if (kept == lengths).all() else self._keep_first(self.qids, self.starts[:-1], kept)

    def keep_tied(self, qids: Sequence[str], depth: int | None) -> "Run":
        """Keep only those of these queries that have a tie among the first ``depth`` documents, and all tied with them.

        A ranking is cut behind the documents that are tied with the last of the first ``depth``.
        """
        at = np.flatnonzero(self.scores[1:] == self.scores[:-1])  # tied with the next line
        query = np.searchsorted(self.starts, at, side="right") - 1
        within = at + 1 < self.starts[query + 1]  # of the same query
        if depth is not None:
            within &= at - self.starts[query] < depth
        query = query[within]
        if not len(query):  # no table of the qids is needed, which cut asks for; and no view that keeps the run
            return self._take((), np.zeros(1, dtype=np.int64), query)
        has_tie = np.zeros(len(self.qids), dtype=np.bool_)
        has_tie[query] = True
        rows = self.numbers(qids)
        rows = rows[rows != MISSING]
        kept = tuple(self.qids[row] for row in rows[has_tie[rows]].tolist())
        return self.cut(kept, None).cut_behind_ties(depth)

    def find_graded(self, qrels: "Qrels", least: int) -> Bools:
        """Tell which documents have a grade of ``least`` or more [line]."""
        lines = np.flatnonzero(qrels.grades >= least)
        table = Docnos.collect(qrels.docnos[lines])
        number = self.numbers(qrels.qids)[qrels.query[lines]]
        wanted = (number * len(table) + table.rows(qrels.docnos[lines]))[number != MISSING]
        rows = table.rows(self.docnos)
        query = np.repeat(np.arange(len(self.qids)), np.diff(self.starts))
        graded: Bools = np.isin(query * len(table) + rows, wanted) & (rows != MISSING)
        return graded

    def find_others(self) -> Bools:
        """Tell which documents have another id than their query [line]."""
        others: Bools = np.asarray(self.docnos) != np.repeat(encode_ids(self.qids), np.diff(self.starts))
        return others

    def keep_where(self, find: "Callable[[Run], Bools]") -> "Run":
        """Keep only the documents that a function of the run finds [line]; a ranking may become empty."""
        kept = find(self)
        if kept.all():
            return self
        starts = np.concatenate(([0], np.cumsum(kept)))[self.starts]
        positions = None if self.positions is None else self.positions[kept]
        return replace(self, starts=starts, docnos=self.docnos[kept], scores=self.scores[kept], positions=positions)

    def find_own_first(self, qids: Sequence[str]) -> Bools:
        """Tell of each of these queries whether it is itself the first document of its ranking [query]."""
        lines = self.top(qids, 1)
        if not lines.shape[1]:
            return np.zeros(len(qids), dtype=np.bool_)
        own: Bools = (lines[:, 0] != MISSING) & (self.docnos[lines[:, 0]] == encode_ids(qids))
        return own

    def _keep_first(self, qids: tuple[str, ...], first: Ints, lengths: Ints) -> "Run":
        """Keep so many documents of each of these queries, from its line ``first`` on [query]."""
        lines = list_lines(first, lengths)
        return self._take(qids, np.concatenate(([0], np.cumsum(lengths))), lines)

    def _take(self, qids: tuple[str, ...], starts: Ints, lines: Ints) -> "Run":
        """Rank these lines of this run; among them, those of the queries begin at ``starts`` [query + 1]."""
        positions = None if self.positions is None else self.positions[lines]
        docnos, scores = self.docnos[lines], self.scores[lines]
        return replace(self, qids=qids, starts=starts, docnos=docnos, scores=scores, positions=positions)

    def reorder(self, qids: Sequence[str], rankings: Sequence[Ints]) -> "Run":
        """Rank lines of this run, for each of these queries in an order of its own; positions are filled as before."""
        starts = np.concatenate(([0], np.cumsum([len(lines) for lines in rankings])))
        found = self._take(tuple(qids), starts, np.concatenate(rankings))
        if self.positions is None:
            return found
        filled = np.concatenate([np.sort(self.positions[lines]) for lines in rankings])
        return replace(found, positions=filled, last_ranks=self.depths[self.numbers(qids)])


@dataclass(frozen=True, eq=False)
class Samples:
    """One system's rankings where it ranks at random: several for each query, one in each of the runs."""

    sampled: ClassVar[bool] = True

    name: str
    tag: str
    runs: tuple[Run, ...]

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a reader of its values must know of its file."""
        return self.runs[0].notes

    @property
    def qids(self) -> tuple[str, ...]:
        """The queries of all samples."""
        return tuple(dict.fromkeys(qid for run in self.runs for qid in run.qids))

    def parts(self, qids: Sequence[str]) -> list[tuple[Run, Sequence[str]]]:
        """Give each run with those of these queries that it ranks; what no run ranks is looked for in the first."""
        known = set(self.qids)
        parts = [(run, [qids[at] for at in np.flatnonzero(run.numbers(qids) != MISSING).tolist()]) for run in self.runs]
        parts.append((self.runs[0], [qid for qid in qids if qid not in known]))
        return [(run, several) for run, several in parts if several]

    def cut(self, qids: Sequence[str], depth: int | None, *, with_ties: bool = False) -> "Samples":  # noqa: ARG002
        """Keep of each run only the first ``depth`` documents of these queries; ties are of one ranking each."""
        return replace(self, runs=tuple(run.cut(qids, depth) for run in self.runs))

    def keep_where(self, find: Callable[[Run], Bools]) -> "Samples":
        """Keep of each run only the documents that a function of the run finds [line]."""
        return replace(self, runs=tuple(run.keep_where(find) for run in self.runs))


System = Run | Samples


@dataclass(frozen=True, eq=False)
class Qrels(ByQuery):
    """Relevance judgments: those of ``qids[i]`` say that ``docnos[starts[i]:starts[i + 1]]`` have these ``grades``.

    ``iterations`` is the second column of a TREC file, which holds the subtopic in a diversity task.
    """

    qids: tuple[str, ...]
    starts: Ints
    docnos: Docs
    grades: Ints
    iterations: Docs
    notes: tuple[Note, ...] = ()  # what a reader of its values must know of its file
    _last: tuple[tuple[str, ...], Ints, Floats] | None = field(default=None, init=False, repr=False)

    @property
    def query(self) -> Ints:
        """The number of the query of each judgment."""
        return np.repeat(np.arange(len(self.qids)), np.diff(self.starts))

    @cached_property
    def greatest_grade(self) -> int:
        """The greatest grade of all queries; 1 if no document is relevant."""
        return max(int(self.grades.max(initial=0)), 1)

    def keep_lines(self, kept: Bools) -> "Qrels":
        """Keep these judgments [line], and the queries that have some of them."""
        many = np.bincount(self.query[kept], minlength=len(self.qids))
        qids = tuple(qid for qid, there in zip(self.qids, (many > 0).tolist(), strict=True) if there)
        starts = np.concatenate(([0], np.cumsum(many[many > 0])))
        return Qrels(qids, starts, self.docnos[kept], self.grades[kept], self.iterations[kept], self.notes)

    def list_judged(self, qids: Sequence[str]) -> Ints:
        """Give what ``find_judged_lines`` does; the last answer is kept, as runs of a batch mostly share queries."""
        return self._look_up(qids)[0]

    def grade_judged(self, qids: Sequence[str]) -> Floats:
        """Give the grades of these lines [query, n]; nan where there is none."""
        return self._look_up(qids)[1]

    def _look_up(self, qids: Sequence[str]) -> tuple[Ints, Floats]:
        asked = tuple(qids)
        if self._last is None or self._last[0] != asked:
            lines = find_judged_lines(self, asked)
            grades = np.where(lines == MISSING, np.nan, self.grades[lines])
            for each in (lines, grades):
                each.flags.writeable = False
            vars(self)["_last"] = asked, lines, grades
        assert self._last is not None
        return self._last[1:]


def find_judged_lines(qrels: Qrels, qids: Sequence[str]) -> Ints:
    """Give the lines of each query's judged documents [query, n], by falling docno, each once; MISSING elsewhere."""
    number = qrels.numbers(qids)
    row = np.repeat(number_rows(number, len(qrels.qids) + 1)[:-1], np.diff(qrels.starts))
    lines = np.flatnonzero(row != MISSING)
    names = Docnos.collect(qrels.docnos[lines])
    place = np.empty(len(names.keys), dtype=np.int64)
    place[np.argsort(names.names)[::-1]] = np.arange(len(place))  # exact: docnos differ
    keys = row[lines] * len(place) + place[names.rows(qrels.docnos[lines])]
    best = np.lexsort((-qrels.grades[lines], keys))  # where subtopics differ, the highest grade counts
    lines = lines[best[np.unique(keys[best], return_index=True)[1]]]
    many = np.bincount(row[lines], minlength=len(qids))
    matrix: Ints = lay_rows(lines, many, MISSING)[0]
    return matrix


class QrelsIndex:
    """The grades of the judged documents of queries; where subtopics differ, the highest.

    ``queries`` are their numbers in the judgments, and their places among these their numbers here; None: all. Each
    of the ``grades`` is of a ``query``, which rises.
    """

    def __init__(self, qrels: Qrels, queries: Ints | None = None) -> None:
        lengths, docnos, grades = np.diff(qrels.starts), qrels.docnos, qrels.grades
        if queries is not None:
            lengths = lengths[queries]
            lines = list_lines(qrels.starts[queries], lengths)
            docnos, grades = docnos[lines], grades[lines]
        self._names = Docnos.collect(docnos)
        self._many = len(self._names.keys)
        pairs = np.repeat(np.arange(len(lengths)), lengths) * self._many + self._names.rows(docnos)
        order = np.argsort(pairs)  # exact: of equal pairs the highest grade counts
        pairs = pairs[order]
        first = np.flatnonzero(np.diff(pairs, prepend=-1))
        self._pairs, self.grades = pairs[first], np.maximum.reduceat(grades[order], first).astype(np.float64)
        self.query = self._pairs // max(self._many, 1)

    def find_grades(self, query: Ints, docnos: Docs) -> Floats:
        """Find the grades of documents, each for the query of this number; nan where there is none."""
        grades = np.full(len(docnos), np.nan)
        judged, places = self.find_judged(query, docnos)
        grades[judged] = self.grades[places]
        return grades

    def find_judged(self, query: Ints, docnos: Docs) -> tuple[Ints, Ints]:
        """Number the documents that are judged, each for the query of this number, and find their places in grades."""
        rows = self._names.rows(docnos)
        there = np.flatnonzero((rows != MISSING) & (query != MISSING))
        pairs = query[there] * self._many + rows[there]
        at = np.searchsorted(self._pairs, pairs).clip(max=len(self._pairs) - 1)
        found = self._pairs[at] == pairs
        return there[found], at[found]

    def find_retrieved(self, run: Run, first: Ints, lengths: Ints, numbers: Ints) -> tuple[Ints, Floats]:
        """Give the ranks, from 1, and grades of the judged documents of rankings [query, n], by rank.

        Each has so many lines of the run from its ``first`` on, and one of the ``numbers`` of the queries here. Only
        what is judged is laid out in rows: one long ranking among many short ones takes no memory for the others.
        """
        parts = [(first[:0], first[:0], self.grades[:0])]
        pieces = find_starts(np.cumsum(lengths) // PIECE)
        for begin, end in pairwise(pieces.tolist()):
            query = np.repeat(np.arange(begin, end), lengths[begin:end])
            lines = list_lines(first[begin:end], lengths[begin:end])
            judged, at = self.find_judged(numbers[query], run.docnos[lines])
            parts.append((query[judged], lines[judged], self.grades[at]))
        query, lines, grades = map(np.concatenate, zip(*parts, strict=True))
        places = lines + 1 - first[query] if run.positions is None else run.positions[lines]
        many = np.bincount(query, minlength=len(first))
        return lay_rows(places, many, 0)[0], lay_rows(grades, many, np.nan)[0]
