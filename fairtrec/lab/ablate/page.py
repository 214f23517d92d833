"""HTML: the tables and the specification curve, as one page that needs nothing else, neither a network nor a script.

Source of the curve: Simonsohn, Simmons, Nelson: Specification curve analysis. Nature Human Behaviour 4, 2020.
https://doi.org/10.1038/s41562-020-0912-z
"""

from collections.abc import Iterable, Iterator, Sequence
from xml.etree.ElementTree import Element

import numpy as np

from fairtrec.lab.ablate.ablation import Ablation, Variant
from fairtrec.lab.ablate.report import spell_variant
from fairtrec.report.document import heading
from fairtrec.report.page import element, page
from fairtrec.report.page.scatter import ticks
from fairtrec.report.run_names import shorten_names
from fairtrec.report.writers import find_formats

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
    document = find_formats(type(ablation)).part("tables")(ablation, places=places)
    varied = f"variants: {len(ablation.variants)}" if ablation.variants else f"pairs of runs: {ablation.pairs}"
    facts = f"runs: {len(ablation.runs)}, queries: {ablation.every}, {varied}"
    return page(f"{ablation.measure}, varied", [facts], document, _curve(ablation), OWN)


def _curve(ablation: Ablation) -> Iterator[Element]:
    """Draw the means of all runs by base and variants, from the least to the greatest, and which choice each is."""
    drawn = [each for each in (ablation.base, *ablation.comparable_variants) if np.isfinite(each.means).all()]
    if len(drawn) < 2:
        return
    drawn.sort(key=lambda each: float(each.means.mean()))
    step = -(-len(drawn) // MOST)
    kept = [each for at, each in enumerate(drawn) if not at % step or each is ablation.base]
    yield element("h2", "Specification curve")
    more = f"; every {step}th of {len(drawn)} is drawn" if step > 1 else ""
    signs = "thick: the mean over runs; ring: the base; below: the varied factor"
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
    middle = means.mean(axis=1).tolist()
    radius = max(1.0, min(3.5, WIDE / len(drawn) / 2))
    beside = []
    for value, label in ticks(low, high, 5):
        beside.append(element("line", x1=LEFT, x2=LEFT + WIDE, y1=up(value), y2=up(value)))
        beside.append(element("text", label, x=LEFT - 8, y=up(value), dy=".35em", text_anchor="end"))
    parts = [element("g", *beside, class_="ticks")]
    for name, row in zip(shorten_names(ablation.runs), means.T.tolist(), strict=True):
        parts.append(element("g", element("title", name), element("path", class_="run", d=_path(xs, map(up, row)))))
    parts.append(element("path", class_="all", d=_path(xs, map(up, middle))))
    for each, x, value in zip(drawn, xs, middle, strict=True):
        told = element("title", f"{spell_variant(each) if each.setting.changes else 'base'}: {value:.4f}")
        parts.append(element("circle", told, cx=round(x, 2), cy=up(value), r=radius))
    base = next(at for at, each in enumerate(drawn) if each is ablation.base)
    told = element("title", f"base: {middle[base]:.4f}")
    parts.append(element("circle", told, class_="base", cx=round(xs[base], 2), cy=up(middle[base]), r=7))
    wide = max(0.8, WIDE / len(drawn) * 0.7)
    for number, (name, places) in enumerate(lines):
        y = HIGH + 34 + number * LINE
        parts.append(element("text", name, x=LEFT - 8, y=y, dy=".35em", text_anchor="end"))
        lefts = (round(xs[at] - wide / 2, 2) for at in places)
        boxes = (element("rect", class_="chosen", x=x, y=y - 5, width=round(wide, 2), height=10) for x in lefts)
        parts.append(element("g", *boxes))
    view = f"0 0 {LEFT + WIDE + 10} {HIGH + 40 + len(lines) * LINE}"
    label = "Means of the runs by each variant, sorted, and which choices each variant is"
    return element("svg", *parts, class_="curve", viewBox=view, role="img", aria_label=label)


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


def _path(xs: Iterable[float], ys: Iterable[float]) -> str:
    return "".join(f"{'L' if at else 'M'}{x:.2f} {y:g}" for at, (x, y) in enumerate(zip(xs, ys, strict=True)))
