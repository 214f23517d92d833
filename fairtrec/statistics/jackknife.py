"""The jackknife: how far a number moves if one query is left out, and the interval that follows.

For a number z of n queries, with z_i the same number without query i:

    se^2 = (n - 1) / n sum (z_i - mean of z_i)^2,   z -+ t(n - 1) se

``z`` is on a scale without ends, on which its error hardly depends on its size: atanh of a correlation, the logarithm
of a ratio. Each ``leave_out`` function computes all n numbers at once. Signs, ranks and counts are exact.

Sources: Tukey: Bias and confidence in not quite large samples. Annals of Mathematical Statistics 1958.
https://doi.org/10.1214/aoms/1177706647
Efron, Stein: The jackknife estimate of variance. Annals of Statistics 1981. https://doi.org/10.1214/aos/1176345462
"""

from math import nan, sqrt

import numpy as np

from fairtrec.data import Floats, Ints
from fairtrec.statistics.student import critical_t

SMALL = 1e-3  # of a sum of squares; if one query leaves less, the difference has lost digits


def find_reach(without: Floats, confidence: float) -> float:
    """Return how far the interval of a number reaches to either side, from the numbers ``without`` each query.

    nan if one of these is not finite, or for fewer than two.

    >>> round(find_reach(np.array([1.0, 2.0, 3.0]), 0.95), 4)
    4.9683
    """
    queries = len(without)
    if queries < 2 or not np.isfinite(without).all():
        return nan
    squares = float(np.square(without - without.mean()).sum())
    return critical_t(queries - 1, (1 - confidence) / 2) * sqrt((queries - 1) / queries * squares)


def pearson(x: Floats, y: Floats) -> float:
    """Compute Pearson's r of two columns; nan if one is constant.

    >>> round(pearson(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])), 12)
    0.5
    """
    x, y = _center(x), _center(y)
    squares = np.square(x).sum() * np.square(y).sum()
    return min(max(float((x * y).sum() / np.sqrt(squares)), -1.0), 1.0) if squares else nan


def leave_out_pearson(x: Floats, y: Floats) -> Floats:
    """Compute Pearson's r without each of the pairs; nan if a side is constant then.

    >>> leave_out_pearson(np.array([1.0, 2.0, 4.0]), np.array([3.0, 1.0, 2.0])).round(12).tolist()
    [1.0, -1.0, -1.0]
    """
    of_x, of_y = _center(x), _center(y)
    more = len(x) / (len(x) - 1)
    products = (of_x * of_y).sum() - more * of_x * of_y
    squares = [(total := np.square(each).sum(), total - more * np.square(each)) for each in (of_x, of_y)]
    is_lost = np.any([left < SMALL * total for total, left in squares], axis=0)  # one pair of each side at most
    (_, first), (_, second) = squares
    found = np.empty(len(x))
    found[~is_lost] = products[~is_lost] / np.sqrt(first[~is_lost] * second[~is_lost])
    for pair in np.flatnonzero(is_lost).tolist():
        found[pair] = pearson(np.delete(x, pair), np.delete(y, pair))
    return found.clip(-1.0, 1.0)


def leave_out_spearman(x: Floats, y: Floats) -> Floats:
    """Compute Spearman's rho without each of the pairs, the others ranked anew; nan if a side is constant then.

    >>> leave_out_spearman(np.array([1.0, 2.0, 4.0]), np.array([3.0, 1.0, 2.0])).tolist()
    [1.0, -1.0, -1.0]
    """
    first, second = _code(x), _code(y)
    ones = np.ones(len(x))
    of_x, of_y = -_sum_signs(first, ones) / 2, -_sum_signs(second, ones) / 2  # ranks less their mean

    def leave_out(one: Ints, other: Ints, of_one: Floats, of_other: Floats, agreeing: Ints) -> Floats:
        """Sum the products of the ranks of all others, each less its mean: pair i moves a rank by half a sign."""
        moved = _sum_signs(one, of_other) + _sum_signs(other, of_one)
        return np.asarray((of_one * of_other).sum() - of_one * of_other - moved / 2 + agreeing / 4)

    products = leave_out(first, second, of_x, of_y, count_agreeing(first, second))
    squares = [
        leave_out(each, each, of_each, of_each, _count_apart(each)) for each, of_each in ((first, of_x), (second, of_y))
    ]
    return _divide(products, *squares)


def leave_out_kendall(x: Floats, y: Floats) -> Floats:
    """Compute Kendall's tau-b without each of the pairs; nan if a side is constant then.

    >>> leave_out_kendall(np.array([1.0, 2.0, 4.0]), np.array([3.0, 1.0, 2.0])).tolist()
    [1.0, -1.0, -1.0]
    """
    first, second = _code(x), _code(y)
    agreeing = count_agreeing(first, second)
    apart = [_count_apart(each) for each in (first, second)]
    left = [(each.sum() / 2 - each).astype(np.float64) for each in (agreeing, *apart)]
    return _divide(*left)


def count_agreeing(x: Ints, y: Ints) -> Ints:
    """Count for each pair the others that it agrees with in order, less those that it disagrees with.

    ``x`` and ``y`` are whole numbers from 0. A tie in either neither agrees nor disagrees.

    >>> count_agreeing(np.array([0, 1, 2]), np.array([2, 0, 1])).tolist()
    [-2, 0, 0]
    """
    both = _code(x * (int(y.max(initial=0)) + 1) + y)
    apart = _count_apart(x) + _count_apart(y) - _count_apart(both)  # in both orders
    agreeing = _count_below(x, y) + _count_below(x.max(initial=0) - x, y.max(initial=0) - y)
    return np.asarray(2 * agreeing - apart)


def _count_below(x: Ints, y: Ints) -> Ints:
    """Count for each pair the others that are lower in both, bit by bit of ``y``.

    Pairs are ordered by x. Of two with the same first bits of y, the one with the next bit is higher.
    """
    order = np.lexsort((-y, x))  # of ties in x the higher y first, so that none is counted
    codes = y[order]
    found = np.zeros(len(x), dtype=np.int64)
    for bit in reversed(range(int(y.max(initial=0)).bit_length())):
        prefix, is_one = codes >> (bit + 1), (codes >> bit & 1).astype(np.bool_)
        zeros = np.concatenate([[0], np.cumsum(~is_one)])
        below = zeros[:-1] - zeros[np.searchsorted(prefix, prefix)]
        found[order[is_one]] += below[is_one]
        again = np.argsort(codes >> bit, kind="stable")
        order, codes = order[again], codes[again]
    return found


def _center(values: Floats) -> Floats:
    """Subtract the mean, and divide by the largest size, because squares of tiny values would be 0."""
    values = values - values.mean()
    largest = np.abs(values).max()
    return np.asarray(values / largest if largest else values)


def _code(values: Floats | Ints) -> Ints:
    """Number the values from the lowest, from 0; ties share a number."""
    return np.asarray(np.unique(values, return_inverse=True)[1], dtype=np.int64)


def _count_apart(codes: Ints) -> Ints:
    """Count for each pair the others with another number."""
    return np.asarray(len(codes) - np.bincount(codes)[codes])


def _sum_signs(codes: Ints, weights: Floats) -> Floats:
    """Sum for each pair the weights of those with a higher number, less those with a lower one."""
    of_code = np.bincount(codes, weights)
    to_here = np.cumsum(of_code)
    return np.asarray((to_here[-1] - to_here - (to_here - of_code))[codes])


def _divide(products: Floats, first: Floats, second: Floats) -> Floats:
    """Divide by the roots of both; nan where one is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.where((first > 0) & (second > 0), products / np.sqrt(first * second), nan)
    return np.asarray(found.clip(-1.0, 1.0))
