"""What the columns of an Arrow file take when they are unpacked, read from its footer and messages, byte by byte."""

import struct
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files.admission import open_file

BLOCK = np.dtype([("offset", "<i8"), ("description", "<i4"), ("_", "<i4"), ("body", "<i8")])  # of a footer of Arrow
DICTIONARY_BATCH, RECORD_BATCH = 2, 3  # kinds of messages with columns
ENDING = 10  # bytes behind the footer of an Arrow file: its length, and how such files end
UNREADABLE = ValueError, IndexError, OSError, struct.error


def unpacked_size(path: FilePath) -> int:
    """Sum the bytes that the columns of a file take. Raises InputError if some lie over each other, or outside."""
    try:
        with open_file(path) as file:
            return sum(_unpacked(file, *message) for message in _messages(file))
    except UNREADABLE:
        raise InputError("this file is cut off or damaged (its footer or a message is wrong); "
                         "make or fetch it again", path) from None  # fmt: skip


def _messages(file: BinaryIO) -> Iterator[tuple[memoryview, int, int]]:
    """Give the description of each message with columns of an Arrow file, where its body starts, and its length.

    Raises ValueError for messages that lie over each other, or outside the file, so that no byte is read twice.
    """
    end = file.seek(-ENDING, 2)
    length = int.from_bytes(file.read(4), "little")
    end -= length
    file.seek(end)
    memory = memoryview(file.read(length))
    footer, last = _number("<I", memory, 0), 0
    places = [at for field in (2, 3) if (at := _table(memory, footer, field))]  # of dictionaries, and of rows
    blocks = [np.frombuffer(memory, BLOCK, _number("<I", memory, at), at + 4) for at in places]
    for offset, description, _, body in sorted(block for several in blocks for block in several.tolist()):
        if not (last <= offset and description > 0 and body >= 0 and offset + description + body <= end):
            raise ValueError(offset)
        last = offset + description + body
        file.seek(offset)
        yield memoryview(file.read(description)), offset + description, body


def _unpacked(file: BinaryIO, memory: memoryview, body: int, length: int) -> int:
    """Sum the sizes of the buffers of one message, each of which begins with its own if it is packed."""
    start = 8 if bytes(memory[:4]) == b"\xff\xff\xff\xff" else 4  # which the oldest have not
    message = start + _number("<I", memory, start)
    kind, header = _field(memory, message, 1, "<B"), _table(memory, message, 2)
    if kind == DICTIONARY_BATCH and header:
        header = _table(memory, header, 1)
    if kind not in (DICTIONARY_BATCH, RECORD_BATCH) or not header:
        return 0
    buffers = _table(memory, header, 2)
    if not buffers:
        return 0
    places = np.frombuffer(memory, "<i8", 2 * _number("<I", memory, buffers), buffers + 4).reshape(-1, 2)
    is_inside = 0 <= _field(memory, message, 3, "<q") <= length and places[:, 0].max(initial=0) <= length
    if not is_inside or (places < 0).any() or sum(places[:, 1].tolist()) > length:  # buffers lie over each other
        raise ValueError(length)
    if not _table(memory, header, 3):  # not packed
        return 0
    sizes = 0
    for offset, size in places.tolist():
        file.seek(body + offset)
        sizes += max(0, int.from_bytes(file.read(8), "little", signed=True)) if size >= 8 else 0
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
