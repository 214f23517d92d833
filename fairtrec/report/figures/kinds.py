"""The figures: two measures against each other, means over cutoffs, differences by query, values by group."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, get_args

import numpy as np

from fairtrec.comparison.baseline import find
from fairtrec.comparison.curves import Curves
from fairtrec.comparison.curves import curves as read
from fairtrec.comparison.leaderboard import Standing, comparable
from fairtrec.errors import UsageError
from fairtrec.evaluation.result import Result
from fairtrec.literals import Figure, PaperColumns
from fairtrec.measure import Measure, badness
from fairtrec.report.cells import names
from fairtrec.report.figures.canvas import MOST, legend, look, panels, style

ARROWS = {"higher": " ↑", "lower": " ↓", "nearer 0": " →0", "neither": ""}


def plot(result: Result, kind: Figure, *, baseline: str | None = None, columns: PaperColumns = "1") -> Any:
    """Draw a result as a figure of matplotlib.

    ``frontier``  its first two measures against each other: a point for each run, and the border of what others beat.
    ``cutoffs``   the mean of each measure, which stands there at several cutoffs, over these: a line for each run.
    ``queries``   the differences between each run and the baseline (by default the first run) by the first measure.
    ``groups``    the mean of each measure that has a value for each group: a bar for each run and group.

    ``columns``  how wide: one column of a paper in two columns (3.33 inches), or both (7 inches).

    Raises UsageError for a result that has not what the figure needs, ResourceError without matplotlib.
    """
    draw = {"frontier": _frontier, "cutoffs": _cutoffs, "groups": _groups}
    if kind not in get_args(Figure):
        raise UsageError(f"there is no figure {kind!r}; choose from {', '.join(get_args(Figure))}")
    if baseline is not None and kind != "queries":
        raise UsageError("a baseline is for the figure of queries; leave it out")
    with look():
        return _queries(result, baseline, columns) if kind == "queries" else draw[kind](result, columns)


def _called(result: Result) -> list[str]:
    """Name the runs; matplotlib leaves out of its legend what begins with an underscore."""
    return [f" {name}" if name.startswith("_") else name for name in names(result)]


def _label(measure: Measure) -> str:
    return f"{measure}{ARROWS[measure.better]}"


def _frontier(result: Result, columns: PaperColumns) -> Any:
    measures = result.scores[0].measures
    if len(measures) != 2:
        raise UsageError(f"the frontier is drawn of two measures, not {len(measures)}; name two with -m")
    means = np.array([scores.compared for scores in result.scores])
    standing = Standing(means, [measure.better for measure in measures])
    if not standing.directed.all():
        raise UsageError(f"{measures[int(standing.directed.argmin())]} says not what is better; name another")
    figure, (axes,) = panels([""], columns, 2.5 if columns == "1" else 3.2)
    drawn = np.flatnonzero(np.isfinite(means).all(axis=1))
    kept = np.flatnonzero(np.isfinite(comparable(result)).all(axis=1))
    front = kept[~Standing(means[kept], standing.betters).dominated]
    front = front[np.argsort(badness(means[front, 0], measures[0].better), kind="stable")]
    axes.step(*means[front].T, where="post", color="#888888", linewidth=0.8, linestyle="--", zorder=1)
    few, called = len(drawn) <= 12, _called(result)
    for number in drawn.tolist():
        look_of = {**style(number if few else 6), "linestyle": "", "fillstyle": "full" if number in front else "none"}
        axes.plot(*means[number], zorder=2, label=called[number], **look_of)
    if few:
        legend(figure, axes)
    else:
        for number in front.tolist():
            axes.annotate(called[number], means[number], (3, 3), textcoords="offset points", fontsize=6)
    axes.set_xlabel(_label(measures[0]))
    axes.set_ylabel(_label(measures[1]))
    return figure


def _cutoffs(result: Result, columns: PaperColumns) -> Any:
    found: Curves = read(result)
    families = list(dict.fromkeys(point.measure for point in found.rows))
    called = dict(zip((scores.run for scores in result.scores), _called(result), strict=True))
    better = {point.measure: point.better for point in found.rows}
    figure, drawn = panels([f"{family}{ARROWS[better[family]]}" for family in families], columns)
    for axes, family in zip(drawn, families, strict=True):
        for number, (run, name) in enumerate(called.items()):
            points = [(point.cutoff, point.mean) for point in found.rows if (point.run, point.measure) == (run, family)]
            axes.plot(*zip(*points, strict=True), label=name, markevery=max(1, len(points) // 10), **style(number))
        axes.set_xlabel("cutoff")
        axes.locator_params(axis="x", integer=True)
    legend(figure, drawn[0])
    return figure


def _queries(result: Result, baseline: str | None, columns: PaperColumns) -> Any:
    base = find([scores.run for scores in result.scores], baseline)
    measure, called = result.scores[0].measures[0], _called(result)
    others = [number for number in range(len(result.scores)) if number != base]
    worth = [_of_queries(result, number) for number in range(len(result.scores))]
    figure, drawn = panels([f"{called[number]} − {called[base]}" for number in others], columns, 1.7)
    for axes, number in zip(drawn, others, strict=True):
        both = sorted(worth[number].keys() & worth[base].keys())
        differences = np.sort([worth[number][qid] - worth[base][qid] for qid in both])[::-1]
        good = differences <= 0 if measure.better in ("lower", "nearer 0") else differences >= 0
        places = np.arange(1, len(differences) + 1)
        for chosen, colour, hatch in ((good, style(0)["color"], ""), (~good, style(1)["color"], "////")):
            bars = {"color": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0}
            axes.bar(places[chosen], differences[chosen], 0.8, **bars)
        axes.axhline(0, color="black", linewidth=0.6)
        axes.set_xlabel(f"{len(both)} queries, sorted")
        axes.locator_params(axis="x", integer=True)
    for axes in drawn[:: 1 if columns == "1" else 3]:
        axes.set_ylabel(f"Δ |{measure}|" if measure.better == "nearer 0" else f"Δ {measure}")
    return figure


def _of_queries(result: Result, number: int) -> dict[str, float]:
    """Give the first measure's value for each query that has one, or its size where nearer 0 is better."""
    scores = result.scores[number]
    values = np.abs(scores.values[0]) if scores.measures[0].better == "nearer 0" else scores.values[0]
    return {qid: value for qid, value in zip(scores.qids, values.tolist(), strict=True) if np.isfinite(value)}


def _groups(result: Result, columns: PaperColumns) -> Any:
    measures = result.scores[0].measures
    families: dict[str, dict[str, int]] = {}
    for row, measure in enumerate(measures):
        if "group" in {field.name for field in fields(measure)}:
            group: str = getattr(measure, "group")  # noqa: B009 - not every measure has one
            families.setdefault(_without(measure, group), {})[group] = row
    if not families:
        raise UsageError("no measure here has a value for each group; name one that has, like -m TE@10 or Skew@10")
    runs: Sequence[str] = _called(result)
    if len(runs) > MOST:
        raise UsageError(f"{len(runs)} runs are too many to tell apart; name at most {MOST}")
    figure, drawn = panels(list(families), columns)
    for axes, rows in zip(drawn, families.values(), strict=True):
        width = 0.8 / len(runs)
        for number, scores in enumerate(result.scores):
            places = np.arange(len(rows)) + (number - (len(runs) - 1) / 2) * width
            heights = scores.means[list(rows.values())]
            hatch = ["", "///", "...", "xxx"][number % 4]
            bars = {"color": style(number)["color"], "hatch": hatch, "edgecolor": "white", "linewidth": 0}
            axes.bar(places, heights, width, label=runs[number], **bars)
        axes.set_xticks(np.arange(len(rows)), list(rows))
        axes.grid(visible=False, axis="x")
        axes.axhline(0, color="black", linewidth=0.6)
    legend(figure, drawn[0])
    return figure


def _without(measure: Measure, group: str) -> str:
    """Spell a measure without its group, as it was asked for."""
    from dataclasses import replace

    return str(replace(measure, group="")) if group else str(measure)  # type: ignore[call-arg]  # which it has
