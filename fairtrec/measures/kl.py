"""KL, NDKL and nDRKL: how far the groups' shares at the top of a ranking are from the target.

Source: Geyik, Ambler, Kenthapadi: Fairness-Aware Ranking in Search & Recommendation Systems with Application to
LinkedIn Talent Search. KDD 2019, section 3. https://doi.org/10.1145/3292500.3330691
Gao, Ge, Shah: FAIR: Fairness-Aware Information Retrieval Evaluation. 2021. https://doi.org/10.48550/arXiv.2106.08527
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairtrec.formulas import discount, distribution, ranks
from fairtrec.formulas.distribution import quotient
from fairtrec.formulas.weighted_sums import weighted_sum
from fairtrec.measure import Floats, Ints, Measure, Prefixes, Totals


def divergences(membership: Floats, target: Floats) -> Floats:
    """Give dKL at each rank of ``membership`` [query, rank, group]; nan before the first document of any group.

    >>> divergences(np.array([[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]]), np.array([[0.5, 0.5]])).round(6).tolist()
    [[nan, 0.693147, 0.0]]
    """
    return distribution.kl(distribution.prefix_shares(membership), target[:, None])


def discounted(values: Floats, lengths: Ints) -> Floats:
    """Sum each row of ``values`` [query, rank] down to its length, discounted.

    >>> discounted(np.array([[1.0, 1.0, 9.0]]), np.array([2])).round(6).tolist()
    [1.63093]
    """
    there = np.arange(values.shape[1]) < lengths[:, None]
    return weighted_sum(np.where(there, values, 0.0), discount.log2(values.shape[1]))


@dataclass(frozen=True)
class KL(Measure):
    """How far are the groups' shares in the top k from the target?

        D_k  = the groups' shares among the documents at ranks 1..k; each membership counts once
        KL@k = sum over groups a of  D_k(a) ln(D_k(a) / target(a));  0 ln 0 = 0

    Unit: nats. Better: lower. Empty ranking: undefined.
    Range: from 0 to -ln of the least target, 0.6931 for two groups of even target; infinite where a group of target 0
    has a share.
    Undefined: no document in the top k is of any group, or there is no target.
    Source: Geyik, Ambler, Kenthapadi, KDD 2019. https://doi.org/10.1145/3292500.3330691
    """

    cutoff: int = 10
    better = "lower"
    bounds = 0.0, None

    def __call__(self, membership: Floats, target: Floats) -> Floats:
        """Return KL [query]."""
        held = distribution.shares(ranks.total(np.nan_to_num(membership[:, : self.cutoff])))
        return distribution.kl(held, target)

    def over_labels(self, target: Floats, **_: Any) -> Totals:
        """What each group holds in all decides."""
        return Totals(lambda amounts: distribution.kl(distribution.shares(amounts), target[:, None]))


@dataclass(frozen=True)
class NDKL(Measure):
    """How far are the groups' shares from the target at each rank, the early ones above all?

        D_i    = the groups' shares among the documents at ranks 1..i; each membership counts once
        dKL_i  = sum over groups a of  D_i(a) ln(D_i(a) / target(a));  0 ln 0 = 0
        NDKL@k = (1 / Z) * sum over ranks i = 1..min(k, length) of  dKL_i / log2(1 + i)
        Z      = sum over ranks i = 1..min(k, length) of  1 / log2(1 + i)

    Ranks before the first document of any group add nothing. A document of unknown group changes no share.

    Unit: nats. Better: lower. Empty ranking: undefined.
    Range: from 0 to -ln of the least target, 0.6931 for two groups of even target; infinite where a group of target 0
    has a share.
    Undefined: no document in the top k is of any group, or there is no target.
    Source: Geyik, Ambler, Kenthapadi, KDD 2019, Definition 3.3. https://doi.org/10.1145/3292500.3330691
    """

    cutoff: int = 10
    better = "lower"
    bounds = 0.0, None

    def __call__(self, membership: Floats, target: Floats, lengths: Ints) -> Floats:
        """Return NDKL [query]."""
        dkl = divergences(membership[:, : self.cutoff], target)
        total = discounted(np.nan_to_num(dkl, nan=0.0, posinf=np.inf), lengths)
        filled = discount.sums(discount.log2(self.cutoff))[lengths.clip(max=self.cutoff)]
        return np.where(np.isnan(dkl).all(axis=1), np.nan, quotient(total, filled))

    def over_labels(self, membership: Floats, target: Floats, lengths: Ints) -> Prefixes:
        """Each rank adds the divergence of what the groups hold down to it."""
        weights = _weights(membership[:, : self.cutoff], lengths)
        filled = discount.sums(discount.log2(self.cutoff))[lengths.clip(max=self.cutoff)]
        worth = lambda dkl: np.nan_to_num(dkl, nan=0.0, posinf=np.inf)  # noqa: E731
        return _over_prefixes(worth, quotient(weights, filled[:, None], otherwise=0.0), target)


@dataclass(frozen=True)
class nDRKL(Measure):  # noqa: N801 - what the user types
    """How near are the groups' shares to the target at each rank, the early ones above all?

        D_i     = the groups' shares among the documents at ranks 1..i; each membership counts once
        dKL_i   = sum over groups a of  D_i(a) ln(D_i(a) / target(a));  0 ln 0 = 0
        nDRKL@k = (1 / Z) * sum over ranks i = 1..min(k, length) of  1 / (log2(1 + i) (dKL_i + 1))
        Z       = sum over ranks i = 1..k of  1 / log2(1 + i)

    A rank earns 0 where a group of target 0 has a share, and before the first document of any group. A document of
    unknown group changes no share.

    Unit: none. Better: higher. Empty ranking: 0.
    Range: [0, 1]; 1 for k documents that meet the target at every rank.
    Undefined: documents were ranked, but none in the top k is of any group; or there is no target.
    Source: Gao, Ge, Shah, 2021. https://doi.org/10.48550/arXiv.2106.08527
    """

    cutoff: int = 10
    bounds = 0.0, 1.0

    def __call__(self, membership: Floats, target: Floats, lengths: Ints) -> Floats:
        """Return nDRKL [query]."""
        dkl = divergences(membership[:, : self.cutoff], target)
        value = discounted(distribution.closeness(dkl), lengths) / discount.log2(self.cutoff).sum()
        empty = (lengths == 0) & ~np.isnan(target).any(axis=1)
        return np.where(~np.isnan(dkl).all(axis=1) | empty, value, np.nan)

    def over_labels(self, membership: Floats, target: Floats, lengths: Ints) -> Prefixes:
        """Each rank adds the nearness of what the groups hold down to it."""
        weights = _weights(membership[:, : self.cutoff], lengths) / discount.log2(self.cutoff).sum()
        return _over_prefixes(distribution.closeness, weights, target)


def _weights(top: Floats, lengths: Ints) -> Floats:
    """Weigh the ranks that hold a document [query, rank]."""
    ranks = top.shape[1]
    return np.where(np.arange(ranks) < lengths[:, None], discount.log2(ranks), 0.0)


def _over_prefixes(worth: Callable[[Floats], Floats], weights: Floats, target: Floats) -> Prefixes:
    """Let each rank add what its divergence is worth, weighed [query, rank]; without a target all is undefined."""

    def cost(amounts: Floats, _: int) -> Floats:
        return worth(distribution.kl(distribution.shares(amounts), target[:, None]))

    undefined = np.where(np.isnan(target).any(axis=1), np.nan, 0.0)
    return Prefixes(cost, weights, undefined, alike=len(target) == 1)
