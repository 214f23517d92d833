"""Every value that trec_eval prints, of real runs: where it is on PATH, or TREC_EVAL names it."""

import os
import shutil
import subprocess
from collections import defaultdict
from math import floor
from pathlib import Path

import pytest

import fairtrec

TREC_EVAL = os.environ.get("TREC_EVAL") or shutil.which("trec_eval")
DATA = Path(os.environ.get("FAIRTREC_SHARED", "../shared")) / "data"
QRELS = DATA / "qrels" / "qrels.dl19-passage.txt"
RUNS = sorted((DATA / "rankllm-dl19").glob("*trec_results*.run"))[:4]
CUTOFFS = "5,10,15,20,30,100,200,500,1000"
NAMES = (
    f"num_ret num_rel num_rel_ret map Rprec bpref recip_rank P.{CUTOFFS} recall.{CUTOFFS} infAP set_P set_recall "
    f"set_relative_P set_map set_F num_nonrel_judged_ret ndcg ndcg_cut.{CUTOFFS} map_cut.{CUTOFFS} success.1,5,10 "
    f"relative_P.{CUTOFFS} gm_map gm_bpref"
).split()
OPTIONS = {"-l2": {"relevance_level": 2}, "-J": {"only": "judged"}, "-c": {"complete": True}, "-M10": {"depth": 10}}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not TREC_EVAL or not RUNS, reason="there is no trec_eval, or no runs beside the repository"),
]


def printed(names, run, *options):
    """What trec_eval prints, by measure and query."""
    asked = [word for name in names for word in ("-m", name)]
    done = subprocess.run([TREC_EVAL, "-q", *options, *asked, QRELS, run], check=True, capture_output=True, text=True)
    return {tuple(line.split()[:2]): line.split()[2] for line in done.stdout.splitlines()}


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_all_digits_that_trec_eval_prints(run):
    for options, choices in ({"": {}} | OPTIONS).items():
        theirs = printed(NAMES, run, *options.split())
        ours = fairtrec.evaluate(NAMES, run, qrels=QRELS, **choices).scores[0]
        several = {"all": ours.means} | {qid: ours.values[:, column] for column, qid in enumerate(ours.qids)}
        found = {(measure.trec, qid): several[qid][row] for qid in several for row, measure in enumerate(ours.measures)}
        assert {name for name, _ in theirs} == {name for name, _ in found}
        for key, value in theirs.items():
            assert abs(float(value) - found[key]) < 0.5001e-4, (options, *key)


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_recall_is_reached_as_in_trec_eval_9_which_alone_tells_these_values_from_those_of_10(run):
    said = subprocess.run([TREC_EVAL, "--version"], check=False, capture_output=True, text=True)
    version = (said.stdout + said.stderr).partition("version ")[2].strip()
    if not version:
        pytest.skip("this trec_eval was compiled without its version")
    is_ten = version.startswith("10")
    grades, ranked = defaultdict(dict), defaultdict(list)
    for qid, _, docno, grade in map(str.split, QRELS.read_text().splitlines()):
        grades[qid][docno] = int(grade)
    for qid, _, docno, _, score, _ in map(str.split, run.read_text().splitlines()):
        ranked[qid].append((float(score), docno))
    theirs = printed(["iprec_at_recall", "11pt_avg"], run)
    tenths = [tenth / 10 for tenth in range(11)]
    ours = fairtrec.evaluate([*(f"IPrec@{tenth}" for tenth in tenths), "11pt_avg"], run, qrels=QRELS).scores[0]
    names = [*(f"iprec_at_recall_{tenth:.2f}" for tenth in tenths), "11pt_avg"]
    for column, qid in enumerate(ours.qids):
        relevant = sum(grade > 0 for grade in grades[qid].values())
        precisions, found = [], 0  # with how many relevant documents, of each rank
        for rank, (_, docno) in enumerate(sorted(ranked[qid], reverse=True), 1):
            found += grades[qid].get(docno, 0) > 0
            precisions.append((found, found / rank))

        def values(needed, precisions=precisions):
            several = [max((p for many, p in precisions if many >= needed(tenth)), default=0.0) for tenth in tenths]
            return [*several, sum(several) / 11]

        nine = values(lambda tenth, relevant=relevant: int(tenth * relevant + 0.9))
        ten = values(lambda tenth, relevant=relevant: floor(tenth * relevant + 0.5))
        assert ours.values[:, column].tolist() == pytest.approx(nine, abs=1e-12)
        assert [float(theirs[name, qid]) for name in names] == pytest.approx(ten if is_ten else nine, abs=0.5001e-4)
