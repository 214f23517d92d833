"""Runs in their new order: the rankings, and in how many queries their order is another."""

from collections.abc import Iterator
from typing import Any

from fairtrec.data import Run, decode
from fairtrec.formats import run_writer
from fairtrec.lab.rerank.effects import Reranking
from fairtrec.lab.rerank.report import list_notes
from fairtrec.report.document import Document, ReportTable
from fairtrec.report.records import Row, note_records, objects
from fairtrec.report.run_names import map_names
from fairtrec.support.errors import UsageError

KEYS = ("run", "by")


def tables(reranking: Reranking, *, places: int) -> Document:
    """Lay out a table of the runs; ``places`` are not heeded, as all numbers are whole."""
    del places
    head, *several = numbers(reranking)
    names = map_names(each.run for each in reranking.runs)
    cells = [[names[str(run)], *map(str, rest)] for run, *rest in several]
    table = ReportTable.from_rows("", 2, [*map(str, head)], cells)
    return Document([table], list_notes(reranking), str(reranking.signature))


def numbers(reranking: Reranking) -> Iterator[Row]:
    """Give how many queries and documents each run has, and in how many queries the order is another."""
    yield ["run", "by", "queries", "documents", "other_order"]
    for each in reranking.runs:
        was = dict(_rankings(each.before))
        other = {qid for run in each.after.runs for qid, ranking in _rankings(run) if was.get(qid) != ranking}
        yield [each.run, str(each.by), len(each.before.qids), len(each.before.docnos), len(other)]


def rows(reranking: Reranking, *, places: int | None) -> Iterator[Row]:
    """Give a row for each document of each ranking; of several rankings of a query, each is a sample."""
    del places  # scores are whole numbers
    sampled = any(each.after.sampled for each in reranking.runs)
    yield ["run", "by", *["sample"] * sampled, "qid", "docno", "rank", "score"]
    for each in reranking.runs:
        for sample, run in enumerate(each.after.runs, 1):
            for qid, ranking in _rankings(run):
                for rank, docno in enumerate(ranking, 1):
                    yield [each.run, str(each.by), *[sample] * sampled, qid, docno, rank, len(ranking) - rank + 1]


def records(reranking: Reranking) -> Iterator[dict[str, Any]]:
    """Give an object for each document of each ranking."""
    return objects(rows(reranking, places=None))


def record(reranking: Reranking) -> dict[str, Any]:
    """Give one object with the rankings of each run, a list for each sample, and what each reranker says of them."""
    runs = [
        {
            "run": each.run,
            "by": str(each.by),
            "rankings": [dict(_rankings(run)) for run in each.after.runs],
        }
        for each in reranking.runs
    ]
    made = {"signature": str(reranking.signature), "notes": note_records(list_notes(reranking))}
    return {**made, "runs": runs}


def trec(reranking: Reranking) -> bytes:
    """Write the run as a TREC file. Raises UsageError for several."""
    if len(reranking.runs) != 1:
        raise UsageError(f"these are {len(reranking.runs)} runs, and a file holds one; write each on its own")
    return b"".join(run_writer.lines(reranking.runs[0].after))


def _rankings(run: Run) -> Iterator[tuple[str, list[str]]]:
    starts, docnos = run.starts.tolist(), decode(run.docnos)
    for number, qid in enumerate(run.qids):
        yield qid, docnos[starts[number] : starts[number + 1]]
