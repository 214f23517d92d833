"""Tables that other programs hold, by one path: pandas, polars, pyarrow, DuckDB, Hugging Face datasets.

Each becomes a table of Arrow, through its C stream, and the columns of that become arrays; no cell becomes an object of
Python. What is a frame is told by its columns; none of these packages is imported.
"""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from fairtrec.data import MISSING, UNKNOWN, Docnos, Docs, Floats, Ints
from fairtrec.data.uneven_ids import LARGEST, STRIP, lay_out_unevenly
from fairtrec.formats.column_roles import (
    NO_ROLES,
    ONE_QUERY,
    Roles,
    describe_no_column,
    describe_unnamed,
    find_lacking,
    match_roles,
    spell_names,
)
from fairtrec.formats.columns import MOST_BYTES, WIDEST, Columns, refuse_layout
from fairtrec.formats.memory_bounds import OUTSIDE_CALENDAR
from fairtrec.formats.spans import Repeats, take_numbers
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import opening
from fairtrec.support.files.table_header import match_names
from fairtrec.support.literals import BY_RANK, DOCUMENT, QUERY, RANK, SAMPLE, SCORE, RankedBy

TEXT = ("text", "title")
NUMBERS = {"run": "score", "qrels": "grade"}  # what a row of a frame says of a document under a query
AT_ONCE = 4096  # cells that become objects of Python
MOST_OTHERS = 16  # values of a JSON line that nobody reads, of lines that are parsed together
ODD_ID = f"has an id that is empty, contains a NUL or a line end, or exceeds {WIDEST} bytes; change it"
ADVICE = "use texts or whole numbers as ids, for example with .astype(str)"


def is_frame(thing: Any) -> bool:
    """Tell a table of columns with names from what else a caller holds; it is asked by its type, and computes nothing.

    >>> is_frame({"q1": {"d7": 1.0}})
    False
    """
    kind = type(thing)
    is_stream = hasattr(kind, "__arrow_c_stream__") and hasattr(kind, "schema")
    return is_stream or hasattr(kind, "columns") or hasattr(kind, "column_names")


def list_columns(thing: Any) -> list[str]:
    """Name the columns of a frame, without a look at the rows."""
    kind = type(thing)
    if isinstance(thing, dict):  # of Hugging Face, which names splits
        return list_columns(next(iter(thing.values()))) if thing else []
    if hasattr(kind, "collect_schema"):  # of polars, whose lazy frames have no names until they are asked so
        return list(thing.collect_schema())
    named = next(name for name in ("column_names", "columns", "schema") if hasattr(kind, name))
    found = getattr(thing, named)
    return [str(name) for name in (found.names if named == "schema" else found)]


def list_levels(thing: Any) -> list[str]:
    """Name the levels of the index of a pandas frame, which may be columns."""
    pandas = sys.modules.get("pandas")
    is_pandas = pandas is not None and isinstance(thing, pandas.DataFrame)
    return [str(name) for name in thing.index.names if name is not None] if is_pandas else []


def encode_given_ids(values: Sequence[Any], what: str) -> Docs:
    """Take ids, of which those that are no texts are written as such."""
    if not len(values):
        return np.empty(0, "S1")
    texts = values if {*map(type, values)} == {str} else list(map(str, values))
    try:
        joined = "\n".join(texts).encode()  # at once, which takes half the time
    except UnicodeEncodeError:
        raise InputError(f"the {what} holds an id with half a character (a lone surrogate); correct it") from None
    encoded = joined.split(b"\n")
    is_odd = not all(encoded) or b"\0" in joined or len(encoded) > len(values)
    if is_odd or max(map(len, encoded)) > WIDEST:
        raise InputError(f"the {what} {ODD_ID}")
    return np.array(encoded, dtype=np.bytes_)


@dataclass(frozen=True, eq=False)
class Frame:
    """A table, what it is of, and where it was read from if that is a file."""

    what: str
    table: Any
    path: FilePath | None = None
    line_of: Callable[[int], int] = lambda row: row + 1
    empty: tuple[str, ...] = ()  # queries that are named without documents
    name: str = ""  # of a run
    written: Mapping[str, str] = field(default_factory=dict)  # all columns, read or not: as they match, as they stand

    @classmethod
    def wrap(cls, thing: Any, what: str, wanted: Iterable[str], name: str = "", roles: Roles = NO_ROLES) -> "Frame":
        """Take a frame; of a pandas frame these columns only, which may be levels of its index.

        ``roles``  the columns that have a role whatever their names are.

        Raises InputError for what is no table of Arrow, nor can be one: a column whose cells are of several kinds;
        and for a column with a role that is not there.
        """
        import pyarrow as pa

        if isinstance(thing, dict) and len(thing) != 1:
            splits = ", ".join(map(str, thing)) or "none"
            raise InputError(f"the {what} frame has several splits or none ({splits}); pass one of them")
        there = [*list_columns(thing), *list_levels(thing)]
        if lacking := find_lacking(there, roles):
            raise InputError(describe_no_column(lacking, there), name or None)
        try:
            wanted = {*wanted}
            table = _table(thing, {*wanted, *roles.values()})
            matches = match_roles(table.column_names, roles, wanted)
            kept = [at for at, name in enumerate(table.column_names) if name in matches or not roles]
            table = table.select(kept)
            table = table.rename_columns([matches.get(each, each) for each in table.column_names])
            return cls(what, table, name=name, written=spell_names(there, roles))
        except (pa.ArrowException, ValueError, TypeError, NotImplementedError) as fault:
            why = " ".join(map(str, fault.args))
            if "uplicate column" in why:
                raise InputError(f"the {what} frame has several columns of one name; keep one") from None
            column = re.search(r"column \S+", why)
            where = f" ({column[0]})" if column else ""
            raise InputError(f"the {what} frame cannot be read{where}; make each column one type") from None

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def find(self, names: Sequence[str]) -> str | None:
        """Find the first of these names that is one of a column."""
        return next((name for name in names if name in self.table.column_names), None)

    def ids(self, names: Sequence[str], *, uneven: bool = False) -> Docs:
        """Take a column of ids as byte strings. Raises InputError for one that no file could hold, and for nulls.

        If it may be ``uneven``, a few long ids may make it ``UnevenIds``.
        """
        name, column = self._column(names)
        return self._texts(name, column, uneven=uneven)

    def spell_groups(self, names: Sequence[str]) -> Docs:
        """Take a column of groups as byte strings: texts, numbers and true or false; ``?`` where there is none."""
        import pyarrow as pa

        from fairtrec.formats.label_rules import is_missing, word

        name, column = self._column(names)
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        is_plain = column.null_count == 0 and (pa.types.is_integer(kind) or (_is_text(kind) and _is_filled(column)))
        if not is_plain:
            try:
                cells = [UNKNOWN if is_missing(cell) else word(cell) for cell in column.to_pylist()]
            except OverflowError:
                self._refuse(self._spell(name), OUTSIDE_CALENDAR)
            if None in cells:
                self._refuse(
                    self._spell(name), "holds a group that is no text or number; correct it", cells.index(None)
                )
            column = pa.chunked_array([pa.array(cells, pa.string())])
        return self._texts(name, column)

    def floats(self, names: Sequence[str]) -> Floats:
        """Take a column of finite numbers. Raises InputError for what is none."""
        numbers: Floats = self._numbers(names)[1].astype(np.float64)
        return numbers

    def take_integers(self, names: Sequence[str]) -> Ints:
        """Take a column of integers. Raises InputError for what is none."""
        name, numbers = self._numbers(names)
        if numbers.dtype.kind == "f":
            odd = (numbers != np.floor(numbers)) | (np.abs(numbers) >= 2**63)
            if odd.any():
                self._refuse_number(name, int(odd.argmax()))
                self._refuse(self._spell(name), "is not an integer everywhere; correct it", int(odd.argmax()))
        elif numbers.dtype == np.uint64 and numbers.max(initial=0) >= 2**63:
            self._refuse(
                self._spell(name), "is not an integer of 64 bits everywhere; correct it", int(numbers.argmax())
            )
        integers: Ints = numbers.astype(np.int64)
        return integers

    def objects(self, names: Sequence[str], rows: Ints) -> Iterator[Any]:
        """Give these cells of a column as objects of Python, few at a time; None is a null."""
        import pyarrow as pa

        _, column = self._column(names)
        if pa.types.is_string(column.type) or pa.types.is_string_view(column.type):
            column = _large(column)
        for first in range(0, len(rows), AT_ONCE):
            yield from column.take(pa.array(rows[first : first + AT_ONCE])).to_pylist()

    def require(self, *several: Sequence[str]) -> None:
        """Raise InputError if none of some of these names is that of a column."""
        lacking = [names for names in several if self.find(names) is None]
        if not lacking:
            return
        placed = next((each for each in RANK if each in self.written), None)
        if lacking == [SCORE] and placed is not None:
            which = self.what if self.path is None else opening.name(self.path)
            raise InputError(
                f"{which} has {placed}s and no score; add --order position, which keeps them, or --order rank, "
                "which counts 1, 2, 3"
            )
        which = f"the {self.what} frame" if self.path is None else f"this {self.what}"
        is_run = self.what == "run" and (self.path is None or bool(self.written))
        raise InputError(describe_unnamed(which, self.written.values(), *lacking, is_run=is_run), self.path)

    def _column(self, names: Sequence[str]) -> tuple[str, Any]:
        self.require(names)
        name = self.find(names) or ""
        if self.table.column_names.count(name) > 1:
            raise InputError(f"the {self.what} frame has several columns {name}; keep one", self.path)
        return name, self.table.column(name)

    def _spell(self, name: str) -> str:
        """Name a column in a message, as it stands in the table."""
        return f"column {self.written.get(name, name)}"

    def _refuse(self, which: str, message: str, row: int | None = None) -> NoReturn:
        line = None if row is None or self.path is None else self.line_of(row)
        raise InputError(f"the {which} of the {self.what} {message}", self.path, line)

    def _refuse_number(self, name: str, row: int) -> None:
        """Raise InputError for a number of a run or qrels that a caller holds, with its query and document."""
        import pyarrow as pa

        ids = [self.find(QUERY), self.find(DOCUMENT)]
        if self.path is None and self.what in NUMBERS and None not in ids:
            number = "rank" if name in RANK else NUMBERS[self.what]
            qid, docno, value = (self.table.column(each)[row].as_py() for each in (*ids, name))
            if value is None and pa.types.is_floating(self.table.column(name).type):
                value = np.nan  # as pandas has it
            what = " ".join(dict.fromkeys(filter(None, [self.what, self.name])))
            raise InputError(describe_number(number, value, qid, docno, what))

    def _numbers(self, names: Sequence[str]) -> tuple[str, Any]:
        import pyarrow as pa

        name, column = self._column(names)
        which = self._spell(name)
        if column.null_count:
            self._refuse_number(name, _first_null(column))
            many = f"{column.null_count:,} of {len(column):,} rows hold none"
            self._refuse(which, f"is not a finite number everywhere: {many}; fill or drop these", _first_null(column))
        if pa.types.is_temporal(column.type):
            with suppress(OverflowError):  # of a time that no calendar has
                self._refuse_number(name, 0)
            self._refuse(which, "holds times instead of numbers; write numbers")
        if not pa.types.is_integer(column.type):
            try:  # a decimal by way of its digits: the conversion of Arrow is not the nearest number
                column = column.cast(pa.string()) if pa.types.is_decimal(column.type) else column
                column = column.cast(pa.float64(), safe=False)
            except pa.ArrowException:
                self._refuse_number(
                    name, next(row for row, cell in enumerate(column.to_pylist()) if not _is_float(cell))
                )
                self._refuse(which, "is not a finite number everywhere; correct it")
        parts = [take_numbers(chunk) for chunk in column.chunks if len(chunk)]
        numbers = np.concatenate(parts) if parts else np.empty(0)
        if numbers.dtype.kind == "f" and not np.isfinite(numbers).all():
            self._refuse_number(name, int(np.isfinite(numbers).argmin()))
            self._refuse(which, "is not a finite number everywhere; correct it", int(np.isfinite(numbers).argmin()))
        return name, numbers

    def _texts(self, name: str, column: Any, *, of_rows: bool = True, uneven: bool = False) -> Docs:
        """Take texts, each of a row, or else each once."""
        import pyarrow as pa

        which = self._spell(name)
        if column.null_count:
            self._refuse(which, f"is null in {column.null_count:,} of {len(column):,} rows; fill or drop these",
                         _first_null(column))  # fmt: skip
        if not len(column):
            return np.empty(0, "S1")
        if pa.types.is_dictionary(column.type):  # each text once, and then wherever it stands
            try:
                column.validate(full=True)  # of a damaged file
            except pa.ArrowException:
                self._refuse(which, "is damaged, or is not UTF-8; make it again")
            parts = [chunk for chunk in column.chunks if len(chunk)]
            found = [self._texts(name, pa.chunked_array([chunk.dictionary]), of_rows=False) for chunk in parts]
            self._refuse_large(which, max(texts.dtype.itemsize for texts in found), len(column))
            return np.concatenate(
                [texts[take_numbers(chunk.indices)] for texts, chunk in zip(found, parts, strict=True)]
            )
        kind = column.type
        if pa.types.is_floating(kind):  # astype(str) would write 1.0, which is another id than 1
            self._refuse(which, "holds numbers with a point; use whole numbers or texts as ids: .astype(int)")
        if not (pa.types.is_integer(kind) or _is_text(kind)):
            self._refuse(which, f"is of type {kind}; {ADVICE}")
        try:
            column = _large(column)
            column.validate(full=True)  # of UTF-8
        except pa.ArrowException:
            self._refuse(which, f"holds {kind} that is not UTF-8 text; {ADVICE}")
        texts: Docs = self._padded(which, column, of_rows=of_rows, uneven=uneven)
        return texts

    def _padded(self, which: str, column: Any, *, of_rows: bool, uneven: bool) -> Any:
        """Lay texts out as wide as the longest; if that takes much memory, a few at a time."""
        import pyarrow.compute as pc

        lengths = pc.binary_length(column)
        width = pc.max(lengths).as_py()
        if pc.min(lengths).as_py() == 0:
            row = pc.index(pc.equal(lengths, 0), value=True).as_py()
            self._refuse(which, "has an empty id; fill it, or leave out the row", row if of_rows else None)
        if width > WIDEST:
            self._refuse(which, ODD_ID)
        step = len(column) if width * len(column) <= LARGEST else STRIP
        places = range(0, len(column), step)
        made = sum(step * pc.max(lengths.slice(first, step)).as_py() for first in places)
        if not uneven or made > LARGEST:
            self._refuse_large(which, width, len(column))
        pieces = [self._pad(which, column.slice(first, step)) for first in places]
        left = lay_out_unevenly(pieces) if uneven and len(pieces) > 1 else None
        return np.concatenate(pieces) if left is None else left

    def _pad(self, which: str, column: Any) -> Docs:
        import pyarrow as pa
        import pyarrow.compute as pc

        lengths = pc.binary_length(column)
        width = pc.max(lengths).as_py()
        padded = pc.ascii_rpad(column, width, padding="\0")
        assert padded.type == pa.large_string()
        texts = np.concatenate(
            [
                np.frombuffer(chunk.buffers()[2], f"S{width}", len(chunk), width * chunk.offset)
                for chunk in padded.chunks
                if len(chunk)
            ]
        )
        letters = texts.view(np.uint8)
        if np.count_nonzero(letters) != pc.sum(lengths).as_py() or (letters == ord("\n")).any():
            self._refuse(which, ODD_ID)
        return texts

    def _refuse_large(self, which: str, width: int, many: int) -> None:
        if width * many > MOST_BYTES:
            self._refuse(
                which, f"has ids of {width} bytes in {many:,} rows, which do not fit into memory; shorten them"
            )
        refuse_layout(width, many, self.path, is_run=self.what == "run")


def describe_number(number: str, value: Any, qid: Any, docno: Any, what: str) -> str:
    """Say that the score or grade of a document is no such number.

    >>> describe_number("score", float("nan"), "q4", "d12", "run bm25")
    'the score of document d12 under query q4 of the run bm25 is nan; leave it out or correct it'
    """
    return f"the {number} of document {docno} under query {qid} of the {what} is {value}; leave it out or correct it"


def _is_float(cell: Any) -> bool:
    try:
        return bool(np.isfinite(float(cell)))
    except (ValueError, TypeError, OverflowError):
        return False


def list_run_names(order: RankedBy, *, ranks: bool = False, sampled: bool = False) -> tuple[str, ...]:
    """List the names by which the columns of a run are found, of those that are read: by ``rank`` no scores.

    ``ranks`` are read beside scores, and what tells apart the rankings of a query that are ``sampled``.
    """
    by_rank = order in BY_RANK
    several = [QUERY, DOCUMENT, *[SCORE] * (not by_rank), *[RANK] * (by_rank or ranks), *[SAMPLE] * sampled]
    return tuple(dict.fromkeys(name for names in several for name in names))


def read_run_columns(frame: Frame, order: RankedBy, roles: Roles = NO_ROLES, *, sampled: bool = False) -> Columns:
    """Take the columns of a run from a frame: qid, docno, the ``score``, or ``rank`` if that is the order.

    ``sampled``  also the sample of each row, as column ``Q0``. A column has one role: that of queries is found first.
    """
    is_one = roles.get("qid") == ONE_QUERY
    frame.require(*[QUERY] * (not is_one), DOCUMENT)
    docnos, own = frame.ids(DOCUMENT, uneven=frame.path is not None), frame.find(QUERY)
    qids = np.full(len(docnos), ONE_QUERY.encode()) if is_one else frame.ids(QUERY)
    found: Columns = {"qid": Repeats.find(qids), "docno": docnos}
    if sampled and not frame.written:
        what = "this object has one ranking of each query"
        raise InputError(f"{what}; leave out --samples, or write JSON lines", frame.path)
    if sampled:
        names = tuple(name for name in SAMPLE if name != own)
        found["Q0"] = frame.ids(names)
    if order == "position":
        return found | {"rank": frame.take_integers(RANK)}
    return found | ({"rank": frame.floats(RANK)} if order == "rank" else {"score": frame.floats(SCORE)})


def find_texts(frame: Frame, wanted: Docnos) -> Iterator[tuple[int, Any]]:
    """Give the row and text of each wanted document. Raises InputError for one that appears twice."""
    rows = wanted.rows(frame.ids(DOCUMENT))
    places = np.flatnonzero(rows != MISSING)
    _, firsts = np.unique(rows[places], return_index=True)
    if len(firsts) < len(places):
        if frame.path is None:
            raise InputError("the docs frame has a document twice; keep one row")
        again = int(places[np.setdiff1d(np.arange(len(places)), firsts)[0]])
        docno = wanted.names[rows[again]].decode()
        raise InputError(f"document {docno} appears twice; keep one line", frame.path, frame.line_of(again))
    yield from zip(rows[places].tolist(), take_texts(frame, places), strict=True)


def join_title(cell: Any) -> Any:
    """Join the title and the text of a document by a blank, as in a collection of JSON lines; give a text as it is."""
    if not isinstance(cell, Mapping):
        return cell
    title, text = cell.get("title") or "", cell.get("text")
    if not isinstance(title, str) or not isinstance(text, str):
        return None
    return f"{title} {text}" if title else text


def take_texts(frame: Frame, rows: Ints) -> Iterator[Any]:
    """Give these texts of a frame, with the titles that it has."""
    if frame.find(("title",)) is None:
        return frame.objects(("text",), rows)
    pairs = zip(frame.objects(("title",), rows), frame.objects(("text",), rows), strict=True)
    return (join_title({"title": title, "text": text}) for title, text in pairs)


def parse_json_rows(block: bytes, kinds: dict[str, Any], first: dict[str, Any]) -> Any:
    """Parse lines of JSON whose values are of these types of Arrow; the other keys are those of the first line.

    Raises ArrowException where a line is not like that, or has a key twice in one object, and ValueError if there are
    many other keys. Arrow looks for equal keys only among those whose types are declared, so all are.
    """
    import pyarrow as pa
    from pyarrow import json

    left = iter(range(MOST_OTHERS))
    others = {name: _guess_type(value, left) for name, value in first.items() if name not in kinds}
    table = json.read_json(
        pa.BufferReader(block),
        read_options=json.ReadOptions(use_threads=False, block_size=max(len(block), 1 << 10)),
        parse_options=json.ParseOptions(
            explicit_schema=pa.schema(kinds | others), newlines_in_values=False, unexpected_field_behavior="error"
        ),
    )
    return table.select([*kinds])


def _guess_type(value: Any, left: Iterator[int]) -> Any:
    """Guess the type of Arrow that a value of JSON has. Raises ValueError if so many values are not ``left``."""
    import pyarrow as pa

    if next(left, None) is None:
        raise ValueError("too many values beside those that are read")
    if isinstance(value, dict):
        return pa.struct([(name, _guess_type(each, left)) for name, each in value.items()])
    if isinstance(value, list):
        return pa.list_(_guess_type(value[0], left) if value else pa.string())
    return {bool: pa.bool_(), int: pa.float64(), float: pa.float64()}.get(type(value), pa.string())


def _table(thing: Any, wanted: set[str]) -> Any:
    import pyarrow as pa

    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(thing, pandas.DataFrame):
        index = match_names(filter(None, map(str, thing.index.names)), wanted) != {}
        there = [*match_names([name for name in thing.columns if isinstance(name, str)], wanted)]
        return pa.Table.from_pandas(thing, columns=there, preserve_index=index)
    if isinstance(thing, dict):  # of Hugging Face, which names splits
        thing = next(iter(thing.values()))
    if hasattr(thing, "with_format"):  # of Hugging Face; its rows may be some of those of the table behind it
        thing = thing.with_format("arrow")[:]
    elif hasattr(thing, "collect") and not hasattr(type(thing), "__arrow_c_stream__"):  # lazy
        thing = thing.collect()
    return thing if isinstance(thing, pa.Table) else pa.table(thing)


def _is_filled(column: Any) -> bool:
    """Tell whether no text of a column is empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string_view(column.type):
        column = _large(column)
    chunks = [chunk.dictionary if hasattr(chunk, "dictionary") else chunk for chunk in column.chunks]
    return all(pc.min(pc.binary_length(chunk)).as_py() != 0 for chunk in chunks)


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
                or types.is_binary(kind) or types.is_large_binary(kind))  # fmt: skip


def _large(column: Any) -> Any:
    import pyarrow as pa

    try:
        return column.cast(pa.large_string())
    except pa.ArrowNotImplementedError:  # of the views of polars, by versions of pyarrow that know them but not this
        return pa.chunked_array([pa.array(column.to_pylist(), pa.large_string())])


def _first_null(column: Any) -> int:
    import pyarrow.compute as pc

    return int(pc.index(pc.is_null(column), value=True).as_py())
