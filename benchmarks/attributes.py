"""``fairtrec eval`` by two attributes beside one of them: ten runs are read and sorted once."""

from pathlib import Path

import numpy as np

from benchmarks.timing import BIN, FOLDER, paired, report

MEASURES = "AWRF@20 NDKL@20 nDCG@20"
QUERIES, DEPTH, DOCUMENTS = 200, 200, 40_000


def generate(folder: Path) -> tuple[list[Path], Path, Path, Path]:
    """Write ten runs, judgments, and labels of two attributes: of two groups, and numbers."""
    runs = [folder / f"attributes.{at}.run" for at in range(10)]
    qrels, gender, age = (folder / f"attributes.{name}" for name in ("qrels", "gender.tsv", "age.tsv"))
    if all(path.exists() for path in (*runs, qrels, gender, age)):
        return runs, qrels, gender, age
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(20210226)
    for path in runs:
        with path.open("w") as lines:
            for qid in range(QUERIES):
                ranked = random.choice(DOCUMENTS, DEPTH, replace=False).tolist()
                lines.write("".join(f"{qid} Q0 d{d} {i} {DEPTH - i} made\n" for i, d in enumerate(ranked, 1)))
    qrels.write_text(
        "".join(
            f"{qid} 0 d{d} 1\n" for qid in range(QUERIES) for d in random.choice(DOCUMENTS, 50, replace=False).tolist()
        )
    )
    groups = random.choice(["f", "m", "?"], DOCUMENTS).tolist()
    gender.write_text("".join(f"d{d}\t{group}\n" for d, group in enumerate(groups)))
    ages = random.integers(20, 80, DOCUMENTS).tolist()
    age.write_text("docno\tgroup\n" + "".join(f"d{d}\t{age}\n" for d, age in enumerate(ages)))
    return runs, qrels, gender, age


def main() -> None:
    runs, qrels, gender, age = generate(FOLDER)
    command = [BIN / "fairtrec", "eval", qrels, *runs, "-m", MEASURES, "-j", "1", "--labels", f"gender={gender}"]
    pair = paired([*command, "--labels", f"age={age}:40,60"], command, 5)
    report("10 runs of 200 x 200, two attributes: CPU, of one", pair.cpu_ratio, 1.3, pair.detail)
