"""Labels in tables of text, cells between separators: plain blocks of a large one by pyarrow, others by cells."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from fairtrec.data import Floats, is_number
from fairtrec.formats.columns import WIDEST, blank_comments, describe_no_number, entries
from fairtrec.formats.label_table import LabelTable
from fairtrec.formats.named_tables import describe_columns, split_quoted
from fairtrec.formats.spans import locate_texts, take_array, take_numbers
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import opening

_HEAD = re.compile(rb"(?:(?:[ \t\v\f\r]*+|#[^\n]*+)(?:\n|\Z))*+")  # blank lines and comments
LARGE = 1 << 20  # bytes of a block, from which pyarrow is worth its import
_CONTROL = bytes(code for code in (*range(32), 127) if code not in b"\t\n")
_UNTIDY = b"\n\n", b" \t", b"\t ", b" \n", b"\n "  # what cells are stripped of, and what is passed over
_ODD = re.compile(r"[\x80-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")


@dataclass(frozen=True)
class LabelColumns:
    """What the lines of a file of labels are like.

    Attributes:
        names: of the columns, for messages.
        places: the column of docno, group, and perhaps qid, weight and count.
        separator: what stands between cells; None is white space.
        is_csv: whether cells may have quotation marks.
        has_comments: whether comments may stand between the lines, as in qrels.
    """

    names: Sequence[str]
    places: Mapping[str, int]
    separator: str | None = "\t"
    is_csv: bool = False
    has_comments: bool = False


def blocks(path: FilePath) -> Iterator[tuple[bytes, int]]:
    """Give the blocks of a text and their first lines, without blank lines and comments at its start."""
    with opening.open_input(path) as stream:
        for block, line, *_ in entries(stream, path, _HEAD, longest=opening.LONGEST_OBJECT):
            yield block, line


def take(found: LabelTable, block: bytes, line: int, layout: LabelColumns) -> None:
    """Take the labels of a block whose first line has this number."""
    block = blank_comments(block)[0] if layout.has_comments else block
    if len(block) >= LARGE and _fast(found, block, line, layout):
        return
    lines: list[int] = []
    columns: dict[str, list[str]] = {role: [] for role in layout.places}
    places = [(columns[role].append, place) for role, place in layout.places.items()]
    for number, cells in _split(block, line, layout, found.path):
        if len(cells) != len(layout.names):
            raise InputError(_describe_width(cells, layout.names), found.path, number)
        lines.append(number)
        for append, place in places:
            append(cells[place].strip())
    weights = columns.get("weight", columns.get("count"))
    found.add(
        found.take_ids(columns["docno"], lines),
        found.code_groups(columns["group"], lines),
        None if weights is None else _numbers(found, weights, lines),
        lines,
        found.take_ids(columns["qid"], lines) if "qid" in columns else None,
    )


def _describe_width(cells: Sequence[str], names: Sequence[str]) -> str:
    """Say what is wrong with a line of other than these columns."""
    if len(cells) == len(names) + 1 and "weight" not in names and is_number(cells[-1]):
        return f"weights need a column in every line; write: {' '.join(names)} weight"
    return describe_columns(len(cells), names)


def _numbers(found: LabelTable, cells: list[str], lines: list[int]) -> Floats:
    with suppress(ValueError):
        numbers = np.array(list(map(float, cells)))
        if np.isfinite(numbers).all() and not any("_" in cell for cell in cells):
            return numbers
    row = next(row for row, cell in enumerate(cells) if not is_number(cell))
    what = "count" if found.counted else "weight"
    raise InputError(describe_no_number(f"the {what}", cells[row], "a number"), found.path, lines[row])


def _split(block: bytes, line: int, layout: LabelColumns, path: FilePath) -> Iterator[tuple[int, list[str]]]:
    rows = ((number, row) for number, row in enumerate(block.split(b"\n"), line) if row.strip())
    if layout.is_csv:
        return split_quoted(rows, layout.separator or " ", path)
    return ((number, row.decode().split(layout.separator)) for number, row in rows)


def _is_plain(block: bytes, layout: LabelColumns) -> bool:
    """Tell whether the cells of a block are what stands between separators: no quotes, and nothing to strip."""
    if len(block.translate(None, _CONTROL)) < len(block) or any(mark in block for mark in _UNTIDY):
        return False
    if layout.separator is None or block[:1] in b" \t\n" or (layout.is_csv and b'"' in block):
        return False
    return block.isascii() or _ODD.search(block.decode()) is None


def _read_plain(block: bytes, layout: LabelColumns) -> Any:
    """Parse a plain block into a table of pyarrow; None if a row is not like the others, or a number is none."""
    import pyarrow as pa
    from pyarrow import csv as fast

    kinds = {"group": pa.dictionary(pa.int32(), pa.string()), "weight": pa.float64(), "count": pa.float64()}
    wanted = {str(place): kinds.get(role, pa.string()) for role, place in layout.places.items()}
    names = [str(place) for place in range(len(layout.names))]
    with suppress(pa.ArrowInvalid):
        return fast.read_csv(
            pa.BufferReader(block),
            read_options=fast.ReadOptions(column_names=names, block_size=1 << 20, use_threads=False),
            parse_options=fast.ParseOptions(delimiter=layout.separator, quote_char=False, double_quote=False),
            convert_options=fast.ConvertOptions(
                column_types=wanted, include_columns=list(wanted), null_values=[], strings_can_be_null=False
            ),
        )
    return None


def _fast(found: LabelTable, block: bytes, line: int, layout: LabelColumns) -> bool:
    """Take a plain block as a whole; tell whether it was one."""
    if not _is_plain(block, layout) or find_spec("pyarrow") is None:
        return False
    table = _read_plain(block, layout)
    if table is None:
        return False
    read: dict[str, Any] = {}
    for role, place in layout.places.items():
        column = table.column(str(place))
        if role in ("docno", "qid"):
            lengths = [ends - starts for _, starts, ends in map(locate_texts, column.chunks)]
            if max(map(np.max, lengths)) > WIDEST:
                return False
        if role == "group":
            read[role] = np.concatenate([
                found.code_groups(chunk.dictionary.to_pylist())[take_numbers(chunk.indices)] for chunk in column.chunks
            ])  # fmt: skip
        else:
            read[role] = take_array(column)
    weights = read.get("weight", read.get("count"))
    if weights is not None and not np.isfinite(weights).all():
        return False
    found.add(read["docno"], read["group"], weights, line, read.get("qid"))
    return True
