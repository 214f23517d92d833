"""Weighted sums with the same bits on every machine, and for every width of the array that they stand in.

Matrix products (``@``) add in an order that depends on the CPU and on the shape of the array. ``weighted_sum`` rounds
each product and adds rank by rank from the first, so ranks that hold 0 change nothing, and the sum down to a cutoff is
the same in a longer ranking. ``multiply_counts`` keeps the speed of a matrix product where all sums can be exact.
"""

import numpy as np

from fairtrec.data import Bools, Floats, Ints
from fairtrec.support.compiled import extension

BITS = 53  # of a double
TOGETHER = 1 << 16  # products that fit the cache


def weighted_sum(values: Floats | Bools | Ints, weights: Floats) -> Floats:
    """Sum ``values`` [row, rank] or [row, rank, column] times ``weights`` [rank] or [row, rank] over the ranks.

    The result is [row] or [row, column]. Ranks behind the last of ``values`` are not read.

    >>> weighted_sum(np.array([[1.0, 2.0], [0.0, 4.0]]), np.array([1.0, 0.5, 0.25])).tolist()
    [2.0, 2.0]
    >>> weighted_sum(np.array([[[1.0, 0.0], [0.0, 1.0]]]), np.array([[1.0, 0.5]])).tolist()
    [[1.0, 0.5]]
    """
    values = np.ascontiguousarray(values, dtype=np.float64)
    rows, ranks, *columns = values.shape
    weights = np.ascontiguousarray(weights[..., :ranks], dtype=np.float64)
    if weights.ndim == 2 and len(weights) != rows:
        weights = np.ascontiguousarray(np.broadcast_to(weights, (rows, ranks)))
    if not values.size:
        return np.zeros((rows, *columns))
    if extension is not None:
        out = np.empty((rows, *columns))
        extension.weighted_sums(values, weights, out, rows, ranks, columns[0] if columns else 1)
        return out
    several = max(1, TOGETHER // (values.size // rows))
    parts = []
    for start in range(0, rows, several):
        part = values[start : start + several]
        weight = weights if weights.ndim == 1 else weights[start : start + several]
        with np.errstate(invalid="ignore", over="ignore"):  # as in the compiled loop
            products = part * (weight[..., None] if columns else weight)
            sums = np.cumsum(products, axis=1)[:, -1]
        parts.append(sums + 0.0)  # -0.0 is 0, as in a sum that begins with 0
    return np.concatenate(parts)


def weigh(values: Floats | Bools | Ints, weights: Floats) -> float:
    """Sum ``values`` [rank] times ``weights`` [rank], rank by rank from the first.

    >>> weigh(np.array([1.0, 2.0]), np.array([1.0, 0.5]))
    2.0
    """
    return float(weighted_sum(np.asarray(values, dtype=np.float64)[None], weights)[0])


def multiply_few(first: Floats, second: Floats) -> Floats:
    """Multiply matrices ``first`` [row, item] and ``second`` [item, column] of few items, which are added in order.

    >>> multiply_few(np.array([[1.0, 2.0]]), np.array([[0.5], [0.25]])).tolist()
    [[1.0]]
    """
    total = np.zeros((len(first), second.shape[1]))
    for column, row in zip(first.T, second, strict=True):
        total += column[:, None] * row
    return total


def multiply_counts(counts: Ints | Bools | Floats, values: Floats | Bools) -> Floats:
    """Multiply ``counts`` [..., row, item], whole numbers, and ``values`` [..., item, column] -> [..., row, column].

    Each value is split into parts of so few bits that every sum of products is exact, whatever its order; the sums of
    the parts are added at the end. The error is below 2^-52 of the sum of absolute products. A column with nan or an
    infinite value has nan.

    >>> multiply_counts(np.array([[1, -1, 3]]), np.array([[0.5], [0.25], [1.0]])).tolist()
    [[3.25]]
    """
    values = np.asarray(values, dtype=np.float64)
    if not counts.size or not values.size:
        return np.asarray(counts @ values, dtype=np.float64)
    most = 1 if counts.dtype == np.bool_ else max(int(np.abs(counts).max()), 1)
    counts = np.asarray(counts, dtype=np.float64)
    columns = values.shape[-1]
    both = np.concatenate(split_for_counts(values, most), axis=-1)
    if counts.ndim == 3 and len(counts) == 1:  # the same for all: one product of two matrices
        flat = np.moveaxis(both, -2, 0)
        together = counts[0] @ flat.reshape(len(flat), -1)  # exact: few bits
        products = np.moveaxis(together.reshape(-1, *flat.shape[1:]), 0, -2)
    else:
        products = counts @ both  # exact: few bits
    return np.asarray(products[..., :columns] + products[..., columns:])


def split_for_counts(values: Floats, most: int) -> tuple[Floats, Floats]:
    """Split ``values`` [..., item, column] into two parts whose products with counts up to ``most`` have exact sums.

    The parts add up to the values, except for digits below 2^-85 or so of the largest of a column. A column with nan or
    an infinite value is nan in the first part.

    >>> [part.tolist() for part in split_for_counts(np.array([[0.5], [0.25]]), 3)]
    [[[0.5], [0.25]], [[0.0], [0.0]]]
    """
    kept = BITS - 1 - int(np.frexp(float(most * values.shape[-2]))[1])
    largest = np.abs(values).max(axis=-2, keepdims=True)
    finite = np.isfinite(largest)
    exponent = np.frexp(np.where(finite, largest, 0.0))[1]
    rest = np.where(finite, values, 0.0)
    parts = []
    for number in (1, 2):
        unit = np.ldexp(1.0, np.maximum(exponent - number * kept, -1074))  # the least double
        parts.append(np.rint(rest / unit) * unit)
        rest = rest - parts[-1]
    return np.where(finite, parts[0], np.nan), parts[1]
