"""Correlations of two columns of values, with p and confidence interval."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fairtrec.data import Floats
from fairtrec.formulas.rounding import constant, finite, tied

Coefficient = Literal["pearson", "spearman", "kendall"]
COEFFICIENTS: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall")
NAN = float("nan")
EXACT = 7  # pairs; they have 5,040 orders


@dataclass(frozen=True)
class Correlation:
    """A coefficient, its p and its interval over ``n`` pairs; nan where that is undefined."""

    n: int
    value: float = NAN
    p: float = NAN
    low: float = NAN
    high: float = NAN


def correlation(x: Floats, y: Floats, kind: Coefficient = "pearson", confidence: float = 0.95) -> Correlation:
    """Correlate the pairs of which both are finite; undefined for fewer than two, or where a side is all one value.

    Values that agree to 12 digits behind the point tie: means of the same values, added in another order, are not the
    same to the last bit. Coefficient and p are scipy's; for up to 7 pairs, Spearman's p is that over all orders.
    The interval is that of Fisher's z, with the standard errors 1 / sqrt(n - 3) for Pearson's r, that times
    sqrt(1 + r^2 / 2) for Spearman's (Bonett and Wright, 2000), and sqrt(0.437 / (n - 4)) for Kendall's tau-b (Fieller,
    Hartley and Pearson, 1957); nan for fewer than 4 (Kendall: 5) pairs.

    >>> correlation(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0]), "kendall").n
    4
    """
    pairs = finite(x) & finite(y)
    x, y = tied(x[pairs]), tied(y[pairs])
    if len(x) < 2 or constant(x) or constant(y):
        return Correlation(len(x))
    from scipy import stats

    of: dict[Coefficient, Any] = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
    found = of[kind](x, y)
    value = float(found.statistic)
    p = _exact(x, y) if kind == "spearman" and len(x) <= EXACT else float(found.pvalue)
    return Correlation(len(x), value, p, *_interval(value, len(x), kind, confidence))


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
    x, y = tied(one[both]), tied(other[both])
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


def _interval(value: float, n: int, kind: Coefficient, confidence: float) -> tuple[float, float]:
    from scipy import special

    freedom = n - (4 if kind == "kendall" else 3)
    if freedom < 1:
        return NAN, NAN
    if abs(value) >= 1:
        return value, value
    variance = {"pearson": 1.0, "spearman": 1 + value**2 / 2, "kendall": 0.437}[kind] / freedom
    reach = special.ndtri((1 + confidence) / 2) * np.sqrt(variance)
    low, high = np.tanh(np.arctanh(value) + np.array([-reach, reach])).tolist()
    return low, high
