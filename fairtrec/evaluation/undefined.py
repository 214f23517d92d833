"""What an undefined value counts as, where it is not left out of the mean.

A value that is left out makes a mean over fewer queries: with measures that are undefined for empty rankings, a run
gains by leaving out the queries in which it is bad, whatever is counted as an empty ranking.
"""

from dataclasses import replace
from math import isnan

import numpy as np

from fairtrec.errors import InputError, UsageError
from fairtrec.evaluation.scores import ENDS, Scores
from fairtrec.literals import Undefined
from fairtrec.measure import Measure, Remark


def filled(scores: Scores, undefined: Undefined) -> Scores:
    """Give each undefined value of a run what it counts as, and say of how many queries.

    Raises InputError where there must be none, UsageError for a measure that has no worst value.
    """
    empty = np.isnan(scores.values)
    if undefined == "skip" or not empty.any():
        return scores
    counts_as = np.full((len(scores.measures), 1), np.nan)
    remarks = list(scores.remarks)
    for row in np.flatnonzero(empty.any(axis=1)).tolist():
        measure, many = scores.measures[row], int(empty[row].sum())
        if undefined == "error":
            what = f"{measure} is undefined for {many} of {len(scores.qids)} queries"
            first = scores.qids[int(empty[row].argmax())]
            raise InputError(f"{what}, such as {first}; say what these count as with --undefined worst|0", scores.run)
        counts_as[row] = worst(measure) if undefined == "worst" else 0.0
        words = f"undefined for {{}} of {{}} queries, which count as {counts_as[row, 0]:g}"
        remarks.append(Remark(words, (many, len(scores.qids)), measure))
    values = np.where(empty, counts_as, scores.values)
    ties = scores.ties
    if ties is not None:
        ends = {end: np.where(empty, counts_as, getattr(ties, end)) for end in ENDS}
        ties = replace(ties, **ends)
    unknown = scores.unknown
    if unknown is not None:
        ends = {end: np.where(np.isnan(getattr(unknown, end)), counts_as, getattr(unknown, end)) for end in ENDS}
        unknown = replace(unknown, **ends)
    return replace(scores, values=values, ties=ties, unknown=unknown, remarks=tuple(remarks))


def worst(measure: Measure) -> float:
    """Give the worst value that a measure can have. Raises UsageError where there is no such number.

    >>> from fairtrec.measures import AWRF, KL
    >>> worst(AWRF())
    0.0
    >>> worst(KL())
    Traceback (most recent call last):
    fairtrec.errors.UsageError: KL@10 has no worst value; choose --undefined 0, error or skip
    """
    low, high = (float("nan") if end is None else end for end in measure.bounds)
    ends = {"higher": low, "lower": high, "nearer 0": max(abs(low), abs(high)), "neither": float("nan")}
    found = ends[measure.better] if not (measure.better == "nearer 0" and isnan(low + high)) else float("nan")
    if isnan(found):
        raise UsageError(f"{measure} has no worst value; choose --undefined 0, error or skip")
    return found
