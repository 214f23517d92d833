"""``fairtrec eval`` on a run of 6,980 queries x 1,000 documents, and on one of three queries."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from benchmarks.timing import BIN, FOLDER, NO_TREC_EVAL, PEER, TREC_EVAL, paired, report, spend_inside

QUERIES, DEPTH, DOCUMENTS = 6_980, 1_000, 4_300_000
UTILITY = "nDCG@10 RR@10 R@100"


def generate(folder: Path, queries: int, depth: int, documents: int) -> dict[str, Path]:
    """Have the files written, by a process of its own: what this one takes, those that it starts seem to take, too."""
    paths = {name: folder / f"{queries}x{depth}.{name}" for name in ("run", "qrels", "counts")}
    if not all(path.exists() for path in paths.values()):
        folder.mkdir(parents=True, exist_ok=True)
        with ProcessPoolExecutor(1, get_context("spawn")) as writer:
            writer.submit(write, paths, queries, depth, documents).result()
    return paths


def write(paths: dict[str, Path], queries: int, depth: int, documents: int) -> None:
    """Write a run as a first-stage ranker would, qrels with one relevant document a query, and a table of counts."""
    random = np.random.default_rng(20210711)
    docnos = random.permutation(8_841_823)[:documents]
    with paths["run"].open("w") as run, paths["qrels"].open("w") as qrels:
        for qid in random.permutation(1_100_000)[:queries].tolist():
            ranked = docnos[random.choice(documents, depth, replace=False)].tolist()
            scores = np.sort(random.random(depth) * 20)[::-1].tolist()
            rows = zip(ranked, scores, strict=True)
            run.write("".join(f"{qid} Q0 {d} {i} {s:.6f} made\n" for i, (d, s) in enumerate(rows, 1)))
            qrels.write(f"{qid} 0 {ranked[int(random.integers(min(60, depth)))]} 1\n")
    counts = np.stack([random.poisson(mean, documents) for mean in (60, 0.2, 0.3)], axis=1)
    with paths["counts"].open("w") as table:
        table.write("docno\ttokens\tf\tm\n")
        rows = zip(docnos.tolist(), counts.tolist(), strict=True)
        table.write("".join(f"{d}\t{t}\t{f}\t{m}\n" for d, (t, f, m) in rows))


def million() -> tuple[Path, Path]:
    """Write a run of a million queries, of ten documents each, five of them judged."""
    run_file, qrels = FOLDER / "1000000x10.run", FOLDER / "1000000x10.qrels"
    if not qrels.exists():
        random = np.random.default_rng(10)
        with run_file.open("w") as ranked, qrels.open("w") as judged:
            for q, docnos in enumerate(random.integers(10**6, 10**7, (10**6, 10)).tolist()):
                several = list(dict.fromkeys(docnos))
                ranked.write("".join(f"{q} Q0 {docno} {i} {11 - i} made\n" for i, docno in enumerate(several, 1)))
                judged.write("".join(f"{q} 0 {docno} {i % 3}\n" for i, docno in enumerate(several[:5])))
    return run_file, qrels


def main() -> None:
    large = generate(FOLDER, QUERIES, DEPTH, DOCUMENTS)
    given = ["--counts", large["counts"], "--background", large["run"]]
    ours = [BIN / "fairtrec", "eval", large["qrels"], large["run"], "-m", f"{UTILITY} NFaiRR@10", *given]
    theirs = [BIN / "ir_measures", large["qrels"], large["run"], *UTILITY.split()]
    alone = [*ours[:4], "-m", UTILITY]
    for what, command, bound in (("nDCG RR R and NFaiRR", ours, 0.12), ("nDCG RR R", alone, 0.1)):
        pair = paired(command, theirs)
        report(f"7 M lines, {what}: time, of ir_measures", pair.time_ratio, bound, pair.detail)
        detail = f"{pair.ours.peak:.0f} MiB of {pair.theirs.peak:.0f} MiB"
        report(f"7 M lines, {what}: peak memory, of ir_measures", pair.peak_ratio, 0.6, detail)
    if TREC_EVAL:
        utility = ["-m", "ndcg_cut.10", "-m", "recip_rank", "-m", "recall.100"]
        theirs = [TREC_EVAL, *utility, large["qrels"], large["run"]]
        pair = paired(ours, theirs)
        what = "7 M lines, nDCG RR R and NFaiRR"
        report(f"{what}: CPU, of {PEER}", pair.cpu_ratio, 0.21, pair.detail)
        print(f"      {what}: time, of {PEER}: {pair.time_ratio:.3f}")  # machines are shared: no bound
        report(f"{what}: MiB", pair.ours.peak, 170, f"{PEER} {pair.theirs.peak:.0f}")
        pair = paired(alone, theirs)
        report(f"7 M lines, nDCG RR R: CPU, of {PEER}", pair.cpu_ratio, 0.12, pair.detail)
        pair = paired(["env", "FAIRTREC_PLAIN=1", *ours], theirs)
        report(f"{what}, without a compiler: CPU, of {PEER}", pair.cpu_ratio, 1.3, pair.detail)
    else:
        print(NO_TREC_EVAL)
    main_thread = spend_inside(ours[1:], "thread_time")
    report("7 M lines, nDCG RR R and NFaiRR: CPU seconds of the main thread", main_thread, 0.5)
    run_file, qrels = million()
    pair = paired([BIN / "fairtrec", "eval", qrels, run_file, "-m", UTILITY], ours)
    report("1 M queries x 10, nDCG RR R: time, of 7 M lines with NFaiRR", pair.time_ratio, 3, pair.detail)
    size = sum(path.stat().st_size for path in (qrels, run_file)) / 2**20
    detail = f"{pair.ours.peak:.0f} MiB of {size:.0f} MiB"
    report("1 M queries x 10, nDCG RR R: peak memory, of its files", pair.ours.peak / size, 2, detail)

    small = generate(FOLDER, 3, 100, 2_000)
    numpy = [BIN / "python", "-c", "import numpy"]
    pair = paired([BIN / "fairtrec", "--help"], numpy, 15)
    report("fairtrec --help: time, of `import numpy`", pair.time_ratio, 0.5, pair.detail)
    given = ["--counts", small["counts"], "--background", small["run"]]
    for measures in ("NFaiRR@10 ARaB@10 TExFAIR@10", f"{UTILITY} NFaiRR@10"):
        pair = paired([BIN / "fairtrec", "eval", small["qrels"], small["run"], "-m", measures, *given], numpy, 15)
        what = f"three queries, {measures}: time, of `import numpy`"
        report(what, pair.time_ratio, 1.6, pair.detail)
