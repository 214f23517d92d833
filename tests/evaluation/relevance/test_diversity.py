"""RBP and the measures of subtopics, against what pyndeval 0.0.8 and cwl-eval 1.0.12 gave; and laws.

The table holds five of 300 queries that were drawn at random: up to 15 documents, up to four subtopics, grades of -1 to 2,
rankings with and without documents that nobody judged. Each measure was asked for alone, as ir-measures hands several of
other parameters an iterator that is used up. All 300 were equal to 1e-12.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.extra import numpy as hnp

import fairtrec
from fairtrec.evaluation.relevance.diversity import greedy
from fairtrec.measures.fair import greedy_novelty
from fairtrec.support.errors import UsageError

CASES = [  # (document, subtopic, grade), the ranking
    (
        [
            ("d00", "1", -1),
            ("d00", "2", 1),
            ("d01", "1", 0),
            ("d02", "1", -1),
            ("d04", "2", 1),
            ("d05", "1", 0),
            ("d06", "1", 2),
            ("d07", "1", -1),
            ("x0", "1", 1),
            ("x1", "1", 1),
        ],
        "d02 u1 d05 d04 d00 d06 u2",
    ),
    (
        [
            ("d00", "1", 0),
            ("d02", "2", 1),
            ("d03", "1", -1),
            ("d04", "1", 1),
            ("d05", "1", 2),
            ("d05", "2", -1),
            ("d06", "1", 0),
            ("d06", "2", 0),
            ("d07", "1", 1),
            ("d07", "2", 2),
        ],
        "d05 u2",
    ),
    (
        [
            ("d00", "1", 0),
            ("d01", "3", 0),
            ("d01", "4", 0),
            ("d02", "3", -1),
            ("d02", "4", 0),
            ("d03", "2", 0),
            ("d03", "3", 2),
            ("d04", "2", 1),
            ("d04", "3", 2),
            ("x0", "1", 1),
        ],
        "d02 d04 d01 d00",
    ),
    ([("d00", "2", 1), ("d00", "3", -1), ("d01", "2", 1), ("d01", "4", 0), ("d02", "2", 0)], "d01 u2 d02 d00"),
    (
        [
            ("d02", "2", 2),
            ("d02", "3", 1),
            ("d03", "1", 2),
            ("d03", "3", 2),
            ("d04", "1", 0),
            ("d05", "1", 0),
            ("d05", "3", 0),
            ("d06", "1", 1),
        ],
        "u1 d02 d04 d06 d03 u2",
    ),
]
THEIRS = {
    "alpha_nDCG@5": [
        0.28459110907834123,
        0.37409272932100046,
        0.43800426080455496,
        0.9238850086262383,
        0.6505419739797538,
    ],
    "alpha_nDCG(alpha=0.3)@10": [
        0.4278710773403493,
        0.3330355616910259,
        0.4233107156017611,
        0.9027661662763876,
        0.6527618393268761,
    ],
    "alpha_DCG@5": [0.20550283431050884, 0.3292771336220099, 0.277000987697134, 0.8003662098046197, 0.4564634717374125],
    "alpha_DCG(rel=2)@10": [0.2314502636569516, 0.32488151844443663, 0.4099548327441386, 0.0, 0.3042267141531805],
    "ERR_IA@5": [0.12708018154311648, 0.3630862329803329, 0.24205748865355525, 0.816944024205749, 0.3509833585476551],
    "nERR_IA@10": [
        0.2805429864253393,
        0.40336134453781514,
        0.37500000000000006,
        0.8999999999999999,
        0.4971428571428571,
    ],
    "NRBP": [0.0703125, 0.375, 0.25, 0.796875, 0.296875],
    "nNRBP": [0.11009174311926606, 0.4155844155844156, 0.38095238095238093, 0.85, 0.41304347826086957],
    "NRBP(alpha=0.3,beta=0.7)": [0.17318069999999997, 0.255, 0.238, 0.632451, 0.3534538],
    "nNRBP(alpha=0.3,beta=0.7)": [
        0.2828867157707865,
        0.3332144868330296,
        0.4600722970752546,
        0.8322818791946308,
        0.5884913671101047,
    ],
    "P_IA@5": [0.2, 0.1, 0.13333333333333333, 0.4, 0.3333333333333333],
    "AP_IA": [0.19027777777777777, 0.16666666666666666, 0.25, 0.75, 0.425],
    "AP_IA(rel=2)": [0.16666666666666666, 0.5, 0.25, 0.0, 0.3],
    "StRecall@3": [0.0, 0.5, 0.6666666666666666, 1.0, 0.6666666666666666],
    "StRecall(rel=2)@5": [0.0, 0.5, 1.0, 0.0, 1.0],
    "RBP(rel=1)": [
        0.24985599999999997,
        0.19999999999999993,
        0.15999999999999995,
        0.3023999999999999,
        0.34431999999999996,
    ],
    "RBP(rel=2,p=0.5)": [0.015625, 0.5, 0.25, 0.0, 0.28125],
}


def values(cases, measures, **given):
    rows = [(f"q{at}", topic, doc, grade) for at, (judged, _) in enumerate(cases) for doc, topic, grade in judged]
    qrels = pd.DataFrame(rows, columns=["query_id", "iteration", "doc_id", "relevance"])
    run = {f"q{at}": {doc: -float(rank) for rank, doc in enumerate(of.split())} for at, (_, of) in enumerate(cases)}
    return fairtrec.evaluate(measures, {"r": run}, qrels=qrels, **given).scores[0]


@pytest.mark.parametrize("name", THEIRS)
def test_values_are_those_of_ndeval_and_of_cwl(name):
    scores = values(CASES, name)
    assert scores.values[0].tolist() == pytest.approx(THEIRS[name], abs=1e-12)
    assert str(scores.measures[0]) == name


def test_several_of_one_call_are_those_of_each_alone():
    scores = values(CASES, list(THEIRS))
    assert np.abs(scores.values - np.array([*THEIRS.values()])).max() < 1e-12
    assert "ir-measures" not in values(CASES, "alpha_nDCG@5 RBP").signature  # they are computed here


def test_rbp_is_the_sum_of_what_readers_go_on_to():
    """p = .5, relevant at ranks 1 and 3: .5 (1 + .25) = .625; to rank 2 alone .5."""
    judged = [("a", "0", 2), ("b", "0", 1)]
    for name, value in (("RBP(p=0.5)", 0.625), ("RBP(p=0.5)@2", 0.5), ("RBP(p=0.5,rel=2)", 0.5), ("RBP@1", 0.2)):
        assert values([(judged, "a x b")], name).values.item() == pytest.approx(value)
    assert values([(judged, "a x b")], "RBP(p=0.5)", relevance_level=2).values.item() == 0.5


def test_only_judged_documents_count_with_judged_only():
    judged = [("a", "1", 1), ("b", "2", 1), ("n", "1", 0)]
    closed = values([(judged, "a n b")], "alpha_nDCG@2").values.item()
    assert values([(judged, "a u n b")], "alpha_nDCG(judged_only=True)@2").values.item() == closed
    assert values([(judged, "u1 u2 a")], "alpha_nDCG(judged_only=True)@2").values.item() > 0
    for name in ("alpha_nDCG(judged_only=True)@2", "P_IA(judged_only=True)@2", "AP_IA(judged_only=True)"):
        assert values([(judged, "u1 u2")], name).values.item() == 0


def test_a_query_without_relevant_documents_or_that_the_run_lacks_is_worth_0():
    nothing = ([("a", "1", 0)], "a b")
    scores = values([CASES[0], nothing], "nNRBP NRBP alpha_nDCG@5 AP_IA StRecall@5 RBP")
    assert scores.values[:, 1].tolist() == [0.0] * 6
    some = values(
        [(CASES[0][0], ""), (CASES[0][0], "d00")], "nNRBP NRBP alpha_nDCG@5 AP_IA StRecall@5 RBP", complete=True
    )
    assert some.values[:, 0].tolist() == [0.0] * 6


@given(
    hnp.arrays(np.bool_, some.tuples(some.integers(1, 9), some.integers(1, 4))),
    some.sampled_from([0.0, 0.3, 0.5, 1.0]),
    some.integers(1, 12),
)
def test_the_greedy_ranking_of_kinds_gains_what_that_of_documents_does(judged, alpha, cutoff):
    judged = judged[judged.any(axis=1)].astype(float)
    wanted = greedy_novelty(judged[None], alpha, cutoff)[0] if len(judged) else np.zeros(cutoff)
    assert greedy(judged, alpha, cutoff) == pytest.approx(wanted, abs=1e-12)


def test_grades_below_rel_make_no_subtopic():
    judged = [("a", "1", 2), ("b", "2", 1)]
    assert values([(judged, "a")], "StRecall@1").values.item() == 0.5
    assert values([(judged, "a")], "StRecall(rel=2)@1").values.item() == 1.0


def test_a_measure_that_nothing_installed_computes_is_refused_without_advice_to_install():
    with pytest.raises(UsageError) as fault:
        values(CASES, "BPM(T=1,max_rel=2)@5")
    assert "pip" not in str(fault.value)
