"""Means over cutoffs: a panel for each measure, a line for each run, and its intervals."""

from collections.abc import Sequence
from typing import Any

from fairtrec.answers.result import Result
from fairtrec.comparison.curves import curves, cutoff_of, family
from fairtrec.literals import PaperColumns
from fairtrec.report.figures.canvas import legend, looks, panels, refuse_many
from fairtrec.report.figures.whiskers import ARROWS, called, drawn_apart, ends

BANDS = 4  # runs whose intervals are bands; of more the last stands beside the lines


def draw(result: Result, columns: PaperColumns, families: Sequence[str]) -> Any:
    """Draw the mean of each measure, which stands there at several cutoffs, over these."""
    names = called(result)
    refuse_many(names)
    better = {point.measure: point.better for point in curves(result).rows}
    measures = result.scores[0].measures
    figure, drawn = panels([f"{name}{ARROWS[better[name]]}" for name in better], columns)
    for axes, name in zip(drawn, better, strict=True):
        rows = sorted(
            (row for row, each in enumerate(measures) if family(each) == name), key=lambda row: cutoff_of(measures[row])
        )
        cutoffs = [cutoff_of(measures[row]) for row in rows]
        for number, (scores, look) in enumerate(zip(result.scores, looks(names, families), strict=True)):
            axes.plot(cutoffs, scores.means[rows], label=names[number], markevery=max(1, len(rows) // 10), **look)
            within = ends(scores)
            if within is not None and len(names) <= BANDS:
                axes.fill_between(cutoffs, *within[rows].T, color=look["color"], alpha=0.15, linewidth=0)
            elif within is not None:
                last, mean = rows[-1], float(scores.means[rows[-1]])
                aside = cutoffs[-1] + (number + 2) * 0.25 / len(names) * max(1, cutoffs[-1] - cutoffs[0])
                thin = {"color": look["color"], "linewidth": 0.8}
                axes.errorbar(aside, mean, yerr=drawn_apart(mean, within[last]), fmt="none", **thin)
        axes.locator_params(axis="x", integer=True)
        axes.set_xlabel("cutoff")
        axes.set_xticks([cutoff for cutoff in axes.get_xticks() if cutoffs[0] <= cutoff <= cutoffs[-1]])
    legend(figure, *drawn[0].get_legend_handles_labels())
    return figure
