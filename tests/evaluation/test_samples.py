"""Runs of systems that rank at random: several rankings for each query, told apart by column 2."""

import numpy as np
import pytest

import fairtrec
from fairtrec.formats import run as run_format
from fairtrec.support.errors import UsageError
from fairtrec_made.few import value

LINES = """\
q1 0 a1 1 2 t
q1 0 b1 2 1 t
q1 1 b1 1 2 t
q1 1 a1 2 1 t
q2 0 a1 1 2 t
q2 0 a2 2 1 t
"""
LABELS = {"a1": "a", "a2": "a", "b1": "b"}


@pytest.fixture
def run(tmp_path):
    (tmp_path / "r.run").write_text(LINES)
    return str(tmp_path / "r.run")


def test_samples_are_runs(run):
    first, second = run_format.split_samples(run_format.read(run, sampled=True)).runs
    assert (first.qids, second.qids) == (("q1", "q2"), ("q1",))
    assert first.docnos.tolist() == [b"a1", b"b1", b"a1", b"a2"]
    assert second.docnos.tolist() == [b"b1", b"a1"]
    assert run_format.split_samples(run_format.read(run, sampled=True)).qids == ("q1", "q2")


def test_expected_exposure_averages_over_a_query_s_rankings(run):
    per_query = fairtrec.evaluate("EED(discount=log2)@2", run, labels=LABELS, samples=True).per_query[run]
    (values,) = per_query.values()
    second = 1 / np.log2(3)
    # q1: each group is first once and second once, so both have (1 + 1/log2(3)) / 2; q2: group a has it all
    assert values["q1"] == pytest.approx(2 * ((1 + second) / 2) ** 2)
    assert values["q2"] == pytest.approx((1 + second) ** 2)


def test_other_measures_are_averaged_over_the_rankings(run):
    result = fairtrec.evaluate("P@1 KL@1", run, qrels={"q1": {"a1": 1}, "q2": {"a2": 1}}, labels=LABELS, samples=True)
    assert result.per_query[run]["P@1"] == {"q1": 0.5, "q2": 0.0}
    assert result.per_query[run]["KL@1"] == pytest.approx({"q1": np.log(2), "q2": np.log(2)})
    assert result.signature["samples"] == "column 2"


def test_queries_that_no_sample_has_count_as_empty_rankings(run):
    qrels = {"q1": {"a1": 1}, "q2": {"a2": 1}, "q3": {"a1": 1}}
    result = fairtrec.evaluate("P@1", run, qrels=qrels, samples=True, complete=True)
    assert result.per_query[run]["P@1"] == {"q1": 0.5, "q2": 0.0, "q3": 0.0}


def test_stances_may_be_known_of_the_first_ranking_alone(run, tmp_path):
    (tmp_path / "r.run").write_text(LINES.replace("q1 1 b1", "q1 1 x").replace("q1 1 a1", "q1 1 y"))
    given = {"labels": LABELS, "stances": {"a1": 1.0, "b1": -0.5}, "samples": True}
    result = fairtrec.evaluate("OutputBias@1 KL@1", run, **given)
    assert result.per_query[run]["OutputBias@1"] == {"q1": 1.0, "q2": 1.0}


def test_without_the_option_a_second_ranking_is_a_duplicate(run):
    with pytest.raises(fairtrec.support.errors.InputError, match="appears twice under query q1"):
        fairtrec.evaluate("KL@1", run, labels=LABELS)


def test_one_ranking_for_each_query_changes_nothing(example):
    given = {"labels": f"{example}/labels.tsv", "background": f"{example}/background.run"}
    measures = "EED@10 EER@10 EEL@10 NDKL@10 nDCG@10 RR"
    plain, sampled = (
        fairtrec.evaluate(measures, f"{example}/bm25.run", qrels=f"{example}/qrels.txt", samples=samples, **given).means
        for samples in (False, True)
    )
    assert sampled.keys() == plain.keys()
    for run, values in plain.items():
        assert sampled[run] == pytest.approx(values)


@pytest.mark.usefixtures("few_files")
def test_samples_are_read_from_files():
    with pytest.raises(UsageError, match="samples is for files and frames, and run is neither; leave it out"):
        value("RR", {"q1": {"d1": 1.0}}, qrels="qrels", samples=True)
