"""The front of two sums over ranks, for each of several queries: the whole of it, or its hull where it is too large.

The whole is of what documents gain, of which there are few kinds, and of what they are worth. Where so many of each
kind have been placed, what can still come depends on these numbers alone: so of the ways there only those are followed
of which no other has more of both. Of each kind the documents are taken by falling worth, at the ranks where worth
counts most first: the rearrangement inequality, within a kind.
"""

from dataclasses import dataclass, replace
from math import comb

import numpy as np

from fairtrec.data import MISSING, Bools, Floats, Ints, list_distinct
from fairtrec.formulas.fronts import Front, sort_undominated
from fairtrec.formulas.weighted_sums import weigh

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
        for at, (row, front) in enumerate(zip(rows, find_fronts_by_counts(gained, earned, ours, theirs), strict=True)):
            one = supported_front(gained[at], earned[at], ours, theirs) if front is None else front
            if len(free[row]) < lengths[row]:
                one = _beside(one, row, free[row], int(lengths[row]), gains, worth, weights, discounts)
            found[row] = one
    return [found[row] for row in range(len(gains))]


def fill_ranks(tops: Ints, free: Ints, length: int) -> Ints:
    """Put orders of documents [order, place] on the ranks that are free, where the others keep theirs [order, rank].

    >>> fill_ranks(np.array([[3], [0]]), np.array([0]), 2).tolist()
    [[3, 1], [0, 1]]
    """
    if len(free) == length:
        return tops
    whole = np.repeat(np.arange(length)[None], len(tops), axis=0)
    whole[:, free] = tops
    return whole


def _beside(
    front: Front, row: int, free: Ints, length: int, gains: Floats, worth: Floats, weights: Floats, discounts: Floats
) -> Front:
    """Add what the documents that are held gain and are worth."""
    kept = np.setdiff1d(np.arange(length), free)
    more = np.array([weigh(gains[row, kept], weights[row, kept]), weigh(worth[row, kept], discounts[row, kept])])
    ends = None if front.ends is None else front.ends + more[:, None]
    tops = fill_ranks(front.tops, free, length)
    return replace(front, utility=front.utility + more[0], fairness=front.fairness + more[1], tops=tops, ends=ends)


def supported_front(gains: Floats, worth: Floats, weights: Floats, discounts: Floats) -> Front:
    """Find the vertices of the hull of a query's front, by assignments of documents to ranks.

    The arguments are those of ``find_fronts_by_counts``, of one query: ``gains`` and ``worth`` [document] are nan where
    there is none.

    >>> found = supported_front(np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.5, 1.0]), np.ones(2), np.array([1.0, 0.5]))
    >>> found.utility.tolist(), found.fairness.tolist(), found.ends.tolist()
    ([1.0, 0.0], [1.0, 1.25], [[1.0, 0.0], [1.0, 1.25]])
    """
    there = np.flatnonzero(~np.isnan(gains))
    gains, worth = gains[there], worth[there]
    length = min(len(gains), max(len(weights), len(discounts)))
    tables = np.zeros((2, length, len(gains)))
    tables[0, : len(weights)] = weights[:length, None] * gains
    tables[1, : len(discounts)] = discounts[:length, None] * worth
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
    return replace(
        Front.keep_best(ends[0], ends[1], there[np.array([tops for _, _, tops in points])], ends), attained=True
    )


def _best(tables: Floats, price: float, worth: float) -> tuple[float, float, Ints]:
    """Give utility, fairness and the documents of the order that is best where these count so much."""
    from scipy.optimize import linear_sum_assignment

    ranks, tops = linear_sum_assignment(price * tables[0] + worth * tables[1], maximize=True)
    return float(tables[0][ranks, tops].sum()), float(tables[1][ranks, tops].sum()), tops


MOST = 1_000_000  # ways that are followed at once for a query
TOGETHER = 64_000  # numbers of documents of each kind that are kept apart at once
KINDS = 16
NUMBERS = 1 << 55  # of states that can be told apart, 64 queries beside each other


@dataclass(frozen=True, eq=False)
class _Kinds:
    """The documents of each query by kind: ``docs`` and ``worth`` [query, kind, number], ``gain`` [query, kind]."""

    docs: Ints
    worth: Floats
    gain: Floats
    supply: Ints


def find_fronts_by_counts(
    gains: Floats, worth: Floats, weights: Floats, discounts: Floats, most: int = MOST
) -> list[Front | None]:
    """Find the front of each query; None where more than ``most`` ways would have to be followed.

    ``gains`` and ``worth`` [query, document] are nan where there is no document. ``weights`` [rank] weigh the gains and
    ``discounts`` [rank], none below 0, the worth. A ranking is as long as there are documents, if these are fewer than
    the ranks that count.

    >>> gains, worth = np.array([[1.0, 0.0, 0.0]]), np.array([[0.0, 0.5, 1.0]])
    >>> (front,) = find_fronts_by_counts(gains, worth, np.ones(2), np.array([1.0, 0.5]))
    >>> front.utility.tolist(), front.fairness.tolist(), front.tops.tolist()
    ([1.0, 0.0], [1.0, 1.25], [[2, 0], [2, 1]])
    """
    found: list[Front | None] = [None] * len(gains)
    many = np.minimum((~np.isnan(gains)).sum(axis=1), max(len(weights), len(discounts)))
    for length in list_distinct(many).tolist():
        states: dict[int, int] = {}  # how many numbers of each kind can have been placed
        for query in np.flatnonzero(many == length).tolist():
            kinds = len(list_distinct(gains[query][~np.isnan(gains[query])]))
            if (
                kinds <= KINDS and (length + 1) ** kinds < NUMBERS and comb(length + kinds, kinds) <= most
            ):  # exact: whole numbers
                states[query] = comb(length + kinds, kinds)
        several = [*states]
        first = np.zeros((2, length))
        for row, each in zip(first, (weights, discounts), strict=True):
            row[: len(each)] = each[:length]
        at_once = max(1, TOGETHER // max(states.values(), default=1))
        while several:
            some = several[:at_once]
            solved = _solve(gains[some], worth[some], first[0], first[1], most)
            for query, front in zip(some, solved, strict=True):
                found[query] = front
            several = several[at_once:]
    return found


def _kinds(gains: Floats, worth: Floats, length: int) -> _Kinds:
    each = [np.unique(row[~np.isnan(row)], return_inverse=True) for row in gains]
    wide = max((len(values) for values, _ in each), default=0)
    docs = np.full((len(gains), wide, length), MISSING, dtype=np.int64)
    gain, supply = np.zeros((len(gains), wide)), np.zeros((len(gains), wide), dtype=np.int64)
    for query, (values, kind) in enumerate(each):
        gain[query, : len(values)] = values
        for number in range(len(values)):
            members = np.flatnonzero(~np.isnan(gains[query]))[kind == number]
            best = members[np.argsort(-worth[query, members], kind="stable")][:length]
            docs[query, number, : len(best)] = best
            supply[query, number] = len(best)
    rows = np.arange(len(gains))[:, None, None]
    return _Kinds(docs, worth[rows, np.maximum(docs, 0)], gain, supply)


def _solve(gains: Floats, worth: Floats, weights: Floats, discounts: Floats, most: int) -> list[Front | None]:
    """Follow the ways of several queries at once, rank by rank."""
    # Of one kind the fairer document always comes first, so a way is told by how many of each kind it has placed:
    # ``state`` [way] is these numbers as the digits of one, to the base of the ranks and 1. Ranks are filled by falling
    # discount, for that order to be right; of ways of one state those are followed that no other beats in both sums.
    length, queries = len(weights), len(gains)
    kinds = _kinds(gains, worth, length)
    base = length + 1
    powers = base ** np.arange(kinds.supply.shape[1])  # exact: whole numbers
    query, state = np.arange(queries), np.zeros(queries, dtype=np.int64)
    utility, fairness = np.zeros(queries), np.zeros(queries)
    steps: list[tuple[Ints, Ints, Ints]] = []
    lost = np.zeros(queries, dtype=np.bool_)
    order = np.argsort(-discounts, kind="stable").tolist()
    for rank in order:
        taken = state[:, None] // powers % base
        way, kind = np.nonzero(taken < kinds.supply[query])
        whose, number = query[way], taken[way, kind]
        gained = utility[way] + weights[rank] * kinds.gain[whose, kind]
        earned = fairness[way] + discounts[rank] * kinds.worth[whose, kind, number]
        there = state[way] + powers[kind]
        best, firsts, _ = sort_undominated(whose * base ** len(powers) + there, gained, earned)  # exact: whole numbers
        kept = best[firsts]
        query, state, utility, fairness = whose[kept], there[kept], gained[kept], earned[kept]
        steps.append((way[kept], kind[kept], number[kept]))
        crowded = np.bincount(query, minlength=queries) > most
        if crowded.any():
            lost |= crowded
            left = np.flatnonzero(~lost[query])
            query, state, utility, fairness = query[left], state[left], utility[left], fairness[left]
            steps[-1] = (steps[-1][0][left], steps[-1][1][left], steps[-1][2][left])
    best, firsts, _ = sort_undominated(query, utility, fairness)
    ends = best[firsts]
    tops = _tops(kinds, steps, order, query[ends], ends)
    found: list[Front | None] = []
    for each in range(queries):
        own = query[ends] == each
        found.append(None if lost[each] else Front(utility[ends][own], fairness[ends][own], tops[own]))
    return found


def _tops(kinds: _Kinds, steps: list[tuple[Ints, Ints, Ints]], order: list[int], query: Ints, ends: Ints) -> Ints:
    """Walk back from the ends to what was placed at each rank [end, rank]."""
    tops = np.full((len(ends), len(order)), MISSING, dtype=np.int64)
    at = ends
    for rank, (way, kind, number) in zip(reversed(order), reversed(steps), strict=True):
        tops[:, rank] = kinds.docs[query, kind[at], number[at]]
        at = way[at]
    return tops
