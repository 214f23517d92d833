"""Labels beside dots that cover no other dot, label or line: at the dot, or at the end of a line that leads to it.

Lengths are in units of which a drawing is about 500 wide; y grows downwards. page.js does the same in a browser.
"""

import math
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product, repeat
from typing import Generic, TypeVar

T = TypeVar("T")
Box = tuple[float, float, float, float]  # left, top, right, bottom
Pixel = tuple[float, float]

RADIUS = 5  # of a dot that is alone at its place
NEAR, CLEAR = 4, 6  # from a dot's edge to its own label; from its edge to the label of another, at least
TWIN = 3  # a dot that is nearer to one above it is drawn as a ring round it
LETTER = 19  # the height of letters in a narrow window, where they are largest beside the dots
REACH = 0, 8, 16, 28, 40, 56, 76, 100, 130, 170, 220  # how far from its dot a label may stand; a line leads to it
CORNERS = tuple(turn * math.pi / 4 for turn in (1, 7, 3, 5, 0, 4, 2, 6))
BETWEEN = tuple(turn * math.pi / 8 for turn in (1, 15, 7, 9, 3, 13, 5, 11))
TRIES = 5
APART = 4  # from a label or a line to what may be in its way, at most
SQUARE = 24  # the side of a square of a grid


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
    """Where a label stands: its middle or an end, as ``anchor`` says, and the line to it, from the center of its dot.

    ``lead`` is the line's two ends, or nothing where the label stands at its dot.
    """

    x: float
    y: float
    anchor: str
    lead: tuple[tuple[float, float], ...] = ()


def stack_dots(places: Iterable[tuple[int, float, float]], near: float = TWIN) -> list[Dot]:
    """Make the dots of runs, those on top first; what would be hidden under another, so ``near``, is a ring round it.

    >>> [dot.radius for dot in stack_dots([(0, 10.0, 10.0), (1, 50.0, 10.0), (2, 11.0, 10.0), (3, 10.0, 10.0)])]
    [5, 5, 9, 13]
    """
    dots: list[Dot] = []
    there = Grid[Dot]()
    for run, x, y in places:
        about = reversed(there.find_at(x, y))
        twin = next((dot for dot in about if math.hypot(dot.x - x, dot.y - y) < near), None)  # exact: a few pixels
        if twin is None:
            dots.append(Dot(run, x, y, RADIUS, run))
        else:
            dots.append(Dot(run, twin.x, twin.y, twin.radius + (4 if twin.radius < 20 else 1), twin.stack))
        dot = dots[-1]
        there.add(dot, (dot.x, dot.y, dot.x, dot.y), near)
    return dots


def place_labels(
    dots: Sequence[Dot], labels: Mapping[int, str], field: Box, letter: float = LETTER, taken: Sequence[Box] = ()
) -> dict[int, Spot]:
    """Place labels of letters of a height beside their dots, the first dots first; one without room has no place.

    Those that find none are tried again before the others, and so are those that then find none. Nor does any stand
    where a box is ``taken``.
    """
    wanted = [dot for dot in dots if dot.run in labels]
    outer = {dot.stack: dot.radius for dot in dots}  # of a stack the last
    around = Grid[Dot]()
    for dot in dots:
        around.add(dot, (dot.x, dot.y, dot.x, dot.y), dot.radius + CLEAR)
    places = {
        dot.run: LabelPlaces(_find_places(dot, outer[dot.stack], labels[dot.run], letter, field, around))
        for dot in wanted
    }
    best: dict[int, Spot] = {}
    for _ in range(TRIES):
        found = _labeled(wanted, places, taken)
        best = max(best, found, key=lambda each: [dot.run in each for dot in dots])
        if len(found) == len(wanted):
            break
        wanted.sort(key=lambda dot: dot.run in found)
    return best


def _labeled(wanted: Sequence[Dot], places: "Mapping[int, LabelPlaces]", taken: Sequence[Box]) -> dict[int, Spot]:
    """Give each dot the first of its places that is clear of what is taken, and of labels and lines of dots before."""
    boxes, lines = Grid[Box](), Grid[Pixel]()
    for box in taken:
        boxes.add(box, box, APART)
    found = {}
    for dot in wanted:
        for place in places[dot.run]:
            if (
                not any(_overlap(place.box, other) for other in boxes.find(place.box))
                and all(_distance(place.box, *each) >= 3 for each in lines.find(place.box))
                and all(_is_free(*each, boxes, lines) for each in place.line)
            ):
                boxes.add(place.box, place.box, APART)
                for x, y in place.line:
                    lines.add((x, y), (x, y, x, y), APART)
                found[dot.run] = place.spot
                break
    return found


@dataclass(frozen=True)
class LabelPlace:
    """A place for a label: its spot, the box that it fills, and points along the line to it."""

    spot: Spot
    box: Box
    line: list[Pixel]


class LabelPlaces:
    """Places that are found when they are first asked for."""

    def __init__(self, places: Iterator[LabelPlace]) -> None:
        self._found: list[LabelPlace] = []
        self._rest = places

    def __iter__(self) -> Iterator[LabelPlace]:
        """Give those that were found, and find more."""
        yield from self._found
        for place in self._rest:
            self._found.append(place)
            yield place


class Grid(Generic[T]):
    """Things in squares of the drawing, so that only those near a box or a point are looked at.

    A thing is in each square that its box, wider by a margin on each side, touches.
    """

    def __init__(self) -> None:
        self._squares: dict[tuple[int, int], list[T]] = {}

    def add(self, thing: T, box: Box, margin: float) -> None:
        """Put a thing into its squares."""
        left, top, right, bottom = box
        for square in _squares((left - margin, top - margin, right + margin, bottom + margin)):
            self._squares.setdefault(square, []).append(thing)

    def find(self, box: Box) -> Iterator[T]:
        """Find what may be within its margin of a box; some more than once."""
        return chain.from_iterable(map(self._squares.get, _squares(box), repeat(())))

    def find_at(self, x: float, y: float) -> Sequence[T]:
        """Find what may be within its margin of a point, in the order in which it was added."""
        return self._squares.get((math.floor(x / SQUARE), math.floor(y / SQUARE)), ())


def _squares(box: Box) -> Iterator[tuple[int, int]]:
    left, top, right, bottom = (math.floor(end / SQUARE) for end in box)
    return product(range(left, right + 1), range(top, bottom + 1))


def _find_places(
    dot: Dot, outer: float, label: str, letter: float, field: Box, dots: Grid[Dot]
) -> Iterator[LabelPlace]:
    """Go round a dot, ever farther: the corners first, then the sides, then what is between.

    Leave out places outside the field, and those that cover a dot of another stack. A line that meets a dot does so
    however far it goes.
    """
    width, height = _width(label, letter), 1.1 * letter
    blocked = set[float]()
    for reach in REACH:
        for turn in (*CORNERS, *BETWEEN) if reach else CORNERS:
            if turn in blocked:
                continue
            right, down = math.cos(turn), -math.sin(turn)  # exact: a few pixels, rounded
            steps = range(math.ceil((reach + 2) / 4) if reach else 0)
            line = [(dot.x + right * (outer + 4 * step), dot.y + down * (outer + 4 * step)) for step in steps]
            if not _passes_dots(line, dot.stack, dots):
                blocked.add(turn)
                continue
            side, under = round(right), round(down)
            far = outer + NEAR + reach
            x, top = dot.x + right * far, dot.y + down * far + (under - 1) / 2 * height
            left = x + (side - 1) / 2 * width
            box = left, top, left + width, top + height
            if not _is_inside(box, field) or _covers_dot(box, dot.stack, dots):
                continue
            ends = (outer, outer + reach + 2) if reach else ()
            lead = tuple((round(right * end, 2), round(down * end, 2)) for end in ends)
            anchor = ("end", "middle", "start")[side + 1]
            spot = Spot(round(x - dot.x, 2), round(top + height / 2 - dot.y, 2), anchor, lead)
            yield LabelPlace(spot, box, line)


def _is_inside(box: Box, field: Box) -> bool:
    return field[0] <= box[0] and field[1] <= box[1] and box[2] <= field[2] and box[3] <= field[3]


def _covers_dot(box: Box, stack: int, dots: Grid[Dot]) -> bool:
    """Check whether a label comes too near a dot of another stack."""
    return any(_distance(box, dot.x, dot.y) < dot.radius + CLEAR for dot in dots.find(box) if dot.stack != stack)


def _passes_dots(line: Iterable[Pixel], stack: int, dots: Grid[Dot]) -> bool:
    """Check that a line stays clear of the dots of other stacks."""
    return all(
        math.hypot(x - dot.x, y - dot.y) >= dot.radius + 3  # exact: a few pixels
        for x, y in line
        for dot in dots.find_at(x, y)
        if dot.stack != stack
    )


def _is_free(x: float, y: float, boxes: Grid[Box], lines: Grid[Pixel]) -> bool:
    """Check that a line may pass a point: no label and no other line is there."""
    return all(_distance(box, x, y) >= 3 for box in boxes.find_at(x, y)) and all(
        math.hypot(x - other[0], y - other[1]) >= 4  # exact: a few pixels
        for other in lines.find_at(x, y)
    )


def _width(label: str, letter: float) -> float:
    return sum(letter if unicodedata.east_asian_width(sign) in "FW" else 0.66 * letter for sign in label)


def _distance(box: Box, x: float, y: float) -> float:
    return math.hypot(max(box[0] - x, x - box[2], 0), max(box[1] - y, y - box[3], 0))  # exact: a few pixels


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] + 2 and other[0] < one[2] + 2 and one[1] < other[3] + 2 and other[1] < one[3] + 2
