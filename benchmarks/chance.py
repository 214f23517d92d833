"""``fairtrec eval --bounds orders`` on 4 runs of 30 queries x 100 documents of three groups, most of one."""

from pathlib import Path

import numpy as np

from benchmarks.timing import BIN, FOLDER, report, run

SECONDS = {"AWRF@20": 5, "NDKL@20": 3, "DTR": 20, "nDCG@20": 1}  # of processors: a search, one pass, whole lists, a sum
RUNS, QUERIES, DEPTH = 4, 30, 100


def generate(folder: Path) -> tuple[list[Path], Path, Path]:
    """Write runs, labels and judgments of their documents."""
    runs = [folder / f"chance{number}.run" for number in range(RUNS)]
    labels, qrels = folder / "chance.labels", folder / "chance.qrels"
    if all(path.exists() for path in (*runs, labels, qrels)):
        return runs, labels, qrels
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(2008)
    docs = 4 * DEPTH  # of each query
    for number, path in enumerate(runs):
        with path.open("w") as lines:
            for qid in range(QUERIES):
                ranked = random.choice(docs, DEPTH, replace=False).tolist()
                lines.write("".join(f"{qid} Q0 q{qid}d{d} {i} {DEPTH - i} {number}\n" for i, d in enumerate(ranked, 1)))
    names = [f"q{qid}d{d}" for qid in range(QUERIES) for d in range(docs)]
    groups = random.choice(["f", "m", "n"], len(names), p=[0.05, 0.1, 0.85]).tolist()
    labels.write_text("".join(f"{name}\t{group}\n" for name, group in zip(names, groups, strict=True)))
    grades = random.choice(4, len(names), p=[0.6, 0.2, 0.1, 0.1]).tolist()
    judged = zip(names, grades, strict=True)
    qrels.write_text("".join(f"{name[1:].partition('d')[0]} 0 {name} {grade}\n" for name, grade in judged))
    return runs, labels, qrels


def main() -> None:
    runs, labels, qrels = generate(FOLDER)
    for measure, seconds in SECONDS.items():
        command = [BIN / "fairtrec", "eval", qrels, *runs, "--labels", labels, "-m", measure, "--bounds", "orders"]
        cost = run([*command, "-j", "1"])
        report(f"4 runs x 30 queries x 100, --bounds orders, {measure}: seconds of CPU", cost.cpu, seconds, cost)
