"""The table of documents that the runs and measures of an evaluation share, and how they are looked up in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from fairtrec.data import NOTHING, Annotations, Bools, Docnos, Floats, Ints, Qrels, Run

Missing = Literal["error", "neutral", "skip", "worst"]


def take(table: Floats, rows: Ints) -> Floats:
    """Look up rows of a table; nan where there is no document.

    >>> take(np.array([5.0, 6.0]), np.array([[1, NOTHING]])).tolist()
    [[6.0, nan]]
    """
    if not len(table):
        return np.full(rows.shape + table.shape[1:], np.nan)
    values: Floats = table[rows].astype(np.float64, copy=False)  # of whole numbers too, which know no nan
    values[rows == NOTHING] = np.nan
    return values


@dataclass(frozen=True, eq=False)
class Candidates:
    """A set of documents per query: their counts [query, kind, group], and how many have them [query, kind].

    There is one row for all queries where the set is the same for all.
    """

    counts: Floats
    documents: Ints


@dataclass(frozen=True, eq=False)
class Documents:
    """The table of documents that all runs and measures of an evaluation share."""

    annotations: Annotations
    missing: Missing

    @property
    def docnos(self) -> Docnos:
        """The documents, in the order of the table."""
        return self.annotations.docnos

    @property
    def dropped(self) -> Bools:
        """Which documents are passed over [document]."""
        return ~self.annotations.known if self.missing == "skip" else np.zeros(len(self.docnos), dtype=np.bool_)

    @cached_property
    def counts(self) -> Floats:
        """Occurrences [document, group]; infinite for the worst document that there could be."""
        counts = self.annotations.counts.astype(np.float64)
        if self.missing == "worst":
            counts[~self.annotations.known] = np.inf
        return counts

    def lines(self, run: Run, qids: Sequence[str], depth: int | None) -> Ints:
        """Give the lines of each query's first documents [query, rank], without those that are passed over."""
        if self.missing != "skip":
            return run.top(qids, depth)
        lines = run.top(qids, None)
        there = lines != NOTHING
        rows = self.docnos.rows(run.docnos[lines[there]])
        lines[there] = np.where(np.append(self.dropped, False)[rows], NOTHING, lines[there])
        together = np.argsort(lines == NOTHING, axis=1, kind="stable")
        return np.take_along_axis(lines, together, axis=1)[:, :depth]

    def rows(self, run: Run, qids: Sequence[str], depth: int | None) -> Ints:
        """Give the rows of each query's first documents [query, rank], without those that are passed over."""
        lines = self.lines(run, qids, depth)
        rows = np.full(lines.shape, NOTHING, dtype=np.int64)
        there = lines != NOTHING
        rows[there] = self.docnos.rows(run.docnos[lines[there]])
        return rows


def judged(qrels: Qrels, qids: Sequence[str]) -> Ints:
    """Give the lines of each query's judged documents [query, n], each document once; NOTHING fills the rows."""
    number = {qid: i for i, qid in enumerate(qids)}
    row = np.array([number.get(qid, NOTHING) for qid in qrels.qids], dtype=np.int64)[qrels.query]
    lines = np.flatnonzero(row != NOTHING)
    names = Docnos.of(qrels.docnos[lines])
    keys = row[lines] * len(names) + names.rows(qrels.docnos[lines])
    best = np.lexsort((-qrels.grades[lines], keys))  # where subtopics differ, the highest grade counts
    lines = lines[np.sort(best[np.unique(keys[best], return_index=True)[1]])]
    lines = lines[np.argsort(row[lines], kind="stable")]
    many = np.bincount(row[lines], minlength=len(qids))
    matrix = np.full((len(qids), int(many.max(initial=0))), NOTHING, dtype=np.int64)
    matrix[np.arange(matrix.shape[1]) < many[:, None]] = lines
    return matrix
