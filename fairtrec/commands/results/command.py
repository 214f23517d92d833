"""``fairtrec results``: what a results file holds, what tells two apart, or one and what its inputs give today."""

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairtrec.cli import options, printing
from fairtrec.cli.commands import Commands, write_stderr
from fairtrec.commands.results import DIFFERENCES, PARTS, SHOWN
from fairtrec.support.errors import InputError, UsageError

if TYPE_CHECKING:
    from fairtrec.commands.results.difference import Tolerance
    from fairtrec.commands.results.replay import Replayed
    from fairtrec.commands.results.results import RecordedResult
    from fairtrec.support.files.typed_fields import Fields

EXITS = "Exit codes: 0 the same, 1 different, 2 wrong usage, 3 bad input."
SHOWN_BY = {"per_query": "per_query", "summary": "means"}  # the key that each option adds to runs
tolerance = click.option(
    "--tolerance",
    type=click.FloatRange(0),
    metavar="N",
    help="Treat values that differ by no more than N as the same.  [default: those that agree within 1e-12 relative]",
)
exact = click.option("--exact", is_flag=True, help="Compare bits: a difference in the last digit counts.")


def read_tolerance(most: float | None, *, exact: bool) -> "Tolerance":
    """Give what values may differ by.

    Raises UsageError for nan, which click accepts as a number from 0 on, and for a tolerance with ``exact``.
    """
    from fairtrec.commands.results.difference import Tolerance

    if most is not None and math.isnan(most):
        raise UsageError("the tolerance is nan; it is 0 or more, like 1e-6")
    if most is not None and exact:
        raise UsageError("--exact allows no difference; leave out --tolerance, or --exact")
    return Tolerance(most or 0.0, exact)


@click.group(name="results", cls=Commands)
def command() -> None:
    """Show, compare or evaluate again the JSON files that fairtrec writes."""


@command.command(epilog=EXITS)
@click.argument("one", metavar="A.json")
@click.argument("other", metavar="B.json")
@tolerance
@exact
@options.Shared(report=DIFFERENCES, beside=[options.output])
def diff(one: str, other: str, *, tolerance: float | None, exact: bool, form: str, output: Path | None) -> int:
    """Show what differs between two files that `fairtrec eval -f json` wrote: choices, inputs, values.

    Inputs are compared by their sha256, not by their place. Runs of other names are matched by sha256. Values are
    compared for each query if both files have them (-q), and in the mean. Values that agree within 1e-12 relative are
    the same, and are counted.
    """
    from fairtrec.commands.results import difference

    allowed = read_tolerance(tolerance, exact=exact)
    printing.refuse_output(output, one, other)
    found = difference.compare_results(read_compared(one), read_compared(other), allowed)
    printing.write(DIFFERENCES, form, found, output, names=(one, other))
    sides = (f"in {one}", f"in {other}")
    for line in (*difference.note_renamed(found.renamed), *difference.note_versions(found.versions, sides)):
        write_stderr(f"# {line}")
    return 0 if found.same else 1


def read_compared(file: str) -> "RecordedResult":
    """Read a results file. Raises InputError for the answer of another command too, with what takes that."""
    from fairtrec.commands.results import results
    from fairtrec.commands.results.parts import can_replay

    document = results.read_document(file)
    if command := results.name_other_command(document):
        again = f"to compute it again, type: fairtrec results replay {file}"
        what = f"this is the JSON of {command}, and diff compares files of `fairtrec eval -f json`"
        raise InputError(f"{what}; {again if can_replay(document) else 'pass two of these'}", file)
    return results.parse_document(document)


root = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Look for inputs in this folder and all folders in it.  [default: the folder of the file]",
)


@command.command(epilog="Exit codes: 0 done, 2 wrong usage, 3 bad input.")
@click.argument("file", metavar="RESULTS.json")
@root
@options.Shared(report=SHOWN, beside=[options.output])
def show(file: str, root: Path | None, *, form: str, output: Path | None) -> int:
    """Show what a JSON file of fairtrec holds: values, notes, the whole signature, and where its inputs are today.

    Inputs that were renamed or moved are found by their sha256. Nothing else is verified, as only `fairtrec results
    replay` computes values again.
    """
    from fairtrec.commands.results import results
    from fairtrec.commands.results.show import show_file

    printing.refuse_output(output, file)
    printing.write(SHOWN, form, show_file(results.read_document(file), list_starts(file, root)), output)
    return 0


@command.command(epilog=EXITS)
@click.argument("file", metavar="RESULTS.json")
@root
@click.option("--accept", is_flag=True, help="Go on though values of its measures have changed since.")
@tolerance
@exact
@options.Shared(report=DIFFERENCES, beside=[options.output])
def replay(
    file: str,
    root: Path | None,
    *,
    accept: bool,
    tolerance: float | None,
    exact: bool,
    form: str,
    output: Path | None,
) -> int:
    """Evaluate again from the inputs listed in RESULTS.json, and show any difference.

    RESULTS.json is the JSON of `fairtrec eval`, compare or check, or the report.json of `fairtrec report`. Inputs that
    were renamed or moved are found by their sha256. Values that agree within 1e-12 relative are the same, and are
    counted.
    """
    from fairtrec.commands.results import moved_inputs, results
    from fairtrec.commands.results.parts import read_inputs, refuse_unreplayed

    allowed = read_tolerance(tolerance, exact=exact)
    document = results.read_document(file)
    refuse_unreplayed(document)
    recorded = None if results.name_other_command(document) else results.parse_document(document)
    inputs = read_inputs(document) if recorded is None else recorded.inputs
    starts = list_starts(file, root)
    names = [str(start / each.name) for start in starts for each in inputs.values()]
    printing.refuse_output(output, file, *names)
    states = moved_inputs.locate_inputs(inputs, starts, starts[0])
    printing.refuse_output(output, *(str(state.place) for state in states if state.place is not None))
    for line in moved_inputs.describe_moves(states):
        write_stderr(f"# {line}")
    with moved_inputs.put_in_place(states, starts, file if recorded is not None else None) as found:
        place = None if found == Path() else found
        if recorded is None:
            return _replay_answers(document, inputs, place, allowed, form, output, file)
        return _replay_result(document, recorded, place, allowed, form, output, file, accept=accept)


def list_starts(file: str, root: Path | None) -> list[Path]:
    """List where relative paths may start: in the folder asked for, or in that of the file and in the present one."""
    return [root] if root is not None else list(dict.fromkeys([Path(file).parent, Path()]))


def _replay_result(
    document: "Fields",
    recorded: "RecordedResult",
    root: Path | None,
    allowed: "Tolerance",
    form: str,
    output: Path | None,
    file: str,
    *,
    accept: bool,
) -> int:
    """Evaluate the runs of a results file again, and show any difference."""
    from fairtrec.commands.results import difference, entries, replay, results

    with printing.progress():
        again = replay.evaluate(recorded, root, accept=accept)
    now = _write_again(again, document, recorded)
    found = difference.compare_results(recorded, results.parse_document(now), allowed)
    then, today = (entries.take_other_entries(each.values) for each in (document, now))
    found = replace(found, others=entries.compare_entries(then, today, allowed).entries)
    printing.write(DIFFERENCES, form, found, output, names=(file, "replayed"))
    signature = again.result.signature
    changed = difference.find_changed_versions(recorded.measures, signature, recorded.signature) if accept else ()
    accepted = [f"accepted: {each.measure}: {each.why}" for each in changed]
    if accept:
        write_stderr(f"# {'; '.join(accepted) or 'nothing to accept: the values of no measure have changed since'}")
    for line in difference.note_versions(found.versions, ("then", "now")):
        write_stderr(f"# {line}")
    if found.same:
        what = "query by query" if any(run.queries for run in recorded.runs) else "in the mean"
        write_stderr(f"# the same {what}, and in notes and all other numbers: {', '.join(recorded.measures)}")
    return 0 if found.same else 1


def _replay_answers(
    document: "Fields", inputs: Any, root: Path | None, allowed: "Tolerance", form: str, output: Path | None, file: str
) -> int:
    """Run each command of a file again, and show any difference."""
    from fairtrec.commands.results.parts import WAY_OUT, replay_parts

    options.refuse_typed("is for files of `fairtrec eval`", "accept")
    document = replace(document, way_out=WAY_OUT)
    with printing.progress():
        found = replay_parts(document, inputs, root, allowed)
    printing.write(PARTS, form, found, output, names=(file, "replayed"))
    if found.same:
        write_stderr(f"# the same in {found.compared} values: {', '.join(found.parts)}")
    return 0 if found.same else 1


def _write_again(again: "Replayed", document: "Fields", recorded: "RecordedResult") -> "Fields":
    """Write and read the result, so that both sides of the comparison have gone the same way; files keep their names.

    Raises InputError for runs that are sorted by another measure than those of the file.
    """
    from fairtrec.measures.catalogue import registry
    from fairtrec.report.recorded_paths import rename_paths
    from fairtrec.report.writers import RESULTS
    from fairtrec.support.files.typed_fields import parse_json

    runs = [run.values for run in document.objects("runs")]
    shown: dict[str, Any] = {name: any(key in run for run in runs) for name, key in SHOWN_BY.items()}
    if sort := document.take_optional("sort", str):
        if sort not in recorded.measures:
            document.refuse("must be one of the measures", "sort")
        (shown["sort"],) = registry.parse(sort)
    written: str = RESULTS("json", again.result, **shown, **again.view)
    now = parse_json(written.encode("utf-8", "surrogateescape"), "replayed", "")
    places = {part: now.values["inputs"][str(part)]["path"] for part in recorded.inputs}
    names = {place: recorded.inputs[part].name for part, place in places.items()}
    return replace(now, values=rename_paths(now.values, names))
