"""HTML: the fronts beside the runs, and the tables, as one page that needs neither a network nor a script."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from xml.etree.ElementTree import Element

import numpy as np

from fairtrec.data import Floats
from fairtrec.lab.headroom.headroom import Headroom
from fairtrec.lab.headroom.report import aim, fair, tables, title
from fairtrec.report.document import Column, heading
from fairtrec.report.page import element, page
from fairtrec.report.page.scatter import LAST, SHORT, Axis, draw_lead, field, frame, label_dot, labels, spots
from fairtrec.report.point_labels import Box, place_labels, stack_dots
from fairtrec.report.run_names import shorten_names

Places = Mapping[tuple[float, ...], tuple[float, float]]  # of utility and fairness, in the drawing
OWN = """
.fronts { max-width: 46rem; }
.fronts path.front { fill: none; stroke: var(--quiet); stroke-width: 1.5; }
.fronts path.all { fill: none; stroke: var(--front); stroke-width: 2; stroke-dasharray: 6 4; }
.fronts circle { fill: var(--front); stroke: var(--ground); }
.fronts circle.same { fill: var(--ground); stroke: var(--front); stroke-width: 2; }
.fronts path.moved { fill: none; stroke: var(--front); stroke-width: 1; stroke-dasharray: 2 3; }
.fronts path.lead { stroke: var(--quiet); }
.fronts text.line { fill: var(--quiet); }
.fronts text.name { paint-order: stroke; stroke: var(--ground); stroke-width: 3px; }
"""


def html(
    headroom: Headroom, *, places: int, per_query: bool = False, query_texts: Mapping[str, str] | None = None
) -> str:
    """Write the page."""
    document = tables(headroom, places=places, per_query=per_query)
    names = shorten_names([run.run for run in headroom.runs])
    shown = _labels(headroom, names)
    facts = f"runs: {len(names)}, queries: {len({query.qid for run in headroom.runs for query in run.queries})}"
    first, *others = document.tables
    if shown != names:  # then they are numbers
        first = replace(first, keys=[Column("no.", shown), *first.keys])
    for at, table in enumerate(others if query_texts else ()):
        asked = [(query_texts or {}).get(qid, "") for qid in table.keys[-1].cells]
        others[at] = replace(table, keys=[*table.keys, Column("text", asked, words=True)])
    document = replace(document, tables=[first, *others])
    drawing = _drawing(headroom, names, shown, places)
    return page(f"{headroom.utility} and {headroom.fairness}: headroom", [facts], document, drawing, OWN)


def _ends(headroom: Headroom) -> list[list[int]]:
    """List the runs whose fronts end at the same place, as those of runs of the same documents do."""
    together: dict[tuple[float, ...], list[int]] = {}
    for at, run in enumerate(headroom.runs):
        together.setdefault(tuple(run.front[:, -1].round(3).tolist()), []).append(at)
    return list(together.values())


def _labels(headroom: Headroom, names: list[str]) -> list[str]:
    """Label runs by name, or by number where those of some fronts that end at one place are too long together."""
    shown = labels(names)
    longest = max(len(_joined(runs, shown)) for runs in _ends(headroom))
    return shown if longest <= SHORT else [str(number) for number in range(1, len(names) + 1)]


def _joined(runs: list[int], shown: list[str]) -> str:
    """Join labels; of numbers in a row the first and the last.

    >>> _joined([0, 1, 2, 4], ["1", "2", "3", "4", "5"]), _joined([0, 2], ["a", "b", "c"])
    ('1–3, 5', 'a, c')
    """
    if shown[0] != "1" or len(runs) < 3:
        return ", ".join(shown[run] for run in runs)
    rows = [list(row) for _, row in groupby(runs, key=lambda run: run - runs.index(run))]
    return ", ".join(
        shown[row[0]] + f"{'–' if len(row) > 2 else ', '}{shown[row[-1]]}" * (len(row) > 1) for row in rows
    )


def _drawing(headroom: Headroom, names: list[str], shown: list[str], places: int) -> Iterator[Element]:
    every_run = [] if headroom.all_runs is None else [headroom.all_runs]
    what = "dot: the run; ring: the same grades at every rank; line: its front, all that it could be"
    more = "; dashed: the front of the documents of all runs" * len(every_run)
    if headroom.dpfr is not None:
        more += f"; dotted: {aim(headroom.dpfr)}, the way to a point of its front"
    yield element("h2", f"{heading(headroom.fairness)} against {heading(headroom.utility)}")
    yield element("p", f"{what}{more}", class_="note")
    points = [np.array([[point.utility, point.fairness] for point in run.points[:2]]).T for run in headroom.runs]
    aims = [(run, run.dpfr) for run in headroom.runs if run.dpfr is not None and run.dpfr.distance >= 0]
    points += [np.array([[each.utility], [each.fairness]]) for _, each in aims]
    every = np.concatenate([*(run.front for run in (*headroom.runs, *every_run)), *points], axis=1)
    axes = Axis.scale(headroom.utility, every[0]), Axis.scale(headroom.fairness, every[1])
    box = field(axes)
    drawn = dict(zip(map(tuple, every.T.tolist()), spots(*axes, box), strict=True))
    parts = frame(*axes, box)
    for run, short in zip(headroom.runs, names, strict=True):
        each = ", ".join(f"{title(point.loss, point.name)} {fair(point, places)}" for point in run.points[1:])
        parts.append(_line(drawn, run.front, f"{short}: {each}", "front"))
    parts += [_line(drawn, run.front, "the documents of all runs", "all") for run in every_run]
    for run, short in zip(headroom.runs, names, strict=True):
        own, same = run.points[:2]
        if same.name == "same grades":
            (x, low), (_, high) = drawn[own[1:3]], drawn[same[1:3]]
            told = element("title", f"{short}, same grades: {fair(same, places)}")
            parts.append(element("path", class_="moved", d=f"M{x:g} {low:g}V{high:g}"))
            parts.append(element("circle", told, class_="same", cx=x, cy=high, r=4))
    for run, there in aims:
        way = np.array([run.points[0][1:3], there[1:3]]).T
        parts.append(_line(drawn, way, f"{aim(there.alpha)} {there.distance:.{places}f}", "moved"))
    yield element(
        "svg",
        *parts,
        *_dots(headroom, names, shown, drawn, box, places),
        class_="fronts",
        viewBox="0 0 560 420",
        role="img",
        aria_label="The runs and their fronts",
    )


def _line(drawn: Places, front: Floats, told: str, kind: str) -> Element:
    places = (drawn[utility, fairness] for utility, fairness in front.T.tolist())
    return element("path", element("title", told), class_=kind, d="M" + "L".join(f"{x:g} {y:g}" for x, y in places))


def _dots(
    headroom: Headroom, names: list[str], shown: list[str], drawn: Places, box: Box, places: int
) -> Iterator[Element]:
    """Draw the runs, and label the ends of their fronts, and the runs themselves where there is room."""
    ends = _ends(headroom)
    many = len(ends)
    wanted = [*(_joined(runs, shown) for runs in ends), *shown]
    of_runs = [drawn[run.points[0][1:3]] for run in headroom.runs]
    at_ends = [drawn[tuple(headroom.runs[runs[0]].front[:, -1].tolist())] for runs in ends]
    dots = stack_dots((at, *spot) for at, spot in enumerate([*at_ends, *of_runs]))
    beside = place_labels(dots, dict(enumerate(wanted)), (box[0], box[1] - 14, LAST, box[3]))
    for at, (x, y) in enumerate(of_runs):
        own = headroom.runs[at].points[0]
        told = f"{names[at]}: {own.utility:.{places}f}, {own.fairness:.{places}f}"
        yield element("circle", element("title", told), cx=x, cy=y, r=5)
    for dot in dots:
        if dot.run in beside:
            spot = beside[dot.run]
            kind = "name line" if dot.run < many else "name"
            line = [element("path", class_="lead", d=draw_lead(spot))] * bool(spot.lead)
            yield element(
                "g", *line, label_dot(wanted[dot.run], spot, class_=kind), transform=f"translate({dot.x:g} {dot.y:g})"
            )
