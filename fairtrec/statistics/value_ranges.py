"""The range of values. The ends of an interval are cut there, because no query can have a value beyond.

A range is the least and the greatest possible value; None is an unknown end.
"""

import numpy as np

from fairtrec.data import Floats

Range = tuple[float | None, float | None]


def cut_ends(ends: Floats | tuple[float, float], bounds: Range) -> tuple[float, float]:
    """Cut an interval at a range; nan, which is no interval, stays.

    >>> cut_ends((-0.1, 0.5), (0.0, None)), cut_ends((0.8, 1.2), (0.0, 1.0))
    ((0.0, 0.5), (0.8, 1.0))
    """
    least, greatest = bounds
    low, high = np.clip(ends, -np.inf if least is None else least, np.inf if greatest is None else greatest).tolist()
    return low, high


def bound_size(bounds: Range) -> Range:
    """Return the range of absolute values.

    >>> bound_size((-0.3, 0.7)), bound_size((0.2, 1.0)), bound_size((None, 0.0))
    ((0.0, 0.7), (0.2, 1.0), (0.0, None))
    """
    low, high = bounds
    least = 0.0 if low is None or high is None else max(low, -high, 0.0)
    if low is not None and low > 0:
        least = low
    return least, None if low is None or high is None else max(abs(low), abs(high))


def bound_difference(bounds: Range, factor: float = 1.0) -> Range:
    """Return the range of the difference of a value and ``factor`` times another; the factor is not negative.

    >>> bound_difference((0.0, 1.0)), bound_difference((0.0, None)), bound_difference((0.5, 1.0), 2.0)
    ((-1.0, 1.0), (None, None), (-1.5, 0.0))
    """
    low, high = bounds
    return (None, None) if low is None or high is None else (low - factor * high, high - factor * low)
