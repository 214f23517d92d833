"""Correlations of measures: tables, rows and records."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from fairtrec.commands.correlate.correlations import Association, AssociationAtCutoff, Associations
from fairtrec.report import row_answers
from fairtrec.report.cells import write_difference, write_interval, write_p
from fairtrec.report.document import Document, ReportTable, RunCell
from fairtrec.report.result_notes import list_notes as list_result_notes
from fairtrec.report.row_answers import FAMILY, group_by_run, group_rows, name_corrected_p, record_rows
from fairtrec.report.run_names import map_names
from fairtrec.statistics.agreement import MANY, TAU_AP
from fairtrec.statistics.doubt import explain_few, sign_doubt
from fairtrec.statistics.procedure import Procedure
from fairtrec.support.notes import Note

KEYS = ("run", "measure", "other", "kind", "cutoff", "slice")
rows, records, flat = row_answers.rows, row_answers.records, row_answers.make_flat(KEYS)
COEFFICIENTS = {
    "pearson": "Pearson's r", "spearman": "Spearman's rho", "kendall": "Kendall's tau-b", "tau_ap": "tau_ap",
}  # fmt: skip


def tables(view: Associations, *, places: int) -> Document:
    """Lay out the tables, each below its title, and what stands below them."""
    several, lines = lay_out_associations(view, places)
    return Document(several, list_view_notes(view), str(view.signature), gap=2, signs=lines)


def lay_out_associations(view: Associations, places: int) -> tuple[list[ReportTable], list[str]]:
    """Lay out a table for each coefficient and pair of measures, and say how they were made.

    With cutoffs a row has all of one pair and run, a column each; over runs all pairs stand in one table.
    """
    how, names = view.procedure, map_names(scores.run for scores in view.result.scores)
    several, over_runs = len({row.slice for row in view.rows}) > 1, view.over == "runs"
    keys = [*(["measure", "measure"] if over_runs else ["run"]), *["slice"] * several]
    found = []
    for (kind, *pair), associations in group_rows(view.rows, "kind", *["measure", "other"] * (not over_runs)):
        title, cells, told = (
            f"{COEFFICIENTS[kind]} of {' and '.join(pair) or 'the means of runs'}",
            [],
            dict[str, str](),
        )
        ordered = associations if view.by_cutoff else group_by_run(associations)
        pad = any(row.doubtful for row in associations)
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
        f"@{row.cutoff}": f"{write_difference(row.correlation, places)}{' *'[row.verdict == 'correlated']}"
        f"{sign_doubt(doubtful=row.doubtful, apart=False) or ' ' * pad}"
        for row in line
        if isinstance(row, AssociationAtCutoff)
    }


def _tested(row: Association, how: Procedure, places: int, *, pad: bool) -> dict[str, str]:
    mark = sign_doubt(doubtful=row.doubtful) or "  " * pad
    cells = {
        "verdict": f"{row.verdict}{mark}",
        "correlation": f"{write_difference(row.correlation, places)}{mark}",
    }
    cells[f"{how.percent} interval"] = write_interval((row.low, row.high), places)
    tests = {"p": row.p} if how.correction == "none" else {"p": row.p, name_corrected_p(how): row.p_corrected}
    cells |= {head: "-" if math.isnan(p) else write_p(p, places) for head, p in tests.items()}
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
    return lines + [f"{TAU_AP}, of the runs from the best"] * over_runs


def list_view_notes(view: Associations) -> list[Note]:
    """List the notes on the numbers."""
    return [*view.notes, *list_result_notes(view.result)]


def list_notes(view: Associations) -> list[Note]:
    """List the notes for a report that does not hold them itself."""
    return [FAMILY.note(family=view.family), *list_view_notes(view)]


def record(view: Associations) -> dict[str, Any]:
    """Give one object, which also says where the rows come from and how they were made."""
    how, notes = asdict(view.procedure), list_view_notes(view)
    return record_rows(view, notes, over=view.over, procedure=how, family=view.family)
