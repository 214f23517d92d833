"""One value, whoever is asked: what ``eval`` prints of a run is what every other command begins with.

It is asked of every choice that the table of choices has, each alone and each two together, and of all that is given
beside runs; a choice that is added tomorrow is asked about, since its row must have values to try.
By default everybody is asked of the first value of a choice, some in turns of its others, and of every third pair of
choices for one measure; FAIRTREC_FUZZ, as of `make fuzz`, asks all of all of them.
"""

import dataclasses
import json
import math
import os
import re
from itertools import combinations

import pytest

import fairtrec
from fairtrec.evaluation.given import SourceKeywords
from fairtrec.evaluation.inputs.options import CHOICES, Choices
from fairtrec_made import trials
from fairtrec_made.command_trials import gather_trials

pytestmark = pytest.mark.fuzz

TRIALS = {name: row.trials for name, row in CHOICES.items()}  # of each choice, what differs from its default
WITH = {"prior": {"bounds": "labels"}, "next_label": {"bounds": "labels"}}  # without which a choice is refused
CHANGES_NO_VALUE = {
    "run_format",
    "columns",
    *(name for name, row in CHOICES.items() if row.adds),
}  # beside values, or of tables
OTHERS = gather_trials(  # who begins with the value of eval
    "FIRST_VALUES",
    {"evaluator": lambda asked: fairtrec.evaluator(asked.measure, asked.qrels, **asked.given).scores(asked.run["r"])},
)
JUST_REFUSALS = gather_trials("JUST_REFUSALS")
TURNS = [[*OTHERS, next(iter(OTHERS))][at::4] for at in range(4)]  # some of them, each once or twice
TEXTS = {**trials.TEXTS, "h": "Mr. King's wife is she.", "i": "Nobody is meant."}
LABELS = {"a": "f", "b": "m", "c": ["f", "m"], "d": "x", "e": "m", "g": "f", "h": "f"}
QRELS = f"{trials.QRELS}4 0 b 1\n5 0 i 1\n"
RUN = f"{trials.RUN}2 Q0 h 5 0.5 r\n3 Q0 h 3 8 r\n5 Q0 i 1 1 r\n"
OTHER = "1 Q0 e 1 3 s\n1 Q0 a 2 2 s\n2 Q0 g 1 2 s\n2 Q0 e 2 1 s\n3 Q0 b 1 2 s\n3 Q0 h 2 1 s\n5 Q0 i 1 1 s\n"
BACKGROUND = "".join(f"{qid} Q0 {docno} 1 {-ord(docno)} b\n" for qid in "12345" for docno in TEXTS)
SAMPLED = RUN.replace("Q0", "1") + RUN.replace("Q0", "2").replace(" a 1 3", " a 1 1.5").replace(" e 1 5", " e 1 2")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files of a small collection."""
    place = tmp_path_factory.mktemp("one")
    counts = f"{trials.COUNTS}h\t5\t2\t1\ni\t3\t0\t0\n"
    written = {
        "run": RUN,
        "other": OTHER,
        "sampled": SAMPLED,
        "background": BACKGROUND,
        "qrels": QRELS,
        "counts": counts,
        "terms.csv": trials.FILES["terms.csv"],
    }
    for name, text in written.items():
        (place / name).write_text(text)
    return place


def cases(folder):
    """Measures, what is given beside the runs, and the reranker that goes with it."""
    words = {"terms": str(folder / "terms.csv"), "docs": TEXTS, "background": str(folder / "background")}
    return {
        "NFaiRR": ("NFaiRR@4", words, "Random"),
        "AWRF": ("AWRF@4", words, "Neutral@4"),
        "TExFAIR": ("TExFAIR@4", words, "Random"),
        "NDKL": ("NDKL@4", {"labels": LABELS}, "Random"),
        "AWRF of labels": ("AWRF@4", {"labels": LABELS}, "RandomSwap"),
        "P": ("P@3", {}, "Random"),
        "no cutoff": ("nDCG", {}, "Random"),
        "collection": ("NFaiRR@4", {"counts": str(folder / "counts"), "background": "collection"}, "Random"),
        "stances": (
            "MeanAbsoluteBias@4",
            {"stances": {docno: at / 3 - 1 for at, docno in enumerate(TEXTS)}},
            "Random",
        ),
        "discount": (
            "AWRF(discount='given')@4",
            {"labels": LABELS, "discount": [1.0, 0.9, 0.5, 0.4, 0.1]},
            "Random",
        ),
        "counterfactual": ("CRBO@4", {"counterfactual": str(folder / "other")}, "Random"),
    }


def names(fault, choice):
    """Whether a refusal names a choice, in the words of Python or of the command line."""
    text = str(fault)
    spelled = {name for each in choice for name in (each, each.replace("_", "-"), each.replace("_", " "))}
    return any(name in text for name in spelled)


def mean(values):
    """Average the values that are defined."""
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan


@dataclasses.dataclass(frozen=True)
class Asked:
    """What everybody is asked: a measure of a run, and how; another run and a reranker go with it."""

    measure: str
    run: dict
    other: str
    qrels: str
    by: str
    given: dict


def ask_for(measure, given, by, choice, folder):
    """Say what is asked."""
    both = {**given, **choice}
    if choice.get("missing") and "docs" in given:
        both["docs"] = {docno: text for docno, text in TEXTS.items() if docno != "e"}
    run = {"r": str(folder / ("sampled" if choice.get("samples") else "run"))}
    return Asked(measure, run, str(folder / "other"), str(folder / "qrels"), by, both)


def evaluate(asked):
    """Evaluate the run as eval does."""
    return fairtrec.evaluate(asked.measure, asked.run, qrels=asked.qrels, **asked.given).scores[0]


def compared(found, scores):
    """Compare what somebody begins with, a mean, values by query, or scores, with the scores of eval."""
    of_query = dict(zip(scores.qids, scores.values[0].tolist(), strict=True))
    expected = [float(scores.means[0])]
    if isinstance(found, tuple):  # of headroom, over the queries that have both values
        by_query, whole = found
        pairs = [(by_query[qid], of_query[qid]) for qid in by_query] + [
            (whole, mean(of_query[qid] for qid in by_query))
        ]
    elif isinstance(found, dict):
        pairs = [(value, of_query[qid]) for qid, value in found.items()]
        assert found.keys() <= of_query.keys()
        assert len(found) in (1, len(of_query))
    else:
        means = found.means.tolist() if hasattr(found, "means") else [found]
        at = [str(each) for each in found.measures].index(str(scores.measures[0])) if hasattr(found, "measures") else 0
        pairs = [(means[at], expected[0])]
        if hasattr(found, "qids"):
            pairs += zip(found.values[at].tolist(), [of_query.get(qid, math.nan) for qid in found.qids], strict=True)
    return [
        (one, other)
        for one, other in pairs
        if not (math.isclose(one, other, abs_tol=1e-12) or (math.isnan(one) and math.isnan(other)))
    ]


def is_just(name, fault, choice, scores):
    """Whether somebody may refuse what eval has a value of: a choice that is named, or values that are no numbers."""
    known = JUST_REFUSALS[name](fault, scores) if name in JUST_REFUSALS else None
    if known is not None:
        return known
    return isinstance(fault, fairtrec.UsageError) and names(fault, choice)


def check(measure, given, by, choice, folder, only=None):
    """Ask everybody, or ``only`` some; gives what eval says, None where it refuses, and how many said the same."""
    asked = ask_for(measure, given, by, choice, folder)
    try:
        scores = evaluate(asked)
    except fairtrec.FairtrecError as fault:
        scores, refusal = None, fault
    said = 0
    for name, ask in OTHERS.items():
        if only is not None and name not in only:
            continue
        try:
            found = ask(asked)
        except (fairtrec.UsageError, fairtrec.InputError) as fault:
            if scores is not None and not is_just(name, fault, choice, scores):
                with pytest.raises(type(fault), match=re.escape(str(fault)[:20])):  # so without the choice, too
                    ask(ask_for(measure, given, by, {}, folder))
            continue
        if found is None:  # it has no such value
            continue
        assert scores is not None, f"{name} of {measure} with {choice} gives {found}, where eval says: {refusal}"
        assert compared(found, scores) == [], f"{name} of {measure} with {choice}: (what it says, what eval says)"
        said += 1
    return None if scores is None else scores.values.tolist(), said


def trial(name, value):
    """One choice as keywords."""
    return {**WITH.get(name, {}), name: value}


EVERY = [(name, value) for name, values in TRIALS.items() for value in values]
PAIRS = list(combinations([(name, values[0]) for name, values in TRIALS.items()], 2))
FEW = ("NFaiRR", "NDKL")  # of the cases, those that are tried with every choice by default
ALSO = {
    "membership": ("AWRF",),
    "undefined": ("AWRF of labels",),
    "relevance_level": ("P",),
}  # which change the value of these alone
ALL = bool(os.environ.get("FAIRTREC_FUZZ"))
OF_BESIDE = {"queries": ["1", "3"]}


def test_every_choice_and_every_thing_beside_runs_is_asked_about(folder):
    fields = {field.name: field.default for field in dataclasses.fields(Choices)}
    assert fields.keys() == TRIALS.keys()
    assert all(TRIALS.values()), "give each choice a trial"
    assert [name for name, value in EVERY if value == fields[name]] == []
    beside = {name for _, given, _ in cases(folder).values() for name in given}
    assert beside | OF_BESIDE.keys() == set(SourceKeywords.__annotations__), "give a case each thing beside runs"


@pytest.mark.parametrize(("name", "value"), EVERY, ids=[f"{name}={value}" for name, value in EVERY])
def test_what_eval_says_is_what_all_others_begin_with(folder, name, value):
    choice, changed = trial(name, value), False
    several = cases(folder)
    for called in several if ALL else (*FEW, *ALSO.get(name, ())):
        measure, given, by = several[called]
        turn = None if ALL or value == TRIALS[name][0] else TURNS[TRIALS[name].index(value) % len(TURNS)]
        found, said = check(measure, given, by, choice, folder, turn)
        if found is not None:
            assert said or check(measure, given, by, choice, folder)[1], f"nobody but eval takes {choice}"
            changed |= str(found) != str(plain(measure, given, folder))
    assert changed != (name in CHANGES_NO_VALUE), f"{name}={value} changes no value here, so that nothing is shown"


def plain(measure, given, folder):
    """What eval says without any choice."""
    return evaluate(ask_for(measure, given, "Random", {}, folder)).values.tolist()


def test_so_it_is_without_any_choice_and_with_part_of_the_queries(folder):
    for measure, given, by in cases(folder).values():
        for choice in ({}, OF_BESIDE):
            found, said = check(measure, given, by, choice, folder)
            assert found is not None
            assert said >= len(OTHERS) // (2 if given else 3) + (not given)  # a measure of relevance is no fairness


@pytest.mark.parametrize("first", TRIALS)
def test_so_it_is_with_two_choices_together(folder, first):
    several = cases(folder)
    for number, ((one, value), (other, another)) in enumerate(PAIRS):
        if one == first and (ALL or number % 3 == 0):
            choice = {**trial(one, value), **trial(other, another)}
            for called in several if ALL else (FEW[number % len(FEW)],):
                check(*several[called], choice, folder, None if ALL else TURNS[number // 3 % len(TURNS)])


@pytest.mark.parametrize(
    "options",
    [[], ["-M", "3"], ["--missing", "neutral"], ["--target", "f=0.4,m=0.6"], ["--queries", "example-fair"], ["-c"],
     *(pytest.param(each, marks=pytest.mark.slow) for each in (
         ["--order", "rank"], ["--tokenizer", "word"], ["--background-depth", "3"]))],
    ids=" ".join,
)  # fmt: skip
def test_so_it_is_on_the_command_line(fairtrec_command, copied, options):
    given = ["--terms", "gender-en", "--docs", "collection.tsv", "--background", "background.run", *options]

    def said(command, *arguments):
        done = fairtrec_command(command, *arguments, *given, "-f", "json")
        return json.loads(done.out) if done.code == 0 else done

    found = said("eval", "none", "neural.run", "-m", "NFaiRR@10")["runs"][0]["means"]["NFaiRR@10"]["value"]
    for (command, *arguments), taken in gather_trials("BEGINNINGS").values():
        answer = said(command, *arguments)
        if isinstance(answer, dict):
            assert taken(answer) == pytest.approx(found, abs=1e-12), command
        else:
            assert (answer.code, options[0] in answer.err) == (2, True), command
