"""The notes on a result."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter

import numpy as np

from fairtrec.evaluation.answers.aggregates import strip_aggregate
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import OF_JUDGED, Scores
from fairtrec.evaluation.inputs.documents import MOSTLY_UNKNOWN
from fairtrec.formulas.rounding import same
from fairtrec.measure import Quantity
from fairtrec.measures.catalogue.needs import needs_judgments
from fairtrec.measures.utility import find_relevance_rows
from fairtrec.report.cells import write_needed, write_shortfall
from fairtrec.report.run_names import shorten_runs
from fairtrec.support.errors import short
from fairtrec.support.notes import (
    Note,
    NoteKind,
    NoteNumber,
    NoteSeverity,
    list_runs,
    merge_runs,
    write_queries,
    write_span,
)

CEILING = 0.8  # of the rankings of a run
THREE = 3  # runs that have an order worth the name
COMMON, PUBLISHED = 0.8, 0.95  # the reliabilities that are usual for an order of runs, and for a published ranking
SEVERAL = 5  # queries, of fewer of which nothing is said
DEFINED = NoteKind(
    "undefined",
    "{measures} in {undefined} of {queries} queries{first}",
    NoteSeverity.MISLEADING,
    again="{measures} in {undefined}",
    tail="the mean leaves out such queries",
)
UNJUDGED = NoteKind(
    "unjudged queries",
    "{unjudged} of {queries} queries are not judged; --queries judged takes the same queries for all measures",
    NoteSeverity.MISLEADING,
)
SAME = NoteKind(
    "same rankings",
    "same rankings in all queries, down to the measured depth (100 at most): {runs}",
    NoteSeverity.MISLEADING,
)
UNEVEN = NoteKind(
    "uneven queries",
    "means over {many:span} of the {queries} queries of all runs: {runs} (-c counts the rest of the qrels or of "
    "--queries FILE as empty rankings{valueless}{common})",
    NoteSeverity.MISLEADING,
)
ADVICE = ", --queries common evaluates those that every run has"
UNMARKED = NoteKind(
    "no mark of many unknown", "{lacks}, as more than a tenth of the documents are unknown", NoteSeverity.MISLEADING
)
VALUELESS = NoteKind(
    "no rank without values", "no rank: {runs}, because {measures} is undefined in all queries", NoteSeverity.LEGEND
)
PARTIAL = NoteKind(
    "no rank without queries", "no rank: {runs}, because queries of other runs are missing", NoteSeverity.LEGEND
)
_COUNTED = "-c counts the others as empty rankings"
WITHOUT_VALUE = ", -c --undefined 0 also those without a value"  # as measures of fairness may have none for them


def _write_lacking_of_one(there: int, judged: int, valueless: str) -> str:
    verb = "is" if there == 1 else "are"
    return f"{there:,} of the {judged:,} judged queries {verb} in the run; {_COUNTED}{valueless}"


LACKING = NoteKind("missing queries", _write_lacking_of_one, NoteSeverity.MISLEADING)


def _write_lacking(
    judged: int,
    counts: str,
    valueless: str,
    common: str,
    runs: str,  # noqa: ARG001 - they are in the counts
) -> str:
    return f"judged queries, of {judged:,}: {counts}; {_COUNTED}{valueless}{common}"


LACKING_IN_RUNS = NoteKind("missing queries of runs", _write_lacking, NoteSeverity.MISLEADING)
_AT_BEST = "{measures} has {best} in {at:span} of {queries:span} queries"
CEILINGS = NoteKind(
    "ceiling",
    _AT_BEST,
    NoteSeverity.MISLEADING,
    again="{measures} in {at:span}",
    tail="few queries separate the runs",
)
CEILINGS_OF_ONE = replace(CEILINGS, name="ceiling of one run", label="ceiling", tail="few queries decide the mean")


def _write_unreliable(measures: str, reliability: float, queries: int, needed: str) -> str:
    return f"{measures} has reliability {_write_reliability(reliability)} over {queries} queries, .95 takes {needed}"


def _write_unreliable_again(measures: str, reliability: float, needed: str) -> str:
    return f"{measures} {_write_reliability(reliability)}, .95 takes {needed}"


def _write_reliability(reliability: float) -> str:
    """Write a reliability with two digits, and with more if it would seem to reach a usual one.

    >>> _write_reliability(0.912), _write_reliability(0.946), _write_reliability(0.9501), _write_reliability(0.79996)
    ('.91', '.946', '.95', '.79996')
    """
    return write_shortfall(reliability, 2, (COMMON, PUBLISHED)).replace("0.", ".", 1)


UNRELIABLE = NoteKind(
    "unreliable order",
    _write_unreliable,
    NoteSeverity.MISLEADING,
    again=_write_unreliable_again,
    tail="see fairtrec reliability",
)
FEWEST_RUNS, FEWEST_QUERIES = 5, 10  # of fewer no order is judged


def list_notes(
    result: Result,
    *,
    sort: Quantity | None = None,
    paired: bool = False,
    judged: bool = True,
    marked: bool = False,
) -> list[Note]:
    """List the notes on a result: what is missing or undefined, and what makes its numbers misleading.

    Notes on the measure that runs are sorted by, ``sort``, come first. The numbers of ``paired`` runs are over the
    queries of both, so missing queries of one play no part. ``judged`` counts the judged ranks; leave these out if
    orders are searched. A report in which runs are ``marked`` says which have no mark.
    """
    said: dict[Note, list[int]] = {}  # the places of the runs that each is true of
    has_marks = marked and len(result.scores) > 1
    first = _find_first_undefined(result.scores)
    for place, scores in enumerate(result.scores):
        for note in [*_note_undefined(scores, first), *scores.notes]:
            if judged or note.kind not in OF_JUDGED:
                said.setdefault(_note_unmarked(note, sort) if has_marks else note, []).append(place)
    notes = [
        *result.evaluation_notes,
        *(_note_missing(result) or (_note_uneven(result) if len(result.scores) > 1 and not paired else ())),
        *(_note_same(result) if result.same else ()),
        *(_note_unranked(result, sort) if sort is not None else ()),
    ]
    notes += merge_runs(said, [scores.run for scores in result.scores], shorten_runs(result)) if said else []
    notes += note_ceilings(result)
    for kind in dict.fromkeys(type(column) for scores in result.scores for column in scores.columns.values()):
        notes += kind.list_notes(result, shorten_runs(result))
    return notes if sort is None else sorted(notes, key=lambda note: sort not in note.measures)


def _find_first_undefined(several: Sequence[Scores]) -> dict[Quantity, str]:
    """Find the first query in which each measure is undefined, if it is the same one in all runs that have some."""
    found: dict[Quantity, set[str]] = {}
    for scores in several:
        is_undefined = np.isnan(scores.values)
        for row in np.flatnonzero(is_undefined.any(axis=1)).tolist():
            found.setdefault(scores.measures[row], set()).add(scores.qids[int(is_undefined[row].argmax())])
    return {measure: short(next(iter(qids))) for measure, qids in found.items() if len(qids) == 1}


def _note_undefined(scores: Scores, first: Mapping[Quantity, str]) -> Iterator[Note]:
    """Note the measures whose means are over other queries than those of other measures.

    ``first``  the first query of measures whose undefined values begin with the same one in all runs.

    Queries that are not judged are noted at the measures that cover them, and not at those that leave them out.
    """
    many = len(scores.qids)
    unjudged = np.array([qid in scores.unjudged for qid in scores.qids], dtype=np.bool_)
    is_undefined = np.isnan(scores.values)
    needs_qrels = np.array([needs_judgments(strip_aggregate(measure)) for measure in scores.measures], dtype=np.bool_)
    covers = ~needs_qrels & (unjudged & ~is_undefined).any(axis=1)
    is_mixed = bool(covers.any() and needs_qrels.any())
    if is_mixed:
        measures = [scores.measures[row] for row in np.flatnonzero(covers).tolist()]
        yield UNJUDGED.note(measures=measures, unjudged=int(unjudged.sum()), queries=many)
    for row, measure in enumerate(scores.measures):
        undefined = int(is_undefined[row].sum())
        if measure.of_pool:
            continue
        if undefined and not (is_mixed and needs_qrels[row] and (is_undefined[row] == unjudged).all()):
            which = f", first in {first[measure]}" if measure in first and undefined < many else ""
            yield DEFINED.note(measure=measure, undefined=undefined, queries=many, first=which)


def _note_same(result: Result) -> list[Note]:
    """Name the runs with the same rankings, as failed rerankings have those of their first stage."""
    called = dict(zip((scores.run for scores in result.scores), shorten_runs(result), strict=True))
    several = [[run for run in runs if run in called] for runs in result.same]
    return [
        SAME.note().assign_runs(runs, [called[run] for run in runs], len(called)) for runs in several if len(runs) > 1
    ]


def _note_missing(result: Result) -> list[Note]:
    """Count the judged queries of each run if one lacks some, whatever other runs have."""
    there = [len(scores.qids) - len(scores.unjudged) for scores in result.scores]
    if not result.judged or all(many >= result.judged for many in there):
        return []
    valueless = _advise_undefined(result)
    if len(there) == 1:
        return [LACKING.note(there=there[0], judged=result.judged, valueless=valueless)]
    called = shorten_runs(result)
    counts = sorted(zip(there, called, strict=True), key=itemgetter(0))
    listed = list_runs([f"{name} {many}" for many, name in counts])
    note = LACKING_IN_RUNS.note(judged=result.judged, counts=listed, valueless=valueless, common=_advise_common(result))
    return [note.assign_runs([scores.run for scores in result.scores], called, len(called))]


def _note_uneven(result: Result) -> list[Note]:
    """Name the runs that lack queries of other runs, so that their means are over others."""
    every = set().union(*(scores.qids for scores in result.scores))
    several = zip(result.scores, shorten_runs(result), strict=True)
    lacking = [(s.run, name, len(s.qids)) for s, name in several if len(s.qids) < len(every)]
    if not lacking:
        return []
    runs, called, many = zip(*lacking, strict=True)
    note = UNEVEN.note(
        many=join_numbers(many), queries=len(every), valueless=_advise_undefined(result), common=_advise_common(result)
    )
    return [note.assign_runs(runs, called, len(result.scores))]


def _advise_common(result: Result) -> str:
    """Advise to evaluate the queries that every run has, if there are some and a run has others."""
    first, *others = (set(scores.qids) for scores in result.scores)
    is_other = any(queries != first for queries in others)
    return ADVICE if is_other and first.intersection(*others) else ""


def _advise_undefined(result: Result) -> str:
    """Say what counts queries for which measures have no value, unless all measures are of relevance."""
    measures = [strip_aggregate(measure) for measure in result.scores[0].measures]
    return WITHOUT_VALUE if len(find_relevance_rows(measures)) < len(measures) else ""


def _note_unmarked(note: Note, sort: Quantity | None) -> Note:
    """Say of a note on unknown documents that the run has no mark, and no rank if runs are sorted; give any other."""
    if note.kind is not MOSTLY_UNKNOWN:
        return note
    return UNMARKED.note(measures=note.measures, lacks="no mark" if sort is None else "no rank and no mark")


def _note_unranked(result: Result, sort: Quantity) -> Iterator[Note]:
    """Name the runs without a rank by the measure that runs are sorted by, and why they have none."""
    from fairtrec.evaluation.leaderboard import comparable

    if len(result.scores) < 2 or sort not in result.scores[0].measures:
        return
    row, called = result.scores[0].measures.index(sort), shorten_runs(result)
    queries = len(set().union(*(scores.qids for scores in result.scores)))
    unranked = np.flatnonzero(np.isnan(comparable(result)[:, row])).tolist()
    valueless = [place for place in unranked if np.isnan(result.scores[place].values[row]).all()]
    partial = [place for place in unranked if place not in valueless and len(result.scores[place].qids) < queries]
    for kind, places in ((VALUELESS, valueless), (PARTIAL, partial)):
        if places:
            runs = [result.scores[place].run for place in places]
            note = kind.note(measure=sort)
            yield note.assign_runs(runs, [called[place] for place in places], len(result.scores))


def note_ceilings(result: Result, only: int | None = None) -> list[Note]:
    """Note the measures of which nearly all rankings have the best value there is, so that a few queries decide.

    ``only``  the row of one measure, to look at that measure only.
    """
    measures = result.scores[0].measures if result.scores else ()
    rows = range(len(measures)) if only is None else [only]
    found = [_note_ceiling(result, row) for row in rows if not measures[row].total]
    return [note for note in found if note is not None]


def _note_ceiling(result: Result, row: int) -> Note | None:
    """Count the rankings of each run that have the best value of one measure."""
    measure = result.scores[0].measures[row]
    if measure.better == "neither":
        return None
    low, high = result.scores[0].find_bounds(row)
    values = [known[~np.isnan(known)] for known in (scores.values[row] for scores in result.scores)]
    ends = {"higher": (high, "its maximum"), "lower": (low, "its minimum"), "nearer 0": (0.0, "the value 0")}
    best, called = ends[measure.better]
    every, lengths = np.concatenate(values), [len(known) for known in values]
    if best is None:  # then it is the best of those that there are
        best = float(every.max(initial=-np.inf) if measure.better == "higher" else every.min(initial=np.inf))
    is_best = np.split(same(every, np.array(best)), np.cumsum(lengths)[:-1])
    counts = [(place, int(at.sum()), len(at)) for place, at in enumerate(is_best)]
    counts = [each for each in counts if each[2] >= SEVERAL and each[1] >= CEILING * each[2]]
    if not counts:
        return None
    places, at, of = zip(*counts, strict=True)
    kind = CEILINGS if len(values) > 1 else CEILINGS_OF_ONE
    note = kind.note(measure=measure, best=called, at=join_numbers(at), queries=join_numbers(of))
    runs, short = (
        [names_of[place] for place in places] for names_of in ([s.run for s in result.scores], shorten_runs(result))
    )
    return note.assign_runs(runs, short, len(result.scores))


def note_reliability(result: Result, rows: Iterable[int] | None = None) -> list[Note]:
    """Note the measures by which the order of the runs is not reliable: other queries would give another order.

    Nothing is noted of fewer than 5 runs or 10 complete queries. ``rows`` are the measures to look at; None: all.
    """
    if len(result.scores) < FEWEST_RUNS or any(scores.is_corrected for scores in result.scores):
        return []
    from fairtrec.evaluation.complete_queries import measure_reliability

    notes = []
    measures = result.scores[0].measures
    for row in range(len(measures)) if rows is None else rows:
        measure = measures[row]
        if measure.geometric or measure.over is not None:
            continue
        found = measure_reliability(result, row)
        if found.queries >= FEWEST_QUERIES and found.reliability < COMMON:
            needed = found.count_needed(PUBLISHED)
            many = "more than there can be" if needed is None else write_needed(needed)
            notes.append(
                UNRELIABLE.note(measure=measure, reliability=found.reliability, queries=found.queries, needed=many)
            )
    return notes


def join_numbers(numbers: Sequence[int]) -> int | tuple[int, ...]:
    """Give the one number that all are, or all of them."""
    return numbers[0] if len({*numbers}) == 1 else tuple(numbers)


def judge(result: Result, *, sort: Quantity | None = None) -> Note | None:
    """Judge whether the data can put the runs in order by the measure ``sort``; None without one, or a direction."""
    if sort is None or len(result.scores) < 2 or sort.better == "neither" or sort not in result.scores[0].measures:
        return None
    from fairtrec.evaluation.complete_queries import measure_reliability

    row = result.scores[0].measures.index(sort)
    is_mean = sort.over is None and not sort.geometric and not any(scores.is_corrected for scores in result.scores)
    found = measure_reliability(result, row) if is_mean else None
    ceiling = _note_ceiling(result, row) if not sort.total else None
    defined = [int(scores.defined[row]) for scores in result.scores]
    return VERDICT.note(
        measure=sort,
        queries=join_numbers(defined),
        ceiling=_span_of(ceiling.numbers["at"]) if ceiling is not None else "",
        reliability=math.nan if found is None or len(result.scores) < THREE else found.reliability,
        needed=(None if found is None else found.count_needed(PUBLISHED)) or 0,
    )


def is_order_reliable(reliability: float, queries: int) -> bool:
    """Tell whether an order with this reliability over so many queries can be relied on; nan is unknown."""
    from fairtrec.statistics.doubt import is_doubtful

    return reliability >= PUBLISHED and not is_doubtful(queries)


def _span_of(numbers: NoteNumber | tuple[NoteNumber, ...]) -> str:
    return write_span(numbers if isinstance(numbers, tuple) else [numbers])


def _write_verdict(measures: str, queries: int | tuple[int, ...], ceiling: str, reliability: float, needed: int) -> str:
    """Write what the data say on the order of runs."""
    from fairtrec.statistics.doubt import is_doubtful
    from fairtrec.statistics.procedure import SCANTY

    many = queries if isinstance(queries, tuple) else (queries,)
    order = f"the order by {measures}"
    said = f"test {order} with fairtrec compare"
    if is_order_reliable(reliability, max(many)):
        said = f"{order} is reliable"
    elif reliability >= COMMON and not is_doubtful(max(many)):
        said = f"{order} is reliable in part"
    elif ceiling or reliability == reliability:  # noqa: PLR0124 - nan is not itself
        said = f"{order} is not reliable"
    elif max(many) < SCANTY:
        said = f"too few to rely on {order}"
    found = ""
    if reliability == reliability:  # noqa: PLR0124
        enough = (
            f"; {PUBLISHED:g} takes {write_needed(needed)} queries".replace("0.", ".") if needed > max(many) else ""
        )
        found = f" (reliability {_write_reliability(reliability)}{enough})"
    return f"verdict: {write_queries(many)}{f', ceiling in {ceiling}' if ceiling else ''}: {said}{found}"


VERDICT = NoteKind("verdict", _write_verdict, NoteSeverity.VERDICT)
