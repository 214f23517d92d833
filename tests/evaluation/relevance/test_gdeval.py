"""ERR and nDCG of exponential gains against the program that ir-measures starts, which prints five digits."""

import math
import re

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairtrec
from fairtrec.measures.catalogue import relevance
from fairtrec.measures.utility import COMPUTED
from fairtrec.support.errors import UsageError
from fairtrec_made import THOROUGH, texts

MEASURES = ["ERR@3", "nDCG(dcg='exp-log2')@3", "ERR@20", "nDCG(dcg='exp-log2')@20", "ERR@1"]
DOCNOS = [f"d{number}" for number in range(8)]
rankings = st.permutations(DOCNOS).flatmap(lambda order: st.integers(1, 8).map(lambda length: order[:length]))
judgments = st.dictionaries(st.sampled_from(DOCNOS), st.integers(-2, 4), min_size=1)
queries = st.dictionaries(st.integers(0, 9).map(str), st.tuples(judgments, rankings), min_size=1, max_size=8)


def printed(qrels, run):
    """What the program prints of each measure and query."""
    measures = list(map(ir_measures.parse_measure, MEASURES))
    values = {str(measure): dict.fromkeys(qrels, 0.0) for measure in measures}
    for each in ir_measures.evaluator(measures, qrels).iter_calc(run):
        values[str(each.measure)][each.query_id] = each.value
    return values


@settings(max_examples=50 if THOROUGH else 15)
@given(several=queries, unranked=judgments)
def test_it_gives_what_the_program_prints(several, unranked):
    qrels = {qid: given_ for qid, (given_, _) in several.items()} | {"99": unranked}
    run = {qid: dict(zip(order, range(100, 0, -1), strict=False)) for qid, (_, order) in several.items()}
    found = fairtrec.evaluate(MEASURES, run, qrels=qrels, complete=True)
    for measure, theirs in printed(qrels, run).items():
        assert found.per_query["run"][measure] == pytest.approx(theirs, abs=5.01e-6)
    assert "ir-measures" not in found.signature


def test_all_digits_and_no_cutoff_by_the_formula():
    """Of gains 2^g - 1: nDCG divides by log2(1 + i), of any grades; ERR stops at rank i with (2^g - 1) / 16."""
    run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    qrels = {"1": {"a": 1, "b": 0, "c": 6, "d": 2}}
    exact = (1 + 63 / 2) / (63 + 3 / math.log2(3) + 1 / 2)
    result = fairtrec.evaluate("nDCG(dcg='exp-log2') ndcg_burges", run, qrels=qrels)
    assert result.scores[0].values.tolist() == [[pytest.approx(exact, rel=1e-15)]]
    graded = {"1": {"a": 1, "b": 0, "c": 4, "d": 2}}
    value = fairtrec.evaluate("ERR", run, qrels=graded).scores[0].values[0, 0]
    assert value == pytest.approx(1 / 16 + (1 - 1 / 16) * 15 / 16 / 3, rel=1e-15)
    (cut,) = fairtrec.evaluate("ERR@2", run, qrels=graded).scores[0].values[0]
    assert cut == 1 / 16


def test_the_example_has_the_values_of_other_programs(example):
    result = fairtrec.evaluate("nDCG(dcg=exp-log2)@10 ERR@10", example / "bm25.run", qrels=example / "qrels.txt")
    assert result.scores[0].means.tolist() == pytest.approx([0.8197315703, 0.4286809705], abs=5e-11)


def test_no_program_is_started(monkeypatch):
    run = {"a-1": {"a": 2.0, "b": 2.0, "c": 1.0, "d": 1.0}, "x": {"a": 1.0, "b": 1.0, "c": 1.0}}
    qrels = {"a-1": {"a": 0, "b": 3, "c": 1, "d": 0}, "x": {"b": 0}}
    monkeypatch.setattr(ir_measures.providers.gdeval_provider, "subprocess", None)
    (scores,) = fairtrec.evaluate("ERR@4", run, qrels=qrels, bounds="ties").scores
    stop = {0: 0, 1: 1 / 16, 3: 7 / 16}  # (2^grade - 1) / 16
    best = stop[3] + (1 - stop[3]) * stop[1] / 3
    worst = stop[3] / 2 + (1 - stop[3]) * stop[1] / 4
    assert scores.values.tolist() == [[pytest.approx(stop[3] + (1 - stop[3]) * stop[1] / 4, rel=1e-14), 0]]
    assert scores.columns["ties"].greatest.tolist() == [[pytest.approx(best, rel=1e-14), 0]]
    assert scores.columns["ties"].least.tolist() == [[pytest.approx(worst, rel=1e-14), 0]]
    middle = (best + worst + stop[3] + (1 - stop[3]) * stop[1] / 4 + stop[3] / 2 + (1 - stop[3]) * stop[1] / 3) / 4
    assert scores.columns["ties"].expected.tolist() == [[pytest.approx(middle, rel=1e-14), 0]]


class Eager(ir_measures.providers.Provider):
    """A program that computes all measures, as ranx computes some of those that are computed here."""

    def supports(self, measure):
        return True

    def _evaluator(self, measures, qrels):
        raise AssertionError(f"{measures} were asked for")


@pytest.mark.parametrize(
    ("measure", "says"),
    [
        ("nDCG(dcg='exp-log2',judged_only=True)@5", "exponential gains go without judged_only and gains; leave these"),
        ("nDCG(dcg='exp-log2',gains={1:2})@5", "exponential gains go without judged_only and gains; leave these out"),
    ],
)
def test_what_the_program_does_not_compute_is_refused_whatever_else_is_installed(measure, says, monkeypatch):
    monkeypatch.setattr(ir_measures.DefaultPipeline, "providers", [Eager()])
    with pytest.raises(UsageError, match=re.escape(says)):
        fairtrec.evaluate(measure, RUN, qrels={"q1": {"d1": 1}})


@pytest.mark.parametrize("name", sorted(COMPUTED))
def test_no_other_program_is_asked_for_what_is_computed_here(name, monkeypatch):
    monkeypatch.setattr(ir_measures.DefaultPipeline, "providers", [Eager()])
    parameters = relevance.OURS[name].SUPPORTED_PARAMS
    at = "@0.1" if name == "IPrec" else "@5" if "cutoff" in parameters else ""
    levels = [["rel=2"] * ("rel" in parameters), ["judged_only=True"] * ("judged_only" in parameters)]
    for chosen in ([], *levels, levels[0] + levels[1], ["gains={1:2}"] * ("gains" in parameters)):
        asked = f"{name}({','.join(chosen)}){at}" if chosen else f"{name}{at}"
        (value,) = fairtrec.evaluate(asked, RUN, qrels={"q1": {"d1": 2, "d2": 0}}).scores[0].values[:, 0]
        assert value >= 0 or name == "Accuracy"


RUN = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d2": 2.0, "d1": 1.0}}


def test_query_ids_of_any_kind_have_the_values_of_ids_that_are_numbers(capfd):
    measures = "nDCG(dcg=exp-log2)@10 ERR@10"
    grades, ranked = {"d1": 4, "d2": 1, "d3": 2}, {"d2": 2.0, "d1": 1.0}
    values = []
    for names in (["1", "2"], ["q0001", "x-y"], ["dl19-1", "dl19-2"]):
        qrels = {qid: grades if place else {"d2": 1} for place, qid in enumerate(names)}
        found = fairtrec.evaluate(measures, dict.fromkeys(names, ranked), qrels=qrels).per_query["run"]
        values.append([[of_measure[qid] for qid in names] for of_measure in found.values()])
    assert values[0] == values[1] == values[2]
    gains = [1.0, 15.0, 3.0]  # 2^grade - 1 of d2, d1, and of d3, which is not ranked
    got = gains[0] + gains[1] / np.log2(3)
    ideal = gains[1] + gains[2] / np.log2(3) + gains[0] / 2
    assert values[0][0] == pytest.approx([1.0, got / ideal], rel=1e-14)
    assert capfd.readouterr() == ("", "")


def test_grades_that_a_program_cannot_take_are_named(capfd):
    with pytest.raises(UsageError, match=r"ERR@10 needs grades of at most 4, and one is 5; use other qrels"):
        fairtrec.evaluate("ERR@10", RUN, qrels={"q1": {"d1": 5}})
    assert capfd.readouterr() == ("", "")


def test_a_note_says_that_the_qrels_have_another_greatest_grade():
    """One relevant document at rank 1 of grade 1 of 1 is worth 1/16 here, and would be 1/2 on a scale up to 1."""
    result = fairtrec.evaluate("ERR@10 ERR@5 nDCG", RUN, qrels={"q1": {"d1": 1}})
    note = "ERR@10, ERR@5: expects grades up to 4, as gdeval does; the greatest grade of the qrels is 1"
    assert note in texts(result.notes)
    assert result.means["run"]["ERR@10"] == 1 / 16
    assert note not in texts(fairtrec.evaluate("ERR@10", RUN, qrels={"q1": {"d1": 4}}).notes)
    assert note not in texts(fairtrec.evaluate("nDCG", RUN, qrels={"q1": {"d1": 1}}).notes)
