"""Groups of several attributes that are crossed, without a list of them all: who holds what, and what each should have.

A group is a row of codes [entry, attribute]. A target is mixed from shares q of documents and shares w that are given
for single attributes, as TREC Fair Ranking 2022 does: for the attributes H of which shares are given, and the others R,

    t(x) = a q(x) + (1 - a) m_K * product over known h of w_h(x_h) * s(x_R | x_H)

K is which attributes of H are known in x, m_K what q holds there, s(x_R | x_H) = q(x_H, x_R) / q(x_H), or q(x_R) where
q(x_H) is 0. Where none is known, t = q.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

import numpy as np

from fairtrec.data import MOST_GROUPS, Bools, Floats, Ints, Labels

LISTED = MOST_GROUPS  # of which a list is made of all


@dataclass(frozen=True, eq=False)
class CrossedGroups:
    """The crossed groups: how many each attribute has, which of these is that of unlabeled documents (None: none), and
    the shares that are given (None: those of documents alone), of which documents have the ``factor``.
    """

    sizes: tuple[int, ...]
    unlabeled: tuple[int | None, ...]
    given: tuple[Floats | None, ...]
    factor: float

    @cached_property
    def given_attributes(self) -> list[int]:
        """The attributes of which shares are given."""
        return [place for place, shares in enumerate(self.given) if shares is not None]

    def number_codes(self, codes: Ints, places: Sequence[int] | None = None) -> Ints:
        """Number rows of codes [entry, attribute], by these attributes or all."""
        numbers = np.zeros(len(codes), dtype=np.int64)
        for place in range(len(self.sizes)) if places is None else places:
            numbers = numbers * self.sizes[place] + codes[:, place]
        return numbers

    def find_known(self, codes: Ints) -> Bools:
        """Tell which of the attributes of which shares are given are known [entry, attribute]."""
        columns = [
            np.asarray(codes[:, place] != self.unlabeled[place]) for place in self.given_attributes
        ]  # None is no code
        return np.stack(columns, axis=1) if columns else np.zeros((len(codes), 0), dtype=np.bool_)


def cross_attributes(weights: Sequence[Floats]) -> tuple[Ints, Ints, Floats]:
    """Cross what documents hold of each attribute [document, group]: document, codes and weight of each entry.

    >>> weights = [np.array([[0.5, 0.5], [0.0, 1.0]]), np.array([[1.0, 0.0], [0.0, 1.0]])]
    >>> document, codes, weight = cross_attributes(weights)
    >>> document.tolist(), codes.tolist(), weight.tolist()
    ([0, 0, 1], [[0, 0], [1, 0], [1, 1]], [0.5, 0.5, 1.0])
    """
    document = np.arange(len(weights[0]))
    codes, weight = np.zeros((len(document), 0), dtype=np.int64), np.ones(len(document))
    for held in weights:
        rows, columns = np.nonzero(held > 0)
        many = np.bincount(rows, minlength=len(held))
        first = np.cumsum(many) - many
        times = many[document]
        entry = np.repeat(np.arange(len(document)), times)
        within = np.arange(len(entry)) - np.repeat(np.cumsum(times) - times, times)
        at = first[document[entry]] + within
        codes = np.column_stack((codes[entry], columns[at]))
        weight = weight[entry] * held[rows[at], columns[at]]
        document = document[entry]
    return document, codes, weight


class CrossedTarget:
    """The target of one query; ``codes`` and ``mass`` are the groups that its documents hold, and their shares."""

    def __init__(self, space: CrossedGroups, codes: Ints, mass: Floats) -> None:
        self.space = space
        codes, mass = codes[mass > 0], mass[mass > 0]
        self.numbers, first, into = np.unique(space.number_codes(codes), return_index=True, return_inverse=True)
        self.codes = codes[first]
        self.mass: Floats = np.bincount(into, mass, minlength=len(first)).astype(np.float64)
        rest = [place for place in range(len(space.sizes)) if place not in space.given_attributes]
        self.rest = rest
        self.heads, self.head_of = np.unique(
            space.number_codes(self.codes, space.given_attributes), return_inverse=True
        )
        self.head_mass: Floats = np.bincount(self.head_of, self.mass).astype(np.float64)
        self.tails, self.tail_of = np.unique(space.number_codes(self.codes, rest), return_inverse=True)
        self.tail_mass: Floats = np.bincount(self.tail_of, self.mass).astype(np.float64)
        self.patterns = self._patterns(self.codes)
        self.of_pattern = np.bincount(self.patterns, self.mass, minlength=1 << len(space.given_attributes))

    def _patterns(self, codes: Ints) -> Ints:
        known = self.space.find_known(codes)
        return np.asarray(known @ (1 << np.arange(known.shape[1])), dtype=np.int64)  # exact: whole numbers

    def _given(self, codes: Ints) -> Floats:
        """Multiply the given shares of the known attributes."""
        shares = np.ones(len(codes))
        for known, place in zip(self.space.find_known(codes).T, self.space.given_attributes, strict=True):
            of_groups = self.space.given[place]
            assert of_groups is not None
            shares = shares * np.where(known, of_groups[codes[:, place]], 1.0)
        return shares

    def look_up_shares(self, codes: Ints) -> Floats:
        """Give the shares of these groups [entry]."""
        held = _found(self.numbers, self.mass, self.space.number_codes(codes))
        if not self.space.given_attributes:
            return held
        heads = _found(self.heads, self.head_mass, self.space.number_codes(codes, self.space.given_attributes))
        tails = _found(self.tails, self.tail_mass, self.space.number_codes(codes, self.rest))
        spread = np.where(heads > 0, held / np.where(heads > 0, heads, 1.0), tails)
        patterns, a = self._patterns(codes), self.space.factor
        mixed = a * held + (1 - a) * self.of_pattern[patterns] * self._given(codes) * spread
        return np.asarray(np.where(patterns == 0, held, mixed))

    @cached_property
    def squares(self) -> float:
        """Sum the squares of all shares."""
        space, a = self.space, self.space.factor
        nothing = (
            float(np.square(self.mass[self.patterns == 0]).sum())
            if space.given_attributes
            else float(np.square(self.mass).sum())
        )
        if not space.given_attributes:
            return nothing
        some = self.patterns != 0
        spread = self.mass / self.head_mass[self.head_of]
        second = self.of_pattern[self.patterns] * self._given(self.codes) * spread
        total = a * a * np.square(self.mass[some]).sum() + 2 * a * (1 - a) * (self.mass * second)[some].sum()
        elsewhere = np.square(self.tail_mass).sum()  # of s where q holds nothing
        first = np.unique(self.head_of, return_index=True)[1]
        within = np.bincount(self.head_of, np.square(spread))
        heads = np.square(self._given(self.codes[first])) * (within - elsewhere)
        added = np.bincount(self.patterns[first], heads, minlength=len(self.of_pattern))
        given = [float(np.square(shares).sum()) for shares in space.given if shares is not None]
        for pattern in range(1, len(self.of_pattern)):
            every = prod(squares for bit, squares in enumerate(given) if pattern >> bit & 1)
            total += (
                (1 - a)
                * (1 - a)
                * self.of_pattern[pattern]
                * self.of_pattern[pattern]
                * (elsewhere * every + added[pattern])
            )
        return float(total) + nothing


def _found(numbers: Ints, values: Floats, wanted: Ints) -> Floats:
    at = np.minimum(np.searchsorted(numbers, wanted), len(numbers) - 1)
    return np.asarray(np.where(numbers[at] == wanted, values[at], 0.0))


@dataclass(frozen=True, eq=False)
class Crossing:
    """Attributes that are crossed, by the ``labels`` of each, and what of their target comes from documents.

    ``of``    the documents, each with its factor, which sum to 1; none where all shares are given.
    ``held``  changes: the targets of queries that were asked for.
    """

    labels: tuple[Labels, ...]
    of: tuple[tuple[float, Any], ...]
    space: CrossedGroups
    held: dict[str, CrossedTarget | None] = field(default_factory=dict)

    @property
    def is_listed(self) -> bool:
        """Whether their groups are few enough for a list of all."""
        return prod(self.space.sizes) <= LISTED

    @cached_property
    def codes(self) -> Ints:
        """The codes of all groups [group, attribute], in the order of their names."""
        every = product(*(range(size) for size in self.space.sizes))
        names = ["*".join(parts) for parts in product(*(labels.groups for labels in self.labels))]
        codes = np.array(list(every), dtype=np.int64)
        return codes[np.argsort(names, kind="stable")]

    def target(self, shares: Floats) -> Floats:
        """Give the target [query, group] where documents hold these shares; nan where they hold none."""
        found = np.full(shares.shape, np.nan)
        for row in np.flatnonzero(~np.isnan(shares).any(axis=1)):
            found[row] = CrossedTarget(self.space, self.codes, shares[row]).look_up_shares(self.codes)
        return found

    @cached_property
    def given_target(self) -> CrossedTarget:
        """The target of all queries, where all of it is given, and so nothing to unlabeled documents."""
        known = [int(shares.argmax()) for shares in self.space.given if shares is not None]
        return CrossedTarget(self.space, np.array([known]), np.ones(1))
