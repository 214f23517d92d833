"""Tables for people; in a narrow window long names are shortened, and columns dealt to several tables."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from shutil import get_terminal_size

from fairtrec.report.document import Column, Document, ReportTable, RunCell
from fairtrec.report.note_selection import HANG, select_notes, wrap_hanging
from fairtrec.report.run_names import shorten_names
from fairtrec.report.short_signature import shorten_signature
from fairtrec.report.styled_lines import Line, measure_width, render_lines
from fairtrec.support.errors import plain
from fairtrec.support.notes import write_notes

BEST, WORST = "*", "°"
FEWEST = 24  # letters of a name that is shortened, and of words that are folded
SHORTEST = 8  # letters of each of several names in one cell
SHORTENED = "names of runs are shortened; -f tsv has the full names"


@dataclass(frozen=True)
class _Laid:
    """The head and the cells of a column, all of one width, and the style of each."""

    column: Column
    texts: Sequence[str]
    styles: Sequence[str]
    width: int


def render(document: Document, *, terminal: bool = False, window: bool = False, most: int | None = None) -> str:
    """Draw the tables, each below its title, and behind them what a reader should know.

    A ``terminal`` has colors, and a ``window`` (as a terminal has) a width, which they keep: 80 columns of a pipe,
    unless COLUMNS says another. Names of runs are shortened where they have no room; no value is. Columns that have no
    room stand in a table below, or are left out and named.
    ``most`` notes are shown (None: all), and then a terminal shows the short signature.
    """
    gap = document.gap
    room = get_terminal_size().columns if terminal or window else None
    short = _short_names(document.tables, gap, room)
    tables = [table.rename_runs(short) for table in document.tables]
    fitting = [(table, *_fitting(table, gap, room)) for table in tables]
    lines: list[Line] = []
    for table, keys, values in fitting:
        for page in _pages(keys, values, gap, room):
            lines += [[(plain(table.title), "bold")]] if table.title else []
            lines += _table(table, page, gap)
    below = list(_below(document, _left_out(fitting), short, most))
    is_short = terminal and most is not None and document.signature
    signature = shorten_signature(document.signature) if is_short else document.signature
    first = [] if document.verdict is None else _hang([write_notes([document.verdict], short, spells=True)], room)
    last = [*_hang(below, room), *filter(None, [plain(signature)])]
    above = _hang(select_notes(document.above, most, short, spells=True), room)
    between: list[Line] = [[]] * bool((first or above) and lines and lines[0])
    head: list[Line] = [*([(line, "bold")] for line in first), *([(line, "dim")] for line in above)]
    every = [*head, *between, *lines, *([(line, "dim")] for line in last)]
    return render_lines(every, terminal=terminal)


def _below(document: Document, left: Mapping[str, None], short: Mapping[str, str], most: int | None) -> Iterator[str]:
    """Give what is printed below the tables: columns that are left out, signs, and notes."""
    if left:
        yield f"columns that do not fit the window: {', '.join(left)}; -f tsv has all columns"
    if short:
        yield SHORTENED
    yield from filter(None, (_without(line, left) for line in document.signs))
    yield from select_notes(document.notes, most, short, spells=True)


def _hang(lines: Iterable[str], room: int | None) -> list[str]:
    """Break lines at words where a window has no room; what goes on is indented."""
    return [part for line in lines for part in wrap_hanging(plain(line), room, HANG)]


def _left_out(fitting: Iterable[tuple[ReportTable, Sequence[_Laid], Sequence[_Laid]]]) -> dict[str, None]:
    """Name the columns that have no room in some table, of those that may be left out."""
    left: dict[str, None] = {}
    for table, _, values in fitting:
        kept = {one.column.head for one in values}
        left |= dict.fromkeys(each.head for each in table.values if each.head in table.least and each.head not in kept)
    return left


def _short_names(tables: Sequence[ReportTable], gap: int, window: int | None) -> Mapping[str, str]:
    """Give the names of runs that are shortened, the same in all tables, where a table is wider than the window."""
    if window is None:
        return {}
    wide = [table.narrow or table for table in tables if _width(list(map(_laid, table.columns)), gap) > window]
    wide = [table for table in wide if _width(list(map(_laid, table.columns)), gap) > window]
    every = list(dict.fromkeys(name for table in tables for column in table.columns for name in column.run_names))
    if not wide or not every:
        return {}
    most = min(_room_for_names(table, gap, window) for table in wide)
    return {name: short for name, short in zip(every, shorten_names(every, most), strict=True) if short != name}


def _room_for_names(table: ReportTable, gap: int, window: int) -> int:
    """Give how long the names of runs may be in a table: as long as all else leaves room, or 3 tenths of the window."""
    keys = [column for column in table.keys if column.runs]
    others = [_laid(column) for column in table.columns if not any(column is key for key in keys)]
    least = most = max(FEWEST, 3 * window // 10)
    if keys and (spare := (window - _width(others, gap)) // len(keys) - gap) >= FEWEST:
        most = spare
    if any(column.of_run for column in table.values):
        most = min(most, least)
    left = window - _width([_laid(key) for key in table.keys if not key.runs], gap) - len(keys) * (least + gap) - gap
    for cell in (cell for column in table.values for cell in column.cells if isinstance(cell, RunCell) and cell.names):
        between = len(cell) - sum(map(len, cell.names))
        most = min(most, max(SHORTEST, (left - between) // len(cell.names)))
    return most


def _fitting(table: ReportTable, gap: int, window: int | None) -> tuple[list[_Laid], list[_Laid]]:
    """Lay out the keys and the values; where they are wider than the window, fold words, and leave out the least that
    must be. These stay if the rest does not fit either.
    """
    keys, values = list(map(_laid, table.keys)), list(map(_laid, table.values))
    if window is None or _width([*keys, *values], gap) <= window:
        return keys, values
    if table.narrow is not None:
        return _fitting(table.narrow, gap, window)
    behind = max((one.width + gap for one in values if one.column.follows), default=0)
    least = sum(min(one.width, FEWEST) + gap for one in keys)
    kept = values = [_laid(each, max(FEWEST, window - least - gap - behind)) for each in table.values]
    keys = _folded_keys(keys, values, gap, window)
    for head in table.least:
        if _width([*keys, *kept], gap) <= window:
            break
        kept = [one for one in kept if one.column.head != head]
    return keys, kept if _width([*keys, *kept], gap) <= window else values


def _folded_keys(keys: Sequence[_Laid], values: Sequence[_Laid], gap: int, window: int) -> list[_Laid]:
    """Fold the widest words that name rows, so that all values stand beside them, or else the widest of the values."""
    fixed = [one for one in keys if one.column.runs or not one.column.words]
    widths = [one.width for one in keys if one not in fixed]
    most = 0
    for beside in (values, sorted(values, key=lambda one: one.width)[-1:]):
        most = _most(widths, window - _width([*fixed, *beside], gap) - gap * len(widths))
        if most >= FEWEST:
            break
    return [one if one in fixed else _laid(one.column, max(most, SHORTEST)) for one in keys]


def _most(widths: Sequence[int], room: int) -> int:
    """Give how wide columns may be at most so that all have room; 0 where they have none.

    >>> _most([5, 30, 40], 60), _most([5, 6], 60), _most([9], 0)
    (27, 6, 0)
    """
    every = range(max(widths, default=0), 0, -1)
    return next((most for most in every if sum(min(width, most) for width in widths) <= room), 0)


def fit_names(window: int | None, names: Mapping[str, str]) -> Mapping[str, str]:
    """Shorten the names of rows so that a window has room for more."""
    if window is None:
        return names
    return dict(zip(names, shorten_names([*names.values()], max(FEWEST, 3 * window // 10)), strict=True))


def align_columns(
    head: Sequence[str], rows: Sequence[Sequence[str]], words: Container[str], window: int | None
) -> Iterator[str]:
    """Align columns without a frame, those of words to the left; the last goes on below where it has no room."""
    widths = [max(len(plain(cell)) for cell in column) for column in zip(head, *rows, strict=True)]
    for row in (head, *rows):
        cells = zip(map(plain, row), head, widths, strict=True)
        padded = [cell.ljust(width) if name in words else cell.rjust(width) for cell, name, width in cells]
        yield from wrap_hanging(f"  {'  '.join(padded)}".rstrip(), window, sum(widths[:-1]) + 2 * len(widths))


def _without(line: str, left: Container[str]) -> str:
    """Leave out of a line what it says of columns that are not there.

    >>> _without("effect: in standard deviations; cliff: unpaired", ["effect"])
    'cliff: unpaired'
    """
    return "; ".join(part for part in line.split("; ") if part.partition(": ")[0] not in left)


def _pages(keys: Sequence[_Laid], values: Sequence[_Laid], gap: int, window: int | None) -> Iterator[Sequence[_Laid]]:
    """Deal the columns of values to as many tables as the window calls for, the keys in front of each."""
    together: list[list[_Laid]] = []
    for one in values:
        if one.column.follows and (window is None or _width([*keys, *together[-1], one], gap) <= window):
            together[-1].append(one)
        else:  # one that has no room behind another names its measure
            head = f"{one.column.follows} {one.column.head}"
            together.append([_laid(replace(one.column, head=head)) if one.column.follows else one])
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
    """Mark and pad the head and the cells; words and heads of more than so many letters go on in another line."""
    cells = list(map(plain, column.cells))
    texts, marks = _marked_texts(column, cells)
    head = fold_text(plain(column.head), most)
    lines = [head, *(fold_text(text, most) if column.words and not column.runs else [text] for text in texts)]
    width = max(measure_width(line) for several in (*lines, [] if column.words else cells) for line in several)
    left = column.words or bool(column.beside)
    padded = ["\n".join(_padded(line, width, left=left) for line in several) for several in lines]
    return _Laid(column, padded, ["", *({BEST: "bold green", WORST: "dim"}.get(mark, "") for mark in marks)], width)


def _marked_texts(column: Column, cells: Sequence[str]) -> tuple[list[str], list[str]]:
    """Write the mark of the best and the worst behind each cell, then what stands beside it.

    Returns the texts, and the marks that colors show: none if something stands beside cells.
    """
    marks = [BEST if row in column.best else WORST if row in column.worst else "" for row in range(len(cells))]
    space = " " if any(marks) else ""
    texts = [f"{cell}{mark or space}" for cell, mark in zip(cells, marks, strict=True)]
    if column.beside:
        width = max(map(len, texts))
        texts = [text.rjust(width) + more for text, more in zip(texts, map(plain, column.beside), strict=True)]
        return texts, [""] * len(texts)
    return texts if space else list(map(str.rstrip, texts)), marks


def _padded(text: str, width: int, *, left: bool) -> str:
    pad = " " * (width - measure_width(text))
    return text + pad if left else pad + text


def fold_text(text: str, width: int | None) -> list[str]:
    """Break a text into lines of a width, between words where there are some; nothing is left out.

    >>> fold_text("a rather long reason", 8), fold_text("unbreakable", 8)
    (['a rather', 'long', 'reason'], ['unbreaka', 'ble'])
    """
    if width is None or measure_width(text) <= width:
        return [text]
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and measure_width(lines[-1]) + 1 + measure_width(word) <= width:
            lines[-1] += f" {word}"
            continue
        lines += [""] * bool(lines[-1])
        for letter in word:
            lines += [""] * (measure_width(lines[-1] + letter) > width)
            lines[-1] += letter
    return lines


def _table(table: ReportTable, page: Sequence[_Laid], gap: int) -> Iterator[Line]:
    """Draw a table between two empty lines: the head above a rule, and the total, if any, behind an empty line."""
    last = len(page[0].texts) - 1
    yield []
    for row in range(last + 1):
        style = "bold" if row == 0 else "green" if row - 1 in table.good else "red" if row - 1 in table.bad else ""
        if table.total and row == last:
            yield []
        cells = [one.texts[row].split("\n") for one in page]
        high = max(map(len, cells))
        for at in range(high):
            yield [
                part
                for one, lines in zip(page, cells, strict=True)
                for part in (
                    (" " * (gap - 1), ""),
                    (_line_of(lines, at, high, one.width, is_head=row == 0), one.styles[row] or style),
                    (" ", ""),
                )
            ]
        if row == 0:
            yield [(f" {'─' * (_width(page, gap) - 2)}", "")]
    yield []


def _line_of(lines: Sequence[str], at: int, high: int, width: int, *, is_head: bool) -> str:
    """Give a line of a cell in a row of ``high`` lines; a head stands at the bottom, other cells at the top."""
    at -= (high - len(lines)) * is_head
    return lines[at] if 0 <= at < len(lines) else " " * width
