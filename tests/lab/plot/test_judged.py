"""The front is drawn over the queries for which both measures have a value."""

import pytest

import fairtrec

RUN = {f"q{number}": {"a": 3.0, "b": 2.0, "c": 1.0} for number in range(9)}
QRELS = {"q1": {"a": 1}, "q2": {"c": 0}, "other": {"a": 1}}
LABELS = {"a": "f", "b": "m", "c": "f"}
TWO = "nDCG@2 AWRF@2"


def test_the_front_is_drawn_over_the_queries_of_both_measures():
    pytest.importorskip("matplotlib")
    from fairtrec.lab.plot.points import keep_both

    result = fairtrec.evaluate(TWO, {"good": RUN, "same": RUN}, qrels=QRELS, labels=LABELS)
    both, (note,) = keep_both(result)
    judged = fairtrec.evaluate(TWO, {"good": RUN, "same": RUN}, qrels=QRELS, labels=LABELS, queries="judged")
    assert [scores.values.tolist() for scores in both.scores] == [scores.values.tolist() for scores in judged.scores]
    assert str(note) == "over the 2 of 9 queries for which both measures have a value"
    assert keep_both(both)[1] == []
