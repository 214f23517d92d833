"""Corrections for many tests at once: each p of a family is made larger, so that few hold by chance."""

import numpy as np

from fairtrec.data import Floats
from fairtrec.errors import UsageError
from fairtrec.literals import Correction

NAMES = {"none": "no correction", "bonferroni": "Bonferroni", "holm": "Holm", "bh": "Benjamini-Hochberg",
         "tukey": "randomised Tukey HSD"}  # fmt: skip


def corrected(p: Floats, correction: Correction) -> Floats:
    """Correct the p-values of one family; nan is no test, and does not count.

    ``bonferroni`` and ``holm`` hold the chance of one false finding in the family, ``bh`` the share of false findings.

    Raises UsageError for ``tukey``, which is no function of p-values.

    >>> corrected(np.array([0.01, 0.04, np.nan, 0.03]), "holm").round(4).tolist()
    [0.03, 0.06, nan, 0.06]
    """
    if correction == "tukey":
        raise UsageError("tukey compares all runs by their values, and corrects nothing else; name another correction")
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
