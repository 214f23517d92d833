"""``fairtrec replay``: evaluate again what a results file holds, and compare."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairtrec.cli import options, printing
from fairtrec.cli.commands import Titled, say
from fairtrec.cli.diff import EXITS, refuse_tolerance, tolerance
from fairtrec.report.writers import DIFFERENCES

if TYPE_CHECKING:
    from fairtrec.answers.result import Result
    from fairtrec.replay.results import RecordedResult


@click.command(name="replay", cls=Titled, epilog=EXITS)
@click.argument("file", metavar="RESULTS.json")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Where relative paths start.  [default: the working directory]",
)
@click.option("--accept", is_flag=True, help="Go on though values of its measures have changed since.")
@tolerance
@options.Shared(report=DIFFERENCES, beside=[options.output])
def command(file: str, root: Path | None, *, accept: bool, tolerance: float, form: str, output: Path | None) -> int:
    """Evaluate again from the inputs that RESULTS.json names, and tell what differs: nothing should, to the last bit.

    Each input must have the sha256 that was recorded.
    """
    from fairtrec.replay import difference, replaying, results

    refuse_tolerance(tolerance)
    recorded = results.read_results(file)
    names = [each.name for each in recorded.inputs.values()]
    printing.refuse_output(output, file, *(str((root or Path()) / path) for path in names))
    with printing.progress():
        again = _sliced(replaying.evaluate(recorded, root, accept=accept), recorded, root)
    found = difference.between(recorded, _as_recorded(again, recorded), tolerance)
    printing.write(DIFFERENCES, form, found, output, names=(file, "replayed"))
    changed = difference.changed(recorded.measures, again.signature, recorded.signature) if accept else ()
    accepted = [f"accepted: {each.measure}: {each.why}" for each in changed]
    if accept:
        say(f"# {'; '.join(accepted) or 'nothing to accept: the values of no measure have changed since'}")
    for line in difference.remark(found.versions, ("then", "now")):
        say(f"# {line}")
    if found.same:
        what = "query by query" if any(run.queries for run in recorded.runs) else "in the mean"
        say(f"# the same {what}: {', '.join(recorded.measures)}")
    return 0 if found.same else 1


def _sliced(again: "Result", recorded: "RecordedResult", root: Path | None) -> "Result":
    """Name the slices and the intervals that there were; their means are those of the queries that are compared."""
    from fairtrec.answers.result import Part
    from fairtrec.comparison.slices import Slices
    from fairtrec.replay.replaying import found

    part = Part("slices")
    slices = Slices.of(found(recorded, part, root)) if part in recorded.inputs else None
    again = again if slices is None else slices.noted(again)
    asked = re.fullmatch(r"(t|percentile|bca)/(0?\.\d+)", recorded.signature.get("interval", ""))
    if asked is None:
        return again
    method: Any = asked[1]
    return again.with_confidence(float(asked[2]), slices, interval=method)


def _as_recorded(again: "Result", recorded: "RecordedResult") -> Any:
    """Write and read the result, so that both sides of the comparison have gone the same way."""
    from fairtrec.replay import results
    from fairtrec.report.writers import RESULTS

    written = RESULTS("json", again, per_query=any(run.queries for run in recorded.runs))
    return results.parse(written.encode("utf-8", "surrogateescape"), "replayed")
