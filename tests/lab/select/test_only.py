"""select --only judged writes the documents that it looked at."""

import fairtrec
from fairtrec_made import EXAMPLE

QRELS = str(EXAMPLE / "qrels.txt")
RUNS = {name: str(EXAMPLE / f"{name}.run") for name in ("bm25", "neural", "fair")}
STANCES = str(EXAMPLE / "stances.tsv")


def test_what_select_writes_is_what_it_looked_at(tmp_path):
    done = fairtrec.select(RUNS, qrels=QRELS, utility="nDCG@5", fairness="DUO", stances=STANCES, folds=1, beta=1,
                           only="judged", write_run=tmp_path / "s.run")  # fmt: skip
    judged = {tuple(line.split()[i] for i in (0, 2)) for line in (EXAMPLE / "qrels.txt").read_text().splitlines()}
    written = [tuple(line.split()[i] for i in (0, 2)) for line in (tmp_path / "s.run").read_text().splitlines()]
    assert written
    assert set(written) <= judged
    assert done.result.signature["only"] == "judged"
