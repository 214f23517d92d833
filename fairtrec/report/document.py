"""Tables before they are drawn or marked up, and how their heads tell which values are better."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import add
from typing import Self

from fairtrec.measure import Quantity
from fairtrec.report.note_selection import select_notes
from fairtrec.support.notes import Note

ARROWS = {"higher": "↑", "lower": "↓", "nearer 0": "→0", "neither": ""}
MEANING = {"higher": "↑ higher is better", "lower": "↓ lower is better", "nearer 0": "→0 nearer 0 is better"}


RUN_HEADS = ("run", "other", "chosen")  # of columns whose cells are names of runs, or other text as a `RunCell`


class RunCell(str):
    """A cell in which names of runs stand between other texts, so that each name can be shortened by itself.

    It is made of a text, a name, a text, a name, and so on in turn; of one text, it holds no name.

    >>> cell = RunCell("", "bm25", " = ", "neural")
    >>> cell, cell.names, cell.rename_runs({"neural": "n"})
    ('bm25 = neural', ('bm25', 'neural'), 'bm25 = n')
    """

    __slots__ = ("parts",)
    parts: tuple[str, ...]

    def __new__(cls, *parts: str) -> Self:
        """Join the parts."""
        made = super().__new__(cls, "".join(parts))
        made.parts = parts
        return made

    @property
    def names(self) -> tuple[str, ...]:
        """The names of runs in it."""
        return self.parts[1::2]

    def rename_runs(self, short: Mapping[str, str]) -> Self:
        """Put other names in the place of these."""
        return type(self)(*(short.get(part, part) if at % 2 else part for at, part in enumerate(self.parts)))


@dataclass(frozen=True)
class Column:
    """A column of words, which stand to the left, or of values, of which the rows ``best`` and ``worst`` are marked.

    ``beside`` follows each value: what ties make of it. A column that ``follows`` a measure stays with the one before
    it, or has the name of the measure in its head. The cells of ``runs`` are names of runs, and so is the head of a
    column ``of_run``.
    """

    head: str
    cells: Sequence[str]
    words: bool = False
    best: Collection[int] = ()
    worst: Collection[int] = ()
    beside: Sequence[str] = ()
    follows: str = ""
    runs: bool = False
    of_run: bool = False

    @property
    def run_names(self) -> Iterator[str]:
        """The names of runs that it shows."""
        if self.of_run:
            yield self.head
        for cell in self.cells:
            if isinstance(cell, RunCell):
                yield from cell.names
            elif self.runs and cell:
                yield cell

    def rename_runs(self, short: Mapping[str, str]) -> Self:
        """Put other names of runs in the place of these."""
        cells = [
            cell.rename_runs(short) if isinstance(cell, RunCell) else short.get(cell, cell) if self.runs else cell
            for cell in self.cells
        ]
        return replace(self, head=short.get(self.head, self.head) if self.of_run else self.head, cells=cells)


@dataclass(frozen=True)
class ReportTable:
    """One table: columns that name its rows, and columns of values; ``good`` and ``bad`` rows stand out.

    ``total`` says that the last row sums up the others. The ``least`` columns, by their heads, are left out where there
    is no room, the first of them first; or ``narrow`` stands in its place.
    """

    title: str
    keys: Sequence[Column]
    values: Sequence[Column]
    good: Collection[int] = ()
    bad: Collection[int] = ()
    total: bool = False
    least: Sequence[str] = ()
    narrow: "ReportTable | None" = None

    @classmethod
    def from_rows(
        cls,
        title: str,
        keys: int,
        head: Sequence[str],
        rows: Iterable[Sequence[str]],
        good: Collection[int] = (),
        bad: Collection[int] = (),
        least: Sequence[str] = (),
    ) -> Self:
        """Lay out rows, whose first cells name them; verdicts are words, too."""
        columns = [
            Column(name, cells, words=number < keys or name == "verdict", runs=name in RUN_HEADS)
            for number, (name, *cells) in enumerate(zip(head, *rows, strict=True))
        ]
        return cls(title, columns[:keys], columns[keys:], good, bad, least=least)

    @property
    def columns(self) -> Sequence[Column]:
        """All columns, from left to right."""
        return [*self.keys, *self.values]

    def with_beside(self) -> Self:
        """Write into the cells what follows their values."""
        values = [replace(each, cells=[*map(add, each.cells, each.beside)], beside=()) if each.beside else each
                  for each in self.values]  # fmt: skip
        return replace(self, values=values)

    def rename_runs(self, short: Mapping[str, str]) -> Self:
        """Put other names of runs in the place of these."""
        keys, values = ([column.rename_runs(short) for column in several] for several in (self.keys, self.values))
        narrow = None if self.narrow is None else self.narrow.rename_runs(short)
        return replace(self, keys=keys, values=values, narrow=narrow)


def stack_tables(tables: Sequence[ReportTable], name: str, of_tables: Sequence[str]) -> ReportTable:
    """Put tables of the same values one below the other; a first column of this name tells which is which.

    A key that a table lacks is empty there, and so is a column that follows a value.
    """
    many = [len(table.values[0].cells) for table in tables]
    first = Column(name, [of for of, rows in zip(of_tables, many, strict=True) for _ in range(rows)], words=True)
    heads = max(([key.head for key in table.keys] for table in tables), key=len)
    keys = [[next((key for key in table.keys if key.head == head), None) for table in tables] for head in heads]
    named = [_name_values(table) for table in tables]
    places = max(map(list, named), key=len)
    values = [[columns.get(place) for columns in named] for place in places]
    return ReportTable("", [first, *(_joined(each, many) for each in keys)], [_joined(each, many) for each in values])


def _name_values(table: ReportTable) -> dict[tuple[int, str], Column]:
    """Name the columns of values by the number of the value and, of those that follow it, by their heads."""
    found, number = dict[tuple[int, str], Column](), -1
    for column in table.values:
        number += not column.follows
        found[number, column.head if column.follows else ""] = column
    return found


def _joined(columns: Sequence[Column | None], many: Sequence[int]) -> Column:
    """Put columns of the same head one below the other; None stands for so many empty cells."""
    there = [column or Column("", [""] * rows) for column, rows in zip(columns, many, strict=True)]
    starts = [sum(many[:number]) for number in range(len(many))]
    one = next(column for column in columns if column is not None)
    beside = [text for column in there for text in (column.beside or [""] * len(column.cells))]
    return Column(
        one.head,
        [cell for column in there for cell in column.cells],
        one.words,
        {start + row for column, start in zip(there, starts, strict=True) for row in column.best},
        {start + row for column, start in zip(there, starts, strict=True) for row in column.worst},
        beside if any(beside) else (),
        one.follows,
        one.runs,
        one.of_run,
    )


@dataclass(frozen=True)
class Document:
    """All tables of an answer, and the notes below them.

    The ``signs`` explain what is in the tables. The ``verdict`` comes before all; the notes ``above`` follow it. With a
    ``caption`` the tables are for a paper: it says what is measured, and the notes are sentences below the tables.
    """

    tables: Sequence[ReportTable]
    notes: Sequence[Note] = ()
    signature: str = ""
    gap: int = 3  # between two columns, where they are drawn
    caption: str = ""
    signs: Sequence[str] = ()
    verdict: Note | None = None
    above: Sequence[Note] = ()

    @property
    def lines_above(self) -> Sequence[str]:
        """The notes above the tables, one for each kind."""
        return select_notes(self.above, None)

    @property
    def lines(self) -> Sequence[str]:
        """The signs and all notes, one for each kind."""
        return [*filter(None, (*self.signs, *select_notes(self.notes, None)))]


def heading(measure: Quantity) -> str:
    """Name a measure and its direction."""
    return f"{measure} {ARROWS[measure.better]}".strip()


def directions(several: Iterable[str]) -> str:
    """Explain the arrows of these directions.

    >>> directions(["lower", "neither", "higher"])
    '↑ higher is better, ↓ lower is better'
    """
    used = {*several}
    return ", ".join(text for better, text in MEANING.items() if better in used)
