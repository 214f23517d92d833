"""The most fairness in the mean over queries at so much utility: one point of each query's front.

The hulls of the fronts, merged by slope, bound it from above: at most one query stands between two points there. What
is left between this bound and what greedy edges give is closed by a search over the few points that could do better.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairtrec.data import Floats, Ints
from fairtrec.formulas.fronts.front import Front, undominated, vertices

ROUNDING = 1e-9
WAYS = 100_000  # choices that are followed at once


@dataclass(frozen=True, eq=False)
class Spent:
    """The place of each query's point in its front, their sums, and the most that the sum of fairness can be."""

    points: Ints
    utility: float
    fairness: float
    bound: float


def merged(fronts: Sequence[Front]) -> tuple[Floats, Floats]:
    """Sum the hulls of fronts: the utility and fairness of the vertices, those of most utility first."""
    start, edges, *_ = _edges([front.hull for front in fronts])
    return start[0] - np.append(0.0, np.cumsum(edges[0])), start[1] + np.append(0.0, np.cumsum(edges[1]))


def spend(fronts: Sequence[Front], least: float) -> Spent:
    """Choose the points of greatest sum of fairness whose utility sums to ``least`` or more.

    >>> far = Front(np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.zeros((2, 0), dtype=np.int64))
    >>> near = Front(np.array([1.0, 0.5]), np.array([0.0, 0.8]), np.zeros((2, 0), dtype=np.int64))
    >>> spend([far, near], 1.0).points.tolist(), spend([far, near], 0.5).points.tolist()
    ([1, 0], [1, 1])
    """
    exact = all(front.exact for front in fronts)
    bound, slope = _bound(fronts, least)
    points = _greedy(fronts, least)
    utility, fairness = _sums(fronts, points)
    if bound - fairness <= ROUNDING:
        return Spent(points, utility, fairness, fairness)
    better, proven = _searched(fronts, least, slope, bound, fairness)
    if better is not None and _sums(fronts, better)[1] > fairness:
        points = better
        utility, fairness = _sums(fronts, points)
    return Spent(points, utility, fairness, fairness if proven and exact else bound)


def _sums(fronts: Sequence[Front], points: Ints) -> tuple[float, float]:
    pairs = list(zip(fronts, points.tolist(), strict=True))
    return (
        float(np.sum([front.utility[at] for front, at in pairs])),
        float(np.sum([front.fairness[at] for front, at in pairs])),
    )


def _edges(hulls: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats, Floats, Ints]:
    """Give where the hulls begin together [2], their edges [2, edge], the steepest first, their slopes and queries."""
    # The sum of concave fronts (their Minkowski sum) has the edges of all of them, by falling slope: whoever gives
    # utility up buys the most fairness for it first. Of one query the edges stay in order, as each hull is concave.
    start = np.array([[utility[0], fairness[0]] for utility, fairness in hulls]).reshape(-1, 2).sum(axis=0)
    loss = np.concatenate([-np.diff(utility) for utility, _ in hulls] or [np.zeros(0)])
    with np.errstate(invalid="ignore"):  # a bound that nobody knows is infinite all along
        gain = np.nan_to_num(np.concatenate([np.diff(fairness) for _, fairness in hulls] or [np.zeros(0)]))
    whose = np.repeat(np.arange(len(hulls)), [len(utility) - 1 for utility, _ in hulls])
    slopes: Floats = np.divide(gain, loss, out=np.full(len(loss), np.inf), where=loss > 0)
    order = np.argsort(-slopes, kind="stable")
    return start, np.stack([loss[order], gain[order]]), slopes[order], whose[order]


def _bound(fronts: Sequence[Front], least: float) -> tuple[float, float]:
    """Give the most fairness on the merged hull at so much utility, and what utility is worth there."""
    start, (loss, gain), slopes, _ = _edges([front.hull for front in fronts])
    left = start[0] - least + ROUNDING - np.append(0.0, np.cumsum(loss))
    fitting = int((left >= 0).sum()) - 1
    total = float(start[1] + gain[: max(fitting, 0)].sum())
    if fitting >= len(loss):
        return total, 0.0
    if fitting < 0:
        return total, np.inf
    return total + float(slopes[fitting] * left[fitting]), float(slopes[fitting])


def _greedy(fronts: Sequence[Front], least: float) -> Ints:
    """Take the steepest edges as far as they fit, then whatever single point gains most, as long as any does."""
    corners = [vertices(front.utility, front.fairness) for front in fronts]  # those that are there
    hulls = [(front.utility[at], front.fairness[at]) for front, at in zip(fronts, corners, strict=True)]
    start, (loss, _), _, whose = _edges(hulls)
    fitting = int((np.cumsum(loss) <= start[0] - least + ROUNDING).sum())
    taken = np.bincount(whose[:fitting], minlength=len(fronts)).tolist()
    points = np.array([at[many] for at, many in zip(corners, taken, strict=True)], dtype=np.int64)
    # All points of all fronts lie in one row, those of a query beside each other: ``whose`` [point] is their query,
    # ``firsts`` [query] where its first one lies, ``here`` [query] the chosen one. A step looks at each point once.
    utility = np.concatenate([front.utility for front in fronts])
    fairness = np.concatenate([front.fairness for front in fronts])
    sizes = [len(front.utility) for front in fronts]
    whose = np.repeat(np.arange(len(fronts)), sizes)
    firsts = np.cumsum([0, *sizes[:-1]])
    left = float(utility[firsts + points].sum()) - least + ROUNDING
    while True:
        here = firsts + points
        cost, gain = utility[here][whose] - utility, fairness - fairness[here][whose]
        rate = np.where((gain > 1e-12) & (cost <= left), gain / np.maximum(cost, 1e-12), -np.inf)
        best = int(rate.argmax())
        if np.isneginf(rate[best]):
            return points
        left -= float(cost[best])
        points[whose[best]] = best - firsts[whose[best]]


def _searched(
    fronts: Sequence[Front], least: float, slope: float, bound: float, known: float
) -> tuple[Ints | None, bool]:
    """Choose among the points that could be in anything better, and say whether none better is left.

    Query by query, of the choices so far those are followed of which no other has more of both, and which, at the price
    of utility on the hull, have not lost more than lies between what is known and the bound.
    """
    if not np.isfinite(slope) or not np.isfinite(bound):
        return None, not np.isfinite(slope)
    # At the price of utility on the hull (slope), no choice of points is worth more than the bound; each point short of
    # its query's best takes its loss off that. So no choice that loses more than the room can beat what is known.
    room = bound - known + ROUNDING
    prices = [front.fairness + slope * front.utility for front in fronts]
    losses = [price.max() - price for price in prices]
    kept = [np.flatnonzero(loss <= room) for loss in losses]
    most = np.array([front.utility[at].max() for front, at in zip(fronts, kept, strict=True)])
    rest = most.sum() - np.cumsum(most)
    utility, fairness, lost = np.zeros(1), np.zeros(1), np.zeros(1)
    steps: list[tuple[Ints, Ints]] = []
    proven = True
    for query, (front, at) in enumerate(zip(fronts, kept, strict=True)):
        way, which = (each.ravel() for each in np.indices((len(utility), len(at))))
        point = at[which]
        gone = lost[way] + losses[query][point]
        used = utility[way] + front.utility[point]
        open_ = np.flatnonzero((gone <= room) & (used + rest[query] >= least - ROUNDING))
        way, point, gone, used = way[open_], point[open_], gone[open_], used[open_]
        earned = fairness[way] + front.fairness[point]
        best = undominated(np.zeros(len(way), dtype=np.int64), used, earned)
        if len(best) > WAYS:
            proven = False
            best = best[np.sort(np.argsort(gone[best], kind="stable")[:WAYS])]
        steps.append((way[best], point[best]))
        utility, fairness, lost = used[best], earned[best], gone[best]
    if not len(utility):
        return None, proven
    end = int(fairness.argmax())
    points = np.zeros(len(fronts), dtype=np.int64)
    for query in range(len(fronts) - 1, -1, -1):
        way, point = steps[query]
        points[query] = point[end]
        end = int(way[end])
    return points, proven
