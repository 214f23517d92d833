"""``fairtrec compare``: compare runs with a baseline."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairtrec.cli import options, printing
from fairtrec.cli.runs import drop_repeats, name_runs
from fairtrec.commands.compare import COMPARISONS
from fairtrec.commands.compare.baselines import Baseline, refuse_beside_all, resolve_baseline
from fairtrec.commands.results.recorded import OfValues, read_recorded, values
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.literals import Correction, Method, Test

if TYPE_CHECKING:
    from fairtrec.evaluation.answers.result import Result
    from fairtrec.statistics.procedure import Procedure

compared = options.Shared(
    (  # by the names that `fairtrec.compare` takes
        click.option(
            "--baseline",
            multiple=True,
            metavar="RUN|all",
            help="The run to compare with: a file, or the name of a RUN; may be repeated; all: each with every other.  "
            "[default: the first]",
        ),
        options.word("--test", of=Test, help="The paired test."),
        options.word(
            "--correction",
            of=Correction,
            default="holm",
            help="Correct p-values for all comparisons of the report; tukey is over all pairs of runs.",
        ),
        options.word(
            "--interval", of=Method, help="How the interval is computed: from Student's t, or by the paired bootstrap."
        ),
        click.option(
            "--confidence",
            type=float,
            default=0.95,
            metavar="P",
            help="The level of the intervals; a difference is shown if its p is at most 1 - P.",
        ),
        click.option(
            "--equivalence",
            type=float,
            metavar="EPS",
            help="Test whether a run is not worse by EPS, and whether it is within EPS.",
        ),
        click.option(
            "--resamples", type=int, default=10_000, metavar="N", help="How often bootstrap and randomization draw."
        ),
        options.seed,
    )
)


@click.command(name="compare", cls=OfValues, epilog=options.EXITS)
@values
@compared
@options.slices
@click.option(
    "--paper",
    is_flag=True,
    help="Print one table of runs and measures for a paper, with marks and a caption (latex, md).",
)
@click.option("--keep-going", is_flag=True, help="Report broken runs, compare the others, and exit with 3.")
@options.Shared(evaluates="compare")
@options.gold
@options.cluster
@options.Shared(report=COMPARISONS, auto=True, what="auto: a table.")
@options.add_untrusted_options
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    form: str,
    output: Path | None,
    *,
    places: int,
    baseline: tuple[str, ...],
    slices: str | None,
    paper: bool = False,
    values: bool = False,
    **given: Any,
) -> int:
    """Compare each RUN with a baseline over the same queries: by how much, how surely, how often.

    QRELS, RUN and the options that commands share are as for `fairtrec eval`.

    \b
    fairtrec compare qrels.txt bm25.run neural.run fair.run -m 'nDCG@10 TExFAIR@10' --terms gender-en \\
        --docs collection.tsv --test randomization --correction holm
    """
    from fairtrec.commands.compare.baseline import compare, refuse_beside_clusters
    from fairtrec.evaluation.slices import Slices, take_slices
    from fairtrec.statistics.procedure import Procedure

    if paper and form not in ("latex", "md"):
        raise UsageError("--paper is a table for documents; add -f latex or -f md")
    if paper and slices is not None:
        raise UsageError("--paper compares the runs over all queries; leave out --slice")
    procedure = {name: given.pop(name) for name in vars(Procedure())}
    how = Procedure(**procedure)
    refuse_idle(how, given["gold"])
    of_clusters = {"pooled": given["pool"] is not None, "of_clusters": given["cluster"] is not None}
    refuse_beside_clusters(how, **of_clusters, gold=given["gold"] is not None)
    refuse_beside_all(baseline)
    if values:
        heeded = ("slices", "paper", "form", "places", *procedure)
        result, against = read_recorded((qrels or "none", *runs), measures, baseline, heeded, output, slices)
        of_queries = Slices.read(slices)
    else:
        against, files = resolve_baseline(baseline, drop_repeats(name_runs(runs)))
        printing.refuse_output(output, qrels, slices, *runs, files, *given.values())
        of_queries = Slices.read(slices)
        result = printing.evaluate_runs(measures or None, files, qrels, **given)
        _refuse_broken(result, against)
    compared = compare(result, against, slices=take_slices(of_queries, result), **procedure)
    printing.write(COMPARISONS, form, compared, output, places=places, paper=paper)
    return InputError.exit_code if result.failed else 0


def _refuse_broken(result: "Result", baseline: Baseline) -> None:
    """Raise InputError if a baseline is broken, or all runs but one."""
    lost = isinstance(baseline, list) and any(name in baseline for name, _ in result.failed)
    if lost or (result.failed and len(result.scores) == 1):
        raise InputError("the broken runs leave nothing to compare; repair them, or leave them out")


def refuse_idle(how: "Procedure", gold: str | None = None) -> None:
    """Raise UsageError for options of random draws if nothing is drawn, and for what gold labels do not go with."""
    from fairtrec.commands.compare.baseline import refuse_beside_gold

    if not how.draws:
        ways = f"--test {how.test}, --interval {how.interval} and --correction {how.correction}"
        options.refuse_typed(f"applies to random draws, and {ways} draw nothing", "resamples", "seed")
    if gold is not None:
        refuse_beside_gold(how)
