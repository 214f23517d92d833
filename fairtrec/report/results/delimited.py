"""TSV and CSV: a row for each run and query (``all`` for the means), a column for each measure."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

from fairtrec.evaluation.result import Result
from fairtrec.formats.tsv import ALL
from fairtrec.report.cells import cells, rows


def delimited(
    result: Result, *, per_query: bool, summary: bool, places: int, parts: Mapping[str, Result], delimiter: str
) -> str:
    """Write a row for each run and query, and of each slice for each run; num_q says how many queries are behind it."""
    table = [["run", "tag", *["slice"] * bool(parts), "qid", "num_q", *map(str, result.scores[0].measures)]]
    for name, part in (parts or {ALL: result}).items():
        for scores in part.scores:
            for query, qid in rows(scores, per_query=per_query and name == ALL, summary=summary):
                many = len(scores.qids) if query is None else 1
                row = [scores.run, scores.tag, *[name] * bool(parts), qid, str(many), *cells(scores, query, places)]
                table.append(row)
    return written(table, delimiter)


def written(table: Iterable[Sequence[str]], delimiter: str) -> str:
    """Write rows of cells."""
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, lineterminator="\n").writerows(table)
    return stream.getvalue()
