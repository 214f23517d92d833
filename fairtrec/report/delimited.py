"""TSV and CSV: a row for each run and query (``all`` for the means), a column for each measure."""

import csv as csv_module
import io
from collections.abc import Iterable, Iterator, Sequence

from fairtrec.api import Result
from fairtrec.report import cells


def tsv(result: Result, *, per_query: bool, summary: bool, places: int) -> str:
    """Write tab-separated rows."""
    return written("tsv", _rows(result, per_query=per_query, summary=summary, places=places))


def csv(result: Result, *, per_query: bool, summary: bool, places: int) -> str:
    """Write comma-separated rows."""
    return written("csv", _rows(result, per_query=per_query, summary=summary, places=places))


def written(form: str, rows: Iterable[Sequence[str]]) -> str:
    """Write rows of cells, as ``tsv`` or ``csv``."""
    stream = io.StringIO()
    csv_module.writer(stream, delimiter="\t" if form == "tsv" else ",", lineterminator="\n").writerows(rows)
    return stream.getvalue()


def _rows(result: Result, *, per_query: bool, summary: bool, places: int) -> Iterator[list[str]]:
    yield ["run", "tag", "qid", *map(str, result.scores[0].measures)]
    for scores in result.scores:
        if per_query:
            for qid, values in zip(scores.qids, scores.values.T, strict=True):
                yield [scores.run, scores.tag, qid, *cells(scores, values, places)]
        if summary:
            yield [scores.run, scores.tag, "all", *cells(scores, scores.means, places)]
