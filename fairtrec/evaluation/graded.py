"""ERR and nDCG of exponential gains as gdeval.pl of the TREC Web track prints them, for as many orders as there are.

The program itself, which ir-measures starts anew for each run, gives the values of runs; here are the same values to
the last digit, where a run is taken in hundreds of orders (``--ties``).
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from fairtrec.data import Floats

STEPS = 16  # 2 to the power of the highest grade that gdeval takes


class Value(NamedTuple):
    """The value of a measure of ir-measures in one query, as its evaluators give it."""

    query_id: str
    measure: Any
    value: float


class Graded:
    """An evaluator of such measures, given the grades of each query."""

    def __init__(self, measures: Sequence[Any], grades: Mapping[str, Mapping[str, int]]) -> None:
        self.measures = measures
        self.grades = grades

    def iter_calc(self, rankings: Mapping[str, Mapping[str, float]]) -> Iterator[Value]:
        """Give the value of each measure in each query that is judged, of documents that stand best first."""
        deepest = max(measure["cutoff"] for measure in self.measures)
        ranked = [_gains(self.grades[qid], rankings.get(qid, ()), deepest) for qid in self.grades]
        best = [sorted(self.grades[qid].values(), reverse=True) for qid in self.grades]
        gains, ideal = _matrix(ranked, deepest), _matrix(best, deepest)
        for measure in self.measures:
            cutoff = measure["cutoff"]
            values = err(gains[:, :cutoff])
            if measure.NAME == "nDCG":
                most = dcg(ideal[:, :cutoff])
                values = np.divide(dcg(gains[:, :cutoff]), most, out=np.zeros(len(most)), where=most > 0)
            for qid, value in zip(self.grades, values.tolist(), strict=True):
                yield Value(qid, measure, float(f"{value:.5f}"))  # five digits are all that the program prints


def err(gains: Floats) -> Floats:
    """Give the expected reciprocal rank [query] of gains 2^grade - 1 [query, rank].

    >>> err(np.array([[0.0, 8.0]])).tolist()  # half of the users stop at rank 2
    [0.25]
    """
    score, decay = np.zeros(len(gains)), np.ones(len(gains))
    for rank, gain in enumerate(gains.T, 1):
        stop = gain / STEPS
        score += stop * decay / rank
        decay *= 1 - stop
    return score


def dcg(gains: Floats) -> Floats:
    """Give the sum [query] of gains [query, rank], each over the natural logarithm of its rank plus 1.

    >>> dcg(np.array([[0.0, 3.0]])).round(6).tolist()
    [2.730718]
    """
    score = np.zeros(len(gains))
    for rank, gain in enumerate(gains.T, 1):
        score += gain / math.log(rank + 1)
    return score


def _gains(grades: Mapping[str, int], docnos: Iterable[str], depth: int) -> list[int]:
    return [grades.get(docno, 0) for docno, _ in zip(docnos, range(depth), strict=False)]


def _matrix(grades: Sequence[Sequence[int]], depth: int) -> Floats:
    """Give the gains 2^grade - 1 [query, rank] of grades, of which those below 0 are 0, as is what is not there."""
    longest = min(depth, max(map(len, grades), default=0))
    padded = np.array([[*row[:longest], *[0] * (longest - len(row))] for row in grades], dtype=np.float64)
    return np.asarray(2.0 ** padded.reshape(len(grades), longest).clip(min=0) - 1)
