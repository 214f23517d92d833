"""How gold labels of drawn documents, or of drawn queries, correct a mean over queries, and how sure that is.

The unit is what was drawn. The only chance is the draw, whose probabilities are known, so nothing is assumed of the
errors of the instrument: that they are alike, that they are few, or that those of one query are independent.

Documents: a value that is a sum of weights W_d times gains g_d is corrected by T times the mean error m of the drawn
documents S, each weighed by W_d / p_d, where e_d is the gain by gold less that by the instrument, T the sum of all W_d:

    B    = sum over S of W_d / p_d,   m = sum over S of (W_d / p_d) e_d / B
    SE^2 = sum over S of (1 - p_d) [r_d^2 + 2 a_d^2 / (n + 2)],   n = (sum of a_d)^2 / sum of a_d^2
    r_d  = (T / B) (W_d / p_d) (e_d - m),   a_d = W_d rho / p_d

rho is the greatest less the least gain that a document can have. 1 - p_d is the finite population: what is drawn
for certain leaves nothing to chance. The second term is two errors that were not seen, one either way: without it a
sample that shows no error would have an interval of no width. t has n - 1 degrees of freedom, 1 at least.

If the Q queries are a sample, too, each brings its value v_q, and what the labels say of it. w_dq are the weights of a
document in a query, W_d their sum over queries divided by Q:

    r_dq = (T / B) (w_dq / Q) / p_d (e_d - m),   z_q = v_q / Q + m T_q + sum over S of r_dq
    SE^2 = Q / (Q - 1) sum over queries of (z_q - mean z)^2 + unseen
           + sum over S of (1 - p_d) (r_d^2 - sum over queries of r_dq^2)

but never less than for labels alone. The z_q sum to the corrected value; unseen is the second term of above. t has
Q - 1 degrees of freedom. If all documents are labeled, this is the interval of the t-test of the values by gold.

Queries: n of Q are drawn, p = n / Q. An undefined value is 0 and counts 0 (1_v, else 1):

    A = sum of v_q + (1 / p) sum over S of (g_q - v_q),   N = sum of 1_v + (1 / p) sum over S of (1_g - 1_v)
    corrected = A / N,   eps_q = (g_q - v_q) - corrected (1_g - 1_v)
    SE^2 = (Q / N)^2 (1 - p) [variance of eps_q / n + 2 (greatest |eps_q| / (n + 2))^2],   t with n - 1

Sources: Sarndal, Swensson, Wretman: Model Assisted Survey Sampling. Springer 1992, chapters 5 and 6 (ratios, the
difference estimator). Angelopoulos, Bates, Fannjiang, Jordan, Zrnic: Prediction-powered inference. Science 2023 (the
difference estimator, with lambda = 1). https://doi.org/10.1126/science.adi6000
Bonett, Price: Adjusted Wald Confidence Interval for a Difference of Binomial Proportions Based on Paired Data. JEBS
2012 (two errors more). https://doi.org/10.3102/1076998611411915
"""

from dataclasses import dataclass
from functools import cached_property
from math import exp, inf, lgamma, log, log1p, nan, pi, sqrt
from typing import NamedTuple

import numpy as np

from fairtrec.data import Bools, Floats, Ints
from fairtrec.formulas.rounding import NEAR
from fairtrec.statistics.doubt import count_differing

EPSILON, NEARLY, HALF = 1e-15, 1e-8, 0.5
FEWEST = 30  # drawn queries; of fewer, intervals of heavy errors cover the truth far too rarely
IMPOSSIBLE = 4  # standard errors by which the weights of drawn documents miss those of all


class Estimate(NamedTuple):
    """What is added to a value, the square of its standard error (nan: unknown), and the degrees of freedom of t.

    Both ends of the interval move out by ``loose``. ``number`` is how many were labeled, of which ``differ`` do; of
    drawn queries, ``deciding`` have another error than the most frequent one.
    ``sampled`` is the square of the standard error if the ``queries`` are a sample, too. ``value`` is the corrected
    value itself, if it is not the mean plus the correction.
    """

    correction: float
    variance: float
    freedom: float
    loose: float = 0.0
    number: int = 0
    differ: int = 0
    sampled: float = nan
    queries: int = 0
    value: float | None = None
    deciding: int = 0

    def correct(self, mean: float) -> float:
        """Correct the mean of the values.

        >>> Estimate(0.5, 0.0, 1.0).correct(0.25)
        0.75
        """
        return mean + self.correction if self.value is None else self.value

    def find_interval(self, value: float, confidence: float) -> tuple[float, float]:
        """Give the interval of a corrected ``value``, at a confidence between 0 and 1; nan where there is none.

        >>> Estimate(0.5, 0.0, 1.0).find_interval(0.75, 0.95)
        (0.75, 0.75)
        """
        reach = self.loose + (quantile(confidence, self.freedom) * sqrt(self.variance) if self.variance else 0.0)
        return float(value - reach), float(value + reach)

    def p_value(self, value: float) -> float:
        """Give the two-sided p of a corrected ``value``: how likely one so far from 0 is, if the truth is 0.

        >>> Estimate(0.5, 0.0, 1.0).p_value(0.0), Estimate(0.5, 0.0, 1.0).p_value(0.5)
        (1.0, 0.0)
        """
        far = max(abs(value) - self.loose, 0.0)
        if not self.variance:
            return float(far <= NEAR)
        return tail(far / sqrt(self.variance), self.freedom)

    def with_queries(self) -> "Estimate":
        """Let the queries be a sample, too.

        >>> Estimate(0.5, 0.25, 1.0, sampled=0.5, queries=3).with_queries()[:3]
        (0.5, 0.5, 2)
        """
        return self._replace(variance=self.sampled, freedom=max(self.queries - 1, 1))


@dataclass(frozen=True, eq=False)
class DrawnRanks:
    """The ranks of the queries at which drawn documents stand: an entry is one rank.

    ``query`` and ``document`` [entry] are numbers, ``weights`` [entry] w_dq / Q, and ``errors`` [entry] these times the
    error. ``totals`` [query] are the weights of all ranks over Q, ``values`` [query] v_q / Q.
    """

    query: Ints
    document: Ints
    weights: Floats
    errors: Floats
    totals: Floats
    values: Floats


class Spread(NamedTuple):
    """What each query has in a corrected mean: z [query]; and r_dq, an entry for each document of a query."""

    queries: Floats
    key: Ints  # query * documents + document
    residuals: Floats

    def less(self, other: "Spread") -> "Spread":
        """Take the difference from another run's."""
        key = np.concatenate((self.key, other.key))
        return Spread(self.queries - other.queries, key, np.concatenate((self.residuals, -other.residuals)))

    def variance(self, documents: int, chance: Floats, labels: float, unseen: float) -> float:
        """Give the square of the standard error; ``chance`` [document] is 1 - p, and ``labels`` the variance of labels.

        nan for fewer than two queries, and for values that are not finite.
        """
        queries = len(self.queries)
        if queries < 2 or not np.isfinite(self.queries).all():
            return nan
        key, place = np.unique(self.key, return_inverse=True)
        of_both, document = np.bincount(place, self.residuals, len(key)), key % documents
        of_document = np.bincount(document, of_both, documents)
        shared = np.square(of_document) - np.bincount(document, np.square(of_both), documents)
        between = float(np.square(self.queries - self.queries.mean()).sum()) * queries / (queries - 1)
        return max(labels, between + unseen + float((chance * shared).sum()))


@dataclass(frozen=True, eq=False)
class DrawnDocuments:
    """The drawn documents of one sum over documents, all but ``total`` and ``constant`` [document].

    ``weights`` are W, 0 of a document that is not looked at; ``errors`` and ``gold`` W times the error, and times the
    gain by gold; ``reaches`` W times rho; ``probabilities`` of being drawn; ``untold`` are those of which people could
    not tell the group, whose error is 0 here. ``total`` is T, of all documents, and ``constant`` what the value is
    beside the sum. ``ranks`` say in which queries they stand; without, the queries are no sample.
    """

    weights: Floats
    errors: Floats
    gold: Floats
    reaches: Floats
    probabilities: Floats
    untold: Bools
    total: float
    constant: float = 0.0
    ranks: DrawnRanks | None = None

    def estimate(self) -> Estimate | None:
        """Estimate what is to be added to the value; None where no drawn document is looked at.

        Two documents of weight 1, drawn with probability one half of four, of which one is wrong by 1: m = 1/2 and
        T m = 2. r is 4 / 4 * 2 * (1 - 1/2) = 1 and -1, a = 2, n = 2, so SE^2 = 1/2 (1 + 2 * 4 / 4) twice.

        >>> one, no = np.ones(2), np.zeros(2)
        >>> found = DrawnDocuments(one, np.array([1.0, 0.0]), no, one, one / 2, no > 0, 4.0).estimate()
        >>> found.correction, found.variance, found.freedom, found.number, found.differ
        (2.0, 3.0, 1.0, 2, 1)
        """
        return self._estimated

    @cached_property
    def _estimated(self) -> Estimate | None:
        found = self._of(self.errors)
        if found is None or self.ranks is None:
            return found
        return self._sampled(found, self.spread, self.reaches)

    def gold_alone(self) -> tuple[float, Estimate] | None:
        """Estimate the value from the gold labels alone, as if there were no instrument."""
        found = self._of(self.gold)
        return None if found is None else (self.constant + found.correction, found)

    def estimate_difference(self, other: "DrawnDocuments") -> Estimate | None:
        """Estimate what is to be added to the difference from another run's value; they share the drawn documents.

        Documents at the same ranks cancel.
        """
        mine, theirs = self.estimate(), other.estimate()
        if mine is None or theirs is None:
            return None
        residuals = self.residuals(self.errors) - other.residuals(other.errors)
        reaches = self.reaches - other.reaches
        looked_at = (self.weights > 0) | (other.weights > 0)
        differ = (self.differ | other.differ) & looked_at
        found = self._varying(mine.correction - theirs.correction, residuals, np.abs(reaches) / self.probabilities)
        if self.ranks is not None:  # and the other's are
            found = self._sampled(found, self.spread.less(other.spread), np.abs(reaches))
        return found._replace(number=int(looked_at.sum()), differ=int(differ.sum()))

    @cached_property
    def spread(self) -> Spread:
        """What each query has in the corrected value."""
        ranks = self.ranks
        assert ranks is not None
        weighed = float(self._weighed.sum())
        mean = float((self.errors / self.probabilities).sum()) / weighed
        inflated = (ranks.errors - mean * ranks.weights) / self.probabilities[ranks.document]
        residuals = self.total / weighed * inflated
        of_queries = np.bincount(ranks.query, residuals, len(ranks.values))
        key = ranks.query * len(self.weights) + ranks.document
        return Spread(ranks.values + mean * ranks.totals + of_queries, key, residuals)

    def refuted(self) -> float | None:
        """Give the share of all weight that drawn documents stand for, if that cannot be by their probabilities.

        It is 1 but for the chance of the draw. None if it is possible.

        >>> one, no = np.ones(2), np.zeros(2)
        >>> DrawnDocuments(one, no, no, one, one, no > 0, 4.0).refuted()
        0.5
        >>> DrawnDocuments(one, no, no, one, one / 2, no > 0, 4.0).refuted()
        """
        spread = float(((1 - self.probabilities) * np.square(self._weighed)).sum())
        weighed = float(self._weighed.sum())
        if abs(weighed - self.total) <= IMPOSSIBLE * sqrt(spread) + NEAR * self.total:
            return None
        return weighed / self.total

    def _of(self, amounts: Floats) -> Estimate | None:
        if not self.weights.any():
            return None
        correction = self.total * float((amounts / self.probabilities).sum() / self._weighed.sum())
        found = self._varying(correction, self.residuals(amounts), self.reaches / self.probabilities)
        return found._replace(number=int((self.weights > 0).sum()), differ=int(self.differ.sum()))

    @property
    def _weighed(self) -> Floats:
        return self.weights / self.probabilities

    @property
    def differ(self) -> Bools:
        """Tell whose gain by gold is another than by the instrument."""
        return np.asarray(np.abs(self.errors) > NEAR * self.reaches)

    def residuals(self, amounts: Floats) -> Floats:
        """Give what each drawn document adds to the standard error of a sum of ``amounts``: r."""
        weighed, inflated = self._weighed, amounts / self.probabilities
        share = weighed / weighed.sum()
        return np.asarray(self.total * (inflated / weighed.sum() - share * inflated.sum() / weighed.sum()))

    def _sampled(self, found: Estimate, spread: Spread, reaches: Floats) -> Estimate:
        """Add what it is if the queries are a sample."""
        chance = 1 - self.probabilities
        with np.errstate(over="ignore", invalid="ignore"):
            _, unseen = _unseen(chance, reaches / self.probabilities)
            sampled = spread.variance(len(self.weights), chance, found.variance, float(unseen.sum()))
        return found._replace(sampled=sampled, queries=len(spread.queries))

    def _varying(self, correction: float, residuals: Floats, reaches: Floats) -> Estimate:
        chance = 1 - self.probabilities
        with np.errstate(over="ignore", invalid="ignore"):  # of probabilities so small nothing can be told
            number, unseen = _unseen(chance, reaches)
            variance = float((chance * np.square(residuals) + unseen).sum())
        loose = float(reaches[self.untold].sum())
        return Estimate(correction, variance, max(number - 1, 1.0), loose)


def _unseen(chance: Floats, reaches: Floats) -> tuple[float, Floats]:
    """Give n, and what two unseen errors add to the variance [document]; ``chance`` [document] is 1 - p."""
    of_chance = reaches[chance > 0]
    squares = float(np.square(of_chance).sum())
    number = float(np.square(of_chance.sum())) / squares if squares else 0.0
    return number, np.asarray(chance * (2 * np.square(reaches) / (number + 2)))


def estimate_from_queries(values: Floats, gold: Floats, drawn: Bools) -> Estimate | None:
    """Estimate the corrected mean from ``values`` and values by ``gold`` [query], of which some were ``drawn`` [query].

    nan is undefined, or in ``gold`` not drawn. Without an interval if fewer than 30 are drawn, or none differs, and not
    all are. None if nothing was drawn that has a value, or if the drawn queries leave none to divide by.

    >>> found = estimate_from_queries(np.array([0.5, 1.0]), np.array([1.0, 1.0]), np.array([True, True]))
    >>> found.value, found.correction, found.variance, found.number, found.differ
    (1.0, 0.25, 0.0, 2, 1)
    """
    queries, many = len(values), int(drawn.sum())
    has, has_gold = ~np.isnan(values), ~np.isnan(gold) & drawn
    number = int((drawn & (has | has_gold)).sum())
    if not number:
        return None
    probability = many / queries
    before, after = np.where(has, values, 0.0), np.where(has_gold, gold, 0.0)
    with np.errstate(invalid="ignore"):  # infinite values
        gains = np.where(before == after, 0.0, after - before) * drawn
        more = (has_gold.astype(np.float64) - has) * drawn
        defined = float(has.sum()) + float(more.sum()) / probability
        if defined <= 0:
            return None
        value = (float(before.sum()) + float(gains.sum()) / probability) / defined
        errors = gains - value * more
    differ = int((drawn & ((np.abs(gains) > NEAR) | (more != 0))).sum())
    variance, sampled = _of_drawn_queries(values, errors, drawn, value, defined)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = float(before.sum() / has.sum()) if has.any() else nan
        correction = value - mean
    deciding = count_differing(errors[drawn])
    return Estimate(correction, variance, max(many - 1, 1), 0.0, number, differ, sampled, queries, value, deciding)


def _of_drawn_queries(
    values: Floats, errors: Floats, drawn: Bools, value: float, defined: float
) -> tuple[float, float]:
    """Give the variance of a mean over drawn queries, and that if the queries are a sample, too; nan is unknown."""
    queries, many = len(values), int(drawn.sum())
    probability, scale = many / queries, np.square(queries / defined)
    of_drawn, labels, unseen = errors[drawn], 0.0, 0.0
    if not np.isfinite(errors).all():
        return (0.0 if many == queries else nan), nan
    if many < queries:
        largest = float(np.abs(of_drawn).max())
        if many < FEWEST or largest <= NEAR:
            return nan, nan
        labels = scale * (1 - probability) * float(of_drawn.var(ddof=1)) / many
        unseen = scale * (1 - probability) * 2 * float(np.square(largest / (many + 2)))
    if queries < 2:
        return 0.0, nan
    has = ~np.isnan(values)
    mean = float(of_drawn.mean())
    each = np.where(has, values - value, 0.0) + mean + drawn * (errors - mean) / probability
    between = float(np.square(each - each.mean()).sum()) * queries / (queries - 1) / (defined * defined)
    return labels + unseen, max(labels, between) + unseen


def tail(t: float, freedom: float) -> float:
    """Give the two-sided p of Student's ``t``, 0 or more, as scipy does, which takes its time to be imported.

    It is the incomplete beta function at freedom / (freedom + t^2), as a continued fraction.

    >>> round(tail(2.0, 3.0), 12), tail(0.0, 3.0)
    (0.139325968559, 1.0)
    """
    square = t * t / freedom
    if not 0 < square < inf:
        return 1.0 if square == 0 else 1 / square  # 0 of what is so far off; nan stays nan
    a, b, x, y = freedom / 2, 0.5, 1 / (1 + square), square / (1 + square)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * (log1p(-y) if y < HALF else log(x)) + b * log(y))
    return front / a * _fraction(a, b, x) if x * (a + b + 2) < a + 1 else 1 - front / b * _fraction(b, a, y)


def _fraction(a: float, b: float, x: float) -> float:
    """Evaluate the continued fraction of the incomplete beta function, from its front (Lentz)."""
    value, c, d = 1.0, 1.0, 0.0
    for step in range(1, 10_000):
        m = step // 2
        odd = -(a + m) * (a + b + m) if step % 2 else m * (b - m)
        term = odd * x / ((a + step - 1) * (a + step))
        d, c = 1 / (1 + term * d), 1 + term / c
        value *= c * d
        if abs(c * d - 1) < EPSILON:
            break
    return 1 / value


def quantile(confidence: float, freedom: float) -> float:
    """Give the t that is passed, to either side, with the probability 1 - ``confidence``.

    By Newton's steps in the logarithms of t and of its tail.

    >>> round(quantile(0.95, 1.0), 9), round(quantile(0.95, 10.0), 9)
    (12.706204736, 2.228138852)
    """
    wanted, t = 1 - confidence, 2.0
    whole = lgamma((freedom + 1) / 2) - lgamma(freedom / 2) - log(freedom * pi) / 2
    for _ in range(100):
        left = tail(t, freedom)
        density = 2 * exp(whole - (freedom + 1) / 2 * log1p(t * t / freedom))
        step = log(left / wanted) * left / (density * t)
        t *= exp(step)
        if abs(step) < NEARLY:
            break  # as digits double with each step
    return t
