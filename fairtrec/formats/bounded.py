"""Parquet, Arrow and npz that would take far more memory than they are large: refused before any of it is taken.

What a file says of its own sizes is read here byte by byte, as the libraries that would read it end the whole program
over a damaged one. Where it cannot be read, it is left to them to say what is wrong.
"""

import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import fspath
from pathlib import Path
from typing import Any

from fairtrec.errors import FilePath, InputError
from fairtrec.files.opening import is_stream, refuse_bomb
from fairtrec.formats.columns import WIDEST

LEAST = 8  # bytes that a value takes in memory at least, however often it repeats the one above
WIDE = f"a docno of more than {WIDEST} bytes, or with a NUL; give it another"
ROW_GROUPS, COLUMNS, META, VALUES = 4, 1, 3, 5  # fields of Parquet's footer, each within the one before
_UNREADABLE = IndexError, KeyError, TypeError, AttributeError, ValueError, RecursionError, OSError, struct.error


@contextmanager
def parquet_of(path: FilePath, what: str, texts: tuple[str, ...]) -> Iterator[Any]:
    """Open a Parquet file, of a run or of labels; what goes wrong with it becomes an InputError that says so."""
    import pyarrow as pa

    if is_stream(path):
        raise InputError("Parquet is read from its end, which a stream does not have yet; give a file", path)
    try:
        with parquet(path, texts) as file:
            yield file
    except (pa.ArrowException, OSError, ValueError, OverflowError) as fault:  # text that is no UTF-8, a year 30000
        why = str(fault).splitlines()[0]
        raise InputError(f"this is no Parquet file of {what} ({why}); write it again", path) from None


@contextmanager
def parquet(path: FilePath, texts: tuple[str, ...] = ()) -> Iterator[Any]:
    """Open a Parquet file; of the columns ``texts`` each text is held once, wherever it stands."""
    from pyarrow import parquet

    with parquet.ParquetFile(fspath(path)) as file:
        refuse_bomb(path, file.metadata.num_rows * LEAST)
        groups = range(file.metadata.num_row_groups)
        refuse_bomb(path, sum(file.metadata.row_group(group).total_byte_size for group in groups))
        refuse_bomb(path, _values(path) * LEAST)
        there = [field.name for field in file.schema_arrow if field.name in texts and not field.type.num_fields]
        widest = max([1, *(getattr(field.type, "list_size", 1) for field in file.schema_arrow)])
        refuse_bomb(path, file.metadata.num_rows * widest)  # of which a row that has none takes as much
    with parquet.ParquetFile(fspath(path), read_dictionary=there) as file:
        yield file


def refuse_wide(column: Any, path: FilePath) -> None:
    """Raise InputError for a docno that is too long, before it is repeated as often as it stands there."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = column.dictionary if pa.types.is_dictionary(column.type) else column
    if (pc.max(pc.binary_length(texts)).as_py() or 0) > WIDEST:
        raise InputError(WIDE, path)


def refuse_compressed(path: FilePath) -> None:
    """Raise InputError for an Arrow file whose columns are far larger when they are unpacked."""
    import pyarrow as pa

    unpacked = 0
    with suppress(*_UNREADABLE), pa.memory_map(fspath(path)) as file:
        memory = memoryview(file.read_buffer()).cast("B")
        for start, body in _messages(memory):
            unpacked += _unpacked(memory, start, body)
    refuse_bomb(path, unpacked)


def refuse_archive(path: FilePath) -> None:
    """Raise InputError for an npz whose arrays are far larger than it is, or than what is packed in it."""
    from zipfile import ZipFile

    with ZipFile(path) as archive:
        refuse_bomb(path, sum(each.file_size for each in archive.infolist()))


def _values(path: FilePath) -> int:
    """Count the values of the longest column: rows, and what the lists in them hold."""
    with suppress(*_UNREADABLE), Path(path).open("rb") as file:
        end = file.seek(-8, 2)
        length = int.from_bytes(file.read(4), "little")
        file.seek(end - length)
        groups = _Compact(file.read(length)).fields().get(ROW_GROUPS, [])
        columns = [[column[META][VALUES] for column in group[COLUMNS]] for group in groups]
        return max(map(sum, zip(*columns, strict=True)), default=0)
    return 0


class _Compact:
    """Reads the compact protocol of Thrift, in which Parquet's footer is written."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def number(self) -> int:
        """Read a number of seven bits a byte, the lowest first."""
        found = shift = 0
        while True:
            byte = self.byte()
            found |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return found

    def signed(self) -> int:
        found = self.number()
        return (found >> 1) ^ -(found & 1)

    def fields(self) -> dict[int, Any]:
        found: dict[int, Any] = {}
        number = 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else self.signed()
            found[number] = head & 15 == 1 if head & 15 < 3 else self.value(head & 15)
        return found

    def value(self, kind: int) -> Any:
        if kind in (1, 2, 3):  # truth, as it stands in lists, and a byte
            return self.byte()
        if kind in (4, 5, 6):
            return self.signed()
        if kind in (7, 8):
            size = 8 if kind == 7 else self.number()
            self.at += size
            return self.data[self.at - size : self.at]
        if kind in (9, 10):
            head = self.byte()
            many = head >> 4 if head >> 4 < 15 else self.number()
            return [self.value(head & 15) for _ in range(many)]
        if kind == 12:
            return self.fields()
        raise ValueError(kind)  # a map, of which Parquet has none


def _messages(memory: memoryview) -> Iterator[tuple[int, int]]:
    """Give where the description of each message of an Arrow file starts, and where its body does."""
    at = 8
    while bytes(memory[at : at + 4]) == b"\xff\xff\xff\xff" and (length := _number("<i", memory, at + 4)):
        start, body = at + 8, at + 8 + length
        yield start, body
        table = start + _number("<I", memory, start)
        at = body + _field(memory, table, 3, "<q")


def _unpacked(memory: memoryview, start: int, body: int) -> int:
    """Sum the sizes of the buffers of one message, each of which begins with its own if it is packed."""
    message = start + _number("<I", memory, start)
    if _field(memory, message, 1, "<B") != 3 or not (header := _table(memory, message, 2)):  # no batch of rows
        return 0
    buffers = _table(memory, header, 2)
    if not buffers or not _table(memory, header, 3):  # not packed
        return 0
    sizes = 0
    for i in range(_number("<I", memory, buffers)):
        offset, length = struct.unpack_from("<qq", memory, buffers + 4 + 16 * i)
        sizes += max(0, _number("<q", memory, body + offset)) if length >= 8 else 0
    return sizes


def _number(kind: str, memory: memoryview, at: int) -> int:
    return int(struct.unpack_from(kind, memory, at)[0])


def _place(memory: memoryview, table: int, field: int) -> int:
    """Find a field of a table of flatbuffers; 0 if it has none."""
    names = table - _number("<i", memory, table)
    at = 4 + 2 * field
    offset = _number("<H", memory, names + at) if at < _number("<H", memory, names) else 0
    return table + offset if offset else 0


def _field(memory: memoryview, table: int, field: int, kind: str) -> int:
    at = _place(memory, table, field)
    return _number(kind, memory, at) if at else 0


def _table(memory: memoryview, table: int, field: int) -> int:
    at = _place(memory, table, field)
    return at + _number("<I", memory, at) if at else 0
