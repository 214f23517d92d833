"""How well two agree: people, or people and an instrument, on what things are; and two columns of values.

Kinds of things are numbers from 0. Of values there are correlations, with p and confidence interval.

Sources: Cohen: A Coefficient of Agreement for Nominal Scales. Educational and Psychological Measurement 1960.
https://doi.org/10.1177/001316446002000104
Fleiss, Cohen, Everitt: Large sample standard errors of kappa and weighted kappa. Psychological Bulletin 1969.
https://doi.org/10.1037/h0028106
Fleiss: Measuring nominal scale agreement among many raters. Psychological Bulletin 1971.
https://doi.org/10.1037/h0031619
Krippendorff: Computing Krippendorff's Alpha-Reliability. University of Pennsylvania 2011.
https://repository.upenn.edu/asc_papers/43
Wilson: Probable Inference, the Law of Succession, and Statistical Inference. JASA 1927.
https://doi.org/10.1080/01621459.1927.10502953
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Literal, NamedTuple

import numpy as np

from fairtrec.data import Floats, Ints
from fairtrec.formulas import elementary
from fairtrec.formulas.rounding import NEAR, constant, finite, merge_ties
from fairtrec.formulas.weighted_sums import weigh
from fairtrec.statistics import jackknife
from fairtrec.statistics.doubt import count_differing, is_doubtful

Coefficient = Literal["pearson", "spearman", "kendall"]
COEFFICIENTS: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall")
NAN = float("nan")
PAIRWISE = 200  # items, up to which all pairs are compared faster than sorted
EXACT = 7  # pairs; they have 5,040 orders
MANY = 10_000  # pairs; the interval of more is Fisher's
TAU_AP = "tau_ap: with the weight at the top"


class Interval(NamedTuple):
    """A value, and the two ends of its interval; all are nan if there is none."""

    value: float = NAN
    low: float = NAN
    high: float = NAN


def confusion(first: Ints, second: Ints, kinds: int, weights: Floats | None = None) -> Floats:
    """Weigh the things of each kind by the first, and by the second [kind, kind].

    >>> confusion(np.array([0, 1, 1]), np.array([0, 0, 1]), 2).tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    ones = np.ones(len(first)) if weights is None else weights
    pairs = np.bincount(first * kinds + second, ones, kinds * kinds).astype(np.float64)
    return pairs.reshape(kinds, kinds)


def share(is_right: Floats, weights: Floats, confidence: float) -> Interval:
    """Give the weighted share of what is right (1, else 0), and Wilson's interval of it; nan of nothing.

    It counts as so many things as the weights are worth: (sum of weights)^2 / sum of their squares.

    >>> [round(each, 4) for each in share(np.ones(16), np.ones(16), 0.95)]
    [1.0, 0.8064, 1.0]
    """
    total = float(weights.sum())
    if not total:
        return Interval()
    part = min(weigh(is_right, weights) / total, 1.0)
    number, z = total * total / weigh(weights, weights), normal(confidence)
    more = z * z / number
    middle = (part + more / 2) / (1 + more)
    reach = z / (1 + more) * np.sqrt(part * (1 - part) / number + more / (4 * number))
    return Interval(part, float(max(middle - reach, 0.0)), float(min(middle + reach, 1.0)))


def kappa(first: Ints, second: Ints, kinds: int, weights: Floats, chance: Floats, confidence: float) -> Interval:
    """Give Cohen's kappa of weighted things, and its interval, cut at -1 and 1; nan where both name one kind alone.

    ``chance`` of each thing is the part of its variance that the draw leaves to chance: 1 less the probability with
    which it was drawn. With weights of 1 and chances of 1 the standard error is that of Fleiss, Cohen and Everitt.
    """
    total = float(weights.sum())
    shares = confusion(first, second, kinds, weights) / (total or 1.0)
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    same, by_chance = float(np.trace(shares)), weigh(rows, columns)
    if not total or by_chance >= 1:
        return Interval()
    value = (same - by_chance) / (1 - by_chance)
    leans = columns[first] + rows[second] - 2 * by_chance
    each = ((first == second) - same) * (1 - by_chance) - leans * (1 - same)
    error = np.sqrt(weigh(chance, np.square(weights * each))) / (1 - by_chance) / (1 - by_chance) / total
    reach = normal(confidence) * float(error)
    return Interval(value, max(value - reach, -1.0), min(value + reach, 1.0))


def alpha(first: Ints, second: Ints, kinds: int) -> float:
    """Give Krippendorff's alpha of nominal kinds, which counts every thing once; nan where there is one kind alone.

    >>> round(alpha(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), 2), 6)
    0.533333
    """
    votes = np.zeros((len(first), kinds))
    for of_one in (first, second):
        np.add.at(votes, (np.arange(len(of_one)), of_one), 1)
    return alpha_of_votes(votes)


def alpha_of_votes(votes: Floats) -> float:
    """Give Krippendorff's alpha of nominal votes [thing, kind], however many each thing has; nan for one kind alone.

    >>> round(alpha_of_votes(np.array([[3, 0], [1, 1], [0, 2], [1, 0]])), 6)
    0.5
    """
    paired = votes[votes.sum(axis=1) > 1]
    each, many = paired.sum(axis=1), paired.sum(axis=0)
    number = float(many.sum())
    by_chance = number * number - weigh(many, many)
    if not by_chance:
        return NAN
    differing = float(((np.square(each) - np.square(paired).sum(axis=1)) / (each - 1)).sum())
    return 1 - (number - 1) * differing / by_chance


def fleiss(votes: Floats) -> float:
    """Give Fleiss' kappa of votes [thing, kind], as many of each thing, two or more; nan where all are alike.

    >>> round(fleiss(np.array([[3, 0], [2, 1], [0, 3]])), 6)
    0.55
    """
    shares = votes.sum(axis=0) / votes.sum()
    by_chance = weigh(shares, shares)
    return (observed_agreement(votes) - by_chance) / (1 - by_chance) if by_chance < 1 else NAN


def observed_agreement(votes: Floats) -> float:
    """Give the share of pairs of votes that agree, in the mean over things of two votes [thing, kind] or more; or nan.

    >>> observed_agreement(np.array([[3, 0], [1, 1], [0, 1]]))
    0.5
    """
    paired = votes[votes.sum(axis=1) > 1]
    each = paired.sum(axis=1)
    return float(((paired * (paired - 1)).sum(axis=1) / (each * (each - 1))).mean()) if len(paired) else NAN


def normal(confidence: float) -> float:
    """Give how many standard deviations an interval of this confidence reaches to either side.

    >>> round(normal(0.95), 6)
    1.959964
    """
    from statistics import NormalDist

    return NormalDist().inv_cdf(0.5 + confidence / 2)


@dataclass(frozen=True)
class Correlation:
    """A coefficient, its p and its interval over ``n`` pairs; nan where that is undefined.

    It is ``doubtful`` if too few values of a side differ from the most frequent one of that side.
    """

    n: int
    value: float = NAN
    p: float = NAN
    low: float = NAN
    high: float = NAN
    doubtful: bool = False


def correlation(x: Floats, y: Floats, kind: Coefficient = "pearson", confidence: float = 0.95) -> Correlation:
    """Correlate the pairs of which both are finite; undefined for fewer than two, or where a side is all one value.

    Values that agree to 12 digits behind the point tie: means of the same values, added in another order, are not the
    same to the last bit. Coefficient and p are as in scipy; for up to 7 pairs, Spearman's p is that over all orders.
    The interval is that of the jackknife of atanh(r), with t; of more than 10,000 pairs it is that of Fisher's z, with
    the standard errors 1 / sqrt(n - 3) for Pearson's r, that times sqrt(1 + r^2 / 2) for Spearman's (Bonett and Wright,
    2000), and sqrt(0.437 / (n - 4)) for Kendall's tau-b (Fieller, Hartley and Pearson, 1957). There is none where the
    coefficient is doubtful, or is -1 or 1 over all pairs or without one of them.

    >>> correlation(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0]), "kendall").n
    4
    """
    pairs = finite(x) & finite(y)
    x, y = merge_ties(x[pairs]), merge_ties(y[pairs])
    if len(x) < 2 or constant(x) or constant(y):
        return Correlation(len(x))
    from scipy import stats

    if kind == "kendall":
        found = stats.kendalltau(x, y)
        value, p = float(found.statistic), float(found.pvalue)
    else:
        ranked = kind == "spearman"
        value = jackknife.pearson(*(stats.rankdata(each) if ranked else each for each in (x, y)))
        p = _exact(x, y) if ranked and len(x) <= EXACT else _p_of_pearson(value, len(x))
    doubtful = is_doubtful(count_differing(x), count_differing(y))
    ends = (NAN, NAN) if doubtful else find_interval(x, y, value, kind, confidence)
    return Correlation(len(x), value, p, *ends, doubtful)


def find_interval(x: Floats, y: Floats, value: float, kind: Coefficient, confidence: float) -> tuple[float, float]:
    """Find the interval of a coefficient of this ``value``, whatever its doubt; see ``correlation``.

    >>> pairs = np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([1.0, 3.0, 2.0, 5.0, 4.0])
    >>> [round(end, 4) for end in find_interval(*pairs, 0.8, "pearson", 0.95)]
    [-0.1198, 0.9808]
    """
    if abs(value) > 1 - NEAR:
        return NAN, NAN
    if len(x) > MANY:
        reach = normal(confidence) * _find_fisher_error(value, len(x), kind)
    else:
        without = _LEAVE_OUT[kind](x, y)
        if not (np.abs(without) <= 1 - NEAR).all():  # nan also
            return NAN, NAN
        reach = jackknife.find_reach((elementary.log1p(without) - elementary.log1p(-without)) / 2, confidence)
    doubled = elementary.exp(np.array(2 * reach)).item()
    shift = (doubled - 1) / (doubled + 1) if doubled < np.inf else 1.0  # tanh(reach), added by the addition theorem
    return (value - shift) / (1 - value * shift), (value + shift) / (1 + value * shift)


_LEAVE_OUT: dict[Coefficient, Callable[[Floats, Floats], Floats]] = {
    "pearson": jackknife.leave_out_pearson,
    "spearman": jackknife.leave_out_spearman,
    "kendall": jackknife.leave_out_kendall,
}


def _find_fisher_error(value: float, n: int, kind: Coefficient) -> float:
    """Find the standard error of Fisher's z of a coefficient of so many pairs."""
    if kind == "kendall":
        return sqrt(0.437 / (n - 4))
    return sqrt((1 + value * value / 2 if kind == "spearman" else 1.0) / (n - 3))


def tau_b(x: Floats, y: Floats) -> Floats:
    """Give Kendall's tau-b between each row of ``x`` [row, item] and that of ``y``, all finite.

    It is nan if a row is constant. Values tie as in ``correlation``, and the coefficient has the same bits.

    >>> tau_b(np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([[1.0, 3.0, 2.0, 4.0]])).tolist()
    [0.6666666666666669]
    """
    items = x.shape[1]
    if items > PAIRWISE:
        return np.array([correlation(*pair, "kendall").value for pair in zip(x, y, strict=True)])
    x, y = merge_ties(x), merge_ties(y)
    found = np.full(len(x), NAN)
    one, other = np.triu_indices(items, 1)
    for row in np.flatnonzero(~(constant(x) | constant(y))).tolist() if items > 1 else ():
        of_x, of_y = np.sign(x[row, one] - x[row, other]), np.sign(y[row, one] - y[row, other])
        agreeing = np.count_nonzero(of_x * of_y > 0) - np.count_nonzero(of_x * of_y < 0)
        found[row] = agreeing / np.sqrt(np.count_nonzero(of_x)) / np.sqrt(np.count_nonzero(of_y))
    return found.clip(-1.0, 1.0)


def _p_of_pearson(value: float, number: int) -> float:
    """Test r = 0 for ``number`` pairs, two-sided: (1 + r) / 2 has a beta distribution."""
    from scipy import special

    return 1.0 if number == 2 else float(2 * special.betaincc(number / 2 - 1, number / 2 - 1, (1 + abs(value)) / 2))


def tau_ap(one: Floats, other: Floats) -> float:
    """Give the AP correlation of two orders [item] from the least value on: Kendall's tau with the weight at the top.

    tau_ap(x | y) = 2 / (N - 1) * sum over the items i below the first of y of C(i) / (rank of i - 1) - 1, where C(i)
    counts the items that stand above i in y and in x. This is the mean of both directions. An item is compared with
    those above all items that tie with it, and those that tie in the other order do not agree.

    Items of which a side is nan are left out; nan where a side has no two apart.
    Sources: Yilmaz, Aslam, Robertson (SIGIR 2008), https://doi.org/10.1145/1390334.1390435; ties as in their tau_ap,b:
    Urbano, Marrero (ICTIR 2017), https://doi.org/10.1145/3121050.3121106

    >>> tau_ap(np.array([1.0, 2.0, 3.0]), np.array([2.0, 1.0, 3.0]))
    0.0
    """
    both = ~(np.isnan(one) | np.isnan(other))
    x, y = merge_ties(one[both]), merge_ties(other[both])
    return (_below(x, y) + _below(y, x)) / 2


def _below(x: Floats, y: Floats) -> float:
    """Give tau_ap in one direction: over the items that stand below others in ``y``."""
    above = y[:, None] > y
    many, agreeing = above.sum(axis=1), (above & (x[:, None] > x)).sum(axis=1)
    below = many > 0
    return 2 * float((agreeing[below] / many[below]).mean()) - 1 if below.any() else NAN


def _exact(x: Floats, y: Floats) -> float:
    """Give the p of Spearman's rho over all orders, for few pairs, where scipy's approximation is far off."""
    from scipy import stats

    ranks, others = stats.rankdata(x), stats.rankdata(y)

    def product(values: Floats, axis: int = -1) -> Floats:
        return np.asarray((values * others).sum(axis=axis))

    found = stats.permutation_test((ranks,), product, permutation_type="pairings", vectorized=True, n_resamples=np.inf)
    return float(found.pvalue)
