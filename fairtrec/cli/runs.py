"""The runs that a command line names, before any is read."""

from collections.abc import Iterable, Sequence

from fairtrec.cli.commands import say
from fairtrec.support.files import arguments

FEW = 3  # names in a line


def name_runs(runs: Iterable[str]) -> dict[str, str]:
    """Give each file that the arguments stand for a name; files of folders that are no runs are left out, with a note.

    Raises UsageError for two runs of one name, and InputError for what stands for nothing.
    """
    return arguments.named(runs, _note)


def list_runs(runs: Iterable[str]) -> list[str]:
    """Name each file that the arguments stand for, as ``name_runs`` does."""
    return arguments.paths(runs, _note)


def _note(folder: str, files: Sequence[str], why: str) -> None:
    names = [file.removeprefix(folder).lstrip("/") for file in files]
    shown = ", ".join(names[:FEW]) + (f" and {len(names) - FEW} more" if len(names) > FEW else "")
    say(f"# left out of {folder}, as {why}: {shown}")
