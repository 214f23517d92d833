"""``fairtrec report`` against its parts, each as a command of its own."""

import json
import shutil

from benchmarks.batch import generated, submitted
from benchmarks.timing import BIN, FOLDER, report, run


def main() -> None:
    batch = submitted() or generated(FOLDER / "batch43", 43, 43, 100)
    folder = FOLDER / "study"
    shutil.rmtree(folder, ignore_errors=True)
    given = ["--counts", batch.counts, "--background", batch.runs[0], "--missing", "neutral", "-m", "nDCG@10 NFaiRR@10"]
    whole = run([BIN / "fairtrec", "report", batch.qrels, *batch.runs, *given, "-o", folder])
    parts = json.loads((folder / "report.json").read_text("utf-8"))["parts"]
    alone = [run([BIN / "fairtrec", *part["arguments"]]) for part in parts.values()]
    cpu = sum(each.cpu for each in alone)
    what = f"{len(batch.runs)} runs, {len(parts)} parts: CPU, of the parts one by one"
    report(what, whole.cpu / cpu, 1.1, f"{whole.cpu:.1f} of {cpu:.1f} s")
    few = generated(FOLDER / "batch3", 3, 117, 100)
    given = ["--counts", few.counts, "--background", few.runs[0], "-m", "NFaiRR@10 TExFAIR@10 nDCG@10", "--force"]
    whole = run([BIN / "fairtrec", "report", few.qrels, *few.runs, *given, "-o", folder])
    report("3 runs, 117 queries: seconds of CPU, of two minutes", whole.cpu / 120, 1.0, f"{whole.cpu:.1f} s")
