"""The kinds of figures: two measures against each other, cutoffs, differences by query, groups, runs."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

from fairtrec.commands.plot import bars, points
from fairtrec.commands.plot.canvas import look
from fairtrec.evaluation.answers import aggregates
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.columns.confidence import Confidence
from fairtrec.evaluation.leaderboard import by, sort_key
from fairtrec.measure import Measure
from fairtrec.statistics.procedure import Procedure
from fairtrec.support.errors import UsageError
from fairtrec.support.literals import Figure, Method, PaperColumns


def plot(
    result: Result,
    kind: Figure,
    *,
    baseline: str | None = None,
    columns: PaperColumns = "1",
    confidence: float | None = 0.95,
    interval: Method = "t",
    families: Sequence[str] = (),
    trend: bool = False,
    sort: str | Measure | None = None,
) -> Any:
    """Draw a result as a figure of matplotlib.

    ``front``  its first two measures against each other: a point for each run, and the border of what others beat.
    ``cutoffs``   the mean of each measure, which stands there at several cutoffs, over these: a line for each run.
    ``queries``   the differences between each run and the baseline (by default the first run) by the first measure.
    ``groups``    the mean of each measure that has a value for each group: a bar for each run and group.
    ``runs``      the mean of each measure: a bar for each run, the best darker.

    ``columns``     how wide: one column of a paper in two columns (3.33 inches), or both (7 inches).
    ``confidence``  of the interval beside each mean; None draws none.
    ``interval``    over queries, from Student's t, or by bootstrap: "percentile" or "bca".
    ``families``    beginnings of names: runs whose names begin alike have one colour.
    ``trend``       adds to the front a line of least squares through the runs of each family, or through all.
    ``sort``        orders the bars of ``runs`` by this measure, the best run first.

    Raises UsageError for a result that has not what the figure needs, ResourceError without matplotlib.
    """
    refuse(kind, baseline, confidence, families, trend=trend, is_sorted=sort is not None)
    if sort is not None:
        result = by(result, sort if isinstance(sort, Measure) else sort_key(sort, None))
    aggregates.refuse(result.scores, "a figure draws")
    with look():
        if kind == "queries":
            return bars.queries(result, columns, baseline)
        result = with_intervals(points.keep_both(result)[0] if kind == "front" else result, confidence, interval)
        if kind == "front":
            return points.draw(result, columns, families, trend=trend)
        draw = {"cutoffs": bars.cutoffs, "groups": bars.groups, "runs": bars.runs}[kind]
        return draw(result, columns, families)


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
        raise UsageError("a line is fitted to the points of the front alone; leave out --trend")
    if is_sorted and kind != "runs":
        raise UsageError("only the bars of runs are sorted; leave out --sort")
    if confidence is not None:
        Procedure(confidence=confidence)


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
