"""``-m all_fair``: all measures of fairness that the inputs allow; and names in any case."""

import re

import pytest

from fairtrec import evaluate
from fairtrec.measures import BUILT_IN
from fairtrec.measures.catalogue import registry
from fairtrec.support.errors import UsageError
from fairtrec_made import texts

RUN = {"one": {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"c": 2.0, "a": 1.0}}}
QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 0, "c": 1}}
LABELS = {"a": "f", "b": "m", "c": "f"}
STANCES = {"a": [0.1], "b": [-0.5], "c": [0.4]}
OF_THE_TRACK = {"TREC19Unfairness", "TREC19Utility"}
OF_POOL = {"Gini", "Retrievability", "Selected", "Impact"}  # which have no mean


def allowed(*measures, **given):
    """The names of the measures that are evaluated, and the note on what is left out."""
    result = evaluate(measures, RUN, **given)
    notes = [each for each in texts(result.notes) if each.startswith("all_fair")]
    return [re.match(r"\w+", str(each))[0] for each in result.scores[0].measures], notes


@pytest.mark.parametrize(
    "given",
    [
        {"qrels": QRELS, "labels": LABELS, "background": RUN["one"], "stances": STANCES},
        {"qrels": QRELS, "labels": LABELS},
        {"labels": LABELS},
        {"labels": {"a": {"f": 0.5, "m": 0.5}, "b": "m", "c": "f"}},
        {"labels": {"a": "x", "b": "y", "c": "z"}},
        {"stances": STANCES},
    ],
    ids=["all", "labels", "none", "soft", "three", "stances"],
)
def test_it_is_each_measure_that_is_evaluated_when_it_is_asked_for_alone(given):
    """One by one: what the command says of a single measure is the oracle."""
    can = []
    for name in BUILT_IN:
        try:
            evaluate(name, RUN, **given)
        except UsageError:
            continue
        can.append(name)
    found, (note,) = allowed("all_fair", **given)
    assert list(dict.fromkeys(found)) == can
    assert "\n" not in note
    for name in {*BUILT_IN} - OF_POOL:
        assert bool(re.search(rf"\b{name}\b(?!\))", note)) is (name not in can), name


def test_everything_is_left_out_by_a_reason():
    given = {"labels": LABELS, "stances": STANCES, "background": RUN["one"], "counterfactual": RUN["one"]}
    found, (note,) = allowed("all_fair", qrels=QRELS, **given)
    assert set(found) == set(BUILT_IN) - OF_THE_TRACK - OF_POOL
    assert note == "all_fair leaves out TREC19Unfairness, TREC19Utility (needs the track's sequences of queries)"


def test_it_stands_among_others_and_takes_a_cutoff():
    result = evaluate("AWRF@2 ALL_fair@2 nDCG@3", RUN, qrels=QRELS, labels=LABELS)
    names = [str(each) for each in result.scores[0].measures]
    assert names[0] == "AWRF@2"
    assert names.count("AWRF@2") == 1
    assert names[-1] == "nDCG@3"
    assert {"FAIR@2", "rND@2"} <= set(names)


def test_the_values_are_those_of_each_alone():
    means = evaluate("all_fair", RUN, qrels=QRELS, labels=LABELS).means["one"]
    for name in ("AWRF@10", "TExFAIR@10", "ARaB@10"):
        assert means[name] == evaluate(name, RUN, qrels=QRELS, labels=LABELS).means["one"][name]


@pytest.mark.parametrize(
    ("measures", "says"),
    [
        ("all_fair", "all_fair finds nothing to measure; add labels=FILE"),
        ("all_fair(tau=1)", "all_fair takes a cutoff, like all_fair@20, and no parameters"),
    ],
)
def test_it_is_refused(measures, says):
    with pytest.raises(UsageError, match=re.escape(says)):
        evaluate(measures, RUN, qrels=QRELS)


def test_papers_of_all(fairtrec_command):
    assert fairtrec_command("measures", "all_fair", "--bibtex").out.count("@") > 10


@pytest.mark.parametrize("name", ["ndcg@10", "nfairr@10", "TEXFAIR", "arab(mag=tf)", "p@5"])
def test_names_are_known_in_any_case(name):
    (one,) = registry.parse(name)
    assert str(one).lower().replace("'", "").startswith(name.lower())


def test_an_exact_name_wins_and_one_that_may_be_two_is_refused(monkeypatch):
    known = registry.names()
    monkeypatch.setattr(registry, "names", lambda: [*known, "NFAIRR"])
    assert [str(each) for each in registry.parse("NFaiRR@10 ndcg@10")] == ["NFaiRR@10", "nDCG@10"]
    with pytest.raises(UsageError, match="nfairr@10 may be NFAIRR or NFaiRR; write one of them in its own letters"):
        registry.parse("nfairr@10")


def test_its_page_names_all_and_not_the_first_alone(fairtrec_command):
    done = fairtrec_command("measures", "ALL_FAIR@5")
    assert (done.code, "Every measure of fairness that the inputs allow" in done.out) == (0, True)
    assert [str(each) for each in registry.parse("all_fair@5")] == re.split(r",\s+", done.out.split("\n\n")[2].strip())
    done = fairtrec_command("measures", "map P@5")
    assert (done.code, done.complaints) == (
        2,
        ["'map P@5' names 2 measures; name one, and `fairtrec measures` lists them all"],
    )
