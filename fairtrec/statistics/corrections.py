"""Corrections for many tests at once: each p of a family is made larger, so that few hold by chance.

Randomized Tukey HSD asks which runs differ by more than the best and the worst of as many that are alike.

Source of that: Carterette: Multiple testing in statistical analysis of systems-based information retrieval
experiments. ACM TOIS 30(1), 2012. https://doi.org/10.1145/2094072.2094076
"""

from collections.abc import Iterator
from itertools import permutations
from math import lgamma, log

import numpy as np

from fairtrec.data import Floats
from fairtrec.formulas.rounding import NEAR
from fairtrec.support.errors import UsageError
from fairtrec.support.literals import Correction

NAMES = {"none": "no correction", "bonferroni": "Bonferroni", "holm": "Holm", "bh": "Benjamini-Hochberg",
         "tukey": "randomized Tukey HSD"}  # fmt: skip
BLOCK = 1 << 22  # numbers that are drawn and held at once, 32 MB


def correct_p_values(p: Floats, correction: Correction) -> Floats:
    """Correct the p-values of one family; nan is no test, and does not count.

    ``bonferroni`` and ``holm`` hold the chance of one false finding in the family, ``bh`` the share of false findings.

    Raises UsageError for ``tukey``, which is no function of p-values.

    >>> correct_p_values(np.array([0.01, 0.04, np.nan, 0.03]), "holm").round(4).tolist()
    [0.03, 0.06, nan, 0.06]
    """
    if correction == "tukey":
        raise UsageError("tukey corrects only comparisons of the values of runs; choose another correction")
    result = p.copy()
    tested = ~np.isnan(p)
    if correction != "none" and tested.any():
        result[tested] = _corrected(p[tested], correction)
    return result


def _corrected(p: Floats, correction: Correction) -> Floats:
    if correction == "bonferroni":
        return np.minimum(1.0, p * len(p))
    order = np.argsort(p, kind="stable")
    stepped = np.empty(len(p))
    if correction == "bh":
        shares = p[order] * (len(p) / np.arange(1, len(p) + 1))
        stepped[order] = np.minimum(1.0, np.minimum.accumulate(shares[::-1])[::-1])
        return stepped
    stepped[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return stepped


def randomized_tukey(values: Floats, *, resamples: int = 10_000, seed: int = 0) -> Floats:
    """Give the p of each two runs [run, run] from their values [query, run], all finite.

    The values of each query are dealt anew to the runs, as if these were alike. p is how often the greatest mean is
    then as far from the least as the two runs are: over all ways to deal, where these are no more than ``resamples``
    (one query need not be dealt, for only the names of runs would change), else over so many drawn at random,
    (r + 1) / (R + 1).

    It holds the chance of one false finding among all pairs of runs. Of two runs it is the paired randomization test.

    >>> randomized_tukey(np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 3.0]])).tolist()
    [[1.0, 0.25], [0.25, 1.0]]
    """
    queries, runs = values.shape
    moved = values - values.min(axis=1, keepdims=True)
    sums = moved.sum(axis=0)
    apart = np.abs(sums[:, None] - sums) - NEAR * moved.max(axis=1).sum()
    dealt = np.sort(moved, axis=1)  # so that nothing depends on the order in which the runs are given
    ways = (queries - 1) * lgamma(runs + 1)  # the logarithm of their number, which may be beyond all numbers
    exact = ways <= log(resamples) + NEAR
    parts = _all_ways(dealt) if exact else _drawn(dealt, resamples, seed)
    ranges = np.sort(np.concatenate([np.ptp(part.sum(axis=1), axis=1) for part in parts]))
    reached: Floats = (len(ranges) - np.searchsorted(ranges, apart)).astype(np.float64)
    return reached / len(ranges) if exact else (reached + 1) / (len(ranges) + 1)


def _all_ways(rows: Floats) -> Iterator[Floats]:
    """Deal the values of each query but the last in all ways [way, query, run], some ways at a time."""
    queries, runs = rows.shape
    orders = np.array(list(permutations(range(runs))))
    ways = len(orders) ** (queries - 1)  # exact: whole numbers
    block = max(1, BLOCK // rows.size)
    place = len(orders) ** np.arange(queries)  # exact: whole numbers
    for start in range(0, ways, block):
        numbers = np.arange(start, min(start + block, ways))
        yield rows[np.arange(queries)[:, None], orders[numbers[:, None] // place % len(orders)]]


def _drawn(rows: Floats, many: int, seed: int) -> Iterator[Floats]:
    draw = np.random.default_rng(seed)
    block = max(1, BLOCK // rows.size)
    for start in range(0, many, block):
        part = np.repeat(rows[None], min(block, many - start), axis=0)
        yield draw.permuted(part, axis=2, out=part)
