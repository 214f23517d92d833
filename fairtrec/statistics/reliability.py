"""Reliability of an order of runs: the share of the variance of their means that is due to the runs.

Values x[run, query] of S runs over Q queries vary by run, by query and by their residual (an analysis of variance
without replication):

    MSr = Q sum over runs (mean_r - mean)^2 / (S - 1)
    MSq = S sum over queries (mean_q - mean)^2 / (Q - 1)
    MSe = sum over both (x - mean_r - mean_q + mean)^2 / ((S - 1) (Q - 1))
    var_e = MSe,  var_r = max(0, (MSr - MSe) / Q),  var_q = max(0, (MSq - MSe) / S)

    alpha       = 1 - MSe / MSr                           Cronbach's alpha with queries as items, ICC(3,k), k = Q
    reliability = max(0, alpha)
    absolute    = var_r / (var_r + (var_q + var_e) / Q)   Phi, dependability, ICC(2,k)
    needed(w)   = Q (1 - reliability) / reliability * w / (1 - w) queries for a reliability of w

The interval of the reliability is that of the jackknife over queries, of L = log(MSe / MSr), cut at 0:

    low = 1 - exp(L + t(Q - 1) se),   high = 1 - exp(L - t(Q - 1) se)

Without query q, with y = x - mean_q and the residual e = y - mean of y over the queries:

    MSr_q = (Q - 1) sum over runs ((Q mean of y - y_q) / (Q - 1))^2 / (S - 1)
    MSe_q = (sum of e^2 - Q / (Q - 1) sum over runs e_q^2) / ((S - 1) (Q - 2))

Sources: Bodoff, Li: Test theory for assessing IR test collections. SIGIR 2007.
https://doi.org/10.1145/1277741.1277805
Urbano, Marrero, Martin: On the measurement of test collection reliability. SIGIR 2013.
https://doi.org/10.1145/2484028.2484038
Shrout, Fleiss: Intraclass correlations. Psychological Bulletin 1979. https://doi.org/10.1037/0033-2909.86.2.420
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, isfinite, isnan, nan

import numpy as np

from fairtrec.data import Bools, Floats
from fairtrec.formulas import elementary
from fairtrec.formulas.rounding import NEAR
from fairtrec.statistics import jackknife
from fairtrec.statistics.agreement import tau_b
from fairtrec.statistics.doubt import count_effective, is_doubtful
from fairtrec.statistics.hashed_orders import order_queries

HALVINGS = 200
TINY = 1e-24  # of the largest square: a mean square below it is rounding


@dataclass(frozen=True)
class Reliability:
    """The reliability of the order of ``runs`` over ``queries``; nan if it is undefined.

    ``low`` and ``high`` are the interval of the reliability; without a confidence, ``doubtful`` says nothing. The
    ``variance_`` fields are shares that sum to 1.
    """

    runs: int
    queries: int
    alpha: float = nan
    low: float = nan
    high: float = nan
    absolute: float = nan
    variance_run: float = nan
    variance_query: float = nan
    variance_residual: float = nan
    doubtful: bool = False

    @property
    def reliability(self) -> float:
        """Alpha, but never below 0; what rounding makes of 0 is 0."""
        return 0.0 if self.alpha < NEAR else self.alpha

    def count_needed(self, wanted: float) -> int | None:
        """Count the queries that give the reliability ``wanted``; None if no number does."""
        return count_queries(self.reliability, self.queries, wanted)


def estimate_reliability(values: Floats, confidence: float | None = None) -> Reliability:
    """Estimate the reliability of ``values`` [run, query], all finite; the interval only with a ``confidence``.

    Undefined for fewer than 2 runs or queries, and if all runs have the same values.

    >>> found = estimate_reliability(np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 5.0], [4.0, 4.0, 7.0]]))
    >>> round(found.reliability, 6), round(found.absolute, 6), found.count_needed(0.95)
    (0.959016, 0.754839, 3)
    """
    runs, queries = values.shape
    if min(runs, queries) < 2:
        return Reliability(runs, queries)
    of_run, of_query, of_residual = mean_squares(values)
    if of_run == of_residual == 0:
        return Reliability(runs, queries)
    run = max(0.0, (of_run - of_residual) / queries)
    query = max(0.0, (of_query - of_residual) / runs)
    total = run + query + of_residual
    alpha = 1 - of_residual / of_run if of_run else -np.inf
    absolute = run / (run + (query + of_residual) / queries) if run else 0.0
    shares = run / total, query / total, of_residual / total
    if confidence is None:
        return Reliability(runs, queries, alpha, nan, nan, absolute, *shares)
    low, high, deciding = find_interval(values, confidence)
    doubtful = is_doubtful(queries, deciding)
    return Reliability(runs, queries, alpha, low, high, absolute, *shares, doubtful)


def mean_squares(values: Floats) -> tuple[float, float, float]:
    """Give the mean squares of runs, of queries and of residuals of ``values`` [run, query]; rounding alone is 0.

    >>> mean_squares(np.array([[1.0, 2.0], [3.0, 4.0]]))
    (4.0, 1.0, 0.0)
    """
    runs, queries = values.shape
    least = TINY * max(1.0, float(np.square(values).max()))
    centered = values - values.mean()
    of_run, of_query = centered.mean(axis=1), centered.mean(axis=0)
    residuals = centered - of_run[:, None] - of_query
    squares = (
        queries * float(np.square(of_run).sum()) / (runs - 1),
        runs * float(np.square(of_query).sum()) / (queries - 1),
        float(np.square(residuals).sum()) / ((runs - 1) * (queries - 1)),
    )
    first, second, third = (each if each >= least else 0.0 for each in squares)
    return first, second, third


def find_interval(values: Floats, confidence: float) -> tuple[float, float, float]:
    """Find the interval of the reliability of ``values`` [run, query], and how many queries decide it.

    All are nan if a mean square is 0, over all queries or without one of them.

    >>> low, high, deciding = find_interval(np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 5.0], [4.0, 4.0, 7.0]]), 0.95)
    >>> round(low, 4), round(high, 4), round(deciding, 4)
    (0.0, 0.9988, 2.2727)
    """
    of_run, _, of_residual = mean_squares(values)
    if values.shape[1] < 3 or not min(of_run, of_residual):
        return nan, nan, nan
    runs_without, residuals_without, weights = leave_out_queries(values)
    if not (runs_without.all() and residuals_without.all()):
        return nan, nan, nan
    ratios = elementary.log(residuals_without) - elementary.log(runs_without)
    reach = jackknife.find_reach(ratios, confidence)
    middle = float(elementary.log(np.array(of_residual)) - elementary.log(np.array(of_run)))
    low, high = (1 - elementary.exp(np.array(each)).item() for each in (middle + reach, middle - reach))
    return max(0.0, low), max(0.0, high), count_effective(weights)


def leave_out_queries(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Give the mean squares of runs and of residuals without each query, and each query's sum of squared residuals.

    ``values`` [run, query] are of three queries or more. Rounding alone is 0.

    >>> [each.tolist() for each in leave_out_queries(np.array([[1.0, 2.0, 6.0], [3.0, 4.0, 5.0]]))]
    [[0.25, 0.25, 4.0], [2.25, 2.25, 0.0], [0.5, 0.5, 2.0]]
    """
    runs, queries = values.shape
    least = TINY * max(1.0, float(np.square(values).max()))
    apart = values - values.mean(axis=0)
    of_run = apart.mean(axis=1, keepdims=True)
    without = (queries * of_run - apart) / (queries - 1)
    weights = np.square(apart - of_run).sum(axis=0)
    total = weights.sum()
    left = total - queries / (queries - 1) * weights
    of_runs = (queries - 1) * np.square(without).sum(axis=0) / (runs - 1)
    of_residuals = left / ((runs - 1) * (queries - 2))
    for query in np.flatnonzero(left < jackknife.SMALL * total).tolist():  # digits are lost; of one query at most
        of_residuals[query] = mean_squares(np.delete(values, query, axis=1))[2]
    return *(np.where(each >= least, each, 0.0) for each in (of_runs, of_residuals)), weights


def count_queries(reliability: float, queries: int, wanted: float) -> int | None:
    """Count the queries that give the reliability ``wanted`` if so many ``queries`` give ``reliability``.

    None if no number does, or ``reliability`` is 0 but for rounding. At least 1.

    >>> count_queries(0.5, 10, 0.5), count_queries(0.5, 10, 0.8), count_queries(0.0, 10, 0.8), count_queries(1, 10, 0.8)
    (10, 40, None, 1)
    """
    if not reliability >= NEAR:
        return None
    needed = queries * (1 - reliability) / reliability * wanted / (1 - wanted)
    return max(1, ceil(needed - 1e-9)) if isfinite(needed) else None


def find_complete(values: Floats) -> Bools:
    """Tell for which queries every run has a finite value; ``values`` [run, query]."""
    return np.asarray(np.isfinite(values).all(axis=0))


def halve_queries(qids: Sequence[str], seed: int = 0) -> Iterator[Bools]:
    """Split queries into halves 200 times; True marks the first half, the smaller one of an odd number.

    Halving ``h`` sorts the queries by the sha256 of "seed h qid", so it is the same for any values, in any order.

    >>> [half.tolist() for half in halve_queries(["a", "b", "c", "d"])][0]
    [True, False, True, False]
    """
    for order in order_queries(qids, seed, HALVINGS):
        first = np.zeros(len(order), dtype=np.bool_)
        first[order[: len(order) // 2]] = True
        yield first


def correlate_halves(values: Floats, halves: Sequence[Bools]) -> float:
    """Average Kendall's tau-b between the runs' means over two halves of the queries; nan for fewer than 4 queries.

    ``values`` [run, query]. A halving in which all means are equal has no tau and is left out.
    """
    if values.shape[1] < 4:
        return nan
    one, other = (np.array([values[:, half].mean(axis=1) for half in each]) for each in (halves, ~np.array(halves)))
    known = [tau for tau in tau_b(one, other).tolist() if not isnan(tau)]
    return sum(known) / len(known) if known else nan
