"""A table for people: runs as rows, measures as columns, the best marked by each measure's own direction."""

import io
from typing import Any

from fairtrec.api import Result
from fairtrec.measure import Measure
from fairtrec.report import best, cells, names

ARROWS = {"higher": "↑", "lower": "↓", "nearer 0": "→0", "neither": ""}
WIDE = 1000  # columns, where nobody's window sets a limit
LEGEND = "↑ higher is better, ↓ lower is better, →0 nearer 0 is better; * the best"


def table(result: Result, *, per_query: bool, summary: bool, places: int, terminal: bool) -> str:
    """Draw the means, and before them each run's queries if asked for."""
    from rich.console import Console, Group

    parts: list[Any] = []
    if per_query:
        parts += [_queries(result, row, places, summary=summary) for row in range(len(result.scores))]
    if summary and not (per_query and len(result.scores) == 1):
        parts.append(_means(result, places))
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=terminal, width=None if terminal else WIDE, highlight=False)
    console.print(Group(*parts))
    console.print(f"{LEGEND}\n{result.signature}", style="dim", markup=False, soft_wrap=True)
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def _heading(measure: Measure) -> str:
    return f"{measure} {ARROWS[measure.better]}".strip()


def _empty(result: Result, title: str | None, first: str) -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    drawn.add_column(first)
    drawn.add_column("queries", justify="right") if first == "run" else None
    for measure in result.scores[0].measures:
        drawn.add_column(Text(_heading(measure)), justify="right")
    return drawn


def _means(result: Result, places: int) -> Any:
    from rich.text import Text

    drawn = _empty(result, None, "run")
    marks = best(result, places)
    for row, (name, scores) in enumerate(zip(names(result), result.scores, strict=True)):
        values = [
            Text(f"{value}*", style="bold green") if mark else Text(f"{value} ")
            for value, mark in zip(cells(scores, scores.means, places), marks[row].tolist(), strict=True)
        ]
        drawn.add_row(Text(name), str(len(scores.qids)), *values)
    return drawn


def _queries(result: Result, row: int, places: int, *, summary: bool) -> Any:
    from rich.text import Text

    scores = result.scores[row]
    drawn = _empty(result, names(result)[row], "query")
    for qid, values in zip(scores.qids, scores.values.T, strict=True):
        drawn.add_row(Text(qid), *cells(scores, values, places))
    if summary:
        drawn.add_section()
        drawn.add_row("all", *cells(scores, scores.means, places))
    return drawn
