"""Means over cutoffs: tables, rows and records."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from fairtrec.data.parameters import Parameters
from fairtrec.evaluation.answers.result import Result
from fairtrec.lab.plot.curves import CurveAgreement, CurvePoint, Curves
from fairtrec.measures.catalogue.cutoffs import family
from fairtrec.report import row_answers
from fairtrec.report.cells import write_number
from fairtrec.report.document import ARROWS, Document, ReportTable, RunCell, directions
from fairtrec.report.result_notes import note_ceilings
from fairtrec.report.row_answers import WORST, group_by_run, group_rows, record_rows
from fairtrec.report.run_names import map_names
from fairtrec.statistics.agreement import TAU_AP
from fairtrec.support.notes import Note, NoteKind, NoteSeverity

KEYS = ("run", "measure", "cutoff", "slice")
rows, records, flat = row_answers.rows, row_answers.records, row_answers.make_flat(KEYS)
ALIKE = 0.9  # Kendall's tau from which two orders of runs are called alike, as is usual
SINGLE = NoteKind(
    "single runs and cutoffs",
    "{many} notes on single runs and cutoffs are left out; `fairtrec eval` prints them",
    NoteSeverity.MISLEADING,
)
UNDEFINED = NoteKind("undefined means", "{means} of the means are over fewer queries, those with a value")
CEILINGS = NoteKind(
    "ceilings at cutoffs",
    "at {at} of {cutoffs} cutoffs nearly all rankings have the best value; {last}",
    NoteSeverity.MISLEADING,
)


def tables(view: Curves, *, places: int) -> Document:
    """Lay out the tables, each below its title, and what stands below them."""
    several, lines = lay_out_curves(view, places)
    return Document(several, list_notes(view), str(view.signature), gap=2, signs=lines)


def lay_out_curves(view: Curves, places: int) -> tuple[list[ReportTable], list[str]]:
    """Lay out a table for each measure, and say how far the order of runs depends on the cutoff."""
    names = map_names(scores.run for scores in view.result.scores)
    several = len({row.slice for row in view.rows}) > 1
    found, lines = [], []
    for (measure,), points in group_rows(view.rows, "measure"):
        cutoffs = sorted({point.cutoff for point in points})
        head = ["run", *["slice"] * several, *(f"@{cutoff}" for cutoff in cutoffs)]
        cells = _rows_of_means(points, names, places, several=several)
        agreements = [each for each in view.agreements if each.measure == measure and len(names) > 1]
        for (part,), line in group_rows(agreements, "slice"):
            for name, taus in (("tau", [each.tau for each in line]), ("tau_ap", [each.tau_ap for each in line])):
                row = [f"{tau:.2f}" for tau in taus]
                cells.append([RunCell(f"{name} with @{cutoffs[-1]}"), *[part] * several, *row])
            lines.append(_stability(measure, part if several else "", line))
        found.append(ReportTable.from_rows(f"{measure} {ARROWS[points[0].better]}".strip(), 1 + several, head, cells))
    explained = [directions(point.better for point in view.rows)]
    if len(names) > 1:
        explained.append(f"tau: Kendall's tau-b of the order of the runs with that at the deepest cutoff; {TAU_AP}")
    return found, [*explained, *lines, *[f"* {WORST}"] * several]


def _rows_of_means(
    points: Sequence[CurvePoint], names: Mapping[str, str], places: int, *, several: bool
) -> list[list[str]]:
    """Lay out the means of each run and slice, a column for each cutoff; a star marks the worst slice."""
    rows: list[list[str]] = []
    for (run, part), curve in group_rows(group_by_run(points), "run", "slice"):
        means = [f"{write_number(point.mean, places)}{'*' if point.worst_slice else ' ' * several}" for point in curve]
        rows.append([names[run], *[part] * several, *means])
    return rows


def _stability(measure: str, part: str, line: Sequence[CurveAgreement]) -> str:
    """Say in a sentence how the order of runs changes with the cutoff."""
    name, known = f"{measure}, {part}" if part else measure, [each for each in line if not math.isnan(each.tau)]
    if not known:
        return f"{name}: the runs have no order, for all are alike"
    least = min(known, key=lambda each: each.tau)
    if least.tau >= ALIKE:
        return f"{name}: tau is {least.tau:.2f}{'' if least.tau >= 1 else ' or more'} at every cutoff"
    settled = len(line)
    while settled and line[settled - 1].tau >= ALIKE:
        settled -= 1
    since = f"{ALIKE} or more from @{line[settled].cutoff} on"
    return f"{name}: tau is {since}; least {least.tau:.2f}, at @{least.cutoff}"


def collect_notes(result: Result) -> list[Note]:
    """List the notes on all runs at all cutoffs, and count those on single ones."""
    notes = [note for scores in result.scores for note in scores.notes]
    of_family = (
        replace(note, measures=tuple(family(each) for each in note.measures if isinstance(each, Parameters)))
        for note in notes
        if note.measures
    )
    families = Counter(family(measure) for scores in result.scores for measure in scores.measures)
    always = {note: many for note, many in Counter(of_family).items() if many == families[str(note.measures[0])]}
    single = len(notes) - sum(always.values())
    undefined = sum(int((scores.defined < len(scores.qids)).sum()) for scores in result.scores)
    listed = [*result.evaluation_notes, *always]
    listed += [SINGLE.note(many=single)] if single else []
    listed += _note_ceilings(result)
    return [*listed, *([UNDEFINED.note(means=undefined)] if undefined else [])]


def _note_ceilings(result: Result) -> list[Note]:
    """Count the cutoffs at which nearly all rankings have the best value, and give the note on the deepest of these."""
    said: dict[str, list[list[Note]]] = {}
    for row, measure in enumerate(result.scores[0].measures):
        said.setdefault(family(measure), []).append(note_ceilings(result, row))
    notes = []
    for name, several in said.items():
        if there := [note for note, *_ in filter(None, several)]:
            notes.append(CEILINGS.note(measure=name, at=len(there), cutoffs=len(several), last=str(there[-1])))
    return notes


def list_notes(view: Curves) -> list[Note]:
    """List the notes on the numbers."""
    return [*view.notes, *collect_notes(view.result)]


def record(view: Curves) -> dict[str, Any]:
    """Give one object, which also says where the rows come from."""
    return record_rows(view, list_notes(view), agreements=list(map(asdict, view.agreements)))
