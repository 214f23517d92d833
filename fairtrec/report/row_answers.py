"""Answers that are rows with fields: how they are grouped in tables, and written as rows and records."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, fields
from typing import Any, TypeVar

from fairtrec.report.records import Row
from fairtrec.statistics.procedure import Procedure
from fairtrec.support.notes import NoteKind

WORST = "the slice in which the run's mean is worst"
FAMILY = NoteKind("compared", "{family}")
Of = TypeVar("Of")


def probability(p: float, places: int) -> str:
    """Write a p-value; a small one is never printed as 0.

    >>> probability(0.00001, 4), probability(0.04, 4), probability(float("nan"), 4)
    ('<0.0001', '0.0400', 'nan')
    """
    places = max(places, 1)
    least = float(f"1e-{places}")
    return f"<{least:.{places}f}" if p < least else f"{p:.{places}f}"


def write_interval(low: float, high: float, places: int) -> str:
    """Write an interval of differences; a dash where there is none."""
    return "-" if math.isnan(low) else f"[{low:+z.{places}f}, {high:+z.{places}f}]"


def group_rows(rows: Iterable[Of], *keys: str) -> Iterator[tuple[tuple[str, ...], list[Of]]]:
    """Group rows by the values of some fields, in the order in which these first appear."""
    groups: dict[tuple[str, ...], list[Of]] = {}
    for row in rows:
        groups.setdefault(tuple(getattr(row, key) for key in keys), []).append(row)
    yield from groups.items()


def group_by_run(rows: Sequence[Of]) -> list[Of]:
    """Put the slices of each run below each other."""
    return [row for _, of_run in group_rows(rows, "run") for row in of_run]


def name_corrected_p(how: Procedure) -> str:
    """Name the column of corrected p."""
    short = {"none": "p", "bonferroni": "p Bonferroni", "holm": "p Holm", "bh": "p BH", "tukey": "p Tukey"}
    return short[how.correction]


def rows(view: Any, *, places: int | None) -> Iterator[Row]:
    """Give the names of the fields, and the fields of each row; small p-values keep their digits."""
    names = [field.name for field in fields(view.rows[0])]
    yield names
    for row in view.rows:
        yield [_cell(name, getattr(row, name), places) for name in names]


def _cell(name: str, value: Any, places: int | None) -> str | float | None:
    if places is None or value is None:
        return value  # type: ignore[no-any-return]  # a field of a row
    if isinstance(value, float):
        return f"{value:.{max(places, 1)}g}" if name.startswith("p") else f"{value:z.{places}f}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def records(view: Any) -> list[dict[str, Any]]:
    """Give an object for each row, in full precision."""
    return list(map(asdict, view.rows))
