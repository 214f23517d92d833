"""``fairtrec trec-fair-2019``: evaluate the JSON runs of the TREC 2019 Fair Ranking track."""

from typing import TYPE_CHECKING, Any

import click

from fairtrec.cli import options, printing
from fairtrec.cli.commands import Titled, write_stderr
from fairtrec.report.writers import RESULTS
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.literals import Amortization, UnfairnessVariant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fairtrec.measure import Measure


@click.command(
    name="trec-fair-2019",
    cls=Titled,
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
    "--amortization",
    of=Amortization,
    help="Over a whole sequence, or over the repetitions of each query and then the mean.",
)
@click.option("--shares", is_flag=True, help="Also print each group's share of exposure and of relevance.")
@options.VIEWED["per_query"]
@options.VIEWED["sort"]
@options.jobs
@options.keep_going
@options.Shared(report=RESULTS, auto=True, what=options.AUTO)
def command(
    runs: tuple[str, ...], sequences: str, truth: str, labels: tuple[str, ...], sort: str | None, **chosen: Any
) -> int:
    """Print the utility of each RUN, and its unfairness by each group file, in the mean over the sequences.

    A RUN is a file, NAME=FILE, a folder or a pattern, as for `fairtrec eval`. It holds JSON lines {"q_num": "seq.num",
    "qid": ..., "ranking": [docid, ...]}, one for each request of the sequences. Files may be compressed with gzip,
    bzip2, xz, Zstandard or LZ4.

    \b
    fairtrec trec-fair-2019 --sequences seq.csv --truth truth.jsonl \\
        --labels level.csv --labels h-index.csv my-run.jsonl
    """
    from fairtrec.lab.trec_fair_2019.evaluate import evaluate

    form, output = (chosen.pop(name) for name in ("form", "output"))
    view = {name: chosen.pop(name) for name in ("per_query", "places")}
    if not labels:
        raise UsageError("unfairness needs the groups of authors; add --labels FILE")
    files = printing.name_run_files(runs, [output], sequences, truth, *labels)
    result = evaluate(files, sequences, truth, labels, **chosen)
    for _, fault in result.failed:
        write_stderr(fault)
    if result.scores:
        by = None if sort is None else _sorted_by(sort, result.scores[0].measures)
        printing.write(RESULTS, form, result, output, sort=by, **view)
    return InputError.exit_code if result.failed else 0


def _sorted_by(sort: str, measures: "Sequence[Measure]") -> "Measure":
    """Find the measure by its name, or its whole spelling. Raises UsageError for none, or for several."""
    found = [each for each in measures if sort in (str(each), each.name)]
    if len(found) != 1:
        several = ", ".join(map(str, found or measures))
        what = "is the name of several measures" if found else "is none of the measures"
        raise UsageError(f"--sort {sort} {what}; name one of {several}")
    return found[0]
