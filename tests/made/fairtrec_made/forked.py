"""Commands in processes that have imported what they need: what each costs beyond the start.

As a script it reads lines of JSON, a folder and the words of a command; it forks for each, and writes a line of JSON:
seconds of a processor, MiB at the peak, and how it ended. To learn from a command is to import what that has imported.
A process that forks must be small: a peak begins with what it has.
"""

import json
import os
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, Self

from fairtrec_made import REPOSITORY


class Spent(NamedTuple):
    """What a command took."""

    cpu: float  # seconds of processors
    peak: float  # MiB
    status: int


class Forks:
    """A process that forks for each command."""

    def __enter__(self) -> Self:
        paths = os.pathsep.join(map(str, (REPOSITORY, Path(__file__).parents[1])))
        env = os.environ | {"PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1", "FAIRTREC_OFFLINE": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "fairtrec_made.forked"],
            env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def run(self, folder: Path, words: list[str], *, learns: bool = False) -> Spent:
        """Run a command in a folder, in a process of its own.

        ``learns``: the process that forks imports what that has imported.
        """
        self.process.stdin.write(json.dumps([os.fspath(folder), words, learns]) + "\n")
        self.process.stdin.flush()
        return Spent(*json.loads(self.process.stdout.readline()))


def perform(words: list[str]) -> int:
    """Run a command in this process."""
    from fairtrec.cli import main

    sys.argv = ["fairtrec", *words]
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def answer(folder: str, words: list[str], *, learns: bool) -> Spent:
    """Run a command, and say what it took."""
    os.chdir(folder)
    reader, writer = os.pipe()
    process = os.fork()
    if not process:
        status = 5
        with suppress(BaseException):
            status = perform(words)
            if learns:
                os.write(writer, "\n".join(sys.modules).encode())
        os._exit(status)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        imported = pipe.read().split()
    for name in imported:
        with suppress(Exception):
            import_module(name)
    _, status, usage = os.wait4(process, 0)
    return Spent(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for line in sys.stdin:
        given, command, learns = json.loads(line)
        print(json.dumps(answer(given, command, learns=learns)), file=out, flush=True)
