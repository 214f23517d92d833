"""A front: the orders of one query of which no other has more utility and as much fairness, or the other way round.

And the most fairness in the mean over queries at so much utility: one point of each query's front. The hulls of the
fronts, merged by slope, bound it from above: at most one query stands between two points there. What is left between
this bound and what greedy edges give is closed by a search over the few points that could do better.

Sources: DPFR: Rampisela, Ruotsalo, Maistro, Lioma: Joint Evaluation of Fairness and Relevance in Recommender Systems
with Pareto Frontier. WWW 2025. https://doi.org/10.1145/3696410.3714589
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from fairtrec.data import MISSING, Floats, Ints, list_distinct
from fairtrec.formulas.rounding import NEAR, round_relative

DIGITS = 1e11  # what is nearer than one part in so many is equal
ROUNDING = 1e-9
SAMPLED = 64  # every so manyth of many points is looked at first
WAYS = (100, 1_000, 10_000, 100_000)  # choices that are followed at once, in one search after another
STEPS = 5_000_000  # choices times points that the last of these searches may look at


@dataclass(frozen=True, eq=False)
class Front:
    """Orders, those of most utility first; fairness rises.

    ``tops`` [point, place] are what stands at the first ranks, by the numbers that the documents were given with.
    Without ``ends`` no order was left out; else the front lies nowhere above the lines between these points [2, vertex]
    of utility and fairness, which are ``attained`` or out of reach.
    """

    utility: Floats
    fairness: Floats
    tops: Ints
    ends: Floats | None = None
    attained: bool = False

    @classmethod
    def keep_best(cls, utility: Floats, fairness: Floats, tops: Ints, ends: Floats | None = None) -> Self:
        """Keep those orders of which no other has more of both; with ``ends`` there may be others than these.

        Of orders that are alike the one of the first documents is kept, compared rank by rank.
        """
        order, starts, end = sort_undominated(np.zeros(len(utility), dtype=np.int64), utility, fairness)
        firsts = order[starts]
        for point in np.flatnonzero(end - starts > 1).tolist() if tops.shape[1] else ():
            alike = order[starts[point] : end[point]]
            firsts[point] = alike[np.lexsort(tops[alike].T[::-1])[0]]
        return cls(utility[firsts], fairness[firsts], tops[firsts], ends)

    def fairest(self, least: float) -> tuple[int, float]:
        """Give the place of the fairest order of so much utility, and the most fairness that any such can have."""
        enough = np.flatnonzero(self.utility >= least)
        at = int(enough[-1]) if len(enough) else 0
        most = float(self.fairness[at])
        return at, most if self.ends is None else max(float(np.interp(least, *self.ends[:, ::-1])), most)

    @property
    def is_known(self) -> bool:
        """Whether its hull is known, and not only what lies nowhere below it."""
        return self.ends is None or self.attained

    @cached_property
    def corners(self) -> Ints:
        """The points between which straight lines lie nowhere below it.

        >>> Front(np.array([3.0, 2.0, 1.0, 0.0]), np.array([0.0, 1.0, 5.0, 6.0]), np.zeros((4, 0))).corners.tolist()
        [0, 2, 3]
        """
        return upper_corners(self.utility, self.fairness)

    def hull(self, *, found: bool = False) -> tuple[Floats, Floats]:
        """Give the utility and fairness of the vertices of what lies nowhere below it; or of the orders ``found``."""
        if self.ends is not None and not found:
            return self.ends[0], self.ends[1]
        return self.utility[self.corners], self.fairness[self.corners]


def upper_corners(utility: Floats, fairness: Floats) -> Ints:
    """Give the corners of the upper hull of points of falling utility and rising fairness.

    >>> upper_corners(np.array([3.0, 2.0, 1.0]), np.array([0.0, 1.0, 5.0])).tolist()
    [0, 2]
    """
    # By one walk: a corner that does not rise above the line from the one before to the next, by more than rounding,
    # goes.
    kept: list[int] = []
    points = list(zip(utility.tolist(), fairness.tolist(), strict=True))
    useful, fair = (NEAR * float(np.abs(each[np.isfinite(each)]).max(initial=0.0)) for each in (utility, fairness))
    for at, (low, high) in enumerate(points):
        while len(kept) > 1:
            (left, bottom), (x, y) = points[kept[-2]], points[kept[-1]]
            rounding = fair * (left - low) + useful * (high - bottom)
            if (y - bottom) * (left - low) > (high - bottom) * (left - x) + rounding:
                break
            kept.pop()
        kept.append(at)
    return np.array(kept, dtype=np.int64)


def find_largest(utility: Floats, fairness: Floats) -> Floats:
    """Give the greatest size of fairness and of utility [2, 1] among those that are finite; 0 if there are none."""
    both = np.stack([fairness, utility])
    return np.asarray(np.abs(both).max(axis=1, where=np.isfinite(both), initial=0.0, keepdims=True))


def sort_undominated(
    group: Ints, utility: Floats, fairness: Floats, largest: Floats | None = None
) -> tuple[Ints, Ints, Ints]:
    """Order points by rising group and falling utility, and give where in that order what nothing else beats begins.

    Nothing else of its group beats it; behind it stands what is alike, but for rounding, down to the end, which is
    given last. Rounding is relative to the ``largest`` of all points, if these are some of them.

    >>> group, utility = np.array([0, 0, 0, 1]), np.array([1.0, 2.0, 1.0, 0.0])
    >>> order, starts, _ = sort_undominated(group, utility, np.array([5.0, 3.0, 4.0, 0.0]))
    >>> order[starts].tolist()
    [1, 0, 3]
    """
    if not len(group):
        return (np.zeros(0, dtype=np.int64),) * 3
    # As whole numbers, so that what differs by rounding is equal; infinite ones lie beyond all.
    both = np.stack([fairness, utility])
    finite = np.isfinite(both)
    largest = find_largest(utility, fairness) if largest is None else largest
    scaled = np.where(finite, both, 0.0) * (DIGITS / np.where(largest == 0, 1.0, largest))
    fair, useful = np.rint(np.where(finite, scaled, np.copysign(2 * DIGITS, both))).astype(np.int64)
    # By falling utility, what is kept is what rises above all before it. So that one running maximum serves all groups,
    # each is lifted above the greatest height of the group before: its first always rises above what lies there.
    order = np.lexsort((-fair, -useful, group))
    sorted_group, height = group[order], fair[order] - int(fair.min())
    number = np.cumsum(np.diff(sorted_group, prepend=sorted_group[0]) != 0)
    height += number * (int(height.max()) + 1)
    highest = np.maximum.accumulate(height)
    starts = np.flatnonzero(np.append(True, height[1:] > highest[:-1]))
    ends = np.flatnonzero(np.append((np.diff(height) != 0) | (np.diff(useful[order]) != 0), True)) + 1
    return order, starts, ends[np.searchsorted(ends, starts, side="right")]


def find_candidates(utility: Floats, fairness: Floats) -> Ints:
    """Say which of many points may be undominated, or alike to one that is, without sorting them all.

    >>> find_candidates(np.array([2.0, 1.0, 1.0, 0.0]), np.array([1.0, 2.0, 1.0, 1.0])).tolist()
    [0, 1, 2]
    """
    some = list_distinct(np.append(np.arange(0, len(utility), SAMPLED), [utility.argmax(), fairness.argmax()]))
    order, starts, _ = sort_undominated(np.zeros(len(some), dtype=np.int64), utility[some], fairness[some])
    stairs = some[order[starts]][::-1]  # by rising utility, so that fairness falls
    near = [np.abs(each[np.isfinite(each)]).max(initial=0.0) * 10 / DIGITS for each in (utility, fairness)]
    least = np.searchsorted(utility[stairs], utility + near[0])
    height = np.append(fairness[stairs], -np.inf)[least]
    return np.flatnonzero(fairness >= height - near[1])


def keep_undominated(utility: Floats, fairness: Floats) -> Ints:
    """Say which of many points nothing else beats, by falling utility; of those that are alike, the first.

    >>> keep_undominated(np.array([2.0, 1.0, 1.0, 1.0, 0.0]), np.array([1.0, 2.0, 1.0, 2.0, 1.0])).tolist()
    [0, 1]
    """
    if not len(utility):
        return np.zeros(0, dtype=np.int64)
    some = find_candidates(utility, fairness)
    largest = find_largest(utility, fairness)
    order, starts, _ = sort_undominated(np.zeros(len(some), dtype=np.int64), utility[some], fairness[some], largest)
    return np.asarray(some[order[starts]])


def point_at(front: Floats, alpha: float) -> tuple[float, float]:
    """Give the utility and fairness at the share ``alpha`` of the length of a front [2, vertex]; 0 and 1 are its ends.

    The front is a line from vertex to vertex, those of most utility first, measured with a ruler (Euclid, neither axis
    scaled). DPFR is the distance of a run to this point, so 0 is best.

    >>> line = np.array([[1.0, 1.0, 0.2], [0.0, 0.4, 1.0]])  # 0.4 long, then 1
    >>> [tuple(round(value, 6) for value in point_at(line, alpha)) for alpha in (0.0, 0.25, 0.5, 1.0)]
    [(1.0, 0.0), (1.0, 0.35), (0.76, 0.58), (0.2, 1.0)]
    """
    gone = np.append(0.0, np.cumsum(np.sqrt(np.square(np.diff(front, axis=1)).sum(axis=0))))
    utility, fairness = (float(np.interp(alpha * gone[-1], gone, values)) for values in front)
    return utility, fairness


def same_grades(classes: Ints, worth: Floats, weights: Floats) -> Ints:
    """Order each query [query, place] for the greatest weighed sum of ``worth``, each rank keeping its grade.

    On the ranks of one grade, the fairest documents of that grade stand where fairness counts most (the rearrangement
    inequality); one that is not used for a used one that is less fair never loses. No measure of grades changes.

    ``classes`` [query, rank] are the grades, numbered, MISSING behind the last document; ``worth`` [query, rank] is
    what a document adds; ``weights`` [rank or query, rank], none below 0, are how much the first ranks count. What is
    worth the same stays in its order, and so does what counts nowhere.

    >>> same_grades(np.array([[0, 1, 0, 0]]), np.array([[0.1, 0.9, 0.2, 0.3]]), np.array([1.0, 0.5])).tolist()
    [[3, 1, 0, 2]]
    """
    queries, ranks = classes.shape
    counts = np.zeros((queries, ranks))
    counts[:, : weights.shape[-1]] = weights[..., :ranks]
    at = np.broadcast_to(np.arange(ranks), classes.shape)
    key = np.where(classes == MISSING, classes.max(initial=0) + 1, classes)
    slots = np.lexsort((at, -counts, key), axis=1)  # those of one grade, those that count most first
    best = np.lexsort((at, -worth, key), axis=1)
    chosen = np.zeros(classes.shape, dtype=np.bool_)
    np.put_along_axis(chosen, best, np.take_along_axis(counts, slots, axis=1) > 0, axis=1)
    docs = np.lexsort((at, np.where(chosen, -worth, 0.0), ~chosen, key), axis=1)
    places = np.empty(classes.shape, dtype=np.int64)
    np.put_along_axis(places, slots, docs, axis=1)
    return np.where(classes == MISSING, MISSING, places)


@dataclass(frozen=True, eq=False)
class Spent:
    """The place of each query's point in its front, the sum of their fairness, and the most that it can be."""

    points: Ints
    fairness: float
    bound: float


def merge_hulls(fronts: Sequence[Front], *, found: bool = False) -> tuple[Floats, Floats, Floats, Ints]:
    """Sum the hulls of fronts: where they begin together [2], their edges [2, edge], slopes and queries of these.

    The steepest come first; an edge is what changes along it of utility and fairness. See ``Front.hull`` for ``found``.
    """
    # The sum of concave fronts (their Minkowski sum) has the edges of all of them, by falling slope: whoever gives
    # utility up buys the most fairness for it first. Of one query the edges stay in order, as each hull is concave.
    hulls = [front.hull(found=found) for front in fronts]
    start = np.array([[utility[0], fairness[0]] for utility, fairness in hulls]).reshape(-1, 2).sum(axis=0)
    loss = np.concatenate([-np.diff(utility) for utility, _ in hulls] or [np.zeros(0)])
    with np.errstate(invalid="ignore"):  # a bound that nobody knows is infinite all along
        gain = np.nan_to_num(np.concatenate([np.diff(fairness) for _, fairness in hulls] or [np.zeros(0)]))
    whose = np.repeat(np.arange(len(hulls)), [len(utility) - 1 for utility, _ in hulls])
    slopes: Floats = np.divide(gain, loss, out=np.full(len(loss), np.inf), where=loss > 0)
    order = np.argsort(-round_relative(slopes), kind="stable")
    return start, np.stack([-loss[order], gain[order]]), slopes[order], whose[order]


def spend(fronts: Sequence[Front], least: float) -> Spent:
    """Choose the points of greatest sum of fairness whose utility sums to ``least`` or more.

    >>> far = Front(np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.zeros((2, 0), dtype=np.int64))
    >>> near = Front(np.array([1.0, 0.5]), np.array([0.0, 0.8]), np.zeros((2, 0), dtype=np.int64))
    >>> spend([far, near], 1.0).points.tolist(), spend([far, near], 0.5).points.tolist()
    ([1, 0], [1, 1])
    """
    start, edges, slopes, _ = merge_hulls(fronts)
    left = start[0] - least + ROUNDING + np.append(0.0, np.cumsum(edges[0]))
    fitting = int((left >= 0).sum()) - 1
    bound = float(start[1] + edges[1, : max(fitting, 0)].sum())  # the most on the merged hull at so much utility
    slope = np.inf  # where all edges fit, no points are better than the last
    if 0 <= fitting < len(slopes):
        slope = float(slopes[fitting])
        bound += slope * float(left[fitting])
    points, fairness = _greedy(fronts, least)
    proven = False
    for ways in WAYS:
        if bound - fairness <= ROUNDING:
            return Spent(points, fairness, fairness)
        better, proven, steps = _search_points(fronts, least, slope, bound, fairness, ways)
        if better is not None:
            more = float(np.sum([front.fairness[at] for front, at in zip(fronts, better.tolist(), strict=True)]))
            points, fairness = (better, more) if more > fairness else (points, fairness)
        if proven or steps > STEPS / 10:  # ten times as many ways take ten times as many steps
            break
    exact = proven and all(front.ends is None for front in fronts)
    return Spent(points, fairness, fairness if exact else bound)


def _greedy(fronts: Sequence[Front], least: float) -> tuple[Ints, float]:
    """Take the steepest edges as far as they fit, then whatever single point gains most, as long as any does.

    Gives the points, and the sum of their fairness.
    """
    start, edges, _, whose = merge_hulls(fronts, found=True)
    fitting = int((-np.cumsum(edges[0]) <= start[0] - least + ROUNDING).sum())
    taken = np.bincount(whose[:fitting], minlength=len(fronts)).tolist()
    points = np.array([front.corners[many] for front, many in zip(fronts, taken, strict=True)], dtype=np.int64)
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
            return points, float(fairness[here].sum())
        left -= float(cost[best])
        points[whose[best]] = best - firsts[whose[best]]


def _search_points(
    fronts: Sequence[Front], least: float, slope: float, bound: float, known: float, ways: int
) -> tuple[Ints | None, bool, int]:
    """Choose among the points that could be in anything better; say whether none better is left, and count the steps.

    Query by query, of the choices so far those are followed of which no other has more of both, and which, at the price
    of utility on the hull, have not lost more than lies between what is known and the bound. Of more than ``ways``,
    those are followed that have lost least among choices of about the same utility.
    """
    if not np.isfinite(slope) or not np.isfinite(bound):
        return None, not np.isfinite(slope), 0
    # At the price of utility on the hull (slope), no choice of points is worth more than the bound; each point short of
    # its query's best takes its loss off that, and so does utility above the least. So no choice that loses more than
    # the room can beat what is known.
    room = bound - known + ROUNDING
    prices = [front.fairness + slope * front.utility for front in fronts]
    losses = [price.max() - price for price in prices]
    kept = [np.flatnonzero(loss <= room) for loss in losses]
    ends = np.array(
        [[front.utility[at].max(), front.utility[at].min()] for front, at in zip(fronts, kept, strict=True)]
    )
    most, fewest = (ends.sum(axis=0) - np.cumsum(ends, axis=0)).T  # that the queries after each add
    utility, fairness, lost = np.zeros(1), np.zeros(1), np.zeros(1)
    followed: list[tuple[Ints, Ints]] = []
    proven, steps = True, 0
    for query, (front, at) in enumerate(zip(fronts, kept, strict=True)):
        gone = (lost[:, None] + losses[query][at]).ravel()  # of each choice so far with each point
        used = (utility[:, None] + front.utility[at]).ravel()
        steps += len(used)
        unused = slope * np.maximum(used + fewest[query] - least, 0.0)
        open_ = np.flatnonzero((gone + unused <= room) & (used + most[query] >= least - ROUNDING))
        gone, used = gone[open_], used[open_]
        way, which = np.divmod(open_, len(at))
        point = at[which]
        earned = fairness[way] + front.fairness[point]
        best = keep_undominated(used, earned)
        if len(best) > ways:
            proven = False
            best = best[thin_out(used[best], gone[best], ways)]
        followed.append((way[best], point[best]))
        utility, fairness, lost = used[best], earned[best], gone[best]
    if not len(utility):
        return None, proven, steps
    end = int(fairness.argmax())
    points = np.zeros(len(fronts), dtype=np.int64)
    for query in range(len(fronts) - 1, -1, -1):
        way, point = followed[query]
        points[query] = point[end]
        end = int(way[end])
    return points, proven, steps


def thin_out(utility: Floats, lost: Floats, ways: int) -> Ints:
    """Choose of choices of falling utility those that have lost least in each of so many equal spans of utility.

    >>> thin_out(np.array([1.0, 0.9, 0.4, 0.0]), np.array([0.2, 0.1, 0.0, 0.3]), 2).tolist()
    [1, 2, 3]
    """
    span = np.floor((utility[0] - utility) * (ways / (utility[0] - utility[-1])))
    order = np.lexsort((lost, span))
    return np.sort(order[np.flatnonzero(np.diff(span[order], prepend=-1.0))])
