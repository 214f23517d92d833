"""The pages of the commands, docs/commands/NAME.md, from their help, and their index, docs/commands.md."""

import re
from collections.abc import Sequence
from typing import Any

import click
from man import CODES, walk
from measure_pages import MADE

from fairtrec.cli import GROUPS, command, find_rows
from fairtrec.cli.commands import DEFAULT, FIRST
from fairtrec.cli.short_help import describe_option
from fairtrec.commands import load_row

TITLES = {FIRST: "Most used"}


class Parts(click.HelpFormatter):
    """What help is written to, as Markdown: click calls these methods for each part of a help text."""

    def __init__(self) -> None:
        super().__init__(width=1 << 16)
        self.texts: list[str] = []
        self.options: dict[str, list[tuple[str, str]]] = {}
        self.title = ""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:  # noqa: ARG002 - click's
        """Keep the synopsis."""
        self.texts.append(f"```text\n{f'{prog} {args}'.strip()}\n```\n")

    def write_heading(self, heading: str) -> None:
        """Begin a section."""
        self.title = heading

    def write_paragraph(self) -> None:
        """Write nothing: paragraphs have their own space."""

    def write_text(self, text: str) -> None:
        """Keep paragraphs; examples are commands."""
        for paragraph in text.split("\n\n"):
            if paragraph.startswith("\b\n"):
                self.texts.append(f"```sh\n{paragraph.removeprefix(chr(8) + chr(10))}\n```\n")
            else:
                self.texts.append(f"{_escape(' '.join(paragraph.split()))}\n")

    def write_dl(self, rows: Sequence[tuple[str, str]], *_: Any, **__: Any) -> None:
        """Keep options or commands with their texts."""
        kept = self.options.setdefault(self.title, [])
        kept += [("".join(term.split("\n      ")).strip(), " ".join(text.split())) for term, text in rows]


def write_pages() -> dict[str, str]:
    """Write the index and the page of each command."""
    rows = find_rows()
    lines = [f"# Commands\n\n{MADE}Which command answers your question, and which options does it have?\n"]
    for group in GROUPS:
        lines.append(f"## {group}\n\n| Question | Command | What it does |\n|---|---|---|")
        lines[-1] += "".join(
            f"\n| {row.question} | [{row.name}](commands/{row.name}.md) | {row.text} |"
            for row in rows
            if row.group == group
        )
        lines[-1] += "\n"
    of_all = _read(command, "fairtrec")
    lines.append("## Options of fairtrec itself\n")
    lines += [_option(term, text, 3) for term, text in of_all.options[DEFAULT]]
    codes = "\n".join(f"| {code} | {text} |" for code, text in CODES)
    lines.append(f"## Exit codes\n\n| Code | Meaning |\n|---|---|\n{codes}\n")
    return {"commands.md": "\n".join(lines)} | {f"commands/{row.name}.md": write_command(row.name) for row in rows}


def write_command(name: str) -> str:
    """Write the page of a command, with those in it."""
    (_, whole), *inner = walk(command, name)
    parts = [f"# fairtrec {name}\n\n{MADE}**{load_row(name).question}**\n"]
    found = _read(whole, f"fairtrec {name}")
    parts += found.texts
    if names := getattr(whole, "brief", "").split():
        context = click.Context(whole, info_name=f"fairtrec {name}", **command.context_settings)
        options = {each.name: each for each in whole.params if isinstance(each, click.Option)}
        parts += _table("Most needed options", [describe_option(options[each], context) for each in names])
    if inner:
        rows = [(words, each.get_short_help_str()) for words, each in inner]
        parts.append(
            "\n".join(
                ["## Commands\n\n| Command | What it does |\n|---|---|"]
                + [f"| `fairtrec {words}` | {text} |" for words, text in rows]
            )
            + "\n"
        )
    for title, rows in found.options.items():
        if title != "Commands":
            parts.append(f"## {TITLES.get(title, title)}\n")
            parts += [_option(term, text, 3) for term, text in rows]
    for words, each in inner:
        below = _read(each, f"fairtrec {words}")
        parts += [f"## fairtrec {words}\n", *below.texts]
        parts += [
            _option(term, text, 3)
            for title, rows in below.options.items()
            if title != "Commands"
            for term, text in rows
        ]
    return "\n".join(parts)


def _read(found: click.Command, path: str) -> Parts:
    parts = Parts()
    found.format_help(click.Context(found, info_name=path, **command.context_settings), parts)
    return parts


def _table(title: str, rows: Sequence[tuple[str, str]]) -> list[str]:
    lines = [f"| `{_bar(term)}` | {_bar(_escape(text))} |" for term, text in rows]
    return [f"## {title}\n\n| Option | Meaning |\n|---|---|\n" + "\n".join(lines) + "\n"]


def _option(term: str, text: str, level: int) -> str:
    """Write an option under its long name, which a search finds."""
    names = [word.rstrip(",") for word in term.split() if word.startswith("-")]
    name = next((each for each in names if each.startswith("--")), names[0])
    return f"{'#' * level} `{name}`\n\n`{term}`\n\n{_escape(text)}\n"


def _bar(text: str) -> str:
    return text.replace("|", "\\|")


def _escape(text: str) -> str:
    """Set options in code font, and keep stars, brackets and underscores as they are.

    >>> _escape("[default: --places 4]; `--x` is *")
    '\\\\[default: `--places` 4]; `--x` is \\\\*'
    """
    parts = text.split("`")
    for at in range(0, len(parts), 2):
        plain = re.sub(r"[*<\[]|(?<!\w)_|_(?!\w)", r"\\\g<0>", parts[at])
        parts[at] = re.sub(r"(?<![\w-])--[a-z][a-z-]+", r"`\g<0>`", plain)
    return "`".join(parts)
