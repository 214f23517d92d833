"""Skew and feasibility: does a group get less, or more, of the top of a ranking than it should?

Source: Geyik, Ambler, Kenthapadi: Fairness-Aware Ranking in Search & Recommendation Systems with Application to
LinkedIn Talent Search. KDD 2019, section 3. https://doi.org/10.1145/3292500.3330691
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairtrec.formulas import distribution, ranks
from fairtrec.formulas.distribution import quotient
from fairtrec.formulas.elementary import log, log_of_number
from fairtrec.measure import (
    Bools,
    Bounds,
    Floats,
    GroupPrefixes,
    GroupTotals,
    Ints,
    Measure,
    Note,
)
from fairtrec.measure.infinite import note_infinite


def skew(membership: Floats, target: Floats, eps: float = 0.0) -> Floats:
    """Give each group's skew [query, group] in all ranks of ``membership`` [query, rank, group].

    >>> a = [1.0, 0.0]
    >>> skew(np.array([[a, a]]), np.array([[0.5, 0.5]])).round(6).tolist()
    [[0.693147, -inf]]
    """
    return of_totals(ranks.total(np.nan_to_num(membership)), target, eps)


@ranks.cache_by_array
def of_totals(amounts: Floats, target: Floats, eps: float) -> Floats:
    """Give each group's skew [..., group] where the groups hold these amounts [..., group].

    >>> of_totals(np.array([3.0, 1.0]), np.array([0.75, 0.25]), 0.0).tolist()
    [0.0, 0.0]
    """
    held = distribution.shares(amounts) + eps
    ratio = quotient(held, target + eps, otherwise=np.where(held > 0, np.inf, np.nan))
    return np.where(np.isnan(target), np.nan, log(ratio))


def fewer(amounts: Floats, rank: Ints | int, target: Floats) -> Bools:
    """Say where a group holds less than floor(rank * target) [..., group].

    >>> fewer(np.array([1.0, 2.0]), 4, np.array([0.5, 0.5])).tolist()
    [True, False]
    """
    due = np.floor(rank * target + 1e-9)  # 100 * 0.29 is 28.999999999999996
    return np.asarray(amounts < due - 1e-9)


@dataclass(frozen=True)
class _Skew(Measure):
    """What the three share: the smoothing."""

    cutoff: int = 10
    eps: float = 0.0
    limits = (("eps", 0, np.inf, "eps is {eps}; it is added to shares, so it is 0 or more"),)

    def choose_skew(self, membership: Floats, target: Floats, choose: Callable[[Floats], Floats]) -> GroupTotals:
        """Choose one of the skews of the groups [..., group] -> [...]."""
        return GroupTotals(
            membership, self.cutoff, lambda amounts, target: choose(of_totals(amounts, target, self.eps)), target
        )

    def note(self, values: Floats, **_: Any) -> Note | None:
        """Say that a mean is infinite, and what keeps it finite."""
        return note_infinite(values, "eps=0.01 smooths the shares")


@dataclass(frozen=True)
class Skew(_Skew):
    """Does a group get less (below 0) or more (above 0) of the top k than it should?

        D_k    = the groups' shares among the documents at ranks 1..k; each membership counts once
        Skew@k = ln((D_k(group) + eps) / (target(group) + eps))

    There is one value for each group: ``Skew(group='f')@10``; ``Skew@10`` prints all of them. Without smoothing
    (``eps=0``), a group without a document has minus infinity, and so has the mean.

    Unit: the logarithm of a ratio of shares. Better: nearer 0. Empty ranking: undefined.
    Range: from minus infinity to -ln(target(group)) for eps=0.
    Undefined: no document in the top k has a group; no target; the group has neither share nor target.
    Source: Geyik, Ambler, Kenthapadi, KDD 2019, Definition 3.1. https://doi.org/10.1145/3292500.3330691
    """

    group: str = ""
    better = "nearer 0"

    def bounds_among(self, groups: Sequence[str], target: Floats) -> Bounds:
        """The group has at most all of the top k."""
        if self.group not in groups or not target[groups.index(self.group)]:
            return self.bounds
        own = float(target[groups.index(self.group)])
        return None, log_of_number((1 + self.eps) / (own + self.eps))

    def formula(self, membership: Floats, target: Floats, groups: Sequence[str]) -> GroupTotals:
        """Choose the group's own."""
        return self.choose_skew(membership, target, lambda skews: skews[..., groups.index(self.group)])


class MinSkew(_Skew):
    """How far below its target is the worst-off group in the top k?

        D_k       = the groups' shares among the documents at ranks 1..k; each membership counts once
        MinSkew@k = least of  ln((D_k(a) + eps) / (target(a) + eps))  over the groups a

    Groups without share and target are skipped.

    Unit: the logarithm of a ratio of shares. Better: higher. Empty ranking: undefined.
    Range: from minus infinity (eps=0: a group has no document) to 0 (each group has its target).
    Undefined: no document in the top k has a group, or there is no target.
    Source: Geyik, Ambler, Kenthapadi, KDD 2019, Definition 3.2. https://doi.org/10.1145/3292500.3330691
    """

    bounds = None, 0.0

    def formula(self, membership: Floats, target: Floats) -> GroupTotals:
        """Choose the least."""
        return self.choose_skew(membership, target, lambda skews: np.fmin.reduce(skews, axis=-1))


class MaxSkew(_Skew):
    """How far above its target is the best-off group in the top k?

        D_k       = the groups' shares among the documents at ranks 1..k; each membership counts once
        MaxSkew@k = greatest of  ln((D_k(a) + eps) / (target(a) + eps))  over the groups a

    Groups without share and target are skipped.

    Unit: the logarithm of a ratio of shares. Better: lower. Empty ranking: undefined.
    Range: from 0 (each group has its target) to -ln of the least target; infinite if a group of target 0 has a share
    and eps=0.
    Undefined: no document in the top k has a group, or there is no target.
    Source: Geyik, Ambler, Kenthapadi, KDD 2019, Definition 3.2. https://doi.org/10.1145/3292500.3330691
    """

    better = "lower"
    bounds = 0.0, None

    def formula(self, membership: Floats, target: Floats) -> GroupTotals:
        """Choose the greatest."""
        return self.choose_skew(membership, target, lambda skews: np.fmax.reduce(skews, axis=-1))


@dataclass(frozen=True)
class _Infeasible(Measure):
    """What the two share: where the ranking so far holds too few of a group."""

    cutoff: int = 10
    better = "lower"

    def formula(self, membership: Floats, target: Floats, lengths: Ints) -> GroupPrefixes:
        """Let each rank add what is lacking down to it."""

        def cost(amounts: Floats, target: Floats, rank: Ints | int) -> Floats:
            return self.count_lacking(fewer(amounts, rank, target))

        there = np.arange(membership[:, : self.cutoff].shape[1]) < lengths[:, None]
        return GroupPrefixes(membership, cost, target, there.astype(np.float64))

    @abstractmethod
    def count_lacking(self, lacking: Bools) -> Floats:
        """Count what is lacking at each rank: [..., group] -> [...]."""


class InfeasibleIndex(_Infeasible):
    """At how many ranks does the ranking so far hold too few documents of some group?

        InfeasibleIndex@k = number of ranks i = 1..min(k, length) at which some group a has fewer than
                            floor(i * target(a)) documents at ranks 1..i

    A document of no or unknown group takes its rank and counts for no group.

    Unit: ranks. Better: lower. Empty ranking: undefined.
    Range: [0, k].
    Undefined: no document in the top k has a group, or there is no target.
    Source: Geyik, Ambler, Kenthapadi, KDD 2019, section 4. https://doi.org/10.1145/3292500.3330691
    """

    @property
    def bounds(self) -> Bounds:
        """At most every rank."""
        return 0.0, float(self.cutoff)

    def count_lacking(self, lacking: Bools) -> Floats:
        """Count a rank once."""
        return np.asarray(lacking.any(axis=-1), np.float64)


class InfeasibleCount(_Infeasible):
    """How often does the ranking so far hold too few documents of a group, over all ranks and groups?

        InfeasibleCount@k = number of pairs of a rank i = 1..min(k, length) and a group a that has fewer than
                            floor(i * target(a)) documents at ranks 1..i

    A document of no or unknown group takes its rank and counts for no group.

    Unit: pairs of rank and group. Better: lower. Empty ranking: undefined.
    Range: from 0 to k times the number of groups.
    Undefined: no document in the top k has a group, or there is no target.
    Source: Geyik, Ambler, Kenthapadi, KDD 2019, section 4. https://doi.org/10.1145/3292500.3330691
    """

    bounds = 0.0, None

    def count_lacking(self, lacking: Bools) -> Floats:
        """Count each group."""
        return np.asarray(lacking.sum(axis=-1), np.float64)
