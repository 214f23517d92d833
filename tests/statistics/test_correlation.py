"""Correlations against scipy, and their intervals against scipy and arithmetic."""

import math
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fairtrec.statistics.agreement import COEFFICIENTS, _below, correlation, tau_ap, tau_b

SCIPYS = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


@pytest.mark.parametrize("kind", COEFFICIENTS)
@pytest.mark.parametrize("places", [1, 9])
def test_coefficient_and_p_are_scipys(kind, places):
    x, y = np.random.default_rng(4).random((2, 43)).round(places)
    found, expected = correlation(x, y, kind), SCIPYS[kind](x, y)
    assert (found.value, found.p) == pytest.approx((expected.statistic, expected.pvalue), abs=1e-12)


@pytest.mark.parametrize("items", [1, 2, 5, 43, 200, 201])
@pytest.mark.parametrize("values", [2, 3, 1000])
def test_tau_b_of_rows_has_the_bits_of_scipy(items, values):
    x, y = np.random.default_rng(items).integers(0, values, (2, 30, items)) / 7.0
    y[0] = x[0] + 1e-14  # which ties
    expected = [correlation(*rows, "kendall").value for rows in zip(x, y, strict=True)]
    assert np.array_equal(tau_b(x, y), expected, equal_nan=True)
    theirs = [stats.kendalltau(*rows).statistic for rows in zip(x[1:], y[1:], strict=True)] if items > 1 else [math.nan]
    assert np.array_equal(tau_b(x, y)[1:], theirs * (29 if items == 1 else 1), equal_nan=True)


def test_intervals():
    x, y = np.random.default_rng(5).random((2, 20))
    expected = stats.pearsonr(x, y).confidence_interval(0.9)
    found = correlation(x, y, "pearson", 0.9)
    assert (found.low, found.high) == pytest.approx(tuple(expected), abs=1e-12)
    x, y = np.arange(20.0), np.arange(20.0)
    y[[0, 1, 2, 3]] = [3, 2, 1, 0]
    # Spearman: 1 - 6 (9 + 1 + 1 + 9) / (20 * 399) = 0.984962; z = atanh(0.984962) = 2.441401,
    # error = sqrt((1 + 0.970151 / 2) / 17) = 0.295563, so z is between 1.862108 and 3.020693
    found = correlation(x, y, "spearman")
    assert (found.low, found.value, found.high) == pytest.approx((0.952873, 0.984962, 0.995255), abs=1e-5)
    # Kendall: 6 of 190 pairs are turned, 1 - 12 / 190 = 0.936842; error = sqrt(0.437 / 16) = 0.165265,
    # z = 1.711588, between 1.387675 and 2.035501
    found = correlation(x, y, "kendall")
    assert (found.low, found.value, found.high) == pytest.approx((0.882658, 0.936842, 0.966452), abs=1e-5)


def test_spearman_of_few_pairs_is_exact():
    # of the 24 orders of 4 values one is the same and one the reverse
    found = correlation(np.array([1.0, 2, 3, 4]), np.array([2.0, 4, 6, 9]), "spearman")
    assert found.p == pytest.approx(2 / 24)
    assert (found.low, found.value, found.high) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("kind", COEFFICIENTS)
def test_means_that_are_the_same_but_for_rounding_tie(kind):
    # 0.1 + 0.2 + 0.3 is 0.6000000000000001, 0.3 + 0.2 + 0.1 is 0.6: two runs of one mean, added in two orders
    x = np.array([0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1, 0.5, 0.9, 0.2])
    y = np.array([1.0, 2.0, 5.0, 4.0, 3.0])
    found, expected = correlation(x, y, kind), correlation(x.round(3), y, kind)
    assert found.value == pytest.approx(expected.value, abs=1e-12)
    assert found.p == pytest.approx(expected.p, abs=1e-12)


@pytest.mark.parametrize("kind", COEFFICIENTS)
def test_what_is_too_large_to_compute_with_is_left_out(kind):
    assert correlation(np.array([1e308, -1e308, 1.0, 2.0, 3.0]), np.arange(5.0), kind).n == 3


@pytest.mark.parametrize("kind", COEFFICIENTS)
def test_undefined(kind):
    line = np.arange(5.0)
    for x, y in [(line[:0], line[:0]), (line[:1], line[:1]), (np.ones(5), line), (line, np.full(5, 0.1 + 0.2))]:
        found = correlation(x, y, kind)
        assert found.n == len(x)
        assert math.isnan(found.value)
        assert math.isnan(found.p)
    few = correlation(np.array([1.0, 2, 4]), np.array([1.0, 3, 2]), kind)
    assert math.isnan(few.low)
    assert not math.isnan(few.value)


@pytest.mark.parametrize("kind", COEFFICIENTS)
def test_pairs_without_a_value_are_left_out_and_counted(kind):
    x = np.array([1.0, math.nan, 2.0, math.inf, 4.0, 3.0])
    y = np.array([1.0, 5.0, 4.0, 2.0, 3.0, math.nan])
    found, three = correlation(x, y, kind), correlation(np.array([1.0, 2.0, 4.0]), np.array([1.0, 4.0, 3.0]), kind)
    assert found.n == 3
    assert astuple(found) == pytest.approx(astuple(three), abs=0, nan_ok=True)  # there is no interval of three


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=8, max_size=20), st.sampled_from(COEFFICIENTS)
)
def test_laws(points, kind):
    x, y = np.array(points, dtype=np.float64).T
    found, other = correlation(x, y, kind), correlation(y, x, kind)
    if math.isnan(found.value):
        return
    assert found.value == pytest.approx(other.value)
    assert correlation(x, -y, kind).value == pytest.approx(-found.value)
    assert found.low <= found.value <= found.high
    assert 0 <= found.p <= 1


def test_tau_ap_weighs_the_top():
    # The order 1 2 3 4, and one with the first two the other way round, of which the second is the first and so on:
    # i = 2: 0 of 1 above agree; i = 3: 2 of 2; i = 4: 3 of 3. 2 / 3 * (0 + 1 + 1) - 1 = 1 / 3, in both directions.
    assert tau_ap(np.array([1.0, 2, 3, 4]), np.array([2.0, 1, 3, 4])) == pytest.approx(1 / 3)
    # With the last two the other way round: 1 of 1, 2 of 2, 2 of 3. 2 / 3 * (1 + 1 + 2 / 3) - 1 = 7 / 9.
    assert tau_ap(np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 4, 3])) == pytest.approx(7 / 9)
    # Kendall's tau is 2 / 3 in both cases.


def test_tau_ap_of_either_direction_is_another_where_an_item_moves_far():
    # 4 1 2 3 (the last is the first): 0 of 1, 1 of 2, 2 of 3 agree below it, 2 / 3 * (7 / 6) - 1 = -2 / 9;
    # in the order 1 2 3 4: 1 of 1, 2 of 2, 0 of 3, 2 / 3 * 2 - 1 = 1 / 3. The mean is 1 / 18.
    one, other = np.array([1.0, 2, 3, 4]), np.array([2.0, 3, 4, 1])
    assert (_below(one, other), _below(other, one)) == pytest.approx((-2 / 9, 1 / 3))
    assert tau_ap(one, other) == tau_ap(other, one) == pytest.approx(1 / 18)


def test_tau_ap_is_that_of_ircor():
    # The example of its page: tauAP .7491182; both sides rounded to fifths, so that values tie: tauAP_b .6269841.
    x = np.array([0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94])
    y = np.array([0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94])
    assert _below(-x, -y) == pytest.approx(0.7491182, abs=5e-8)
    assert tau_ap(-(x * 5).round() / 5, -(y * 5).round() / 5) == pytest.approx(0.6269841, abs=5e-8)


def test_tau_ap_of_ties_and_of_nothing():
    # 1 1 2 before 1 2 2. In the order of the second: of items 2 and 3, below item 1, item 2 ties in the first and item 3
    # agrees: 2 / 2 * (0 + 1) - 1 = 0. In the order of the first: item 3 is below items 1 and 2 and agrees with 1: 0.
    assert tau_ap(np.array([1.0, 1, 2]), np.array([1.0, 2, 2])) == 0
    assert tau_ap(np.array([0.1 + 0.2, 0.3, 1.0]), np.array([2.0, 2.0, 3.0])) == 1
    assert tau_ap(np.array([1.0, np.nan, 2, 3]), np.array([1.0, 9, 2, np.nan])) == 1
    for one, other in [([], []), ([1.0], [1.0]), ([1.0, 1.0], [1.0, 2.0]), ([1.0, np.nan], [1.0, 2.0])]:
        assert math.isnan(tau_ap(np.array(one), np.array(other)))
    line = np.arange(5.0)
    assert (tau_ap(line, line), tau_ap(line, -line)) == (1, -1)
