"""What tests of all commands try of ``fairtrec select``; fairtrec_made/command_trials.py lists what each name means."""

import numpy as np

import fairtrec
from fairtrec.lab.select import SELECTIONS
from fairtrec_made.command_trials import EXAMPLE_QRELS, SHELL, TWO, WORDS, evaluate_both
from fairtrec_made.trials import list_situations

SITUATIONS = list_situations(
    "select qrels a.run b.run",
    {"--utility": "nDCG@3", "--folds": "3"},
    {"--fairness": "AWRF@3"},
    {"--fairness": "NFaiRR@3"},
)
VALUES = {
    "--baseline": "b.run",
    "--equivalence": "0.1",
    "--resamples": "300",
    "--seed": "7",
    "--utility": "RR@3",
    "--fairness": "NDKL@3",
    "--beta": "0.5,2",
    "--folds": "2",
    "--require": "nDCG@3 >= 0.2",
    "--write-run": "new.run",
}
NOTHING_TO_SHOW = {
    "select --background-depth --tokenizer": "so few documents of the background hold no term, and no query has a value",
}

LINKED_RUNS = {
    "select": "select qrels.txt eve.run bm25.run --utility nDCG@10 --fairness ARaB@10 --terms gender-en --docs collection.tsv"
}
WINDOWS = {"select": "select QRELS RUNS TEXTS --utility nDCG@10 --fairness NFaiRR@10 -m 'RR ARaB@10' --baseline bm25"}
ONE_ATTRIBUTE = [
    (
        "select fair.run --utility nDCG@3 --fairness AWRF@3",
        "AWRF@3 can mean AWRF(by='gender')@3, AWRF(by='pages')@3; choose one",
    )
]
LIST_NAMES = {
    "select": "select qrels.txt bm25.run neural.run --utility nDCG@10 --fairness ARaB@10 --terms NAME --docs collection.tsv"
}
ONE_BASELINE = ["select --utility RR --fairness AP"]
OTHER_FORMS = {
    "select": "select qrels.txt bm25.run neural.run --utility nDCG@10 --fairness NFaiRR@10 --terms gender-en --docs collection.tsv --background background.run"
}
COMMON_QUERIES = [("select", ("--utility", "nDCG@10", "--fairness", "RR", "--folds", "3", "-f", "json"))]
SAME_QUERIES = {"select": (("--utility", "nDCG@5", "--fairness", "NFaiRR@5", "--folds", "2"), ("rows", "folds"))}
JUDGED_HINTS = ["select"]
SAME_BYTES = [
    "select qrels.txt {DRAWN} {COUNTED} --utility nDCG@10 --fairness NFaiRR@10 --beta 0.5,1,2 -f jsonl",
    "select qrels.txt {DRAWN} {COUNTED} --utility nDCG@10 --fairness NFaiRR@10 --folds 4 --baseline one -f json",
]

TABLES = {
    "select": lambda runs, _: (
        SELECTIONS,
        fairtrec.select(runs, qrels=EXAMPLE_QRELS, utility="nDCG@10", fairness="NFaiRR@10", **WORDS),
    )
}
JUDGED = {"queries": "judged"}  # which the command takes on its own
ANSWERS = {
    "select": lambda: fairtrec.select(evaluate_both(**JUDGED), utility="nDCG@10", fairness="NFaiRR@10", beta=[0, 1])
}
SMALL_ANSWERS = {
    "select": lambda small: fairtrec.select(
        small.runs,
        qrels=small.qrels,
        utility="nDCG@2",
        fairness="AWRF@2",
        folds=3,
        baseline="run1",
        labels=small.labels,
    )
}
PRINTED = {
    "select": ["select", "qrels.txt", *TWO, "--utility", "nDCG@10", "--fairness", "NFaiRR@10", "--beta", "0,1", *SHELL]
}
NO_GOLD_RESULT = [lambda result: fairtrec.select(result, utility="EER@3", fairness="AWRF@3", folds=1)]
NO_AGGREGATE = [
    lambda given: fairtrec.select({"a": "no-such.run", "b": "no.run"}, utility="AP", fairness="AWRF@5", **given)
]
NO_AGGREGATE_RESULT = [lambda found: fairtrec.select(found, utility="AP@5", fairness="AP@10")]


def find_scores(asked):
    """Choose between the run and another, and give the scores of the run."""
    found = fairtrec.select(
        {**asked.run, "s": asked.other},
        qrels=asked.qrels,
        utility="nDCG@3",
        fairness=asked.measure,
        folds=1,
        beta="inf",
        **asked.given,
    )
    return found.result.scores[0]


def is_just(fault, scores):
    """Check a refusal of values that no query has, the one that only one run has left out."""
    if np.isnan(scores.values[:, [qid != "5" for qid in scores.qids]]).all():
        return "no query for which each variant has both" in str(fault)
    return None


FIRST_VALUES = {"select": find_scores}
JUST_REFUSALS = {"select": is_just}
EVALUATING = ["select"]
INTERVALS = ["select"]
NEEDED_LIBRARY = {"select": "scipy"}
JUDGED_QUERIES = {"select": "select qrels.txt bm25.run fair.run --utility nDCG@5 --fairness NFaiRR@5 --folds 1"}
KEY_MEANINGS = {
    "beta": "the weight of fairness; with 2 it counts twice as much as utility",
    "require": "the requirements",
    "FOLD": "the run chosen for the fold",
    "FOLD[]": "the queries of the fold",
    "MEASURE": "the mean of the measure",
}
RANKER_STORIES = {
    "select": ("select.md", "Choose a checkpoint of a ranker", r"^ +(-|0|1|inf) +\S+ ", ["-", "0", "1", "inf"])
}
MEASURED = {"select": "QRELS RUNS --utility nDCG@10 --fairness NFaiRR@10 COUNTED"}
_WRITING = "select qrels.txt bm25.run fair.run --utility nDCG@10 --fairness AWRF@5 --labels labels.tsv"
WRITING = {
    "select": f"{_WRITING} --folds 2 -o old.txt",
    "select --write-run": f"{_WRITING} --beta 1 --folds 2 --write-run new -o old.txt",
}
REFUSED_ROLES = [
    ("select none views.csv views.csv --utility AWRF --fairness NDKL --columns cluster=who", "select has no clusters")
]
RANKED_ANEW = [
    (
        "select none x.run y.run --utility AWRF@2 --fairness NDKL@2",
        "select numbers ranks 1 to n; leave out --order position\n",
    )
]
