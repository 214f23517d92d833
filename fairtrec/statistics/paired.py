"""Statistics of paired differences: is one run better than another, by how much, and could the data have shown it?

``differences`` [row, query] are the values of a run minus those of the baseline; a row is one comparison. No value is
nan: leave out undefined pairs first. A result is nan if there are fewer than two queries, or an infinite difference
leaves it open. A number too large for its square counts as infinite.

Results are those of scipy. Random draws depend only on the seed and the number of queries, so a comparison does not
change with other comparisons.
"""

from collections.abc import Callable, Iterator

import numpy as np

from fairtrec.data import Bools, Floats, Ints
from fairtrec.formulas.rounding import NEAR, constant, finite, merge_ties, same
from fairtrec.formulas.weighted_sums import multiply_counts, split_for_counts
from fairtrec.statistics.student import critical_t
from fairtrec.support.literals import Method, Test

FEW = 13  # queries, whose signs can be tried in all 8,192 ways
CACHED = 1 << 16  # numbers that stay in the cache of a processor
ROUNDING = 4 * np.finfo(np.float64).eps  # a bound of what a few operations round, as a share
BLOCK = 1 << 20  # numbers that are drawn at once, 8 MB
HELD = 1 << 22  # means of resamples that are held at once, 32 MB


def subtract(values: Floats, baseline: Floats) -> Floats:
    """Subtract; 0 where both are the same but for rounding.

    >>> subtract(np.array([0.1 + 0.2, np.inf, 1.0]), np.array([0.3, np.inf, 0.5])).tolist()
    [0.0, 0.0, 0.5]
    """
    return np.subtract(values, baseline, out=np.zeros(np.shape(values)), where=~same(values, baseline))


def p_values(differences: Floats, test: Test = "t", *, resamples: int = 10_000, seed: int = 0) -> Floats:
    """Compute the two-sided p-value of each row: the chance of differences this far from 0 if the true mean is 0."""
    p = np.full(len(differences), np.nan)
    testable = _testable(differences)
    zero = testable & ~differences.any(axis=1)
    p[zero] = 1.0
    rest = testable & ~zero
    if rest.any():
        p[rest] = _TESTS[test](differences[rest], resamples, seed)
    return p


def _testable(differences: Floats) -> Bools:
    return np.asarray(finite(differences).all(axis=1) & (differences.shape[1] >= 2))


def _t(differences: Floats, resamples: int, seed: int) -> Floats:  # noqa: ARG001 - nothing is drawn
    from scipy import special

    p = np.zeros(len(differences))  # where the same difference shows in every query, t is infinite
    varied = ~constant(differences)
    rows, queries = differences[varied], differences.shape[1]
    variance = rows.var(axis=1) * (queries / (queries - 1))
    statistic = rows.mean(axis=1) / np.sqrt(variance / queries)
    p[varied] = 2 * special.stdtr(queries - 1, -np.abs(statistic))
    return p


def _wilcoxon(differences: Floats, resamples: int, seed: int) -> Floats:  # noqa: ARG001 - nothing is drawn
    """Test signed ranks, differences of 0 left out.

    For up to 13 queries over all signs, as scipy does it too, but at once for all rows.
    """
    from scipy import stats

    if differences.shape[1] > FEW:
        return np.array([float(stats.wilcoxon(row).pvalue) for row in merge_ties(differences)])
    return _randomization(_signed_ranks(differences), 2**FEW, seed)


def _signed_ranks(differences: Floats) -> Floats:
    """Rank each row by size, those of 0 left out, with the signs of the differences."""
    from scipy import stats

    differences = merge_ties(differences)
    sizes = np.where(differences == 0, np.nan, np.abs(differences))
    return np.asarray(np.sign(differences) * np.nan_to_num(stats.rankdata(sizes, axis=1, nan_policy="omit")))


def direction(differences: Floats, test: Test = "t") -> Floats:
    """Give the side of 0, -1 or 1, of what a test tells from 0 in each row: the sum of signed ranks, or the mean.

    >>> few_far_up = np.array([[0.9, -0.1, -0.2, -0.3]])
    >>> direction(few_far_up).tolist(), direction(few_far_up, "wilcoxon").tolist()
    ([1.0], [-1.0])
    """
    side = np.full(len(differences), np.nan)
    testable = _testable(differences)
    if testable.any():
        rows = differences[testable]
        side[testable] = np.sign(_signed_ranks(rows).sum(axis=1) if test == "wilcoxon" else rows.mean(axis=1))
    return side


def _randomization(differences: Floats, resamples: int, seed: int) -> Floats:
    """Flip signs: in all ways if there are no more than ``resamples``, else at random, (r + 1) / (R + 1)."""
    rows, queries = differences.shape
    exact = queries < 63 and 2**queries <= resamples
    many = 2**queries if exact else resamples
    observed = np.abs(differences.sum(axis=1)) - NEAR * np.abs(differences).sum(axis=1)
    draw = np.random.default_rng(seed)
    extreme = np.zeros(rows)
    block = max(1, BLOCK // (rows + queries))
    for start in range(0, many, block):
        numbers = np.arange(start, min(start + block, many))
        if exact:
            up = numbers[:, None] >> np.arange(queries) & 1
        else:
            up = (draw.random((len(numbers), queries)) < 0.5).astype(np.int64)
        extreme += _count_extreme(1 - 2 * up, differences, 1, np.zeros(rows), observed)
    return extreme / many if exact else (extreme + 1) / (many + 1)


def _bootstrap(differences: Floats, resamples: int, seed: int) -> Floats:
    """Count the resamples of the differences, moved to a mean of 0, whose mean is as far from 0: (r + 1) / (R + 1).

    They are those of scipy, drawn once for all rows: how often each query is in one says all of its mean.
    """
    rows, queries = differences.shape
    mean = differences.mean(axis=1)
    observed = np.abs(mean) - NEAR * np.abs(differences).mean(axis=1)
    extreme = np.zeros(rows)
    for drawn in _draw_queries(queries, resamples, seed, max(1, BLOCK // max(rows, queries))):
        extreme += _count_extreme(_count_draws(drawn, queries), differences, queries, mean, observed)
    return (extreme + 1) / (resamples + 1)


def _draw_queries(queries: int, resamples: int, seed: int, several: int) -> Iterator[Ints]:
    """Draw the queries of each resample [resample, draw], ``several`` resamples at a time, as scipy draws them."""
    draw = np.random.default_rng(seed)
    for start in range(0, resamples, several):
        yield draw.integers(0, queries, (min(several, resamples - start), queries))


def _count_draws(drawn: Ints, queries: int) -> Ints:
    """Count how often each query stands in each resample [resample, query]."""
    numbers = drawn + np.arange(len(drawn))[:, None] * queries
    return np.bincount(numbers.ravel(), minlength=numbers.size).reshape(numbers.shape)


def _count_extreme(times: Ints, differences: Floats, divisor: int, center: Floats, observed: Floats) -> Ints:
    """Count for each row of ``differences`` [row, query] how many resamples lie at least ``observed`` from ``center``.

    ``times`` [resample, query] says how often a query stands in a resample, or with which sign. The value of a resample
    is its sum over the queries by ``divisor``. The leading digits settle nearly all comparisons in one matrix product;
    rows with a resample that they leave open are compared by all digits.
    """
    values = differences.T
    coarse, fine = split_for_counts(values, most := int(np.abs(times).max()))
    slack = most * (2 * np.abs(fine).sum(axis=0) + ROUNDING * len(values) * np.abs(values).sum(axis=0)) / divisor
    surely, perhaps = observed + slack, observed - slack
    extreme, possible = np.zeros(len(differences), dtype=np.int64), np.zeros(len(differences), dtype=np.int64)
    several = max(1, CACHED // len(differences))
    counts = times.astype(np.float64)
    for start in range(0, len(counts), several):
        far = counts[start : start + several] @ coarse  # exact: few bits
        far /= divisor
        far -= center
        np.abs(far, out=far)
        extreme += np.count_nonzero(far >= surely, axis=0)
        possible += np.count_nonzero(far >= perhaps, axis=0)
    unsettled = np.flatnonzero(extreme != possible)
    if len(unsettled):
        far = np.abs(multiply_counts(times, values[:, unsettled]) / divisor - center[unsettled])
        extreme[unsettled] = np.count_nonzero(far >= observed[unsettled], axis=0)
    return extreme


_TESTS: dict[Test, Callable[[Floats, int, int], Floats]] = {
    "t": _t, "wilcoxon": _wilcoxon, "randomization": _randomization, "bootstrap": _bootstrap,
}  # fmt: skip


def intervals(
    differences: Floats, method: Method = "t", *, confidence: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> Floats:
    """Compute the confidence interval of each row's mean [row, end]. If all differences are equal, both ends are that
    value.
    """
    ends = np.full((len(differences), 2), np.nan)
    if differences.shape[1] < 2:
        return ends
    testable = _testable(differences)
    alike = testable & constant(differences)
    ends[alike] = differences[alike].mean(axis=1, keepdims=True)
    rows = np.flatnonzero(testable & ~alike)
    if method == "t" and len(rows):
        ends[rows] = _of_t(differences[rows], confidence)
        return ends
    several = max(1, HELD // resamples)
    for start in range(0, len(rows), several):
        part = rows[start : start + several]
        ends[part] = _resampled_ends(differences[part], method, confidence, resamples, seed)
    return ends


def _of_t(differences: Floats, confidence: float) -> Floats:
    queries = differences.shape[1]
    mean = differences.mean(axis=1)
    reach = critical_t(queries - 1, (1 - confidence) / 2) * differences.std(axis=1, ddof=1) / np.sqrt(queries)
    return np.stack([mean - reach, mean + reach], axis=1)


def _resampled_ends(differences: Floats, method: Method, confidence: float, resamples: int, seed: int) -> Floats:
    """Give the ends [row, end] of the interval that the means of resamples span: percentile, or BCa."""
    means = _resampled_means(differences, resamples, seed)
    tail = (1 - confidence) / 2
    if method == "bca":
        levels = _bca_levels(differences, means, tail)
    else:
        levels = np.broadcast_to([tail, 1 - tail], (len(differences), 2))
    return np.array([np.quantile(row, level) for row, level in zip(means, levels, strict=True)])


def _resampled_means(differences: Floats, resamples: int, seed: int) -> Floats:
    """Average each row in resamples of its queries -> [row, resample]. The resamples are the same for all rows.

    A mean is the product of the row and of the times that each query is drawn. A mean that is the row's own, but for
    rounding, is averaged again from the queries as drawn: BCa counts how many are below.
    """
    rows, queries = differences.shape
    values, own = differences.T, differences.mean(axis=1)
    slack = ROUNDING * queries * np.abs(differences).max(axis=1)
    means = np.empty((rows, resamples))
    first = 0
    for drawn in _draw_queries(queries, resamples, seed, max(1, BLOCK // max(rows, queries))):
        part = multiply_counts(_count_draws(drawn, queries), values)
        part /= queries
        near = np.abs(part - own) <= slack
        for row in np.flatnonzero(near.any(axis=0)).tolist():
            part[near[:, row], row] = differences[row][drawn[near[:, row]]].mean(axis=1)
        means[:, first : first + len(drawn)] = part.T
        first += len(drawn)
    return means


def _bca_levels(differences: Floats, means: Floats, tail: float) -> Floats:
    """Give the shares of resampled means below the ends [row, end], corrected for bias and skewness (Efron, 1987)."""
    from scipy import special

    own = differences.mean(axis=1)
    below = np.count_nonzero(means < own[:, None], axis=1) + np.count_nonzero(means <= own[:, None], axis=1)
    bias = special.ndtri(below / (2 * means.shape[1]))
    apart = differences - own[:, None]
    squares = np.square(apart)
    spread = squares.sum(axis=1)
    skewness = (squares * apart).sum(axis=1) / (6 * spread * np.sqrt(spread))
    shift = special.ndtri(tail) * np.array([1.0, -1.0]) + bias[:, None]
    return np.asarray(special.ndtr(bias[:, None] + shift / (1 - skewness[:, None] * shift)))


def interval(
    differences: Floats, method: Method = "t", *, confidence: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> tuple[float, float]:
    """Give the confidence interval of the mean of one row of differences [query].

    >>> low, high = interval(np.array([0.1, 0.2, 0.3]))
    >>> round(low, 4), round(high, 4)
    (-0.0484, 0.4484)
    """
    row = np.asarray(differences, dtype=np.float64)[None]
    low, high = intervals(row, method, confidence=confidence, resamples=resamples, seed=seed)[0].tolist()
    return low, high


def effect(differences: Floats) -> Floats:
    """Compute Cohen's d_z of each row: mean over standard deviation. 0 if all are 0, infinite if all equal another."""
    size = np.full(len(differences), np.nan)
    testable = _testable(differences)
    if differences.shape[1] < 2:
        return size
    mean = differences[testable].mean(axis=1)
    spread = np.where(constant(differences[testable]), 0.0, differences[testable].std(axis=1, ddof=1))
    with np.errstate(divide="ignore"):
        size[testable] = np.divide(mean, spread, out=np.zeros(len(mean)), where=mean != 0)
    return size


def cliff(values: Floats, baseline: Floats) -> float:
    """Give Cliff's delta of two sets of values, which are not paired: how often one is above the other, less below.

    >>> round(cliff(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0])), 4)
    -0.1111
    """
    if not len(values):
        return float("nan")
    order = np.sort(baseline)
    margin = np.where(np.isfinite(values), NEAR * np.maximum(1.0, np.abs(values)), 0.0)
    above = np.searchsorted(order, values - margin, side="left").sum()
    below = (len(order) - np.searchsorted(order, values + margin, side="right")).sum()
    return float(above - below) / (len(values) * len(baseline))


def at_least(differences: Floats, margin: float) -> Floats:
    """Compute the one-sided p-value of each row if the true mean is ``margin`` or less (paired t)."""
    from scipy import special

    p = np.full(len(differences), np.nan)
    testable = _testable(differences)
    if not testable.any():
        return p
    queries = differences.shape[1]
    rows = differences[testable]
    above = subtract(rows.mean(axis=1), np.array(margin))
    error = np.where(constant(rows), 0.0, rows.std(axis=1, ddof=1)) / np.sqrt(queries)
    with np.errstate(divide="ignore", over="ignore"):
        t = np.divide(above, error, out=np.zeros(len(rows)), where=above != 0)
    p[testable] = special.stdtr(queries - 1, -t)
    return p


def equivalence(differences: Floats, margin: float) -> Floats:
    """Compute the p-value of two one-sided tests (TOST) if the true mean is at least ``margin`` away from 0."""
    return np.maximum(at_least(differences, -margin), at_least(-differences, -margin))


def detectable(differences: Floats, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """Compute the smallest true mean that a two-sided paired t-test finds with this power, for the spread of these
    differences.

    0 if all differences are equal; nan for fewer than two.
    """
    queries = len(differences)
    if queries < 2 or not finite(differences).all():
        return float("nan")
    if power <= alpha or constant(differences):
        return 0.0
    return float(find_shift(queries - 1, alpha, power) * np.std(differences, ddof=1) / np.sqrt(queries))


def find_shift(freedom: float, alpha: float, power: float) -> float:
    """Compute how many standard errors from 0 a true value is that a two-sided t-test finds with this power.

    >>> round(find_shift(1e9, 0.05, 0.8), 4)
    2.8016
    """
    from scipy import special

    critical = critical_t(freedom, alpha / 2)

    def lacks(shift: float) -> bool:  # whether a true mean of so many standard errors has less than this power
        high, low = special.nctdtr(freedom, shift, np.array([critical, -critical]))
        if np.isnan(high + low):  # too small for a number, or beyond this series
            from scipy import stats

            return float(stats.nct.sf(critical, freedom, [shift, -shift]).sum()) < power
        return bool(1 - high + low < power)

    low, high = 0.0, 1.0
    while lacks(high):
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if lacks(middle) else (low, middle)
    return high
