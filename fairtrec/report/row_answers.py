"""Answers that are rows: files have the fields of each row, and tables have columns that show fields.

The ``rows`` of an answer are dataclasses. Their fields are the columns of TSV and CSV, and the keys of JSON and of flat
names. What a table shows of them, and how, is a list of `FieldColumn`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from math import isnan, nan
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from fairtrec.report.cells import Writer, write_number, write_text
from fairtrec.report.document import RUN_HEADS, Column, ReportTable
from fairtrec.report.records import Row, head, list_runs, name_numbers
from fairtrec.statistics.doubt import sign_doubt
from fairtrec.statistics.procedure import Procedure
from fairtrec.support.notes import Note, NoteKind

WORST = "the slice in which the run's mean is worst"
FAMILY = NoteKind("compared", "{family}")
TESTS = {"t": "paired t-test", "wilcoxon": "Wilcoxon's signed ranks", "randomization": "paired randomization",
         "bootstrap": "paired bootstrap"}  # fmt: skip
Of = TypeVar("Of")
Getter = Callable[[Any], Any]  # of a row


class FieldColumn(NamedTuple):
    """A column of a table, which shows a field of each row.

    Attributes:
        head: its heading.
        write: a writer of `fairtrec.report.cells`. Only texts are aligned to the left.
        field: the name of the field, or a function of the row. The default is the field with the name of the heading.
        ends: the ends of the interval that follows the value in the same form; nan if there is none.
        doubtful: the name of the field that tells whether ``?`` follows the value.
        undefined: is printed for nan; None is always printed as a dash.
        most: the greatest number of places.
        key: whether it identifies the row.
    """

    head: str
    write: Writer = write_text
    field: str | Getter = ""
    ends: Getter | None = None
    doubtful: str = ""
    undefined: str = "-"
    most: int = 17
    key: bool = False

    def lay_out(self, rows: Sequence[Any], places: int) -> Column:
        """Write the cells of all rows."""
        get = self.field if callable(self.field) else attrgetter(self.field or self.head)
        values = [get(row) for row in rows]
        cells = [self._write(value, places) for value in values]
        beside = [self._write_beside(row, value, places) for row, value in zip(rows, values, strict=True)]
        is_alone, is_text = not (self.ends or self.doubtful), self.write is write_text
        return Column(self.head, cells, is_text, beside=() if is_alone else beside, runs=self.head in RUN_HEADS)

    def _write(self, value: Any, places: int) -> str:
        if value is None:
            return "-"
        return self.undefined if _is_nan(value) else self.write(value, min(places, self.most))

    def _write_beside(self, row: Any, value: Any, places: int) -> str:
        """Write the interval of a value, and ``?``."""
        ends = (self.ends or _find_no_ends)(row)
        interval = "" if _is_nan(ends[0]) else f" [{', '.join(self._write(end, places) for end in ends)}]"
        is_doubtful = bool(self.doubtful) and not _is_nan(value) and attrgetter(self.doubtful)(row)
        return interval + sign_doubt(doubtful=is_doubtful)


def _find_no_ends(_: Any) -> tuple[float, float]:
    return nan, nan


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and isnan(value)


def declare_estimate(
    head: str, field: str, write: Writer = write_number, *, doubtful: str, undefined: str = "-"
) -> FieldColumn:
    """Declare the column of a field that is an estimate: a value with a low and a high end."""
    ends = attrgetter(f"{field}.low", f"{field}.high")
    return FieldColumn(head, write, f"{field}.value", ends, doubtful, undefined)


def list_ends(name: str, estimate: Any) -> dict[str, float]:
    """List the fields of an estimate in files: its value, and its low and high end."""
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def lay_out_rows(
    columns: Sequence[FieldColumn],
    rows: Sequence[Any],
    places: int,
    title: str = "",
    *,
    good: Collection[int] = (),
    bad: Collection[int] = (),
    least: Sequence[str] = (),
) -> ReportTable:
    """Lay out a table of rows: the columns that name them, and those of values."""
    keys, values = ([each.lay_out(rows, places) for each in columns if each.key is key] for key in (True, False))
    return ReportTable(title, keys, values, good, bad, least=least)


def name_corrected_p(how: Procedure) -> str:
    """Name the column of corrected p."""
    short = {"none": "p", "bonferroni": "p Bonferroni", "holm": "p Holm", "bh": "p BH", "tukey": "p Tukey"}
    return short[how.correction]


def group_rows(rows: Iterable[Of], *keys: str) -> Iterator[tuple[tuple[str, ...], list[Of]]]:
    """Group rows by the values of some fields, in the order in which these first appear."""
    groups: dict[tuple[str, ...], list[Of]] = {}
    for row in rows:
        groups.setdefault(tuple(getattr(row, key) for key in keys), []).append(row)
    yield from groups.items()


def group_by_run(rows: Sequence[Of]) -> list[Of]:
    """Put the slices of each run below each other."""
    return [row for _, of_run in group_rows(rows, "run") for row in of_run]


def rows(view: Any, *, places: int | None) -> Iterator[Row]:
    """Give the names of the fields, and the fields of each row; small p-values keep their digits."""
    return write_rows(records(view), places)


def write_rows(records: Iterable[Mapping[str, Any]], places: int | None) -> Iterator[Row]:
    """Write objects with the same keys as rows, the keys first."""
    for number, record in enumerate(records):
        if not number:
            yield list(record)
        yield [_cell(name, value, places) for name, value in record.items()]


def _cell(name: str, value: Any, places: int | None) -> str | float | None:
    if places is None or value is None:
        return value  # type: ignore[no-any-return]  # a field of a row
    if isinstance(value, float):
        return f"{value:.{max(places, 1)}g}" if name == "p" or name.startswith("p_") else f"{value:z.{places}f}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def records(view: Any) -> list[dict[str, Any]]:
    """Give an object for each row, in full precision."""
    return list(map(asdict, view.rows))


def make_flat(keys: Sequence[str]) -> Callable[[Any], dict[str, float]]:
    """Make the function that names each number of each row after its keys."""
    return lambda view: name_numbers(rows(view, places=None), keys)


def record_rows(view: Any, notes: Sequence[Note | None], **made: Any) -> dict[str, Any]:
    """Give one object: what made the rows, the notes, what else is ``made`` known, the runs, and the rows."""
    return {**head(view.result, view.signature, notes), **made, "runs": list_runs(view.result), "rows": records(view)}
