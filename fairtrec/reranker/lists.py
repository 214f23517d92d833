"""The documents of each query that a reranker moves, closed up, and how they are put back among the others."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairtrec.data import MISSING, Floats, Ints
from fairtrec.data.parameters import Remark


@dataclass(frozen=True, eq=False)
class Lists:
    """The documents that are moved, by the ranks at which they stand; the others keep theirs.

    ``ranks`` and ``groups`` [query, n] hold MISSING behind the last; ``tops`` [query] is how many of them stand above
    the cutoff. ``width`` is how many ranks were looked at, ``lengths`` [query] how many of these hold a document.
    """

    ranks: Ints
    groups: Ints
    tops: Ints
    lengths: Ints
    width: int
    remarks: tuple[Remark, ...] = ()

    @classmethod
    def of(cls, group_of: Ints, lengths: Ints, cutoff: int, free: int | None = None) -> "Lists":
        """Take the documents of known group; those of unknown group, too, as members of the group ``free``, if given.

        >>> lists = Lists.of(np.array([[0, MISSING, 1]]), np.array([3]), cutoff=2)
        >>> lists.ranks.tolist(), lists.groups.tolist(), lists.tops.tolist()
        ([[0, 2]], [[0, 1]], [1])
        """
        there = np.arange(group_of.shape[1]) < lengths[:, None]
        groups = np.where(there & (group_of == MISSING), MISSING if free is None else free, group_of)
        moved = there & (groups != MISSING)
        many = moved.sum(axis=1)
        filled = np.arange(int(many.max(initial=0))) < many[:, None]
        ranks, closed = np.full((2, *filled.shape), MISSING, dtype=np.int64)
        ranks[filled], closed[filled] = np.nonzero(moved)[1], groups[moved]
        top = there[:, :cutoff]
        unknown, silent = top & (group_of[:, :cutoff] == MISSING), ~(there & (group_of != MISSING)).any(axis=1)
        kept = "so their order is kept" if free is None else "in which nobody has a claim"
        remarks = [counted(f"queries without a document of known group, {kept}: {{}} of {{}}", silent)]
        if free is None:
            words = "ranks whose document is of no group, or of an unknown one, and stays: {} of {}"
            remarks.append(Remark(words, (int(unknown.sum()), int(top.sum()))))
        tops = moved[:, :cutoff].sum(axis=1)
        return cls(ranks, closed, tops, lengths, group_of.shape[1], tuple(remarks))

    @property
    def many(self) -> Ints:
        """How many documents are moved [query]."""
        many: Ints = (self.ranks != MISSING).sum(axis=1)
        return many

    def put_back(self, first: Ints) -> Ints:
        """Order all ranks that were looked at [query, place]: ``first`` come these places of the lists, then the rest.

        >>> lists = Lists.of(np.array([[0, MISSING, 1]]), np.array([3]), cutoff=3)
        >>> lists.put_back(np.array([[1]])).tolist()
        [[2, 1, 0]]
        """
        order = completed(first, self.many, self.ranks.shape[1])
        ranks = np.arange(self.width)
        put = np.where(ranks < self.lengths[:, None], ranks, MISSING)
        filled = self.ranks != MISSING
        rows = np.nonzero(filled)[0]
        put[rows, self.ranks[filled]] = self.ranks[rows, order[filled]]
        return put

    def spread(self, values: Floats) -> Floats:
        """Take the values [query, rank] of the documents that are moved [query, n]; nan behind the last."""
        taken = np.take_along_axis(values, np.maximum(self.ranks, 0), axis=1)
        return np.where(self.ranks == MISSING, np.nan, taken)


def counted(words: str, which: Any) -> Remark:
    """Say of how many of all queries something is true: ``words`` have a ``{}`` for each of the two numbers.

    >>> str(counted("queries that end early: {} of {}", np.array([True, False])))
    'queries that end early: 1 of 2'
    """
    return Remark(words, (int(np.sum(which)), len(which)))


def completed(first: Ints, many: Ints, width: int) -> Ints:
    """Put behind the ``first`` [query, place], which MISSING may fill up, the rest of 0..many-1; MISSING behind these.

    >>> completed(np.array([[2, MISSING], [1, 0]]), np.array([3, 2]), 3).tolist()
    [[2, 0, 1], [1, 0, -1]]
    """
    at = np.arange(width)
    place = np.where(at < many[:, None], first.shape[1] + at, first.shape[1] + width + at)
    rows, columns = np.nonzero(first != MISSING)
    place[rows, first[rows, columns]] = columns
    order = np.argsort(place, axis=1, kind="stable")
    return np.where(at < many[:, None], order, MISSING)
