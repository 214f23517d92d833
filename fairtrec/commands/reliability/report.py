"""Reliability of the order of runs: one table, rows and records."""

from collections.abc import Iterator
from functools import partial
from math import isnan, nan
from operator import attrgetter
from typing import Any

from fairtrec.commands.reliability.reliability import OrderReliability, Reliabilities, name_measure
from fairtrec.report import row_answers
from fairtrec.report.cells import write_count, write_needed, write_number, write_share, write_shortfall
from fairtrec.report.document import Document
from fairtrec.report.result_notes import list_notes as list_result_notes
from fairtrec.report.row_answers import FieldColumn, lay_out_rows, record_rows
from fairtrec.statistics.doubt import explain_few
from fairtrec.support.notes import Note

KEYS = ("measure", "slice")
LEAST = ("residual", "query", "run", "runs", "tau of halves", "absolute")
rows, records, flat = row_answers.rows, row_answers.records, row_answers.make_flat(KEYS)


def tables(view: Reliabilities, *, places: int) -> Document:
    """Lay out one table, a row for each measure and slice."""
    table = lay_out_rows(_list_columns(view), view.rows, places, least=LEAST)
    return Document([table], list_notes(view), str(view.signature), gap=2, signs=[*_legend(view)])


def _list_columns(view: Reliabilities) -> list[FieldColumn]:
    several = len({row.slice for row in view.rows}) > 1
    return [
        FieldColumn("measure", field=name_measure, key=True),
        *[FieldColumn("slice", key=True)] * several,
        FieldColumn("runs", write_count),
        FieldColumn("queries", write_count),
        FieldColumn(
            "reliability",
            partial(write_shortfall, wanted=(view.wanted,)),
            ends=attrgetter("low", "high"),
            doubtful="doubtful",
        ),
        FieldColumn("absolute", write_number),
        FieldColumn(f"queries for {view.wanted:g}", write_needed, "needed", ends=_find_needed_ends),
        FieldColumn("tau of halves", write_number, "halves", most=3),
        FieldColumn("run", write_share, "variance_run"),
        FieldColumn("query", write_share, "variance_query"),
        FieldColumn("residual", write_share, "variance_residual"),
    ]


def _find_needed_ends(row: OrderReliability) -> tuple[float | None, float | None]:
    return (nan, nan) if isnan(row.low) else (row.needed_low, row.needed_high)


def _legend(view: Reliabilities) -> Iterator[str]:
    """Explain the columns and signs."""
    percent = f"{100 * view.confidence:.15g}%"
    yield "reliability: the share of the variance of the runs' means that is due to the runs, not to these queries"
    yield "0.8 is a common requirement for an order of runs, 0.95 for a published ranking"
    yield f"[low, high]: {percent} interval, by a jackknife over queries"
    yield f"queries for {view.wanted:g}: this many queries of the same kind give this reliability"
    yield "absolute: how reliable a mean is by itself, compared with means over other queries"
    yield f"tau of halves: Kendall's tau-b between the orders by two halves of the queries, seed {view.seed}"
    yield "run, query, residual: shares of the variance of single values"
    if any(row.size for row in view.rows):
        yield "|measure|: nearer 0 is better, so absolute values are measured"
    if any(row.doubtful for row in view.rows if not isnan(row.reliability)):
        yield explain_few("queries decide")


def list_notes(view: Reliabilities) -> list[Note]:
    """List the notes on the numbers."""
    return [*view.notes, *list_result_notes(view.result)]


def record(view: Reliabilities) -> dict[str, Any]:
    """Give one object, which also says where the rows come from and how they were made."""
    chosen = {"wanted": view.wanted, "confidence": view.confidence, "seed": view.seed}
    return record_rows(view, list_notes(view), procedure=chosen)
