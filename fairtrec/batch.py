"""A batch of runs before any is read: the files that a command line names, and how many processes will read them.

Nothing here imports numpy, so that other processes can be made ready before this one does.
"""
# ruff: noqa: PTH110, PTH112, PTH113, PTH202, PTH207 - pathlib stumbles over long names, and its glob drops a leading ./

import os
from collections.abc import Iterable, Iterator, Sequence
from glob import glob, has_magic
from importlib import import_module
from pathlib import Path
from typing import Any

from fairtrec.errors import FilePath, InputError
from fairtrec.formats import source
from fairtrec.jobs import cores, warm

LONGEST_LIST = 1 << 24  # bytes; some 200,000 names
LARGE = 1 << 22  # bytes of all runs, from which pyarrow is worth its import
VERY_LARGE = 1 << 25  # from which several processes are worth their start
READY = ("fairtrec.scoring", "pyarrow.csv", "pyarrow.compute", "ir_measures", "pytrec_eval")  # what they import first


def paths(arguments: Iterable[str]) -> list[str]:
    """Name each file that the arguments stand for, in their order.

    A folder stands for its files, sorted, without hidden ones and without those of folders in it; a pattern like
    ``deep/**/*.run`` for the files that it matches, sorted; ``@list.txt`` for what stands in that file, a name or
    pattern on each line, relative to where the command is called. What exists is taken by its name, whatever it looks
    like, and ``-`` is standard input. Raises InputError for a folder, pattern or list that stands for nothing.
    """
    named: list[str] = []
    for argument in arguments:
        if _is_list(argument):
            for line, entry in _listed(argument[1:]):
                named += _files(entry, argument[1:], line)
        else:
            named += _files(argument)
    return named


def lists(arguments: Iterable[str]) -> list[str]:
    """Name the files among the arguments that list runs."""
    return [argument[1:] for argument in arguments if _is_list(argument)]


def _is_list(argument: str) -> bool:
    return argument.startswith("@") and not os.path.exists(argument)


def _files(name: str, path: FilePath | None = None, line: int | None = None) -> list[str]:
    """Name the files behind a name or pattern, which stands in that line of a list if it does."""
    if name == source.STDIN:
        return [name]
    if os.path.isdir(name):
        try:
            found = sorted(str(file) for file in Path(name).iterdir() if _is_wanted(file))
        except PermissionError:
            raise InputError("this folder may not be read; change its permissions", name) from None
        what = f"the folder {name} holds no files; name one that does"
    elif has_magic(name) and not os.path.exists(name):
        found = sorted(file for file in glob(name, recursive=True) if not os.path.isdir(file))
        what = f"no file matches {name}; check the pattern and the folder that it starts from"
    else:
        return [name]  # where there is no such file, whoever reads it says so
    if not found:
        raise InputError(what, path, line)
    return found


def _is_wanted(file: Path) -> bool:
    """Tell the files of a folder, and links that lead nowhere, which whoever reads them reports."""
    return file.name[0] != "." and (file.is_file() or (file.is_symlink() and not os.path.exists(file)))


def _listed(path: str) -> Iterator[tuple[int, str]]:
    """Give the number and text of each line of a list that is neither blank nor a comment."""
    size = entries = 0
    for number, row in source.lines(path):
        size += len(row)
        if size > LONGEST_LIST:
            raise InputError(f"a list of more than {LONGEST_LIST >> 20} MiB; is it a list of runs?", path, number)
        entry = row.decode().strip()
        if not entry.startswith("#"):
            entries += 1
            yield number, entry
    if not entries:
        raise InputError("this list names no run; write one on each line", path)


def processes(runs: Sequence[Any], jobs: int | None) -> int:
    """Decide how many processes read the runs, and make these ready while this one sees to other things.

    One reads them where they are few (unless more are asked for), or no files that another process can open.
    """
    files = [run for run in runs if isinstance(run, str | os.PathLike) and not source.is_stream(run)]
    size = sum(os.path.getsize(file) for file in files if os.path.isfile(file))
    if jobs is None:
        jobs = cores() if size >= VERY_LARGE else 1
    jobs = min(jobs, len(runs)) if len(files) == len(runs) else 1
    if jobs > 1:
        warm(READY)
    if size >= LARGE:
        import_module("pyarrow.csv")  # small files are parsed with it, too, once it is there
    return jobs
