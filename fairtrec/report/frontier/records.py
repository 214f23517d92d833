"""Points for programs: TSV and CSV, JSON with all that tells where they came from."""

from typing import Any

from fairtrec.frontier.frontier import Frontier, OfRun, Point
from fairtrec.report.cells import number as written_number
from fairtrec.report.frontier.rows import footnotes
from fairtrec.report.results.delimited import written
from fairtrec.report.results.records import document, inputs, line, number
from fairtrec.version import __version__


def delimited(frontier: Frontier, *, places: int, delimiter: str, per_query: bool = False) -> str:
    """Write a row for each run and point; with queries, for each of these as well."""
    rows = [["run", "qid", "point", "loss", "utility", "fairness", "bound"]]
    for run in frontier.runs:
        several = [*((query.qid, query.points) for query in run.queries if per_query), ("all", run.points)]
        for qid, points in several:
            for point in points:
                values = (point.utility, point.fairness + 0.0, point.bound + 0.0)
                loss = "" if point.name != "loss" else f"{point.loss:.6g}"
                rows.append([run.run, qid, point.name, loss, *(written_number(value, places) for value in values)])
    return written(rows, delimiter)


def jsonl(frontier: Frontier, *, per_query: bool = False) -> str:
    """Write one object for each run and point, in full precision; with queries, for each of these before."""
    lines = []
    for run in frontier.runs:
        for query in run.queries if per_query else ():
            lines += [line({"run": run.run, "qid": query.qid, **_record(point)}) for point in query.points]
        lines += [line({"run": run.run, **_record(point)}) for point in run.points]
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
    found: dict[str, Any] = {"points": [_record(point) for point in run.points], "exact": run.exact}
    found["front"] = _front(run)
    if per_query:
        found["queries"] = {query.qid: [_record(point) for point in query.points] for query in run.queries}
    return found


def _front(run: OfRun) -> list[list[Any]]:
    return [[number(value + 0.0) for value in pair] for pair in run.front.T.tolist()]


def _record(point: Point) -> dict[str, Any]:
    values = {"utility": point.utility, "fairness": point.fairness + 0.0, "bound": point.bound + 0.0}
    found: dict[str, Any] = {"point": point.name, "loss": None if point.name != "loss" else point.loss}
    return {**found, **{key: number(value) for key, value in values.items()}}
