"""The ends and the mean of a sum over prefixes, over all orders of documents of a few kinds, each as likely.

What a rank adds depends only on how many documents of each kind are above it and on the kind that stands there. In a
random order these numbers are hypergeometric: from each state the next document is of a kind as likely as there are
documents of that kind among those that are left. So one pass over the states, rank by rank, gives the least sum, the
greatest and the mean, exactly.
"""

from typing import NamedTuple

import numpy as np

from fairtrec.data import Floats, Ints
from fairtrec.formulas.sequences import Earned, number_rows


class Reach(NamedTuple):
    """The least, the greatest and the mean value over orders; nan if no order has one."""

    least: float
    greatest: float
    expected: float


def average_paths(supply: Ints, ranks: int, earned: Earned) -> Reach:
    """Go through the numbers of placed documents; ``supply`` [kind] are all documents, of which ``ranks`` are placed.

    An order with a step that earns nan is left out. Infinite steps count.

    >>> first_kind = lambda placed, above: np.array([[1.0, 0.0]]) + 0 * placed
    >>> average_paths(np.array([1, 2]), 2, first_kind)
    Reach(least=0.0, greatest=1.0, expected=0.6666666666666666)
    """
    every = int(supply.sum())
    placed = np.zeros((1, len(supply)), dtype=np.int64)
    likely: Floats = np.ones(1)
    low, high, total = np.zeros((3, 1))
    with np.errstate(invalid="ignore"):  # the sum of both infinities is undefined
        for above in range(ranks):
            added = earned(placed.astype(np.float64), above)
            state, kind = np.nonzero(placed < supply)
            number, gain = placed[state, kind], added[state, kind]
            chance = (supply[kind] - number) / (every - above)
            after = placed[state]
            after[np.arange(len(kind)), kind] += 1
            first, to = number_rows(after)
            there, states = ~np.isnan(gain), len(first)
            chance = np.where(there, chance, 0.0)
            part = np.where(there & (likely[state] > 0), chance * (total[state] + likely[state] * gain), 0.0)
            least, greatest = np.full((2, states), np.nan)
            np.fmin.at(least, to, low[state] + gain)
            np.fmax.at(greatest, to, high[state] + gain)
            likely = np.asarray(np.bincount(to, chance * likely[state], states))
            low, high, placed = least, greatest, after[first]
            total = np.asarray(np.bincount(to, part, states))
        whole = float(likely.sum())
        expected = float(total.sum()) / whole if whole > 0 else np.nan
        return Reach(float(np.fmin.reduce(low)), float(np.fmax.reduce(high)), expected)
