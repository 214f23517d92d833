"""``fairtrec eval`` with fairness, against pytrec_eval and ranx with utility alone."""

from pathlib import Path

from benchmarks.batch import Batch, generated, ours, submitted
from benchmarks.evaluation import generate
from benchmarks.timing import BIN, FOLDER, paired, report, run

PYTREC_EVAL = """
import sys
from statistics import mean
import pytrec_eval
with open(sys.argv[1]) as qrels:
    evaluator = pytrec_eval.RelevanceEvaluator(
        pytrec_eval.parse_qrel(qrels), {"ndcg_cut.10", "recip_rank", "recall.100", "map"}
    )
for path in sys.argv[2:]:
    with open(path) as lines:
        values = evaluator.evaluate(pytrec_eval.parse_run(lines)).values()
    for name in ("ndcg_cut_10", "recip_rank", "recall_100", "map"):
        print(path, name, mean(of_query[name] for of_query in values))
"""
RANX = """
import sys
import ranx
qrels = ranx.Qrels.from_file(sys.argv[1], kind="trec")
for path in sys.argv[2:]:
    run = ranx.Run.from_file(path, kind="trec")
    print(path, ranx.evaluate(qrels, run, ["ndcg@10", "mrr", "recall@100", "map"], make_comparable=True))
"""


def theirs(name: str, program: str, batch: Batch) -> list[str | Path] | None:
    """Give the command of a peer, if it is here."""
    try:
        run([BIN / "python", "-c", f"import {name}"])
    except SystemExit:
        print(f"      {name} is not installed (pip install --group bench), so nothing is compared with it")
        return None
    return [BIN / "python", "-c", program, batch.qrels, *batch.runs]


def main() -> None:
    made = generate(FOLDER, 540, 1_000, 20_000)
    one = Batch([made["run"]], made["qrels"], made["counts"])
    many = submitted() or generated(FOLDER / "batch43", 43, 43, 100)
    for name, program, what, batch, bound in (
        ("pytrec_eval", PYTREC_EVAL, "43 runs of 43 queries x 100", many, 1.2),
        ("pytrec_eval", PYTREC_EVAL, "a run of 540 x 1,000", one, 1),
        ("ranx", RANX, "a run of 540 x 1,000", one, 0.3),
    ):
        command = theirs(name, program, batch)
        if command is not None:
            pair = paired(ours(batch), command)
            report(f"{what}, with fairness: time, of {name}", pair.time_ratio, bound, pair.detail)
            report(f"{what}, with fairness: CPU, of {name}", pair.cpu_ratio, bound, pair.detail)
