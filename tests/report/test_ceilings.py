"""Means at a ceiling: what is said of them, their intervals, and how `--interval` computes these."""

import json

import numpy as np
import pytest

import fairtrec
from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.measures import AWRF, KL, NFaiRR, TExFAIR
from fairtrec.report.cells import write_suffix
from fairtrec.report.result_notes import note_ceilings
from fairtrec.statistics import paired
from fairtrec.support.errors import UsageError
from fairtrec_made import texts
from fairtrec_made.measures import Count, Nearer

TEN = tuple(map(str, range(10)))


def result(*rows, measure=None, target=None):
    measures = tuple(measure if isinstance(measure, tuple) else (measure or NFaiRR(),))
    several = [np.atleast_2d(np.array(row, dtype=float)) for row in rows]
    scores = [
        Scores(f"{number}.run", "", measures, TEN[: values.shape[1]], values, target=target)
        for number, values in enumerate(several)
    ]
    return Result(tuple(scores), Signature({}), (), {})


def near_all(best, other, many):
    return [best] * many + [other] * (10 - many)


def test_one_line_says_of_how_many_rankings_a_measure_has_its_best_value_and_how_many_queries_decide():
    said = texts(note_ceilings(result(near_all(1, 0.5, 9), near_all(1, 0.2, 8), near_all(1, 0.1, 7))))
    assert said == ["ceiling: NFaiRR@10 has its maximum in 8-9 of 10 queries (0, 1); few queries separate the runs"]
    none = ["ceiling: NFaiRR@10 has its maximum in 10 of 10 queries; few queries separate the runs"]
    assert texts(note_ceilings(result([1] * 10, [1] * 10))) == none


def test_of_one_run_no_runs_are_told_apart():
    assert texts(note_ceilings(result([1] * 10))) == [
        "ceiling: NFaiRR@10 has its maximum in 10 of 10 queries; few queries decide the mean"
    ]
    assert texts(note_ceilings(result(near_all(1, np.nan, 9)))) == [
        "ceiling: NFaiRR@10 has its maximum in 9 of 9 queries; few queries decide the mean"
    ]
    assert texts(note_ceilings(result(near_all(1, 0.5, 8)))) == [
        "ceiling: NFaiRR@10 has its maximum in 8 of 10 queries; few queries decide the mean"
    ]


def test_the_best_value_is_by_the_direction_and_the_bounds_of_the_measure():
    kinds = KL(), Nearer(), AWRF()
    rows = near_all(0, 1, 9), near_all(0, -1, 9), near_all(1, 0, 9)
    assert texts(note_ceilings(result(rows, measure=kinds))) == [
        "ceiling: KL@10 has its minimum in 9 of 10 queries; few queries decide the mean",
        "ceiling: Nearer@10 has the value 0 in 9 of 10 queries; few queries decide the mean",
        "ceiling: AWRF@10 has its maximum in 9 of 10 queries; few queries decide the mean",
    ]
    unscaled, target = TExFAIR(scaled=False), np.array([0.25, 0.75])
    best = unscaled.bounds_against(target)[1]
    assert texts(note_ceilings(result(near_all(best, 0.1, 9), measure=unscaled, target=target)))


def test_nothing_is_said_of_few_queries_of_sums_and_of_fewer_rankings():
    assert texts(note_ceilings(result([1, 1, 1, 1]))) == []
    assert texts(note_ceilings(result(near_all(0, 1, 10), measure=Count()))) == []
    assert texts(note_ceilings(result(near_all(1, 0.5, 7)))) == []


def test_an_interval_ends_where_the_values_of_the_measure_do():
    row = near_all(1, 0.5, 9)
    wide = paired.interval(np.array(row))
    low, high = result(row, measure=AWRF()).with_confidence().scores[0].intervals[0][0]
    assert (low, high) == (wide[0], 1.0)
    assert result(row).with_confidence().scores[0].intervals[0][0, 1] == wide[1]  # NFaiRR may be above 1
    assert wide[1] > 1
    unscaled, target = TExFAIR(scaled=False), np.array([0.25, 0.75])
    most = unscaled.bounds_against(target)[1]
    near_most = result(near_all(most, most / 2, 9), measure=unscaled, target=target)
    assert near_most.with_confidence().scores[0].intervals[0][0, 1] == most


def test_a_question_mark_stands_behind_an_interval_where_fewer_than_ten_values_differ():
    many = tuple(map(str, range(40)))
    values = np.array(
        [[1.0] * 31 + [0.1 * each for each in range(9)], [1.0] * 30 + [0.05 * each for each in range(10)]]
    )
    scores = Scores("a.run", "", (NFaiRR(), AWRF()), many, values)
    found = Result((scores,), Signature({}), (), {}).with_confidence()
    assert [text.endswith(" ?") for text in write_suffix(found.scores[0], None, 4)] == [True, False]
    said = "?: fewer than 10 values differ from the most frequent one, so the interval is too narrow"
    assert said in texts(found.notes)
    sure = Result((Scores("a.run", "", (AWRF(),), many, values[1:]),), Signature({}), (), {})
    assert said not in texts(sure.with_confidence().notes)
    assert said in texts(sure.with_confidence(slices={"few": many[:12]}).notes)


@pytest.mark.parametrize("method", ["t", "percentile", "bca"])
def test_eval_computes_the_interval_that_is_asked_for(copied, fairtrec_command, method):
    asked = "eval", "qrels.txt", "bm25.run", "-m", "nDCG@10", "-f", "json", "-q", "--confidence", "0.9"
    done = fairtrec_command(*asked, "--interval", method)
    (run,) = (report := json.loads(done.out))["runs"]
    values = np.array([each["nDCG@10"] for each in run["per_query"].values()])
    low, high = paired.interval(values, method, confidence=0.9)
    assert [run["means"]["nDCG@10"][end] for end in ("low", "high")] == pytest.approx([low, high])
    assert f" | interval:{method}/0.9" in report["signature"]
    assert (" | seed:0" in report["signature"]) is (method != "t")
    (copied / "out.json").write_text(done.out)
    assert fairtrec_command("results", "replay", "out.json").code == 0


def test_an_interval_without_a_confidence_is_refused(copied, fairtrec_command):
    done = fairtrec_command("eval", "qrels.txt", "bm25.run", "--interval", "bca")
    assert (done.code, done.out) == (2, "")
    assert "add --confidence 0.95" in done.err
    with pytest.raises(UsageError, match="interval is 'z'"):
        result([1, 2]).with_confidence(interval="z")


def test_beside_a_rank_stands_that_no_test_is_behind_it(copied, fairtrec_command):
    asked = "eval", "qrels.txt", "bm25.run", "fair.run", "-m", "nDCG@10"
    for form in ("table", "md", "html"):
        assert "ranks are not tested" in fairtrec_command(*asked, "-f", form, "--sort", "nDCG@10").out
    assert "no test" not in fairtrec_command(*asked, "-f", "table").out


def test_of_the_runs_of_the_paper_a_ceiling_is_told(ten):
    runs, qrels, given = ten
    said = fairtrec.evaluate("NFaiRR@10", runs, qrels=qrels, **given)
    (note,) = note_ceilings(said)
    assert str(note) == "ceiling: NFaiRR@10 has its maximum in 27-29 of 30 queries; few queries separate the runs"
    assert note.numbers["queries"] == 30
    assert sorted({*note.numbers["at"]}) == [27, 28, 29]


def test_the_interval_of_a_mean_of_shares_of_relevance_ends_at_1():
    found = fairtrec.evaluate("RR", {"a": {str(q): {"d": 2.0 - (q > 8), "e": 1.5} for q in range(10)}},
                              qrels={str(q): {"d": 1} for q in range(10)}).with_confidence()  # fmt: skip
    assert found.scores[0].means[0] == 0.95
    assert found.scores[0].intervals[0][0, 1] == 1.0
