"""Ties: what a value can be over the orders of documents of equal score, each order as likely as any other.

What a measure makes of its ranks (``fairtrec.measure.forms``) says in closed form what is least, greatest and
expected. For all other measures ``orders`` gives the orders themselves.

Source: McSherry, Najork: Computing Information Retrieval Performance Measures Efficiently in the Presence of Tied
Scores. ECIR 2008. https://doi.org/10.1007/978-3-540-78646-7_38
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product

import numpy as np

from fairtrec.data import MISSING, Bools, Floats, Ints, Run

MOST = 720  # so many orders of a ranking are all tried, as those of six documents are
DRAWN = 200  # of more, so many are drawn


@dataclass(frozen=True, eq=False)
class Blocks:
    """Which documents are tied: ``number`` [query, rank] is the same for those of one score, and never falls."""

    number: Ints

    @classmethod
    def find(cls, run: Run, lines: Ints) -> "Blocks":
        """Compare the scores in the lines [query, rank] of a run; where there is no document, nothing is tied."""
        scores = np.append(run.scores, np.nan)[np.where(lines == MISSING, len(run.scores), lines)]
        number = np.zeros(lines.shape, dtype=np.int64)
        np.cumsum(scores[:, 1:] != scores[:, :-1], axis=1, out=number[:, 1:])
        return cls(number)

    def total(self, values: Floats | Bools) -> Floats:
        """Sum what stands in each block, for each of its ranks [query, rank]."""
        place = self.number + np.arange(len(self.number))[:, None] * self.number.shape[1]
        return np.asarray(np.bincount(place.ravel(), values.ravel(), place.size)[place])

    @cached_property
    def size(self) -> Floats:
        """How many documents are tied [query, rank]."""
        return self.total(np.ones(self.number.shape))

    @cached_property
    def place(self) -> Floats:
        """How many of a block stand above each of its ranks [query, rank]."""
        rank = np.broadcast_to(np.arange(self.number.shape[1]), self.number.shape)
        fresh = np.diff(self.number, axis=1, prepend=-1) > 0
        return np.asarray((rank - np.maximum.accumulate(np.where(fresh, rank, 0), axis=1)).astype(np.float64))

    def sort_rising(self, values: Floats) -> Floats:
        """Sort each block by rising value."""
        return np.take_along_axis(values, np.lexsort((values, self.number), axis=1), axis=1)

    def sort_falling(self, values: Floats) -> Floats:
        """Sort each block by falling value."""
        return -self.sort_rising(-values)


def orders(number: Ints, depth: int | None, seed: tuple[int, ...], draws: int = DRAWN) -> tuple[Iterator[Ints], bool]:
    """Give what stands at the first ``depth`` ranks in each order of a ranking, and whether these are all of them.

    Each is equally likely. ``number`` [rank] is that of the block of each document; documents are named by the ranks
    that they had. More than MOST are not all given: so many ``draws`` are.

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
            return (_drawn(top, number[: blocks[-1][1]], random) for _ in range(draws)), False
    tried = product(*(permutations(range(first, last), min(last, len(top)) - first) for first, last in blocks))
    return (_rearranged(top, zip(starts[several].tolist(), each, strict=True)) for each in tried), True


def _drawn(top: Ints, number: Ints, random: "np.random.Generator") -> Ints:
    """Shuffle each block; what lies behind the last takes no part, so that no draw depends on it."""
    order = top.copy()
    order[: len(number)] = np.lexsort((random.random(len(number)), number))[: len(top)]
    return order


def _rearranged(top: Ints, blocks: Iterable[tuple[int, tuple[int, ...]]]) -> Ints:
    order = top.copy()
    for first, documents in blocks:
        order[first : first + len(documents)] = documents
    return order
