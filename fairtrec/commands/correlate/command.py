"""``fairtrec rbo``: how alike runs rank."""

from pathlib import Path
from typing import Any

import click

from fairtrec.cli import options, printing
from fairtrec.cli.commands import Titled
from fairtrec.cli.runs import name_runs
from fairtrec.commands.correlate import OVERLAPS
from fairtrec.support.files.arguments import add_run
from fairtrec.support.literals import Extrapolation


@click.command(name="rbo", cls=Titled, epilog=options.EXITS)
@click.argument("runs", nargs=-1, required=True, metavar="RUN RUN...")
@click.option("-p", type=float, default=0.9, metavar="P", help="How likely a reader goes on to the next rank.")
@click.option("--depth", type=click.IntRange(min=1), metavar="N", help="Cut rankings after rank N.")
@options.word(
    "--form",
    "which",
    of=Extrapolation,
    help="Extrapolated, the least that it can be, how much more it can be (the residual), or truncated.",
)
@options.CHOSEN["run_format"]
@click.option("--baseline", metavar="RUN", help="Compare each RUN with this one, instead of all pairs.")
@click.option("-c", "--complete", is_flag=True, help="Count queries that one run lacks as empty rankings.")
@options.VIEWED["per_query"]
@options.Shared(report=OVERLAPS)
def command(runs: tuple[str, ...], form: str, output: Path | None, **given: Any) -> None:
    """Compare the rankings of runs: rank-biased overlap, in the mean over the queries that both runs have.

    Two RUNs give one number, several the matrix of all pairs. A RUN is a file, a folder, a pattern, or @LIST.

    \b
    fairtrec rbo bm25.run neural.run -q
    """
    from fairtrec.commands.correlate.overlaps import rbo

    files = name_runs(runs)
    asked: str | None = given.pop("baseline")
    baseline, every = (asked, files) if asked is None or asked in files else add_run(files, asked)
    printing.refuse_output(output, *runs, every)
    view = {name: given.pop(name) for name in ("per_query", "places")}
    given["form"] = given.pop("which")
    with printing.progress():
        found = rbo(every, baseline, **given)
    printing.write(OVERLAPS, form, found, output, **view)
