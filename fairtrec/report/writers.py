"""What can be written of what: a table of formats for each kind of answer; the command line offers its keys as ``-f``.

A format is a layout times a renderer: the layout is a function of the answer in the module of its kind, which names the
options that it heeds; the renderer is the same for all kinds. ``tables`` lays out a Document, which is drawn, marked up
or shown in a notebook; ``rows`` a head and rows of cells; ``records`` objects for lines of JSON; ``record`` one object.
A layout with many parts is a class: its fields are the answer and the options, and ``make_document`` lays it out.
"""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from fairtrec.support import command_rows
from fairtrec.support.errors import UsageError
from fairtrec.support.literals import ALL

if TYPE_CHECKING:
    from pathlib import Path

    from fairtrec.evaluation.answers.result import Result
    from fairtrec.evaluation.slices import Slices
    from fairtrec.measure import Measure
    from fairtrec.support.literals import SliceCorrection
    from fairtrec.support.notes import Note

Carried = Literal["nothing", "signature", "notes", "all"]
EVERY = frozenset(("places", "terminal", "parts", "compared", "most", "window"))  # the options of all kinds
ENDINGS = {  # of files, and the formats that fit each, the usual one first
    "json": ("json", "flat"),
    "jsonl": ("jsonl",),
    "ndjson": ("jsonl",),
    "csv": ("csv",),
    "tsv": ("tsv",),
    "md": ("md",),
    "tex": ("latex",),
    "html": ("html",),
    "htm": ("html",),
    "parquet": ("parquet",),
    "xml": ("junit",),
}
LOOSE_ENDINGS = {"txt": ("text", "trec", "table"), "prototext": ("tira",)}  # of files in many other formats


class FormatSpec(NamedTuple):
    """A format: the places of the functions that lay it out and render it, and what of the notes it ``carries``.

    ``layout``     is a name of the module of its kind, or ``module:name``, or ``.module:name`` of its folder.
    ``renderer``   is "" where the layout is what is written.
    ``delimiter``  stands between the columns, where one renderer writes several formats.
    ``exact``      has all digits, whatever is asked for.
    ``draws``      is drawn for a terminal, colors and all; then it has taken from names what would steer one.

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


class FormatTable(NamedTuple):
    """The formats of one kind of answer, by name, which ``module`` lays out, and the ``options`` that they may heed.

    ``said``  is the module whose ``list_notes`` lists the notes, and whose ``judge`` gives the verdict, if another.
    """

    module: str
    forms: Mapping[str, FormatSpec]
    options: tuple[str, ...] = ()
    said: str = ""

    def __call__(self, form: str, of: Any, **view: Any) -> Any:
        """Write an answer in a format. Raises TypeError for an option that no format of its kind has."""
        if strange := view.keys() - EVERY - {*self.options}:
            raise TypeError(f"{', '.join(sorted(strange))}: no option of this kind of answer")
        writer = self.forms[form]
        given = {**view, "delimiter": writer.delimiter}
        for place in filter(None, (writer.layout, writer.renderer)):
            step = self.find(place)
            heeded = inspect.signature(step).parameters
            of = step(of, **{name: value for name, value in given.items() if name in heeded})
            of = of.make_document() if hasattr(of, "make_document") else of
        return of

    def lay_out(self, of: Any, **view: Any) -> Any:
        """Give the Document of an answer, as its tables for documents are made of it; None if it has no tables."""
        if "md" not in self.forms:
            return None
        forms = {"md": self.forms["md"]._replace(renderer="")}
        return type(self)(self.module, forms, self.options, self.said)("md", of, **view)

    def list_notes(self, form: str, of: Any, **view: Any) -> "tuple[list[Note], str]":  # noqa: ARG002 - of results
        """List the verdict and the notes on what a format shows of an answer; give the signature, too."""
        sort = {"sort": view["sort"]} if view.get("sort") is not None else {}
        judge = self.part("judge")
        verdict = None if judge is None or view.get("summary") is False else judge(of, **sort)
        return [*([] if verdict is None else [verdict]), *self.part("list_notes")(of, **sort)], str(of.signature)

    def find(self, place: str) -> Any:
        """Import a layout or a renderer: of the module of the kind, beside it (``.module:name``), or of this room."""
        module, _, name = place.rpartition(":")
        if module and not module.startswith("."):
            return getattr(import_module(f"fairtrec.report.{module}"), name)
        return getattr(import_module(self.module.rpartition(".")[0] + module if module else self.module), name)

    def part(self, name: str) -> Any:
        """Give what the module of the kind has under a name, None if nothing."""
        return getattr(
            import_module(self.said if self.said and name in ("list_notes", "judge") else self.module), name, None
        )


class ResultFormatTable(FormatTable):
    """Those of results, which are made ready for a format first."""

    @property
    def options(self) -> tuple[str, ...]:  # the table is imported when it is looked at
        """The options of the view that Python has."""
        from fairtrec.evaluation.inputs.options import VIEWS, has_option

        return tuple(name for name, row in VIEWS.items() if has_option("python", row))

    def __call__(
        self,
        form: str,
        of: Any,
        *,
        sort: "Measure | None" = None,
        slices: "Slices | None" = None,
        against: str | None = None,
        correction: "SliceCorrection | None" = None,
        **view: Any,
    ) -> Any:
        """Write a result, the runs best first by the measure ``sort``, or as given; the means alone, if not asked else.

        A ``terminal`` allows color, and its width is kept; of each of the ``slices`` there are the means, too, and
        their differences from the slice ``against``. Raises UsageError if ``sort`` is no measure of the result.
        """
        writer = self.forms[form]
        if view.get("per_query") and not writer.queries:
            from fairtrec.evaluation.inputs.options import PER_QUERY

            raise UsageError(PER_QUERY)
        if sort is not None:
            from fairtrec.evaluation.leaderboard import find_sort_measure, rank_runs, restore_means

            ranked, sort = rank_runs(of, sort), find_sort_measure(of, sort)
            of = restore_means(ranked, of) if writer.exact else ranked
        is_wide = writer.single and any(scores.has_other_values for scores in of.scores)
        parts: dict[str, Result] = {}
        if slices:
            from fairtrec.evaluation.slice_differences import compare_slices, find_reference, sort_slices
            from fairtrec.evaluation.slices import split_result

            parts = dict(split_result(of, slices if against is None else sort_slices(slices)))
            if against is not None:
                parts = dict(compare_slices(parts, find_reference(slices, against), correction or "holm"))
                view["compared"], of = True, parts[ALL]
        if is_wide:
            from fairtrec.report.interval_columns import with_ends

            of, parts = with_ends(of), {name: with_ends(part) for name, part in parts.items()}
        if slices and against is None:
            from fairtrec.evaluation.columns.gaps import gaps

            parts |= gaps(parts)
        if writer.single:
            from fairtrec.report.interval_columns import with_bounds, with_defined

            of, *others = with_defined([with_bounds(each) for each in (of, *parts.values())])
            parts = dict(zip(parts, others, strict=True))
        view |= {"parts": parts} if parts else {}
        every: dict[str, Any] = {
            "per_query": False,
            "summary": True,
            "places": 4,
            "sort": sort,
            "parts": {},
            "compared": False,
        }
        return super().__call__(form, of, **{**every, **view})

    def list_notes(self, form: str, of: Any, *, sort: "Measure | None" = None, **view: Any) -> "tuple[list[Note], str]":
        """List the notes, and the order of runs if their means are over the queries by which they are sorted."""
        if sort is None or self.forms[form].exact:
            return super().list_notes(form, of, sort=sort, **view)
        from fairtrec.evaluation.leaderboard import find_sort_measure, rank_runs
        from fairtrec.report.results.tables import note_order

        ranked, sort = rank_runs(of, sort), find_sort_measure(of, sort)
        notes, signature = super().list_notes(form, ranked, sort=sort, **view)
        return [*notes, note_order(ranked, sort)], signature


ROWS = {
    "tsv": FormatSpec("rows", "records:delimited", delimiter="\t"),
    "csv": FormatSpec("rows", "records:delimited", delimiter=","),
}
OBJECT = {"json": FormatSpec("record", "records:json", "all", exact=True)}
USUAL = {
    "table": FormatSpec("tables", "terminal:render", "all", draws=True),
    **ROWS,
    **OBJECT,
    "jsonl": FormatSpec("records", "records:jsonl", exact=True),
    "md": FormatSpec("tables", "markup:md", "all"),
    "latex": FormatSpec("tables", "markup:latex", "all"),
}
OF_ROWS = {**USUAL, "flat": FormatSpec("flat", "records:json", exact=True)}
PAGE = {"html": FormatSpec("html", "", "all")}
_RESULTS = {
    "trec": FormatSpec("results.lines:trec", single=True),
    "table": FormatSpec("results.tables:WindowedTables", "terminal:render", "all", draws=True),
    "tsv": FormatSpec("results.lines:rows", "records:delimited", delimiter="\t", single=True),
    "csv": FormatSpec("results.lines:rows", "records:delimited", delimiter=",", single=True),
    "json": FormatSpec("results.objects:record", "records:json", "all", exact=True),
    "jsonl": FormatSpec("results.objects:records", "records:jsonl", exact=True),
    "md": FormatSpec("results.tables:ResultTables", "markup:md", "all"),
    "latex": FormatSpec("results.tables:ResultTables", "markup:titled", "all"),
    "html": FormatSpec("page.html:html", "", "all", means=True),
    "parquet": FormatSpec("results.objects:parquet", exact=True, binary=True),
    "flat": FormatSpec("records:name_means", "records:json", exact=True, single=True, queries=False),
    "tira": FormatSpec("results.lines:tira", single=True),
}
RESULTS = ResultFormatTable("fairtrec.report.results.tables", _RESULTS, said="fairtrec.report.result_notes")
_CORE: Mapping[str, FormatTable] = dict.fromkeys(("Result", "Scores", "GapScores"), RESULTS)


def find_formats(answer: type) -> FormatTable:
    """Give the formats of a class of answers, or of the class that it inherits: ours, or those of a command."""
    names = [each.__name__ for each in answer.__mro__]
    return next(known[name] for known in _list_formats() for name in names if name in known)


def all_formats() -> dict[str, FormatTable]:
    """Give the formats of each class of answers, by its name."""
    return {name: formats for known in _list_formats() for name, formats in known.items()}


def _list_formats() -> Iterator[Mapping[str, FormatTable]]:
    """Give the formats of the classes of answers of the core, and then of each command, loaded in turn."""
    yield _CORE
    for row in command_rows.registry.list_rows():
        yield row.answers


def read_ending(path: "Path") -> str:
    """Read the ending of a file, in lower case and without its dot."""
    return path.suffix.removeprefix(".").lower()


def choose_form(path: "Path", form: str | None, forms: Iterable[str]) -> str | None:
    """Choose the format of a file by its ending, among the ``forms`` that there are; ``form`` is the one asked for.

    Other endings than those of ``ENDINGS`` leave it as it is. Raises UsageError for a format that does not fit the
    ending, for an ending of no such format, and for one with .gz behind it.

    >>> from pathlib import Path
    >>> choose_form(Path("x.CSV"), None, ["trec", "csv"]), choose_form(Path("x.json"), "flat", ["json", "flat"])
    ('csv', 'flat')
    """
    several, ending = list(forms), read_ending(path)
    if ending == "gz" and read_ending(path.with_suffix("")) in ENDINGS:
        raise UsageError(f"{path} would not be compressed; leave out .gz (formats: {', '.join(several)})")
    if ending not in ENDINGS:
        return form
    fitting = [each for each in ENDINGS[ending] if each in several]
    if form is not None and form not in fitting:
        raise UsageError(f"-f {form} does not fit {path}; leave out one")
    if not fitting:
        raise UsageError(f"there is no format for the ending of {path}; choose another (formats: {', '.join(several)})")
    return form or fitting[0]


def refuse_view(form: str, output: "Path | None", **asked: Any) -> None:
    """Raise UsageError for an option that a format of results cannot show, or that does not fit the others.

    ``asked`` are values of choices and view options by name; those left out have their defaults.
    """
    from fairtrec.evaluation.given import GIVEN
    from fairtrec.evaluation.inputs.option import Asked
    from fairtrec.evaluation.inputs.options import DEFAULTS, refuse_conflicts

    writer = RESULTS.forms[form]
    of_format = {"is_page": writer.means, "is_binary": writer.binary, "has_queries": writer.queries}
    refuse_conflicts(Asked(**{**dict.fromkeys(GIVEN), **DEFAULTS, **asked}, form=form, **of_format))
    if writer.binary and output is None:
        from fairtrec.report.output import refuse_terminal

        refuse_terminal()
