"""What no order exceeds: fairness that is a concave function of exposure, over shares of orders instead of orders.

Orders are relaxed to shares of documents at ranks, whose rows sum to 1 and whose columns to at most 1. For a slope,
fairness + slope * utility is climbed there from the best order that is known. The linear problem of each step is an
assignment of documents to ranks. What it gains over the point, added to the value there, is a bound at every step.
Each slope so gives a line above the front of a query; the lines of all slopes are what its ``ends`` become.

Sources: Frank, Wolfe: An Algorithm for Quadratic Programming. Naval Research Logistics Quarterly 1956.
https://doi.org/10.1002/nav.3800030109 Jaggi: Revisiting Frank-Wolfe. ICML 2013.
https://proceedings.mlr.press/v28/jaggi13.html
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from fairtrec.data import Floats, Ints, list_distinct
from fairtrec.evaluation.fronts.exposure_fairness import ExposureFairness
from fairtrec.evaluation.fronts.problem import Problem
from fairtrec.formulas.fronts import Front, merge_hulls
from fairtrec.measure import SumOverRanks

GAP = 1e-5  # between the bound and the value of the point where it is enough
STEPS = 40
FACTORS = (1.0, 1.3, 1 / 1.3, 4.0)  # of the slope at which a loss is bounded
PARTS = np.linspace(0.0, 1.0, 17)  # of a line that is searched
ROUNDS = 4


def bound_fronts(
    problem: Problem, fronts: Sequence[Front], searched: Mapping[int, Ints], own: Floats, losses: Sequence[float]
) -> list[Front]:
    """Bound the fronts of the queries that were ``searched``, each with the documents that may stand in an order.

    ``own`` [query] is the utility of the run, of which the mean may lose so much.
    """
    useful = problem.terms(problem.utility)
    rows = np.array([row for row in searched if len(problem.ranks(row))], dtype=np.int64)
    if not len(rows) or not isinstance(useful, SumOverRanks) or not useful.falls:
        return [*fronts]
    exposed = ExposureFairness.find(problem, rows, problem.terms(problem.fairness))
    if exposed is None or not exposed.concave.any():
        return [*fronts]
    relaxed = [
        _Relaxed(problem, row, searched[row], useful, exposed, at)
        for at, row in enumerate(rows.tolist())
        if exposed.concave[at]
    ]
    slopes = list_distinct([0.0, *_slopes(fronts, float(own.sum()), losses)])[::-1]
    kept = np.flatnonzero(exposed.concave)
    lines = np.stack([_climbed(exposed, kept, relaxed, fronts, float(slope)) for slope in slopes])
    several = [*fronts]
    for at, each in enumerate(relaxed):
        several[each.row] = _below(fronts[each.row], slopes, lines[:, at])
    return several


def _slopes(fronts: Sequence[Front], whole: float, losses: Sequence[float]) -> list[float]:
    """Give the slopes of the hull of what was found where so much of the utility is lost, and some beside them."""
    start, edges, steep, _ = merge_hulls(fronts, found=True)
    left = start[0] + np.cumsum(edges[0])
    found = []
    for loss in losses:
        at = int((left >= (1 - loss) * whole).sum())
        slope = float(np.append(steep, 0.0)[at])
        found += [slope * factor for factor in FACTORS] if np.isfinite(slope) else []
    return found


class _Relaxed:
    """One query: what its documents add at each free rank to exposure and utility, and what the others add."""

    def __init__(
        self, problem: Problem, row: int, documents: Ints, useful: SumOverRanks, exposed: ExposureFairness, at: int
    ) -> None:
        ranks = problem.ranks(row)
        held = np.setdiff1d(np.arange(problem.lengths[row]), ranks)
        self.row = row
        self.weights, self.discounts = exposed.weights[at, ranks], useful.weights[row, ranks]
        self.shares, self.gains = exposed.shares[at, documents], useful.gains[row, documents]
        self.held = exposed.weights[at, held, None] * exposed.shares[at, held]
        self.held = self.held.sum(axis=0)
        self.kept = float((useful.weights[row, held] * np.nan_to_num(useful.gains[row, held])).sum())

    def best(self, gradient: Floats, slope: float) -> tuple[Floats, float]:
        """Give the exposure and utility of the order that is best by a gradient [a] of fairness."""
        from scipy.optimize import linear_sum_assignment

        worth = (self.shares * gradient).sum(axis=1)
        table = self.weights[:, None] * worth + (slope * self.discounts)[:, None] * self.gains
        ranks, chosen = linear_sum_assignment(table, maximize=True)
        exposure = self.held + (self.weights[ranks, None] * self.shares[chosen]).sum(axis=0)
        return exposure, self.kept + float((self.discounts[ranks] * self.gains[chosen]).sum())


def _climbed(
    exposed: ExposureFairness, kept: Ints, queries: Sequence[_Relaxed], fronts: Sequence[Front], slope: float
) -> Floats:
    """Bound fairness + slope * utility [query] over all orders of each query.

    The point is a mixture of orders (vertices), from the best one that is known. Each step moves weight from the worst
    of these, by the gradient, to the order that is best.
    """
    many, groups, full = len(queries), exposed.shares.shape[2], len(exposed.concave)
    vertices, useful, mixed = (
        np.zeros((many, STEPS + 1, groups)),
        np.zeros((many, STEPS + 1)),
        np.zeros((many, STEPS + 1)),
    )
    mixed[:, 0] = 1.0
    for at, query in enumerate(queries):
        front = fronts[query.row]
        best = int((front.fairness + slope * front.utility).argmax())
        vertices[at, 0] = exposed.exposure(int(kept[at]), front.tops[best][None])[0]
        useful[at, 0] = front.utility[best]

    def value(points: Floats) -> Floats:  # [query, n, a]; forms are of all queries together
        every = np.ones((full, *points.shape[1:]))
        every[kept] = points
        return exposed.value(every)[kept]

    bounds, open_ = np.full(many, np.inf), np.ones(many, dtype=np.bool_)
    for step in range(1, STEPS + 1):
        point, utility = (mixed[..., None] * vertices).sum(axis=1), (mixed * useful).sum(axis=1)
        every = np.ones((full, 1, groups))
        every[kept] = point[:, None]
        gradient = exposed.slope(every)[kept, 0]
        here = (gradient * point).sum(axis=1) + slope * utility
        level = value(point[:, None])[:, 0] + slope * utility
        for at in np.flatnonzero(open_).tolist():
            vertices[at, step], useful[at, step] = queries[at].best(gradient[at], slope)
        scores = (vertices * gradient[:, None]).sum(axis=2) + slope * useful
        gap = scores[:, step] - here
        bounds = np.where(open_, np.minimum(bounds, level + np.maximum(gap, 0.0)), bounds)
        open_ &= gap > GAP
        if not open_.any():
            break
        away = np.where(mixed > 0, scores, np.inf).argmin(axis=1)
        row = np.arange(many)
        most = np.where(open_, mixed[row, away], 0.0)
        toward = vertices[:, step] - vertices[row, away]
        more = useful[:, step] - useful[row, away]
        low, high = np.zeros(many), most
        for _ in range(ROUNDS):
            parts = low[:, None] + (high - low)[:, None] * PARTS
            levels = value(point[:, None] + parts[..., None] * toward[:, None]) + slope * (
                utility[:, None] + parts * more[:, None]
            )
            highest = levels.argmax(axis=1)
            low, high = (parts[row, np.clip(highest + off, 0, len(PARTS) - 1)] for off in (-1, 1))
        moved = parts[row, highest]
        mixed[row, away] -= moved
        mixed[:, step] += moved
    return bounds


def _below(front: Front, slopes: Floats, heights: Floats) -> Front:
    """Bound a front by lines: of each slope, fairness + slope * utility is nowhere above the height."""
    assert front.ends is not None
    most = min(float(front.ends[1].max()), float(heights[-1]))  # the last slope is 0
    lines: list[tuple[float, float]] = [(0.0, most), *zip(slopes[:-1].tolist(), heights[:-1].tolist(), strict=True)]
    lines.sort()

    def level(utility: float) -> float:
        return min(height - slope * utility for slope, height in lines)

    greatest = float(front.utility.max())
    crossings = [
        (high - low) / (steep - flat)
        for at, (flat, low) in enumerate(lines)
        for steep, high in lines[at + 1 :]
        if steep > flat
    ]
    corners = sorted({greatest, *(each for each in crossings if each < greatest)}, reverse=True)
    ends = np.array([[utility, level(utility)] for utility in corners]).T
    known = np.interp(ends[0][::-1], front.utility[::-1], front.fairness[::-1])[::-1]  # but for rounding never above
    ends[1] = np.maximum.accumulate(np.maximum(ends[1], np.where(ends[0] <= greatest, known, ends[1])))
    return replace(front, ends=ends)
