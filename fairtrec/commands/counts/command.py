"""``fairtrec counts``: make tables of counts, and look into them."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairtrec.cli import options
from fairtrec.cli.commands import Commands
from fairtrec.commands.counts import make
from fairtrec.support.errors import UsageError
from fairtrec.support.literals import Tokenizer

if TYPE_CHECKING:
    from fairtrec.counting.table import Meta

SHOWN = 10


@click.group(name="counts", cls=Commands)
def command() -> None:
    """Make, convert, describe, merge and compare tables of counts."""


command.add_command(make.command)


@command.command()
@click.argument("source", metavar="IN")
@click.argument("output", metavar="OUT", type=options.FILE)
@click.option("--force", is_flag=True, help="Replace OUT if it exists.")
@click.option("--terms", metavar="NAME|FILE", help="The terms that were counted, if IN does not record them.")
@options.word("--tokenizer", of=Tokenizer, optional=True, help="How texts were split, if IN does not record it.")
@click.option("--case-sensitive", is_flag=True, help="Upper and lower case were distinguished, as Hunter and hunter.")
def convert(
    source: str, output: Path, *, force: bool, terms: str | None, tokenizer: str | None, case_sensitive: bool
) -> None:
    """Write the table IN as OUT, in the format of its suffix: .arrow, .parquet or .tsv.

    For counts that others published, --terms and --tokenizer record how they were made, so that signatures name it.
    """
    from fairtrec.counting.table import Meta
    from fairtrec.counting.table.build import join_tables
    from fairtrec.evaluation.inputs import loading

    if (terms is None) != (tokenizer is None) or (terms is None and case_sensitive):
        raise UsageError("--terms and --tokenizer go together; pass both, or none")
    stated = None
    if terms is not None:
        listed = loading.terms(terms)
        stated = Meta(listed.groups, tokenizer, case_sensitive, listed.name, listed.sha256)
    join_tables(output, [source], force=force, stated=stated)


@command.command()
@click.argument("output", metavar="OUT", type=options.FILE)
@click.argument("parts", nargs=-1, required=True, metavar="PART...")
@click.option("--force", is_flag=True, help="Replace OUT if it exists.")
def merge(output: Path, parts: tuple[str, ...], *, force: bool) -> None:
    """Make one table OUT of several PARTs, which share no document and were counted in the same way."""
    from fairtrec.counting.table.build import join_tables

    join_tables(output, parts, force=force)


@command.command()
@click.argument("file", metavar="FILE")
def info(file: str) -> None:
    """Print how the table FILE was made, and its totals."""
    from fairtrec.counting.table.files import Table

    table = Table(file)
    meta, histogram = table.meta, table.distribution.histogram
    click.echo(f"format          {table.format}")
    click.echo(f"groups          {', '.join(table.groups)}")
    if meta is None:
        click.echo("made            unknown; `fairtrec counts convert` computes the sums")
        return
    for name, value in _described(meta):
        click.echo(f"{name:<15} {value}")
    many = "too many to keep" if histogram is None else f"{len(histogram.documents):,}"
    click.echo(f"kinds of counts {many}")


def _described(meta: "Meta") -> Iterator[tuple[str, str]]:
    yield "tokenizer", meta.tokenizer or "unknown"
    yield "case", {None: "unknown", True: "sensitive", False: "insensitive"}[meta.case_sensitive]
    yield "terms", f"{meta.terms} sha256:{meta.sha256}" if meta.sha256 else "unknown"
    for source in meta.sources:
        size = f" {source['bytes']:,} bytes" if "bytes" in source else ""
        yield "source", f"{source['name']}{size}"
    yield "documents", f"{meta.rows:,}"
    yield "tokens", f"{meta.tokens:,}"
    for group, total in zip(meta.groups, meta.totals, strict=True):
        yield f"terms of {group}", f"{total:,}"
    for tau, omega in meta.omega.items():
        yield f"omega, tau={tau}", f"mean {omega / meta.rows:.6f}" if meta.rows else "none"


@command.command()
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@click.pass_context
def diff(ctx: click.Context, one: str, other: str) -> None:
    """Compare the rows of the tables A and B; exit 1 if they differ."""
    from fairtrec.counting.table.build import differences

    found = 0
    for line in differences(one, other):
        found += 1
        if found <= SHOWN:
            click.echo(line)
    if found > SHOWN:
        click.echo(f"... and {found - SHOWN:,} more")
    if found:
        ctx.exit(1)
    click.echo("the tables hold the same")
