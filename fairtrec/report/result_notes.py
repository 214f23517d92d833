"""The notes on a result."""

from dataclasses import replace

import numpy as np

from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import JUDGED
from fairtrec.formulas.rounding import same
from fairtrec.measure import Measure
from fairtrec.report.cells import names
from fairtrec.support.notes import Note, NoteKind, NoteSeverity, list_runs, merge_measures, merge_runs, write_span

CEILING = 0.8  # of the rankings of a run
SEVERAL = 5  # queries, of fewer of which nothing is said
DEFINED = NoteKind("undefined", "defined for {defined} of {queries} queries", NoteSeverity.MISLEADING)
SAME = NoteKind(
    "same rankings",
    "runs with the same documents in the same order for all queries, down to the measured depth (100 at most): {alike}",
    NoteSeverity.MISLEADING,
)
UNEVEN = NoteKind(
    "uneven queries",
    "means over {many} of the {queries} queries of all runs: {runs} (-c counts the rest as empty rankings, --queries "
    "common evaluates those that every run has)",
    NoteSeverity.MISLEADING,
)


def _write_ceiling(at: str, queries: str, best: str, left: str, is_single: str) -> str:
    """Say how many rankings have the best value, and how many queries are left to decide."""
    number = {"0": "no query", "1": "1 query"}.get(left, f"{left} queries")
    is_one = "s" * (left in ("0", "1"))
    decide = f", so {number} tell{is_one} runs apart"
    if is_single:
        decide = f", so {number} decide{is_one} the mean" * (left != "0")
    return f"{at} of {queries} rankings have {best}{decide}"


CEILINGS = NoteKind("ceiling", _write_ceiling, NoteSeverity.MISLEADING)


UNRELIABLE = NoteKind(
    "unreliable order",
    "order of {many} runs by {measures}: reliability {reliability} over {queries} queries, {needed}; see fairtrec "
    "compare --reliability",
    NoteSeverity.MISLEADING,
)
RELIABLE, PUBLISHED = 0.8, 0.95  # what is commonly asked of an order, and of a published ranking
FEWEST_RUNS, FEWEST_QUERIES = 5, 10  # of fewer no order is judged


def list_notes(result: Result, *, paired: bool = False, judged: bool = True) -> list[Note]:
    """List the notes on a result: what is missing or undefined, and what makes its numbers misleading.

    The numbers of ``paired`` runs are over the queries of both, so missing queries of one play no part. ``judged``
    counts the judged ranks; leave these out if orders are searched.
    """
    said: dict[Note, list[int]] = {}  # the places of the runs that each is true of
    for place, scores in enumerate(result.scores):
        for measure, defined in zip(scores.measures, scores.defined.tolist(), strict=True):
            if defined < len(scores.qids):
                note = DEFINED.note(measure=measure, defined=defined, queries=len(scores.qids))
                said.setdefault(note, []).append(place)
        for note in scores.notes:
            if judged or note.kind != JUDGED:
                said.setdefault(note, []).append(place)
    notes = [
        *result.notes,
        *(_note_uneven(result) if len(result.scores) > 1 and not paired else ()),
        *(_note_same(result) if result.same else ()),
    ]
    notes += merge_measures(merge_runs(said, names(result))) if said else []
    notes += note_ceilings(result)
    for kind in dict.fromkeys(type(column) for scores in result.scores for column in scores.columns.values()):
        notes += kind.list_notes(result, names(result))
    return notes


def _note_same(result: Result) -> list[Note]:
    """Name the runs with the same rankings, as failed rerankings have those of their first stage."""
    called = dict(zip((scores.run for scores in result.scores), names(result), strict=True))
    several = [[called[run] for run in runs if run in called] for runs in result.same]
    told = "; ".join(list_runs(runs) for runs in several if len(runs) > 1)
    return [SAME.note(alike=told)] if told else []


def _note_uneven(result: Result) -> list[Note]:
    """Name the runs that lack queries of other runs, so that their means are over others."""
    every = set().union(*(scores.qids for scores in result.scores))
    lacking = {name: s for name, s in zip(names(result), result.scores, strict=True) if len(s.qids) < len(every)}
    if not lacking:
        return []
    note = UNEVEN.note(many=write_span([len(scores.qids) for scores in lacking.values()]), queries=len(every))
    return [replace(note, runs=tuple(lacking), among=len(result.scores))]


def note_ceilings(result: Result, only: int | None = None) -> list[Note]:
    """Note the measures of which nearly all rankings have the best value there is, so that a few queries decide.

    ``only``  the row of one measure, to look at that measure only.
    """
    measures = result.scores[0].measures if result.scores else ()
    rows = range(len(measures)) if only is None else [only]
    found = [_note_ceiling(result, row) for row in rows if not measures[row].total]
    return merge_measures([note for note in found if note is not None])


def _note_ceiling(result: Result, row: int) -> Note | None:
    """Count the rankings of each run that have the best value of one measure."""
    measure, target = result.scores[0].measures[row], result.scores[0].target
    if measure.better == "neither":
        return None
    low, high = measure.bounds if target is None else measure.bounds_against(target)
    values = [known[~np.isnan(known)] for known in (scores.values[row] for scores in result.scores)]
    ends = {"higher": (high, "the maximum"), "lower": (low, "the minimum"), "nearer 0": (0.0, "the value 0")}
    best, called = ends[measure.better]
    if best is None:  # then it is the best of those that there are
        every = np.concatenate(values)
        best = float(every.max(initial=-np.inf) if measure.better == "higher" else every.min(initial=np.inf))
    counts = [(place, int(same(known, np.array(best)).sum()), len(known)) for place, known in enumerate(values)]
    counts = [each for each in counts if each[2] >= SEVERAL and each[1] >= CEILING * each[2]]
    if not counts:
        return None
    places, at, of = zip(*counts, strict=True)
    note = CEILINGS.note(
        measure=measure,
        at=write_span(at),
        queries=write_span(of),
        best=called,
        left=write_span([every - many for _, many, every in counts]),
        is_single="single" if len(values) == 1 else "",
    )
    return replace(note, runs=tuple(names(result)[place] for place in places), among=len(result.scores))


def note_reliability(result: Result, only: Measure | None = None) -> list[Note]:
    """Note the measures by which the order of the runs is not reliable: other queries would give another order.

    ``only``  one measure, to look at that measure only. Nothing is said of fewer than 5 runs or 10 complete queries.
    """
    if len(result.scores) < FEWEST_RUNS or any(scores.is_corrected for scores in result.scores):
        return []
    from fairtrec.evaluation.complete_queries import measure_reliability

    measures, found = [], []
    for row, measure in enumerate(result.scores[0].measures):
        if only not in (None, measure) or measure.geometric or measure.over is not None:
            continue
        of_order = measure_reliability(result, row)
        if of_order.queries >= FEWEST_QUERIES and of_order.reliability < RELIABLE:
            measures.append(measure)
            found.append(of_order)
    if not found:
        return []
    counts = [each.count_needed(PUBLISHED) for each in found]
    needed = ", ".join("-" if many is None else f"{many:,}" for many in counts)
    note = UNRELIABLE.note(
        measures=measures,
        many=len(result.scores),
        reliability=", ".join(f"{each.reliability:.2f}" for each in found),
        queries=write_span([each.queries for each in found]),
        needed=f"{PUBLISHED:g} takes about {needed}" if any(counts) else f"no number of queries gives {PUBLISHED:g}",
    )
    return [note]


def add_reliability(result: Result, sort: Measure) -> Result:
    """Add the note on the order of runs that are sorted by a measure, if it is not reliable and not noted yet."""
    if any(note.kind == UNRELIABLE for note in result.notes):
        return result
    return replace(result, notes=(*note_reliability(result, sort), *result.notes))
