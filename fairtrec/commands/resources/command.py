"""``fairtrec resources``: word lists and query sets, by name."""

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import click

from fairtrec.cli.commands import Commands, write_stderr
from fairtrec.support.errors import ResourceError, UsageError, plain
from fairtrec.support.resources import passports as resources
from fairtrec.support.resources.passports import Passport


@click.group(name="resources", cls=Commands)
def command() -> None:
    """List, fetch, add and check word lists and query sets."""


@command.command(name="list")
def list_() -> None:
    """List every word list and query set, and where each is."""
    rows = [("name", "kind", "size", "where", "title")]
    rows += [
        (", ".join([each.name, *each.aliases]), each.kind, _size(each), _where(each), each.title)
        for each in resources.passports()
    ]
    _print_columns(rows)
    _tell_unreadable()


@command.command()
@click.argument("name")
def show(name: str) -> None:
    """Print the passport of NAME."""
    passport = resources.passport(name)
    lines = [(field.name, _plain(getattr(passport, field.name))) for field in fields(passport)]
    lines.append(("where", _where(passport)))
    if passport.is_here:
        lines.append(("path", str(passport.place)))
    _print_columns([line for line in lines if line[1]])


@command.command()
@click.argument("name")
def fetch(name: str) -> None:
    """Fetch NAME, unless it is here, and print its path."""
    click.echo(resources.get(name))


@command.command()
@click.argument("name")
@click.argument("file", type=click.Path(path_type=Path), required=False)
def add(name: str, file: Path | None) -> None:
    """Keep a copy of FILE as NAME, if it is the published file, and print its path.

    NAME alone may be the passport of a query set of your own, which `fairtrec make queryset -o` writes.
    """
    if file is not None:
        click.echo(resources.add(name, file))
    elif name.endswith(".toml"):
        click.echo(resources.add_own(name))
    else:
        raise UsageError(f"no file; write it after {name}, or pass the passport of your own set, NAME.toml")


@command.command()
@click.argument("name")
def path(name: str) -> None:
    """Print the path of NAME; it is fetched first where an evaluation would do so."""
    click.echo(resources.require(name))


@command.command()
def verify() -> None:
    """Check the sha256 of every file that is here; exit 4 if one is damaged."""
    states = resources.verify()
    _print_columns([(passport.name, state) for passport, state in states])
    _tell_unreadable()
    damaged = [passport for passport, state in states if state == "damaged"]
    if damaged:
        raise ResourceError("damaged: " + "; ".join(f"{each.name}, {each.remedy}" for each in damaged))


def _tell_unreadable() -> None:
    """Say which sets of the user's own are passed over."""
    for fault in resources.unreadable():
        write_stderr(f"# passed over: {fault}")


_OF = {"wordlist": "terms", "pairs": "pairs", "queryset": "queries"}


def _size(passport: Passport) -> str:
    return f"{passport.size} {_OF[passport.kind]}"


def _where(passport: Passport) -> str:
    if not passport.is_here:
        return "not here"
    if isinstance(passport, resources.OwnPassport):
        return "added"
    return "here" if passport.file is None else "bundled"


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {number}" for key, number in value.items())
    if isinstance(value, tuple):
        return ", ".join(value)
    return "" if value is None else " ".join(str(value).split())


def _print_columns(rows: Sequence[tuple[str, ...]]) -> None:
    """Print columns; the last goes on below where it has no room, but a path stays whole, so that it can be copied."""
    from shutil import get_terminal_size

    from fairtrec.report.note_selection import wrap_hanging

    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        line = "  ".join(map(str.ljust, row, widths)).rstrip()
        room = get_terminal_size().columns if " " in row[-1] else None
        for part in wrap_hanging(line, room, sum(widths[:-1]) + 2 * len(widths[:-1])):
            click.echo(plain(part))
