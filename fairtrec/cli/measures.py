"""``fairtrec measures``: what can be measured, and what each measure means."""

import click

from fairtrec.cli.commands import Titled


@click.command(name="measures", cls=Titled)
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """List all measures with direction, range and needs, or print the page of the measure NAME."""
    from fairtrec.catalogue import pages

    click.echo(pages.page(name) if name else pages.overview(), nl=False)
