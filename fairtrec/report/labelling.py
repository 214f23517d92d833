"""Labels beside dots that cover no other dot, label or line: at the dot, or at the end of a line that leads to it.

Lengths are in units of which a drawing is about 500 wide; y grows downwards. page.js does the same in a browser.
"""

import math
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

Box = tuple[float, float, float, float]  # left, top, right, bottom

RADIUS = 5  # of a dot that is alone at its place
NEAR, CLEAR = 4, 6  # from a dot's edge to its own label; from its edge to the label of another, at least
TWIN = 3  # a dot that is nearer to one above it is drawn as a ring round it
LETTER = 19  # the height of letters in a narrow window, where they are largest beside the dots
REACH = 0, 8, 16, 28, 40, 56, 76, 100, 130, 170, 220  # how far from its dot a label may stand; a line leads to it
CORNERS = tuple(turn * math.pi / 4 for turn in (1, 7, 3, 5, 0, 4, 2, 6))
TRIES = 5
BETWEEN = tuple(turn * math.pi / 8 for turn in (1, 15, 7, 9, 3, 13, 5, 11))


@dataclass(frozen=True)
class Dot:
    """The dot of a run; ``stack`` is the run whose dot is the innermost at its place."""

    run: int
    x: float
    y: float
    radius: float
    stack: int


@dataclass(frozen=True)
class Spot:
    """Where a label stands: its middle or an end, as ``anchor`` says, and the line to it, from the centre of its dot.

    ``lead`` is the line's two ends, or nothing where the label stands at its dot.
    """

    x: float
    y: float
    anchor: str
    lead: tuple[tuple[float, float], ...] = ()


def stacked(places: Iterable[tuple[int, float, float]], near: float = TWIN) -> list[Dot]:
    """Make the dots of runs, those on top first; what would be hidden under another, so ``near``, is a ring round it.

    >>> [dot.radius for dot in stacked([(0, 10.0, 10.0), (1, 50.0, 10.0), (2, 11.0, 10.0), (3, 10.0, 10.0)])]
    [5, 5, 9, 13]
    """
    dots: list[Dot] = []
    for run, x, y in places:
        twin = next(
            (dot for dot in reversed(dots) if math.hypot(dot.x - x, dot.y - y) < near), None
        )  # exact: a few pixels
        if twin is None:
            dots.append(Dot(run, x, y, RADIUS, run))
        else:
            dots.append(Dot(run, twin.x, twin.y, twin.radius + (4 if twin.radius < 20 else 1), twin.stack))
    return dots


def labelled(dots: Sequence[Dot], labels: Mapping[int, str], field: Box, letter: float = LETTER) -> dict[int, Spot]:
    """Place labels of letters of a height beside their dots, the first dots first; one without room has no place.

    Those that find none are tried again before the others, and so are those that then find none.
    """
    wanted = [dot for dot in dots if dot.run in labels]
    best: dict[int, Spot] = {}
    for _ in range(TRIES):
        found = _labelled(wanted, dots, labels, field, letter)
        best = max(best, found, key=lambda each: [dot.run in each for dot in dots])
        if len(found) == len(wanted):
            break
        wanted.sort(key=lambda dot: dot.run in found)
    return best


def _labelled(
    wanted: Sequence[Dot], dots: Sequence[Dot], labels: Mapping[int, str], field: Box, letter: float
) -> dict[int, Spot]:
    outer = {dot.stack: dot.radius for dot in dots}  # of a stack the last
    boxes: list[Box] = []
    lines: list[tuple[float, float]] = []
    found = {}
    for dot in wanted:
        others = [each for each in dots if each.stack != dot.stack]
        for spot, box, line in _around(dot, outer[dot.stack], labels[dot.run], letter):
            inside = field[0] <= box[0] and field[1] <= box[1] and box[2] <= field[2] and box[3] <= field[3]
            if (
                inside
                and all(_distance(box, each.x, each.y) >= each.radius + CLEAR for each in others)
                and not any(_overlap(box, other) for other in boxes)
                and all(_distance(box, *each) >= 3 for each in lines)
                and all(_free(*each, others, boxes, lines) for each in line)
            ):
                boxes.append(box)
                lines += line
                found[dot.run] = spot
                break
    return found


def _around(dot: Dot, outer: float, label: str, letter: float) -> Iterator[tuple[Spot, Box, list[tuple[float, float]]]]:
    """Go round a dot, ever farther: the corners first, then the sides, then what is between."""
    width, height = _width(label, letter), 1.1 * letter
    for reach in REACH:
        for turn in (*CORNERS, *BETWEEN) if reach else CORNERS:
            right, down = math.cos(turn), -math.sin(turn)  # exact: a few pixels, rounded
            side, under = round(right), round(down)
            far = outer + NEAR + reach
            x, top = dot.x + right * far, dot.y + down * far + (under - 1) / 2 * height
            left = x + (side - 1) / 2 * width
            steps = range(math.ceil((reach + 2) / 4) if reach else 0)
            line = [(dot.x + right * (outer + 4 * step), dot.y + down * (outer + 4 * step)) for step in steps]
            ends = (outer, outer + reach + 2) if reach else ()
            lead = tuple((round(right * end, 2), round(down * end, 2)) for end in ends)
            anchor = ("end", "middle", "start")[side + 1]
            spot = Spot(round(x - dot.x, 2), round(top + height / 2 - dot.y, 2), anchor, lead)
            yield spot, (left, top, left + width, top + height), line


def _free(
    x: float, y: float, others: Sequence[Dot], boxes: Sequence[Box], lines: Sequence[tuple[float, float]]
) -> bool:
    """Tell whether a line may pass a point."""
    return (
        all(math.hypot(x - other.x, y - other.y) >= other.radius + 3 for other in others)  # exact: a few pixels
        and all(_distance(box, x, y) >= 3 for box in boxes)
        and all(math.hypot(x - other[0], y - other[1]) >= 4 for other in lines)  # exact: a few pixels
    )


def _width(label: str, letter: float) -> float:
    return sum(letter if unicodedata.east_asian_width(sign) in "FW" else 0.66 * letter for sign in label)


def _distance(box: Box, x: float, y: float) -> float:
    return math.hypot(max(box[0] - x, x - box[2], 0), max(box[1] - y, y - box[3], 0))  # exact: a few pixels


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] + 2 and other[0] < one[2] + 2 and one[1] < other[3] + 2 and other[1] < one[3] + 2
