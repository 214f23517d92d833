"""Ties: what a value can be over the orders of documents of equal score, each order as likely as any other.

What a measure makes of its ranks says in closed form what is least, greatest and expected (``interval``): a Sum of
what each rank adds, the worth of the First relevant document, or average Precision. For all other measures ``orders``
gives the orders themselves.

Source: McSherry, Najork: Computing Information Retrieval Performance Measures Efficiently in the Presence of Tied
Scores. ECIR 2008. https://doi.org/10.1007/978-3-540-78646-7_38
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from typing import Protocol

import numpy as np

from fairtrec.data import NOTHING, Bools, Floats, Ints, Run
from fairtrec.formulas.distribution import quotient

MOST = 720  # so many orders of a ranking are all tried, as those of six documents are
DRAWN = 200  # of more, so many are drawn


@dataclass(frozen=True, eq=False)
class Blocks:
    """Which documents are tied: ``number`` [query, rank] is the same for those of one score, and never falls."""

    number: Ints

    @classmethod
    def of(cls, run: Run, lines: Ints) -> "Blocks":
        """Compare the scores in the lines [query, rank] of a run; where there is no document, nothing is tied."""
        scores = np.append(run.scores, np.nan)[np.where(lines == NOTHING, len(run.scores), lines)]
        number = np.zeros(lines.shape, dtype=np.int64)
        np.cumsum(scores[:, 1:] != scores[:, :-1], axis=1, out=number[:, 1:])
        return cls(number)

    def total(self, values: Floats | Bools) -> Floats:
        """Sum what stands in each block, for each of its ranks [query, rank]."""
        place = self.number + np.arange(len(self.number))[:, None] * self.number.shape[1]
        sums: Floats = np.bincount(place.ravel(), values.ravel(), place.size)[place]
        return sums

    @cached_property
    def size(self) -> Floats:
        """How many documents are tied [query, rank]."""
        return self.total(np.ones(self.number.shape))

    @cached_property
    def place(self) -> Floats:
        """How many of a block stand above each of its ranks [query, rank]."""
        rank = np.broadcast_to(np.arange(self.number.shape[1]), self.number.shape)
        fresh = np.diff(self.number, axis=1, prepend=-1) > 0
        place: Floats = (rank - np.maximum.accumulate(np.where(fresh, rank, 0), axis=1)).astype(np.float64)
        return place

    def rising(self, values: Floats) -> Floats:
        """Sort each block by rising value."""
        return np.take_along_axis(values, np.lexsort((values, self.number), axis=1), axis=1)

    def falling(self, values: Floats) -> Floats:
        """Sort each block by falling value."""
        return -self.rising(-values)


class Terms(Protocol):
    """What a measure makes of its ranks."""

    def interval(self, blocks: Blocks) -> Floats:
        """Give the least, greatest and expected value [3, query]; nan where that has no closed form."""


@dataclass(frozen=True, eq=False)
class Sum:
    """The sum over ranks of ``weights`` [rank or query, rank] times ``gains`` [query, rank], over ``divisor`` [query].

    The gains may go on behind the last weight, and are nan where there is no document. Where the value is undefined
    if no document of those that are ``known`` [query, rank] is among the weighted ranks, it has a closed form only if
    every order has one there, as all orders without are left out. Where the divisor is that of the order as it stands
    alone, and not ``settled`` [query] for all orders, there is none either.
    """

    gains: Floats
    weights: Floats
    divisor: Floats | Ints | None = None
    known: Bools | None = None
    settled: Bools | None = None

    def interval(self, blocks: Blocks) -> Floats:
        """Pair the weights of each block with its gains in the same order, the opposite order, and each with the mean.

        >>> tied = Blocks(np.array([[0, 0, 1]]))
        >>> Sum(np.array([[4.0, 2.0, 7.0]]), np.array([1.0, 0.5])).interval(tied).tolist()
        [[4.0], [5.0], [4.5]]
        """
        gains, ranks = np.nan_to_num(self.gains), self.gains.shape[1]
        weights = np.zeros(gains.shape)
        weights[:, : self.weights.shape[-1]] = self.weights[..., :ranks]
        paired = blocks.falling(weights)
        sums = np.stack(
            [
                (paired * blocks.rising(gains)).sum(axis=1),
                (paired * blocks.falling(gains)).sum(axis=1),
                (weights * blocks.total(gains) / blocks.size).sum(axis=1),
            ]
        )
        if self.known is not None:
            reached = np.broadcast_to(np.arange(ranks) < self.weights.shape[-1], gains.shape)
            sure = blocks.total(reached) - blocks.total(~self.known)  # so many known ones any order has there
            sums[:, ~(sure > 0).any(axis=1)] = np.nan
        if self.settled is not None:
            sums[:, ~self.settled] = np.nan
        return sums if self.divisor is None else quotient(sums, self.divisor)


@dataclass(frozen=True, eq=False)
class First:
    """The worth [rank], which falls, of the rank of the first of the ``relevant`` [query, rank]; 0 if there is none."""

    relevant: Bools
    worth: Floats

    def interval(self, blocks: Blocks) -> Floats:
        """Put the relevant documents of each block last, first, and anywhere.

        >>> tied = Blocks(np.array([[0, 0, 0]]))
        >>> First(np.array([[True, False, False]]), np.array([1.0, 0.5])).interval(tied).tolist()
        [[0.0], [1.0], [0.5]]
        """
        relevant = self.relevant.astype(np.float64)
        worth = np.zeros(relevant.shape[1])
        worth[: len(self.worth)] = self.worth[: len(worth)]
        left = blocks.size - blocks.place
        chance = blocks.total(relevant) / left  # to be relevant if none of the block is so above
        none = np.cumprod((1 - chance).clip(min=0), axis=1)
        first = chance * np.concatenate((np.ones((len(none), 1)), none), axis=1)[:, :-1]
        ends = [_first(one) for one in (blocks.rising(relevant), blocks.falling(relevant))]
        return np.stack([*ends, first]) @ worth


def _first(relevant: Floats) -> Floats:
    """Leave of each row only the first that is relevant."""
    return np.where(np.cumsum(relevant, axis=1) == 1, relevant, 0.0)


@dataclass(frozen=True, eq=False)
class Precisions:
    """The sum of the precisions at the ``relevant`` [query, rank] of the first ``cutoff`` ranks, over ``divisor``."""

    relevant: Bools
    cutoff: int | None
    divisor: Ints

    def interval(self, blocks: Blocks) -> Floats:
        """Put the relevant documents of each block last, first, and anywhere.

        >>> tied = Blocks(np.array([[0, 0]]))
        >>> Precisions(np.array([[True, False]]), None, np.array([1])).interval(tied).tolist()
        [[0.5], [1.0], [0.75]]
        """
        relevant = self.relevant.astype(np.float64)
        here = blocks.total(relevant)
        place = blocks.place.astype(np.int64)
        above = np.cumsum(relevant, axis=1) - relevant
        before = np.take_along_axis(above, np.arange(relevant.shape[1]) - place, axis=1)  # those of higher blocks
        beside = blocks.place * (here - 1) / (blocks.size - 1).clip(min=1)
        expected = here / blocks.size * (before + 1 + beside)
        ends = [one * np.cumsum(one, axis=1) for one in (blocks.rising(relevant), blocks.falling(relevant))]
        ranks = np.arange(1, relevant.shape[1] + 1)
        sums: Floats = (np.stack([*ends, expected]) / ranks)[:, :, : self.cutoff].sum(axis=2)
        return quotient(sums, self.divisor)


def orders(number: Ints, depth: int | None, seed: tuple[int, ...]) -> tuple[Iterator[Ints], bool]:
    """Give what stands at the first ``depth`` ranks in each order of a ranking, and whether these are all of them.

    Each is equally likely. ``number`` [rank] is that of the block of each document; documents are named by the ranks
    that they had. More than MOST are not all given: DRAWN are drawn.

    >>> drawn, complete = orders(np.array([0, 1, 1, 1]), 2, (0,))
    >>> [order.tolist() for order in drawn], complete
    ([[0, 1], [0, 2], [0, 3]], True)
    """
    top = np.arange(len(number))[:depth]
    starts = np.flatnonzero(np.diff(number, prepend=-1))
    ends = np.append(starts[1:], len(number))
    several = (ends - starts > 1) & (starts < len(top))
    blocks = list(zip(starts[several].tolist(), ends[several].tolist(), strict=True))
    many = 1
    for first, last in blocks:
        many *= math.perm(last - first, min(last, len(top)) - first)
        if many > MOST:
            random = np.random.default_rng(seed)
            return (_drawn(top, number[: blocks[-1][1]], random) for _ in range(DRAWN)), False
    tried = product(*(permutations(range(first, last), min(last, len(top)) - first) for first, last in blocks))
    return (_rearranged(top, zip(starts[several].tolist(), each, strict=True)) for each in tried), True


def _drawn(top: Ints, number: Ints, random: "np.random.Generator") -> Ints:
    """Shuffle each block; what lies behind the last takes no part, so that no draw depends on it."""
    order = top.copy()
    order[: len(number)] = np.lexsort((random.random(len(number)), number))[: len(top)]
    return order


def _rearranged(top: Ints, blocks: Iterable[tuple[int, tuple[int, ...]]]) -> Ints:
    """Put other documents into blocks, given by the first rank of each."""
    order = top.copy()
    for first, documents in blocks:
        order[first : first + len(documents)] = documents
    return order
