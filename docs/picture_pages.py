# of headroom: front.svg
"""The picture of the README, docs/front.svg: the runs of the bundled example, and how fair each could be."""

from pathlib import Path

import fairtrec

EXAMPLE = Path(__file__).parent.parent / "resources" / "example"
WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 20, 52  # the room around the figure
LEAST = {"utility": 0.75, "fairness": 0.3}
MOST = {"utility": 1.0, "fairness": 0.9}
COLORS = {"bm25": "#4477aa", "neural": "#aa3377", "fair": "#228833"}


def write_pages() -> dict[str, str]:
    """Write the picture."""
    return {"front.svg": draw_front()}


def draw_front() -> str:
    """Draw each run of the example, and its fairer orders at no loss of relevance and at some."""
    found = fairtrec.headroom(
        [EXAMPLE / f"{name}.run" for name in COLORS],
        qrels=EXAMPLE / "qrels.txt",
        terms="gender-en",
        docs=EXAMPLE / "collection.tsv",
        background=EXAMPLE / "background.run",
    )
    shapes = [*_axes()]
    for of, (name, color) in zip(found.runs, COLORS.items(), strict=True):
        points = [(_x(point.utility), _y(point.fairness)) for point in of.points]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        shapes.append(
            f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2" stroke-dasharray="5 4"/>'
        )
        shapes += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#fff" stroke="{color}"/>' for x, y in points[1:]]
        x, y = points[0]
        shapes.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="7" fill="{color}"/>')
        shapes.append(f'<text x="{x + 12:.1f}" y="{y + 14:.1f}" fill="{color}" font-weight="bold">{name}</text>')
    legend = "large dot: the run · small dots: fairer orders of its documents"
    shapes.append(f'<text x="{LEFT + 12}" y="{HEIGHT - BOTTOM - 12}" font-size="13" fill="#555">{legend}</text>')
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'font-family="sans-serif" font-size="15" role="img">\n'
        "<title>Relevance against fairness of three runs, and of fairer orders of each</title>\n"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
    )
    return "\n".join([head, *shapes, "</svg>", ""])


def _x(utility: float) -> float:
    share = (utility - LEAST["utility"]) / (MOST["utility"] - LEAST["utility"])
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _y(fairness: float) -> float:
    share = (fairness - LEAST["fairness"]) / (MOST["fairness"] - LEAST["fairness"])
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _axes() -> list[str]:
    """Draw both axes, with a line and a number at each tick."""
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    shapes = []
    for tick in (0.75, 0.8, 0.85, 0.9, 0.95, 1.0):
        x = _x(tick)
        shapes.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}" stroke="#e5e5e5"/>')
        shapes.append(f'<text x="{x:.1f}" y="{bottom + 19}" text-anchor="middle" fill="#555">{tick:.2f}</text>')
    for tick in (0.3, 0.5, 0.7, 0.9):
        y = _y(tick)
        shapes.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#e5e5e5"/>')
        shapes.append(f'<text x="{LEFT - 8}" y="{y + 5:.1f}" text-anchor="end" fill="#555">{tick:.1f}</text>')
    shapes.append(
        f'<text x="{(LEFT + right) / 2:.0f}" y="{HEIGHT - 10}" text-anchor="middle">nDCG@10 → more relevant</text>'
    )
    middle = (TOP + bottom) / 2
    shapes.append(
        f'<text x="20" y="{middle:.0f}" text-anchor="middle" transform="rotate(-90 20 {middle:.0f})">'
        "NFaiRR@10 → fairer</text>"
    )
    return shapes
