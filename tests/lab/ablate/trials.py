"""What tests of all commands try of ``fairtrec ablate``; fairtrec_made/command_trials.py lists what each name means."""

import fairtrec
from fairtrec.lab.ablate import ABLATIONS
from fairtrec_made.command_trials import GIVEN, SHELL, TWO, WORDS
from fairtrec_made.trials import list_situations

AGAIN = "variants read this input again, and a stream can be read only once; pass a file"

FLIPS = {"--vary": "labels=flips", "-m": "AWRF@3", "--labels": "labels.tsv"}
SITUATIONS = [
    *list_situations("ablate qrels a.run b.run", {"--vary": "cutoff=1,2"}, {"-m": "AWRF@3"}, {"-m": "NFaiRR@3"}),
    ("ablate none a.run b.run", FLIPS),
    ("ablate qrels a.run b.run", {"--vary": "qrels=flips", "-m": "nDCG@3"}),
]
VALUES = {"--vary": "cutoff=1,2", "--seed": "7"}

LINKED_RUNS = {
    "ablate": "ablate qrels.txt eve.run bm25.run -m ARaB@10 --vary cutoff=5,10 --terms gender-en --docs collection.tsv"
}
WINDOWS = {
    "ablate": "ablate none RUNS TEXTS -m NFaiRR@10 --vary tau=0,1 --vary cutoff=5",
    "ablate-flips": "ablate QRELS RUNS -m P@5 --vary qrels=flips",
}
PIPES = {
    "ablate, qrels": ("qrels", AGAIN, "ablate qrels a.run b.run --counts counts -m RBDF@2 --vary cutoff=1,2"),
    "ablate, terms": ("terms", AGAIN, "ablate none a.run --terms terms --docs docs.tsv -m RBDF@2 --vary cutoff=1"),
    "ablate, background": (
        "b.run",
        AGAIN,
        "ablate none a.run --counts counts --background b.run -m NFaiRR@2 --vary cutoff=1",
    ),
}
ONE_ATTRIBUTE = [("ablate -m AWRF@3 --vary depth=2,3", "AWRF takes one attribute: AWRF(by='gender')@3")]
ONE_MEASURE = ["ablate"]
_TARGET = ["--vary", "target=strip", "--terms", "gender-en", "--docs", "collection.tsv"]
REPLAY_ATTACKS = {
    "vary target": ("strip", "labels.tsv", ["ablate", "qrels.txt", "bm25.run", "fair.run", "-m", "AWRF@10", *_TARGET])
}
HOSTILE_FOLDERS = {
    "ablate": "ablate qrels.txt bm25.run neural.run -m ARaB@10 --vary cutoff=5,10 --terms gender-en --docs collection.tsv -j 2"
}
LIST_NAMES = {
    "ablate": "ablate none bm25.run neural.run -m ARaB@10 --vary cutoff=5 --terms NAME --docs collection.tsv",
    "ablate, varied": "ablate none bm25.run neural.run -m ARaB@10 --vary terms=NAME --terms gender-en-core --docs collection.tsv",
}
LONG_NUMBERS = ["ablate qrels a.run b.run -m RR --vary cutoff=N", "ablate qrels a.run b.run -m RR --vary terms=halfxN"]
OTHER_FORMS = {
    "ablate": "ablate qrels.txt bm25.run neural.run -m NFaiRR@10 --vary cutoff=5 --terms gender-en --docs collection.tsv --background background.run"
}
COMMON_QUERIES = [("ablate", ("-m", "nDCG@10", "--vary", "cutoff=5", "-f", "json"))]
SAME_QUERIES = {"ablate": (("-m", "NFaiRR@5", "--vary", "tau=0,2"), ("order", "orders", "flips", "flipped"))}
SAME_BYTES = [
    "ablate none {RUNS} --labels {EXAMPLE}/labels.tsv -m AWRF@10 --vary labels=flips -f json",
    "ablate qrels.txt {DRAWN} {COUNTED} -m 'NFaiRR@10' --vary tau=0,1,2 -f json",
    "ablate {QRELS} {RUNS} {WORDS} -m NFaiRR@10 --vary terms=each -f json",
]

TABLES = {
    "ablate": lambda runs, _: (
        ABLATIONS,
        fairtrec.ablate(runs, measure="NFaiRR@10", vary=["tau=0,1", "cutoff=5"], **WORDS),
    )
}
ANSWERS = {"ablate": lambda: fairtrec.ablate(TWO, measure="NFaiRR@10", vary=["tau=0,1"], **GIVEN)}
SMALL_ANSWERS = {
    "ablate": lambda small: fairtrec.ablate(
        small.runs, qrels=small.qrels, measure="AWRF@2", vary=["cutoff=1"], labels=small.labels
    ),
    "ablate --vary qrels=flips": lambda small: fairtrec.ablate(
        small.runs, qrels=small.qrels, measure="P@2", vary="qrels=flips"
    ),
}
PRINTED = {"ablate": ["ablate", "none", *TWO, "-m", "NFaiRR@10", "--vary", "tau=0,1", *SHELL]}
NO_GOLD = {
    "ablate": lambda run, labels: fairtrec.ablate(run, measure="EER@3", vary="cutoff=2", labels=labels, gold=labels)
}
NO_AGGREGATE = [lambda given: fairtrec.ablate("no-such.run", measure="AWRF@5", vary="cutoff=2", **given)]


def find_base(asked, vary):
    """Compute the mean that variants are compared with; a measure without a cutoff has none to vary."""
    if "@" in asked.measure:
        found = fairtrec.ablate(asked.run, qrels=asked.qrels, measure=asked.measure, vary=vary, **asked.given)
        return found.base.means[0]
    return None


FIRST_VALUES = {
    "ablate": lambda asked: find_base(asked, "cutoff=2"),
    "ablate terms": lambda asked: find_base(asked, "terms=half x 1") if "docs" in asked.given else None,
}
BEGINNINGS = {
    "ablate": (
        ["ablate", "none", "neural.run", "-m", "NFaiRR@10", "--vary", "tau=0"],
        lambda it: it["runs"][0]["mean"],
    )
}


def take_variant(it):
    """Take the mean of the only run in the only variant."""
    (variant,) = it["variants"]
    return variant["runs"][0]["mean"]


NEW_OPTION = {
    "ablate": (
        ["ablate", "none", "neural.run", "-m", "NFaiRR@10", "--vary", "min-tokens=40"],
        take_variant,
    )
}
EVALUATING = ["ablate"]
NEEDED_LIBRARY = {"ablate": "scipy"}
JUDGED_QUERIES = {"ablate": "ablate qrels.txt bm25.run fair.run -m NFaiRR@5 --vary tau=0,1"}
KEY_MEANINGS = {
    "ablate above": "the run above the other",
    "ablate below": "the run below it",
    "ablate by": "what orders the runs: the mean, or the size, the mean of absolute values",
    "ablate by_chance": "the probability that the order turns if a tenth of the labels is wrong at random, by the "
    "normal distribution",
    "ablate by_chance_exact": "the same probability, exactly; null if it was not computed",
    "ablate difference": "the run above minus the run below",
    "ablate documents": "the documents whose flips turn the order",
    "ablate docno": "the document",
    "ablate exact": "whether no fewer flips can do it; null if the runs are tied",
    "ablate first": "the first run, and how few flips put another above it",
    "ablate flips": "how few flips turn the order; null if none were found",
    "ablate from": "the label or grade of the file",
    "ablate least": "the least that there can be: flips, or the mean over all variants",
    "ablate looked_at": "the labeled documents or judged pairs that can flip",
    "ablate rival": "the run that the fewest flips put above it",
    "ablate share": "the flips, of those looked at",
    "ablate tied": "the runs that are tied with the first",
    "ablate to": "the label or grade that turns the order",
    "ablate verdict": "how many flips lose the verdict of the paired t-test; null if there is none",
    "factor": "what is varied",
    "flipped": "pairs of runs in another order than in the base",
    "greatest": "the greatest mean over all variants",
    "least": "the least mean over all variants",
    "never_flipped": "pairs that no variant flips",
    "pairs": "the number of pairs of runs",
    "settled": "flipped pairs that differ significantly in the base",
    "tau_b": "Kendall's tau-b with the order of the base",
    "variant": "the value of the factor",
}
HIDING_COLUMNS = ["ablate", "ablate-flips"]
MEASURED = {"ablate": "QRELS RUNS -m NFaiRR@10 --vary tau=0,2 COUNTED -f json"}

DIVISORS = {
    "lab/ablate/ablation.py": {"RunOrder.tau_b: apart": "the root of a product of counts"},
    "lab/ablate/flip_search.py": {
        "find_lost_verdict.rate: np.sqrt(variance * many)": "a variance of 0 makes t infinite, and its flip the last one",
        "find_lost_verdict.rate: many - 1": "a count of queries, two or more where there is a p",
        "approximate_chance: np.sqrt(variance)": "0 is looked at before",
        "approximate_chance: many": "a count",
        "_find_unit: units": "fractions of a size that is not 0 to 12 digits",
    },
    "lab/ablate/flip_values.py": {"GradeFlips._judge: ideal": "as the judge divides, to the last bit"},
}
ROUNDED_IDEALS = [
    lambda runs, _, given: fairtrec.ablate(runs, measure="NFaiRR@1", vary="tau=0,1", **given),
    lambda runs, _, given: fairtrec.ablate(runs, measure="NFaiRR@1", vary="terms=each", **given),
    lambda runs, _, given: fairtrec.ablate(runs, measure="NFaiRR@1", vary="target=even", **given),
]
WRITING = {
    "ablate": "ablate qrels.txt bm25.run fair.run -m nDCG@5 --vary cutoff=5,10 -o old.txt",
}
