"""What to expect of small and of large inputs, and whether any cost grows faster than its work; for docs/scale.md."""

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from benchmarks.timing import BIN, FOLDER, Cost, medians, report, run
from fairtrec.support.version import __version__

PAGE = Path(__file__).parent.parent / "docs" / "scale.md"
BEGIN, END = "<!-- figures -->\n", "<!-- /figures -->\n"
DOCUMENTS, LABELED = 1_000_000, 200_000
MOST = 1.3  # times as much for each part as of half the work
SURE = 0.5, 60.0  # seconds of a processor beyond those of the smallest, and MiB: below, growth drowns in noise
EMPTY = 50.0  # MiB of a command that reads nothing
SHORT = 5.0  # seconds of a processor, below which the last two sizes are measured three times
Command = Callable[[int], tuple[int, list[str | Path]]]  # of a size, to the lines that are read and what reads them


def written(name: str, lines: Callable[[], Iterator[str]]) -> Path:
    path = FOLDER / name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w") as file:
            file.writelines(lines())
    return path


def ranked(queries: int, depth: int, seed: int = 0) -> Path:
    def lines() -> Iterator[str]:
        random = np.random.default_rng(seed)
        for q in range(queries):
            first, step = random.integers(DOCUMENTS), 10 * random.integers(1, 5_000) + 1  # no document twice
            docnos = ((first + step * np.arange(depth)) % DOCUMENTS).tolist()
            yield "".join(f"{q} Q0 {docno} {i} {depth - i} r{seed}\n" for i, docno in enumerate(docnos, 1))

    return written(f"scale/{queries}x{depth}.{seed}.run", lines)


def labeled(groups: int, documents: int = LABELED) -> Path:
    name = f"scale/{groups}.labels" if documents == LABELED else f"scale/{groups} of all.labels"
    return written(name, lambda: (f"{d}\tg{d % groups:04d}\n" for d in range(documents)))


def judged(queries: int) -> Path:
    return written(f"scale/{queries}.qrels", lambda: (f"{q} 0 {(q * 7919 + i) % DOCUMENTS} {i % 3}\n"
                                                      for q in range(queries) for i in range(5)))  # fmt: skip


def evaluated(queries: int, depth: int, runs: int = 1, groups: int = 2, measures: str = "nDCG@10 AWRF@10 NDKL@10"):
    several = [ranked(queries, depth, seed) for seed in range(runs)]
    given = [judged(queries), *several, "-m", measures, "--labels", labeled(groups), "-f", "tsv", "-j", "1"]
    return queries * depth * runs, [BIN / "fairtrec", "eval", *given]


def by_prefixes(ranks: int) -> tuple[int, list[str | Path]]:
    given = ["none", ranked(1, ranks), "-m", "rKL(protected=g0000)", "--labels", labeled(2, DOCUMENTS), "-f", "tsv"]
    return ranks, [BIN / "fairtrec", "eval", *given]


def many_runs(runs: int) -> tuple[int, list[str | Path]]:
    """So many files are of a hundred contents."""
    folder = FOLDER / "scale" / f"{runs} runs"
    contents = [ranked(43, 10, seed) for seed in range(100)]
    if not folder.exists():
        folder.mkdir()
        for number in range(runs):
            (folder / f"{number:05}.run").symlink_to(contents[number % 100].resolve())
    lines, command = evaluated(43, 10)
    paths = sorted(folder.iterdir())
    at = command.index(contents[0])
    return lines * runs, [*command[:at], *paths, *command[at + 1 :]]


def free(queries: int) -> tuple[int, list[str | Path]]:
    rows = (f"{d}\t60\t{d % 3 % 2}\t{d % 7 % 2}\n" for d in range(DOCUMENTS))
    counts = written("scale/counts.tsv", lambda: chain(["docno\ttokens\tf\tm\n"], rows))
    given = [judged(queries), ranked(queries, 20), "--counts", counts, "--background", ranked(queries, 20)]
    return queries * 20, [BIN / "fairtrec", "headroom", *given, "--fairness", "NFaiRR@10", "-f", "tsv"]


def counted(terms: int) -> tuple[int, list[str | Path]]:
    from benchmarks import collection_counts

    texts = collection_counts.collection()[1]
    words = written(f"scale/{terms}.terms", lambda: (f"w{i}x\t{'fm'[i % 2]}\n" for i in range(terms)))
    given = [texts, "--terms", words, "-o", FOLDER / "scale" / "table.arrow", "-j", "1", "--force"]
    return sum(1 for _ in texts.open("rb")), [BIN / "fairtrec", "counts", "make", *given]


HEAD = "| | size | lines | CPU, s | MiB | CPU, of half the work | memory, of half the work |"
DIMENSIONS: dict[str, tuple[Sequence[int], Command, bool]] = {  # and whether it grows with the square
    "queries of 10 ranks": ((10, 1_000, 100_000, 500_000, 1_000_000), lambda n: evaluated(n, 10), False),
    "ranks of 43 queries": ((10, 1_000, 50_000, 100_000), lambda n: evaluated(43, n), False),
    "ranks of 43 queries, all looked at": (
        (10, 1_000, 5_000, 10_000), lambda n: evaluated(43, n, measures="nDCG AP AWRF NDKL EER"), False),
    "ranks of 1 query, rKL": ((100, 10_000, 20_000, 40_000), by_prefixes, True),
    "runs of 43 x 10": ((1, 100, 5_000, 10_000), many_runs, False),
    "groups, 1,000 x 100": (
        (2, 10, 100, 500, 1_000),
        lambda n: evaluated(1_000, 100, groups=n, measures="AWRF@10 NDKL@10 Skew(eps=0.01)@10"), False),
    "groups, 100 x 100, all ranks": (
        (2, 10, 100, 500, 1_000), lambda n: evaluated(100, 100, groups=n, measures="AWRF NDKL EER"), False),
    "queries of 20 ranks, headroom": ((10, 1_000, 5_000, 10_000), free, False),
    "terms, 60 MB of texts": ((10, 1_000, 50_000, 100_000), counted, False),
}  # fmt: skip


def measured(command: list[str | Path], *, surely: bool) -> Cost:
    costs = [run(command)]
    while surely and len(costs) < 3 and costs[0].cpu < SHORT:
        costs.append(run(command))
    return medians(costs)


def rows_of(dimension: str) -> Iterator[str]:
    """Measure one dimension, and judge the last of its sizes, which is twice the one before."""
    sizes, command, grows = DIMENSIONS[dimension]
    found: list[Cost] = []
    for size in sizes:
        lines, words = command(size)
        found.append(measured(words, surely=size in sizes[-2:]))
        cost, growth = found[-1], ["", ""]
        if size == sizes[-1]:
            least, half = found[0], found[-2]
            beyond = [(cost.cpu - least.cpu, half.cpu - least.cpu), (cost.peak - EMPTY, half.peak - EMPTY)]
            for place, what in enumerate(("CPU", "memory")):
                whole, part = beyond[place]
                square = what == "CPU" and grows
                growth[place] = "below noise"
                if whole > SURE[place]:
                    ratio = whole / max(part, whole / 8)
                    growth[place] = f"{ratio:.1f} times" + square * ", a square"
                    row = f"{dimension}, {size:,}: {what} beyond the start, of half as many"
                    report(row, ratio, (4 if square else 2) * MOST, cost)
        cells = [dimension, f"{size:,}", f"{lines:,}", f"{cost.cpu:.2f}", f"{cost.peak:.0f}"]
        yield f"| {' | '.join([*cells, *growth])} |"


def main() -> None:
    rows = [HEAD, "|---|--:|--:|--:|--:|--:|--:|"]
    for dimension in DIMENSIONS:
        found = []
        for row in rows_of(dimension):
            print(f"      {row}", flush=True)
            found.append(row)
        rows += found[-2:]
    if os.environ.get("FAIRTREC_SCALE"):
        head, rest = PAGE.read_text("utf-8").split(BEGIN)
        version = __version__.split("+")[0]
        said = f"\n`FAIRTREC_SCALE=1 python -m benchmarks scale` wrote this table with fairtrec {version}.\n"
        PAGE.write_text(head + BEGIN + "\n".join(rows) + "\n" + said + END + rest.split(END)[1], "utf-8")
