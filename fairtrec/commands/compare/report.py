"""Comparisons with a baseline: tables, the one table of a paper, rows and records."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from functools import partial
from operator import attrgetter
from typing import Any

from fairtrec.commands.compare.comparison import Comparison, Comparisons, CorrectedComparison, is_pooled
from fairtrec.commands.compare.paper import (
    explain_matrix,
    find_direction,
    is_matrix,
    matrix,
    overview,
    title_measure,
)
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.measures.catalogue.needs import looks_at_groups
from fairtrec.report import row_answers
from fairtrec.report.cells import write_count, write_difference, write_interval, write_number, write_p
from fairtrec.report.document import Document, ReportTable, directions
from fairtrec.report.result_notes import list_notes as list_result_notes
from fairtrec.report.result_notes import note_ceilings, note_reliability
from fairtrec.report.row_answers import (
    FAMILY,
    TESTS,
    WORST,
    FieldColumn,
    group_by_run,
    group_rows,
    lay_out_rows,
    name_corrected_p,
    record_rows,
)
from fairtrec.report.run_names import map_names
from fairtrec.statistics.doubt import add_doubtful, explain_doubt, explain_few_clusters, mark_doubt
from fairtrec.support.literals import ALL
from fairtrec.support.notes import Note, NoteKind, NoteSeverity, write_queries

SHOWN = ("better", "worse", "higher", "lower")
KEYS = ("run", "against", "measure", "slice")
LEAST = ("cliff", "queries", "effect", "p equivalent", "p not worse", "win/tie/loss", "baseline", "p", "mean")
rows, records, flat = row_answers.rows, row_answers.records, row_answers.make_flat(KEYS)


def tables(view: Comparisons, *, places: int, paper: bool = False) -> Document:
    """Lay out the tables, each below its title, and what stands below them; or the one table of a ``paper``."""
    notes = list_view_notes(view)
    if paper:
        return overview(view, places, notes)
    several, lines = _of_pairs(view, places) if is_matrix(view) else _of_comparisons(view, places)
    return Document(several, notes, str(view.signature), gap=2, signs=lines, verdict=judge(view))


def _of_pairs(view: Comparisons, places: int) -> tuple[list[ReportTable], list[str]]:
    """Lay out a matrix for each measure and slice."""
    found = []
    for (_, part), compared in group_rows(view.rows, "measure", "slice"):
        title = title_measure(compared[0])
        found.append(matrix(view, compared, title if part == ALL else f"{title}, {part}", places))
    lines = [directions(map(find_direction, view.rows)), *explain_matrix(view)]
    lines += [
        line for line in _legend(view, several=False) if line.startswith(("|measure|", "which group", "?", "p Tukey"))
    ]
    lines += _explain_deletions(view)
    lines += [
        f"shown: {TESTS[view.procedure.test]}, {name_corrected_p(view.procedure)} at most {view.procedure.alpha:g}"
    ]
    return found, [*lines, view.family]


def _of_comparisons(view: Comparisons, places: int) -> tuple[list[ReportTable], list[str]]:
    names = map_names(scores.run for scores in view.result.scores)
    baseline = names[view.result.scores[view.baseline].run]
    several = len({row.slice for row in view.rows}) > 1
    columns, found = _list_columns(view, names, several=several), []
    for _, compared in group_rows(view.rows, "measure"):
        ordered = group_by_run(compared)
        better, worse = (
            [place for place, row in enumerate(ordered) if row.verdict == verdict] for verdict in ("better", "worse")
        )
        against = f"{title_measure(compared[0])}, against {baseline}"
        found.append(lay_out_rows(columns, ordered, places, against, good=better, bad=worse, least=LEAST))
    return found, list(_legend(view, several=several))


def name_slice(row: Comparison) -> str:
    """Name the slice of a row, and mark the worst."""
    return f"{row.slice} *" if row.worst_slice else row.slice


def _list_columns(view: Comparisons, names: Mapping[str, str], *, several: bool) -> list[FieldColumn]:
    how, value = view.procedure, partial(FieldColumn, undefined="nan")
    return [
        FieldColumn("run", field=lambda row: names[row.run], key=True),
        *[FieldColumn("slice", field=name_slice, key=True)] * several,
        FieldColumn("verdict", field=lambda row: mark_doubt(row.verdict, doubtful=row.doubtful)),
        value("difference", write_difference),
        *[value("corrected", write_difference)] * isinstance(view.rows[0], CorrectedComparison),
        value(f"{how.percent} interval", write_interval, attrgetter("low", "high")),
        value("p", write_p),
        *[value(name_corrected_p(how), write_p, "p_corrected")] * (how.correction != "none"),
        value("mean", write_number),
        value("baseline", write_number),
        value("queries", write_count),
        value("effect", write_difference, partial(_find_of_queries, "effect"), most=2),
        value("cliff", write_difference, partial(_find_of_queries, "cliff"), most=2),
        value("win/tie/loss", lambda many, _: "/".join(map(str, many)), _count_wins),
        *[value("p not worse", write_p, "p_not_worse")] * (how.equivalence is not None),
        *[value("p equivalent", write_p, "p_equivalent")] * (how.equivalence is not None),
    ]


def _find_of_queries(name: str, row: Comparison) -> float | None:
    """Give a number that is of values of queries; None if pooled values are compared."""
    return None if is_pooled(row) else getattr(row, name)


def _count_wins(row: Comparison) -> tuple[int | None, ...] | None:
    """Give the wins, ties and losses of a row; None if pooled values are compared."""
    return None if row.wins is None else (row.wins, row.ties, row.losses)


def _legend(view: Comparisons, *, several: bool) -> Iterator[str]:
    """Say how the comparisons were made and what the signs and words mean."""
    how = view.procedure
    used = set(map(find_direction, view.rows))
    yield directions(used)
    if any(row.compared == "absolute value" for row in view.rows):
        yield "|measure|: nearer 0 is better, so absolute values are compared: how far from 0, not who gains"
    yield from _explain_gains(view)
    drawn = f"; {how.resamples} resamples, seed {how.seed}" if how.draws else ""
    intervals = {"t": "by Student's t", "percentile": "bootstrap, percentile", "bca": "bootstrap, BCa"}[how.interval]
    yield f"difference: run minus baseline; p: {TESTS[how.test]}; {how.percent} interval: {intervals}{drawn}"
    yield from _explain_deletions(view)
    if any(isinstance(row, CorrectedComparison) and row.corrected is not None for row in view.rows):
        yield "corrected: the difference by gold labels; its interval and p cover the draw of labels and of queries"
    words = "better, worse" + (", higher, lower" if "neither" in used else "")
    yield f"{words}: {name_corrected_p(how)} at most {how.alpha:g}; not shown: the data show neither; {view.family}"
    if how.correction == "tukey":
        yield "p Tukey comes from a test of its own, so it may be less than p, which compares only this pair"
    won = ("better or higher", "worse or lower") if "neither" in used else ("better", "worse")
    yield (
        "effect: Cohen's d_z, the mean difference in standard deviations; cliff: Cliff's delta, unpaired; "
        f"win/tie/loss: queries in which the run is {won[0]}, the same, {won[1]}"
    )
    yield from _explain_marks(view)
    if how.equivalence is not None:
        margin = f"{how.equivalence:g}, uncorrected"
        yield f"p not worse: by more than {margin}; p equivalent: TOST within {margin}"
    yield f"* {WORST}" if several else ""


def _explain_gains(view: Comparisons) -> Iterator[str]:
    """Say how to see which group gains, if a measure of groups shows a difference of runs that can be evaluated."""
    shown = {row.measure for row in view.rows if row.verdict in SHOWN}
    measures = view.result.scores[0].measures if view.result.options and shown else ()
    of_groups = [each for each in measures if str(each) in shown and looks_at_groups(each)]
    if of_groups:
        cutoff = getattr(of_groups[0], "cutoff", None)
        exposure = "Exposure" if cutoff is None else f"Exposure@{cutoff}"
        yield f"which group gains: see fairtrec eval with the same files and -m {exposure} (exposure minus target)"


def _explain_deletions(view: Comparisons) -> Iterator[str]:
    """Say of what pooled values are, and what is deleted for intervals and p."""
    unit = "cluster" if view.result.clusters else "query"
    by_deletion = f"interval and p by deletion of one {unit} after the other"
    if any(map(is_pooled, view.rows)):
        yield f"pooled: mean and baseline are the values of all queries together; {by_deletion}"
    if view.result.clusters and not all(map(is_pooled, view.rows)):
        flipped = "; p flips the differences of whole clusters" * (view.procedure.test == "randomization")
        yield f"means: {by_deletion}{flipped}"


def _explain_marks(view: Comparisons) -> Iterator[str]:
    """Explain ? of the rows that have it."""
    by_deletion = [row for row in view.rows if row.doubtful and (is_pooled(row) or view.result.clusters)]
    if by_deletion:
        yield explain_few_clusters("clusters" if view.result.clusters else "queries")
    if len(by_deletion) < sum(row.doubtful for row in view.rows):
        yield explain_doubt("differences")


def list_view_notes(view: Comparisons) -> list[Note]:
    """List the notes on the numbers."""
    result = replace(view.result, scores=tuple(map(_without_corrections, view.result.scores)))
    return [*view.notes, *note_reliability(view.result), *list_result_notes(result, paired=True)]


def _without_corrections(scores: Scores) -> Scores:
    """Leave out columns that correct means: their intervals are not those of differences."""
    kept = {name: column for name, column in scores.columns.items() if not column.corrects_means}
    return replace(scores, columns=kept)


def judge(view: Comparisons) -> Note | None:
    """Judge whether the data show differences between the runs."""
    if not view.rows:
        return None
    ceilings = note_ceilings(view.result)
    shown = [row for row in view.rows if row.verdict in SHOWN]
    queries = sorted({row.queries for row in view.rows})
    names = ", ".join(str(measure) for note in ceilings for measure in note.measures)
    return VERDICT.note(
        shown=len(shown),
        doubtful=sum(row.doubtful for row in shown),
        comparisons=len(view.rows),
        queries=tuple(queries),
        ceilings=names,
    )


def _write_verdict(shown: int, doubtful: int, comparisons: int, queries: tuple[int, ...], ceilings: str) -> str:
    """Write how many comparisons show a difference, how many of these are doubtful, over how many queries."""
    of = "the comparison shows" if comparisons == 1 else f"{shown} of {comparisons} comparisons show"
    said = f"{of} a difference" if shown or comparisons > 1 else "the comparison does not show a difference"
    doubt = mark_doubt(said, doubtful=doubtful > 0) if comparisons == 1 else f"{said}{add_doubtful(doubtful)}"
    return f"verdict: {write_queries(queries)}{f', ceiling by {ceilings}' if ceilings else ''}: {doubt}"


VERDICT = NoteKind("verdict of a comparison", _write_verdict, NoteSeverity.VERDICT)


def list_notes(view: Comparisons) -> list[Note]:
    """List the notes for a report that does not hold them itself."""
    return [FAMILY.note(family=view.family), *list_view_notes(view)]


def record(view: Comparisons) -> dict[str, Any]:
    """Give one object, which also says where the rows come from and how they were made."""
    notes, several = [judge(view), *list_view_notes(view)], [view.result.scores[at].run for at in view.baselines]
    baseline = several if len(several) > 1 else several[0]
    return record_rows(view, notes, baseline=baseline, procedure=asdict(view.procedure), family=view.family)
