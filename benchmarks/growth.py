"""Costs that grew faster than their work: long rankings, many groups, many runs, many variants."""

import random
import sys
from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path

from benchmarks.batch import generated
from benchmarks.scale import DOCUMENTS, many_runs, ranked, written
from benchmarks.scale import labeled as write_labels
from benchmarks.timing import BIN, FOLDER, least, paired, report
from fairtrec.measures.catalogue import registry
from fairtrec.measures.catalogue.needs import GROUPED
from fairtrec.measures.catalogue.notation import parameters
from fairtrec.measures.catalogue.relevance import OURS
from fairtrec.report.point_labels import place_labels, stack_dots

DEEP, SHALLOW = 16_000, 1_000  # ranks
CUTOFF = 256  # the deepest of many
OF_ORDERS = dict.fromkeys(
    ("DUO", "SignedDUO", "DUO_random"), 6
)  # each cutoff has the orders of another list; of @256 alone, the start is most


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


def read_docnos(run: Path) -> list[tuple[str, str]]:
    """List the query and the document of each line of a run."""
    return [(line.split()[0], line.split()[2]) for line in run.open()]


def give(measure: str, run: Path) -> list[str | Path]:
    """Give what a measure needs beside a run: qrels first, then options."""
    (parsed,) = registry.parse(measure)
    ids = read_docnos(run)
    qrels = written("growth/qrels", lambda: (f"{q} {int(d) % 2} {d} {int(d) % 7 % 4}\n" for q, d in ids))
    given: list[str | Path] = [qrels, run, "--background", run]
    if "membership" in parsed.needs:
        given += ["--labels", write_labels(2)]
    elif GROUPED.intersection(parsed.needs):
        given += ["--counts", table()]
    if "stances" in parsed.needs:
        rows = (f"{d}\t{int(d) % 19 / 9 - 1}\n" for d in dict.fromkeys(d for _, d in ids))
        given += ["--stances", written("growth/stances.tsv", lambda: chain(["docno\tx\n"], rows))]
    if "counterfactual" in parsed.needs:
        given += ["--counterfactual", ranked(100, 1_000, 1)]
    return [*given, "--pool", "even"] if parsed.of_pool else given


def compare_cutoffs(name: str, run: Path) -> None:
    """Compare 256 cutoffs of a measure with the deepest one."""
    base = [BIN / "fairtrec", "eval", *give(f"{name}@{CUTOFF}", run), "-j", "1", "-f", "tsv", "-m"]
    every = " ".join(f"{name}@{cutoff}" for cutoff in range(1, CUTOFF + 1))
    pair = paired([*base, every], [*base, f"{name}@{CUTOFF}"])
    ties = ", ties" if run.suffix == ".tied" else ""
    bound = OF_ORDERS.get(name, 2)
    report(f"{name}@1..{CUTOFF} of 100 x 1,000{ties}: CPU, of @{CUTOFF}", pair.cpu_ratio, bound, pair.detail)


def list_measures_with_cutoff() -> list[str]:
    """List the measures of the catalogue that have a cutoff, without those that only ir-measures computes."""
    ours = {name: registry.find(name) for name in registry.names()}
    fair = [name for name, kind in ours.items() if kind is not None and "cutoff" in parameters(kind)]
    of_relevance = (name for name in ours if name in OURS and "cutoff" in OURS[name].SUPPORTED_PARAMS)
    return [*fair, *of_relevance]


def folder() -> None:
    """Compare a folder of 600 runs with the same files listed."""
    _, listed = many_runs(600)
    paths = [word for word in listed if isinstance(word, Path) and word.parent.name == "600 runs"]
    at = listed.index(paths[0])
    pair = paired([*listed[:at], paths[0].parent, *listed[at + len(paths) :]], listed)
    report("a folder of 600 runs of 43 x 10: CPU, of a list", pair.cpu_ratio, 1.03, pair.detail)


def all_cutoffs() -> None:
    """Compare many cutoffs of every measure of the catalogue that has one, and of one measure with ties."""
    run = ranked(100, 1_000)
    for name in list_measures_with_cutoff():
        compare_cutoffs(name, run)
    compare_cutoffs("NFaiRR", tie(run))


def stances() -> None:
    """Compare stances of a million documents with their labels."""
    run = ranked(4, SHALLOW)
    placed = written("growth/million.stances", lambda: (f"{d}\t{d % 1999 / 999 - 1:.6f}\n" for d in range(10**6)))
    grouped = written("growth/million.labels", lambda: (f"{d}\tg{d % 2}\n" for d in range(10**6)))
    of_stances = [BIN / "fairtrec", "eval", "none", run, "--stances", placed, "-m", "DUO@10"]
    pair = paired(of_stances, [*of_stances[:4], "--labels", grouped, "-m", "AWRF@10"])
    report("stances of a million documents: CPU, of labels", pair.cpu_ratio, 0.8, pair.detail)


def rankings() -> None:
    """Compare the rankings of each two runs, and of each with the first."""
    runs = generated(FOLDER / "batch120", 120, 50, 100).runs
    given = [BIN / "fairtrec", "correlate", "--rankings", *runs, "-f", "tsv"]
    pair = paired(given, [*given, "--baseline", runs[0]])
    report("rankings of each two of 120 runs of 50 x 100: CPU, of each with one", pair.cpu_ratio, 4, pair.detail)


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


def start() -> None:
    """Compare tiny commands with importing numpy and click, without which none of them can start."""
    batch = generated(FOLDER / "tiny43", 43, 5, 10)
    both = [sys.executable, "-c", "import click, numpy"]
    commands: dict[str, tuple[list[str | Path], float]] = {
        "eval of 43 runs of 5 x 10": (["eval", batch.qrels, *batch.runs], 1.8),
        "validate of 43 runs of 5 x 10": (["validate", *batch.runs], 1.9),
        "measures": (["measures"], 2.4),
        "eval -h": (["eval", "-h"], 0.7),
    }
    for what, (words, bound) in commands.items():
        pair = paired([BIN / "fairtrec", *words], both, 11)
        report(f"{what}: CPU, of importing click and numpy", pair.cpu_ratio, bound, pair.detail)
    missing = ["sh", "-c", '"$@" || test $? -eq 3', "sh", BIN / "fairtrec", "eval", "none.txt", *batch.runs[:1]]
    pair = paired(missing, both, 11)
    report("eval of a file that is missing: CPU, of importing click and numpy", pair.cpu_ratio, 1.7, pair.detail)


def place(many: int, kind: str) -> None:
    """Label dots of random places, or of places on a line from corner to corner."""
    draw = random.Random(7)
    spots = [(draw.random(), draw.random()) if kind == "apart" else (n / many, n / many) for n in range(many)]
    dots = stack_dots((run, 64 + 472 * x, 40 + 322 * y) for run, (x, y) in enumerate(spots))
    place_labels(dots, {run: str(run) for run in range(many)}, (64, 26, 558, 362))


def main() -> None:
    for part in (arab, foe, folder, all_cutoffs, stances, rankings, pictures, completion, start):
        part()


if __name__ == "__main__":
    main()
