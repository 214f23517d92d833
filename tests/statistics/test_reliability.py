"""Reliability of an order: against pingouin, arithmetic written out, and laws."""

import math
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fairtrec.statistics.reliability import (
    correlate_halves,
    count_queries,
    critical_f,
    estimate_reliability,
    find_complete,
    halve_queries,
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
    # F = 122/5; F.975(2, 4) = 10.6491, F.975(4, 2) = 39.2484
    assert (found.low, found.high) == pytest.approx((1 - 10.649110641 * 5 / 122, 1 - 5 / 122 / 39.248417658), abs=1e-9)
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


@pytest.mark.parametrize("freedom", [(2, 4), (4, 2), (62, 62 * 52), (62 * 52, 62), (9, 261), (1, 1)])
@pytest.mark.parametrize("tail", [0.025, 0.005, 0.1])
def test_critical_f_is_scipys(freedom, tail):
    assert critical_f(*freedom, tail) == pytest.approx(stats.f.isf(tail, *freedom), rel=1e-12)


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
    assert (apart.reliability, apart.low, apart.high, apart.count_needed(0.95)) == (1.0, 1.0, 1.0, 1)
    chance = estimate_reliability(np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]), 0.95)  # MSr = 0 < MSe
    assert (chance.reliability, chance.alpha, chance.high, chance.count_needed(0.95)) == (0.0, -math.inf, 0.0, None)
    assert math.isnan(estimate_reliability(SMALL[:, :1]).alpha)
    assert find_complete(np.array([[1.0, np.nan, np.inf], [0.0, 1.0, 1.0]])).tolist() == [True, False, False]
    assert math.isnan(correlate_halves(SMALL, list(halve_queries("abc"))))
    assert math.isnan(correlate_halves(np.ones((3, 4)), list(halve_queries("abcd"))))


def test_halves_are_those_of_sha256():
    # sha256("7 0 q1") begins with 5a, of q2 with f5, of q3 with 48, of q4 with b4, of q5 with 0e: q5 and q3 are first
    first = next(iter(halve_queries(["q1", "q2", "q3", "q4", "q5"], seed=7)))
    assert first.tolist() == [False, False, True, False, True]
    turned = next(iter(halve_queries(["q5", "q4", "q3", "q2", "q1"], seed=7)))
    assert turned.tolist() == first.tolist()[::-1]
    assert len(list(halve_queries(["a", "b"]))) == 200


@pytest.mark.slow
@pytest.mark.parametrize(("runs", "shape"), [(10, "normal"), (40, "normal"), (10, "ceiling"), (40, "ceiling")])
def test_intervals_cover_the_reliability(runs, shape):
    """Of 2,000 tables, 95 % intervals cover in 93.5 to 96.5 %; also if nine of ten values are at the ceiling."""
    random, queries, covered, trials = np.random.default_rng(41), 40, 0, 2000
    truth = queries * 0.04 / (queries * 0.04 + 1)  # the variance of runs is 0.04, of residuals 1
    for _ in range(trials):
        noise = random.normal(size=(runs, queries))
        if shape == "ceiling":
            noise *= (random.random((runs, queries)) < 0.1) / math.sqrt(0.1)
        values = 0.2 * random.normal(size=(runs, 1)) + random.normal(size=queries) + noise
        found = estimate_reliability(values, 0.95)
        covered += found.low <= truth <= found.high
    assert covered / trials == pytest.approx(0.95, abs=0.015)
