"""Points for programs: TSV and CSV, JSON with all that tells where they came from."""

from typing import Any

from fairtrec.frontier.frontier import Frontier, OfQuery, OfRun, Point
from fairtrec.report.cells import number as written_number
from fairtrec.report.frontier.rows import footnotes
from fairtrec.report.results.delimited import written
from fairtrec.report.results.records import document, inputs, line, number
from fairtrec.version import __version__


def delimited(frontier: Frontier, *, places: int, delimiter: str, per_query: bool = False) -> str:
    """Write a row for each run and point; with queries, for each of these as well."""
    more = [] if frontier.dpfr is None else ["alpha", "distance"]
    rows = [["run", "qid", "point", "loss", "utility", "fairness", "bound", *more]]
    for run in frontier.runs:
        several: list[tuple[str, OfRun | OfQuery]] = [
            *((query.qid, query) for query in run.queries if per_query),
            ("all", run),
        ]
        for qid, one in several:
            for point in one.points:
                values = (point.utility, point.fairness + 0.0, point.bound + 0.0)
                loss = "" if point.name != "loss" else f"{point.loss:.6g}"
                numbers = (written_number(value, places) for value in values)
                rows.append([run.run, qid, point.name, loss, *numbers, *[""] * len(more)])
            if one.dpfr is not None:
                alpha, *found = one.dpfr
                utility, fairness, distance = (written_number(value + 0.0, places) for value in found)
                rows.append([run.run, qid, "dpfr", "", utility, fairness, fairness, f"{alpha:.6g}", distance])
    return written(rows, delimiter)


def jsonl(frontier: Frontier, *, per_query: bool = False) -> str:
    """Write one object for each run and point, in full precision; with queries, for each of these before."""
    lines = []
    for run in frontier.runs:
        for query in run.queries if per_query else ():
            lines += [line({"run": run.run, "qid": query.qid, **record}) for record in _points(query)]
        lines += [line({"run": run.run, **record}) for record in _points(run)]
    return "".join(lines)


def json(frontier: Frontier, *, per_query: bool = False) -> str:
    """Write one object, which also says where the values come from, and has the fronts."""
    return document(
        {
            "fairtrec": __version__,
            "signature": str(frontier.signature),
            "inputs": inputs(frontier.result),
            "notes": footnotes(frontier)[:-1],
            "utility": str(frontier.utility),
            "fairness": str(frontier.fairness),
            "found": frontier.way,
            "runs": {run.run: _run(run, per_query=per_query) for run in frontier.runs},
            "pool": None if frontier.pool is None else {"front": _front(frontier.pool)},
        }
    )


def _run(run: OfRun, *, per_query: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"points": _points(run), "exact": run.exact}
    found["front"] = _front(run)
    if per_query:
        found["queries"] = {query.qid: _points(query) for query in run.queries}
    return found


def _front(run: OfRun) -> list[list[Any]]:
    return [[number(value + 0.0) for value in pair] for pair in run.front.T.tolist()]


def _points(one: OfRun | OfQuery) -> list[dict[str, Any]]:
    """Give the points, and after them that of the front from which the distance is taken, if one was asked for."""
    found = [_record(point) for point in one.points]
    if one.dpfr is not None:
        alpha, utility, fairness, distance = one.dpfr
        there = Point("dpfr", utility, fairness, fairness)
        found.append({**_record(there), "alpha": alpha, "distance": number(distance + 0.0)})
    return found


def _record(point: Point) -> dict[str, Any]:
    values = {"utility": point.utility, "fairness": point.fairness + 0.0, "bound": point.bound + 0.0}
    found: dict[str, Any] = {"point": point.name, "loss": None if point.name != "loss" else point.loss}
    record = {**found, **{key: number(value) for key, value in values.items()}}
    return record if point.told else {**record, "utility_is": "a bound from below"}
