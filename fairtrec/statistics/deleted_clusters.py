"""Intervals of values that are pooled over queries, by deletion of one cluster of queries after the other.

A pooled value is f(S), S the sums over clusters of ``parts`` [cluster, term]; without clusters a query is its own. Over
the C clusters with a term other than 0 of those that f uses:

    f_c = f(S - S_c),   se^2 = (C - 1) / C sum (f_c - f)^2,   at t of K - 1 degrees of freedom, at least 1

K is the number of equal clusters that would carry as much as these (Kish). Shares and rates are intervals of the logit,
ratios of the logarithm. A rate of 0 or 1 has one end of Wilson's interval of K draws. A distance d is not negative and
bends: its interval goes from d - h to d + h + h^2 / (4 d), h = t se, and from 0 if the target is not rejected.

The difference of two values goes by e_c = f_c - f of both, 0 where a value does not depend on the cluster:

    se^2 = sum (a e_c - b e'_c)^2,   a^2 = (C - 1) / C of the one, b^2 of the other,   at t of the lesser K - 1

Two runs have the same clusters; of two slices of a run, a cluster may be in both.

Sources: Efron, Stein: The jackknife estimate of variance. Annals of Statistics 1981.
https://doi.org/10.1214/aos/1176345462
Kish: Survey Sampling. Wiley 1965. Wilson: Probable inference. JASA 1927. https://doi.org/10.2307/2276774
Katz et al.: Obtaining confidence intervals for the risk ratio in cohort studies. Biometrics 1978.
https://doi.org/10.2307/2530610
"""

from collections.abc import Callable
from itertools import permutations
from math import inf, isnan, nan, sqrt
from typing import NamedTuple

import numpy as np

from fairtrec.data import Floats, Ints
from fairtrec.formulas.distribution import divide_sums, quotient
from fairtrec.formulas.elementary import exp
from fairtrec.formulas.rounding import NEAR, finite, same
from fairtrec.statistics.doubt import count_effective, is_doubtful
from fairtrec.statistics.paired import subtract
from fairtrec.statistics.student import critical_t

SumsValue = Callable[[Floats], Floats]  # of sums [row, term]


class PooledInterval(NamedTuple):
    """The interval of a pooled value, nan if it has none; ``effective`` is K."""

    low: float = nan
    high: float = nan
    effective: float = 0.0
    doubtful: bool = False


NONE = PooledInterval()


class Deletions(NamedTuple):
    """What the deletion of each cluster changes of a value: ``changes`` [cluster], 0 if it does not depend on it.

    ``clusters`` counts those that it depends on, ``effective`` is K, ``doubtful`` that of its own interval.
    ``is_chosen``: it compares two of three or more rates, which were chosen after a look at the data.
    """

    value: float
    changes: Floats
    clusters: int = 0
    effective: float = 0.0
    doubtful: bool = False
    is_chosen: bool = False

    def take_size(self) -> "Deletions":
        """Give those of the absolute value, on the side of 0 where it is."""
        sign = -1.0 if self.value < 0 else 1.0
        return self._replace(value=sign * self.value, changes=sign * self.changes)


class PooledDifference(NamedTuple):
    """The difference of two values, its interval and its two-sided p, nan if there is none.

    ``error`` is its standard error, ``effective`` the lesser K, ``moving`` how many clusters move it.
    """

    value: float
    low: float = nan
    high: float = nan
    p: float = nan
    error: float = nan
    effective: float = 0.0
    moving: int = 0
    doubtful: bool = False


def sum_deleted(parts: Floats) -> tuple[Floats, Floats]:
    """Sum the clusters that have a part [cluster, term]: the sums [term], and those without each [cluster, term].

    >>> [each.tolist() for each in sum_deleted(np.array([[1.0, 2.0], [0.0, 0.0], [3.0, 1.0]]))]
    [[4.0, 3.0], [[3.0, 1.0], [1.0, 2.0]]]
    """
    moving = parts[(parts != 0).any(axis=1)]
    whole = moving.sum(axis=0)
    without = whole - moving
    return whole, np.where(np.abs(without) <= NEAR * np.abs(moving), 0.0, without)  # 0 but for rounding


def measure_error(deviations: Floats) -> float:
    """Compute the standard error from what the deletion of each cluster changes [cluster].

    >>> round(measure_error(np.array([1.0, -1.0])), 12)
    1.0
    """
    many = len(deviations)
    return sqrt((many - 1) / many * float(np.square(deviations).sum())) if many else nan


def find_critical(effective: float, confidence: float) -> float:
    """Give the critical value of so many effective clusters."""
    return critical_t(max(effective - 1, 1.0), (1 - confidence) / 2)


def _find_z(confidence: float) -> float:
    from scipy import special

    return -float(special.ndtri((1 - confidence) / 2))


def bound_draws(chosen: float, draws: float, confidence: float) -> tuple[float, float]:
    """Compute Wilson's interval of a rate.

    >>> [round(end, 4) for end in bound_draws(0.0, 3.0, 0.95)]
    [0.0, 0.5615]
    """
    z = _find_z(confidence)
    rate, square = (chosen / draws if draws else 0.0), z * z
    center, reach = rate * draws + square / 2, z * sqrt(rate * (1 - rate) * draws + square / 4)
    low, high = (center - reach) / (draws + square), (center + reach) / (draws + square)
    return (0.0 if rate == 0 else low), (1.0 if rate == 1 else high)


def is_moved_by_few(deviations: Floats) -> bool:
    """Tell whether fewer than ten clusters move a value."""
    return is_doubtful(int((~same(deviations, np.zeros(len(deviations)))).sum()))


def bound_share(held: Floats, rest: Floats, confidence: float, *, of_all: bool = False) -> PooledInterval:
    """Bound the share of ``held`` [cluster] in all; K is the lesser of the two parts', or that ``of_all``.

    >>> found = bound_share(np.array([1.0, 0.0, 2.0]), np.array([1.0, 2.0, 2.0]), 0.95, of_all=True)
    >>> round(found.effective, 4), found.doubtful, found.low < 3 / 8 < found.high
    (2.6667, True, True)
    """
    parts = np.stack([held, rest], axis=1)
    whole, without = sum_deleted(parts)
    clusters = len(without)
    effective = count_effective(held + rest) if of_all else min(count_effective(held), count_effective(rest))
    total = float(whole.sum())
    if not total > 0 or clusters < 2:
        return NONE
    share = float(whole[0]) / total
    if share in (0, 1):
        return PooledInterval(*bound_draws(share * effective, effective, confidence), effective, doubtful=True)
    deviations = quotient(without[:, 0], without.sum(axis=1), share) - share
    reach = find_critical(effective, confidence) * measure_error(deviations) / (share * (1 - share))
    odds = share / (1 - share)
    ends = [odds * float(exp(np.array(sign * reach))) for sign in (-1, 1)]
    low, high = (each / (1 + each) if each < inf else 1.0 for each in ends)
    return PooledInterval(low, high, effective, is_doubtful(effective) or is_moved_by_few(deviations))


def bound_ratio(got: Floats, due: Floats, confidence: float) -> PooledInterval:
    """Bound the ratio of two rates, of what two groups ``got`` and were ``due`` [cluster, 2]; it is not cut at 1.

    nan if the second rate is 0.
    """
    whole, without = sum_deleted(np.concatenate([got, due], axis=1))
    rates = quotient(whole[:2], whole[2:], 0.0)
    effective = min(count_effective(due[:, 0]), count_effective(due[:, 1]))
    if not rates[1] > 0 or len(without) < 2:
        return NONE
    if not rates[0] > 0:
        high = bound_draws(0.0, count_effective(due[:, 0]), confidence)[1]
        return PooledInterval(0.0, high / float(rates[1]), effective, doubtful=True)
    deleted = quotient(without[:, :2], without[:, 2:], np.broadcast_to(rates, (len(without), 2)))
    first, second = ((deleted - rates) / rates).T
    deviations = first - second
    reach = find_critical(effective, confidence) * measure_error(deviations)
    ratio = float(rates[0] / rates[1])
    low, high = (ratio * float(exp(np.array(sign * reach))) for sign in (-1, 1))
    doubtful = is_doubtful(effective) or is_moved_by_few(deviations) or bool((rates == 1).any())
    return PooledInterval(low, high, effective, doubtful)


def divide_rates(rates: Floats, rows: Floats) -> Floats:
    """Divide the first of two rates by the second, of what both got and were due [row, 4].

    ``rates`` [2] are those of all clusters, which stay if the rows are due nothing. nan if the second rate is 0.

    >>> divide_rates(np.array([0.5, 1.0]), np.array([[1.0, 2.0, 4.0, 4.0], [0.0, 2.0, 0.0, 2.0]])).tolist()
    [0.5, 0.5]
    """
    first, second = quotient(rows[:, :2], rows[:, 2:], np.broadcast_to(rates, (len(rows), 2))).T
    return quotient(first, second)


def bound_least_ratio(
    got: Floats,
    due: Floats,
    confidence: float,
    bound_pair: Callable[[Floats, Floats, float], PooledInterval] = bound_ratio,
) -> PooledInterval:
    """Bound the least of the rates of groups over the greatest, of what they ``got`` and were ``due`` [cluster, group].

    The low end is the least of all pairs: the true pair is among them. The high ends of pairs are of a higher level,
    because the pair of the least and the greatest rate is chosen after a look at the data (Bonferroni).
    """
    rates = quotient(got.sum(axis=0), due.sum(axis=0), 0.0)
    groups, least, most = len(rates), int(rates.argmin()), int(rates.argmax())

    def bound(first: int, second: int, level: float) -> PooledInterval:
        pair = [first, second]
        return bound_pair(got[:, pair], due[:, pair], level)

    chosen = bound(least, most, confidence)
    if isnan(chosen.low):
        return NONE
    if not rates[least] > 0:
        ends = [bound(group, most, confidence).high for group in np.flatnonzero(rates == 0).tolist()]
        return chosen._replace(high=min(1.0, *ends))
    level = 1 - (1 - confidence) / (groups * (groups - 1) / 2)
    pairs = [*permutations(range(groups), 2)]
    lows = [bound(*pair, confidence).low for pair in pairs]
    highs = [bound(*pair, level).high for pair in pairs]
    return chosen._replace(low=min(lows), high=min(1.0, *highs))


def bound_drawn_rate(chosen: float, draws: float, confidence: float) -> PooledInterval:
    """Bound the rate of one query, whose candidates are the sample; nan if they are not counted one by one."""
    if not draws or chosen != int(chosen) or draws != int(draws):
        return NONE
    doubtful = is_doubtful(draws) or chosen in (0, draws)
    return PooledInterval(*bound_draws(chosen, draws, confidence), draws, doubtful)


def bound_drawn_ratio(got: Floats, due: Floats, confidence: float) -> PooledInterval:
    """Bound the ratio of two rates of one query [1, 2] by Katz's interval of the logarithm.

    >>> round(bound_drawn_ratio(np.array([[2.0, 3.0]]), np.array([[17.0, 19.0]]), 0.95).low, 4)
    0.1409
    """
    chosen, draws = got[0], due[0]
    whole = np.concatenate([chosen, draws])
    if not (draws > 0).all() or not chosen[1] > 0 or (whole != np.floor(whole)).any():
        return NONE
    rates, fewest = chosen / draws, float(draws.min())
    if not chosen[0]:
        high = bound_draws(0.0, float(draws[0]), confidence)[1] / float(rates[1])
        return PooledInterval(0.0, high, fewest, doubtful=True)
    reach = _find_z(confidence) * sqrt(float((1 / chosen - 1 / draws).sum()))
    low, high = (float(rates[0] / rates[1]) * float(exp(np.array(sign * reach))) for sign in (-1, 1))
    return PooledInterval(low, high, fewest, is_doubtful(fewest) or bool((rates == 1).any()))


def bound_value(value: SumsValue, parts: Floats, effective: float, confidence: float) -> PooledInterval:
    """Bound a value on its own scale."""
    whole, without = sum_deleted(parts)
    found, *deleted = value(np.vstack([whole, without])).tolist()
    deviations = np.array(deleted) - found
    if len(without) < 2 or np.isnan(deviations).any():
        return NONE
    reach = find_critical(effective, confidence) * measure_error(deviations)
    doubtful = is_doubtful(effective) or is_moved_by_few(deviations)
    return PooledInterval(found - reach, found + reach, effective, doubtful)


def bound_mean(values: Floats, clusters: Ints, confidence: float) -> PooledInterval:
    """Bound the mean of the values [query] that are defined, of queries in clusters [query].

    >>> found = bound_mean(np.array([1.0, 2.0, np.nan, 4.0]), np.array([0, 1, 1, 2]), 0.95)
    >>> round(found.low, 4), round(found.high, 4), found.effective
    (-1.4612, 6.1279, 3.0)
    """
    there = ~np.isnan(values)
    many = np.bincount(clusters[there]).astype(np.float64)
    parts = np.stack([np.bincount(clusters[there], values[there]), many], axis=1)
    if not there.any() or not finite(values[there]).all():
        return NONE
    return bound_value(divide_sums, parts, count_effective(many), confidence)


def delete_each(value: SumsValue, parts: Floats, numbers: Ints, interval: PooledInterval) -> Deletions:
    """Compute what the deletion of each part [cluster, term] changes; the parts are of clusters of these ``numbers``.

    ``interval`` is that of the value: its K, and its doubt.

    >>> found = delete_each(lambda rows: rows[:, 0], np.array([[2.0], [3.0]]), np.array([0, 2]), NONE)
    >>> found.value, found.changes.tolist(), found.clusters
    (5.0, [-2.0, 0.0, -3.0], 2)
    """
    whole, without = sum_deleted(parts)
    found, *deleted = value(np.vstack([whole, without])).tolist()
    changes = np.zeros(int(numbers.max(initial=-1)) + 1)
    changes[numbers[(parts != 0).any(axis=1)]] = np.array(deleted) - found
    return Deletions(found, changes, len(without), interval.effective, interval.doubtful)


def delete_from_mean(values: Floats, clusters: Ints, confidence: float) -> Deletions:
    """Compute what the deletion of each cluster [query] changes of the mean of the values [query] that are defined."""
    there = ~np.isnan(values)
    numbers, at = np.unique(clusters[there], return_inverse=True)
    if not finite(values[there]).all() or not len(numbers):
        return Deletions(nan, np.zeros(0))
    parts = np.stack([np.bincount(at, values[there]), np.bincount(at).astype(np.float64)], axis=1)
    return delete_each(divide_sums, parts, numbers, bound_mean(values, clusters, confidence))


def compare_deletions(one: Deletions, other: Deletions, confidence: float, *, factor: float = 1.0) -> PooledDifference:
    """Compare one value with ``factor`` times the other.

    >>> both = [Deletions(value, np.array([0.1, 0.2, -0.3]) * value, 3, 3.0) for value in (2.0, 1.0)]
    >>> found = compare_deletions(*both, 0.95)
    >>> found.value, round(found.error, 6), round(found.p, 6)
    (1.0, 0.305505, 0.082015)
    """
    from scipy import special

    difference = float(subtract(np.array(one.value), np.array(factor * other.value)))
    effective, fewest = min(one.effective, other.effective), min(one.clusters, other.clusters)
    if fewest < 2 or not effective or isnan(difference):
        return PooledDifference(difference)
    long = max(len(one.changes), len(other.changes))
    scales = [sqrt((each.clusters - 1) / each.clusters) for each in (one, other)]
    ours, theirs = (np.pad(each.changes, (0, long - len(each.changes))) for each in (one, other))
    changes = subtract(scales[0] * ours, scales[1] * factor * theirs)
    if np.isnan(changes).any():
        return PooledDifference(difference)
    error = sqrt(float(np.square(changes).sum()))
    reach = find_critical(effective, confidence) * error
    p = 2 * float(special.stdtr(max(effective - 1, 1.0), -abs(difference) / error)) if error else float(not difference)
    moving = int((changes != 0).sum())
    is_weak = one.doubtful or other.doubtful or one.is_chosen or other.is_chosen
    doubtful = bool(difference or moving) and (is_weak or is_doubtful(effective, moving))
    return PooledDifference(difference, difference - reach, difference + reach, p, error, effective, moving, doubtful)


def compute_margin_p(difference: PooledDifference, margin: float) -> float:
    """Compute the one-sided p if the true difference is ``margin`` or less."""
    from scipy import special

    above = difference.value - margin
    if isnan(difference.error):
        return nan
    t = above / difference.error if difference.error else inf * above if above else 0.0
    return float(special.stdtr(max(difference.effective - 1, 1.0), -t))


def bound_distance(
    value: SumsValue, parts: Floats, effective: float, confidence: float, *, off: SumsValue | None
) -> PooledInterval:
    """Bound a distance, which is not negative.

    ``off`` gives how far each group is off the target [row, group], if there is one: the interval begins at 0 unless
    the target is rejected.
    """
    found = bound_value(value, parts, effective, confidence)
    if isnan(found.low):
        return found
    rows = np.vstack(sum_deleted(parts))
    distance = float(value(rows[:1]).item())
    reach = distance - found.low
    is_near = off is not None and not is_rejected(off(rows), effective, confidence)
    beyond = reach * reach / (4 * distance) if distance > 0 else 0.0
    low = 0.0 if is_near else max(distance - reach, 0.0)
    return found._replace(low=low, high=distance + reach + beyond)


def is_rejected(rows: Floats, effective: float, confidence: float) -> bool:
    """Test whether groups are off the target by the first of the ``rows`` [1 + cluster, group]; others lack a cluster.

    The sum of squares over the trace of the covariance V is compared with F of tr(V)^2 / tr(V^2) and K - 1 degrees of
    freedom.
    """
    from scipy import special

    off, many = rows[0], len(rows) - 1
    if np.isinf(off).any():
        return True
    apart = rows[1:] - off
    scale = (many - 1) / many
    trace = scale * float(np.square(apart).sum())
    if not trace:
        return bool(off.any())
    products = apart.T[:, None, :] * apart.T[None, :, :] if apart.shape[1] <= many else apart[:, None] * apart[None]
    squares = float(np.square(scale * products.sum(axis=-1)).sum())
    freedom = trace * trace / squares
    bound = float(special.fdtri(freedom, max(effective - 1, 1.0), confidence))
    return float(np.square(off).sum()) / trace > bound
