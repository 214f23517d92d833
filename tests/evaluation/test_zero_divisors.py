"""An ideal that is 0 but for rounding: each part of the program that divides by it finds the value undefined."""

import json
from functools import partial

import numpy as np
import pytest

import fairtrec
from fairtrec.formulas.spread import sample_bounds
from fairtrec.measures.duo import DUO, DUO_random, SignedDUO
from fairtrec.measures.pairwise import nd, unevenness
from fairtrec_made.command_trials import gather_trials

TERMS = {"f": ["she", "her"], "m": ["he", "him"], "x": ["they", "them"]}
DOCS = {"d0": "they they they", "d3": "she she she she she they", "d9": "she they", "d1": "he they"}
RUNS = {
    "a": {"1": {"d0": 2.0, "d3": 1.0}, "2": {"d9": 2.0, "d0": 1.0}},
    "b": {"1": {"d3": 2.0, "d9": 1.0}, "2": {"d0": 2.0, "d9": 1.0}},
}
QRELS = {"1": {"d0": 1, "d3": 0}, "2": {"d9": 1, "d0": 0}}
GIVEN = {"terms": TERMS, "docs": DOCS, "background": {"1": {"d3": 1.0}, "2": {"d9": 1.0}}}


def list_numbers(thing):
    """List the numbers of what JSON holds."""
    if isinstance(thing, dict | list):
        for each in thing.values() if isinstance(thing, dict) else thing:
            yield from list_numbers(each)
    elif isinstance(thing, float):
        yield thing


@pytest.fixture
def refuse_rounding(tmp_path):
    return partial(_refuse_rounding, tmp_path)


def _refuse_rounding(tmp_path, answer):
    """Raise AssertionError if an answer has a number that some rounding error has divided."""
    answer.write(tmp_path / "answer.json", "json")
    numbers = [*list_numbers(json.loads((tmp_path / "answer.json").read_text("utf-8")))]
    assert numbers
    assert max(map(abs, numbers)) < 1e9


def test_the_ideal_of_query_1_is_a_rounding_error():
    ideal = fairtrec.evaluate("IFaiRR@1", RUNS["a"], **GIVEN).scores[0].values
    assert 0 < ideal[0, 0] < 1e-15


def test_values():
    scores = fairtrec.evaluate("NFaiRR@1 NSetFaiRR@1 NFaiRR@2", RUNS["a"], **GIVEN).scores[0]
    np.testing.assert_array_equal(np.isnan(scores.values), [[True, False]] * 3)
    assert scores.values[:2, 1].tolist() == [1, 1]
    assert scores.means[:2].tolist() == [1, 1]


@pytest.mark.parametrize("bounds", ["ties", "texts", "orders"])
def test_bounds(bounds, refuse_rounding):
    tied = {"1": {"d0": 1.0, "d3": 1.0}, "2": {"d9": 2.0, "d0": 1.0}}
    result = fairtrec.evaluate("NFaiRR@1", tied, bounds=bounds, **GIVEN)
    refuse_rounding(result)
    (scores,) = result.scores
    assert np.isnan(scores.values[0, 0])


def test_bounds_over_labels(refuse_rounding):
    """d3 is of three of six groups, which is as far as can be from neutral."""
    labels = {"d3": ["a", "b", "c"], "d9": "d", "d0": "e", "d1": "f"}
    run, background = {"1": {"d0": 2.0, "d1": 1.0, "d7": 0.5}}, {"1": {"d3": 1.0}}
    given = {"labels": labels, "background": background}
    assert 0 < fairtrec.evaluate("IFaiRR(tau=0)@1", run, **given).scores[0].means[0] < 1e-15
    measures = "NFaiRR(tau=0)@3 FaiRR(tau=0)@3"
    refuse_rounding(fairtrec.evaluate(measures, run, bounds="labels", missing="skip", **given))


@pytest.mark.parametrize("answer", gather_trials("ROUNDED_IDEALS"))
def test_commands(refuse_rounding, answer):
    refuse_rounding(answer(RUNS, QRELS, GIVEN))


def test_gold(refuse_rounding):
    gold = {"d0": "x", "d3": "f", "d9": "f", "d1": "m"}
    result = fairtrec.evaluate("NFaiRR@1", RUNS["a"], gold=gold, **GIVEN)
    refuse_rounding(result)


@pytest.mark.parametrize("kind", [DUO, SignedDUO, DUO_random])
def test_drawn_orders_whose_spreads_differ_by_rounding_only(kind):
    """One of the two orders has all documents on the other side."""
    drawn, lists = {"n": 2, "seed": 63}, np.array([[0.0] * 4 + [1.0] * 5])
    _, least, most = sample_bounds(lists - 0.5, 1, "prefix", **drawn)[:, 0]
    assert 0 < most - least < 1e-15
    assert np.isnan(kind(normalizer="sampled", **drawn)(lists[:, :, None])).all()


def test_lists_without_an_order():
    """All documents are as far from the mean."""
    lists = np.array([[0.1, 0.7, 0.1, 0.7, 0.7, 0.1], [0.3, 0.6, 0.6, 0.3, 0.3, 0.6]])
    assert np.isnan(DUO(mean="full")(lists[:, :, None])).all()
    assert DUO(mean="full").over_prefixes(lists[0][:, None], np.ones(6, dtype=np.int64), 6) is None


@pytest.mark.parametrize("norm", ["max", "minmax"])
def test_lists_of_two_whose_orders_are_alike(norm):
    """Either of two documents may come first: the share of the prefix is as far from that of the list."""
    marks = np.array([[1.0, 0.0], [0.0, 1.0]])
    count, length = np.cumsum(marks == 1, axis=1), np.array([2, 2])
    values = unevenness(count, length, nd, step=1, kind="log2_next", norm=norm)
    assert np.isnan(values).all() if norm == "minmax" else (values == 1).all()
