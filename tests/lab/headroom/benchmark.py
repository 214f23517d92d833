"""``fairtrec headroom`` and the orders that it writes, on 43 runs of 43 queries and 100 documents: seconds."""

from benchmarks.batch import generated, submitted
from benchmarks.timing import BIN, FOLDER, paired, report, run
from fairtrec_made import EXAMPLE


def main() -> None:
    for name, batch in (("made up", generated(FOLDER / "batch43", 43, 43, 100)), ("TREC DL 2019", submitted())):
        if batch is None:
            continue
        given = ["--counts", batch.counts, "--background", batch.runs[0], "--missing", "neutral"]
        command = [BIN / "fairtrec", "headroom", batch.qrels, *batch.runs, *given, "--candidates", "100"]
        cost = run(command)
        report(f"{len(batch.runs)} runs x 43 queries x 100 documents, {name}: seconds", cost.seconds, 20, cost)
        orders = [
            BIN / "fairtrec",
            "rerank",
            batch.qrels,
            *batch.runs,
            *given,
            "--candidates",
            "100",
            "-o",
            FOLDER / "orders/",
        ]
        best, worst = ([*orders, "--by", f"{end}(fairness=NFaiRR@10,same_grades=True)"] for end in ("Optimal", "Worst"))
        pair = paired(worst, best)
        report(f"the same, Worst(same_grades=True): CPU, of Optimal, {name}", pair.cpu_ratio, 1.2, pair.detail)
        searched = [*command, "--membership", "majority", "--fairness", "AWRF@20", "--utility", "nDCG@20"]
        cost = run(searched)
        report(f"the same, AWRF@20 and nDCG@20 by search, with its bound, {name}: CPU seconds", cost.cpu, 60, cost)
    runs = [EXAMPLE / f"{name}.run" for name in ("bm25", "neural", "fair")]
    by = "Optimal(fairness=DUO,utility=scores,loss=0.01)"
    command = [BIN / "fairtrec", "rerank", "none", *runs, "--by", by, "--stances", EXAMPLE / "stances.tsv"]
    cost = run([*command, "-o", FOLDER / "duo/"])
    what = "DUO with scores of the three runs of the example, by all orders of each query: CPU seconds"
    report(what, cost.cpu, 5, cost)
