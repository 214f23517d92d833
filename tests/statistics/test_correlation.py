"""Correlations against scipy, and their intervals against scipy and arithmetic."""

import math
import warnings
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fairtrec.statistics.agreement import _LEAVE_OUT as LEAVE_OUT
from fairtrec.statistics.agreement import COEFFICIENTS, _below, correlation, tau_ap, tau_b
from fairtrec.statistics.jackknife import count_agreeing, leave_out_pearson, pearson

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


def jackknife(x, y, kind, confidence):
    """The interval by its definition, with the coefficients of scipy; nan where one of them is 1 or undefined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a side that is constant without a pair
        without = np.array([SCIPYS[kind](np.delete(x, i), np.delete(y, i)).statistic for i in range(len(x))])
    value = SCIPYS[kind](x, y).statistic
    if not (np.abs([value, *without]) < 1 - 1e-12).all():
        return math.nan, math.nan
    z = np.arctanh(without)
    error = math.sqrt((len(x) - 1) / len(x) * np.square(z - z.mean()).sum())
    reach = stats.t.ppf((1 + confidence) / 2, len(x) - 1) * error
    return math.tanh(math.atanh(value) - reach), math.tanh(math.atanh(value) + reach)


@pytest.mark.parametrize("kind", COEFFICIENTS)
@pytest.mark.parametrize(("queries", "places"), [(12, 9), (43, 9), (43, 1), (60, 0)])
def test_intervals_leave_out_each_query_in_turn(kind, queries, places):
    x, y = np.random.default_rng(queries + places).random((2, queries))
    x, y = (3 * x).round(places), (3 * y + x).round(places)
    found = correlation(x, y, kind, 0.9)
    assert (found.low, found.high) == pytest.approx(jackknife(x, y, kind, 0.9), abs=1e-12)
    assert not found.doubtful


@pytest.mark.parametrize("kind", COEFFICIENTS)
def test_a_query_that_is_nearly_all_of_the_variance(kind):
    x, y = np.random.default_rng(7).random((2, 30))
    x[3] = y[8] = 1e7  # without it the sum of squares is that of the others
    found = LEAVE_OUT[kind](x, y)
    expected = [SCIPYS[kind](np.delete(x, i), np.delete(y, i)).statistic for i in range(30)]
    assert found == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("pearson", (0.8815259031371341, 0.6985981457190874, 0.9562876801134301)),
        ("spearman", (0.8811188811188813, 0.7155419213146257, 0.952959748209692)),
        ("kendall", (0.7272727272727272, 0.43632012405266657, 0.8805363563403641)),
    ],
)
def test_intervals_of_twelve_queries(kind, expected):
    """Figures of a program that is independent of this one."""
    x = np.array([0.2, 0.5, 0.9, 0.4, 0.7, 0.1, 0.8, 0.3, 0.6, 0.95, 0.45, 0.15])
    y = np.array([0.3, 0.4, 0.8, 0.6, 0.5, 0.2, 0.9, 0.1, 0.7, 0.85, 0.35, 0.25])
    found = correlation(x, y, kind)
    assert (found.value, found.low, found.high) == pytest.approx(expected, abs=1e-12)


def test_more_than_10_000_queries_have_fishers_intervals():
    x, y = np.random.default_rng(5).random((2, 10_001))
    y += x
    found = correlation(x, y, "pearson", 0.9)
    assert (found.low, found.high) == pytest.approx(tuple(stats.pearsonr(x, y).confidence_interval(0.9)), abs=1e-12)
    for kind, variance in (
        ("spearman", (1 + correlation(x, y, "spearman").value ** 2 / 2) / 9998),
        ("kendall", 0.437 / 9997),
    ):
        found = correlation(x, y, kind)
        reach = stats.norm.ppf(0.975) * math.sqrt(variance)
        ends = np.tanh(np.arctanh(found.value) + np.array([-reach, reach]))
        assert (found.low, found.high) == pytest.approx(tuple(ends), abs=1e-12)
    less = correlation(x[1:], y[1:], "pearson", 0.9)
    assert (less.low, less.high) != pytest.approx((found.low, found.high), abs=1e-4)


@pytest.mark.parametrize("kind", COEFFICIENTS)
def test_few_values_that_differ_leave_doubt_and_no_interval(kind):
    """Of 40 values of one side 9 or 10 differ from the most frequent one; of the other nearly all do."""
    x = np.random.default_rng(8).random(40)
    for differing, doubtful in ((9, True), (10, False)):
        y = np.where(np.arange(40) < differing, x + np.arange(40) % 5 / 5, 1.0)
        for one, other in ((x, y), (y, x)):
            found = correlation(one, other, kind)
            assert found.doubtful is doubtful
            assert math.isnan(found.low) is math.isnan(found.high) is doubtful
            assert not math.isnan(found.p)


@pytest.mark.parametrize("kind", COEFFICIENTS)
def test_pairs_in_one_order_but_for_one_have_no_interval(kind):
    line = np.arange(20.0)
    assert math.isnan(correlation(line, line, kind).low)
    assert correlation(line, line, kind).value == 1
    other = line.copy()
    other[3] = 30.0
    found = correlation(line, other, kind)  # without the fourth it is 1
    assert (math.isnan(found.low), found.value < 1, found.doubtful) == (True, True, False)


def test_spearman_of_few_pairs_is_exact():
    # of the 24 orders of 4 values one is the same and one the reverse
    found = correlation(np.array([1.0, 2, 3, 4]), np.array([2.0, 4, 6, 9]), "spearman")
    assert found.p == pytest.approx(2 / 24)
    assert (found.value, found.doubtful, math.isnan(found.low)) == (1.0, True, True)


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
        assert not found.doubtful
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
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=8, max_size=30), st.sampled_from(COEFFICIENTS)
)
def test_laws(points, kind):
    x, y = np.array(points, dtype=np.float64).T
    found, other = correlation(x, y, kind), correlation(y, x, kind)
    if math.isnan(found.value):
        return
    assert found.value == pytest.approx(other.value)
    assert correlation(x, -y, kind).value == pytest.approx(-found.value)
    if not found.doubtful:
        assert (found.low, found.high) == pytest.approx(jackknife(x, y, kind, 0.95), abs=1e-9, nan_ok=True)
        assert math.isnan(found.low) or found.low <= found.value <= found.high
    assert 0 <= found.p <= 1


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=3, max_size=30))
def test_pairs_that_agree_are_counted_one_by_one(points):
    x, y = np.array(points).T
    of_x, of_y = (np.sign(each[:, None] - each) for each in (x, y))
    assert count_agreeing(x, y).tolist() == (of_x * of_y).sum(axis=1).tolist()


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


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_without_the_only_pair_that_differs_pearson_is_undefined_whatever_the_unit(unit):
    x, y = np.array([0.1, 0.1, 0.1, 0.7, 0.1]) * unit, np.array([0.3, 0.1, 0.5, 0.2, 0.6]) * unit
    found = leave_out_pearson(x, y)
    assert np.flatnonzero(np.isnan(found)).tolist() == [3]
    others = [pearson(np.delete(x, pair), np.delete(y, pair)) for pair in (0, 1, 2, 4)]
    assert found[[0, 1, 2, 4]] == pytest.approx(others)
