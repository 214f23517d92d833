"""Attributes that are crossed: the target of their groups, and measures over more groups than are ever listed."""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

import numpy as np

from fairtrec.data import Floats, Ints, Labels
from fairtrec.formulas.crossed import CrossedGroups, CrossedTarget

MOST = 4096  # groups that are listed


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
    def listed(self) -> bool:
        """Whether their groups are few enough for a list of all."""
        return prod(self.space.sizes) <= MOST

    @cached_property
    def codes(self) -> Ints:
        """The codes of all groups [group, attribute], in the order of their names."""
        every = product(*(range(size) for size in self.space.sizes))
        names = ["*".join(parts) for parts in product(*(labels.groups for labels in self.labels))]
        codes = np.array(list(every), dtype=np.int64)
        return codes[np.argsort(names)]

    def target(self, shares: Floats) -> Floats:
        """Give the target [query, group] where documents hold these shares; nan where they hold none."""
        found = np.full(shares.shape, np.nan)
        for row in np.flatnonzero(~np.isnan(shares).any(axis=1)):
            there = shares[row] > 0
            found[row] = CrossedTarget(self.space, self.codes[there], shares[row, there]).at(self.codes)
        return found

    @cached_property
    def given(self) -> CrossedTarget:
        """The target of all queries, where all of it is given, and so nothing to unlabelled documents."""
        known = [int(shares.argmax()) for shares in self.space.given if shares is not None]
        return CrossedTarget(self.space, np.array([known]), np.ones(1))
