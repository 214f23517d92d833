"""What measures say beside their values, and what their pages say."""

import numpy as np
import pytest

import fairtrec
from fairtrec.commands.measures.pages import page
from fairtrec.measures import ABR, AWRF, DP, EEL, Exposure
from fairtrec.measures.catalogue.registry import note_attention
from fairtrec.report.writers import RESULTS

RUN = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 2.0, "c": 1.0}}
LABELS = {"a": "f", "b": "m", "c": "f"}


def said(measures, **given):
    return RESULTS("table", fairtrec.evaluate(measures, RUN, labels=LABELS, **given), places=4)


def test_an_infinite_mean_of_skew_names_eps():
    assert "Skew(group='m')@2: infinite for 1 of 2 queries, so the mean is infinite; eps=0.01" in said("Skew@2")
    assert "infinite" not in said("Skew(eps=0.01)@2")
    assert "MinSkew@2: infinite for 1 of 2 queries" in said("MinSkew@2")


def test_expected_exposure_against_an_even_target_names_that_of_its_source():
    text = "the target is even; the source uses the relevant documents (target=qrels)"
    assert f"EER@2, EEL@2: {text}" in said("EER@2 EEL@2")
    assert text not in said("EER@2 EEL@2", target="f=0.6,m=0.4")
    assert text not in said("EED@2")
    for name in ("EEL", "EER"):
        assert "--target qrels" in page(name)


def test_measures_of_attention_that_differ_say_how_it_fades():
    (note,) = note_attention([AWRF(), Exposure(group="f"), DP(), EEL(), ABR()])
    assert "AWRF 1/log2(max(i,2)); Exposure, DP 1/log2(1+i); EEL 0.5^(i-1); ABR 0.9^(i-1)" in str(note)
    assert note_attention([Exposure(group="f"), DP()]) == []
    assert "attention decreases with the rank i as in the source of each measure" in said("all_fair")
    assert "attention" not in said("AWRF@2")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("FAIR", "no document in the top k, and no judged one, is of a group"),
        ("nDCG", "Gain: the grade; below 0 it counts 0. Discount: 1 / log2(1 + rank)."),
        ("IPrec", "as in trec_eval 9; trec_eval 10 rounds"),
    ],
)
def test_the_page_says_how_it_is_computed(name, words):
    assert words in " ".join(page(name).split())


def test_fair_is_undefined_where_nobody_is_of_a_group_in_the_top():
    run, qrels = {"q": {"x": 2.0, "a": 1.0}}, {"q": {"x": 1, "y": 1}}
    (scores,) = fairtrec.evaluate("FAIR(gain=ndcg)@1 FAIR(gain=ndcg)@2", run, qrels=qrels, labels=LABELS).scores
    assert np.isnan(scores.values[:, 0]).tolist() == [True, False]


def test_labels_of_docnos_with_joiners_are_those_of_the_run():
    docno = "d\u200d1"
    (scores,) = fairtrec.evaluate("AWRF@2", {"q": {docno: 2.0, "b": 1.0}}, labels={docno: "f", "b": "m"}).scores
    assert scores.values.item() == pytest.approx(1.0)
