"""The front: two measures against each other, a point for each run, its interval, and lines fitted to families."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fairtrec.data import Floats
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.leaderboard import Standing
from fairtrec.lab.plot import canvas
from fairtrec.measure import Measure
from fairtrec.report.cells import compare_means
from fairtrec.report.page.scatter import FEW, find_front
from fairtrec.report.point_labels import RADIUS, Dot, place_labels, stack_dots
from fairtrec.report.result_notes import join_numbers
from fairtrec.report.run_names import find_family
from fairtrec.support.errors import UsageError
from fairtrec.support.literals import PaperWidth
from fairtrec.support.notes import Note, NoteKind, NoteSeverity

PLACES = 4  # what is equal in so many digits is equal, as in tables
SIZE = 6.0  # of a number at a point
EDGE: Mapping[str, Any] = {"markeredgewidth": 0.8}
STRIKE = 1.8  # how long a line through a marker is, of its size
STRUCK: Mapping[str, Any] = {"marker": (2, 2, 45), "color": canvas.QUIET, "markersize": STRIKE * RADIUS}
BOTH = NoteKind(
    "queries of both measures", "over the {kept:span} of {queries:span} queries for which both measures have a value"
)
UNIT = 0.5  # points of the drawing that labels are placed in
STRUCK_OUT = NoteKind(
    "struck out",
    "crossed out, because their means are not comparable with those of other runs: {runs}",
    NoteSeverity.MISLEADING,
)


def draw(result: Result, width: PaperWidth, families: Sequence[str], *, trend: bool) -> Any:
    """Draw the first two measures, which must be all, against each other."""
    measures, compared = _compare_two(result)
    names = canvas.label_runs(result)
    figure, (axes,) = canvas.panels([""], width, 2.5 if width == "1" else 3.6)
    means, drawn, front = _points(result, compared)
    apart = _apart(result, compared)
    axes.step(*means[front[::-1]].T, where="post", color=canvas.QUIET, linewidth=0.8, linestyle="--", zorder=1)
    look = _find_looks(names, families, apart)
    _intervals(axes, result, front if len(drawn) > FEW else drawn, look)
    order = [*front, *(run for run in drawn if run not in front)]
    points = {
        run: _point(axes, means[run], look[run], canvas.draw_marker(run), is_front=run in front, is_apart=run in apart)
        for run in drawn
    }
    for run in drawn:
        points[run][0].set_label(names[run])
    if trend:
        fitted = [run for run in drawn if run not in apart]
        _fitted(axes, means[fitted], [find_family(names[run].strip(), families) for run in fitted], families)
    axes.set_xlabel(canvas.label(measures[0]))
    axes.set_ylabel(canvas.label(measures[1]))
    frames = _find_frames(means[drawn], _intervals_of(result, front))
    _end_axes(axes, measures, frames, [part for run in drawn for part in points[run]])
    numbered = len(drawn) > FEW
    keyed = drawn if len(drawn) <= canvas.MOST else front
    named = [(names[run], points[run], str(run + 1) * numbered) for run in keyed]
    _name_points(figure, named, _draw_keys(axes, families, trend=trend, is_any_apart=bool(apart)))
    dots = _placed(figure, axes, means, order)
    for dot in dots:
        _sized(points[dot.run], dot, look[dot.run]["marker"], is_front=dot.run in front, is_apart=dot.run in apart)
    if numbered:
        _numbered(figure, axes, dots)
    return figure


def _name_points(figure: Any, named: Sequence[tuple[str, Any, str]], others: Sequence[tuple[str, Any]]) -> None:
    """Draw the legend: runs by their names, each with what is drawn of it and its number, and ``others``."""
    if named or others:
        handles = [*(each for _, each, _ in named), *(key for _, key in others)]
        numbers = [number for _, _, number in named if number]
        more = [name for name, _ in others]
        canvas.legend(figure, handles, [name for name, _, _ in named], numbers=numbers, more=more)


def _compare_two(result: Result) -> tuple[Sequence[Measure], Standing]:
    """Compare the means of two measures. Raises UsageError for more or fewer, and for one that has no direction."""
    measures = result.scores[0].measures
    if len(measures) != 2:
        raise UsageError(f"the front needs two measures, not {len(measures)}; choose two with -m")
    compared = compare_means(result, PLACES)
    if not compared.directed.all():
        raise UsageError(f"{measures[int(compared.directed.argmin())]} has no direction; choose another")
    return measures, compared


def _find_looks(names: Sequence[str], families: Sequence[str], apart: Sequence[int]) -> list[Mapping[str, Any]]:
    """Give each run a marker and a color, which is a quiet one for those that cannot be compared."""
    return [
        {"marker": each["marker"], "color": canvas.QUIET if run in apart else each["color"]}
        for run, each in enumerate(canvas.looks(names, families))
    ]


def _draw_keys(axes: Any, families: Sequence[str], *, trend: bool, is_any_apart: bool) -> list[tuple[str, Any]]:
    """Draw what the legend shows besides runs, with its name there: families, and runs that are struck out."""
    line = {"linestyle": "--", "marker": ""} if trend else {"linestyle": "", "marker": "_"}
    keys = []
    for number, family in enumerate(families):
        color = canvas.COLORS[number % len(canvas.COLORS)]
        keys += [(f"{family}…", each) for each in axes.plot([], [], label="_family", color=color, **line)]
    if is_any_apart:
        struck = axes.plot([], [], label="_apart", linestyle="", **STRUCK)
        keys += [("cannot be compared with the others", each) for each in struck]
    return keys


def _points(result: Result, compared: Standing) -> tuple[Floats, list[int], list[int]]:
    """Give the means [run, measure], the runs that are drawn, and those of them on the front."""
    means = np.array([scores.order_values for scores in result.scores])
    drawn = np.flatnonzero(np.isfinite(means).all(axis=1)).tolist()
    return means, drawn, [run for run in find_front(compared, 0, 1) if run in drawn]


def _find_frames(means: Floats, within: Floats) -> list[tuple[float, float] | None]:
    """Find where both axes begin and end if runs [run, measure] are many; None for one whose intervals are all whole.

    ``within`` are the intervals [run, measure, end] of the runs on the front.
    """
    return [canvas.find_frame(means[:, at], within[:, at]) if len(means) > FEW else None for at in range(2)]


def _intervals_of(result: Result, runs: Sequence[int]) -> Floats:
    """Return the intervals [run, measure, end] of those of the runs that have some."""
    found = [within for run in runs for within in take_sizes(result.scores[run]).intervals]
    return np.array(found).reshape(-1, 2, 2)


def _end_axes(
    axes: Any, measures: Sequence[Measure], frames: Sequence[tuple[float, float] | None], points: Sequence[Any]
) -> None:
    """End both axes at their frames and at the values that there can be, where points stay whole."""
    for axis, measure, frame in zip((axes.xaxis, axes.yaxis), measures, frames, strict=True):
        if frame is not None:
            axes.set(**{f"{axis.axis_name}lim": frame})
        canvas.keep_within(axis, measure)
    for point in points:
        point.set_clip_on(False)


def _apart(result: Result, compared: Standing) -> list[int]:
    """List the runs that have finite means, but cannot be compared with others in one of the two measures."""
    finite = np.isfinite([scores.order_values for scores in result.scores]).all(axis=1)
    apart: list[int] = np.flatnonzero(finite & np.isnan(compared.means).any(axis=1)).tolist()
    return apart


def keep_both(result: Result, *, is_front: bool = True) -> tuple[Result, list[Note]]:
    """Keep for a front the queries of each run for which both measures have a value, and say how many."""
    if not is_front or len(result.scores[0].measures) != 2:
        return result, []
    several = []
    for scores in result.scores:
        kept = np.flatnonzero(~np.isnan(scores.values).any(axis=0)).tolist()
        several.append(scores.keep_queries(kept) if 0 < len(kept) < len(scores.qids) else scores)
    every, left = ([len(scores.qids) for scores in scored] for scored in (result.scores, several))
    notes = [] if every == left else [BOTH.note(kept=join_numbers(left), queries=join_numbers(every))]
    return replace(result, scores=tuple(several)), notes


def note_points(result: Result) -> list[Note]:
    """List the notes on the points and on intervals that are cut."""
    compared = compare_means(result, PLACES)
    apart = _apart(result, compared)
    means, drawn, front = _points(result, compared)
    within = _intervals_of(result, front)
    notes = [
        canvas.note_frame(str(measure), frame, within[:, at])
        for at, (measure, frame) in enumerate(
            zip(result.scores[0].measures, _find_frames(means[drawn], within), strict=True)
        )
        if frame is not None
    ]
    if apart:
        runs, called = [scores.run for scores in result.scores], canvas.label_runs(result)
        named = [called[run].strip() for run in apart]
        notes = [STRUCK_OUT.note().assign_runs([runs[run] for run in apart], named, len(runs)), *notes]
    return notes


def _point(
    axes: Any, mean: Floats, look: Mapping[str, Any], inner: str, *, is_front: bool, is_apart: bool
) -> tuple[Any, ...]:
    """Draw a run: filled on the front, open elsewhere, struck out if it cannot be compared with the others."""
    color = look["color"]
    faces = (color, "white") if is_front else ("white", color)
    size = RADIUS * canvas.LARGER.get(look["marker"], 1)
    parts: list[Mapping[str, Any]] = [{**look, "markersize": size, "markerfacecolor": faces[0]}]
    parts += [{"marker": inner, "color": faces[1], "markersize": 2.5}] * bool(inner) + [STRUCK] * is_apart
    return tuple(axes.plot(*mean, label="_part", linestyle="", **{**EDGE, **part})[0] for part in parts)


def _sized(parts: Sequence[Any], dot: Dot, marker: str, *, is_front: bool, is_apart: bool) -> None:
    """Make the marker of a run as large as its dot, and put the larger below the smaller."""
    parts[0].set(markersize=dot.radius * canvas.LARGER.get(marker, 1))
    if is_apart:
        parts[-1].set(markersize=STRIKE * dot.radius)
    for part in parts:
        part.set(zorder=2 + is_front + 1 / dot.radius)


def _intervals(axes: Any, result: Result, runs: Sequence[int], look: Sequence[Mapping[str, Any]]) -> None:
    """Draw the intervals of runs in both measures, where the result has some."""
    for run in runs:
        scores = result.scores[run]
        sized = take_sizes(scores)
        for within in sized.intervals:
            across, up = (
                canvas.measure_reach(*each) for each in zip(scores.order_values.tolist(), within, strict=True)
            )
            thin = {"color": look[run]["color"], "alpha": 0.45, "linewidth": 0.6, "zorder": 0.9}
            axes.errorbar(*scores.order_values, xerr=across, yerr=up, fmt="none", **thin)
            x, y = scores.order_values.tolist()
            if sized.doubtful[0]:
                canvas.draw_mark(axes, within[0, 1], y)
            if sized.doubtful[1]:
                canvas.draw_mark(axes, x, within[1, 1], "above")


def take_sizes(scores: Scores) -> Scores:
    """Give the values that runs are compared by: absolute values, where nearer 0 is better."""
    nearer = np.array([[measure.better == "nearer 0"] for measure in scores.measures])
    return replace(scores, values=np.where(nearer, np.abs(scores.values), scores.values), is_sized=True)


def _fitted(axes: Any, means: Floats, family: Sequence[int], families: Sequence[str]) -> None:
    """Draw the line of least squares through the runs of each family that has enough, or through all without families.

    Raises UsageError where fewer than three runs, or runs of one value, leave no line to fit.
    """
    groups = {number: means[np.array(family) == number] for number in (range(len(families)) if families else (-1,))}
    enough = {number: own for number, own in groups.items() if len(own) >= 3 and np.ptp(own[:, 0]) > 0}
    if not enough:
        number, own = next(iter(groups.items()))
        of = f"the family {families[number]!r}" if families else "the figure"
        raise UsageError(
            f"a line is fitted to at least three runs that differ, and {of} has {len(own)}; leave out --trend"
        )
    for number, own in enough.items():
        across = np.array([own[:, 0].min(), own[:, 0].max()])
        x, y = own.T - own.mean(axis=0)[:, None]
        slope = (x * y).sum() / np.square(x).sum()
        base = own[:, 1].mean() - slope * own[:, 0].mean()
        color = canvas.COLORS[number % len(canvas.COLORS)]
        axes.plot(across, base + slope * across, color=color, linestyle="--", linewidth=1.0, zorder=1.5, label="_fit")


def _placed(figure: Any, axes: Any, means: Floats, order: Sequence[int]) -> list[Dot]:
    """Find where the points stand on the page, y downwards, and which hide others."""
    figure.draw_without_rendering()
    unit = figure.dpi / 72 * UNIT
    spots = axes.transData.transform(means[list(order)]) / unit
    return stack_dots(((run, float(x), float(-y)) for run, (x, y) in zip(order, spots, strict=True)), RADIUS)


def _numbered(figure: Any, axes: Any, dots: Sequence[Dot]) -> None:
    """Write the number of each run at its point, the front first, where there is room beside signs of doubt."""
    unit = figure.dpi / 72 * UNIT
    field, *marks = (
        (box.x0 / unit, -box.y1 / unit, box.x1 / unit, -box.y0 / unit)
        for box in (axes.get_window_extent(), *(mark.get_window_extent() for mark in axes.texts))
    )
    labels = {dot.run: str(dot.run + 1) for dot in dots}
    for run, spot in place_labels(dots, labels, field, SIZE / UNIT, marks).items():
        dot = next(each for each in dots if each.run == run)
        where = axes.transData.inverted().transform((dot.x * unit, -dot.y * unit))
        away = spot.x * UNIT, -spot.y * UNIT
        if spot.lead:
            x, y = spot.lead[1]
            end = x * UNIT, -y * UNIT
            thin = {"arrowstyle": "-", "linewidth": 0.4, "color": canvas.QUIET}
            thin |= {"shrinkA": 0, "shrinkB": dot.radius * UNIT}
            line = axes.annotate("", where, end, textcoords="offset points", arrowprops=thin)
            line.set_in_layout(False)
        side = {"start": "left", "end": "right", "middle": "center"}[spot.anchor]
        text = axes.annotate(
            str(run + 1), where, away, textcoords="offset points", fontsize=SIZE, ha=side, va="center", zorder=3
        )
        text.set_in_layout(False)
