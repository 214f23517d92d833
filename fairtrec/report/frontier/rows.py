"""The words of the report: what points are called, and what a reader should know."""

from collections.abc import Iterator
from math import hypot, isfinite, isnan

from fairtrec.frontier.frontier import PROVEN, Frontier, Point
from fairtrec.report.cells import called, number
from fairtrec.report.remarks import footnotes as footnotes_of
from fairtrec.reranking.wanted import JUDGED

SAME = "same grades: every rank keeps a document of the same grade, so no measure of relevance changes in any digit"
ORACLE = str(JUDGED)
FROM = {
    "run": "documents: those of the run",
    "background": "documents: those of the run and of the background",
    "pool": "documents: those of all runs",
}


def title(loss: float) -> str:
    """Say how much may be lost.

    >>> title(0.0), title(0.01), title(0.005)
    ('0 loss', '1 %', '0.5 %')
    """
    return f"{100 * loss:.6g} %" if loss else "0 loss"


def name(point: Point) -> str:
    """Call a point as the head of its column does."""
    return title(point.loss) if point.name == "loss" else point.name


def fair(point: Point, places: int) -> str:
    """Write the fairness of a point, and the bound where that is another."""
    value = number(point.fairness + 0.0, places)
    if not point.open:
        return value
    sign = "<=" if point.bound > point.fairness else ">="
    return f"{value} {sign}{number(point.bound, places)}" if isfinite(point.bound) else f"{value} {sign}?"


def useful(point: Point, places: int) -> str:
    """Write the utility of a point, with a sign where an order as fair may have more."""
    return f"{'' if point.told else '>='}{number(point.utility, places)}"


def footnotes(frontier: Frontier) -> list[str]:
    """List what a reader should know beside the numbers; last the signature."""
    return [*remarks(frontier), *footnotes_of(frontier.result)[:-1], str(frontier.signature)]


def remarks(frontier: Frontier) -> Iterator[str]:
    """Say what the points are, how they were found, and how sure they are."""
    judged = any(point.name == "same grades" for run in frontier.runs for point in run.points)
    if judged:
        yield SAME
    over = "any query" if frontier.each else "the mean over queries"
    if frontier.losses:
        shares = ", ".join(map(title, frontier.losses))
        yield f"{shares}: the fairest orders that lose no more of {frontier.utility} in {over}"
    yield f"most: the fairest at any loss; {frontier.utility} there: what is left of it, or gained"
    if not all(run.points[-1].told for run in frontier.runs):
        yield f">=: the most {frontier.utility} that was found among the fairest orders; others as fair may have more"
    yield FROM[frontier.among]
    if any(point.open for run in frontier.runs for point in run.points):
        yield f"not all exact (docs/free.md): {frontier.way}; behind the value stands what nothing exceeds"
    else:
        yield f"exact, {frontier.way} (docs/free.md)"
    if frontier.dpfr is not None:
        yield from _aimed(frontier, frontier.dpfr)
    spoken = [(run.points[0].spoken, run.points[-1].spoken) for run in frontier.runs]
    if not any(isnan(each) for pair in spoken for each in pair):
        yield "with groups: the share of ranks whose document shows any group, in the run and where fairness is most"
    names = called([run.run for run in frontier.runs])
    left = [
        f"{short} {len(run.left_out)} of {len(run.left_out) + len(run.queries)}"
        for run, short in zip(frontier.runs, names, strict=True)
        if run.left_out
    ]
    if left:
        yield f"queries left out, as not both values are defined and finite: {', '.join(left)}"
    if frontier.fairness.better == "nearer 0":
        yield f"{frontier.fairness}: the mean of its sizes, whatever the sign"
    if judged:
        yield ORACLE


def aim(alpha: float) -> str:
    """Call the distance to a point of the front.

    >>> aim(0.5)
    'DPFR 0.5'
    """
    return f"DPFR {alpha:.6g}"


def _aimed(frontier: Frontier, alpha: float) -> Iterator[str]:
    """Say what the distances are, and whether they are from one front, or from none."""
    what, end = f"{frontier.utility} and {frontier.fairness}", {0.0: "beginning", 1.0: "end"}
    where = f"the {end[alpha]} of" if alpha in end else f"the point after {alpha:.6g} of the length of"
    yield f"{aim(alpha)}: the distance of the run from {where} its front, which begins at most {frontier.utility}"
    yield f"from: {what} of that point"
    points = [run.dpfr[1:3] for run in frontier.runs if run.dpfr is not None and run.dpfr.distance >= 0]
    if any(hypot(utility - points[0][0], fairness - points[0][1]) > PROVEN for utility, fairness in points):
        yield f"{aim(alpha)} compares runs of one front (--from pool, and the same queries); here each has its own"
    if any(run.dpfr is not None and isnan(run.dpfr.distance) for run in frontier.runs):
        yield f"{aim(alpha)} nan: the front is not known, only points and bounds (docs/free.md)"
