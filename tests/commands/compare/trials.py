"""What tests of all commands try of ``fairtrec compare``; fairtrec_made/command_trials.py lists what each name means."""

import fairtrec
from fairtrec.commands.compare import COMPARISONS
from fairtrec_made.command_trials import SHELL, TWO, evaluate_both
from fairtrec_made.hostile import NAME
from fairtrec_made.trials import list_situations

SITUATIONS = [
    *list_situations(
        "compare qrels a.run b.run",
        {},
        {"-m": "nDCG@3 AWRF@3 NDKL@3"},
        {"-m": "nDCG@3 NFaiRR@3 AWRF@3"},
        bare={"-m": "nDCG@3 RR"},
    ),
]
VALUES = {
    "--baseline": "b.run",
    "--equivalence": "0.1",
    "--resamples": "300",
    "--seed": "7",
}

SEVERAL = "'nDCG@10 P@5 NFaiRR@10 ARaB(mag=tf)@10 TExFAIR@10 AWRF@10'"
WINDOWS = {
    "compare": f"compare QRELS RUNS TEXTS -m {SEVERAL} --equivalence 0.05",
    "compare all": "compare QRELS RUNS TEXTS -m nDCG@10 --baseline all",
}
RUNS = ["compare", "qrels", "b.run", NAME, "-m", "nDCG@2 RR P@1"]
REPORTS = {
    **{f"compare {form}": [*RUNS, "--slice", "slices", "-f", form] for form in COMPARISONS.forms},
}
STRANGE_FOLDERS = [
    "compare qrels.txt bm25.run neural.run -m TExFAIR@10 --terms gender-en --docs collection.tsv --queries common -f json"
]
HOSTILE_FOLDERS = {
    "compare": "compare qrels.txt bm25.run neural.run -m TExFAIR@10 --terms gender-en --docs collection.tsv -j 2"
}
LIST_NAMES = {"compare": "compare none bm25.run neural.run -m ARaB@10 --terms NAME --docs collection.tsv"}
ODD_NAMES = {
    "run": ["compare qrels N a.run -m RR -f F", "compare qrels a.run N --baseline N -m RR"],
    "values": ["compare --values N --values N"],
}
ODD_OUTPUTS = ["compare qrels a.run a2.run -m RR -f tsv -o N"]
HUGE_VALUES = [
    "compare huge.txt small.txt --values -m nDCG@10",
    "compare huge.txt small.txt --values -m nDCG@10 --test bootstrap",
]
CORRUPTED = {
    "a.run": ["compare qrels a.run b.run -m nDCG@2"],
    "slices": ["compare qrels a.run b.run -m nDCG@2 --slice slices"],
}
FOLDERS_OF_RUNS = ["compare -m P@1 qrels"]
OTHER_FORMS = {
    "compare": "compare qrels.txt bm25.run neural.run -m NFaiRR@10 --terms gender-en --docs collection.tsv --background background.run"
}
PAIRED_QUERIES = {"compare": ("--baseline", "bm25.run", "-m", "nDCG@5 NFaiRR@5", "--correction", "none")}
COMMON_QUERIES = [
    ("compare", ("-m", "nDCG@10 RR", "-f", "json")),
]
CI_JOBS = {"compare": "compare qrels.txt *.run -m nDCG@10"}
JUDGED_HINTS = ["compare"]
SAME_BYTES = [
    *(
        f"compare qrels.txt {{DRAWN}} {{COUNTED}} -m 'nDCG@10 AP NFaiRR@10 TExFAIR@10 ARaB@10' --test {test} -f jsonl"
        for test in ("t", "wilcoxon", "randomization", "bootstrap")
    ),
    *(
        f"compare qrels.txt {{DRAWN}} {{COUNTED}} -m 'nDCG@10 AP NFaiRR@10 TExFAIR@10' --interval {kind} -f json"
        for kind in ("t", "percentile", "bca")
    ),
    *(
        f"compare qrels.txt {{DRAWN}} {{COUNTED}} -m 'nDCG@10 NFaiRR@10' --baseline all --correction {name} -f jsonl"
        for name in ("none", "holm", "bh", "tukey")
    ),
    "compare qrels.txt {DRAWN} {COUNTED} -m 'nDCG@10 NFaiRR@10' --equivalence 0.02 -f json",
    "compare qrels.txt {DRAWN} {COUNTED} -m 'nDCG@10 NFaiRR@10' --slice slices.tsv -f jsonl",
    "compare {QRELS} {RUNS} {WORDS} -m 'nDCG@10 NFaiRR@10' --test randomization -f json",
]


TABLES = {"compare": lambda _, result: (COMPARISONS, fairtrec.compare(result, result.scores[0].run))}
ANSWERS = {"compare": lambda: fairtrec.compare(evaluate_both(), "bm25")}
BOTH = ["compare", "qrels.txt", *TWO, "-m", "nDCG@10 NFaiRR@10"]
SMALL_ANSWERS = {"compare": lambda small: fairtrec.compare(small.result, "run1", equivalence=0.1)}
PRINTED = {"compare": [*BOTH, *SHELL, "-f", "table"]}
NO_AGGREGATE_RESULT = [fairtrec.compare]
EVALUATING = ["compare"]
INTERVALS = ["compare"]
SHORT_HELP = ["compare"]
NEEDED_LIBRARY = {"compare": "scipy"}
MISSING_LIBRARY = {"scipy": ["compare qrels.txt bm25.run fair.run -m nDCG@10"]}
JUDGED_QUERIES = {"compare": "compare qrels.txt bm25.run fair.run -m 'nDCG@5 NFaiRR@5'"}
HIDING_COLUMNS = ["compare"]
MEASURED = {
    "compare": "QRELS RUNS -m 'nDCG@10 NFaiRR@10' COUNTED -f tsv",
    "compare --interval bca": "QRELS RUNS -m nDCG@10 --interval bca -f tsv",
}

WRITING = {
    "compare": "compare qrels.txt bm25.run fair.run -m RR -o old.txt",
}
