"""What gold labels of drawn documents, or of drawn queries, make of a value, and how sure that is.

The unit is what was drawn. The only chance is the draw, whose probabilities are known, so nothing is assumed of the
errors of the instrument: that they are alike, that they are few, or that those of one query are independent.

Documents: a value that is a sum of weights W_d times gains g_d is corrected by T times the mean error m of the drawn
documents S, each weighed by W_d / p_d, where e_d is the gain by gold less that by the instrument, T the sum of all W_d:

    m    = sum over S of (W_d / p_d) e_d  /  sum over S of W_d / p_d
    SE^2 = sum over S of (1 - p_d) [r_d^2 + 2 a_d^2 / (n + 2)],   n = (sum of a_d)^2 / sum of a_d^2
    r_d  = T / (sum over S of W_d / p_d) * (W_d / p_d) (e_d - m),   a_d = W_d rho / p_d

rho is the greatest less the least gain that a document can have. 1 - p_d is the finite population: what is drawn
for certain leaves nothing to chance. The second term is two errors that were not seen, one either way: without it a
sample that shows no error would have an interval of no width. t has n - 1 degrees of freedom, 1 at least.

Queries: the mean of the n errors e_q, SE^2 = (1 - p) [variance of e_q / n + 2 (greatest |e_q| / (n + 2))^2].

Source: Sarndal, Swensson, Wretman: Model Assisted Survey Sampling. Springer 1992, chapter 6 (the difference
estimator). Angelopoulos, Bates, Fannjiang, Jordan, Zrnic: Prediction-powered inference. Science 2023 (the same, with
lambda = 1). https://doi.org/10.1126/science.adi6000
Bonett, Price: Adjusted Wald Confidence Interval for a Difference of Binomial Proportions Based on Paired Data. JEBS
2012 (two errors more). https://doi.org/10.3102/1076998611411915
"""

from dataclasses import dataclass
from functools import cached_property
from math import exp, inf, lgamma, log, log1p, pi, sqrt
from typing import NamedTuple

import numpy as np

from fairtrec.data import Bools, Floats
from fairtrec.formulas.rounding import NEAR

EPSILON, NEARLY, HALF = 1e-15, 1e-8, 0.5
FEWEST = 30  # drawn queries; of fewer, intervals of heavy errors cover the truth far too rarely


class Estimate(NamedTuple):
    """What is added to a value, the square of its standard error (nan: unknown), and the degrees of freedom of t.

    Both ends of the interval move out by ``loose``. ``number`` is how many were labelled, of which ``differ`` do.
    """

    correction: float
    variance: float
    freedom: float
    loose: float = 0.0
    number: int = 0
    differ: int = 0

    def ends(self, value: float, confidence: float) -> tuple[float, float]:
        """Give the interval of a corrected ``value``, at a confidence between 0 and 1; nan where there is none.

        >>> Estimate(0.5, 0.0, 1.0).ends(0.75, 0.95)
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

    def over(self, values: Floats) -> "Estimate":
        """Let the queries be a sample, too: add the variance of the mean of their ``values`` [query].

        >>> Estimate(0.5, 0.25, 1.0).over(np.array([1.0, 2.0, 3.0])) == Estimate(0.5, 0.25 + 1 / 3, 2)
        True
        """
        many = len(values)
        variance = float(values.var(ddof=1) / many) if many > 1 and np.isfinite(values).all() else float("nan")
        return self._replace(variance=self.variance + variance, freedom=max(many - 1, 1))


@dataclass(frozen=True, eq=False)
class DrawnDocuments:
    """The drawn documents of one sum over documents, all but ``total`` and ``constant`` [document].

    ``weights`` are W, 0 of a document that is not looked at; ``errors`` and ``gold`` W times the error, and times the
    gain by gold; ``reaches`` W times rho; ``probabilities`` of being drawn; ``untold`` are those of which people could
    not tell the group, whose error is 0 here. ``total`` is T, of all documents, and ``constant`` what the value is
    beside the sum.
    """

    weights: Floats
    errors: Floats
    gold: Floats
    reaches: Floats
    probabilities: Floats
    untold: Bools
    total: float
    constant: float = 0.0

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
        return self._of(self.errors)

    def gold_alone(self) -> tuple[float, Estimate] | None:
        """Estimate the value from the gold labels alone, as if there were no instrument."""
        found = self._of(self.gold)
        return None if found is None else (self.constant + found.correction, found)

    def less(self, other: "DrawnDocuments") -> Estimate | None:
        """Estimate what is to be added to the difference from another run's value; they share the drawn documents.

        Documents at the same ranks cancel.
        """
        mine, theirs = self.estimate(), other.estimate()
        if mine is None or theirs is None:
            return None
        residuals = self.residuals(self.errors) - other.residuals(other.errors)
        reaches = np.abs(self.reaches - other.reaches) / self.probabilities
        looked_at = (self.weights > 0) | (other.weights > 0)
        differ = (self.differ | other.differ) & looked_at
        found = self._varying(mine.correction - theirs.correction, residuals, reaches)
        return found._replace(number=int(looked_at.sum()), differ=int(differ.sum()))

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

    def _varying(self, correction: float, residuals: Floats, reaches: Floats) -> Estimate:
        chance = 1 - self.probabilities
        of_chance = reaches[chance > 0]
        with np.errstate(over="ignore", invalid="ignore"):  # of probabilities so small nothing can be told
            squares = float(np.square(of_chance).sum())
            number = float(np.square(of_chance.sum())) / squares if squares else 0.0
            variance = float((chance * (np.square(residuals) + 2 * np.square(reaches) / (number + 2))).sum())
        loose = float(reaches[self.untold].sum())
        return Estimate(correction, variance, max(number - 1, 1.0), loose)


def of_queries(errors: Floats, probability: float) -> Estimate | None:
    """Estimate the correction from the ``errors`` [query] of drawn queries: their values by gold less the others.

    Without an interval where fewer than 30 are drawn, or none differs, and not all are; None where there is none.

    >>> of_queries(np.array([0.5, 0.0]), 1.0)
    Estimate(correction=0.25, variance=0.0, freedom=1, loose=0.0, number=2, differ=1)
    """
    many = len(errors)
    if not many:
        return None
    differ, chance = int((np.abs(errors) > NEAR).sum()), 1 - probability
    variance = 0.0
    if chance:
        enough = many >= FEWEST and differ and np.isfinite(errors).all()
        unseen = 2 * float(np.square(np.abs(errors).max() / (many + 2)))
        variance = chance * (float(errors.var(ddof=1)) / many + unseen) if enough else float("nan")
    with np.errstate(invalid="ignore"):  # the mean of both infinities is undefined
        mean = float(errors.mean())
    return Estimate(mean, variance, max(many - 1, 1), number=many, differ=differ)


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
