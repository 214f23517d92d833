"""``fairtrec validate``: find all that is wrong with runs."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairtrec.cli import options, printing
from fairtrec.cli.commands import TYPED, Titled, write_stderr
from fairtrec.commands.validate import FINDINGS
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.files.atomic import write_together
from fairtrec.support.literals import Severity, Track

if TYPE_CHECKING:
    from fairtrec.commands.validate.run_check import Checked

OF_TRACK = {"trec-fair-2019": ("sequences", "truth")}
OF_KNOWN = ("qrels", "queries", "docs", "docnos")
OF_TREC = (*OF_KNOWN, "due", "fix", "columns")


@click.command(
    name="validate",
    cls=Titled,
    epilog="Exit codes: 0 no errors, 2 wrong usage, 3 errors, 4 a resource is missing.",
)
@click.argument("runs", nargs=-1, metavar="RUN...")
@click.option(
    "--qrels",
    metavar="FILE|ID",
    help="The qrels: the run should have each of their queries, and may have more.",
)
@click.option("--queries", metavar="NAME|FILE", help="The wanted queries: a query set by name, or a file of query ids.")
@click.option("--docs", metavar="FILE|ID", help="The collection: TSV or JSON lines, or an ir_datasets id.")
@click.option("--docnos", metavar="FILE", help="The collection as a list, a docno on each line.")
@click.option("--due", type=click.IntRange(min=1), metavar="N", help="Report queries that do not have N documents.")
@options.CHOSEN["run_format"]
@options.CHOSEN["columns"]
@options.word("--track", of=Track, help="The form of the runs; trec-fair-2019 needs --sequences and --truth.")
@click.option("--sequences", metavar="FILE", help="The sequences of queries of trec-fair-2019.")
@click.option("--truth", metavar="FILE", help="The ground truth of trec-fair-2019.")
@click.option("--fix", metavar="OUT", type=click.Path(), help="Write the run, repaired; several to the folder OUT.")
@options.into_folder
@options.word("--fail-on", of=Severity, help="With warning, also exit with 3 on warnings.")
@click.option("--all", "everything", is_flag=True, help="Show every finding, not the first 20 of each code in a file.")
@click.option("-v", "--verbose", is_flag=True, help="Print each query's findings on lines of their own.")
@options.Shared(report=FINDINGS, what="github: annotations of a workflow.", beside=[])
@click.option("--codes", is_flag=True, help="Print the table of all codes, and do nothing else.")
@options.add_untrusted_options
def command(runs: tuple[str, ...], form: str, *, fail_on: Severity, codes: bool, track: str, **given: Any) -> None:
    """Check each RUN and print every error as file:line: CODE message.

    A RUN is a file, compressed or not, a folder, a pattern, or @LIST, a file that names runs. Codes with E are errors,
    those with W warnings.

    \b
    fairtrec validate bm25.run neural.run --qrels qrels.txt --docs collection.tsv
    fairtrec validate neural.run --fix mended.run
    """
    from fairtrec.cli.runs import list_runs
    from fairtrec.commands.validate.findings import table
    from fairtrec.support.files import arguments

    if codes:
        typed = click.get_current_context().meta.get(TYPED, {})
        if beside := [option for name, option in typed.items() if name != "codes"]:
            raise UsageError(f"--codes only prints a list; leave out {beside[0]}")
        click.echo(table(), nl=False)
        return
    if not runs:
        raise UsageError("no run to check; pass at least one")
    _refuse_others(track, given)
    paths = list_runs(runs)
    bad = 0

    def seen() -> Iterator[tuple["Checked", Path | None]]:
        nonlocal bad
        for checked, place in _checked(paths, arguments.lists(runs), track, given):
            bad += checked.is_bad(place, fail_on)
            yield checked, place

    write = getattr(sys.stdout, "command" * (form == "github"), sys.stdout.write)
    with write_together():
        for line in FINDINGS(form, seen()):
            write(line)
    if bad:
        what = "errors or warnings" if fail_on == "warning" else "errors"
        raise InputError(f"{bad} of {len(paths)} run{'s' * (len(paths) > 1)} with {what}; see above")


def _refuse_others(track: str, given: dict[str, Any]) -> None:
    """Raise UsageError for options that do not go together."""
    needed = OF_TRACK.get(track, ())
    for name in needed:
        if given[name] is None:
            raise UsageError(f"--track {track} needs a file of {name}; add --{name} FILE")
    foreign = OF_TREC if needed else [name for names in OF_TRACK.values() for name in names]
    for name in foreign:
        if given[name]:
            raise UsageError(f"--{name} does not go with --track {track}; leave out one of the two")
    if given["force"] and given["fix"] is None:
        raise UsageError("--force is for a folder of --fix; add --fix FOLDER/, or leave it out")


def _checked(
    paths: list[str], lists: list[str], track: str, given: dict[str, Any]
) -> Iterator[tuple["Checked", Path | None]]:
    """Check one run after the other; with each, where it is written unless an error prevents it."""
    from fairtrec.commands.validate.findings import KEPT
    from fairtrec.commands.validate.run_check import Twins, examine, outputs, write
    from fairtrec.commands.validate.validate import read_expectations, validate_trec_fair
    from fairtrec.formats.column_roles import parse_columns
    from fairtrec.formats.run_forms import FORMS

    most = None if given["everything"] else KEPT
    if track == "trec-fair-2019":
        from fairtrec.formats import trec_fair_files as track_files

        truth = track_files.truth(given["truth"])
        for checked in validate_trec_fair(paths, track_files.requests(given["sequences"], truth), truth, most):
            yield checked, None
        return
    others = [*lists, *(given[name] for name in OF_KNOWN if given[name] is not None)]
    places = {} if given["fix"] is None else outputs(paths, given["fix"], others, force=given["force"])
    with printing.progress():
        known = read_expectations(paths, **{name: given[name] for name in (*OF_KNOWN, "due")})
    for note in known.notes:
        write_stderr(f"# {note}")
    twins = Twins()
    for path in paths:
        with printing.progress():  # which is gone before anything is printed
            checked = examine(path, known, most, given["run_format"], parse_columns(given["columns"]))
            checked.found.is_grouped = not given["verbose"]
            twins.look(checked)
        place = places.get(path)
        if place is not None and (other := FORMS[checked.rows.form].unwritten):
            raise UsageError(f"--fix writes runs, and {path} has {other}; leave it out")
        if place is not None and checked.is_written(place):
            write(checked, place, given["due"])
        yield checked, place
