"""A million labels from TSV, JSON lines and counts; a run of TREC Fair Ranking beside TREC's: CPU seconds."""

import json
import random
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.timing import FOLDER, least, report
from fairtrec.evaluation.inputs import loading
from fairtrec.formats import run

LABELS = 1_000_000


def written(folder: Path) -> dict[str, Path]:
    """Labels in three forms; the objects are as long as those of a page's metadata without its longest fields."""
    draw = random.Random(1)
    paths = {name: folder / f"labels-{name}" for name in ("tsv", "jsonl", "counts.jsonl")}
    files = {name: path.open("w") for name, path in paths.items()}
    for number in range(LABELS):
        group = draw.choice("FMN")
        files["tsv"].write(f"{number * 7919 % 9_000_000}\t{group}\n")
        row = {"page_id": number, "title": f"the title of page {number}", "qual_cat": "Stub", "gender": group,
               "first_letter_category": "a-d", "num_sitelinks_category": "2-4 languages"}  # fmt: skip
        files["jsonl"].write(json.dumps(row) + "\n")
        if number % 10 == 0:
            regions = {name: draw.randint(1, 9) for name in draw.sample(["Asia", "Africa", "Europe", "UNK"], 2)}
            files["counts.jsonl"].write(json.dumps({**row, "regions": regions}) + "\n")
    for file in files.values():
        file.close()
    return paths


def parsed(path: Path) -> None:
    """What any reader of JSON lines has to do at least, were it no faster than Python's."""
    with path.open("rb") as file:
        for line in file:
            json.loads(line)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    paths = written(FOLDER)
    cost = least(partial(loading.labels, str(paths["tsv"]), None), 3)
    report("1,000,000 labels, TSV: CPU seconds", cost.cpu, 1.5, cost)
    for name, field in (("jsonl", "gender"), ("counts.jsonl", "regions")):
        ours = least(partial(loading.labels, f"{paths[name]}:{field}", None), 3)
        plain = least(partial(parsed, paths[name]), 3)
        report(f"{name}:{field}: CPU, of json.loads of each line", ours.cpu / plain.cpu, 1.3, f"{ours} of {plain}")
    draw = np.random.default_rng(1)
    rows = [(q, s, p) for q in range(50) for s in range(100) for p in draw.permutation(10_000)[:20].tolist()]
    track, trec = FOLDER / "task2", FOLDER / "task2.run"
    track.write_text("id\tseq_no\tpage_id\n" + "".join(f"{q}\t{s}\t{p}\n" for q, s, p in rows))
    trec.write_text("".join(f"{q} {s} {p} {i % 20 + 1} {20 - i % 20} t\n" for i, (q, s, p) in enumerate(rows)))
    ours = least(lambda: run.split_samples(run.read(track)))
    theirs = least(lambda: run.split_samples(run.read(trec, sampled=True)))
    report("100,000 lines of Task 2: CPU, of the same as TREC's", ours.cpu / theirs.cpu, 2, f"{ours} of {theirs}")
