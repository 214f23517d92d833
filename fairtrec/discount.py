"""Position bias: how much a rank counts. Ranks count from 1; each function gives the weights of ranks 1..n."""

import numpy as np

from fairtrec.data import Floats


def log2(n: int) -> Floats:
    """Discount as DCG does, by the logarithm of the rank plus 1.

    >>> log2(3).round(6).tolist()
    [1.0, 0.63093, 0.5]
    """
    return 1 / np.log2(np.arange(2, n + 2))


def rank_averages(n: int) -> Floats:
    """Weigh rank i so that the weighted sum is the mean over x = 1..n of the mean of the first x values.

    >>> rank_averages(2).tolist()
    [0.75, 0.25]
    """
    return np.cumsum(1 / np.arange(n, 0, -1))[::-1] / max(n, 1)
