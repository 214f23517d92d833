"""Tables for people; in a narrow window long names are shortened, and columns dealt to several tables."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fairtrec.errors import plain
from fairtrec.report.document import Column, Document, ReportTable
from fairtrec.report.folding import cut, folded

BEST, WORST = "*", "°"
NAMES = ("run", "other")  # the columns of names that may be long
FEWEST = 24  # letters of a name that is shortened


@dataclass(frozen=True)
class _Laid:
    """The head and the cells of a column, all of one width, and the style of each."""

    texts: Sequence[str]
    styles: Sequence[str]
    width: int


def render(document: Document, *, terminal: bool = False, most: int | None = None) -> str:
    """Draw the tables, each below its title, and behind them what a reader should know.

    ``most`` remarks are shown (None: all), and then a terminal shows one line of the signature.
    """
    from rich.console import Console

    stream = io.StringIO()
    window = Console().width if terminal else None
    pages = [(table, page) for table in document.tables for page in _pages(table, document.gap, window)]
    widest = max(_width(page, document.gap) for _, page in pages)
    console = Console(file=stream, force_terminal=terminal, width=max(widest, window or 0), highlight=False)
    for table, page in pages:
        if table.title:
            console.print(plain(table.title), style="bold", markup=False, soft_wrap=True)
        console.print(_table(table, page, document.gap))
    is_cut = window is not None and most is not None
    signature = cut(document.signature, window or 0) if is_cut else document.signature
    for line in filter(None, (*document.signs, *folded(document.remarks, most), signature)):
        console.print(plain(line), style="dim", markup=False, soft_wrap=True)
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def _pages(table: ReportTable, gap: int, window: int | None) -> Iterator[list[_Laid]]:
    """Deal the columns of values to as many tables as the window calls for, the keys in front of each."""
    keys, values = list(map(_laid, table.keys)), list(map(_laid, table.values))
    if window is not None and _width([*keys, *values], gap) > window:
        keys = [_laid(key, max(FEWEST, window // 3) if key.head in NAMES else None) for key in table.keys]
    page = list(keys)
    for column in values:
        if window is not None and len(page) > len(keys) and _width([*page, column], gap) > window:
            yield page
            page = list(keys)
        page.append(column)
    yield page


def _width(page: Sequence[_Laid], gap: int) -> int:
    return 1 + sum(column.width + gap for column in page)


def _laid(column: Column, most: int | None = None) -> _Laid:
    """Mark and pad the cells; rich would take the space behind a value for nothing, and points would not line up."""
    from rich.cells import cell_len

    rows = range(len(column.cells))
    marks = [BEST if row in column.best else WORST if row in column.worst else "" for row in rows]
    space = " " if any(marks) else ""
    cells = list(map(plain, column.cells if most is None else _shortened(column.cells, most)))
    texts = [f"{cell}{mark or space}" for cell, mark in zip(cells, marks, strict=True)]
    if column.beside:
        width = max(map(len, texts))
        texts = [text.rjust(width) + more for text, more in zip(texts, column.beside, strict=True)]
        marks = [""] * len(texts)
    elif not space:
        texts = list(map(str.rstrip, texts))
    width = max(map(cell_len, (column.head, *cells, *texts)))
    texts = [plain(column.head), *texts]
    pads = [" " * (width - cell_len(text)) for text in texts]
    left = column.words or bool(column.beside)
    aligned = [text + pad if left else pad + text for text, pad in zip(texts, pads, strict=True)]
    return _Laid(aligned, ["", *({BEST: "bold green", WORST: "dim"}.get(mark, "") for mark in marks)], width)


def _shortened(names: Sequence[str], width: int) -> Sequence[str]:
    """Leave out the middle of long names, unless some are no longer told apart without it."""
    start, end = width // 2, width - width // 2 - 1
    short = [name if len(name) <= width else f"{name[:start]}…{name[-end:]}" for name in names]
    return short if len({*short}) == len({*names}) else names


def _table(table: ReportTable, page: Sequence[_Laid], gap: int) -> Any:
    from rich import box
    from rich import table as rich_table
    from rich.text import Text

    drawn = rich_table.Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, gap - 2))
    heads, *rows = zip(*(map(Text, column.texts, column.styles) for column in page), strict=True)
    for head in heads:
        drawn.add_column(head, no_wrap=True)
    for number, row in enumerate(rows):
        if table.total and number == len(rows) - 1:
            drawn.add_section()
        drawn.add_row(*row, style="green" if number in table.good else "red" if number in table.bad else "")
    return drawn
