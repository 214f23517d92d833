"""``--against``: each slice of queries compared with one of them, in the order of a table.

The values are those of all queries of a slice: pooled ones of measures that pool, else means. docs/intervals.md has the
formula.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import nan
from typing import NamedTuple, cast

import numpy as np

from fairtrec.data import Ints
from fairtrec.evaluation.answers.aggregates import refuse_aggregated, refuse_corrected
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.columns.compared_slices import SliceDifference, SliceDifferences
from fairtrec.evaluation.columns.confidence import GAP_NOTES, Confidence
from fairtrec.evaluation.columns.pool import Pooled
from fairtrec.evaluation.deletions import delete_from_value, has_total, number_clusters
from fairtrec.evaluation.slices import Slices
from fairtrec.measure import Measure, Quantity
from fairtrec.statistics.corrections import NAMES as CORRECTIONS
from fairtrec.statistics.corrections import correct_p_values
from fairtrec.statistics.deleted_clusters import Deletions, PooledDifference, compare_deletions
from fairtrec.statistics.doubt import count_differing, explain_few_clusters, is_doubtful
from fairtrec.statistics.procedure import Procedure
from fairtrec.statistics.value_ranges import bound_difference, cut_ends
from fairtrec.support.errors import UsageError
from fairtrec.support.literals import ALL, SliceCorrection
from fairtrec.support.notes import Note, NoteKind, NoteSeverity

FIRST = "first"
LEVEL = Procedure.confidence  # at which a difference is shown, unless another is asked for
EXPLAINED = NoteKind(
    "differences of slices",
    "less {against}: {interval}p by deletion of one {unit} after the other; {correction} over all differences",
    NoteSeverity.LEGEND,
)
DOUBTFUL = NoteKind("doubtful differences of slices", "{rule}", NoteSeverity.LEGEND)


class Comparable(NamedTuple):
    """A measure of a run in a slice, by numbers and name."""

    run: int
    row: int
    slice: str


def sort_slices(slices: Slices) -> Slices:
    """Put slices in the order of a table: numbers by size, else by text, as dates are written.

    >>> [*sort_slices(Slices({"10": ["a"], "9": ["b"]}))], [*sort_slices(Slices({"b": ["a"], "10": ["b"], "9": []}))]
    (['9', '10'], ['10', '9', 'b'])
    """
    found = Slices({name: slices[name] for name in sorted(slices, key=_choose_key(slices))})
    found.path = slices.path
    return found


def _choose_key(names: Mapping[str, object]) -> "type[float | str]":
    try:
        return float if all(np.isfinite(float(name)) for name in names) else str
    except ValueError:
        return str


def find_reference(slices: Slices, against: str) -> str:
    """Name the slice that others are compared with. Raises UsageError if there is none of this name."""
    if against == FIRST:
        return next(iter(sort_slices(slices)))
    if against != ALL and against not in slices:
        raise UsageError(f"--against {against} is no slice; choose {FIRST}, {ALL} or {', '.join(sort_slices(slices))}")
    return against


def sign_differences(result: Result, slices: Slices, against: str, correction: SliceCorrection) -> Result:
    """Write into the signature what slices are compared with, and explain their differences instead of their gaps.

    Raises UsageError for values that are no means or pooled values, and for those that gold labels correct.
    """
    refuse_aggregated(result.scores, "--against compares")
    fault = "--against compares values that gold labels do not correct; leave out --gold, or --against"
    refuse_corrected(result.scores, fault)
    reference = find_reference(slices, against)
    columns = Confidence.find_all(result.scores)
    interval = f"difference, its {Procedure(confidence=columns[0][1].confidence).percent} interval, " if columns else ""
    unit, units = ("cluster", "clusters") if result.clusters else ("query", "queries")
    notes: list[Note] = [note for note in result.evaluation_notes if note.kind not in GAP_NOTES]
    notes.append(
        EXPLAINED.note(
            against=reference, interval=interval or "difference, ", unit=unit, correction=CORRECTIONS[correction]
        )
    )
    notes.append(DOUBTFUL.note(rule=explain_few_clusters(units)))
    signature = result.signature | {"against": reference, "correction": correction}
    return replace(result, signature=signature, evaluation_notes=tuple(notes))


def compare_slices(
    parts: Mapping[str, Result], against: str, correction: SliceCorrection = "holm"
) -> dict[str, Result]:
    """Compare the parts, the whole result and its slices, with one of them; each part gets the differences as a column.

    ``against``  the name of that part.
    """
    whole = parts[ALL]
    columns = Confidence.find_all(whole.scores)
    confidence = columns[0][1].confidence if columns else None
    found: dict[Comparable, PooledDifference] = {}
    for run, scores in enumerate(whole.scores):
        clusters = _place_clusters(parts, run, number_clusters(scores.qids, whole.clusters))
        for row, measure in enumerate(scores.measures):
            if not _is_compared(scores, measure):
                continue
            several = {
                name: _delete(part.scores[run], row, clusters[name], clustered=bool(whole.clusters))
                for name, part in parts.items()
            }
            for name in (each for each in parts if each not in (against, ALL)):
                apart = compare_deletions(several[name], several[against], confidence or LEVEL)
                found[Comparable(run, row, name)] = _cut(apart, scores, row)
    p = correct_p_values(np.array([each.p for each in found.values()]), correction)
    corrected = dict(zip(found, p.tolist(), strict=True))
    shown = round(1 - (confidence or LEVEL), 12)

    def describe(at: Comparable) -> SliceDifference:
        apart, scores = found[at], whole.scores[at.run]
        ends = (nan, nan) if confidence is None else (apart.low, apart.high)
        is_shown, is_pooled = corrected[at] <= shown, has_total(scores, scores.measures[at.row])
        return SliceDifference(against, apart.value, *ends, apart.p, corrected[at], apart.doubtful, is_shown, is_pooled)

    compared = [frozenset(whole.scores[at.run].measures[at.row] for at in found if at.run == run)
                for run in range(len(whole.scores))]  # fmt: skip
    return {
        name: replace(
            part,
            scores=tuple(
                _add_column(
                    scores,
                    {scores.measures[at.row]: describe(at) for at in found if (at.run, at.slice) == (run, name)},
                    compared[run],
                )
                for run, scores in enumerate(part.scores)
            ),
        )
        for name, part in parts.items()
    }


def _is_compared(scores: Scores, measure: Quantity) -> bool:
    """Tell whether slices are compared by a measure: by all but sums and geometric means."""
    return has_total(scores, cast("Measure", measure)) or not (measure.total or measure.geometric or measure.of_pool)


def _place_clusters(parts: Mapping[str, Result], run: int, numbers: Ints) -> dict[str, Ints]:
    """Give the number of the cluster of each query of each part [query], as all queries of the run have it."""
    place = {qid: at for at, qid in enumerate(parts[ALL].scores[run].qids)}
    return {
        name: numbers[np.array([place[qid] for qid in part.scores[run].qids], dtype=np.int64)]
        for name, part in parts.items()
    }


def _delete(scores: Scores, row: int, clusters: Ints, *, clustered: bool) -> Deletions:
    """Delete each cluster of a slice from the value of a measure."""
    found = delete_from_value(scores, row, clusters, LEVEL)
    if clustered or has_total(scores, scores.measures[row]):
        return found
    values = scores.values[row]
    return found._replace(doubtful=is_doubtful(count_differing(values[~np.isnan(values)])))


def _cut(found: PooledDifference, scores: Scores, row: int) -> PooledDifference:
    low, high = cut_ends((found.low, found.high), bound_difference(scores.find_bounds(row)))
    return found._replace(low=low, high=high)


def _add_column(scores: Scores, found: Mapping[Quantity, SliceDifference], compared: frozenset[Quantity]) -> Scores:
    """Put the differences of a slice next to its means, and next to its pooled values."""
    columns = {**scores.columns, SliceDifferences.name: SliceDifferences(found, compared)}
    of_pool = {measure: each.describe() for measure, each in found.items() if each.is_pooled}
    for _, column in Pooled.find_all([scores]):
        columns[column.name] = replace(column, compared=of_pool)
    return replace(scores, columns=columns)
