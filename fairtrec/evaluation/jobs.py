"""In how many processes runs are read."""

import os
from collections.abc import Sequence
from typing import Any

from fairtrec.support.errors import UsageError
from fairtrec.support.files import opening
from fairtrec.support.files.compression import ENDINGS
from fairtrec.support.jobs import cores, prestart

PER_SECOND = 100e6  # bytes of runs that one process evaluates in a second, roughly
PACKED = 4  # bytes of a run in one of a compressed file, roughly
OF_FILE = 0.001  # seconds that each run takes, however small
WORTH = 1.5  # seconds of work from which several processes are worth their start, which takes half a second of CPU
READY = ("fairtrec.evaluation.reading",)  # what they import first


def processes(runs: Sequence[Any], jobs: int | None) -> int:
    """Decide how many processes read the runs, and make these ready while this one sees to other things.

    One reads them where they are few (unless more are asked for), or no files that another process can open. Raises
    UsageError if there are no runs, or no processes.
    """
    if not runs:
        raise UsageError("no run given; pass at least one")
    if jobs is not None and type(jobs) is not int:
        raise UsageError(f"jobs is {jobs!r}; it must be a whole number")
    if jobs is not None and jobs < 1:
        raise UsageError(f"jobs is {jobs}; it must be 1 or more")
    files = [run for run in runs if isinstance(run, str | os.PathLike) and not opening.is_stream(run)]
    if jobs is None:
        jobs = cores() if expect_seconds(files) >= WORTH else 1
    jobs = min(jobs, len(runs)) if len(files) == len(runs) else 1
    if jobs > 1:
        prestart(READY)
    return jobs


def expect_seconds(files: Sequence[str | os.PathLike[str]]) -> float:
    """Estimate how long one process evaluates the runs in files."""
    seconds = OF_FILE * len(files)
    for file in files:
        if os.path.isfile(file):  # noqa: PTH113
            factor = PACKED if os.fspath(file).endswith(ENDINGS) else 1
            seconds += factor * os.stat(file).st_size / PER_SECOND  # noqa: PTH116
    return seconds
