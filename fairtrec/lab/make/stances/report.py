"""Stances of documents: the rows for ``--stances``, and what the axes explain."""

from collections.abc import Iterator
from typing import Any

from fairtrec.lab.make.stances.projection import Projection
from fairtrec.report.document import Document, ReportTable
from fairtrec.report.records import Row, objects

KEYS = ("axis",)
FIRST = 20  # rows that a notebook shows


def tsv(placed: Projection) -> str:
    """Write the file that ``--stances`` reads."""
    return placed.tsv


def tables(placed: Projection, *, places: int) -> Document:
    """Lay out the first rows, and what to know about all."""
    values = placed.values[:FIRST].tolist()
    cells = [
        [qid, docno, *(f"{value:z.{places}f}" for value in row)]
        for qid, docno, row in zip(placed.qids[:FIRST], placed.docnos[:FIRST], values, strict=True)
    ]
    more = [f"{len(placed.qids) - FIRST:,} more rows are not shown"] * (len(placed.qids) > FIRST)
    return Document(
        [ReportTable.from_rows("", 2, placed.columns, cells)], placed.list_notes(), str(placed.signature), signs=more
    )


def rows(placed: Projection, *, places: int | None) -> Iterator[Row]:
    """Give a row for each document of each query, its numbers as exact as in the file, whatever the ``places``."""
    yield placed.columns
    for qid, docno, values in zip(placed.qids, placed.docnos, (placed.values + 0.0).tolist(), strict=True):
        yield [qid, docno, *(values if places is None else (f"{value:.9g}" for value in values))]


def numbers(placed: Projection) -> Iterator[Row]:
    """Give the share of the spread that each axis explains, in the mean over queries."""
    yield ["axis", "explained"]
    yield from ([name, share] for name, share in zip(placed.columns[2:], placed.explained.mean(axis=0), strict=True))


def records(placed: Projection) -> Iterator[dict[str, Any]]:
    """Give an object for each document of each query."""
    return objects(rows(placed, places=None))
