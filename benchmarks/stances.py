"""``fairtrec make stances`` of 215 queries with 10 to 200 documents, from vectors of 384 and 1,024 dimensions."""

from pathlib import Path

import numpy as np

from benchmarks.timing import BIN, FOLDER, ROUNDS, Cost, medians, report, run


def generate(folder: Path, queries: int, dimensions: int) -> list[str | Path]:
    """Write a run, and vectors of its documents, in which each document stands once; give the command for them."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = folder / f"stances-{queries}x{dimensions}"
    ranking, ids, vectors = (stem.with_suffix(end) for end in (".run", ".ids", ".npy"))
    if not vectors.exists():
        random = np.random.default_rng(20240811)
        sizes = np.linspace(10, 200, queries).astype(int)
        documents = random.permutation(8_841_823)[: sizes.sum()].tolist()
        qids = np.repeat(np.arange(queries), sizes).tolist()
        ranking.write_text(
            "".join(f"{q} Q0 {d} 1 {-i}.5 made\n" for i, (q, d) in enumerate(zip(qids, documents, strict=True)))
        )
        ids.write_text("".join(f"{d}\n" for d in documents))
        np.save(vectors, random.normal(size=(len(documents), dimensions)).astype(np.float32))
    return [
        BIN / "fairtrec",
        "stances",
        ranking,
        "--embeddings",
        vectors,
        "--ids",
        ids,
        "-o",
        stem.with_suffix(".tsv"),
    ]


def usual(command: list[str | Path], times: int = ROUNDS) -> Cost:
    """What a command of one thread takes: the median, after a run that does not count."""
    run(command)
    return medians(run(command) for _ in range(times))


def main() -> None:
    for dimensions in (384, 1_024):
        all_of_it, start = (usual(generate(FOLDER, queries, dimensions)) for queries in (215, 1))
        what = f"215 queries x 10-200 documents x {dimensions}: CPU beyond start-up"
        report(what, all_of_it.cpu - start.cpu, 1, f"{all_of_it}, of which {start} start-up")
