"""A table for people: runs as rows, measures as columns, the best marked by each measure's own direction."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from fairtrec.api import Result
from fairtrec.errors import plain
from fairtrec.measure import Measure
from fairtrec.report import cells, closing, intervals, names, standing
from fairtrec.report.signs import dominations, heading, legend, ranks

GAP = 3  # between two columns
STYLES = {"*": "bold green", "°": "dim"}  # of the best and the worst


@dataclass(frozen=True)
class _Column:
    heading: str
    cells: Sequence[str]
    left: bool = False

    @cached_property
    def texts(self) -> list[str]:
        return list(map(plain, [self.heading, *self.cells]))

    @cached_property
    def width(self) -> int:
        from rich.cells import cell_len

        return max(map(cell_len, self.texts))

    @property
    def aligned(self) -> list[str]:
        """Pad heading and cells; rich would take the space behind a value for nothing, and points would not line up."""
        from rich.cells import cell_len

        pads = [" " * (self.width - cell_len(text)) for text in self.texts]
        return [text + pad if self.left else pad + text for text, pad in zip(self.texts, pads, strict=True)]


def table(result: Result, *, per_query: bool, summary: bool, places: int, terminal: bool, sort: Measure | None) -> str:
    """Draw the means, and before them each run's queries if asked for; as several tables if the window is narrow."""
    from rich.console import Console

    tables = [_queries(result, row, places, summary=summary) for row in range(len(result.scores) if per_query else 0)]
    if summary and not (per_query and len(result.scores) == 1):
        tables.append(_means(result, places, sort))
    window = Console().width if terminal else None
    pages = [(title, page) for title, keys, values in tables for page in _pages(keys, values, window)]
    stream = io.StringIO()
    widest = max(_width(page) for _, page in pages)
    console = Console(file=stream, force_terminal=terminal, width=max(widest, window or 0), highlight=False)
    for title, page in pages:
        if title:
            console.print(plain(title), style="bold", markup=False, soft_wrap=True)
        console.print(_drawn(page, total=per_query and summary and page[0].heading == "query"))
    signs = legend(result, standing(result, places), sort, "* the best", "° the worst")
    for line in [*signs, *closing(result)]:
        console.print(plain(line), style="dim", markup=False, soft_wrap=True)
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def _means(result: Result, places: int, sort: Measure | None) -> tuple[str, list[_Column], list[_Column]]:
    compared = standing(result, places)
    keys = [
        _Column("run", names(result), left=True),
        _Column("queries", [str(len(scores.qids)) for scores in result.scores]),
    ]
    worst = np.zeros_like(compared.worst)
    if sort is not None and len(result.scores) > 1:
        signs = dominations(compared)
        keys = [_Column("rank", ranks(result, compared, sort)), keys[0], *[_Column("", signs)] * bool(signs), keys[1]]
        worst = compared.worst
    rows = [cells(scores, scores.means, places) for scores in result.scores]
    beside = [intervals(scores, None, places) for scores in result.scores]
    marks = np.where(compared.best, "*", np.where(worst, "°", "")).T.tolist()
    values = []
    for column, measure in enumerate(result.scores[0].measures):
        space = " " if any(marks[column]) else ""
        written = [f"{row[column]}{mark or space}" for row, mark in zip(rows, marks[column], strict=True)]
        values.append(_column(measure, written, [row[column] for row in beside]))
    return "", keys, values


def _column(measure: Measure, written: Sequence[str], beside: Sequence[str]) -> _Column:
    """Put the intervals of ties, where there are any, beside the values."""
    if not any(beside):
        return _Column(heading(measure), written)
    width = max(map(len, written))
    return _Column(heading(measure), [one.rjust(width) + more for one, more in zip(written, beside, strict=True)], True)


def _queries(result: Result, row: int, places: int, *, summary: bool) -> tuple[str, list[_Column], list[_Column]]:
    scores = result.scores[row]
    rows = [cells(scores, values, places) for values in scores.values.T]
    beside = [intervals(scores, query, places) for query in range(len(scores.qids))]
    qids = list(scores.qids)
    if summary:
        rows.append(cells(scores, scores.means, places))
        beside.append(intervals(scores, None, places))
        qids.append("all")
    columns = zip(scores.measures, zip(*rows, strict=True), zip(*beside, strict=True), strict=True)
    return (
        names(result)[row],
        [_Column("query", qids, left=True)],
        [_column(*column) for column in columns],
    )


def _pages(keys: list[_Column], values: list[_Column], window: int | None) -> Iterator[list[_Column]]:
    """Deal columns to as many tables as the window calls for, the key columns in front of each."""
    if window is not None and _width([*keys, *values]) > window:
        keys = [
            replace(key, cells=_shortened(key.cells, max(24, window // 3))) if key.heading == "run" else key
            for key in keys
        ]
    page = list(keys)
    for column in values:
        if window is not None and len(page) > len(keys) and _width([*page, column]) > window:
            yield page
            page = list(keys)
        page.append(column)
    yield page


def _shortened(names: Sequence[str], width: int) -> Sequence[str]:
    """Leave out the middle of long names, unless some are no longer told apart without it."""
    start, end = width // 2, width - width // 2 - 1
    short = [name if len(name) <= width else f"{name[:start]}…{name[-end:]}" for name in names]
    return short if len({*short}) == len({*names}) else names


def _width(page: Sequence[_Column]) -> int:
    return 1 + sum(column.width + GAP for column in page)


def _drawn(page: Sequence[_Column], *, total: bool) -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=box.SIMPLE_HEAD)
    heads, *rows = zip(*(column.aligned for column in page), strict=True)
    for head in heads:
        drawn.add_column(Text(head), no_wrap=True)
    for number, row in enumerate(rows):
        if total and number == len(rows) - 1:
            drawn.add_section()
        drawn.add_row(
            *(
                Text(cell, "" if column.left else STYLES.get(cell[-1:], ""))
                for column, cell in zip(page, row, strict=True)
            )
        )
    return drawn
