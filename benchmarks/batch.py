"""``fairtrec eval`` on a batch of runs: 20 and 43 of 43 queries x 100 documents, 60 of 54 x 1,000, 100 of 200 x 100."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.timing import BIN, FOLDER, NO_TREC_EVAL, PEER, TREC_EVAL, paired, report, run, spend_inside

UTILITY = "nDCG@10 RR R@100 AP"
FAIRNESS = "NFaiRR@10 TExFAIR@10"
OF_DOCUMENTS = "AWRF@100 NDKL@100 FAIR@100"  # for which documents are looked up
THEIRS = """
import sys
import ir_measures
measures = [ir_measures.parse_measure(name) for name in sys.argv[1].split()]
evaluator = ir_measures.evaluator(measures, ir_measures.read_trec_qrels(sys.argv[2]))
for path in sys.argv[3:]:
    for measure, value in evaluator.calc_aggregate(ir_measures.read_trec_run(path)).items():
        print(path, measure, value)
"""
SHARED = Path(os.environ.get("FAIRTREC_SHARED", "../shared")) / "data"


@dataclass(frozen=True)
class Batch:
    """Runs, and what they are evaluated with."""

    runs: list[Path]
    qrels: Path
    counts: Path


def generated(folder: Path, runs: int, queries: int, depth: int) -> Batch:
    """Write runs that share most of their documents, as those of a track do, with qrels and a table of counts."""
    paths = [folder / f"{number:02}.run" for number in range(runs)]
    batch = Batch(paths, folder / "qrels", folder / "counts.tsv")
    if batch.counts.exists():
        return batch
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(2019)
    pool = random.choice(8_841_823, (queries, 2 * depth), replace=False)
    for path in paths:
        with path.open("w") as file:
            for query, docnos in enumerate(pool):
                order = np.argsort(np.arange(2 * depth) + random.normal(0, depth / 4, 2 * depth))[:depth]
                scores = np.sort(random.random(depth) * 20)[::-1].tolist()
                rows = zip(docnos[order].tolist(), scores, strict=True)
                file.write("".join(f"{query} Q0 {d} {i} {s:.6f} {path.stem}\n" for i, (d, s) in enumerate(rows, 1)))
    with batch.qrels.open("w") as file:
        for query, docnos in enumerate(pool):
            judged = random.choice(docnos, min(depth, 170), replace=False).tolist()
            grades = random.choice(4, len(judged), p=[0.6, 0.2, 0.13, 0.07]).tolist()
            file.write("".join(f"{query} 0 {d} {g}\n" for d, g in zip(judged, grades, strict=True)))
    counts = np.stack([random.poisson(mean, pool.size) for mean in (60, 0.2, 0.3)], axis=1).tolist()
    lines = (f"{d}\t{t}\t{f}\t{m}\n" for d, (t, f, m) in zip(pool.ravel().tolist(), counts, strict=True))
    batch.counts.write_text("docno\ttokens\tf\tm\n" + "".join(lines))
    return batch


def submitted() -> Batch | None:
    """Give the runs of TREC DL 2019 that lie beside the repository, if they do: those of six columns."""
    found = sorted((SHARED / "rankllm-dl19").glob("*.run"))
    runs = [path for path in found if len(path.open().readline().split()) == 6]
    counts = SHARED / "dl19-dl20-counts" / "gender.strip.tsv"
    return Batch(runs, SHARED / "qrels" / "qrels.dl19-passage.txt", counts) if runs and counts.exists() else None


def ours(batch: Batch, *options: str) -> list[str | Path]:
    """Give the command that evaluates a batch, utility and fairness."""
    given = ["--counts", batch.counts, "--background", batch.runs[0], "-m", f"{UTILITY} {FAIRNESS}"]
    return [BIN / "fairtrec", "eval", batch.qrels, *batch.runs, *given, *options]


def alone(batch: Batch) -> list[str | Path]:
    """Give the command that evaluates its utility alone."""
    return [BIN / "fairtrec", "eval", batch.qrels, *batch.runs, "-m", UTILITY]


def of_documents(batch: Batch, *options: str) -> list[str | Path]:
    """Give the command that evaluates fairness alone, most of whose time goes into measures that look documents up."""
    given = ["--counts", batch.counts, "-m", OF_DOCUMENTS]
    return [BIN / "fairtrec", "eval", batch.qrels, *batch.runs, *given, *options]


def theirs(batch: Batch) -> list[str | Path]:
    """Give the command that evaluates its utility with ir_measures, in one process."""
    return [BIN / "python", "-c", THEIRS, UTILITY, batch.qrels, *batch.runs]


def by_trec_eval(batch: Batch) -> list[str | Path]:
    """Give the command that calls trec_eval on each run."""
    loop = 'qrels=$1; shift; for run; do "$0" -m ndcg_cut.10 -m recip_rank -m recall.100 -m map "$qrels" "$run"; done'
    return ["sh", "-c", loop, str(TREC_EVAL), batch.qrels, *batch.runs]


def main() -> None:
    large = generated(FOLDER / "batch60", 60, 54, 1_000)
    small = submitted() or generated(FOLDER / "batch43", 43, 43, 100)
    part = replace(small, runs=small.runs[:20])  # with which the start weighs most
    pair = paired(ours(part), theirs(part), 9)
    detail = pair.detail
    report("20 runs of 43 queries x 100, with fairness: time, of ir_measures", pair.time_ratio, 0.85, detail)
    pair = paired(alone(small), theirs(small))
    detail = pair.detail
    report("43 runs of 43 queries x 100, four measures: time, of ir_measures", pair.time_ratio, 0.38, detail)
    for what, batch in (("43 runs of 43 queries x 100", small), ("60 runs of 54 queries x 1,000", large)):
        pair = paired(ours(batch), theirs(batch))
        detail = pair.detail
        report(f"{what}, with fairness: time, of ir_measures", pair.time_ratio, 0.5, detail)
        if TREC_EVAL:
            pair = paired(ours(batch), by_trec_eval(batch))
            detail = pair.detail
            report(f"{what}, with fairness: time, of a loop of {PEER}", pair.time_ratio, 1, detail)
        else:
            print(NO_TREC_EVAL)
    fair = generated(FOLDER / "batch100", 100, 200, 100)
    pair = paired(of_documents(fair, "-j", "1"), of_documents(fair, "-j", "2"))
    detail = pair.detail
    report(
        "100 runs of 200 queries x 100, fairness: time of one job, of two", pair.time_ratio, 1.6, detail, at_least=True
    )
    detail = f"{pair.theirs.peak:.0f} MiB of {pair.ours.peak:.0f} MiB"
    report("the same: peak memory of the largest process of two jobs, of one", 1 / pair.peak_ratio, 1.25, detail)
    many = FOLDER / "batch600"
    many.mkdir(exist_ok=True)
    for number in range(600):
        link = many / f"{number:03}.run"
        link.unlink(missing_ok=True)
        link.symlink_to(large.runs[number % 60].resolve())
    all_runs = Batch(sorted(many.iterdir()), large.qrels, large.counts)
    pair = paired(ours(all_runs, "-j", "1"), ours(all_runs, "-j", "2"))  # of 60 the start takes a third
    detail = pair.detail
    report("600 runs: time of one job, of two", pair.time_ratio, 1.5, detail, at_least=True)
    one, first = (spend_inside(ours(all_runs, "-j", jobs)[1:], "process_time") for jobs in ("1", "8"))
    detail = f"{first:.2f} of {one:.2f} s"
    report("600 runs: CPU of the process that starts 8 jobs, and is one of them, of -j 1", first / one, 0.25, detail)
    for what, batch in (("43 runs", small), ("60 runs", large), ("600 runs", all_runs)):
        pair = paired(ours(batch), ours(batch, "-j", "1"))
        report(f"{what}, -j as by default: time, of -j 1", pair.time_ratio, 1.1, pair.detail)
    few, all_of_them = (run(ours(batch, "-j", "2")).peak for batch in (large, all_runs))
    report(
        "600 runs: peak memory of the largest process, of 60 runs",
        all_of_them / few,
        1.25,
        f"{all_of_them:.0f} MiB of {few:.0f} MiB",
    )
