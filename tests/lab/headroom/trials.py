"""What tests of all commands try of ``fairtrec headroom``; fairtrec_made/command_trials.py lists what each name means."""

import numpy as np

import fairtrec
from fairtrec.lab.headroom import HEADROOMS
from fairtrec_made.command_trials import EXAMPLE_QRELS, GIVEN, SHELL, TWO, WORDS
from fairtrec_made.trials import list_situations

SITUATIONS = list_situations(
    "headroom qrels a.run", {"--utility": "nDCG@3"}, {"--fairness": "AWRF@3"}, {"--fairness": "NFaiRR@3"}
)
VALUES = {"--utility": "RR@3", "--fairness": "NDKL@3", "--candidates": "2", "--loss": "0,20%", "--dpfr": "0.5"}
OTHER_VALUES = {"headroom --background-depth": "4"}

LINKED_RUNS = {"headroom": "headroom qrels.txt eve.run --fairness ARaB@10 --terms gender-en --docs collection.tsv"}
WINDOWS = {"headroom": "headroom QRELS RUNS TEXTS --utility nDCG@10 --fairness NFaiRR@10"}
ONE_ATTRIBUTE = [("headroom --fairness AWRF@3", "AWRF takes one attribute: AWRF(by='gender')@3")]
ODD_NAMES = {"run": ["headroom qrels N --fairness KL@2 --labels labels.tsv"]}
PAIRED_QUERIES = {"headroom": ("--utility", "nDCG@5", "--fairness", "NFaiRR@5")}
SEVERAL_RANKINGS = ["headroom q t --labels l.tsv --fairness AWRF@2 --utility nDCG@2"]
JUDGED_HINTS = ["headroom"]
_ASKED = ["headroom", "qrels.txt", "secret.run", "--terms", "gender-en", "--docs", "collection.tsv"]
REPLAY_ATTACKS = {"headroom": ("secret.run", "neural.run", [*_ASKED, "--fairness", "AWRF@10"])}
SAME_BYTES = [
    *(
        f"headroom qrels.txt {{DRAWN}} {given} --fairness {fairness} --loss 0,1%,5% -f json"
        for given, fairness in (
            ("{COUNTED}", "NFaiRR@10"),
            ("{COUNTED} --candidates 6", "TExFAIR@5"),
            ("{SOFT} --candidates 6", "AWRF@5"),
            ("--labels hard.tsv --candidates 6", "NDKL@5"),
            ("--stances stances.tsv --candidates 6", "DUO@5"),
        )
    ),
    "headroom qrels.txt {DRAWN} {COUNTED} --utility RBP(p=0.8)@10 --loss 2% -q -f jsonl",
    "headroom qrels.txt {DRAWN} {COUNTED} --utility scores --loss 2% -f json",
    "headroom qrels.txt {DRAWN} {COUNTED} --each --from background -f json",
    "headroom {QRELS} {RUNS} {WORDS} --loss 2% -f json",
    "headroom {QRELS} {RUNS} {WORDS} --dpfr 0.5 -q -f csv",
]

TABLES = {"headroom": lambda runs, _: (HEADROOMS, fairtrec.headroom(runs, qrels=EXAMPLE_QRELS, loss=0, **WORDS))}
ANSWERS = {"headroom": lambda: fairtrec.headroom(TWO, qrels="qrels.txt", **GIVEN)}
SMALL_ANSWERS = {
    "headroom": lambda small: fairtrec.headroom(
        small.runs,
        qrels=small.qrels,
        fairness="AWRF@2",
        utility="nDCG@2",
        loss=(0,),
        from_="runs",
        dpfr=0.5,
        labels=small.labels,
    )
}
PRINTED = {"headroom": ["headroom", "qrels.txt", *TWO, *SHELL]}
NO_GOLD = {"headroom": lambda run, labels: fairtrec.headroom(run, qrels={"q": {"a": 1}}, labels=labels, gold=labels)}
NO_AGGREGATE = [lambda given: fairtrec.headroom("no-such.run", fairness="AWRF@5", **given)]
REFUSING = {
    "headroom": lambda measure, run, qrels, **asked: fairtrec.headroom(run, qrels=qrels, fairness=measure, **asked)
}


def find_values(asked):
    """Find the first point of each front, by query and in the mean."""
    utility = "P@3" if asked.measure != "P@3" else "nDCG@3"
    found = fairtrec.headroom(
        asked.run, qrels=asked.qrels, utility=utility, fairness=asked.measure, loss=0, **asked.given
    ).runs[0]
    return {each.qid: each.points[0].fairness for each in found.queries}, found.points[0].fairness


def is_just(fault, scores):
    """Check a refusal of values that are infinite, or that no query has; the qrels judge nothing of query 5."""
    if np.isinf(scores.values).any():
        return "infinite" in str(fault)
    if "no query has finite values of both" in str(fault):
        return np.isnan(scores.values[:, [qid != "5" for qid in scores.qids]]).all()
    return None


FIRST_VALUES = {"headroom": find_values}
JUST_REFUSALS = {"headroom": is_just}
BEGINNINGS = {"headroom": (["headroom", "qrels.txt", "neural.run"], lambda it: it["runs"][0]["points"][0]["fairness"])}
EVALUATING = ["headroom"]
SHORT_HELP = ["headroom"]
NEEDED_LIBRARY = {"headroom": ""}
JUDGED_QUERIES = {"headroom": "headroom qrels.txt bm25.run --utility nDCG@5 --fairness NFaiRR@5"}
MEASURED = {"headroom": "QRELS RUN --fairness NFaiRR@10 COUNTED -f tsv"}

ROUNDED_IDEALS = [
    lambda runs, qrels, given: fairtrec.headroom(runs, qrels=qrels, fairness="NFaiRR@1", utility="nDCG@1", **given)
]


BY_MEANS = ["headroom none my.run --labels labels --utility scores --fairness Gini"]
EXCHANGING = [("headroom", "--utility", "nDCG(group=f)@5", "--fairness", "AWRF@5")]
WRITING = {
    "headroom": "headroom qrels.txt bm25.run --fairness AWRF@5 --labels labels.tsv --candidates 10 -o old.txt",
}
REFUSED_ROLES = [
    ("headroom none views.csv --utility scores --fairness AWRF@2 --columns slice=stamp", "headroom has no slices")
]
RANKED_ANEW = [
    (
        "headroom none x.run --utility scores --fairness AWRF@2",
        "headroom numbers ranks 1 to n; leave out --order position\n",
    )
]
