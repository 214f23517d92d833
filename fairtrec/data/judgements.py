"""Relevance judgements, and the judged documents of queries."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairtrec.data.docnos import MISSING, Docnos, Docs, Ints


@dataclass(frozen=True, eq=False)
class Qrels:
    """Relevance judgements; line i says that ``docnos[i]`` has grade ``grades[i]`` for ``qids[query[i]]``.

    ``iterations`` is the second column of a TREC file, which holds the subtopic in a diversity task.
    """

    qids: tuple[str, ...]
    query: Ints
    docnos: Docs
    grades: Ints
    iterations: Docs


def judged(qrels: Qrels, qids: Sequence[str]) -> Ints:
    """Give the lines of each query's judged documents [query, n], by falling docno, each once; MISSING elsewhere."""
    number = {qid: i for i, qid in enumerate(qids)}
    row = np.array([number.get(qid, MISSING) for qid in qrels.qids], dtype=np.int64)[qrels.query]
    lines = np.flatnonzero(row != MISSING)
    names = Docnos.of(qrels.docnos[lines])
    place = np.empty(len(names), dtype=np.int64)
    place[np.argsort(names.names)[::-1]] = np.arange(len(names))
    keys = row[lines] * len(names) + place[names.rows(qrels.docnos[lines])]
    best = np.lexsort((-qrels.grades[lines], keys))  # where subtopics differ, the highest grade counts
    lines = lines[best[np.unique(keys[best], return_index=True)[1]]]
    many = np.bincount(row[lines], minlength=len(qids))
    matrix = np.full((len(qids), int(many.max(initial=0))), MISSING, dtype=np.int64)
    matrix[np.arange(matrix.shape[1]) < many[:, None]] = lines
    return matrix
