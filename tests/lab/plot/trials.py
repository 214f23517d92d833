"""What tests of all commands try of ``fairtrec plot``; fairtrec_made/command_trials.py lists what each name means."""

import fairtrec
from fairtrec.lab.plot import CURVES
from fairtrec_made.command_trials import EXAMPLE_QRELS, TWO, WORDS
from fairtrec_made.hostile import NAME
from fairtrec_made.trials import list_situations

SITUATIONS = [
    *list_situations("plot queries qrels a.run b.run", {"--output": "new.svg"}, {"-m": "AWRF@3"}, {"-m": "NFaiRR@3"}),
    ("plot cutoffs qrels a.run b.run", {"-f": "table", "--cutoffs": "1,3", "-m": "nDCG P@5"}),
]
SLOW_SITUATIONS = ["plot queries"]
VALUES = {"--baseline": "b.run", "--cutoffs": "1,3", "--families": "a"}

LINKED_RUNS = {
    "plot": "plot front qrels.txt eve.run bm25.run -m 'nDCG@10 ARaB@10' -o out.svg --terms gender-en --docs collection.tsv"
}
HOSTILE_FOLDERS = {
    "plot": "plot front qrels.txt bm25.run neural.run -m 'nDCG@10 ARaB@10' --terms gender-en --docs collection.tsv -j 2 -o out.svg"
}
ODD_NAMES = {
    "run": ["plot runs qrels N a.run -m RR -o out.svg", "plot queries qrels N a.run -m RR -o out.svg"],
}
ANY_BYTES = ["plot runs qrels N a.run -m RR -o out.svg", "plot queries qrels N a.run -m RR -o out.svg"]
HUGE_VALUES = [
    "plot front huge.txt small.txt --values -m nDCG@10 -m RR -o out.svg",
    "plot runs huge.txt small.txt --values -m RR -o out.svg",
]
JUDGED_HINTS = ["plot queries"]
SAME_BYTES = [
    "plot front qrels.txt {DRAWN} {COUNTED} -m 'nDCG@10 NFaiRR@10' -o front.svg",
    "plot cutoffs qrels.txt {DRAWN} {COUNTED} -m 'NFaiRR' --cutoffs 1,5,10 -o cutoffs.svg",
    "plot queries qrels.txt one.run two.run {COUNTED} -m 'NFaiRR@10' -o queries.svg",
    "plot runs qrels.txt {DRAWN} {COUNTED} -m 'NFaiRR@10' -o runs.svg",
    "plot cutoffs qrels.txt {DRAWN} {COUNTED} -m 'nDCG NFaiRR' --cutoffs 1,5,10,37 -f json",
]

WINDOWS = {"cutoffs": "plot cutoffs QRELS RUNS TEXTS -m 'nDCG NFaiRR' --cutoffs 1-10 -f table"}
RUNS = ["plot", "cutoffs", "qrels", "b.run", NAME, "-m", "nDCG", "--cutoffs", "1,2"]
REPORTS = {f"cutoffs {form}": [*RUNS, "-f", form] for form in CURVES.forms}
COMMON_QUERIES = [("plot cutoffs", ("-m", "RR", "--cutoffs", "1,5", "-f", "json"))]


def evaluate_cutoffs(runs, _):
    """Compute two measures at ten cutoffs."""
    measures = [f"{name}@{cutoff}" for name in ("nDCG", "NFaiRR") for cutoff in range(1, 11)]
    return CURVES, fairtrec.curves(fairtrec.evaluate(measures, runs, qrels=EXAMPLE_QRELS, **WORDS))


TABLES = {"cutoffs": evaluate_cutoffs}
ANSWERS = {"curves": lambda: fairtrec.curves(fairtrec.evaluate("nDCG@1 nDCG@5", TWO, qrels="qrels.txt"))}
SMALL_ANSWERS = {"plot cutoffs --cutoffs 1,2": lambda small: fairtrec.curves(small.result)}
PRINTED = {"curves": ["plot", "cutoffs", "qrels.txt", *TWO, "-m", "nDCG", "--cutoffs", "1,5", "-f", "table"]}
MISTYPED = {"compare q a b --cutoffs 1,5": "there is no option --cutoffs here; fairtrec plot cutoffs -f table prints"}
NEEDED_LIBRARY = {"plot cutoffs": "scipy"}
NO_ANSWERS = ["plot"]
NO_GOLD_RESULT = [fairtrec.curves]
NO_AGGREGATE_RESULT = [fairtrec.curves, lambda found: fairtrec.plot(found, "runs")]
EVALUATING = ["plot"]
INTERVALS = ["plot"]
MISSING_LIBRARY = {"'fairtrec[plot]'": ["plot runs qrels.txt bm25.run fair.run -m RR -o a.pdf"]}
MEASURED = {
    "plot front": "QRELS RUNS -m 'nDCG@10 NFaiRR@10' COUNTED -o OUT/front.svg",
    "plot cutoffs": "QRELS RUNS -m 'nDCG NFaiRR' --cutoffs 1-20 COUNTED -o OUT/cutoffs.svg",
    "plot cutoffs -f": "QRELS RUNS -m 'nDCG NFaiRR' --cutoffs 1-20 COUNTED -f table",
}


OFFERED = [("plot fro", ["plain,front"])]

WRITING = {
    "plot": "plot queries qrels.txt bm25.run fair.run -m nDCG@10 -o old.svg",
}
DIES_WITHOUT_MEMORY = {"plot": "matplotlib dies in its own code"}
ENDINGS = [("plot cutoffs qrels.txt bm25.run -m nDCG --cutoffs 1,5 -o c.tsv", "slice\trun")]
