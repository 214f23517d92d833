"""Exposure of one group: how much more, or less, of the readers' attention than it should have?

Source: Singh, Joachims: Fairness of Exposure in Rankings. KDD 2018. https://doi.org/10.1145/3219819.3220088
Biega, Gummadi, Weikum: Equity of Attention. SIGIR 2018. https://doi.org/10.1145/3209978.3210063
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from fairtrec.data import Bools
from fairtrec.formulas import discount, ranks
from fairtrec.formulas.distribution import quotient
from fairtrec.formulas.labelings.exposures import Portion
from fairtrec.formulas.labelings.sums import Linear
from fairtrec.formulas.rounding import same
from fairtrec.formulas.weighted_sums import weighted_sum
from fairtrec.measure import Bounds, Floats, Form, Measure, Summands, SumOverRanks, UsageError
from fairtrec.measure.forms import PooledShares

if TYPE_CHECKING:
    from fairtrec.statistics.deleted_clusters import PooledInterval


def surplus(held: Floats, mass: Floats, target: Floats, weights: Floats) -> Floats:
    """Give a group's share of the exposure, less its target [query or 1]; nan where nothing is exposed.

    ``held`` [query, rank] is the group's membership, ``mass`` that of all groups, ``weights`` [rank] the exposure.

    >>> surplus(np.array([[1.0, 0.0]]), np.ones((1, 2)), np.array([0.5]), np.array([3.0, 1.0])).tolist()
    [0.25]
    """
    return quotient(weighted_sum(held, weights), weighted_sum(mass, weights)) - target


@ranks.cache_by_array
def _known(membership: Floats) -> Floats:
    """Sum over groups [query, rank]; nan where they are unknown."""
    return np.asarray(membership.sum(axis=2))


def _surplus_of_one(at: int, shares: Floats, target: Floats) -> float:
    return float(shares[at] - target[at])


def _of_sums(sums: Floats) -> Floats:
    return quotient(sums[..., 0] - sums[..., 1], sums[..., 2])


def _bound_surplus(parts: Floats, _: Floats, confidence: float) -> "PooledInterval":
    """Bound the share of the exposure, less the target; if targets differ, the surplus itself."""
    from fairtrec.statistics import deleted_clusters, doubt

    held, due, handed = parts.T
    rest = handed - held
    targets = quotient(due, handed, np.nan)
    targets = targets[~np.isnan(targets)]
    if same(targets, targets[:1]).all():
        found = deleted_clusters.bound_share(held, rest, confidence)
        target = float(due.sum() / handed.sum()) if handed.any() else np.nan
        return found._replace(low=found.low - target, high=found.high - target)
    effective = min(map(doubt.count_effective, (held, rest)))
    return deleted_clusters.bound_value(_of_sums, parts, effective, confidence)


@dataclass(eq=False)
class Surplus(Form):
    """The surplus of one group, by its number ``at``; its columns differ in how many groups a document is in.

    ``mass`` gives that [query, rank], if a document of unknown group counts as so many; of ``all`` each counts once.
    ``weights`` gives those of so many ranks.
    """

    membership: Floats
    target: Floats
    is_filled: Bools
    at: int
    cutoff: int
    mass: Callable[..., Floats]
    weights: Callable[[int], Floats]
    of_all: bool
    drops: bool  # documents of unknown group

    @property
    def top(self) -> Floats:
        """The membership of the group at the ranks that are read [query, rank]."""
        return np.nan_to_num(self.membership[:, : self.cutoff, self.at])

    @property
    def wanted(self) -> Floats:
        """The group's target [query or 1]."""
        return self.target[:, self.at]

    def value(self) -> Floats:
        """Divide what the group has by what all have, less its target."""
        mass = self.mass(self.membership, self.is_filled)[:, : self.cutoff]
        return surplus(self.top, mass, self.wanted, self.weights(mass.shape[1]))

    def over_queries(self) -> Summands:
        """Sum the group's exposure, that of all, and what of it the group should have had."""
        top = self.membership[:, : self.cutoff]
        weights = self.weights(top.shape[1])
        handed = weighted_sum(self.mass(top, self.is_filled), weights)
        terms = np.stack([weighted_sum(self.top, weights), handed * self.wanted, handed], axis=1)
        return Summands(np.where(np.isnan(terms).any(axis=1, keepdims=True), 0.0, terms), _of_sums, _bound_surplus)

    def over_shares(self) -> PooledShares | None:
        """Give the exposure of the groups, if no document of unknown group takes part of it."""
        if not (self.drops or self.of_all):
            return None
        held = np.nan_to_num(self.membership[:, : self.cutoff])
        value = partial(_surplus_of_one, self.at)
        return PooledShares(held, self.weights(held.shape[1]), self.target, value, self.at, self.of_all)

    def over_ranks(self) -> SumOverRanks:
        """Let each rank add its part of the exposure, which is settled if all documents have as much membership."""
        weights, mass = self.weights(self.cutoff), self.mass(self.membership, self.is_filled)
        behind = ~self.is_filled
        gains = np.nan_to_num(self.membership[..., self.at]) - self.wanted[:, None] * mass
        settled = np.asarray((mass == mass[:, :1]) | behind)
        return SumOverRanks(gains, weights, weighted_sum(mass[:, : self.cutoff], weights), settled=settled)

    def over_documents(self) -> SumOverRanks | None:
        """Do the same, if documents take their part of the exposure of all ranks; of all groups others change it."""
        if not self.of_all:
            return None
        return replace(self.over_ranks(), by_labels=lambda weights: weights[..., self.at] - self.wanted[:, None])

    def over_labels(self) -> Linear | Portion:
        """Let each rank add its part of the exposure, the same in all labelings that give it to some group."""
        top, groups = self.membership[:, : self.cutoff], self.membership.shape[2]
        weights = self.weights(top.shape[1])
        handed = weighted_sum(self.mass(top, self.is_filled, 1.0), weights)
        part = quotient(np.broadcast_to(weights, top.shape[:2]), handed[:, None])
        held = (np.arange(groups) == self.at).astype(np.float64)
        if self.of_all:
            return Linear(part[..., None] * held, -self.wanted, always=True)

        def value(got: Floats) -> Floats:
            return quotient(got[..., self.at], got.sum(axis=-1)) - self.wanted[:, None]

        return Portion(weights[None], value, Linear(part[..., None] * (held - self.wanted[:, None])[:, None]))


@dataclass(frozen=True)
class Exposure(Measure):
    """How much more (above 0) or less (below 0) of the readers' attention does the group get than it should?

        exposure(a) = sum over ranks i = 1..k of  w_i * membership of d_i in group a
        Exposure@k  = exposure(group) / (sum of exposure over all groups) - target(group)

    There is one value for each group: ``Exposure(group='f')@10``; ``Exposure@10`` prints all of them. The values of all
    groups sum to 0: one group's surplus is the loss of others. ``discount``: 'log2' is w_i = 1 / log2(1 + i);
    'log2_clipped' is w_i = 1 / log2(max(i, 2)); 'given' takes w_i from --discount FILE. ``unknown``: 'drop' leaves
    documents of unknown group out; 'group' makes them a separate group of target 0, which takes its share of the
    attention. Labels can be soft.

    ``of='all'`` divides by the exposure of all filled ranks, so documents of no or unknown group take their share. The
    values of all groups then sum to minus this share, and each value is a sum over documents, which labels for a sample
    of documents (--gold) can correct.

    Singh and Joachims compare such exposure between groups (DP, DTR). Biega et al. subtract the deserved share, which
    is Exposure with --target relevance. AWRF is one number for all groups.

    Unit: a share, less a share. Better: nearer 0. Empty ranking: undefined.
    Range: from -target(group) to 1 - target(group).
    Undefined: no document in the top k has a group (for unknown='drop'; else: none is of any or of unknown group; for
    of='all': nothing was ranked), or there is no target.
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

    def bounds_among(self, groups: Sequence[str], target: Floats) -> Bounds:
        """Nobody has less than nothing, or more than all, of the exposure."""
        if self.group not in groups:
            return self.bounds
        own = float(target[groups.index(self.group)])
        return -own, 1 - own

    def check(self, groups: Sequence[str]) -> None:
        """Refuse two ways to count documents of unknown group."""
        super().check(groups)
        if self.of == "all" and self.unknown == "group":
            raise UsageError(f"{self}: of='all' counts documents of unknown group already; leave out unknown='group'")

    def formula(self, membership: Floats, target: Floats, groups: Sequence[str], is_filled: Bools) -> Surplus:
        """Divide the group's exposure by that of all, less its target."""
        at, weights, of_all = (
            groups.index(self.group),
            partial(discount.compute_weights, self.discount),
            self.of == "all",
        )
        drops = self.unknown == "drop"
        return Surplus(membership, target, is_filled, at, self.cutoff, self.mass, weights, of_all, drops)

    def mass(self, membership: Floats, is_filled: Bools, unknown: float | None = None) -> Floats:
        """Say in how many groups, with their weights, each ranked document is [query, rank], and an ``unknown`` one.

        With of='all' each counts once.
        """
        there = is_filled[:, : membership.shape[1]]
        if self.of == "all":
            return there.astype(np.float64)
        of_unknown = np.where(there, float(self.unknown == "group") if unknown is None else unknown, 0.0)
        known = _known(membership)
        return np.where(np.isnan(known), of_unknown, known)
