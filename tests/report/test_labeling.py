"""Labels beside dots: the grid finds what a comparison with everything finds."""

import math
import random

import pytest

from fairtrec.report import point_labels
from fairtrec.report.point_labels import CLEAR, LETTER, RADIUS, TRIES, Dot, Grid, place_labels, stack_dots

FIELD = (64.0, 26.0, 558.0, 362.0)


def place_by_all(dots, labels):
    """Place labels as ``labeled`` does, comparing each place with all dots, labels and lines."""
    wanted, best = [dot for dot in dots if dot.run in labels], {}
    outer = {dot.stack: dot.radius for dot in dots}
    for _ in range(TRIES):
        boxes, lines, found = [], [], {}
        for dot in wanted:
            others = [each for each in dots if each.stack != dot.stack]
            anywhere = point_labels._find_places(dot, outer[dot.stack], labels[dot.run], LETTER, FIELD, Grid())
            for place in anywhere:
                free = all(
                    all(math.hypot(x - each.x, y - each.y) >= each.radius + 3 for each in others)
                    and all(point_labels._distance(box, x, y) >= 3 for box in boxes)
                    and all(math.hypot(x - other[0], y - other[1]) >= 4 for other in lines)
                    for x, y in place.line
                )
                clear = all(point_labels._distance(place.box, each.x, each.y) >= each.radius + CLEAR for each in others)
                apart = not any(point_labels._overlap(place.box, box) for box in boxes)
                if free and clear and apart and all(point_labels._distance(place.box, *each) >= 3 for each in lines):
                    boxes.append(place.box)
                    lines += place.line
                    found[dot.run] = place.spot
                    break
        best = max(best, found, key=lambda each: [dot.run in each for dot in dots])
        wanted.sort(key=lambda dot: dot.run in found)
    return best


def stack_by_all(places):
    dots = []
    for run, x, y in places:
        twin = next((dot for dot in reversed(dots) if math.hypot(dot.x - x, dot.y - y) < point_labels.TWIN), None)
        if twin is None:
            dots.append(Dot(run, x, y, RADIUS, run))
        else:
            dots.append(Dot(run, twin.x, twin.y, twin.radius + (4 if twin.radius < 20 else 1), twin.stack))
    return dots


@pytest.mark.long
@pytest.mark.parametrize("many", [1, 7, 25, 60])
@pytest.mark.parametrize("kind", ["apart", "on a line", "several at a place", "close"])
def test_labels_stand_where_a_comparison_with_everything_puts_them(many, kind):
    draw = random.Random(many)
    places = [(run, round(draw.uniform(64, 536), 2), round(draw.uniform(40, 362), 2)) for run in range(many)]
    if kind == "on a line":
        places = [(run, 64 + 472 * run / many, 362 - 322 * run / many) for run in range(many)]
    elif kind == "several at a place":
        places = [(run, *places[run % (many // 3 + 1)][1:]) for run in range(many)]
    elif kind == "close":
        places = [(run, 300 + (x - 300) / 8, 200 + (y - 200) / 8) for run, x, y in places]
    dots = stack_dots(places)
    assert dots == stack_by_all(places)
    labels = {dot.run: str(dot.run + 1) for dot in dots if dot.run % 5}
    assert place_labels(dots, labels, FIELD) == place_by_all(dots, labels)
