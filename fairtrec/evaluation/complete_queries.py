"""The values that the reliability of an order of runs is of: of one measure, in the queries that are complete."""

from collections.abc import Sequence

import numpy as np

from fairtrec.data import Floats
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.slices import align_values
from fairtrec.statistics.reliability import Reliability, estimate_reliability, find_complete


def stack_complete(result: Result, row: int) -> tuple[Floats, list[str], int]:
    """Stack one measure's values [run, query] of the queries in which every run has a finite one.

    Give these queries, sorted, and how many others there are. Sizes |x| replace the values if nearer 0 is better.
    """
    qids = tuple(sorted({qid for scores in result.scores for qid in scores.qids}))
    values = _align_measure(result, row, qids)
    if result.scores[0].measures[row].better == "nearer 0":
        values = np.abs(values)
    complete = find_complete(values)
    kept = [qid for qid, is_kept in zip(qids, complete.tolist(), strict=True) if is_kept]
    return values[:, complete], kept, len(qids) - len(kept)


def _align_measure(result: Result, row: int, qids: Sequence[str]) -> Floats:
    """Give the values [run, query] of one measure; nan where a run lacks a query."""
    if all(scores.qids == tuple(qids) for scores in result.scores):
        return np.array([scores.values[row] for scores in result.scores])
    return np.asarray(align_values(result.scores, qids)[:, row])


def measure_reliability(result: Result, row: int) -> Reliability:
    """Estimate the reliability of the order of the runs by one measure, without an interval."""
    return estimate_reliability(stack_complete(result, row)[0])
