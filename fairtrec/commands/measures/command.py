"""``fairtrec measures``: what each measure means and each reranker does, and where they are from."""

import re
from collections.abc import Iterator
from typing import Any

import click

from fairtrec.cli.commands import EXITS, Titled
from fairtrec.support import command_rows
from fairtrec.support.errors import FairtrecError


@click.command(name="measures", cls=Titled, epilog=EXITS)
@click.argument("names", nargs=-1, metavar="[MEASURE|RERANKER]...")
@click.option("--bibtex", is_flag=True, help="Print BibTeX of fairtrec and of the papers that the measures are from.")
def command(names: tuple[str, ...], *, bibtex: bool) -> None:
    """List all measures with direction, range and needs, and all rerankers, or print the page of each name.

    \b
    fairtrec measures NFaiRR
    fairtrec measures 'nDCG@10 NFaiRR@10 AWRF@20' --bibtex >> paper.bib
    """
    from shutil import get_terminal_size

    from fairtrec.commands.measures import pages
    from fairtrec.report.note_selection import wrap_hanging

    if bibtex:
        click.echo(pages.bibtex(" ".join(names)), nl=False)
        return
    room = get_terminal_size().columns
    told = [_paragraphs(_write_page(name), room) for name in names]
    told = told or [each.overview().splitlines() for each in (pages, *_load_catalogues())]
    for number, lines in enumerate(told):
        joined = re.sub(r"(?<=,)\n  (?=\S)", " ", "\n".join(lines))  # a list of names breaks where this window ends
        for line in ["", *joined.split("\n")] if number else joined.split("\n"):
            start = len(line) - len(line.lstrip())
            column = line.rfind("  ", start) + 2  # where its last column stands
            for part in wrap_hanging(line, room, column if column > start + 1 else start and start + 4):
                click.echo(part)


def _load_catalogues() -> Iterator[Any]:
    """Import what commands list here besides measures."""
    for row in command_rows.registry.list_rows():
        for place in row.catalogue.values():
            yield command_rows.registry.load(row, place)


def _write_page(name: str) -> str:
    """Write the page of a measure, or of a name in a catalogue. Raises UsageError for a name that nobody knows."""
    from fairtrec.commands.measures import pages

    try:
        return pages.page(name)
    except FairtrecError:
        plain, _, _ = name.partition("@")
        for catalogue in _load_catalogues():
            if plain.lower() in map(str.lower, catalogue.names()):
                return str(catalogue.page(plain))
        raise


def _paragraphs(page: str, room: int) -> list[str]:
    """Join the lines of a page that is wider than the window, up to what begins with a name, is indented, or empty."""
    lines = page.splitlines()
    if max(map(len, lines)) <= room:
        return lines
    joined: list[str] = []
    for line in lines:
        goes_on = joined and joined[-1] and not joined[-1].startswith(" ")
        if goes_on and re.match(r"\S", line) and not re.match(r"[A-Z]\w*: ", line):
            joined[-1] += f" {line}"
        else:
            joined.append(line)
    return joined
