"""The spread of stances that a ranking shows late, and what it is over the orders of the same list.

Least and most are computed, not sampled: extremes.py proves that the most is exact, and says up to where the least is.
"""

from functools import lru_cache
from typing import Literal

import numpy as np

from fairtrec.data import Floats
from fairtrec.formulas import discount, extremes
from fairtrec.formulas.weighted_sums import weighted_sum

SpreadMean = Literal["prefix", "full"]
SAMPLED_FROM = 9  # the published program tries all orders of shorter lists
_DRAWN_TOGETHER = 4032


def weights(n: int, step: int) -> Floats:
    """Weigh prefixes of 1..n documents: 1 / log2(k) for k = 2, 2 + step, .. n - 1; 0 elsewhere.

    >>> weights(5, 2).round(6).tolist()
    [0.0, 1.0, 0.0, 0.5, 0.0]
    """
    k = np.arange(1, n + 1)
    return np.where((k % step == 2 % step) & (k < n), discount.log2_rank(n), 0.0)


def variances(stances: Floats, mean: SpreadMean) -> Floats:
    """Give the variance of the first 1, 2, .. documents of each list [list, rank], about their own mean or the list's.

    >>> variances(np.array([[1.0, 1.0, -2.0]]), "prefix").tolist(), variances(np.array([[1.0, -1.0]]), "full").tolist()
    ([[0.0, 0.0, 2.0]], [[1.0, 1.0]])
    """
    k = np.arange(1, stances.shape[1] + 1)
    centered = stances - stances.mean(axis=1, keepdims=True)
    squares = np.cumsum(np.square(centered), axis=1) / k
    drift = np.cumsum(centered, axis=1) / k if mean == "prefix" else 0.0
    return np.maximum(squares - drift * drift, 0.0)


def spread(stances: Floats, step: int, mean: SpreadMean) -> Floats:
    """Sum the variances of the prefixes of each list [list, rank], discounted.

    >>> spread(np.array([[1.0, -1.0, 1.0, -1.0]]), step=1, mean="prefix").round(6).tolist()
    [1.560826]
    """
    return weighted_sum(variances(stances, mean), weights(stances.shape[1], step))


def average_spread(stances: Floats, step: int, mean: SpreadMean) -> Floats:
    """Average the spread over all orders of each list, in closed form.

    The variance of k documents drawn from n, about their own mean, is S^2 (k - 1) / k on average, S^2 the unbiased
    variance of the list; about the list's mean it is the variance of the list.
    """
    n = stances.shape[1]
    each = 1 - 1 / np.arange(1, n + 1) if mean == "prefix" else np.ones(n)
    variance: Floats = stances.var(axis=1, ddof=1 if mean == "prefix" else 0)
    return np.asarray(variance * (weights(n, step) * each).sum())


def bound_spread(stances: Floats, step: int, mean: SpreadMean) -> Floats:
    """Give [bound, least, most] of the spread over all orders of each list [list, document].

    The bound is below every order; it is lower than the least where the least is not proved.
    """
    ordered = np.sort(stances, axis=1)
    if mean == "full":  # a sum of products: least and most in the two sorted orders (rearrangement inequality)
        squares = np.sort(np.square(ordered - ordered.mean(axis=1, keepdims=True)), axis=1)
        n = squares.shape[1]
        falling = np.cumsum((weights(n, step) / np.arange(1, n + 1))[::-1])[::-1]  # what a document at each rank adds
        least = weighted_sum(squares, falling)
        return np.stack([least, least, weighted_sum(squares[:, ::-1], falling)])
    return _ends(ordered.tobytes(), ordered.shape[1], step)


@lru_cache(maxsize=4)  # DUO, its note, SignedDUO and DUO_random look at the same lists
def _ends(ordered: bytes, n: int, step: int) -> Floats:
    stances = np.frombuffer(ordered).reshape(-1, n)
    by_length = weights(n, step)
    least, bound = extremes.least_spread(stances, by_length)
    return np.stack([bound, least, extremes.most_spread(stances, by_length)])


def bound_each(stances: Floats, step: int, mean: SpreadMean) -> Floats:
    """Give the same, and look at lists of the same documents once, as orders of one list are.

    >>> bound_each(np.array([[0.5, 0.0, -0.5], [0.0, 0.5, -0.5]]), 1, "prefix").tolist()
    [[0.0625, 0.0625], [0.0625, 0.0625], [0.25, 0.25]]
    """
    if len(stances) == 1:
        return bound_spread(stances, step, mean)
    ordered = np.sort(stances, axis=1)
    by = (ordered * np.sqrt(np.arange(2.0, 2 + ordered.shape[1]))).sum(axis=1)  # the same for the same documents
    first, place = np.unique(by, return_index=True, return_inverse=True)[1:]
    if len(first) == len(ordered) or not (ordered == ordered[first[place]]).all():
        return bound_spread(stances, step, mean)
    return bound_spread(ordered[first], step, mean)[:, place]


def sample_bounds(stances: Floats, step: int, mean: SpreadMean, *, n: int, seed: int) -> Floats:
    """Give [least, least, most] of the spread over ``n`` random orders of each list; all of a list that is short."""
    if stances.shape[1] < SAMPLED_FROM:
        return bound_spread(stances, step, mean)
    result = np.stack([np.full(len(stances), np.inf)] * 2 + [np.full(len(stances), -np.inf)])
    for row, ordered in enumerate(np.sort(stances, axis=1)):
        random = np.random.default_rng(seed)
        for begin in range(0, n, _DRAWN_TOGETHER):
            tried = np.tile(ordered, (min(_DRAWN_TOGETHER, n - begin), 1))
            values = spread(random.permuted(tried, axis=1), step, mean)
            result[:2, row] = np.minimum(result[:2, row], values.min())
            result[2, row] = max(result[2, row], values.max())
    return result
