"""The front of two sums over ranks for each of several queries: the whole of it, or its hull where it is too large."""

from dataclasses import replace

import numpy as np

from fairtrec.data import Bools, Floats, Ints
from fairtrec.formulas.fronts import by_counts
from fairtrec.formulas.fronts.front import Front

NEAR = 1e-9
FIRST = 1e6  # how much more the sum counts that is to be greatest first


def fronts(
    gains: Floats, worth: Floats, weights: Floats, discounts: Floats, lengths: Ints, held: Bools | None = None
) -> list[Front]:
    """Find the front of each query.

    ``gains`` and ``worth`` [query, document] are nan behind the last document; the first documents are those of the
    ranking as it is. ``weights`` and ``discounts`` [query, rank] weigh them, down to the ``lengths`` [query]. Documents
    that are ``held`` [query, document] stay where they are, and none of those below comes in.

    >>> more, less = np.ones((1, 2)), np.array([[1.0, 0.5]])
    >>> found = fronts(np.array([[1.0, 0.0, 0.0]]), np.array([[0.0, 0.5, 1.0]]), more, less, np.array([2]))
    >>> found[0].tops.tolist(), found[0].fairness.tolist()
    ([[2, 0], [2, 1]], [1.0, 1.25])
    """
    held = np.zeros(gains.shape, dtype=np.bool_) if held is None else held
    free = [np.flatnonzero(~row[:many]) for row, many in zip(held, lengths.tolist(), strict=True)]
    several: dict[bytes, list[int]] = {}  # the queries of which the ranks count alike
    for row, ranks in enumerate(free):
        several.setdefault(weights[row, ranks].tobytes() + b"|" + discounts[row, ranks].tobytes(), []).append(row)
    found: dict[int, Front] = {}
    for rows in several.values():
        ours, theirs = weights[rows[0], free[rows[0]]], discounts[rows[0], free[rows[0]]]
        gained, earned = (np.where(held[rows], np.nan, each[rows]) for each in (gains, worth))
        for at, (row, front) in enumerate(zip(rows, by_counts.fronts(gained, earned, ours, theirs), strict=True)):
            one = _hull(gained[at], earned[at], ours, theirs) if front is None else front
            found[row] = _beside(one, row, free[row], int(lengths[row]), gains, worth, weights, discounts)
    return [found[row] for row in range(len(gains))]


def filled(tops: Ints, free: Ints, length: int) -> Ints:
    """Put orders of documents [order, place] on the ranks that are free, where the others keep theirs [order, rank].

    >>> filled(np.array([[3], [0]]), np.array([0]), 2).tolist()
    [[3, 1], [0, 1]]
    """
    whole = np.repeat(np.arange(length)[None], len(tops), axis=0)
    whole[:, free] = tops
    return whole


def _hull(gains: Floats, worth: Floats, weights: Floats, discounts: Floats) -> Front:
    there = np.flatnonzero(~np.isnan(gains))
    front = supported_front(gains[there], worth[there], weights, discounts)
    return replace(front, tops=there[front.tops])


def _beside(
    front: Front, row: int, free: Ints, length: int, gains: Floats, worth: Floats, weights: Floats, discounts: Floats
) -> Front:
    """Add what the documents that are held gain and are worth."""
    kept = np.setdiff1d(np.arange(length), free)
    if not len(kept):
        return front
    more = np.array([gains[row, kept] @ weights[row, kept], worth[row, kept] @ discounts[row, kept]])
    ends = None if front.ends is None else front.ends + more[:, None]
    tops = filled(front.tops, free, length)
    return replace(front, utility=front.utility + more[0], fairness=front.fairness + more[1], tops=tops, ends=ends)


def supported_front(gains: Floats, worth: Floats, weights: Floats, discounts: Floats) -> Front:
    """Find the vertices of the hull of a query's front, by assignments of documents to ranks.

    Takes what ``by_counts.fronts`` takes, of one query: ``gains`` and ``worth`` [document].

    >>> found = supported_front(np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.5, 1.0]), np.ones(2), np.array([1.0, 0.5]))
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
    # Between two vertices, an order is sought in the direction in which both are worth the same: one that is worth
    # more is a vertex between them, and both gaps are searched anew; none means that the line is an edge. That takes
    # at most two assignments for each vertex, each of about ranks * ranks * documents steps.
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
