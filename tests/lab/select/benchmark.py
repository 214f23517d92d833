"""``fairtrec select`` against ``fairtrec eval`` of the same runs."""

from benchmarks.batch import generated, submitted
from benchmarks.timing import BIN, FOLDER, paired, report


def main() -> None:
    batch = submitted() or generated(FOLDER / "batch43", 43, 43, 100)
    given = ["--counts", batch.counts, "--background", batch.runs[0], "--missing", "neutral"]
    axes = ["--utility", "nDCG@10", "--fairness", "NFaiRR@10"]
    ours = [
        BIN / "fairtrec",
        "select",
        batch.qrels,
        *batch.runs,
        *given,
        *axes,
        "-f",
        "tsv",
    ]  # eval draws no table either
    theirs = [BIN / "fairtrec", "eval", batch.qrels, *batch.runs, *given, "-m", "nDCG@10 NFaiRR@10"]
    pair = paired(ours, theirs, 9)
    detail = pair.detail
    report(f"{len(batch.runs)} runs, five betas, five folds: time, of eval", pair.time_ratio, 1.2, detail)
