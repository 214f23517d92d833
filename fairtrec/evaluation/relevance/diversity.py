"""Measures of diversity, as ndeval computes them: of the subtopics that judged documents of a query are about.

A subtopic is what the second column of the judgments says; it counts if some document has a grade of ``rel`` for it.
The ideal ranking is greedy, ties by falling docno, as that of FAIR. A query without relevant documents, or that the run
lacks, has the value 0; ndeval gives no number for nNRBP of the former.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from fairtrec.data import MISSING, Docnos, Floats, Ints, Qrels, Run
from fairtrec.data.ranking.depth import find_depth
from fairtrec.formulas import discount
from fairtrec.formulas.elementary import powers
from fairtrec.formulas.rounding import NEAR
from fairtrec.formulas.weighted_sums import weighted_sum
from fairtrec.measures.fair import novelty
from fairtrec.measures.utility import Utility

Params = Mapping[str, Any]
NOTHING = 1 / 2**70  # a weight beside that of the first rank, which is 1, and whose gain is 1 or more


class Diverse:
    """One ranking: ``worth`` [1, rank, subtopic] is 1 where its document is relevant to the subtopic.

    ``judged`` [1, document, subtopic] is the same of all relevant documents, by falling docno. ``ideal`` gives what the
    ranks of the greedy ranking gain [rank], for an alpha and a cutoff.
    """

    def __init__(self, worth: Floats, judged: Floats, ideal: Callable[[float, int], Floats]) -> None:
        self.worth, self.judged, self.ideal = worth, judged, ideal
        self.many = int(judged.shape[2])  # subtopics
        self._sums: dict[Any, tuple[int, Floats]] = {}  # down to each rank, and of how many ranks they were asked

    def sum_down(self, ranks: int, compute: Callable[..., Floats], *key: Any) -> float:
        """Sum the parts of the first ranks that ``compute`` gives for the key: once for all cutoffs, deepest first."""
        asked, sums = self._sums.get((compute, *key), (0, np.zeros(0)))
        if asked < ranks:
            sums = np.cumsum(compute(self, ranks, *key))
            self._sums[compute, *key] = ranks, sums
        return float(sums[min(ranks, len(sums)) - 1]) if len(sums) else 0.0

    def weigh_gains(self, ranks: int, alpha: float, weigh: discount.Discount, beta: float) -> Floats:
        """Give what its ranks gain, weighed [rank]."""
        top = self.worth[:, :ranks]
        return np.asarray(novelty(top, alpha)[0] * discount.compute_weights(weigh, top.shape[1], beta))

    def weigh_ideal(self, ranks: int, alpha: float, weigh: discount.Discount, beta: float) -> Floats:
        """Give what the greedy ranking gains, weighed, at the ranks that can change a digit of its sum [rank]."""
        weights = discount.compute_weights(weigh, ranks, beta)
        told = int((weights >= NOTHING).sum())
        return self.ideal(alpha, told) * weights[:told]

    def weigh_all(self, ranks: int, alpha: float, weigh: discount.Discount, beta: float) -> Floats:
        """Give what ranks would gain from a subtopic that each document is relevant to, weighed [rank]."""
        return discount.compute_weights(weigh, ranks, beta) * powers(1 - alpha, ranks)

    def count_relevant(self, ranks: int) -> Floats:
        """Count the subtopics that the document of each rank is relevant to [rank]."""
        return np.asarray(self.worth[0, :ranks].sum(axis=1))

    def count_fresh(self, ranks: int) -> Floats:
        """Count the subtopics that the document of each rank is the first to be relevant to [rank]."""
        top = self.worth[0, :ranks]
        return np.asarray(((top > 0) & (np.cumsum(top, axis=0) == 1)).sum(axis=1))


def _sum_weighed(
    of: Diverse, compute: Callable[..., Floats], params: Params, weigh: discount.Discount, ranks: int
) -> float:
    """Sum what ``compute`` gives for the parameters of a measure."""
    return of.sum_down(ranks, compute, params.get("alpha", 0.5), weigh, params.get("beta", 0.5))


def _normalized(of: Diverse, *how: Any) -> float:
    """Divide by the gain of the greedy ranking."""
    return _sum_weighed(of, Diverse.weigh_gains, *how) / _sum_weighed(of, Diverse.weigh_ideal, *how)


def greedy(judged: Floats, alpha: float, cutoff: int) -> Floats:
    """Give what each rank [rank] adds when always the document [document, subtopic] that adds most comes next.

    Of several that add as much the first comes; those of the same subtopics wait for each other, so that only the first
    of each kind is looked at.

    >>> greedy(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), alpha=0.5, cutoff=5).tolist()
    [1.0, 1.0, 0.5, 0.0, 0.0]
    """
    kinds, kind_of = np.unique(judged, axis=0, return_inverse=True)
    waiting = np.append(np.argsort(kind_of, kind="stable"), len(judged))
    upto = np.cumsum(np.bincount(kind_of, minlength=len(kinds)))
    at = np.append(0, upto[:-1])
    first, fresh, gains = waiting[at], np.ones(judged.shape[1]), np.zeros(cutoff)
    for rank in range(min(cutoff, len(judged))):
        added = weighted_sum(kinds, fresh)
        added[first == len(judged)] = -1.0
        gains[rank] = added.max()
        best = np.where(added >= gains[rank] * (1 - NEAR), first, len(judged)).argmin()
        fresh[kinds[best] > 0] *= 1 - alpha
        at[best] += 1
        first[best] = waiting[at[best]] if at[best] < upto[best] else len(judged)
    return gains


def _over_all(of: Diverse, *how: Any) -> float:
    """Divide by what the ranks would gain if each document were relevant to all subtopics."""
    return _sum_weighed(of, Diverse.weigh_gains, *how) / (of.many * _sum_weighed(of, Diverse.weigh_all, *how))


def _nrbp(of: Diverse, params: Params, *how: Any) -> float:
    rest: float = 1 - (1 - params.get("alpha", 0.5)) * params.get("beta", 0.5)
    return rest / of.many * _sum_weighed(of, Diverse.weigh_gains, params, *how)


def _p_ia(of: Diverse, _: Params, __: discount.Discount, ranks: int) -> float:
    return of.sum_down(ranks, Diverse.count_relevant) / (of.many * ranks)


def _ap_ia(of: Diverse, *_: Any) -> float:
    precisions = of.worth[0] * np.cumsum(of.worth[0], axis=0) / np.arange(1, len(of.worth[0]) + 1)[:, None]
    return float((precisions.sum(axis=0) / of.judged[0].sum(axis=0)).mean())


def _st_recall(of: Diverse, _: Params, __: discount.Discount, ranks: int) -> float:
    return of.sum_down(ranks, Diverse.count_fresh) / of.many


_KINDS: dict[str, tuple[Callable[[Diverse, Params, discount.Discount, int], float], discount.Discount]] = {
    "alpha_nDCG": (_normalized, "log2"), "alpha_DCG": (_over_all, "log2"), "nERR_IA": (_normalized, "reciprocal"),
    "ERR_IA": (_over_all, "reciprocal"), "nNRBP": (_normalized, "geometric"), "NRBP": (_nrbp, "geometric"),
    "P_IA": (_p_ia, "log2"), "AP_IA": (_ap_ia, "log2"), "StRecall": (_st_recall, "log2"),
}  # fmt: skip


class Subtopics:
    """The judgments by subtopic, for any number of runs."""

    def __init__(self, qrels: Qrels) -> None:
        self._numbers = qrels.numbers
        self._names = Docnos.collect(qrels.docnos)
        falling = np.empty(len(self._names), dtype=np.int64)
        falling[np.argsort(self._names.names)[::-1]] = np.arange(len(self._names))  # exact: docnos differ
        self._place = np.append(falling, MISSING)  # of each document by falling docno; of one that is not judged
        self._documents, self._grades = self._place[self._names.rows(qrels.docnos)], qrels.grades
        self._topics = np.unique(qrels.iterations, return_inverse=True)[1]
        self._starts = qrels.starts
        self._ideals: dict[tuple[int, int, float], Floats] = {}

    def values(self, measures: Sequence[Utility], run: Run, qids: Sequence[str]) -> Floats:
        """Compute measures of the rankings of judged queries [measure, query]."""
        found = np.zeros((len(measures), len(qids)))
        given = [{name: value for name, value in each.measure.params.items() if value is not None} for each in measures]
        depth = find_depth(measures)
        deepest_first = sorted(enumerate(given), key=lambda each: -each[1].get("cutoff", np.inf))
        for at, (number, lines) in enumerate(zip(self._numbers(qids).tolist(), run.top(qids, depth), strict=True)):
            ranked = lines[: np.flatnonzero(lines != MISSING)[-1] + 1] if (lines != MISSING).any() else lines[:0]
            places = np.full(len(ranked), MISSING)  # a rank of no document is that of one that is not judged
            places[ranked != MISSING] = self._place[self._names.rows(run.docnos[ranked[ranked != MISSING]])]
            of: dict[tuple[int, bool], Diverse] = {}
            for row, params in deepest_first:
                key = params.get("rel", 1), bool(params.get("judged_only"))
                if key not in of:
                    of[key] = self._of(number, places, *key)
                if len(places) and of[key].many:
                    compute, weigh = _KINDS[measures[row].name]
                    longest = max(of[key].worth.shape[1], of[key].judged.shape[1])
                    found[row, at] = compute(of[key], params, weigh, params.get("cutoff", longest))
        return found

    def _of(self, query: int, places: Ints, level: int, alone: bool) -> Diverse:
        """Look up the documents of a ranking, or those that are judged ``alone``."""
        lines = np.arange(self._starts[query], self._starts[query + 1])
        if alone:
            places = places[np.isin(places, self._documents[lines])]
        lines = lines[self._grades[lines] >= level]
        topics, topic = np.unique(self._topics[lines], return_inverse=True)
        documents, document = np.unique(self._documents[lines], return_inverse=True)
        judged = np.zeros((1, len(documents) + 1, len(topics)))  # the last is relevant to nothing
        judged[0, document, topic] = 1.0
        at = np.searchsorted(documents, places)
        at[np.append(documents, MISSING - 1)[at] != places] = len(documents)

        def ideal(alpha: float, cutoff: int) -> Floats:
            known = self._ideals.get((query, level, alpha))
            if known is None or len(known) < cutoff:
                known = self._ideals[query, level, alpha] = greedy(judged[0, :-1], alpha, cutoff)
            return known[:cutoff]

        return Diverse(judged[:, at], judged[:, :-1], ideal)
