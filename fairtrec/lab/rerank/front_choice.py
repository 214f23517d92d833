"""One order of each query: the one that is wanted among those of its front, and of orders alike the first."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairtrec.data import Bools, Floats, Ints, list_distinct
from fairtrec.evaluation.fronts.problem import Problem
from fairtrec.evaluation.fronts.solve import Solved
from fairtrec.formulas.fronts import DIGITS, ROUNDING, spend
from fairtrec.measure import First, SumOverRanks


@dataclass(frozen=True, eq=False)
class Picked:
    """What stands at the first ranks of each query, by the places of its documents, and two sums over the queries.

    ``fairness`` is turned so that more is what was looked for; ``bound`` is the most that it can be.
    """

    tops: Sequence[Ints]
    fairness: float
    bound: float


def pick_orders(problem: Problem, own: Floats, found: Solved, loss: float, *, each: bool, same_grades: bool) -> Picked:
    """Pick the orders that are looked for and lose no more; ``own`` [2, query] are utility and fairness as it is.

    The loss is of the sum over queries, or of ``each``; a loss of 1 is any. With ``same_grades`` no grade moves.
    """
    if same_grades:
        utility, fairness, tops, bound = own[0], found.same, found.same_tops, float(found.most_same.sum())
    else:
        utility, fairness, tops, bound = _by_loss(own, found, loss, each=each)
    alike = _alike(fairness, own[1]) & (_alike(utility, own[0]) | (utility < own[0]))
    if _alike(fairness.sum(), own[1].sum()) and utility.sum() <= own[0].sum() * (1 + 1 / DIGITS):
        alike[:] = True
    first = _First.start(problem, same_grades=same_grades)
    kept = [
        np.arange(problem.lengths[row]) if alike[row] else first.alike(row, top.copy()) for row, top in enumerate(tops)
    ]
    if same_grades:
        kept = [_with_the_rest(problem, row, top) for row, top in enumerate(kept)]
    return Picked(kept, float(fairness.sum()), max(bound, float(fairness.sum())))


def _with_the_rest(problem: Problem, row: int, top: Ints) -> Ints:
    """Put documents of the run that were displaced on the ranks below where one of their grade stood."""
    grades = problem.grades()
    assert grades is not None
    many, own = problem.elsewhere[row], grades[row]
    whole = np.arange(many)
    whole[: len(top)] = top
    left = np.setdiff1d(np.arange(many), top)
    for grade in list_distinct(own[len(top) : many]).tolist():
        slots = len(top) + np.flatnonzero(own[len(top) : many] == grade)
        whole[slots] = left[own[left] == grade][: len(slots)]
    return whole


def _alike(one: Floats | float, other: Floats | float) -> Bools:
    return np.asarray(np.abs(np.subtract(one, other)) <= np.maximum(np.abs(other), 1.0) / DIGITS)


def _by_loss(own: Floats, found: Solved, loss: float, *, each: bool) -> tuple[Floats, Floats, list[Ints], float]:
    fronts = found.fronts
    if each or loss >= 1:
        least = np.full(len(fronts), -np.inf) if loss >= 1 else (1 - loss) * own[0] - ROUNDING
        several = [front.fairest(low) for front, low in zip(fronts, least.tolist(), strict=True)]
        points, bound = [at for at, _ in several], float(sum(most for _, most in several))
    else:
        spent = spend(fronts, (1 - loss) * float(own[0].sum()))
        points, bound = spent.points.tolist(), spent.bound
    pairs = list(zip(fronts, points, strict=True))
    sums = np.array([[front.utility[at], front.fairness[at]] for front, at in pairs]).reshape(-1, 2).T
    return sums[0], sums[1], [front.tops[at] for front, at in pairs], bound


@dataclass(frozen=True, eq=False)
class _First:
    """Brings documents up that come first in the run, where neither utility nor fairness tells the orders apart.

    Of a sum over ranks ``worth`` [query, document] and ``weights`` [query, rank] tell that; else documents of one kind
    [query][document] are alike.
    """

    problem: Problem
    sums: Sequence[tuple[Floats, Floats]]
    kinds: Sequence[Sequence[Ints]]
    relevant: Bools | None = None  # [query, document], where the first of these is all that utility looks at

    @classmethod
    def start(cls, problem: Problem, *, same_grades: bool) -> "_First":
        kinds: list[Sequence[Ints]] = []
        fair, useful = problem.terms(problem.fairness), problem.terms(problem.utility)
        several = [terms for terms in (fair, useful) if isinstance(terms, SumOverRanks)]
        sums = [(np.nan_to_num(terms.gains), terms.weights) for terms in several]
        if not isinstance(fair, SumOverRanks):
            kinds.append([_numbered(problem, row) for row in range(len(problem.qids))])
        relevant = useful.relevant if isinstance(useful, First) and not same_grades else None
        if same_grades or (relevant is None and not isinstance(useful, SumOverRanks)):
            grades = problem.grades()
            assert grades is not None
            kinds.append(list(grades))
        return cls(problem, sums, kinds, relevant)

    def alike(self, row: int, top: Ints) -> Ints:
        """Give each rank in turn the first document that may stand there, which changes places with the one there."""
        ranks, movable = self.problem.ranks(row), self.problem.find_movable(row)
        place = np.full(int(self.problem.candidate_counts[row]), -1)
        place[top] = np.arange(len(top))
        for rank in ranks.tolist():
            doc = top[rank]
            before = movable[movable < doc]
            before = before[(place[before] < 0) | (place[before] > rank)]
            if not len(before):
                continue
            fits = np.ones(len(before), dtype=np.bool_)
            for worth, weights in self.sums:
                there = np.where(place[before] < 0, 0.0, weights[row, place[before]])
                change = (worth[row, before] - worth[row, doc]) * (weights[row, rank] - there)
                fits &= np.abs(change) <= 1 / DIGITS
            if self.relevant is not None:
                of = self.relevant[row]
                fits &= (of[before] == of[doc]) | bool(of[top[:rank]].any())
            for kinds in self.kinds:
                fits &= kinds[row][before] == kinds[row][doc]
            if fits.any():
                other = before[int(fits.argmax())]
                if place[other] >= 0:
                    top[place[other]] = doc
                place[doc], place[other], top[rank] = place[other], rank, other
        return top


def _numbered(problem: Problem, row: int) -> Ints:
    """Number the kinds of the documents of a query, as the measure sees them [document]."""
    seen = np.full(problem.there.shape[1], -1)
    if problem.candidate_counts[row]:
        seen[problem.there[row]] = np.unique(problem.looks(row), axis=0, return_inverse=True)[1].ravel()
    return seen
