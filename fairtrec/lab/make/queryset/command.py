"""``fairtrec make queryset``: a query set of one's own, by the votes of people."""

from pathlib import Path
from typing import Any

import click

from fairtrec.cli import options, printing
from fairtrec.cli.commands import Titled, write_stderr
from fairtrec.lab.make.queryset import QUERYSETS
from fairtrec.support.errors import UsageError
from fairtrec.support.literals import Rule


@click.command(name="queryset", cls=Titled, epilog=options.EXITS)
@click.argument("cast", nargs=-1, metavar="[VOTES]...")
@click.option("--keep", metavar="LABEL", help="Keep the queries of this label.")
@options.word("--votes", of=Rule, help="A label is that of more than half of a query's votes, or of all.")
@click.option("--queries", metavar="NAME|FILE", help="Only these queries: a query set by name, or a file of ids.")
@click.option(
    "--query-texts",
    metavar="FILE|ID",
    help="The texts: lines of qid<TAB>text, a TSV whose first line names its columns, or an ir_datasets id.",
)
@click.option("--domain", metavar="COLUMN", help="Sort queries into slices by this column of --query-texts.")
@click.option("--terms", metavar="NAME|FILE", help="Leave out queries that hold one of these group terms.")
@click.option("--title", metavar="TEXT", help="What the passport calls the set.  [default: the name of FILE]")
@click.option(
    "-o",
    "--output",
    type=options.FILE,
    help="Write the set NAME.tsv, NAME.slices.tsv if there are domains, and the passport NAME.toml.",
)
@options.Shared(report=QUERYSETS, beside=[options.places])
def command(
    cast: tuple[str, ...], output: Path | None, title: str | None, form: str, *, places: int, **given: Any
) -> None:
    """Make a query set of the VOTES of annotators, and measure how well they agree.

    VOTES are lines of qid, annotator, label; or of qid, label, with a file for each annotator. A passport says what the
    set was made of; `fairtrec resources add NAME.toml` makes it a name for --queries.

    \b
    fairtrec make queryset votes.tsv --keep n --query-texts queries.tsv --terms gender-en -o my-fair.tsv
    """
    from fairtrec.lab.make.queryset.make_queryset import make_queryset
    from fairtrec.lab.make.queryset.queryset import refuse_unwritable, targets

    if output is None:
        options.refuse_typed("is for a set that is written, with -o FILE", "title")
    else:
        if cast and given["keep"] is None:
            raise UsageError("a set has the queries of one label; add --keep LABEL")
        places_of = targets(output, sliced=given["domain"] is not None)
        for place in places_of:
            printing.refuse_output(place, *cast, *given.values())
        refuse_unwritable(places_of)
    made = make_queryset(cast, **given)
    files = [] if output is None else made.save(output, title=title)
    printing.write(QUERYSETS, form, made, None, places=places)
    if files:
        first, *others = files
        many = "1 query" if len(made.kept) == 1 else f"{len(made.kept):,} queries"
        line = ", ".join([f"{first} ({many})", *others])
        click.echo(f"{'written':<12}{line}") if form == "text" else write_stderr(f"# written: {line}")
