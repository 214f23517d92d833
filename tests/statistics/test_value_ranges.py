"""Intervals end where the values do that they are of: of a group against its target, of sizes, of differences."""

import numpy as np
import pytest

import fairtrec
from fairtrec.measures.exposure import Exposure
from fairtrec.measures.skew import Skew
from fairtrec.statistics.value_ranges import bound_difference, bound_size, cut_ends

SKEWED = "values are skewed"


def evaluate_extremes(target):
    """Exposure of f in 12 queries, in all but two of which only f is ranked; and of a run that ranks m instead."""
    labels = {"a": "f", "b": "m"}
    runs = {
        name: {f"q{at}": {docno if at > 1 else other: 1.0} for at in range(12)}
        for name, docno, other in (("f", "a", "b"), ("m", "b", "a"))
    }
    return fairtrec.evaluate("Exposure(group='f')@10", runs, labels=labels, target=target)


@pytest.mark.parametrize(("target", "low", "high"), [("even", -0.5, 0.5), ({"f": 0.3, "m": 0.7}, -0.3, 0.7)])
def test_exposure_ends_at_the_target(target, low, high):
    of_f, of_m = evaluate_extremes(target).with_confidence(0.999).scores
    assert of_f.numbers(0)["high"] == pytest.approx(high)
    assert of_m.numbers(0)["low"] == pytest.approx(low)
    for scores in (of_f, of_m):
        assert scores.find_bounds(0) == pytest.approx((low, high))


@pytest.mark.parametrize(
    ("bounds", "of_differences"),
    [
        ((0.25, 1.0), (-0.75, 0.75)),
        ((-1.0, 0.5), (-1.5, 1.5)),
        ((None, 1.0), (None, None)),
        ((0.0, None), (None, None)),
    ],
)
def test_two_values_differ_by_the_width_of_their_range(bounds, of_differences):
    assert bound_difference(bounds) == of_differences


def test_a_value_differs_from_half_another_by_so_much():
    assert bound_difference((0.25, 1.0), 0.5) == (-0.25, 0.875)


def test_each_attribute_is_bounded_by_its_own_target():
    labels = fairtrec.attributes(gender={"a": "f", "b": "m"}, age={"a": "f", "b": "old"})
    asked = "Exposure(by=gender,group=f) Exposure(by=age,group=f)"
    run = {"r": {"q1": {"a": 1.0}, "q2": {"b": 1.0}}}
    (scores,) = fairtrec.evaluate(asked, run, labels=labels, target={"gender": "f=0.3,m=0.7"}).scores
    found = dict(zip([measure.by for measure in scores.measures], map(scores.find_bounds, range(2)), strict=True))
    assert found == {"gender": (-0.3, 0.7), "age": (-0.5, 0.5)}


def test_a_difference_of_sizes_ends_where_sizes_differ_most():
    """By size, values are from 0 to .7, so no difference is beyond .7."""
    view = fairtrec.compare(evaluate_extremes({"f": 0.3, "m": 0.7}), confidence=0.9999)
    (row,) = view.rows
    assert row.compared == "absolute value"
    assert (row.low, row.high) == (max(row.low, -0.7), min(row.high, 0.7))
    assert row.low == -0.7


@pytest.mark.parametrize("measure", [Exposure(group="g"), Skew(group="g")])
def test_bounds_of_another_group_are_those_of_the_measure(measure):
    assert measure.bounds_among(("f", "m"), np.array([0.5, 0.5])) == measure.bounds


def test_skew_has_at_most_all_of_the_top():
    assert Skew(group="f").bounds_among(("f", "m"), np.array([0.25, 0.75])) == (None, pytest.approx(np.log(4)))
    assert Skew(group="f", eps=0.1).bounds_among(("f", "m"), np.array([0.4, 0.6]))[1] == pytest.approx(np.log(2.2))


@pytest.mark.parametrize("bounds", [(-0.3, 0.7), (0.2, 1.0), (-1.0, -0.5), (None, 0.0), (0.0, None), (None, None)])
def test_sizes_are_within_their_bounds(bounds):
    low, high = (-5.0 if bounds[0] is None else bounds[0]), (5.0 if bounds[1] is None else bounds[1])
    sizes = np.abs(np.linspace(low, high, 101))
    least, most = bound_size(bounds)
    assert least is None or least <= sizes.min() + 0.01
    assert most is None or most == pytest.approx(sizes.max())
    cut = cut_ends((float(sizes.min()), float(sizes.max())), (least, most))
    assert cut == pytest.approx((sizes.min(), sizes.max()))


def test_skewed_values_and_differences_are_noted_by_eval_and_compare(fairtrec_command, example):
    runs = [example / f"{name}.run" for name in ("bm25", "neural")]
    found = fairtrec_command("eval", example / "qrels.txt", *runs, "-m", "nDCG@10", "--confidence", "0.95").err
    assert "nDCG@10: values are skewed (up to -1.1); the 95% intervals cover less than they say" in found
    assert SKEWED not in fairtrec_command("eval", example / "qrels.txt", *runs, "-m", "nDCG@10").err
    compared = fairtrec_command("compare", example / "qrels.txt", *runs, "-m", "nDCG@10", "-f", "json").out
    assert "nDCG@10: differences are skewed (0.8); the 95% interval covers less than it says" in compared
