"""``fairtrec plot``: a figure for a paper."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from fairtrec.cli import options, printing
from fairtrec.commands.results.recorded import OfValues, read_recorded, values
from fairtrec.formats.column_roles import Roles, parse_columns
from fairtrec.lab.plot import CURVES
from fairtrec.support.errors import UsageError
from fairtrec.support.literals import Figure, Method, PaperWidth

if TYPE_CHECKING:
    from fairtrec.evaluation.answers.result import Result

OF_MEANS = ("confidence", "interval", "no_intervals")
OF_FIGURES = (*OF_MEANS, "families", "width")  # options that a table of means has no use for
OF_TABLES = ("places",)  # and those that a figure has none for


@click.command(name="plot", cls=OfValues, epilog=options.EXITS)
@click.argument("kind", type=click.Choice(get_args(Figure)), metavar="|".join(get_args(Figure)))
@values
@options.Shared(evaluates="plot")
@click.option("--cutoffs", metavar="LIST", help="The cutoffs of the figure `cutoffs`, like 1,5,10 or 1-100.")
@options.slices
@options.cluster
@click.option(
    "--baseline", metavar="RUN", help="The run from which the others differ, query by query.  [default: the first run]"
)
@click.option(
    "--confidence",
    type=float,
    metavar="P",
    help="The level of the interval of each mean over queries.  [default: 0.95]",
)
@options.word(
    "--interval",
    of=Method,
    optional=True,
    help="How the interval of --confidence is computed: from Student's t, or by bootstrap.  [default: t]",
)
@click.option("--no-intervals", is_flag=True, help="Draw no intervals.")
@click.option(
    "--families", metavar="LIST", help="Draw runs whose names begin with the same of these words in one color."
)
@click.option("--trend", is_flag=True, help="Fit a line to the runs of each family in the front, or to all.")
@click.option("--sort", metavar="MEASURE", help="Order the bars of `runs` by this measure, the best run first.")
@options.word("--width", of=PaperWidth, help="Make it as wide as one column of a paper, or as two.")
@click.option(
    "-o",
    "--output",
    type=options.FILE,
    callback=options.take_ending,
    help="Write to FILE, all or nothing: a figure if it ends in .pdf, .svg, .pgf or .png, else the means of `cutoffs`.",
)
@options.Shared(
    report=CURVES,
    auto=True,
    what="auto: a figure; of `cutoffs` the others print the means, and how much the order of runs changes.",
    beside=[options.places, options.verbose],
)
def command(
    kind: Figure,
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    values: bool,
    cutoffs: str | None,
    baseline: str | None,
    confidence: float | None,
    interval: Method | None,
    no_intervals: bool,
    families: str | None,
    trend: bool,
    sort: str | None,
    width: PaperWidth,
    output: Path | None,
    *,
    form: str,
    places: int,
    slices: str | None,
    **given: Any,
) -> None:
    """Draw the RUNs as one figure: two measures against each other (front), means over cutoffs, differences by
    query, values by group, also from slice to slice, or a bar for each of the runs. It needs the extra fairtrec[plot].

    QRELS, RUN and the options that commands share are as for `fairtrec eval`. `fairtrec plot cutoffs` with -f prints
    the means instead, and needs no extra.

    \b
    fairtrec plot front qrels.txt bm25.run neural.run fair.run -m 'nDCG@10 TExFAIR@10' \\
        --terms gender-en --docs collection.tsv -o front.pdf
    """
    from fairtrec.evaluation.evaluate import evaluate
    from fairtrec.evaluation.slices import Slices, take_slices
    from fairtrec.lab.plot.canvas import look
    from fairtrec.lab.plot.curves import curves
    from fairtrec.lab.plot.figure import refuse, refuse_totals
    from fairtrec.measures.catalogue.cutoffs import parse_at_cutoffs

    figure_form = _find_figure(kind, form, output)
    _refuse_cutoffs(kind, cutoffs, values=values)
    begun = tuple(filter(None, (families or "").split(",")))
    if kind == "queries":
        options.refuse_typed("is for means, and differences of queries have no intervals", *OF_MEANS)
    if no_intervals:
        options.refuse_typed("says of intervals how they are, and --no-intervals draws none", *OF_MEANS[:2])
    level = None if no_intervals else 0.95 if confidence is None else confidence
    refuse(kind, baseline, level, begun, trend=trend, is_sorted=sort is not None)
    roles = parse_columns(given.get("columns"))
    _refuse_idle_clusters(given, roles, has_intervals=kind != "queries" and level is not None and bool(figure_form))
    has_slices = slices is not None or "slice" in roles
    is_sliced, is_pooled = has_slices and bool(figure_form), given.get("pool") is not None
    refuse_totals(kind, begun, pooled=is_pooled, sliced=is_sliced)
    if figure_form:
        with look():
            pass  # matplotlib is there, or nothing need be read
    if values:
        heeded = (*OF_FIGURES, *OF_TABLES, "slices", "kind", "trend", "sort", "form")
        result, _ = read_recorded((qrels or "none", *runs), measures, (), heeded, output, slices)
    else:
        files = printing.name_run_files(runs, [output], qrels, slices, *given.values())
        asked = measures or None if cutoffs is None else parse_at_cutoffs(measures, cutoffs, given["relevance_level"])
        with printing.show_progress():
            result = evaluate(asked, files, qrels=qrels, **given)
    if output is None or not figure_form:
        found = curves(result, slices=take_slices(Slices.read(slices), result))
        printing.write(CURVES, form, found, output, places=places)
        return
    view: dict[str, Any] = {"baseline": baseline, "width": width, "families": begun, "trend": trend, "sort": sort}
    view["slices"] = take_slices(Slices.read(slices), result) if is_sliced else None
    _draw(result, kind, figure_form, output, level, interval or "t", **view)


def _refuse_cutoffs(kind: Figure, cutoffs: str | None, *, values: bool) -> None:
    """Raise UsageError for cutoffs of another figure, and for a figure of cutoffs without them."""
    if (kind == "cutoffs") != (cutoffs is not None) and not values:
        raise UsageError(
            "--cutoffs LIST is for the figure of cutoffs, which needs it; "
            + ("add it, like --cutoffs 1-20" if cutoffs is None else "leave it out")
        )


def _refuse_idle_clusters(given: Mapping[str, Any], roles: Roles, *, has_intervals: bool) -> None:
    """Raise UsageError for clusters where no intervals are drawn."""
    if not has_intervals and (given["cluster"] is not None or "cluster" in roles):
        raise UsageError("clusters are about intervals, and none are drawn here; leave the clusters out")


def _draw(
    result: "Result", kind: Figure, form: str, output: Path, confidence: float | None, interval: Method, **view: Any
) -> None:
    """Write the figure to its file, and print the notes."""
    from fairtrec.lab.plot.bars import DARKER, note_cutoffs
    from fairtrec.lab.plot.canvas import render_figure
    from fairtrec.lab.plot.curves import curves
    from fairtrec.lab.plot.curves_report import list_notes as of_cutoffs
    from fairtrec.lab.plot.figure import plot, with_intervals
    from fairtrec.lab.plot.points import keep_both, note_points
    from fairtrec.report.output import emit
    from fairtrec.report.result_notes import list_notes

    if (slices := view["slices"]) is not None:
        result = slices.add_notes(result)
    result, left_out = keep_both(result, is_front=kind == "front")
    if kind != "queries":
        result = with_intervals(result, confidence, interval)
    figure = plot(result, kind, confidence=confidence, **view)
    emit(render_figure(figure, form), output)
    notes = list_notes(result) if kind != "cutoffs" else [*note_cutoffs(result), *of_cutoffs(curves(result))]
    if kind == "front":
        notes = [*left_out, *note_points(result), *notes]
    if kind == "runs" and len(result.scores) > 1:
        notes = [DARKER.note(), *notes]
    printing.tell(notes, str(result.signature))


def _find_figure(kind: Figure, form: str, output: Path | None) -> str:
    """Give the format of the figure; "" if the means are printed instead. Raises UsageError for what does not fit."""
    from fairtrec.lab.plot.canvas import find_format

    if form == "auto":
        options.refuse_typed("is for means over cutoffs that -f prints, and this is a figure", *OF_TABLES)
        if output is None:
            raise UsageError("a figure is written to a file; add -o FILE.pdf")
        return find_format(output)
    if kind != "cutoffs":
        what = f"the format {form} is for means over cutoffs, and {kind} is a figure"
        raise UsageError(f"{what}; write -o FILE.pdf, without -f")
    options.refuse_typed(f"is for figures, and the format {form} is for means", *OF_FIGURES)
    return ""
