"""The runs that a command line names, before any is read."""

import os
import sys
from collections.abc import Iterable, Sequence
from functools import partial

import click

from fairtrec.cli.commands import write_stderr
from fairtrec.formats.column_roles import names_run, parse_columns
from fairtrec.support import compiled
from fairtrec.support.files import arguments
from fairtrec.support.files.answer_files import split_answers

FEW = 3  # names in a line
LARGE = 25_000_000  # bytes of a run, which are a million lines
PLAIN = (
    "# the compiled part of fairtrec is missing, so large runs take three times as long; install a C compiler, then "
    "run: pip install --force-reinstall --no-deps fairtrec"
)


def name_runs(runs: Iterable[str]) -> dict[str, str]:
    """Give each file that the arguments stand for a name; files of folders that are no runs are left out, with a note.

    Raises UsageError for two runs of one name, and InputError for what stands for nothing.
    """
    several = arguments.expand_runs(runs, _note, _tell_by_roles())
    found = [one for name, path in several.items() for one in split_answers(name, path)]
    if len(found) > len(several):
        arguments.refuse_same_names(name for name, _ in found)
    return {name: path if isinstance(path, str) else os.fspath(path) for name, path in found}


def drop_repeats(files: dict[str, str]) -> dict[str, str]:
    """Leave out files that stand there already under another name, as where a folder holds the baseline, and say so."""
    kept: dict[str, str] = {}
    for name, path in files.items():
        again = next((run for run, other in kept.items() if arguments.is_same(path, other)), None)
        if again is None:
            kept[name] = path
        else:
            write_stderr(f"# {path} is {again} again, and is left out")
    return kept


def list_runs(runs: Iterable[str]) -> list[str]:
    """Name each file that the arguments stand for, as ``name_runs`` does."""
    return arguments.paths(runs, _note, _tell_by_roles())


def _tell_by_roles() -> arguments.IsHeader | None:
    """Make what tells a table by the columns that --columns of this command names; None if it names none."""
    context = click.get_current_context(silent=True)
    roles = parse_columns(context.params.get("columns")) if context is not None else {}
    return partial(names_run, roles=roles) if roles else None


def _note(folder: str, files: Sequence[str], why: str) -> None:
    names = [file.removeprefix(folder).lstrip("/") for file in files]
    shown = ", ".join(names[:FEW]) + (f" and {len(names) - FEW} more" if len(names) > FEW else "")
    write_stderr(f"# left out of {folder}, as {why}: {shown}")


def note_plain_build(runs: Iterable[str]) -> None:
    """Say on a terminal that the compiled part is missing, if one of the files is large."""
    if compiled.extension is not None or sys.stderr is None or not sys.stderr.isatty():
        return
    if any(os.path.isfile(run) and os.stat(run).st_size >= LARGE for run in runs):  # noqa: PTH113, PTH116
        write_stderr(PLAIN)
