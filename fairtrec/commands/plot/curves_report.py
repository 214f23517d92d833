"""Correlations of measures, and curves over cutoffs; and what their tables share with those of comparisons."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from fairtrec.commands.compare.comparison import Comparison
from fairtrec.commands.correlate.correlations import Association, AssociationAtCutoff, Associations
from fairtrec.commands.plot.curves import CurveAgreement, CurvePoint, Curves, family
from fairtrec.data.parameters import Parameters
from fairtrec.evaluation.answers.result import Result
from fairtrec.report.cells import format_signed
from fairtrec.report.document import ARROWS, ReportTable, RunCell, directions
from fairtrec.report.result_notes import note_ceilings
from fairtrec.report.run_names import map_names
from fairtrec.statistics.agreement import MANY
from fairtrec.statistics.doubt import explain_few, sign_doubt
from fairtrec.statistics.procedure import Procedure
from fairtrec.support.notes import Note, NoteKind, NoteSeverity

COEFFICIENTS = {
    "pearson": "Pearson's r", "spearman": "Spearman's rho", "kendall": "Kendall's tau-b", "tau_ap": "tau_ap",
}  # fmt: skip
WORST = "the slice in which the run's mean is worst"
Of = TypeVar("Of", Comparison, Association, CurvePoint, CurveAgreement)
AP = "tau_ap: with the weight at the top"
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


def probability(p: float, places: int) -> str:
    """Write a p-value; a small one is never printed as 0.

    >>> probability(0.00001, 4), probability(0.04, 4), probability(float("nan"), 4)
    ('<0.0001', '0.0400', 'nan')
    """
    places = max(places, 1)
    least = float(f"1e-{places}")
    return f"<{least:.{places}f}" if p < least else f"{p:.{places}f}"


def write_interval(low: float, high: float, places: int) -> str:
    """Write an interval of differences; a dash where there is none."""
    return "-" if math.isnan(low) else f"[{low:+z.{places}f}, {high:+z.{places}f}]"


def group_rows(rows: Iterable[Of], *keys: str) -> Iterator[tuple[tuple[str, ...], list[Of]]]:
    """Group rows by the values of some fields, in the order in which these first appear."""
    groups: dict[tuple[str, ...], list[Of]] = {}
    for row in rows:
        groups.setdefault(tuple(getattr(row, key) for key in keys), []).append(row)
    yield from groups.items()


def group_by_run(rows: Sequence[Of]) -> list[Of]:
    """Put the slices of each run below each other."""
    return [row for _, of_run in group_rows(rows, "run") for row in of_run]


def name_slice(row: Comparison | CurvePoint) -> str:
    """Name the slice of a row, and mark the worst."""
    return f"{row.slice} *" if row.worst_slice else row.slice


def name_corrected_p(how: Procedure) -> str:
    """Name the column of corrected p."""
    short = {"none": "p", "bonferroni": "p Bonferroni", "holm": "p Holm", "bh": "p BH", "tukey": "p Tukey"}
    return short[how.correction]


def lay_out_associations(view: Associations, places: int) -> tuple[list[ReportTable], list[str]]:
    """Lay out a table for each coefficient and pair of measures, and say how they were made.

    With cutoffs a row has all of one pair and run, a column each; over runs all pairs stand in one table.
    """
    how, names = view.procedure, map_names(scores.run for scores in view.result.scores)
    several, over_runs = len({row.slice for row in view.rows}) > 1, view.over == "runs"
    keys = [*(["measure", "measure"] if over_runs else ["run"]), *["slice"] * several]
    found = []
    for (kind, *pair), rows in group_rows(view.rows, "kind", *["measure", "other"] * (not over_runs)):
        title, cells, told = (
            f"{COEFFICIENTS[kind]} of {' and '.join(pair) or 'the means of runs'}",
            [],
            dict[str, str](),
        )
        ordered = rows if view.by_cutoff else group_by_run(rows)
        pad = any(row.doubtful for row in rows)
        for (run, part, *measures), line in group_rows(ordered, "run", "slice", "measure", "other"):
            told = _by_cutoff(line, places, pad=pad) if view.by_cutoff else _tested(line[0], how, places, pad=pad)
            name = names.get(run, RunCell(run))
            cells.append([*(measures if over_runs else [name]), *[part] * several, *told.values()])
        found.append(ReportTable.from_rows(title, len(keys), [*keys, *told], cells, least=("n", "p")))
    lines = [f"correlated: {name_corrected_p(how)} at most {how.alpha:g}; {view.family}", *_left_out(view)]
    lines[0] = f"* {lines[0]}" if view.by_cutoff else f"{how.percent} interval: {_name_interval(view)}; {lines[0]}"
    if any(row.doubtful for row in view.rows):
        lines.append(f"{explain_few('values of a measure')} differ from its most frequent one")
    return found, lines


def _name_interval(view: Associations) -> str:
    """Name the method of the intervals: Fisher's for many pairs."""
    many = {row.n > MANY for row in view.rows if not math.isnan(row.low)}
    ways = {False: "by a jackknife over " + view.over, True: f"by Fisher's z for more than {MANY:,}"}
    return ", ".join(way for is_many, way in ways.items() if is_many in (many or {False}))


def _by_cutoff(line: Sequence[Association], places: int, *, pad: bool) -> dict[str, str]:
    return {
        f"@{row.cutoff}": f"{format_signed(row.correlation, places)}{' *'[row.verdict == 'correlated']}"
        f"{sign_doubt(doubtful=row.doubtful, apart=False) or ' ' * pad}"
        for row in line
        if isinstance(row, AssociationAtCutoff)
    }


def _tested(row: Association, how: Procedure, places: int, *, pad: bool) -> dict[str, str]:
    mark = sign_doubt(doubtful=row.doubtful) or "  " * pad
    cells = {
        "verdict": f"{row.verdict}{mark}",
        "correlation": f"{format_signed(row.correlation, places)}{mark}",
    }
    cells[f"{how.percent} interval"] = write_interval(row.low, row.high, places)
    tests = {"p": row.p} if how.correction == "none" else {"p": row.p, name_corrected_p(how): row.p_corrected}
    cells |= {head: "-" if math.isnan(p) else probability(p, places) for head, p in tests.items()}
    return {**cells, "n": str(row.n)}


def _left_out(view: Associations) -> list[str]:
    """Say which correlations are not tested, and what is left out of them."""
    over_runs, lines = view.over == "runs", list[str]()
    if not over_runs and len(view.result.scores) > 1:
        lines.append(
            "all runs: the pairs of all runs together, which are not independent, so there is no p and no interval"
        )
    left = sum(row.undefined for row in view.rows if row.kind == "pearson")
    what = "a mean is undefined, infinite, or over fewer queries than those of other runs"
    what = what if over_runs else "one of the two measures is undefined or infinite"
    lines += [f"{left} pairs are left out, where {what}"] if left else []
    return lines + [f"{AP}, of the runs from the best"] * over_runs


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
        explained.append(f"tau: Kendall's tau-b of the order of the runs with that at the deepest cutoff; {AP}")
    return found, [*explained, *lines, *[f"* {WORST}"] * several]


def _rows_of_means(
    points: Sequence[CurvePoint], names: Mapping[str, str], places: int, *, several: bool
) -> list[list[str]]:
    """Lay out the means of each run and slice, a column for each cutoff; a star marks the worst slice."""
    rows: list[list[str]] = []
    for (run, part), curve in group_rows(group_by_run(points), "run", "slice"):
        means = [f"{point.mean:z.{places}f}{'*' if point.worst_slice else ' ' * several}" for point in curve]
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
    listed = [*result.notes, *always]
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
