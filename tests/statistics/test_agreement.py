"""How well two agree: the figures of textbooks, of other programs, and what follows from the definitions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrec.statistics.agreement import (
    alpha,
    alpha_of_votes,
    confusion,
    fleiss,
    kappa,
    normal,
    observed_agreement,
    share,
)


def pairs(table):
    """Two columns of kinds that have this confusion."""
    first, second = np.nonzero(np.ones_like(table))
    many = np.asarray(table).ravel()
    return np.repeat(first, many), np.repeat(second, many)


def plain(first, second, kinds, confidence=0.95):
    ones = np.ones(len(first))
    return kappa(first, second, kinds, ones, ones, confidence)


def test_the_error_of_kappa_is_equation_13_of_1969():
    """Their table of 200 subjects, in two raters' diagnoses: kappa .429, and the standard error term by term."""
    table = np.array([[106, 10, 4], [22, 28, 10], [2, 12, 6]])
    value, low, high = plain(*pairs(table), 3)
    p, rows, columns = table / 200, np.array([120, 60, 20]) / 200, np.array([130, 50, 20]) / 200
    same, chance = 140 / 200, rows @ columns
    assert value == pytest.approx((same - chance) / (1 - chance), rel=1e-12)
    assert value == pytest.approx(0.429, abs=5e-4)
    right = sum(p[i, i] * ((1 - chance) - (columns[i] + rows[i]) * (1 - same)) ** 2 for i in range(3))
    wrong = sum(p[i, j] * (columns[i] + rows[j]) ** 2 for i in range(3) for j in range(3) if i != j)
    variance = right + (1 - same) ** 2 * wrong - (same * chance - 2 * chance + same) ** 2
    error = math.sqrt(variance / (200 * (1 - chance) ** 4))
    assert (high - low) / 2 == pytest.approx(1.959963984540054 * error, rel=1e-12)


tables = (
    st.integers(2, 4)
    .flatmap(lambda n: st.lists(st.lists(st.integers(0, 12), min_size=n, max_size=n), min_size=n, max_size=n))
    .filter(lambda table: len({*np.nonzero(np.array(table).sum(axis=0) + np.array(table).sum(axis=1))[0]}) > 1)
)


@pytest.mark.slow
@given(tables)
def test_kappa_and_its_interval_are_those_of_statsmodels(table):
    from statsmodels.stats.inter_rater import cohens_kappa

    table = np.array(table)
    if not table.sum() or table.sum(axis=1) @ table.sum(axis=0) == table.sum() ** 2:
        return
    value, low, high = plain(*pairs(table), len(table), 0.9)
    with np.errstate(invalid="ignore"):  # of its test against 0, which is not compared
        theirs = cohens_kappa(table)
    assert value == pytest.approx(theirs.kappa, abs=1e-12)
    reach = normal(0.9) * math.sqrt(max(theirs.var_kappa, 0))  # of which theirs is negative where it is 0
    assert low == pytest.approx(max(value - reach, -1), abs=1e-7)
    assert high == pytest.approx(min(value + reach, 1), abs=1e-7)


@pytest.mark.parametrize(
    ("first", "second", "value"),
    [("0100000010", "1110010000", 0.095), ("aabbdcccedda", "babbbccceddd", 0.692)],
)
def test_alpha_of_the_examples_of_2011(first, second, value):
    """Krippendorff 2011, A and B: two observers of ten units of two values, and of twelve units of five."""
    kinds = sorted({*first, *second})
    columns = [np.array([kinds.index(sign) for sign in signs]) for signs in (first, second)]
    assert alpha(*columns, len(kinds)) == pytest.approx(value, abs=5e-4)


@given(tables)
def test_alpha_is_that_of_krippendorff(table):
    krippendorff = pytest.importorskip("krippendorff", reason="krippendorff is not installed; make setup")
    first, second = pairs(table)
    ours = alpha(first, second, len(table))
    both = np.concatenate([first, second])
    if len({*both.tolist()}) < 2:
        assert math.isnan(ours)
    else:
        assert ours == pytest.approx(
            krippendorff.alpha(np.stack([first, second]).astype(float), level_of_measurement="nominal"), abs=1e-12
        )


@given(tables, st.integers(2, 5), st.randoms())
def test_a_weight_counts_as_so_many_things(table, times, dice):
    first, second = pairs(table)
    weights = np.array([dice.randrange(1, times + 1) for _ in first], dtype=float)
    ones = np.ones(len(first))
    weighted = kappa(first, second, len(table), weights, ones, 0.95)[0]
    many = weights.astype(int)
    repeated = plain(np.repeat(first, many), np.repeat(second, many), len(table))[0]
    assert weighted == pytest.approx(repeated, abs=1e-12, nan_ok=True)
    assert kappa(first, second, len(table), 7 * weights, ones, 0.95) == pytest.approx(
        kappa(first, second, len(table), weights, ones, 0.95), nan_ok=True
    )


def test_what_is_drawn_for_certain_leaves_nothing_to_chance():
    first, second = pairs([[5, 1], [2, 4]])
    value, low, high = kappa(first, second, 2, np.ones(12), np.zeros(12), 0.95)
    assert value == low == high == pytest.approx((9 / 12 - 1 / 2) / (1 - 1 / 2))


def test_one_kind_alone_has_no_kappa_and_no_alpha():
    first = np.zeros(4, dtype=int)
    assert all(map(math.isnan, (*plain(first, first, 2), alpha(first, first, 2))))
    assert all(map(math.isnan, plain(first[:0], first[:0], 2)))
    assert all(map(math.isnan, share(np.ones(0), np.ones(0), 0.95)))


@given(st.integers(1, 60), st.integers(0, 60), st.sampled_from([0.8, 0.95, 0.99]))
def test_shares_have_the_interval_of_wilson(number, right, confidence):
    from scipy.stats import binomtest

    right = min(right, number)
    is_right = np.arange(number) < right
    value, low, high = share(is_right, np.ones(number), confidence)
    theirs = binomtest(right, number).proportion_ci(confidence, "wilson")
    assert value == right / number
    assert (low, high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    assert share(is_right, np.full(number, 0.3), confidence) == pytest.approx((value, low, high), abs=1e-12)


def test_sixteen_of_sixteen_may_be_four_fifths():
    assert share(np.ones(16), np.ones(16), 0.95) == pytest.approx((1, 0.8064, 1), abs=1e-4)


def test_confusion_weighs_pairs():
    table = confusion(np.array([0, 0, 2]), np.array([1, 1, 2]), 3, np.array([0.5, 1.0, 2.0]))
    assert table.tolist() == [[0, 1.5, 0], [0, 0, 0], [0, 0, 2]]


RATERS = np.array(  # Fleiss' worked example: 10 subjects, 14 raters, 5 categories
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
)


def test_the_worked_example_of_fleiss():
    assert round(fleiss(RATERS), 4) == 0.2099
    assert observed_agreement(RATERS) == pytest.approx(0.378, abs=5e-4)


def votes_of(tables):
    return np.array([row for row in tables if sum(row)]).reshape(-1, 3)


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=8))
def test_alpha_of_any_votes_is_that_of_krippendorff(tables):
    import krippendorff

    votes = votes_of(tables)
    paired = votes[votes.sum(axis=1) > 1] if len(votes) else votes
    if not len(paired) or np.count_nonzero(paired.sum(axis=0)) < 2:
        assert not len(votes) or math.isnan(alpha_of_votes(votes))
        return
    theirs = krippendorff.alpha(value_counts=votes, level_of_measurement="nominal")
    assert alpha_of_votes(votes) == pytest.approx(theirs, abs=1e-9)


@given(st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=1, max_size=8))
def test_fleiss_is_that_of_statsmodels(labels):
    from statsmodels.stats.inter_rater import fleiss_kappa

    votes = np.array([np.bincount(row, minlength=3) for row in labels])
    if np.count_nonzero(votes.sum(axis=0)) < 2:
        assert math.isnan(fleiss(votes))
        return
    assert fleiss(votes) == pytest.approx(fleiss_kappa(votes), abs=1e-9)


def test_votes_without_pairs_agree_in_nothing():
    assert math.isnan(observed_agreement(np.eye(3)))
