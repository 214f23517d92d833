"""``fairtrec measures``: what can be measured, what each measure means, and what each reranker does."""

import click

from fairtrec.cli.commands import Titled


@click.command(name="measures", cls=Titled)
@click.argument("names", nargs=-1, metavar="[MEASURE|RERANKER]...")
def command(names: tuple[str, ...]) -> None:
    """List all measures with direction, range and needs, and all rerankers, or print the page of each that is named."""
    from fairtrec.catalogue import pages, rerankers

    told = [pages.page(name) for name in names] or [pages.overview(), rerankers.overview()]
    click.echo("\n".join(told), nl=False)
