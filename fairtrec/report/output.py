"""Where a report goes, and what is refused before any work is done."""

import io
import os
import re
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, BinaryIO

from fairtrec.support.errors import UsageError, defuse, make_visible, reason, short
from fairtrec.support.files.atomic import replace_file
from fairtrec.support.files.opening import name

if TYPE_CHECKING:
    from pathlib import Path


def refuse_terminal() -> None:
    """Raise UsageError if standard output is a terminal."""
    if sys.stdout.isatty():
        raise UsageError("Parquet cannot be shown in a terminal; choose a file with -o")


def refuse_unwritable(output: "Path | None") -> None:
    """Raise UsageError if the output cannot be written, before any work is done."""
    try:
        is_closed = output is not None and not _is_device(output) and not os.access(output.parent, os.W_OK | os.X_OK)
    except (OSError, ValueError) as fault:  # a name that no file can have
        raise UsageError(f"cannot write {output}: {reason(fault)}; choose another with -o") from None
    if is_closed:
        raise UsageError(f"the folder of {output} is not there or may not be written; choose another with -o")


def refuse_input(output: "Path | None", inputs: Iterable[str]) -> None:
    """Raise UsageError if the output is one of the files that are read, or stands for one in a folder that is."""
    several = list(inputs)
    if output is None or not output.is_file():
        return
    for path in several:
        if not os.path.exists(path):  # noqa: PTH110
            continue
        in_folder = os.path.isdir(path) and output.parent.samefile(path)  # noqa: PTH112
        if output.samefile(path) or (in_folder and output.name in {name(each) for each in several}):
            raise UsageError(f"the output {output} is also read; choose another with -o")


def emit(report: str | bytes, output: "Path | None", *, drawn: bool = False, commands: bool = False) -> None:
    """Print a report, or write it to a file, all or nothing.

    A terminal obeys none of its control characters, unless it was ``drawn`` for one; a runner of CI none of its lines,
    unless they are ``commands``.
    """
    if output is None:
        if isinstance(report, bytes):
            refuse_terminal()
            sys.stdout.buffer.write(report)
        else:
            name = "draw" * drawn or "command" * commands
            getattr(sys.stdout, name, sys.stdout.write)(report)
        sys.stdout.flush()
        return
    try:
        if _is_device(output):
            _fill(output, report)
            return
        with replace_file(output) as place:
            place.write_bytes(report if isinstance(report, bytes) else report.encode("utf-8", "surrogateescape"))
    except OSError as fault:
        raise UsageError(f"cannot write {output}: {fault.strerror}; choose another place with -o") from None


def _fill(device: "Path", report: str | bytes) -> None:
    """Write to a device or a pipe; a terminal is shown control characters as escapes."""
    with device.open("wb") as file:
        text = make_visible(report) if isinstance(report, str) and file.isatty() else report
        file.write(text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape"))


def pour(pieces: Iterable[bytes]) -> None:
    """Print what is text already, piece by piece, without another copy of it where it does not go to a terminal."""
    is_raw = not sys.stdout.isatty() and not isinstance(sys.stdout, Runner)
    beneath = getattr(sys.stdout, "buffer", None) if is_raw else None
    sys.stdout.flush()
    for piece in pieces:
        if beneath is None:
            sys.stdout.write(piece.decode("utf-8", "surrogateescape"))
        else:
            beneath.write(piece)
    sys.stdout.flush()


def _is_device(output: "Path") -> bool:
    """Tell a device or a pipe, which is written to, from a file, which is replaced."""
    return output.exists() and not output.is_file()


class Terminal(io.TextIOWrapper):
    """Standard output that somebody watches: control characters are shown as escapes, whoever writes them."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__(stream, "utf-8", "surrogateescape", "\n", line_buffering=True)

    def write(self, text: str) -> int:
        """Write a text; lines and tabs are what they are."""
        super().write(make_visible(text))
        return len(text)

    def draw(self, text: str) -> None:
        """Write a text with its colors, from whose cells all else has been taken."""
        super().write(text)


class Runner(io.TextIOWrapper):
    """A stream that a runner of CI reads: only what fairtrec writes as a ``command`` is one."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__(stream, "utf-8", "surrogateescape", "\n", line_buffering=True)
        self.is_blank = True  # the line so far

    def write(self, text: str) -> int:
        """Write a text, in which no line is a command."""
        super().write(defuse(text) if self.is_blank else defuse(f".{text}")[1:])
        *above, line = re.split("[\r\n]", text)
        self.is_blank = not line.strip() and bool(above or self.is_blank)
        return len(text)

    def command(self, text: str) -> None:
        """Write whole lines that are commands."""
        super().write(text)


def write_commands(text: str, stream: Any) -> None:
    """Write annotations to a stream, whoever reads it."""
    getattr(stream, "command", stream.write)(text)


def write_annotation(kind: str, message: str, **properties: str | int | None) -> str:
    """Write a workflow command of GitHub Actions without its newline, escaped as the runner asks.

    A property that is None is left out.

    >>> write_annotation("error", "50% or less", file="a,b.run", line=None, title="E101")
    '::error file=a%2Cb.run,title=E101::50%25 or less'
    """
    given = {name: short(str(value)) for name, value in properties.items() if value is not None}
    return f"::{kind} {','.join(f'{name}={_property(value)}' for name, value in given.items())}::{_data(message)}"


def _data(text: str) -> str:
    return make_visible(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
