"""What the pages of a Parquet file take when they are unpacked, read from its footer and the heads of the pages.

They are read byte by byte, as the library that would read them ends the whole program over damaged ones, and believes
what the footer says of sizes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files.admission import open_file

# fields of the footer, each within the one before
ROW_GROUPS, COLUMNS, META, VALUES, PACKED, DATA, DICTIONARY = 4, 1, 3, 5, 7, 9, 11
ROWS = 3  # field of the footer, and of each group of rows
PAGE_UNPACKED, PAGE_PACKED, PAGE_VALUES = 2, 3, 1  # fields of the head of a page, and of the rest of it
ENCODINGS = {5: 2, 8: 4}  # where that rest is, by the version of the page; its field that says how texts are written
LENGTHS, PREFIXED = 6, 7  # all lengths, then all texts; each by how much of the one above it begins with
LONGEST_HEAD = 1 << 24  # bytes of the head of a page
FORGOTTEN = 100  # bytes of a column that the oldest writers did not count
UNREADABLE = IndexError, KeyError, TypeError, AttributeError, ValueError, RecursionError, OSError


@dataclass
class ColumnPages:
    """What the pages of a column hold: values, also those of lists, and bytes when they are unpacked."""

    values: int = 0
    unpacked: int = 0
    encodings: set[int] = field(default_factory=set)


def read_page_heads(path: FilePath) -> list[ColumnPages]:
    """Look at the heads of all pages of a Parquet file.

    Raises InputError for columns that lie over each other, so that no byte is unpacked twice.
    """
    try:
        with open_file(path) as file:
            end = file.seek(-8, 2)
            length = int.from_bytes(file.read(4), "little")
            file.seek(end - length)
            footer = _Compact(file.read(length)).fields()
            every = footer.get(ROW_GROUPS, [])
            rows = [group[ROWS] for group in every]
            if min(rows, default=0) < 0 or sum(rows) != footer[ROWS]:
                raise ValueError(rows)
            groups = [group[COLUMNS] for group in every]
            found = [ColumnPages() for _ in max(groups, key=len, default=[])]
            filled = [(each[META], i) for group in groups for i, each in enumerate(group) if each[META][VALUES] > 0]
            chunks = [(*_chunk(column), i) for column, i in filled]
            last = 0
            for first, behind, i in sorted(chunks):
                if not last <= first <= behind <= end - length:
                    raise ValueError(first)
                _add_pages(found[i], file, first, behind)
                last = behind
            for i, column in enumerate(found):
                column.values = max(column.values, sum(group[i][META][VALUES] for group in groups))
            return found
    except UNREADABLE:
        raise InputError("this file is cut off or damaged (its footer or a page is wrong); "
                         "make or fetch it again", path) from None  # fmt: skip


def _chunk(column: Mapping[int, Any]) -> tuple[int, int]:
    """Tell where the pages of a column begin and end."""
    first = min(column[DATA], column.get(DICTIONARY, 0) or column[DATA])
    return first, first + column[PACKED]


def _add_pages(column: ColumnPages, file: BinaryIO, at: int, end: int) -> None:
    """Add the pages between two places of a file to what a column holds."""
    while at < end:
        head, length = _head(file, at)
        packed = head[PAGE_PACKED]
        if packed < 0 or at + length + packed > end + FORGOTTEN:
            raise ValueError(packed)
        column.unpacked += max(head[PAGE_UNPACKED], packed)
        for version, encoding in ENCODINGS.items():
            if rest := head.get(version):
                column.values += max(0, rest[PAGE_VALUES])
                column.encodings.add(rest[encoding])
        at += length + packed


def _head(file: BinaryIO, at: int) -> tuple[dict[int, Any], int]:
    """Read the head of a page, of which only itself says how long it is; give it and its length."""
    size = 1 << 8
    while True:
        file.seek(at)
        read = _Compact(file.read(size))
        try:
            return read.fields(), read.at
        except IndexError:
            if size > LONGEST_HEAD or len(read.data) < size:
                raise
            size <<= 4


class _Compact:
    """Reads the compact protocol of Thrift, in which Parquet's footer is written."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def number(self) -> int:
        """Read a number of seven bits a byte, the lowest first."""
        found = 0
        for shift in range(0, 64, 7):
            byte = self.byte()
            found |= (byte & 127) << shift
            if byte < 128:
                return found
        raise ValueError(found)  # more than 64 bits

    def read_signed(self) -> int:
        found = self.number()
        return (found >> 1) ^ -(found & 1)

    def fields(self) -> dict[int, Any]:
        found: dict[int, Any] = {}
        number = 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else self.read_signed()
            found[number] = head & 15 == 1 if head & 15 < 3 else self.value(head & 15)
        return found

    def value(self, kind: int) -> Any:
        if kind in (1, 2, 3):  # truth, as it stands in lists, and a byte
            return self.byte()
        if kind in (4, 5, 6):
            return self.read_signed()
        if kind in (7, 8):
            size = 8 if kind == 7 else self.number()
            self.at += size
            if self.at > len(self.data):
                raise IndexError(self.at)
            return self.data[self.at - size : self.at]
        if kind in (9, 10):
            head = self.byte()
            many = head >> 4 if head >> 4 < 15 else self.number()
            return [self.value(head & 15) for _ in range(many)]
        if kind == 12:
            return self.fields()
        raise ValueError(kind)  # a map, of which Parquet has none
