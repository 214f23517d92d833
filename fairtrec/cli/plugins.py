"""Commands of other packages: each announces its own as an entry point ``fairtrec.commands``, by the command's name."""

import os
import sys
from typing import TYPE_CHECKING

import click

from fairtrec.cli.commands import Titled
from fairtrec.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "fairtrec.commands"
METADATA = (".dist-info", ".egg-info")  # how the folders end that say what is installed


def announced() -> "dict[str, EntryPoint]":
    """Find what installed packages announce, by name; nothing of theirs is imported."""
    if not any(map(_may_announce, sys.path)):
        return {}
    from importlib.metadata import entry_points

    return {point.name: point for point in sorted(entry_points(group=GROUP), key=lambda each: each.name)}


def _may_announce(place: str) -> bool:
    """Look whether the group is named where packages are installed; importlib.metadata takes ten times as long."""
    try:
        with os.scandir(place or ".") as entries:
            found = [entry.path for entry in entries if entry.name.endswith(METADATA)]
    except FileNotFoundError:
        return False
    except OSError:  # an archive, which may hold packages too
        return True
    for folder in found:
        try:
            with open(f"{folder}/entry_points.txt", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
                if GROUP in file.read():
                    return True
        except OSError:  # it announces nothing
            continue
    return False


def told(point: "EntryPoint") -> str:
    """Say whose command it is."""
    return f"A command of the package {point.dist.name if point.dist is not None else point.module}."


def load(point: "EntryPoint") -> click.Command:
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
