"""``fairtrec eval --bounds labels`` beside the same without it, and on 200 queries x 1,000 documents, half unknown."""

from pathlib import Path

import numpy as np

from benchmarks.timing import BIN, FOLDER, paired, report, run

MEASURES = "AWRF@{k} NDKL@{k} KL@{k} Skew@{k} EED@{k} EER@{k}"
LONG = "NDKL@1000 AWRF@1000"


def generate(folder: Path, queries: int, depth: int) -> dict[str, Path]:
    """Write a run, and labels of two groups for half of its documents."""
    paths = {name: folder / f"unknown{queries}x{depth}.{name}" for name in ("run", "labels")}
    if all(path.exists() for path in paths.values()):
        return paths
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(20190129)
    documents = 20 * depth
    with paths["run"].open("w") as lines:
        for qid in range(queries):
            ranked = random.choice(documents, depth, replace=False).tolist()
            lines.write("".join(f"{qid} Q0 d{d} {i} {depth - i} made\n" for i, d in enumerate(ranked, 1)))
    known = random.permutation(documents)[: documents // 2].tolist()
    groups = random.choice(["f", "m"], len(known), p=[0.3, 0.7]).tolist()
    with paths["labels"].open("w") as lines:
        lines.write("docno\tgroup\n")
        lines.write("".join(f"d{d}\t{group}\n" for d, group in zip(known, groups, strict=True)))
    return paths


def compare_memory(groups: int = 256) -> None:
    """Compare the peak of bounds with that of the values only, for 5 queries x 10 and many groups."""
    folder = FOLDER / "few_of_many_groups"
    folder.mkdir(parents=True, exist_ok=True)
    labels, ranked = folder / "labels", folder / "run"
    labels.write_text("".join(f"d{d}\tg{d}\n" for d in range(groups) if d % 3))
    ranked.write_text("".join(f"{q} Q0 d{q + i} {i} {-i} made\n" for q in range(5) for i in range(1, 11)))
    command = [BIN / "fairtrec", "eval", "none", ranked, "--labels", labels, "-m", "NDKL@10"]
    pair = paired([*command, "--bounds", "labels"], command)
    detail = f"{pair.ours.peak:.0f} MiB of {pair.theirs.peak:.0f} MiB"
    report(
        f"5 queries x 10 of {groups} groups, --bounds labels: peak memory, of the same without",
        pair.peak_ratio,
        2.5,
        detail,
    )


def main() -> None:
    compare_memory()
    short = generate(FOLDER, 1_000, 20)
    for k in (10, 20):
        command = [BIN / "fairtrec", "eval", "none", short["run"], "--labels", short["labels"]]
        command += ["-m", MEASURES.format(k=k)]
        pair = paired([*command, "--bounds", "labels"], command, 5)
        detail = pair.detail
        report(f"1,000 queries x {k}, --bounds labels: time, of the same without", pair.time_ratio, 2, detail)
    deep = generate(FOLDER, 200, 1_000)
    for measures in LONG.split():
        command = [
            BIN / "fairtrec",
            "eval",
            "none",
            deep["run"],
            "--labels",
            deep["labels"],
            "-m",
            measures,
            "--bounds",
            "labels",
        ]
        cost = run(command)
        report(f"200 queries x 1,000, about 500 unknown, {measures}: seconds", cost.seconds, 5, cost)
