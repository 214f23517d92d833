"""``fairtrec replay``: evaluate again what a results file holds, and compare."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairtrec.cli import options
from fairtrec.cli.diff import EXITS, refuse_tolerance, tolerance

if TYPE_CHECKING:
    from fairtrec.api import Result
    from fairtrec.results import Results


@click.command(name="replay", epilog=EXITS)
@click.argument("file", metavar="RESULTS.json")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Where relative paths start.  [default: the working directory]",
)
@tolerance
@options.reported(("text", "json"), "text", places=False)
def command(file: str, root: Path | None, tolerance: float, form: str, output: Path | None) -> int:
    """Evaluate again from the inputs that RESULTS.json names, and tell what differs: nothing, to the last bit.

    Each input must have the sha256 that was recorded.
    """
    from fairtrec import difference, replaying, report, results
    from fairtrec.cli.bar import progress
    from fairtrec.report import differences

    refuse_tolerance(tolerance)
    recorded = results.read(file)
    options.refuse_output(output, file, *(str((root or Path()) / path) for path, _ in recorded.inputs.values()))
    with progress():
        again = replaying.evaluate(recorded, root)
    found = difference.between(recorded, _as_recorded(again, recorded), tolerance)
    report.emit({"text": differences.text, "json": differences.json}[form](found, (file, "replayed")), output)
    if found.same:
        what = "query by query" if any(run.queries for run in recorded.runs) else "in the mean"
        click.echo(f"# the same {what}: {', '.join(recorded.measures)}", err=True)
    return 0 if found.same else 1


def _as_recorded(again: "Result", recorded: "Results") -> Any:
    """Write and read the result, so that both sides of the comparison have gone the same way."""
    from fairtrec import results
    from fairtrec.report import records

    written = records.json(again, per_query=any(run.queries for run in recorded.runs), summary=True, places=17)
    return results.parse(written.encode("utf-8", "surrogateescape"), "replayed")
