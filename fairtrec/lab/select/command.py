"""``fairtrec select``: which of several runs to take, between utility and fairness."""

from pathlib import Path
from typing import Any

import click

from fairtrec.cli import options, printing
from fairtrec.cli.commands import Titled
from fairtrec.commands.compare import command as compare
from fairtrec.lab.select import SELECTIONS
from fairtrec.support.errors import UsageError

BESIDE = click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURES",
    help="Other measures to print; they do not affect the choice.",
)


@click.command(name="select", cls=Titled, epilog=options.EXITS)
@click.option("--utility", required=True, metavar="MEASURE", help="The utility measure, like nDCG@10.")
@click.option("--fairness", required=True, metavar="MEASURE", help="The fairness measure, like NFaiRR@10.")
@click.option(
    "--beta",
    default="0,0.5,1,2,inf",
    metavar="LIST",
    help="How much fairness counts: 0 is utility only, inf is fairness only.",
)
@click.option(
    "--folds",
    default="5",
    metavar="N|FILE",
    help="Choose for the queries of each fold by those of the other folds; lines of FILE are qid and fold.",
)
@click.option(
    "--require",
    multiple=True,
    metavar="REQUIREMENT",
    help="Choose among runs that meet this on the training queries, like 'nDCG@10 >= baseline - 1%'; may be repeated.",
)
@click.option("--baseline", metavar="RUN", help="Compare each row with this run: a file, or the name of a RUN.")
@options.Shared(compare.compared.options[1:], "select", [BESIDE])
@click.option("--write-run", type=options.FILE, help="Write the run that one beta chooses to FILE, all or nothing.")
@options.Shared(report=SELECTIONS)
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    form: str,
    output: Path | None,
    *,
    places: int,
    **given: Any,
) -> None:
    """Choose one of several RUNs for each beta, by cross-validation: F_beta of utility and fairness.

    QRELS, RUN and the options that commands share are as for `fairtrec eval`; how runs are compared with --baseline, as
    for `fairtrec compare`.

    \b
    fairtrec select qrels.txt bm25.run neural.run fair.run --utility nDCG@10 --fairness NFaiRR@10 \\
        --beta 0,1,inf --terms gender-en --docs collection.tsv --background background.run
    """
    from fairtrec.lab.select.select import select
    from fairtrec.statistics.procedure import Procedure
    from fairtrec.support.files.atomic import write_together

    procedure = vars(Procedure())
    if given["baseline"] is None:
        options.refuse_typed("is for comparing with --baseline, and there is none", *procedure)
    compare.refuse_idle(Procedure(**{name: given[name] for name in procedure}))
    write_run = given.pop("write_run")
    files = printing.name_run_files(runs, [output, write_run], qrels, *given.values())
    if output is not None and write_run is not None and output.resolve() == write_run.resolve():
        raise UsageError(f"--output and --write-run would both write {output}; choose another for one of the two")
    with write_together():
        with printing.show_progress():
            selection = select(files, qrels=qrels, write_run=write_run, **given)
        printing.write(SELECTIONS, form, selection, output, places=places)
