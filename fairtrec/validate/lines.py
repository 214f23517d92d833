"""A file in blocks of whole lines, whatever is wrong with it: damage ends the file, and is a finding."""

import os
from collections.abc import Iterator
from os import fspath
from typing import Any

from fairtrec.errors import FilePath, InputError
from fairtrec.formats import source
from fairtrec.progress import report
from fairtrec.validate.findings import Findings

LONGEST = 1 << 20  # bytes of a line; of a longer one only so many are kept
PIECE = 1 << 20


def blocks(path: FilePath, found: Findings) -> Iterator[tuple[bytes, int]]:
    """Give about source.BLOCK bytes at a time, cut at line ends, with the number of the first line."""
    line = 1
    try:
        with source.opened(path) as stream:
            for block in _cut(_pieces(stream, path)):
                yield block, line
                line += block.count(b"\n")
    except InputError as fault:
        after = f"; found after line {line - 1:,}, and what stands before is checked" if line > 1 else ""
        found.add("E101", line - 1 or None, str(fault).removeprefix(f"{fspath(path)}: ") + after)


def _cut(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Join pieces to blocks that end where a line does; give what there is before the damage is passed on."""
    parts: list[bytes] = []
    size = 0
    damage: InputError | None = None
    while True:
        try:
            piece = next(pieces, b"")
        except InputError as fault:
            damage, piece = fault, b""
        parts.append(piece)
        size += len(piece)
        if piece and size < source.BLOCK:
            continue
        data = b"".join(parts)
        end = data.rfind(b"\n") + 1 if piece else len(data)
        if end:
            yield data[:end]
        if not piece:
            break
        parts = [data[end : end + LONGEST + 1]]
        size = len(parts[0])
    if damage is not None:
        raise damage


def _pieces(stream: Any, path: FilePath) -> Iterator[bytes]:
    """Read what is at hand, so that bytes before a damaged place are not lost with it."""
    size = 0 if source.is_stream(path) else os.stat(path).st_size  # noqa: PTH116 - it may be a name or a path
    while True:
        try:
            piece = stream.read1(PIECE)
        except source.DAMAGE as fault:
            raise InputError(source.damaged(fault)) from None
        if not piece:
            return
        report(fspath(path), source.position(stream), size)
        yield piece
