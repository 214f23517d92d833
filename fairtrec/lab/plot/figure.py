"""The kinds of figures: two measures against each other, cutoffs, differences by query, groups, runs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

from fairtrec.evaluation import slices as slicing
from fairtrec.evaluation.answers import aggregates
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.columns.confidence import Confidence
from fairtrec.evaluation.leaderboard import rank_runs, sort_key
from fairtrec.evaluation.slice_differences import sort_slices
from fairtrec.lab.plot import bars, points
from fairtrec.lab.plot.canvas import look
from fairtrec.measure import Measure
from fairtrec.statistics.procedure import Procedure
from fairtrec.support.errors import FilePath, UsageError, refuse_first
from fairtrec.support.literals import ALL, Figure, Method, PaperWidth


def plot(
    result: Result,
    kind: Figure,
    *,
    baseline: str | None = None,
    width: PaperWidth = "1",
    confidence: float | None = 0.95,
    interval: Method = "t",
    families: Sequence[str] = (),
    trend: bool = False,
    sort: str | Measure | None = None,
    slices: FilePath | Mapping[str, Sequence[str]] | None = None,
) -> Any:
    """Draw a result as a figure of matplotlib.

    Args:
        result: what ``evaluate`` returns.
        kind: "front", the first two measures against each other; "cutoffs", the mean of each measure over its cutoffs;
            "queries", the difference of each run from the baseline in each query, by the first measure; "groups", the
            mean of each measure with a value per group; "runs", the mean of each measure, the best run darker.
        baseline: a run by name, for "queries". By default the first.
        width: "1" column of a paper (3.33 inches), or "2" (7 inches).
        confidence: the level of the interval of each mean; None draws none.
        interval: "t" for Student's t, or a bootstrap: "percentile" or "bca".
        families: beginnings of names. Runs with the same beginning have one color.
        trend: add to the front a least-squares line through the runs of each family, or through all.
        sort: order the bars of "runs" by this measure, the best first.
        slices: of "groups", the query ids of each slice, or a file of lines of qid and slice: a line for each group of
            one run, from slice to slice, of pooled values if the result has some.

    Raises:
        UsageError: a result without what the figure needs.
        ResourceError: matplotlib is not installed.
    """
    refuse(kind, baseline, confidence, families, trend=trend, is_sorted=sort is not None)
    refuse_totals(kind, families, pooled=any(scores.totals for scores in result.scores), sliced=slices is not None)
    if sort is not None:
        result = rank_runs(result, sort if isinstance(sort, Measure) else sort_key(sort, None))
    with look():
        if slices is not None:
            aggregates.refuse_aggregated(result.scores, "a figure draws")
            return bars.groups_by_slice(_split(with_intervals(result, confidence, interval), slices), width)
        aggregates.refuse(result.scores, "a figure draws")
        if kind == "queries":
            return bars.queries(result, width, baseline)
        result = with_intervals(points.keep_both(result)[0] if kind == "front" else result, confidence, interval)
        if kind == "front":
            return points.draw(result, width, families, trend=trend)
        draw = {"cutoffs": bars.cutoffs, "groups": bars.groups, "runs": bars.runs}[kind]
        return draw(result, width, families)


def refuse(
    kind: str,
    baseline: str | None,
    confidence: float | None,
    families: Sequence[str],
    *,
    trend: bool,
    is_sorted: bool = False,
) -> None:
    """Raise UsageError for a kind that there is not, and for what a kind does not draw."""
    if kind not in get_args(Figure):
        raise UsageError(f"there is no figure {kind!r}; choose from {', '.join(get_args(Figure))}")
    if baseline is not None and kind != "queries":
        raise UsageError("a baseline is for the figure of queries; leave it out")
    if families and kind == "queries":
        raise UsageError("differences of queries have no families of runs; leave them out")
    if trend and kind != "front":
        raise UsageError("a line is fitted only to the points of the front; leave out --trend")
    if is_sorted and kind != "runs":
        raise UsageError("only the bars of runs are sorted; leave out --sort")
    if confidence is not None:
        Procedure(confidence=confidence)


def refuse_totals(kind: str, families: Sequence[str], *, pooled: bool, sliced: bool) -> None:
    """Raise UsageError for slices and pooled values where they are not drawn."""
    refuse_first([
        (sliced and kind != "groups", "slices of queries are drawn by the figure of groups; leave out --slice"),
        (sliced and bool(families), "lines over slices are of groups of one run; leave out --families"),
        (pooled and not sliced, "pooled values are drawn by the figure of groups with --slice; leave out --pool"),
    ])  # fmt: skip


def _split(result: Result, slices: FilePath | Mapping[str, Sequence[str]]) -> dict[str, Result]:
    """Split a result into its slices, in the order of a table."""
    named, parts = slicing.record_slices(result, slices)
    slicing.note_slices(named, parts)  # which refuses slices of other queries
    return {name: part for name, part in slicing.split_result(named, sort_slices(parts)) if name != ALL}


def with_intervals(result: Result, confidence: float | None, interval: Method = "t") -> Result:
    """Give intervals to the means, unless the result has its own, or bounds, beside them."""
    if confidence is None:
        return replace(result, scores=tuple(map(_without_confidence, result.scores)))
    if any(scores.intervals or scores.ends for scores in result.scores):
        return result
    return result.with_confidence(confidence, interval=interval)


def _without_confidence(scores: Scores) -> Scores:
    kept = {name: column for name, column in scores.columns.items() if name != Confidence.name}
    return replace(scores, columns=kept)
