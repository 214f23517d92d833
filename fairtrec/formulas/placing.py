"""The most that a ranking can earn, where what a rank earns depends on how many of each kind of document came before.

Documents of one kind stand for each other, so an order is a path over how many of each kind have been placed. Of all
paths to the same numbers only the best is followed: a dynamic programme, exact.
"""

from collections.abc import Callable

import numpy as np

from fairtrec.data import Floats, Ints

MOST = 1_000_000  # states; of more, the most is not worth its time


def states(supply: Ints, ranks: int) -> int:
    """Count the numbers of each kind that up to ``ranks`` documents can have; beyond MOST, some number above it.

    ``supply`` [kind] says how many documents of each kind there are.

    >>> states(np.array([2, 1]), 2)  # none; one of either; two of the first, or one of each
    5
    """
    ways = np.ones(1)
    for each in np.minimum(supply, ranks):
        ways = np.convolve(ways, np.ones(int(each) + 1))[: ranks + 1]
        if ways.sum() > MOST:
            break
    return int(ways.sum())


def most_earned(supply: Ints, ranks: int, earned: Callable[[Floats, int], Floats]) -> float:
    """Give the most that any order of the documents earns at its first ``ranks`` ranks.

    ``earned`` takes how many of each kind have been placed [state, kind] and the number of ranks above, and says what
    the next document earns [state, kind], 0 or more. All orders are as long as can be.

    >>> round(most_earned(np.array([1, 1]), 2, lambda placed, above: placed[:, ::-1] + 0.1), 9)
    1.2
    """
    placed, best = np.zeros((1, len(supply)), np.int32), np.zeros(1)
    for above in range(min(ranks, int(supply.sum()))):
        state, kind = np.nonzero(placed < supply)
        total = best[state] + earned(placed.astype(np.float64), above)[state, kind]
        after = placed[state]
        after[np.arange(len(kind)), kind] += 1
        numbers = after.view(f"S{after.itemsize * after.shape[1]}")[:, 0]  # a row as one value, by its bytes
        _, first, of = np.unique(numbers, return_index=True, return_inverse=True)
        placed, best = after[first], np.zeros(len(first))
        np.maximum.at(best, of, total)
    return float(best.max())
