"""``fairtrec compare``: compare runs with a baseline, correlate measures, vary the cutoff."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairtrec.cli import options, printing
from fairtrec.cli.commands import Titled, write_stderr
from fairtrec.cli.runs import name_runs
from fairtrec.commands.compare import COMPARISONS, RELIABILITIES
from fairtrec.commands.compare.baselines import Baseline, drop_repeats, read_recorded, resolve_baseline
from fairtrec.support.errors import InputError, UsageError, refuse_first
from fairtrec.support.literals import Correction, Method, Over, Test

if TYPE_CHECKING:
    from fairtrec.commands.reliability.reliability import Reliabilities
    from fairtrec.commands.compare.report import View
    from fairtrec.evaluation.answers.result import Result

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


class OfValues(Titled):
    """A command that one file is enough for where ``--values`` says what the files are."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Ask for runs unless the files are of values."""
        next(each for each in self.params if each.name == "runs").required = "--values" not in args
        return super().parse_args(ctx, args)


values = click.option(
    "--values",
    is_flag=True,
    help="The files hold values of queries, not runs: of trec_eval -q, ir_measures -q, CSV, ours.",
)


@click.command(name="compare", cls=OfValues, epilog=options.EXITS)
@values
@compared
@click.option(
    "--slice",
    "slices",
    metavar="FILE",
    help="Also compare within each slice of queries; lines of FILE are qid and slice.",
)
@options.word(
    "--correlate",
    of=Over,
    optional=True,
    help="Print correlations of the measures instead, over queries or over runs; with --cutoffs at each cutoff.",
)
@click.option(
    "--reliability",
    is_flag=True,
    help="Print how reliable the order of the RUNs is instead, and how many queries a reliable order needs.",
)
@click.option(
    "--wanted",
    type=float,
    default=0.95,
    metavar="P",
    help="With --reliability: count the queries that this reliability needs.",
)
@click.option("--cutoffs", metavar="LIST", help="Print each measure at several cutoffs instead, like 1,5,10 or 1-100.")
@click.option(
    "--paper",
    is_flag=True,
    help="Print one table of runs and measures for a paper, with marks and a caption (latex, md).",
)
@click.option("--keep-going", is_flag=True, help="Report broken runs, compare the others, and exit with 3.")
@options.Shared(evaluates="compare")
@options.gold
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
    correlate: str | None,
    reliability: bool,
    wanted: float,
    cutoffs: str | None,
    paper: bool = False,
    keep_going: bool,
    values: bool = False,
    **given: Any,
) -> int:
    """Compare each RUN with a baseline over the same queries: by how much, how surely, how often.

    QRELS, RUN and the options that commands share are as for `fairtrec eval`.

    \b
    fairtrec compare qrels.txt bm25.run neural.run fair.run -m 'nDCG@10 TExFAIR@10' --terms gender-en \\
        --docs collection.tsv --test randomization --correction holm
    """
    from fairtrec.evaluation.evaluate import evaluate
    from fairtrec.evaluation.slices import Slices
    from fairtrec.statistics.procedure import Procedure

    asked_views = (("--correlate", correlate), ("--cutoffs", cutoffs), ("--reliability", reliability or None))
    views = [name for name, asked in asked_views if asked is not None]
    _refuse_with_reliability(views, wanted)
    is_compared = bool(baseline) or given["equivalence"] is not None
    refuse_first(_faults(views, form, is_compared=is_compared, paper=paper, sliced=slices is not None))
    procedure = {name: given.pop(name) for name in vars(Procedure())}
    refuse_idle(procedure, [*views, *["--paper"] * paper], given["gold"])
    of_order = wanted if reliability else None
    formats, shown = (RELIABILITIES, {}) if reliability else (COMPARISONS, {"paper": paper})
    if values:
        heeded = {"slices", "correlate", "reliability", "wanted", "paper", "form", "places", *procedure}
        result, against = read_recorded((qrels or "none", *runs), measures, baseline, heeded, output, slices)
        of_queries = Slices.read(slices)
    else:
        asked = (
            parse_at_cutoffs(measures, cutoffs, given["relevance_level"]) if cutoffs is not None else measures or None
        )
        if correlate is not None:
            _refuse_alone(asked or (), given["relevance_level"], by_cutoff=cutoffs is not None)
        against, files = _choose_runs(runs, baseline, views)
        printing.refuse_output(output, qrels, slices, *runs, files, *given.values())
        of_queries = Slices.read(slices)
        with printing.show_progress():
            result = evaluate(asked, files, qrels, keep_going=keep_going, **given)
        for _, fault in result.failed:
            write_stderr(fault)
        if not result.scores:
            return InputError.exit_code
        _refuse_broken(result, against, is_view=bool(views))
    view = _view(result, against, of_queries, correlate, procedure, curves=cutoffs is not None, wanted=of_order)
    printing.write(formats, form, view, output, places=places, **shown)
    return InputError.exit_code if result.failed else 0


def _choose_runs(runs: Sequence[str], baseline: Sequence[str], views: Sequence[str]) -> tuple[Baseline, dict[str, str]]:
    """Give the baselines, none for a report of other things, and name all runs."""
    from fairtrec.commands.reliability.reliability import refuse_few

    files = name_runs(runs)
    if not views:
        return resolve_baseline(baseline, drop_repeats(files))
    if "--reliability" in views:
        files = drop_repeats(files)
        refuse_few(len(files))
    return None, files


def _faults(
    views: Sequence[str], form: str, *, is_compared: bool, paper: bool, sliced: bool
) -> Iterator[tuple[bool, str]]:
    """List which of the reports, and of their options, do not go together."""
    other = (*views, "--slice")[0]
    what = "--baseline and --equivalence are for comparing runs"
    yield bool(views) and is_compared, f"{what}; leave them out, or {other}"
    yield paper and form not in ("latex", "md"), "--paper is a table for documents; add -f latex or -f md"
    what = "--paper compares the runs over all queries"
    yield paper and (bool(views) or sliced), f"{what}; leave out {other}"


def _refuse_broken(result: "Result", baseline: Baseline, *, is_view: bool) -> None:
    """Raise InputError if a baseline is broken, or all runs but one that were to be compared."""
    lost = isinstance(baseline, list) and any(name in baseline for name, _ in result.failed)
    if lost or (result.failed and not is_view and len(result.scores) == 1):
        raise InputError("the broken runs leave nothing to compare; repair them, or leave them out")


def refuse_idle(procedure: dict[str, Any], views: Sequence[str] = (), gold: str | None = None) -> None:
    """Raise UsageError for options of a comparison that play no part in it, or in these views, or that there are not.

    Also for what gold labels, if there are any, do not go with.
    """
    from fairtrec.commands.compare.baseline import refuse_beside_gold
    from fairtrec.statistics.procedure import Procedure

    how = Procedure(**procedure)
    if "--correlate" in views:
        options.refuse_typed(
            "is for comparing runs, and --correlate compares measures", "test", "interval", "resamples", "seed"
        )
    elif "--cutoffs" in views:
        options.refuse_typed("is for comparing runs, and --cutoffs lists means", *procedure)
    if "--reliability" not in views and not how.draws:
        ways = f"--test {how.test}, --interval {how.interval} and --correction {how.correction}"
        options.refuse_typed(f"applies to random draws, and {ways} draw nothing", "resamples", "seed")
    if gold is not None and views:
        what = f"--gold corrects the differences of runs, and {views[0]} is a report of other numbers"
        raise UsageError(f"{what}; leave out --gold, or {views[0]}")
    if gold is not None:
        refuse_beside_gold(how)


def _refuse_with_reliability(views: Sequence[str], wanted: float) -> None:
    """Raise UsageError for what a report of reliability has no place for, and for --wanted without it."""
    from fairtrec.commands.reliability.reliability import refuse_wanted

    if "--reliability" not in views:
        options.refuse_typed("counts queries for --reliability, which is not here", "wanted")
        return
    refuse_wanted(wanted)
    if len(views) > 1:
        raise UsageError(f"{views[0]} and --reliability are two reports; leave out one of them")
    options.refuse_typed(
        "is for comparing runs, and --reliability looks at the order of all", "baseline", "test", "correction",
        "interval", "equivalence", "resamples",
    )  # fmt: skip


def _refuse_alone(asked: Sequence[Any], level: int | None, *, by_cutoff: bool) -> None:
    """Raise UsageError for one measure that stands for itself alone, which there is no other to correlate with."""
    from fairtrec.commands.plot.curves import family
    from fairtrec.measures.catalogue import registry
    from fairtrec.measures.catalogue.needs import looks_at_groups

    text = " ".join(map(str, asked))
    named = registry.parse(text, level) if asked and registry.ALL_FAIR not in text.lower() else []
    names = {family(each) if by_cutoff else str(each) for each in named}
    if len(names) == 1 and not looks_at_groups(named[0]):
        raise UsageError(f"--correlate is of two measures, and {names.pop()} is the only one; add another with -m")


def _view(
    result: "Result",
    baseline: Baseline,
    slices: Any,
    correlate: Any,
    procedure: Any,
    *,
    curves: bool,
    wanted: float | None,
) -> "View | Reliabilities":
    if wanted is not None:
        from fairtrec.commands.reliability.reliability import reliability

        return reliability(result, wanted, procedure["confidence"], procedure["seed"], slices=slices)
    if curves and not correlate:
        from fairtrec.commands.plot import curves as cutoffs

        return cutoffs.curves(result, slices=slices)
    if correlate:
        from fairtrec.commands.correlate.correlations import correlate as correlated

        only = {name: procedure[name] for name in ("correction", "confidence")}
        return correlated(result, correlate, slices=slices, by_cutoff=curves, **only)
    from fairtrec.commands.compare.baseline import compare

    return compare(result, baseline, slices=slices, **procedure)


def parse_at_cutoffs(measures: Sequence[str], cutoffs: str, level: int | None) -> list[Any]:
    """Read measures, each at every cutoff. Raises UsageError where there is none, or it can have none."""
    from fairtrec.commands.plot import curves
    from fairtrec.measures.catalogue import registry

    if not measures:
        raise UsageError("--cutoffs varies the cutoff of measures; choose them, like -m 'nDCG NFaiRR'")
    if registry.ALL_FAIR in " ".join(measures).lower():
        raise UsageError(f"--cutoffs needs a list of measures; write it instead of {registry.ALL_FAIR}")
    return curves.expand_cutoffs(registry.parse(" ".join(measures), level), curves.read(cutoffs))
