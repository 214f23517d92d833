"""``fairtrec cite``: what to cite."""

import click

from fairtrec.cli import options
from fairtrec.cli.commands import Titled


@click.command(name="cite", cls=Titled, epilog=options.EXITS)
@click.argument("measures", nargs=-1, metavar="[MEASURE]...")
def command(measures: tuple[str, ...]) -> None:
    """Print BibTeX of fairtrec and of the papers that the measures are from.

    \b
    fairtrec cite 'nDCG@10 NFaiRR@10 AWRF@20' >> paper.bib
    """
    from fairtrec.catalogue.pages import cite

    click.echo(cite(" ".join(measures)), nl=False)
