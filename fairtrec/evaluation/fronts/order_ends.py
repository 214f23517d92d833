"""The least, the greatest and the expected value of one measure over all orders of a query's documents.

Of few orders all are looked at. Where the value is a sum over ranks that look at how many documents of each kind are
above (lemma 3), one pass over these numbers gives all three. A measure may know the orders at its ends. Else the ends
are searched for, and the expected value is the mean of random orders.
"""

from dataclasses import dataclass, replace
from itertools import permutations
from math import sqrt
from typing import NamedTuple

import numpy as np

from fairtrec.data import MISSING, Floats, Ints
from fairtrec.data.ranking.random_orders import MOST, draw_orders
from fairtrec.evaluation.fronts.exposure_fairness import ExposureFairness
from fairtrec.evaluation.fronts.kind_counts import KindCounts
from fairtrec.evaluation.fronts.problem import Problem
from fairtrec.evaluation.fronts.walks import SumsByKind, Walks, list_pairs
from fairtrec.formulas.prefix_means import average_paths
from fairtrec.formulas.rounding import NEAR
from fairtrec.formulas.sequences import number_kinds, states

FEW = 4  # kinds or features, of which all orders are tried as blocks
CLIMBED = 12  # the best of so many starts
CELLS = 500_000  # ranks of orders that are evaluated for an end
MOVES = 4_000_000  # sums of exposure that are computed for an end
WIDE = 200_000  # numbers of documents of each kind, with a step for each kind


class OrderEnds(NamedTuple):
    """The least, the greatest and the expected value; nan if no order has one.

    ``error`` is the standard error of the expected value, 0 if it is exact. ``drawn`` says that it is the mean of
    random orders, ``searched`` that the ends are those of orders that were searched for.
    """

    least: float
    greatest: float
    expected: float
    error: float = 0.0
    drawn: bool = False
    searched: bool = False


def find_order_ends(problem: Problem, row: int, own: Ints, seed: tuple[int, ...]) -> OrderEnds:
    """Find the ends of the fairness measure of a problem ``by_value``, for one query; ``own`` [rank] is its ranking."""
    tops = problem.every_order(row, MOST)
    if tops is not None:
        return OrderEnds(*summarize(problem.compute_values(row, tops)))
    found = _average_counts(problem, row)
    if found is not None:
        return found
    drawn = _draw_values(problem, row, seed)
    least, greatest, expected = summarize(drawn)
    ends = [_find_end(replace(problem, worst=worst), row, own) for worst in (False, True)]
    greatest, least = np.fmax(greatest, ends[0][0]), np.fmin(least, -ends[1][0])
    searched = not all(is_known for _, is_known in ends)
    return OrderEnds(float(least), float(greatest), expected, _find_error(drawn), True, searched)


def _find_error(drawn: Floats) -> float:
    """Compute the standard error of the mean of drawn values [order]; 0 if that is infinite or undefined."""
    known = drawn[~np.isnan(drawn)]
    return float(known.std(ddof=1)) / sqrt(len(known)) if len(known) > 1 and np.isfinite(known).all() else 0.0


def summarize(values: Floats) -> tuple[float, float, float]:
    """Give the least, the greatest and the mean of values [order], without undefined ones; nan if there is none."""
    known = values[~np.isnan(values)]
    if not len(known):
        return np.nan, np.nan, np.nan
    with np.errstate(invalid="ignore"):  # the mean of both infinities is undefined
        return float(known.min()), float(known.max()), float(known.mean())


def _number_kinds(problem: Problem, row: int) -> tuple[Floats, Ints]:
    """Give what the measure sees of each kind of document [kind, feature], and the kind of each [document]."""
    looks, kinds = np.unique(problem.looks(row)[problem.find_movable(row)], axis=0, return_inverse=True)
    return looks, kinds.ravel()


def _average_counts(problem: Problem, row: int) -> OrderEnds | None:
    """Go through the numbers of documents of each kind (lemma 3); None if the value is no such sum."""
    looks, kinds = _number_kinds(problem, row)
    ranks, supply = len(problem.ranks(row)), np.bincount(kinds)
    if states(np.minimum(supply, ranks), ranks) * len(supply) > WIDE:
        return None
    counts = KindCounts.sort_kinds(problem, row)
    if counts is None:
        return None
    found = average_paths(supply, ranks, counts.earned)
    if np.isinf(found.least) and np.isinf(found.greatest):
        return OrderEnds(*found)
    order = np.argsort(kinds, kind="stable")
    of_kind = np.cumsum(supply) - supply
    for start in list_starts(looks, supply, kinds[order][:ranks]):
        top = problem.find_movable(row)[order[of_kind[start] + number_kinds(start[None])[0]]]
        value, added = float(problem.compute_values(row, top[None])[0]), _follow_path(counts, start, len(supply))
        if np.isfinite(value) and np.isfinite(added):  # what all orders have beside the sum
            least, greatest, expected = (each + (value - added) for each in found)
            return OrderEnds(least, greatest, expected)
    return None


def _follow_path(counts: KindCounts, kinds: Ints, several: int) -> float:
    """Sum what the documents of an order of kinds [rank] earn."""
    placed, total = np.zeros((1, several)), 0.0
    for above, kind in enumerate(kinds.tolist()):
        total += float(counts.earned(placed, above)[0, kind])
        placed[0, kind] += 1
    return total


def _draw_values(problem: Problem, row: int, seed: tuple[int, ...]) -> Floats:
    """Evaluate random orders [order]. Documents are drawn by kind, so names and ranks of documents do not matter."""
    _, kinds = _number_kinds(problem, row)
    by_kind = problem.find_movable(row)[np.argsort(kinds, kind="stable")]
    drawn = draw_orders(len(by_kind), len(problem.ranks(row)), seed)
    return problem.compute_values(row, by_kind[drawn])


def _find_end(problem: Problem, row: int, own: Ints) -> tuple[float, bool]:
    """Find the greatest value, turned, of an order; and whether the measure knows that no order has more."""
    known = problem.find_end_order(row)
    if known is not None:
        return float(problem.compute_fairness(row, known[None])[0]), True
    looks, kinds = _number_kinds(problem, row)
    of_place = np.full(int(problem.candidate_counts[row]), MISSING)
    of_place[problem.find_movable(row)] = kinds
    starts = list_starts(looks, np.bincount(kinds), of_place[own])
    walks = Walks.set_up_blind(problem, row, kinds, None)
    walks.most_cells = CELLS
    fairness = walks.evaluate_orders(starts).fairness
    chosen = np.argsort(-fairness, kind="stable")[:CLIMBED].tolist()
    if walks.quick is not None and walks.exposed is not None:
        climb = ExposureClimb(walks.exposed, walks.quick, walks.supply)
        ends = np.array([climb.climb(starts[at]) for at in chosen])
    else:
        ends = np.array([walks.climb(starts[at], (0.0, float(fairness[at])), 0.0) for at in chosen])
    return float(problem.compute_fairness(row, walks.tops(ends)).max()), False


def list_starts(looks: Floats, supply: Ints, own: Ints) -> Ints:
    """List orders of kinds [start, rank] to climb from: ``own``, orders in blocks, and kinds in turn.

    Of few kinds all orders of these are blocks. Of more, documents stand by rising or falling ``looks`` [kind,
    feature], by the first features in each of their orders.

    >>> list_starts(np.array([[0.0], [1.0]]), np.array([2, 1]), np.array([0, 0])).tolist()
    [[0, 0], [0, 1], [1, 0]]
    """
    ranks, many = len(own), len(supply)
    if many <= FEW:
        orders = [np.array(order) for order in permutations(range(many))]
    else:
        varied = np.flatnonzero(np.ptp(looks, axis=0) > 0)[:FEW].tolist()
        rising = [np.lexsort(looks[:, order[::-1]].T) for order in permutations(varied)]
        orders = [*rising, *(order[::-1] for order in rising)]
    kind = np.repeat(np.arange(many), supply)
    number = np.arange(len(kind)) - np.repeat(np.cumsum(supply) - supply, supply)
    in_turn = [kind[np.lexsort((kind, number))], kind[np.lexsort((kind, (number + 0.5) / supply[kind]))]]
    blocks = (np.repeat(order, supply[order]) for order in orders)
    return np.unique(np.stack([own, *(each[:ranks] for each in (*blocks, *in_turn))]), axis=0)


@dataclass(eq=False)
class ExposureClimb:
    """Climbs by a function of exposure: what a move adds to exposure is computed, and no order is added up anew.

    ``supply`` [kind] are the documents that there are. ``moves`` counts what has been looked at.
    """

    exposed: ExposureFairness
    sums: SumsByKind
    supply: Ints
    moves: int = 0

    def climb(self, kinds: Ints) -> Ints:
        """Take the best move until none is better: exchange two ranks, or put a kind that is left at a rank."""
        weights, shares = self.sums.weights, self.sums.shares
        height = -np.inf
        while True:
            exposure = self.sums.add_up(kinds[None])[1]
            height = max(height, float(self.exposed.value(exposure[None])[0, 0]))
            placed = np.bincount(kinds, minlength=len(self.supply))
            left = np.flatnonzero(self.supply > placed)
            many = (len(kinds) * len(kinds) - int((placed * placed).sum())) // 2 + len(kinds) * len(left)
            self.moves += many
            if not many or self.moves > MOVES:  # before any is computed: many ranks have very many
                return kinds
            upper, lower = list_pairs(len(kinds))
            differ = kinds[upper] != kinds[lower]
            first, second = upper[differ], lower[differ]
            rank, other = (each.ravel() for each in np.meshgrid(np.arange(len(kinds)), left, indexing="ij"))
            moved = np.concatenate([
                (weights[first] - weights[second])[:, None] * (shares[kinds[second]] - shares[kinds[first]]),
                weights[rank][:, None] * (shares[other] - shares[kinds[rank]]),
            ])  # fmt: skip
            heights = self.exposed.value((exposure + moved)[None])[0]
            best = int((heights >= heights.max() - NEAR * abs(heights.max())).argmax())
            if not heights[best] > height + NEAR * max(abs(height), 1.0):
                return kinds
            kinds, at = kinds.copy(), best - len(first)
            if at < 0:
                kinds[first[best]], kinds[second[best]] = kinds[second[best]], kinds[first[best]]
            else:
                kinds[rank[at]] = other[at]
