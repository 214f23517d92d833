"""Notes: what a reader must know next to a number. A note is an object; its text is made here, and read by nothing."""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cache
from inspect import signature
from string import Formatter
from types import MappingProxyType
from typing import Any

from fairtrec.support.errors import spell_options

_PLURALS = {"has": "have", "is": "are", "gets": "get"}  # verbs that a text may set behind numbers, or for them (~)
FEW = 3  # runs, which are named, and whose numbers are listed one by one
OUR_WORDS = frozenset(("taken", "option"))  # values of notes that are words of ours, and may name an option
NoteNumber = int | float
NoteValue = NoteNumber | str | tuple[NoteNumber, ...]  # several numbers are those of the runs of a note


class NoteSeverity(IntEnum):
    """How much a note changes what a reader concludes. The lowest number is printed first."""

    VERDICT = 0  # whether the data can answer the question
    LEGEND = 1  # what a sign in a table means, or that an option has no effect
    MISLEADING = 2  # a shown number or rank misleads
    INPUT = 3  # an input changes a shown number
    BACKGROUND = 4  # what a number is, and what it rests on


@dataclass(frozen=True)
class NoteKind:
    """The text of the notes of one kind.

    Attributes:
        name: unique, in a few words.
        text: a text with a field in braces for each value, ``{defined}``, or a function of the values that returns it.
            ``{runs}`` and ``{measures}`` place the names, which are otherwise before the text.
        severity: one for all notes of the kind, or a function of the values.
        again: the shorter text of further measures, if notes on several measures become one sentence. The sentence
            begins with the name of the kind. A value that it leaves out is that of the first measure.
        tail: ends that sentence.
        label: begins it instead of the name.
        is_last: whether it is printed behind all others of its severity, as most readers know what it says.
    """

    name: str
    text: str | Callable[..., str]
    severity: NoteSeverity | Callable[..., NoteSeverity] = NoteSeverity.INPUT
    again: str | Callable[..., str] = ""
    tail: str = ""
    label: str = ""
    is_last: bool = False

    @property
    def spans(self) -> bool:
        """Whether its text has the lowest and the highest of several numbers, also for a few runs."""
        return isinstance(self.text, str) and any(spec == "span" for _, _, spec, _ in Formatter().parse(self.text))

    @property
    def names_each(self) -> bool:
        """Whether its text has a number behind the name of each run, if they are few: ``{judged:each}``."""
        return isinstance(self.text, str) and any(spec == "each" for _, _, spec, _ in Formatter().parse(self.text))

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the values that the text needs, including ``runs`` and ``measures`` if it places them."""
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


@dataclass(frozen=True, repr=False)
class Note:
    """What a reader must know next to a number: the kind, the values of its text, the measures and the runs.

    Attributes:
        measures: the measures; none for a note on everything shown.
        runs: the runs for which it is true, by their whole names; none means all.
        among: how many runs it looked at.
        called: the short names of the runs, in the same order.
        by: the attribute of the groups, if attributes have names.
        samples: how many rankings a query has, if it looked only at the first; 0 means one.
        part: the part of the report, if not all of it.
    """

    kind: NoteKind  # what the note is about, and its text
    values: tuple[NoteValue, ...] = ()  # the numbers in its text
    measures: tuple[Hashable, ...] = ()
    runs: tuple[str, ...] = ()
    among: int = 0
    called: tuple[str, ...] = ()
    by: str = ""
    samples: NoteValue = 0
    part: str = ""

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
        return write_notes([self], spells=True)

    def __repr__(self) -> str:
        return str(self)

    def assign_runs(self, runs: Sequence[str], called: Sequence[str], among: int) -> "Note":
        """Give the same note on these runs, so many ``among`` which it looked."""
        return replace(self, runs=tuple(runs), called=tuple(called), among=among)

    def fill(self, text: str | Callable[..., str], short: Mapping[str, str], *, spells: bool = False) -> str:
        """Fill a text of its kind; ``short`` has shorter names of runs, by the names that they are ``called``.

        If it ``spells`` options as whoever asks writes them, it does so before names and values come in.

        >>> kind = NoteKind("empty rankings", "{empty} of {rankings} rankings are empty")
        >>> Note(kind, ((2, 3), 9), runs=("a.run", "b.run"), called=("a", "b"), among=3).fill(kind.text, {"a": "A"})
        '2 and 3 of 9 rankings are empty'
        >>> kind = NoteKind("judged", "judged: {judged:each} of {ranks}")
        >>> str(Note(kind, ((7, 8), 9), runs=("a.run", "b.run"), called=("a", "b"), among=3))
        'judged: a 7, b 8 of 9'
        """
        spell: Callable[[str], str] = spell_options if spells else str
        runs = self.list_called(short)
        values, is_few = self.named_values, len(self.runs) <= FEW
        each_run = [short.get(run, run) for run in self.called] if self.is_named_in_text else []
        placed = {"runs": runs, "measures": ", ".join(map(str, self.measures))}
        if isinstance(text, str):
            ours = {name: spell(each) for name, each in values.items() if isinstance(each, str) and name in OUR_WORDS}
            shown = {
                name: each if isinstance(each, str) else _Numbers(each, is_few, each_run)
                for name, each in (values | ours).items()
            }
            sentence = spell(text).format(**shown, **placed)
        else:
            every = {**values, **placed}
            sentence = spell(text(**{name: every[name] for name in _list_fields(text)}))
        if self.samples and not isinstance(self.samples, str):
            sentence += f" (the first of {_Numbers(self.samples, is_few)} samples)"
        return sentence

    def list_called(self, short: Mapping[str, str]) -> str:
        """Name the first runs, and count the others; ``short`` has shorter names."""
        return list_runs([short.get(run, run) for run in self.called])

    @property
    def is_named_in_text(self) -> bool:
        """Whether each run is named before its number in the text."""
        is_told = any(isinstance(value, tuple) for value in self.values) or len(self.runs) < self.among
        return self.kind.names_each and 0 < len(self.runs) <= FEW and is_told

    @property
    def names_runs(self) -> bool:
        """Whether the text names runs: those of listed numbers, and those that are not all."""
        if self.is_named_in_text:
            return False
        if not self.runs or "runs" in _list_fields(self.kind.text):
            return bool(self.runs)
        is_listed = len(self.runs) <= FEW and any(isinstance(value, tuple) for value in self.values)
        return (is_listed and not self.kind.spans) or len(self.runs) < self.among


def write_notes(
    notes: Sequence[Note],
    short: Mapping[str, str] = MappingProxyType({}),
    most: int | None = None,
    *,
    spells: bool = False,
) -> str:
    """Write notes of one kind in one sentence, with the ``short`` names of runs where there are some.

    Measures of which the same is said follow each other; ``most`` of them are said (None: all), the others are counted.
    ``spells``: options are spelled as whoever asks writes them, and not as they are typed.

    >>> kind = NoteKind("top", "{measures} is at its top in {top} of {queries} queries", again="{measures} in {top}")
    >>> several = [kind.note(measure="RR", top=9, queries=10), kind.note(measure="AP", top=8, queries=10)]
    >>> write_notes(several)
    'top: RR is at its top in 9 of 10 queries, AP in 8'
    >>> write_notes([*several, kind.note(measure="P", top=2, queries=3)], most=1)
    'top: RR is at its top in 9 of 10 queries, and 2 more measures'
    """
    kind, part = notes[0].kind, f"{notes[0].part}: " if notes[0].part else ""
    if not kind.again:
        return part + "; ".join(_write_sentence(note, short, spells=spells) for note in merge_measures(notes))
    clauses, tail = _write_clauses(notes, short, spells=spells), spell_options(kind.tail) if spells else kind.tail
    left = 0 if most is None else sum(many for _, many in clauses[most:])
    shown = [clause for clause, _ in (clauses[:most] if left else clauses)]
    shown += [f"and {left} more measure{'s' * (left > 1)}"] * bool(left)
    return f"{part}{kind.label or kind.name}: {', '.join(shown)}{f'; {tail}' if tail else ''}"


def _write_clauses(notes: Sequence[Note], short: Mapping[str, str], *, spells: bool) -> list[tuple[str, int]]:
    """Write the clauses of a sentence on several measures, each with the number of its measures.

    A shorter clause follows only one that says the same of another measure.
    """
    kind = notes[0].kind
    left_out = {*_list_values(kind.text)} - {*_list_values(kind.again)}
    alike: dict[Any, list[Note]] = {}
    for note in notes:
        alike.setdefault(tuple(note.named_values[name] for name in sorted(left_out)), []).append(note)
    clauses = []
    for first, *others in alike.values():
        one, *rest = (replace(first, measures=(measure,)) for measure in first.measures)
        clauses.append((_write_clause(one, kind.text, short, spells=spells), 1))
        several = merge_measures([*rest, *others])
        clauses += [(_write_clause(note, kind.again, short, spells=spells), len(note.measures)) for note in several]
    return clauses


def _write_sentence(note: Note, short: Mapping[str, str], *, spells: bool) -> str:
    """Write a note behind its measures and runs, unless its text places them."""
    placed = _list_fields(note.kind.text)
    measures = "" if "measures" in placed else ", ".join(map(str, note.measures))
    before = " of ".join(filter(None, (measures, _name_runs(note, placed, short))))
    return (
        (f"{before}: " if before else "")
        + note.fill(note.kind.text, short, spells=spells)
        + (f" ({note.by})" if note.by else "")
    )


def _write_clause(note: Note, text: str | Callable[..., str], short: Mapping[str, str], *, spells: bool) -> str:
    """Write a part of a sentence on several measures, and its runs behind it."""
    whose = ", ".join(filter(None, (_name_runs(note, _list_fields(text), short), note.by)))
    return note.fill(text, short, spells=spells) + (f" ({whose})" if whose else "")


def _name_runs(note: Note, placed: Sequence[str], short: Mapping[str, str]) -> str:
    """Name the runs of a note; "" if it is on all of them, or if its text has placed them."""
    return note.list_called(short) if note.names_runs and "runs" not in placed else ""


class _Numbers:
    """Numbers of runs: of a few the list, of more the least and the greatest."""

    def __init__(self, numbers: NoteNumber | tuple[NoteNumber, ...], is_few: bool, runs: Sequence[str] = ()) -> None:
        self.numbers, self.is_few, self.runs = numbers if isinstance(numbers, tuple) else (numbers,), is_few, runs

    def __format__(self, spec: str) -> str:
        if (verb := spec.removeprefix("~")) in _PLURALS:
            form = verb if {*self.numbers} == {1} else _PLURALS[verb]
            return f"{self} {form}" if verb == spec else form
        if spec == "each" and self.runs:
            numbers = self.numbers if len(self.numbers) > 1 else self.numbers * len(self.runs)
            return ", ".join(f"{run} {number}" for run, number in zip(self.runs, numbers, strict=True))
        spec = spec.removeprefix("each")
        if not self.is_few or spec == "span" or len(self.numbers) == 1:
            return write_span(self.numbers, spec.removesuffix("span"))
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

    >>> write_span([3, 1, 2]), write_span([2, 2]), write_span([-1, 2])
    ('1-3', '2', '-1 to 2')
    """
    least, greatest = min(numbers), max(numbers)
    if least == greatest:
        return format(least, spec)
    return f"{format(least, spec)}{'-' if least >= 0 else ' to '}{format(greatest, spec)}"


def list_runs(runs: Sequence[str]) -> str:
    """Name the first three runs, and count the others.

    >>> list_runs(["a", "b"]), list_runs(["a", "b", "c", "d", "e"])
    ('a, b', 'a, b, c and 2 more')
    """
    return ", ".join(runs[:FEW]) + (f" and {len(runs) - FEW} more" if len(runs) > FEW else "")


def join_words(words: Sequence[str], last: str = "and") -> str:
    """Join words as a sentence does.

    >>> join_words(["a", "b", "c"]), join_words(["a", "b"], "or"), join_words(["a"])
    ('a, b and c', 'a or b', 'a')
    """
    return f" {last} ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def write_queries(counts: Collection[int]) -> str:
    """Count queries: of several counts, the least and the greatest.

    >>> write_queries([12]), write_queries([1, 1]), write_queries([12, 10, 12])
    ('12 queries', '1 query', '10 to 12 queries')
    """
    few, most = min(counts), max(counts)
    return f"{few} to {most} queries" if few < most else f"{few} {'query' if few == 1 else 'queries'}"


def merge_runs(
    said: Mapping[Note, Sequence[int]], runs: Sequence[str], called: Sequence[str] | None = None
) -> list[Note]:
    """Make one note of those that differ by their numbers only; ``said`` has the places of the runs of each.

    ``called``  the short names of the runs, if they have others.

    >>> kind = NoteKind("ranks", "{some} of {ranks} ranks")
    >>> few = {kind.note(some=2, ranks=9): [0], kind.note(some=3, ranks=9): [2]}
    >>> [str(note) for note in merge_runs(few, ["a", "b", "c"])]
    ['a, c: 2 and 3 of 9 ranks']
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
        names, short = ([of[run] for run, _ in at] for of in (runs, called or runs))
        merged.append(replace(notes[0], values=tuple(values), samples=samples).assign_runs(names, short, len(runs)))
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


def merge_kinds(notes: Sequence[Note]) -> list[list[Note]]:
    """Put the notes on measures together that are of one kind; every other note stays by itself."""
    together: dict[Any, list[Note]] = {}
    for at, note in enumerate(notes):
        together.setdefault((note.kind, note.part) if note.measures else at, []).append(note)
    return list(together.values())
