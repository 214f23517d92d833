"""What the deletion of each cluster of queries changes of a pooled value, or of a mean: all that compares two values.

Two values are comparable if their clusters have the same numbers: of two runs over the same queries, or of two slices
of a run.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from fairtrec.data import Ints
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.measure import Measure
from fairtrec.statistics.deleted_clusters import Deletions, delete_from_mean

if TYPE_CHECKING:
    from fairtrec.evaluation.columns.pool import Pooled


def number_clusters(qids: Sequence[str], names: Mapping[str, str]) -> Ints:
    """Number the cluster of each query [query], in the order of the queries; without names each is its own.

    >>> number_clusters(["q1", "q2", "q3"], {"q1": "u", "q2": "v", "q3": "u"}).tolist()
    [0, 1, 0]
    """
    if not names:
        return np.arange(len(qids))
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(names[qid], len(numbers)) for qid in qids], dtype=np.int64)


def has_total(scores: Scores, measure: Measure) -> bool:
    """Tell whether a run has a pooled value of a measure."""
    column = _find_pooled(scores)
    return column is not None and measure in column.pools


def delete_from_total(scores: Scores, measure: Measure, clusters: Ints, confidence: float) -> Deletions | None:
    """Compute what the deletion of each cluster [query] changes of a pooled value; None of a measure that has none."""
    column = _find_pooled(scores)
    return None if column is None else column.delete_clusters(measure, clusters, confidence)


def _find_pooled(scores: Scores) -> "Pooled | None":
    """Find the column of pooled values of a run. Its file is imported where there is one, as it imports much."""
    return cast("Pooled | None", scores.columns.get("pooled"))


def delete_from_value(scores: Scores, row: int, clusters: Ints, confidence: float) -> Deletions:
    """Compute the same of the pooled value of a measure by number, or else of its mean."""
    found = delete_from_total(scores, scores.measures[row], clusters, confidence)
    return delete_from_mean(scores.values[row], clusters, confidence) if found is None else found
