"""The records of a result: an object for each value, or one nested object with all that tells where it came from."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fairtrec.answers.aggregates import Aggregated, of_queries, of_query
from fairtrec.answers.result import Result
from fairtrec.answers.scores import Scores, UnknownIntervals
from fairtrec.comparison.gaps import GapScores
from fairtrec.formats.tsv import ALL, DIFFERENCE
from fairtrec.measure import Quantity
from fairtrec.report.records import head


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
            name = str(of_query(measure))
            if per_query and not (isinstance(measure, Aggregated) and measure.follows):
                for query, (qid, value) in enumerate(zip(scores.qids, scores.values[row].tolist(), strict=True)):
                    ends = {end: each.values[row, query] for end, each in scores.ends.items()}
                    yield {**common, "measure": name, "qid": qid, "value": value, **ends}
            if summary:
                told = {"aggregate": measure.told} if isinstance(measure, Aggregated) else {}
                yield {**common, "measure": name, **told, "qid": "all", **_mean(scores, row)}
                if scores.pooled is not None and (pooled := scores.pooled.value(measure)) is not None:
                    yield {**common, "measure": name, "qid": "pooled", "value": pooled}


def _mean(scores: Scores, row: int) -> dict[str, Any]:
    """Give the mean of a measure and over how many queries; and what ties make of it, in how many of them."""
    mean: dict[str, Any] = {"value": scores.means[row], "n": int(scores.defined[row])}
    if scores.gold is not None and (by_gold := scores.corrected[row]) is not None:
        mean |= {name: getattr(by_gold, name) for name in ("corrected", "low", "high")}
        mean |= {"gold": by_gold.gold, "differ": by_gold.differ}
    elif scores.within is not None and not scores.measures[row].total:
        mean |= dict(zip(("low", "high"), scores.within[row].tolist(), strict=True))
    if isinstance(scores, GapScores) and (gap := scores.gaps[row]) is not None:
        mean |= {"of": list(gap.of)}
        if scores.confidence is not None and scores.kind == DIFFERENCE:
            mean["p"] = gap.p
    if scores.ties is not None:
        mean |= {end: each.means[row] for end, each in scores.ends.items()}
        mean |= {"tied": int(scores.ties.tied[row]), "drawn": int(scores.ties.drawn[row])}
    if scores.unknown is not None:
        found = scores.unknown
        mean |= {end: each.means[row] for end, each in scores.ends.items()}
        mean |= {"n_ends": int(scores.ends["least"].defined[row]), "unknown": int((found.number[row] > 0).sum())}
        mean |= {name: int(getattr(found, name)[row].sum()) for name in ("drawn", "bounded", "sampled")}
        mean["outside"] = int(found.outside(scores.values)[row].sum())
    return mean


def record(
    result: Result, *, per_query: bool, summary: bool, parts: Mapping[str, Result] | None = None
) -> dict[str, Any]:
    """Give one object with the runs, the measures, the signature and the digest of every input."""
    runs = [_run(scores, per_query=per_query, summary=summary) for scores in result.scores]
    slices = {name: part for name, part in (parts or {}).items() if name != ALL}
    for at, run in enumerate(runs if slices and summary else []):
        run["slices"] = {name: _means(part.scores[at]) for name, part in slices.items()}
    measures = {str(measure): _described(measure) for measure in result.scores[0].measures}
    return {
        **head(result, result.signature),
        "options": dict(result.options),
        "notes": list(result.notes),
        **({"groups": dict(result.groups)} if result.groups else {}),
        "measures": measures,
        "runs": runs,
    }


def _described(measure: Quantity) -> dict[str, str]:
    """Say which values are good, what a run's value is of those of its queries, and of which measure these are."""
    if isinstance(measure, Aggregated):
        return {"better": measure.better, "aggregate": measure.told, "of": str(measure.of)}
    told = "sum" if measure.total else "gm" if measure.geometric else "mean"
    return {"better": measure.better, "aggregate": told}


def _run(scores: Scores, *, per_query: bool, summary: bool) -> dict[str, Any]:
    spelled = list(map(str, of_queries(scores).measures))
    run: dict[str, Any] = {"run": scores.run, "tag": scores.tag, "num_q": len(scores.qids)}
    run["remarks"] = list(map(str, scores.remarks))
    if summary:
        run |= _means(scores)
    if per_query:
        run["queries"] = _queries(of_queries(scores), spelled)
        if scores.ends:
            kind = "ties" if scores.ties else "unknown"
            run[kind] = {end: _queries(each, spelled) for end, each in scores.ends.items()}
        if scores.unknown is not None:
            run["label_next"] = _next(scores.unknown, scores.qids, spelled)
    return run


def _means(scores: Scores) -> dict[str, Any]:
    means = {str(measure): _mean(scores, row) for row, measure in enumerate(scores.measures)}
    found: dict[str, Any] = {"num_q": len(scores.qids), "means": means}
    if scores.pooled is not None:
        pooled = {str(measure): scores.pooled.value(measure) for measure in scores.measures}
        found["pooled"] = pooled
    return found


def _next(found: UnknownIntervals, qids: Sequence[str], spelled: list[str]) -> dict[str, dict[str, dict[str, Any]]]:
    """Give for each query and measure the unknown document that moves the value most: what to label next."""
    several: dict[str, dict[str, dict[str, Any]]] = {}
    for row, query in zip(*(each.tolist() for each in found.rank.T.nonzero()), strict=True):
        several.setdefault(qids[row], {})[spelled[query]] = {
            "rank": int(found.rank[query, row]),
            "docno": found.docno[query, row],
            "moves": found.moves[query, row],
        }
    return several


def _queries(scores: Scores, spelled: list[str]) -> dict[str, dict[str, float | str | None]]:
    return {
        qid: dict(zip(spelled, values, strict=True))
        for qid, values in zip(scores.qids, scores.values.T.tolist(), strict=True)
    }
