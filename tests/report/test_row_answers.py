"""Answers that are rows: the columns of their tables, and their fields in files."""

from dataclasses import dataclass
from math import nan
from operator import attrgetter

import pytest

from fairtrec.report.cells import write_count, write_difference, write_number
from fairtrec.report.row_answers import FieldColumn, lay_out_rows, rows


@dataclass(frozen=True)
class Rate:
    group: str
    value: float
    low: float
    high: float
    p_corrected: float | None
    doubtful: bool


@dataclass(frozen=True)
class Rates:
    rows: tuple[Rate, ...]


FEW = Rate("f", 0.25, 0.125, 0.5, 1e-7, doubtful=True)
NONE = Rate("m", nan, nan, nan, None, doubtful=True)
ALONE = Rate("-", -1e-9, nan, nan, 0.5, doubtful=True)
EVERY = (FEW, NONE, ALONE)


def lay_out(column, places=2):
    laid_out = column.lay_out(EVERY, places)
    return list(map("".join, zip(laid_out.cells, laid_out.beside or [""] * len(EVERY), strict=True)))


def test_an_interval_and_a_doubt_follow_only_what_has_them():
    ends, doubtful = attrgetter("low", "high"), "doubtful"
    assert lay_out(FieldColumn("value", write_number)) == ["0.25", "-", "0.00"]
    assert lay_out(FieldColumn("value", write_number, ends=ends)) == ["0.25 [0.12, 0.50]", "-", "0.00"]
    assert lay_out(FieldColumn("value", write_number, doubtful=doubtful)) == ["0.25 ?", "-", "0.00 ?"]
    both = FieldColumn("value", write_difference, ends=ends, doubtful=doubtful)
    assert lay_out(both) == ["+0.25 [+0.12, +0.50] ?", "-", "+0.00 ?"]


def test_undefined_is_not_the_same_as_none():
    assert lay_out(FieldColumn("value", write_number, undefined="nan")) == ["0.25", "nan", "0.00"]
    assert lay_out(FieldColumn("p", write_number, "p_corrected", undefined="nan")) == ["0.00", "-", "0.50"]


def test_places_have_a_limit():
    assert lay_out(FieldColumn("value", write_number, most=1), 4) == ["0.2", "-", "0.0"]
    assert lay_out(FieldColumn("value", write_number, most=3), 1) == ["0.2", "-", "0.0"]


def test_a_table_has_its_keys_first_and_only_texts_to_the_left():
    columns = [
        FieldColumn("letters", write_count, lambda row: len(row.group)),
        FieldColumn("group", key=True),
        FieldColumn("run", field=lambda row: f"{row.group}.run"),
    ]
    table = lay_out_rows(columns, EVERY, 2, "title", good=[0], least=["letters"])
    assert [(each.head, each.words, each.runs) for each in table.columns] == [
        ("group", True, False),
        ("letters", False, False),
        ("run", True, True),
    ]
    assert len(table.keys) == 1
    assert (table.title, table.good, table.least) == ("title", [0], ["letters"])


@pytest.mark.parametrize(
    ("places", "cells"),
    [
        (None, ["f", 0.25, 0.125, 0.5, 1e-7, True]),
        (2, ["f", "0.25", "0.12", "0.50", "1e-07", "true"]),
    ],
)
def test_files_have_every_field(places, cells):
    head, first, *_ = rows(Rates(EVERY), places=places)
    assert head == ["group", "value", "low", "high", "p_corrected", "doubtful"]
    assert first == cells
