"""``fairtrec demo``: evaluate the bundled example, or copy its files."""

from pathlib import Path

import click

from fairtrec.cli import options
from fairtrec.cli.commands import under

RUNS = "bm25.run", "neural.run", "fair.run"
MEASURES = "nDCG@10 P@5 NFaiRR@10 ARaB(mag=tf)@10 TExFAIR@10"


@click.command(name="demo", cls=under("Options", "target"), epilog=options.EXITS)
@click.option(
    "--copy", "target", metavar="FOLDER", help="Copy the files of the example into a new or empty folder instead."
)
def command(target: str | None) -> int:
    """Evaluate the bundled example: twelve queries, three systems, passages that speak of women and men.

    \b
    fairtrec demo
    fairtrec demo --copy example     # then: cd example, in which the commands of README.md and docs/ run
    """
    from fairtrec.resources.passports import root

    example = root() / "example"
    if target is not None:
        _copy(example, Path(target))
        return 0
    from fairtrec.cli import eval as of_eval

    given = ["--terms", "gender-en", "--docs", "collection.tsv", "--background", "background.run"]
    click.echo(f"# fairtrec eval qrels.txt {' '.join(RUNS)} {' '.join(given)} -m '{MEASURES}'", err=True)
    click.echo("# on files of its own, which --copy FOLDER copies", err=True)
    files = [str(example / name) if (example / name).is_file() else name for name in ("qrels.txt", *RUNS, *given)]
    with of_eval.command.make_context("eval", [*files, "-m", MEASURES, "-f", "table"]) as context:
        code: int = of_eval.command.invoke(context)
        return code


def _copy(example: Path, target: Path) -> None:
    """Copy a folder, whole or not at all. Raises UsageError if the target is there already, unless it is empty."""
    import shutil
    import tempfile

    from fairtrec.errors import UsageError

    here = target.is_dir()
    if target.exists() and not (here and not any(target.iterdir())):
        raise UsageError(f"{target} is there already; name a folder that is empty, or is not there yet")
    if not target.parent.is_dir():
        raise UsageError(f"there is no folder {target.parent}; make it, or name another")
    with tempfile.TemporaryDirectory(dir=target if here else target.parent) as inside:
        made = Path(inside) / "example"
        shutil.copytree(example, made)
        if here:  # it stays the folder that a shell stands in
            for path in made.iterdir():
                path.rename(target / path.name)
        else:
            made.rename(target)
    go = "" if target.resolve() == Path.cwd() else f"cd {target}; "
    click.echo(f"{target} holds the example; try: {go}fairtrec eval qrels.txt bm25.run -m nDCG@10", err=True)
