"""KL, NDKL and nDRKL: how far the groups' shares at the top of a ranking are from the target.

Source: Geyik, Ambler, Kenthapadi: Fairness-Aware Ranking in Search & Recommendation Systems with Application to
LinkedIn Talent Search. KDD 2019, section 3. https://doi.org/10.1145/3292500.3330691
Gao, Ge, Shah: FAIR: Fairness-Aware Information Retrieval Evaluation. 2021. https://doi.org/10.48550/arXiv.2106.08527
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from fairtrec.formulas import discount, distribution
from fairtrec.measure import Bounds, Floats, GroupPrefixes, GroupTotals, Ints, Measure, Note
from fairtrec.measure.infinite import note_infinite

OF_TARGET_0 = "a group of target 0 has a share (see --target)"


def divergences(amounts: Floats, target: Floats) -> Floats:
    """Give dKL of what the groups hold [..., group] from the target; nan if no group holds anything.

    >>> divergences(np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0.5, 0.5])).round(6).tolist()
    [nan, 0.693147, 0.0]
    """
    return distribution.kl(distribution.shares(amounts), target)


def cost_kl(amounts: Floats, target: Floats, _: Any) -> Floats:
    """Give the cost of a rank: dKL of what the groups hold down to it, 0 if no group holds anything."""
    return np.nan_to_num(divergences(amounts, target), nan=0.0, posinf=np.inf)


def cost_bounded(diverge: Callable[[Floats, Floats], Floats], amounts: Floats, target: Floats, _: Any) -> Floats:
    """Give the same by a divergence in [0, 1]."""
    return np.nan_to_num(diverge(distribution.shares(amounts), target))


COSTS: dict[str, Callable[[Floats, Floats, Any], Floats]] = {  # one object each, so that cutoffs share it
    "kl": cost_kl,
    **{name: partial(cost_bounded, diverge) for name, diverge in distribution.DIVERGENCES.items()},
}


def discounts(membership: Floats, lengths: Ints, cutoff: int) -> Floats:
    """Discount the ranks down to the cutoff that hold a document [query, rank]."""
    several = membership[:, :cutoff].shape[1]
    return np.where(np.arange(several) < lengths[:, None], discount.log2(several), 0.0)


@dataclass(frozen=True)
class KL(Measure):
    """How far are the groups' shares in the top k from the target?

        D_k  = the groups' shares among the documents at ranks 1..k; each membership counts once
        KL@k = sum over groups a of  D_k(a) ln(D_k(a) / target(a));  0 ln 0 = 0

    Unit: nats. Better: lower. Empty ranking: undefined.
    Range: from 0 to -ln of the least target, 0.6931 for two groups of even target; infinite if a group of target 0 has
    a share.
    Undefined: no document in the top k has a group, or there is no target.
    Source: Geyik, Ambler, Kenthapadi, KDD 2019. https://doi.org/10.1145/3292500.3330691
    """

    cutoff: int = 10
    better = "lower"
    bounds = 0.0, None

    def formula(self, membership: Floats, target: Floats) -> GroupTotals:
        """Compare what the groups hold in the top with the target."""
        return GroupTotals(membership, self.cutoff, divergences, target)

    def note(self, values: Floats, **_: Any) -> Note | None:
        """Say that a mean is infinite, and why."""
        return note_infinite(values, OF_TARGET_0)


@dataclass(frozen=True)
class NDKL(Measure):
    """How far are the groups' shares from the target at each rank, with more weight at the top?

        D_i    = the groups' shares among the documents at ranks 1..i; each membership counts once
        dKL_i  = sum over groups a of  D_i(a) ln(D_i(a) / target(a));  0 ln 0 = 0
        NDKL@k = (1 / Z) * sum over ranks i = 1..min(k, length) of  dKL_i / log2(1 + i)
        Z      = sum over ranks i = 1..min(k, length) of  1 / log2(1 + i)

    Ranks before the first document of any group add nothing. A document of unknown group changes no share.

    ``divergence`` takes another divergence of D_i from the target instead of dKL_i. 'kl' is dKL_i. 'jsd' is
    Jensen-Shannon to base 2, which is finite for a group of target 0. 'nmd', the normalized match distance, and 'rnod',
    the root normalized order-aware divergence, are those of GFR: a viewpoint that is far from a missing one costs more
    than its neighbor. Both need ordered groups: names that are numbers, bins, or ``--groups low,mid,high``.

    Unit: nats; none for the other divergences. Better: lower. Empty ranking: undefined.
    Range: from 0 to -ln of the least target, 0.6931 for two groups of even target; infinite if a group of target 0 has
    a share. [0, 1] for the other divergences.
    Undefined: no document in the top k has a group, or there is no target.
    Source: Geyik, Ambler, Kenthapadi, KDD 2019, Definition 3.3. https://doi.org/10.1145/3292500.3330691
    """

    cutoff: int = 10
    divergence: Literal["kl", "jsd", "nmd", "rnod"] = "kl"
    better = "lower"

    @property
    def bounds(self) -> Bounds:
        """There is no greatest dKL; the other divergences are 1 at most."""
        return 0.0, None if self.divergence == "kl" else 1.0

    @property
    def needs(self) -> tuple[str, ...]:
        """The names of the inputs; the order of the groups if the divergence depends on it."""
        return (*super().needs, *["order"] * (self.divergence not in ("kl", distribution.SYMMETRIC)))

    def formula(self, membership: Floats, target: Floats, lengths: Ints, order: Ints | None = None) -> GroupPrefixes:
        """Let each rank add the divergence of what the groups hold down to it, discounted."""
        filled = discount.sums(discount.log2(self.cutoff))[lengths.clip(max=self.cutoff)]
        weights = discounts(membership, lengths, self.cutoff)
        return GroupPrefixes(membership, COSTS[self.divergence], target, weights, filled, order=order)

    def note(self, values: Floats, **_: Any) -> Note | None:
        """Say that a mean is infinite, and why."""
        return note_infinite(values, OF_TARGET_0)


@dataclass(frozen=True)
class nDRKL(Measure):  # noqa: N801 - what the user types
    """How near are the groups' shares to the target at each rank, with more weight at the top?

        D_i     = the groups' shares among the documents at ranks 1..i; each membership counts once
        dKL_i   = sum over groups a of  D_i(a) ln(D_i(a) / target(a));  0 ln 0 = 0
        nDRKL@k = (1 / Z) * sum over ranks i = 1..min(k, length) of  1 / (log2(1 + i) (dKL_i + 1))
        Z       = sum over ranks i = 1..k of  1 / log2(1 + i)

    A rank earns 0 if a group of target 0 has a share, and before the first document of any group. A document of unknown
    group changes no share.

    Unit: none. Better: higher. Empty ranking: 0.
    Range: [0, 1]; 1 for k documents that meet the target at every rank.
    Undefined: documents were ranked, but none in the top k has a group; or there is no target.
    Source: Gao, Ge, Shah, 2021. https://doi.org/10.48550/arXiv.2106.08527
    """

    cutoff: int = 10
    bounds = 0.0, 1.0

    def formula(self, membership: Floats, target: Floats, lengths: Ints) -> GroupPrefixes:
        """Let each rank add the nearness of what the groups hold down to it, discounted."""
        return GroupPrefixes(
            membership,
            lambda amounts, target, _: distribution.closeness(divergences(amounts, target)),
            target,
            discounts(membership, lengths, self.cutoff),
            discount.log2(self.cutoff).sum(),
            if_nobody=np.where(lengths == 0, 0.0, np.nan),
        )
