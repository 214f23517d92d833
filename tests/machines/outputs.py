"""Write the outputs that must have the same bytes on every machine into a folder: ``python outputs.py FOLDER``.

The commands run on the bundled example and on a drawn collection with three groups, soft labels, ties, unjudged and
unlabeled documents. Each output is one file: standard output, standard error and the exit code. A second argument
``processes`` lets commands that evaluate runs use two processes.
"""

import io
import os
import random
import re
import shlex
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "tests" / "made")]

from fairtrec_made.command_trials import gather_trials  # noqa: E402 - from the folder of what tests share

EXAMPLE = "example"  # a link to the bundled one
QUERIES, DOCUMENTS, DEPTH = 14, 300, 45
GROUPS = ("f", "m", "n")

WORDS = f"--terms gender-en --docs {EXAMPLE}/collection.tsv --background {EXAMPLE}/background.run"
RUNS = " ".join(f"{EXAMPLE}/{name}.run" for name in ("bm25", "neural", "fair"))
QRELS = f"{EXAMPLE}/qrels.txt"
LABELS = f"--labels {EXAMPLE}/labels.tsv"
DRAWN = "one.run two.run three.run"
SOFT = "--labels labels.tsv --missing group"
COUNTED = "--counts counts.tsv --background pool.run"

FAIR_OF_COUNTS = "FaiRR@10 NFaiRR@10 NFaiRR@37 SetFaiRR@10 NSetFaiRR@10 RaB@10 ARaB(mag=tf)@10 ARaB(mag=bool)@10 \
TE@10 TED@10 RBDF@10 TExFAIR@10 TExFAIR@25"
FAIR_OF_LABELS = "FAIR@10 KL@10 NDKL@10 NDKL@37 nDRKL@10 Skew(eps=0.01)@10 MinSkew(eps=0.01)@10 MaxSkew(eps=0.01)@10 \
InfeasibleIndex@10 rND rKL rRD rND@10 AWRF@10 AWRF(base='e')@37 AWRFxnDCG@10 EED@10 EER@10 EEL@10 \
EEL(discount=err)@10 EEL(discount=log2)@10 GFR@10 GFR(divergence=jsd)@10 Exposure@10 MaxShare@10 DP@10 DTR@10 \
DIR@10 ABR@10"
OF_STANCES = "DUO DUO@10 DUO(mean=full)@10 SignedDUO@10 DUO_random@10 OutputBias@10 RankingBias@10 InputBias \
MeanBias(gain=rbp)@10 MeanAbsoluteBias@10"
OF_RELEVANCE = "nDCG nDCG@10 nDCG(dcg='exp-log2')@20 AP AP(rel=2) RR P@5 R@20 Bpref Rprec RBP(p=0.8) RBP(p=0.5)@10 \
ERR@20 IPrec@0.4 infAP SetF Success@5 Judged@10 alpha_nDCG@10 ERR_IA@10 nERR_IA@20 NRBP nNRBP AP_IA P_IA@10 \
StRecall@10"


class Words(dict):
    """Words in braces: those of this file, or left as they are."""

    def __missing__(self, name):
        return f"{{{name}}}"


COMMANDS = [
    *(f"eval qrels.txt {DRAWN} {COUNTED} -m {{{m}}} -q -f {f}" for m in ("counts",) for f in ("jsonl", "trec", "csv")),
    *(f"eval qrels.txt {DRAWN} {SOFT} -m {{labels}} -q -f {f}" for f in ("jsonl", "trec", "json")),
    f"eval qrels.txt {DRAWN} {SOFT} -m {{labels}} --target qrels -q -f jsonl",
    f"eval qrels.txt {DRAWN} {SOFT} -m {{labels}} --target relevance -f jsonl",
    f"eval qrels.txt {DRAWN} {SOFT} -m {{labels}} --target f=0.3,m=0.5,n=0.2 -f flat",
    f"eval qrels.txt {DRAWN} --labels labels.tsv --missing neutral -m {{labels}} -f jsonl",
    f"eval qrels.txt {DRAWN} --labels labels.tsv --membership majority -m {{labels}} -f jsonl",
    f"eval qrels.txt {DRAWN} --stances stances.tsv --background pool.run -m {{stances}} -q -f jsonl",
    f"eval qrels.txt {DRAWN} -m {{relevance}} -q -f jsonl",
    f"eval qrels.txt {DRAWN} -m {{relevance}} -q -f trec",
    f"eval qrels.txt {DRAWN} -m 'all_trec' -f trec -q",
    f"eval subtopics.txt {DRAWN} -m {{relevance}} -f jsonl",
    f"eval qrels.txt {DRAWN} -m 'nDCG@10 AP RBP(p=0.8)' --aggregate mean,median,gm -f jsonl",
    f"eval qrels.txt {DRAWN} {COUNTED} -m 'nDCG@10 NFaiRR@10 TExFAIR@10 ARaB@10' --confidence 0.95 -f jsonl",
    f"eval qrels.txt {DRAWN} {COUNTED} -m 'nDCG@10 NFaiRR@10' --slice slices.tsv -f jsonl",
    f"eval qrels.txt {DRAWN} {COUNTED} -m 'nDCG@10 NFaiRR@10 TExFAIR@10 RaB@10 TED@10' --bounds ties -f jsonl",
    (
        f"eval qrels.txt {DRAWN} --labels labels.tsv -m 'AWRF@10 NDKL@10 Skew(eps=0.01)@10 DP@10 EEL@10 nDRKL@10 KL@10' "
        "--bounds labels -f jsonl"
    ),
    (
        f"eval qrels.txt {DRAWN} --labels hard.tsv -m 'AWRF@10 NDKL@10 EER@10 rND@10 FAIR@10' --bounds labels "
        "--prior even -f json"
    ),
    f"eval qrels.txt {DRAWN} --labels hard.tsv --pool even -m 'AWRF@10 EEL@10 DP@10 Exposure@10' -f jsonl",
    f"eval qrels.txt {DRAWN} --labels g=hard.tsv --labels s=side.tsv -m 'AWRF@10 GFR@10' -f json",
    f"eval qrels.txt {DRAWN} --labels 'hard.tsv*side.tsv' -m 'AWRF@10 NDKL@10' -f json",
    "eval none one.run --counterfactual two.run -m 'CRBO CRBO(p=0.5)@10' -q -f jsonl",
    f"eval qrels.txt {DRAWN} {COUNTED} -m 'nDCG@10 NFaiRR@10' --sort NFaiRR@10 -f html",
    f"eval qrels.txt {DRAWN} {COUNTED} -m 'nDCG@10 NFaiRR@10' -q -f html",
    f"eval {QRELS} {RUNS} {WORDS} -m {{counts}} -q -f jsonl",
    f"eval {QRELS} {RUNS} {WORDS} -m {{counts}} --tokenizer word -f json",
    f"eval {QRELS} {RUNS} {LABELS} --missing group -m {{labels}} -q -f jsonl",
    f"eval {QRELS} {RUNS} {WORDS} -m 'ARaB(mag=tf_paper)@10 RaB@10' -q -f json",
    f"eval {QRELS} {RUNS} {WORDS} -f jsonl",
    f"eval {QRELS} {RUNS} {WORDS} -m 'NFaiRR@10 AWRF@10 RaB@10' --gold gold.tsv -f jsonl",
    (
        f"eval {QRELS} {RUNS} --stances {EXAMPLE}/stances.tsv --background {EXAMPLE}/background.run "
        "-m {stances} -q -f jsonl"
    ),
    f"eval none {DRAWN} --labels hard.tsv -m 'Exposure(of=all)@10 KL@10' -f jsonl --confidence 0.9",
    *(each.format_map(Words(globals())) for each in gather_trials("SAME_BYTES")),
]
WRITTEN = ("front.svg", "cutoffs.svg", "queries.svg", "runs.svg", "counted.tsv", "sheet.tsv")


def write_collection() -> None:
    """Draw a collection into the current folder. ``random`` gives the same numbers everywhere."""
    drawn = random.Random(7)
    docnos = [f"d{number:03}" for number in range(DOCUMENTS)]
    qids = [f"q{number}" for number in range(QUERIES)]
    lists = {qid: drawn.sample(docnos, DEPTH + 15) for qid in qids}
    files: dict[str, list[str]] = {}
    for name, noise in (("one", 0.2), ("two", 1.0), ("three", 0.5), ("pool", 3.0)):
        lines = files[f"{name}.run"] = []
        for qid in qids:
            depth = DEPTH if name != "two" else DEPTH - qids.index(qid)
            scores = [round(10 - rank / 6 + noise * drawn.random(), 2) for rank in range(len(lists[qid]))]
            best = sorted(zip(scores, lists[qid], strict=True), reverse=True)[: None if name == "pool" else depth]
            lines += [f"{qid} Q0 {doc} {rank} {score} {name}" for rank, (score, doc) in enumerate(best, 1)]
    judged = {qid: drawn.sample(lists[qid], 40) for qid in qids}
    files["qrels.txt"] = [f"{qid} 0 {doc} {drawn.choice([0, 0, 1, 1, 2, 3])}" for qid in qids for doc in judged[qid]]
    files["subtopics.txt"] = [
        f"{qid} {topic} {doc} {drawn.choice([0, 1, 1, 2])}"
        for qid in qids
        for topic in (1, 2, 3)
        for doc in judged[qid]
    ]
    files["labels.tsv"], files["hard.tsv"], files["side.tsv"] = ["docno\tgroup\tweight"], [], []
    for doc in docnos:
        first = drawn.random()
        if drawn.random() < 0.15:
            continue
        if drawn.random() < 0.5:
            files["labels.tsv"] += [f"{doc}\t{drawn.choice(GROUPS)}\t1"]
        else:
            files["labels.tsv"] += [f"{doc}\tf\t{round(first, 3)}", f"{doc}\tm\t{round(1 - first, 3)}"]
        files["hard.tsv"].append(f"{doc}\t{drawn.choice(GROUPS)}")
        files["side.tsv"].append(f"{doc}\t{drawn.choice(GROUPS)}")
    files["counts.tsv"] = ["docno\ttokens\tf\tm"] + [
        f"{doc}\t{drawn.randint(20, 90)}\t{max(0, drawn.randint(-4, 9))}\t{max(0, drawn.randint(-4, 9))}"
        for doc in docnos
    ]
    files["stances.tsv"] = ["docno\tx"] + [f"{doc}\t{round(drawn.uniform(-1, 1), 4)}" for doc in docnos]
    files["slices.tsv"] = [f"{qid}\t{drawn.choice(['long', 'short'])}" for qid in qids]
    for name, lines in files.items():
        Path(name).write_text("\n".join(lines) + "\n", "utf-8")


def run(line: str) -> str:
    """Run one command in this process, and give what it printed."""
    from fairtrec.cli import main

    sys.argv = ["fairtrec", *shlex.split(line)]
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            code = end.code
    text = f"$ {line.removesuffix(' -j 2')}\n{out.getvalue()}\n--- {err.getvalue()}\n--- {code}\n"
    text += "".join(Path(name).read_text("utf-8") for name in WRITTEN if name in line)
    changing = r"<dc:date>[^<]*|\b(?:clip-path|id|href|xlink:href)=\"[^\"]*\"|in [\d.]+ s; counter: \w+"
    return re.sub(changing, "", text)


def write_outputs(folder: Path, jobs: str) -> None:
    """Write each output to a file of its own in ``folder``."""
    work = folder / "work"
    work.mkdir(parents=True)
    os.chdir(work)
    os.environ |= {"COLUMNS": "100", "FAIRTREC_OFFLINE": "1", "FAIRTREC_HOME": str(work), "NO_COLOR": "1"}
    Path(EXAMPLE).symlink_to(REPOSITORY / "resources" / "example")
    Path("gold.tsv").symlink_to(REPOSITORY / "tests" / "cli" / "inputs" / "gold.tsv")
    write_collection()
    measures = {
        "{counts}": FAIR_OF_COUNTS,
        "{labels}": FAIR_OF_LABELS,
        "{stances}": OF_STANCES,
        "{relevance}": OF_RELEVANCE,
    }
    for number, line in enumerate(COMMANDS):
        for word, named in measures.items():
            line = line.replace(word, shlex.quote(named))  # noqa: PLW2901
        if jobs == "processes" and line.startswith(("eval", "compare")):
            line += " -j 2"  # noqa: PLW2901
        (folder / f"{number:03}.txt").write_text(run(line), "utf-8")


if __name__ == "__main__":
    write_outputs(Path(sys.argv[1]).resolve(), sys.argv[2] if len(sys.argv) > 2 else "")
