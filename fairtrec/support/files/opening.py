"""Opening what a user names: a plain or compressed file, or ``-`` for standard input.

Compression is told from the first bytes, not from the name.
"""
# ruff: noqa: PTH116, PTH123 - pathlib takes its time to be imported

import io
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from os import fspath
from typing import Any, BinaryIO, cast

from fairtrec.support.compiled import extension
from fairtrec.support.errors import FilePath, InputError, reason
from fairtrec.support.files import compression
from fairtrec.support.files.admission import open_file, refuse_unrecorded
from fairtrec.support.files.compression import detect_foreign
from fairtrec.support.progress import listener, report

STDIN = "-"
BLOCK = 1 << 21  # bytes; about 50,000 lines of a run
PARQUET = b"PAR1"  # how a Parquet file starts
LONGEST_LINE = 1 << 20  # bytes of a line of ids and numbers
LONGEST_OBJECT = 1 << 24  # bytes of a line with lists in it, or with fields beside the one that is read
LONGEST_TEXT = 1 << 26  # bytes of a line that holds a text
LARGEST_REST = 1 << 26  # bytes of a stream that nobody had a use for
LARGEST_BLANK = 1 << 22  # bytes of blank lines
LARGEST_UNPACKED = 1 << 24  # bytes of a compressed file, unless it is not much smaller itself
MOST_TIMES = 200  # so much; texts are packed to a third or a tenth
LONGEST_HEADER = (1 << 12) + 2  # bytes of a first line that may name columns, with its end
FIRST_LINES = 1000  # lines among which the first one is looked for
MOST_FIRST_LINES = 1 << 14  # files
RETURNS = 1 << 16  # bytes by which line ends are told
CR_ONLY = "lines end in CR only; convert it: tr '\\r' '\\n' < FILE"
NO_LINES = "this file has no lines; was it written to the end?"
PIECE = 1 << 17  # bytes that are looked at at once
LARGE = 1 << 20  # bytes, from which pyarrow is worth its import
DAMAGE = (EOFError, OSError, zlib.error)


class _Hashed(io.RawIOBase):
    """A raw stream that keeps the sha256 and the number of bytes that were read, and how they ``start``, unpacked."""

    def __init__(self, raw: BinaryIO) -> None:
        self.raw, self.many, self.start = raw, 0, b""
        import hashlib

        self.sha256 = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.raw.read(len(buffer))
        self.sha256.update(data)
        self.many += len(data)
        buffer[: len(data)] = data
        return len(data)


_streams: dict[str, tuple[Any, str]] = {}  # what cannot be read again: the file that it was, and its sha256
_pipes: set[tuple[int, int]] = set()  # that have been opened, under any name: device and number
_first_lines: dict[str, tuple[int, bytes]] = {}  # of files that were read
_reading: dict[str, _Hashed] = {}  # of these, what is being read


def is_stream(path: FilePath) -> bool:
    """Tell standard input and pipes, which can be read only once, from files."""
    if fspath(path) == STDIN:
        return True
    try:
        mode = os.stat(fspath(path).rstrip("/") or ".").st_mode
    except (OSError, ValueError):  # a name that no file can have
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@contextmanager
def open_input(path: FilePath, buffer: int = 1 << 20) -> Iterator[BinaryIO]:
    """Open a file for reading as decompressed bytes; trouble while reading it becomes an InputError naming it.

    ``buffer`` are the bytes that are read at once of a file, of which who looks at the first line wants few.
    """
    if "\0" in fspath(path):
        raise InputError("a file name cannot contain a NUL; correct it", path)
    try:
        file: Any = _once(path) if is_stream(path) else open_file(path, buffer)
        with file as raw:
            if not raw.peek(4)[:4].startswith(compression.STARTS):
                yield raw
                return
            with compression.unpack(raw, path) as stream:
                yield stream
    except FileNotFoundError:
        raise InputError("there is no such file; check the name", path) from None
    except IsADirectoryError:
        raise InputError("this is a folder; pass a file in it", path) from None
    except PermissionError:
        raise InputError("this file may not be read; change its permissions", path) from None
    except DAMAGE as fault:
        raise InputError(describe_damage(fault), path) from None


def describe_damage(fault: BaseException) -> str:
    """Say what is wrong with a file that cannot be read to its end."""
    import gzip

    if isinstance(fault, EOFError | gzip.BadGzipFile | zlib.error):
        return f"the compressed data is cut off or damaged ({fault}); make or fetch it again"
    return f"reading failed ({reason(fault)}); make or fetch the file again"


def name(path: FilePath) -> str:
    """Take the name of a file from its path, as text: bytes that are no UTF-8 become escapes.

    >>> name("texts/docs.tsv"), name("docs\\udcff.tsv")
    ('docs.tsv', 'docs\\\\udcff.tsv')
    """
    return fspath(path).rsplit("/", 1)[-1].encode(errors="backslashreplace").decode()


@contextmanager
def _once(path: FilePath) -> Iterator[Any]:
    """Open what can be read only once, and remember what it was and its digest."""
    name = fspath(path)
    refuse_unrecorded(path)
    if name == STDIN:
        if sys.stdin is None:
            raise InputError("standard input is closed; pass a file", path)
        if name in _streams and _streams[name][0] is sys.stdin:
            raise InputError("standard input can be read only once; pass a file for one of the two", path)
    with suppress(io.UnsupportedOperation):  # what stands for standard input in Python is no file
        at = os.fstat(sys.stdin.fileno()) if name == STDIN else os.stat(name.rstrip("/") or ".")
        pipe = at.st_dev, at.st_ino
        if pipe in _pipes:  # to open it again would wait for somebody to write into it again
            raise InputError("this pipe can be read only once, but is needed twice; pass a file", path)
        if stat.S_ISFIFO(at.st_mode):
            _pipes.add(pipe)
    with ExitStack() as stack:
        raw = (
            sys.stdin.buffer
            if name == STDIN
            else stack.enter_context(open(fspath(path).rstrip("/") or ".", "rb", buffering=0))
        )
        hashed = _reading[name] = _Hashed(cast("Any", raw))
        yield io.BufferedReader(cast("Any", hashed), 1 << 20)
        size = 0
        while rest := raw.read(BLOCK):  # what nobody had a use for belongs to the digest too
            hashed.sha256.update(rest)
            size += len(rest)
            if size > LARGEST_REST:
                raise InputError("the data is followed by endless other bytes; pass a file", path)
        _streams[name] = sys.stdin, hashed.sha256.hexdigest()


def peek_stream(path: FilePath) -> bytes:
    """Give the first bytes that were read, unpacked, of what cannot be read again; none if it could not be opened."""
    held = _reading.get(fspath(path))
    return held.start if held is not None else b""


def sha256(path: FilePath) -> str:
    """Hash the file as it lies there, compressed or not; a stream once it has been read."""
    if is_stream(path):
        return _streams.get(fspath(path), (None, ""))[1]
    try:
        with open_file(path) as file:
            import hashlib

            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as fault:  # a folder that nothing asked to read, or a file that is gone by now
        raise InputError(f"cannot be read ({fault.strerror}); check the name", path) from None


def blocks(
    stream: BinaryIO, path: FilePath, longest: int = 0, spare: list[bytearray] | None = None
) -> Iterator[tuple[bytes, int]]:
    """Read about BLOCK bytes at a time, cut at line ends, without a byte-order mark; each with its number of LFs.

    Lines end in LF or CR LF, and are no longer than ``longest`` (LONGEST_LINE) bytes. Each block is checked to be UTF-8
    without NUL bytes. ``spare``  buffers to read into: put a block there when you no longer need it.
    """
    longest = longest or LONGEST_LINE
    line, unpacked, blank = 1, 0, 0
    first = True
    while block := _read_block(stream, None if first else spare):
        unpacked += len(block)
        blank = _blank(block, blank) if block[-16:].isspace() else 0
        if unpacked > LARGEST_UNPACKED or blank > LARGEST_BLANK:
            refuse_bomb(path, unpacked, blank)
        if not block.endswith(b"\n"):
            block += stream.readline(longest + 1)
        refuse_long(block, longest, path, line)
        if first:
            block = block.removeprefix(b"\xef\xbb\xbf")
            first = False
            _remember_first_line(path, block)
            if fspath(path) in _reading:
                _reading[fspath(path)].start = block[:64]
        ends, odd, returns = survey(block)
        if odd:
            check_text(block, path, line)
        if line == 1 and returns:
            refuse_returns(block, path)
        line += ends
        if listener.get() is not None:
            report(fspath(path), position(stream), size(path))
        yield block.replace(b"\r\n", b"\n") if returns else block, ends


def _remember_first_line(path: FilePath, block: bytes) -> None:
    """Remember the first line of a file that is neither blank nor a comment, if it is among the first ones."""
    at = 0
    for number in range(1, FIRST_LINES + 1):
        end = block.find(b"\n", at) + 1 or len(block)
        line = bytes(block[at : min(end, at + LONGEST_HEADER)])
        if line.strip() and not line.startswith(b"#"):
            if len(_first_lines) >= MOST_FIRST_LINES:
                _first_lines.clear()
            _first_lines[fspath(path)] = number, line
            return
        at = end


def recall_first_line(path: FilePath) -> tuple[int, bytes]:
    """Give the number and the text of the first line that is neither blank nor a comment, as it was when it was read.

    A file that another process read is looked into again. Raises InputError for what has no such line.
    """
    if fspath(path) not in _first_lines:
        number, line, _ = first_line(path, b"#")
        return number, line[:LONGEST_HEADER]
    return _first_lines[fspath(path)]


def _read_block(stream: BinaryIO, spare: list[bytearray] | None) -> Any:
    """Read BLOCK bytes, into a buffer that was used before if there is one, as its memory need not be fetched anew."""
    if spare is None:
        return stream.read(BLOCK)
    if not spare and isinstance(stream, io.BufferedReader) and not stream.peek(1):
        return b""  # a small file ends before it needs a buffer
    buffer = spare.pop() if spare else bytearray(BLOCK + BLOCK // 64)  # with room for the rest of a line
    buffer += bytes(max(BLOCK - len(buffer), 0))
    del buffer[BLOCK:]
    filled = 0
    with memoryview(buffer) as view:
        while filled < BLOCK and (many := stream.readinto(view[filled:])):  # type: ignore[attr-defined]
            filled += many
    del buffer[filled:]
    return buffer


def refuse_long(block: bytes, longest: int, path: FilePath, line: int) -> None:
    """Refuse a line of more than so many bytes before it is taken apart; ``line`` is the number of the first one."""
    first = 0
    while len(block) - first > longest:
        end = block.rfind(b"\n", first, first + longest + 1) + 1
        if not end:
            message = f"a line of more than {longest >> 20} MiB; break it up"
            raise InputError(message, path, line + block.count(b"\n", 0, first))
        first = end


def pass_blank_lines(stream: BinaryIO) -> bytes:
    """Read blank lines at the place where a stream stands, as many as are at hand; strangers send millions of them."""
    ahead: bytes = cast("Any", stream).peek(1)
    return stream.read(ahead.rfind(b"\n", 0, len(ahead) - len(ahead.lstrip())) + 1)


def _blank(block: bytes, before: int) -> int:
    """Count the blank bytes at the end of a block, and those before it if it is nothing else."""
    return before + len(block) if block.isspace() else len(block) - len(block.rstrip())


def survey(block: bytes) -> tuple[int, bool, bool]:
    """Count the line ends of a block; tell whether it has bytes beyond ASCII or NUL, and whether it has CR.

    >>> survey(b"a\\r\\nb\\n"), survey("é".encode())
    ((2, False, True), (0, True, False))
    """
    if extension is not None:
        found: tuple[int, bool, bool] = extension.survey(block)
        return found
    return _ends_in(block), not block.isascii() or b"\0" in block, b"\r" in block


def _ends_in(block: bytes) -> int:
    """Count line ends, of a large block many times as fast as bytes do."""
    if len(block) < LARGE:
        return block.count(b"\n")
    import numpy as np

    letters = np.frombuffer(block, np.uint8)
    pieces = range(0, len(letters), PIECE)
    return sum(int(np.count_nonzero(letters[first : first + PIECE] == ord("\n"))) for first in pieces)


def position(stream: BinaryIO) -> int:
    """Tell how many bytes of the file have been read, compressed if it is."""
    raw = getattr(stream, "fileobj", None) or getattr(stream, "_fp", None) or stream
    try:
        return int(raw.tell())
    except (OSError, AttributeError, ValueError):
        return 0


def size(path: FilePath) -> int:
    """Tell how many bytes a file has; 0 of a stream, of which nobody knows."""
    return 0 if is_stream(path) else os.stat(fspath(path).rstrip("/") or ".").st_size


def refuse_returns(start: bytes, path: FilePath) -> None:
    """Refuse a file whose lines end in CR only, by its first 64 KiB."""
    start = start[:RETURNS].rstrip(b"\r")
    if b"\r" in start and b"\n" not in start:
        raise InputError(CR_ONLY, path)


def refuse_bomb(path: FilePath, unpacked: int, blank: int = 0) -> None:
    """Refuse a file of which so many bytes have been unpacked, if that is far more than any text is packed to.

    ``blank``  bytes at the end of these are of blank lines.
    """
    if unpacked > LARGEST_UNPACKED:
        packed = _reading[fspath(path)].many if is_stream(path) else size(path)
        if 0 < packed * MOST_TIMES < unpacked:
            message = f"more than {MOST_TIMES} times as large when it is unpacked; check that it is the right file"
            raise InputError(message, path)
    if blank > LARGEST_BLANK:
        raise InputError(endlessly_blank(), path)


def endlessly_blank() -> str:
    """Say that there are far more blank lines than anybody writes."""
    return f"more than {LARGEST_BLANK >> 20} MiB of blank lines; check that it is the right file"


def check_text(block: bytes, path: FilePath, line: int) -> None:
    """Refuse bytes that are not UTF-8, and NUL; ``line`` is the number of the block's first line."""
    fault = block.find(b"\0")
    what = "a NUL byte"
    if not block.isascii() and (len(block) < LARGE or not is_utf8(block)):
        try:
            block.decode()
        except UnicodeDecodeError as error:
            if fault < 0 or error.start < fault:
                fault, what = error.start, "bytes that are not UTF-8"
    if fault >= 0:
        if line == 1 and (other := detect_foreign(block)):
            raise InputError(other[1], path)
        where = line + block.count(b"\n", 0, fault)
        raise InputError(f"{what}; save the file as UTF-8 text", path, where)


def is_utf8(text: bytes) -> bool:
    """Tell whether this is UTF-8: with pyarrow many times as fast as by decoding it."""
    import numpy as np

    try:
        import pyarrow as pa
    except ModuleNotFoundError:
        return _is_decoded(text)
    edges = np.array([0, len(text)], np.int32)
    try:
        pa.StringArray.from_buffers(1, pa.py_buffer(edges), pa.py_buffer(text)).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _is_decoded(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def lines(path: FilePath, comment: bytes = b"", longest: int = 0) -> Iterator[tuple[int, bytes]]:
    """Give the number and text of each line that is not blank; one that starts with ``comment`` is passed over."""
    number = 0
    with open_input(path) as stream:
        for block, _ in blocks(stream, path, longest):
            rows = block.split(b"\n")
            rows.pop() if not rows[-1] else None
            for number, row in enumerate(rows, number + 1):  # noqa: B020 - it goes on counting
                if row.strip() and not (comment and row.startswith(comment)):
                    yield number, row


def first_line(path: FilePath, comment: bytes, longest: int = 0) -> tuple[int, bytes, list[bytes]]:
    """Give the number and text of the first line that is neither blank nor a comment, and the first two above it.

    The file is not read on.
    """
    above: list[bytes] = []
    passed, longest = 0, longest or LONGEST_LINE
    refuse_unrecorded(path)
    if is_stream(path):
        raise InputError("this kind of file is read twice, which a stream does not allow; pass a file", path)
    number = 0
    with open_input(path, io.DEFAULT_BUFFER_SIZE) as stream:
        while line := stream.readline(longest + 1):
            number += 1
            refuse_long(line, longest, path, number)
            if number == 1:
                refuse_returns(line, path)
            text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
            if text.strip() and not text.startswith(comment):
                return number, text, above
            if len(above) < 2:
                above.append(line)
            passed += len(line)
            if len(above) == 2 and line.endswith(b"\n"):
                blank = pass_blank_lines(stream)
                number, passed = number + blank.count(b"\n"), passed + len(blank)
            if passed > LARGEST_BLANK:
                refuse_bomb(path, passed, passed)
    raise InputError(NO_LINES, path)
