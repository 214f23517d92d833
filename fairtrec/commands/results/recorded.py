"""``--values``: files of values of queries in the place of runs, for the commands that compare values."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairtrec.cli import options, printing
from fairtrec.cli.commands import Titled
from fairtrec.support.files.arguments import add_run, expand_runs

if TYPE_CHECKING:
    from fairtrec.evaluation.answers.result import Result

values = click.option(
    "--values",
    is_flag=True,
    help="The files hold values of queries, not runs: of trec_eval -q, ir_measures -q, CSV, ours.",
)


class OfValues(Titled):
    """A command for which one file is enough if an option says what the files are, as ``--values`` does."""

    without_qrels: tuple[str, ...] = ("--values",)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Ask for runs unless the files are of something else."""
        runs = next(each for each in self.params if each.name == "runs")
        runs.required = not {*self.without_qrels}.intersection(args)
        return super().parse_args(ctx, args)


def read_recorded(
    files: Sequence[str],
    measures: Sequence[str],
    baselines: Sequence[str],
    heeded: Sequence[str],
    output: Path | None,
    *read: str | None,
) -> "tuple[Result, str | list[str] | None]":
    """Read files of values, and name the baselines. Raises UsageError for an option that is not heeded beside them."""
    from fairtrec.commands.results.named_values import read_values

    always = ("values", "qrels", "runs", "measures", "baseline", "output")
    options.refuse_others("--values reads values from files and evaluates no run", *heeded, *always)
    several = expand_runs(files)
    asked = list(baselines)
    for number, baseline in enumerate(baselines):
        if baseline not in several and baseline != "all":
            asked[number], several = add_run(several, baseline)
    printing.refuse_output(output, *read, *files, several)
    return read_values(several, " ".join(measures) or None), "all" if asked == ["all"] else asked or None
