"""The headroom: the points of runs, and of queries, what they are called, and what a reader should know."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import ceil, hypot, isfinite, isinf, isnan
from typing import Any

from fairtrec.evaluation.fronts.solve import BOUND, SEARCH, WAYS
from fairtrec.lab.headroom.headroom import PROVEN, Headroom, Point, QueryHeadroom, RunHeadroom
from fairtrec.lab.rerank.inputs import JUDGED
from fairtrec.report.cells import cell
from fairtrec.report.document import ARROWS, Column, Document, ReportTable, directions, heading
from fairtrec.report.records import Row, head
from fairtrec.report.result_notes import list_notes as list_result_notes
from fairtrec.report.run_names import shorten_names
from fairtrec.support.notes import Note, NoteKind, NoteSeverity, list_runs

KEYS = ("run", "qid", "point", "loss", "alpha")
SAME = NoteKind(
    "same grades",
    "same grades: every rank keeps a document of the same grade, so {utility} does not change",
    NoteSeverity.BACKGROUND,
)
FROM = {"run": "the run", "background": "the run and of the background", "runs": "all runs"}
DOCUMENTS = NoteKind("documents", "documents: those of {whose}", NoteSeverity.BACKGROUND)
LOSSES = NoteKind(
    "losses",
    "{shares}: the fairest orders {found}that lose at most this share of {utility}, in {over}",
    NoteSeverity.BACKGROUND,
)
MOST = NoteKind(
    "most",
    "most: the fairest order {found}at any loss; {utility} there: the {utility} of that order",
    NoteSeverity.BACKGROUND,
)
AT_LEAST = NoteKind(
    "at least",
    ">=: the highest {utility} found among the fairest orders; equally fair orders may have more",
)
DISTANCE = NoteKind(
    "distance",
    "{aim}: the distance of the run from {where} its front, which begins at most {utility}",
    NoteSeverity.BACKGROUND,
)
AIM = NoteKind("aim", "from: {utility} and {fairness} of that point", NoteSeverity.BACKGROUND)
WITH_GROUPS = NoteKind(
    "with groups",
    "with groups: the share of ranks with a document of any group, in the run and in the fairest order",
    NoteSeverity.BACKGROUND,
)
EXACT = NoteKind(
    "exact",
    "{fairness}: exact for {exact} of {every} {what}, by {ways} (docs/headroom-computed.md)",
    NoteSeverity.BACKGROUND,
)
NOT_EXACT = NoteKind(
    "not exact", "{fairness}: {found} (docs/headroom-computed.md){exact}; {bound}", NoteSeverity.MISLEADING
)
CAPPED = NoteKind(
    "search capped",
    "the search ended at its cap for {queries} of {every} {what}; more steps may find fairer orders",
    NoteSeverity.MISLEADING,
)
OWN_FRONTS = NoteKind(
    "own fronts",
    "compare {aim} only between runs of one front (--from runs, same queries); here each run has its own",
    NoteSeverity.MISLEADING,
)
NO_FRONT = NoteKind(
    "no front",
    "{aim} is nan: only points and bounds of the front are known (docs/headroom-computed.md)",
    NoteSeverity.MISLEADING,
)
LEFT_OUT = NoteKind(
    "queries left out",
    "queries left out, without a finite value of both measures: {queries}",
    NoteSeverity.MISLEADING,
)
ABSOLUTE = NoteKind("absolute values", "the mean of absolute values")


def tables(headroom: Headroom, *, places: int, per_query: bool = False) -> Document:
    """Lay out all tables."""
    names = shorten_names([run.run for run in headroom.runs])
    groups = [f"{first:.2f} to {last:.2f}" for first, last in _spoken(headroom)]
    title = f"{heading(headroom.fairness)} at no loss, and at some"
    runs = _columns(headroom, headroom.runs, [Column("with groups", groups)] * bool(groups), places)
    several = [ReportTable(title, [Column("run", names, words=True, runs=True)], runs)]
    if per_query:
        rows = [(short, query) for short, run in zip(names, headroom.runs, strict=True) for query in run.queries]
        words = {"run": [short for short, _ in rows], "query": [query.qid for _, query in rows]}
        apart = [Column("distance", [f"{query.distance:.{places}f}" for _, query in rows])] * (0.0 in headroom.losses)
        queries = _columns(headroom, [query for _, query in rows], apart, places)
        keys = [Column(head, cells, words=True, runs=head == "run") for head, cells in words.items()]
        several.append(ReportTable("Queries, each on its own", keys, queries))
    said = [*list_own_notes(headroom), *list_result_notes(headroom.result, judged=False)]
    used = {headroom.utility.better, headroom.fairness.better, *["lower"] * (headroom.dpfr is not None)}
    return Document(several, said, str(headroom.signature), signs=[directions(used), *map(str, legend(headroom))])


def _spoken(headroom: Headroom) -> list[tuple[float, float]]:
    """Give the share of ranks with a group in each run and in its fairest order; nothing where it is not known."""
    found = [(run.points[0].spoken, run.points[-1].spoken) for run in headroom.runs]
    return [] if any(isnan(part) for pair in found for part in pair) else found


def _columns(
    headroom: Headroom, several: Sequence[RunHeadroom | QueryHeadroom], more: Sequence[Column], places: int
) -> list[Column]:
    """Lay out the points: utility and fairness as they are, and fairness of the others; the utility of most, and more.

    Last are the distances to a point of the front, and where that is, if one was asked for.
    """
    points = [each.points for each in several]
    found = [{title(point.loss, point.name): point for point in each} for each in points]
    heads = dict.fromkeys(head for each in found for head in each if head != "run")
    columns = [
        Column(heading(headroom.utility), [f"{each[0].utility:.{places}f}" for each in points]),
        Column(heading(headroom.fairness), [f"{each[0].fairness:.{places}f}" for each in points]),
        *(Column(head, [fair(each[head], places) if head in each else "-" for each in found]) for head in heads),
    ]
    most = [f"{'' if last.told else '>='}{last.utility:.{places}f}" for *_, last in points]
    columns += [Column(f"{headroom.utility} there", most), *more]
    if aims := [each.dpfr for each in several if each.dpfr is not None]:
        there = [f"{each.utility:.{places}f} {each.fairness + 0.0:.{places}f}" for each in aims]
        distances = [f"{each.distance:.{places}f}" for each in aims]
        columns += [Column(f"{aim(aims[0].alpha)} {ARROWS['lower']}", distances), Column("from", there)]
    return columns


def title(loss: float, name: str = "loss") -> str:
    """Call a point as the head of its column does: by how much may be lost, or by its name.

    >>> title(0.0), title(0.01), title(0.005), title(1.0, "most")
    ('0 loss', '1 %', '0.5 %', 'most')
    """
    return name if name != "loss" else f"{100 * loss:.6g} %" if loss else "0 loss"


def fair(point: Point, places: int) -> str:
    """Write the fairness of a point, which may miss 0 by rounding, and the bound if its digits are others."""
    value = f"{point.fairness:z.{places}f}"
    if point.exact or value == f"{point.bound:z.{places}f}":
        return value
    sign = "<=" if point.bound > point.fairness else ">="
    return f"{value} {sign}{point.bound:z.{places}f}" if isfinite(point.bound) else f"{value} {sign}?"


def list_notes(headroom: Headroom) -> list[Note]:
    """List the notes on the numbers."""
    return [*legend(headroom), *list_own_notes(headroom), *list_result_notes(headroom.result, judged=False)]


def legend(headroom: Headroom) -> Iterator[Note]:
    """Say what the points are."""
    if any(run.points[1].name == "same grades" for run in headroom.runs):
        yield SAME.note(utility=str(headroom.utility))
    over = "any query" if headroom.each else "the mean over queries"
    found = "" if all(point.exact for run in headroom.runs for point in run.points) else "found "
    if headroom.losses:
        shares = ", ".join(map(title, headroom.losses))
        yield LOSSES.note(shares=shares, utility=str(headroom.utility), over=over, found=found)
    yield MOST.note(utility=str(headroom.utility), found=found)
    if not all(run.points[-1].told for run in headroom.runs):
        yield AT_LEAST.note(utility=str(headroom.utility))
    if headroom.dpfr is not None:
        end = {0.0: "beginning", 1.0: "end"}
        alpha = headroom.dpfr
        where = f"the {end[alpha]} of" if alpha in end else f"the point after {alpha:.6g} of the length of"
        yield DISTANCE.note(aim=aim(alpha), where=where, utility=str(headroom.utility))
        yield AIM.note(utility=str(headroom.utility), fairness=str(headroom.fairness))
    if _spoken(headroom):
        yield WITH_GROUPS.note()


def list_own_notes(headroom: Headroom) -> Iterator[Note]:
    """List the notes on how the points were found, and how sure they are."""
    yield DOCUMENTS.note(whose=FROM[headroom.from_])
    yield from _proofs(headroom)
    if headroom.dpfr is not None:
        yield from _aimed(headroom, headroom.dpfr)
    names = shorten_names([run.run for run in headroom.runs])
    left: dict[tuple[int, int], list[str]] = {}
    for run, short in zip(headroom.runs, names, strict=True):
        left.setdefault((len(run.left_out), len(run.left_out) + len(run.queries)), []).append(short)
    told = [f"{many} of {of} ({list_runs(runs)})" for (many, of), runs in left.items() if many]
    if told:
        yield LEFT_OUT.note(queries=list_runs(told))
    if headroom.fairness.better == "nearer 0":
        yield ABSOLUTE.note(measure=headroom.fairness)
    if any(run.points[1].name == "same grades" for run in headroom.runs):
        yield JUDGED.note()


def _proofs(headroom: Headroom) -> Iterator[Note]:
    """Say how many rankings were solved in which way, and how far the bound of the others is."""
    ways = Counter(dict.fromkeys(WAYS, 0))
    for run in headroom.runs:
        ways.update(run.ways)
    every, what = ways.total(), "queries" if len(headroom.runs) == 1 else "rankings"
    tried = {
        SEARCH: f"found by search for {ways[SEARCH]} of {every} {what}",
        BOUND: f"only a few orders were tried for {ways[BOUND]} of {every} {what}",
    }
    named, exact = (
        " and ".join(way for way in WAYS if ways[way] and way not in tried),
        every - sum(ways[way] for way in tried),
    )
    fairness = str(headroom.fairness)
    if exact == every:
        yield EXACT.note(fairness=fairness, exact=exact, every=every, what=what, ways=named)
        return
    found = ", ".join(words for way, words in tried.items() if ways[way])
    by = f", exact for {exact}, by {named}" if exact else ""
    yield NOT_EXACT.note(fairness=fairness, found=found, exact=by, bound=_bound_of(headroom))
    capped = sum(run.capped for run in headroom.runs)
    if capped:
        yield CAPPED.note(queries=capped, every=every, what=what)


def _bound_of(headroom: Headroom) -> str:
    """Say how far the bound lies from what was found."""
    gaps = {
        name: max((point.open for run in headroom.runs for point in run.points if (point.name == name)), default=0.0)
        for name in ("loss", "most", "same grades")
    }
    side = "above" if headroom.fairness.better == "higher" else "below"
    most = max(gaps["loss"], gaps["most"])
    if isinf(most):
        return "no bound is known"
    same = f"; with the same grades, it is {_write_gap(gaps['same grades'], side)}" * (gaps["same grades"] > most)
    return f"no order is better than the bound, which is {_write_gap(most, side)}{same}"


def _write_gap(gap: float, side: str) -> str:
    """Write how far a bound lies from what was found, on this side of it.

    >>> _write_gap(0.00314, "above"), _write_gap(0.0, "below")
    ('at most 0.0032 above', 'reached')
    """
    return "reached" if _upward(gap) == "0" else f"at most {_upward(gap)} {side}"


def _upward(gap: float) -> str:
    """Write a gap that nothing exceeds.

    >>> _upward(0.00041), _upward(0.25), _upward(0.0000012)
    ('0.0005', '0.25', '0.0001')
    """
    return f"{ceil(gap * 10000 - 1e-9) / 10000:.6g}"


def aim(alpha: float) -> str:
    """Call the distance to a point of the front.

    >>> aim(0.5)
    'DPFR 0.5'
    """
    return f"DPFR {alpha:.6g}"


def _aimed(headroom: Headroom, alpha: float) -> Iterator[Note]:
    """Say whether the distances are from one front, or from none."""
    points = [run.dpfr[1:3] for run in headroom.runs if run.dpfr is not None and run.dpfr.distance >= 0]
    if any(hypot(utility - points[0][0], fairness - points[0][1]) > PROVEN for utility, fairness in points):
        yield OWN_FRONTS.note(aim=aim(alpha))
    if any(run.dpfr is not None and isnan(run.dpfr.distance) for run in headroom.runs):
        yield NO_FRONT.note(aim=aim(alpha))


def rows(headroom: Headroom, *, places: int | None, per_query: bool = False) -> Iterator[Row]:
    """Give a row for each run and point; with queries, for each of these as well."""
    aimed = ["alpha", "distance"] * (headroom.dpfr is not None)
    names = ["run", "qid", "point", "loss", "utility", "fairness", "bound", *aimed]
    yield names
    for each in records(headroom, per_query=per_query):
        shares = (
            {}
            if places is None
            else {name: f"{each[name]:.6g}" for name in ("loss", "alpha") if each.get(name) is not None}
        )
        values = {"qid": "all", **each, **shares}.get
        yield [cell(value, places) if isinstance(value, float) else value for value in map(values, names)]


def records(headroom: Headroom, *, per_query: bool = False) -> Iterator[dict[str, Any]]:
    """Give an object for each run and point; with queries, for each of these before."""
    for run in headroom.runs:
        for query in run.queries if per_query else ():
            yield from ({"run": run.run, "qid": query.qid, **point} for point in _points(query))
        yield from ({"run": run.run, **point} for point in _points(run))


def record(headroom: Headroom, *, per_query: bool = False) -> dict[str, Any]:
    """Give one object, which also says where the values come from, and has the fronts."""
    runs = [
        {
            "run": run.run,
            "points": _points(run),
            "exact": run.exact,
            "ways": dict(run.ways),
            "front": (run.front.T + 0.0).tolist(),
            **({"per_query": {query.qid: _points(query) for query in run.queries}} if per_query else {}),
        }
        for run in headroom.runs
    ]
    return {
        **head(headroom.result, headroom.signature, list_notes(headroom)),
        "utility": str(headroom.utility),
        "fairness": str(headroom.fairness),
        "runs": runs,
        "all_runs": None if headroom.all_runs is None else {"front": (headroom.all_runs.front.T + 0.0).tolist()},
    }


def _points(one: RunHeadroom | QueryHeadroom) -> list[dict[str, Any]]:
    found = []
    for point in one.points:
        loss = point.loss if point.name == "loss" else None
        values = {"utility": point.utility, "fairness": point.fairness + 0.0, "bound": point.bound + 0.0}
        values["exact"] = point.exact
        told = {} if point.told else {"utility_is": "a bound from below"}
        found.append({"point": point.name, "loss": loss, **values, **told})
    if one.dpfr is not None:
        alpha, utility, fairness, distance = one.dpfr
        there = {"utility": utility, "fairness": fairness + 0.0, "bound": fairness + 0.0}
        found.append({"point": "dpfr", "loss": None, **there, "alpha": alpha, "distance": distance + 0.0})
    return found
