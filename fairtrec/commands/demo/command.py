"""``fairtrec demo``: evaluate the bundled example, or copy its files."""

from pathlib import Path

import click

from fairtrec.cli import options
from fairtrec.cli.commands import TYPED, Titled, load_command
from fairtrec.support.errors import UsageError

RUNS = "bm25.run", "neural.run", "fair.run"
MEASURES = "nDCG@10 NFaiRR@10 TExFAIR@10"


@click.command(name="demo", cls=Titled, epilog=options.EXITS)
@click.option("--copy", "folder", metavar="FOLDER", help="Copy the files of the example into a folder instead.")
@options.into_folder
@options.verbose
def command(folder: str | None, *, force: bool) -> int:
    """Evaluate the bundled example: twelve queries, three systems, passages that speak of women and men.

    \b
    fairtrec demo
    fairtrec demo --copy example     # then: cd example, where the pages' commands run
    """
    from fairtrec.support.resources.passports import root

    example = root() / "example"
    if folder is not None:
        _copy(example, Path(folder), force=force)
        return 0
    options.refuse_typed("is for --copy FOLDER; add it", "force")
    from fairtrec.cli.printing import MOST_NOTES

    given = ["--terms", "gender-en", "--docs", "collection.tsv", "--background", "background.run"]
    verbose = ["-v"] * ("verbose" in click.get_current_context().meta[TYPED])
    click.echo(f"# fairtrec eval qrels.txt {' '.join(RUNS)} {' '.join(given)} -m '{MEASURES}'", err=True)
    click.echo("# on files of its own, which --copy FOLDER copies", err=True)
    files = [str(example / name) if (example / name).is_file() else name for name in ("qrels.txt", *RUNS, *given)]
    evaluate = load_command("eval")
    with evaluate.make_context("eval", [*files, "-m", MEASURES, "-f", "table", *verbose]) as context:
        context.meta[MOST_NOTES] = 1
        code: int = evaluate.invoke(context)
        return code


def _copy(example: Path, folder: Path, *, force: bool) -> None:
    """Copy a folder, whole or not at all. Raises UsageError for a folder that is not empty, unless ``force`` is set."""
    import shutil

    from fairtrec.support.files.atomic import make_scratch_folder, refuse_full_folder

    here = folder.is_dir()
    refuse_full_folder(folder, force=force)
    if not folder.parent.is_dir():
        raise UsageError(f"there is no folder {folder.parent}; make it, or choose another")
    with make_scratch_folder(folder / "example" if here else folder) as inside:
        made = inside / "example"
        shutil.copytree(example, made)
        if here:  # it stays the folder that a shell stands in
            for path in made.rglob("*"):
                if path.is_file():
                    place = folder / path.relative_to(made)
                    place.parent.mkdir(parents=True, exist_ok=True)
                    path.replace(place)
        else:
            made.rename(folder)
    go = "" if folder.resolve() == Path.cwd() else f"cd {folder}; "
    click.echo(f"{folder} holds the example; try: {go}fairtrec eval qrels.txt bm25.run -m nDCG@10", err=True)
