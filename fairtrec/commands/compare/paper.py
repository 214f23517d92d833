"""Comparisons for people: the one table of a paper, with signs of what is shown, and the matrix of all pairs."""

import math
from collections.abc import Mapping, Sequence
from itertools import compress
from string import ascii_lowercase

import numpy as np

from fairtrec.commands.compare.comparison import Comparison, Comparisons, CorrectedComparison, is_pooled
from fairtrec.data import Bools
from fairtrec.evaluation.leaderboard import Standing
from fairtrec.measure import Better
from fairtrec.report.cells import write_difference, write_number
from fairtrec.report.document import ARROWS, Column, Document, ReportTable, RunCell, directions
from fairtrec.report.markup import RAISED
from fairtrec.report.row_answers import TESTS, group_rows
from fairtrec.report.run_names import map_names
from fairtrec.statistics.doubt import MARK, explain_doubt, mark_doubt
from fairtrec.support.notes import FEW, Note, join_words, write_queries

MARKS = {"better": "†", "worse": "‡", "higher": "⁺", "lower": "⁻"}
SIGN_OF = dict(zip(ascii_lowercase, RAISED, strict=True))
BASES = "†‡§"  # the first three baselines, in the table of a paper
WON = ("better", "higher")
TURNED = {"better": "worse", "worse": "better", "higher": "lower", "lower": "higher"}


def title_measure(row: Comparison) -> str:
    """Name the measure of a comparison, and its direction."""
    if row.compared == "absolute value":
        return f"|{row.measure}| ↓"
    name = f"{row.measure}, pooled" if is_pooled(row) else row.measure
    return f"{name} {ARROWS[row.better]}".strip()


def find_direction(row: Comparison) -> Better:
    """Give the direction of what is compared: of absolute values, lower is better."""
    return "lower" if row.compared == "absolute value" else row.better


def overview(view: Comparisons, places: int, notes: Sequence[Note]) -> Document:
    """Lay out the means of all runs, the baseline's first; its values are those that most runs are compared with."""
    names = map_names(scores.run for scores in view.result.scores)
    if is_matrix(view):
        return _lettered(view, names, places, notes)
    base = view.result.scores[view.baseline].run
    runs = [base, *dict.fromkeys(row.run for row in view.rows)]
    columns = []
    for number, measure in enumerate(dict.fromkeys(row.measure for row in view.rows)):
        rows = {row.run: row for row in view.rows if row.measure == measure}
        columns.append(_column(rows, base, runs, _queries(view, number), places))
    table = ReportTable("", [Column("run", [names[run] for run in runs], words=True, runs=True)], columns)
    signs = " and ".join(f"{sign} significantly {verdict}" for verdict, sign in list_signs(view))
    which = f"{signs} than {names[base]}" if signs else f"no run is significantly better or worse than {names[base]}"
    best = f"bold: the best mean, if significantly better than {names[base]}; {names[base]}, if all others are "
    told = [f"{best}significantly worse" * any(column.best for column in columns), _arrows(view)]
    absolute = any(row.compared == "absolute value" for row in view.rows)
    told += ["|measure|: the mean of the absolute values of the queries" * absolute]
    doubtful = any(is_marked(row) for row in view.rows)
    return _compose(view, table, notes, f"the run and {names[base]}", told, which, doubtful=doubtful)


def _lettered(view: Comparisons, names: Mapping[str, str], places: int, notes: Sequence[Note]) -> Document:
    """Lay out the means of all runs in their order, with the signs of those that each is shown to be better than."""
    runs, signs = [scores.run for scores in view.result.scores], signs_of(view)
    by_measure = enumerate(group_rows(view.rows, "measure"))
    columns = [_lettered_column(rows, runs, signs, _queries(view, number), places) for number, (_, rows) in by_measure]
    if any(sign in BASES for sign in signs.values()):
        which = ", ".join(f"{sign} than {names[run]}" for run, sign in signs.items())
        which = which.replace(" than", " significantly better than", 1)
    else:
        which = "raised letters: significantly better than that run"
        names = {run: f"{letter} {names[run]}" for run, letter in lettered(runs).items()}
    table = ReportTable("", [Column("run", [names[run] for run in runs], words=True, runs=True)], columns)
    best = "bold: the best mean, if significantly better than any" * any(column.best for column in columns)
    doubtful = any(MARK in "".join(each.beside) for each in columns)
    return _compose(view, table, notes, "two runs", [best, _arrows(view)], which, doubtful=doubtful)


def _lettered_column(
    rows: Sequence[Comparison],
    runs: Sequence[str],
    signs: Mapping[str, str],
    queries: Mapping[str, frozenset[str]],
    places: int,
) -> Column:
    """Lay out the means of one measure, each of the comparison over most queries, with the signs of whom it beats."""
    both = {
        run: max((row for row in rows if run in (row.run, row.against)), key=lambda row: row.queries) for run in runs
    }
    means = [row.mean if row.run == run else row.baseline for run, row in both.items()]
    written = [write_number(mean, places) for mean in means]
    found = verdicts_of(rows)
    beaten = [[base for base in signs if found.get((run, base), ("",))[0] in WON] for run in runs]
    marks = [
        "".join(mark_doubt(signs[base], doubtful=found[run, base][2], apart=False) for base in bases)
        for run, bases in zip(runs, beaten, strict=True)
    ]
    ranked = _best(written, [queries[row.run] & queries[row.against] for row in both.values()], find_direction(rows[0]))
    is_shown = [any(not found[run, base][2] for base in bases) for run, bases in zip(runs, beaten, strict=True)]
    best = {*np.flatnonzero(ranked & is_shown).tolist()}
    return Column(title_measure(rows[0]), written, best=best, beside=marks)


def _queries(view: Comparisons, measure: int) -> dict[str, frozenset[str]]:
    """Give the queries for which each run has a value of a measure."""
    return {
        scores.run: frozenset(compress(scores.qids, ~np.isnan(scores.values[measure]))) for scores in view.result.scores
    }


def _best(written: Sequence[str], over: Sequence[frozenset[str]], better: Better) -> Bools:
    """Tell which of the written means is best; one that is not over the queries of the most is compared with none."""
    most = max(over, key=len)
    means = [[float(value) if queries == most else math.nan] for value, queries in zip(written, over, strict=True)]
    return Standing(np.array(means), [better]).best[:, 0]


def _column(
    rows: dict[str, Comparison], base: str, runs: Sequence[str], queries: Mapping[str, frozenset[str]], places: int
) -> Column:
    first = max(rows.values(), key=lambda row: row.queries)
    values = {base: first.baseline, **{run: row.mean for run, row in rows.items()}}
    written = [write_number(values[run], places) for run in runs]
    over = [queries[first.run] & queries[base], *(queries[run] & queries[base] for run in runs[1:])]
    shown = {run: "" if row.doubtful else row.verdict for run, row in rows.items()}
    tested = [all(verdict == "worse" for verdict in shown.values()), *(shown[run] == "better" for run in runs[1:])]
    best = _best(written, over, find_direction(first)) & tested
    marks = ["", *(mark(rows[run]) for run in runs[1:])]
    cells = [value + mark for value, mark in zip(written, marks, strict=True)]
    return Column(title_measure(first), cells, best=set(np.flatnonzero(best).tolist()))


def mark(row: Comparison) -> str:
    """Give the sign of a verdict, with a question mark if few differences decide it."""
    return mark_doubt(MARKS.get(row.verdict, ""), doubtful=row.doubtful, apart=False)


def is_marked(row: Comparison) -> bool:
    """Tell whether the sign of a verdict has a question mark."""
    return row.doubtful and row.verdict in MARKS


def list_signs(view: Comparisons) -> list[tuple[str, str]]:
    """List the verdicts that there are with their signs."""
    verdicts = {row.verdict for row in view.rows}
    return [(verdict, sign) for verdict, sign in MARKS.items() if verdict in verdicts]


def explain_signs(view: Comparisons, what: str) -> str:
    """Say what the signs of verdicts mean that there are."""
    said = " and ".join(f"{sign} {verdict}" for verdict, sign in list_signs(view))
    return said or f"no {what} is shown to be better or worse"


def _arrows(view: Comparisons) -> str:
    return directions(map(find_direction, view.rows))


def _compose(
    view: Comparisons,
    table: ReportTable,
    notes: Sequence[Note],
    who: str,
    told: Sequence[str],
    which: str,
    *,
    doubtful: bool,
) -> Document:
    """Add a caption, which says what is measured and what bold and signs mean, and what the other notes rest on.

    ``who`` shares the queries of a mean; ``which`` says what the signs mean, and ``told`` what else is in the table.
    """
    how, many = view.procedure, {row.queries for row in view.rows}
    measures = [*dict.fromkeys(row.measure for row in view.rows)]
    what = join_words(measures) if len(measures) <= FEW else f"{len(measures)} measures"
    bold = "bold: significantly best" * any(column.best for column in table.columns)
    caption = "; ".join(filter(None, [f"Means of {what} over {write_queries(many)}", bold, which]))
    shared = f"each mean is over the queries that {who} share" * (len(many) > 1)
    test = f"significant: p at most {how.alpha:g} ({TESTS[how.test]}); {view.family}"
    few = explain_doubt("differences") * doubtful
    return Document([table], notes, str(view.signature), caption=caption, signs=[*told, shared, test, few])


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


def lettered(runs: Sequence[str]) -> dict[str, str]:
    """Give the letters of each run."""
    return dict(zip(runs, letters(len(runs)), strict=True))


def verdicts_of(rows: Sequence[Comparison]) -> dict[tuple[str, str], tuple[str, float, bool]]:
    """Give of each ordered pair of runs what is shown of the first, its difference, and whether that is doubtful."""
    found: dict[tuple[str, str], tuple[str, float, bool]] = {}
    for row in rows:
        found[row.run, row.against] = (row.verdict, row.tested_difference, row.doubtful)
        found[row.against, row.run] = (TURNED.get(row.verdict, row.verdict), -row.tested_difference, row.doubtful)
    return found


def matrix(view: Comparisons, rows: Sequence[Comparison], title: str, places: int) -> ReportTable:
    """Lay out the differences of each run from each baseline, row less column; where there is no room, their signs."""
    runs = [scores.run for scores in view.result.scores]
    names, of_run = map_names(runs), lettered(runs)
    found = verdicts_of(rows)
    key = Column("run", [RunCell(f"{of_run[run]} ", names[run]) for run in runs], words=True, runs=True)
    wide, narrow = [], []
    for base in (runs[number] for number in view.baselines):
        long, short = [""] * len(runs), [""] * len(runs)
        for at in (at for at, run in enumerate(runs) if (run, base) in found):
            verdict, difference, doubtful = found[runs[at], base]
            sign = "+" if verdict in WON else "-" if verdict in TURNED else "."
            written = f"{write_difference(difference, places)}{'*' * (verdict in TURNED)}"
            long[at], short[at] = (mark_doubt(each, doubtful=doubtful, apart=False) for each in (written, sign))
        wide.append(Column(of_run[base], long))
        narrow.append(Column(of_run[base], short))
    return ReportTable(title, [key], wide, narrow=ReportTable(title, [key], narrow))


def explain_matrix(view: Comparisons) -> list[str]:
    """Say what the cells of a matrix mean."""
    by_gold = any(isinstance(row, CorrectedComparison) and row.corrected is not None for row in view.rows)
    return [
        f"row less column{', as gold labels correct it' * by_gold}; *: the difference is shown",
        "where the window has no room: + the row is better, - it is worse, . not shown",
    ]


def signs_of(view: Comparisons) -> Mapping[str, str]:
    """Give the sign of each baseline: a raised letter of each run where all are compared, else a dagger."""
    runs = [scores.run for scores in view.result.scores]
    if view.compares_all or len(view.baselines) > len(BASES):
        letters_of = lettered(runs)
        return {runs[at]: "".join(SIGN_OF[letter] for letter in letters_of[runs[at]]) for at in view.baselines}
    return {runs[number]: sign for number, sign in zip(view.baselines, BASES, strict=False)}
