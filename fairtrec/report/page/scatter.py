"""The scatter of two measures as SVG: the runs, and the front of those that no other run dominates in these two.

page.js moves the points to other measures, by the axes that are made here.
"""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np

from fairtrec.data import Floats
from fairtrec.evaluation.answers.aggregates import strip_aggregate
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.leaderboard import Standing
from fairtrec.measure import Measure, Quantity
from fairtrec.measures.utility import find_relevance_rows
from fairtrec.report.page import element
from fairtrec.report.point_labels import RADIUS, Box, Dot, Spot, place_labels, stack_dots

LAST = 558  # where letters end at the right, of the 560 units that the drawing is wide
FEW = 12  # runs: each is labeled; of more only those of the front are
HUGE = 1e100  # a value from which none is drawn, as if it were infinite
TINY = 1e-300  # what is smaller is drawn as 0: a tenth of it may have too few digits
SHORT = 24  # letters of a label; if a name is longer, all are labeled by their numbers


@dataclass(frozen=True)
class Axis:
    """Where the values of one measure stand, from 0 to 1; nan is a run that has none."""

    label: str
    upwards: str  # the label, where the axis stands upright
    places: tuple[float, ...]
    ticks: tuple[tuple[float, str], ...]

    @classmethod
    def scale(cls, measure: Quantity, means: Floats) -> "Axis":
        """Lay out the means of the runs: their sizes, where what is nearer 0 is better."""
        values = np.abs(means) if measure.better == "nearer 0" else means
        name = f"|{measure}|" if measure.better == "nearer 0" else str(measure)
        what = f"{_short(name)}, {measure.better} is better"
        drawn = np.abs(values) < HUGE
        low, high = (values[drawn].min(), values[drawn].max()) if drawn.any() else (0.0, 1.0)
        differ = high - low > max(1e-12 * max(abs(low), abs(high)), TINY)  # by more than the last digits
        margin = 0.06 * (high - low) if differ else 0.1 * abs(high) if abs(high) > TINY else 1.0
        low, span = low - margin, high - low + 2 * margin
        places = np.where(drawn, (np.where(drawn, values, low) - low) / span, np.nan)
        marks = [(round((tick - low) / span, 3), number) for tick, number in ticks(low, low + span)]
        return cls(
            *((f"{what} →", f"{what} ↑") if measure.better == "higher" else (f"← {what}", f"↓ {what}")),
            tuple(places.round(3).tolist()),
            tuple((tick, number if at % _every(marks) == 0 else "") for at, (tick, number) in enumerate(marks)),
        )


def _short(name: str) -> str:
    """Leave out the middle of a name for which an axis has no room; the choice beside the drawing has it whole."""
    return name if len(name) <= 30 else f"{name[:14]}…{name[-15:]}"


def _every(marks: Sequence[tuple[float, str]]) -> int:
    """Tell whether each number has room beside the next one across, or each second one has."""
    return 1 if 430 * (marks[1][0] - marks[0][0]) > 10 * max(len(number) for _, number in marks) + 8 else 2


def axes(result: Result, standing: Standing) -> dict[int, Axis]:
    """Make the axis of each measure that says what is better."""
    means = np.array([scores.order_values for scores in result.scores])
    measures = result.scores[0].measures
    return {at: Axis.scale(measures[at], means[:, at]) for at in np.flatnonzero(standing.directed).tolist()}


def default(measures: Sequence[Measure], columns: Sequence[int]) -> tuple[int, int]:
    """Choose what is drawn across and up: the first measure of utility and the first of fairness, if there are both."""
    rows = find_relevance_rows(map(strip_aggregate, measures))
    across = next((at for at in columns if at in rows), columns[0])
    others = [at for at in columns if at != across]
    return across, next((at for at in others if at not in rows), others[0])


def find_front(standing: Standing, across: int, up: int) -> list[int]:
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


def field(axes: Iterable[Axis]) -> Box:
    """Give the field of points in the drawing, with room on its left for the widest number of an axis."""
    widest = max(len(number) for axis in axes for _, number in axis.ticks)
    return max(64, 20 + 10 * widest), 40, 536, 362


def find_incomparable_runs(standing: Standing, across: int, up: int) -> list[int]:
    """List the runs that cannot be compared with others in one of two measures."""
    runs: list[int] = np.flatnonzero(np.isnan(standing.means[:, [across, up]]).any(axis=1)).tolist()
    return runs


def svg(
    axes: dict[int, Axis], pair: tuple[int, int], front: Sequence[int], apart: Collection[int], names: Sequence[str]
) -> Element:
    """Draw the scatter; ``names`` are those of the runs, which a reader sees when pointing at them."""
    across, up = axes[pair[0]], axes[pair[1]]
    left, top, _, bottom = box = field(axes.values())
    places = spots(across, up, box)
    order = [*front, *(run for run in range(len(names)) if run not in front)]
    dots = stack_dots((run, *places[run]) for run in order if math.isfinite(sum(places[run])))
    drawn, shown = {dot.run: dot for dot in dots}, labels(names)
    wanted = {run: shown[run] for run in (front if len(names) > FEW else order)}
    beside = place_labels(dots, wanted, (left, top - 14, LAST, bottom))
    steps = enumerate(places[run] for run in front)  # from the best up to the best across
    border = (f"V{y:g}H{x:g}" if number else f"M{x:g} {y:g}" for number, (x, y) in steps)
    return element(
        "svg",
        *frame(across, up, box),
        element("path", class_="front-line", d="".join(border)),
        *(
            _point(run, drawn.get(run), shown[run], names[run], beside.get(run), front=run in front, apart=run in apart)
            for run in reversed(order)
        ),
        id="scatter",
        class_="plot few" if len(names) <= FEW else "plot",
        viewBox="0 0 560 420",
        role="img",
        aria_label="Scatter of the runs",
    )


def spots(across: Axis, up: Axis, box: Box) -> list[tuple[float, float]]:
    """Say where values stand in the field; nan is what has none."""
    left, top, right, bottom = box
    both = zip(across.places, up.places, strict=True)
    return [(round(left + x * (right - left), 2), round(bottom - y * (bottom - top), 2)) for x, y in both]


def frame(across: Axis, up: Axis, box: Box) -> list[Element]:
    """Draw two axes around the field of points."""
    left, top, right, bottom = box
    below, beside = list[Element](), list[Element]()
    for place, label in across.ticks:
        x = round(left + place * (right - left), 2)
        below.append(element("line", x1=x, x2=x, y1=top, y2=bottom))
        below.append(element("text", label, x=x, y=bottom + 20, text_anchor="middle"))
    for place, label in up.ticks:
        y = round(bottom - place * (bottom - top), 2)
        beside.append(element("line", x1=left, x2=right, y1=y, y2=y))
        beside.append(element("text", label, x=left - 8, y=y, dy=".35em", text_anchor="end"))
    return [
        element("g", *below, class_="ticks", id="across"),
        element("g", *beside, class_="ticks", id="up"),
        element("path", class_="axis", d=f"M{left} {top}V{bottom}H{right}"),
        element("text", across.label, id="across-label", x=(left + right) / 2, y=408, text_anchor="middle"),
        element("text", up.upwards, id="up-label", x=6, y=20),
    ]


def _point(
    run: int, dot: Dot | None, label: str, name: str, beside: Spot | None, *, front: bool, apart: bool
) -> Element:
    kinds = {"front": front, "apart": apart, "named": beside is not None}
    return element(
        "g",
        element("title", name),
        element("path", class_="lead", d=draw_lead(beside) if beside else None),
        element("circle", r=dot.radius if dot else RADIUS),
        label_dot(label, beside),
        class_=" ".join(["point", *filter(kinds.get, kinds)]),
        data_run=run,
        transform=f"translate({dot.x:g} {dot.y:g})" if dot else None,
        visibility="visible" if dot else "hidden",
    )


def label_dot(label: str, spot: Spot | None, **attributes: object) -> Element:
    """Write a label at its place from the center of its dot."""
    x, y, anchor = (spot.x, spot.y, spot.anchor) if spot else (0.0, 0.0, None)
    return element("text", label, x=x, y=y, dy=".35em", text_anchor=anchor, **attributes)


def draw_lead(spot: Spot) -> str | None:
    """Draw the line that leads from a dot to its label, where there is one."""
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in spot.lead) if spot.lead else None


def ticks(low: float, high: float, parts: int = 6) -> list[tuple[float, str]]:
    """Choose round values in a range, one more than there are ``parts`` at most.

    >>> [written for _, written in ticks(0.38, 0.76)]
    ['0.4', '0.5', '0.6', '0.7']
    """
    rough = ((high - low) or 1.0) / parts
    power = float(f"1e{f'{rough:e}'.partition('e')[2]}")  # of ten, the greatest that is not above
    step = next(each for each in (1 * power, 2 * power, 5 * power, 10 * power) if each >= rough * 0.999)
    numbers = range(int(np.ceil(low / step)), int(np.floor(high / step)) + 1)
    digits = max(6, len(str(max(map(abs, numbers), default=0))))  # neighbors are told apart
    return [(float(number * step), f"{number * step:.{digits}g}") for number in numbers]
