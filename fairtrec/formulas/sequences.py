"""Orders of documents of a few kinds, where documents of one kind stand for each other.

The front of a sum over ranks and of anything that depends only on which kind of document stands at each rank: for a
given sequence of kinds the sum is greatest if each kind's documents stand on its ranks by falling worth. So it is
enough to look at every sequence of kinds once, where these are few.

The most that a ranking can earn, where what a rank earns depends on how many of each kind of document came before: an
order is a path over how many of each kind have been placed. Of all paths to the same numbers only the best is followed:
a dynamic program, exact.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb, prod
from typing import Self

import numpy as np

from fairtrec.data import MISSING, Bools, Floats, Ints, list_distinct
from fairtrec.data.docnos import Shape

FEW_KINDS, BITS = 6, 10  # which are numbered in one pass over up to 1,023 ranks
MOST = 1_000_000  # sequences, or states; of more, what they tell is not worth its time
NUMBERS = 1 << 62  # of rows that can be told apart by one number
Small = np.ndarray[Shape, np.dtype[np.int8]]
Earned = Callable[[Floats, int], Floats]  # of counts [state, kind] and the number of ranks above: [state, kind]


def count_sequences(supply: Sequence[int], length: int) -> int:
    """Count the sequences of so many ranks that take of no kind more than there are.

    >>> count_sequences([2, 1], 2)
    3
    """
    ways = [1] + [0] * length
    for each in supply:
        ways = [sum(comb(n, own) * ways[n - own] for own in range(min(each, n) + 1)) for n in range(length + 1)]
    return ways[length]


@dataclass(frozen=True, eq=False)
class KindSequences:
    """``kinds`` [sequence, rank], and which of its kind each is: ``number`` [sequence, rank], from 0."""

    kinds: Small
    number: Small
    counts: Small  # [sequence, kind]

    @classmethod
    def enumerate_sequences(cls, supply: Sequence[int], length: int, most: int = MOST) -> Self | None:
        """List the sequences of so many ranks that take of no kind more than there are; None if they are too many.

        >>> KindSequences.enumerate_sequences([2, 1], 2).kinds.tolist()
        [[0, 0], [0, 1], [1, 0]]
        """
        limit = np.minimum(np.array(supply, dtype=np.int64), length)
        kinds = np.zeros((1, 0), dtype=np.int8)
        counts = np.zeros((1, len(limit)), dtype=np.int8)
        if length > np.iinfo(np.int8).max or len(limit) > np.iinfo(np.int8).max:
            return None
        if count_sequences(limit.tolist(), length) > most:
            return None
        number = np.zeros((1, 0), dtype=np.int8)
        for _ in range(length):
            way, kind = np.nonzero(counts < limit)
            number = np.column_stack([number[way], counts[way, kind]])
            kinds = np.column_stack([kinds[way], kind.astype(np.int8)])
            counts = counts[way]
            counts[np.arange(len(way)), kind] += 1
        return cls(kinds, number, counts)

    def fit_supply(self, supply: Ints) -> Bools:
        """Tell which take of no kind more than there are [sequence]."""
        return np.asarray((self.counts <= supply).all(axis=1))

    def keep_grades(self, classes: Ints, supply: Ints) -> Bools:
        """Tell which leave a document of the same grade at every rank [sequence].

        ``classes`` [rank] are the grades, numbered, and ``supply`` [grade, kind] the documents there are.
        """
        held = np.ones(len(self.kinds), dtype=np.bool_)
        for grade in list_distinct(classes).tolist():
            here = self.kinds[:, classes == grade]
            for kind, many in enumerate(supply[grade].tolist()):
                held &= (here == kind).sum(axis=1) <= many
        return held

    def take(self, docs: Ints) -> Ints:
        """Take the documents [kind, number] for each rank [sequence, rank]."""
        return docs[self.kinds, self.number]


@dataclass(frozen=True, eq=False)
class SequenceSteps:
    """The same sequences, each told by the one that it goes on from, so that sums over ranks are added rank by rank.

    Of each rank there are ``ways`` [sequence], the sequence of the rank above; ``kinds`` and ``numbers`` [sequence], as
    in KindSequences. The order of the sequences is the same, too.
    """

    ways: list[Ints]
    kinds: list[Small]
    numbers: list[Small]

    @classmethod
    def enumerate_steps(cls, supply: Ints, length: int, allowed: Bools | None = None, most: int = MOST) -> Self | None:
        """List the sequences; None if they are too many. ``allowed`` [rank, kind] says which kinds may stand where.

        >>> SequenceSteps.enumerate_steps(np.array([2, 1]), 2).take(np.arange(3)).tolist()
        [[0, 0], [0, 1], [1, 0]]
        """
        if length > np.iinfo(np.int8).max or len(supply) > np.iinfo(np.int8).max:
            return None
        limit = np.minimum(supply, length).astype(np.int8)
        if allowed is None and count_sequences(limit.tolist(), length) > most:
            return None
        counts, made = np.zeros((1, len(limit)), dtype=np.int8), cls([], [], [])
        for rank in range(length):
            open_ = counts < limit
            if allowed is not None:
                open_ &= allowed[rank]
            way, kind = np.nonzero(open_)
            if len(way) > most:
                return None
            counts = counts[way]
            at = np.arange(len(way))
            number = counts[at, kind]
            counts[at, kind] += 1
            made.ways.append(way.astype(np.int32))
            made.kinds.append(kind.astype(np.int8))
            made.numbers.append(number)
        return made

    def __len__(self) -> int:
        return len(self.ways[-1]) if self.ways else 1

    def add_up(self, terms: Floats, rank: int, so_far: Floats) -> Floats:
        """Add to the sums of the sequences down to a rank what its document adds: ``terms`` [kind, number, ...]."""
        return np.asarray(so_far[self.ways[rank]] + terms[self.kinds[rank], self.numbers[rank]])

    def take(self, chosen: Ints) -> Small:
        """Give the kinds of chosen sequences [sequence, rank]."""
        kinds, at = np.empty((len(chosen), len(self.ways)), dtype=np.int8), chosen
        for rank in range(len(self.ways) - 1, -1, -1):
            kinds[:, rank] = self.kinds[rank][at]
            at = self.ways[rank][at]
        return kinds


def number_kinds(kinds: Ints | Small) -> Ints:
    """Say which of its kind each document of an order [order, rank] is, from 0.

    >>> number_kinds(np.array([[1, 0, 1]])).tolist()
    [[0, 0, 1]]
    """
    many = int(kinds.max(initial=-1)) + 1
    if many <= FEW_KINDS and kinds.shape[1] < 1 << BITS:  # the numbers so far of all kinds stand in one, BITS for each
        place = (BITS * np.arange(many)).take(kinds) if many else np.zeros(kinds.shape, dtype=np.int64)
        so_far = np.cumsum(np.left_shift(1, place), axis=1)
        return np.asarray((so_far >> place) & ((1 << BITS) - 1)) - 1
    order = np.argsort(kinds, axis=1, kind="stable")
    ordered = np.take_along_axis(kinds, order, axis=1)
    new = np.ones(ordered.shape, dtype=np.bool_)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    place = np.arange(kinds.shape[1])
    number = np.empty(kinds.shape, dtype=np.int64)
    first = np.maximum.accumulate(np.where(new, place, 0), axis=1)
    np.put_along_axis(number, order, place - first, axis=1)
    return number


def group_by_kind(kinds: Ints, worth: Floats, many: int, length: int) -> tuple[Ints, Ints]:
    """Give the documents of each kind by falling worth, so many ranks of them [kind, number], and how many there are.

    >>> group_by_kind(np.array([0, 1, 0]), np.array([1.0, 5.0, 2.0]), many=2, length=2)[0].tolist()
    [[2, 0], [1, -1]]
    """
    docs = np.full((many, max(length, 1)), MISSING, dtype=np.int64)
    order = np.argsort(-worth, kind="stable")
    for kind in range(many):
        best = order[kinds[order] == kind][:length]
        docs[kind, : len(best)] = best
    return docs, np.bincount(kinds, minlength=many)


def states(supply: Ints, ranks: int) -> int:
    """Count the numbers of each kind that up to ``ranks`` documents can have; beyond MOST, some number above it.

    ``supply`` [kind] says how many documents of each kind there are.

    >>> states(np.array([2, 1]), 2)  # none; one of either; two of the first, or one of each
    5
    """
    ways = np.ones(1)
    for each in np.minimum(supply, ranks):
        ways = np.convolve(ways, np.ones(int(each) + 1))[: ranks + 1]  # exact: whole numbers
        if ways.sum() > MOST:
            break
    return int(ways.sum())


def number_rows(rows: np.ndarray[Shape, np.dtype[np.signedinteger]]) -> tuple[Ints, Ints]:
    """Number the different rows [row, column] of whole numbers: where each first stands, and the number of each row.

    >>> [each.tolist() for each in number_rows(np.array([[0, 1], [0, 0], [0, 1]]))]
    [[1, 0], [1, 0, 1]]
    """
    wide = [int(column.max(initial=0)) + 1 for column in rows.T]
    if prod(wide) < NUMBERS:
        keys = np.zeros(len(rows), dtype=np.int64)
        for column, size in zip(rows.T, wide, strict=True):
            keys = keys * size + column
    else:
        rows = np.ascontiguousarray(rows)
        keys = rows.view(f"S{rows.itemsize * rows.shape[1]}")[:, 0]  # a row as one value, by its bytes
    _, first, of = np.unique(keys, return_index=True, return_inverse=True)
    return first, of


def most_earned(supply: Ints, ranks: int, earned: Earned) -> float:
    """Give the most that any order of the documents earns at its first ``ranks`` ranks.

    ``earned`` takes how many of each kind have been placed [state, kind] and the number of ranks above, and says what
    the next document earns [state, kind], 0 or more. All orders are as long as can be.

    >>> round(most_earned(np.array([1, 1]), 2, lambda placed, above: placed[:, ::-1] + 0.1), 9)
    1.2
    """
    placed, best = np.zeros((1, len(supply)), np.int32), np.zeros(1)
    for above in range(min(ranks, int(supply.sum()))):
        state, kind = np.nonzero(placed < supply)
        total = best[state] + earned(placed.astype(np.float64), above)[state, kind]
        after = placed[state]
        after[np.arange(len(kind)), kind] += 1
        first, of = number_rows(after)
        placed, best = after[first], np.zeros(len(first))
        np.maximum.at(best, of, total)
    return float(best.max())
