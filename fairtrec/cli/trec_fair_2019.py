"""``fairtrec trec-fair-2019``: evaluate the JSON runs of the TREC 2019 Fair Ranking track."""

from typing import Any

import click

from fairtrec.cli import options, printing
from fairtrec.cli.commands import under
from fairtrec.literals import Amortisation, UnfairnessVariant
from fairtrec.report.writers import RESULTS


@click.command(
    name="trec-fair-2019",
    cls=under("Unfairness", first="sequences truth labels"),
    epilog="Exit codes: 0 done, 2 wrong usage, 3 bad input or a run with faults.",
)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--sequences", required=True, metavar="FILE", help="The sequences of queries: CSV lines seq.num,qid.")
@click.option("--truth", required=True, metavar="FILE", help="The ground truth: JSON lines with qid and documents.")
@click.option(
    "--labels",
    multiple=True,
    metavar="FILE",
    help="The authors' groups: CSV lines docid,label,label,... with one label for each author; may be repeated.",
)
@options.word(
    "--variant", of=UnfairnessVariant, help="Unfairness as the track's program computed it, or as its paper prints it."
)
@options.word(
    "--amortisation",
    of=Amortisation,
    help="Over a whole sequence, or over the repetitions of each query and then the mean.",
)
@click.option("--shares", is_flag=True, help="Print each group's share of exposure and of relevance too.")
@options.per_query
@options.reported(RESULTS, auto=True)
def command(runs: tuple[str, ...], sequences: str, truth: str, labels: tuple[str, ...], **chosen: Any) -> None:
    """Print the utility of each RUN, and its unfairness by each group file, in the mean over the sequences.

    A RUN holds JSON lines {"q_num": "seq.num", "qid": ..., "ranking": [docid, ...]}, one for each request of the
    sequences. Files may be compressed with gzip, bzip2, xz, Zstandard or LZ4.

    \b
    fairtrec trec-fair-2019 --sequences seq.csv --truth truth.jsonl \\
        --labels level.csv --labels h-index.csv my-run.jsonl
    """
    from fairtrec.errors import UsageError
    from fairtrec.evaluation.trec_fair_2019 import evaluate
    from fairtrec.report.remarks import footnotes

    form, output = (chosen.pop(name) for name in ("form", "output"))
    view = {name: chosen.pop(name) for name in ("per_query", "places")}
    if not labels:
        raise UsageError("unfairness needs the groups of authors; give --labels FILE")
    printing.refuse_output(output, *runs, sequences, truth, *labels)
    result = evaluate(runs, sequences, truth, labels, **chosen)
    printing.write(RESULTS, form, result, output, footnotes, **view)
