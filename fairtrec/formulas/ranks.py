"""What stands at the ranks of each row [query, rank], brought together; nan is a rank that holds nothing."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from weakref import ref

import numpy as np

from fairtrec.data import Floats, Ints
from fairtrec.formulas import discount
from fairtrec.formulas.distribution import quotient
from fairtrec.formulas.weighted_sums import weighted_sum

Remembered = TypeVar("Remembered")
OfRanks = TypeVar("OfRanks", bound=Any)


def cache_by_array(function: Callable[..., Remembered]) -> Callable[..., Remembered]:
    """Keep what a function gives for an array that cannot change, as long as it is asked for the same.

    A measure of one group that stands for all of them asks the same for each group.

    >>> asked = []
    >>> counted = cache_by_array(lambda values: asked.append(1) or values.sum())
    >>> values = np.ones(3)
    >>> values.flags.writeable = False
    >>> counted(values) + counted(values), len(asked)
    (np.float64(6.0), 1)
    """
    last: tuple[Any, Any, Remembered] | None = None

    @wraps(function)
    def kept(values: np.ndarray[Any, Any], *more: Any) -> Remembered:
        nonlocal last
        if values.flags.writeable:
            return function(values, *more)
        found = last
        if found is None or found[0]() is not values or not all(map(_same, found[1], more)):
            last = found = ref(values), more, function(values, *more)
        return found[2]

    return kept


def cache_by_rank(function: Callable[..., OfRanks]) -> Callable[..., OfRanks]:
    """Keep what a function gives for each rank of an array [query, rank, ...] that cannot change, for its first ranks.

    Measures at several cutoffs ask for the first ranks of one array, the deepest measure first.

    >>> asked = []
    >>> doubled = cache_by_rank(lambda values: asked.append(1) or 2 * values)
    >>> values = np.array([[0.0, 1.0, 2.0, 3.0]])
    >>> values.flags.writeable = False
    >>> doubled(values[:, :3]).tolist(), doubled(values[:, :2]).tolist(), len(asked)
    ([[0.0, 2.0, 4.0]], [[0.0, 2.0]], 1)
    """
    last: tuple[Any, Any, Any, OfRanks] | None = None

    @wraps(function)
    def kept(values: Floats, *more: Any) -> OfRanks:
        nonlocal last
        whole = values if values.base is None else values.base
        if values.flags.writeable or not isinstance(whole, np.ndarray) or whole.flags.writeable:
            return function(values, *more)
        found, place = last, _place_of(values)
        is_known = found is not None and found[0]() is whole and all(map(_same, found[1], more))
        if found is None or not is_known or not _begins(place, found[2]):
            last = found = ref(whole), more, place, function(values, *more)
        first: OfRanks = found[3][:, : values.shape[1]]
        return first

    return kept


def starts(first: Any, whole: Any) -> bool:
    """Tell whether an array [query, rank, ...] is the first ranks of another, in the same memory.

    >>> values = np.zeros((2, 4))
    >>> starts(values[:, :3], values), starts(values[:, 1:], values)
    (True, False)
    """
    return _begins(_place_of(first), _place_of(whole))


def _place_of(values: Any) -> tuple[int, Any]:
    queries, ranks, *more = values.shape
    return ranks, (values.__array_interface__["data"], values.strides, values.dtype, queries, more)


def _begins(first: tuple[int, Any], whole: tuple[int, Any]) -> bool:
    return first[0] <= whole[0] and first[1] == whole[1]


def _same(one: Any, other: Any) -> bool:
    return one is other or (not isinstance(one, np.ndarray) and bool(one == other))


def close_up(values: Floats) -> Floats:
    """Move what there is in each row to its front, in the same order.

    >>> close_up(np.array([[np.nan, 1.0, np.nan, 0.5]])).tolist()
    [[1.0, 0.5, nan, nan]]
    """
    return np.take_along_axis(values, np.argsort(np.isnan(values), axis=1, kind="stable"), axis=1)


def total(values: Floats) -> Floats:
    """Sum each row [query, rank] or [query, rank, group] from the first rank on; 0 if it has no ranks.

    >>> total(np.array([[1.0, 0.5], [0.25, 0.0]])).tolist()
    [1.5, 0.25]
    """
    return weighted_sum(values, np.ones(values.shape[1]))


def mean(values: Floats) -> Floats:
    """Average each row; nan where it holds nothing.

    >>> mean(np.array([[1.0, np.nan, -0.5], [np.nan] * 3])).tolist()
    [0.25, nan]
    """
    return quotient(total(np.nan_to_num(values)), (~np.isnan(values)).sum(axis=1))


def mean_of_means(values: Floats) -> Floats:
    """Average, over x = 1..length, the mean of the first x of each row, which is closed up; nan where it is empty.

    >>> mean_of_means(np.array([[2.0, 0.0], [1.0, np.nan], [np.nan] * 2])).tolist()
    [1.5, 1.0, nan]
    """
    lengths = (~np.isnan(values)).sum(axis=1)
    value = weighted_sum(np.nan_to_num(values), averages(lengths, values.shape[1]))
    return np.where(lengths > 0, value, np.nan)


def averages(lengths: Ints, ranks: int) -> Floats:
    """Weigh ranks 1..length [query, rank] so that the weighted sum of a row is the mean of its running means.

    >>> averages(np.array([2, 1]), 2).tolist()
    [[0.75, 0.25], [1.0, 0.0]]
    """
    distinct, row = np.unique(lengths, return_inverse=True)
    weights = np.zeros((len(distinct), ranks))  # a row for each length that occurs
    for each, length in zip(weights, distinct.tolist(), strict=True):
        each[:length] = discount.rank_averages(length)
    return np.asarray(weights[row])


def gains(grades: Floats) -> Floats:
    """Let a grade below 0, and none, count 0."""
    return np.maximum(np.nan_to_num(grades), 0.0)


def ideal(worth: Floats, weights: Floats) -> Floats:
    """Sum the best of each row of ``worth`` [query, n], sorted by falling worth and weighed by the ranks 1, 2, ..

    >>> ideal(np.array([[0.0, 1.0, 3.0]]), np.array([1.0, 0.5])).tolist()
    [3.5]
    """
    best = -np.sort(-worth, axis=1)[:, : len(weights)]
    return weighted_sum(best, weights)


def share_weights(grades: Floats, weights: Floats) -> Floats:
    """Give each document [query, n] what it gets on average where higher grades stand first; 0 where its grade is nan.

    ``weights`` [n] are those of the ranks; documents of one grade share those of its ranks.

    >>> share_weights(np.array([[1.0, np.nan, 2.0, 1.0]]), np.array([1.0, 0.5, 0.25, 0.1])).tolist()
    [[0.375, 0.0, 1.0, 0.375]]
    """
    order = np.argsort(-grades, axis=1, kind="stable")
    falling = np.take_along_axis(grades, order, axis=1)
    first = np.ones(grades.shape, dtype=np.bool_)
    first[:, 1:] = falling[:, 1:] != falling[:, :-1]
    block = np.cumsum(first).reshape(grades.shape) - 1
    sums = np.bincount(block.ravel(), np.broadcast_to(weights, grades.shape).ravel())
    means = np.where(np.isnan(falling), 0.0, (sums / np.maximum(np.bincount(block.ravel()), 1))[block])
    value = np.empty(grades.shape)
    np.put_along_axis(value, order, means, axis=1)
    return value
