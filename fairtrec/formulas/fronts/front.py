"""A front: the orders of one query of which no other has more utility and as much fairness, or the other way round.

Sources: DPFR: Rampisela, Ruotsalo, Maistro, Lioma: Joint Evaluation of Fairness and Relevance in Recommender Systems
with Pareto Frontier. WWW 2025. https://doi.org/10.1145/3696410.3714589
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from fairtrec.data import MISSING, Floats, Ints

DIGITS = 1e11  # what is nearer than one part in so many is equal


@dataclass(frozen=True, eq=False)
class Front:
    """Orders, those of most utility first; fairness rises.

    ``tops`` [point, place] are what stands at the first ranks, by the numbers that the documents were given with.
    ``exact`` says that no order was left out; else the front lies nowhere above the lines between ``ends``, which are
    points [2, vertex] of utility and fairness, and these are ``attained`` or out of reach.
    """

    utility: Floats
    fairness: Floats
    tops: Ints
    exact: bool = True
    ends: Floats | None = None
    attained: bool = False

    @classmethod
    def of(cls, utility: Floats, fairness: Floats, tops: Ints, ends: Floats | None = None) -> Self:
        """Keep those orders of which no other has more of both; with ``ends`` there may be others than these.

        Of orders that are alike the one of the first documents is kept, compared rank by rank.
        """
        order, kept, ends_at = _sorted(np.zeros(len(utility), dtype=np.int64), utility, fairness)
        firsts = order[kept]
        for point in np.flatnonzero(ends_at - kept > 1).tolist() if tops.shape[1] else ():
            alike = order[kept[point] : ends_at[point]]
            firsts[point] = alike[np.lexsort(tops[alike].T[::-1])[0]]
        return cls(utility[firsts], fairness[firsts], tops[firsts], ends is None, ends)

    def fairest(self, least: float) -> tuple[int, float]:
        """Give the place of the fairest order of so much utility, and the most fairness that any such can have."""
        enough = np.flatnonzero(self.utility >= least)
        at = int(enough[-1]) if len(enough) else 0
        if self.exact or self.ends is None:
            return at, float(self.fairness[at])
        utility, fairness = self.ends
        most = np.interp(least, utility[::-1], fairness[::-1])
        return at, float(max(most, self.fairness[at]))

    @property
    def known(self) -> bool:
        """Whether its hull is known, and not only what lies nowhere below it."""
        return self.exact or self.attained

    @property
    def hull(self) -> tuple[Floats, Floats]:
        """The utility and fairness of the vertices of its hull, or of what lies nowhere below it."""
        if self.ends is not None:
            return self.ends[0], self.ends[1]
        kept = vertices(self.utility, self.fairness)
        return self.utility[kept], self.fairness[kept]


def undominated(group: Ints, utility: Floats, fairness: Floats) -> Ints:
    """Find what nothing else of its group beats, by rising group and falling utility; of what is alike the first.

    >>> undominated(np.array([0, 0, 0, 1]), np.array([1.0, 2.0, 1.0, 0.0]), np.array([5.0, 3.0, 4.0, 0.0])).tolist()
    [1, 0, 3]
    """
    order, kept, _ = _sorted(group, utility, fairness)
    return np.asarray(order[kept], dtype=np.int64)


def _sorted(group: Ints, utility: Floats, fairness: Floats) -> tuple[Ints, Ints, Ints]:
    """Give the order of the points, and where in it those begin and end that are undominated, with what is alike."""
    if not len(group):
        return (np.zeros(0, dtype=np.int64),) * 3
    # By falling utility, what is kept is what rises above all before it. So that one running maximum serves all groups,
    # each is lifted above the greatest height of the group before: its first always rises above what lies there.
    fair, useful = _whole(fairness), _whole(utility)
    order = np.lexsort((-fair, -useful, group))
    sorted_group, height = group[order], fair[order] - int(fair.min())
    number = np.cumsum(np.diff(sorted_group, prepend=sorted_group[0]) != 0)
    height += number * (int(height.max()) + 1)
    highest = np.maximum.accumulate(height)
    kept = np.flatnonzero(np.append(True, height[1:] > highest[:-1]))
    new = np.flatnonzero(np.append((np.diff(height) != 0) | (np.diff(useful[order]) != 0), True)) + 1
    return order, kept, new[np.searchsorted(new, kept, side="right")]


def _whole(values: Floats) -> Ints:
    """Turn values into whole numbers, so that what differs by rounding is equal; infinite ones lie beyond all."""
    finite = np.isfinite(values)
    largest = float(np.abs(values[finite]).max(initial=0.0)) or 1.0
    scaled = np.where(finite, values, 0.0) * (DIGITS / largest)
    return np.rint(np.where(finite, scaled, np.copysign(2 * DIGITS, values))).astype(np.int64)


def vertices(utility: Floats, fairness: Floats) -> Ints:
    """Find the points of a front between which straight lines lie nowhere below it.

    >>> vertices(np.array([3.0, 2.0, 1.0, 0.0]), np.array([0.0, 1.0, 5.0, 6.0])).tolist()
    [0, 2, 3]
    """
    # The upper hull by one walk: a corner that does not rise above the line from the one before to the next goes again.
    kept: list[int] = []
    points = list(zip(utility.tolist(), fairness.tolist(), strict=True))
    for at, (low, high) in enumerate(points):
        while len(kept) > 1:
            (left, bottom), (x, y) = points[kept[-2]], points[kept[-1]]
            if (y - bottom) * (left - low) > (high - bottom) * (left - x):
                break
            kept.pop()
        kept.append(at)
    return np.array(kept, dtype=np.int64)


def point_at(front: Floats, alpha: float) -> tuple[float, float]:
    """Give the utility and fairness at the share ``alpha`` of the length of a front [2, vertex]; 0 and 1 are its ends.

    The front is a line from vertex to vertex, those of most utility first, measured with a ruler (Euclid, neither axis
    scaled). DPFR is the distance of a run to this point, so 0 is best.

    >>> line = np.array([[1.0, 1.0, 0.2], [0.0, 0.4, 1.0]])  # 0.4 long, then 1
    >>> [tuple(round(value, 6) for value in point_at(line, alpha)) for alpha in (0.0, 0.25, 0.5, 1.0)]
    [(1.0, 0.0), (1.0, 0.35), (0.76, 0.58), (0.2, 1.0)]
    """
    gone = np.append(0.0, np.cumsum(np.hypot(*np.diff(front, axis=1))))
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
