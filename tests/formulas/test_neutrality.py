"""omega against the paper's examples, a restatement in plain Python, and its laws; the discounts against their sums."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from fairtrec.formulas import discount, neutrality
from fairtrec.formulas.neutrality import ideal, ideals, omega

EVEN = np.array([0.5, 0.5])


def slow_omega(counts, target, tau):
    """Say the formula once more, document by document."""
    total = sum(counts)
    if total <= tau:
        return 1.0
    return 1 - sum(abs(count / total - share) for count, share in zip(counts, target, strict=True))


@pytest.mark.parametrize(
    ("counts", "expected"), [((10, 0), 0), ((0, 10), 0), ((6, 4), 0.8), ((8, 2), 0.4), ((5, 5), 1)]
)
def test_the_examples_of_the_paper(counts, expected):
    assert omega(np.array(counts, dtype=float), EVEN).item() == pytest.approx(expected, abs=1e-15)


def test_at_most_tau_group_terms_are_neutral():
    counts = np.array([[0, 0], [1, 0], [2, 0], [0, 3], [4, 0]], dtype=float)
    assert omega(counts, EVEN, tau=0).tolist() == [1, 0, 0, 0, 0]  # "fewer than 1", as the paper prints
    assert omega(counts, EVEN).tolist() == [1, 1, 0, 0, 0]  # "at most 1", as its program and figures
    assert omega(counts, EVEN, tau=3).tolist() == [1, 1, 1, 1, 0]


def test_the_range_of_three_groups_and_of_uneven_targets_is_not_clipped():
    assert omega(np.array([9.0, 0, 0]), np.full(3, 1 / 3)).item() == pytest.approx(-1 / 3)
    # shares (0, 1) from (.9, .1): 1 - .9 - .9
    assert omega(np.array([0.0, 7]), np.array([0.9, 0.1])).item() == pytest.approx(-0.8)


def test_infinite_counts_stand_for_the_least_neutral_document():
    target = np.array([0.5, 0.3, 0.2])
    worst = omega(np.full(3, np.inf), target).item()
    assert worst == pytest.approx(2 * 0.2 - 1)
    assert worst == pytest.approx(omega(np.array([0.0, 0, 5]), target).item())
    assert omega(np.array([[np.inf, np.inf]]), EVEN, tau=5).item() == 0


def test_what_is_not_there_is_nan():
    assert np.isnan(omega(np.array([np.nan, np.nan]), EVEN)).all()
    assert np.isnan(omega(np.array([[0.0, 0], [3, 1], [np.inf, np.inf]]), np.full(2, np.nan))).all()


def test_many_documents_are_rated_some_at_a_time_as_each_is_by_itself(monkeypatch):
    counts = np.random.default_rng(1).poisson(1.5, (40_000, 3)).astype(np.float64)
    counts[7], counts[99], counts[39_999] = np.nan, 0.25, 1e300  # of pieces that have no table of their rows
    target = np.array([0.5, 0.3, 0.2])
    monkeypatch.setattr(neutrality, "PIECE", 1000)
    found = omega(counts.reshape(200, 200, 3), target[None, None])
    each = np.concatenate([omega(part, target) for part in np.split(counts, 4000)])
    assert found.tobytes() == each.tobytes()


@pytest.mark.parametrize("several", [1, 3, 7])
def test_ideals_are_found_some_queries_at_a_time_as_each_is_by_itself(monkeypatch, several):
    random = np.random.default_rng(2)
    worth, there = random.choice([-0.5, 0.0, 0.25, 1.0], (50, 20)), random.integers(0, 2, (50, 20))
    there[3] = 0
    monkeypatch.setattr(neutrality, "PIECE", 20 * several)
    each = np.concatenate([ideals(worth[i : i + 1], there[i : i + 1], 9) for i in range(50)])
    assert ideals(worth, there, 9).tobytes() == each.tobytes()
    worth[49, 0], there[49, 0] = np.nan, 1
    assert ideals(worth, there, 9) is None


@st.composite
def documents(draw):
    groups = draw(st.integers(2, 4))
    counts = draw(hnp.arrays(np.int64, (draw(st.integers(1, 5)), groups), elements=st.integers(0, 12)))
    target = draw(hnp.arrays(np.float64, groups, elements=st.floats(0, 1)))
    target = target + 1e-3
    return counts.astype(float), target / target.sum()


@given(documents(), st.integers(0, 6))
def test_omega_is_the_slow_omega(given_documents, tau):
    counts, target = given_documents
    expected = [slow_omega(row, target, tau) for row in counts.tolist()]
    np.testing.assert_allclose(omega(counts, target, tau), expected, atol=1e-12)
    assert np.all(omega(counts, target, tau) >= 2 * target.min() - 1 - 1e-12)
    assert np.all(omega(counts, target, tau) <= 1)


@given(documents(), st.lists(st.booleans(), min_size=5, max_size=5))
def test_each_different_row_of_counts_is_listed(given_documents, known):
    counts = np.where(np.array(known)[: len(given_documents[0]), None], given_documents[0] % 9, np.nan)
    kinds, number = neutrality._kinds_of(counts)
    np.testing.assert_array_equal(kinds[number], counts)


def test_rows_are_listed_up_to_a_number(monkeypatch):
    counts = np.array([[1.0, 0.0], [0.0, 2.0]])  # 0, 1 or nan next to 0, 1, 2 or nan
    monkeypatch.setattr(neutrality, "KINDS", 12)
    assert len(neutrality._kinds_of(counts)[0]) == 12
    monkeypatch.setattr(neutrality, "KINDS", 11)
    assert neutrality._kinds_of(counts) is None


@pytest.mark.parametrize("odd", [-1.0, 0.5, np.inf])
def test_rows_of_other_numbers_than_counts_are_not_listed(odd):
    assert neutrality._kinds_of(np.array([[1.0, 0.0], [0.0, odd]])) is None


@given(documents(), st.integers(0, 6), st.randoms())
def test_laws(given_documents, tau, random):
    counts, target = given_documents
    groups = len(target)
    order = random.sample(range(groups), groups)
    before = omega(counts, target, tau)
    np.testing.assert_allclose(omega(counts[:, order], target[order], tau), before, atol=1e-12)
    even = np.full(groups, 1 / groups)
    np.testing.assert_allclose(omega(counts[:, order], even, tau), omega(counts, even, tau), atol=1e-12)
    assert np.all(omega(counts, target, tau + 1) >= before - 1e-15)
    many = counts.sum(axis=1) > tau
    np.testing.assert_allclose(omega(2 * counts, target, tau)[many], before[many], atol=1e-12)


def test_the_discounts_are_those_of_the_specification():
    assert discount.log2(5).sum() == pytest.approx(2.9484591188793923, abs=1e-14)
    assert discount.log2(10).sum() == pytest.approx(4.543559338088346, abs=1e-14)
    assert discount.log2(20).sum() == pytest.approx(7.040268381923513, abs=1e-14)
    assert discount.log2(0).tolist() == discount.rank_averages(0).tolist() == []


@given(st.integers(1, 60))
def test_the_weights_of_averaged_ranks_are_a_mean_of_means(n):
    expected = [math.fsum(1 / x for x in range(i, n + 1)) / n for i in range(1, n + 1)]
    np.testing.assert_allclose(discount.rank_averages(n), expected, rtol=1e-13)
    assert discount.rank_averages(n).sum() == pytest.approx(1, abs=1e-13)


@given(
    st.lists(st.tuples(st.integers(-4, 4), st.integers(0, 1)), min_size=1, max_size=6), st.integers(1, 7)
)  # fmt: skip
def test_the_best_down_to_each_rank_takes_documents_that_there_are(kinds, cutoff):
    worth, documents = np.array(kinds, dtype=float).T[:, None] / [[[4.0]], [[1.0]]]
    falling = sorted(worth[documents > 0].tolist(), reverse=True)
    weights = discount.log2(cutoff)
    wanted = [sum(weights[at] * each for at, each in enumerate(falling[:rank])) for rank in range(1, cutoff + 1)]
    found = ideals(worth, documents.astype(np.int64), cutoff)[0]
    assert found == pytest.approx(wanted if falling else [np.nan] * cutoff, nan_ok=True)
    assert ideal(worth, documents.astype(np.int64), cutoff)[0] == pytest.approx(found[-1], nan_ok=True)
