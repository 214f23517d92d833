"""The scatter of two measures as SVG: the runs, and the frontier of those that no other run dominates in these two.

page.js moves the points to other measures, by the axes that are made here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np

from fairtrec.api import Result
from fairtrec.data import Floats
from fairtrec.leaderboard import Standing
from fairtrec.measure import Measure
from fairtrec.measures.utility import Utility
from fairtrec.report.element import element

LEFT, TOP, WIDTH, HEIGHT = 74, 16, 450, 340  # of the field of points, in the units of the drawing
FEW = 12  # runs: each is labelled; of more only those of the frontier are
HUGE = 1e100  # a value from which none is drawn, as if it were infinite
SHORT = 24  # letters of a label; if a name is longer, all are labelled by their numbers


@dataclass(frozen=True)
class Axis:
    """Where the values of one measure stand, from 0 to 1; nan is a run that has none."""

    label: str
    places: tuple[float, ...]
    ticks: tuple[tuple[float, str], ...]

    @classmethod
    def of(cls, measure: Measure, means: Floats) -> "Axis":
        """Lay out the means of the runs: their sizes, where what is nearer 0 is better."""
        values = np.abs(means) if measure.better == "nearer 0" else means
        name = f"|{measure}|" if measure.better == "nearer 0" else str(measure)
        what = f"{name}, {measure.better}" + (" is better →" if measure.better == "higher" else " is better")
        drawn = np.abs(values) < HUGE
        low, high = (values[drawn].min(), values[drawn].max()) if drawn.any() else (0.0, 1.0)
        margin = 0.06 * (high - low) or 0.1 * abs(high) or 1.0
        low, span = low - margin, high - low + 2 * margin
        places = np.where(drawn, (np.where(drawn, values, low) - low) / span, np.nan)
        return cls(
            what if measure.better == "higher" else f"← {what}",
            tuple(places.round(3).tolist()),
            tuple((round(float((tick - low) / span), 3), written) for tick, written in _ticks(low, low + span)),
        )


def axes(result: Result, standing: Standing) -> dict[int, Axis]:
    """Make the axis of each measure that says what is better."""
    means = np.array([scores.means for scores in result.scores])
    measures = result.scores[0].measures
    return {at: Axis.of(measures[at], means[:, at]) for at in np.flatnonzero(standing.directed).tolist()}


def default(measures: Sequence[Measure], columns: Sequence[int]) -> tuple[int, int]:
    """Choose what is drawn across and up: the first measure of utility and the first of fairness, if there are both."""
    across = next((at for at in columns if isinstance(measures[at], Utility)), columns[0])
    others = [at for at in columns if at != across]
    return across, next((at for at in others if not isinstance(measures[at], Utility)), others[0])


def frontier(standing: Standing, across: int, up: int) -> list[int]:
    """List the runs that no other dominates in two measures, those that are worst across first."""
    pair = np.array([across, up])
    drawn = np.flatnonzero((np.abs(standing.means[:, pair]) < HUGE).all(axis=1))
    of_two = Standing(standing.means[np.ix_(drawn, pair)], [standing.betters[across], standing.betters[up]])
    chosen = np.flatnonzero(~of_two.dominated)
    runs: list[int] = drawn[chosen[np.argsort(-of_two.ranks[chosen, 0], kind="stable")]].tolist()
    return runs


def labels(names: Sequence[str]) -> list[str]:
    """Label runs by name, or by number where there are many or their names are long."""
    short = len(names) <= FEW and max(map(len, names)) <= SHORT
    return list(names) if short else [str(number) for number in range(1, len(names) + 1)]


def svg(axes: dict[int, Axis], pair: tuple[int, int], front: Sequence[int], names: Sequence[str]) -> Element:
    """Draw the scatter; ``names`` are those of the runs, which a reader sees when pointing at them."""
    across, up = axes[pair[0]], axes[pair[1]]
    at = [(_x(x), _y(y)) for x, y in zip(across.places, up.places, strict=True)]
    turned = f"translate(16 {TOP + HEIGHT / 2:g}) rotate(-90)"
    return element(
        "svg",
        element("g", *(part for tick in across.ticks for part in _tick_across(*tick)), class_="ticks", id="across"),
        element("g", *(part for tick in up.ticks for part in _tick_up(*tick)), class_="ticks", id="up"),
        element("path", class_="axis", d=f"M{LEFT} {TOP}V{TOP + HEIGHT}H{LEFT + WIDTH}"),
        element("text", across.label, id="across-label", x=LEFT + WIDTH / 2, y=408, text_anchor="middle"),
        element("text", up.label, id="up-label", transform=turned, text_anchor="middle"),
        element("path", class_="frontier", d=_path([at[run] for run in front])),
        *(_point(run, *at[run], label, names[run], front) for run, label in enumerate(labels(names))),
        id="scatter",
        class_="plot few" if len(names) <= FEW else "plot",
        viewBox="0 0 560 420",
        role="img",
        aria_label="Scatter of the runs",
    )


def _path(points: Sequence[tuple[float, float]]) -> str:
    """Draw the border of what the frontier dominates: from the best up, by steps, to the best across."""
    return "".join(f"V{y:g}H{x:g}" if number else f"M{x:g} {y:g}" for number, (x, y) in enumerate(points))


def _point(run: int, x: float, y: float, label: str, name: str, front: Sequence[int]) -> Element:
    there = bool(np.isfinite(x + y))
    left = there and x > LEFT + 0.7 * WIDTH
    below = run in front and front.index(run) % 2 == 1  # neighbours are labelled above and below in turn
    return element(
        "g",
        element("title", name),
        element("circle", r=5),
        element("text", label, x=-9 if left else 9, y=16 if below else -6, text_anchor="end" if left else "start"),
        class_="point front" if run in front else "point",
        data_run=run,
        transform=f"translate({x:g} {y:g})" if there else None,
        visibility="visible" if there else "hidden",
    )


def _tick_across(place: float, label: str) -> tuple[Element, Element]:
    x = _x(place)
    line = element("line", x1=x, x2=x, y1=TOP, y2=TOP + HEIGHT)
    return line, element("text", label, x=x, y=TOP + HEIGHT + 18, text_anchor="middle")


def _tick_up(place: float, label: str) -> tuple[Element, Element]:
    y = _y(place)
    line = element("line", x1=LEFT, x2=LEFT + WIDTH, y1=y, y2=y)
    return line, element("text", label, x=LEFT - 8, y=y, dy=4, text_anchor="end")


def _x(place: float) -> float:
    return round(LEFT + place * WIDTH, 2)


def _y(place: float) -> float:
    return round(TOP + (1 - place) * HEIGHT, 2)


def _ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Choose two to seven round values in a range.

    >>> [written for _, written in _ticks(0.38, 0.76)]
    ['0.4', '0.5', '0.6', '0.7']
    """
    rough = (high - low) / 6
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(each for each in (1 * power, 2 * power, 5 * power, 10 * power) if each >= rough * 0.999)
    first = int(np.ceil(low / step))
    return [(number * step, f"{number * step:.6g}") for number in range(first, int(np.floor(high / step)) + 1)]
