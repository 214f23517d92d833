"""Files whose columns have names, those of frames: JSON lines, one JSON object, Parquet, tables below a line of names.

One JSON object is ``{qid: {docno: number}}``, as ranx, BEIR and pytrec_eval write it, or the predictions of MTEB, which
hold one more level for the language and one for the split; ranx packs the same as CBOR, twice with LZ4.
Cells of a table stand between tabs, commas or blanks.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from csv import Error as CsvError
from csv import reader as csv_reader
from dataclasses import dataclass
from itertools import chain, islice
from math import isfinite
from typing import Any, BinaryIO, cast

import numpy as np

from fairtrec.formats import frames, memory_bounds, packed_object
from fairtrec.formats.columns import LineNumbers, find_line_number
from fairtrec.formats.frames import Frame
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import compression, json_text, opening, submissions
from fairtrec.support.files.whole_lines import parse_object
from fairtrec.support.literals import DOCUMENT, QUERY, RecordForm

LOOKED_AT = 1 << 16  # bytes by which a form is told
LARGEST_OBJECT = 1 << 28  # bytes of one JSON object, which is parsed as a whole
MOST_VALUES = LARGEST_OBJECT >> 3  # keys, numbers, lists and objects in it, each of which takes far more than its bytes
AT_ONCE = 1 << 16  # rows of a table that are objects of Python at a time
LONE = re.compile("[\ud800-\udfff]")  # which JSON may hold, and no text of Unicode
OBJECT = re.compile(rb'\s*\{\s*("|\}\s*$)')  # how a line that is an object begins, and hardly an id
NESTED = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*+"\s*:\s*\{')  # an object whose first value is one
NAMED = re.compile(rb'"(?:' + "|".join(QUERY).encode() + rb')"\s*:\s*["\d]')  # the query of a JSON line
META = "mteb_model_meta"  # beside the rankings, in predictions of MTEB
RowBlocks = list[tuple[int, LineNumbers]]


@dataclass(frozen=True)
class WantedColumns:
    """The columns that are read of a file, ``what`` it is of, and which of them are numbers, ``number`` if alone."""

    what: str
    names: tuple[str, ...]
    numbers: tuple[str, ...]
    number: str

    @property
    def example(self) -> str:
        """Write a line of JSON."""
        return f'{{"qid": ..., "docno": ..., "{self.number}": ...}}'

    @property
    def empty(self) -> str:
        """Say that there is none of them."""
        return f"this {self.what} has no lines; was it written to the end?"


def read_start(path: FilePath) -> bytes:
    """Give how a file starts, unpacked, from its first line that is neither blank nor a comment; nothing if damaged."""
    passed, is_comment = 0, False
    with suppress(InputError), opening.open_input(path) as stream:
        while passed <= opening.LARGEST_BLANK and (line := stream.readline(LOOKED_AT)):
            text = line if passed else line.removeprefix(b"\xef\xbb\xbf")
            is_comment = is_comment or text.startswith(b"#")
            if text.strip() and not is_comment:
                return text + stream.read(LOOKED_AT)
            is_comment = is_comment and not line.endswith(b"\n")
            passed += len(line) + (0 if is_comment else len(opening.pass_blank_lines(stream)))
    return b""


def detect_form(start: bytes) -> RecordForm | None:
    r"""Tell by how a file starts what it is; None for what has no names of columns.

    >>> detect_form(b'{"qid": "q1", "docno": "d7"'), detect_form(b'{\n  "q1": {\n    "d7": 0.5')
    ('jsonl', 'json')
    >>> detect_form(b"q1 Q0 d7 1 0.5 t")
    >>> detect_form(b"query-id\tcorpus-id\tscore\nq1\td7\t1"), detect_form(b",qid,docid,docno,rank,score,query\n")
    ('table', 'table')
    """
    if start.startswith(opening.PARQUET):
        return "parquet"
    if packed_object.is_packed(start):
        return "json"
    line = start.partition(b"\n")[0]
    if NESTED.match(start) and not NAMED.search(line):
        return "json"
    if OBJECT.match(line):
        return "jsonl"
    names = {cell.strip(' "\r') for cell in _cells(line.decode(errors="replace"))}
    return None if names.isdisjoint(QUERY) or names.isdisjoint(DOCUMENT) else "table"


def read(path: FilePath, form: RecordForm, wanted: WantedColumns) -> tuple[Frame, RowBlocks]:
    """Read these columns of a file, those that it has, and the first row and the lines of each of its blocks.

    Rows of Parquet, and numbers of one JSON object, count as lines. Raises InputError for what is not in this form.
    """
    if form == "parquet":
        with memory_bounds.open_parquet(path, f"a {wanted.what}", wanted.names) as file:
            if not file.metadata.num_rows:
                raise InputError(wanted.empty, path)
            parts = [file.read([name for name in file.schema_arrow.names if name in wanted.names])]
        blocks: RowBlocks = [(0, 1)]
    else:
        import pyarrow as pa

        read_parts = {"jsonl": _json_lines, "json": _one_object, "table": _table}[form]
        parts, blocks, row = [], [], 0
        for part, lines in read_parts(path, wanted):
            if len(part):
                parts.append(part)
                blocks.append((row, lines))
                row += len(part)
        if not parts:
            raise InputError(wanted.empty, path)
        parts = [pa.concat_tables(parts, promote_options="default")]  # null where one has not the column of another

    def line(row: int) -> int:
        first, lines = next(block for block in reversed(blocks) if block[0] <= row)
        return find_line_number(lines, row - first)

    return Frame(wanted.what, parts[0], path, line), blocks


def _table_of(rows: dict[str, list[Any]], wanted: WantedColumns) -> Any:
    import pyarrow as pa

    return pa.table({name: pa.array(cells, _type(name, wanted)) for name, cells in rows.items()})


def _type(name: str, wanted: WantedColumns) -> Any:
    import pyarrow as pa

    return pa.float64() if name in wanted.numbers else pa.string()


def _one_object(path: FilePath, wanted: WantedColumns) -> Iterator[tuple[Any, LineNumbers]]:
    """Read ``{qid: {docno: number}}``; each number counts as a line."""
    with opening.open_input(path) as stream:
        start = cast("Any", stream).peek(4)[:4]
        found = (_packed if packed_object.is_packed(start) else _json)(stream, path, wanted)
    found = _predictions(found, path) if META in found else found
    rows: dict[str, list[Any]] = {"qid": [], "docno": [], wanted.number: []}
    for qid, numbers in found.items():
        if not isinstance(numbers, dict):
            shown = "{qid: {docno: " + wanted.number + "}}"
            raise InputError(f"query {qid[:40]!r} holds no object of documents; write {shown}", path)
        for docno, number in numbers.items():
            if type(number) not in (int, float) or not _is_finite(number):
                what = f"the {wanted.number} {_shown(number)} of document {docno[:40]!r} under query {qid[:40]!r}"
                raise InputError(f"{what} is not a finite number; correct it", path)
        rows["qid"] += [qid] * len(numbers)
        rows["docno"] += numbers
        rows[wanted.number] += map(float, numbers.values())
    if any(LONE.search(each) for each in chain(found, rows["docno"])):
        raise InputError("an id holds half a character (a lone surrogate); correct it", path)
    yield _table_of(rows, wanted), 1


def _json(stream: BinaryIO, path: FilePath, wanted: WantedColumns) -> dict[str, Any]:
    blocks = (block for block, _ in opening.blocks(stream, path, LARGEST_OBJECT))
    text = _bounded(
        _counted(blocks, path, wanted), path, f"one JSON object of more than {LARGEST_OBJECT >> 20} MiB", wanted
    )
    found = json_text.parse_at(text, path, None, "write it again", "this is")
    if not isinstance(found, dict):
        raise InputError(f"this is no JSON object; write {{qid: {{docno: {wanted.number}}}}}, or JSON lines", path)
    return found


def _packed(stream: BinaryIO, path: FilePath, wanted: WantedColumns) -> dict[str, Any]:
    with ExitStack() as stack:
        if cast("Any", stream).peek(4)[:4] == compression.LZ4:
            stream = stack.enter_context(compression.unpack(stream, path))
        blocks = iter(lambda: stream.read(opening.BLOCK), b"")
        what = f"one object of CBOR of more than {LARGEST_OBJECT >> 20} MiB"
        data = _bounded(blocks, path, what, wanted)
    border = submissions.border() if wanted.what == "run" else None
    try:
        return packed_object.read_numbers(
            data, refuse_deep=lambda many: None if border is None else border.refuse_many("depth", many, path)
        )
    except UnicodeDecodeError:
        fault = "an id that is not UTF-8"
    except ValueError as error:
        fault = str(error)
    shown = "{qid: {docno: " + wanted.number + "}}"
    raise InputError(f"not CBOR of {shown} ({fault}); write it again, as Parquet", path)


def _counted(blocks: Iterable[bytes], path: FilePath, wanted: WantedColumns) -> Iterator[bytes]:
    """Give the blocks of JSON. Raises InputError if they hold more keys and values than fit into memory."""
    values = 0
    for block in blocks:
        values += sum(map(block.count, (b":", b",", b"[", b"{")))
        if values > MOST_VALUES:
            what = f"one JSON object of more than {MOST_VALUES:,} keys and values"
            raise InputError(f"{what}; write JSON lines like {wanted.example}", path)
        yield block


def _bounded(blocks: Iterable[bytes], path: FilePath, what: str, wanted: WantedColumns) -> bytes:
    """Join the blocks of an object. Raises InputError for far more than the file is large, and ``what`` if too much."""
    size, pieces = 0, []
    for block in blocks:
        size += len(block)
        opening.refuse_bomb(path, size)
        if size > LARGEST_OBJECT:
            raise InputError(f"{what}; write JSON lines like {wanted.example}", path)
        pieces.append(block)
    return b"".join(pieces)


def _predictions(found: dict[str, Any], path: FilePath) -> dict[str, Any]:
    """Take the rankings from predictions of MTEB: of one language and one split."""
    sets = {
        f"{language} {split}": rankings
        for language, splits in found.items()
        if language != META and isinstance(splits, dict)
        for split, rankings in splits.items()
    }
    if len(sets) != 1 or not isinstance(next(iter(sets.values())), dict):
        what = f"these predictions of MTEB hold {len(sets)} sets of rankings ({', '.join(islice(sets, 4))})"
        raise InputError(f"{what}; keep one in each file", path)
    only: dict[str, Any] = next(iter(sets.values()))
    return only


def _table(path: FilePath, wanted: WantedColumns) -> Iterator[tuple[Any, LineNumbers]]:
    """Read the lines below one that names the columns."""
    with opening.open_input(path) as stream:
        rows = _rows(stream, path)
        number, head = next(rows, (0, []))
        names = [cell.strip() for cell in head]
        places = {name: place for place, name in enumerate(names) if name in wanted.names}
        if twice := [name for name in places if names.count(name) > 1]:
            raise InputError(f"two columns are called {twice[0]}; rename one", path, number)
        while several := [*islice(rows, AT_ONCE)]:
            for number, cells in several:
                if len(cells) != len(names):
                    what = f"{len(cells)} column{'s' * (len(cells) != 1)} instead of the {len(names)} of the first line"
                    raise InputError(f"{what}; write: {' '.join(filter(None, names))}", path, number)
            found: dict[str, list[Any]] = {}
            for name, place in places.items():
                column = ((number, cells[place]) for number, cells in several)
                is_number = name in wanted.numbers
                found[name] = [
                    _number(name, cell, path, number) if is_number else cell.strip() for number, cell in column
                ]
            yield _table_of(found, wanted), [number for number, _ in several]


def _rows(stream: Any, path: FilePath) -> Iterator[tuple[int, list[str]]]:
    """Give the cells of each line that is not blank, and its number; comments may stand above the first."""
    numbered = enumerate(_lines(stream, path), 1)
    start, head = next(((number, text) for number, text in numbered if text.strip() and text[0] != "#"), (1, ""))
    texts = chain([head], (text for _, text in numbered))
    delimiter = _delimiter(head)
    if delimiter is None:
        yield from ((number, cells) for number, text in enumerate(texts, start) if (cells := text.split()))
        return
    reader, row = csv_reader(texts, delimiter=delimiter, strict=True), 0
    try:
        for cells in reader:
            if any(cells):
                yield start + row, cells
            row = reader.line_num
    except CsvError as fault:
        message = f"this line cannot be split into columns ({fault}); close its quotation marks"
        raise InputError(message, path, start + row) from None


def _lines(stream: Any, path: FilePath) -> Iterator[str]:
    for block, _ in opening.blocks(stream, path):
        yield from (f"{line}\n" for line in block.removesuffix(b"\n").decode().split("\n"))


def _delimiter(line: str) -> str | None:
    return next((sign for sign in "\t," if sign in line), None)


def _cells(line: str) -> Sequence[str]:
    return line.split(_delimiter(line))


def _number(name: str, cell: str, path: FilePath, number: int) -> float:
    with suppress(ValueError):
        found = float(cell)
        if isfinite(found) and "_" not in cell:
            return found
    raise InputError(f"the {name} {cell[:40]!r} is not a finite number; correct it", path, number)


def _json_lines(path: FilePath, wanted: WantedColumns) -> Iterator[tuple[Any, LineNumbers]]:
    line = 1
    with opening.open_input(path) as stream:
        for block, ends in opening.blocks(stream, path):
            yield _objects(block, path, line, wanted)
            line += ends


def _objects(block: bytes, path: FilePath, line: int, wanted: WantedColumns) -> tuple[Any, LineNumbers]:
    """Parse lines of JSON: with pyarrow if they are alike, else one by one, which says what is wrong with which."""
    texts = block.rstrip(b"\n").split(b"\n")
    table = None if block.startswith(b"\n") or b"\n\n" in block else _alike(block, texts, wanted)
    if table is not None:
        return table, line
    numbers = [line + number for number, text in enumerate(texts) if text.strip() and not text.startswith(b"#")]
    objects = ((number, parse_object(texts[number - line], wanted.example, path, number)) for number in numbers)
    rows = [
        {name: _cell(name, found[name], path, number, wanted) for name in wanted.names if found.get(name) is not None}
        for number, found in objects
    ]
    names = [name for name in wanted.names if any(name in row for row in rows)]
    if rows and not names:
        what = f"this {wanted.what} has none of the keys {', '.join(QUERY)}"
        raise InputError(f"{what}; rename one, so that a line is like {wanted.example}", path, numbers[0])
    return _table_of({name: [row.get(name) for row in rows] for name in names}, wanted), numbers


def _alike(block: bytes, texts: Sequence[bytes], wanted: WantedColumns) -> Any:
    """Parse lines whose values are of the same types as those of the first; None if they are not."""
    import pyarrow as pa

    with suppress(pa.ArrowException, ValueError, RecursionError, TypeError):
        first = json_text.parse(texts[0])
        if not isinstance(first, dict):
            return None
        kinds = {
            name: pa.int64() if type(first[name]) is int and name not in wanted.numbers else _type(name, wanted)
            for name in wanted.names
            if name in first
        }
        table = frames.parse_json_rows(block, kinds, first)
        if len(table) == len(texts) and kinds:
            return pa.table({name: table[name].cast(_type(name, wanted)) for name in kinds})
    return None


def _cell(name: str, cell: Any, path: FilePath, number: int, wanted: WantedColumns) -> str | float:
    if name not in wanted.numbers:
        if not isinstance(cell, str | int) or isinstance(cell, bool):
            raise InputError(f"the {name} {cell!r} is neither text nor a whole number; correct it", path, number)
        text = str(cell)
        if LONE.search(text):
            what = f"the {name} {cell!r} holds half a character (a lone surrogate)"
            raise InputError(f"{what}; correct it", path, number)
        return text
    if isinstance(cell, bool) or not isinstance(cell, int | float) or not _is_finite(cell):
        raise InputError(f"the {name} {cell!r} is not a finite number; correct it", path, number)
    return float(cell)


def _is_finite(number: float) -> bool:
    return abs(number) <= float(np.finfo(np.float64).max) and isfinite(number)


def _shown(thing: Any) -> str:
    return f"{str(thing)[:40]!r}"
