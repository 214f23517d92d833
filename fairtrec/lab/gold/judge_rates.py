"""Rates of a judge, with intervals that count queries, not pairs: pairs of one query are alike.

``counts`` and ``totals`` [query] are those of a group; C queries have a total above 0. For a rate R = sum of counts /
sum of totals:

    u_q = (counts_q - R totals_q) / sum of totals,   var = C / (C - 1) sum of u_q^2,   R -+ t(C - 1) sqrt(var)

The same holds of a difference of two rates, with u_q the difference of theirs. A rate of 0 or 1 has Wilson's interval,
of C queries. If a rate is 0 or 1, the difference has the ends that follow from those of the rates, uncut (Newcombe):

    D - sqrt((R_a - low_a)^2 + (high_b - R_b)^2),   D + sqrt((high_a - R_a)^2 + (R_b - low_b)^2)

Within queries, of those with both:

    w_q = totals_aq totals_bq / (totals_aq + totals_bq),   d_q = rate_aq - rate_bq,   D = sum of w d / sum of w
    u_q = w_q (d_q - D) / sum of w

D is the risk difference of Mantel and Haenszel, and the coefficient of the group in a regression with a constant for
each query.

A rate is doubtful if (sum of totals)^2 / sum of totals^2 is below ten, or fewer than ten queries have another rate than
most; a difference also if one of its rates is, a kappa by the first, of the pairs that are relevant by people.

Sources: Mantel, Haenszel, JNCI 1959. https://doi.org/10.1093/jnci/22.4.719
Greenland, Robins: Estimation of a common effect parameter from sparse follow-up data. Biometrics 1985.
https://doi.org/10.2307/2530643
Cohen: A Coefficient of Agreement for Nominal Scales. Educational and Psychological Measurement 1960.
https://doi.org/10.1177/001316446002000104
Newcombe: Interval estimation for the difference between independent proportions. Statistics in Medicine 1998.
https://doi.org/10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I
Zou, Donner: Construction of confidence limits about effect measures. Statistics in Medicine 2008.
https://doi.org/10.1002/sim.3095
Wilson: Probable Inference, the Law of Succession, and Statistical Inference. JASA 1927.
https://doi.org/10.1080/01621459.1927.10502953
"""

from dataclasses import dataclass
from math import isnan, nan, sqrt
from typing import NamedTuple

import numpy as np

from fairtrec.data import Bools, Floats, Ints
from fairtrec.formulas.rounding import constant
from fairtrec.statistics import paired
from fairtrec.statistics.agreement import share
from fairtrec.statistics.doubt import count_differing, count_effective, is_doubtful
from fairtrec.statistics.student import critical_t


class ClusterEstimate(NamedTuple):
    """A number, its interval, and the queries that it is over; nan if there is none.

    It is ``doubtful`` if so few queries decide it that interval and p are surer than the data.
    """

    value: float = nan
    low: float = nan
    high: float = nan
    queries: int = 0
    p: float = nan  # two-sided, of differences within queries
    doubtful: bool = False


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Pairs of a group [query]: all, those that are relevant by people, by the judge, and by both."""

    pairs: Floats
    relevant: Floats
    judged: Floats
    both: Floats

    @property
    def recall(self) -> tuple[Floats, Floats]:
        """How many of the relevant pairs the judge finds: counts and totals [query]."""
        return self.both, self.relevant

    @property
    def false_positives(self) -> tuple[Floats, Floats]:
        """How many of the other pairs the judge calls relevant: counts and totals [query]."""
        return self.judged - self.both, self.pairs - self.relevant

    def __add__(self, other: "PairCounts") -> "PairCounts":
        return PairCounts(
            self.pairs + other.pairs,
            self.relevant + other.relevant,
            self.judged + other.judged,
            self.both + other.both,
        )


def count_pairs(
    kinds: Ints, query: Ints, human: Bools, judge: Bools, several: int, queries: int
) -> tuple[PairCounts, ...]:
    """Count pairs by kind and query; arrays are [pair], of so many kinds (``several``) and ``queries``.

    >>> (only,) = count_pairs(np.zeros(2, int), np.zeros(2, int), np.array([True, True]), np.array([True, False]), 1, 1)
    >>> only.relevant.tolist(), only.both.tolist()
    ([2.0], [1.0])
    """
    at = kinds * queries + query
    tables = [
        np.bincount(at[chosen], minlength=several * queries).astype(np.float64).reshape(several, queries)
        for chosen in (np.ones(len(at), dtype=np.bool_), human, judge, human & judge)
    ]
    return tuple(PairCounts(*(table[kind] for table in tables)) for kind in range(several))


def estimate_rate(counts: Floats, totals: Floats, confidence: float) -> ClusterEstimate:
    """Estimate a rate of ``counts`` among ``totals`` [query]; Wilson's interval, of queries, if it is 0 or 1.

    >>> [round(each, 4) for each in estimate_rate(np.array([1.0, 3.0]), np.array([2.0, 4.0]), 0.95)[:3]]
    [0.6667, 0.0, 1.0]
    """
    found = _estimate_uncut(counts, totals, confidence)
    return found._replace(low=_cut(found.low, 0.0), high=_cut(found.high, 0.0))


def _estimate_uncut(counts: Floats, totals: Floats, confidence: float) -> ClusterEstimate:
    """Estimate a rate; the ends of its interval may lie beyond 0 and 1."""
    total, queries = float(totals.sum()), int((totals > 0).sum())
    if not queries:
        return ClusterEstimate()
    rate = float(counts.sum()) / total
    doubtful = _is_rate_doubtful(counts, totals)
    if queries < 2:
        return ClusterEstimate(rate, queries=queries, doubtful=doubtful)
    if rate in (0.0, 1.0):
        _, low, high = share(np.full(queries, rate), np.ones(queries), confidence)
        return ClusterEstimate(rate, low, high, queries, doubtful=doubtful)
    reach = _find_reach((counts - rate * totals) / total, queries, confidence)
    return ClusterEstimate(rate, rate - reach, rate + reach, queries, doubtful=doubtful)


def _is_rate_doubtful(counts: Floats, totals: Floats) -> bool:
    """Tell whether few queries decide a rate: have nearly all pairs, or another rate than most."""
    there = totals > 0
    return is_doubtful(count_effective(totals), count_differing(counts[there] / totals[there]))


def _cut(end: float, least: float) -> float:
    """Cut an end at ``least`` and 1; nan stays."""
    return float(np.clip(end, least, 1.0))


def estimate_kappa(of: PairCounts, confidence: float) -> ClusterEstimate:
    """Estimate Cohen's kappa of people and a judge; nan if both know one class only.

    >>> pairs = PairCounts(np.array([4.0]), np.array([2.0]), np.array([2.0]), np.array([1.0]))
    >>> estimate_kappa(pairs, 0.95).value
    0.0
    """
    total, queries = float(of.pairs.sum()), int((of.pairs > 0).sum())
    if not queries:
        return ClusterEstimate()
    human, judge = float(of.relevant.sum()) / total, float(of.judged.sum()) / total
    neither = of.pairs - of.relevant - of.judged + of.both
    same = float((of.both + neither).sum()) / total
    chance = human * judge + (1 - human) * (1 - judge)
    if chance >= 1:
        return ClusterEstimate(queries=queries)
    kappa, doubtful = (same - chance) / (1 - chance), is_doubtful(count_effective(of.relevant))
    if queries < 2:
        return ClusterEstimate(kappa, queries=queries, doubtful=doubtful)

    def influence(by_human: int, by_judge: int) -> float:
        """Tell how far one pair moves kappa, times the number of pairs."""
        leans = (1 - judge, judge)[by_human] + (1 - human, human)[by_judge] - 2 * chance
        each = ((by_human == by_judge) - same) * (1 - chance) - leans * (1 - same)
        return each / (1 - chance) / (1 - chance)

    sums = of.both * influence(1, 1) + neither * influence(0, 0)
    sums = sums + (of.relevant - of.both) * influence(1, 0) + (of.judged - of.both) * influence(0, 1)
    reach = _find_reach(sums / total, queries, confidence)
    return ClusterEstimate(kappa, _cut(kappa - reach, -1.0), _cut(kappa + reach, -1.0), queries, doubtful=doubtful)


def subtract_rates(one: tuple[Floats, Floats], other: tuple[Floats, Floats], confidence: float) -> ClusterEstimate:
    """Subtract the rate of one group from that of another over all queries; each has counts and totals [query].

    >>> one, other = (np.array([1.0, 3.0]), np.array([2.0, 4.0])), (np.array([1.0, 1.0]), np.array([4.0, 4.0]))
    >>> round(subtract_rates(one, other, 0.95).value, 4)
    0.4167
    """
    queries = int(((one[1] > 0) | (other[1] > 0)).sum())
    first, second = (_estimate_uncut(*each, confidence) for each in (one, other))
    if isnan(first.value) or isnan(second.value):
        return ClusterEstimate(queries=queries)
    difference, doubtful = first.value - second.value, first.doubtful or second.doubtful
    if queries < 2:
        return ClusterEstimate(difference, queries=queries, doubtful=doubtful)
    if {first.value, second.value} & {0.0, 1.0}:
        down, up = (
            sqrt(reach * reach + other * other)
            for reach, other in (
                (first.value - first.low, second.high - second.value),
                (first.high - first.value, second.value - second.low),
            )
        )
    else:
        parts = [
            (each[0] - rate * each[1]) / each[1].sum() for each, rate in ((one, first.value), (other, second.value))
        ]
        down = up = _find_reach(parts[0] - parts[1], queries, confidence)
    low, high = _cut(difference - down, -1.0), _cut(difference + up, -1.0)
    return ClusterEstimate(difference, low, high, queries, doubtful=doubtful)


def subtract_within(one: tuple[Floats, Floats], other: tuple[Floats, Floats], confidence: float) -> ClusterEstimate:
    """Subtract rates within the queries that have a total of both groups, and test whether the difference is 0.

    If it is the same in all queries there is no interval, and a p, 1, only if it is 0.

    >>> one, other = (np.array([1.0, 3.0]), np.array([2.0, 4.0])), (np.array([1.0, 1.0]), np.array([4.0, 4.0]))
    >>> round(subtract_within(one, other, 0.95).value, 4)
    0.4
    """
    both = (one[1] > 0) & (other[1] > 0)
    queries = int(both.sum())
    if not queries:
        return ClusterEstimate()
    first, second = one[1][both], other[1][both]
    weights = first * second / (first + second)
    total = float(weights.sum())
    each = paired.subtract(one[0][both] / first, other[0][both] / second)
    alike = bool(constant(each))
    difference = float(each[0]) if alike else float((weights * each).sum()) / total
    doubtful = is_doubtful(count_effective(weights), count_differing(each))
    if alike or queries < 2:
        p = 1.0 if difference == 0 and queries > 1 else nan
        return ClusterEstimate(difference, queries=queries, p=p, doubtful=doubtful)
    from scipy import special

    parts = weights * (each - difference) / total
    reach = _find_reach(parts, queries, confidence)
    p = 2 * float(special.stdtr(queries - 1, -abs(difference) / _find_error(parts, queries)))
    low, high = _cut(difference - reach, -1.0), _cut(difference + reach, -1.0)
    return ClusterEstimate(difference, low, high, queries, p, doubtful)


def _find_error(parts: Floats, queries: int) -> float:
    """Give the standard error of a sum of ``parts`` [query], of so many queries."""
    return sqrt(queries / (queries - 1) * float(np.square(parts).sum()))


def _find_reach(parts: Floats, queries: int, confidence: float) -> float:
    return critical_t(queries - 1, (1 - confidence) / 2) * _find_error(parts, queries)
