"""What stands in the tables of comparisons, correlations and curves, before it is drawn or marked up."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from fairtrec.comparison.baseline import FEWEST, Comparison, Comparisons
from fairtrec.comparison.correlations import Association, Associations
from fairtrec.comparison.curves import Agreement, Curves, Point
from fairtrec.report import markup, window
from fairtrec.report.cells import names
from fairtrec.report.comparison.overview import overview
from fairtrec.report.comparison.remarks import TESTS, View, notes
from fairtrec.report.results.signs import ARROWS, MEANING
from fairtrec.report.sheet import Column, Paper, Sheet
from fairtrec.statistics.procedure import Procedure

COEFFICIENTS = {"pearson": "Pearson's r", "spearman": "Spearman's rho", "kendall": "Kendall's tau-b"}
WORST = "the slice in which the run's mean is worst"
Row = TypeVar("Row", Comparison, Association, Point, Agreement)
ALIKE = 0.9  # Kendall's tau from which two orders of runs are called alike, as is usual


def table(view: View, *, places: int, terminal: bool = False) -> str:
    """Draw the tables."""
    return window.drawn(laid_out(view, places), terminal=terminal)


def md(view: View, *, places: int, paper: bool = False) -> str:
    """Write Markdown tables, each below its title; or the one table of a paper."""
    return markup.md(laid_out(view, places, in_one=paper))


def latex(view: View, *, places: int, paper: bool = False) -> str:
    """Write LaTeX tabulars (with booktabs), each with its title; or the one table of a paper, with its caption."""
    return markup.latex(laid_out(view, places, in_one=paper))


def laid_out(view: View, places: int, *, in_one: bool = False) -> Paper:
    """Lay out the tables, and what stands below them."""
    if in_one and isinstance(view, Comparisons):
        return overview(view, places)
    if isinstance(view, Comparisons):
        sheets, lines = _of_comparisons(view, places)
    elif isinstance(view, Associations):
        sheets, lines = _of_associations(view, places)
    else:
        sheets, lines = _of_curves(view, places)
    return Paper(sheets, [*lines, *notes(view)], str(view.signature), gap=2)


def _sheet(
    title: str,
    keys: int,
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    good: Sequence[int] = (),
    bad: Sequence[int] = (),
) -> Sheet:
    """Lay out rows, whose first cells name them."""
    columns = [
        Column(head, cells, words=number < keys or head == "verdict")
        for number, (head, *cells) in enumerate(zip(head, *rows, strict=True))
    ]
    return Sheet(title, columns[:keys], columns[keys:], good, bad)


def probability(p: float, places: int) -> str:
    """Write a p-value; a small one is never printed as 0.

    >>> probability(0.00001, 4), probability(0.04, 4), probability(float("nan"), 4)
    ('<0.0001', '0.0400', 'nan')
    """
    places = max(places, 1)
    return f"<{10.0**-places:.{places}f}" if p < 10.0**-places else f"{p:.{places}f}"


def _signed(value: float, places: int) -> str:
    return "nan" if math.isnan(value) else f"{value:+z.{places}f}"


def _ends(low: float, high: float, places: int) -> str:
    return "-" if math.isnan(low) else f"[{low:+z.{places}f}, {high:+z.{places}f}]"


def _shown(view: View) -> dict[str, str]:
    """Give the short name of each run."""
    return dict(zip((scores.run for scores in view.result.scores), names(view.result), strict=True))


def _together(rows: Iterable[Row], *keys: str) -> Iterator[tuple[tuple[str, ...], list[Row]]]:
    """Group rows by the values of some fields, in the order in which these first appear."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(getattr(row, key) for key in keys), []).append(row)
    yield from groups.items()


def _by_run(rows: Sequence[Row]) -> list[Row]:
    """Put the slices of each run below each other."""
    return [row for _, of_run in _together(rows, "run") for row in of_run]


def _slice(row: Comparison | Point) -> str:
    return f"{row.slice} *" if row.worst_slice else row.slice


def _corrected(how: Procedure) -> str:
    short = {"none": "p", "bonferroni": "p Bonferroni", "holm": "p Holm", "bh": "p BH", "tukey": "p Tukey"}
    return short[how.correction]


def _of_comparisons(view: Comparisons, places: int) -> tuple[list[Sheet], list[str]]:
    how, shown = view.procedure, _shown(view)
    baseline = shown[view.result.scores[view.baseline].run]
    several = len({row.slice for row in view.rows}) > 1
    head = ["run", *["slice"] * several, "n", "baseline", "mean", "difference", f"{how.percent} interval"]
    head += ["p", *[_corrected(how)] * (how.correction != "none"), "verdict", "d_z", "cliff", "win/tie/loss"]
    head += ["p not worse", "p equivalent"] if how.equivalence is not None else []
    sheets = []
    for (measure,), rows in _together(view.rows, "measure"):
        ordered, first = _by_run(rows), rows[0]
        absolute = first.compared == "absolute value"
        title = f"|{measure}| ↓" if absolute else f"{measure} {ARROWS[first.better]}".strip()
        cells = [[shown[row.run], *[_slice(row)] * several, *_cells(row, how, places)] for row in ordered]
        better, worse = (
            [place for place, row in enumerate(ordered) if row.verdict == verdict] for verdict in ("better", "worse")
        )
        sheets.append(_sheet(f"{title}, against {baseline}", 1 + several, head, cells, better, worse))
    return sheets, [line for line in _legend(view, several=several) if line]


def _cells(row: Comparison, how: Procedure, places: int) -> list[str]:
    digits = min(places, 2)
    cells = [str(row.n), f"{row.baseline:z.{places}f}", f"{row.mean:z.{places}f}", _signed(row.difference, places)]
    cells += [_ends(row.low, row.high, places), probability(row.p, places)]
    cells += [probability(row.p_corrected, places)] if how.correction != "none" else []
    cells += [
        f"{row.verdict} ?" if row.doubtful else row.verdict,
        _signed(row.effect, digits),
        _signed(row.cliff, digits),
        f"{row.wins}/{row.ties}/{row.losses}",
    ]
    for p in (row.p_not_worse, row.p_equivalent) if how.equivalence is not None else ():
        cells.append("-" if p is None else probability(p, places))
    return cells


def _legend(view: Comparisons, *, several: bool) -> Iterator[str]:
    """Say how the comparisons were made and what the signs and words mean."""
    how = view.procedure
    directions = {"lower" if row.compared == "absolute value" else row.better for row in view.rows}
    yield ", ".join(text for better, text in MEANING.items() if better in directions)
    if any(row.compared == "absolute value" for row in view.rows):
        yield "|measure|: nearer 0 is better, so the absolute values of the queries are compared, not the values"
    drawn = f"; {how.resamples} resamples, seed {how.seed}" if how.draws else ""
    intervals = {"t": "t", "percentile": "bootstrap, percentile", "bca": "bootstrap, BCa"}[how.interval]
    yield f"difference: run less baseline; {TESTS[how.test]}; {how.percent} interval: {intervals}{drawn}"
    words = "better, worse" + (", higher, lower" if "neither" in directions else "")
    yield f"{words}: {_corrected(how)} at most {how.alpha:g}; not shown: the data do not tell; {view.family}"
    if how.correction == "tukey":
        yield "p Tukey is of a test of its own, so it may be less than p, which looks at this pair alone"
    yield "d_z: mean difference in standard deviations; cliff: Cliff's delta, unpaired; win: the run is better" + (
        " (or higher)" if "neither" in directions else ""
    )
    if any(row.doubtful for row in view.rows):
        yield f"?: fewer than {FEWEST} differences are not 0"
    if how.equivalence is not None:
        yield f"p not worse: by {how.equivalence:g} or more; p equivalent: TOST within {how.equivalence:g}; uncorrected"
    yield f"* {WORST}" if several else ""


def _of_associations(view: Associations, places: int) -> tuple[list[Sheet], list[str]]:
    how, shown = view.procedure, _shown(view)
    several = len({row.slice for row in view.rows}) > 1
    head = [
        "n",
        "correlation",
        f"{how.percent} interval",
        "p",
        *[_corrected(how)] * (how.correction != "none"),
    ]
    over_runs = view.over == "runs"
    sheets = []
    for (kind, *pair), rows in _together(view.rows, "kind", *["measure", "other"] * (not over_runs)):
        title = f"{COEFFICIENTS[kind]} of {' and '.join(pair) or 'the means of runs'}"
        cells = []
        for row in _by_run(rows):
            key = [row.measure, row.other] if over_runs else [shown.get(row.run, row.run)]
            small = [str(row.n), _signed(row.correlation, places), _ends(row.low, row.high, places)]
            tests = [row.p, row.p_corrected] if how.correction != "none" else [row.p]
            tested = ["-" if math.isnan(p) else probability(p, places) for p in tests]
            cells.append([*key, *[row.slice] * several, *small, *tested, row.verdict])
        keys = ["measure", "measure"] if over_runs else ["run"]
        sheets.append(_sheet(title, len(keys) + several, [*keys, *["slice"] * several, *head, "verdict"], cells))
    shown_from = f"correlated: {_corrected(how)} at most {how.alpha:g}"
    lines = [f"{how.percent} interval: by Fisher's z; {shown_from}; {view.family}"]
    if not over_runs and len(view.result.scores) > 1:
        lines.append("all runs: pooled; their pairs are not independent, so there is neither p nor interval")
    left = sum(row.undefined for row in view.rows if row.kind == "pearson")
    lines += [f"{left} pairs are left out, where one of the two measures is undefined or infinite"] if left else []
    return sheets, lines


def _of_curves(view: Curves, places: int) -> tuple[list[Sheet], list[str]]:
    shown = _shown(view)
    several = len({row.slice for row in view.rows}) > 1
    sheets, lines = [], []
    for (measure,), points in _together(view.rows, "measure"):
        cutoffs = sorted({point.cutoff for point in points})
        cells = []
        for _, curve in _together(_by_run(points), "run", "slice"):
            values = [f"{point.mean:z.{places}f}{'*' if point.worst_slice else ' ' * several}" for point in curve]
            cells.append([shown[curve[0].run], *[curve[0].slice] * several, *values])
        for (part,), line in _together((each for each in view.agreements if each.measure == measure), "slice"):
            if len(shown) > 1:
                taus = [f"{each.tau:.2f}" for each in line]
                cells.append([f"tau with @{cutoffs[-1]}", *[part] * several, *taus])
                lines.append(_stability(measure, part if several else "", line))
        head = ["run", *["slice"] * several, *(f"@{cutoff}" for cutoff in cutoffs)]
        sheets.append(_sheet(f"{measure} {ARROWS[points[0].better]}".strip(), 1 + several, head, cells))
    directions = {point.better for point in view.rows}
    explained = [", ".join(text for better, text in MEANING.items() if better in directions)]
    explained += ["tau: Kendall's tau-b of the order of the runs with that at the deepest cutoff"] * (len(shown) > 1)
    return sheets, [*filter(None, explained), *lines, *[f"* {WORST}"] * several]


def _stability(measure: str, part: str, line: Sequence[Agreement]) -> str:
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
