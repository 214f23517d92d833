"""Paired tests, intervals and effects against scipy and statsmodels; corrections against statsmodels."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

from fairtrec.formulas.weighted_sums import multiply_counts
from fairtrec.statistics import paired
from fairtrec.statistics.corrections import correct_p_values
from fairtrec.statistics.procedure import Procedure

TESTS = ["t", "wilcoxon", "randomization", "bootstrap"]
METHODS = ["t", "percentile", "bca"]
ALMOST = {"rel": 1e-12, "abs": 1e-12}
grades = st.sampled_from([0.0, 0.2, 0.25, 1 / 3, 0.5, 0.63, 1.0])
rows = arrays.arrays(np.float64, arrays.array_shapes(min_dims=1, max_dims=1, min_side=2, max_side=12), elements=grades)
pairs = rows.flatmap(lambda row: st.tuples(st.just(row), arrays.arrays(np.float64, row.shape, elements=grades)))


def normal(many, queries, seed=1):
    return np.random.default_rng(seed).normal(0.05, 0.2, (many, queries))


@pytest.mark.parametrize("queries", [2, 3, 7, 14, 43, 60])
def test_t_and_wilcoxon_are_scipys(queries):
    values, baseline = np.random.default_rng(2).random((2, 5, queries)).round(1)  # with ties and zeros
    values[:, 0] += 0.05
    differences = paired.subtract(values, baseline)
    assert paired.p_values(differences, "t") == pytest.approx(
        stats.ttest_rel(values, baseline, axis=1).pvalue, **ALMOST
    )
    expected = [stats.wilcoxon(row.round(12)).pvalue for row in differences]
    assert paired.p_values(differences, "wilcoxon") == pytest.approx(expected, **ALMOST)


@pytest.mark.parametrize("queries", [10, 43])
def test_differences_that_are_the_same_but_for_rounding_share_a_rank(queries):
    # in hundredths: 90 - 80 = 80 - 70, but 0.9 - 0.8 is not 0.8 - 0.7; and whole numbers are exact
    values, baseline = np.random.default_rng(5).integers(0, 11, (2, 1, queries))
    p = paired.p_values(paired.subtract(values / 10, baseline / 10), "wilcoxon")[0]
    assert p == pytest.approx(stats.wilcoxon((values - baseline)[0]).pvalue, **ALMOST)


def test_wilcoxon_of_few_queries_is_scipys():
    values, baseline = np.random.default_rng(8).random((2, 1, 13))
    assert paired.p_values(values - baseline, "wilcoxon")[0] == pytest.approx(
        stats.wilcoxon(values[0], baseline[0]).pvalue
    )


def test_randomization_by_hand():
    # the sums of +-1 +-2 +-3 are as far from 0 as 6 in two of eight ways
    assert paired.p_values(np.array([[1.0, 2.0, 3.0]]), "randomization").tolist() == [0.25]


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_sums_that_differ_by_rounding_are_as_far_from_0_on_any_scale(scale):
    # .3 from 0, as in 8 of 16 ways; .9, .7 and .5 are further, twice .1 is not. In doubles .1 + .2 + .3 - .3 is above .3
    differences = scale * np.array([[0.1, 0.2, 0.3, -0.3]])
    assert paired.p_values(differences, "randomization")[0] == 0.75


def test_exact_randomization_is_scipys():
    differences = normal(4, 9).round(1)
    expected = [
        stats.permutation_test((row,), np.sum, permutation_type="samples", n_resamples=np.inf).pvalue
        for row in differences
    ]
    assert paired.p_values(differences, "randomization") == pytest.approx(expected, **ALMOST)


def test_drawn_randomization_counts_what_it_has_seen_and_itself():
    differences = normal(3, 40)
    p = paired.p_values(differences, "randomization", resamples=999)
    assert p * 1000 == pytest.approx(np.round(p * 1000))
    assert p == pytest.approx(paired.p_values(differences, "t"), abs=0.05)
    assert paired.p_values(np.full((1, 40), 0.5), "randomization", resamples=999).tolist() == [1 / 1000]


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("method", METHODS)
def test_a_row_does_not_depend_on_those_beside_it_nor_on_the_blocks(test, method, monkeypatch):
    differences = normal(6, 20)
    p = paired.p_values(differences, test, resamples=530)
    ends = paired.intervals(differences, method, resamples=530)
    monkeypatch.setattr(paired, "BLOCK", 2000)
    monkeypatch.setattr(paired, "HELD", 2000)
    backwards = differences[::-1]
    assert paired.p_values(backwards, test, resamples=530)[::-1].tolist() == p.tolist()
    assert paired.intervals(backwards, method, resamples=530)[::-1].tolist() == ends.tolist()
    assert paired.interval(differences[3], method, resamples=530) == tuple(ends[3].tolist())


def test_the_seed_matters():
    differences = normal(1, 20)
    one, other = (paired.interval(differences[0], "percentile", seed=seed) for seed in (0, 1))
    assert one != other
    assert one == pytest.approx(other, abs=0.02)


@pytest.mark.parametrize("queries", [5, 43])
def test_intervals_are_scipys(queries):
    row = normal(1, queries)[0]
    expected = stats.ttest_1samp(row, 0.0).confidence_interval(0.9)
    assert paired.interval(row, "t", confidence=0.9) == pytest.approx(tuple(expected), **ALMOST)
    for method, name in (("percentile", "percentile"), ("bca", "BCa")):
        found = stats.bootstrap(
            (row,), np.mean, method=name, n_resamples=2000, confidence_level=0.9, rng=np.random.default_rng(7)
        )
        ours = paired.interval(row, method, confidence=0.9, resamples=2000, seed=7)
        assert ours == pytest.approx(tuple(found.confidence_interval), **ALMOST)


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("queries", [2, 6, 12, 43])
def test_means_that_are_the_same_but_for_rounding_count_as_in_scipy(queries, method):
    rows = np.random.default_rng(4).choice([0.1, -0.1, 0.2, 1 / 3, 0.0], (20, queries))
    name = {"percentile": "percentile", "bca": "BCa"}[method]
    ends = paired.intervals(rows, method, resamples=1000, seed=2)
    for row, own in zip(rows, ends, strict=True):
        if len(np.unique(row)) > 1:
            random = np.random.default_rng(2)
            found = stats.bootstrap((row,), np.mean, method=name, n_resamples=1000, rng=random).confidence_interval
            assert own == pytest.approx(tuple(found), **ALMOST)


def test_the_bootstrap_p_is_that_of_centered_resamples():
    row = normal(1, 15)[0]
    found = stats.bootstrap((row,), np.mean, method="percentile", n_resamples=999, rng=np.random.default_rng(0))
    far = np.abs(found.bootstrap_distribution - row.mean()) >= abs(row.mean())
    assert paired.p_values(row[None], "bootstrap", resamples=999)[0] == pytest.approx((far.sum() + 1) / 1000)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("queries", [2, 13, 30])
def test_identical_runs(test, method, queries):
    same = np.zeros((1, queries))
    assert paired.p_values(same, test).tolist() == [1.0]
    assert paired.intervals(same, method).tolist() == [[0.0, 0.0]]
    assert paired.effect(same).tolist() == [0.0]
    assert paired.equivalence(same, 0.01).tolist() == [0.0]
    assert paired.detectable(same[0]) == 0.0


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("row", [[], [0.5], [0.0], [0.5, math.inf, 0.1], [0.5, 1e308, -1e308], [1e200, 2e200, 0.0]])
def test_what_cannot_be_tested_is_nan(test, method, row):
    differences = np.array([row], dtype=np.float64)
    assert np.isnan(paired.p_values(differences, test)).all()
    assert np.isnan(paired.intervals(differences, method)).all()
    assert np.isnan(paired.effect(differences)).all()
    assert np.isnan(paired.equivalence(differences, 0.1)).all()
    assert math.isnan(paired.detectable(differences[0]))


def test_the_same_difference_everywhere():
    always = np.full((1, 20), -0.1)
    assert paired.p_values(always, "t").tolist() == [0.0]
    assert paired.p_values(always, "bootstrap", resamples=999).tolist() == [1 / 1000]
    assert paired.effect(always).tolist() == [-math.inf]
    for method in METHODS:
        assert paired.interval(always[0], method) == pytest.approx((-0.1, -0.1))
    assert paired.at_least(always, -0.2).tolist() == [0.0]
    assert paired.at_least(always, 0.2).tolist() == [1.0]
    at_the_margin = paired.subtract(np.full(20, 0.5), np.full(20, 0.51))[None]  # -0.010000000000000009
    assert paired.at_least(at_the_margin, -0.01).tolist() == [0.5]


def test_a_margin_beyond_all_numbers():
    assert paired.equivalence(normal(1, 5), 1e308).tolist() == [0.0]


@given(pairs)
def test_laws(pair):
    differences = paired.subtract(*pair)[None]
    for test in TESTS:
        p = paired.p_values(differences, test, resamples=100)
        assert 0 <= p[0] <= 1
        assert paired.p_values(-differences, test, resamples=100) == pytest.approx(p, abs=1e-12)
    for method in METHODS:
        low, high = paired.interval(differences[0], method, resamples=100)
        assert low <= high
    low, high = paired.interval(differences[0])
    assert low <= differences.mean() <= high
    assert paired.effect(-differences).tolist() == (-paired.effect(differences)).tolist()
    assert paired.cliff(*pair) == -paired.cliff(*pair[::-1])
    signs = np.sign(pair[0][:, None] - pair[1])
    assert paired.cliff(*pair) == pytest.approx(signs.mean())


@pytest.mark.parametrize("margin", [0.01, 0.1])
def test_tost_is_two_tests_of_scipy(margin):
    row = np.subtract(*np.random.default_rng(3).random((2, 30)))
    below = stats.ttest_1samp(row, -margin, alternative="greater").pvalue
    above = stats.ttest_1samp(row, margin, alternative="less").pvalue
    assert paired.equivalence(row[None], margin)[0] == pytest.approx(max(below, above), **ALMOST)
    assert paired.at_least(row[None], -margin)[0] == pytest.approx(below, **ALMOST)
    assert paired.at_least(-row[None], -margin)[0] == pytest.approx(above, **ALMOST)


@pytest.mark.slow
@pytest.mark.parametrize("margin", [0.01, 0.1])
def test_tost_is_that_of_statsmodels(margin):
    from statsmodels.stats.weightstats import ttost_paired

    values, baseline = np.random.default_rng(3).random((2, 30))
    differences = (values - baseline)[None]
    p, lower, upper = ttost_paired(values, baseline, -margin, margin)
    assert paired.equivalence(differences, margin)[0] == pytest.approx(p, **ALMOST)
    assert paired.at_least(differences, -margin)[0] == pytest.approx(lower[1], **ALMOST)
    assert paired.at_least(-differences, -margin)[0] == pytest.approx(upper[1], **ALMOST)


@pytest.mark.slow
@pytest.mark.parametrize("queries", [6, 10, 43, 500])  # of fewer its own power may be nan
@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (0.01, 0.95)])
def test_detectable_has_the_power_that_statsmodels_says(queries, alpha, power):
    from statsmodels.stats.power import TTestPower

    row = normal(1, queries)[0]
    size = paired.detectable(row, alpha=alpha, power=power) / row.std(ddof=1)
    assert TTestPower().power(size, queries, alpha) == pytest.approx(power, abs=1e-9)


@pytest.mark.parametrize(("queries", "alpha"), [(2, 1e-4), (3, 0.01), (3, 0.05), (4, 0.2), (10, 0.05), (43, 0.01)])
def test_detectable_has_its_power_by_scipys_noncentral_t(queries, alpha):
    row = normal(1, queries)[0]
    shift = paired.detectable(row, alpha=alpha) / row.std(ddof=1) * math.sqrt(queries)
    critical = stats.t.isf(alpha / 2, queries - 1)
    assert stats.nct.sf(critical, queries - 1, [shift, -shift]).sum() == pytest.approx(0.8, abs=1e-9)


def test_a_power_below_alpha_needs_no_difference():
    assert paired.detectable(normal(1, 10)[0], alpha=0.5, power=0.4) == 0.0


def by_definition(p, correction):
    """Bonferroni: n times each. Holm: of the sorted ones n, n - 1, ..., 1 times each, and the largest so far."""
    n = len(p)
    if correction == "bh":
        return stats.false_discovery_control(p)
    if correction == "bonferroni":
        return np.minimum(np.array(p) * n, 1)
    found, largest = np.empty(n), 0.0
    for rank, at in enumerate(sorted(range(n), key=p.__getitem__)):
        found[at] = largest = max(largest, min((n - rank) * p[at], 1))
    return found


@pytest.mark.parametrize("correction", ["bonferroni", "holm", "bh"])
@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_corrections_are_as_defined(correction, p):
    assert correct_p_values(np.array(p), correction) == pytest.approx(
        by_definition(p, correction), rel=1e-12, abs=1e-15
    )
    with_holes = correct_p_values(np.array([math.nan, *p, math.nan]), correction)
    assert np.isnan(with_holes[[0, -1]]).all()
    assert with_holes[1:-1] == pytest.approx(by_definition(p, correction), rel=1e-12, abs=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize(("correction", "name"), [("bonferroni", "bonferroni"), ("holm", "holm"), ("bh", "fdr_bh")])
@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_corrections_are_those_of_statsmodels(correction, name, p):
    from statsmodels.stats.multitest import multipletests

    expected = multipletests(p, method=name)[1]
    assert correct_p_values(np.array(p), correction) == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_no_correction_and_nothing_to_correct():
    assert correct_p_values(np.array([0.02, 0.03]), "none").tolist() == [0.02, 0.03]
    assert np.isnan(correct_p_values(np.array([math.nan]), "holm")).all()


@given(
    st.integers(1, 9).flatmap(
        lambda queries: st.tuples(
            arrays.arrays(np.int64, (40, queries), elements=st.integers(-3, 3)).filter(np.any),
            arrays.arrays(np.float64, (3, queries), elements=st.sampled_from([0.1, -0.2, 0.3, 1.0, 1e12, 1e-9, 0.0])),
        )
    ),
    st.sampled_from([0, 1e-13, 0.5]),
)
def test_leading_digits_count_the_same_resamples_as_all_digits(drawn, share):
    times, differences = drawn
    divisor, center = differences.shape[1], differences.mean(axis=1)
    values = multiply_counts(times, differences.T) / divisor - center
    observed = np.abs(values[0]) * (1 - share)  # as far as one of the resamples, so that ties are met
    expected = (np.abs(values) >= observed).sum(axis=0)
    assert paired._count_extreme(times, differences, divisor, center, observed).tolist() == expected.tolist()


def test_a_measure_that_cannot_be_tested_leaves_the_others_their_p_values():
    row = [0.1, 0.2, 0.3, 0.1]
    expected = stats.ttest_1samp(row, 0, alternative="greater").pvalue
    found = paired.at_least(np.array([row, [np.nan, *row[1:]]]), 0)
    assert found == pytest.approx([expected, np.nan], nan_ok=True, **ALMOST)
    assert np.isnan(paired.at_least(np.array([[np.nan, *row[1:]]]), 0)).all()


@pytest.mark.parametrize("scale", [1.0, 1e6, 1e12, -1e6])
def test_cliffs_delta_takes_values_for_equal_relative_to_their_size(scale):
    """Of the four pairs, one is equal but for rounding; 1 is below 3, 2 above 1 and below 3."""
    nearly = scale * (1 + 1e-13)
    found = paired.cliff(np.array([scale, 2 * scale]), np.array([nearly, 3 * scale]))
    assert found == math.copysign(0.25, -scale)
    apart = scale * (1 + 1e-9)
    assert paired.cliff(np.array([scale]), np.array([apart])) == math.copysign(1, -scale)


def test_10000_resamples_of_seed_0_are_drawn_if_nothing_else_is_asked():
    differences, asked = normal(2, 40), {"resamples": 10_000, "seed": 0}
    for test in ("randomization", "bootstrap"):
        assert paired.p_values(differences, test).tolist() == paired.p_values(differences, test, **asked).tolist()
    ends = paired.intervals(differences, "bca")
    assert ends.tolist() == paired.intervals(differences, "bca", confidence=0.95, **asked).tolist()
    assert paired.interval(differences[0], "bca") == tuple(ends[0].tolist())


@pytest.mark.parametrize(("confidence", "alpha"), [(0.95, 0.05), (0.9, 0.1), (0.7, 0.3)])
def test_a_difference_is_shown_from_what_confidence_leaves(confidence, alpha):
    assert Procedure(confidence=confidence).alpha == alpha


@pytest.mark.parametrize("power", [0.01, 0.05])
def test_a_power_that_chance_has_needs_no_difference(power):
    assert paired.detectable(normal(1, 20)[0], alpha=0.05, power=power) == 0.0
