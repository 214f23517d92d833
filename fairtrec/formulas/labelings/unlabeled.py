"""Rankings some of whose documents are of unknown group, and the labelings of them that are tried."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np

from fairtrec.data import Bools, Floats, Ints
from fairtrec.formulas import ranks
from fairtrec.formulas.weighted_sums import multiply_counts, weighted_sum

MOST = 4096  # so many labelings of a ranking are all tried
DRAWN = 200  # of more, so many are drawn
FEW = 40  # labelings, of so many documents that those of all are a large matrix
LARGE = 1 << 24  # numbers
STATES = 65_536  # of a path; with more, labelings are drawn


@dataclass(frozen=True, eq=False)
class Ends:
    """The least, the greatest and the expected of each query's value [end, query], and which of them are exact.

    ``bounded`` [query]: an end is a bound that no labeling passes and perhaps none attains. ``sampled``: the expected
    value is that of drawn labelings. ``drawn``: the ends are those of drawn labelings, too, and so no bounds.
    """

    values: Floats
    bounded: Bools
    sampled: Bools
    drawn: Bools

    @classmethod
    def exact(cls, values: Floats) -> "Ends":
        """All three are exact."""
        no = np.zeros(values.shape[1], dtype=np.bool_)
        return cls(values, no, no, no)


@dataclass(frozen=True, eq=False)
class Unlabeled:
    """Rankings with slots, a slot for each document of unknown group; a query's slots count from 0.

    ``known`` [query, rank, group] is the membership, 0 where it is unknown or there is no document. ``slot`` [query,
    rank] is the slot of an unknown document, -1 elsewhere. ``number`` [query] is how many slots there are, ``length``
    [query] how many documents. ``prior`` [query, way] is how likely each group is, and last, where a document may be
    of none of them, how likely that is. ``choose`` gives the ways of the labelings that are tried [query or 1,
    labeling, slot], all there are where ``complete``.
    """

    known: Floats
    slot: Ints
    number: Ints
    length: Ints
    prior: Floats
    choose: Callable[[], Ints]
    complete: bool

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return int(self.known.shape[2])

    @property
    def most_unknown(self) -> int:
        """How many unknown documents there are, at most, in a ranking."""
        return int(self.number.max())

    @property
    def ways(self) -> int:
        """How many ways there are to label a document: a group each, and perhaps none of them."""
        return int(self.prior.shape[1])

    @cached_property
    def way_membership(self) -> Floats:
        """The membership [query, rank, way]; where a document may be of none, the last column is empty."""
        return np.pad(self.known, ((0, 0), (0, 0), (0, self.ways - self.groups)))

    @cached_property
    def may_be_nobody(self) -> Bools:
        """Which rankings may hold no document of any group [query]."""
        return np.asarray((self.known.sum(axis=(1, 2)) == 0) & (self.ways > self.groups))

    @cached_property
    def choices(self) -> Ints:
        """The ways of the labelings that are tried [query or 1, labeling, slot]."""
        return self.choose()

    @cached_property
    def chances(self) -> Floats:
        """How likely each labeling that is tried is among these [query, labeling]."""
        if not self.complete:
            return np.full((len(self.known), self.choices.shape[1]), 1 / self.choices.shape[1])
        prior = self.prior[:1] if (self.prior == self.prior[0]).all() else self.prior
        chances = np.ones((len(prior), self.choices.shape[1]))
        for of_slot in np.moveaxis(self.choices[0], 1, 0):
            chances *= prior[:, of_slot]
        return np.broadcast_to(chances, (len(self.known), chances.shape[1]))

    def gather_slots(self, weights: Floats) -> Floats:
        """Bring the weights [query or 1, rank] of unknown ranks to their slots [query, slot]; 0 where there is none."""
        found = np.zeros((len(self.known), int(self.number.max())))
        query, rank = np.nonzero(self.slot >= 0)
        found[query, self.slot[query, rank]] = np.broadcast_to(weights, self.slot.shape)[query, rank]
        return found

    def sum_known(self, weights: Floats) -> Floats:
        """Sum the weights [query or 1, rank] that each group has for sure [query, group]."""
        return weighted_sum(self.known, np.broadcast_to(weights, self.slot.shape))

    def corners(self, weights: Floats) -> Floats:
        """Sum the weights that each group has where all slots are labeled in one way [query, way, group]."""
        total = ranks.total(self.gather_slots(weights))
        return np.asarray(self.sum_known(weights)[:, None] + total[:, None, None] * np.eye(self.ways, self.groups))

    def amounts(self, weights: Floats) -> Floats:
        """Sum the weights [query or 1, rank] that each group has in each labeling [query, labeling, group]."""
        of_slots = self.gather_slots(weights)[..., None]
        held = self.sum_known(weights)
        ways = self.choices.shape[1]
        step = FEW if self.choices.size > LARGE else ways
        total = np.empty((self.groups, len(held), ways))  # a group in one piece, as sums over groups want
        for at in range(0, ways, step):
            some = self.choices[:, at : at + step]
            for a in range(self.groups):
                np.add(multiply_counts(some == a, of_slots)[..., 0], held[:, a, None], out=total[a, :, at : at + step])
        return np.moveaxis(total, 0, 2)

    def take_ends(self, values: Floats) -> Ends:
        """Take the ends of the values of the labelings that were tried [query, labeling]; nan takes no part."""
        tried = np.stack([np.fmin.reduce(values, axis=1), np.fmax.reduce(values, axis=1), mean(values, self.chances)])
        all_or_none = np.full(len(values), not self.complete)
        return Ends(tried, np.zeros(len(values), dtype=np.bool_), all_or_none, all_or_none)


def mean(values: Floats, chances: Floats) -> Floats:
    """Average the values [query, n] that are defined, each as likely as the ``chances`` say; nan where none is.

    >>> mean(np.array([[1.0, np.nan, 4.0]]), np.array([[0.5, 0.25, 0.25]])).tolist()
    [2.0]
    """
    likely = ~np.isnan(values) & (chances > 0)
    share = chances if likely.all() else np.where(likely, chances, 0.0)
    total = share.sum(axis=1)
    with np.errstate(invalid="ignore"):  # the mean of both infinities is undefined
        sums = ((values if share is chances else np.where(likely, values, 0.0)) * share).sum(axis=1)
    return np.asarray(np.divide(sums, total, out=np.full(len(values), np.nan), where=total > 0))


class LabelForm(ABC):
    """How the value depends on the groups of documents. ``tries`` says whether labelings are tried one by one."""

    tries: ClassVar[bool] = False  # whether labelings are tried one by one

    def exact(self, rankings: Unlabeled) -> bool:  # noqa: ARG002 - of any
        """Tell whether the form gives both ends of these, or bounds."""
        return True

    @abstractmethod
    def find_ends(self, rankings: Unlabeled) -> Ends:
        """Find the ends over all labelings."""


@lru_cache(maxsize=16)
def list_labelings(groups: int, number: int) -> Ints:
    """List all labelings of so many documents [labeling, slot].

    >>> list_labelings(2, 2).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    labelings: Ints = np.indices((groups,) * number).reshape(number, groups**number).T  # exact: whole numbers
    labelings.flags.writeable = False  # as they are kept
    return labelings


def count_enumerable(groups: int) -> int:
    """Say of how many documents all labelings are tried.

    >>> count_enumerable(2), count_enumerable(3), count_enumerable(4)
    (12, 7, 6)
    """
    return next(many for many in range(MOST) if groups ** (many + 1) > MOST)  # exact: whole numbers
