"""``fairtrec ablate``: 1,000 random halves of a list with 43 runs of 43 queries, and a loop of eval; 1,024 variants."""

import csv
from pathlib import Path

import numpy as np

from benchmarks.batch import Batch, generated
from benchmarks.timing import BIN, FOLDER, report, run
from fairtrec_made import EXAMPLE, REPOSITORY

LIST = REPOSITORY / "resources" / "wordlists" / "gender-en.csv"
HALVES = 1_000


def texts_of(batch: Batch) -> Path:
    """Write a text for each document of the counts, with so many terms of each group, drawn from the list."""
    path = batch.counts.with_name("texts.tsv")
    if path.exists():
        return path
    random = np.random.default_rng(2021)
    listed: dict[str, list[str]] = {}
    with LIST.open() as file:
        for term, group in csv.reader(line for line in file if not line.startswith("#")):
            listed.setdefault(group, []).append(term)
    with batch.counts.open() as counts, path.open("w") as texts:
        next(counts)
        for line in counts:
            docno, tokens, *many = line.split()
            words = [f"w{number}" for number in random.integers(0, 5_000, int(tokens))]
            for group, times in zip(sorted(listed), many, strict=True):
                words += random.choice(listed[group], int(times)).tolist()
            texts.write(f"{docno}\t{' '.join(random.permutation(words))}\n")
    return path


def try_many() -> None:
    """Try 1,024 variants of a measure on the three runs of the example."""
    runs = [EXAMPLE / f"{name}.run" for name in ("bm25", "neural", "fair")]
    values = ",".join(map(str, range(1, 33)))
    command = [BIN / "fairtrec", "ablate", EXAMPLE / "qrels.txt", *runs, "-m", "NFaiRR@10", "--terms", "gender-en"]
    command += ["--docs", EXAMPLE / "collection.tsv", "--background", EXAMPLE / "background.run", "--grid"]
    cost = run([*command, "--vary", f"tau={values}", "--vary", f"cutoff={values}", "-f", "json"])
    report("ablate 32 x 32: MiB", cost.peak, 200, cost)


def main() -> None:
    try_many()
    batch = generated(FOLDER / "batch43", 43, 43, 100)
    texts = texts_of(batch)
    given = ["--docs", texts, "--terms", "gender-en", "--background", batch.runs[0], "-m", "NFaiRR@10"]
    start = [BIN / "fairtrec", "ablate", "none", *batch.runs, *given]
    run([*start, "--vary", "tau=0"])
    reading = run([*start, "--vary", "tau=0"])
    whole = run([*start, "--vary", "tau=0", "--vary", f"terms=half x {HALVES}"])
    alone = run([BIN / "fairtrec", "eval", "none", *batch.runs, *given])
    detail, beyond = f"{whole}, of which {reading} without the halves", whole.seconds - reading.seconds
    report(f"{HALVES} halves x {len(batch.runs)} runs, after reading: seconds", beyond, 10, detail)
    ratio = alone.seconds * HALVES / whole.seconds
    report(f"{HALVES} halves: time of a loop of eval, of ablate", ratio, 100, f"{alone} each", at_least=True)
