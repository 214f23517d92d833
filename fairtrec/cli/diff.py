"""``fairtrec diff``: what tells two results files apart."""

import math
from pathlib import Path

import click

from fairtrec.cli import options, printing
from fairtrec.cli.commands import Titled, say
from fairtrec.report.writers import DIFFERENCES

EXITS = "Exit codes: 0 the same, 1 different, 2 wrong usage, 3 bad input."
tolerance = click.option(
    "--tolerance",
    type=click.FloatRange(0),
    default=0.0,
    show_default=True,
    help="Treat values that differ by no more than this as the same.",
)


def refuse_tolerance(value: float) -> None:
    """Raise UsageError for nan, which click takes for a number from 0 on, and which no difference is above."""
    from fairtrec.errors import UsageError

    if math.isnan(value):
        raise UsageError("the tolerance is nan; it is 0 or more, like 1e-6")


@click.command(name="diff", cls=Titled, epilog=EXITS)
@click.argument("one", metavar="A.json")
@click.argument("other", metavar="B.json")
@tolerance
@options.Shared(report=DIFFERENCES, beside=[options.output])
def command(one: str, other: str, tolerance: float, form: str, output: Path | None) -> int:
    """Tell what differs between two files that `fairtrec eval -f json` wrote: choices, inputs, values.

    Inputs are told apart by their sha256, not by their place; values are compared for each query if both files have
    them (-q), and in the mean.
    """
    from fairtrec.replay import difference, results

    refuse_tolerance(tolerance)
    printing.refuse_output(output, one, other)
    found = difference.between(results.read_results(one), results.read_results(other), tolerance)
    printing.write(DIFFERENCES, form, found, output, names=(one, other))
    for line in difference.remark(found.versions, (f"in {one}", f"in {other}")):
        say(f"# {line}")
    return 0 if found.same else 1
