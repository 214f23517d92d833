"""Logarithms, exponentials and powers with the same bits on every machine.

Numpy and the C library pick another algorithm for each kind of CPU, and their last digits differ. These use only
operations that IEEE 754 rounds correctly (+ - * / and exact scaling by powers of two), in one fixed order. The compiled
loops in extension.c repeat ``log``, ``log2`` and ``exp`` operation by operation.

The method is table lookup: x = 2^k z, c is the multiple of 1/128 nearest to z, and r = (z - c) / c is small, so

    log(x) = k log(2) + log(c) + r - r^2 / 2 + r^3 / 3 - ...

The tables hold log(2) and log(c) in two parts, of which the sum of the first is exact.

Source: Tang: Table-driven Implementation of the Logarithm Function in IEEE Floating-point Arithmetic. ACM TOMS 16(4),
1990. https://doi.org/10.1145/98267.98294
"""

from functools import cache, lru_cache
from math import inf, isqrt, ldexp
from typing import NamedTuple

import numpy as np

from fairtrec.data import Floats, Ints
from fairtrec.support.compiled import extension

STEPS = 128  # c is a multiple of 1 / STEPS
FIRST, LAST = isqrt(STEPS * STEPS // 2), isqrt(STEPS * STEPS * 2) + 1  # z is between the roots of 1/2 and 2
BITS, EXACT_BITS = 1 << 7, 42  # of fractions: in which tables are made, and of the first parts, whose sums are exact
LOG_TERMS = 9  # beyond r^9 / 9 nothing changes a double
EXP_TERMS = 15
POWER_BITS = 128  # of the squares from which powers are multiplied
LONGEST_KEPT = 1 << 12  # powers of one base that are kept
SPLIT = 2.0**27 + 1
TOGETHER = 1 << 13  # values whose intermediate results fit the cache


class Tables(NamedTuple):
    """Logarithms in two parts: ``two`` [part] of 2, ``of_c`` [part, c * STEPS - FIRST], ``per_e`` [part] 1 / log(2)."""

    two: Floats
    of_c: Floats
    per_e: Floats


def _fixed_atanh(divisor: int) -> int:
    """Return atanh(1 / divisor) as a whole number of 2^-BITS."""
    power, total, k = (1 << BITS) // divisor, 0, 1
    while power:
        total += power // k
        power //= divisor * divisor
        k += 2
    return total


def _in_two_parts(fixed: int) -> tuple[float, float]:
    """Split a whole number of 2^-BITS into a float with few bits and the rest."""
    unit = BITS - EXACT_BITS
    first = (fixed + (1 << (unit - 1))) >> unit
    return first / 2**EXACT_BITS, (fixed - (first << unit)) / 2**BITS


@cache
def tables() -> Tables:
    """Compute the tables from whole numbers.

    >>> float(tables().two.sum()), float(tables().of_c[:, STEPS - FIRST].sum())
    (0.6931471805599453, 0.0)
    """
    two = 2 * _fixed_atanh(3)
    logs = {STEPS: 0}
    for j in range(STEPS, LAST):
        logs[j + 1] = logs[j] + 2 * _fixed_atanh(2 * j + 1)
    for j in range(STEPS, FIRST, -1):
        logs[j - 1] = logs[j] - 2 * _fixed_atanh(2 * j - 1)
    per_e = (1 << (2 * BITS)) // two
    first = per_e / 2**BITS  # rounded to the nearest double
    numerator, denominator = first.as_integer_ratio()
    rest = (per_e * denominator - (numerator << BITS)) / (denominator << BITS)
    of_c = np.array([_in_two_parts(logs[j]) for j in range(FIRST, LAST + 1)]).T
    return Tables(np.array(_in_two_parts(two)), np.ascontiguousarray(of_c), np.array([first, rest]))


def log(values: Floats) -> Floats:
    """Return the natural logarithm of each value; -inf for 0, nan for a negative value.

    >>> log(np.array([0.0, 1.0, 2.0, np.inf])).tolist()
    [-inf, 0.0, 0.6931471805599453, inf]
    """
    values = np.asarray(values, dtype=np.float64)
    axes = sorted(range(values.ndim), key=lambda axis: -values.strides[axis])
    whole = values.transpose(axes)  # as it lies in memory, so that few arrays are copied, and the result lies alike
    flat, result = np.ascontiguousarray(whole).reshape(-1), np.empty(values.size)
    out = result.reshape(whole.shape).transpose(np.argsort(axes, kind="stable"))
    if extension is not None:
        extension.log(flat, result, tables().two, tables().of_c)
        return out
    for start in range(0, len(flat), TOGETHER):
        part = flat[start : start + TOGETHER]
        first, rest = _two_parts_of_log(part)
        result[start : start + TOGETHER] = _with_special(part, first + rest)
    return out


def log1p(values: Floats) -> Floats:
    """Return log(1 + x) of each value, exact to the last digits for small values as well.

    >>> log1p(np.array([1.0, 1e-20])).tolist()
    [0.6931471805599453, 1e-20]
    """
    values = np.asarray(values, dtype=np.float64)
    more = 1.0 + values
    with np.errstate(invalid="ignore", divide="ignore"):
        lost = (values - (more - 1.0)) / more
    return np.asarray(log(more) + np.where(np.isfinite(lost), lost, 0.0))


def log2(values: Floats) -> Floats:
    """Return the logarithm of each value to base 2, rounded to the nearest double but for rare ties.

    >>> log2(np.array([1.0, 2.0, 3.0, 1024.0])).tolist()
    [0.0, 1.0, 1.584962500721156, 10.0]
    """
    values = np.asarray(values, dtype=np.float64)
    out = np.empty(values.shape)
    flat, result = np.ascontiguousarray(values).reshape(-1), out.reshape(-1)
    if extension is not None:
        extension.log2(flat, result, tables().two, tables().of_c, tables().per_e)
        return out
    per_e, rest_per_e = tables().per_e
    for start in range(0, len(flat), TOGETHER):
        part = flat[start : start + TOGETHER]
        first, rest = _two_parts_of_log(part, exact=True)
        product = first * per_e
        a, b = _split(first), _split(per_e)
        lost = ((a[0] * b[0] - product) + a[0] * b[1] + a[1] * b[0]) + a[1] * b[1]
        whole = product + (lost + (first * rest_per_e + rest * per_e))
        result[start : start + TOGETHER] = _with_special(part, whole)
    return out


def log2_of_counts(number: int) -> Floats:
    """Return the logarithms of 0, 1, .. ``number`` - 1 to base 2; they are kept, and read only.

    >>> log2_of_counts(3).tolist()
    [-inf, 0.0, 1.0]
    """
    return _keep_log2_of_counts(1 << number.bit_length())[:number]


@cache
def _keep_log2_of_counts(number: int) -> Floats:
    found = log2(np.arange(float(number)))
    found.flags.writeable = False
    return found


@lru_cache(maxsize=1024)
def log_of_number(number: float) -> float:
    """Return the natural logarithm of one number.

    >>> log_of_number(2)
    0.6931471805599453
    """
    return float(log(np.array([number]))[0])


def exp(values: Floats) -> Floats:
    """Return e to the power of each value.

    >>> exp(np.array([0.0, 1.0, -np.inf, np.inf])).round(9).tolist()
    [1.0, 2.718281828, 0.0, inf]
    """
    values = np.asarray(values, dtype=np.float64)
    if extension is not None:
        out = np.empty(values.shape)
        flat = np.ascontiguousarray(values).reshape(-1)
        extension.exp(flat, out.reshape(-1), tables().two, tables().per_e[0])
        return out
    two, rest_of_two = tables().two
    bounded = np.clip(np.nan_to_num(values, nan=0.0), -800.0, 800.0)
    k = np.rint(bounded * tables().per_e[0])
    first, rest = bounded - k * two, k * rest_of_two  # the first product is exact
    r = first - rest
    total = np.full(values.shape, 1 / EXP_TERMS)
    for term in range(EXP_TERMS - 1, 1, -1):
        total = (1.0 + total * r) / term
    total = 1.0 + (r + (((first - r) - rest) + r * r * total))
    with np.errstate(over="ignore", under="ignore"):
        result = np.ldexp(total, k.astype(np.int64))
    return np.where(np.isnan(values), np.nan, result)


def powers(base: float, number: int) -> Floats:
    """Return ``base`` >= 0 to the power of 0, 1, .. ``number`` - 1.

    >>> powers(0.5, 4).tolist()
    [1.0, 0.5, 0.25, 0.125]
    """
    table = np.ones(1)
    square, denominator = float(base).as_integer_ratio()  # base^1, base^2, base^4 ..: whole numbers times 2^-shift
    shift = denominator.bit_length() - 1
    with np.errstate(over="ignore", under="ignore"):
        while len(table) < number:
            table = np.concatenate([table, table * _scaled(square, -shift)])
            square, shift = square * square, 2 * shift
            more = max(square.bit_length() - POWER_BITS, 0)
            square, shift = square >> more, shift - more
    return table[:number]


def raise_each(bases: Floats, exponents: Ints) -> Floats:
    """Return each base to the power of its own whole exponent, 0 or more, by repeated squaring.

    >>> raise_each(np.array([0.5, 0.0]), np.array([3, 0])).tolist()
    [0.125, 1.0]
    """
    result, square, left = np.ones(np.shape(bases)), np.asarray(bases, dtype=np.float64), np.asarray(exponents)
    while (left > 0).any():
        result = np.where(left & 1, result * square, result)
        square, left = square * square, left >> 1
    return result


def _scaled(whole: int, exponent: int) -> float:
    """Return whole * 2^exponent; infinity beyond the largest double."""
    try:
        return ldexp(whole, exponent)
    except OverflowError:
        return inf


def power(base: float, exponents: Floats) -> Floats:
    """Return ``base`` >= 0 to the power of each exponent >= 0; whole exponents by multiplication only.

    >>> power(0.5, np.array([0.0, 1.0, 2.0, 0.5])).round(9).tolist()
    [1.0, 0.5, 0.25, 0.707106781]
    >>> power(0.0, np.array([0.0, 0.5])).tolist()
    [1.0, 0.0]
    """
    exponents = np.asarray(exponents)
    if not exponents.size:
        return np.ones(exponents.shape)
    whole = exponents.astype(np.int64)
    most = int(whole.max())
    result = (_keep_powers(base, 1 << most.bit_length()) if most < LONGEST_KEPT else powers(base, most + 1))[whole]
    broken = whole != exponents
    if broken.any():
        result[broken] = exp(exponents[broken] * log_of_number(base)) if base > 0 else 0.0
    return result


@lru_cache(maxsize=64)
def _keep_powers(base: float, number: int) -> Floats:
    return powers(base, number)


def _two_parts_of_log(values: Floats, *, exact: bool = False) -> tuple[Floats, Floats]:
    """Return two floats per value that sum to its logarithm; ``exact``: to more digits than one float has."""
    two, of_c, _ = tables()
    z, k = np.frexp(np.where((values > 0) & (values < np.inf), values, 1.0))
    low = z < FIRST / STEPS
    z, k = np.where(low, z * 2.0, z), k - low
    j = np.rint(z * STEPS)
    c = j / STEPS
    d = z - c
    r = d / c
    total = np.zeros(r.shape)
    for term in range(LOG_TERMS, 1, -1):
        total = total * r + (-1.0) ** (term + 1) / term
    place = j.astype(np.int64) - FIRST
    whole = k * two[0] + of_c[0][place]  # exact
    first = whole + r
    rest = ((whole - first) + r) + (k * two[1] + of_c[1][place]) + r * r * total
    if exact:
        high = (r * SPLIT) - (r * SPLIT - r)
        rest = rest + ((d - high * c) - (r - high) * c) / c
    return first, rest


def _split(value: Floats) -> tuple[Floats, Floats]:
    """Split each value into two halves of its bits, whose products are exact."""
    high = value * SPLIT - (value * SPLIT - value)
    return high, value - high


def _with_special(values: Floats, result: Floats) -> Floats:
    """Return the logarithms of 0, infinity, nan and negative values in their places."""
    if np.all((values > 0) & (values < np.inf)):
        return result
    special = np.where(values == 0, -np.inf, np.where(values == np.inf, np.inf, np.nan))
    return np.where((values > 0) & (values < np.inf), result, special)
