"""Files of columns between white space (runs, qrels): two readers that give the same arrays.

Small files go through Python, a line at a time; blocks of a large one through pyarrow, which is five times as fast
once it has been imported. Whatever pyarrow does not take as it stands (double blanks, tabs among blanks, an odd line)
goes through Python too, which either understands it or says what is wrong with which line.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, BinaryIO, Literal, NoReturn

import numpy as np

from fairtrec.data import Ints, starts_of
from fairtrec.errors import FilePath, InputError
from fairtrec.formats import source

Kind = Literal["text", "float", "int", "skip"]
Columns = dict[str, Any]
Lines = int | list[int]  # of the rows of a block: its first line, or all of them
WIDEST = 1024  # bytes of a query id or docno
MOST_BYTES = 1 << 32  # of one column
_HEAD = re.compile(rb"(?:[ \t]*(?:#[^\n]*)?(?:\n|\Z))*")  # blank lines and comment lines before the first entry
ODD = (b"\t", b"\r", b"\0", b"\v", b"\f", b"  ", b"\n ", b" \n")


@dataclass(frozen=True)
class Layout:
    """What a file's columns are called and what they hold."""

    what: str
    columns: Mapping[str, Kind]


@dataclass(frozen=True)
class Table:
    """The columns of a file, and which line each row came from."""

    path: FilePath
    columns: Columns
    blocks: list[tuple[int, Lines]]  # the first row of each block, and its lines

    def line(self, row: int) -> int:
        """Give the number of the line that a row was read from."""
        first, lines = next(block for block in reversed(self.blocks) if block[0] <= row)
        return line_of(lines, row - first)


def stream(path: FilePath, layout: Layout | Callable[[list[str]], Layout]) -> Iterator[tuple[Columns, Lines]]:
    """Give a file's columns block by block, each with the line numbers of its rows.

    Where ``layout`` is a function, the first line is a header and the function makes the layout from its names.
    """
    line = 1
    with source.opened(path) as file:
        for whole in _without_comments(file, path):
            block, blanks = whole, b""
            if not isinstance(layout, Layout):
                stripped = block.lstrip(b"\n")
                header, newline, block = stripped.partition(b"\n")
                blanks = b"\n" * (len(whole) - len(stripped) + len(newline))
                layout = layout(header.decode().split())
            columns = _fast(block, layout) if len(whole) >= source.BLOCK else None
            lines: Lines = line + len(blanks)
            if columns is None:
                columns, lines = _exact(block, layout, path, line + len(blanks))
            yield columns, lines
            line += whole.count(b"\n")


def read(path: FilePath, layout: Layout) -> Table:
    """Read a file of white-space separated columns; skipped ones are counted but not kept."""
    parts: list[Columns] = []
    blocks: list[tuple[int, Lines]] = []
    row = 0
    for columns, lines in stream(path, layout):
        blocks.append((row, lines))
        parts.append(columns)
        row += len(next(iter(columns.values())))
    if row == 0:
        raise InputError(f"this {layout.what} has no lines; was it written to the end?", path)
    return Table(path, {name: _joined([part[name] for part in parts], path) for name in parts[0]}, blocks)


def _without_comments(file: BinaryIO, path: FilePath) -> Iterator[bytes]:
    """Blank the comment lines that stand before the first entry, so that line numbers stay true."""
    head = True
    for block in source.blocks(file, path):
        if head:
            end = _HEAD.match(block).end()  # type: ignore[union-attr] - it matches nothing at least
            head = end == len(block)
            yield b"\n" * block.count(b"\n", 0, end) + block[end:]
        else:
            yield block


def _joined(parts: list[Any], path: FilePath) -> Any:
    width = max(part.dtype.itemsize for part in parts)
    if width * sum(map(len, parts)) > MOST_BYTES:
        raise InputError(f"ids of {width} bytes in so many lines do not fit into memory; shorten the ids", path)
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _fast(block: bytes, layout: Layout) -> Columns | None:
    """Parse a block with pyarrow; None if it is not plain enough for that."""
    if not block.isascii() or block.startswith(b" ") or any(odd in block for odd in ODD):
        delimiter = "\t"
        if not block.isascii() or b" " in block or any(odd in block for odd in (b"\r", b"\0", b"\v", b"\f", b"\t\t")):
            return None
        if block.startswith(b"\t") or b"\n\t" in block or b"\t\n" in block:
            return None
    else:
        delimiter = " "
    import pyarrow as pa
    from pyarrow import csv

    types = {"text": pa.string(), "float": pa.float64(), "int": pa.int64()}
    wanted = {name: types[kind] for name, kind in layout.columns.items() if kind != "skip"}
    try:
        table = csv.read_csv(
            pa.BufferReader(block),
            read_options=csv.ReadOptions(column_names=list(layout.columns), block_size=1 << 22),
            parse_options=csv.ParseOptions(delimiter=delimiter, quote_char=False, double_quote=False),
            convert_options=csv.ConvertOptions(
                column_types=wanted, include_columns=list(wanted), null_values=[], strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid:
        return None
    if table.num_rows != block.count(b"\n") + (not block.endswith(b"\n")):
        return None
    columns = {name: _array(table.column(name)) for name in wanted}
    floats = [columns[name] for name, kind in layout.columns.items() if kind == "float"]
    texts = [columns[name] for name, kind in layout.columns.items() if kind == "text"]
    plain = all(np.isfinite(column).all() for column in floats) and all(c.dtype.itemsize <= WIDEST for c in texts)
    return columns if plain else None


def _array(column: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if column.type != pa.string():
        return column.to_numpy()
    width = pc.max(pc.binary_length(column)).as_py()
    padded = pc.ascii_rpad(column, width, padding="\0")
    return np.concatenate(
        [
            np.frombuffer(chunk.buffers()[2], f"S{width}", len(chunk), width * chunk.offset)
            for chunk in padded.chunks
            if len(chunk)
        ]
    )


def _exact(block: bytes, layout: Layout, path: FilePath, line: int) -> tuple[Columns, Lines]:
    """Parse a block line by line; ``line`` is the number of its first."""
    rows = [row.split() for row in block.split(b"\n")]
    if not rows[-1]:
        rows.pop()
    lines: Lines = line
    if not all(rows):
        lines = [line + i for i, row in enumerate(rows) if row]
        rows = [row for row in rows if row]
    width = len(layout.columns)
    if any(len(row) != width for row in rows):
        bad = next(i for i, row in enumerate(rows) if len(row) != width)
        names = " ".join(layout.columns)
        many = f"{len(rows[bad])} column{'s' * (len(rows[bad]) != 1)}"
        where = line_of(lines, bad)
        raise InputError(f"{many} where a {layout.what} has {width}; write each line as: {names}", path, where)
    cells = zip(*rows, strict=True) if rows else iter([()] * width)
    return {
        name: _parsed(values, name, kind, path, lines)
        for (name, kind), values in zip(layout.columns.items(), cells, strict=True)
        if kind != "skip"
    }, lines


def line_of(lines: Lines, row: int) -> int:
    """Give the number of the line that a block's row was read from."""
    return lines + row if isinstance(lines, int) else lines[row]


def _parsed(cells: tuple[bytes, ...], name: str, kind: Kind, path: FilePath, lines: Lines) -> Any:
    if kind == "text":
        if max(map(len, cells), default=0) > WIDEST:
            row = next(i for i, cell in enumerate(cells) if len(cell) > WIDEST)
            raise InputError(f"a {name} of more than {WIDEST} bytes; shorten it", path, line_of(lines, row))
        return np.array(cells, dtype=np.bytes_) if cells else np.empty(0, "S1")
    parse = float if kind == "float" else int
    try:
        values = np.array([parse(cell) for cell in cells], dtype=np.float64 if kind == "float" else np.int64)
        if np.isfinite(values).all() and not any(b"_" in cell for cell in cells):
            return values
    except (ValueError, OverflowError):
        pass
    _refuse(cells, name, kind, path, lines)


def _refuse(cells: tuple[bytes, ...], name: str, kind: Kind, path: FilePath, lines: Lines) -> NoReturn:
    article = "an" if kind == "int" else "a finite"
    word = "integer" if kind == "int" else "number"
    for row, cell in enumerate(cells):
        try:
            good = isfinite(float(cell)) if kind == "float" else abs(int(cell)) < 1 << 63
        except (ValueError, OverflowError):
            good = False
        if not good or b"_" in cell:
            shown = cell[:40].decode(errors="replace")
            raise InputError(f"the {name} {shown!r} is not {article} {word}; correct it", path, line_of(lines, row))
    raise InputError(f"a {name} is not {article} {word}", path)


def numbered(ids: Any) -> tuple[tuple[str, ...], Ints]:
    """Number a column of query ids in the order in which they first appear: the distinct ids, and each line's number."""
    starts = starts_of(ids)
    blocks = ids[starts[:-1]].tolist()
    number: dict[bytes, int] = {}
    for block in blocks:
        number.setdefault(block, len(number))
    query = np.repeat(np.array([number[block] for block in blocks], dtype=np.int64), np.diff(starts))
    return tuple(qid.decode() for qid in number), query
