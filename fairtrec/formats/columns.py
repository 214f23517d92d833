"""Files of columns between white space (runs, qrels): two readers that give the same arrays.

Small files go through numpy; blocks of a large one through pyarrow, which is up to three times as fast once it has been
imported, and so do small files if it has been. Whatever pyarrow does not take as it stands (double blanks, tabs among
blanks, an odd line) goes through numpy too, and so cell by cell, which either understands it or says what is wrong with
which line.
"""

import re
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, NoReturn

import numpy as np

from fairtrec.data import Docs, Ints, starts_of
from fairtrec.errors import FilePath, InputError
from fairtrec.files import opening
from fairtrec.formats import spans
from fairtrec.formats.spans import words_of

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

# blocks: consecutive rows with the same text are kept once; first: only what stands in the first row is kept
Cell = Literal["text", "blocks", "float", "int", "first", "skip"]
Columns = dict[str, Any]
LineNumbers = int | list[int] | Ints  # of the rows of a block: its first line, or all of them
Keep = Callable[[Columns, LineNumbers], Columns]
WIDEST = 1024  # bytes of a query id or docno
WORKERS = 2
SMALL = 1 << 16  # bytes, below which pyarrow gains nothing
MOST_BYTES = 1 << 32  # of one column
_BLANKS = bytes(code in b"\0 \t\n\v\f\r" for code in range(256))  # by which bytes.split() tells cells, and NUL
_HEX = re.compile(rb"[ \t\n][+-]?0[xX]")
_HEAD = re.compile(rb"(?:[ \t]*+(?:#[^\n]*+)?+(?:\n|\Z))*+")  # blank lines and comment lines before the first entry


@dataclass(frozen=True, eq=False)
class Repeats:
    """A column in which equal texts stand together: each text once, and in how many rows."""

    texts: Docs
    lengths: Ints

    @classmethod
    def of(cls, column: Docs) -> "Repeats":
        """Find the blocks of a column."""
        starts = starts_of(column if column.dtype.itemsize != 8 else column.view(np.uint64))  # which compare faster
        return cls(column[starts[:-1]], np.diff(starts))

    def __len__(self) -> int:
        return int(self.lengths.sum())


@dataclass(frozen=True)
class Layout:
    """What a file's columns are called and what they hold."""

    what: str
    columns: Mapping[str, Cell]
    header: bool = False  # the first line names the columns


@dataclass(frozen=True)
class FileColumns:
    """The columns of a file, and which line each row came from."""

    path: FilePath
    columns: Columns
    blocks: list[tuple[int, LineNumbers]]  # the first row of each block, and its lines

    def line(self, row: int) -> int:
        """Give the number of the line that a row was read from."""
        first, lines = next(block for block in reversed(self.blocks) if block[0] <= row)
        return line_of(lines, row - first)


def stream(path: FilePath, layout: Layout, keep: Keep | None = None) -> Iterator[tuple[Columns, LineNumbers]]:
    """Give a file's columns block by block, each with the line numbers of its rows.

    The blocks of a large file are parsed in threads while the next ones are read; their order stays. There ``keep``
    looks through the columns, too, and leaves of them what is needed.
    """
    with opening.opened(path) as file, ExitStack() as stack:
        workers: Executor | None = None
        parsed: deque[Future[tuple[Columns, LineNumbers]]] = deque()
        for block, line, ends, full in _entries(file, path, layout):
            if workers is None and not full:
                imported = len(block) >= SMALL and "pyarrow.csv" in sys.modules
                found = _parse(block, layout, path, line, ends) if imported else _exact(block, layout, path, line)
                yield found if keep is None else (keep(*found), found[1])
                continue
            if workers is None:
                from concurrent.futures import ThreadPoolExecutor

                workers = stack.enter_context(ThreadPoolExecutor(WORKERS))
            parsed.append(workers.submit(_parse, block, layout, path, line, ends, keep))
            if len(parsed) > WORKERS:
                yield parsed.popleft().result()
        while parsed:
            yield parsed.popleft().result()


def _parse(
    block: bytes, layout: Layout, path: FilePath, line: int, ends: int, keep: Keep | None = None
) -> tuple[Columns, LineNumbers]:
    columns = fast(block, layout, ends)
    found = _exact(block, layout, path, line) if columns is None else (columns, line)
    return found if keep is None else (keep(*found), found[1])


def _entries(file: BinaryIO, path: FilePath, layout: Layout) -> Iterator[tuple[bytes, int, int, bool]]:
    """Give the blocks of a file without what stands before the first entry, with their first line and number of LFs."""
    line = 1
    head, header = True, layout.header
    for whole, ends in opening.blocks(file, path):
        block, skipped = whole, 0
        if head:
            end = _HEAD.match(block).end()  # type: ignore[union-attr]  # it matches nothing at least
            if header and end < len(block):
                end = block.find(b"\n", end) + 1 or len(block)
                end = _HEAD.match(block, end).end()  # type: ignore[union-attr]
                header = False
            head = header or end == len(block)
            skipped = block.count(b"\n", 0, end)
            block = block[end:]
        if block:
            yield block, line + skipped, ends - skipped, len(whole) >= opening.BLOCK
        line += ends


def read(path: FilePath, layout: Layout) -> FileColumns:
    """Read a file of white-space separated columns; skipped ones are counted but not kept."""
    parts: list[Columns] = []
    blocks: list[tuple[int, LineNumbers]] = []
    row = 0
    for columns, lines in stream(path, layout):
        blocks.append((row, lines))
        row += len(columns["docno"])
        for name, kind in layout.columns.items():
            if kind == "blocks" and not isinstance(columns[name], Repeats):
                columns[name] = Repeats.of(columns[name])
        parts.append(columns)
    if row == 0:
        raise InputError(f"this {layout.what} has no lines; was it written to the end?", path)
    if len(parts) == 1:
        return FileColumns(path, parts[0], blocks)
    return FileColumns(
        path, {name: _joined([part.pop(name) for part in parts], path) for name in list(parts[0])}, blocks
    )


def _joined(parts: list[Any], path: FilePath) -> Any:
    if isinstance(parts[0], Repeats):
        return Repeats(_joined([part.texts for part in parts], path), np.concatenate([part.lengths for part in parts]))
    width = max(part.dtype.itemsize for part in parts)
    if width * sum(map(len, parts)) > MOST_BYTES:
        raise InputError(f"ids of {width} bytes in so many lines do not fit into memory; shorten the ids", path)
    return np.concatenate(parts)


def fast(block: bytes, layout: Layout, ends: int) -> Columns | None:
    """Parse a block of so many line ends with pyarrow; None if it is not plain enough for that."""
    delimiter = b"\t" if b"\t" in block[:200] else b" "
    tabs = block.count(b"\t") if delimiter == b"\t" else 0
    if not block.isascii() or (tabs and b" " in block) or not _is_plain(block, ends + tabs) or _has_hex(block, layout):
        return None
    import pyarrow as pa
    from pyarrow import csv

    from fairtrec.formats.arrow import array_of

    types = {"text": pa.string(), "blocks": pa.string(), "float": pa.float64(), "int": pa.int64()}
    wanted = {name: types[kind] for name, kind in layout.columns.items() if kind in types}
    try:
        table = csv.read_csv(
            pa.BufferReader(block),
            read_options=csv.ReadOptions(column_names=list(layout.columns), block_size=1 << 20, use_threads=False),
            parse_options=csv.ParseOptions(delimiter=delimiter.decode(), quote_char=False, double_quote=False),
            convert_options=csv.ConvertOptions(
                column_types=wanted, include_columns=list(wanted), null_values=[], strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid:
        return None
    if table.num_rows != ends + (not block.endswith(b"\n")):
        return None
    columns: Columns = {name: array_of(table.column(name)) for name in wanted}
    first = block[: block.find(b"\n") + 1 or len(block)].split()
    columns |= {
        name: np.array([cell])
        for (name, kind), cell in zip(layout.columns.items(), first, strict=True)
        if kind == "first"
    }
    floats = [columns[name] for name, kind in layout.columns.items() if kind == "float"]
    texts = [columns[name] for name, kind in layout.columns.items() if kind in ("text", "blocks")]
    plain = all(np.isfinite(column).all() for column in floats) and all(c.dtype.itemsize <= WIDEST for c in texts)
    if not plain:
        return None
    return {name: Repeats.of(c) if layout.columns[name] == "blocks" else c for name, c in columns.items()}


def _is_plain(block: bytes, controls: int) -> bool:
    """Tell whether no column is empty, and so many bytes are control characters; looked at piece by piece."""
    letters, found = np.frombuffer(block, np.uint8), 0
    for first in range(0, len(letters), opening.PIECE):
        piece = letters[max(first - 1, 0) : first + opening.PIECE]  # with the last byte of the piece before
        blank = piece <= ord(" ")
        if (blank[1:] & blank[:-1]).any() or (first == 0 and blank[0]):  # the same, or an empty line
            return False
        found += int(np.count_nonzero(piece[min(first, 1) :] < ord(" ")))
    return found == controls and block[-1:] not in (b" ", b"\t")  # the last line ends in an empty column


def _has_hex(block: bytes, layout: Layout) -> bool:
    """Tell whether something may be 0x10, which pyarrow takes for an integer."""
    asked = "int" in layout.columns.values() and (b"0x" in block or b"0X" in block)
    return asked and _HEX.search(block) is not None


def _exact(block: bytes, layout: Layout, path: FilePath, line: int) -> tuple[Columns, LineNumbers]:
    """Parse a block of any kind; ``line`` is the number of its first."""
    text = block + bytes(8)
    letters, blank = np.frombuffer(text, np.uint8), np.frombuffer(b"\1" + text.translate(_BLANKS), np.bool_)
    # blank[i] is of the byte before text[i]; the first is blank and the text ends in NULs, so that edges come in pairs
    edges = np.flatnonzero(blank[1:] != blank[:-1])
    starts, ends = edges[::2], edges[1::2]  # of cells
    line_ends = np.append(np.flatnonzero(letters == ord("\n")), len(letters))
    many = np.diff(np.searchsorted(starts, line_ends), prepend=0)  # cells of each line
    rows = np.flatnonzero(many)
    lines: LineNumbers = line if many[: len(rows)].all() else (line + rows).tolist()
    width = len(layout.columns)
    if (many[rows] != width).any():
        bad = int((many[rows] != width).argmax())
        cells, names = int(many[rows[bad]]), " ".join(layout.columns)
        message = f"{cells} column{'s' * (cells != 1)} where a {layout.what} has {width}; write each line as: {names}"
        raise InputError(message, path, line_of(lines, bad))
    columns: Columns = {}
    places = zip(starts.reshape(-1, width).T, ends.reshape(-1, width).T, strict=True)
    for (name, kind), (first, last) in zip(layout.columns.items(), places, strict=True):
        if kind in ("float", "int"):
            words = words_of(letters, first, last, spans.WORDS)
            try:
                columns[name] = spans.decimals(text, first, last, words, whole=kind == "int")
            except (ValueError, OverflowError):
                _refuse([text[i:j] for i, j in zip(first, last, strict=True)], name, kind, path, lines)
        elif kind != "skip":
            lengths = (last - first)[: 1 if kind == "first" else None]
            longest = int(lengths.max(initial=1))
            if longest > WIDEST:
                where = line_of(lines, int((lengths > WIDEST).argmax()))
                raise InputError(f"a {name} of more than {WIDEST} bytes; shorten it", path, where)
            words = words_of(letters, first[: len(lengths)], last[: len(lengths)], -(-longest // 8))
            column = words.view(f"S{8 * words.shape[1]}").ravel()
            columns[name] = column.astype(f"S{max(longest, 8)}", copy=False)
    return columns, lines


def line_of(lines: LineNumbers, row: int) -> int:
    """Give the number of the line that a block's row was read from."""
    return lines + row if isinstance(lines, int) else lines[row]


def _refuse(cells: list[bytes], name: str, kind: Cell, path: FilePath, lines: LineNumbers) -> NoReturn:
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


def numbered(ids: Repeats) -> tuple[tuple[str, ...], Ints, Ints | None]:
    """Group the rows of a column of query ids: the distinct ids as first seen, where each one's rows start, and the
    order that brings them together (None if they stand together already).
    """
    number: dict[bytes, int] = {}
    of_block = np.array([number.setdefault(each, len(number)) for each in ids.texts.tolist()], dtype=np.int64)
    first = starts_of(of_block)[:-1]  # a query that two parts of a file share is one block
    of_block, lengths = of_block[first], np.add.reduceat(ids.lengths, first)
    order: Ints | None = None
    if len(number) < len(of_block):
        order = np.argsort(np.repeat(of_block, lengths), kind="stable")
        lengths = np.bincount(of_block, weights=lengths).astype(np.int64)
    return tuple(qid.decode() for qid in number), np.concatenate(([0], np.cumsum(lengths))), order
