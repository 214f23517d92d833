"""The orders on the hull of a front, where there are too many others: each is the best for one price of utility."""

from dataclasses import replace

import numpy as np

from fairtrec.data import Floats, Ints
from fairtrec.formulas.fronts.front import Front

NEAR = 1e-9
FIRST = 1e6  # how much more the sum counts that is to be greatest first


def front(gains: Floats, worth: Floats, weights: Floats, discounts: Floats) -> Front:
    """Find the vertices of the hull of a query's front, by assignments of documents to ranks.

    Takes what ``counts.fronts`` takes, of one query: ``gains`` and ``worth`` [document].

    >>> found = front(np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.5, 1.0]), np.ones(2), np.array([1.0, 0.5]))
    >>> found.utility.tolist(), found.fairness.tolist(), found.exact
    ([1.0, 0.0], [1.0, 1.25], False)
    """
    length = min(len(gains), max(len(weights), len(discounts)))
    tables = np.zeros((2, length, len(gains)))
    tables[0, : len(weights)] = np.outer(weights[:length], gains)
    tables[1, : len(discounts)] = np.outer(discounts[:length], worth)
    spans = [float(np.ptp(table)) or 1.0 for table in tables]
    first = _best(tables, FIRST / spans[0], 1 / spans[1])
    last = _best(tables, 1 / spans[0], FIRST / spans[1])
    points = [first]
    waiting = [(first, last)]
    while waiting:
        (x, y, _), end = left, right = waiting.pop()
        loss, gain = x - end[0], end[1] - y
        if loss <= NEAR or gain <= NEAR:
            continue
        new = _best(tables, gain, loss)
        if gain * (new[0] - x) + loss * (new[1] - y) > NEAR * loss * gain:
            points.append(new)
            waiting += [(left, new), (new, right)]
    points.append(last)
    points.sort(key=lambda point: (-point[0], point[1]))
    ends = np.array([[utility, fairness] for utility, fairness, _ in points]).T
    return replace(Front.of(ends[0], ends[1], np.array([tops for _, _, tops in points]), ends), attained=True)


def _best(tables: Floats, price: float, worth: float) -> tuple[float, float, Ints]:
    """Give utility, fairness and the documents of the order that is best where these count so much."""
    from scipy.optimize import linear_sum_assignment

    ranks, tops = linear_sum_assignment(price * tables[0] + worth * tables[1], maximize=True)
    return float(tables[0][ranks, tops].sum()), float(tables[1][ranks, tops].sum()), tops
