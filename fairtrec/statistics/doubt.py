"""The one rule of ``?``: too few values decide a number to trust its interval, its p-value, or its verdict.

A mean is *decided* by the values that differ from the most frequent one, a ratio of sums by the queries that carry most
of its weight. If fewer than ten decide, an interval covers less than it says; docs/intervals.md has the shares.
"""

import numpy as np

from fairtrec.data import Floats
from fairtrec.formulas.rounding import merge_ties

DECIDING = 10  # values; with fewer, a 95 % interval of a mean covers the truth in 58 to 89 of 100 draws


def is_doubtful(*deciding: float) -> bool:
    """Return whether a number gets ``?``: of the counts of values that decide it, one is below ten, or is nan.

    >>> is_doubtful(9), is_doubtful(10), is_doubtful(40, 9.7)
    (True, False, True)
    """
    return not all(number >= DECIDING for number in deciding)


def count_differing(values: Floats) -> int:
    """Count the values that differ from the most frequent of them.

    >>> count_differing(np.array([1.0, 0.1 + 0.2, 1.0, 0.3]))
    2
    """
    return len(values) - int(np.unique(merge_ties(values), return_counts=True)[1].max(initial=0))


def count_effective(weights: Floats) -> float:
    """Compute how many equal weights carry as much as these: (sum w)^2 / sum w^2 (Kish, 1965). 0 if all are 0.

    >>> count_effective(np.array([1.0, 1.0, 0.0])), count_effective(np.array([3.0, 1.0]))
    (2.0, 1.6)
    """
    squares = float(np.square(weights).sum())
    total = float(weights.sum())
    return total * total / squares if squares else 0.0
