"""What is infinite, missing or no number at all is computed with in silence."""

import numpy as np
import pytest

import fairtrec
from fairtrec.data import MISSING
from fairtrec.formulas.fronts import Front, sort_undominated
from fairtrec.lab.make.stances.vectors import Vectors

pytestmark = pytest.mark.fuzz

INFINITE = -np.inf


def test_a_run_without_one_of_the_queries_is_freed_by_its_scores():
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    labels = {"a": "f", "b": "m", "c": "m"}
    runs = {"r": {"q1": {"b": 3.0, "c": 2.0, "a": 1.0}}}
    found = fairtrec.headroom(runs, qrels=qrels, utility="scores", fairness="AWRF@2", labels=labels, complete=True)
    assert found.runs[0].points[0].name == "run"


def test_scores_whose_difference_overflows_are_a_utility():
    given = {"utility": "scores", "fairness": "AWRF@2", "labels": {"a": "f", "b": "m", "c": "m"}}
    wide, narrow = (
        fairtrec.headroom({"r": {"q1": {"b": most, "c": 0.0, "a": -most}}}, **given).runs[0].points
        for most in (1.7e308, 1.0)
    )
    assert wide == narrow


def test_an_infinite_bound_leaves_the_other_orders_apart():
    utility, fairness = np.array([3.0, 2.0, 1.0]), np.array([INFINITE, 0.1, 0.2])
    order, starts, _ = sort_undominated(np.zeros(3, np.int64), utility, fairness)
    assert order[starts].tolist() == [0, 1, 2]
    front = Front.keep_best(utility, fairness, np.arange(3)[:, None])
    assert [front.fairest(least)[1] for least in (2.5, 1.5, 0.5)] == [INFINITE, 0.1, 0.2]


def test_vectors_that_hold_a_signal_are_read_in_silence():
    signal = np.array([[0x7FA00000, 0]], np.uint32).view(np.float32)
    read = Vectors("made", np.array([0, MISSING]), signal).take(np.array([0]))
    assert np.isnan(read[0, 0])
