"""Judgements laid out so that the grades of many documents are found at once."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from fairtrec.data import MISSING, Docnos, Docs, Floats, Ints, Qrels, Run


class Grades:
    """The grade of each judged document of each query; where subtopics differ, the highest."""

    def __init__(self, qrels: Qrels) -> None:
        self._number = {qid: i for i, qid in enumerate(qrels.qids)}
        self._names = Docnos.of(qrels.docnos)
        pairs = qrels.query * len(self._names) + self._names.rows(qrels.docnos)
        order = np.lexsort((qrels.grades, pairs))
        pairs, grades = pairs[order], qrels.grades[order]
        last = np.append(pairs[1:] != pairs[:-1], np.ones(min(len(pairs), 1), np.bool_))
        self._pairs, self._grades = pairs[last], grades[last].astype(np.float64)
        self.query = self._pairs // max(len(self._names), 1)  # of each judgement, rising

    def numbers(self, qids: Sequence[str]) -> Ints:
        """Give each query its number in the judgements; MISSING where it has none."""
        return np.array([self._number.get(qid, MISSING) for qid in qids], dtype=np.int64)

    def of(self, queries: Ints, docnos: Docs) -> Floats:
        """Find the grades of documents, each for the query of this number; nan where there is none."""
        rows = self._names.rows(docnos)
        grades = np.full(len(rows), np.nan)
        there = np.flatnonzero((rows != MISSING) & (queries != MISSING))
        pairs = queries[there] * len(self._names) + rows[there]
        at = np.searchsorted(self._pairs, pairs).clip(max=len(self._pairs) - 1)
        found = self._pairs[at] == pairs
        grades[there[found]] = self._grades[at[found]]
        return grades

    def retrieved(self, run: Run, qids: Sequence[str], depth: int | None) -> tuple[Ints, Floats]:
        """Give the ranks, from 1, and grades of the judged documents of each ranking [query, n], by rank.

        Only they are laid out in rows: one long ranking among many short ones takes no memory for the others.
        """
        place = {qid: i for i, qid in enumerate(run.qids)}
        rows = np.array([place[qid] for qid in qids if qid in place], dtype=np.int64)
        ranked = np.array([i for i, qid in enumerate(qids) if qid in place], dtype=np.int64)
        lengths = np.diff(run.starts)[rows]
        if depth is not None:
            lengths = np.minimum(lengths, depth)
        query = np.repeat(ranked, lengths)
        rank = np.arange(len(query)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        grades = self.of(self.numbers(qids)[query], run.docnos[rank + np.repeat(run.starts[:-1][rows], lengths)])
        judged = np.flatnonzero(~np.isnan(grades))
        query = query[judged]
        return _in_rows(query, rank[judged] + 1, len(qids), 0), _in_rows(query, grades[judged], len(qids), np.nan)

    def falling(self, queries: Ints | None = None) -> Floats:
        """Give the grades of queries of the judgements [query, n], the highest first; nan behind the last.

        ``queries`` are their numbers; None: all.
        """
        query, grades, many = self.query, self._grades, len(self._number)
        if queries is not None:
            place = np.full(many, MISSING, dtype=np.int64)
            place[queries] = np.arange(len(queries))
            among = np.flatnonzero(place[query] != MISSING)
            query, grades, many = place[query[among]], grades[among], len(queries)
        order = np.lexsort((-grades, query))
        rows: Floats = _in_rows(query[order], grades[order], many, np.nan)
        return rows


def _in_rows(row: Ints, values: Any, rows: int, fill: float) -> Any:
    """Lay values out [row, n], each in the row of its number, which never falls."""
    many = np.bincount(row, minlength=rows)
    matrix = np.full((rows, int(many.max(initial=0))), fill, dtype=values.dtype)
    matrix[np.arange(matrix.shape[1]) < many[:, None]] = values
    return matrix
