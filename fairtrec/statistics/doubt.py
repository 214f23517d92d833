"""The one rule of ``?``: too few values decide a number to trust its interval, its p-value, or its verdict.

A mean is *decided* by the values that differ from the most frequent one, a ratio of sums by the queries that carry most
of its weight. If fewer than ten decide, an interval covers less than it says; docs/intervals.md has the shares.
"""

import numpy as np

from fairtrec.data import Floats
from fairtrec.formulas.rounding import merge_ties

DECIDING = 10  # values; with fewer, a 95 % interval of a mean covers the truth in 58 to 89 of 100 draws
MARK = "?"
TOO_NARROW = "{rule}, so the interval is too narrow"  # the note on what has it


def is_doubtful(*deciding: float) -> bool:
    """Return whether a number gets ``?``: of the counts of values that decide it, one is below ten, or is nan.

    >>> is_doubtful(9), is_doubtful(10), is_doubtful(40, 9.7)
    (True, False, True)
    """
    return not all(number >= DECIDING for number in deciding)


def count_differing(values: Floats) -> int:
    """Count the values that differ from the most frequent of them.

    >>> count_differing(np.array([1.0, 0.1 + 0.2, 1.0, 0.3]))
    2
    """
    return len(values) - int(np.unique(merge_ties(values), return_counts=True)[1].max(initial=0))


def count_effective(weights: Floats) -> float:
    """Compute how many equal weights carry as much as these: (sum w)^2 / sum w^2 (Kish, 1965). 0 if all are 0.

    >>> count_effective(np.array([1.0, 1.0, 0.0])), count_effective(np.array([3.0, 1.0]))
    (2.0, 1.6)
    """
    squares = float(np.square(weights).sum())
    total = float(weights.sum())
    return total * total / squares if squares else 0.0


def is_difference_doubtful(differences: Floats, *others: Floats) -> bool:
    """Return whether a mean difference gets ``?``. Two equal runs differ nowhere, and nothing is doubtful about that.

    ``others`` are further values of the same queries, which the verdict rests on.

    >>> is_difference_doubtful(np.zeros(30)), is_difference_doubtful(np.full(30, 0.01))
    (False, True)
    """
    return bool(differences.any()) and is_doubtful(*map(count_differing, (differences, *others)))


def mark_doubt(written: str, *, doubtful: bool, apart: bool = True) -> str:
    """Write ``?`` behind an interval, a verdict or a sign if it is doubtful, ``apart`` from it or not.

    >>> mark_doubt("[0.1, 0.2]", doubtful=True), mark_doubt("better", doubtful=False), mark_doubt("", doubtful=True)
    ('[0.1, 0.2] ?', 'better', '')
    >>> mark_doubt("*", doubtful=True, apart=False)
    '*?'
    """
    return written and f"{written}{sign_doubt(doubtful=doubtful, apart=apart)}"


def sign_doubt(*, doubtful: bool, apart: bool = True) -> str:
    """Write the ``?`` alone, for a value without an interval; nothing if it is not doubtful.

    >>> sign_doubt(doubtful=True), sign_doubt(doubtful=False)
    (' ?', '')
    """
    return f"{' ' * apart}{MARK}" if doubtful else ""


def explain_doubt(values: str) -> str:
    """Explain ``?`` in a legend; ``values`` says what few of decide.

    >>> explain_doubt("differences")
    '?: fewer than 10 differences differ from the most frequent one'
    """
    return f"{explain_few(values)} differ from the most frequent one"


def explain_few(what: str) -> str:
    """Explain ``?`` in a legend, if so few things decide; ``what`` names them.

    >>> explain_few("documents")
    '?: fewer than 10 documents'
    """
    return f"{MARK}: fewer than {DECIDING} {what}"


def explain_few_clusters(units: str) -> str:
    """Explain ``?`` of pooled values and their differences in a legend; ``units`` are queries or clusters of them.

    >>> explain_few_clusters("queries")
    '?: fewer than 10 queries, or queries of similar weight, decide, or a rate is 0 or 1, or the least of several'
    """
    return f"{explain_few(units)}, or {units} of similar weight, decide, or a rate is 0 or 1, or the least of several"


def add_doubtful(many: int) -> str:
    """Write for a summary how many of what it counts are doubtful; nothing if none is.

    >>> add_doubtful(1), add_doubtful(0)
    (', 1 of them doubtful (?)', '')
    """
    return f", {many} of them doubtful ({MARK})" if many else ""
