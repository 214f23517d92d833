"""What tests of all commands try of ``fairtrec correlate``; fairtrec_made/command_trials.py lists what each name means."""

import fairtrec
from fairtrec.commands.correlate import ASSOCIATIONS, OVERLAPS
from fairtrec_made.command_trials import EXAMPLE_QRELS, SHELL, TWO, WORDS, evaluate_both
from fairtrec_made.hostile import NAME

SITUATIONS = [
    ("correlate qrels a.run b.run", {"-m": "nDCG@3 RR AWRF@3", "--labels": "labels.tsv"}),
    ("correlate a.run b.run bg.run", {"--rankings": None}),
]
VALUES = {"-p": "0.5", "--baseline": "b.run", "--cutoffs": "1,3"}

LINKED_RUNS = {"rankings": "correlate --rankings eve.run bm25.run"}
WINDOWS = {
    "correlate": "correlate QRELS RUNS TEXTS -m 'nDCG@10 NFaiRR@10 P@5'",
    "rankings": "correlate --rankings RUNS",
}
RUNS = ["correlate", "qrels", "b.run", NAME, "-m", "nDCG@2 RR P@1"]
REPORTS = {
    **{f"correlate {form}": [*RUNS, "-f", form] for form in ASSOCIATIONS.forms},
    **{f"rankings {form}": ["correlate", "--rankings", "b.run", NAME, "-q", "-f", form] for form in OVERLAPS.forms},
}
PIPES = {
    "two inputs": (
        "a.run",
        "this pipe can be read only once, but is needed twice; pass a file",
        "correlate --rankings a.run a.run",
    )
}
CORRUPTED = {"a.run": ["correlate --rankings a.run b.run"]}
ODD_NAMES = {"run": ["correlate --rankings N a.run"], "list": ["correlate --rankings @N a.run"]}
BOMBS = {"a list": "correlate --rankings @bomb.gz"}
HUGE_VALUES = ["correlate huge.txt small.txt --values -m nDCG@10 -m RR"]
CI_JOBS = {"rankings": "correlate --rankings *.run"}
FOLDERS_OF_RUNS = ["correlate --rankings"]
LISTS_OF_RUNS = ["correlate --rankings @list"]
ONE_BASELINE = ["correlate"]
OTHER_FORMS = {"rankings": "correlate --rankings bm25.run neural.run"}
SAME_BYTES = [
    "correlate qrels.txt {DRAWN} {COUNTED} -m 'nDCG@10 NFaiRR@10 TExFAIR@10' --over runs -f json",
    "correlate qrels.txt {DRAWN} {COUNTED} -m 'nDCG@10 NFaiRR@10 TExFAIR@10' --over queries -f json",
    "correlate --rankings {DRAWN} -q -f json",
    "correlate --rankings {DRAWN} -p 0.7 -f json",
    "correlate --rankings {DRAWN} --depth 7 -q -f json",
]


def correlate_queries(runs, _):
    """Correlate two measures over queries."""
    result = fairtrec.evaluate("nDCG@10 NFaiRR@10", runs, qrels=EXAMPLE_QRELS, **WORDS)
    return ASSOCIATIONS, fairtrec.correlate(result)


TABLES = {
    "correlate-queries": correlate_queries,
    "correlate-runs": lambda _, result: (ASSOCIATIONS, fairtrec.correlate(result, over="runs")),
    "rankings": lambda runs, _: (OVERLAPS, fairtrec.rbo(runs[:7], depth=3)),
}
ANSWERS = {
    "correlate": lambda: fairtrec.correlate(evaluate_both()),
    "rbo": lambda: fairtrec.rbo(["bm25.run", "neural.run", "fair.run"]),
}
SMALL_ANSWERS = {
    "correlate": lambda small: fairtrec.correlate(small.result, "queries"),
    "correlate --rankings": lambda small: fairtrec.rbo(small.runs),
}
PRINTED = {
    "correlate": ["correlate", "qrels.txt", *TWO, "-m", "nDCG@10 NFaiRR@10", *SHELL],
    "rbo": ["correlate", "--rankings", "bm25.run", "neural.run", "fair.run"],
}
MISTYPED = {
    "rbo a.run b.run": "there is no command rbo; fairtrec correlate --rankings prints",
    "compare q a b --correlate runs": "there is no option --correlate here; fairtrec correlate prints",
}
NO_GOLD_RESULT = [fairtrec.correlate]
NO_AGGREGATE_RESULT = [fairtrec.correlate]
OWN_INTERVALS = ["correlate"]
EVALUATING = ["correlate"]
SHORT_HELP = ["correlate"]
NEEDED_LIBRARY = {"correlate": "scipy"}
HIDING_COLUMNS = ["correlate"]
KEY_MEANINGS = {
    "correlate --rankings mean": "the mean rank-biased overlap",
    "correlate --rankings other": "the other run",
}
MEASURED = {
    "correlate": "QRELS RUNS -m 'nDCG@10 NFaiRR@10' COUNTED",
    "correlate --rankings": "RUNS",
}

WRITING = {
    "correlate": "correlate qrels.txt bm25.run fair.run neural.run -m 'RR nDCG@10' -o old.txt",
}
