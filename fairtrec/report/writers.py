"""What can be written of what: a table of formats for each kind of answer; the command line offers its keys as ``-f``.

A format is a layout times a renderer: the layout is a function of the answer in the module of its kind, which names the
options that it heeds; the renderer is the same for all kinds. ``tables`` lays out a Document, which is drawn, marked up
or shown in a notebook; ``rows`` a head and rows of cells; ``records`` objects for lines of JSON; ``record`` one object.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from fairtrec.errors import UsageError

if TYPE_CHECKING:
    from fairtrec.comparison.slices import Slices
    from fairtrec.measure import Measure

Carried = Literal["nothing", "signature", "all"]
QUERIES = "-f flat has the means alone, and -q asks for values of queries; leave out one of them"


@dataclass(frozen=True)
class Writer:
    """A format: the places of the functions that lay it out and render it, and what of the remarks it ``carries``.

    ``layout``     is a name of the module of its kind, or ``module:name``.
    ``renderer``   is "" where the layout is what is written.
    ``delimiter``  stands between the columns, where one renderer writes several formats.
    ``options``    are those of its kind, which a format heeds or not; others are refused.
    """

    layout: str
    renderer: str = ""
    carries: Carried = "nothing"
    delimiter: str = ""
    options: frozenset[str] = frozenset()

    def __call__(self, of: Any, **view: Any) -> Any:
        """Write an answer. Raises TypeError for an option that no format of its kind has."""
        if strange := view.keys() - self.options:
            raise TypeError(f"{', '.join(sorted(strange))}: no option of this kind of answer")
        given = {**view, "delimiter": self.delimiter}
        for step in self.steps:
            heeded = inspect.signature(step).parameters
            of = step(of, **{name: value for name, value in given.items() if name in heeded})
        return of

    @property
    def steps(self) -> list[Callable[..., Any]]:
        """The layout, and the renderer if there is one."""
        parts = [place.partition(":") for place in (self.layout, self.renderer) if place]
        return [getattr(import_module(f"fairtrec.report.{module}"), name) for module, _, name in parts]

    @property
    def draws(self) -> bool:
        """Whether it is drawn for a terminal, colours and all; then it has taken from names what would steer one."""
        return any("terminal" in inspect.signature(step).parameters for step in self.steps)

    @property
    def rounds(self) -> bool:
        """Whether it cuts digits, as many as it is asked for."""
        return any("places" in inspect.signature(step).parameters for step in self.steps)


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
            from fairtrec.comparison.leaderboard import by, computed

            of, sort = by(of, sort), computed(of, sort)
        if self.single and any(scores.ties or scores.unknown for scores in of.scores):
            from fairtrec.report.tied import with_ends

            of = with_ends(of)
        if slices:
            from fairtrec.comparison.gaps import gaps
            from fairtrec.comparison.slices import sliced

            parts = dict(sliced(of, slices))
            view["parts"] = {**parts, **gaps(parts)}
        if self.single and any(scores.confidence is not None or scores.gold is not None for scores in of.scores):
            from fairtrec.report.tied import with_bounds

            of = with_bounds(of)
            view["parts"] = {name: with_bounds(part) for name, part in view.get("parts", {}).items()}
        every: dict[str, Any] = {"per_query": False, "summary": True, "places": 4, "sort": sort, "parts": {}}
        return super().__call__(of, **{**every, **view})


W = TypeVar("W", bound=Writer)


class Formats(dict[str, W], Generic[W]):
    """The formats of one kind of answer, by name, which ``module`` lays out, and the options that they may heed."""

    def __init__(self, module: str, options: str, formats: Mapping[str, W]) -> None:
        self.module, self.options = module, options.split()
        every = frozenset((*self.options, "places", "terminal", "parts", "most", "window"))
        super().__init__()
        for name, writer in formats.items():
            layout = writer.layout if ":" in writer.layout else f"{module}:{writer.layout}"
            self[name] = replace(writer, layout=layout, options=every)

    def part(self, name: str) -> Any:
        """Give what the module of the kind has under a name, None if nothing."""
        return getattr(import_module(f"fairtrec.report.{self.module}"), name, None)


_USUAL: Mapping[str, Writer] = {
    "table": Writer("tables", "terminal:render", "all"),
    "tsv": Writer("rows", "records:delimited", delimiter="\t"),
    "csv": Writer("rows", "records:delimited", delimiter=","),
    "json": Writer("record", "records:json", "all"),
    "jsonl": Writer("records", "records:jsonl"),
    "md": Writer("tables", "markup:md", "all"),
    "latex": Writer("tables", "markup:latex", "all"),
}


_RESULTS: Mapping[str, ResultWriter] = {
    "trec": ResultWriter("results.lines:trec", single=True),
    "table": ResultWriter("results.tables:windowed", "terminal:render", "all"),
    "tsv": ResultWriter("results.lines:rows", "records:delimited", delimiter="\t", single=True),
    "csv": ResultWriter("results.lines:rows", "records:delimited", delimiter=",", single=True),
    "json": ResultWriter("results.objects:record", "records:json", "all"),
    "jsonl": ResultWriter("results.objects:records", "records:jsonl"),
    "md": ResultWriter("results.tables:tables", "markup:md", "all"),
    "latex": ResultWriter("results.tables:tables", "markup:titled", "all"),
    "html": ResultWriter("page.html:html", "", "all", means=True),
    "parquet": ResultWriter("results.columnar:parquet", binary=True),
    "flat": ResultWriter("flat:result", "records:json", single=True, queries=False),
    "tira": ResultWriter("results.lines:tira", single=True),
}
RESULTS = Formats("results.tables", "per_query summary sort slices title latex_label query_texts", _RESULTS)
COMPARISONS = Formats(  # correlations and curves, too
    "comparison", "paper", {**_USUAL, "flat": Writer("comparison:flat", "records:json")}
)
SELECTIONS = Formats("selection", "", _USUAL)
ABLATIONS = Formats("ablation", "", {**_USUAL, "html": Writer("page.ablation:html", "", "all")})
FRONTIERS = Formats("frontier", "per_query query_texts", {**_USUAL, "html": Writer("page.frontier:html", "", "all")})
EXPLANATIONS = Formats(
    "explanation",
    "",
    {
        "text": Writer("explanation:text"),
        "json": Writer("explanation:record", "records:json", "all"),
        "jsonl": Writer("explanation:records", "records:jsonl"),
        "html": Writer("page.explanation:html", "", "all"),
    },
)
OVERLAPS = Formats(
    "overlaps",
    "per_query",
    {
        "table": Writer("overlaps:tables", "terminal:render"),
        "tsv": Writer("overlaps:rows", "records:delimited", delimiter="\t"),
        "csv": Writer("overlaps:rows", "records:delimited", delimiter=","),
        "json": Writer("overlaps:record", "records:json", "signature"),
    },
)
EFFECTS = Formats("reranking", "", {form: each for form, each in _USUAL.items() if form != "jsonl"})
RERANKINGS = Formats("reranked", "", {**_USUAL, "run": Writer("reranked:trec")})
DIFFERENCES = Formats(
    "differences",
    "names",
    {"text": Writer("differences:text"), "json": Writer("differences:record", "records:json")},
)
VERDICTS = Formats(
    "verdicts",
    "",
    {
        "text": Writer("verdicts:text", "", "all"),
        "json": Writer("verdicts:record", "verdicts:json", "all"),
        "github": Writer("verdicts:github"),
        "md": Writer("verdicts:md", "", "all"),
    },
)
FINDINGS = Formats(  # of runs that are checked one after the other, so they are written part by part
    "findings",
    "",
    {"text": Writer("findings:text"), "json": Writer("findings:json"), "github": Writer("findings:github")},
)
POSITIONS = Formats(
    "positions",
    "",
    {
        "tsv": Writer("positions:tsv"),
        "csv": Writer("positions:rows", "records:delimited", delimiter=","),
        "jsonl": Writer("positions:records", "records:jsonl"),
    },
)
DRAWS = Formats(
    "drawn",
    "",
    {
        "text": Writer("drawn:text"),
        "tsv": Writer("drawn:tsv"),
        "csv": Writer("drawn:rows", "records:delimited", delimiter=","),
        "json": Writer("drawn:record", "records:json", "all"),
    },
)
_AGREEMENTS = {form: each for form, each in _USUAL.items() if form not in ("jsonl", "latex")}
AGREEMENTS = Formats("agreements", "", {**_AGREEMENTS, "html": Writer("agreements:html", "", "all")})
QUERYSETS = Formats(
    "queryset",
    "",
    {
        "text": Writer("queryset:text"),
        "tsv": Writer("queryset:rows", "records:delimited", delimiter="\t"),
        "csv": Writer("queryset:rows", "records:delimited", delimiter=","),
        "json": Writer("queryset:record", "records:json", "all"),
    },
)
SPREADS = Formats("topic_tables", "", {**_USUAL, "html": Writer("topic_tables:html", "", "all")})
KINDS: Mapping[str, Formats[Any]] = {  # of each class of answers
    "Result": RESULTS,
    "Scores": RESULTS,
    "GapScores": RESULTS,
    "Comparisons": COMPARISONS,
    "Associations": COMPARISONS,
    "Curves": COMPARISONS,
    "Selection": SELECTIONS,
    "Ablation": ABLATIONS,
    "Frontier": FRONTIERS,
    "Explanation": EXPLANATIONS,
    "Overlaps": OVERLAPS,
    "Effect": EFFECTS,
    "Reranking": RERANKINGS,
    "Verdicts": VERDICTS,
    "Validation": FINDINGS,
    "Projection": POSITIONS,
    "GoldDraw": DRAWS,
    "Agreement": AGREEMENTS,
    "QuerySet": QUERYSETS,
    "TopicSpread": SPREADS,
}
