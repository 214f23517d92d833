"""Lemma 3: the front of one query by a program over how many documents of each kind have been placed."""

from dataclasses import dataclass, replace
from math import prod
from typing import Self

import numpy as np

from fairtrec.data import MISSING, Floats, Ints
from fairtrec.evaluation.fronts.prefixes import find_earnings
from fairtrec.evaluation.fronts.problem import Problem
from fairtrec.formulas.fronts import Front
from fairtrec.formulas.prefix_fronts import Layers
from fairtrec.formulas.sequences import MOST, Earned, group_by_kind, number_kinds, states
from fairtrec.formulas.weighted_sums import weighted_sum
from fairtrec.measure import RankForm, SumOverRanks


@dataclass(frozen=True, eq=False)
class KindCounts:
    """The documents of one query by kind, and what the next one of each kind earns.

    ``kind_of`` [document] are the kinds of all documents, numbered.
    """

    problem: Problem
    row: int
    kind_of: Ints
    earned: Earned

    @classmethod
    def sort_kinds(cls, problem: Problem, row: int) -> Self | None:
        """Sort documents into kinds; None where fairness is no sum over prefixes, or there are too many counts."""
        ranks, movable = len(problem.ranks(row)), problem.find_movable(row)
        kind_of = np.full(problem.there.shape[1], MISSING)
        there = np.flatnonzero(problem.there[row])
        _, first, kinds = np.unique(problem.looks(row), axis=0, return_index=True, return_inverse=True)
        kind_of[there] = kinds.ravel()
        free = np.bincount(kind_of[movable], minlength=len(first))
        if not ranks or states(free, ranks) > MOST:
            return None
        supply = np.bincount(kinds.ravel(), minlength=len(first))
        earned = find_earnings(problem, row, there[first], supply)
        return None if earned is None else cls(problem, row, kind_of, earned)

    def front(self, useful: RankForm | None) -> Front | None:
        """Find the front, or the corners of its hull; None where utility is no sum of falling weights."""
        if not isinstance(useful, SumOverRanks) or not useful.falls:
            return None
        row, ranks = self.row, self.problem.ranks(self.row)
        gains, weights = np.nan_to_num(useful.gains[row]), useful.weights[row]
        docs, layers = self._layers(self.kind_of, gains, weights[ranks])
        found = layers.find_front()
        is_whole = found is not None
        found = found or layers.hull()
        if found is None or not len(found.utility):
            return None
        tops = self._tops(docs, found.kinds)
        utility = weighted_sum(gains[tops], weights)
        fairness = self.problem.compute_fairness(row, tops)
        ends = None if is_whole else np.stack([utility, fairness])
        return replace(Front.keep_best(utility, fairness, tops, ends), attained=not is_whole)

    def same_grades(self, grades: Ints) -> tuple[Ints, float] | None:
        """Find the fairest order [rank] that leaves a document of the same grade at each rank, and its fairness.

        None where there are too many counts of each kind and grade.
        """
        row, ranks, movable = self.row, self.problem.ranks(self.row), self.problem.find_movable(self.row)
        several = int(grades.max(initial=0)) + 1
        pairs = np.full(len(self.kind_of), MISSING)
        there = np.flatnonzero(self.problem.there[row])
        numbers, pairs[there] = np.unique(self.kind_of[there] * several + grades[there], return_inverse=True)
        free = np.bincount(pairs[movable], minlength=len(numbers))
        kinds, grade = np.divmod(numbers, several)
        wanted = np.bincount(grades[ranks], minlength=several)
        if prod(states(free[grade == each], int(wanted[each])) for each in np.flatnonzero(wanted)) > MOST:
            return None
        whole = np.zeros((len(numbers), int(self.kind_of.max()) + 1))
        whole[np.arange(len(numbers)), kinds] = 1.0

        def earned(placed: Floats, above: int) -> Floats:
            return self.earned(placed @ whole, above)[:, kinds]  # exact: whole numbers

        allowed = grade == grades[ranks][:, None]
        docs, layers = self._layers(pairs, np.zeros(len(pairs)), np.zeros(len(ranks)), earned, allowed)
        best = layers.find_best(0.0, 1.0)
        if best is None:
            return None
        top = self._tops(docs, best[2][None])
        return top[0], float(self.problem.compute_fairness(row, top)[0])

    def _layers(
        self,
        kind_of: Ints,
        gains: Floats,
        weights: Floats,
        earned: Earned | None = None,
        allowed: "np.ndarray[tuple[int, int], np.dtype[np.bool_]] | None" = None,
    ) -> tuple[Ints, Layers]:
        problem, row = self.problem, self.row
        movable, ranks = problem.find_movable(row), problem.ranks(row)
        docs, supply = group_by_kind(kind_of[movable], gains[movable], int(kind_of.max()) + 1, len(ranks))
        docs = np.where(docs == MISSING, MISSING, movable[np.maximum(docs, 0)])
        every = int(problem.lengths[row])
        free = np.full(every, True)
        free[problem.held[row, :every]] = False
        held = np.where(free, MISSING, kind_of[:every])
        of_rank = np.zeros(every)
        of_rank[ranks] = weights
        may = None
        if allowed is not None:
            may = np.zeros((every, allowed.shape[1]), dtype=np.bool_)
            may[ranks] = allowed
        worth = np.where(docs == MISSING, 0.0, gains[np.maximum(docs, 0)])
        return docs, Layers.list_steps(worth, np.minimum(supply, len(ranks)), of_rank, earned or self.earned, held, may)

    def _tops(self, docs: Ints, kinds: Ints) -> Ints:
        """Say which documents stand at all ranks [order, rank], by the kinds there [order, rank]."""
        ranks = self.problem.ranks(self.row)
        free = kinds[:, ranks]
        return self.problem.fill_ranks(self.row, docs[free, number_kinds(free)])
