"""In how many processes runs are read."""

import os
from collections.abc import Sequence
from typing import Any

from fairtrec.support.errors import UsageError
from fairtrec.support.files import opening
from fairtrec.support.jobs import cores, prestart

VERY_LARGE = 1 << 25  # bytes of runs, from which several processes are worth their start
READY = ("fairtrec.evaluation.reading",)  # what they import first


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
    if jobs is None:
        size = sum(os.stat(file).st_size for file in files if os.path.isfile(file))  # noqa: PTH113, PTH116
        jobs = cores() if size >= VERY_LARGE else 1
    jobs = min(jobs, len(runs)) if len(files) == len(runs) else 1
    if jobs > 1:
        prestart(READY)
    return jobs
