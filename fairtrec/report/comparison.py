"""Comparisons, correlations and curves, written as people and programs like to read them."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, fields
from typing import Any

from fairtrec.api import Result
from fairtrec.association import Associations
from fairtrec.comparison import Comparisons
from fairtrec.cutoffs import Curves
from fairtrec.report import closing
from fairtrec.report.delimited import written
from fairtrec.report.records import document, inputs, line, number
from fairtrec.version import __version__

COMPLETE = {"auto", "table", "json", "md", "latex"}  # carry the remarks and the signature themselves
View = Comparisons | Associations | Curves


def render(view: View, form: str, *, places: int = 4, terminal: bool = False) -> str:
    """Write a view of a result (``auto`` is a table); ``terminal`` allows colour and fits the width of the window."""
    if form in ("auto", "table", "md", "latex"):
        from fairtrec.report import comparison_sheets, comparison_tables

        paper = comparison_sheets.paper(view, places)
        if form in ("auto", "table"):
            return comparison_tables.table(paper, terminal=terminal)
        return comparison_tables.md(paper) if form == "md" else comparison_tables.latex(paper)
    if form in ("tsv", "csv"):
        return written(form, _cells(view, places))
    rows = [{name: _plain(value) for name, value in asdict(row).items()} for row in view.rows]
    if form == "jsonl":
        return "".join(map(line, rows))
    return document({**_head(view), "rows": rows})


def remarks(view: View, form: str) -> list[str]:
    """List what a reader should know beside a report of this format: nothing where the report says it itself."""
    if form in COMPLETE:
        return []
    family = [] if isinstance(view, Curves) else [view.family]
    return [*family, *notes(view), view.signature]


def notes(view: View) -> list[str]:
    """List what a reader should know beside the numbers, the signature left out."""
    said = _of_all_cutoffs(view.result) if isinstance(view, Curves) else closing(view.result)[:-1]
    return [*view.notes, *said]


def _of_all_cutoffs(result: Result) -> list[str]:
    """List what is true of all runs at all cutoffs, and count what is said of single ones."""
    said = Counter(re.sub(r"@\d+: ", ": ", remark, count=1) for scores in result.scores for remark in scores.remarks)
    families = Counter(str(measure).rpartition("@")[0] for scores in result.scores for measure in scores.measures)
    always = {line for line, many in said.items() if many == families[line.partition(": ")[0]]}
    single = said.total() - sum(said[line] for line in always)
    undefined = sum(int((scores.defined < len(scores.qids)).sum()) for scores in result.scores)
    lines = [*result.notes, *(line for line in said if line in always)]
    lines += [f"{single} remarks on single runs and cutoffs are left out; `fairtrec eval` makes them"] * bool(single)
    return [*lines, *[f"{undefined} of the means are over fewer queries, those with a value"] * bool(undefined)]


def _plain(value: Any) -> Any:
    return number(value) if isinstance(value, float) else value


def _head(view: View) -> dict[str, Any]:
    """Say in a JSON document where the rows come from, and how they were made."""
    head: dict[str, Any] = {
        "fairtrec": __version__,
        "signature": view.signature,
        "inputs": inputs(view.result),
        "notes": notes(view),
    }
    if isinstance(view, Comparisons):
        head |= {"baseline": view.result.scores[view.baseline].run}
    if isinstance(view, Associations):
        head |= {"over": view.over}
    if isinstance(view, Curves):
        return head | {
            "agreements": [{key: _plain(value) for key, value in asdict(each).items()} for each in view.agreements]
        }
    return head | {"procedure": asdict(view.procedure), "family": view.family}


def _cells(view: View, places: int) -> Iterator[list[str]]:
    """Give a line of names, and one for each row of the view; small p-values keep their digits."""
    names = [field.name for field in fields(view.rows[0])]
    yield names
    for row in view.rows:
        yield [_cell(name, getattr(row, name), places) for name in names]


def _cell(name: str, value: Any, places: int) -> str:
    if isinstance(value, float):
        return f"{value:.{max(places, 1)}g}" if name.startswith("p") else f"{value:z.{places}f}"
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
