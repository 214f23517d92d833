"""The tables: the points of runs, and of queries."""

from collections.abc import Sequence
from math import isnan

from fairtrec.frontier.frontier import Frontier, OfQuery, OfRun, Point
from fairtrec.report import markup, window
from fairtrec.report.cells import called, number
from fairtrec.report.frontier.rows import aim, fair, footnotes, name, useful
from fairtrec.report.results.signs import ARROWS, MEANING, heading
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
    used = {frontier.utility.better, frontier.fairness.better, *["lower"] * (frontier.dpfr is not None)}
    signs = ", ".join(text for better, text in MEANING.items() if better in used)
    return Paper(sheets, [signs, *lines], signature)


def _of_runs(frontier: Frontier, places: int) -> Sheet:
    names = called([run.run for run in frontier.runs])
    points = [run.points for run in frontier.runs]
    values = _columns(frontier, points, places)
    spoken = [(each[0].spoken, each[-1].spoken) for each in points]
    if not any(isnan(part) for pair in spoken for part in pair):
        values.append(Column("with groups", [f"{first:.2f} to {last:.2f}" for first, last in spoken]))
    values += _aims(frontier.runs, places)
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
    values += _aims([query for _, query in rows], places)
    return Sheet("Queries, each on its own", keys, values)


def _columns(frontier: Frontier, points: list[tuple[Point, ...]], places: int) -> list[Column]:
    """Lay out the points: utility and fairness as they are, and fairness of the others; last the utility of most."""
    heads = list(dict.fromkeys(name(point) for each in points for point in each[1:]))
    found = [{name(point): point for point in each} for each in points]
    return [
        Column(heading(frontier.utility), [number(each[0].utility, places) for each in points]),
        Column(heading(frontier.fairness), [number(each[0].fairness, places) for each in points]),
        *(Column(head, [fair(each[head], places) if head in each else "-" for each in found]) for head in heads),
        Column(f"{frontier.utility} there", [useful(each[-1], places) for each in points]),
    ]


def _aims(several: Sequence[OfRun | OfQuery], places: int) -> list[Column]:
    """Lay out the distances to a point of the front, and where that is, if one was asked for."""
    aims = [each.dpfr for each in several if each.dpfr is not None]
    if not aims:
        return []
    there = [f"{number(each.utility, places)} {number(each.fairness + 0.0, places)}" for each in aims]
    head = f"{aim(aims[0].alpha)} {ARROWS['lower']}"
    return [Column(head, [number(each.distance, places) for each in aims]), Column("from", there)]
