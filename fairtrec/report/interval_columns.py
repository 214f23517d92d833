"""Columns next to values as measures of their own, for formats that have one value in a place."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from fairtrec.data import Floats
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import End, MeanEnd, ScoreColumn, Scores
from fairtrec.measure import Measure, Quantity


def with_bounds(result: Result) -> Result:
    """Put the numbers that columns have next to a mean behind it, as measures of their own: an interval, for example.

    Before it the mean that gold labels have corrected, if there are any.
    """
    return replace(result, scores=tuple(map(_with_bounds, result.scores)))


def _with_bounds(scores: Scores) -> Scores:
    kept = {name: column for name, column in scores.columns.items() if not column.cells}
    if len(kept) == len(scores.columns):
        return scores
    none = np.full(len(scores.qids), np.nan)
    rows: list[tuple[Quantity, Floats, float]] = []
    several = zip(scores.measures, scores.values, scores.means.tolist(), strict=True)
    for row, (measure, values, mean) in enumerate(several):
        rows.append((measure, values, mean))
        rows += [(MeanEnd(measure, end), none, value) for end, value in scores.numbers(row).items()]
    return _take_rows(scores, rows, kept)


def with_ends(result: Result) -> Result:
    """Put the other values of queries that columns have behind each measure, as measures of their own.

    Slices are cut before: the mean of an end, and the number of a column, are those of the queries that there are.
    """
    return replace(result, scores=tuple(map(_with_ends, result.scores)))


def _with_ends(scores: Scores) -> Scores:
    others = {name: column.other_values(scores).values() for name, column in scores.columns.items()}
    moved = {name: scores.columns[name] for name, values in others.items() if any(of.place == "end" for of in values)}
    if not moved:
        return scores
    kept = {name: column for name, column in scores.columns.items() if name not in moved}
    none = np.full(len(scores.qids), np.nan)
    rows: list[tuple[Quantity, Floats, float]] = []
    for row, measure in enumerate(scores.measures):
        rows.append((measure, scores.values[row], scores.means[row]))
        rows += [(End(measure, end), of.values[row], of.means[row]) for end, of in scores.ends.items()]
        for column in moved.values():
            own = column.numbers(scores, row)
            cells = (cell for cell in column.cells if cell.name in own)
            rows += [(cell.quantity(measure, cell.name), none, own[cell.name]) for cell in cells]
    return _take_rows(scores, rows, kept)


def _take_rows(
    scores: Scores, rows: Sequence[tuple[Quantity, Floats, float]], columns: Mapping[str, ScoreColumn]
) -> Scores:
    """Give the scores these rows instead of their own: of each a quantity, its values [query], and its mean."""
    measures, values, means = zip(*rows, strict=True)
    several = cast("tuple[Measure, ...]", measures)
    wide = replace(scores, measures=several, values=np.array(values).reshape(len(rows), -1), columns=columns)
    vars(wide)["means"] = np.array(means)  # which are not all means of values
    return wide
