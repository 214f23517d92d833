"""Ties: what a value can be over the orders of documents of equal score, each order as likely as any other.

What a measure makes of its ranks says in closed form what is least, greatest and expected (``interval``): a Sum of
what each rank adds, the worth of the First relevant document, or average Precision. For all other measures ``orders``
gives the orders themselves.

Source: McSherry, Najork: Computing Information Retrieval Performance Measures Efficiently in the Presence of Tied
Scores. ECIR 2008. https://doi.org/10.1007/978-3-540-78646-7_38
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, permutations, product
from typing import Protocol

import numpy as np

from fairtrec.data import NOTHING, Bools, Floats, Ints, Run
from fairtrec.distribution import quotient

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
    every order has one there, as all orders without are left out.
    """

    gains: Floats
    weights: Floats
    divisor: Floats | Ints | None = None
    known: Bools | None = None

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
            spared = blocks.total(reached) - blocks.total(~self.known)  # by so many the known outnumber other ranks
            sums[:, ~(reached & (spared > 0)).any(axis=1)] = np.nan
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
        return np.stack([*(_first(one) @ worth for one in (blocks.rising(relevant), blocks.falling(relevant))),
                         first @ worth])  # fmt: skip


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


@dataclass(frozen=True, eq=False)
class Ties:
    """What the values of a run [measure, query] are over the orders of tied documents.

    Each equals the value where no document that the measure looks at is tied; nan where the value is.
    """

    least: Floats
    greatest: Floats
    expected: Floats
    tied: Ints  # for how many queries the measure looks at tied documents [measure]
    drawn: Ints  # for how many of these the three come from some orders only, drawn at random [measure]


def whole(run: Run, depth: int | None) -> Run:
    """Cut each ranking after ``depth`` documents, but behind those that are tied with the last."""
    if depth is None:
        return run
    lengths = np.diff(run.starts)
    first = np.repeat(run.starts[:-1], lengths)
    last = np.repeat(run.starts[:-1] + np.minimum(lengths, depth) - 1, lengths)
    line = np.arange(len(run.scores))
    kept = (line - first < depth) | (run.scores == run.scores[np.maximum(last, 0)])
    starts = np.concatenate(([0], np.cumsum(kept)))[run.starts]
    return Run(run.name, run.tag, run.qids, starts, run.docnos[kept], run.scores[kept])


def orders(number: Ints, depth: int | None, seed: tuple[int, ...]) -> tuple[Iterator[Ints], bool]:
    """Give orders of a ranking that differ in the first ``depth`` ranks, and whether these are all of them.

    Each is equally likely. ``number`` [rank] is that of the block of each document; an order gives the documents by
    the ranks that they had. More than MOST are not all given: DRAWN are drawn.

    >>> drawn, complete = orders(np.array([0, 1, 1, 1]), 2, (0,))
    >>> [order.tolist() for order in drawn], complete
    ([[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2]], True)
    """
    depth = len(number) if depth is None else min(depth, len(number))
    starts = np.flatnonzero(np.diff(number, prepend=-1))
    blocks = list(zip(starts.tolist(), np.append(starts[1:], len(number)).tolist(), strict=True))
    reached = [(first, last, min(last, depth) - first) for first, last in blocks if first < depth]
    many = 1
    for first, last, filled in reached:
        many *= math.perm(last - first, filled)
        if many > MOST:
            random = np.random.default_rng(seed)
            drawn = (np.lexsort((random.random(len(number)), number)) for _ in range(DRAWN))
            return drawn, False
    tried = product(*(permutations(range(first, last), filled) for first, last, filled in reached))
    return (_completed(chain.from_iterable(top), len(number)) for top in islice(tried, many)), True


def _completed(top: Iterator[int], length: int) -> Ints:
    chosen = np.fromiter(top, dtype=np.int64)
    rest = np.ones(length, dtype=np.bool_)
    rest[chosen] = False
    return np.concatenate((chosen, np.flatnonzero(rest)))
