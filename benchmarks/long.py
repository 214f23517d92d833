"""One query of 5 million documents, and one of a million beside 1,000 of 100: peak memory, of the size of the run."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.timing import BIN, FOLDER, report, run

ALONE, BESIDE, QUERIES, DEPTH = 5_000_000, 1_000_000, 1_000, 100
BLOCK = 100_000


def ranking(path: Path, documents: int, short: int = 0) -> Path:
    """Write a run of a long ranking, and so many short ones."""
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        with path.open("w") as lines:
            for q in range(short):
                lines.writelines(f"s{q} Q0 d{(q * 37 + i * 11) % documents:07d} {i + 1} {-i} r\n" for i in range(DEPTH))
            for first in range(0, documents, BLOCK):
                block = range(first, first + BLOCK)
                lines.write("".join(f"long Q0 d{i:07d} {i + 1} {documents - i} made\n" for i in block))
    return path


def compare(what: str, given: Sequence[str | Path], path: Path, bound: float) -> None:
    cost, size = run([BIN / "fairtrec", "eval", *given]), path.stat().st_size / 2**20
    report(what, cost.peak / size, bound, f"{cost.peak:.0f} MiB of {size:.0f} MiB, {cost}")


def main() -> None:
    long, qrels = ranking(FOLDER / "long.run", ALONE), FOLDER / "long.qrels"
    qrels.write_text("".join(f"long 0 d{i:07d} {i % 4}\n" for i in range(0, ALONE, 2_477)))
    for measures in ("RR", "Rprec Bpref infAP Judged"):
        compare(f"one query x 5 M, {measures}: peak memory, of the run", [qrels, long, "-m", measures], long, 6)
    wide, labels = ranking(FOLDER / "wide.run", BESIDE, QUERIES), FOLDER / "wide.labels"
    rows = (f"d{i:07d}\t{'fm'[i * 7 % 5 // 3]}\n" for i in range(BESIDE) if i % 3)
    labels.write_text("docno\tgroup\n" + "".join(rows))
    given = ["none", wide, "--labels", labels, "-m", f"EER@{BESIDE}", "--bounds", "labels"]
    compare("one query x 1 M beside 1,000 x 100, --bounds labels: of the run", given, wide, 20)
