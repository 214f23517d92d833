"""Files of columns between white space (runs, qrels): two readers that give the same arrays.

Blocks whose lines are plain go through a compiled loop, where there is one. Whatever it does not take (an empty line, a
number of other digits than most, an odd line) goes through numpy, and so cell by cell, which either understands it or
says what is wrong with which line.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from contextvars import copy_context
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, NoReturn, get_args

import numpy as np

from fairtrec.data import Ints, find_starts, fingerprints
from fairtrec.data.uneven_ids import is_uneven, lay_out_unevenly, narrow
from fairtrec.formats import spans
from fairtrec.formats.spans import Repeats, pack_words
from fairtrec.support.compiled import extension
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import opening, submissions
from fairtrec.support.late_patterns import compile_late
from fairtrec.support.notes import Note, NoteKind, NoteSeverity, write_span

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

# blocks: consecutive rows with the same text are kept once; first: only what stands in the first row is kept
Cell = Literal["text", "blocks", "float", "int", "first", "skip"]
Columns = dict[str, Any]
LineNumbers = int | list[int] | Ints  # of the rows of a block: its first line, or all of them
Keep = Callable[[Columns, LineNumbers], Columns]
Take = Callable[[bytes, int], Columns | None]
ColumnBlocks = Iterator[tuple[Columns, LineNumbers]]
WIDEST = 1024  # bytes of a query id or docno
DECIMAL_COMMA = compile_late(r"[+-]?\d+(,\d+)+([eE][+-]?\d+)?")
SAMPLE_MARK = "\x1f"  # between a query and its sample in the id of a ranking, as no id that is typed has it
WORKERS = 2
MORE = 1.05  # rows than the first block of a file lets expect
FEW = 25_000  # rows in a block, from which there may be many blocks
MOST_BYTES = 1 << 32  # of one column
LARGEST_LAYOUT = 1 << 26  # bytes of ids, up to which a small limit of bytes does not count them
MOST_COLUMNS = 1024  # that the compiled loop takes
_CODES = dict(zip(get_args(Cell), b"tbfiss", strict=True))  # of the compiled loop
_DTYPES = {"float": "f8", "int": "i8"}
_BLANKS = bytes(code in b"\0 \t\n\v\f\r" for code in range(256))  # by which bytes.split() tells cells, and NUL
_HEAD = re.compile(rb"(?:[ \t]*+(?:#[^\n]*+)?+(?:\n|\Z))*+")  # blank lines and comment lines before the first entry
BELOW_NAMES = compile_late(
    rb"(?:(?:[ \t]*+|#(?: [^\n]*+)?+)(?:\n|\Z))*+"
)  # blank lines and remarks above the first entry
_COMMENT = compile_late(rb"^#[^\n]*+", re.MULTILINE)


def _write_comments(lines: int, runs: str) -> str:
    return f"{runs}: {describe_comments(lines)}"


COMMENTS = NoteKind("comments", _write_comments, NoteSeverity.BACKGROUND)


@dataclass(frozen=True)
class Layout:
    """What a file's columns are called and what they hold."""

    what: str
    columns: Mapping[str, Cell]
    header: bool = False  # the first line names the columns
    longest: int = 0  # bytes of a line; 0 is LONGEST_LINE
    has_comments: bool = False  # anywhere, as in runs and qrels, and not only above the first entry


@dataclass(frozen=True)
class FileColumns:
    """The columns of a file, and which line each row came from."""

    path: FilePath
    columns: Columns
    blocks: list[tuple[int, LineNumbers]]  # the first row of each block, and its lines
    notes: tuple[Note, ...] = ()  # on the run that these are
    empty: tuple[str, ...] = ()  # queries that are named without documents
    has_names: bool = False  # whether its columns have names, so that roles can be assigned to them

    def line(self, row: int) -> int:
        """Give the number of the line that a row was read from."""
        first, lines = next(block for block in reversed(self.blocks) if block[0] <= row)
        return find_line_number(lines, row - first)


@dataclass(frozen=True)
class Sieve:
    """What lets rows of a large file go while it is read, and with them the numbers of lines.

    ``keep`` and ``take`` are those of ``stream``; ``join`` makes columns of what they leave of the blocks.
    """

    keep: Keep
    take: Take
    join: Callable[[ColumnBlocks], ColumnBlocks]


class Room:
    """Arrays for all rows of a large file; its blocks are parsed where they belong, so that nothing is joined."""

    def __init__(self, block: Columns, rows: int) -> None:  # like those of a block; what is not used costs no memory
        several = {
            name: column
            for name, column in block.items()
            if len(column) > 1
            and not isinstance(column, Repeats)
            and not (column.dtype.kind == "S" and is_uneven(column))
        }
        self.rows = min(rows, MOST_BYTES // max((column.dtype.itemsize for column in several.values()), default=1))
        self.columns = {name: np.empty(self.rows, column.dtype) for name, column in several.items()}

    def take_room(self, first: int, rows: int) -> Columns:
        """Give the places of so many rows; none where there is no room for them."""
        last = first + rows
        return {name: column[first:last] for name, column in self.columns.items() if last <= self.rows}

    def move_in(self, block: Columns, row: int) -> Columns:
        """Move what was parsed elsewhere to its place, the rows from ``row`` on, if it fits there."""
        moved = dict(block)
        for name, whole in self.columns.items():
            column, place = block[name], whole[row : row + len(block[name])]
            if column.base is not whole and len(place) == len(column) and column.dtype.itemsize <= whole.dtype.itemsize:
                place[:] = column
                moved[name] = place
        return moved


def stream(
    path: FilePath,
    layout: Layout,
    keep: Keep | None = None,
    rooms: Sequence[Room] = (),
    take: Take | None = None,
    comments: list[int] | None = None,
) -> ColumnBlocks:
    """Give a file's columns block by block, each with the line numbers of its rows.

    The blocks of a large file are parsed in threads while another reads the next one; their order stays. There ``keep``
    looks through the columns, too, and leaves of them what is needed. ``take`` does the work of both on a block of so
    many line ends, if it is plain. Once there is one of ``rooms`` the columns stand in it. ``comments``
    takes how many lines were comments.
    """
    comments = [] if comments is None else comments
    parser = _Parser(layout, path, keep, take, comments)
    with opening.open_input(path) as file, ExitStack() as stack:
        workers: Executor | None = None
        parsed: deque[tuple[Future[tuple[Columns, LineNumbers]], Any]] = deque()
        row, spare = 0, list[bytearray]()
        blocks = entries(file, path, header=layout.header, longest=layout.longest, spare=spare, comments=comments)
        while (read := next(blocks, None)) is not None:
            block, line, ends, full = read
            if workers is None and not full:
                yield parser.parse(block, line, ends)
                continue
            if workers is None:
                from concurrent.futures import ThreadPoolExecutor

                workers = stack.enter_context(ThreadPoolExecutor(WORKERS))
                if not opening.is_stream(path):  # which may let a thread wait when nobody waits for it any more
                    blocks = _read_ahead(blocks, stack.enter_context(ThreadPoolExecutor(1)))
            given = rooms[0].take_room(row, ends) if rooms else {}
            row += ends
            parsed.append((workers.submit(parser.parse, block, line, ends, given), block))
            if len(parsed) > WORKERS:
                yield _take_first(parsed, spare)
        while parsed:
            yield _take_first(parsed, spare)


def _read_ahead(blocks: Iterator[Any], reader: "Executor") -> Iterator[Any]:
    """Give blocks, the next of which is read by another thread in the meantime."""
    context = copy_context()  # which listens to progress
    ahead = reader.submit(context.run, lambda: next(blocks, None))
    while (block := ahead.result()) is not None:
        ahead = reader.submit(context.run, lambda: next(blocks, None))
        yield block


def _take_first(
    parsed: "deque[tuple[Future[tuple[Columns, LineNumbers]], Any]]", spare: list[bytearray]
) -> tuple[Columns, LineNumbers]:
    """Wait for the first block that is parsed, and let its buffer be used again."""
    future, block = parsed.popleft()
    found = future.result()
    if isinstance(block, bytearray):
        spare.append(block)
    return found


@dataclass(frozen=True)
class _Parser:
    """How the blocks of a file are parsed."""

    layout: Layout
    path: FilePath
    keep: Keep | None
    take: Take | None
    comments: list[int]

    def parse(self, block: bytes, line: int, ends: int, given: Columns | None = None) -> tuple[Columns, LineNumbers]:
        """Parse a block that begins with this line."""
        if self.layout.has_comments:
            block, many = blank_comments(block)
            self.comments.append(many)
        taken = None if self.take is None else self.take(block, ends)
        if taken is not None:
            return taken, line
        columns = fast(block, self.layout, ends, given)
        found = parse_lines(block, self.layout, self.path, line) if columns is None else (columns, line)
        return found if self.keep is None else (self.keep(*found), found[1])


def entries(
    file: BinaryIO,
    path: FilePath,
    above: re.Pattern[bytes] = _HEAD,
    *,
    header: bool = False,
    longest: int = 0,
    spare: list[bytearray] | None = None,
    comments: list[int] | None = None,
) -> Iterator[tuple[bytes, int, int, bool]]:
    """Give the blocks of a file without what stands before the first entry, with their first line and number of LFs.

    Tells of each whether it is as large as those of large files. ``above`` stands before the first entry, which may be
    a ``header``, that is left out too. ``spare`` is that of ``opening.blocks``. ``comments`` takes how many lines there
    were comments.
    """
    line, head = 1, True
    for whole, ends in opening.blocks(file, path, longest, spare):
        block, skipped = whole, 0
        if head:
            end = above.match(block).end()  # type: ignore[union-attr]  # it matches nothing at least
            if header and end < len(block):
                end = block.find(b"\n", end) + 1 or len(block)
                header, above = False, BELOW_NAMES  # below it #b is an id
                end = above.match(block, end).end()  # type: ignore[union-attr]
            head = header or end == len(block)
            skipped = block.count(b"\n", 0, end)
            if comments is not None and end:
                comments.append(len(_COMMENT.findall(block, 0, end)))
            block = block[end:] if end else block
        if block:
            yield block, line + skipped, ends - skipped, len(whole) >= opening.BLOCK
        line += ends


def blank_comments(block: Any) -> tuple[Any, int]:
    """Empty the lines of a block that are comments, as those of runs and qrels may be anywhere; count them.

    >>> blank_comments(b"#2 lines\\nq1 Q0 #7 1 2 t\\n#q1 Q0 d7 2 1 t\\n")
    (b'\\nq1 Q0 #7 1 2 t\\n\\n', 2)
    """
    if b"#" in block and (block[:1] == b"#" or b"\n#" in block):  # one byte is found much faster
        return _COMMENT.subn(b"", block)
    return block, 0


def read(path: FilePath, layout: Layout, uneven: str = "", sieve: Sieve | None = None) -> FileColumns:
    """Read a file of white-space separated columns; skipped ones are counted but not kept.

    The column ``uneven`` may become ``UnevenIds``. A ``sieve`` leaves of the columns what is needed.
    """
    parts: list[Columns] = []
    blocks: list[tuple[int, LineNumbers]] = []
    rooms: list[Room] = []
    row, comments = 0, list[int]()
    passed = stream(path, layout, None, rooms, comments=comments)
    if sieve is not None:
        passed = sieve.join(stream(path, layout, sieve.keep, take=sieve.take, comments=comments))
    for columns, lines in passed:
        blocks.append((row, lines))
        for name, kind in layout.columns.items():
            if kind == "blocks" and not isinstance(columns[name], Repeats):
                columns[name] = Repeats.find(columns[name])
        if uneven:
            columns[uneven] = narrow(columns[uneven])
        rows = len(columns["docno"])
        if row == 0 and (rows > FEW or sieve is not None):
            rooms.append(Room(columns, int(MORE * rows * opening.size(path) / opening.BLOCK)))
        parts.append(rooms[0].move_in(columns, row) if rooms else columns)
        row += rows
    if row == 0:
        raise InputError(f"this {layout.what} has no lines; was it written to the end?", path)
    notes = (COMMENTS.note(lines=sum(comments)),) if layout.has_comments and any(comments) else ()
    if len(parts) == 1:
        return FileColumns(path, parts[0], blocks, notes)
    is_run = layout.what.startswith("run")
    whole = {}
    for name in list(parts[0]):
        several = [part.pop(name) for part in parts]
        left = lay_out_unevenly(several) if name == uneven else None
        whole[name] = _joined(several, path, is_run=is_run) if left is None else left
    return FileColumns(path, whole, blocks, notes)


def describe_comments(lines: int | tuple[int, ...]) -> str:
    """Say how many lines are comments, of one file or of several.

    >>> describe_comments(1), describe_comments((1, 3))
    ('1 line is a comment', '1-3 lines are comments')
    """
    many = write_span(lines if isinstance(lines, tuple) else (lines,))
    return "1 line is a comment" if many == "1" else f"{many} lines are comments"


def refuse_layout(width: int, rows: int, path: FilePath | None, *, is_run: bool) -> None:
    """Raise InputError for ids that are laid out as wide as the longest, and take far more memory than their file."""
    made, what = width * rows, f"ids of up to {width} bytes in {rows:,} lines"
    if made > MOST_BYTES:
        raise InputError(f"{what} do not fit into memory; shorten the ids", path)
    if path is None:
        return
    most = opening.MOST_TIMES * opening.size(path)
    if made > opening.LARGEST_UNPACKED and 0 < most < made:
        what += f" take more than {opening.MOST_TIMES} times as much memory as the file has bytes"
        raise InputError(f"{what}; shorten the ids", path)
    if is_run and made > LARGEST_LAYOUT and (border := submissions.border()) is not None:
        border.refuse_many("bytes", made, path)


def _joined(parts: list[Any], path: FilePath, *, is_run: bool) -> Any:
    if isinstance(parts[0], Repeats):
        texts = _joined([part.texts for part in parts], path, is_run=is_run)
        lengths = np.concatenate([part.lengths for part in parts])
        first = find_starts(texts)[:-1]  # a text that two parts share is one
        return Repeats(texts[first], np.add.reduceat(lengths, first))
    first, width = parts[0], max(part.dtype.itemsize for part in parts)
    refuse_layout(width, sum(map(len, parts)), path, is_run=is_run)
    places = [part.__array_interface__["data"][0] - first.__array_interface__["data"][0] for part in parts]
    behind = np.cumsum([part.nbytes for part in parts]).tolist()
    if first.base is not None and places == [0, *behind[:-1]] and all(part.base is first.base for part in parts):
        return first.base[: behind[-1] // width]
    return np.concatenate(parts)


def fast(block: bytes, layout: Layout, ends: int, given: Columns | None = None) -> Columns | None:
    """Parse a block of so many line ends in C, into arrays that are ``given``; None if it is not plain."""
    if extension is None or len(layout.columns) > MOST_COLUMNS:
        return None
    rows, width, given = ends + (not block.endswith(b"\n")), 8, given or {}
    kinds = bytes(map(_CODES.__getitem__, layout.columns.values()))
    blocks = [name for name, kind in layout.columns.items() if kind == "blocks"]
    while width <= WIDEST:
        columns = _make_columns(layout, rows, width, given)
        lengths = {name: np.empty(rows, np.int64) for name in blocks}
        outs = [out for name in columns for out in (columns[name], lengths.get(name)) if out is not None]
        found, widest, several = extension.lines(block, kinds, tuple(outs), spans.FIVES)
        if found == rows:
            for name, many in zip(blocks, several, strict=True):
                columns[name] = Repeats(columns[name][:many].copy(), lengths[name][:many].copy())
            alone = list_first_cells(block, layout)
            return columns | alone if all(cell.itemsize <= WIDEST for cell in alone.values()) else None
        if widest <= width:
            return None
        width = 8 * -(-widest // 8)
    return None


def _make_columns(layout: Layout, rows: int, width: int, given: Columns) -> Columns:
    """Make an array for each column that is kept, texts of so many bytes; take those ``given`` that fit."""
    return {
        name: given[name]
        if len(given.get(name, ())) == rows and given[name].dtype.itemsize >= width
        else np.empty(rows, _DTYPES.get(kind, f"S{width}"))
        for name, kind in layout.columns.items()
        if kind not in ("first", "skip")
    }


def list_first_cells(block: bytes, layout: Layout) -> Columns:
    """Give the cells of the first row in columns of which only these are kept."""
    line = bytes(block[: block.find(b"\n") + 1 or len(block)])
    cells = zip(layout.columns.items(), line.split(), strict=True)
    return {name: np.array([cell]) for (name, kind), cell in cells if kind == "first"}


def parse_lines(block: bytes, layout: Layout, path: FilePath, line: int) -> tuple[Columns, LineNumbers]:
    """Parse a block of any kind; ``line`` is the number of its first."""
    text = bytes(block) + bytes(8)
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
        message = f"{cells} column{'s' * (cells != 1)} instead of {width}; write each line as: {names}"
        raise InputError(message, path, find_line_number(lines, bad))
    columns: Columns = {}
    places = zip(starts.reshape(-1, width).T, ends.reshape(-1, width).T, strict=True)
    for (name, kind), (first, last) in zip(layout.columns.items(), places, strict=True):
        if kind in ("float", "int"):
            words = pack_words(letters, first, last, spans.WORDS)
            try:
                columns[name] = spans.decimals(text, first, last, words, whole=kind == "int")
            except (ValueError, OverflowError):
                _refuse([text[i:j] for i, j in zip(first, last, strict=True)], name, kind, path, lines)
        elif kind != "skip":
            lengths = (last - first)[: 1 if kind == "first" else None]
            longest = int(lengths.max(initial=1))
            if longest > WIDEST:
                where = find_line_number(lines, int((lengths > WIDEST).argmax()))
                raise InputError(f"a {name} of more than {WIDEST} bytes; shorten it", path, where)
            words = pack_words(letters, first[: len(lengths)], last[: len(lengths)], -(-longest // 8))
            column = words.view(f"S{8 * words.shape[1]}").ravel()
            columns[name] = column.astype(f"S{max(longest, 8)}", copy=False)
    return columns, lines


def find_line_number(lines: LineNumbers, row: int) -> int:
    """Give the number of the line that a block's row was read from."""
    return lines + row if isinstance(lines, int) else lines[row]


def _refuse(cells: list[bytes], name: str, kind: Cell, path: FilePath, lines: LineNumbers) -> NoReturn:
    what = "an integer" if kind == "int" else "a finite number"
    for row, cell in enumerate(cells):
        try:
            good = isfinite(float(cell)) if kind == "float" else abs(int(cell)) < 1 << 63
        except (ValueError, OverflowError):
            good = False
        if not good or b"_" in cell:
            shown = cell[:40].decode(errors="replace")
            raise InputError(describe_no_number(f"the {name}", shown, what), path, find_line_number(lines, row))
    raise InputError(f"a {name} is not {what}; correct it", path)


def describe_no_number(what: str, cell: str, wanted: str = "a finite number") -> str:
    """Say that a cell is no such number, and what to write.

    >>> describe_no_number("the score", "0,83")
    "the score '0,83' has a comma; write numbers with a decimal point, and without commas between thousands"
    >>> describe_no_number("the rank", "")
    'the rank is empty; fill it, or leave out the row'
    """
    if not cell:
        return f"{what} is empty; fill it, or leave out the row"
    if DECIMAL_COMMA.fullmatch(cell):
        return f"{what} {cell!r} has a comma; write numbers with a decimal point, and without commas between thousands"
    return f"{what} {cell!r} is not {wanted}; correct it"


def group_ids(ids: Repeats) -> tuple[tuple[str, ...], Ints, Ints | None]:
    """Group rows of query ids: each id as first seen, where its rows start, the order of rows (None: as they stand)."""
    lengths, qids, order = ids.lengths, ids.texts.tolist(), None
    if not qids:
        return (), np.zeros(1, np.int64), None
    keys = np.sort(fingerprints(ids.texts))
    if (keys[1:] == keys[:-1]).any():  # hardly ever: nearly always each query stands in one block
        number: dict[bytes, int] = {}
        of_block = np.array([number.setdefault(each, len(number)) for each in qids], dtype=np.int64)
        order = np.argsort(np.repeat(of_block, lengths), kind="stable")
        lengths, qids = np.bincount(of_block, weights=lengths).astype(np.int64), [*number]
    return tuple(b"\n".join(qids).decode().split("\n")), np.concatenate(([0], np.cumsum(lengths))), order
