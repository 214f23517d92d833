"""Bars of the measures of each run, of values by group, and of differences by query; and lines over cutoffs."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple

import numpy as np

from fairtrec.data import Floats
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.lab.plot import canvas
from fairtrec.lab.plot.curves import curves
from fairtrec.measure import Measure
from fairtrec.measures.catalogue.cutoffs import family, find_cutoff
from fairtrec.report.cells import compare_means
from fairtrec.report.run_names import shorten_names
from fairtrec.support.errors import UsageError, make_visible
from fairtrec.support.files.arguments import find_run
from fairtrec.support.literals import PaperWidth
from fairtrec.support.notes import Note, NoteKind

BANDS = 4  # runs whose intervals are bands; of more the last stands beside the lines
MANY, HEIGHT = 12, 8.0  # panels of differences; inches of more than these, which stand on one page
PLACES = 4  # what is equal in so many digits is equal, as in tables
HATCHES = "", "////", "....", "xxxx"
WHISKER = {"fmt": "none", "ecolor": "black", "elinewidth": 0.6, "capsize": 1.2, "capthick": 0.6}
DARKER = NoteKind("darker", "darker: the best mean of these runs; to test it, use fairtrec compare")


def runs(result: Result, width: PaperWidth, families: Sequence[str]) -> Any:
    """Draw the mean of each measure: a panel for each, a bar for each run, the best one darker."""
    names, measures = canvas.label_runs(result), result.scores[0].measures
    across = min(len(measures), 2 if width == "1" else 4)
    height = 0.45 + 0.13 * len(names)
    figure, drawn = canvas.panels(list(map(canvas.label, measures)), width, height, across=across, sharey=True)
    best = compare_means(result, PLACES).best
    look = canvas.looks(names, families)
    for row, axes in enumerate(drawn):
        for run, scores in enumerate(result.scores):
            mean = float(scores.means[row])
            color = look[run]["color"] if families else canvas.COLORS[0]
            axes.barh(run, mean, 0.75, color=color if best[run, row] else canvas.pale(color))
            for within in scores.intervals if np.isfinite(mean) else ():
                axes.errorbar(mean, run, xerr=canvas.measure_reach(mean, within[row]), **WHISKER)
                if scores.doubtful[row]:
                    canvas.draw_mark(axes, within[row, 1], run)
        axes.axvline(0, color="black", linewidth=0.6)
        axes.grid(visible=False, axis="y")
        axes.locator_params(axis="x", nbins=2 if width == "1" else 4)
        canvas.keep_within(axes.xaxis, measures[row])
    letters = int(figure.get_figwidth() * 72 * 0.4 / 4.1)
    drawn[0].set_yticks(range(len(names)), shorten_names([*map(make_visible, names)], letters))
    drawn[0].set_ylim(len(names) - 0.4, -0.6)
    return figure


def groups(result: Result, width: PaperWidth, families: Sequence[str]) -> Any:
    """Draw the mean of each measure that has a value for each group: a bar for each run and group."""
    of_group = _find_groups(result)
    names = canvas.label_runs(result)
    canvas.refuse_many(names)
    figure, drawn = canvas.panels(list(of_group), width)
    look = canvas.looks(names, families)
    step = 0.8 / len(names)
    for axes, rows in zip(drawn, of_group.values(), strict=True):
        kept = list(rows.values())
        for number, scores in enumerate(result.scores):
            places = np.arange(len(rows)) + (number - (len(names) - 1) / 2) * step
            heights = scores.means[kept]
            hatch = HATCHES[number // (1 if families else len(canvas.COLORS)) % len(HATCHES)]
            bars = {"color": look[number]["color"], "hatch": hatch, "edgecolor": "white", "linewidth": 0}
            axes.bar(places, heights, step, label=names[number], **bars)
            for within in scores.intervals:
                apart = canvas.measure_reach(heights, within[kept])
                axes.errorbar(places, heights, yerr=apart, **WHISKER | {"capsize": min(1.2, 12 * step)})
                for at in np.flatnonzero(scores.doubtful[kept]).tolist():
                    canvas.draw_mark(axes, places[at], within[kept[at], 1], "above")
        if not any(np.isfinite(scores.means[kept]).any() for scores in result.scores):
            axes.text(0.5, 0.6, "no mean is finite", transform=axes.transAxes, ha="center")
            axes.set_yticks([])
        axes.set_xticks(np.arange(len(rows)), list(rows))
        axes.set_xlim(-0.5, len(rows) - 0.5)
        axes.grid(visible=False, axis="x")
        axes.axhline(0, color="black", linewidth=0.6)
    handles = drawn[0].containers
    canvas.legend(figure, [each for each in handles if hasattr(each, "patches")], names)
    return figure


def _find_groups(result: Result) -> dict[str, dict[str, int]]:
    """Find the rows of the groups, by name, of each measure that has a value for each. Raises UsageError for none."""
    of_group: dict[str, dict[str, int]] = {}
    for row, measure in enumerate(result.scores[0].measures):
        if "group" in {field.name for field in fields(measure)}:
            group: str = getattr(measure, "group")  # noqa: B009 - not every measure has one
            of_group.setdefault(_without(measure, group), {})[group] = row
    if not of_group:
        raise UsageError("no measure here has a value for each group; choose one that has, like -m TE@10 or Skew@10")
    return of_group


def groups_by_slice(parts: Mapping[str, Result], width: PaperWidth) -> Any:
    """Draw each measure that has a value for each group over slices: a line for each group of one run.

    Bars are the intervals. The values are pooled ones if there are some, else means. Raises UsageError for two runs.
    """
    several = list(parts.values())
    if len(several[0].scores) > 1:
        raise UsageError("a figure of slices draws the groups of one run; pass one, or leave out --slice")
    of_group = _find_groups(several[0])
    names = list(dict.fromkeys(group for rows in of_group.values() for group in rows))
    canvas.refuse_many(names)
    figure, drawn = canvas.panels(list(of_group), width)
    places, look = np.arange(len(parts)), dict(zip(names, canvas.looks(names), strict=True))
    for axes, rows in zip(drawn, of_group.values(), strict=True):
        for number, (group, row) in enumerate(rows.items()):
            points = [_read_value(part.scores[0], row) for part in several]
            values, ends = np.array([point.value for point in points]), np.array([point.ends for point in points])
            aside = places + (number - (len(rows) - 1) / 2) * min(0.1, 0.4 / len(rows))
            axes.plot(aside, values, label=group, **look[group])
            bars, there = WHISKER | {"ecolor": look[group]["color"]}, ~np.isnan(ends[:, 0])
            if there.any():
                reach = canvas.measure_reach(values[there], ends[there])
                axes.errorbar(aside[there], values[there], yerr=reach, **bars)
            for at in (at for at, point in enumerate(points) if point.doubtful):
                canvas.draw_mark(axes, aside[at], ends[at, 1], "above")
        axes.set_xticks(places, [canvas.wrap_text(name, 12) for name in parts])
        axes.set_xlim(-0.5, len(parts) - 0.5)
        axes.grid(visible=False, axis="x")
        axes.axhline(0, color="black", linewidth=0.6)
    canvas.legend(figure, *drawn[0].get_legend_handles_labels())
    return figure


class DrawnValue(NamedTuple):
    """A value with its interval, nan if it has none, and whether this has ``?``."""

    value: float
    ends: tuple[float, float]
    doubtful: bool


def _read_value(scores: Scores, row: int) -> DrawnValue:
    """Read the pooled value of a measure, or else its mean."""
    total = next((values[row] for values in scores.totals.values() if values[row] is not None), None)
    if total is not None:
        told = scores.describe_total(scores.measures[row])
        ends = float(told.get("low", np.nan)), float(told.get("high", np.nan))
        return DrawnValue(total, ends, bool(told.get("doubtful")) and not np.isnan(ends[0]))
    within = [each[row] for each in scores.intervals]
    low, high = within[0].tolist() if within else (np.nan, np.nan)
    return DrawnValue(float(scores.means[row]), (low, high), bool(within) and bool(scores.doubtful[row]))


def _without(measure: Measure, group: str) -> str:
    """Spell a measure without its group, as it was asked for."""
    return str(replace(measure, group="")) if group else str(measure)  # type: ignore[call-arg]  # which it has


def queries(result: Result, width: PaperWidth, baseline: str | None) -> Any:
    """Draw the differences between each run and the baseline by the first measure, hatched where the run is worse."""
    base = find_run([scores.run for scores in result.scores], baseline)
    measure, names = result.scores[0].measures[0], canvas.label_runs(result)
    others = [number for number in range(len(result.scores)) if number != base]
    worth = [_of_queries(result, number) for number in range(len(result.scores))]
    few = len(others) <= 6
    size = 8 if few else 6
    titles, across, height = _fit_panels([names[number].strip() for number in others], width, size, few=few)
    figure, drawn = canvas.panels(titles, width, height, across=across, size=size, sharey=True)
    for axes, number in zip(drawn, others, strict=True):
        both = sorted(worth[number].keys() & worth[base].keys())
        differences = np.sort([worth[number][qid] - worth[base][qid] for qid in both])[::-1]
        good = differences <= 0 if measure.better in ("lower", "nearer 0") else differences >= 0
        places = np.arange(1, len(differences) + 1)
        for chosen, color, hatch in ((good, canvas.COLORS[0], ""), (~good, canvas.COLORS[1], "////")):
            bars = {"color": color, "hatch": hatch, "edgecolor": "white", "linewidth": 0}
            axes.bar(places[chosen], differences[chosen], 0.8, **bars)
        axes.axhline(0, color="black", linewidth=0.6)
        axes.locator_params(axis="x", integer=True, nbins=4)
        if few:
            axes.set_xlabel(f"{len(both)} queries, sorted")
    many = {len(worth[number].keys() & worth[base].keys()) for number in others}
    if not few:
        figure.supxlabel(f"{'–'.join(map(str, sorted({min(many), max(many)})))} queries, sorted", fontsize=8)
    what = f"|{measure}|" if measure.better == "nearer 0" else str(measure)
    letters = int((figure.get_figheight() - 0.3) * 72 / (canvas.LETTER * 8))
    figure.supylabel(canvas.wrap_text(f"{what} − that of {names[base].strip()}", letters), fontsize=8)
    return figure


def _fit_panels(titles: Sequence[str], width: PaperWidth, size: int, *, few: bool) -> tuple[Sequence[str], int, float]:
    """Say how panels of these titles fit, of letters of a ``size``: what they are called, how many across, how high."""
    most = {("1", True): 2, ("1", False): 3, ("2", True): 3, ("2", False): 6}[width, few]
    if len(titles) > MANY:  # on one page, for which names are shortened
        letters = 2 * int((canvas.WIDTHS[width] / most - 0.42) * 72 / (canvas.LETTER * size)) - 4
        return shorten_names(titles, letters), most, min(1.0, HEIGHT / -(-len(titles) // most) - 0.2)
    room = 72 * canvas.WIDTHS[width] / (canvas.LETTER * size * max(map(len, titles)) / (2 if few else 4) + 16)
    return titles, max(1, min(most, int(room))), 1.6 if few else 1.0


def _of_queries(result: Result, number: int) -> dict[str, float]:
    """Give the first measure's value for each query that has one, or its size where nearer 0 is better."""
    scores = result.scores[number]
    values = np.abs(scores.values[0]) if scores.measures[0].better == "nearer 0" else scores.values[0]
    return {qid: value for qid, value in zip(scores.qids, values.tolist(), strict=True) if np.isfinite(value)}


def cutoffs(result: Result, width: PaperWidth, families: Sequence[str]) -> Any:
    """Draw the mean of each measure, which stands there at several cutoffs, over these."""
    names = canvas.label_runs(result)
    canvas.refuse_many(names)
    better = {point.measure: point.better for point in curves(result).rows}
    measures = result.scores[0].measures
    figure, drawn = canvas.panels([f"{name}{canvas.ARROWS[better[name]]}" for name in better], width)
    for axes, name in zip(drawn, better, strict=True):
        rows = _rows_of(name, measures)
        several = [find_cutoff(measures[row]) for row in rows]
        for number, (scores, look) in enumerate(zip(result.scores, canvas.looks(names, families), strict=True)):
            axes.plot(several, scores.means[rows], label=names[number], markevery=max(1, len(rows) // 10), **look)
            for within in scores.intervals:
                if len(names) <= BANDS:
                    axes.fill_between(several, *within[rows].T, color=look["color"], alpha=0.15, linewidth=0)
                    for at in np.flatnonzero(scores.doubtful[rows]).tolist():
                        canvas.draw_mark(axes, several[at], within[rows[at], 1], "below")
                    continue
                last, mean = rows[-1], float(scores.means[rows[-1]])
                aside = several[-1] + (number + 2) * 0.25 / len(names) * max(1, several[-1] - several[0])
                thin = {"color": look["color"], "linewidth": 0.8}
                axes.errorbar(aside, mean, yerr=canvas.measure_reach(mean, within[last]), fmt="none", **thin)
                if scores.doubtful[last]:
                    canvas.draw_mark(axes, aside, within[last, 1], "above")
        frame = _find_frame(result, rows)
        if frame is not None:
            axes.set_ylim(frame)
        canvas.keep_within(axes.yaxis, measures[rows[-1]])
        axes.locator_params(axis="x", integer=True)
        axes.set_xlabel("cutoff")
        axes.set_xticks([cutoff for cutoff in axes.get_xticks() if several[0] <= cutoff <= several[-1]])
    canvas.legend(figure, *drawn[0].get_legend_handles_labels())
    return figure


def _rows_of(name: str, measures: Sequence[Measure]) -> list[int]:
    """List the rows of a measure, by their cutoffs."""
    rows = [row for row, each in enumerate(measures) if family(each) == name]
    return sorted(rows, key=lambda row: find_cutoff(measures[row]))


def _last_intervals(result: Result, row: int) -> Floats:
    """Return the intervals [run, end] that are drawn to the right of the lines: of many runs, at the deepest cutoff."""
    found = [within[row] for scores in result.scores for within in scores.intervals]
    return np.array(found if len(result.scores) > BANDS else []).reshape(-1, 2)


def _find_frame(result: Result, rows: Sequence[int]) -> tuple[float, float] | None:
    """Find where the axis of a measure begins and ends; None if all its intervals are whole."""
    means = np.array([scores.means[rows] for scores in result.scores])
    return canvas.find_frame(means, _last_intervals(result, rows[-1]))


def note_cutoffs(result: Result) -> list[Note]:
    """List the notes on intervals that are cut."""
    measures = result.scores[0].measures
    several = {name: _rows_of(name, measures) for name in map(family, measures)}
    return [
        canvas.note_frame(name, frame, _last_intervals(result, rows[-1]))
        for name, rows in several.items()
        if (frame := _find_frame(result, rows)) is not None
    ]
