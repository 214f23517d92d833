"""Which numbers are the same but for rounding, and which too large to compute with."""

import numpy as np

from fairtrec.data import Bools, Floats

DIGITS = 12  # behind the point
NEAR = 1e-12  # values that agree to this, relative where they are above 1, are the same
NINE_DIGITS = float(1 << 30)
HUGE = 1e150  # of what is larger there may be no square


def finite(values: Floats) -> Bools:
    """Tell which values can be computed with, squares included: those that are neither nan nor huge."""
    return np.asarray(np.abs(values) < HUGE)


def same(values: Floats, others: Floats) -> Bools:
    """Tell where two arrays hold the same values.

    >>> same(np.array([0.1 + 0.2, np.inf, 1.0]), np.array([0.3, np.inf, 0.5])).tolist()
    [True, True, False]
    """
    return np.asarray(np.isclose(values, others, rtol=NEAR, atol=NEAR))


def round_relative(values: Floats) -> Floats:
    """Round each value to nine significant digits, so that equal ratios are equal however they were computed.

    >>> bool(np.diff(round_relative(np.array([0.3 / 0.1, 0.6 / 0.2])))[0])
    False
    """
    mantissa, exponent = np.frexp(values)
    return np.asarray(np.ldexp(np.rint(mantissa * NINE_DIGITS) / NINE_DIGITS, exponent))


def merge_ties(values: Floats) -> Floats:
    """Make values equal that are the same but for rounding, so that they share a rank.

    >>> merge_ties(np.array([0.9 - 0.8, 0.8 - 0.7])).tolist()
    [0.1, 0.1]
    """
    merged = np.array(values, dtype=np.float64)
    usual = finite(merged)
    merged[usual] = merged[usual].round(DIGITS)
    return merged


def constant(rows: Floats) -> Bools:
    """Tell in which rows [..., value] all values are the same.

    >>> constant(np.array([[0.1 + 0.2, 0.3], [0.3, 0.5]])).tolist()
    [True, False]
    """
    return np.asarray(same(rows, rows[..., :1]).all(axis=-1))
