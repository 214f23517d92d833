"""The values of a result: an object for each, one nested object with all that tells where it came from, and Parquet."""

import io
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np

from fairtrec.data import Bools, Floats, Ints
from fairtrec.evaluation.answers.aggregates import strip_aggregate, strip_aggregates
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.results_file import FORMAT
from fairtrec.evaluation.answers.scores import Scores, nest_by_query
from fairtrec.measure import Quantity
from fairtrec.report.records import escape_text, head, note_records
from fairtrec.report.result_notes import judge, list_notes
from fairtrec.support.literals import ALL, GAP
from fairtrec.support.notes import write_notes
from fairtrec.support.version import __version__


def records(result: Result, *, per_query: bool, summary: bool, parts: Mapping[str, Result]) -> Iterator[dict[str, Any]]:
    """Give one object for each value; it names its slice where there are slices."""
    if not parts:
        yield from _values(result, {}, per_query=per_query, summary=summary)
    for name, part in parts.items():
        yield from _values(part, {"slice": name}, per_query=per_query and name == ALL, summary=summary)


def _values(result: Result, of_slice: Mapping[str, str], *, per_query: bool, summary: bool) -> Iterator[dict[str, Any]]:
    for scores in result.scores:
        common = {"run": scores.run, "tag": scores.tag, **of_slice}
        for row, measure in enumerate(scores.measures):
            name = str(strip_aggregate(measure))
            if per_query and not (measure.follows or measure.of_pool):
                for query, (qid, value) in enumerate(zip(scores.qids, scores.values[row].tolist(), strict=True)):
                    ends = {end: each.values[row, query] for end, each in scores.ends.items()}
                    yield {**common, "measure": name, "qid": qid, "value": value, **ends}
            for told in _of_all_queries(scores, row) if summary else ():
                yield {**common, "measure": name, **told}
        for gap in scores.group_gaps if summary else ():
            yield {**common, "measure": gap["measure"], "qid": GAP, "value": gap["difference"], **gap}


def _of_all_queries(scores: Scores, row: int) -> Iterator[dict[str, Any]]:
    """Give the mean of a measure, if it has one, and its totals."""
    measure = scores.measures[row]
    if not measure.of_pool:
        yield {**measure.describe_aggregate(), "qid": "all", **_mean(scores, row)}
    for total, values in scores.totals.items():
        if (value := values[row]) is not None:
            yield {"qid": total, "value": value, **scores.describe_total(measure)}


def _mean(scores: Scores, row: int) -> dict[str, Any]:
    """Give the mean of a measure and over how many queries, and what columns say of it; of two the first has a name."""
    mean: dict[str, Any] = {"value": scores.means[row], "defined": int(scores.defined[row])}
    for column in scores.columns.values():
        for name, value in column.describe_mean(scores, row).items():
            mean.setdefault(name, value)
    return mean


def record(
    result: Result,
    *,
    per_query: bool,
    summary: bool,
    parts: Mapping[str, Result],
    sort: Quantity | None = None,
) -> dict[str, Any]:
    """Give one object with the runs, the measures, the signature and the digest of every input."""
    runs = [_run(scores, per_query=per_query, summary=summary) for scores in result.scores]
    slices = {name: part for name, part in parts.items() if name != ALL}
    for at, run in enumerate(runs if slices and summary else []):
        run["slices"] = {name: _means(part.scores[at]) for name, part in slices.items()}
    measures = {str(measure): measure.describe() for measure in result.scores[0].measures}
    made = {
        "format": FORMAT,
        **head(result, result.signature),
        "options": result.options,
        "notes": note_records([judge(result, sort=sort), *list_notes(result, sort=sort)]),
    }
    made |= {"groups": result.groups} if result.groups else {}
    made |= {"sort": str(strip_aggregate(sort))} if sort is not None else {}
    made |= {"ranking": ranking} if (ranking := _describe_ranking(result, sort)) else {}
    between_groups = result.gaps * summary
    made |= {"gaps": between_groups} if between_groups else {}
    return {**made, "measures": measures, "runs": runs}


def _describe_ranking(result: Result, sort: Quantity | None) -> dict[str, Any]:
    """Give the means by which runs are ranked, and over how many queries, if these are not the means of the runs."""
    if sort is None:
        return {}
    from fairtrec.evaluation.leaderboard import count_shared, share_queries

    row = result.scores[0].measures.index(sort)
    shared = share_queries(result, row)
    if (queries := count_shared(shared, row)) is None:
        return {}
    means = {scores.run: scores.means[row] for scores in shared.scores}
    return {"measure": str(sort), "queries": queries, "means": means}


def _run(scores: Scores, *, per_query: bool, summary: bool) -> dict[str, Any]:
    spelled = list(map(str, strip_aggregates(scores).measures))
    run: dict[str, Any] = {"run": scores.run, "tag": scores.tag, "queries": len(scores.qids)}
    if summary:
        run |= _means(scores)
    if per_query:
        run["per_query"] = nest_by_query(scores.qids, strip_aggregates(scores).values, spelled)
        for column in scores.columns.values():
            run |= column.describe_queries(scores, spelled)
    return run


def _means(scores: Scores) -> dict[str, Any]:
    means = {str(measure): _mean(scores, row) for row, measure in enumerate(scores.measures)}
    found: dict[str, Any] = {"queries": len(scores.qids), "means": means}
    for name, values in scores.totals.items():
        spelled = list(map(str, scores.measures))
        found[name] = dict(zip(spelled, values, strict=True))
        for about, several in scores.other_values[name].details.items():
            told = {each: more for each, more in zip(spelled, several, strict=True) if more}
            found |= {f"{name}_{about}": told} if told else {}
    return found


def parquet(result: Result, *, per_query: bool, summary: bool, parts: Mapping[str, Result]) -> bytes:
    """Write run, tag, slice (if there are slices), measure, better, qid, value and defined, the queries behind a mean.

    A row is a value, as in jsonl: null where it is undefined, and no qid for the mean over queries. Behind the measure
    stands how a run's value was made of those of its queries, where that was chosen.

    The signature and the notes are metadata.
    """
    import json

    import pyarrow as pa
    from pyarrow import parquet as writer

    tables = [
        _rows(scores, name if parts else None, per_query=per_query and name == ALL, summary=summary)
        for name, part in (parts or {ALL: result}).items()
        for scores in part.scores
    ]
    notes, signature = (
        [escape_text(write_notes([note])) for note in list_notes(result)],
        escape_text(str(result.signature)),
    )
    about = {"fairtrec": __version__, "signature": signature, "notes": json.dumps(notes)}
    table = pa.concat_tables(tables).replace_schema_metadata(about)
    stream = io.BytesIO()
    writer.write_table(table, stream, compression="zstd")
    return stream.getvalue()


def _rows(scores: Scores, of_slice: str | None, *, per_query: bool, summary: bool) -> Any:
    """Make the rows of one run, in one slice: measure by measure its queries, and behind them its mean."""
    import pyarrow as pa

    qids: list[str | None] = [*map(escape_text, scores.qids if per_query else ()), *[None] * summary]
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
    of_queries = [strip_aggregate(each) for each in scores.measures]
    better = [each.better for each in (*of_queries, *scores.measures)]
    told = [each.describe_aggregate().get("aggregate") for each in scores.measures]
    own = measure + shape[0] * of_mean  # of means, which may be other values than means
    table = pa.table(
        {
            "run": column([escape_text(scores.run)], every),
            "tag": column([escape_text(scores.tag)], every),
            **({} if of_slice is None else {"slice": column([escape_text(of_slice)], every)}),
            "measure": column([escape_text(str(each)) for each in of_queries], measure),
            **({"aggregate": column([*[None] * shape[0], *told], own)} if any(told) else {}),
            "better": column(list(better), own),
            "qid": column(qids, query),
            "value": numbers(scores),
            "defined": pa.array(counts.ravel(), mask=~np.broadcast_to(of_mean, shape).ravel()),
            **{end: numbers(each) for end, each in scores.ends.items()},
            **_bounds(scores, of_mean),
        }
    )
    again = np.array([each.follows for each in scores.measures])
    return table.filter(pa.array((of_mean | ~again[:, None]).ravel())) if again.any() else table


def _bounds(scores: Scores, of_mean: Bools) -> dict[str, Any]:
    """Make columns of the numbers next to means, null for single queries; of two columns the first has a name."""
    import pyarrow as pa

    found: dict[str, Floats] = {}  # [measure]
    for column in [*scores.columns.values()][::-1]:
        rows = [column.numbers(scores, row) for row in range(len(scores.measures))]
        for name in dict.fromkeys(chain((cell.name for cell in column.cells), *rows)):
            told = np.array([numbers.get(name, np.nan) for numbers in rows])
            found[name] = np.where(np.isnan(told), found.get(name, np.nan), told)
    ends = {name: np.where(of_mean, end[:, None], np.nan).ravel() for name, end in found.items()}
    return {name: pa.array(end, mask=np.isnan(end)) for name, end in ends.items()}
