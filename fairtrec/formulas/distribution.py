"""Shares of groups: from counts to distributions, and how far apart two of them are."""

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from fairtrec.data import Bools, Floats, Ints
from fairtrec.formulas.elementary import log, log_of_number
from fairtrec.formulas.rounding import NEAR

EXACT, ROUNDED = 1e-9, 1.001e-5  # by which a sum of shares may be off 1: as it is computed, and as it is written
FEW = 7  # numbers, whose sum does not depend on how they lie in memory


def exceeds_zero(divisor: Any, size: Any = None) -> Bools:
    """Tell where a divisor is above 0.

    The ``size`` of a divisor is the sum of the sizes of its terms. A caller whose terms have signs, or are subtracted,
    gives it: such a sum is 0 but for rounding if it is at most 1e-12 times its size.

    >>> exceeds_zero(np.array([1.0, 0.1 + 0.2 - 0.3, -1.0])).tolist()
    [True, True, False]
    >>> exceeds_zero(np.array([1.0, 0.1 + 0.2 - 0.3, -1.0]), size=0.6).tolist()
    [True, False, False]
    """
    return np.asarray(np.asarray(divisor) > (0 if size is None else NEAR * size))


def quotient(value: Any, divisor: Any, otherwise: Any = np.nan, *, size: Any = None) -> Floats:
    """Divide; give another number where the divisor is 0 or less, or nan.

    With its ``size``, a divisor that is 0 but for rounding counts as 0: see ``exceeds_zero``.

    >>> quotient(np.array([1.0, 1.0]), np.array([2, 0])).tolist()
    [0.5, nan]
    >>> quotient(1.0, 0.1 + 0.2 - 0.3, size=0.6).item()
    nan
    """
    shape = np.broadcast_shapes(np.shape(value), np.shape(divisor))
    out = np.empty_like(value, np.float64) if np.shape(value) == shape else np.empty(shape)  # as it lies in memory
    out[...] = otherwise
    return np.asarray(np.divide(value, divisor, out=out, where=exceeds_zero(divisor, size)))


def divide_sums(rows: Floats) -> Floats:
    """Divide the first of two sums by the second [row, 2], which is of terms that are 0 or more; nan where it is 0."""
    return quotient(rows[:, 0], rows[:, 1])


def sums_to_one(p: Floats) -> bool:
    """Tell whether these are shares of a whole, but for rounding in the fifth place.

    >>> sums_to_one(np.array([0.4, 0.6])), sums_to_one(np.array([1 / 3, 0.33333, 0.33333]))
    (True, True)
    >>> sums_to_one(np.array([1.2, -0.2])), sums_to_one(np.array([0.4, 0.5999]))
    (False, False)
    """
    return bool(np.all(p >= 0) and abs(p.sum() - 1) <= ROUNDED)


def normalize_rounded(p: Floats) -> Floats:
    """Divide shares that were rounded by their sum; those that sum to 1 stay as they are.

    >>> normalize_rounded(np.array([0.333333, 0.333333, 0.333333])).tolist() == [1 / 3] * 3
    True
    """
    return p if abs(p.sum() - 1) < EXACT else p / p.sum()


def mix_shares(documents: Floats, given: Floats, factor: float, unlabeled: int | None = None) -> Floats:
    """Mix shares [query, group] of documents, with that factor, and such as are given.

    Nobody gives a share to the group of ``unlabeled`` documents, if there is one: it keeps what documents give it, and
    the rest is spread over the others.

    >>> mix_shares(np.array([[0.5, 0.25, 0.25]]), np.array([0.0, 0.5, 0.5]), 0.5, unlabeled=0).tolist()
    [[0.5, 0.25, 0.25]]
    """
    if unlabeled is None:
        return factor * documents + (1 - factor) * given
    nobody = documents[:, unlabeled]
    value: Floats = factor * documents + (1 - factor) * (1 - nobody)[:, None] * given
    value[:, unlabeled] = nobody
    return value


def shares(amounts: Floats) -> Floats:
    """Divide the amounts [..., group] by their sum; nan where there is nothing to divide.

    >>> shares(np.array([[6.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.4], [nan, nan]]
    """
    return quotient(amounts, add_groups(amounts)[..., None])


def add_groups(amounts: Floats) -> Floats:
    """Add the amounts [..., group] of all groups, in the order in which ``sum`` adds so few, but column by column.

    >>> add_groups(np.array([[6.0, 4.0], [0.0, 0.5]])).tolist()
    [10.0, 0.5]
    """
    if not 0 < amounts.shape[-1] <= FEW:
        return np.asarray(amounts.sum(axis=-1))
    return np.asarray(reduce(np.add, [amounts[..., group] for group in range(amounts.shape[-1])]))


def _find_any(flags: Bools) -> Bools:
    """Tell where any of the flags [..., group] is set."""
    if not 0 < flags.shape[-1] <= FEW:
        return np.asarray(flags.any(axis=-1))
    return np.asarray(reduce(np.logical_or, [flags[..., group] for group in range(flags.shape[-1])]))


def distance(p: Floats, q: Floats) -> Floats:
    """Sum the absolute differences of two distributions [..., group]: twice their total variation, in [0, 2].

    >>> distance(np.array([0.6, 0.4]), np.array([0.5, 0.5])).round(6).item()
    0.2
    """
    difference = np.asarray(p - q)
    return add_groups(np.abs(difference, out=difference))


def prefix_shares(membership: Floats) -> Floats:
    """Give the groups' shares among the first 1, 2, ... documents of ``membership`` [query, rank, group].

    A document counts in every group that it belongs to; a row of nan (no document, or one of unknown group) and a
    row of zeros count in none. The shares are nan as long as nothing has been counted.

    >>> prefix_shares(np.array([[[np.nan, np.nan], [1, 0], [0, 0], [0, 1]]])).tolist()
    [[[nan, nan], [1.0, 0.0], [1.0, 0.0], [0.5, 0.5]]]
    """
    return shares(np.cumsum(np.nan_to_num(membership), axis=1))


def kl(p: Floats, q: Floats) -> Floats:
    """Give the Kullback-Leibler divergence of ``p`` from ``q`` [..., group], in nats; 0 ln 0 is 0.

    It is infinite where p has a group that q has not, and nan where either holds a nan.

    >>> kl(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([0.5, 0.5])).round(6).tolist()
    [0.693147, 0.0]
    """
    p, q = np.broadcast_arrays(p, q)
    positive = p > 0
    both = positive & (q > 0)
    whole = both.all()
    with np.errstate(all="ignore"):  # of what is not in both
        ratio = p / q
    if not whole:
        np.copyto(ratio, 1.0, where=~both)
    parts = log(ratio)
    parts *= p
    total: Floats = np.maximum(add_groups(parts), 0.0)  # rounding may fall below 0
    if whole:  # nothing is infinite or nan
        return total
    infinite = positive & (q == 0)
    if infinite.any():
        total = np.where(_find_any(infinite), np.inf, total)
    unknown = np.isnan(p) | np.isnan(q)
    return np.where(_find_any(unknown), np.nan, total) if unknown.any() else total


def jensen_shannon(p: Floats, q: Floats, base: float = 2.0) -> Floats:
    """Give the Jensen-Shannon divergence of two distributions [..., group]: [0, 1] to base 2, [0, ln 2] to base e.

    >>> jensen_shannon(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([0.0, 1.0])).round(6).tolist()
    [1.0, 0.311278]
    """
    middle = (p + q) / 2
    if not np.isfinite(middle.sum()):  # something is unknown
        return np.asarray((kl(p, middle) + kl(q, middle)) / (2 * log_of_number(base)))
    both = np.empty((2, *middle.shape))  # the two divergences at once, each as kl has it
    both[0], both[1] = p, q
    with np.errstate(all="ignore"):  # of what neither has
        ratio = both / middle
    there = both > 0
    if not there.all():
        np.copyto(ratio, 1.0, where=~there)
    parts = log(ratio)
    parts *= both
    first, second = np.maximum(add_groups(parts), 0.0)
    return np.asarray((first + second) / (2 * log_of_number(base)))


def match_distance(p: Floats, q: Floats) -> Floats:
    """Give the normalized match distance of two distributions over ordered groups [..., group], in [0, 1].

    >>> match_distance(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])).item()
    0.5
    """
    return np.asarray(np.abs(np.cumsum(p - q, axis=-1)).sum(axis=-1) / (p.shape[-1] - 1))


def order_aware(p: Floats, q: Floats) -> Floats:
    """Give the root normalized order-aware divergence of p from q over ordered groups [..., group], in [0, 1].

    >>> order_aware(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])).round(6).item()
    0.707107
    """
    place = np.arange(p.shape[-1])
    away = np.abs(place[:, None] - place)
    each = (np.square(p - q)[..., None, :] * away).sum(axis=-1)  # DW of each group
    wanted = q > 0
    mean = np.where(wanted, each, 0.0).sum(axis=-1) / np.maximum(wanted.sum(axis=-1), 1)
    return np.asarray(np.sqrt(mean / (p.shape[-1] - 1)))


SYMMETRIC = "jsd"  # the one of these that needs no order of the groups
DIVERGENCES: dict[str, Callable[[Floats, Floats], Floats]] = {  # in [0, 1], by name
    SYMMETRIC: jensen_shannon, "nmd": match_distance, "rnod": order_aware,
}  # fmt: skip


def order_groups(of_groups: Floats, order: Ints | None) -> Floats:
    """Turn the last axis [..., group] from the least group to the greatest; as it is where groups have no order.

    >>> order_groups(np.array([0.1, 0.2, 0.7]), np.array([2, 0, 1])).tolist()
    [0.7, 0.1, 0.2]
    """
    return of_groups if order is None or not len(order) else of_groups[..., order]


def closeness(divergence: Floats) -> Floats:
    """Turn a divergence into a factor in [0, 1]: 1 / (1 + divergence); 0 where it is infinite or nan.

    >>> closeness(np.array([0.0, 1.0, np.inf, np.nan])).tolist()
    [1.0, 0.5, 0.0, 0.0]
    """
    return np.nan_to_num(1 / (1 + divergence), nan=0.0)
