"""Rank-biased overlaps of runs: the pairs as rows, or all runs as rows and, by their numbers, as columns."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from fairtrec.commands.correlate.overlaps import Overlap, Overlaps
from fairtrec.report.cells import cell
from fairtrec.report.document import Column, Document, ReportTable
from fairtrec.report.records import Row, name_numbers
from fairtrec.report.run_names import map_names
from fairtrec.support.notes import Note

KEYS = ("run", "other", "qid")


def list_notes(overlaps: Overlaps) -> list[Note]:
    """List the notes on the numbers."""
    return list(overlaps.notes)


def tables(overlaps: Overlaps, *, places: int, per_query: bool = False) -> Document:
    """Lay out the table; nothing stands below it."""
    short = map_names(run for overlap in overlaps.pairs for run in (overlap.first, overlap.second))
    if overlaps.baseline is None and len(overlaps.runs) > 2 and not per_query:
        return Document([_square(overlaps.pairs, [short.get(run, run) for run in overlaps.runs], places)])
    _, *several = rows(overlaps, places=places, per_query=per_query)
    cells = [[short[str(first)], short[str(second)], str(qid), str(value)] for first, second, qid, value in several]
    table = ReportTable.from_rows("", 3, ["run", "other", "query", "RBO"], cells)
    return Document([table])


def rows(overlaps: Overlaps, *, places: int | None, per_query: bool = False) -> Iterator[Row]:
    """Give a row for each pair, and before it one for each query if asked for."""
    yield ["run", "other", "qid", "rbo"]
    for overlap in overlaps.pairs:
        if per_query:
            for qid, value in zip(overlap.qids, overlap.values.tolist(), strict=True):
                yield [overlap.first, overlap.second, qid, cell(value, places)]
        yield [overlap.first, overlap.second, "all", cell(overlap.mean, places)]


def record(overlaps: Overlaps, *, per_query: bool = False) -> dict[str, Any]:
    """Give one object with every pair in full precision."""
    pairs = []
    for overlap in overlaps.pairs:
        mean = {"mean": overlap.mean, "queries": len(overlap.qids), "left_out": overlap.left_out}
        pair: dict[str, Any] = {"run": overlap.first, "other": overlap.second, **mean}
        if per_query:
            pair["per_query"] = dict(zip(overlap.qids, overlap.values.tolist(), strict=True))
        pairs.append(pair)
    names = dict.fromkeys(name for overlap in overlaps.pairs for name in (overlap.first, overlap.second))
    return {"signature": str(overlaps.signature), "runs": [{"run": name} for name in names], "pairs": pairs}


def records(overlaps: Overlaps, *, per_query: bool = False) -> list[dict[str, Any]]:
    """Give an object for each pair, in full precision."""
    found: list[dict[str, Any]] = record(overlaps, per_query=per_query)["pairs"]
    return found


def flat(overlaps: Overlaps, *, per_query: bool = False) -> dict[str, float]:
    """Give each number of each pair under a name of its own."""
    return name_numbers(rows(overlaps, places=None, per_query=per_query), KEYS)


def _square(overlaps: Sequence[Overlap], names: Sequence[str], places: int) -> ReportTable:
    """Lay all pairs out as a square, which is the same above and below its diagonal."""
    cells = [["" for _ in names] for _ in names]
    for (one, other), overlap in zip(combinations(range(len(names)), 2), overlaps, strict=True):
        cells[one][other] = cells[other][one] = f"{overlap.mean:.{places}f}"
    numbers = [str(number) for number in range(1, len(names) + 1)]
    keys = [Column("", numbers), Column("run", names, words=True, runs=True)]
    return ReportTable("", keys, list(map(Column, numbers, cells)))
