"""``fairtrec compare``: compare runs with a baseline, correlate measures, vary the cutoff."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairtrec.cli import options

if TYPE_CHECKING:
    from fairtrec.api import Result
    from fairtrec.report.comparison import View

FORMATS = ("auto", "table", "tsv", "csv", "json", "jsonl", "md", "latex")

compared = options.together(  # by the names that `fairtrec.compare` takes
    click.option(
        "--baseline", metavar="RUN", help="The run to compare with: a file, or the name of a RUN.  [default: the first]"
    ),
    click.option(
        "--test",
        type=click.Choice(["t", "wilcoxon", "randomisation", "bootstrap"]),
        default="t",
        show_default=True,
        help="The paired test.",
    ),
    click.option(
        "--correction",
        type=click.Choice(["none", "bonferroni", "holm", "bh"]),
        default="holm",
        show_default=True,
        help="For many tests at once: over runs, measures and slices.",
    ),
    click.option(
        "--interval",
        type=click.Choice(["t", "percentile", "bca"]),
        default="t",
        show_default=True,
        help="The confidence interval: of t, or of the paired bootstrap.",
    ),
    click.option(
        "--confidence",
        type=float,
        default=0.95,
        show_default=True,
        metavar="P",
        help="Of the intervals; 1 - P is the p from which a difference is shown.",
    ),
    click.option(
        "--equivalence",
        type=float,
        metavar="EPS",
        help="Test whether a run is not worse by EPS, and whether it is within EPS.",
    ),
    click.option(
        "--resamples", type=int, default=10_000, show_default=True, metavar="N", help="Of bootstrap and randomisation."
    ),
    click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Of what is drawn at random."),
)


@click.command(name="compare", epilog=options.EXITS)
@compared
@click.option("--slice", "slices", metavar="FILE", help="Each slice of queries too: lines of qid and slice.")
@click.option("--correlate", type=click.Choice(["queries", "runs"]), help="Correlate the measures instead.")
@click.option("--cutoffs", metavar="LIST", help="Each measure at several cutoffs instead, like 1,5,10 or 1-100.")
@click.option("--keep-going", is_flag=True, help="Report runs that are broken, compare the others, and exit with 3.")
@options.evaluated
@options.reported(FORMATS)
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    form: str,
    output: Path | None,
    *,
    places: int,
    baseline: str | None,
    slices: str | None,
    correlate: str | None,
    cutoffs: str | None,
    keep_going: bool,
    **given: Any,
) -> int:
    """Compare each RUN with a baseline over the same queries: by how much, how surely, how often.

    QRELS, RUN and what is not listed first below are as for `fairtrec eval`.

    \b
    fairtrec compare qrels.txt bm25.run bert.run -m 'nDCG@10 NFaiRR@10' --annotations counts.tsv \\
        --background bm25.run --test randomisation --correction holm
    """
    from fairtrec import report
    from fairtrec.api import evaluate
    from fairtrec.batch import lists, paths
    from fairtrec.cli.bar import progress
    from fairtrec.errors import InputError, UsageError, plain
    from fairtrec.formats import slices as slices_format
    from fairtrec.procedure import Procedure
    from fairtrec.report import comparison as written

    views = [name for name, asked in (("--correlate", correlate), ("--cutoffs", cutoffs)) if asked is not None]
    if len(views) > 1:
        raise UsageError("--correlate and --cutoffs each make a report of their own; leave out one of the two")
    if views and (baseline is not None or given["equivalence"] is not None):
        raise UsageError(f"--baseline and --equivalence are for comparing runs; leave them out, or {views[0]}")
    procedure = {name: given.pop(name) for name in vars(Procedure())}
    Procedure(**procedure)
    asked = _deepened(measures, cutoffs, given["relevance_level"]) if cutoffs is not None else measures or None
    named = paths(runs)
    if not views:
        baseline = _baseline(baseline, named)
    options.refuse_output(output, qrels, slices, *named, *lists(runs), *given.values())
    of_queries = None if slices is None else slices_format.read(slices)
    with progress():
        result = evaluate(asked, named, qrels, keep_going=keep_going, **given)
    for _, fault in result.failed:
        click.echo(plain(str(fault)), err=True)
    if not result.scores:
        return InputError.exit_code
    if baseline in dict(result.failed) or (result.failed and not views and len(result.scores) == 1):
        raise InputError("the broken runs leave nothing to compare; mend them, or leave them out")
    if slices is not None:
        result = _with_slices(result, slices)
    view = _view(result, baseline, of_queries, correlate, procedure, curves=cutoffs is not None)
    report.emit(written.render(view, form, places=places, terminal=options.is_terminal(output)), output)
    for line in written.remarks(view, form):
        click.echo(f"# {plain(line)}", err=True)
    return InputError.exit_code if result.failed else 0


def _with_slices(result: "Result", path: str) -> "Result":
    """Name the file of slices among the inputs and in the signature."""
    from dataclasses import replace

    from fairtrec.formats import source
    from fairtrec.signature import short

    line = f"{result.signature} | slices:{short(Path(path).name, source.sha256(path))}"
    return replace(result, signature=line, files={**result.files, "slices": (path, path)})


def _view(
    result: "Result", baseline: str | None, slices: Any, correlate: Any, procedure: Any, *, curves: bool
) -> "View":
    if curves:
        from fairtrec import cutoffs

        return cutoffs.curves(result, slices=slices)
    if correlate:
        from fairtrec.association import correlate as correlated

        only = {name: procedure[name] for name in ("correction", "confidence")}
        return correlated(result, correlate, slices=slices, **only)
    from fairtrec.comparison import compare

    return compare(result, baseline, slices=slices, **procedure)


def _deepened(measures: Sequence[str], cutoffs: str, level: int | None) -> list[Any]:
    from fairtrec import registry
    from fairtrec.cutoffs import deepened, read
    from fairtrec.errors import UsageError

    if not measures:
        raise UsageError("--cutoffs varies the cutoff of measures; name them, like -m 'nDCG NFaiRR'")
    return list(deepened(registry.parse(" ".join(measures), level), read(cutoffs)))


def _baseline(name: str | None, runs: list[str]) -> str:
    """Give the run that is meant, before anything is read; a file that is none of the runs joins them."""
    from fairtrec.comparison import find

    if name is not None and name not in runs and Path(name).is_file():
        same = [run for run in runs if Path(run).is_file() and Path(run).samefile(name)]
        runs += [] if same else [name]
        name = same[0] if same else name
    return runs[find(runs, name)]
