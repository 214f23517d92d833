"""HTML: the tables and the specification curve, as one page that needs nothing else, neither a network nor a script.

Source of the curve: Simonsohn, Simmons, Nelson: Specification curve analysis. Nature Human Behaviour 4, 2020.
https://doi.org/10.1038/s41562-020-0912-z
"""

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

import numpy as np

from fairtrec.ablation.ablation import Ablation, Variant
from fairtrec.report.ablation import named, tables
from fairtrec.report.cells import called
from fairtrec.report.document import heading
from fairtrec.report.page import TABLES, element, in_page, page

LEFT, WIDE, HIGH, LINE = 190, 860, 300, 18  # of the drawing: room for names, the field, and a line of the strip
MOST = 600  # variants in the curve; of more, every so many-th
LINES = 40  # of the strip
OWN = """
.curve { max-width: 70rem; }
.curve .run { fill: none; stroke: var(--quiet); stroke-width: 1; opacity: 0.6; }
.curve .all { fill: none; stroke: var(--front); stroke-width: 2; }
.curve circle { fill: var(--front); }
.curve circle.base { fill: none; stroke: var(--text); stroke-width: 2; }
.curve .chosen { fill: var(--text); }
"""


def html(ablation: Ablation, *, places: int) -> str:
    """Write the page."""
    document = tables(ablation, places=places)
    facts = f"runs: {len(ablation.runs)}, queries: {ablation.every}, variants: {len(ablation.variants)}"
    main = [*_curve(ablation), *(part for table in document.tables for part in in_page(table))]
    return page(f"{ablation.measure}, varied", [facts], main, document, OWN + TABLES)


def _curve(ablation: Ablation) -> Iterator[Element]:
    """Draw the means of all runs by base and variants, from the least to the greatest, and which choice each is."""
    drawn = [each for each in (ablation.base, *ablation.alike) if np.isfinite(each.means).all()]
    if len(drawn) < 2:
        return
    drawn.sort(key=lambda each: float(each.means.mean()))
    step = -(-len(drawn) // MOST)
    kept = [each for at, each in enumerate(drawn) if not at % step or each is ablation.base]
    yield element("h2", "Specification curve")
    more = f"; every {step}th of {len(drawn)} is drawn" if step > 1 else ""
    signs = "thick: the mean over runs; ring: the base; below: what is varied"
    what = f"Means of {heading(ablation.measure)} by each variant, sorted; {signs}{more}"
    yield element("p", what, class_="note")
    yield _svg(ablation, kept)


def _svg(ablation: Ablation, drawn: Sequence[Variant]) -> Element:
    means = np.array([each.means for each in drawn])
    low, high = float(means.min()), float(means.max())
    room = (high - low) or 1.0
    xs = [LEFT + (at + 0.5) * WIDE / len(drawn) for at in range(len(drawn))]

    def up(value: float) -> float:
        return round(20 + (HIGH - 20) * (high - value) / room, 2)

    lines = _strip(drawn)
    base = next(at for at, each in enumerate(drawn) if each is ablation.base)
    middle = means.mean(axis=1).tolist()
    marks = max(1.0, min(3.5, WIDE / len(drawn) / 2))
    parts = [
        element("g", *(part for value in _ticks(low, high) for part in _tick(value, up(value))), class_="ticks"),
        *(
            element(
                "g", element("title", name), element("path", class_="run", d=_path(xs, [up(value) for value in row]))
            )
            for name, row in zip(called(ablation.runs), means.T.tolist(), strict=True)
        ),
        element("path", class_="all", d=_path(xs, [up(value) for value in middle])),
        *(
            element("circle", element("title", f"{_name(each)}: {value:.4f}"), cx=round(x, 2), cy=up(value), r=marks)
            for each, x, value in zip(drawn, xs, middle, strict=True)
        ),
        element(
            "circle",
            element("title", f"base: {middle[base]:.4f}"),
            class_="base",
            cx=round(xs[base], 2),
            cy=up(middle[base]),
            r=7,
        ),
    ]
    wide = max(0.8, WIDE / len(drawn) * 0.7)
    for number, (name, places) in enumerate(lines):
        y = HIGH + 34 + number * LINE
        parts.append(element("text", name, x=LEFT - 8, y=y, dy=".35em", text_anchor="end"))
        parts.append(
            element(
                "g",
                *(
                    element(
                        "rect", class_="chosen", x=round(xs[at] - wide / 2, 2), y=y - 5, width=round(wide, 2), height=10
                    )
                    for at in places
                ),
            )
        )
    whole = HIGH + 40 + len(lines) * LINE
    label = "Means of the runs by each variant, sorted, and which choices each variant is"
    return element(
        "svg", *parts, class_="curve", viewBox=f"0 0 {LEFT + WIDE + 10} {whole}", role="img", aria_label=label
    )


def _strip(drawn: Sequence[Variant]) -> list[tuple[str, list[int]]]:
    """Name the choices, and the places of the variants that make each; where they are many, the factors alone."""
    found: dict[str, list[int]] = {}
    for shorter in (False, True):
        found = {"base": [at for at, each in enumerate(drawn) if not each.setting.changes]}
        for at, each in enumerate(drawn):
            for change in each.setting.changes:
                alone = change.factor if shorter or change.ties is not None else f"{change.factor}={change.value}"
                found.setdefault(alone, []).append(at)
        if len(found) <= LINES:
            break
    return [(name if len(name) <= 24 else f"{name[:11]}…{name[-12:]}", places) for name, places in found.items()]


def _name(each: Variant) -> str:
    return named(each) if each.setting.changes else "base"


def _path(xs: Sequence[float], ys: Sequence[float]) -> str:
    return "".join(f"{'L' if at else 'M'}{x:.2f} {y:g}" for at, (x, y) in enumerate(zip(xs, ys, strict=True)))


def _ticks(low: float, high: float) -> list[float]:
    """Choose a few round values in a range."""
    rough = ((high - low) or 1.0) / 5
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(each for each in (power, 2 * power, 5 * power, 10 * power) if each >= rough * 0.999)
    return [float(at * step) for at in range(int(np.ceil(low / step)), int(np.floor(high / step)) + 1)]


def _tick(value: float, y: float) -> tuple[Element, Element]:
    line = element("line", x1=LEFT, x2=LEFT + WIDE, y1=y, y2=y)
    return line, element("text", f"{value:g}", x=LEFT - 8, y=y, dy=".35em", text_anchor="end")
