"""A file in blocks of whole lines, whatever is wrong with it: damage ends the file, and is a finding."""

from collections.abc import Iterator
from os import fspath

from fairtrec.errors import FilePath, InputError
from fairtrec.files import opening
from fairtrec.files.lines import Lines
from fairtrec.progress import report
from fairtrec.validation.findings import Findings

LONGEST = 1 << 20  # bytes of a line; of a longer one only the start is kept


def blocks(path: FilePath, found: Findings) -> Iterator[tuple[bytes, int]]:
    """Give about opening.BLOCK bytes at a time, cut at line ends, with the number of the first line."""
    line, unpacked, damage = 1, 0, ""
    try:
        with opening.opened(path) as stream:
            lines = Lines(stream, opening.BLOCK, LONGEST, opening.LONGEST_LINE)
            for block in lines:
                report(fspath(path), opening.position(stream), opening.size(path))
                unpacked += len(block)
                opening.refuse_bomb(path, unpacked)
                yield block, line
                line += block.count(b"\n")
            damage = lines.damage
            if lines.rest:
                yield lines.rest, line
    except InputError as fault:
        damage = damage or fault.message
    if damage:
        after = f"; found after line {line - 1:,}, and what stands before is checked" if line > 1 else ""
        found.add("E101", line - 1 or None, damage + after)
