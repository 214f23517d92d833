"""``fairtrec headroom`` on 43 runs of 43 queries and 100 documents: seconds."""

from benchmarks.batch import generated, submitted
from benchmarks.timing import BIN, FOLDER, report, run


def main() -> None:
    for name, batch in (("made up", generated(FOLDER / "batch43", 43, 43, 100)), ("TREC DL 2019", submitted())):
        if batch is None:
            continue
        given = ["--counts", batch.counts, "--background", batch.runs[0], "--missing", "neutral"]
        command = [BIN / "fairtrec", "headroom", batch.qrels, *batch.runs, *given, "--candidates", "100"]
        cost = run(command)
        report(f"{len(batch.runs)} runs x 43 queries x 100 documents, {name}: seconds", cost.seconds, 20)
