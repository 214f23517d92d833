"""Which notes are printed below a table: the most important; -v prints all."""

import re
import textwrap
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from fairtrec.support.notes import FEW, Note, NoteSeverity, merge_kinds, merge_measures, write_notes

MOST = 4
HANG = 2  # letters, by which lines that go on are indented
NARROWEST = 20  # letters behind an indent


def select_notes(
    notes: Sequence[Note], most: int | None, short: Mapping[str, str] = MappingProxyType({}), *, spells: bool = False
) -> list[str]:
    """Write the most important notes first, ``most`` at most (None: all), and count the others in a last line.

    Notes on measures that are of one kind are one, a sentence of three clauses that counts the other measures. If all
    are asked for, each of more clauses is one. A verdict and legends are not counted, and come before all. ``short``
    has shorter names of runs. ``spells``: options are spelled as whoever asks writes them, and not as they are typed.

    >>> from fairtrec.support.notes import NoteKind
    >>> kinds = NoteKind("sign", "above 0 leans to m", NoteSeverity.BACKGROUND), NoteKind("ties", "many ties")
    >>> select_notes([kind.note() for kind in kinds], 1)
    ['many ties', 'and 1 more note: -v']
    """
    ordered = order_notes(notes)
    if most is None:
        ordered = [part for several in ordered for part in _split_measures(several)]
    lines = [write_notes(several, short, None if most is None else FEW, spells=spells) for several in ordered]
    before = sum(min(note.severity for note in several) <= NoteSeverity.LEGEND for several in ordered)
    left = 0 if most is None else max(len(lines) - before - most, 0)
    return lines[: len(lines) - left] + [f"and {left} more note{'s' * (left > 1)}: -v"] * bool(left)


def order_notes(notes: Sequence[Note]) -> list[list[Note]]:
    """Put the notes that are written as one together, and the most important first."""
    return sorted(merge_kinds(notes), key=lambda several: min((note.severity, note.kind.is_last) for note in several))


def _split_measures(notes: list[Note]) -> list[list[Note]]:
    """Split notes that would be one sentence of more than three clauses: one for each."""
    clauses = merge_measures(notes)
    return [[note] for note in clauses] if len(clauses) > FEW and notes[0].kind.again else [notes]


def wrap_hanging(line: str, width: int | None, indent: int) -> list[str]:
    """Break a line that is wider than a window between words, but in no interval; what goes on stands to the right.

    >>> wrap_hanging("passed  0.5 of 3 queries, [0.1, 0.9]", 32, 8)
    ['passed  0.5 of 3 queries,', '        [0.1, 0.9]']
    """
    if width is None or len(line) <= width:
        return [line]
    kept = re.sub(
        r"\[[^][]{,40}\]|\([^()]{,40}\)|\d %", lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}"), line
    )
    room = max(width, indent + NARROWEST)
    behind = " " * indent
    parts = textwrap.wrap(
        kept, room, subsequent_indent=behind, break_on_hyphens=False, break_long_words="://" not in line
    )
    return [part.replace("\N{NO-BREAK SPACE}", " ") for part in parts]
