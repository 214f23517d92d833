"""What can be written of what: a table of formats for each kind of answer; the command line offers its keys as ``-f``.

A format is a layout times a renderer: the layout is a function of the answer in the module of its kind, which names the
options that it heeds; the renderer is the same for all kinds. ``tables`` lays out a Document, which is drawn, marked up
or shown in a notebook; ``rows`` a head and rows of cells; ``records`` objects for lines of JSON; ``record`` one object.
"""

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from fairtrec.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from fairtrec.comparison.slices import Slices
    from fairtrec.measure import Measure

Carried = Literal["nothing", "signature", "remarks", "all"]
EVERY = frozenset(("places", "terminal", "parts", "most", "window"))  # the options of all kinds
QUERIES = "-f flat has the means alone, and -q asks for values of queries; leave out one of them"


@dataclass(frozen=True)
class Writer:
    """A format: the places of the functions that lay it out and render it, and what of the remarks it ``carries``.

    ``layout``     is a name of the module of its kind, or ``module:name``.
    ``renderer``   is "" where the layout is what is written.
    ``delimiter``  stands between the columns, where one renderer writes several formats.
    ``exact``      has all digits, whatever is asked for.
    ``draws``      is drawn for a terminal, colours and all; then it has taken from names what would steer one.

    Of results alone:

    ``single``     has one value in a place, so that what ties, unknown groups or other queries make of it are measures
                   beside it.
    ``means``      compares the means of runs; what -n leaves out of it are the values of queries.
    ``binary``     is not for a terminal to show.
    ``queries``    shows values of single queries.
    """

    layout: str
    renderer: str = ""
    carries: Carried = "nothing"
    delimiter: str = ""
    exact: bool = False
    draws: bool = False
    single: bool = False
    means: bool = False
    binary: bool = False
    queries: bool = True


@dataclass(frozen=True)
class Formats:
    """The formats of one kind of answer, by name, which ``module`` lays out, and the ``options`` that they may heed.

    ``said``  is the module whose ``footnotes`` tell what stands beside the numbers, if that is another.
    """

    module: str
    forms: Mapping[str, Writer]
    options: tuple[str, ...] = ()
    said: str = ""

    def __call__(self, form: str, of: Any, **view: Any) -> Any:
        """Write an answer in a format. Raises TypeError for an option that no format of its kind has."""
        if strange := view.keys() - EVERY - {*self.options}:
            raise TypeError(f"{', '.join(sorted(strange))}: no option of this kind of answer")
        writer = self.forms[form]
        given = {**view, "delimiter": writer.delimiter}
        for place in filter(None, (writer.layout, writer.renderer)):
            module, _, name = place.rpartition(":")
            step = getattr(import_module(f"fairtrec.report.{module or self.module}"), name)
            heeded = inspect.signature(step).parameters
            of = step(of, **{name: value for name, value in given.items() if name in heeded})
        return of

    def part(self, name: str) -> Any:
        """Give what the module of the kind has under a name, None if nothing."""
        module = self.said if self.said and name == "footnotes" else self.module
        return getattr(import_module(f"fairtrec.report.{module}"), name, None)


class ResultFormats(Formats):
    """Those of results, which are made ready for a format first."""

    def __call__(
        self, form: str, of: Any, *, sort: "Measure | None" = None, slices: "Slices | None" = None, **view: Any
    ) -> Any:
        """Write a result, the runs best first by the measure ``sort``, or as given; the means alone, if not asked else.

        A ``terminal`` allows colour, and its width is kept; of each of the ``slices`` there are the means, too. Raises
        UsageError if ``sort`` is no measure of the result.
        """
        writer = self.forms[form]
        if view.get("per_query") and not writer.queries:
            raise UsageError(QUERIES)
        if sort is not None:
            from fairtrec.comparison.leaderboard import by, computed

            of, sort = by(of, sort), computed(of, sort)
        if writer.single and any(scores.ties or scores.unknown for scores in of.scores):
            from fairtrec.report.ends import with_ends

            of = with_ends(of)
        if slices:
            from fairtrec.comparison.gaps import gaps
            from fairtrec.comparison.slices import sliced

            parts = dict(sliced(of, slices))
            view["parts"] = {**parts, **gaps(parts)}
        if writer.single and any(scores.confidence is not None or scores.gold is not None for scores in of.scores):
            from fairtrec.report.ends import with_bounds

            of = with_bounds(of)
            view["parts"] = {name: with_bounds(part) for name, part in view.get("parts", {}).items()}
        every: dict[str, Any] = {"per_query": False, "summary": True, "places": 4, "sort": sort, "parts": {}}
        return super().__call__(form, of, **{**every, **view})


_ROWS = {
    "tsv": Writer("rows", "records:delimited", delimiter="\t"),
    "csv": Writer("rows", "records:delimited", delimiter=","),
}
_OBJECT = {"json": Writer("record", "records:json", "all", exact=True)}
_USUAL = {
    "table": Writer("tables", "terminal:render", "all", draws=True),
    **_ROWS,
    **_OBJECT,
    "jsonl": Writer("records", "records:jsonl", exact=True),
    "md": Writer("tables", "markup:md", "all"),
    "latex": Writer("tables", "markup:latex", "all"),
}
_PAGE = {"html": Writer("html", "", "all")}
_RESULTS = {
    "trec": Writer("results.lines:trec", single=True),
    "table": Writer("results.tables:windowed", "terminal:render", "all", draws=True),
    "tsv": Writer("results.lines:rows", "records:delimited", delimiter="\t", single=True),
    "csv": Writer("results.lines:rows", "records:delimited", delimiter=",", single=True),
    "json": Writer("results.objects:record", "records:json", "all", exact=True),
    "jsonl": Writer("results.objects:records", "records:jsonl", exact=True),
    "md": Writer("results.tables:tables", "markup:md", "all"),
    "latex": Writer("results.tables:tables", "markup:titled", "all"),
    "html": Writer("page.html:html", "", "all", means=True),
    "parquet": Writer("results.objects:parquet", exact=True, binary=True),
    "flat": Writer("records:of_means", "records:json", exact=True, single=True, queries=False),
    "tira": Writer("results.lines:tira", single=True),
}
RESULTS = ResultFormats(
    "results.tables",
    _RESULTS,
    ("per_query", "summary", "sort", "slices", "title", "latex_label", "query_texts"),
    said="remarks",
)
COMPARISONS = Formats(  # correlations and curves, too
    "comparison", {**_USUAL, "flat": Writer("flat", "records:json", exact=True)}, ("paper",)
)
SELECTIONS = Formats("selection", _USUAL)
ABLATIONS = Formats("ablation", {**_USUAL, "html": Writer("page.ablation:html", "", "all")})
FRONTIERS = Formats(
    "frontier", {**_USUAL, "html": Writer("page.frontier:html", "", "all")}, ("per_query", "query_texts")
)
EXPLANATIONS = Formats(
    "explanation",
    {
        "text": Writer("text"),
        **_OBJECT,
        "jsonl": _USUAL["jsonl"],
        "html": Writer("page.explanation:html", "", "all"),
    },
)
OVERLAPS = Formats(
    "overlaps",
    {
        "table": Writer("tables", "terminal:render", draws=True),
        **_ROWS,
        "json": Writer("record", "records:json", "signature", exact=True),
    },
    ("per_query",),
)
EFFECTS = Formats("reranking", {form: each for form, each in _USUAL.items() if form != "jsonl"})
RERANKINGS = Formats("reranked", {**_USUAL, "run": Writer("trec", exact=True)})
DIFFERENCES = Formats("differences", {"text": Writer("text", "", "all", exact=True), **_OBJECT}, ("names",))
VERDICTS = Formats(
    "verdicts",
    {
        "text": Writer("text", "", "all", draws=True),
        "json": Writer("record", "verdicts:json", "all", exact=True),
        "github": Writer("github"),
        "md": Writer("md", "", "all"),
    },
)
FINDINGS = Formats(  # of runs that are checked one after the other, so they are written part by part
    "findings", {form: Writer(form, exact=True) for form in ("text", "json", "github")}
)
POSITIONS = Formats("positions", {"tsv": Writer("tsv", exact=True), "csv": _USUAL["csv"], "jsonl": _USUAL["jsonl"]})
DRAWS = Formats(
    "drawn", {"text": Writer("text", exact=True), "tsv": Writer("tsv", exact=True), "csv": _USUAL["csv"], **_OBJECT}
)
AGREEMENTS = Formats(
    "agreements", {**{form: each for form, each in _USUAL.items() if form not in ("jsonl", "latex")}, **_PAGE}
)
QUERYSETS = Formats("queryset", {"text": Writer("text", "", "remarks"), **_ROWS, **_OBJECT})
SPREADS = Formats("topic_tables", {**_USUAL, **_PAGE})
KINDS: Mapping[str, Formats] = {  # of each class of answers
    **dict.fromkeys(("Result", "Scores", "GapScores"), RESULTS),
    **dict.fromkeys(("Comparisons", "Associations", "Curves"), COMPARISONS),
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


def refuse_view(
    form: str,
    output: "Path | None",
    *,
    per_query: bool = False,
    summary: bool = True,
    slices: object = None,
    title: str | None = None,
    latex_label: str | None = None,
    query_texts: object = None,
    pool: object = None,
    aggregate: bool = False,
) -> None:
    """Raise UsageError if a format of results cannot show what is asked for, or not there, before any work is done."""
    writer = RESULTS.forms.get(form, Writer(""))
    page = writer.means
    other = f"--format {form} shows none" if summary else "-n leaves these out"
    refused = {
        "-n leaves the values of queries out of the page, and -q asks for them; leave out one of them":
            page and per_query and not summary,
        QUERIES: per_query and not writer.queries,
        "-n leaves out the means, so nothing is left to print; add -q": not (summary or page or per_query),
        "--slice asks for means, and -n leaves them out; leave out one of the two":
            slices and not summary and not page,
        "--aggregate says what stands in the place of means, and -n leaves them out; leave out one":
            aggregate and not summary and not page,
        f"--pool prints pooled values beside the means, and {other}; leave out one of the two":
            pool is not None and (not summary or page or writer.binary),
        "--title is the heading of a page, or begins a caption; add -f html, or -f latex":
            title is not None and not page and form != "latex",
        "--query-texts stand beside the values of queries in a page; add -f html, without -n":
            query_texts is not None and not (page and summary),
        "--latex-label is what a LaTeX table is referred to by; add -f latex":
            latex_label is not None and form != "latex",
        f"--latex-label {latex_label!r} holds other signs than letters, digits and :._+/-; name another":
            latex_label is not None and not re.fullmatch(r"[\w:.+/-]+", latex_label, re.ASCII),
    }  # fmt: skip
    for why in (why for why, is_so in refused.items() if is_so):
        raise UsageError(why)
    if writer.binary and output is None:
        from fairtrec.report.output import refuse_terminal

        refuse_terminal()
