"""The best remaining document of each group, as documents are placed one after the other."""

import numpy as np

from fairtrec.data import Bools, Ints

FAR = np.iinfo(np.int64).max  # behind all documents


class Heads:
    """The heads of each query's groups: what is placed is taken off.

    >>> heads = Heads(np.array([[0, 0, 1]]), groups=2)
    >>> heads.take(np.array([0]), np.array([True])).tolist(), heads.places.tolist(), heads.taken.tolist()
    ([0], [[1, 2]], [[1, 0]])
    """

    def __init__(self, groups_of: Ints, groups: int) -> None:
        """``groups_of`` [query, place] is the group of each document, MISSING behind the last."""
        queries = len(groups_of)
        keys = np.where(groups_of < 0, groups, groups_of)
        self._order = np.argsort(keys, axis=1, kind="stable")
        counts = np.zeros((queries, groups + 1), dtype=np.int64)
        np.add.at(counts, (np.arange(queries)[:, None], keys), 1)
        self.supply: Ints = counts[:, :groups]
        self._first = np.cumsum(self.supply, axis=1) - self.supply
        self._rows = np.arange(queries)
        self.taken: Ints = np.zeros((queries, groups), dtype=np.int64)

    @property
    def places(self) -> Ints:
        """Where the head of each group stands [query, group]; FAR where the group has run out."""
        if not self._order.shape[1]:
            return np.full(self.taken.shape, FAR)
        at = np.minimum(self._first + self.taken, self._order.shape[1] - 1)
        found = np.take_along_axis(self._order, at, axis=1)
        return np.where(self.taken < self.supply, found, FAR)

    def take(self, group: Ints, active: Bools) -> Ints:
        """Take the head of this group of each query that is active, and say where it stood [query]."""
        places: Ints = self.places[self._rows, group]
        self.taken[self._rows[active], group[active]] += 1
        return places

    def first(self, claims: Bools) -> Ints:
        """Choose of the groups that have a claim [query, group] the one whose head stands first [query]."""
        chosen: Ints = np.where(claims, self.places, FAR).argmin(axis=1)
        return chosen
