"""``fairtrec ablate`` with 1,000 random halves of a list and 43 runs of 43 queries, and a loop of eval."""

import csv
from pathlib import Path

import numpy as np

from benchmarks.batch import Batch, generated
from benchmarks.timing import BIN, FOLDER, report, run

LIST = Path(__file__).parent.parent / "resources" / "wordlists" / "gender-en.csv"
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


def main() -> None:
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
