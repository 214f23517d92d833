"""``fairtrec validate``: find all that is wrong with runs."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from fairtrec.validate import Checked, Known

OF_TRACK = {"trec-fair-2019": ("sequences", "truth")}
OF_TREC = ("qrels", "queries", "docs", "docnos", "depth", "fix")


@click.command(name="validate", epilog="Exit codes: 0 no errors, 2 wrong usage, 3 errors, 4 a resource is missing.")
@click.argument("runs", nargs=-1, metavar="RUN...")
@click.option("--qrels", metavar="FILE|ID", help="The wanted queries are those of these judgements.")
@click.option("--queries", metavar="NAME|FILE", help="The wanted queries: a query set by name, or a file of query ids.")
@click.option("--docs", metavar="FILE|ID", help="The collection: TSV or JSON lines, or an ir_datasets id.")
@click.option("--docnos", metavar="FILE", help="The collection as a list, a docno on each line.")
@click.option("--depth", type=click.IntRange(min=1), metavar="N", help="How many documents are due for each query.")
@click.option(
    "--track",
    type=click.Choice(["trec", "trec-fair-2019"]),
    default="trec",
    show_default=True,
    help="The form of the runs; trec-fair-2019 needs --sequences and --truth.",
)
@click.option("--sequences", metavar="FILE", help="The sequences of queries of trec-fair-2019.")
@click.option("--truth", metavar="FILE", help="The ground truth of trec-fair-2019.")
@click.option(
    "--fix", metavar="OUT", type=click.Path(path_type=Path), help="Write the run, repaired; several to the folder OUT."
)
@click.option("--force", is_flag=True, help="Let --fix replace files.")
@click.option("--strict", is_flag=True, help="End with 3 on warnings too.")
@click.option("--all", "everything", is_flag=True, help="Show every finding, not the first 20 of each code in a file.")
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    show_default=True,
    help="github: annotations of a workflow.",
)
@click.option("--codes", is_flag=True, help="Print the table of all codes, and do nothing else.")
def command(runs: tuple[str, ...], form: str, *, strict: bool, codes: bool, track: str, **given: Any) -> None:
    """Find all that is wrong with each RUN, as file:line: CODE message.

    A RUN is a file, compressed or not, a folder, a pattern, or @LIST, a file that names runs. Codes with E are errors,
    those with W warnings.

    \b
    fairtrec validate submissions/ --queries topics.txt --depth 1000
    fairtrec validate old.run --fix new.run
    """
    from fairtrec import batch
    from fairtrec.errors import InputError, UsageError
    from fairtrec.report import findings
    from fairtrec.validate import repair, table

    if codes:
        click.echo(table(), nl=False)
        return
    if not runs:
        raise UsageError("there is no run to check; name at least one")
    _refuse_others(track, given)
    paths = batch.paths(runs)
    bad = 0
    with findings.writer(form) as show:
        for checked, place in _checked(paths, batch.lists(runs), track, given):
            bad += repair.is_bad(checked, place, strict=strict)
            show(checked, place)
    if bad:
        what = "errors or warnings" if strict else "errors"
        raise InputError(f"{bad} of {len(paths)} run{'s' * (len(paths) > 1)} with {what}; see above")


def _refuse_others(track: str, given: dict[str, Any]) -> None:
    """Raise UsageError for options that do not go together."""
    from fairtrec.errors import UsageError

    needed = OF_TRACK.get(track, ())
    for name in needed:
        if given[name] is None:
            raise UsageError(f"--track {track} needs --{name} FILE")
    foreign = OF_TREC if needed else [name for names in OF_TRACK.values() for name in names]
    for name in foreign:
        if given[name] is not None:
            raise UsageError(f"--{name} does not go with --track {track}; leave out one of the two")
    for one, other in (("qrels", "queries"), ("docs", "docnos")):
        if given[one] is not None and given[other] is not None:
            raise UsageError(f"--{one} and --{other} say the same twice; leave out one of the two")
    if given["force"] and given["fix"] is None:
        raise UsageError("--force is for what --fix writes; add --fix OUT, or leave it out")


def _checked(
    paths: list[str], lists: list[str], track: str, given: dict[str, Any]
) -> Iterator[tuple["Checked", Path | None]]:
    """Check one run after the other; with each, where it is written unless something stands against it."""
    from fairtrec.cli.bar import progress
    from fairtrec.validate import KEPT, repair, validate

    most = None if given["everything"] else KEPT
    if track == "trec-fair-2019":
        from fairtrec.validate import trec_fair

        for checked in trec_fair.validate(paths, given["sequences"], given["truth"], most):
            yield checked, None
        return
    others = [*lists, *(given[name] for name in ("qrels", "queries", "docs", "docnos") if given[name] is not None)]
    places = {} if given["fix"] is None else repair.outputs(paths, given["fix"], others, force=given["force"])
    with progress():
        known = _known(paths, given)
    for path in paths:
        with progress():  # which is gone before anything is printed
            checked = validate(path, known, most)
        place = places.get(path)
        if place is not None and repair.is_written(checked, place):
            repair.write(checked, place)
        yield checked, place


def _known(paths: list[str], given: dict[str, Any]) -> "Known":
    from fairtrec import loading
    from fairtrec.validate import Known, collection

    qids, docnos, example = None, None, ""
    if given["queries"] is not None:
        qids = loading.queries(given["queries"]).qids
    elif given["qrels"] is not None:
        qids = loading.qrels(given["qrels"]).qids
    if given["docs"] is not None:
        docnos, example = collection.of_texts(given["docs"], paths)
    elif given["docnos"] is not None:
        docnos, example = collection.of_list(given["docnos"], paths)
    return Known(qids, docnos, example, given["depth"])
