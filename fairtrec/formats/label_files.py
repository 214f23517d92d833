"""Labels of any form: lines of cells, JSON lines, an array or one object of JSON, Parquet; or a field of a table.

The document is under the first of the names in ``DOCUMENT``. A dotted field goes into objects and over lists.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from itertools import chain
from os import fspath
from typing import Any

import numpy as np

from fairtrec.data import UNKNOWN, Floats, is_number
from fairtrec.formats import frames, label_texts, memory_bounds
from fairtrec.formats.column_roles import describe_no_column, describe_unnamed, find_name, reach_keys
from fairtrec.formats.columns import BELOW_NAMES
from fairtrec.formats.frames import Frame
from fairtrec.formats.label_rules import EntryLines, find_line
from fairtrec.formats.label_table import LabelTable
from fairtrec.formats.label_texts import LabelColumns
from fairtrec.formats.named_tables import JSON, TableKind
from fairtrec.formats.spans import take_numbers
from fairtrec.support.errors import InputError
from fairtrec.support.files import json_text
from fairtrec.support.files.table_header import (
    TableHeader,
    find_header,
    find_names,
    normalize_name,
    read_header,
    refuse_semicolons,
)
from fairtrec.support.files.whole_lines import parse_object
from fairtrec.support.literals import DOCUMENT, QUERY

LabelKeys = dict[str, str]  # which key the document, group, qid, weight and count have

LABELS = TableKind(
    "file of labels", {
        "qid": QUERY, "iteration": ("iteration", "iter", "q0"), "docno": DOCUMENT, "group": ("group",),
        "weight": ("weight",), "count": ("count",),
    },
    optional=frozenset({"qid", "iteration", "weight", "count"}), rest="group",
    choice="choose the one with the groups, like {path}:{name}",
)  # fmt: skip
JSON_LABELS = replace(LABELS, optional=LABELS.optional | {"group"})  # a missing one may have no key
BESIDE = ("qid", "weight", "count")  # of labels; a field has none of these
AT_ONCE = 1 << 16  # rows of Parquet that become objects of Python
EXAMPLE = '{"docno": ..., "group": ...}'
_QRELS = ("qid", "iteration", "docno", "group")
_FORMS = {  # of lines without a header, by their cells, and whether the last is a number
    (2, True): ("docno", "group"), (2, False): ("docno", "group"),
    (3, True): ("docno", "group", "weight"), (3, False): ("qid", "docno", "group"),
    (4, True): ("qid", "docno", "group", "weight"), (4, False): _QRELS,
}  # fmt: skip


def read_table(found: LabelTable, field: str = "") -> LabelTable:
    """Read labels, or the field of something else. Raises InputError for a bad line."""
    if fspath(found.path).endswith(".parquet"):
        _parquet(found, field)
        return found
    blocks = label_texts.blocks(found.path)
    first = next(blocks, (b"", 1))
    every = chain([first] if first[0] else [], blocks)
    (_json if JSON.match(first[0]) else _text)(found, every, field)
    return found


def _text(found: LabelTable, blocks: Iterable[tuple[bytes, int]], field: str) -> None:
    """Read lines of cells, whose columns the first line names; without names they are told by their number."""
    layout: LabelColumns | None = None
    held: list[bytes] = []  # from the first block on that has a quotation mark, whose cells may go over lines
    first = 0
    for block, line in blocks:
        rest, number = block, line
        if layout is None:
            head, _, below = block.partition(b"\n")
            text = head.decode()
            header = read_header(text) if field else find_header(text)
            if header is None:
                layout = _guess_layout(found, text, line)
            else:
                layout = _find_layout(found, header, line, field, below)
                passed = BELOW_NAMES.match(below).end()  # type: ignore[union-attr]  # it matches nothing at least
                rest, number = below[passed:], line + 1 + below.count(b"\n", 0, passed)
            found.counted = "count" in layout.places
        if held or (layout.is_csv and b'"' in rest):
            first = first or number
            held.append(rest)
        else:
            label_texts.take(found, rest, number, layout)
    if held and layout is not None:
        label_texts.take(found, b"".join(held), first, layout)


def _find_layout(found: LabelTable, header: TableHeader, line: int, field: str, below: bytes) -> LabelColumns:
    """Find the columns of labels, or of documents and a field, by their names."""
    if field:
        places = {"docno": _find_document(found, header, line), "group": _find_field(found, header, line, field)}
    else:
        places = _find_labels(found, header, line, below=below)
    found.id_column = header.written[places["docno"]]
    is_csv = header.is_quoted or header.separator in (",", ";")
    return LabelColumns(header.written, places, header.separator, is_csv)


def _find_labels(
    found: LabelTable, header: TableHeader, line: int | None, kind: TableKind = LABELS, below: bytes = b""
) -> dict[str, int]:
    """Find the columns of labels. Raises InputError for those of something else."""
    if "tokens" in header.names and "group" not in header.names:
        raise InputError("this is a table of counts; add --counts", found.path, line)
    places = {name: place for name, (place,) in kind.find_columns(header, found.path, line, below).items()}
    if {"weight", "count"} <= places.keys():
        raise InputError("there are columns of weights and of counts; leave out one", found.path, line)
    return {name: place for name, place in places.items() if name != "iteration"}


def _find_document(found: LabelTable, header: TableHeader, line: int | None) -> int:
    """Find the column of documents, or of what else rows are of: the one of that role, or by its name."""
    how = found.how
    if how.column and (own := find_name(header.written, how.column)) is not None:
        return header.written.index(own)
    place = header.find_column(how.names)
    if place is None:
        if how.column:
            raise InputError(describe_no_column(how.column, header.written), found.path, line)
        raise InputError(describe_unnamed("this table", header.written, how.names), found.path, line)
    return place


def _find_field(found: LabelTable, header: TableHeader, line: int | None, field: str) -> int:
    """Find the column of a field by its name, as it is written or as it matches."""
    for names, name in ((header.written, field), (header.names, normalize_name(field))):
        if name in names:
            return names.index(name)
    several = [name.strip() for name in field.split(",")]
    way_out = "; pass each column as --labels NAME=FILE:COLUMN" if {*several} <= {*header.written} else ""
    raise InputError(f"{describe_no_column(field, header.written)}{way_out}", found.path, line)


def _guess_layout(found: LabelTable, text: str, line: int) -> LabelColumns:
    """Tell the columns of lines without names by the cells of the first. Raises InputError for what is unclear."""
    separator = "\t" if "\t" in text or len(text.split()) != len(_QRELS) else None
    header = find_names(text)
    if header is None or len(header.written) < len(_FORMS[2, True]) + 1:
        refuse_semicolons(text, (separator,), found.path, line)
    cells = [cell.strip() for cell in text.split(separator)]
    is_weighed = separator is not None and is_number(cells[-1])
    names = _FORMS.get((len(cells), is_weighed))
    if names is None:
        many = f"{len(cells)} column{'s' * (len(cells) > 1)}"
        what = f"{many} instead of docno and group, with or without qid and weight"
        way_out = "separate them by tabs"
        if header is not None:
            way_out += f", or, if these are names, choose one: {fspath(found.path)}:{header.written[-1]}"
        raise InputError(f"{what}; {way_out}", found.path, line)
    if len(cells) == len(_QRELS) and is_weighed and cells[1] in ("0", "Q0"):
        what = "qid 0 docno group, or qid docno group weight? write a first line with names"
        raise InputError(what, found.path, line)
    places = {name: place for place, name in enumerate(names) if name != "iteration"}
    return LabelColumns(names, places, separator, has_comments=names == _QRELS)


def _json(found: LabelTable, blocks: Iterator[tuple[bytes, int]], field: str) -> None:
    """Read objects, one a line or in an array: labels, or the field of something else; or ``{docno: label}``."""
    keys: LabelKeys = {}
    for block, line in blocks:
        if not keys:
            first = _peek_object(block)
            if first is None or (not field and {*map(normalize_name, first)}.isdisjoint(DOCUMENT)):
                _whole(found, chain([block], (rest for rest, _ in blocks)), field, line)
                return
            keys = _find_keys(found, list(first), line, field)
            found.id_column = keys["docno"]
        table = None if block[:1] == b"\n" or b"\n\n" in block else _alike(block, keys)
        if table is not None:
            _take(found, table, line)
        else:
            read = {part for key in keys.values() for part in (key, key.partition(".")[0])}
            numbered = [(number, text) for number, text in enumerate(block.split(b"\n"), line) if text.strip()]
            rows = [
                (number, _keep_keys(parse_object(text, EXAMPLE, found.path, number), read)) for number, text in numbered
            ]
            _objects(found, rows, keys)


def _keep_keys(row: dict[str, Any], read: Container[str]) -> dict[str, Any]:
    """Let go of what keys hold that nobody reads."""
    return {key: value for key, value in row.items() if key in read}


def _peek_object(block: bytes) -> dict[str, Any] | None:
    """Read the object of the first line; None if the line holds no whole one."""
    with suppress(json_text.JsonError):
        first = json_text.parse(block.partition(b"\n")[0])
        return first if isinstance(first, dict) else None
    return None


def _whole(found: LabelTable, blocks: Iterable[bytes], field: str, line: int) -> None:
    """Read an array of objects, or ``{docno: label}``, which Python holds in the same way."""
    from fairtrec.formats.named_columns import read_whole

    every = read_whole(blocks, found.path, EXAMPLE)
    if isinstance(every, dict) and not field:
        found.take_memberships(every)
        return
    rows: list[tuple[int | None, Any]] = [(None, row) for row in (every if isinstance(every, list) else [every])]
    if not all(isinstance(row, dict) for _, row in rows):
        raise InputError(f"this is no array of objects; write it like {EXAMPLE}", found.path, line)
    keys = _find_keys(found, [*dict.fromkeys(key for _, row in rows for key in row)], None, field)
    found.id_column = keys["docno"]
    _objects(found, rows, keys)


def _find_keys(found: LabelTable, names: Sequence[str], line: int | None, field: str) -> LabelKeys:
    """Find the keys of document and group, and of what stands beside them, by those of the first object.

    A key that it lacks has its own name, as a label may be missing. A dotted field goes into objects.
    """
    header = TableHeader(tuple(names), tuple(map(normalize_name, names)), ",", is_quoted=True)
    column = found.how.column
    if field and "." in column and column.partition(".")[0] in names and find_name(names, column) is None:
        return {"docno": column, "group": field}
    document = _find_document(found, header, line)
    if field:
        return {"docno": names[document], "group": field}
    places = _find_labels(found, header, line, JSON_LABELS)
    return {role: names[places[role]] if role in places else role for role in ("docno", "group", *BESIDE)}


def _objects(found: LabelTable, rows: Sequence[tuple[int | None, Any]], keys: LabelKeys) -> None:
    """Take the labels in objects, each with its line, if that is known."""
    field = keys["group"]
    into = reach_keys(field.split(".")) if "." in field else None
    known = [line for line, _ in rows if line is not None]
    lines = known if len(known) == len(rows) else None
    values = [row.get(field) if into is None or field in row else into(row) for _, row in rows]
    docno = keys["docno"]
    find = reach_keys(docno.split(".")) if "." in docno and not any(docno in row for _, row in rows) else None
    docnos = found.take_ids([row.get(docno) if find is None else find(row) for _, row in rows], lines)
    others = [
        {role: row[keys[role]] for role in BESIDE if role in keys and row.get(keys[role]) is not None}
        for _, row in rows
    ]
    if not any(others):
        found.take(docnos, values, lines)
        return
    weights = _weights(found, others, lines)
    qids = found.take_ids([other.get("qid", "") for other in others], lines)
    found.add(docnos, found.code_groups(values, lines), weights, lines, qids)


def _weights(found: LabelTable, others: Sequence[Mapping[str, Any]], lines: EntryLines) -> Floats:
    """Take the weight or count that stands in each object, 1 where there is none."""
    for name in ("weight", "count"):
        for row, other in enumerate(others):
            if not is_number(other.get(name, 1)):
                what = f"the {name} {other[name]!r} is not a number; correct it"
                raise InputError(what, found.path, find_line(lines, row))
    found.counted |= any("count" in other for other in others)
    return np.array([float(other.get("weight", other.get("count", 1))) for other in others])


def _alike(block: bytes, keys: LabelKeys) -> Any:
    """Parse a large block of lines whose values are of the same types as those of the first; None if it is none."""
    if len(block) < label_texts.LARGE or find_spec("pyarrow") is None:
        return None
    import pyarrow as pa

    try:
        first = json_text.parse(block.partition(b"\n")[0])
        kinds = {keys[role]: _kind(first[keys[role]]) for role in ("docno", "group")} | {
            key: pa.string() if role == "qid" else pa.float64() for role, key in keys.items() if role in BESIDE
        }
        table = frames.parse_json_rows(block, kinds, first)
    except (pa.ArrowException, ValueError, RecursionError, TypeError, KeyError):
        return None
    ends = block.count(b"\n") + (not block.endswith(b"\n"))
    if len(table) != ends or table[keys["docno"]].null_count:
        return None
    return table.rename_columns([next(role for role in keys if keys[role] == key) for key in table.column_names])


def _kind(value: Any) -> Any:
    """Give the type of Arrow of a text, a number, or a list of texts. Raises KeyError for others."""
    import pyarrow as pa

    if isinstance(value, list):
        return pa.list_({str: pa.string()}[type(value[0]) if value else str])
    return {str: pa.string(), int: pa.int64(), float: pa.float64()}[type(value)]


def _take(found: LabelTable, table: Any, line: int) -> None:
    """Take the labels in columns of Arrow, which are called by what they are; the first row is on that line."""
    import pyarrow as pa

    frame = Frame("labels", table, found.path, lambda row: line + row, written={"docno": found.id_column})
    docnos = frame.ids(("docno",))
    column = table["group"]
    there = {name for name in BESIDE if name in table.column_names and table[name].null_count < len(table)}
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
    with memory_bounds.open_parquet(
        path, "labels", (*found.how.names, found.how.column, "group", "qid", field)
    ) as file:
        there = file.schema_arrow.names
        top = field if field in there else field.partition(".")[0]
        if top and top not in there:
            raise InputError(describe_no_column(top, there), path)
        keys = _find_keys(found, there, None, top)
        found.id_column = keys["docno"]
        if keys["group"] not in there:
            raise InputError(describe_no_column(keys["group"], there), path)
        roles = {key: role for role, key in keys.items() if key in there}
        into = None if top == field else reach_keys(field.split(".")[1:])
        for batch in file.iter_batches(AT_ONCE, columns=[*roles]):
            for piece in memory_bounds.pieces(batch, path):
                table = pa.Table.from_batches([piece])
                table = table.rename_columns([roles[key] for key in table.column_names])
                if into is None:
                    _take(found, table, line)
                else:
                    docnos = Frame("labels", table, path, written={"docno": found.id_column}).ids(("docno",))
                    found.take(docnos, [into(value) for value in table["group"].to_pylist()], line)
                line += len(table)
