"""``fairtrec ablate``: does the order of systems survive the instrument?"""

import re
from pathlib import Path
from typing import Any

import click

from fairtrec.cli import options, printing
from fairtrec.cli.commands import Titled
from fairtrec.lab.ablate import ABLATIONS

MEASURE = click.option(
    "-m", "--measure", required=True, metavar="MEASURE", help="The measure to look at, like NFaiRR@10."
)


@click.command(name="ablate", cls=Titled, epilog=options.EXITS)
@click.option(
    "--vary",
    multiple=True,
    required=True,
    metavar="FACTOR=VALUES",
    help="What to vary, like tau=0,1,5, tokenizer=strip,space, terms=each or 'terms=half x 1000'; may be repeated. "
    "labels=flips or qrels=flips finds how few labels or judgments, if they were others, turn the order of the runs.",
)
@click.option("--grid", is_flag=True, help="Try all combinations.  [default: one factor at a time]")
@options.seed
@options.Shared(evaluates="ablate", without=("only",), measures=[MEASURE], report=ABLATIONS)
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    form: str,
    output: Path | None,
    *,
    places: int,
    **given: Any,
) -> None:
    """Vary word lists and parameters, one at a time, and test whether the RUNs keep their order.

    QRELS, RUN and the options that commands share are as for `fairtrec eval`.

    \b
    fairtrec ablate qrels.txt bm25.run neural.run fair.run -m NFaiRR@10 --vary tau=0,1,5 --vary cutoff=5,10 \\
        --vary 'terms=half x 100' --terms gender-en --docs collection.tsv --background background.run
    """
    from fairtrec.lab.ablate.ablation import ablate
    from fairtrec.report.writers import find_formats

    factors = {each.partition("=")[0].strip() for each in given["vary"]}
    if len(factors) == 1:
        options.refuse_typed(f"is for several factors, and --vary names {next(iter(factors))} alone", "grid")
    if not any(re.match(r"\s*ties\b|.*[x\u00d7]\s*\d", each) for each in given["vary"]):
        options.refuse_typed("applies to random draws, and --vary draws nothing", "seed")
    varied = [value.strip() for each in given["vary"] for value in each.partition("=")[2].split(",")]
    files = printing.name_run_files(runs, [output], qrels, *given.values(), *varied)
    with printing.show_progress(plans=None):
        ablation = ablate(files, qrels=qrels, **given)
    printing.write(find_formats(type(ablation)), form, ablation, output, places=places)
