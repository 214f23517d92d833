"""What a page of docs/ shows: its commands, what they print, and its Python."""

import re
import shlex
from dataclasses import dataclass

import click

from fairtrec.cli import command
from fairtrec.report.short_signature import shorten_signature

_COMMAND = re.compile(r"^```sh\nfairtrec (.*?)^```\n(?:\n<!-- output -->\n```\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_VERSION = re.compile(r"(fairtrec|ir-measures|gold):\S+")  # a sheet holds the last digits of logarithms


def commands(page):
    """The words of each command behind ``fairtrec``, and what the page shows of its output, "" where nothing."""
    return [
        (shlex.split(command.replace("\\\n", " "), comments=True), shown) for command, shown in _COMMAND.findall(page)
    ]


def shell_commands(page):
    """The fairtrec commands in the ```sh blocks; lines that end in a backslash go on."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return [re.sub(r"^\$ ", "", line) for line in lines if re.match(r"(\$ )?fairtrec ", line)]


def programs(page):
    """The blocks of Python."""
    return _PYTHON.findall(page)


def in_terminal(text):
    """With short signatures, as a terminal shows them."""
    return re.sub(r"(?<=^# )fairtrec:.*$|^fairtrec:.*$", _shorten, text, flags=re.MULTILINE)


def _shorten(found):
    is_short = re.search(r" \| [0-9a-f]{8}$", found[0])
    return found[0] if is_short or " | " not in found[0] else shorten_signature(found[0])


def unversioned(text):
    """With short signatures, without versions, nor the empty lines around."""
    return _VERSION.sub("", in_terminal(text).strip("\n"))


@dataclass(frozen=True)
class Block:
    """A block of commands: its lines, why they are only parsed ("" where they run), and what the last one prints."""

    lines: tuple[str, ...]
    parsed: str
    shown: str


_BLOCK = re.compile(
    r"(?:^<!-- only parsed: ([^\n]*) -->\n\s*)?^```sh\n(.*?)^```\n(?:\n<!-- output -->\n```\n(.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)


def blocks(page):
    """The blocks of commands, in order; lines that end in a backslash are joined with the next."""
    return [
        Block(tuple(filter(None, text.replace("\\\n", " ").splitlines())), why, shown)
        for why, text, shown in _BLOCK.findall(page)
    ]


def section(page, title):
    """The part of a page below a heading of the second level, to the next one."""
    _, found, rest = page.partition(f"\n## {title}\n")
    assert found, title
    return rest.partition("\n## ")[0]


def parse(line):
    """Read the words of a command to the last, as the command does before it begins."""
    if line.startswith("awk "):
        return
    words = shlex.split(re.split(" >>? ", line)[0], comments=True)
    if words[0] == "mkdir":
        return
    assert words[0] == "fairtrec", line
    context = command.make_context("fairtrec", words[1:])
    found, words = command, [*context._protected_args, *context.args]
    while isinstance(found, click.Group):
        name, found, words = found.resolve_command(context, words)
        context = found.make_context(name, words, parent=context)
        words = [*context._protected_args, *context.args]
