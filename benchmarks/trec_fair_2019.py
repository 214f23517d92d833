"""TREC 2019 Fair Ranking: five sequences of 25,000 requests, in arrays and in a plain-Python loop of the same formula.

``python -m benchmarks.trec_fair_2019 [requests per sequence]`` prints the seconds of each and their ratio. The sizes
are those of the track (paper 003): 635 queries, 5 to 14 documents each of 5,620, one or two of them relevant, half of
them annotated; queries are drawn by a skewed frequency. Reading the files is timed apart; both sides start from what
was read.
"""

import json
import sys
import tempfile
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from pathlib import Path
from time import perf_counter

import numpy as np

from fairtrec.formats import trec_fair, trec_fair_files
from fairtrec.measures.trec_fair_2019 import TREC19Unfairness, TREC19Utility

LEAST_RATIO = 5.0


@dataclass(frozen=True)
class Sizes:
    sequences: int = 5
    requests: int = 25_000
    queries: int = 635
    documents: int = 5620
    shortest: int = 5
    longest: int = 14
    annotated: float = 0.51
    groups: tuple[int, ...] = (2, 4)  # of each group file
    seed: int = 7


def generate(folder, sizes=Sizes()):
    """Write seq.csv, truth.jsonl, run.jsonl (random order) and a group file for each entry of ``sizes.groups``."""
    rng = np.random.default_rng(sizes.seed)
    docids = np.array([f"{i:040x}" for i in rng.permutation(sizes.documents)])
    pools = []
    with (folder / "truth.jsonl").open("w") as file:
        for qid in range(sizes.queries):
            size = int(rng.integers(sizes.shortest, sizes.longest, endpoint=True))
            pool = rng.choice(docids, size, replace=False).tolist()
            relevant = np.arange(size) < rng.integers(1, 2, endpoint=True)
            rows = [{"doc_id": d, "relevance": int(r)} for d, r in zip(pool, relevant, strict=True)]
            file.write(json.dumps({"qid": 1000 + qid, "documents": rows}) + "\n")
            pools.append(np.array(pool))
    paths = []
    for groups in sizes.groups:
        paths.append(folder / f"groups-{groups}.csv")
        with paths[-1].open("w") as file:
            for docid in docids[rng.random(sizes.documents) < sizes.annotated]:
                labels = rng.choice(["", *(f"g{i}" for i in range(groups))], rng.integers(1, 6)).tolist()
                file.write(",".join([docid, *labels]) + "\n")
    frequency = 1 / np.arange(1, sizes.queries + 1)
    frequency /= frequency.sum()
    with (folder / "seq.csv").open("w") as asked, (folder / "run.jsonl").open("w") as run:
        for sequence in range(sizes.sequences):
            for number, query in enumerate(rng.choice(sizes.queries, sizes.requests, p=frequency).tolist()):
                q_num, qid = f"{sequence}.{number}", 1000 + query
                asked.write(f"{q_num},{qid}\n")
                ranking = rng.permutation(pools[query]).tolist()
                run.write(json.dumps({"q_num": q_num, "qid": qid, "ranking": ranking}) + "\n")
    return paths


def loop_utility(requests, relevance, stop=0.7, gamma=0.5):
    """The mean utility of one sequence, one document after the other."""
    served = 0.0
    for query, ranking in requests:
        own = relevance[query]
        reading = 1.0
        for docid in ranking:
            p = stop * own[docid]
            served += reading * p
            reading *= gamma * (1 - p)
    return served / len(requests)


def loop_unfairness(requests, relevance, groups, stop=0.7, gamma=0.5):
    """The track's unfairness of one sequence, one document after the other."""
    exposure, earned = {}, {}
    for query, ranking in requests:
        own = relevance[query]
        reading = 1.0
        for docid in ranking:
            labels = groups.get(docid)
            if labels is not None:
                p = stop * own[docid]
                for label in labels:
                    exposure[label] = exposure.get(label, 0.0) + reading * p
                    earned[label] = earned.get(label, 0.0) + p
                reading *= 1 - p
            reading *= gamma
    together, owed = sum(exposure.values()), sum(earned.values())
    return sqrt(sum((exposure[g] / together - earned[g] / owed) ** 2 for g in exposure))


def timed(call, repeats):
    best, value = float("inf"), None
    for _ in range(repeats):
        began = perf_counter()
        value = call()
        best = min(best, perf_counter() - began)
    return best, value


def main(requests=25_000, repeats=3):
    """Print seconds and ratio; raises AssertionError if the values differ or the ratio is below LEAST_RATIO."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = generate(folder, Sizes(requests=requests))
        began = perf_counter()
        truth = trec_fair_files.truth(folder / "truth.jsonl")
        asked = trec_fair_files.requests(folder / "seq.csv", truth)
        authors = [trec_fair_files.authors(path, truth) for path in paths]
        rankings = trec_fair.rankings(folder / "run.jsonl")
        read = perf_counter() - began
        began = perf_counter()
        sequences = trec_fair.place_run(rankings, asked, truth)
        checked = perf_counter() - began
        labels = [plain_labels(path) for path in paths]

    relevance, plain = plain_objects(sequences)

    def arrays():
        fresh = trec_fair.Sequences(
            asked.names, asked.sequence, asked.query, sequences.starts, sequences.entries, truth
        )
        return [TREC19Utility()(fresh), *(TREC19Unfairness()(fresh, each) for each in authors)]

    def peer():
        unfairness = [[loop_unfairness(sequence, relevance, groups) for sequence in plain] for groups in labels]
        return [[loop_utility(sequence, relevance) for sequence in plain], *unfairness]

    ours, values = timed(arrays, repeats)
    theirs, expected = timed(peer, 1)
    assert np.allclose(values, expected, rtol=0, atol=1e-9)
    ratio = theirs / ours
    print(f"TREC 2019, {len(asked.query):,} rankings, {len(sequences.entries):,} documents, {len(authors)} group files")
    print(f"  read {read:.2f} s, checked {checked:.2f} s")
    print(f"  arrays {ours:.3f} s, loop {theirs:.3f} s: {ratio:.1f} times as fast (wanted: {LEAST_RATIO:.0f})")
    assert ratio >= LEAST_RATIO, f"only {ratio:.1f} times as fast"
    return ratio


def plain_labels(path):
    return {docid: labels for docid, *labels in (line.split(",") for line in path.read_text().splitlines())}


def plain_objects(sequences):
    """Relevance as a dict for each query, and each sequence as a list of (query, docids)."""
    truth = sequences.truth
    ids = [truth.docids[row] for row in truth.documents.tolist()]
    grades, starts = truth.relevance.tolist(), truth.starts.tolist()
    relevance = [dict(zip(ids[a:b], grades[a:b], strict=True)) for a, b in pairwise(starts)]
    ranked, starts = [ids[entry] for entry in sequences.entries.tolist()], sequences.starts.tolist()
    plain = [[] for _ in sequences.names]
    for i, (sequence, query) in enumerate(zip(sequences.sequence.tolist(), sequences.query.tolist(), strict=True)):
        plain[sequence].append((query, ranked[starts[i] : starts[i + 1]]))
    return relevance, plain


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
