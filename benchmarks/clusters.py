"""Intervals of pooled values of a log of 1,000,000 queries x 3, by 200,000 users, against those by queries."""

from pathlib import Path

import numpy as np

from benchmarks.timing import BIN, FOLDER, paired, report

QUERIES, USERS, DOCUMENTS = 1_000_000, 200_000, 1000
SECONDS, MIB = 3, 200  # beyond the same evaluation without clusters


def write_log(folder: Path) -> None:
    """Write the run, the labels of its documents, and the user of each query."""
    if (folder / "users").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(55)
    docnos = (random.integers(0, DOCUMENTS // 3, (QUERIES, 3)) * 3 + np.arange(3)).tolist()
    with (folder / "log.run").open("w") as file:
        for query, (first, second, third) in enumerate(docnos):
            rows = enumerate((first, second, third), 1)
            file.write("".join(f"q{query} Q0 d{docno} {rank} {-rank} log\n" for rank, docno in rows))
    (folder / "labels").write_text("".join(f"d{docno}\t{'fm'[docno // 3 % 3 > 0]}\n" for docno in range(DOCUMENTS)))
    users = random.integers(0, USERS, QUERIES).tolist()
    (folder / "users").write_text("".join(f"q{query}\tu{user}\n" for query, user in enumerate(users)))


def main() -> None:
    folder = FOLDER / "clusters"
    write_log(folder)
    alone = [BIN / "fairtrec", "eval", "none", folder / "log.run", "--labels", folder / "labels", "--pool", "even"]
    alone += ["-m", "DP Exposure(group=f)@3 Selected@1 Impact@1", "-j", "1", "-f", "trec", "--confidence", ".95"]
    pair = paired([*alone, "--cluster", folder / "users"], alone)
    size = f"{QUERIES:,} queries, intervals by {USERS:,} clusters"
    report(f"{size}: seconds beyond those by queries", pair.ours.cpu - pair.theirs.cpu, SECONDS, pair.detail)
    report(f"{size}: MiB beyond", pair.ours.peak - pair.theirs.peak, MIB)


if __name__ == "__main__":
    main()
