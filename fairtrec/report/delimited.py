"""TSV and CSV: a row for each run and query (``all`` for the means), a column for each measure."""

import csv as csv_module
import io

from fairtrec.api import Result
from fairtrec.report import cells


def tsv(result: Result, *, per_query: bool, summary: bool, places: int) -> str:
    """Write tab-separated rows."""
    return _delimited(result, "\t", per_query=per_query, summary=summary, places=places)


def csv(result: Result, *, per_query: bool, summary: bool, places: int) -> str:
    """Write comma-separated rows."""
    return _delimited(result, ",", per_query=per_query, summary=summary, places=places)


def _delimited(result: Result, delimiter: str, *, per_query: bool, summary: bool, places: int) -> str:
    stream = io.StringIO()
    writer = csv_module.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerow(["run", "tag", "qid", *map(str, result.scores[0].measures)])
    for scores in result.scores:
        if per_query:
            for qid, values in zip(scores.qids, scores.values.T, strict=True):
                writer.writerow([scores.run, scores.tag, qid, *cells(scores, values, places)])
        if summary:
            writer.writerow([scores.run, scores.tag, "all", *cells(scores, scores.means, places)])
    return stream.getvalue()
