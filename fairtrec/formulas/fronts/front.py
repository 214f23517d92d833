"""A front: the orders of one query of which no other has more utility and as much fairness, or the other way round."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from fairtrec.data import Floats, Ints

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
        """Keep those orders of which no other has more of both; with ``ends`` there may be others than these."""
        kept = undominated(np.zeros(len(utility), dtype=np.int64), utility, fairness)
        return cls(utility[kept], fairness[kept], tops[kept], ends is None, ends)

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
    if not len(group):
        return np.zeros(0, dtype=np.int64)
    fair = _whole(fairness)
    order = np.lexsort((-fair, -_whole(utility), group))
    sorted_group, height = group[order], fair[order] - int(fair.min())
    number = np.cumsum(np.diff(sorted_group, prepend=sorted_group[0]) != 0)
    height += number * (int(height.max()) + 1)
    highest = np.maximum.accumulate(height)
    kept = np.append(True, height[1:] > highest[:-1])
    return np.asarray(order[kept], dtype=np.int64)


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
