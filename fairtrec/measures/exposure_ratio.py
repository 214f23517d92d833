"""DP, DTR, DIR and ABR: the exposure of one group over that of another.

Source: Singh, Joachims: Fairness of Exposure in Rankings. KDD 2018, section 4. https://doi.org/10.1145/3219819.3220088
Ghosh, Dutt, Wilson: When Fair Ranking Meets Uncertain Inference. SIGIR 2021. https://doi.org/10.1145/3404835.3462850
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fairtrec.formulas import ranks
from fairtrec.formulas.discount import exposure, geometric, log2
from fairtrec.formulas.distribution import quotient
from fairtrec.measure import ABOVE_0, BELOW_1, READING_ON, Bounds, Floats, Measure, RatioOfMeans, RatioOfSums, Summands
from fairtrec.measure.forms import FixedValue, fix_ratio

if TYPE_CHECKING:
    from fairtrec.statistics.deleted_clusters import PooledInterval


def least_to_most(rate: Floats) -> Floats:
    """Divide the least of each row of ``rate`` [..., group] by the greatest; nan takes no part.

    >>> least_to_most(np.array([[1.0, 3.0, np.nan], [1.0, 0.0, 2.0], [1.0, np.nan, np.nan]])).round(6).tolist()
    [0.333333, 0.0, nan]
    """
    least, most = np.fmin.reduce(rate, axis=-1), np.fmax.reduce(rate, axis=-1)
    several = (~np.isnan(rate)).sum(axis=-1) > 1
    return quotient(least, np.where(several, most, 0.0))


def mask_unwanted(values: Floats, target: Floats) -> Floats:
    """Let the groups [..., group] take no part of which nothing is wanted.

    >>> mask_unwanted(np.array([[1.0, 0.0]]), np.array([[1.0, 0.0]])).tolist()
    [[1.0, nan]]
    """
    return np.where(target == 0, np.nan, values)


def first_to_second(rate: Floats) -> Floats:
    """Divide the first column of ``rate`` [..., 2] by the second; infinite where only the second is 0.

    >>> first_to_second(np.array([[1.0, 4.0], [1.0, 0.0], [0.0, 0.0]])).tolist()
    [0.25, inf, nan]
    """
    first, second = rate[..., 0], rate[..., 1]
    return quotient(first, second, otherwise=np.where((first > 0) & (second == 0), np.inf, np.nan))


def compare_attention(got: Floats, due: Floats, target: Floats) -> Floats:
    """Compare the mean attentions of the groups that are asked for, of what they got and their documents [..., group].

    >>> compare_attention(np.array([[1.0, 1.0]]), np.array([[1.0, 2.0]]), np.array([[0.5, 0.5]])).tolist()
    [0.5]
    """
    return least_to_most(mask_unwanted(quotient(got, due, otherwise=0.0), target))


@ranks.cache_by_array
def sum_grades(membership: Floats, grades: Floats) -> Floats:
    """Sum the grades above 0 of the judged documents of each group, by membership [query, n, group]: [query, group].

    >>> sum_grades(np.array([[[1.0, 0.0], [0.5, 0.5]]]), np.array([[2.0, 1.0]])).tolist()
    [[2.5, 0.5]]
    """
    return exposure(membership, ranks.gains(grades))


def noticed(weights: Floats, cutoff: int | None) -> Floats:
    """Leave the weights [rank] of the first ``cutoff`` ranks; nobody looks further.

    >>> noticed(np.array([1.0, 0.5, 0.25]), 2).tolist()
    [1.0, 0.5, 0.0]
    """
    return weights if cutoff is None else np.where(np.arange(len(weights)) < cutoff, weights, 0.0)


@dataclass(frozen=True)
class _Ratio(Measure):
    """What DP, DTR and DIR share: least to most, or one group to the rest."""

    cutoff: int | None = None
    protected: str = ""
    fewest = 2
    missing: ClassVar[float] = np.nan  # the rate of a group that is due nothing

    @property
    def bounds(self) -> Bounds:
        """One group may have any multiple of the others."""
        return 0.0, None if self.protected else 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.protected:  # then 1 is fair, and more is not better
            object.__setattr__(self, "better", "neither")

    def ratio(self, groups: Sequence[str], got: Floats, due: Floats, target: Floats | None = None) -> Floats:
        """Compare what the groups got [..., group], as a rate of what they were due."""
        if self.protected:
            one = groups.index(self.protected)
            got, due = (np.stack((x[..., one], np.delete(x, one, axis=-1).sum(axis=-1)), axis=-1) for x in (got, due))
        rate = quotient(got, due, otherwise=self.missing)
        if self.protected:
            return first_to_second(rate)
        return least_to_most(rate if target is None else mask_unwanted(rate, target))

    def pool(self, groups: Sequence[str], got: Floats, due: Floats) -> RatioOfSums:
        """Make the ratio of what the groups got to what they were due, and how it is bounded."""
        compared = ComparedRates(groups.index(self.protected) if self.protected else None)
        return RatioOfSums(got, due, partial(self.ratio, groups), interval=compared.bound, fix=compared.fix)


class Means(RatioOfMeans):
    """A ratio of means; pooled, what the groups got and their documents are summed."""

    def over_queries(self) -> Summands:
        """Sum exposure and documents."""
        compared = ComparedRates(self.pair[0] if self.signed else None, has_empty=True, has_target=True)
        return replace(self.sums, interval=compared.bound, fix=compared.fix).over_queries()


@dataclass(frozen=True)
class ComparedRates:
    """Which rates a pooled ratio compares: that of ``one`` group and of the rest; or, if it is None, of all groups.

    ``has_empty``   a group that is due nothing has a rate of 0, and takes part.
    ``has_target``  a group of which nothing is wanted takes none.
    """

    one: int | None
    has_empty: bool = False
    has_target: bool = False

    def take(self, got: Floats, due: Floats, wanted: Floats) -> tuple[Floats, Floats]:
        """Take what the groups that take part got, and were due [cluster, group]."""
        if self.one is not None:
            rest = (np.delete(x, self.one, axis=1).sum(axis=1) for x in (got, due))
            first, second = (np.stack((x[:, self.one], of), axis=1) for x, of in zip((got, due), rest, strict=True))
            return first, second
        there = np.asarray(self.has_empty | (due.sum(axis=0) > 0))
        there &= (wanted.sum(axis=0) != 0) | (not self.has_target)
        return got[:, there], due[:, there]

    def bound(self, got: Floats, due: Floats, wanted: Floats, confidence: float) -> "PooledInterval":
        """Bound the rate of the one group over that of the rest, or the least rate over the greatest."""
        from fairtrec.statistics import deleted_clusters

        got, due = self.take(got, due, wanted)
        if self.one is not None:
            return deleted_clusters.bound_ratio(got, due, confidence)
        if got.shape[1] < 2:
            return deleted_clusters.NONE
        return deleted_clusters.bound_least_ratio(got, due, confidence)

    def fix(self, got: Floats, due: Floats, wanted: Floats) -> FixedValue:
        """Fix the two groups: the one and the rest, or those of the least and the greatest rate."""
        got, due = self.take(got, due, wanted)
        rates = quotient(got.sum(axis=0), due.sum(axis=0), 0.0)
        pair = [0, 1] if self.one is not None or len(rates) < 2 else [int(rates.argmin()), int(rates.argmax())]
        return fix_ratio(got, due, pair[: len(rates)], is_chosen=self.one is None and len(rates) > 2)


class DP(_Ratio):
    """Do the documents of each group get the same exposure on average, regardless of relevance?

        E(a) = mean over the ranked documents of group a of  1 / log2(1 + rank)
        DP   = least E(a) / greatest E(a), over the groups a
        DP(protected='f') = E('f') / E(documents of all other groups together)

    The mean is over all documents of the group in the ranking, as in the paper. With ``@k``, documents below rank k
    have an exposure of 0 and count. A group without a document has E = 0. A group of target 0 is ignored (subtopics of
    other queries). Soft membership weights the mean.

    Exposure is not selection, so DP does not test the four-fifths rule. The mean over queries is below 1 also if every
    ranking is in random order; ``--pool even`` compares the exposure of all queries together.

    Unit: none, a ratio. Better: higher; with protected, nearer 1. Empty ranking: undefined.
    Range: [0, 1], 1 is demographic parity; with protected, 0 or more, infinite if only f is ranked.
    Undefined: no ranked document, with @k none of the first k, has a group; or a single group has a target above 0.
    Source: Singh, Joachims, KDD 2018, section 4.1. https://doi.org/10.1145/3219819.3220088
    """

    missing = 0.0
    reads_on = True  # members below the cutoff count

    def formula(self, membership: Floats, target: Floats, groups: Sequence[str]) -> Means:
        """Compare the mean exposures of two groups, or of one and the rest."""
        weights = noticed(log2(membership.shape[1]), self.cutoff)
        first = groups.index(self.protected) if self.protected else 0
        pair = first, int(first == 0)
        compare = partial(self.ratio, groups)
        return Means(membership, weights, compare, target, pair, signed=bool(self.protected))


class DTR(_Ratio):
    """Does each group get exposure in proportion to its relevance? (Disparate treatment ratio)

        E(a) = sum over ranks i of  membership of d_i in group a / log2(1 + i)
        U(a) = sum over the query's judged documents of  grade * membership in group a;  a grade below 0 counts 0
        DTR  = (least of  E(a) / U(a)) / (greatest of  E(a) / U(a)), over the groups a with U(a) > 0
        DTR(protected='f') = (E('f') / U('f')) / (the same for all other groups together)

    DTR is also called EUR, exposed utility ratio. Means instead of sums give the same value. ``@k`` uses the first k
    ranks.

    Unit: none, a ratio. Better: higher; with protected, nearer 1. Empty ranking: undefined.
    Range: [0, 1], 1 is exposure by merit; with protected, 0 or more, infinite if only f is ranked.
    Undefined: fewer than two groups (with protected: f or the rest) have relevant documents, or none of these is
    ranked.
    Source: Singh, Joachims, KDD 2018, section 4.2. https://doi.org/10.1145/3219819.3220088
    """

    def formula(
        self, membership: Floats, judged_relevance: Floats, judged_membership: Floats, groups: Sequence[str]
    ) -> RatioOfSums:
        """Compare exposures by relevance."""
        top = membership[:, : self.cutoff]
        due = sum_grades(judged_membership, judged_relevance)
        got = exposure(top, log2(top.shape[1]))
        return self.pool(groups, got, due)


class DIR(_Ratio):
    """Does each group get expected clicks in proportion to its relevance? (Disparate impact ratio)

        C(a) = sum over ranks i of  grade(d_i) * membership of d_i in group a / log2(1 + i)
        U(a) = sum over the query's judged documents of  grade * membership in group a;  a grade below 0 counts 0
        DIR  = (least of  C(a) / U(a)) / (greatest of  C(a) / U(a)), over the groups a with U(a) > 0
        DIR(protected='f') = (C('f') / U('f')) / (the same for all other groups together)

    DIR is also called RUR, realized utility ratio. Means instead of sums give the same value. ``@k`` uses the first k
    ranks.

    Unit: none, a ratio. Better: higher; with protected, nearer 1. Empty ranking: undefined.
    Range: [0, 1], 1 is impact by merit; with protected, 0 or more, infinite if only f earns anything.
    Undefined: fewer than two groups (with protected: f or the rest) have relevant documents, or none of these is
    ranked.
    Source: Singh, Joachims, KDD 2018, section 4.3. https://doi.org/10.1145/3219819.3220088
    """

    def formula(
        self,
        membership: Floats,
        relevance: Floats,
        judged_relevance: Floats,
        judged_membership: Floats,
        groups: Sequence[str],
    ) -> RatioOfSums:
        """Compare impacts by relevance."""
        top, gains = membership[:, : self.cutoff], ranks.gains(relevance[:, : self.cutoff])
        due = sum_grades(judged_membership, judged_relevance)
        got = exposure(top, gains * log2(top.shape[1]))
        return self.pool(groups, got, due)


@dataclass(frozen=True)
class ABR(Measure):
    """Do the documents of each group get the same attention on average, if attention fades geometrically?

        A(a) = mean over the ranked documents of group a, at ranks i, of  (1 - p) p^(i - 1)
        ABR  = least A(a) / greatest A(a), over the groups a

    ``p`` is the probability to read on. The mean is over all documents of the group in the ranking, as in the paper.
    With ``@k``, documents below rank k have an attention of 0 and count. A group without a document has A = 0. A group
    of target 0 is ignored (subtopics of other queries). Soft membership weights the mean.

    Unit: none, a ratio. Better: higher. Empty ranking: undefined.
    Range: [0, 1], 1 is the same attention for all groups.
    Undefined: no ranked document, with @k none of the first k, has a group; or a single group has a target above 0.
    Source: Ghosh, Dutt, Wilson, SIGIR 2021 (attention bias ratio). https://doi.org/10.1145/3404835.3462850
    """

    cutoff: int | None = None
    p: float = 0.9
    limits = (("p", ABOVE_0, BELOW_1, READING_ON),)
    fewest = 2
    bounds = 0.0, 1.0
    reads_on = True  # members below the cutoff count

    def formula(self, membership: Floats, target: Floats) -> RatioOfMeans:
        """Compare the mean attentions of the groups; 1 - p cancels."""
        weights = noticed(geometric(membership.shape[1], self.p), self.cutoff)
        return RatioOfMeans(membership, weights, compare_attention, target)
