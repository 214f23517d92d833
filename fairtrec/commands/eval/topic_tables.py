"""Best, median and worst of each query over all runs; and for one run the same, beside its own values and places."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from fairtrec.evaluation.leaderboard import ENDS, TopicSpread
from fairtrec.report.cells import cell
from fairtrec.report.document import Column, Document, ReportTable, directions, heading
from fairtrec.report.page import page
from fairtrec.report.records import Row, note_records
from fairtrec.report.result_notes import list_notes as list_result_notes
from fairtrec.report.run_names import map_names
from fairtrec.support.notes import Note

KEYS = ("query",)
OWN = ("own", "place")  # of one run


@dataclass(frozen=True, eq=False)
class OfOneRun:
    """What one participant is handed: the spread, and the number of the run that is its own."""

    spread: TopicSpread
    run: int

    @property
    def name(self) -> str:
        """The name of the run."""
        runs = [scores.run for scores in self.spread.result.scores]
        return map_names(runs)[runs[self.run]]


SpreadView = TopicSpread | OfOneRun


def _apart(view: SpreadView) -> tuple[TopicSpread, int | None]:
    return (view, None) if isinstance(view, TopicSpread) else (view.spread, view.run)


def list_notes(view: SpreadView) -> list[Note]:
    """List the notes that name no run."""
    of = _apart(view)[0]
    return [_hide_runs(note) for note in list_result_notes(of.result) if not note.names_runs]


def _hide_runs(note: Note) -> Note:
    """Leave out the names of runs, and of the numbers of runs all but the least and the greatest."""
    values = ((min(each), max(each)) if isinstance(each, tuple) else each for each in note.values)
    return replace(note, values=tuple(values), runs=(), called=())


def tables(view: SpreadView, *, places: int) -> Document:
    """Lay out a row for each query, and for the means."""
    of, run = _apart(view)
    _, *several = rows(view, places=places)
    heads = ["query", "runs"]
    for measure in of.measures:
        first = f"|{measure}| ↓" if measure.better == "nearer 0" else heading(measure)
        heads += [f"{first}: {ENDS[0]}", *ENDS[1:], *OWN * (run is not None)]
    words, *columns = zip(*several, strict=True)
    values = [Column(head, list(map(str, cells))) for head, cells in zip(heads[1:], columns, strict=True)]
    table = ReportTable("", [Column("query", list(map(str, words)), words=True), values[0]], values[1:])
    signs = [directions({measure.better for measure in of.measures}), "all: means over this many queries"]
    return Document([table], list_notes(view), str(of.signature), signs=signs)


def rows(view: SpreadView, *, places: int | None) -> Iterator[Row]:
    """Give a row for each query and mean, three columns for each measure; of one run two more."""
    of, run = _apart(view)
    names = (*ENDS, *OWN * (run is not None))
    yield ["query", "runs", *(f"{measure} {name}" for measure in of.measures for name in names)]
    for name, query, part in of.rows():
        three, cells = of.take(query, part), []
        for row in range(len(of.measures)):
            cells += [cell(float(value), places) for value in three[:, row]]
            if run is not None:
                place = None if query is None else of.place(run, row, query)
                own = cell(float(of.take_run(run, query, part)[row]), places)
                cells += [own, "" if place is None else f"{place[0]} of {place[1]}"]
        yield [name, of.count_values(query, part), *cells]


def records(view: SpreadView) -> Iterator[dict[str, Any]]:
    """Give an object for each query and measure, in full precision."""
    of, run = _apart(view)
    for name, query, part in of.rows():
        three = of.take(query, part)
        for row, measure in enumerate(of.measures):
            many = int(of.run_counts[row, query]) if query is not None else of.count_values(None, part)
            found: dict[str, Any] = {"qid": name, "measure": str(measure)}
            found |= {end: three[at, row] for at, end in enumerate(ENDS)}
            own = {} if run is None else {"own": of.take_run(run, query, part)[row]}
            if run is not None and query is not None:
                place = of.place(run, row, query)
                own["place"] = None if place is None else place[0]
            yield {**found, "runs" if query is not None else "queries": many, **own}


def record(view: SpreadView) -> dict[str, Any]:
    """Give one object with all of them."""
    made = {"signature": str(_apart(view)[0].signature), "notes": note_records(list_notes(view))}
    return {**made, "rows": list(records(view))}


def html(view: SpreadView, *, places: int) -> str:
    """Write a page that names no run, but that of which it is."""
    title = "Best, median and worst" if isinstance(view, TopicSpread) else view.name
    return page(title, [f"{len(_apart(view)[0].result.scores)} runs"], tables(view, places=places))
