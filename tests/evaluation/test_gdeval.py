"""ERR and nDCG of exponential gains against the program of ir-measures, which gives the same digits."""

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairtrec
from fairtrec.errors import UsageError
from fairtrec.evaluation.relevance.trec_eval import Gdeval
from fairtrec_made import THOROUGH

MEASURES = [ir_measures.parse_measure(name) for name in ("ERR@3", "nDCG(dcg='exp-log2')@3", "ERR@20", "ERR@1")]
DOCNOS = [f"d{number}" for number in range(8)]
rankings = st.permutations(DOCNOS).flatmap(lambda order: st.integers(1, 8).map(lambda length: order[:length]))
judgements = st.dictionaries(st.sampled_from(DOCNOS), st.integers(-2, 4), min_size=1)
queries = st.dictionaries(st.integers(0, 9).map(str), st.tuples(judgements, rankings), min_size=1, max_size=8)


@settings(max_examples=50 if THOROUGH else 15)
@given(several=queries, unranked=judgements)
def test_it_prints_what_the_program_prints(several, unranked):
    grades = {qid: given_ for qid, (given_, _) in several.items()} | {"99": unranked}
    ranked = {qid: dict(zip(order, range(100, 0, -1), strict=False)) for qid, (_, order) in several.items()}
    expected = ir_measures.evaluator(MEASURES, grades).iter_calc(ranked)
    found = Gdeval(MEASURES, grades).iter_calc(ranked)
    assert sorted((str(each.measure), each.query_id, each.value) for each in found) == sorted(
        (str(each.measure), each.query_id, each.value) for each in expected
    )


def test_orders_of_ties_start_no_program(monkeypatch):
    run = {"a-1": {"a": 2.0, "b": 2.0, "c": 1.0, "d": 1.0}, "x": {"a": 1.0, "b": 1.0, "c": 1.0}}
    qrels = {"a-1": {"a": 0, "b": 3, "c": 1, "d": 0}, "x": {"b": 0}}
    started = []
    check_output = ir_measures.providers.gdeval_provider.subprocess.check_output
    monkeypatch.setattr(
        ir_measures.providers.gdeval_provider.subprocess,
        "check_output",
        lambda command: [started.append(command), check_output(command)][1],
    )
    (scores,) = fairtrec.evaluate("ERR@4", run, qrels, bounds="ties").scores
    assert len(started) == 1  # for the value of the run itself
    stop = {0: 0, 1: 1 / 16, 3: 7 / 16}  # (2^grade - 1) / 16
    best = stop[3] + (1 - stop[3]) * stop[1] / 3
    worst = stop[3] / 2 + (1 - stop[3]) * stop[1] / 4
    assert scores.ties.greatest.tolist() == [[pytest.approx(best, abs=5e-6), 0]]
    assert scores.ties.least.tolist() == [[pytest.approx(worst, abs=5e-6), 0]]
    middle = (best + worst + stop[3] + (1 - stop[3]) * stop[1] / 4 + stop[3] / 2 + (1 - stop[3]) * stop[1] / 3) / 4
    assert scores.ties.expected.tolist() == [[pytest.approx(middle, abs=5e-6), 0]]


RUN = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d2": 2.0, "d1": 1.0}}


def test_query_ids_of_any_kind_have_the_values_of_ids_that_are_numbers(capfd):
    measures = "nDCG(dcg=exp-log2)@10 ERR@10"
    grades, ranked = {"d1": 4, "d2": 1, "d3": 2}, {"d2": 2.0, "d1": 1.0}
    values = []
    for names in (["1", "2"], ["q0001", "x-y"], ["dl19-1", "dl19-2"]):
        qrels = {qid: grades if place else {"d2": 1} for place, qid in enumerate(names)}
        found = fairtrec.evaluate(measures, dict.fromkeys(names, ranked), qrels).per_query["run"]
        values.append([[of_measure[qid] for qid in names] for of_measure in found.values()])
    assert values[0] == values[1] == values[2]
    gains = [1.0, 15.0, 3.0]  # 2^grade - 1 of d2, d1, and of d3, which is not ranked
    got = gains[0] + gains[1] / np.log2(3)
    ideal = gains[1] + gains[2] / np.log2(3) + gains[0] / 2
    assert values[0][0] == pytest.approx([1.0, got / ideal], abs=1e-5)
    assert capfd.readouterr() == ("", "")


def test_grades_that_a_program_cannot_take_are_named(capfd):
    with pytest.raises(UsageError, match=r"ERR@10 takes grades up to 4, and there is one of 5; use other judgements"):
        fairtrec.evaluate("ERR@10", RUN, {"q1": {"d1": 5}})
    assert capfd.readouterr() == ("", "")
