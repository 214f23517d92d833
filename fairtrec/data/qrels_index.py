"""The grades of judged documents, to be found by query and docno."""

from typing import Any

import numpy as np

from fairtrec.data.docnos import MISSING, Docnos, Docs, Floats, Ints, starts_of
from fairtrec.data.run import Qrels, Run


class QrelsIndex:
    """The grades of the judged documents of queries; where subtopics differ, the highest.

    ``queries`` are their numbers in the judgements, and their places among these their numbers here; None: all.
    """

    def __init__(self, qrels: Qrels, queries: Ints | None = None) -> None:
        lengths, docnos, grades = np.diff(qrels.starts), qrels.docnos, qrels.grades
        if queries is not None:
            lengths = lengths[queries]
            lines = np.arange(lengths.sum()) + np.repeat(qrels.starts[queries] - np.cumsum(lengths) + lengths, lengths)
            docnos, grades = docnos[lines], grades[lines]
        self.queries = len(lengths)
        self._names = Docnos.of(docnos)
        pairs = np.repeat(np.arange(self.queries), lengths) * len(self._names) + self._names.rows(docnos)
        order = np.argsort(pairs)
        pairs = pairs[order]
        first = starts_of(pairs)[:-1]
        self._pairs, self._grades = pairs[first], np.maximum.reduceat(grades[order], first).astype(np.float64)
        self._query = self._pairs // max(len(self._names), 1)  # of each judgement, rising

    def of(self, query: Ints, docnos: Docs) -> Floats:
        """Find the grades of documents, each for the query of this number; nan where there is none."""
        rows = self._names.rows(docnos)
        grades = np.full(len(rows), np.nan)
        there = np.flatnonzero((rows != MISSING) & (query != MISSING))
        pairs = query[there] * len(self._names) + rows[there]
        at = np.searchsorted(self._pairs, pairs).clip(max=len(self._pairs) - 1)
        found = self._pairs[at] == pairs
        grades[there[found]] = self._grades[at[found]]
        return grades

    def retrieved(self, run: Run, first: Ints, lengths: Ints, numbers: Ints) -> tuple[Ints, Floats]:
        """Give the ranks, from 1, and grades of the judged documents of rankings [query, n], by rank.

        Each has so many lines of the run from its ``first`` on, and one of the ``numbers`` of the queries here. Only
        what is judged is laid out in rows: one long ranking among many short ones takes no memory for the others.
        """
        query = np.repeat(np.arange(len(first)), lengths)
        lines = np.arange(len(query)) + np.repeat(first - np.cumsum(lengths) + lengths, lengths)
        grades = self.of(numbers[query], run.docnos[lines])
        judged = np.flatnonzero(~np.isnan(grades))
        query, places = query[judged], lines[judged] + 1
        places -= first[query]
        return _in_rows(query, places, len(first), 0), _in_rows(query, grades[judged], len(first), np.nan)

    def falling(self) -> Floats:
        """Give the grades of each query [query, n], the highest first; nan behind the last."""
        order = np.lexsort((-self._grades, self._query))
        rows: Floats = _in_rows(self._query, self._grades[order], self.queries, np.nan)
        return rows


def _in_rows(row: Ints, values: Any, rows: int, fill: float) -> Any:
    """Lay values out [row, n], each in the row of its number, which never falls."""
    many = np.bincount(row, minlength=rows)
    matrix = np.full((rows, int(many.max(initial=0))), fill, dtype=values.dtype)
    matrix[np.arange(matrix.shape[1]) < many[:, None]] = values
    return matrix
