"""``fairtrec explain`` against ``fairtrec eval`` of the same runs."""

from benchmarks.batch import generated, submitted
from benchmarks.timing import BIN, FOLDER, paired, report


def main() -> None:
    batch = submitted() or generated(FOLDER / "batch43", 43, 43, 100)
    given = ["--counts", batch.counts, "--background", batch.runs[0], "--missing", "neutral", "-m", "NFaiRR@10"]
    ours = [BIN / "fairtrec", "explain", batch.qrels, *batch.runs, *given]
    theirs = [BIN / "fairtrec", "eval", batch.qrels, *batch.runs, *given]
    pair = paired(ours, theirs, 9)
    detail = pair.detail
    report(f"{len(batch.runs)} runs, every rank and word: time, of eval", pair.time_ratio, 1.5, detail)
    pair = paired([*ours, "--baseline", batch.runs[0]], theirs, 5)
    report(f"{len(batch.runs)} runs against a baseline: time, of eval", pair.time_ratio, 3.0, pair.detail)
