"""A file in blocks of whole lines, whatever is wrong with it, and guesses at lines of other columns.

Damage ends the file, and is a finding.
"""

from collections.abc import Iterator
from math import isnan
from os import fspath

import numpy as np

from fairtrec.commands.validate.findings import Findings
from fairtrec.formats.other_runs import guess, is_number
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import opening
from fairtrec.support.files.table_header import find_names
from fairtrec.support.files.whole_lines import Lines
from fairtrec.support.progress import report

LONGEST = 1 << 20  # bytes of a line; of a longer one only the start is kept
COLUMNS = 6
LARGEST_NUMBER = 1 << 62  # numbers beyond are looked at one by one


def blocks(path: FilePath, found: Findings) -> Iterator[tuple[bytes, int]]:
    """Give about opening.BLOCK bytes at a time, cut at line ends, with the number of the first line."""
    line, unpacked, damage = 1, 0, ""
    try:
        with opening.open_input(path) as stream:
            lines = Lines(stream, opening.BLOCK, LONGEST, opening.LONGEST_TEXT)
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
        after = f"; found after line {line - 1:,}, and everything before is checked" if line > 1 else ""
        found.add("E101", line - 1 or None, damage + after)


def guess_format(line: bytes, cells: list[bytes]) -> str:  # noqa: PLR0911 - one for each guess
    """Say what a line of not six columns may be; an empty string if there is no telling.

    >>> guess_format(b"q1 d7 1 0.5", b"q1 d7 1 0.5".split())
    ', it looks like qid docno rank score (--run-format 4-columns)'
    >>> guess_format(b"search;applicant;rank", b"search;applicant;rank".split())
    ', it looks like names of columns (--columns qid=COLUMN,docno=COLUMN)'
    """
    many = len(cells)
    if find_names(line.decode(errors="replace")) is not None:
        return ", it looks like names of columns (--columns qid=COLUMN,docno=COLUMN)"
    if many == 1 and line.count(b",") >= 3:
        return ", its columns are separated by commas"
    if many > COLUMNS and many % COLUMNS == 0 and b"\r" in line:
        return ", its lines end in CR only"
    if many > COLUMNS:
        return ", is there a blank in a docno or in the tag?"
    if (form := guess(cells)) is not None:
        return f", it looks like {form.called} (--run-format {form.name})"
    if many == 5 and all(map(is_number, cells[2:4])):
        return ", is the second, Q0, missing?"
    if many == 5 and all(map(is_number, cells[3:])):
        return ", is the tag missing?"
    return ""


def parse_cells(kind: type[int] | type[float], cells: tuple[bytes, ...]) -> list[float] | None:
    """Parse all cells at once; None if one of them is nothing usual."""
    try:
        values = list(map(kind, cells))
    except ValueError:
        return None
    usual = max(values) < LARGEST_NUMBER and min(values) > -LARGEST_NUMBER and not any(map(isnan, values))
    return values if usual and not any(b"_" in cell for cell in cells) else None


def is_tidy(block: bytes, ends: int) -> bool:
    """Tell whether a block of so many line ends is ASCII with one kind of delimiter, and one of it between columns."""
    if not block.isascii():
        return False
    tabs = block.count(b"\t") if b"\t" in block[:200] else 0
    letters, controls = np.frombuffer(block, np.uint8), 0
    for first in range(0, len(letters), opening.PIECE):
        piece = letters[max(first - 1, 0) : first + opening.PIECE]  # with the last byte of the piece before
        blank = piece <= ord(" ")
        if (blank[1:] & blank[:-1]).any() or (first == 0 and blank[0]):
            return False
        controls += int(np.count_nonzero(piece[min(first, 1) :] < ord(" ")))
    return controls == ends + tabs and not (tabs and b" " in block) and block[-1:] not in (b" ", b"\t")
