"""Files whose columns have names, those of frames: JSON lines, one JSON object, Parquet, tables below a line of names.

One JSON object is ``{qid: {docno: number}}``, as ranx, BEIR and pytrec_eval write it, ``{qid: [docno, ...]}``, or the
predictions of MTEB, which hold one more level for the language and one for the split; ranx packs the same as CBOR,
twice with LZ4. It may also be an array of objects, which are those of JSON lines.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import chain, islice
from math import isfinite
from os import fspath
from typing import Any, BinaryIO, cast

import numpy as np

from fairtrec.formats import frames, memory_bounds, packed_object
from fairtrec.formats.column_roles import (
    NO_ROLES,
    Roles,
    describe_no_column,
    describe_unnamed,
    find_lacking,
    find_name,
    match_roles,
    reach_keys,
    spell_names,
)
from fairtrec.formats.columns import LineNumbers, describe_no_number, find_line_number
from fairtrec.formats.frames import Frame
from fairtrec.formats.named_tables import pass_comments, peek_line, split_below, take_places
from fairtrec.support.errors import FilePath, InputError, UsageError
from fairtrec.support.files import compression, json_text, opening, submissions
from fairtrec.support.files.table_header import find_header, normalize_name, read_header
from fairtrec.support.files.whole_lines import parse_object
from fairtrec.support.late_patterns import compile_late
from fairtrec.support.literals import DOCUMENT, QUERY, RecordForm

LOOKED_AT = 1 << 16  # bytes by which a form is told
LARGEST_OBJECT = 1 << 28  # bytes of one JSON object, which is parsed as a whole
MOST_VALUES = LARGEST_OBJECT >> 3  # keys, numbers, lists and objects in it, each of which takes far more than its bytes
AT_ONCE = 1 << 16  # rows of a table that are objects of Python at a time
LONE = compile_late("[\ud800-\udfff]")  # which JSON may hold, and no text of Unicode
OBJECT = compile_late(rb'\s*\{\s*"')  # how a line that is an object begins, and hardly an id
WHOLE = (
    compile_late(  # an object whose first value is one, or a list; an array of objects; an object or array of nothing
        rb'\s*(?:\{\s*"(?:[^"\\]|\\.)*+"\s*:\s*[\[{]|\[\s*(?:\{|\]\s*$)|\{\s*\}\s*$)'
    )
)
NAMED = compile_late(  # the query of a JSON line
    rb'"(?:' + "|".join(QUERY).replace("_", "[-_ ]").encode() + rb')"\s*:\s*["\d]', re.IGNORECASE
)
META = "mteb_model_meta"  # beside the rankings, in predictions of MTEB
RowBlocks = list[tuple[int, LineNumbers]]


@dataclass(frozen=True)
class WantedColumns:
    """The columns that are read of a file, ``what`` it is of, and which of them are numbers, ``number`` if alone.

    ``roles``  the columns that have a role whatever their names are; all names are then of columns.
    """

    what: str
    names: tuple[str, ...]
    numbers: tuple[str, ...]
    number: str
    roles: Roles = field(default_factory=lambda: NO_ROLES)

    def match(self, names: Iterable[str]) -> dict[str, str]:
        """Give those of these columns that are read the name by which they are found."""
        return match_roles(names, self.roles, self.names)

    def refuse_lacking(self, names: Iterable[str], path: FilePath, line: int | None = None) -> None:
        """Raise InputError if a column that has a role is not among these."""
        every = list(names)
        if lacking := find_lacking(every, self.roles):
            raise InputError(describe_no_column(lacking, every), path, line)

    def refuse_unnamed(self, names: Iterable[str], path: FilePath, line: int | None = None) -> None:
        """Raise InputError if none of these names is that of a column that is read."""
        every = list(names)
        if not self.match(every):
            is_run = self.what == "run"
            raise InputError(describe_unnamed(f"this {self.what}", every, QUERY, DOCUMENT, is_run=is_run), path, line)

    def refuse_object(self, path: FilePath) -> None:
        """Raise UsageError if columns have roles, and the file is an object without any."""
        if self.roles:
            raise UsageError(f"--columns is for tables; {fspath(path)} is one JSON object of queries")

    def number_list(self, many: int) -> Sequence[int]:
        """Give so many documents of a list the numbers that it means: falling scores, or grade 1."""
        return range(many, 0, -1) if self.number == "score" else [1] * many

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
    >>> detect_form(b'[{"qid": "q1", "docno": "d7"}]'), detect_form(b'{"q1": ["d7"]}'), detect_form(b"{}")
    ('json', 'json', 'json')
    >>> detect_form(b"q1 Q0 d7 1 0.5 t")
    >>> detect_form(b"query-id\tcorpus-id\tscore\nq1\td7\t1"), detect_form(b",qid,docid,docno,rank,score,query\n")
    ('table', 'table')
    """
    if start.startswith(opening.PARQUET):
        return "parquet"
    if packed_object.is_packed(start):
        return "json"
    line = start.partition(b"\n")[0]
    if WHOLE.match(start) and (start.lstrip()[:1] == b"[" or not NAMED.search(line)):
        return "json"
    if OBJECT.match(line):
        return "jsonl"
    header = find_header(line.decode(errors="replace"))
    is_table = header is not None and None not in map(header.find_column, (QUERY, DOCUMENT))
    return "table" if is_table else None


def read(path: FilePath, form: RecordForm, wanted: WantedColumns) -> tuple[Frame, RowBlocks]:
    """Read these columns of a file, those that it has, and the first row and the lines of each of its blocks.

    Rows of Parquet, and numbers of one JSON object, count as lines. Raises InputError for what is not in this form.
    """
    empty: tuple[str, ...] = ()
    if form == "parquet":
        with memory_bounds.open_parquet(path, f"a {wanted.what}", (*wanted.names, *wanted.roles.values())) as file:
            if not file.metadata.num_rows:
                raise InputError(wanted.empty, path)
            names = file.schema_arrow.names
            wanted.refuse_lacking(names, path)
            matches = wanted.match(names)
            part = file.read([*matches])
            parts = [part.rename_columns([matches[name] for name in part.column_names])]
        blocks: RowBlocks = [(0, 1)]
    elif form == "json":
        part, names, empty = _one_object(path, wanted)
        if not len(part) and wanted.what != "run":
            raise InputError(wanted.empty, path)
        parts, blocks = [part], [(0, 1)]
    else:
        import pyarrow as pa

        read_parts = _json_lines if form == "jsonl" else _table
        parts, blocks, row, names = [], [], 0, []
        for part, lines, written in read_parts(path, wanted):
            names = names or written
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

    return Frame(wanted.what, parts[0], path, line, empty, written=spell_names(names, wanted.roles)), blocks


def _table_of(rows: Mapping[str, Sequence[Any]], wanted: WantedColumns) -> Any:
    import pyarrow as pa

    return pa.table({name: pa.array(cells, _type(name, wanted)) for name, cells in rows.items()})


def _type(name: str, wanted: WantedColumns) -> Any:
    import pyarrow as pa

    return pa.float64() if name in wanted.numbers else pa.string()


def _one_object(path: FilePath, wanted: WantedColumns) -> tuple[Any, list[str], tuple[str, ...]]:
    """Read ``{qid: {docno: number}}``, ``{qid: [docno, ...]}``, or an array of objects; each number counts as a line.

    Give the columns, the keys of objects, and the queries that are named without documents.
    """
    with opening.open_input(path) as stream:
        start = cast("Any", stream).peek(4)[:4]
        if packed_object.is_packed(start):
            found: Any = _packed(stream, path, wanted)
        else:
            found = read_whole(
                (block for block, _ in opening.blocks(stream, path, LARGEST_OBJECT)), path, wanted.example
            )
    if isinstance(found, list) and found:
        return _array(found, path, wanted), [*dict.fromkeys(key for row in found for key in row)], ()
    wanted.refuse_object(path)
    if not isinstance(found, dict) and found != []:
        raise InputError(f"this is no JSON object; write {{qid: {{docno: {wanted.number}}}}}, or JSON lines", path)
    found = _predictions(found, path) if META in found else found or {}
    rows: dict[str, list[Any]] = {"qid": [], "docno": [], wanted.number: []}
    for qid, documents in found.items():
        numbers = _number_documents(qid, documents, path, wanted)
        rows["qid"] += [qid] * len(numbers)
        rows["docno"] += numbers
        rows[wanted.number] += map(float, numbers.values())
    if any(LONE.search(each) for each in chain(found, rows["docno"])):
        raise InputError("an id holds half a character (a lone surrogate); correct it", path)
    return _table_of(rows, wanted), [], tuple(qid for qid, documents in found.items() if not documents)


def _number_documents(qid: str, documents: Any, path: FilePath, wanted: WantedColumns) -> dict[str, Any]:
    """Give the documents of a query their numbers. Raises InputError for what is no finite number."""
    if not isinstance(documents, dict | list):
        shown = "{qid: {docno: " + wanted.number + "}}"
        raise InputError(f"query {qid[:40]!r} holds no object or list of documents; write {shown}", path)
    numbers = documents if isinstance(documents, dict) else _number_list(qid, documents, path, wanted)
    for docno, number in numbers.items():
        if type(number) not in (int, float) or not _is_finite(number):
            what = f"the {wanted.number} {_shown(number)} of document {docno[:40]!r} under query {qid[:40]!r}"
            raise InputError(f"{what} is not a finite number; correct it", path)
    return numbers


def _number_list(qid: str, documents: list[Any], path: FilePath, wanted: WantedColumns) -> dict[str, int]:
    """Give the documents of a list the numbers that it means: falling scores, or grade 1."""
    if not all(isinstance(docno, str) or type(docno) is int for docno in documents):
        raise InputError(f"the list of query {qid[:40]!r} holds other things than docnos; write them as text", path)
    ids = list(map(str, documents))
    numbers = dict(zip(ids, wanted.number_list(len(ids)), strict=True))
    if len(numbers) < len(ids):
        twice = next(docno for docno, many in Counter(ids).items() if many > 1)
        raise InputError(f"document {twice[:40]} appears twice under query {qid[:40]}; remove one of the two", path)
    return numbers


def _array(found: list[Any], path: FilePath, wanted: WantedColumns) -> Any:
    """Take the columns of an array of objects."""
    if not all(isinstance(each, dict) for each in found):
        raise InputError(f"an entry of this array is not an object; write it like {wanted.example}", path)
    return _table_of(_take_objects([(None, each) for each in found], path, wanted), wanted)


def read_whole(blocks: Iterable[bytes], path: FilePath, example: str) -> Any:
    """Parse blocks that are one text of JSON. Raises InputError if it is none, or too large for one; lines are not."""
    what = f"one JSON object of more than {LARGEST_OBJECT >> 20} MiB"
    text = _bounded(_counted(blocks, path, example), path, what, example)
    return json_text.parse_at(text, path, None, "write it again", "this is")


def _packed(stream: BinaryIO, path: FilePath, wanted: WantedColumns) -> dict[str, Any]:
    with ExitStack() as stack:
        if cast("Any", stream).peek(4)[:4] == compression.LZ4:
            stream = stack.enter_context(compression.unpack(stream, path))
        blocks = iter(lambda: stream.read(opening.BLOCK), b"")
        what = f"one object of CBOR of more than {LARGEST_OBJECT >> 20} MiB"
        data = _bounded(blocks, path, what, wanted.example)
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


def _counted(blocks: Iterable[bytes], path: FilePath, example: str) -> Iterator[bytes]:
    """Give the blocks of JSON. Raises InputError if they hold more keys and values than fit into memory."""
    values = 0
    for block in blocks:
        values += sum(map(block.count, (b":", b",", b"[", b"{")))
        if values > MOST_VALUES:
            what = f"one JSON object of more than {MOST_VALUES:,} keys and values"
            raise InputError(f"{what}; write JSON lines like {example}", path)
        yield block


def _bounded(blocks: Iterable[bytes], path: FilePath, what: str, example: str) -> bytes:
    """Join the blocks of an object. Raises InputError for far more than the file is large, and ``what`` if too much."""
    size, pieces = 0, []
    for block in blocks:
        size += len(block)
        opening.refuse_bomb(path, size)
        if size > LARGEST_OBJECT:
            raise InputError(f"{what}; write JSON lines like {example}", path)
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


def _table(path: FilePath, wanted: WantedColumns) -> Iterator[tuple[Any, LineNumbers, list[str]]]:
    """Read the lines below one that names the columns."""
    (number, head), lines = peek_line(pass_comments(opening.lines(path)))
    header = read_header(head.decode())
    next(lines, None)
    wanted.refuse_lacking(header.written, path, number)
    wanted.refuse_unnamed(header.written, path, number)
    matches = wanted.match(header.written)
    places = {match: header.written.index(name) for name, match in matches.items()}
    if twice := [name for name in map(normalize_name, matches) if header.names.count(name) > 1]:
        raise InputError(f"two columns are called {twice[0]}; rename one", path, number)
    rows = take_places(split_below(lines, header, path), header, [*places.values()], path)
    while several := [*islice(rows, AT_ONCE)]:
        numbers, cells = zip(*several, strict=True)
        columns: dict[str, Sequence[Any]] = dict(zip(places, zip(*cells, strict=True), strict=True))
        for name, match in matches.items():
            if match in wanted.numbers:
                columns[match] = [
                    _number(name, cell, path, line) for line, cell in zip(numbers, columns[match], strict=True)
                ]
        yield _table_of(columns, wanted), [*numbers], [*header.written]


def _number(name: str, cell: str, path: FilePath, number: int | None) -> float:
    with suppress(ValueError):
        found = float(cell)
        if isfinite(found) and "_" not in cell:
            return found
    raise InputError(describe_no_number(f"the {name}", cell[:40]), path, number)


def _json_lines(path: FilePath, wanted: WantedColumns) -> Iterator[tuple[Any, LineNumbers, list[str]]]:
    line = 1
    with opening.open_input(path) as stream:
        for block, ends in opening.blocks(stream, path):
            yield _objects(block, path, line, wanted)
            line += ends


def _objects(block: bytes, path: FilePath, line: int, wanted: WantedColumns) -> tuple[Any, LineNumbers, list[str]]:
    """Parse lines of JSON: with pyarrow if they are alike, else one by one, which says what is wrong with which.

    Give the columns, the lines, and the keys of the first object.
    """
    texts = block.rstrip(b"\n").split(b"\n")
    table, names = (None, []) if block.startswith(b"\n") or b"\n\n" in block else _alike(block, texts, wanted)
    if table is not None:
        return table, line, names
    numbers = [line + number for number, text in enumerate(texts) if text.strip()]
    objects = [
        (number, _let_go(parse_object(texts[number - line], wanted.example, path, number), wanted))
        for number in numbers
    ]
    names = [*objects[0][1]] if objects else []
    return _table_of(_take_objects(objects, path, wanted), wanted), numbers, names


def _let_go(found: dict[str, Any], wanted: WantedColumns) -> dict[str, Any]:
    """Let go of what keys hold that nobody reads: a line of few letters may hold a thousand lists."""
    if not any(isinstance(value, list | dict) for value in found.values()):
        return found
    read = {*wanted.match(found), *(column.partition(".")[0] for column in wanted.roles.values())}
    return {key: value if key in read else None for key, value in found.items()}


def _take_objects(
    objects: Sequence[tuple[int | None, dict[str, Any]]], path: FilePath, wanted: WantedColumns
) -> dict[str, list[Any]]:
    """Take the columns of objects, each with its line, if that is known."""
    objects = [(number, _reach_dotted(found, wanted.roles)) for number, found in objects]
    if objects:
        keys = dict.fromkeys(key for _, found in objects for key in found)
        wanted.refuse_lacking(keys, path, objects[0][0])
        wanted.refuse_unnamed(keys, path, objects[0][0])
    rows = [
        {
            name: (_number_cell if name in wanted.numbers else _text_cell)(key, found[key], path, number)
            for key, name in wanted.match(found).items()
            if found[key] is not None
        }
        for number, found in objects
    ]
    names = [name for name in wanted.names if any(name in row for row in rows)]
    return {name: [row.get(name) for row in rows] for name in names}


def _reach_dotted(found: dict[str, Any], roles: Roles) -> dict[str, Any]:
    """Add to an object what its dotted columns are inside of it: of ``query.id`` the id of the query."""
    dotted = [column for column in roles.values() if "." in column and find_name(found, column) is None]
    if not dotted:
        return found
    reached = {column: reach_keys(column.split("."))(found) for column in dotted}
    return {**found, **{column: value for column, value in reached.items() if value is not None}}


def _alike(block: bytes, texts: Sequence[bytes], wanted: WantedColumns) -> tuple[Any, list[str]]:
    """Parse lines whose values are of the same types as those of the first, and give its keys; None if they are not."""
    import pyarrow as pa

    with suppress(pa.ArrowException, ValueError, RecursionError, TypeError):
        first = json_text.parse(texts[0])
        if not isinstance(first, dict) or find_lacking(first, wanted.roles):
            return None, []
        matches = wanted.match(first)
        kinds = {
            key: pa.int64() if type(first[key]) is int and name not in wanted.numbers else _type(name, wanted)
            for key, name in matches.items()
        }
        table = frames.parse_json_rows(block, kinds, first)
        if len(table) == len(texts) and len({*matches.values()}) == len(kinds) > 0:
            return pa.table({name: table[key].cast(_type(name, wanted)) for key, name in matches.items()}), [*first]
    return None, []


def _text_cell(name: str, cell: Any, path: FilePath, number: int | None) -> str:
    """Take a text, or a whole number as one. Raises InputError for anything else."""
    if not isinstance(cell, str | int) or isinstance(cell, bool):
        raise InputError(f"the {name} {cell!r} is neither text nor a whole number; correct it", path, number)
    text = str(cell)
    if LONE.search(text):
        raise InputError(f"the {name} {cell!r} holds half a character (a lone surrogate); correct it", path, number)
    return text


def _number_cell(name: str, cell: Any, path: FilePath, number: int | None) -> float:
    """Take a finite number. Raises InputError for anything else."""
    if isinstance(cell, str):
        raise InputError(describe_no_number(f"the {name}", cell[:40]), path, number)
    if isinstance(cell, bool) or not isinstance(cell, int | float) or not _is_finite(cell):
        raise InputError(f"the {name} {cell!r} is not a finite number; correct it", path, number)
    return float(cell)


def _is_finite(number: float) -> bool:
    return abs(number) <= float(np.finfo(np.float64).max) and isfinite(number)


def _shown(thing: Any) -> str:
    return f"{str(thing)[:40]!r}"
