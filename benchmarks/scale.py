"""What to expect from 10 queries to a million, and of more ranks, runs, groups and terms; written to docs/scale.md."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.timing import BIN, FOLDER, Cost, report, run

PAGE = Path(__file__).parent.parent / "docs" / "scale.md"
BEGIN, END = "<!-- figures -->\n", "<!-- /figures -->\n"
DOCUMENTS, LABELLED = 1_000_000, 200_000
START = 0.5  # seconds of a processor that any command takes, in which figures of small inputs drown
MOST = 1.5  # times as much for each line as at a smaller size
MEASURES = "nDCG@10 AWRF@10 NDKL@10"
SIZES = {
    "queries of 10 ranks": (10, 1_000, 100_000, 1_000_000),
    "ranks of 43 queries": (10, 1_000, 10_000),
    "runs of 43 x 100": (1, 10, 100, 1_000),
    "groups, 1,000 x 100": (2, 10, 100, 1_000),
    "terms, 60 MB of texts": (10, 1_000, 100_000),
}


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


def labelled(groups: int) -> Path:
    return written(f"scale/{groups}.labels", lambda: (f"{d}\tg{d % groups:04d}\n" for d in range(LABELLED)))


def judged(queries: int) -> Path:
    return written(f"scale/{queries}.qrels", lambda: (f"{q} 0 {(q * 7919 + i) % DOCUMENTS} {i % 3}\n"
                                                      for q in range(queries) for i in range(5)))  # fmt: skip


def cost(dimension: str, size: int) -> tuple[int, Cost]:
    """Give how many lines are read, and what that costs."""
    start = [BIN / "fairtrec", "eval"]
    if dimension.startswith("terms"):
        from benchmarks import annotate

        texts = annotate.collection()[1]
        words = written(f"scale/{size}.terms", lambda: (f"w{i}x\t{'fm'[i % 2]}\n" for i in range(size)))
        table = FOLDER / "scale" / "table.arrow"
        return sum(1 for _ in texts.open("rb")), run(
            [BIN / "fairtrec", "annotate", texts, "--terms", words, "-o", table, "-j", "1", "--force"]
        )
    queries, depth, runs, groups, measures = 43, 100, 1, 2, MEASURES
    if dimension.startswith("queries"):
        queries, depth = size, 10
    elif dimension.startswith("ranks"):
        depth = size
    elif dimension.startswith("runs"):
        runs = size
    else:
        queries, groups, measures = 1_000, size, "AWRF@10 NDKL@10 Skew(eps=0.01)@10"
    several = [ranked(queries, depth, seed) for seed in range(runs)]
    given = [judged(queries), *several, "-m", measures, "--labels", labelled(groups), "-f", "tsv"]
    return queries * depth * runs, run([*start, *given])


def main() -> None:
    rows = [
        "| | size | lines | s of CPU | MB | s per million lines | MB per million lines |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for dimension, sizes in SIZES.items():
        before: tuple[int, Cost] | None = None
        for size in sizes:
            lines, found = cost(dimension, size)
            each = [1e6 * number / lines for number in (found.cpu, found.peak)] if lines >= 100_000 else [None, None]
            shown = ["" if number is None else f"{number:,.2f}" if number < 10 else f"{number:,.0f}" for number in each]
            rows.append(
                f"| {dimension} | {size:,} | {lines:,} | {found.cpu:.2f} | {found.peak:.0f} | {' | '.join(shown)} |"
            )
            print(f"      {rows[-1]}", flush=True)
            if before is not None:
                work = size / sizes[0] if "groups" in dimension or "terms" in dimension else lines / before[0]
                grown = (found.cpu - before[1].cpu) / max(before[1].cpu, START)
                report(f"{dimension}, {size:,}: CPU beyond that of fewer, for each part more", grown / work, MOST)
            before = lines, found
    if os.environ.get("FAIRTREC_SCALE"):
        head, rest = PAGE.read_text("utf-8").split(BEGIN)
        PAGE.write_text(head + BEGIN + "\n".join(rows) + "\n" + END + rest.split(END)[1], "utf-8")
