"""``fairtrec headroom``: how much fairer each run could be at no loss of utility, and at some."""

from pathlib import Path
from typing import Any, get_args

import click

from fairtrec.cli import options, printing
from fairtrec.cli.commands import Titled
from fairtrec.lab.headroom import HEADROOMS
from fairtrec.support.errors import UsageError
from fairtrec.support.literals import DocumentsFrom


@click.command(name="headroom", cls=Titled, epilog=options.EXITS)
@click.option(
    "--utility",
    default="nDCG@10",
    metavar="MEASURE",
    help="The utility measure that is to last; scores means the DCG of the run's own scores at the cutoff of "
    "--fairness, and scores@20 at another.",
)
@click.option("--fairness", default="NFaiRR@10", metavar="MEASURE", help="The fairness measure that is to gain.")
@click.option(
    "--loss", default="0,1%,5%", metavar="SHARES", help="How much of the utility may be lost, in the mean over queries."
)
@click.option("--each", is_flag=True, help="Allow that loss in each query, not only in the mean.")
@click.option(
    "--from",
    "from_",
    type=click.Choice(get_args(DocumentsFrom)),
    default="run",
    help="The candidates: documents of the run, also of the background, or of all runs.",
)
@click.option(
    "--candidates", type=int, metavar="N", help="Reorder only the first N documents of each run.  [default: all]"
)
@click.option("--pin-unjudged", is_flag=True, help="Leave documents that are not judged where they are.")
@click.option(
    "--dpfr",
    type=float,
    metavar="ALPHA",
    help="Print how far each run is from the point at this share of its front: 0 is most utility, 1 the fairest.",
)
@options.Shared(evaluates="headroom", without=("samples", "undefined"), measures=(), report=HEADROOMS)
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    form: str,
    output: Path | None,
    *,
    places: int,
    per_query: bool,
    query_texts: str | None,
    **given: Any,
) -> None:
    """Find how much fairer each RUN could be at no loss of utility, at some loss, and at any.

    QRELS, RUN and the options that commands share are as for `fairtrec eval`.

    \b
    fairtrec headroom qrels.txt neural.run fair.run --terms gender-en --docs collection.tsv \\
        --background background.run
    """
    from fairtrec.evaluation.inputs import loading
    from fairtrec.lab.headroom.headroom import headroom

    if query_texts is not None and not (per_query and form == "html"):
        raise UsageError("--query-texts appear only on pages of queries; add -f html and -q")
    files = printing.name_run_files(runs, [output], qrels, *given.values())
    also = ("background",) if given["from_"] == "background" else ()
    with printing.show_progress(*also):
        found = headroom(files, qrels=qrels, **given)
    asked = None
    if query_texts is not None:
        asked = loading.query_texts(query_texts, sorted({query.qid for run in found.runs for query in run.queries}))
    printing.write(HEADROOMS, form, found, output, places=places, per_query=per_query, query_texts=asked)
