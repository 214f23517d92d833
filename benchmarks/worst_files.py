"""The worst valid file of each form: how CPU and memory grow with four times its bytes, and what a byte costs.

``make slow`` measures the same in tests/formats/test_worst_files.py.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

from benchmarks.scale import PAGE
from benchmarks.timing import FOLDER, report
from fairtrec.support.version import __version__
from fairtrec_made import worst_files
from fairtrec_made.forked import Forks, Spent
from fairtrec_made.worst_files import WorstForm

BEGIN, END = "<!-- worst files -->\n", "<!-- /worst files -->\n"
HEAD = "| form | CPU, ns a byte | of | growth | memory, bytes a byte | of | growth |"
SIZES = 1 << 18, 1 << 20, 1 << 22, 1 << 24  # bytes, each four times the one before; the last for what is quick
START = 1 << 11
TIMES = 6  # the most that four times the bytes may cost
DOUBTFUL = 5  # times, from which larger files are looked at
LONG = 0.6  # seconds that are sure enough
MOST_ROUNDS = 9  # in which each file is measured once
SURE = 0.15, 128.0  # seconds of a processor, and MiB, beyond the start: below, noise and blocks of files drown growth
LAID_OUT = {"one long id", "many groups"}  # ids are as wide as the longest; documents have 8 bytes for each group
LAID_OUT_MEMORY = 200.0  # bytes for each byte of such a file
DEAREST = 4_000.0, 120.0  # nanoseconds of a processor, and bytes of memory, for each byte of a file
MIB = 1 << 20


@dataclass(frozen=True)
class Growth:
    """What one command costs for a bad file: each by byte, and what four times the bytes cost."""

    form: str
    kind: str
    command: str
    cpu: float  # nanoseconds a byte
    memory: float  # bytes a byte
    cpu_times: float  # nan if below noise
    memory_times: float

    @property
    def is_bounded(self) -> bool:
        """Tell whether all of it is within its bounds."""
        is_wide = self.kind in LAID_OUT and not self.form.startswith("run")
        memory = LAID_OUT_MEMORY if is_wide else DEAREST[1]
        return not (
            self.cpu > DEAREST[0] or self.memory > memory or self.cpu_times > TIMES or self.memory_times > TIMES
        )

    def __str__(self) -> str:
        costs = f"{self.cpu:.0f} ns and {self.memory:.0f} bytes a byte"
        return (
            f"{self.form}, {self.kind}: {costs}, {self.cpu_times:.1f} and {self.memory_times:.1f} times: {self.command}"
        )


def compare(less: float, more: float, sure: float) -> float:
    """Give how many times as much four times the bytes cost; nan if that drowns in noise."""
    return more / max(less, more / 16) if more > sure else float("nan")


def measure(forks: Forks, name: str, kind: str, folder: Path, sizes: Sequence[int] = SIZES) -> Iterator[Growth]:
    """Measure all commands that read a form, with a file of this kind."""
    form = worst_files.gather_forms()[name]
    files = _Files(form, kind, folder)
    for number, words in enumerate(worst_files.list_commands(form, kind, files.make(START))):
        forks.run(files.make(START).parent, words, learns=True)
        size, rounds = sizes[1], 1
        less, more = spend_beyond(forks, files, words, size, rounds)
        is_heavy = more.peak * MIB > DEAREST[1] / 2 * size
        while is_heavy or compare(less.cpu, more.cpu, 0) > DOUBTFUL:
            wants_more = is_heavy or more.cpu < LONG  # of which noise is a smaller part
            larger = next((each for each in sizes if wants_more and each > size), size)
            if larger == size and rounds == MOST_ROUNDS:
                break
            size, rounds, is_heavy = larger, MOST_ROUNDS, False
            forks.run(files.make(size).parent, words, learns=True)
            less, more = spend_beyond(forks, files, words, size, rounds)
        many = max(size, files.make(size).stat().st_size)  # what is packed counts as the same lines of text do
        yield Growth(
            name, kind, form.commands[number], more.cpu * 1e9 / many, more.peak * MIB / many,
            compare(less.cpu, more.cpu, SURE[0]), compare(less.peak, more.peak, SURE[1]),
        )  # fmt: skip


@dataclass(frozen=True)
class _Files:
    """The files of one form and kind, each in a folder of its own."""

    form: WorstForm
    kind: str
    folder: Path

    def make(self, size: int) -> Path:
        """Make the file of about so many bytes, if it is not there."""
        path = self.folder / str(size) / f"file{self.form.suffix}"
        if not path.exists():
            worst_files.make(self.form, self.kind, path, size)
        return path


def spend(forks: Forks, path: Path, words: list[str]) -> Spent:
    """Run a command on a file. A command that fails is an error."""
    spent = forks.run(path.parent, words)
    if spent.status:
        raise SystemExit(f"{' '.join(words)} failed ({spent.status}) in {path.parent}")
    return spent


def spend_beyond(forks: Forks, files: _Files, words: list[str], size: int, rounds: int) -> tuple[Spent, Spent]:
    """Run a command on a file and on one of a quarter of its bytes; give what each costs beyond a tiny one.

    That is the least of some rounds: what else the machine does only adds to it.
    """
    found: list[tuple[Spent, ...]] = []
    while True:
        found.append(tuple(spend(forks, files.make(each), words) for each in (START, size // 4, size)))
        start, *both = (
            Spent(min(each.cpu for each in spent), min(each.peak for each in spent), 0)
            for spent in zip(*found, strict=True)
        )
        less, more = (Spent(max(each.cpu - start.cpu, 0), max(each.peak - start.peak, 0), 0) for each in both)
        times = compare(less.cpu, more.cpu, SURE[0]), compare(less.peak, more.peak, SURE[1])
        if len(found) == rounds or (len(found) > 1 and not any(each > DOUBTFUL for each in times)):
            return less, more


def measure_form(name: str, folder: Path) -> list[Growth]:
    """Measure a form in each way to be bad."""
    found = []
    with Forks() as forks:
        for kind in worst_files.gather_forms()[name].kinds():
            place = (folder / name / kind).absolute()
            found += measure(forks, name, kind, place)
            rmtree(place)
    return found


def write_row(name: str, found: list[Growth]) -> str:
    """Write the worst of a form as a row of the table."""
    cells = [name]
    for cost, times in (("cpu", "cpu_times"), ("memory", "memory_times")):
        dearest = max(found, key=lambda each: getattr(each, cost))
        grown = [getattr(each, times) for each in found if getattr(each, times) == getattr(each, times)]
        cells += [f"{getattr(dearest, cost):,.0f}", dearest.kind, f"{max(grown):.1f} times" if grown else "below noise"]
    return f"| {' | '.join(cells)} |"


def main(names: list[str] | None = None) -> None:
    rows = [HEAD, "|---|--:|---|--:|--:|---|--:|"]
    for name in names or worst_files.gather_forms():
        found = measure_form(name, FOLDER / "worst")
        for each in found:
            if not each.is_bounded:
                report(str(each), 1, 0)
            print(f"      {each}", flush=True)
        rows.append(write_row(name, found))
        print(rows[-1], flush=True)
    if os.environ.get("FAIRTREC_SCALE"):
        head, rest = PAGE.read_text("utf-8").split(BEGIN)
        version = __version__.split("+")[0]
        said = f"\n`FAIRTREC_SCALE=1 python -m benchmarks worst_files` wrote this table with fairtrec {version}.\n"
        PAGE.write_text(head + BEGIN + "\n".join(rows) + "\n" + said + END + rest.split(END)[1], "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
