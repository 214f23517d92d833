"""What can be written of what: a table of formats for each kind of report; the command line offers its keys as ``-f``.

A format is added here and in the function that writes it, which is imported when it is called. That function takes what
it writes and, by their names, the options of a report that it heeds.
"""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from fairtrec.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from fairtrec.comparison.slices import Slices
    from fairtrec.measure import Measure

QUERIES = "-f flat has the means alone, and -q asks for values of queries; leave out one of them"


@dataclass(frozen=True)
class Writer:
    """A format: the function that writes it, by its place in this package, and what of the remarks it ``carries``.

    ``delimiter``  stands between the columns, where one function writes several formats.
    """

    place: str
    carries: Literal["nothing", "signature", "all"] = "nothing"
    delimiter: str = ""

    def __call__(self, of: Any, **view: Any) -> Any:
        """Write a report; options that the format does not heed are left out."""
        module, _, name = self.place.partition(":")
        write = getattr(import_module(f"fairtrec.report.{module}"), name)
        heeded = inspect.signature(write).parameters
        given = {**view, "delimiter": self.delimiter}
        return write(of, **{name: value for name, value in given.items() if name in heeded})

    @property
    def draws(self) -> bool:
        """Whether it is drawn for a terminal, colours and all; then it has taken from names what would steer one."""
        module, _, name = self.place.partition(":")
        return "terminal" in inspect.signature(getattr(import_module(f"fairtrec.report.{module}"), name)).parameters

    def beside(self, footnotes: Sequence[str]) -> Sequence[str]:
        """Leave out what the report itself carries of the remarks, and the signature, which is last."""
        return {"nothing": footnotes, "signature": footnotes[:-1], "all": ()}[self.carries]


@dataclass(frozen=True)
class ResultWriter(Writer):
    """A format of results.

    ``single``  has one value in a place, so that what ties, unknown groups or other queries make of it are measures
                beside it.
    ``means``   compares the means of runs; what -n leaves out of it are the values of queries.
    ``binary``  is not for a terminal to show.
    ``queries`` shows values of single queries.
    """

    single: bool = False
    means: bool = False
    binary: bool = False
    queries: bool = True

    def __call__(self, of: Any, *, sort: "Measure | None" = None, slices: "Slices | None" = None, **view: Any) -> Any:
        """Write a result, the runs best first by the measure ``sort``, or as given; the means alone, if not asked else.

        A ``terminal`` allows colour, and its width is kept; of each of the ``slices`` there are the means, too. Raises
        UsageError if ``sort`` is no measure of the result.
        """
        if view.get("per_query") and not self.queries:
            raise UsageError(QUERIES)
        if sort is not None:
            from fairtrec.comparison.leaderboard import by

            of = by(of, sort)
        if self.single and any(scores.ties or scores.unknown for scores in of.scores):
            from fairtrec.report.tied import with_ends

            of = with_ends(of)
        if slices:
            from fairtrec.comparison.slices import sliced

            view["parts"] = dict(sliced(of, slices))
        if self.single and any(scores.confidence is not None for scores in of.scores):
            from fairtrec.report.tied import with_bounds

            of = with_bounds(of)
            view["parts"] = {name: with_bounds(part) for name, part in view.get("parts", {}).items()}
        every: dict[str, Any] = {"per_query": False, "summary": True, "places": 4, "sort": sort, "parts": {}}
        return super().__call__(of, **{**every, **view})


def _usual(sheets: str, records: str) -> dict[str, Writer]:
    """List the formats that most reports have, of which one module writes sheets and one records."""
    return {
        "table": Writer(f"{sheets}:table", "all"),
        "tsv": Writer(f"{records}:delimited", delimiter="\t"),
        "csv": Writer(f"{records}:delimited", delimiter=","),
        "json": Writer(f"{records}:json", "all"),
        "jsonl": Writer(f"{records}:jsonl"),
        "md": Writer(f"{sheets}:md", "all"),
        "latex": Writer(f"{sheets}:latex", "all"),
    }


RESULTS: Mapping[str, ResultWriter] = {
    "trec": ResultWriter("results.trec:trec", single=True),
    "table": ResultWriter("results.sheets:table", "all"),
    "tsv": ResultWriter("results.delimited:delimited", delimiter="\t", single=True),
    "csv": ResultWriter("results.delimited:delimited", delimiter=",", single=True),
    "json": ResultWriter("results.records:json", "all"),
    "jsonl": ResultWriter("results.records:jsonl"),
    "md": ResultWriter("results.sheets:md", "all"),
    "latex": ResultWriter("results.sheets:latex", "all"),
    "html": ResultWriter("page.html:html", "all", means=True),
    "parquet": ResultWriter("results.columnar:parquet", binary=True),
    "flat": ResultWriter("flat:result", single=True, queries=False),
    "tira": ResultWriter("results.tira:tira", single=True),
}
COMPARISONS = {**_usual("comparison.sheets", "comparison.records"), "flat": Writer("flat:comparison")}  # and curves
SELECTIONS = _usual("selection", "selection")
ABLATIONS = {**_usual("ablation.sheets", "ablation.records"), "html": Writer("ablation.page:html", "all")}
FRONTIERS = {**_usual("frontier.sheets", "frontier.records"), "html": Writer("frontier.page:html", "all")}
EXPLANATIONS: Mapping[str, Writer] = {
    "text": Writer("explanation.text:text"),
    "json": Writer("explanation.records:json", "all"),
    "jsonl": Writer("explanation.records:jsonl"),
    "html": Writer("explanation.page:html", "all"),
}
OVERLAPS: Mapping[str, Writer] = {
    "table": Writer("comparison.overlaps:table"),
    "tsv": Writer("comparison.overlaps:delimited", delimiter="\t"),
    "csv": Writer("comparison.overlaps:delimited", delimiter=","),
    "json": Writer("comparison.overlaps:json", "signature"),
}
RERANKINGS = {form: writer for form, writer in _usual("reranking", "reranking").items() if form != "jsonl"}
DIFFERENCES: Mapping[str, Writer] = {
    "text": Writer("comparison.differences:text"),
    "json": Writer("comparison.differences:json"),
}
VERDICTS: Mapping[str, Writer] = {
    "text": Writer("gate.verdicts:text", "all"),
    "json": Writer("gate.verdicts:json", "all"),
    "github": Writer("gate.github:github"),
    "md": Writer("gate.verdicts:md", "all"),
}
FINDINGS: Mapping[str, Writer] = {  # of runs that are checked one after the other, so they write part by part
    "text": Writer("findings:text"),
    "json": Writer("findings:json"),
    "github": Writer("findings:github"),
}


def refuse_view(
    form: str,
    output: "Path | None",
    *,
    per_query: bool = False,
    summary: bool = True,
    slices: object = None,
    title: str | None = None,
) -> None:
    """Raise UsageError if a format cannot show what it is asked for, or not there, before any work is done."""
    writer = RESULTS.get(form)
    page = writer is not None and writer.means
    if not summary and page and per_query:
        raise UsageError("-n leaves the values of queries out of the page, and -q asks for them; leave out one of them")
    if per_query and writer is not None and not writer.queries:
        raise UsageError(QUERIES)
    if not summary and not page and not per_query:
        raise UsageError("-n leaves out the means, so nothing is left to print; add -q")
    if slices and not summary and not page:
        raise UsageError("--slice asks for means, and -n leaves them out; leave out one of the two")
    if title is not None and not page:
        raise UsageError("--title is the heading of a page; add -f html")
    if writer is not None and writer.binary and output is None:
        from fairtrec.report.output import refuse_terminal

        refuse_terminal()
