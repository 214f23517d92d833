"""The tables: the points of runs, and of queries."""

from math import isnan

from fairtrec.frontier.frontier import Frontier, Point
from fairtrec.report import markup, window
from fairtrec.report.cells import called, number
from fairtrec.report.frontier.rows import fair, footnotes, name
from fairtrec.report.results.signs import MEANING, heading
from fairtrec.report.sheet import Column, Paper, Sheet


def table(frontier: Frontier, *, places: int, per_query: bool = False, terminal: bool = False) -> str:
    """Draw the tables."""
    return window.drawn(paper(frontier, places, per_query=per_query), terminal=terminal)


def md(frontier: Frontier, *, places: int, per_query: bool = False) -> str:
    """Write Markdown tables."""
    return markup.md(paper(frontier, places, per_query=per_query))


def latex(frontier: Frontier, *, places: int, per_query: bool = False) -> str:
    """Write LaTeX tabulars (with booktabs)."""
    return markup.latex(paper(frontier, places, per_query=per_query))


def paper(frontier: Frontier, places: int, *, per_query: bool) -> Paper:
    """Lay out all tables."""
    sheets = [_of_runs(frontier, places), *[_of_queries(frontier, places)] * per_query]
    *lines, signature = footnotes(frontier)
    used = {measure.better for measure in (frontier.utility, frontier.fairness)}
    signs = ", ".join(text for better, text in MEANING.items() if better in used)
    return Paper(sheets, [signs, *lines], signature)


def _of_runs(frontier: Frontier, places: int) -> Sheet:
    names = called([run.run for run in frontier.runs])
    points = [run.points for run in frontier.runs]
    values = _columns(frontier, points, places)
    spoken = [(each[0].spoken, each[-1].spoken) for each in points]
    if not any(isnan(part) for pair in spoken for part in pair):
        values.append(Column("with groups", [f"{first:.2f} to {last:.2f}" for first, last in spoken]))
    return Sheet(f"{heading(frontier.fairness)} at no loss, and at some", [Column("run", names, words=True)], values)


def _of_queries(frontier: Frontier, places: int) -> Sheet:
    names = called([run.run for run in frontier.runs])
    rows = [(short, query) for short, run in zip(names, frontier.runs, strict=True) for query in run.queries]
    keys = [
        Column("run", [short for short, _ in rows], words=True),
        Column("query", [query.qid for _, query in rows], words=True),
    ]
    values = _columns(frontier, [query.points for _, query in rows], places)
    if 0.0 in frontier.losses:
        values.append(Column("distance", [number(query.distance, places) for _, query in rows]))
    return Sheet("Queries, each on its own", keys, values)


def _columns(frontier: Frontier, points: list[tuple[Point, ...]], places: int) -> list[Column]:
    """Lay out the points: utility and fairness as they are, and fairness of the others; last the utility of most."""
    heads = list(dict.fromkeys(name(point) for each in points for point in each[1:]))
    found = [{name(point): point for point in each} for each in points]
    return [
        Column(heading(frontier.utility), [number(each[0].utility, places) for each in points]),
        Column(heading(frontier.fairness), [number(each[0].fairness, places) for each in points]),
        *(Column(head, [fair(each[head], places) if head in each else "-" for each in found]) for head in heads),
        Column(f"{frontier.utility} there", [number(each[-1].utility, places) for each in points]),
    ]
