"""Reliability of an order: against pingouin, arithmetic written out, and laws."""

import math
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fairtrec.statistics.reliability import (
    Reliability,
    correlate_halves,
    count_queries,
    estimate_reliability,
    find_complete,
    find_interval,
    halve_queries,
    leave_out_queries,
    mean_squares,
)

SMALL = np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 5.0], [4.0, 4.0, 7.0]])


def test_a_small_table_by_arithmetic():
    # means of runs 2, 10/3, 5; of queries 7/3, 3, 5; of all 31/9
    # MSr = 3 ((-13/9)^2 + (-1/9)^2 + (14/9)^2) / 2 = 3 (366/81) / 2 = 61/9
    # MSq = 3 ((-10/9)^2 + (-4/9)^2 + (14/9)^2) / 2 = 3 (312/81) / 2 = 52/9
    # squares of all: 1 + 4 + 9 + 4 + 9 + 25 + 16 + 16 + 49 = 133, less 9 (31/9)^2 is 236/9
    # residual: 236/9 - 122/9 - 104/9 = 10/9 over 4 is MSe = 5/18
    # alpha = 1 - (5/18) / (61/9) = 1 - 5/122; var_r = (61/9 - 5/18) / 3 = 13/6, var_q = (52/9 - 5/18) / 3 = 11/6
    # absolute = (13/6) / (13/6 + (11/6 + 5/18) / 3) = 39/6 / (39/6 + 38/18) = 117/155
    found = estimate_reliability(SMALL, 0.95)
    assert found.alpha == found.reliability == pytest.approx(1 - 5 / 122, abs=1e-15)
    assert found.absolute == pytest.approx(117 / 155, abs=1e-15)
    total = 13 / 6 + 11 / 6 + 5 / 18
    shares = (found.variance_run, found.variance_query, found.variance_residual)
    assert shares == pytest.approx((13 / 6 / total, 11 / 6 / total, 5 / 18 / total), abs=1e-15)
    # Without the first query MSr = 9/2 and MSe = 1/2; without the second 37/6 and 1/6; without the third 19/6 and 1/6.
    logs = -np.log([9.0, 37.0, 19.0])
    reach = 4.302652729696142 * math.sqrt(2 / 3 * np.square(logs - logs.mean()).sum())  # t(2)
    assert found.high == pytest.approx(1 - 5 / 122 * math.exp(-reach), abs=1e-12)
    assert found.low == 0.0  # 1 - 5 / 122 exp(reach) is below
    # 81 times the squared residuals of the queries: 1 + 4 + 1, 16 + 1 + 25, 25 + 1 + 16: 90^2 / (6^2 + 2 * 42^2)
    assert find_interval(SMALL, 0.95)[2] == pytest.approx(25 / 11, abs=1e-12)
    assert found.doubtful
    # 3 (5/117) 19 = 2.4359
    assert found.count_needed(0.95) == 3


@pytest.mark.parametrize("table", range(20))
def test_pingouin(table):
    pingouin = pytest.importorskip("pingouin", reason="pingouin is not installed; pip install pingouin")
    import pandas as pd

    random = np.random.default_rng(table)
    runs, queries = random.integers(3, 30), random.integers(3, 60)
    values = (
        random.normal(size=(runs, 1)) * table / 10 + random.normal(size=queries) + random.normal(size=(runs, queries))
    )
    long = pd.DataFrame(
        [(run, query, values[run, query]) for run in range(runs) for query in range(queries)],
        columns=["run", "query", "value"],
    )
    icc = pingouin.intraclass_corr(data=long, targets="run", raters="query", ratings="value").set_index("Type")
    names = ("ICC3k", "ICC2k") if "ICC3k" in icc.index else ("ICC(C,k)", "ICC(A,k)")
    fixed, drawn = (icc.loc[name, "ICC"] for name in names)
    alpha, _ = pingouin.cronbach_alpha(data=pd.DataFrame(values))
    found = estimate_reliability(values, 0.95)
    assert found.alpha == pytest.approx(fixed, abs=1e-12)
    assert found.alpha == pytest.approx(alpha, abs=1e-12)
    if found.alpha > 0:
        assert found.absolute == pytest.approx(drawn, abs=1e-12)


def jackknife(values, confidence):
    """The interval by its definition: mean squares without each query, as differences of means of all the others."""
    queries = values.shape[1]
    ratios = []
    for query in (None, *range(queries)):
        of_run, _, of_residual = mean_squares(values if query is None else np.delete(values, query, axis=1))
        if not of_run or not of_residual:
            return math.nan, math.nan
        ratios.append(math.log(of_residual / of_run))
    whole, without = ratios[0], np.array(ratios[1:])
    error = math.sqrt((queries - 1) / queries * np.square(without - without.mean()).sum())
    reach = stats.t.ppf((1 + confidence) / 2, queries - 1) * error
    with np.errstate(over="ignore"):
        return tuple(max(0.0, 1 - float(np.exp(each))) for each in (whole + reach, whole - reach))


@pytest.mark.parametrize(("runs", "queries"), [(3, 5), (10, 40), (25, 12)])
def test_intervals_leave_out_each_query_in_turn(runs, queries):
    random = np.random.default_rng(runs)
    values = random.normal(size=(runs, 1)) + random.normal(size=queries) + random.normal(size=(runs, queries))
    found = estimate_reliability(values, 0.9)
    assert (found.low, found.high) == pytest.approx(jackknife(values, 0.9), abs=1e-12)
    values[:, 2] *= 1e5  # nearly all of the residual is of one query: without it other digits count
    found = estimate_reliability(values, 0.9)
    assert (found.low, found.high) == pytest.approx(jackknife(values, 0.9), abs=1e-9)
    assert found.doubtful


def test_an_interval_of_six_queries():
    """Figures of a program that is independent of this one."""
    values = np.array([[0.5, 0.7, 0.2, 0.9, 0.4, 0.6], [0.6, 0.6, 0.4, 0.8, 0.5, 0.7], [0.3, 0.5, 0.3, 0.7, 0.2, 0.6]])
    found = estimate_reliability(values, 0.95)
    assert found.reliability == pytest.approx(0.8354430379746836, abs=1e-12)
    assert (found.low, found.high) == (0, pytest.approx(0.9766875115268553, abs=1e-12))
    assert find_interval(values, 0.95)[2] == pytest.approx(4.859114433582523, abs=1e-12)


def test_few_queries_with_nearly_all_of_the_residual_leave_doubt():
    """Ten queries of the same residual decide, or nine, whatever the number of others that have none."""
    of_run = np.array([[0.1], [0.2], [0.4]])
    for deciding in (9, 10):
        values = np.tile(of_run, (1, 2 * deciding + 20))
        values[0, : 2 * deciding] += np.tile([0.1, -0.1], deciding)
        found = estimate_reliability(values, 0.95)
        assert find_interval(values, 0.95)[2] == pytest.approx(2 * deciding)
        assert not found.doubtful
        one_each = np.delete(values, np.s_[deciding // 2 * 2 : 2 * deciding], axis=1)
        assert estimate_reliability(one_each, 0.95).doubtful == (deciding < 10)


VALUES = st.integers(3, 8).flatmap(
    lambda runs: st.integers(4, 12).flatmap(
        lambda queries: st.lists(
            st.lists(st.integers(0, 10).map(lambda each: each / 10), min_size=queries, max_size=queries),
            min_size=runs,
            max_size=runs,
        )
    )
)


def close(one, other):
    """Two estimates are the same, in all numbers."""
    return np.allclose(astuple(one), astuple(other), rtol=0, atol=1e-9, equal_nan=True)


@given(VALUES, st.sampled_from([0.25, 1.0, 3.0]), st.sampled_from([-1.0, 0.0, 0.5]))
def test_a_linear_change_of_all_values_changes_nothing(values, factor, shift):
    values = np.array(values)
    one, other = estimate_reliability(values, 0.95), estimate_reliability(values * factor + shift, 0.95)
    if not math.isinf(one.alpha):
        assert close(one, other)


@given(VALUES, st.randoms())
def test_the_order_of_runs_and_queries_is_nothing(values, random):
    values = np.array(values)
    runs, queries = (random.sample(range(many), many) for many in values.shape)
    one, other = estimate_reliability(values, 0.95), estimate_reliability(values[runs][:, queries], 0.95)
    if not math.isinf(one.alpha):
        assert close(one, other)


@given(VALUES, st.integers(0, 3), st.sampled_from([0.3, 5.0]))
def test_a_constant_added_to_one_query_moves_the_absolute_alone(values, query, shift):
    values = np.array(values)
    more = values.copy()
    more[:, query] += shift
    one, other = estimate_reliability(values, 0.95), estimate_reliability(more, 0.95)
    for name in ("alpha", "low", "high"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-9, nan_ok=True)
    halves = list(halve_queries([str(number) for number in range(values.shape[1])]))
    assert correlate_halves(values, halves) == pytest.approx(correlate_halves(more, halves), abs=1e-12, nan_ok=True)


def test_a_constant_added_to_one_query_moves_the_absolute():
    more = SMALL + np.array([10.0, 0.0, 0.0])
    assert estimate_reliability(more).absolute < estimate_reliability(SMALL).absolute - 0.1


@given(st.floats(0.01, 0.99), st.integers(2, 5000))
def test_the_reliability_of_these_queries_takes_these_queries(reliability, queries):
    assert count_queries(reliability, queries, reliability) == queries


def test_edges():
    nothing = estimate_reliability(np.ones((4, 5)), 0.95)
    assert math.isnan(nothing.reliability)
    assert math.isnan(nothing.absolute)
    assert nothing.count_needed(0.95) is None
    alike = estimate_reliability(np.tile([0.1, 0.2, 0.3], (4, 1)), 0.95)  # MSr = MSe = 0 < MSq
    assert math.isnan(alike.reliability)
    apart = estimate_reliability(np.tile([[0.1], [0.2], [0.4]], (1, 5)), 0.95)  # MSe = 0 < MSr
    assert (apart.reliability, math.isnan(apart.low), apart.count_needed(0.95), apart.doubtful) == (1.0, True, 1, True)
    chance = estimate_reliability(np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]), 0.95)  # MSr = 0 < MSe
    assert (chance.reliability, chance.alpha, chance.count_needed(0.95)) == (0.0, -math.inf, None)
    assert (math.isnan(chance.high), chance.doubtful) == (True, True)
    one = np.tile([[0.1], [0.2], [0.4]], (1, 40))
    one[0, 7] = 0.6  # without this query MSe = 0
    assert (math.isnan(estimate_reliability(one, 0.95).low), estimate_reliability(one, 0.95).doubtful) == (True, True)
    one[1, 9] = 0.7  # one query less, and there is an interval; but two queries decide
    assert (math.isnan(estimate_reliability(one, 0.95).low), estimate_reliability(one, 0.95).doubtful) == (False, True)


@pytest.mark.parametrize("alpha", [1e-13, 1e-300, -1e-16])
def test_a_reliability_that_is_0_but_for_rounding_is_0(alpha):
    found = Reliability(4, 50, alpha)
    assert (found.reliability, found.count_needed(0.95)) == (0.0, None)
    assert count_queries(alpha, 50, 0.95) is None
    assert count_queries(1e-11, 50, 0.95) > 10**13


def test_values_without_an_order():
    assert math.isnan(estimate_reliability(SMALL[:, :1]).alpha)
    assert find_complete(np.array([[1.0, np.nan, np.inf], [0.0, 1.0, 1.0]])).tolist() == [True, False, False]
    assert math.isnan(correlate_halves(SMALL, list(halve_queries("abc"))))
    assert math.isnan(correlate_halves(np.ones((3, 4)), list(halve_queries("abcd"))))


def test_four_queries_have_halves():
    # in each half the first run is best and the last worst
    assert (
        correlate_halves(
            np.array([[0.9, 0.8, 0.9, 0.7], [0.5, 0.6, 0.5, 0.4], [0.1, 0.2, 0, 0]]), list(halve_queries("abcd"))
        )
        == 1
    )


def test_halves_are_those_of_sha256():
    # sha256("7 0 q1") begins with 5a, of q2 with f5, of q3 with 48, of q4 with b4, of q5 with 0e: q5 and q3 are first
    first = next(iter(halve_queries(["q1", "q2", "q3", "q4", "q5"], seed=7)))
    assert first.tolist() == [False, False, True, False, True]
    turned = next(iter(halve_queries(["q5", "q4", "q3", "q2", "q1"], seed=7)))
    assert turned.tolist() == first.tolist()[::-1]
    assert len(list(halve_queries(["a", "b"]))) == 200


@pytest.mark.parametrize("scale", [1.0, 1e6, 1e12])
def test_what_is_left_of_a_table_without_residuals_is_0_whatever_its_size(scale):
    of_runs, of_queries = np.array([[0.0], [0.1], [0.7]]), np.array([0.0, 0.3, 0.2, 0.9, 0.6])
    runs, residuals, _ = leave_out_queries(scale * (of_runs + of_queries))
    assert residuals.tolist() == [0] * 5
    # the variance of 0, .1 and .7 about .266667 is .143333, without any query
    assert runs == pytest.approx([4 * scale * scale * 0.43 / 3] * 5)
