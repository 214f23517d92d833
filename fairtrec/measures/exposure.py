"""Exposure of one group: how much more, or less, of the readers' attention than it should have?

Source: Singh, Joachims: Fairness of Exposure in Rankings. KDD 2018. https://doi.org/10.1145/3219819.3220088
Biega, Gummadi, Weikum: Equity of Attention. SIGIR 2018. https://doi.org/10.1145/3209978.3210063
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fairtrec.formulas import discount, ranks
from fairtrec.formulas.distribution import quotient
from fairtrec.formulas.weighted_sums import weighted_sum
from fairtrec.measure import Floats, Gains, Ints, Linear, Measure, Portion, Sum, Summands, UsageError


def surplus(held: Floats, mass: Floats, target: Floats, weights: Floats) -> Floats:
    """Give a group's share of the exposure, less its target [query or 1]; nan where nothing is exposed.

    ``held`` [query, rank] is the group's membership, ``mass`` that of all groups, ``weights`` [rank] the exposure.

    >>> surplus(np.array([[1.0, 0.0]]), np.ones((1, 2)), np.array([0.5]), np.array([3.0, 1.0])).tolist()
    [0.25]
    """
    return quotient(weighted_sum(held, weights), weighted_sum(mass, weights)) - target


@ranks.once
def _known(membership: Floats) -> Floats:
    """Sum over groups [query, rank]; nan where they are unknown."""
    return np.asarray(membership.sum(axis=2))


def _of_sums(sums: Floats) -> float:
    return quotient(sums[:1] - sums[1:2], sums[2:]).item()


@dataclass(frozen=True)
class Exposure(Measure):
    """How much more (above 0) or less (below 0) of the readers' attention does the group get than it should?

        exposure(a) = sum over ranks i = 1..k of  w_i * membership of d_i in group a
        Exposure@k  = exposure(group) / (sum of exposure over all groups) - target(group)

    One value for each group: ``Exposure(group='f')@10``; ``Exposure@10`` stands for all of them, and the values of all
    groups add up to 0: what one gets too much, others lose. ``discount``: 'log2' w_i = 1 / log2(1 + i), 'log2_clipped'
    w_i = 1 / log2(max(i, 2)), 'given' w_i of --discount FILE. ``unknown``: 'drop' leaves documents of unknown group
    out; 'group' makes them a group of their own, of target 0, which takes its share of the attention. Labels may be
    soft. ``of='all'`` divides by the exposure of all ranks that are filled, so that documents of no or of unknown group
    take their share: the values of all groups add up to minus the share of these, and each is a sum over documents, to
    which labels of a few that were drawn (--gold) correct it. Singh and Joachims compare such exposure between groups
    (DP, DTR), Biega et al. subtract what is deserved, which is this for --target relevance; AWRF is one number for all
    groups.

    Unit: a share, less a share. Better: nearer 0. Empty ranking: undefined.
    Range: from -target(group) to 1 - target(group).
    Undefined: no document in the top k is of any group (for unknown='drop'; else: none is of any or of unknown group;
    for of='all': nothing was ranked), or there is no target.
    Source: Singh, Joachims, KDD 2018. https://doi.org/10.1145/3219819.3220088 Biega, Gummadi, Weikum, SIGIR 2018.
    https://doi.org/10.1145/3209978.3210063
    """

    cutoff: int = 10
    group: str = ""
    discount: Literal["log2", "log2_clipped", "given"] = "log2"
    unknown: Literal["drop", "group"] = "drop"
    of: Literal["groups", "all"] = "groups"
    better = "nearer 0"
    bounds = -1.0, 1.0

    def check(self, groups: Sequence[str]) -> None:
        """Refuse two ways to count documents of unknown group."""
        super().check(groups)
        if self.of == "all" and self.unknown == "group":
            raise UsageError(f"{self}: of='all' counts documents of unknown group already; leave out unknown='group'")

    def __call__(self, membership: Floats, target: Floats, groups: Sequence[str], lengths: Ints) -> Floats:
        """Return the group's share of the exposure, less its target [query]."""
        top, at = membership[:, : self.cutoff, groups.index(self.group)], groups.index(self.group)
        mass = self.mass(membership, lengths)[:, : self.cutoff]
        return surplus(np.nan_to_num(top), mass, target[:, at], discount.named(self.discount, top.shape[1]))

    def over_queries(self, membership: Floats, target: Floats, groups: Sequence[str], lengths: Ints) -> Summands:
        """The group's exposure, that of all, and what of it the group should have had are summed."""
        top, at = membership[:, : self.cutoff], groups.index(self.group)
        weights = discount.named(self.discount, top.shape[1])
        handed = weighted_sum(self.mass(top, lengths), weights)
        terms = np.stack([weighted_sum(np.nan_to_num(top[..., at]), weights), handed * target[:, at], handed], axis=1)
        return Summands(np.where(np.isnan(terms).any(axis=1, keepdims=True), 0.0, terms), _of_sums)

    def over_ranks(self, membership: Floats, target: Floats, groups: Sequence[str], lengths: Ints) -> Sum:
        """Each rank adds its part of the exposure, which is settled if all documents have as much membership."""
        at, weights = groups.index(self.group), discount.named(self.discount, self.cutoff)
        mass = self.mass(membership, lengths)
        behind = np.arange(mass.shape[1]) >= lengths[:, None]
        top = mass[:, : self.cutoff]
        gains = np.nan_to_num(membership[..., at]) - target[:, at, None] * mass
        settled = np.asarray(((mass == mass[:, :1]) | behind).all(axis=1))
        return Sum(gains, weights, weighted_sum(top, weights), settled=settled)

    def over_labels(self, membership: Floats, target: Floats, groups: Sequence[str], lengths: Ints) -> Linear | Portion:
        """Each rank adds its part of the exposure, which is the same in all labellings that give it to some group."""
        top, at = membership[:, : self.cutoff], groups.index(self.group)
        weights = discount.named(self.discount, top.shape[1])
        part = quotient(
            np.broadcast_to(weights, top.shape[:2]), weighted_sum(self.mass(top, lengths, 1.0), weights)[:, None]
        )
        held = (np.arange(len(groups)) == at).astype(np.float64)
        if self.of == "all":
            return Linear(part[..., None] * held, -target[:, at], always=True)

        def value(got: Floats) -> Floats:
            return quotient(got[..., at], got.sum(axis=-1)) - target[:, at, None]

        return Portion(weights[None], value, Linear(part[..., None] * (held - target[:, at, None])[:, None]))

    def over_documents(self, membership: Floats, target: Floats, groups: Sequence[str], lengths: Ints) -> Gains | None:
        """Each document adds its part of the exposure of all ranks; that of all groups depends on the others."""
        if self.of != "all":
            return None
        at = groups.index(self.group)
        ranks = self.over_ranks(membership, target, groups, lengths)
        return Gains(ranks, lambda weights: np.asarray(weights[..., at] - target[:, at, None]), 1.0)

    def mass(self, membership: Floats, lengths: Ints, unknown: float | None = None) -> Floats:
        """Say in how many groups, with their weights, each ranked document is [query, rank], and an ``unknown`` one.

        With of='all' each counts once.
        """
        there = np.arange(membership.shape[1]) < lengths[:, None]
        if self.of == "all":
            return there.astype(np.float64)
        of_unknown = np.where(there, float(self.unknown == "group") if unknown is None else unknown, 0.0)
        known = _known(membership)
        return np.where(np.isnan(known), of_unknown, known)
