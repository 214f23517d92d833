"""What tests of all commands try of ``fairtrec gold``; fairtrec_made/command_trials.py lists what each name means."""

from pathlib import Path

import fairtrec
from fairtrec.lab.gold import AGREEMENTS
from fairtrec_made import EXAMPLE
from fairtrec_made.command_trials import SHELL, TWO, WORDS
from fairtrec_made.worst_files import WorstForm

SITUATIONS = [
    ("gold draw a.run b.run", {"--number": "3", "--output": "new.out"}),
    ("gold agree gold.tsv", {"--labels": "labels.tsv"}),
    ("gold agree drawn.tsv a.run b.run", {"--terms": "terms.csv", "--docs": "docs.tsv"}),
    ("gold judges qrels judge.qrels", {"--labels": "labels.tsv"}),
    (
        "gold judges qrels judge.qrels",
        {"--terms": "terms.csv", "--docs": "docs.tsv", "--runs": "@three.txt", "-m": "RR@3"},
    ),
]
VALUES = {"--seed": "7", "--number": "4", "--judge-level": "3", "--reference": "f"}
OTHER_VALUES = {
    "gold judges --runs": "@three.txt",
    "gold judges --families": "a,b",
    "gold judges --equivalence": "0.1",
}
NOTHING_TO_SHOW = {"gold draw --number --unit": "there are fewer queries than that"}

OTHER_LIST_NAMES = {"gold agree": "gold agree labels.tsv --terms NAME --docs collection.tsv"}
ODD_NAMES = {"run": ["gold draw N --number 2 -o out.tsv"]}
ODD_OUTPUTS = ["gold draw a.run --number 2 -o N"]
CORRUPTED = {
    "qrels": ["gold judges qrels judge.qrels --labels labels", "gold judges judge.qrels qrels --labels labels -f json"],
    "sheet": [
        "gold agree sheet --labels labels",
        "gold agree sheet a.run --counts counts -f json",
        "gold draw a.run --number 9 --gold sheet -o new.tsv --force",
    ],
    "queries.sheet": [
        "gold agree queries.sheet --labels labels",
        "gold draw a.run --number 9 --unit query --gold queries.sheet -o new.tsv --force",
    ],
}
SAME_BYTES = [
    "gold agree {EXAMPLE}/labels.tsv {RUNS} --terms gender-en --docs {EXAMPLE}/collection.tsv -f json",
    "gold agree hard.tsv --labels side.tsv -f json",
    "gold judges {EXAMPLE}/qrels.txt {EXAMPLE}/qrels.txt --labels {EXAMPLE}/labels.tsv -f json",
    "gold draw {DRAWN} --number 40 -o sheet.tsv --force",
]


def agree(runs, _):
    """Compare word lists with the labels of the example."""
    texts = {name: WORDS[name] for name in ("terms", "docs")}
    return AGREEMENTS, fairtrec.gold.agree(EXAMPLE / "labels.tsv", {Path(run).stem: run for run in runs}, **texts)


TABLES = {"gold-agree": agree}
ANSWERS = {
    "gold draw": lambda: fairtrec.gold.draw(TWO, 5, docs="collection.tsv"),
    "gold agree": lambda: fairtrec.gold.agree("labels.tsv", terms="gender-en", docs="collection.tsv"),
    "gold judges": lambda: fairtrec.gold.judges("qrels.txt", {"qrels.txt": "qrels.txt"}, labels="labels.tsv"),
}
SMALL_ANSWERS = {
    "gold judges --families": lambda small: fairtrec.gold.judges(
        small.qrels,
        small.qrels,
        labels=small.labels,
        runs=small.runs,
        families={"run1": "one"},
        measures="P@2",
        equivalence=0.1,
    )
}
KEY_MEANINGS = {
    "difference_high": "the high end of the interval of the difference",
    "difference_low": "the low end of the interval of the difference",
    "gold judges families": "of runs, each next to all other runs",
    "gold judges family": "the name of the family",
    "gold judges value": "the judge minus people, the mean over queries",
}
RECORDED_JSON = ["gold agree", "gold judges"]
PRINTED = {
    "gold draw": ["gold", "draw", *TWO, "--number", "5", "--docs", "collection.tsv", "-o", "sheet.tsv"],
    "gold agree": ["gold", "agree", "labels.tsv", *SHELL[:4]],
    "gold judges": ["gold", "judges", "qrels.txt", "qrels.txt", "--labels", "labels.tsv"],
}
WITHOUT_RUNS = ["gold agree", "gold judges"]
OWN_INTERVALS = ["gold agree", "gold judges"]
NEEDED_LIBRARY = {"gold": "", "gold judges": "scipy"}
MEASURED = {
    "gold draw": "RUNS --number 30 --docs TEXTS -o OUT/sheet.tsv --force",
    "gold agree": "GOLD",
}

EMPTY_TABLES = {"gold sheet": (("docno", "group"), "gold agree FILE --labels labels.tsv")}

WORST_FILES = {
    "families": WorstForm(
        ("list of families",),
        (
            "gold judges few.qrels few.qrels --runs few.run --runs few.second.run --runs few.third.run --families FILE -m nDCG@10",
        ),
        "{d}\t{g}\n",
        "few\tf\n",
    ),
}

READING_ANY_FILE = ["gold agree FILE --labels labels.tsv"]
FILE_OUTPUTS = ["gold draw bm25.run --number 5 --force -o"]

WRITING = {
    "gold draw": "gold draw bm25.run --number 5 --force -o old.tsv",
    "gold agree": "gold agree small/gold.tsv --labels small/labels.tsv -o old.txt",
    "gold judges": "gold judges small/qrels small/judge.qrels --labels small/labels.tsv -o old.txt",
}
UNFIT_ENDINGS = [("gold draw bm25.run -o new.csv", "the ending of new.csv; choose another (formats: tsv)")]
