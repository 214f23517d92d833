"""``fairtrec trec-fair-2019``: evaluate or check the JSON runs of the TREC 2019 Fair Ranking track."""

from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from fairtrec.cli import options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fairtrec.api import Result
    from fairtrec.errors import InputError
    from fairtrec.formats.trec_fair import Authors, Requests, Truth
    from fairtrec.measures.trec_fair_2019 import Amortisation, Variant

MOST_FAULTS = 20  # shown of one run


@click.command(name="trec-fair-2019", epilog="Exit codes: 0 done, 2 wrong usage, 3 bad input or a run with faults.")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--sequences", required=True, metavar="FILE", help="The sequences of queries: CSV lines seq.num,qid.")
@click.option("--truth", required=True, metavar="FILE", help="The ground truth: JSON lines with qid and documents.")
@click.option(
    "--groups",
    multiple=True,
    metavar="FILE",
    help="The authors' groups: CSV lines docid,label,label,... with one label for each author; may be repeated.",
)
@click.option(
    "--variant",
    type=click.Choice(["track", "paper"]),
    default="track",
    show_default=True,
    help="Unfairness as the track's program computed it, or as its paper prints it.",
)
@click.option(
    "--amortisation",
    type=click.Choice(["micro", "macro"]),
    default="micro",
    show_default=True,
    help="Over a whole sequence, or over the repetitions of each query and then the mean.",
)
@click.option("--shares", is_flag=True, help="Print each group's share of exposure and of relevance too.")
@click.option("--validate", is_flag=True, help="Only check the runs, and list their faults; needs no --groups.")
@options.per_query
@options.reported()
def command(runs: tuple[str, ...], sequences: str, truth: str, groups: tuple[str, ...], **chosen: Any) -> None:
    """Print the utility of each RUN, and its unfairness by each group file, in the mean over the sequences.

    A RUN holds JSON lines {"q_num": "seq.num", "qid": ..., "ranking": [docid, ...]}, one for each request of the
    sequences. Files may be compressed with gzip, bzip2 or Zstandard.

    \b
    fairtrec trec-fair-2019 --sequences seq.csv --truth truth.jsonl \\
        --groups level.csv --groups h-index.csv my-run.jsonl
    """
    from fairtrec.errors import UsageError
    from fairtrec.formats import trec_fair

    validate, form, output = (chosen.pop(name) for name in ("validate", "form", "output"))
    view = {name: chosen.pop(name) for name in ("per_query", "places")}
    if not groups and not validate:
        raise UsageError("unfairness needs the groups of authors; give --groups FILE, or --validate to check the runs")
    options.refuse_output(output, *runs, sequences, truth, *groups)
    wanted = trec_fair.truth(truth)
    asked = trec_fair.requests(sequences, wanted)
    if validate:
        _validate(runs, asked, wanted)
        return
    authors = {path: trec_fair.authors(path, wanted) for path in groups}
    options.write(_result(runs, asked, wanted, authors, **chosen), form, output, **view)


def _result(
    runs: tuple[str, ...],
    requests: "Requests",
    truth: "Truth",
    authors: "dict[str, Authors]",
    *,
    variant: "Variant",
    amortisation: "Amortisation",
    shares: bool,
) -> "Result":
    import numpy as np

    from fairtrec.api import Result
    from fairtrec.errors import UsageError
    from fairtrec.evaluation import Scores
    from fairtrec.formats import source, trec_fair
    from fairtrec.measures.trec_fair_2019 import TREC19Share, TREC19Unfairness, TREC19Utility
    from fairtrec.signature import short, signature
    from fairtrec.version import __version__

    utility = TREC19Utility(amortisation=amortisation)
    of_groups: list[tuple[Any, Authors]] = []
    for each in authors.values():
        if any(each.name == other.name for _, other in of_groups):
            raise UsageError(f"two group files are called {each.name}, and measures go by these names; rename one")
        own: dict[str, Any] = {"variant": variant, "amortisation": amortisation, "labels": each.name}
        of_groups.append((TREC19Unfairness(**own), each))
        for of in ("exposure", "relevance") if shares else ():
            of_groups += [(share, each) for share in TREC19Share(of=of, **own).expanded(each.groups)]
    scores = []
    for path in runs:
        placed = trec_fair.placed(trec_fair.rankings(path), requests, truth)
        values = [utility(placed), *(measure(placed, each) for measure, each in of_groups)]
        remarks = [
            f"{measure}: {measure.remark(placed, each)}"
            for measure, each in of_groups
            if isinstance(measure, TREC19Unfairness)
        ]
        measures = (utility, *(measure for measure, _ in of_groups))
        scores.append(Scores(path, trec_fair.stem(path), measures, requests.names, np.stack(values), tuple(remarks)))
    files = {"sequences": requests.path, "truth": truth.path, **{f"groups {path}": path for path in authors}}
    names = {part: short(trec_fair.stem(path), source.sha256(path)) for part, path in files.items()}
    choices = {
        "fairtrec": __version__,
        "sequences": names["sequences"],
        "truth": names["truth"],
        "groups": ",".join(names[f"groups {path}"] for path in authors),
        "stop": str(utility.stop),
        "gamma": str(utility.gamma),
        "variant": variant,
        "amortisation": amortisation,
    }
    return Result(
        tuple(scores),
        signature(choices),
        (),
        {part: (str(path), path) for part, path in [*files.items(), *((f"run {run}", run) for run in runs)]},
    )


def _validate(runs: tuple[str, ...], requests: "Requests", truth: "Truth") -> None:
    """Print the faults of each run. Raises InputError if there are any."""
    from fairtrec.errors import InputError

    many = 0
    for run in runs:
        faults = _faults(run, requests, truth)
        shown = list(islice(faults, MOST_FAULTS))
        rest = sum(1 for _ in faults)
        for fault in shown:
            click.echo(str(fault))
        if rest:
            click.echo(f"{run}: {rest} more faults")
        many += len(shown) + rest
    if many:
        raise InputError(f"{many} fault{'s' * (many > 1)} found; correct the runs and check again")
    click.echo(f"no faults in {len(runs)} run{'s' * (len(runs) > 1)}, {len(requests.query)} rankings each")


def _faults(run: str, requests: "Requests", truth: "Truth") -> "Iterator[InputError]":
    from fairtrec.errors import InputError
    from fairtrec.formats import trec_fair

    try:
        yield from trec_fair.faults(trec_fair.rankings(run), requests, truth)
    except InputError as fault:  # a line that cannot be read hides all others
        yield fault
