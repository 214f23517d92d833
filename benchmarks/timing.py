"""Time whole processes in turn, A B A B, and compare them pair by pair."""

import os
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Literal

FOLDER = Path(os.environ.get("FAIRTREC_BENCH", ".bench"))
BIN = Path(sys.executable).parent
TREC_EVAL = os.environ.get("TREC_EVAL") or shutil.which("trec_eval")
INSTALLED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}  # compiled once
ROUNDS = 5  # of which a row is the median
NO_TREC_EVAL = "      trec_eval is neither on PATH nor in TREC_EVAL, so nothing is compared with it"


def find_optimization(program: Path) -> str:
    """Find the flag with which a program was optimized, in its debug information; ``-O?`` if it has none."""
    said = re.search(rb"GNU C\d[^\0]*|clang version[^\0]*", program.read_bytes())
    if said is None or b"clang" in said[0]:
        return "-O?"
    flags = re.findall(rb" (-O\w*)", said[0])
    return flags[-1].decode() if flags else "-O0"


OPTIMIZATION = find_optimization(Path(TREC_EVAL)) if TREC_EVAL else ""
PEER = f"trec_eval {OPTIMIZATION}"  # as ratios name it
if OPTIMIZATION == "-O?":
    print("      trec_eval does not say how it was compiled; bounds are to a build with -O2")
elif OPTIMIZATION not in ("", "-O2"):
    print(
        f"      trec_eval was compiled with {OPTIMIZATION}; bounds are to a build with -O2, see python -m benchmarks -h"
    )


@dataclass(frozen=True)
class Cost:
    """What one run of a command took."""

    seconds: float
    cpu: float  # seconds of processors, of all its processes together
    peak: float  # MiB of its largest process

    def __str__(self) -> str:
        return f"{self.seconds:.2f} s (CPU {self.cpu:.2f})"


def run(command: Sequence[str | Path]) -> Cost:
    """Run a command once, its output thrown away. A command that fails is an error."""
    alone = [sys.executable, "-I", "-S", Path(__file__).with_name("alone.py"), *command]
    done = subprocess.run(list(map(str, alone)), check=False, capture_output=True, text=True, env=INSTALLED)
    if done.returncode:
        raise SystemExit(f"{command[0]} cannot be run: {done.stderr[-500:]}")
    *cost, status = map(float, done.stdout.split())
    if status:
        raise SystemExit(f"{command[0]} failed ({status:g}): {done.stderr[-500:]}")
    return Cost(*cost)


INSIDE = """
import sys, time
from contextlib import suppress
from fairtrec.cli import main
with suppress(SystemExit):
    main()
print(getattr(time, {clock!r})(), file=sys.stderr)
"""


def spend_inside(arguments: Sequence[str | Path], clock: Literal["thread_time", "process_time"]) -> float:
    """Measure the CPU seconds of the first thread or process of a command, start-up included: a median."""
    command = [BIN / "python", "-c", INSIDE.format(clock=clock), *arguments]
    several = [
        subprocess.run(command, check=True, capture_output=True, text=True, env=INSTALLED) for _ in range(ROUNDS)
    ]
    return statistics.median(float(done.stderr.split()[-1]) for done in several)


def clocked(work: Callable[[], object]) -> Cost:
    """Call once what is timed in this process."""
    began, before = perf_counter(), process_time()
    work()
    return Cost(perf_counter() - began, process_time() - before, float("nan"))


def least(work: Callable[[], object], times: int = ROUNDS) -> Cost:
    """Call several times what is timed in this process; give the call that took least of the processors."""
    return min((clocked(work) for _ in range(times)), key=lambda cost: cost.cpu)


def medians(costs: Iterable[Cost]) -> Cost:
    """Take the median of each cost of several runs of a command."""
    return Cost(*map(statistics.median, zip(*map(astuple, costs), strict=True)))


@dataclass(frozen=True)
class Pair:
    """The median costs of two commands and the medians of their ratios."""

    ours: Cost
    theirs: Cost
    time_ratio: float
    peak_ratio: float
    cpu_ratio: float

    @property
    def detail(self) -> str:
        """The seconds of both, and those of processors."""
        return f"{self.ours} of {self.theirs}"


def paired(ours: Sequence[str | Path], theirs: Sequence[str | Path], times: int = ROUNDS) -> Pair:
    """Run two commands in turn, after one run of each that does not count."""
    run(ours), run(theirs)
    costs = [(run(ours), run(theirs)) for _ in range(times)]
    median = statistics.median
    return Pair(
        *map(medians, zip(*costs, strict=True)),
        median(a.seconds / b.seconds for a, b in costs),
        median(a.peak / b.peak for a, b in costs),
        median(a.cpu / b.cpu for a, b in costs),
    )


def together(command: Sequence[str | Path], other: Sequence[str | Path]) -> float:
    """Run two commands beside each other; give the seconds until both are done.

    Twice the time of one command, divided by this, is what two processes that share no work can reach on the machine.
    """
    with ThreadPoolExecutor(2) as pool:
        began = perf_counter()
        for each in [pool.submit(run, command), pool.submit(run, other)]:
            each.result()
        return perf_counter() - began


missed: list[str] = []


def report(what: str, ratio: float, bound: float, detail: object = "", *, at_least: bool = False) -> None:
    """Print one figure beside its bound, and remember it if it misses."""
    holds = ratio >= bound if at_least else ratio <= bound
    sign = ">=" if at_least else "<="
    print(f"{'ok  ' if holds else 'MISS'}  {what:<64} {ratio:8.3f}  {sign} {bound:<6g} {detail}", flush=True)
    if not holds:
        missed.append(what)
