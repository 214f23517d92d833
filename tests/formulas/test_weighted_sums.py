"""Weighted sums: exact arithmetic as the oracle, and the laws for which they are there."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from fairtrec.formulas import weighted_sums
from fairtrec.formulas.weighted_sums import multiply_counts, multiply_few, weigh, weighted_sum

ORDINARY = st.floats(-1e6, 1e6)
SHAPES = st.tuples(st.integers(0, 20), st.integers(0, 12))


def table(shape, elements=ORDINARY):
    return arrays.arrays(np.float64, shape, elements=elements)


TABLES = SHAPES.flatmap(lambda shape: st.tuples(table(shape), table(shape[1])))
CUBES = st.tuples(SHAPES, st.integers(1, 3)).flatmap(lambda of: st.tuples(table((*of[0], of[1])), table(of[0])))
PRODUCTS = st.tuples(st.integers(1, 5), st.integers(1, 9), st.integers(1, 4)).flatmap(
    lambda of: st.tuples(
        arrays.arrays(np.int64, of[:2], elements=st.integers(-50, 50)), table(of[1:], st.floats(-1e6, 1e6))
    )
)


@given(TABLES)
def test_each_product_is_rounded_and_added_from_the_first(given_tables):
    values, weights = given_tables
    expected = []
    for row in values.tolist():
        total = 0.0
        for value, weight in zip(row, weights.tolist(), strict=True):
            total += value * weight
        expected.append(total)
    assert weighted_sum(values, weights).tolist() == expected
    assert [weigh(row, weights) for row in values] == expected


@given(TABLES, st.integers(1, 200))
def test_ranks_without_a_value_change_no_bit(given_tables, more):
    values, weights = given_tables
    wide = np.pad(values, ((0, 0), (0, more)))
    assert (
        weighted_sum(wide, np.pad(weights, (0, more), constant_values=0.3)).tobytes()
        == weighted_sum(values, weights).tobytes()
    )


@pytest.mark.parametrize("is_compiled", [True, False])
def test_weights_of_one_row_are_those_of_all(is_compiled, monkeypatch):
    if not is_compiled:
        monkeypatch.setattr(weighted_sums, "extension", None)
        monkeypatch.setattr(weighted_sums, "TOGETHER", 1)  # so that each row is summed by itself
    values = np.arange(12.0).reshape(4, 3)
    assert weighted_sum(values, np.array([[1.0, 0.5, 0.25]])).tolist() == [1.0, 6.25, 11.5, 16.75]


@given(TABLES)
def test_rows_do_not_change_each_other(given_tables):
    values, weights = given_tables
    alone = [weighted_sum(row[None], weights)[0] for row in values]
    assert weighted_sum(values, weights).tolist() == alone


@given(CUBES)
def test_columns_are_sums_of_their_own(given_tables):
    values, weights = given_tables
    together = weighted_sum(values, weights)
    for column in range(values.shape[2]):
        assert together[:, column].tolist() == weighted_sum(values[:, :, column], weights).tolist()


@given(CUBES)
def test_the_compiled_sums_have_the_bits_of_their_twin(given_tables):
    values, weights = given_tables
    compiled = [weighted_sum(values, weights), weighted_sum(values[..., 0], weights)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weighted_sums, "extension", None)
        patch.setattr(weighted_sums, "TOGETHER", 7)
        twins = [weighted_sum(values, weights), weighted_sum(values[..., 0], weights)]
    assert [each.tobytes() for each in compiled] == [each.tobytes() for each in twins]


def test_values_that_are_not_finite_stay_as_they_are():
    odd = np.array([[np.inf, 1.0], [np.nan, 1.0], [1e308, 1e308]])
    assert weighted_sum(odd, np.array([1.0, 2.0])).tolist()[::2] == [np.inf, np.inf]
    assert np.isnan(weighted_sum(odd, np.array([0.0, 1.0]))[:2]).all()


@given(PRODUCTS)
def test_products_with_counts_are_exact_but_for_the_last_rounding(given_tables):
    counts, values = given_tables
    found = multiply_counts(counts, values)
    for row in range(len(counts)):
        for column in range(values.shape[1]):
            parts = [Fraction(int(n)) * Fraction(x) for n, x in zip(counts[row], values[:, column], strict=True)]
            scale = sum(map(abs, parts)) + Fraction(np.abs(values[:, column]).max())
            assert abs(Fraction(float(found[row, column])) - sum(parts)) <= scale / 2**52


@given(PRODUCTS, st.randoms())
def test_products_with_counts_do_not_depend_on_the_order(given_tables, draw):
    counts, values = given_tables
    order = list(range(counts.shape[1]))
    draw.shuffle(order)
    assert multiply_counts(counts[:, order], values[order]).tobytes() == multiply_counts(counts, values).tobytes()


def test_a_column_with_a_value_that_is_not_finite_has_none():
    found = multiply_counts(np.array([[1, 2]]), np.array([[1.0, np.nan], [1.0, 1.0]]))
    assert found[0, 0] == 3.0
    assert np.isnan(found[0, 1])
    assert multiply_counts(np.zeros((2, 0)), np.zeros((0, 3))).tolist() == np.zeros((2, 3)).tolist()


def test_stacks_of_matrices_are_multiplied_one_by_one():
    draw = np.random.default_rng(1)
    counts, values = draw.integers(0, 3, (4, 5, 6)), draw.random((4, 6, 2))
    stacked = multiply_counts(counts, values)
    assert stacked == pytest.approx(counts @ values, rel=1e-15)
    assert multiply_few(values[0], values[1, :2]) == pytest.approx(values[0] @ values[1, :2], rel=1e-15)
