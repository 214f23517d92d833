"""HTML: the fronts beside the runs, and the tables, as one page that needs neither a network nor a script."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

import numpy as np

from fairtrec.data import Floats
from fairtrec.frontier.frontier import Dpfr, Frontier, RunFrontier
from fairtrec.report.cells import called
from fairtrec.report.document import Column, ReportTable
from fairtrec.report.frontier import aim, fair, name, tables
from fairtrec.report.legend import heading
from fairtrec.report.page.scatter import FEW, LAST, Axis, Box, field, frame, labelled, labels, stacked
from fairtrec.report.page.whole import TABLES, element, in_page, page

OWN = """
.fronts { max-width: 46rem; }
.fronts path.front { fill: none; stroke: var(--quiet); stroke-width: 1.5; }
.fronts path.pool { fill: none; stroke: var(--front); stroke-width: 2; stroke-dasharray: 6 4; }
.fronts circle { fill: var(--front); stroke: var(--ground); }
.fronts circle.same { fill: var(--ground); stroke: var(--front); stroke-width: 2; }
.fronts path.moved { fill: none; stroke: var(--front); stroke-width: 1; stroke-dasharray: 2 3; }
.fronts text.line { fill: var(--quiet); }
.fronts text.name { paint-order: stroke; stroke: var(--ground); stroke-width: 3px; }
"""


def html(frontier: Frontier, *, places: int, per_query: bool = False) -> str:
    """Write the page."""
    document = tables(frontier, places=places, per_query=per_query)
    names = called([run.run for run in frontier.runs])
    numbered = labels(names) != names
    facts = f"runs: {len(names)}, queries: {len({query.qid for run in frontier.runs for query in run.queries})}"
    first, *others = document.tables
    every = [_numbered(first) if numbered else first, *others]
    main = [*_drawing(frontier, names, places), *(part for table in every for part in in_page(table))]
    return page(f"{frontier.utility} and {frontier.fairness}: what is free", [facts], main, document, OWN + TABLES)


def _numbered(table: ReportTable) -> ReportTable:
    """Put the numbers by which runs are labelled in the drawing before their names."""
    numbers = [str(number) for number in range(1, len(table.keys[0].cells) + 1)]
    return ReportTable(table.title, [Column("no.", numbers), *table.keys], table.values)


def _drawing(frontier: Frontier, names: list[str], places: int) -> Iterator[Element]:
    pool = [] if frontier.pool is None else [frontier.pool]
    what = "dot: the run; ring: the same grades at every rank; line: its front, all that it could be"
    more = "; dashed: the front of the documents of all runs" * len(pool)
    if frontier.dpfr is not None:
        more += f"; dotted: {aim(frontier.dpfr)}, the way to a point of its front"
    yield element("h2", f"{heading(frontier.fairness)} against {heading(frontier.utility)}")
    yield element("p", f"{what}{more}", class_="note")
    points = [np.array([[point.utility, point.fairness] for point in run.points[:2]]).T for run in frontier.runs]
    aims = [(run, run.dpfr) for run in frontier.runs if run.dpfr is not None and run.dpfr.distance >= 0]
    points += [np.array([[each.utility], [each.fairness]]) for _, each in aims]
    every = np.concatenate([*(run.front for run in (*frontier.runs, *pool)), *points], axis=1)
    axes = Axis.of(frontier.utility, every[0]), Axis.of(frontier.fairness, every[1])
    box = field(axes)
    drawn = _Places(every, axes, box)
    lines = [
        element("path", element("title", _told(run, short, places)), class_="front", d=drawn.path(run.front))
        for run, short in zip(frontier.runs, names, strict=True)
    ]
    for run in pool:
        told = element("title", "the documents of all runs")
        lines.append(element("path", told, class_="pool", d=drawn.path(run.front)))
    yield element(
        "svg",
        *frame(*axes, box),
        *lines,
        *(part for run, short in zip(frontier.runs, names, strict=True) for part in _same(run, short, drawn, places)),
        *(part for run, each in aims for part in _aim(run, each, drawn, places)),
        *_dots(frontier, names, drawn, box, places),
        class_="fronts",
        viewBox="0 0 560 420",
        role="img",
        aria_label="The runs and their fronts",
    )


def _told(run: RunFrontier, short: str, places: int) -> str:
    return f"{short}: {', '.join(f'{name(point)} {fair(point, places)}' for point in run.points[1:])}"


def _same(run: RunFrontier, short: str, drawn: "_Places", places: int) -> Iterator[Element]:
    own, same = run.points[:2]
    if same.name != "same grades":
        return
    (x, low), (_, high) = drawn.at(own.utility, own.fairness), drawn.at(same.utility, same.fairness)
    yield element("path", class_="moved", d=f"M{x:g} {low:g}V{high:g}")
    told = element("title", f"{short}, same grades: {fair(same, places)}")
    yield element("circle", told, class_="same", cx=x, cy=high, r=4)


def _aim(run: RunFrontier, there: Dpfr, drawn: "_Places", places: int) -> Iterator[Element]:
    own = run.points[0]
    (x, y), (to, up) = drawn.at(own.utility, own.fairness), drawn.at(there.utility, there.fairness)
    told = element("title", f"{aim(there.alpha)} {there.distance:.{places}f}")
    yield element("path", told, class_="moved", d=f"M{x:g} {y:g}L{to:g} {up:g}")


def _dots(frontier: Frontier, names: list[str], drawn: "_Places", box: Box, places: int) -> Iterator[Element]:
    """Draw the runs, and label them and the ends of their fronts where there are few."""
    many, shown = len(names), labels(names)
    ends = [drawn.at(*run.front[:, -1].tolist()) for run in frontier.runs]
    spots = [(at, *drawn.at(run.points[0].utility, run.points[0].fairness)) for at, run in enumerate(frontier.runs)]
    lines = [(many + at, *end) for at, end in enumerate(ends) if many <= FEW]
    dots = stacked([*spots, *lines])
    wanted = dict(enumerate([*shown, *shown])) if many <= FEW else {}
    beside = labelled(dots, wanted, (box[0], box[1] - 14, LAST, box[3]))
    for dot in dots:
        if dot.run < many:
            own = frontier.runs[dot.run].points[0]
            told = f"{names[dot.run]}: {own.utility:.{places}f}, {own.fairness:.{places}f}"
            yield element("circle", element("title", told), cx=dot.x, cy=dot.y, r=min(dot.radius, 5))
        if dot.run in beside:
            x, y, anchor = beside[dot.run]
            kind = "name" if dot.run < many else "name line"
            across, down = round(dot.x + x, 2), round(dot.y + y, 2)
            yield element("text", wanted[dot.run], class_=kind, x=across, y=down, dy=".35em", text_anchor=anchor)


class _Places:
    """Where values stand in the drawing."""

    def __init__(self, every: Floats, axes: tuple[Axis, Axis], box: Box) -> None:
        left, top, right, bottom = box
        self._x = dict(zip(every[0].tolist(), (left + place * (right - left) for place in axes[0].places), strict=True))
        self._y = dict(
            zip(every[1].tolist(), (bottom - place * (bottom - top) for place in axes[1].places), strict=True)
        )

    def at(self, utility: float, fairness: float) -> tuple[float, float]:
        return round(self._x[utility], 2), round(self._y[fairness], 2)

    def path(self, front: Floats) -> str:
        pairs = [self.at(*pair) for pair in front.T.tolist()]
        return "M" + "L".join(f"{x:g} {y:g}" for x, y in pairs)
