"""``fairtrec reliability``: whether other queries would give the same order of runs."""

from pathlib import Path
from typing import Any

import click

from fairtrec.cli import options, printing
from fairtrec.cli.runs import drop_repeats, name_runs
from fairtrec.commands.reliability import RELIABILITIES
from fairtrec.commands.results.recorded import OfValues, read_recorded, values
from fairtrec.support.errors import InputError


@click.command(name="reliability", cls=OfValues, epilog=options.EXITS)
@values
@click.option("--wanted", type=float, default=0.95, metavar="P", help="Count the queries that this reliability needs.")
@click.option("--confidence", type=float, default=0.95, metavar="P", help="The level of the intervals.")
@options.seed
@options.slices
@options.keep_going
@options.Shared(evaluates="reliability")
@options.Shared(report=RELIABILITIES, auto=True, what="auto: a table.")
@options.add_untrusted_options
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    form: str,
    output: Path | None,
    *,
    places: int,
    wanted: float,
    confidence: float,
    seed: int,
    slices: str | None,
    values: bool,
    **given: Any,
) -> int:
    """Estimate how reliable the order of the RUNs is, and how many queries a reliable order needs.

    QRELS, RUN and the options that commands share are as for `fairtrec eval`.

    \b
    fairtrec reliability qrels.txt bm25.run neural.run fair.run -m 'nDCG@10 TExFAIR@10' --terms gender-en \\
        --docs collection.tsv
    """
    from fairtrec.commands.reliability.reliability import refuse_few, refuse_wanted, reliability
    from fairtrec.evaluation.slices import Slices, take_slices
    from fairtrec.statistics.procedure import Procedure

    refuse_wanted(wanted)
    Procedure(confidence=confidence, seed=seed)
    if values:
        heeded = ("slices", "wanted", "confidence", "seed", "form", "places")
        result, _ = read_recorded((qrels or "none", *runs), measures, (), heeded, output, slices)
        of_queries = Slices.read(slices)
    else:
        files = drop_repeats(name_runs(runs))
        refuse_few(len(files))
        printing.refuse_output(output, qrels, slices, *runs, files, *given.values())
        of_queries = Slices.read(slices)
        result = printing.evaluate_runs(measures or None, files, qrels, **given)
    answer = reliability(result, wanted, confidence, seed, slices=take_slices(of_queries, result))
    printing.write(RELIABILITIES, form, answer, output, places=places)
    return InputError.exit_code if result.failed else 0
