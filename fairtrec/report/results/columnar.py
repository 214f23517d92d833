"""Parquet: a row for each value, as in jsonl: null where it is undefined, and no qid for the mean over queries."""

import io
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from fairtrec.answers.aggregates import Aggregated, of_query
from fairtrec.answers.result import Result
from fairtrec.answers.scores import Scores
from fairtrec.data import Bools, Floats, Ints
from fairtrec.formats.tsv import ALL
from fairtrec.report.remarks import footnotes
from fairtrec.version import __version__


def parquet(result: Result, *, per_query: bool, summary: bool, parts: Mapping[str, Result]) -> bytes:
    """Write run, tag, slice (where there are slices), measure, better, qid, value and n, the queries behind a mean.

    Behind the measure stands how a run's value was made of those of its queries, where that was chosen.

    The signature and the remarks are metadata.
    """
    import pyarrow as pa
    from pyarrow import parquet as writer

    tables = [
        _rows(scores, name if parts else None, per_query=per_query and name == ALL, summary=summary)
        for name, part in (parts or {ALL: result}).items()
        for scores in part.scores
    ]
    remarks, signature = list(map(_text, footnotes(result))), _text(str(result.signature))
    about = {"fairtrec": __version__, "signature": signature, "remarks": json.dumps(remarks)}
    table = pa.concat_tables(tables).replace_schema_metadata(about)
    stream = io.BytesIO()
    writer.write_table(table, stream, compression="zstd")
    return stream.getvalue()


def _rows(scores: Scores, of_slice: str | None, *, per_query: bool, summary: bool) -> Any:
    """Make the rows of one run, in one slice: measure by measure its queries, and behind them its mean."""
    import pyarrow as pa

    qids: list[str | None] = [*map(_text, scores.qids if per_query else ()), *[None] * summary]
    many = scores.defined[:, None]
    counts: Ints = np.hstack([np.zeros(scores.values.shape, np.int64)] * per_query + [many] * summary)
    of_mean = np.arange(len(qids)) == len(qids) - 1 if summary else np.zeros(len(qids), np.bool_)
    shape = (len(scores.measures), len(qids))

    def column(words: list[str | None], places: Ints) -> Any:
        return pa.array(words, pa.string()).take(pa.array(np.broadcast_to(places, shape).ravel()))

    def numbers(of: Scores) -> Any:
        values: Floats = np.hstack([of.values] * per_query + [of.means[:, None]] * summary).ravel()
        return pa.array(values, mask=np.isnan(values))

    every, measure, query = np.zeros((1, 1), np.int64), np.arange(shape[0])[:, None], np.arange(shape[1])
    of_queries = [of_query(each) for each in scores.measures]
    better = [each.better for each in (*of_queries, *scores.measures)]
    told = [each.told if isinstance(each, Aggregated) else None for each in scores.measures]
    own = measure + shape[0] * of_mean  # of means, which may be other values than means
    table = pa.table(
        {
            "run": column([_text(scores.run)], every),
            "tag": column([_text(scores.tag)], every),
            **({} if of_slice is None else {"slice": column([_text(of_slice)], every)}),
            "measure": column([_text(str(each)) for each in of_queries], measure),
            **({"aggregate": column([*[None] * shape[0], *told], own)} if any(told) else {}),
            "better": column(list(better), own),
            "qid": column(qids, query),
            "value": numbers(scores),
            "n": pa.array(counts.ravel(), mask=~np.broadcast_to(of_mean, shape).ravel()),
            **{end: numbers(each) for end, each in scores.ends.items()},
            **_bounds(scores, of_mean),
        }
    )
    again = np.array([isinstance(each, Aggregated) and each.follows for each in scores.measures])
    return table.filter(pa.array((of_mean | ~again[:, None]).ravel())) if again.any() else table


def _bounds(scores: Scores, of_mean: Bools) -> dict[str, Any]:
    """Make the columns of the ends of intervals, null for single queries."""
    import pyarrow as pa

    found: dict[str, Floats] = {}  # [measure]
    if scores.within is not None:
        found = dict(zip(("low", "high"), scores.within.T, strict=True))
    if scores.gold is not None:
        for name in ("corrected", "low", "high"):
            told = [np.nan if each is None else getattr(each, name) for each in scores.corrected]
            found[name] = np.where(np.isnan(told), found.get(name, np.nan), told)
    ends = {name: np.where(of_mean, end[:, None], np.nan).ravel() for name, end in found.items()}
    return {name: pa.array(end, mask=np.isnan(end)) for name, end in ends.items()}


def _text(text: str) -> str:
    """Write what is no Unicode, in the name of a file, as Python escapes it."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
