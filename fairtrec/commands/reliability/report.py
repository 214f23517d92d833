"""Reliability of the order of runs: one table, rows and records."""

from collections.abc import Iterator
from math import isnan
from typing import Any

from fairtrec.commands.reliability.reliability import OrderReliability, Reliabilities, name_measure
from fairtrec.report.cells import write_needed
from fairtrec.report.document import Column, Document, ReportTable
from fairtrec.report.records import head, list_runs, name_numbers
from fairtrec.report.result_notes import list_notes as list_result_notes
from fairtrec.report.row_answers import records, rows
from fairtrec.statistics.doubt import explain_few, sign_doubt
from fairtrec.support.notes import Note

KEYS = ("measure", "slice")
LEAST = ("residual", "query", "run", "runs", "tau of halves", "absolute")


def tables(view: Reliabilities, *, places: int) -> Document:
    """Lay out one table, a row for each measure and slice."""
    rows = view.rows
    keys = [Column("measure", list(map(name_measure, rows)), words=True)]
    if len({row.slice for row in rows}) > 1:
        keys.append(Column("slice", [row.slice for row in rows], words=True))
    tau_places = min(places, 3)
    values = [
        Column("runs", [str(row.runs) for row in rows]),
        Column("queries", [str(row.queries) for row in rows]),
        Column(
            "reliability",
            [_number(row.reliability, places) for row in rows],
            beside=[_interval(row, places) for row in rows],
        ),
        Column("absolute", [_number(row.absolute, places) for row in rows]),
        Column(
            f"queries for {view.wanted:g}",
            [_count(row.needed) for row in rows],
            beside=list(map(_interval_of_counts, rows)),
        ),
        Column("tau of halves", [_number(row.halves, tau_places) for row in rows]),
        Column("run", [_percent(row.variance_run) for row in rows]),
        Column("query", [_percent(row.variance_query) for row in rows]),
        Column("residual", [_percent(row.variance_residual) for row in rows]),
    ]
    return Document(
        [ReportTable("", keys, values, least=LEAST)],
        list_notes(view),
        str(view.signature),
        gap=2,
        signs=[*_legend(view)],
    )


def _number(value: float, places: int) -> str:
    return "-" if isnan(value) else f"{value:.{places}f}"


def _count(number: int | None) -> str:
    return "-" if number is None else write_needed(number)


def _percent(share: float) -> str:
    return "-" if isnan(share) else f"{100 * share:.1f}%"


def _interval(row: OrderReliability, places: int) -> str:
    ends = "" if isnan(row.low) else f" [{row.low:.{places}f}, {row.high:.{places}f}]"
    return ends + sign_doubt(doubtful=row.doubtful and not isnan(row.reliability))


def _interval_of_counts(row: OrderReliability) -> str:
    return "" if isnan(row.low) else f" [{_count(row.needed_low)}, {_count(row.needed_high)}]"


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
    made = head(view.result, view.signature, list_notes(view))
    chosen = {"wanted": view.wanted, "confidence": view.confidence, "seed": view.seed}
    return {**made, "procedure": chosen, "runs": list_runs(view.result), "rows": records(view)}


def flat(view: Reliabilities) -> dict[str, float]:
    """Give each number of each row under a name of its own."""
    return name_numbers(rows(view, places=None), KEYS)
