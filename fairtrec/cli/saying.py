"""What is said on standard error: a line at a time that steers no terminal, and none of its words is endless."""

import re

import click

from fairtrec.errors import BREAKING, LONGEST, escaped, short

_LONG = rf"[^\s:]{{{LONGEST + 1},}}"  # sentences of ours are as long as they need to be


def say(line: str) -> None:
    """Write a line to standard error."""
    click.echo(re.sub(_LONG, lambda word: short(word.group()), re.sub(BREAKING, escaped, line)), err=True)
