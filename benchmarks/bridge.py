"""Eight frames of 54 queries x 1,000 documents through ir_measures, in a call each, as PyTerrier does: CPU seconds."""

import subprocess

import ir_measures
import pandas as pd
from ir_measures import nDCG

import fairtrec
import fairtrec.ir_measures as fair
from benchmarks.batch import generated
from benchmarks.timing import BIN, FOLDER, least, report
from fairtrec.ir_measures import provider


def main() -> None:
    made = generated(FOLDER / "bridge", 8, 54, 1_000)
    names = ["query_id", "Q0", "doc_id", "rank", "score", "tag"]
    frames = [pd.read_csv(path, sep=" ", names=names, dtype={"query_id": str, "doc_id": str}) for path in made.runs]
    qrels = pd.DataFrame(ir_measures.read_trec_qrels(str(made.qrels)))
    counts = made.counts.with_suffix(".arrow")
    if not counts.exists():
        subprocess.run([BIN / "fairtrec", "counts", "convert", made.counts, counts], check=True)
    beside = {"counts": counts, "background": made.runs[0]}
    bound = fair.given("bench", **beside, undefined="skip")
    asked = [bound.NFaiRR @ 10, bound.TExFAIR @ 10]

    def calls(measures: list[ir_measures.Measure]) -> list[dict[ir_measures.Measure, float]]:
        provider._kept.clear()  # noqa: SLF001 - as in a new process
        return [ir_measures.calc_aggregate(measures, qrels, frame) for frame in frames]

    batch = least(lambda: fairtrec.evaluate("NFaiRR@10 TExFAIR@10", frames, qrels=qrels, **beside))
    ours, theirs = least(lambda: calls(asked)), least(lambda: calls([nDCG @ 10]))
    detail = f"{ours} of {batch}"
    report("8 frames, NFaiRR and TExFAIR in ir_measures: of evaluate at once", ours.cpu / batch.cpu, 1.5, detail)
    report("the same, of nDCG@10 alone in ir_measures", ours.cpu / theirs.cpu, 0.5, f"{ours} of {theirs}")
