"""The commands, a folder each: the command line, the work, the report and its page, and formulas of its own.

A folder says in ROW of its ``__init__.py`` what the help says of its command, which is read before it is imported. All
that it needs elsewhere is its name here: what is evaluated and how reports are written knows no command.

Other commands come in by a door: an entry point ``fairtrec.commands`` of an installed package gives such a row. Those
of ``fairtrec/lab/`` come in by it.
"""

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from fairtrec.support.command_rows import CommandRow
from fairtrec.support.entry_points import OURS, find_entry_points
from fairtrec.support.errors import UsageError

COMMANDS = (  # of the core, in the order of the help
    "eval",
    "compare",
    "correlate",
    "reliability",
    "check",
    "explain",
    "validate",
    "counts",
    "resources",
    "measures",
    "results",
    "demo",
    "completion",
)
DOOR = "fairtrec.commands"  # the group of entry points
BROKEN = "Do not load"  # the group of such commands in the help


def list_names() -> list[str]:
    """List the commands in the order of the help: those of the core, then those that packages announce."""
    return [*COMMANDS, *(name for name in find_entry_points(DOOR) if name not in COMMANDS)]


def has_command(name: str) -> bool:
    """Check whether there is a command of this name; packages are looked at only if it is none of the core."""
    return name in COMMANDS or name in find_entry_points(DOOR)


def list_rows(names: Iterable[str] | None = None) -> Iterator[CommandRow]:
    """Give what these commands, or all, say of themselves, in the order of the help; what does not load says why."""
    for name in list_names() if names is None else names:
        try:
            yield load_row(name)
        except UsageError as fault:
            yield CommandRow(name, BROKEN, f"{fault}.", "provisional")


def is_installed() -> bool:
    """Check whether fairtrec is installed, so that its entry points are found; a checkout need not be."""
    return "fairtrec" in find_entry_points("console_scripts")


def load_row(name: str) -> CommandRow:
    """Import what a command says of itself. Raises UsageError if that of another package is not right."""
    if name in COMMANDS:
        found = import_module(f"fairtrec.commands.{name}")
        package, row = found.__name__, found.ROW
    else:
        value = find_entry_points(DOOR)[name]
        package, _, attribute = value.partition(":")
        row = load(CommandRow(name, "", "", "provisional", package=package), f":{attribute}")
        if not isinstance(row, CommandRow):
            what = "fairtrec.support.command_rows.CommandRow"
            raise UsageError(f"the plug-in {value} of the command {name} is not a row; it must be a {what}")
        if row.name != name:
            raise UsageError(f"the plug-in {value} is announced as {name}; row and entry point need one name")
    whole: CommandRow = row._replace(package=package)
    return whole


def load(row: CommandRow, place: str) -> Any:
    """Import what a command has at a place. Raises UsageError if that of another package does not load."""
    file, _, attribute = place.partition(":")
    module = f"{row.package}.{file}" if file else row.package
    try:
        found = import_module(module)
        return getattr(found, attribute) if attribute else found
    except Exception as fault:
        if row.package.startswith(OURS) and row.text:  # not a row that an older installation announces
            raise
        raise UsageError(f"the plug-in {module} of the command {row.name} does not load: {fault!r}") from fault


def list_broken_offers() -> set[str]:
    """List the public names of other packages that do not load, each of which raises UsageError when it is used."""
    offers = [(row, name) for row in list_rows() for name in row.public if not row.package.startswith(OURS)]
    return {name for row, name in offers if not _loads(row, row.public[name])}


def _loads(row: CommandRow, place: str) -> bool:
    """Check whether what a command has at a place can be imported."""
    try:
        load(row, place)
    except UsageError:
        return False
    return True


def find_offer(name: str) -> tuple[CommandRow, str] | None:
    """Find the command that offers a public name of Python, and the place of it."""
    return next(((row, row.public[name]) for row in list_rows() if name in row.public), None)
