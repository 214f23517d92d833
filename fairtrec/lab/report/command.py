"""``fairtrec report``: a whole study of runs on one page."""

from pathlib import Path
from typing import Any

import click

from fairtrec.cli import options, printing
from fairtrec.cli.commands import Titled, write_stderr
from fairtrec.support.errors import InputError


@click.command(name="report", cls=Titled, epilog=options.EXITS)
@click.option(
    "-o",
    "--output",
    required=True,
    type=options.FOLDER_PATH,
    metavar="FOLDER",
    help="Write report.html and report.json to FOLDER.",
)
@click.option(
    "--baseline",
    metavar="RUN",
    help="The run to compare with: a file, or the name of a RUN.  [default: the first]",
)
@options.gold
@options.into_folder
@click.option("--keep-going", is_flag=True, help="Exit with 0 also if a part of the report failed.")
@options.Shared(evaluates="report")
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    output: Path,
    *,
    baseline: str | None,
    force: bool,
    keep_going: bool,
    **given: Any,
) -> int:
    """Run every test that the inputs allow on the RUNs, and write the answers on one page.

    QRELS, RUN and the options that commands share are as for `fairtrec eval`. The parts are validate, eval with
    intervals, eval --bounds, compare, headroom, ablate, and eval --gold. The page begins with the boxes Write and Do
    not write: what a paper can claim of these runs, and what not. It lists the parts that were left out, with the
    reason. `fairtrec results replay FOLDER/report.json` runs each part again.

    \b
    fairtrec report qrels.txt bm25.run neural.run -m 'nDCG@10 NFaiRR@10' --terms gender-en --docs collection.tsv \\
        --background background.run -o study/
    """
    from fairtrec.lab.report.report import study
    from fairtrec.support.files.atomic import refuse_full_folder

    refuse_full_folder(output, force=force)
    written = [output / name for name in ("report.html", "report.json")] if output.is_dir() else []
    files = printing.name_run_files(runs, written, qrels, *given.values())
    found = study(
        list(measures) or None,
        files,
        qrels=qrels,
        folder=output,
        baseline=baseline,
        force=force,
        watch=write_stderr,
        **given,
    )
    click.echo(f"done: {', '.join(found.parts)}")
    for left in found.not_done:
        click.echo(f"not done: {left.part}: {left.why}")
    click.echo(f"{output / 'report.html'} and {output / 'report.json'} are written")
    return InputError.exit_code if found.has_failed and not keep_going else 0
