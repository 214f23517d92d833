"""``fairtrec rbo``: how alike runs rank."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairtrec.cli import options

if TYPE_CHECKING:
    from fairtrec.rbo import Compared, Form

FORMS = ("table", "tsv", "csv", "json")


@click.command(name="rbo", epilog=options.EXITS)
@click.argument("runs", nargs=-1, required=True, metavar="RUN RUN...")
@click.option("-p", type=float, default=0.9, show_default=True, metavar="P", help="How likely the next rank is read.")
@click.option("--depth", type=click.IntRange(min=1), metavar="N", help="Cut rankings after rank N.")
@click.option(
    "--form",
    "which",
    type=click.Choice(["ext", "min", "res", "trunc"]),
    default="ext",
    show_default=True,
    help="Extrapolated; the least it can be; how much more it can be (the residual); truncated.",
)
@click.option("--baseline", metavar="RUN", help="Compare each RUN with this one, not each with each.")
@click.option("-c", "--complete", is_flag=True, help="Count queries that one run lacks as empty rankings.")
@options.per_query
@options.reported(FORMS, default="table")
def command(runs: tuple[str, ...], which: "Form", form: str, output: Path | None, places: int, **given: Any) -> None:
    """Compare the rankings of runs: rank-biased overlap, in the mean over the queries that both runs have.

    Two RUNs give one number, several the matrix of all pairs. A RUN is a file, a folder, a pattern, or @LIST.

    \b
    fairtrec rbo bm25.run bert.run -q
    """
    from fairtrec import batch, report
    from fairtrec.cli.bar import progress
    from fairtrec.errors import plain
    from fairtrec.report import overlaps
    from fairtrec.signature import signature
    from fairtrec.version import __version__

    paths, baseline = batch.paths(runs), given["baseline"]
    options.refuse_output(output, *paths, *batch.lists(runs), baseline)
    with progress():
        results = _compared(paths, which, given)
    choices = {"fairtrec": __version__, "rbo": which, "p": f"{given['p']:g}", "order": "score"}
    if given["depth"] is not None:
        choices["depth"] = str(given["depth"])
    per_query = given["per_query"]
    remarks = [*overlaps.remarks(results), signature(choices)]
    if form == "json":
        text = overlaps.json(results, remarks[-1], per_query=per_query)
    elif form == "table":
        square = paths if baseline is None and len(paths) > 2 and not per_query else []
        text = overlaps.table(results, square, places, per_query=per_query)
    else:
        text = overlaps.delimited(results, form, places, per_query=per_query)
    report.emit(text, output)
    for line in remarks if form != "json" else remarks[:-1]:
        click.echo(f"# {plain(line)}", err=True)


def _compared(paths: list[str], which: "Form", given: dict[str, Any]) -> list["Compared"]:
    from itertools import combinations

    from fairtrec.errors import InputError, UsageError
    from fairtrec.formats import run
    from fairtrec.rbo import compared

    baseline = given["baseline"]
    several = paths if baseline is None else [baseline, *(path for path in paths if path != baseline)]
    if len(several) < 2:
        raise UsageError("RBO compares runs; name at least two, or one and --baseline RUN")
    loaded = [run.read(path, depth=given["depth"]) for path in several]
    pairs = list(combinations(range(len(loaded)), 2))
    if baseline is not None:
        pairs = [(i, 0) for i in range(1, len(loaded))]
    results = list(compared(loaded, pairs, given["p"], which, complete=given["complete"]))
    for result in results:
        if not result.qids:
            raise InputError(f"this run and {result.second} have no query in common; check the ids", result.first)
    return results
