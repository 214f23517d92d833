"""Labels from a field of any table: JSON lines, Parquet, and CSV or TSV whose first line names the columns.

The document is under the first of the names in ``DOCUMENT``. A dotted field goes into objects and over lists.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from itertools import chain
from os import fspath
from typing import Any

import numpy as np

from fairtrec.data import UNKNOWN, Floats, is_number
from fairtrec.formats import frames, label_texts, memory_bounds
from fairtrec.formats.frames import Frame
from fairtrec.formats.label_table import LabelTable
from fairtrec.formats.spans import take_numbers
from fairtrec.support.errors import InputError
from fairtrec.support.files import json_text
from fairtrec.support.files.whole_lines import parse_object

DOCUMENT = ("docno", "doc_id", "docid", "did", "corpus-id", "page_id", "item_id", "itemID", "id")
BESIDE = ("qid", "weight", "count")  # of labels, where the field is their group
NAMES = {2: ("docno", "group"), 4: ("qid", "docno", "group", "weight")}  # of labels whose first line does not say so
AT_ONCE = 1 << 16  # rows of Parquet that become objects of Python
EXAMPLE = '{{"{}": ..., "{}": ...}}'


def reach(keys: Sequence[str]) -> Callable[[Any], Any]:
    """Make what goes into objects by these keys, and over lists on the way, which become one."""

    def reached(value: Any) -> Any:
        for key in keys:
            if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
                value = [found for each in value for found in _flat(_of(each, key))]
            else:
                value = _of(value, key)
        return value

    return reached


def _of(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else getattr(value, key, None)


def _flat(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) and not hasattr(value, "_fields") else [value]


def _document(names: Sequence[str], found: LabelTable, line: int | None = None) -> str:
    name = next((name for name in DOCUMENT if name in names), None)
    if name is None:
        what = f"there is no column or key {', '.join(DOCUMENT)}"
        raise InputError(f"{what}; rename the one with the documents", found.path, line)
    return name


def read_table(found: LabelTable, field: str = "") -> LabelTable:
    """Read labels, or the field of something else. Raises InputError for a bad line."""
    if fspath(found.path).endswith(".parquet"):
        _parquet(found, field)
        return found
    blocks = label_texts.blocks(found.path)
    first = next(blocks, (b"", 1))
    is_json = (first[0] if field else first[0].lstrip())[:1] == b"{"
    (_json_lines if is_json else _text)(found, chain([first] if field or first[0] else (), blocks), field)
    return found


def _text(found: LabelTable, blocks: Iterable[tuple[bytes, int]], field: str) -> None:
    """Read cells between tabs, those of a field between commas if there is no tab in the first line."""
    names: Sequence[str] = ()
    held: list[bytes] = []  # from the first block on that has a quotation mark, whose cells may go over lines
    roles: dict[str, str] = {}
    delimiter, first = "\t", 0
    for block, line in blocks:
        rest, number = block, line
        if not names:
            head, _, below = block.partition(b"\n")
            delimiter = "," if field and b"\t" not in head else "\t"
            names, header = _names(found, [cell.strip() for cell in head.decode().split(delimiter)], line, field)
            roles = (
                {"docno": _document(names, found, line), "group": field} if field else {name: name for name in names}
            )
            found.counted = "count" in roles
            rest, number = (below, line + 1) if header else (block, line)
        if held or (delimiter == "," and b'"' in rest):
            first = first or number
            held.append(rest)
        else:
            label_texts.take(found, rest, number, names, roles, delimiter)
    if held:
        label_texts.take(found, b"".join(held), first, names, roles, delimiter)


def _refuse_table(found: LabelTable, cells: list[str], line: int) -> None:
    """Raise InputError for a first line that names the columns of something else: of counts, or with other names."""
    names = [cell.strip().strip('"') for cell in (cells[0].split(",") if len(cells) == 1 else cells)]
    document = next((name for name in DOCUMENT if name in names), None)
    others = [name for name in names if name != document]
    if document is None or not others or not all(names):
        return
    if "tokens" in others:
        raise InputError("this is a table of counts; add --counts (counts= in Python)", found.path, line)
    field = next((name for name in others if name == "group"), others[0])
    what = f"the columns are {', '.join(names)}; choose the one with the groups"
    raise InputError(f"{what}, like {fspath(found.path)}:{field}", found.path, line)


def _names(found: LabelTable, cells: list[str], line: int, field: str) -> tuple[Sequence[str], bool]:
    """Tell what the columns are, and whether this line is the header that says so."""
    if field:
        names = [cell.strip('"') for cell in cells]
        if field not in names:
            raise InputError(f"there is no column {field}; there are {', '.join(names)}", found.path, line)
        return names, True
    if {"docno", "group"} <= {*cells} <= {*NAMES[4], "count"} and not {"weight", "count"} <= {*cells}:
        return cells, True
    _refuse_table(found, cells, line)
    if len(cells) == 3:
        return (("docno", "group", "weight") if is_number(cells[2]) else ("qid", "docno", "group")), False
    if len(cells) not in NAMES:
        many = f"{len(cells)} column{'s' * (len(cells) > 1)}"
        what = f"{many} instead of docno and group, with or without qid and weight"
        raise InputError(f"{what}; separate them by tabs", found.path, line)
    return NAMES[len(cells)], False


def _json_lines(found: LabelTable, blocks: Iterable[tuple[bytes, int]], field: str) -> None:
    """Read objects, one a line: labels, or the field of something else."""
    document = ""
    names: tuple[str, ...] = ()
    for block, line in blocks:
        if not document:
            first = parse_object(block.partition(b"\n")[0], EXAMPLE.format("docno", field or "group"), found.path, line)
            document = _document(list(first), found, line)
            names = (document, field or "group", *(() if field else BESIDE))
        table = None if block[:1] == b"\n" or b"\n\n" in block or b"\n#" in block else _alike(block, names)
        if table is not None:
            _take(found, table, names, line)
        else:
            _objects(found, block.decode(), names, line)


def _objects(found: LabelTable, block: str, names: Sequence[str], line: int) -> None:
    document, field, *beside = names
    example, path = EXAMPLE.format(document, field), found.path
    into = reach(field.split(".")) if "." in field else None
    lines: list[int] = []
    docnos: list[Any] = []
    values: list[Any] = []
    others: list[dict[str, Any]] = []
    for number, text in enumerate(block.split("\n"), line):
        if not text.strip() or text[0] == "#":
            continue
        row = parse_object(text, example, path, number)
        docnos.append(row.get(document))
        values.append(row.get(field) if into is None or field in row else into(row))
        lines.append(number)
        if beside:
            others.append({name: row[name] for name in beside if row.get(name) is not None})
    if not any(others):
        found.take(found.take_ids(docnos, lines), values, lines)
        return
    weights = _weights(found, others, lines)
    qids = found.take_ids([other.get("qid", "") for other in others], lines)
    found.add(found.take_ids(docnos, lines), found.code_groups(values, lines), weights, lines, qids)


def _weights(found: LabelTable, others: Sequence[Mapping[str, Any]], lines: Sequence[int]) -> Floats:
    """Take the weight or count that stands in each object, 1 where there is none."""
    for name in ("weight", "count"):
        for number, other in zip(lines, others, strict=True):
            if not is_number(other.get(name, 1)):
                raise InputError(f"the {name} {other[name]!r} is not a number; correct it", found.path, number)
    found.counted |= any("count" in other for other in others)
    return np.array([float(other.get("weight", other.get("count", 1))) for other in others])


def _alike(block: bytes, names: Sequence[str]) -> Any:
    """Parse a large block of lines whose values are of the same types as those of the first; None if it is none."""
    if len(block) < label_texts.LARGE or find_spec("pyarrow") is None:
        return None
    import pyarrow as pa

    try:
        first = json_text.parse(block.partition(b"\n")[0])
        kinds = {name: _kind(first[name]) for name in names[:2]} | {
            name: pa.string() if name == "qid" else pa.float64() for name in names[2:]
        }
        table = frames.parse_json_rows(block, kinds, first)
    except (pa.ArrowException, ValueError, RecursionError, TypeError, KeyError):
        return None
    ends = block.count(b"\n") + (not block.endswith(b"\n"))
    return table if len(table) == ends and not table[names[0]].null_count else None


def _kind(value: Any) -> Any:
    """Give the type of Arrow of a text, a number, or a list of texts. Raises KeyError for others."""
    import pyarrow as pa

    if isinstance(value, list):
        return pa.list_({str: pa.string()}[type(value[0]) if value else str])
    return {str: pa.string(), int: pa.int64(), float: pa.float64()}[type(value)]


def _take(found: LabelTable, table: Any, names: Sequence[str], line: int) -> None:
    """Take the labels in columns of Arrow, whose first row is on that line."""
    import pyarrow as pa

    document, field, *beside = names
    frame = Frame("labels", table, found.path, lambda row: line + row)
    docnos = frame.ids((document,))
    column = table[field]
    there = {name for name in beside if name in table.column_names and table[name].null_count < len(table)}
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_integer(kind):
        encoded = column.cast(pa.string()).fill_null(UNKNOWN).dictionary_encode()
        parts = [
            found.code_groups(chunk.dictionary.to_pylist(), line)[take_numbers(chunk.indices)]
            for chunk in encoded.chunks
        ]
        codes = np.concatenate(parts) if parts else np.empty(0, np.int64)
    elif not there:
        found.take(docnos, column.to_pylist(), line)
        return
    else:
        codes = found.code_groups(column.to_pylist(), line)
    weights = None
    for name in there - {"qid"}:
        filled = table.select([name]).set_column(0, name, table[name].fill_null(1))
        weights = Frame("labels", filled, found.path, frame.line_of).floats((name,))
        found.counted |= name == "count"
    found.add(docnos, codes, weights, line, frame.ids(("qid",)) if "qid" in there else None)


def _parquet(found: LabelTable, field: str) -> None:
    """Read columns of a Parquet file: labels, or the field of something else; rows count as lines."""
    import pyarrow as pa

    path, line = found.path, 1
    with memory_bounds.open_parquet(path, "labels", (*DOCUMENT, "group", "qid", field)) as file:
        there = file.schema_arrow.names
        top = field if field in there else field.partition(".")[0]
        wanted = top or "group"
        if wanted not in there:
            raise InputError(f"there is no column {wanted}; there are {', '.join(there)}", path)
        names = (_document(there, found), wanted, *(() if field else BESIDE))
        into = None if top == field else reach(field.split(".")[1:])
        for batch in file.iter_batches(AT_ONCE, columns=[name for name in names if name in there]):
            for piece in memory_bounds.pieces(batch, path):
                table = pa.Table.from_batches([piece])
                if into is None:
                    _take(found, table, names, line)
                else:
                    docnos = Frame("labels", table, path).ids(names[:1])
                    found.take(docnos, [into(value) for value in table[top].to_pylist()], line)
                line += len(table)
