"""What a page of docs/ shows: its commands, what they print, and its Python."""

import contextlib
import io
import re
import shlex
from dataclasses import dataclass

import click

from fairtrec.cli import command
from fairtrec.report.short_signature import shorten_signature

_COMMAND = re.compile(r"^```sh\nfairtrec (.*?)^```\n(?:\n<!-- output -->\n```\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
_VERSION = re.compile(r"(fairtrec|ir-measures|gold):\S+")  # a sheet holds the last digits of logarithms
_SIGNATURE = re.compile(r"^signature: .*(?:\n  .*)*", re.MULTILINE)


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


def in_terminal(text):
    """With short signatures, as a terminal shows them."""
    return re.sub(r"(?<=^# )fairtrec:.*$|^fairtrec:.*$", _shorten, text, flags=re.MULTILINE)


def _shorten(found):
    is_short = re.search(r" \| [0-9a-f]{8}$", found[0])
    return found[0] if is_short or " | " not in found[0] else shorten_signature(found[0])


def unversioned(text):
    """With short signatures, without versions, by whose length lines of signatures end, nor the empty lines around."""
    shown = _VERSION.sub("", in_terminal(text).strip("\n"))
    return _SIGNATURE.sub(lambda found: " ".join(found[0].split()), shown)


@dataclass(frozen=True)
class Block:
    """A block of commands or of Python: why it is only parsed ("" where it runs), and what it prints at the end."""

    language: str
    text: str
    parsed: str
    shown: str

    @property
    def lines(self):
        """The commands; lines that end in a backslash are joined with the next."""
        return tuple(filter(None, self.text.replace("\\\n", " ").splitlines()))


_BLOCK = re.compile(
    r"(?:^<!-- only parsed: ([^\n]*) -->\n\s*)?^```(sh|python)\n(.*?)^```\n(?:\n<!-- output -->\n```\n(.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)


def examples(page):
    """All blocks that run or are parsed, in order."""
    return [Block(language, text, why, shown) for why, language, text, shown in _BLOCK.findall(page)]


def blocks(page):
    """The blocks of commands, in order."""
    return [each for each in examples(page) if each.language == "sh"]


def programs(page):
    """The blocks of Python."""
    return [each.text for each in examples(page) if each.language == "python"]


def run_program(source, names, file):
    """Run Python with the names that earlier blocks have defined, and give what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, file, "exec"), names)
    return printed.getvalue()


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
