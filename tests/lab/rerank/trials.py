"""What tests of all commands try of ``fairtrec rerank``; fairtrec_made/command_trials.py lists what each name means."""

import os

import fairtrec
from fairtrec.lab.rerank import EFFECTS
from fairtrec_made.command_trials import EXAMPLE_QRELS, MAJORITY, WORDS
from fairtrec_made.trials import list_situations

SITUATIONS = [
    *list_situations("rerank qrels a.run", {"--by": "FairGreedy@3"}, {}, {"-m": "NFaiRR@3"}),
    *list_situations("rerank qrels a.run", {"--by": "Random"}, {"-m": "AWRF@3"}, {"-m": "NFaiRR@3"}),
]
VALUES = {"--seed": "7", "--candidates": "2", "--by": "DetCons@3", "--rankings": "2"}

LINKED_RUNS = {"rerank": "rerank qrels.txt eve.run --by neutral -o out --terms gender-en --docs collection.tsv"}
ONE_ATTRIBUTE = [("rerank --by DetCons@10 -o new.run", "DetCons takes one attribute: DetCons(by='gender')@10")]
STRANGE_FOLDERS = ["rerank qrels.txt bm25.run --by neutral --terms gender-en --docs collection.tsv -o out"]
HOSTILE_FOLDERS = {
    "rerank": "rerank qrels.txt bm25.run neural.run --by neutral --terms gender-en --docs collection.tsv -j 2 -o out"
}
ODD_NAMES = {"run": ["rerank qrels N --by random -m RR -o out"]}
OTHER_FORMS = {
    "rerank": "rerank none bm25.run --by Neutral@10 --terms gender-en --docs collection.tsv --background background.run"
}
SEVERAL_RANKINGS = ["rerank none t -o out --labels l.tsv --by DetCons"]
SAME_BYTES = [
    *(
        f"rerank qrels.txt one.run --by {by} --labels hard.tsv --missing group -m 'nDCG@10 NDKL@10 AWRF@10' -f json"
        for by in ("DetGreedy@10", "DetCons@10", "DetRelaxed@10", "DetConstSort@10", "AlphaIdeal@10", "FairGreedy@10")
    ),
    "rerank qrels.txt two.run --by 'FATopK(protected=f)@10' --labels hard.tsv",
    *(
        f"rerank qrels.txt one.run --by '{by}' {{COUNTED}} -m 'nDCG@10 NFaiRR@10' -f json"
        for by in ("Neutral@10", "Optimal@10", "Worst@10", "Oracle", "Random", "RandomSwap", "PlackettLuce")
    ),
    "rerank qrels.txt one.run --by 'Optimal(fairness=NFaiRR@5,utility=nDCG@5,loss=0.05)' {COUNTED}",
    "rerank qrels.txt one.run --by 'Worst(fairness=NFaiRR@5,utility=nDCG@5,loss=0.3)' {COUNTED}",
    "rerank qrels.txt one.run --by PlackettLuce --rankings 4 {SOFT}",
]


def compute_effect(runs, _):
    """Compute the effect of a reranker on three measures."""
    from fairtrec.lab.rerank.effects import Effects

    given = {"membership": "majority", **WORDS}
    reranking = fairtrec.rerank("DetCons@10", runs, qrels=EXAMPLE_QRELS, **given)
    return EFFECTS, Effects("nDCG@10 NFaiRR@10 AWRF@10", {"qrels": EXAMPLE_QRELS, **given}).compute(reranking)


TABLES = {"rerank": compute_effect}
ANSWERS = {"rerank": lambda: fairtrec.rerank("DetCons@10", "neural.run", **MAJORITY)}
OTHER_ANSWERS = ["fairtrec.lab.rerank.effects:Effect"]
NO_GOLD = {"rerank": lambda run, labels: fairtrec.rerank("Neutral@3", run, labels=labels, gold=labels)}


def find_scores(asked):
    """Rerank the run, and give the scores of what it was before."""
    from fairtrec.lab.rerank.effects import Effects

    effects = Effects(asked.measure, {"qrels": asked.qrels, **asked.given})
    return effects.compute(fairtrec.rerank(asked.by, asked.run, qrels=asked.qrels, **asked.given)).before.scores[0]


FIRST_VALUES = {"rerank": find_scores}
BEGINNINGS = {
    "rerank": (
        ["rerank", "none", "neural.run", "--by", "Random", "-o", os.devnull, "-m", "NFaiRR@10"],
        lambda it: it["runs"][0]["means"]["NFaiRR@10"]["before"],
    )
}
EVALUATING = ["rerank"]
SHORT_HELP = ["rerank"]
NEEDED_LIBRARY = {"rerank": ""}
MEASURED = {"rerank": "none RUN --by DetCons@10 --counts COUNTS --membership majority -o OUT/reranked/ --force"}


OFFERED = [("rerank none --by detr", ["plain,DetRelaxed"]), ("measures fat", ["plain,FATopK"])]


EXCHANGING = [("rerank", "--by", "Optimal(utility=nDCG(group=f)@5,fairness=AWRF@5)", "-o", "out.run")]

_MADE = "--by DetCons@10 --terms gender-en --docs collection.tsv --membership majority -o new/"
REFUSED_OUTPUTS = {"rerank": f"rerank none bad.run bm25.run {_MADE}"}
FAILING_OUTPUTS = {"rerank": f"rerank none fair.run bm25.run {_MADE}"}

RERANK = "rerank none {} --by neutral --terms gender-en --docs collection.tsv"
FOLDER_OUTPUTS = [f"{RERANK.format('{0} fair.run')} -o out/"]
FILE_OUTPUTS = [f"{RERANK.format('bm25.run')} -o"]

WRITING = {
    "rerank": "rerank none bm25.run --by neutral --terms gender-en --docs collection.tsv -o old.run",
    "rerank to a folder": "rerank none bm25.run fair.run --by neutral --terms gender-en --docs collection.tsv -o new",
}
RANKED_ANEW = [
    ("rerank none x.run --by DetCons@2", "rerank numbers ranks 1 to n; leave out --order position\n"),
    ("rerank none x.run --by Optimal(loss=0,fairness=AWRF,utility=scores)@2", "rerank numbers ranks 1 to n; "),
]
UNFIT_ENDINGS = [
    ("rerank none bm25.run --by Random -o new.json", "the ending of new.json; choose another (formats: trec)")
]
