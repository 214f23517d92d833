"""Corrections by gold labels: arithmetic written out, another program, and whether intervals cover the truth."""

import os

import numpy as np
import pytest
from scipy import stats

from fairtrec.statistics.estimate import DrawnDocuments, Estimate, of_queries, quantile, tail

ALL = "FAIRTREC_FUZZ" in os.environ
NONE = np.zeros(0)


def drawn(weights, errors, probabilities, total, *, reach=1.0, gold=None, untold=None, constant=0.0):
    """Drawn documents with these errors of their gains."""
    weights, errors, probabilities = (np.asarray(each, dtype=float) for each in (weights, errors, probabilities))
    gold = np.zeros_like(weights) if gold is None else np.asarray(gold, dtype=float)
    untold = np.zeros(len(weights), dtype=bool) if untold is None else np.asarray(untold)
    return DrawnDocuments(
        weights, weights * errors, weights * gold, weights * reach, probabilities, untold, total, constant
    )


def test_three_documents_written_out():
    # W / p = .5 / .5, .25 / .25, .2 / 1 = 1, 1, .2; m = (1 * 1 + 1 * 0 + .2 * 0) / 2.2 = .454545; T = 1: correction m
    found = drawn([0.5, 0.25, 0.2], [1, 0, 0], [0.5, 0.25, 1.0], total=1.0).estimate()
    assert found.correction == pytest.approx(1 / 2.2)
    # r of the first is 1 / 2.2 * 1 * (1 - .454545) = .247934, of the second -.206612; the third is certain
    # a = .5 / .5 = 1 and .25 / .25 = 1, so n = 2^2 / 2 = 2; SE^2 = .5 (r^2 + 2 / 4) + .75 (r^2 + 2 / 4)
    assert found.variance == pytest.approx(0.5 * (0.2479339**2 + 0.5) + 0.75 * (0.2066116**2 + 0.5))
    assert found.freedom == 1
    assert (found.number, found.differ) == (3, 1)
    # t of 95 % with one degree of freedom is 12.7062047
    low, high = found.ends(0.6, 0.95)
    assert (high - low) / 2 == pytest.approx(12.7062047 * np.sqrt(found.variance))
    assert (high + low) / 2 == pytest.approx(0.6)


def test_it_is_prediction_powered_inference_with_lambda_1():
    """The same as ppi-python computes it: the mean of gains over all documents, weighed, with drawn ones' errors."""
    ppi = pytest.importorskip("ppi_py")
    random = np.random.default_rng(2023)
    for _ in range(20):
        weights, predicted = random.gamma(1.0, size=300), random.random(300)
        truth = np.where(random.random(300) < 0.2, random.random(300), predicted)
        p = np.minimum(1, weights / np.quantile(weights, 0.8))
        some = random.random(300) < p
        found = drawn(weights[some], (truth - predicted)[some], p[some], weights.sum()).estimate()
        theirs = ppi.ppi_mean_pointestimate(
            truth[some], predicted[some], predicted, lam=1, w=weights[some] / p[some], w_unlabeled=weights
        )
        mine = weights @ predicted + found.correction
        assert mine == pytest.approx(weights.sum() * np.ravel(theirs)[0], rel=1e-13)


def test_what_is_certain_leaves_nothing_to_chance():
    found = drawn([0.5, 0.3, 0.2], [1, 0, -0.5], [1, 1, 1], total=1.0).estimate()
    assert found.correction == pytest.approx(0.5 - 0.1)
    assert found.variance == 0
    assert found.ends(0.7, 0.95) == (0.7, 0.7)


def test_no_error_seen_still_has_a_width():
    # 10 documents of equal weight .1, each drawn with .25 of 40: a = .4, n = 10, SE^2 = 10 * .75 * 2 * .16 / 12
    found = drawn([0.1] * 10, [0] * 10, [0.25] * 10, total=4.0).estimate()
    assert found.correction == 0
    assert found.variance == pytest.approx(10 * 0.75 * 2 * 0.16 / 12)
    assert found.freedom == pytest.approx(9)


def test_who_cannot_tell_moves_both_ends_out():
    told = drawn([0.4, 0.4], [0, 0], [0.5, 0.8], total=1.0, reach=2.0)
    untold = drawn([0.4, 0.4], [0, 0], [0.5, 0.8], total=1.0, reach=2.0, untold=[True, False])
    inside, outside = (each.estimate().ends(0.5, 0.95) for each in (told, untold))
    assert np.subtract(outside, inside) == pytest.approx([-1.6, 1.6])  # .4 * 2 / .5
    assert untold.estimate().p_value(1.5) == 1.0  # 0 is nearer than what they could be


def test_documents_that_are_not_looked_at_count_for_nothing():
    whole = drawn([0.5, 0.0, 0.3], [1, 1, 0], [0.5, 0.2, 0.4], total=1.0)
    part = drawn([0.5, 0.3], [1, 0], [0.5, 0.4], total=1.0)
    assert whole.estimate() == part.estimate()
    assert drawn([0.0], [0.0], [0.5], total=1.0).estimate() is None


def test_gold_alone_takes_the_gains_by_gold_for_errors():
    # gains by gold 1 and 0 of weights that are inflated alike: half of T, and what is beside the sum
    value, estimate = drawn([0.5, 0.5], [0, 0], [0.5, 0.5], 1.0, gold=[1, 0], constant=-0.25).gold_alone()
    assert value == pytest.approx(0.25)
    assert (estimate.correction, estimate.freedom, estimate.number, estimate.differ) == (0.5, 1.0, 2, 0)
    assert estimate.variance == drawn([0.5, 0.5], [1, 0], [0.5, 0.5], 1.0).estimate().variance
    assert drawn([0.0], [0.0], [0.5], total=1.0).gold_alone() is None


def test_a_difference_of_two_runs_is_that_of_their_corrections():
    first = drawn([0.5, 0.25, 0.2], [1, 0, -1], [0.5, 0.25, 0.4], total=1.0)
    second = drawn([0.5, 0.1, 0.0], [1, 0, -1], [0.5, 0.25, 0.4], total=0.9)
    found = first.less(second)
    assert found.correction == pytest.approx(first.estimate().correction - second.estimate().correction)
    # the same weight cancels: a = 0, |.25 - .1| / .25 = .6, .2 / .4 = .5, so n = 1.1^2 / (.36 + .25)
    number = 1.1**2 / 0.61
    r = first.residuals(first.errors) - second.residuals(second.errors)
    chance, a = np.array([0.5, 0.75, 0.6]), np.array([0, 0.6, 0.5])
    assert found.variance == pytest.approx((chance * (r**2 + 2 * a**2 / (number + 2))).sum())
    assert (found.number, found.differ) == (3, 2)
    same = first.less(first)
    assert (same.correction, same.variance) == (0, 0)
    assert first.less(drawn([0.0] * 3, [0.0] * 3, [0.5, 0.25, 0.4], total=1.0)) is None


def test_queries_written_out():
    errors = np.array([0.3] * 10 + [-0.1] * 5 + [0.0] * 25)
    found = of_queries(errors, 0.4)
    assert found.correction == pytest.approx((3 - 0.5) / 40)
    # the sum of squares .9 + .05 less 40 times the squared mean .0625^2, over 39
    assert found.variance == pytest.approx(0.6 * ((0.95 - 40 * 0.0625**2) / 39 / 40 + 2 * (0.3 / 42) ** 2))
    assert (found.freedom, found.number, found.differ) == (39, 40, 15)
    half = stats.t.ppf(0.975, 39) * np.sqrt(found.variance)
    assert found.ends(0.5, 0.95) == pytest.approx((0.5 - half, 0.5 + half))
    assert found.p_value(0.02) == pytest.approx(2 * stats.t.sf(0.02 / np.sqrt(found.variance), 39))


@pytest.mark.parametrize("errors", [[0.5, 0.0] * 14, [0.0] * 40, [np.inf] + [0.5] * 39])
def test_few_queries_and_no_error_have_no_interval(errors):
    with np.errstate(invalid="ignore"):
        found = of_queries(np.array(errors), 0.5)
    assert np.isnan(found.variance)
    assert np.isnan(found.ends(0.5, 0.95)).all()
    assert of_queries(np.array(errors), 1.0).variance == 0
    assert of_queries(NONE, 0.5) is None


def test_queries_are_a_sample_too_where_it_is_asked():
    found = Estimate(0.1, 0.04, 3.0).over(np.array([0.0, 0.5, 1.0, 0.5]))
    assert found.variance == pytest.approx(0.04 + (0.5 / 3) / 4)  # squares of -.5, 0, .5, 0 over 3, over 4 queries
    assert found.freedom == 3
    assert np.isnan(Estimate(0.1, 0.04, 3.0).over(np.array([0.5])).variance)


def planted(random, rate, *, clustered):
    """A population of 600 documents: weights that fall as exposure does, and errors of 1, or of either sign."""
    weights = 1 / np.log2(1 + random.integers(1, 11, 600)) * random.choice([1, 1, 2, 5], 600)
    wrong = random.random(600) < rate
    if clustered:  # whole topics of six documents
        wrong = np.repeat(random.random(100) < rate, 6)
    return weights / weights.sum(), wrong * random.choice([1.0, -1.0], 600, p=[0.8, 0.2])


def priority(random, weights, number):
    """Draw documents by priority sampling: those of greatest x / u, with the threshold of the next."""
    order = np.argsort(-weights / (u := random.random(len(weights))))
    threshold = (weights / u)[order[number]]
    return order[:number], np.minimum(1, weights[order[:number]] / threshold)


@pytest.mark.fuzz
@pytest.mark.parametrize("number", [60, 200])
@pytest.mark.parametrize(("rate", "clustered"), [(0.02, False), (0.1, True), (0.45, False)])
def test_intervals_cover_the_truth(number, rate, clustered):
    """In 93 of 100 draws at least; with fewer draws, as far as these can tell (two standard errors)."""
    random = np.random.default_rng(27)
    weights, errors = planted(random, rate, clustered=clustered)
    draws, covered, truth = 2000 if ALL else 200, 0, float(weights @ errors)
    for _ in range(draws):
        some, p = priority(random, weights, number)
        found = drawn(weights[some], errors[some], p, 1.0, reach=1.0).estimate()
        low, high = found.ends(found.correction, 0.95)
        covered += low <= truth <= high
    assert covered / draws >= 0.93 - (0 if ALL else 2 * np.sqrt(0.93 * 0.07 / draws))


@pytest.mark.parametrize("freedom", [1, 1.3, 2, 2.71, 5.5, 11, 29, 61.7, 186, 1234.5, 40_000.0])
def test_students_t_is_that_of_scipy(freedom):
    for confidence in (0.01, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999999):
        assert quantile(confidence, freedom) == pytest.approx(stats.t.ppf((1 + confidence) / 2, freedom), rel=1e-9)
    assert (tail(0.0, freedom), tail(1e200, freedom)) == (1.0, 0.0)
    assert np.isnan(tail(float("nan"), freedom))
    for t in (1e-6, 0.1, 0.67, 1.0, 1.96, 3.3, 12.0, 300.0):
        assert tail(t, freedom) == pytest.approx(2 * stats.t.sf(t, freedom), rel=1e-9, abs=1e-300)


def test_a_probability_of_nearly_nothing_leaves_no_interval():
    found = drawn([0.5, 0.5], [1, 0], [1e-300, 0.5], total=1.0).estimate()
    assert np.isnan(found.ends(0.5, 0.95)).all()
