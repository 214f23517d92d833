"""What differs in the parts of a file, as text or JSON."""

from collections.abc import Iterator
from shutil import get_terminal_size
from typing import Any

from fairtrec.commands.results.difference import Pair
from fairtrec.commands.results.parts import PartsDifference
from fairtrec.commands.results.report import count_near, write_entry
from fairtrec.report.note_selection import wrap_hanging
from fairtrec.support.errors import plain


def text(difference: PartsDifference, *, names: Pair, window: bool = False) -> str:
    """Write a line for each value that differs, and how many values are the same, if some only within the tolerance."""
    room = get_terminal_size().columns if window else None
    lines = [] if difference.same else [f"--- {names[0]}", f"+++ {names[1]}", *_lines(difference)]
    alike = difference.compared - len(difference.values)
    lines += count_near(difference.compared, alike, difference.near, difference.tolerance)
    return "".join(f"{part}\n" for line in lines for part in wrap_hanging(plain(line), room, 4))


def _lines(difference: PartsDifference) -> Iterator[str]:
    for part, *entry in difference.values:
        yield from (f"{part}, {line}" for line in write_entry(*entry))


def record(difference: PartsDifference, *, names: Pair) -> dict[str, Any]:
    """Give one object."""
    return {
        "files": names,
        "same": difference.same,
        "parts": list(difference.parts),
        "exact": difference.tolerance.exact,
        "tolerance": difference.tolerance.most,
        "compared": difference.compared,
        "near": difference.near,
        "values": [each._asdict() for each in difference.values],
    }
