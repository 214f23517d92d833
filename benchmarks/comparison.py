"""Comparing runs: how soon it starts, and the randomized Tukey HSD against a loop over permutations."""

import sys
from pathlib import Path

import numpy as np

from benchmarks.batch import generated
from benchmarks.timing import BIN, FOLDER, clocked, paired, report, run
from fairtrec.statistics.corrections import randomized_tukey

EXAMPLE = Path(__file__).parent.parent / "resources" / "example"
QUERIES, RUNS, RESAMPLES, SHOWN = 43, 10, 10_000, 500


def looped(values: np.ndarray, resamples: int) -> np.ndarray:
    """Deal the values of each query to the runs, one permutation after the other."""
    random = np.random.default_rng(0)
    means = values.mean(axis=0)
    apart = np.abs(means[:, None] - means)
    reached = np.zeros(apart.shape)
    for _ in range(resamples):
        dealt = np.array([random.permutation(row) for row in values]).mean(axis=0)
        reached += dealt.max() - dealt.min() >= apart
    return (reached + 1) / (resamples + 1)


def main() -> None:
    runs = [EXAMPLE / name for name in ("qrels.txt", "bm25.run", "fair.run")]
    pair = paired([BIN / "fairtrec", "compare", *runs, "-m", "nDCG@10"], [sys.executable, "-c", "import scipy.stats"])
    report("compare of 12 queries, of importing scipy.stats", pair.time_ratio, 0.8, pair.detail)
    batch = generated(FOLDER / "batch43", 43, 43, 100)
    asked = [BIN / "fairtrec", "compare", batch.qrels, *batch.runs, "-m", "nDCG@10 AP P@10", "-f", "tsv"]
    pair = paired([*asked, "--baseline", "all"], asked)
    report("2,709 pairs of 43 runs and 3 measures: CPU, of 126", pair.cpu_ratio, 2, pair.detail)
    for test in ("bootstrap", "randomization"):
        drawn = run([*asked, "--baseline", "all", "--test", test])
        report(f"the same by {test}: CPU seconds", drawn.cpu, 10, drawn)
    batch = generated(FOLDER / "batch8", 8, 1_000, 20)
    asked = [BIN / "fairtrec", "compare", batch.qrels, *batch.runs, "-m", "nDCG@10", "--baseline", "all", "-f", "tsv"]
    pair = paired([*asked, "--interval", "bca"], [*asked, "--test", "randomization"])
    report("BCa of 28 pairs x 1,000 queries: CPU, of a randomization test", pair.cpu_ratio, 2, pair.detail)
    values = np.random.default_rng(1).random((QUERIES, RUNS))
    loop, ours = clocked(lambda: looped(values, SHOWN)), clocked(lambda: randomized_tukey(values, resamples=RESAMPLES))
    ratio, detail = loop.seconds / SHOWN * RESAMPLES / ours.seconds, f"{ours}, {SHOWN} of {RESAMPLES:,} {loop}"
    report("Tukey HSD of 10 runs x 43 queries: a loop, of ours", ratio, 10, detail, at_least=True)


if __name__ == "__main__":
    main()
