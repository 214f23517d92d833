"""Gold labels: drawing documents of 43 runs and correcting their values, against evaluating them; and agreement."""

from pathlib import Path

import numpy as np

from benchmarks.batch import generated, ours, submitted
from benchmarks.timing import BIN, FOLDER, paired, report, run

RUNS, QUERIES, DEEP = 43, 43, 100
DOCUMENTS = 40_000
JUDGES, PAIRS = 27, 220  # of a query, of 50
ORDERED = 63  # runs


def written(folder: Path) -> list[Path]:
    """Runs of documents that are shared by many, as those of one track are."""
    folder.mkdir(parents=True, exist_ok=True)
    runs = []
    for system in range(RUNS):
        path = folder / f"{system}.run"
        step = 31 * (system % 9 + 3)
        lines = (
            f"q{query} Q0 d{query * 7919 + (rank + 1) * step} {rank + 1} {-rank} s{system}\n"
            for query in range(QUERIES)
            for rank in range(DEEP)
        )
        path.write_text("".join(lines))
        runs.append(path)
    (folder / "qrels").write_text("".join(f"q{query} 0 d{query * 7919 + 93} 1\n" for query in range(QUERIES)))
    groups = "fm-"
    (folder / "gold.tsv").write_text(
        "docno\tgroup\tprobability\n" + "".join(f"d{i}\t{groups[i % 3]}\t0.5\n" for i in range(DOCUMENTS))
    )
    (folder / "labels.tsv").write_text("".join(f"d{i}\t{groups[i % 7 % 3]}\n" for i in range(DOCUMENTS)))
    return runs


def write_judges(folder: Path) -> list[Path]:
    """Qrels of people and of judges, of the same pairs, the first of people."""
    paths = []
    for judge in range(JUDGES + 1):
        pairs = ((query, pair) for query in range(50) for pair in range(PAIRS))
        lines = (f"q{q} 0 d{q * PAIRS + pair} {(q + pair + judge * pair % 5) % 4}\n" for q, pair in pairs)
        path = folder / f"judge{judge}.qrels"
        path.write_text("".join(lines))
        paths.append(path)
    return paths


def write_judged_runs(folder: Path) -> list[Path]:
    """Runs of the documents that people and judges judged."""
    random = np.random.default_rng(2021)
    paths = [folder / f"judged{system}.run" for system in range(ORDERED)]
    for path in paths:
        ranked = {query: random.permutation(PAIRS)[:DEEP].tolist() for query in range(50)}
        lines = (
            f"q{q} Q0 d{q * PAIRS + d} {i} {-i} {path.stem}\n" for q, of in ranked.items() for i, d in enumerate(of)
        )
        path.write_text("".join(lines))
    return paths


def main() -> None:
    folder = FOLDER / "gold"
    runs = written(folder)
    draw = [BIN / "fairtrec", "gold", "draw", *runs, "--number", "300", "-o", folder / "sheet.tsv", "--force"]
    pair = paired(draw, [BIN / "fairtrec", "eval", folder / "qrels", *runs, "-m", "RR@10", "-j", "1"])
    report(f"gold draw from {RUNS} runs, of eval -m RR@10: CPU", pair.cpu_ratio, 1.5, pair.detail)
    batch = submitted() or generated(FOLDER / "batch43", 43, 43, 100)
    sheet, filled = folder / "batch.tsv", folder / "filled.tsv"
    run([BIN / "fairtrec", "gold", "draw", *batch.runs, "--number", "300", "-o", sheet, "--force"])
    lines = (line.replace("\t\t", f"\t{'fm-'[at % 3]}\t", 1) for at, line in enumerate(sheet.read_text().splitlines()))
    filled.write_text("".join(f"{line}\n" for line in lines))
    pair = paired(ours(batch, "-j", "1", "--gold", filled), ours(batch, "-j", "1"))
    report(f"eval --gold of {len(batch.runs)} runs of 43 queries, of eval: CPU", pair.cpu_ratio, 1.2, pair.detail)
    agree = run([BIN / "fairtrec", "gold", "agree", folder / "gold.tsv", "--labels", folder / "labels.tsv"])
    report(f"gold agree over {DOCUMENTS:,} documents, seconds of CPU", agree.cpu, 2.0, agree)
    command = [BIN / "fairtrec", "gold", "judges", *write_judges(folder), "--labels", folder / "labels.tsv"]
    judges = run(command)
    report(f"gold judges: {JUDGES} judges of {50 * PAIRS:,} pairs, seconds of CPU", judges.cpu, 3.0, judges)
    for several in write_judged_runs(folder):
        command += ["--runs", several]
    ordered = run([*command, "-m", "nDCG@10 DTR"])
    report(f"the same with {ORDERED} runs of 50 x {DEEP}, two measures, seconds of CPU", ordered.cpu, 3.0, ordered)


if __name__ == "__main__":
    main()
