"""The front of two sums over ranks: of what documents gain, of which there are few kinds, and of what they are worth.

Where so many of each kind have been placed, what can still come depends on these numbers alone: so of the ways there
only those are followed of which no other has more of both. Of each kind the documents are taken by falling worth, at
the ranks where worth counts most first: the rearrangement inequality, within a kind.
"""

from dataclasses import dataclass
from math import comb

import numpy as np

from fairtrec.data import MISSING, Floats, Ints
from fairtrec.formulas.fronts.front import Front, undominated

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


def fronts(gains: Floats, worth: Floats, weights: Floats, discounts: Floats, most: int = MOST) -> list[Front | None]:
    """Find the front of each query; None where more than ``most`` ways would have to be followed.

    ``gains`` and ``worth`` [query, document] are nan where there is no document. ``weights`` [rank] weigh the gains and
    ``discounts`` [rank], none below 0, the worth. A ranking is as long as there are documents, if these are fewer than
    the ranks that count.

    >>> (front,) = fronts(np.array([[1.0, 0.0, 0.0]]), np.array([[0.0, 0.5, 1.0]]), np.ones(2), np.array([1.0, 0.5]))
    >>> front.utility.tolist(), front.fairness.tolist(), front.tops.tolist()
    ([1.0, 0.0], [1.0, 1.25], [[2, 0], [2, 1]])
    """
    found: list[Front | None] = [None] * len(gains)
    many = np.minimum((~np.isnan(gains)).sum(axis=1), max(len(weights), len(discounts)))
    for length in np.unique(many).tolist():
        states = {int(query): _states(gains[query], length) for query in np.flatnonzero(many == length)}
        several = [query for query, number in states.items() if number <= most]
        first = np.zeros((2, length))
        for row, each in zip(first, (weights, discounts), strict=True):
            row[: len(each)] = each[:length]
        at_once = max(1, TOGETHER // max((states[query] for query in several), default=1))
        while several:
            some = several[:at_once]
            solved = _solve(gains[some], worth[some], first[0], first[1], most)
            for query, front in zip(some, solved, strict=True):
                found[query] = front
            several = several[at_once:]
    return found


def _states(gains: Floats, length: int) -> int:
    """Tell how many numbers of each kind can have been placed; a very great number where they are not numbered."""
    kinds = len(np.unique(gains[~np.isnan(gains)]))
    return comb(length + kinds, kinds) if kinds <= KINDS and (length + 1) ** kinds < NUMBERS else NUMBERS


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
    return _Kinds(docs, np.where(docs == MISSING, 0.0, worth[rows, np.maximum(docs, 0)]), gain, supply)


def _solve(gains: Floats, worth: Floats, weights: Floats, discounts: Floats, most: int) -> list[Front | None]:
    """Follow the ways of several queries at once, rank by rank."""
    # Of one kind the fairer document always comes first, so a way is told by how many of each kind it has placed:
    # ``state`` [way] is these numbers as the digits of one, to the base of the ranks and 1. Ranks are filled by falling
    # discount, for that order to be right; of ways of one state those are followed that no other beats in both sums.
    length, queries = len(weights), len(gains)
    kinds = _kinds(gains, worth, length)
    base = length + 1
    powers = base ** np.arange(kinds.supply.shape[1])
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
        kept = undominated(whose * base ** len(powers) + there, gained, earned)
        query, state, utility, fairness = whose[kept], there[kept], gained[kept], earned[kept]
        steps.append((way[kept], kind[kept], number[kept]))
        crowded = np.bincount(query, minlength=queries) > most
        if crowded.any():
            lost |= crowded
            left = np.flatnonzero(~lost[query])
            query, state, utility, fairness = query[left], state[left], utility[left], fairness[left]
            steps[-1] = (steps[-1][0][left], steps[-1][1][left], steps[-1][2][left])
    ends = undominated(query, utility, fairness)
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
