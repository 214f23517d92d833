"""Shares of groups: from counts to distributions, and how far apart two of them are."""

import numpy as np

from fairtrec.data import Floats


def even(groups: int) -> Floats:
    """Give each group the same share.

    >>> even(2).tolist()
    [0.5, 0.5]
    """
    return np.full(groups, 1 / groups)


def shares(amounts: Floats) -> Floats:
    """Divide the amounts [..., group] by their sum; nan where there is nothing to divide.

    >>> shares(np.array([[6.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.4], [nan, nan]]
    """
    total = amounts.sum(axis=-1, keepdims=True)
    return np.divide(amounts, total, out=np.full(amounts.shape, np.nan), where=total > 0)


def distance(p: Floats, q: Floats) -> Floats:
    """Sum the absolute differences of two distributions [..., group]: twice their total variation, in [0, 2].

    >>> distance(np.array([0.6, 0.4]), even(2)).round(6).item()
    0.2
    """
    total: Floats = np.abs(p - q).sum(axis=-1)
    return total
