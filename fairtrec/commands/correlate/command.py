"""``fairtrec correlate``: how alike measures, values and rankings are."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from fairtrec.cli import options, printing
from fairtrec.cli.runs import name_runs
from fairtrec.commands.correlate import ASSOCIATIONS, OVERLAPS
from fairtrec.commands.results.recorded import OfValues, read_recorded, values
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.files.arguments import add_run
from fairtrec.support.literals import Correction, Extrapolation, Over

OF_RANKINGS = ("p", "which", "baseline", "per_query")  # options that only --rankings has
BOTH = (
    "depth",
    "run_format",
    "columns",
    "complete",
    "form",
    "output",
    "places",
    "verbose",
)  # that it shares with the rest


class _OfRankings(OfValues):
    """A command for which one file is enough with ``--rankings``, too."""

    without_qrels = ("--values", "--rankings")


@click.command(name="correlate", cls=_OfRankings, epilog=options.EXITS)
@values
@options.word("--over", of=Over, help="Correlate over the queries of each run, or over the means of runs.")
@click.option("--cutoffs", metavar="LIST", help="Correlate measures at each of these cutoffs, like 1,5,10 or 1-100.")
@options.word("--correction", of=Correction, default="holm", help="Correct p-values for all correlations of a kind.")
@click.option(
    "--confidence",
    type=float,
    default=0.95,
    metavar="P",
    help="The level of the intervals; a correlation is shown if its p is at most 1 - P.",
)
@options.slices
@click.option(
    "--rankings", is_flag=True, help="Compare the rankings of RUNs by rank-biased overlap instead; there are no QRELS."
)
@click.option(
    "-p", type=float, default=0.9, metavar="P", help="With --rankings: how likely a reader goes on to the next rank."
)
@options.word(
    "--form",
    "which",
    of=Extrapolation,
    help="With --rankings: extrapolated, the least that it can be, how much more it can be (the residual), or "
    "truncated.",
)
@click.option(
    "--baseline", metavar="RUN", help="With --rankings: compare each RUN with this one, instead of all pairs."
)
@click.option("-q", "--per-query", is_flag=True, help="With --rankings: also print the value of each query.")
@options.keep_going
@options.Shared(evaluates="correlate")
@options.Shared(report=ASSOCIATIONS, auto=True, what="auto: a table.")
@options.add_untrusted_options
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    form: str,
    output: Path | None,
    *,
    places: int,
    over: Over,
    cutoffs: str | None,
    correction: Correction,
    confidence: float,
    slices: str | None,
    values: bool,
    rankings: bool,
    **given: Any,
) -> int:
    """Correlate the measures of RUNs with each other, query by query or run by run; with --rankings, compare rankings.

    QRELS, RUN and the options that commands share are as for `fairtrec eval`.

    \b
    fairtrec correlate qrels.txt bm25.run neural.run -m 'nDCG@10 TExFAIR@10' --terms gender-en --docs collection.tsv
    fairtrec correlate --rankings bm25.run neural.run fair.run
    """
    of_rankings = {name: given.pop(name) for name in OF_RANKINGS}
    if rankings:
        options.refuse_others("--rankings compares rankings, and evaluates no run", "rankings", *OF_RANKINGS, *BOTH)
        asked = {name: given[name] for name in ("depth", "run_format", "columns", "complete")}
        _compare_rankings((qrels or "none", *runs), form, output, places=places, **of_rankings, **asked)
        return 0
    options.refuse_typed("is for comparing rankings, which --rankings does", *OF_RANKINGS)

    from fairtrec.commands.correlate.correlations import correlate
    from fairtrec.evaluation.slices import Slices, take_slices
    from fairtrec.measures.catalogue.cutoffs import parse_at_cutoffs
    from fairtrec.statistics.procedure import Procedure

    Procedure(correction=correction, confidence=confidence)
    if values:
        heeded = ("slices", "over", "correction", "confidence", "form", "places")
        result, _ = read_recorded((qrels or "none", *runs), measures, (), heeded, output, slices)
        of_queries = Slices.read(slices)
    else:
        level = given["relevance_level"]
        asked_measures = measures if cutoffs is None else parse_at_cutoffs(measures, cutoffs, level)
        _refuse_alone(asked_measures, level, by_cutoff=cutoffs is not None)
        files = name_runs(runs)
        printing.refuse_output(output, qrels, slices, *runs, files, *given.values())
        of_queries = Slices.read(slices)
        result = printing.evaluate_runs(asked_measures or None, files, qrels, **given)
    how: dict[str, Any] = {"correction": correction, "confidence": confidence, "by_cutoff": cutoffs is not None}
    printing.write(
        ASSOCIATIONS,
        form,
        correlate(result, over, slices=take_slices(of_queries, result), **how),
        output,
        places=places,
    )
    return InputError.exit_code if result.failed else 0


def _compare_rankings(
    runs: Sequence[str],
    form: str,
    output: Path | None,
    *,
    places: int,
    which: Extrapolation,
    baseline: str | None,
    per_query: bool,
    **asked: Any,
) -> None:
    """Print the rank-biased overlap of each two runs, or of each run with a baseline."""
    from fairtrec.commands.correlate.overlaps import rbo

    files = name_runs(runs)
    base, every = (baseline, files) if baseline is None or baseline in files else add_run(files, baseline)
    printing.refuse_output(output, *runs, every)
    with printing.progress():
        overlaps = rbo(every, base, form=which, **asked)
    printing.write(OVERLAPS, form, overlaps, output, places=places, per_query=per_query)


def _refuse_alone(asked: Sequence[Any], level: int | None, *, by_cutoff: bool) -> None:
    """Raise UsageError for one measure that stands for itself alone, which there is no other to correlate with."""
    from fairtrec.measures.catalogue import registry
    from fairtrec.measures.catalogue.cutoffs import family
    from fairtrec.measures.catalogue.needs import looks_at_groups

    text = " ".join(map(str, asked))
    named = registry.parse(text, level) if asked and registry.ALL_FAIR not in text.lower() else []
    names = {family(each) if by_cutoff else str(each) for each in named}
    if len(names) == 1 and not looks_at_groups(named[0]):
        raise UsageError(f"a correlation is of two measures, and {names.pop()} is the only one; add another with -m")
