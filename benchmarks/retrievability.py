"""Retrievability of a log of 10,000 queries x 100, against a loop in Python, and a measure that reads two runs."""

import sys
from pathlib import Path

import numpy as np

from benchmarks.timing import BIN, FOLDER, paired, report

QUERIES, DEPTH, DOCUMENTS = 10_000, 100, 200_000
LOOP = """\
import sys
from collections import Counter
scores = Counter()
for line in open(sys.argv[1]):
    _, _, docno, rank, _, _ = line.split()
    if int(rank) <= 100:
        scores[docno] += int(rank) ** -0.5
rising = sorted(scores.values())
n = len(rising)
print(sum((2 * i - n - 1) * r for i, r in enumerate(rising, 1)) / (n * sum(rising)))
"""


def written(folder: Path) -> Path:
    """Write the rankings of a log, in which some documents are ranked far more often."""
    run = folder / "log.run"
    if not run.exists():
        folder.mkdir(parents=True, exist_ok=True)
        random = np.random.default_rng(2008)
        with run.open("w") as file:
            for query in range(QUERIES):
                docnos = np.unique((random.random(3 * DEPTH) ** 3 * DOCUMENTS).astype(np.int64))
                rows = enumerate(random.permutation(docnos)[:DEPTH].tolist(), 1)
                file.write("".join(f"{query} Q0 doc-{docno:07d} {rank} {DEPTH - rank} made\n" for rank, docno in rows))
    return run


def main() -> None:
    run = written(FOLDER / "retrievability")
    size = f"{QUERIES:,} queries x {DEPTH}"
    ours = [BIN / "fairtrec", "eval", "none", run, "-m", "Gini(b=0.5)@100", "--pool", "even"]
    pair = paired(ours, [sys.executable, "-c", LOOP, run])
    report(f"{size}, Gini: CPU, of a loop over lines", pair.cpu_ratio, 0.7, pair.detail)
    pair = paired(ours, [BIN / "fairtrec", "eval", "none", run, "-m", "CRBO@100", "--counterfactual", run])
    report(f"{size}, Gini: CPU, of CRBO, which reads two runs", pair.cpu_ratio, 1, pair.detail)


if __name__ == "__main__":
    main()
