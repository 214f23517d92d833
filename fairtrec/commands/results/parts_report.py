"""What differs in the parts of a file, as text or JSON."""

from collections.abc import Iterator
from shutil import get_terminal_size
from typing import Any

from fairtrec.commands.results.difference import Pair
from fairtrec.commands.results.parts import PartsDifference
from fairtrec.report.note_selection import wrap_hanging
from fairtrec.support.errors import plain, short


def text(difference: PartsDifference, *, names: Pair, window: bool = False) -> str:
    """Write a line for each value that differs."""
    room = get_terminal_size().columns if window else None
    lines = [] if difference.same else [f"--- {names[0]}", f"+++ {names[1]}", *_lines(difference)]
    return "".join(f"{part}\n" for line in lines for part in wrap_hanging(plain(line), room, 4))


def _lines(difference: PartsDifference) -> Iterator[str]:
    for part, key, recorded, now in difference.values:
        yield f"{part}, {key}: {short(str(recorded))} | {short(str(now))}"


def record(difference: PartsDifference, *, names: Pair) -> dict[str, Any]:
    """Give one object."""
    return {
        "files": names,
        "same": difference.same,
        "parts": list(difference.parts),
        "exact": difference.tolerance.exact,
        "tolerance": difference.tolerance.most,
        "compared": difference.compared,
        "values": [each._asdict() for each in difference.values],
    }
