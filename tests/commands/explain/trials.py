"""What tests of all commands try of ``fairtrec explain``; fairtrec_made/command_trials.py lists what each name means."""

import fairtrec
from fairtrec.commands.explain import EXPLANATIONS
from fairtrec_made.command_trials import GIVEN, SHELL, WORDS
from fairtrec_made.trials import list_situations

SITUATIONS = list_situations("explain qrels a.run", {"--query": "1"}, {"-m": "AWRF@3"}, {"-m": "NFaiRR@3"})
VALUES = {"--query": "1", "--exchanges": "2", "--what-if": "she"}
OTHER_VALUES = {"explain --depth": "5"}

LINKED_RUNS = {"explain": "explain qrels.txt eve.run -m ARaB@10 --query 101 --terms gender-en --docs collection.tsv"}
WINDOWS = {
    "explain": "explain none RUNS TEXTS -m NFaiRR@10",
    "explain query": "explain none RUN TEXTS -m NFaiRR@10 --query 101",
    "explain baseline": "explain none RUNS TEXTS -m NFaiRR@10 --baseline RUN",
    "explain query baseline": "explain none RUNS TEXTS -m NFaiRR@10 --query 101 --baseline RUN",
}
ONE_ATTRIBUTE = [
    ("explain -m AWRF@3 --query 101", "AWRF takes one attribute: AWRF(by='gender')@3"),
    ("explain -m GFR@3 --query 101", "GFR takes one attribute: GFR(by='gender')@3"),
]
ONE_MEASURE = ["explain"]
LIST_NAMES = {"explain": "explain none bm25.run -m ARaB@10 --terms NAME --docs collection.tsv"}
ODD_NAMES = {"run": ["explain qrels N -m KL@2 --labels labels.tsv"]}
OTHER_FORMS = {
    "explain": "explain none bm25.run -m NFaiRR@5 --terms gender-en --docs collection.tsv --background background.run"
}
ONE_BASELINE = ["explain -m RR"]
COMMON_QUERIES = [("explain", ("-m", "nDCG@10", "-f", "json"))]
SEVERAL_RANKINGS = ["explain none t --labels l.tsv -m AWRF@2"]
MISTYPED = {"exlpain": "there is no command exlpain; did you mean explain?"}
SAME_BYTES = [
    "explain qrels.txt one.run {COUNTED} -m NFaiRR@10 -f jsonl",
    "explain qrels.txt one.run two.run {COUNTED} -m TExFAIR@10 -f json",
    "explain qrels.txt one.run {SOFT} -m AWRF@10 -f jsonl",
    "explain qrels.txt one.run {SOFT} -m NDKL@10 --query q3 -f json",
    "explain qrels.txt one.run -m nDCG@10 --query q3 -f json",
    "explain {QRELS} {RUNS} {WORDS} -m NFaiRR@10 --what-if her -f json",
    "explain qrels.txt one.run two.run {COUNTED} -m NFaiRR@10 --baseline two.run -f json",
    "explain qrels.txt one.run two.run {COUNTED} -m AWRF@10 --baseline two.run -f json",
    "explain {QRELS} {EXAMPLE}/bm25.run {WORDS} -m ARaB@10 -f html",
]


def explain_lines(runs):
    """Explain one query of few runs, and all of many."""
    detailed = {"query": "101"} if len(runs) == 3 else {}
    return EXPLANATIONS, fairtrec.explain("NFaiRR@10", runs, **WORDS, **detailed), {"places": 4}


LINES = {"explain": explain_lines}
ANSWERS = {
    "explain": lambda: fairtrec.explain("NFaiRR@10", "neural.run", **GIVEN),
    "explain a query": lambda: fairtrec.explain("NFaiRR@10", "neural.run", query="101", **GIVEN),
    "explain a difference": lambda: fairtrec.explain("NFaiRR@10", "neural.run", baseline="bm25.run", **GIVEN),
}
SMALL_ANSWERS = {
    "explain": lambda small: fairtrec.explain("FaiRR@2", {"run1": small.runs["run1"]}, query="q1", **small.words),
    "explain --baseline": lambda small: fairtrec.explain("FaiRR@2", small.runs, baseline="run1", **small.words),
}
PRINTED = {
    "explain": ["explain", "none", "neural.run", "-m", "NFaiRR@10", *SHELL],
    "explain a query": ["explain", "none", "neural.run", "-m", "NFaiRR@10", "--query", "101", *SHELL],
    "explain a difference": ["explain", "none", "neural.run", "-m", "NFaiRR@10", "--baseline", "bm25.run", *SHELL],
}
NO_GOLD = {"explain": lambda run, labels: fairtrec.explain("EER@3", run, labels=labels, gold=labels)}
NO_AGGREGATE = [lambda given: fairtrec.explain("AWRF@5", "no-such.run", **given)]
REFUSING = {
    "explain": lambda measure, run, qrels, **asked: fairtrec.explain(measure, run, qrels=qrels, **asked),
}


def explain_values(asked, **more):
    """Explain the value of each query."""
    found = fairtrec.explain(asked.measure, asked.run, qrels=asked.qrels, exchanges=4, **asked.given, **more).runs[0]
    return {each.qid: each.value for each in found.queries}


FIRST_VALUES = {"explain": explain_values, "explain -q": lambda asked: explain_values(asked, query="1")}
BEGINNINGS = {"explain": (["explain", "none", "neural.run", "-m", "NFaiRR@10"], lambda it: it["runs"][0]["value"])}
EVALUATING = ["explain"]
NEEDED_LIBRARY = {"explain": ""}
JUDGED_QUERIES = {"explain": "explain qrels.txt bm25.run -m NFaiRR@5"}
MEASURED = {"explain": "QRELS RUNS -m NFaiRR@10 --terms gender-en --docs TEXTS --background RUN -f json"}

DIVISORS = {
    "commands/explain/shapley.py": {"shares: players": "a count"},
    "commands/explain/split.py": {
        "_of_exposure: divisor": "2 (1 - the least target) is at least 1 for two groups or more",
        "_of_exposure: exposure.sum(axis=1)[:, None]": "a sum of exposures that are all 0 or more",
        "_shares: sum(counts)": "a count",
        "_of_exposure: tokens[..., None]": "a count",
    },
}
ROUNDED_IDEALS = [lambda runs, _, given: fairtrec.explain("NFaiRR@1", runs["a"], **given)]

WRITING = {
    "explain": "explain none bm25.run -m AWRF@10 --terms gender-en --docs collection.tsv -o old.txt",
}
