"""What differs in the parts of a file, as text or JSON."""

import json
from collections.abc import Iterator
from shutil import get_terminal_size
from typing import Any

from fairtrec.commands.results.difference import Pair
from fairtrec.commands.results.parts import PartsDifference
from fairtrec.commands.results.report import count_near
from fairtrec.report.note_selection import wrap_hanging
from fairtrec.support.errors import plain, short


def text(difference: PartsDifference, *, names: Pair, window: bool = False) -> str:
    """Write a line for each value that differs, and how many values are the same, if some only within the tolerance."""
    room = get_terminal_size().columns if window else None
    lines = [] if difference.same else [f"--- {names[0]}", f"+++ {names[1]}", *_lines(difference)]
    alike = difference.compared - len(difference.values)
    lines += count_near(difference.compared, alike, difference.near, difference.tolerance)
    return "".join(f"{part}\n" for line in lines for part in wrap_hanging(plain(line), room, 4))


def _lines(difference: PartsDifference) -> Iterator[str]:
    for part, key, *both in difference.values:
        if key == "notes" and all(isinstance(each, list) for each in both):
            yield from _compare_notes(part, *both)
        else:
            yield f"{part}, {key}: {' | '.join(map(_write, both))}"


def _compare_notes(part: str, recorded: list[Any], now: list[Any]) -> Iterator[str]:
    """Write the text of each note that only one side has."""
    for those, others, where in ((recorded, now, "the file"), (now, recorded, "the replay")):
        for note in (note for note in those if note not in others):
            said = note.get("text") if isinstance(note, dict) else None
            yield f"{part}, note only in {where}: {_write(note if said is None else said)}"
    if len(recorded) != len(now) and all(note in now for note in recorded) and all(note in recorded for note in now):
        yield f"{part}, notes: {_write(recorded)} | {_write(now)}"  # one is there twice


def _write(value: Any) -> str:
    """Write a value on one side: texts as they are, and lists of objects by the number of their entries."""
    if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(each, list | dict) for each in value)):
        return f"{len(value)} {'entry' if len(value) == 1 else 'entries'}"
    return (
        "none" if value is None else short(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    )


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
