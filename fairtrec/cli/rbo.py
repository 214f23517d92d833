"""``fairtrec rbo``: how alike runs rank."""

from collections.abc import Iterator
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
    from fairtrec.signature import signature
    from fairtrec.version import __version__

    paths, baseline = batch.paths(runs), given["baseline"]
    options.refuse_output(output, *paths, baseline)
    with progress():
        results = _compared(paths, which, given)
    choices = {"fairtrec": __version__, "rbo": which, "p": f"{given['p']:g}", "order": "score"}
    if given["depth"] is not None:
        choices["depth"] = str(given["depth"])
    remarks = [*_left_out(results), signature(choices)]
    if form == "json":
        text = _json(results, remarks[-1], per_query=given["per_query"])
    elif form == "table":
        square = paths if baseline is None and len(paths) > 2 and not given["per_query"] else []
        text = _table(results, square, places, per_query=given["per_query"])
    else:
        text = _delimited(results, places, "\t" if form == "tsv" else ",", per_query=given["per_query"])
    report.emit(text, output)
    for line in remarks if form != "json" else remarks[:-1]:
        click.echo(f"# {line}", err=True)


def _compared(paths: list[str], which: "Form", given: dict[str, Any]) -> list["Compared"]:
    from itertools import combinations

    from fairtrec.errors import InputError, UsageError
    from fairtrec.formats import run
    from fairtrec.rbo import compared

    several = paths if given["baseline"] is None else [given["baseline"], *paths]
    if len(several) < 2:
        raise UsageError("RBO compares runs; name at least two, or one and --baseline RUN")
    loaded = [run.read(path, depth=given["depth"]) for path in several]
    pairs = list(combinations(range(len(loaded)), 2))
    if given["baseline"] is not None:
        pairs = [(i, 0) for i in range(1, len(loaded))]
    results = list(compared(loaded, pairs, given["p"], which, complete=given["complete"]))
    for result in results:
        if not result.qids:
            raise InputError(f"this run and {result.second} have no query in common; check the ids", result.first)
    return results


def _left_out(results: list["Compared"]) -> Iterator[str]:
    """Say which pairs are compared over fewer queries than they have."""
    fewer = [result for result in results if result.left_out]
    if not fewer:
        return
    first = fewer[0]
    one = first.left_out == 1
    queries = f"{first.left_out} {'query' if one else 'queries'} that {first.first} or {first.second} lacks"
    more = f", and the like in {len(fewer) - 1} other pairs" if len(fewer) > 1 else ""
    yield f"{queries} {'is' if one else 'are'} left out{more}; --complete counts these as empty rankings"


def _rows(results: list["Compared"], places: int, *, per_query: bool) -> Iterator[tuple[str, str, str, str]]:
    for result in results:
        if per_query:
            for qid, value in zip(result.qids, result.values.tolist(), strict=True):
                yield result.first, result.second, qid, f"{value:.{places}f}"
        yield result.first, result.second, "all", f"{result.mean:.{places}f}"


def _delimited(results: list["Compared"], places: int, delimiter: str, *, per_query: bool) -> str:
    import csv
    import io

    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerow(["run", "other", "qid", "rbo"])
    writer.writerows(_rows(results, places, per_query=per_query))
    return stream.getvalue()


def _json(results: list["Compared"], signed: str, *, per_query: bool) -> str:
    import json

    pairs = []
    for result in results:
        mean = {"mean": result.mean, "n": len(result.qids), "left_out": result.left_out}
        pair: dict[str, Any] = {"run": result.first, "other": result.second, **mean}
        if per_query:
            pair["queries"] = dict(zip(result.qids, result.values.tolist(), strict=True))
        pairs.append(pair)
    return json.dumps({"signature": signed, "pairs": pairs}, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _table(results: list["Compared"], square: list[str], places: int, *, per_query: bool) -> str:
    """Draw the pairs as rows; or the runs of the square as rows and, by their numbers, as columns."""
    import io

    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=box.SIMPLE_HEAD)
    if square:
        rows = _square(results, square, places)
        heads = ["", "run", *map(str, range(1, len(rows) + 1))]
    else:
        rows = [list(row) for row in _rows(results, places, per_query=per_query)]
        heads = ["run", "other", "query", "RBO"]
    for head in heads:
        left = head in ("run", "other", "query")
        drawn.add_column(Text(head), no_wrap=True, justify="left" if left else "right")
    for row in rows:
        drawn.add_row(*map(Text, row))
    stream = io.StringIO()
    Console(file=stream, width=10_000, highlight=False).print(drawn)
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def _square(results: list["Compared"], names: list[str], places: int) -> list[list[str]]:
    """Lay all pairs out as a square, which is the same above and below its diagonal."""
    from itertools import combinations

    cells = [["" for _ in names] for _ in names]
    for (one, other), result in zip(combinations(range(len(names)), 2), results, strict=True):
        cells[one][other] = cells[other][one] = f"{result.mean:.{places}f}"
    return [[str(i), name, *row] for i, (name, row) in enumerate(zip(names, cells, strict=True), 1)]
