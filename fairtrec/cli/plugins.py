"""Commands of other packages: each announces its own as an entry point ``fairtrec.commands``, by the command's name."""

from importlib.metadata import EntryPoint, entry_points

import click

from fairtrec.cli.commands import Titled
from fairtrec.errors import UsageError


def announced() -> dict[str, EntryPoint]:
    """Find what installed packages announce, by name; nothing of theirs is imported."""
    return {point.name: point for point in sorted(entry_points(group="fairtrec.commands"), key=lambda each: each.name)}


def told(point: EntryPoint) -> str:
    """Say whose command it is."""
    return f"A command of the package {point.dist.name if point.dist is not None else point.module}."


def load(point: EntryPoint) -> click.Command:
    """Import a command. Raises UsageError if it does not load, is no command as ours are, or has another name."""
    try:
        found = point.load()
    except Exception as fault:
        raise UsageError(f"the plug-in {point.value} of the command {point.name} does not load: {fault!r}") from fault
    if not isinstance(found, Titled):
        what = "a click command of class fairtrec.cli.commands.Titled"
        raise UsageError(f"the plug-in {point.value} is no command; it must be {what}")
    if found.name != point.name:
        raise UsageError(
            f"the plug-in {point.value} is announced as {point.name}; command and entry point need one name"
        )
    return found
