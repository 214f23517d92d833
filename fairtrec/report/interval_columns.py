"""Columns next to values as measures of their own, for formats that have one value in a place."""

from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from fairtrec.data import Floats
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.measure import Measure, Quantity


@dataclass(frozen=True)
class End(Quantity):
    """The least, greatest or expected value of a measure, as a row or column of its own: ``nDCG@10.least``."""

    of: Quantity
    end: str
    better = "neither"

    @property
    def total(self) -> bool:  # type: ignore[override]  # that of the measure
        """Whether a run's value is the sum over queries."""
        return self.of.total

    def __str__(self) -> str:
        return f"{self.of}.{self.end}"


class IntervalEnd(End):
    """An end of the interval of a mean, which single queries have not."""

    of_mean = True


def with_bounds(result: Result) -> Result:
    """Put the numbers that columns have next to a mean behind it, as measures of their own: an interval, for example.

    Before it the mean that gold labels have corrected, if there are any.
    """
    return replace(result, scores=tuple(map(_with_bounds, result.scores)))


def _with_bounds(scores: Scores) -> Scores:
    kept = {name: column for name, column in scores.columns.items() if not column.number_names}
    if len(kept) == len(scores.columns):
        return scores
    none = np.full(len(scores.qids), np.nan)
    rows: list[tuple[Quantity, Floats, float]] = []
    several = zip(scores.measures, scores.values, scores.means.tolist(), strict=True)
    for row, (measure, values, mean) in enumerate(several):
        rows.append((measure, values, mean))
        rows += [(IntervalEnd(measure, end), none, value) for end, value in scores.numbers(row).items()]
    measures, values, means = zip(*rows, strict=True)
    wide = replace(scores, measures=measures, values=np.array(values), columns=kept)
    vars(wide)["means"] = np.array(means)  # which are not all means of values
    return wide


def with_ends(result: Result) -> Result:
    """Put the other values of queries that columns have behind each measure, as measures of their own."""
    return replace(result, scores=tuple(map(_with_ends, result.scores)))


def _with_ends(scores: Scores) -> Scores:
    kept = {name: column for name, column in scores.columns.items() if not column.ends()}
    if len(kept) == len(scores.columns):
        return scores
    rows: list[tuple[Quantity, Floats]] = []
    none = np.full(len(scores.qids), np.nan)
    for row, measure in enumerate(scores.measures):
        rows += [
            (measure, scores.values[row]),
            *((End(measure, end), of.values[row]) for end, of in scores.ends.items()),
        ]
        rows += [(more, none) for column in scores.columns.values() for more in column.list_behind(measure)]
    several = cast("tuple[Measure, ...]", tuple(measure for measure, _ in rows))
    values = np.array([of_queries for _, of_queries in rows]).reshape(len(rows), -1)
    return replace(scores, measures=several, values=values, columns=kept)
