"""The one table of a paper: the mean of each run and measure, with signs of what is shown."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from fairtrec.comparison.compared import Comparison, Comparisons
from fairtrec.comparison.leaderboard import Standing
from fairtrec.measure import Better
from fairtrec.report import pairs_of_runs
from fairtrec.report.cells import shown
from fairtrec.report.curves import together
from fairtrec.report.document import Column, Document, ReportTable
from fairtrec.report.legend import ARROWS, directions
from fairtrec.statistics.procedure import DECIDING

TESTS = {"t": "paired t-test", "wilcoxon": "Wilcoxon's signed ranks", "randomisation": "paired randomisation",
         "bootstrap": "paired bootstrap"}  # fmt: skip
MARKS = {"better": "†", "worse": "‡", "higher": "⁺", "lower": "⁻"}


def title_of(row: Comparison) -> str:
    """Name the measure of a comparison, and its direction."""
    absolute = row.compared == "absolute value"
    return f"|{row.measure}| ↓" if absolute else f"{row.measure} {ARROWS[row.better]}".strip()


def directions_of(view: Comparisons) -> set[Better]:
    """Give the directions of what is compared: of absolute values, lower is better."""
    return {"lower" if row.compared == "absolute value" else row.better for row in view.rows}


def overview(view: Comparisons, places: int, notes: Sequence[str]) -> Document:
    """Lay out the means of all runs, the baseline's first; its values are those that most runs are compared with."""
    names = shown(scores.run for scores in view.result.scores)
    if pairs_of_runs.is_matrix(view):
        return _lettered(view, names, places, notes)
    base = view.result.scores[view.baseline].run
    runs = [base, *dict.fromkeys(row.run for row in view.rows)]
    columns = []
    for measure in dict.fromkeys(row.measure for row in view.rows):
        rows = {row.run: row for row in view.rows if row.measure == measure}
        columns.append(_column(rows, base, runs, places))
    table = ReportTable("", [Column("run", [names[run] for run in runs], words=True)], columns)
    caption = _caption(view, names[base], bold=any(column.best for column in columns))
    return Document([table], notes, str(view.signature), caption=caption)


def _lettered(view: Comparisons, names: Mapping[str, str], places: int, notes: Sequence[str]) -> Document:
    """Lay out the means of all runs in their order, with the signs of those that each is shown to be better than."""
    runs, columns = [scores.run for scores in view.result.scores], []
    for _, rows in together(view.rows, "measure"):
        means = {row.against: row.baseline for row in reversed(rows)} | {row.run: row.mean for row in reversed(rows)}
        better: Better = "lower" if rows[0].compared == "absolute value" else rows[0].better
        written = [f"{means[run]:z.{places}f}" for run in runs]
        signs = pairs_of_runs.marks(view, rows, runs)
        ranked = Standing(np.array([[float(value)] for value in written]), [better]).best[:, 0]
        best = {at for at in np.flatnonzero(ranked).tolist() if signs[at].replace("?", "")}
        columns.append(Column(title_of(rows[0]), written, best=best, beside=signs))
    called = names
    if view.of_all or len(view.baselines) > len(pairs_of_runs.BASES):
        lettered = zip(runs, pairs_of_runs.letters(len(runs)), strict=True)
        called = {run: f"{letter} {names[run]}" for run, letter in lettered}
    table = ReportTable("", [Column("run", [called[run] for run in runs], words=True)], columns)
    how, many = view.procedure, sorted({row.n for row in view.rows})
    queries = f"{many[0]} queries" if len(many) == 1 else f"the {many[0]} to {many[-1]} queries that two runs share"
    said = [
        f"Means over {queries}",
        directions(directions_of(view)),
        "bold the best, where it is shown to be better than any" * any(column.best for column in columns),
        f"{pairs_of_runs.caption(view)}: {TESTS[how.test]}, {view.family}, p at most {how.alpha:g}",
        f"?: fewer than {DECIDING} differences are not 0" * any("?" in "".join(each.beside) for each in columns),
    ]
    return Document([table], notes, str(view.signature), caption="; ".join(filter(None, said)))


def _column(rows: dict[str, Comparison], base: str, runs: Sequence[str], places: int) -> Column:
    first = max(rows.values(), key=lambda row: row.n)
    absolute = first.compared == "absolute value"
    values = {base: first.baseline, **{run: row.mean for run, row in rows.items()}}
    written = [f"{values[run]:z.{places}f}" for run in runs]
    better: Better = "lower" if absolute else first.better
    fewer = [run in rows and rows[run].n < first.n for run in runs]  # which can be compared with none of the others
    means = [[math.nan if left else float(value)] for value, left in zip(written, fewer, strict=True)]
    shown = {run: "" if row.doubtful else row.verdict for run, row in rows.items()}
    tested = [all(verdict == "worse" for verdict in shown.values()), *(shown[run] == "better" for run in runs[1:])]
    best = Standing(np.array(means), [better]).best[:, 0] & tested
    head = f"|{first.measure}| ↓" if absolute else f"{first.measure} {ARROWS[first.better]}".strip()
    marks = ["", *(mark(rows[run]) for run in runs[1:])]
    cells = [value + mark for value, mark in zip(written, marks, strict=True)]
    return Column(head, cells, best=set(np.flatnonzero(best).tolist()))


def mark(row: Comparison) -> str:
    """Give the sign of a verdict, with a question mark where it rests on few differences."""
    sign = MARKS.get(row.verdict, "")
    return sign + "?" * bool(sign and row.doubtful)


def _caption(view: Comparisons, base: str, *, bold: bool) -> str:
    """Say what the signs mean, which test was made and corrected how, and over how many queries."""
    how = view.procedure
    many = sorted({row.n for row in view.rows})
    queries = (
        f"{many[0]} queries" if len(many) == 1 else f"the {many[0]} to {many[-1]} queries that run and {base} share"
    )
    verdicts = {row.verdict for row in view.rows}
    said = [f"{mark} {verdict}" for verdict, mark in MARKS.items() if verdict in verdicts]
    which = f"{' and '.join(said) if said else 'no run is shown to be better or worse'} than {base}"
    is_best = f"bold the best, where it is shown to be better than {base}, or {base} than all" if bold else ""
    arrows = ", ".join(filter(None, [directions(directions_of(view)), is_best]))
    parts = [
        f"Means over {queries}; {arrows}",
        "|measure|: of the absolute values of the queries" * any(row.compared == "absolute value" for row in view.rows),
        f"{which}: {TESTS[how.test]}, {view.family}, p at most {how.alpha:g}",
        f"?: fewer than {DECIDING} differences are not 0" * any("?" in mark(row) for row in view.rows),
    ]
    return "; ".join(filter(None, parts))
