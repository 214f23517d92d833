"""Notes: what a reader must know next to a number. A note is an object; its text is made here, and read by nothing."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cache
from inspect import signature
from string import Formatter
from typing import Any

FEW = 4  # runs, whose numbers are listed one by one
FIRST = 3  # runs that are named where there are more than a few
NoteNumber = int | float
NoteValue = NoteNumber | str | tuple[NoteNumber, ...]  # several numbers are those of the runs of a note


class NoteSeverity(IntEnum):
    """How much a note changes what a reader concludes: the least number is printed first."""

    LEGEND = 0  # what a sign in a table means
    MISLEADING = 1  # a shown number or rank misleads
    INPUT = 2  # an input changes a shown number
    BACKGROUND = 3  # what a number is, and what it rests on


@dataclass(frozen=True)
class NoteKind:
    """What notes of one kind say.

    ``name``      is unique, in a few words.
    ``text``      has a field in braces for each value, ``{defined}``; or it is a function of the values, which returns
                  the text. ``{runs}`` and ``{measures}`` place the names, which otherwise stand around the text.
    ``severity``  is one for all notes of a kind, or a function of the values.
    """

    name: str
    text: str | Callable[..., str]
    severity: NoteSeverity | Callable[..., NoteSeverity] = NoteSeverity.INPUT

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the values that the text needs, ``runs`` and ``measures`` included where it places them."""
        return _list_fields(self.text)

    def note(
        self,
        *,
        measure: Hashable = None,
        measures: Sequence[Hashable] = (),
        by: str = "",
        **values: NoteValue,
    ) -> "Note":
        """Make a note with these values, on ``measures``, and ``by`` the attribute of this name.

        Raises TypeError if the values are not those of the text.

        >>> kind = NoteKind("empty rankings", "{empty} of {rankings} rankings are empty")
        >>> str(kind.note(empty=2, rankings=43))
        '2 of 43 rankings are empty'
        """
        names = _list_values(self.text)
        if wrong := values.keys() ^ {*names}:
            raise TypeError(f"the note {self.name!r} has the values {', '.join(names) or 'none'}: {', '.join(wrong)}")
        several = (*measures, *(() if measure is None else (measure,)))
        return Note(self, tuple(values[name] for name in names), several, by=by)


@dataclass(frozen=True)
class Note:
    """What a reader must know next to a number: its kind, the values of its text, and the measures and runs it is on.

    ``measures``  none is a note on all that is shown.
    ``runs``      those that it is true of, by their names, of so many ``among`` which it looked; none is all.
    ``by``        the attribute whose groups it is on, if attributes have names.
    ``samples``   how many rankings a query has, of which it looked at the first; 0 is one.
    """

    kind: NoteKind
    values: tuple[NoteValue, ...] = ()
    measures: tuple[Hashable, ...] = ()
    runs: tuple[str, ...] = ()
    among: int = 0
    by: str = ""
    samples: NoteValue = 0
    part: str = ""  # the part of the report that it is on, if not all of it

    @property
    def named_values(self) -> dict[str, NoteValue]:
        """The values by their names in the text."""
        return dict(zip(_list_values(self.kind.text), self.values, strict=True))

    @property
    def numbers(self) -> dict[str, NoteNumber | tuple[NoteNumber, ...]]:
        """The numbers by their names in the text; several are those of the runs, in their order."""
        return {name: value for name, value in self.named_values.items() if not isinstance(value, str)}

    @property
    def severity(self) -> NoteSeverity:
        """How much it changes what a reader concludes."""
        severity = self.kind.severity
        return severity if isinstance(severity, NoteSeverity) else severity(**self.named_values)

    def __str__(self) -> str:
        return self.write()

    def write(self, short: Mapping[str, str] | None = None) -> str:
        """Write the text, with the ``short`` names of runs where there are some.

        >>> kind = NoteKind("empty rankings", "{empty} of {rankings} rankings are empty")
        >>> Note(kind, ((2, 3), 9), runs=("a", "b"), among=3).write({"a": "A"})
        '2 and 3 of 9 rankings are empty (A, b)'
        """
        runs = list_runs([(short or {}).get(run, run) for run in self.runs])
        measures = ", ".join(map(str, self.measures))
        text, values = self.kind.text, self.named_values
        if isinstance(text, str):
            is_few = len(self.runs) <= FEW
            shown = {name: _Numbers(each, is_few) if isinstance(each, tuple) else each for name, each in values.items()}
            sentence = text.format(**shown, runs=runs, measures=measures)
        else:
            sentence = text(**values)
        if self.samples:
            first = _Numbers(self.samples, len(self.runs) <= FEW) if isinstance(self.samples, tuple) else self.samples
            sentence += f" (the first of {first} samples)"
        whose = ", ".join([runs] * self._names_runs + [self.by] * bool(self.by))
        before = f"{measures}: " if measures and "measures" not in _list_fields(text) else ""
        return (f"{self.part}: " if self.part else "") + before + sentence + (f" ({whose})" if whose else "")

    @property
    def _names_runs(self) -> bool:
        """Whether the runs stand behind the text: those of listed numbers do, and those that are not all."""
        is_listed = len(self.runs) <= FEW and any(isinstance(value, tuple) for value in self.values)
        return (
            "runs" not in _list_fields(self.kind.text)
            and (is_listed or len(self.runs) < self.among)
            and bool(self.runs)
        )


class _Numbers:
    """Numbers of runs: of a few the list, of more the least and the greatest."""

    def __init__(self, numbers: tuple[NoteNumber, ...], is_few: bool) -> None:
        self.numbers, self.is_few = numbers, is_few

    def __format__(self, spec: str) -> str:
        if not self.is_few:
            return write_span(self.numbers, spec)
        *first, last = (format(number, spec) for number in self.numbers)
        return f"{', '.join(first)} and {last}"


@cache
def _list_fields(text: str | Callable[..., str]) -> tuple[str, ...]:
    """List the fields of a text, those of runs and measures included."""
    if not isinstance(text, str):
        return tuple(signature(text).parameters)
    return tuple(dict.fromkeys(name for _, name, _, _ in Formatter().parse(text) if name))


@cache
def _list_values(text: str | Callable[..., str]) -> tuple[str, ...]:
    """List the values that a text needs."""
    return tuple(name for name in _list_fields(text) if name not in ("runs", "measures"))


def write_span(numbers: Sequence[NoteNumber], spec: str = "") -> str:
    """Write the least and the greatest of several numbers.

    >>> write_span([3, 1, 2]), write_span([2, 2])
    ('1 to 3', '2')
    """
    least, greatest = min(numbers), max(numbers)
    return format(least, spec) if least == greatest else f"{format(least, spec)} to {format(greatest, spec)}"


def list_runs(runs: Sequence[str]) -> str:
    """Name the first of many runs, or all of a few.

    >>> list_runs(["a", "b"]), list_runs(["a", "b", "c", "d", "e"])
    ('a, b', 'a, b, c, and 2 more')
    """
    return f"{', '.join(runs[:FIRST])}, and {len(runs) - FIRST} more" if len(runs) > FEW else ", ".join(runs)


def merge_runs(said: Mapping[Note, Sequence[int]], runs: Sequence[str]) -> list[Note]:
    """Make one note of those that differ by their numbers only; ``said`` has the places of the runs of each.

    >>> kind = NoteKind("ranks", "{some} of {ranks} ranks")
    >>> few = {kind.note(some=2, ranks=9): [0], kind.note(some=3, ranks=9): [2]}
    >>> [str(note) for note in merge_runs(few, ["a", "b", "c"])]
    ['2 and 3 of 9 ranks (a, c)']
    """
    alike: dict[Any, list[Note]] = {}
    for note in said:
        texts = tuple(value if isinstance(value, str) else None for value in note.values)
        of = texts if isinstance(note.kind.text, str) else note.values
        alike.setdefault((note.kind, note.measures, note.by, of, bool(note.samples)), []).append(note)
    merged = []
    for notes in alike.values():
        at = sorted((run, number) for number, note in enumerate(notes) for run in said[note])
        columns = zip(*((*notes[number].values, notes[number].samples) for _, number in at), strict=True)
        *values, samples = (column[0] if len({*column}) == 1 else column for column in columns)
        names = tuple(runs[run] for run, _ in at)
        merged.append(replace(notes[0], values=tuple(values), samples=samples, runs=names, among=len(runs)))
    return merged


def merge_measures(notes: Sequence[Note]) -> list[Note]:
    """Make one note of those that differ by their measures only.

    >>> kind = NoteKind("ranks", "{ranks} ranks")
    >>> len(merge_measures([kind.note(ranks=9), kind.note(ranks=9), kind.note(ranks=8)]))
    2
    """
    together: dict[Note, list[Hashable]] = {}
    for note in notes:
        together.setdefault(replace(note, measures=()), []).extend(note.measures)
    return [replace(note, measures=tuple(measures)) for note, measures in together.items()]
