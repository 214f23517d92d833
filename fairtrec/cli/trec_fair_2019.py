"""``fairtrec trec-fair-2019``: evaluate or check the JSON runs of the TREC 2019 Fair Ranking track."""

from typing import TYPE_CHECKING, Any

import click

from fairtrec.cli import options
from fairtrec.cli.commands import under
from fairtrec.literals import Amortisation, Variant
from fairtrec.report.writers import RESULTS

if TYPE_CHECKING:
    from fairtrec.formats.trec_fair import Requests, Truth

MOST_FAULTS = 20  # shown of one run


@click.command(
    name="trec-fair-2019",
    cls=under("Unfairness"),
    epilog="Exit codes: 0 done, 2 wrong usage, 3 bad input or a run with faults.",
)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--sequences", required=True, metavar="FILE", help="The sequences of queries: CSV lines seq.num,qid.")
@click.option("--truth", required=True, metavar="FILE", help="The ground truth: JSON lines with qid and documents.")
@click.option(
    "--groups",
    multiple=True,
    metavar="FILE",
    help="The authors' groups: CSV lines docid,label,label,... with one label for each author; may be repeated.",
)
@options.word("--variant", of=Variant, help="Unfairness as the track's program computed it, or as its paper prints it.")
@options.word(
    "--amortisation",
    of=Amortisation,
    help="Over a whole sequence, or over the repetitions of each query and then the mean.",
)
@click.option("--shares", is_flag=True, help="Print each group's share of exposure and of relevance too.")
@click.option("--validate", is_flag=True, help="Only check the runs, and list their faults; needs no --groups.")
@options.per_query
@options.reported(RESULTS, auto=True)
def command(runs: tuple[str, ...], sequences: str, truth: str, groups: tuple[str, ...], **chosen: Any) -> None:
    """Print the utility of each RUN, and its unfairness by each group file, in the mean over the sequences.

    A RUN holds JSON lines {"q_num": "seq.num", "qid": ..., "ranking": [docid, ...]}, one for each request of the
    sequences. Files may be compressed with gzip, bzip2, xz, Zstandard or LZ4.

    \b
    fairtrec trec-fair-2019 --sequences seq.csv --truth truth.jsonl \\
        --groups level.csv --groups h-index.csv my-run.jsonl
    """
    from fairtrec.errors import UsageError
    from fairtrec.evaluation.trec_fair_2019 import evaluate
    from fairtrec.formats import trec_fair
    from fairtrec.report.remarks import footnotes

    validate, form, output = (chosen.pop(name) for name in ("validate", "form", "output"))
    view = {name: chosen.pop(name) for name in ("per_query", "places")}
    if not groups and not validate:
        raise UsageError("unfairness needs the groups of authors; give --groups FILE, or --validate to check the runs")
    options.refuse_output(output, *runs, sequences, truth, *groups)
    if validate:
        wanted = trec_fair.truth(truth)
        _validate(runs, trec_fair.requests(sequences, wanted), wanted)
    else:
        result = evaluate(runs, sequences, truth, groups, **chosen)
        options.write(RESULTS, form, result, output, footnotes, **view)


def _validate(runs: tuple[str, ...], requests: "Requests", truth: "Truth") -> None:
    """Print the faults of each run. Raises InputError if there are any."""
    from fairtrec.errors import InputError
    from fairtrec.validation.validating import validate_trec_fair

    many = 0
    for checked in validate_trec_fair(runs, requests, truth, MOST_FAULTS):
        for finding in checked.found.kept:
            click.echo(str(InputError(finding.message, checked.path, finding.line)))
        for rest in checked.found.hidden.values():
            click.echo(f"{checked.path}: {rest} more faults")
        many += checked.found.total(errors=True)
    if many:
        raise InputError(f"{many} fault{'s' * (many > 1)} found; correct the runs and check again")
    click.echo(f"no faults in {len(runs)} run{'s' * (len(runs) > 1)}, {len(requests.query)} rankings each")
