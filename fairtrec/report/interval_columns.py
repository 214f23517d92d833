"""Columns next to values as measures of their own, for formats that have one value in a place."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import cast

import numpy as np

from fairtrec.data import Floats
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import DefinedCount, End, MeanEnd, ScoreColumn, Scores
from fairtrec.measure import Measure, Quantity


def with_bounds(result: Result) -> Result:
    """Put the numbers that columns have next to a mean behind it, as measures of their own: an interval, for example.

    Before it the mean that gold labels have corrected, if there are any.
    """
    return replace(result, scores=tuple(_with_more(scores, _list_numbers(scores)) for scores in result.scores))


def with_defined(results: Sequence[Result]) -> list[Result]:
    """Put behind each mean how many queries it is over, if those of some run are not all of its queries.

    The results are one and its slices: all have the same columns.
    """
    measures = results[0].scores[0].measures
    rows = [
        row
        for row, measure in enumerate(measures)
        if not isinstance(measure, End)
        and any(not scores.has_all_queries(row) for result in results for scores in result.scores)
    ]
    if not rows:
        return list(results)
    return [replace(result, scores=tuple(_add_defined(scores, rows) for scores in result.scores)) for result in results]


def _add_defined(scores: Scores, rows: Collection[int]) -> Scores:
    counts = [
        [(DefinedCount(measure, "defined"), float(many))] if row in rows else []
        for row, (measure, many) in enumerate(zip(scores.measures, scores.defined.tolist(), strict=True))
    ]
    return _with_more(scores, (counts, scores.columns))


NumbersOfMeans = tuple[Sequence[Sequence[tuple[Quantity, float]]], Mapping[str, ScoreColumn]]


def _list_numbers(scores: Scores) -> NumbersOfMeans:
    """List the numbers next to each mean, and the columns that have none."""
    kept = {name: column for name, column in scores.columns.items() if not column.cells}
    numbers = [
        [(MeanEnd(measure, end), value) for end, value in scores.numbers(row).items()]
        for row, measure in enumerate(scores.measures)
    ]
    return numbers, kept


def _with_more(scores: Scores, numbers: NumbersOfMeans) -> Scores:
    """Put numbers behind the mean of each measure, and keep these columns."""
    several, kept = numbers
    if not any(several) and len(kept) == len(scores.columns):
        return scores
    none = np.full(len(scores.qids), np.nan)
    each = zip(scores.measures, scores.values, scores.means.tolist(), strict=True)
    rows = [
        [own, *((quantity, none, value) for quantity, value in more)] for own, more in zip(each, several, strict=True)
    ]
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
    rows: list[list[tuple[Quantity, Floats, float]]] = []
    for row, measure in enumerate(scores.measures):
        own: list[tuple[Quantity, Floats, float]] = [(measure, scores.values[row], scores.means[row])]
        own += [(End(measure, end), of.values[row], of.means[row]) for end, of in scores.ends.items()]
        for column in moved.values():
            numbers = column.numbers(scores, row)
            cells = (cell for cell in column.cells if cell.name in numbers)
            own += [(cell.quantity(measure, cell.name), none, numbers[cell.name]) for cell in cells]
        rows.append(own)
    return _take_rows(scores, rows, kept)


def _take_rows(
    scores: Scores, rows: Sequence[Sequence[tuple[Quantity, Floats, float]]], columns: Mapping[str, ScoreColumn]
) -> Scores:
    """Give the scores, instead of the row of each measure, the rows that are its own and what stands behind it."""
    repeated = np.repeat(np.arange(len(rows)), list(map(len, rows))).tolist()
    measures, values, means = zip(*chain.from_iterable(rows), strict=True)
    several = cast("tuple[Measure, ...]", measures)
    kept = replace(scores, columns={}).keep_measures(repeated)
    wide = replace(kept, measures=several, values=np.array(values).reshape(len(repeated), -1), columns=columns)
    vars(wide)["means"] = np.array(means)  # which are not all means of values
    return wide
