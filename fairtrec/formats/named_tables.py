"""One reader of tables: the lists of one's own, whose columns a first line may name.

A reader says which columns it wants, as a ``TableKind``. Below a first line of names, columns may have any order.
Without one, they have the order of the kind. JSON lines, and a JSON array of objects, have names as keys.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, dropwhile
from os import fspath
from typing import Any

from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import opening
from fairtrec.support.files.table_header import TableHeader, find_header, normalize_name, refuse_semicolons
from fairtrec.support.files.whole_lines import parse_object
from fairtrec.support.late_patterns import compile_late

JSON = compile_late(rb'\s*(?:\{\s*"|\[\s*\{)')  # how an object with a key starts, or an array of objects
SAMPLE = 1 << 16  # bytes of a table, by whose values a column is proposed
NumberedLine = tuple[int, bytes]
NumberedRow = tuple[int | None, list[str]]  # the line is not known of an array of objects


@dataclass(frozen=True)
class TableKind:
    """Which columns are read of a kind of table.

    Attributes:
        what: what a table of this kind is, in messages.
        columns: the names that each column may have, of which the first that is there counts.
        optional: the columns that may lack.
        rest: the column that is the only further one if none has its name. Several further ones are refused, unless
            ``takes_all``: they are all taken.
        choice: what to do if there are several, with ``{rest}``, ``{path}`` and the ``{name}`` of the one with
            the fewest values, as groups have.
        wide: the column that takes the cells that a row has too many, because its text may have separators.
        separators: those of lines without a header, of which the first that a line has counts; None is white space.
        heads: names that make a header together, though none is of an id.
        longest: bytes of a line.
    """

    what: str
    columns: Mapping[str, Sequence[str]]
    optional: frozenset[str] = frozenset()
    rest: str = ""
    takes_all: bool = False
    choice: str = "call one {rest}"
    wide: str = ""
    separators: tuple[str | None, ...] = ("\t",)
    heads: tuple[tuple[str, ...], ...] = ()
    longest: int = 0

    @property
    def example(self) -> str:
        """Write the names that a first line needs."""
        return " ".join(name for name in self.columns if name not in self.optional)

    def find_columns(
        self, header: TableHeader, path: FilePath, line: int | None, below: bytes = b""
    ) -> dict[str, list[int]]:
        """Find the places of the columns by their names. Raises InputError for one that lacks, or that is there twice.

        ``below``  lines under the header, if they are at hand: an error proposes a column by their values.
        A column that lacks and is optional has no place.
        """
        named = {name: header.find_column(wanted) for name, wanted in self.columns.items()}
        found = {name: [place] for name, place in named.items() if place is not None}
        for (place,) in found.values():
            if header.names.count(header.names[place]) > 1:
                raise InputError(f"two columns are called {header.written[place]}; rename one", path, line)
        lacking = {name for name in self.columns if name not in found} - self.optional
        others = [place for place, name in enumerate(header.names) if name and [place] not in found.values()]
        if lacking - {self.rest} or (lacking and not others):
            what = f"the columns are {', '.join(header.written)}; name them {self.example}"
            raise InputError(f"{what}, or write these names above the first entry", path, line)
        if self.rest and self.rest not in found and others:
            self._refuse_choice(header, others, path, line, below)
            found[self.rest] = others
        return {name: found[name] for name in self.columns if name in found}

    def _refuse_choice(
        self, header: TableHeader, others: Sequence[int], path: FilePath, line: int | None, below: bytes
    ) -> None:
        """Raise InputError for several further columns where one is wanted."""
        if len(others) > 1 and not self.takes_all:
            name = header.written[_find_fewest_values(header, others, below)]
            choice = self.choice.format(rest=self.rest, path=fspath(path), name=name)
            raise InputError(f"the columns are {', '.join(header.written)}; {choice}", path, line)


def _find_fewest_values(header: TableHeader, places: Sequence[int], below: bytes) -> int:
    """Find which of these columns has the fewest values in the lines below, but two at least; else the first."""
    import csv

    lines = below[:SAMPLE].decode(errors="replace").splitlines()
    several: dict[int, int] = {}
    with suppress(csv.Error):
        rows = list(csv.reader(lines, delimiter=header.separator or " "))
        values = {place: {row[place] for row in rows if place < len(row)} for place in places}
        several = {place: len(found) for place, found in values.items() if len(found) > 1}
    return min(several, key=lambda place: several[place], default=places[0])


@dataclass
class TableRows:
    """The rows of a table, each with the number of its line.

    Attributes:
        names: the columns of the rows if a header named them, in the order of the kind; else none.
        rows: the cells of each row, in the order of ``names`` if there are some.
        places: the columns of a line in which these stand; empty where there is no header, or lines are objects.
    """

    names: tuple[str, ...] = ()
    rows: Iterator[NumberedRow] = field(default_factory=lambda: iter(()))
    places: Sequence[int] = ()


def pass_comments(lines: Iterable[NumberedLine]) -> Iterator[NumberedLine]:
    """Pass over the comments above the first entry of a list, or its header; below, ``#b`` is an id."""
    return dropwhile(lambda line: line[1].startswith(b"#"), lines)


def is_remark(line: bytes) -> bool:
    """Tell a line that is a comment also between a header and the first entry: ``#b`` is an id there.

    >>> is_remark(b"# made today"), is_remark(b"#"), is_remark(b"#b 1")
    (True, True, False)
    """
    return line.startswith(b"# ") or line.strip() == b"#"


def peek_line(lines: Iterator[NumberedLine]) -> tuple[NumberedLine, Iterator[NumberedLine]]:
    """Look at the first line: give it, number 0 if there is none, and all lines."""
    first = next(lines, (0, b""))
    return first, chain([first][: first[0]], lines)


def read_table(path: FilePath, kind: TableKind) -> TableRows:
    """Read a table of this kind.

    Raises InputError for columns that do not fit the kind, for a row of other than the columns of the header, and for
    semicolons between cells that no header tells.
    """
    lines = pass_comments(opening.lines(path, longest=kind.longest))
    return split_table(lines, path, kind)


def split_table(lines: Iterator[NumberedLine], path: FilePath, kind: TableKind) -> TableRows:
    """Split the lines of a table of this kind, as ``read_table`` does."""
    (number, first), lines = peek_line(lines)
    if JSON.match(first):
        return _take_objects(lines, path, kind)
    text = first.decode()
    header = find_header(text, kind.heads)
    if header is None:
        refuse_semicolons(text, kind.separators, path, number)
        return TableRows((), _split_entries(lines, kind, path))
    places = kind.find_columns(header, path, number)
    names = tuple(name for name, several in places.items() for _ in several)
    next(lines, None)
    rows = split_below(lines, header, path)
    taken = [*chain(*places.values())]
    last = len(header.names) - 1
    wide = places[kind.wide][0] if kind.wide else None if last in taken else last  # a text that nobody reads
    return TableRows(names, take_places(rows, header, taken, path, wide), taken)


def refuse_widths(
    rows: Iterable[NumberedRow], path: FilePath, many: Container[int], wrong: str, filled: int
) -> Iterator[NumberedRow]:
    """Give rows of so ``many`` cells, of which the first ``filled`` are not empty.

    Raises InputError for another row: ``wrong``, into which the number of cells is written, and the s of several.
    """
    for number, cells in rows:
        if len(cells) not in many or not all(cells[:filled]):
            raise InputError(wrong.format(len(cells), "s" * (len(cells) != 1)), path, number)
        yield number, cells


def _split_entries(lines: Iterable[NumberedLine], kind: TableKind, path: FilePath) -> Iterator[NumberedRow]:
    """Split each line by the first of the separators of the kind that it has."""
    columns = [name for name in kind.columns if name not in kind.optional]
    for number, line in lines:
        text = line.decode()
        separator = next((each for each in kind.separators if each is None or each in text), kind.separators[-1])
        if separator == "," and '"' in text:
            rows = split_quoted([(number, line)], separator, path)
        else:
            empty = [""] * (separator is None and text.startswith("\t"))  # a tab before which nothing stands
            rows = iter([(number, [*empty, *text.split(separator)])])
        for row, cells in rows:
            joined = join_wide(cells, len(columns), columns.index(kind.wide), separator) if kind.wide else cells
            yield row, [cell.strip() for cell in joined]


def split_below(lines: Iterable[NumberedLine], header: TableHeader, path: FilePath) -> Iterator[NumberedRow]:
    """Split the lines below a header, whose separator they have.

    Between commas and semicolons, cells have quotation marks as in CSV. Between tabs, these are letters, unless each
    cell of the header has them. Remarks above the first entry are left out.
    """
    lines = dropwhile(lambda line: is_remark(line[1]), lines)
    if header.separator in (",", ";") or header.is_quoted:
        return split_quoted(lines, header.separator or " ", path)
    return ((number, line.decode().split(header.separator)) for number, line in lines)


def split_quoted(lines: Iterable[NumberedLine], separator: str, path: FilePath) -> Iterator[tuple[int, list[str]]]:
    """Split lines whose cells may have quotation marks, and go over lines. Raises InputError for what cannot be."""
    import csv

    numbers: list[int] = []

    def texts() -> Iterator[str]:
        for number, line in lines:
            numbers.append(number)
            yield line.decode() + "\n"

    reader = csv.reader(texts(), delimiter=separator, strict=True)
    try:
        for cells in reader:
            yield numbers[0], cells
            numbers.clear()
    except csv.Error as fault:
        what = f"this line cannot be split into columns ({fault})"
        raise InputError(f"{what}; close its quotation marks", path, numbers[0]) from None


def take_places(
    rows: Iterable[NumberedRow], header: TableHeader, places: Sequence[int], path: FilePath, wide: int | None = None
) -> Iterator[NumberedRow]:
    """Take these cells of each row. The column at the place ``wide`` takes the cells that are too many.

    Raises InputError for a row of other than the columns of the header.
    """
    many = len(header.names)
    for number, cells in rows:
        row = cells if wide is None else join_wide(cells, many, wide, header.separator)
        if len(row) != many:
            raise InputError(describe_columns(len(row), header.written), path, number)
        yield number, [row[place].strip() for place in places]


def join_wide(cells: list[str], many: int, wide: int, separator: str | None) -> list[str]:
    """Join the cells that a row has more than so ``many`` with that at the place ``wide``.

    >>> join_wide(["him", " there", "m"], 2, 0, ",")
    ['him, there', 'm']
    """
    more = max(len(cells) - many, 0)
    text = (separator or " ").join(cells[wide : wide + more + 1])
    return [*cells[:wide], text, *cells[wide + more + 1 :]] if more else cells


def describe_columns(many: int, names: Sequence[str]) -> str:
    """Say that a line has other than these columns."""
    what = f"{many} column{'s' * (many != 1)} instead of the {len(names)} of the first line"
    return f"{what}; write: {' '.join(filter(None, names))}"


def _take_objects(lines: Iterable[NumberedLine], path: FilePath, kind: TableKind) -> TableRows:
    """Take JSON lines, or an array of objects. Raises InputError for a key that lacks."""
    objects = read_objects(lines, path, kind.example)
    number, first = next(objects)
    header = TableHeader(tuple(first), tuple(map(normalize_name, first)), ",", is_quoted=True)
    places = kind.find_columns(header, path, number)
    names = tuple(name for name, several in places.items() for _ in several)
    keys = [header.written[place] for several in places.values() for place in several]
    below = chain([(number, first)], objects)
    return TableRows(names, ((line, [write_cell(each.get(key)) for key in keys]) for line, each in below))


def read_objects(
    lines: Iterable[NumberedLine], path: FilePath, example: str
) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """Read JSON lines, or an array of objects, each with its line, if that is known."""
    (_, first), lines = peek_line(iter(lines))
    if not first.lstrip().startswith(b"["):
        yield from ((line, parse_object(text, example, path, line)) for line, text in lines)
        return
    from fairtrec.support.files import json_text

    every = json_text.parse_at(b"\n".join(text for _, text in lines), path, None, "write it again", "this is")
    for each in every:
        if not isinstance(each, dict):
            raise InputError(f"an entry of this array is not an object; write it like {example}", path)
        yield None, each


def write_cell(value: Any) -> str:
    """Write a value of JSON as a cell: numbers as they are, nothing for null and for what is no single value."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value).strip() if isinstance(value, str | int | float) else ""
