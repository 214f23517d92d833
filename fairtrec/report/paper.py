"""Comparisons for people: the one table of a paper, with signs of what is shown, and the matrix of all pairs."""

import math
from collections.abc import Mapping, Sequence
from string import ascii_lowercase

import numpy as np

from fairtrec.comparison.compared import Comparison, Comparisons, CorrectedComparison
from fairtrec.comparison.leaderboard import Standing
from fairtrec.measure import Better
from fairtrec.report.cells import shown, signed
from fairtrec.report.curves import together
from fairtrec.report.document import ARROWS, Column, Document, ReportTable, directions
from fairtrec.report.markup import RAISED
from fairtrec.statistics.procedure import DECIDING

TESTS = {"t": "paired t-test", "wilcoxon": "Wilcoxon's signed ranks", "randomisation": "paired randomisation",
         "bootstrap": "paired bootstrap"}  # fmt: skip
MARKS = {"better": "†", "worse": "‡", "higher": "⁺", "lower": "⁻"}
SIGN_OF = dict(zip(ascii_lowercase, RAISED, strict=True))
BASES = "†‡§"  # the first three baselines, in the table of a paper
WON = ("better", "higher")
TURNED = {"better": "worse", "worse": "better", "higher": "lower", "lower": "higher"}


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
    if is_matrix(view):
        return _lettered(view, names, places, notes)
    base = view.result.scores[view.baseline].run
    runs = [base, *dict.fromkeys(row.run for row in view.rows)]
    columns = []
    for measure in dict.fromkeys(row.measure for row in view.rows):
        rows = {row.run: row for row in view.rows if row.measure == measure}
        columns.append(_column(rows, base, runs, places))
    table = ReportTable("", [Column("run", [names[run] for run in runs], words=True)], columns)
    caption = _of_baseline(view, names[base], bold=any(column.best for column in columns))
    return Document([table], notes, str(view.signature), caption=caption)


def _lettered(view: Comparisons, names: Mapping[str, str], places: int, notes: Sequence[str]) -> Document:
    """Lay out the means of all runs in their order, with the signs of those that each is shown to be better than."""
    runs, columns = [scores.run for scores in view.result.scores], []
    for _, rows in together(view.rows, "measure"):
        means = {row.against: row.baseline for row in reversed(rows)} | {row.run: row.mean for row in reversed(rows)}
        better: Better = "lower" if rows[0].compared == "absolute value" else rows[0].better
        written = [f"{means[run]:z.{places}f}" for run in runs]
        signs = marks(view, rows, runs)
        ranked = Standing(np.array([[float(value)] for value in written]), [better]).best[:, 0]
        best = {at for at in np.flatnonzero(ranked).tolist() if signs[at].replace("?", "")}
        columns.append(Column(title_of(rows[0]), written, best=best, beside=signs))
    called = names
    if view.of_all or len(view.baselines) > len(BASES):
        lettered = zip(runs, letters(len(runs)), strict=True)
        called = {run: f"{letter} {names[run]}" for run, letter in lettered}
    table = ReportTable("", [Column("run", [called[run] for run in runs], words=True)], columns)
    how, many = view.procedure, sorted({row.n for row in view.rows})
    queries = f"{many[0]} queries" if len(many) == 1 else f"the {many[0]} to {many[-1]} queries that two runs share"
    said = [
        f"Means over {queries}",
        directions(directions_of(view)),
        "bold the best, where it is shown to be better than any" * any(column.best for column in columns),
        f"{_of_pairs(view)}: {TESTS[how.test]}, {view.family}, p at most {how.alpha:g}",
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


def _of_baseline(view: Comparisons, base: str, *, bold: bool) -> str:
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


def is_matrix(view: Comparisons) -> bool:
    """Tell whether there are more pairs than one table of runs against one baseline can hold."""
    return len(view.baselines) > 1 and len(view.result.scores) > 2


def letters(many: int) -> list[str]:
    """Letter so many runs.

    >>> letters(28)[-3:]
    ['z', 'aa', 'ab']
    """
    return [
        (ascii_lowercase[at // 26 - 1] if at >= 26 else "") + ascii_lowercase[at % 26]  # as the columns of a sheet
        for at in range(many)
    ]


def verdicts_of(rows: Sequence[Comparison]) -> dict[tuple[str, str], tuple[str, float, bool]]:
    """Give of each ordered pair of runs what is shown of the first, its difference, and whether that is doubtful."""
    found: dict[tuple[str, str], tuple[str, float, bool]] = {}
    for row in rows:
        found[row.run, row.against] = (row.verdict, row.tested, row.doubtful)
        found[row.against, row.run] = (TURNED.get(row.verdict, row.verdict), -row.tested, row.doubtful)
    return found


def matrix(view: Comparisons, rows: Sequence[Comparison], title: str, places: int) -> ReportTable:
    """Lay out the differences of each run from each baseline, row less column; where there is no room, their signs."""
    runs = [scores.run for scores in view.result.scores]
    names, lettered = shown(runs), dict(zip(runs, letters(len(runs)), strict=True))
    found = verdicts_of(rows)
    key = Column("run", [f"{lettered[run]} {names[run]}" for run in runs], words=True)
    wide, narrow = [], []
    for base in (runs[number] for number in view.baselines):
        pairs = [found.get((run, base)) for run in runs]
        wide.append(Column(lettered[base], [_cell(pair, places) for pair in pairs]))
        narrow.append(Column(lettered[base], [_sign(pair) for pair in pairs]))
    return ReportTable(title, [key], wide, narrow=ReportTable(title, [key], narrow))


def _cell(pair: tuple[str, float, bool] | None, places: int) -> str:
    if pair is None:
        return ""
    verdict, difference, doubtful = pair
    return signed(difference, places) + "*" * (verdict in TURNED) + "?" * doubtful


def _sign(pair: tuple[str, float, bool] | None) -> str:
    if pair is None:
        return ""
    verdict = pair[0]
    return "+" if verdict in WON else "-" if verdict in TURNED else "."


def of_matrix(view: Comparisons) -> list[str]:
    """Say what the cells of a matrix mean."""
    by_gold = any(isinstance(row, CorrectedComparison) and row.corrected is not None for row in view.rows)
    return (
        [
            f"row less column{', as gold labels correct it' * by_gold}; *: the difference is shown",
            "where the window has no room: + the row is better, - it is worse, . not shown",
        ]
        if is_matrix(view)
        else []
    )


def marks(view: Comparisons, rows: Sequence[Comparison], runs: Sequence[str]) -> list[str]:
    """Give the raised letters of the runs, or the signs of the baselines, that each run is shown to be better than."""
    signs = signs_of(view)
    found = verdicts_of(rows)
    several = []
    for run in runs:
        beaten = [base for base in signs if (pair := found.get((run, base))) and pair[0] in WON]
        several.append("".join(signs[base] + "?" * found[run, base][2] for base in beaten))
    return several


def signs_of(view: Comparisons) -> Mapping[str, str]:
    """Give the sign of each baseline: a raised letter of each run where all are compared, else a dagger."""
    runs = [scores.run for scores in view.result.scores]
    if view.of_all or len(view.baselines) > len(BASES):
        lettered = dict(zip(runs, letters(len(runs)), strict=True))
        return {runs[at]: "".join(SIGN_OF[letter] for letter in lettered[runs[at]]) for at in view.baselines}
    return {runs[number]: sign for number, sign in zip(view.baselines, BASES, strict=False)}


def _of_pairs(view: Comparisons) -> str:
    """Say what the signs mean."""
    signs = signs_of(view)
    if any(sign in BASES for sign in signs.values()):
        names = shown(scores.run for scores in view.result.scores)
        return "; ".join(f"{sign}: better than {names[run]}" for run, sign in signs.items())
    several = [*signs.values()]
    return f"{several[0]}..{several[-1]}: better than that run"
