"""How many processes read the runs."""
# ruff: noqa: PTH113, PTH202 - pathlib stumbles over long names

import os
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from fairtrec.errors import UsageError
from fairtrec.files import opening
from fairtrec.jobs import cores, prestart

LARGE = 1 << 22  # bytes of all runs, from which pyarrow is worth its import


VERY_LARGE = 1 << 25  # from which several processes are worth their start


READY = (
    "fairtrec.evaluation.reading",
    "pyarrow.csv",
)  # what they import first


def processes(runs: Sequence[Any], jobs: int | None) -> int:
    """Decide how many processes read the runs, and make these ready while this one sees to other things.

    One reads them where they are few (unless more are asked for), or no files that another process can open. Raises
    UsageError if there are no runs, or no processes.
    """
    if not runs:
        raise UsageError("there is no run to evaluate; name at least one")
    if jobs is not None and jobs < 1:
        raise UsageError(f"jobs is {jobs}; it must be 1 or more")
    files = [run for run in runs if isinstance(run, str | os.PathLike) and not opening.is_stream(run)]
    size = sum(os.path.getsize(file) for file in files if os.path.isfile(file))
    if jobs is None:
        jobs = cores() if size >= VERY_LARGE else 1
    jobs = min(jobs, len(runs)) if len(files) == len(runs) else 1
    if jobs > 1:
        prestart(READY)
    if size >= LARGE:
        import_module("pyarrow.csv")  # small files are parsed with it, too, once it is there
    return jobs
