"""Compressed streams, told by how they start: gzip, bzip2, xz, Zstandard, LZ4."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from fairtrec.support.errors import FilePath, InputError

GZIP, BZIP2, XZ, ZSTANDARD, LZ4 = b"\x1f\x8b", b"BZh", b"\xfd7zX", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18"
STARTS = (GZIP, BZIP2, XZ, ZSTANDARD, LZ4)
ENDINGS = (".gz", ".bz2", ".xz", ".zst", ".lz4")  # of the names of such files
MOST_MEMORY = 1 << 27  # bytes that unpacking may take; of `xz -9` it is half of that
PIECE = 1 << 16


@contextmanager
def unpack(raw: Any, path: FilePath) -> Iterator[BinaryIO]:
    """Give what was packed, of a stream that can be looked into. Raises EOFError or OSError for what is damaged."""
    magic = raw.peek(4)[:4]
    if magic.startswith(GZIP):
        import gzip

        with gzip.open(raw) as stream:
            yield cast("BinaryIO", stream)
    elif magic.startswith(BZIP2):
        import bz2

        with bz2.open(raw) as stream:
            yield cast("BinaryIO", stream)
    elif magic == XZ:
        yield io.BufferedReader(cast("Any", _Xz(raw, path)), 1 << 20)
    else:
        import pyarrow as pa

        codec = "zstd" if magic == ZSTANDARD else "lz4"
        if not pa.Codec.is_available(codec):
            raise InputError(f"this pyarrow has no {codec}; unpack the file, or install another pyarrow", path)
        with pa.PythonFile(raw, mode="r") as file, pa.CompressedInputStream(file, codec) as stream:
            yield io.BufferedReader(stream, 1 << 20)


class _Xz(io.RawIOBase):
    """The streams of an xz file, one after the other; that of the standard library takes any amount of memory."""

    def __init__(self, raw: BinaryIO, path: FilePath) -> None:
        self.raw, self.path, self.held = raw, path, b""
        self.one = self._new()

    @staticmethod
    def _new() -> Any:
        import lzma

        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MOST_MEMORY)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        import lzma

        found = b""
        while not found:
            if self.one.eof and not self._begins():
                return 0
            data = self.held
            if not data and self.one.needs_input:
                data = self.raw.read(PIECE)
                if not data:
                    raise EOFError("it ended before the end of a stream")
            self.held = b""
            try:
                found = self.one.decompress(data, len(buffer))
            except lzma.LZMAError as fault:
                if "limit" in str(fault):
                    most = f"unpacking it needs more than {MOST_MEMORY >> 20} MiB of memory"
                    raise InputError(f"{most}; compress it again, with xz -9 or less", self.path) from None
                raise EOFError(str(fault)) from None
        buffer[: len(found)] = found
        return len(found)

    def _begins(self) -> bool:
        """Tell whether another stream follows, perhaps behind zeros, and get ready for it."""
        self.held = self.one.unused_data.lstrip(b"\0")
        while not self.held and (data := self.raw.read(PIECE)):
            self.held = data.lstrip(b"\0")
        if self.held:
            self.one = self._new()
        return bool(self.held)


ARCHIVES = {
    b"PK\x03\x04": "a zip archive", b"PK\x05\x06": "a zip archive", b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!\x1a\x07": "a rar archive",
}  # fmt: skip


ZIP, OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"  # how xlsx and ods start, and xls
NAME_AT = 30  # bytes before the name of the first file in a zip archive
IN_SHEETS = (
    b"[Content_Types].xml",
    b"_rels/",
    b"docProps/",
    b"xl/",
    b"mimetypeapplication/vnd.oasis.opendocument.spread",
)


def is_spreadsheet(start: bytes) -> bool:
    """Tell a workbook of Excel or OpenDocument, which are archives, by its start."""
    return start.startswith(OLE) or (start.startswith(ZIP) and start[NAME_AT:].startswith(IN_SHEETS))


def detect_foreign(start: bytes) -> tuple[str, str] | None:
    """Tell by its start what is no text of UTF-8 at all: the code of that, and what to do; None for what may be a run.

    >>> detect_foreign("q1 Q0 d7 1 0.5 t".encode("utf-16-le"))[1]
    'this is UTF-16; save it as UTF-8, as with: iconv -f UTF-16LE -t UTF-8'
    """
    if is_spreadsheet(start):
        return (
            "E101",
            "this is a spreadsheet, such as an Excel workbook; save the sheet as CSV UTF-8, and pass that file",
        )
    what = next((what for magic, what in ARCHIVES.items() if start.startswith(magic)), "")
    if start[257:262] == b"ustar":
        what = "a tar archive"
    if what:
        return "E101", f"this is {what}; unpack it (gzip, bzip2, xz, Zstandard and LZ4 are read as they are)"
    head = start[:256]
    if not any(head):
        return None  # zeros alone are no text of any kind
    for name, zeros, mark in (("UTF-16LE", head[1::2], b"\xff\xfe"), ("UTF-16BE", head[::2], b"\xfe\xff")):
        if len(head) > 8 and zeros.count(0) > len(zeros) * (0.5 if head.startswith(mark) else 0.9):
            return "E103", f"this is UTF-16; save it as UTF-8, as with: iconv -f {name} -t UTF-8"
    return None


def strip_suffix(name: str) -> str:
    """Take the ending of a compressed file from its name.

    >>> strip_suffix("bm25.run.gz")
    'bm25.run'
    """
    return next((name.removesuffix(ending) for ending in ENDINGS if name.endswith(ending)), name)
