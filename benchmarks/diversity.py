"""RBP, measures of subtopics and names of trec_eval, against the programs that have them; votes to a query set."""

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from benchmarks.timing import BIN, FOLDER, NO_TREC_EVAL, PEER, TREC_EVAL, paired, report

QUERIES, DEPTH, JUDGED, SUBTOPICS = 200, 1_000, 300, 6
SUBTOPICS_OF = "alpha_nDCG@20 alpha_DCG@20 ERR_IA@20 nERR_IA@20 NRBP nNRBP P_IA@20 AP_IA StRecall@20"  # of ndeval
NAMES = "11pt_avg gm_map gm_bpref relative_P num_nonrel_judged_ret"  # of trec_eval
VOTED, ANNOTATORS = 20_000, 5
STATSMODELS = """\
import pandas as pd, sys
from statsmodels.stats.inter_rater import fleiss_kappa
votes = pd.read_csv(sys.argv[1], sep="\\t", names=["qid", "annotator", "label"], dtype=str)
table = votes.groupby(["qid", "label"]).size().unstack(fill_value=0)
print(fleiss_kappa(table.to_numpy()), (table.max(axis=1) > table.sum(axis=1) / 2).sum())
"""


def written(folder: Path) -> tuple[Path, Path, Path]:
    """Write a run, judgments of subtopics and plain ones."""
    run, subtopics, plain = (folder / name for name in ("run", "subtopics.qrels", "plain.qrels"))
    if not plain.exists():
        folder.mkdir(parents=True, exist_ok=True)
        random = np.random.default_rng(2009)
        with run.open("w") as ranked, subtopics.open("w") as of_subtopics, plain.open("w") as judged:
            for query in range(1, QUERIES + 1):
                docnos = random.choice(10_000_000, DEPTH + JUDGED // 2, replace=False)
                rows = enumerate(docnos[:DEPTH].tolist(), 1)
                ranked.write("".join(f"{query} Q0 d{docno} {rank} {DEPTH - rank} made\n" for rank, docno in rows))
                some = random.choice(docnos, JUDGED, replace=False).tolist()
                for docno in some:
                    judged.write(f"{query} 0 d{docno} {int(random.integers(0, 4))}\n")
                    for subtopic in np.flatnonzero(random.random(SUBTOPICS) < 0.4).tolist():
                        of_subtopics.write(f"{query} {subtopic + 1} d{docno} {int(random.integers(-1, 3))}\n")
    return run, subtopics, plain


def voted(folder: Path) -> tuple[Path, Path]:
    """Write votes on queries, and their texts."""
    votes, texts = folder / "votes.tsv", folder / "texts.tsv"
    if not texts.exists():
        random = np.random.default_rng(2022)
        likely = random.dirichlet((1, 1, 3), VOTED)
        labels = (random.random((VOTED, ANNOTATORS, 1)) > likely.cumsum(axis=1)[:, None, :2]).sum(axis=2).tolist()
        with votes.open("w") as file:
            for query, row in enumerate(labels):
                file.write("".join(f"{query}\tperson{who}\t{'fmn'[label]}\n" for who, label in enumerate(row)))
        words = ["what", "is", "the", "best", "nurse", "she", "king", "of", "a", "doctor", "he", "cost"]
        asked = random.integers(0, len(words), (VOTED, 7)).tolist()
        texts.write_text("".join(f"{at}\t{' '.join(words[word] for word in row)}\n" for at, row in enumerate(asked)))
    return votes, texts


def main() -> None:
    folder = FOLDER / "diversity"
    run, subtopics, plain = written(folder)
    size = f"{QUERIES} queries x {DEPTH:,}"
    for module, qrels, measures, what in (
        ("pyndeval", subtopics, SUBTOPICS_OF, "nine measures of subtopics: CPU, of ndeval in ir_measures"),
        ("cwl", plain, "RBP(p=0.8,rel=1)", "RBP: CPU, of cwl-eval in ir_measures"),
    ):
        if find_spec(module) is None:
            print(f"      {module} is not installed, so nothing is compared with it")
            continue
        ours = [BIN / "fairtrec", "eval", qrels, run, "-m", measures]
        pair = paired(ours, [BIN / "ir_measures", qrels, run, *measures.split()])
        report(f"{size}, {what}", pair.cpu_ratio, 1, pair.detail)
    if TREC_EVAL:
        ours = [BIN / "fairtrec", "eval", plain, run, "-m", NAMES]
        theirs = [word for name in NAMES.split() for word in ("-m", name)]
        pair = paired(ours, [TREC_EVAL, *theirs, plain, run])
        report(f"{size}, five names of trec_eval: CPU, of {PEER}", pair.cpu_ratio, 3, pair.detail)
        alone = [BIN / "fairtrec", "eval", plain, run, "-m", "map"]
        pair = paired(ours, alone)
        report(f"{size}, the same: CPU, of map alone", pair.cpu_ratio, 2, pair.detail)
    else:
        print(NO_TREC_EVAL)
    votes, texts = voted(folder)
    ours = [BIN / "fairtrec", "make", "queryset", votes, "--keep", "n"]
    pair = paired(ours, [sys.executable, "-c", STATSMODELS, votes])
    report(f"{VOTED * ANNOTATORS:,} votes: CPU, of pandas and statsmodels", pair.cpu_ratio, 0.5, pair.detail)
    made = ["--query-texts", texts, "--terms", "gender-en", "-o", folder / "made.tsv", "--force"]
    pair = paired([*ours, *made], ours)
    report("the same with words, and written: CPU, of votes alone", pair.cpu_ratio, 3, pair.detail)


if __name__ == "__main__":
    main()
