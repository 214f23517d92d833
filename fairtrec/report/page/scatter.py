"""The scatter of two measures as SVG: the runs, and the frontier of those that no other run dominates in these two.

page.js moves the points to other measures, by the axes that are made here.
"""

import math
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np

from fairtrec.comparison.leaderboard import Standing
from fairtrec.data import Floats
from fairtrec.evaluation.result import Result
from fairtrec.measure import Measure
from fairtrec.measures.utility import Utility
from fairtrec.report.page.whole import element

LAST = 558  # where letters end at the right, of the 560 units that the drawing is wide
FEW = 12  # runs: each is labelled; of more only those of the frontier are
HUGE = 1e100  # a value from which none is drawn, as if it were infinite
SHORT = 24  # letters of a label; if a name is longer, all are labelled by their numbers
Box = tuple[float, float, float, float]  # left, top, right, bottom

NEAR, CLEAR = 4, 6  # from a dot's edge to its own label; from its edge to the label of another, at least
TWIN = 3  # a dot that is nearer to one above it is drawn as a ring round it
LETTER = 17  # the height of letters in a narrow window, where they are largest beside the dots


@dataclass(frozen=True)
class Axis:
    """Where the values of one measure stand, from 0 to 1; nan is a run that has none."""

    label: str
    upwards: str  # the label, where the axis stands upright
    places: tuple[float, ...]
    ticks: tuple[tuple[float, str], ...]

    @classmethod
    def of(cls, measure: Measure, means: Floats) -> "Axis":
        """Lay out the means of the runs: their sizes, where what is nearer 0 is better."""
        values = np.abs(means) if measure.better == "nearer 0" else means
        name = f"|{measure}|" if measure.better == "nearer 0" else str(measure)
        what = f"{_short(name)}, {measure.better} is better"
        drawn = np.abs(values) < HUGE
        low, high = (values[drawn].min(), values[drawn].max()) if drawn.any() else (0.0, 1.0)
        margin = 0.06 * (high - low) or 0.1 * abs(high) or 1.0
        low, span = low - margin, high - low + 2 * margin
        places = np.where(drawn, (np.where(drawn, values, low) - low) / span, np.nan)
        ticks = [(round(float((tick - low) / span), 3), number) for tick, number in _ticks(low, low + span)]
        return cls(
            *((f"{what} →", f"{what} ↑") if measure.better == "higher" else (f"← {what}", f"↓ {what}")),
            tuple(places.round(3).tolist()),
            tuple((tick, number if at % _every(ticks) == 0 else "") for at, (tick, number) in enumerate(ticks)),
        )


def _short(name: str) -> str:
    """Leave out the middle of a name for which an axis has no room; the choice beside the drawing has it whole."""
    return name if len(name) <= 30 else f"{name[:14]}…{name[-15:]}"


def _every(ticks: Sequence[tuple[float, str]]) -> int:
    """Tell whether each number has room beside the next one across, or each second one has."""
    return 1 if 430 * (ticks[1][0] - ticks[0][0]) > 10 * max(len(number) for _, number in ticks) + 8 else 2


def axes(result: Result, standing: Standing) -> dict[int, Axis]:
    """Make the axis of each measure that says what is better."""
    means = np.array([scores.compared for scores in result.scores])
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


def field(axes: Iterable[Axis]) -> Box:
    """Give the field of points in the drawing, with room on its left for the widest number of an axis."""
    widest = max(len(number) for axis in axes for _, number in axis.ticks)
    return max(64, 20 + 10 * widest), 40, 536, 362


def svg(axes: dict[int, Axis], pair: tuple[int, int], front: Sequence[int], names: Sequence[str]) -> Element:
    """Draw the scatter; ``names`` are those of the runs, which a reader sees when pointing at them."""
    across, up = axes[pair[0]], axes[pair[1]]
    left, top, right, bottom = box = field(axes.values())
    xs = [round(left + place * (right - left), 2) for place in across.places]
    ys = [round(bottom - place * (bottom - top), 2) for place in up.places]
    order = [*front, *(run for run in range(len(names)) if run not in front)]
    dots = stacked((run, xs[run], ys[run]) for run in order if math.isfinite(xs[run] + ys[run]))
    drawn, shown = {dot.run: dot for dot in dots}, labels(names)
    wanted = {run: shown[run] for run in (front if len(names) > FEW else order)}
    beside = labelled(dots, wanted, (left, top - 14, LAST, bottom))
    return element(
        "svg",
        *frame(across, up, box),
        element("path", class_="frontier", d=_path([(xs[run], ys[run]) for run in front])),
        *(_point(run, drawn.get(run), shown[run], names[run], beside.get(run), front) for run in reversed(order)),
        id="scatter",
        class_="plot few" if len(names) <= FEW else "plot",
        viewBox="0 0 560 420",
        role="img",
        aria_label="Scatter of the runs",
    )


def frame(across: Axis, up: Axis, box: Box) -> list[Element]:
    """Draw two axes around the field of points."""
    left, top, right, bottom = box
    return [
        element(
            "g", *(part for tick in across.ticks for part in _tick_across(*tick, box)), class_="ticks", id="across"
        ),
        element("g", *(part for tick in up.ticks for part in _tick_up(*tick, box)), class_="ticks", id="up"),
        element("path", class_="axis", d=f"M{left} {top}V{bottom}H{right}"),
        element("text", across.label, id="across-label", x=(left + right) / 2, y=408, text_anchor="middle"),
        element("text", up.upwards, id="up-label", x=6, y=20),
    ]


def _path(points: Sequence[tuple[float, float]]) -> str:
    """Draw the border of what the frontier dominates: from the best up, by steps, to the best across."""
    return "".join(f"V{y:g}H{x:g}" if number else f"M{x:g} {y:g}" for number, (x, y) in enumerate(points))


def _point(
    run: int, dot: "Dot | None", label: str, name: str, beside: tuple[float, float, str] | None, front: Sequence[int]
) -> Element:
    x, y, anchor = beside or (0.0, 0.0, None)
    kinds = {"front": run in front, "ring": dot is not None and dot.run != dot.stack, "named": beside is not None}
    return element(
        "g",
        element("title", name),
        element("path", class_="lead"),
        element("circle", r=dot.radius if dot else 5),
        element("text", label, x=x, y=y, dy=".35em", text_anchor=anchor),
        class_=" ".join(["point", *filter(kinds.get, kinds)]),
        data_run=run,
        transform=f"translate({dot.x:g} {dot.y:g})" if dot else None,
        visibility="visible" if dot else "hidden",
    )


def _tick_across(place: float, label: str, field: Box) -> tuple[Element, Element]:
    x = round(field[0] + place * (field[2] - field[0]), 2)
    line = element("line", x1=x, x2=x, y1=field[1], y2=field[3])
    return line, element("text", label, x=x, y=field[3] + 20, text_anchor="middle")


def _tick_up(place: float, label: str, field: Box) -> tuple[Element, Element]:
    y = round(field[3] - place * (field[3] - field[1]), 2)
    line = element("line", x1=field[0], x2=field[2], y1=y, y2=y)
    return line, element("text", label, x=field[0] - 8, y=y, dy=".35em", text_anchor="end")


def _ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Choose two to seven round values in a range.

    >>> [written for _, written in _ticks(0.38, 0.76)]
    ['0.4', '0.5', '0.6', '0.7']
    """
    rough = (high - low) / 6
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(each for each in (1 * power, 2 * power, 5 * power, 10 * power) if each >= rough * 0.999)
    numbers = range(int(np.ceil(low / step)), int(np.floor(high / step)) + 1)
    digits = max(6, len(str(max(map(abs, numbers)))))  # neighbours are told apart
    return [(number * step, f"{number * step:.{digits}g}") for number in numbers]


@dataclass(frozen=True)
class Dot:
    """The dot of a run; ``stack`` is the run whose dot is the innermost at its place."""

    run: int
    x: float
    y: float
    radius: float
    stack: int


def stacked(places: Iterable[tuple[int, float, float]]) -> list[Dot]:
    """Make the dots of runs, those on top first; what would be hidden under another becomes a ring round it.

    >>> [dot.radius for dot in stacked([(0, 10.0, 10.0), (1, 50.0, 10.0), (2, 11.0, 10.0), (3, 10.0, 10.0)])]
    [5, 5, 9, 13]
    """
    dots: list[Dot] = []
    for run, x, y in places:
        twin = next((dot for dot in reversed(dots) if math.hypot(dot.x - x, dot.y - y) < TWIN), None)
        if twin is None:
            dots.append(Dot(run, x, y, 5, run))
        else:
            dots.append(Dot(run, twin.x, twin.y, twin.radius + (4 if twin.radius < 20 else 1), twin.stack))
    return dots


def labelled(dots: Sequence[Dot], labels: Mapping[int, str], field: Box) -> dict[int, tuple[float, float, str]]:
    """Place labels beside their dots, where there is room: how far from the centre their middle is, and the anchor."""
    outer = {dot.stack: dot.radius for dot in dots}  # of a stack the last
    boxes: list[Box] = []
    found = {}
    for dot in dots:
        if dot.run not in labels:
            continue
        others = [each for each in dots if each.stack != dot.stack]
        for x, y, anchor, box in _around(dot, outer[dot.stack] + NEAR, labels[dot.run]):
            inside = field[0] <= box[0] and field[1] <= box[1] and box[2] <= field[2] and box[3] <= field[3]
            apart = all(_distance(box, each) >= each.radius + CLEAR for each in others)
            if inside and apart and not any(_overlap(box, other) for other in boxes):
                boxes.append(box)
                found[dot.run] = (round(x - dot.x, 2), round(y - dot.y, 2), anchor)
                break
    return found


def _around(dot: Dot, far: float, label: str) -> Iterator[tuple[float, float, str, Box]]:
    """Go round a dot: the corners first, then the sides."""
    width, height = _width(label), 1.1 * LETTER
    for right, up in ((1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1)):
        reach = far / math.hypot(right, up)
        x, y = dot.x + right * reach, dot.y - up * (reach + height / 2)
        left = x + (right - 1) / 2 * width
        yield x, y, ("end", "middle", "start")[right + 1], (left, y - height / 2, left + width, y + height / 2)


def _width(label: str) -> float:
    return sum(LETTER if unicodedata.east_asian_width(letter) in "FW" else 0.66 * LETTER for letter in label)


def _distance(box: Box, dot: Dot) -> float:
    return math.hypot(max(box[0] - dot.x, dot.x - box[2], 0), max(box[1] - dot.y, dot.y - box[3], 0))


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] + 2 and other[0] < one[2] + 2 and one[1] < other[3] + 2 and other[1] < one[3] + 2
