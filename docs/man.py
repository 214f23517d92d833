"""Write a manual page for each command, from its help: `python docs/man.py FOLDER`, or `make man`."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from fairtrec import __version__
from fairtrec.cli import command, find_rows
from fairtrec.cli.commands import FIRST

CODES = (
    ("0", "Done."),
    ("1", "A run does not meet a requirement, or two results differ."),
    ("2", "Wrong usage."),
    ("3", "Bad input."),
    ("4", "A resource is missing."),
    ("5", "A fault of fairtrec."),
)


class Roff(click.HelpFormatter):
    """What help is written to, as a manual page: click calls these methods for each part of a help text."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:  # noqa: ARG002 - click's
        """Write the synopsis."""
        self.write(f".SH SYNOPSIS\n\\fB{escape(prog)}\\fR {escape(args)}\n.SH DESCRIPTION\n")

    def write_heading(self, heading: str) -> None:
        """Begin a section."""
        self.write(f".SH {escape('MAIN OPTIONS' if heading == FIRST else heading.upper())}\n")

    def write_paragraph(self) -> None:
        """Write nothing: sections and paragraphs make their own space."""

    def write_text(self, text: str) -> None:
        """Write paragraphs; examples keep their lines."""
        for paragraph in text.split("\n\n"):
            lines = "\n".join(map(escape, paragraph.removeprefix("\b\n").splitlines()))
            self.write(f".PP\n.nf\n{lines}\n.fi\n" if paragraph.startswith("\b\n") else f".PP\n{lines}\n")

    def write_dl(self, rows: Sequence[tuple[str, str]], *_: Any, **__: Any) -> None:
        """Write options or commands with their texts."""
        for term, text in rows:
            self.write(f".TP\n\\fB{escape(' '.join(term.split()))}\\fR\n{escape(' '.join(text.split()))}\n")


def escape(text: str) -> str:
    """Keep a line from being read as a command of roff.

    >>> escape(".TH -q")
    '\\\\&.TH \\\\-q'
    """
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text


def write_page(found: click.Command, path: str) -> str:
    """Write the page of one command; ``path`` is what is typed to call it."""
    formatter = Roff(width=1 << 16)
    found.format_help(click.Context(found, info_name=path, **command.context_settings), formatter)
    with formatter.section("Exit status"):
        formatter.write_dl(CODES)
    name, about = path.replace(" ", "-"), found.get_short_help_str(1 << 16).rstrip(".")
    head = f'.TH "{escape(name.upper())}" 1 "" "fairtrec {escape(__version__)}"\n.SH NAME\n'
    see = "" if path == "fairtrec" else ".SH SEE ALSO\n\\fBfairtrec\\fR(1)\n"
    return f"{head}{escape(name)} \\- {escape(about)}\n{formatter.getvalue()}{see}"


def write_pages() -> dict[str, str]:
    """Write the page of each command of fairtrec itself, by the name of its file."""
    pages = {"fairtrec": command}
    for row in find_rows():
        pages |= {f"fairtrec {words}": found for words, found in walk(command, row.name)}
    return {f"{path.replace(' ', '-')}.1": write_page(found, path) for path, found in pages.items()}


def walk(group: click.Group, name: str, before: str = "") -> Iterator[tuple[str, click.Command]]:
    """Give a command of a group, and those in it, each with the words that call it."""
    found = group.get_command(click.Context(group), name)
    assert found is not None
    yield f"{before}{name}", found
    if isinstance(found, click.Group):
        for inner in found.list_commands(click.Context(found)):
            yield from walk(found, inner, f"{before}{name} ")


def main() -> int:
    """Write the pages into a folder."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in write_pages().items():
        (folder / name).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
