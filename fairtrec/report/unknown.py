"""What unknown groups leave open, as reports write it where that was asked for."""

import re
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from fairtrec.answers.result import Result
from fairtrec.answers.scores import Scores, UnknownIntervals
from fairtrec.data import Bools
from fairtrec.formulas.labellings.unlabelled import DRAWN
from fairtrec.formulas.rounding import NEAR, same

OUTSIDE = "outside: no {} gives this value, see docs/unknown.md"


def notes(result: Result) -> list[str]:
    """Say to which measures unknown groups matter, in how many queries, and how the ends were found."""
    runs = [(scores, scores.unknown) for scores in result.scores if scores.unknown is not None]
    lines: dict[str, list[str]] = {}
    for row, measure in enumerate(map(str, result.scores[0].measures)):
        if said := _said(row, runs, "text" if _over_texts(result) else "labelling"):
            lines.setdefault(said, []).append(measure)
    if not lines:
        return ["nothing that is unknown changes a value"]
    texts = _over_texts(result)
    key = [
        "[least, greatest]: over all texts that are missing"
        if texts
        else f"[least, greatest] ~expected: over all ways to give each unknown document one group{_or_none(result)}"
    ]
    if any(outside(scores, row, None) for scores, _ in runs for row in range(len(scores.measures))):
        key.append(OUTSIDE.format("text" if texts else "labelling"))
    told = [f"{', '.join(measures)}: {line}" for line, measures in lines.items()]
    return [*key, *told, *_undecided(result)]


def _or_none(result: Result) -> str:
    """Say that a document may be of none of the groups, where labels or the prior say so."""
    may_be = re.search(r", none \d", result.signature.get("members", "")) or "-=" in result.signature.get("prior", "")
    return ", or none" if may_be else ""


def _over_texts(result: Result) -> bool:
    return result.signature.get("bounds") == "texts"


def _said(row: int, runs: Iterable[tuple[Scores, UnknownIntervals]], one_way: str) -> str:
    """Say of one measure how many queries of each run are open, beyond their interval, bounded or drawn."""
    each = [(scores, found) for scores, found in runs]
    queries, one = len(each[0][0].qids), len(each) == 1
    moved = [int(_matters(scores, found)[row].sum()) for scores, found in each]
    if not any(moved):
        return ""
    if one:
        line = f"what is unknown can change the value of {moved[0]} of {queries} queries"
    else:
        most = "1 query" if max(moved) == 1 else f"{max(moved)} queries"
        line = f"what is unknown can change values of {np.count_nonzero(moved)} of {len(moved)} runs, in {most} at most"
    parts = (
        ([found.outside(scores.values)[row] for scores, found in each], f"no {one_way} gives the value"),
        ([np.isnan(scores.values[row]) & ~np.isnan(found.least[row]) for scores, found in each],
         "the value is undefined, but its bounds are not"),
        ([found.bounded[row] for _, found in each], f"an end is a bound that no {one_way} need attain"),
        ([found.drawn[row] for _, found in each], f"only {DRAWN} random labellings were tried: no bounds"),
        ([(found.sampled & ~found.drawn)[row] for _, found in each], f"the expected is that of {DRAWN} random ones"),
    )  # fmt: skip
    for several, words in parts:
        many = [int(some.sum()) for some in several]
        if any(many):
            line += f"; for {many[0]} {words}" if one else f"; for up to {max(many)} {words}"
    return line


def _matters(scores: Scores, found: UnknownIntervals) -> Bools:
    """Tell for which queries the ends differ from each other, or from the value."""
    alike = same(found.least, found.greatest) & same(found.least, scores.values)
    return ~(alike | (np.isnan(found.least) & np.isnan(scores.values)))


def outside(scores: Scores, row: int, query: int | None) -> bool:
    """Tell whether no labelling gives one query's value, or the mean, over the queries that have a value."""
    found = scores.unknown
    assert found is not None
    if query is not None:
        return bool(found.outside(scores.values)[row, query])
    there = ~np.isnan(scores.values[row])
    if not there.any() or found.drawn[row].any():
        return False
    value, least, greatest = (each[row, there] for each in (scores.values, found.least, found.greatest))
    with np.errstate(invalid="ignore"):
        return bool(value.mean() < least.mean() - NEAR or value.mean() > greatest.mean() + NEAR)


def _by_size(scores: Scores) -> tuple[Scores, Scores]:
    """Give the least and the greatest values; where nearer 0 is better, the least and the greatest sizes."""
    least, greatest, _ = scores.ends.values()
    low, high = least.values, greatest.values
    nearer = np.array([[measure.better == "nearer 0"] for measure in scores.measures])
    smallest = np.where((low < 0) & (high > 0), 0.0, np.minimum(np.abs(low), np.abs(high)))
    sizes = smallest, np.maximum(np.abs(low), np.abs(high))
    return (
        replace(least, values=np.where(nearer, sizes[0], low)),
        replace(greatest, values=np.where(nearer, sizes[1], high)),
    )


def _undecided(result: Result) -> list[str]:
    """Say for which measures the intervals of the means overlap, so that labels cannot tell which run is fairer."""
    if len(result.scores) < 2:
        return []
    ends = [[each.compared for each in _by_size(scores)] for scores in result.scores if scores.ends]
    least, greatest = np.array([each[0] for each in ends]), np.array([each[1] for each in ends])
    overlap = []
    for row, measure in enumerate(result.scores[0].measures):
        if measure.better == "neither" or not (greatest[:, row] > least[:, row] + NEAR).any():
            continue
        pairs = ((a, b) for a in range(len(ends)) for b in range(a))
        if any(least[a, row] <= greatest[b, row] and least[b, row] <= greatest[a, row] for a, b in pairs):
            overlap.append(str(measure))
    if not overlap:
        return []
    which = "which run is fairer" if len(ends) == 2 else "which of some runs is fairer"
    return [f"{', '.join(overlap)}: the bounds overlap, so they do not tell {which}"]
