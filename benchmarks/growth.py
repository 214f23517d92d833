"""Costs that grew faster than their work: long rankings, many groups, many runs, many variants."""

import random
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.batch import generated
from benchmarks.scale import DOCUMENTS, ranked, written
from benchmarks.scale import labeled as write_labels
from benchmarks.timing import BIN, FOLDER, least, paired, report
from fairtrec.report.point_labels import place_labels, stack_dots

DEEP, SHALLOW = 16_000, 1_000  # ranks


def table() -> Path:
    """Write counts of two groups for all documents."""

    def lines() -> Iterator[str]:
        yield "docno\ttokens\tf\tm\n"
        yield from (f"{d}\t60\t{d % 3 % 2}\t{d % 7 % 2}\n" for d in range(DOCUMENTS))

    return written("scale/counts.tsv", lines)


def arab() -> None:
    """Compare a cutoff of many ranks with one of few, of the same run."""
    given = ["eval", "none", ranked(4, DEEP), "--counts", table(), "-j", "1", "-f", "tsv"]
    deep, shallow = ([BIN / "fairtrec", *given, "-m", f"ARaB@{cutoff}"] for cutoff in (DEEP, SHALLOW))
    pair = paired(deep, shallow)
    detail = f"{pair.ours.peak:.0f} of {pair.theirs.peak:.0f} MiB, {pair.detail}"
    report(f"ARaB@{DEEP:,} of 4 queries: peak memory, of @{SHALLOW:,}", pair.peak_ratio, 3, detail)
    report("the same: CPU", pair.cpu_ratio, 1.5, detail)


def foe() -> None:
    """Compare FOE with many groups and with two; 100 queries of 200 documents."""
    many, two = (
        [
            BIN / "fairtrec",
            "rerank",
            "none",
            ranked(100, 200),
            "--by",
            "FOE@200",
            "--labels",
            write_labels(groups, DOCUMENTS),
        ]
        for groups in (8, 2)
    )
    pair = paired(many, two)
    report("FOE@200 of 100 x 200 with 8 groups: CPU, of 2 groups", pair.cpu_ratio, 5, pair.detail)


def tie(path: Path) -> Path:
    """Write a run again so that every three documents in turn have one score."""
    tied = path.with_suffix(".tied")
    with path.open() as lines, tied.open("w") as file:
        for qid, iteration, docno, rank, _, tag in map(str.split, lines):
            file.write(f"{qid} {iteration} {docno} {rank} {-(int(rank) // 3)} {tag}\n")
    return tied


def cutoffs(name: str, run: Path) -> None:
    """Compare 512 cutoffs of a measure with the deepest one."""
    given = [
        "none",
        run,
        "--counts",
        table(),
        "--background",
        ranked(100, 1_000),
        "-j",
        "1",
        "-f",
        "tsv",
    ]
    every = " ".join(f"{name}@{cutoff}" for cutoff in range(1, 513))
    whole, deepest = ([BIN / "fairtrec", "eval", *given, "-m", asked] for asked in (every, f"{name}@512"))
    pair = paired(whole, deepest)
    ties = ", ties" if run.suffix == ".tied" else ""
    report(f"{name}@1..512 of 100 x 1,000{ties}: CPU, of @512", pair.cpu_ratio, 2, pair.detail)


def all_cutoffs() -> None:
    """Compare many cutoffs of measures of different forms, with and without ties."""
    run = ranked(100, 1_000)
    for name in ("NFaiRR", "NDKL", "AWRF", "DP"):
        cutoffs(name, run)
    cutoffs("NFaiRR", tie(run))


def pictures() -> None:
    """Compare the page of 512 runs with their table; place labels at twice as many dots."""
    batch = generated(FOLDER / "batch512", 512, 43, 10)
    given = [BIN / "fairtrec", "eval", batch.qrels, *batch.runs, "--counts", batch.counts, "-j", "1"]
    given += ["--background", batch.runs[0], "-m", "nDCG@10 RR NFaiRR@10 AWRF@10", "-o"]
    page, table = ([*given, FOLDER / f"512.{form}", "-f", form] for form in ("html", "tsv"))
    pair = paired(page, table)
    report("html of 512 runs: CPU, of tsv", pair.cpu_ratio, 2, pair.detail)
    for kind in ("apart", "on a line"):
        costs = [least(partial(place, many, kind)) for many in (512, 1_024)]
        report(f"labels of 1,024 dots {kind}: CPU, of 512", costs[1].cpu / costs[0].cpu, 3, costs[1])


def completion() -> None:
    """Press TAB behind -m."""
    asked = ["_FAIRTREC_COMPLETE=bash_complete", "COMP_WORDS=fairtrec eval q r -m NF", "COMP_CWORD=5"]
    pair = paired(["env", *asked, BIN / "fairtrec"], [sys.executable, "-c", "import click"])
    report("TAB behind -m: CPU, of importing click", pair.cpu_ratio, 1.4, pair.detail)


def place(many: int, kind: str) -> None:
    """Label dots of random places, or of places on a line from corner to corner."""
    draw = random.Random(7)
    spots = [(draw.random(), draw.random()) if kind == "apart" else (n / many, n / many) for n in range(many)]
    dots = stack_dots((run, 64 + 472 * x, 40 + 322 * y) for run, (x, y) in enumerate(spots))
    place_labels(dots, {run: str(run) for run in range(many)}, (64, 26, 558, 362))


def main() -> None:
    for part in (arab, foe, all_cutoffs, pictures, completion):
        part()


if __name__ == "__main__":
    main()
