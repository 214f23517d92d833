"""Tables for people; in a narrow window long names are shortened, and columns dealt to several tables."""

import io
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from shutil import get_terminal_size
from typing import Any

from fairtrec.errors import plain
from fairtrec.report.document import Column, Document, ReportTable
from fairtrec.report.folding import cut, folded, hung

BEST, WORST = "*", "°"
FEWEST = 24  # letters of a name that is shortened


@dataclass(frozen=True)
class _Laid:
    """The head and the cells of a column, all of one width, and the style of each."""

    column: Column
    texts: Sequence[str]
    styles: Sequence[str]
    width: int


def render(document: Document, *, terminal: bool = False, window: bool = False, most: int | None = None) -> str:
    """Draw the tables, each below its title, and behind them what a reader should know.

    A ``terminal`` has colours, and a ``window`` (as a terminal has) a width, which they keep: 80 columns of a pipe,
    unless COLUMNS says another. What has no room is left out, and named.
    ``most`` remarks are shown (None: all), and then a terminal shows one line of the signature.
    """
    from rich.console import Console
    from rich.text import Text

    stream, gap = io.StringIO(), document.gap
    room = get_terminal_size().columns if terminal or window else None
    fitting = [(table, *_fitting(table, gap, room)) for table in document.tables]
    pages = [(table, page) for table, keys, values in fitting for page in _pages(keys, values, gap, room)]
    widest = max(_width(page, gap) for _, page in pages)
    console = Console(file=stream, force_terminal=terminal, width=max(widest, room or 0), highlight=False)
    for table, page in pages:
        if table.title:
            console.print(Text(plain(table.title), "bold"), soft_wrap=True)
        console.print(_table(table, page, gap))
    is_cut = terminal and room is not None and most is not None
    signature = cut(document.signature, room or 0) if is_cut else document.signature
    both = [(table, {one.column.head for one in values}) for table, _, values in fitting]
    least = ((each.head, kept) for table, kept in both for each in table.values if each.head in table.least)
    left = dict.fromkeys(head for head, kept in least if head not in kept)
    named = f"left out for want of room: {', '.join(left)}; -f tsv or a wider window has them" if left else ""
    signs = [_without(line, left) for line in document.signs] if left else document.signs
    for line in filter(None, (named, *signs, *folded(document.remarks, most), signature)):
        console.print(Text(plain(line), "dim"), soft_wrap=True)
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def _fitting(table: ReportTable, gap: int, window: int | None) -> tuple[list[_Laid], list[_Laid]]:
    """Lay out the keys and the values; where they are wider than the window, shorten words, and leave out the least
    that must be. These stay if the rest does not fit either.
    """
    keys, values = list(map(_laid, table.keys)), list(map(_laid, table.values))
    if window is None or _width([*keys, *values], gap) <= window:
        return keys, values
    if table.narrow is not None:
        return _fitting(table.narrow, gap, window)
    behind = max((one.width + gap for one in values if one.column.follows), default=0)
    keys = [_laid(each, max(FEWEST, 3 * window // 10)) for each in table.keys]
    room = max(FEWEST, window - _width(keys, gap) - gap - behind)
    heads = shortened([column.head for column in table.values], room)
    kept = values = [_laid(replace(each, head=head), room) for each, head in zip(table.values, heads, strict=True)]
    for head in table.least:
        if _width([*keys, *kept], gap) <= window:
            break
        kept = [one for one in kept if one.column.head != head]
    return keys, kept if _width([*keys, *kept], gap) <= window else values


def within(window: int | None, names: Mapping[str, str]) -> Mapping[str, str]:
    """Shorten the names of rows so that a window has room for more."""
    if window is None:
        return names
    return dict(zip(names, shortened([*names.values()], max(FEWEST, 3 * window // 10)), strict=True))


def aligned(
    head: Sequence[str], rows: Sequence[Sequence[str]], words: Container[str], window: int | None
) -> Iterator[str]:
    """Align columns without a frame, those of words to the left; the last goes on below where it has no room."""
    widths = [max(len(plain(cell)) for cell in column) for column in zip(head, *rows, strict=True)]
    for row in (head, *rows):
        cells = zip(map(plain, row), head, widths, strict=True)
        padded = [cell.ljust(width) if name in words else cell.rjust(width) for cell, name, width in cells]
        yield from hung(f"  {'  '.join(padded)}".rstrip(), window, sum(widths[:-1]) + 2 * len(widths))


def _without(line: str, left: Container[str]) -> str:
    """Leave out of a line what it says of columns that are not there.

    >>> _without("d_z: in standard deviations; cliff: unpaired", ["d_z"])
    'cliff: unpaired'
    """
    return "; ".join(part for part in line.split("; ") if part.partition(": ")[0] not in left)


def _pages(keys: Sequence[_Laid], values: Sequence[_Laid], gap: int, window: int | None) -> Iterator[Sequence[_Laid]]:
    """Deal the columns of values to as many tables as the window calls for, the keys in front of each."""
    together: list[list[_Laid]] = []
    for at, one in enumerate(values):
        if one.column.follows and (window is None or _width([*keys, *together[-1], one], gap) <= window):
            together[-1].append(one)
        else:  # one that has no room behind another says whose it is
            whose = f"{values[at - 1].column.head.partition(' ')[0]} {one.column.head}"
            together.append([_laid(replace(one.column, head=whose)) if one.column.follows else one])
    page = list(keys)
    for columns in together:
        if window is not None and len(page) > len(keys) and _width([*page, *columns], gap) > window:
            yield page
            page = list(keys)
        page += columns
    yield page


def _width(page: Sequence[_Laid], gap: int) -> int:
    return 1 + sum(column.width + gap for column in page)


def _laid(column: Column, most: int | None = None) -> _Laid:
    """Mark and pad the cells, words of at most so many letters.

    Rich would take the space behind a value for nothing, and points would not line up.
    """
    from rich.cells import cell_len

    if most is not None and column.words:
        column = replace(column, cells=shortened(column.cells, most))
    rows = range(len(column.cells))
    marks = [BEST if row in column.best else WORST if row in column.worst else "" for row in rows]
    space = " " if any(marks) else ""
    cells = list(map(plain, column.cells))
    texts = [f"{cell}{mark or space}" for cell, mark in zip(cells, marks, strict=True)]
    if column.beside:
        width = max(map(len, texts))
        texts = [text.rjust(width) + more for text, more in zip(texts, map(plain, column.beside), strict=True)]
        marks = [""] * len(texts)
    elif not space:
        texts = list(map(str.rstrip, texts))
    width = max(map(cell_len, (column.head, *cells, *texts)))
    texts = [plain(column.head), *texts]
    pads = [" " * (width - cell_len(text)) for text in texts]
    left = column.words or bool(column.beside)
    aligned = [text + pad if left else pad + text for text, pad in zip(texts, pads, strict=True)]
    return _Laid(column, aligned, ["", *({BEST: "bold green", WORST: "dim"}.get(mark, "") for mark in marks)], width)


def shortened(names: Sequence[str], width: int) -> Sequence[str]:
    """Leave out the middle of long names, or what names share, so that they are told apart; else number them.

    >>> shortened(["a-rather-long-name", "b"], 9)
    ['a-ra…name', 'b']
    """
    every = list(dict.fromkeys(names))
    short: dict[str, str] = {}
    for start in (width // 2, 3 * width // 4, width // 4):
        end = width - start - 1
        short = {name: name if len(name) <= width else f"{name[:start]}…{name[-end:]}" for name in every}
        if len({*short.values()}) == len(every):
            return [short[name] for name in names]
    many = Counter(short.values())
    alike = [name for name in every if many[short[name]] > 1 and len(name) > width]
    letters = zip(*alike, strict=False)
    shared = sum(1 for _ in takewhile(lambda each: len({*each}) == 1, letters))
    short |= {name: f"…{name[shared:][: width - 2]}…" for name in alike}
    if len({*short.values()}) < len(every):
        short |= {name: f"{name[: width - 5]}…{number}" for number, name in enumerate(alike, 1)}
    return [short[name] for name in names]


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
