"""Logarithms, exponentials and powers against decimal arithmetic, and against their compiled twin."""

import math
from decimal import Decimal, getcontext, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrec.formulas import elementary

POSITIVE = st.one_of(
    st.floats(min_value=5e-324, allow_infinity=False),
    st.floats(0.5, 2.0),
    st.floats(0.99, 1.01),
    st.integers(1, 10**6).map(float),
)
SHARES = st.floats(0, 1)


@pytest.fixture(autouse=True)
def many_digits():
    with localcontext():
        getcontext().prec = 90
        yield


def ulps(value, exact):
    """How far a float is from an exact number, in units of its last place."""
    return float(abs(Decimal(value) - exact) / Decimal(math.ulp(float(exact))))


@given(POSITIVE)
def test_log_is_within_a_unit_of_the_last_place(x):
    assert ulps(float(elementary.log(np.array([x]))[0]), Decimal(x).ln()) < 0.8


@given(POSITIVE)
def test_log2_is_rounded_correctly_but_for_ties(x):
    assert ulps(float(elementary.log2(np.array([x]))[0]), Decimal(x).ln() / Decimal(2).ln()) < 0.51


def test_log2_of_powers_of_two_is_exact():
    exponents = np.arange(-1074, 1024)
    assert elementary.log2(np.ldexp(1.0, exponents)).tolist() == exponents.tolist()


def test_log2_of_counts_is_that_of_the_c_library():
    """glibc's log2 is rounded correctly for nearly all small whole numbers, as this one is for all."""
    ours = elementary.log2_of_counts(2000)[1:].tolist()
    assert sum(one != math.log2(number) for number, one in enumerate(ours, 1)) <= 2
    assert ours == pytest.approx([math.log2(number) for number in range(1, 2000)], rel=3e-16)


@given(st.floats(-1, 1e6, exclude_min=True).filter(lambda x: x == 0 or abs(x) > 1e-30))
def test_log1p_is_within_two_units_of_the_last_place(x):
    assert ulps(float(elementary.log1p(np.array([x]))[0]), (1 + Decimal(x)).ln()) < 2


@given(st.floats(-700, 700))
def test_exp_is_within_a_unit_of_the_last_place(x):
    assert ulps(float(elementary.exp(np.array([x]))[0]), Decimal(x).exp()) < 1


@given(SHARES.filter(lambda base: base > 1e-3), st.integers(0, 60))
def test_powers_are_within_a_few_units_of_the_last_place(base, exponent):
    exact = Decimal(base) ** exponent
    table = elementary.powers(base, exponent + 1)
    assert ulps(float(table[exponent]), exact) < 8
    assert table[exponent] == elementary.powers(base, 2 * exponent + 5)[exponent], "whatever the length of the table"
    assert float(elementary.raise_each(np.array([base]), np.array([exponent]))[0]) == pytest.approx(
        float(exact), rel=1e-13
    )


@given(SHARES, st.floats(0, 40))
def test_broken_powers_are_those_of_python(base, exponent):
    assert float(elementary.power(base, np.array([exponent]))[0]) == pytest.approx(
        base**exponent, rel=1e-12, abs=1e-300
    )


def test_special_values():
    assert elementary.log(np.array([0.0, -0.0, np.inf])).tolist() == [-np.inf, -np.inf, np.inf]
    assert np.isnan(elementary.log(np.array([-1.0, np.nan, -np.inf]))).all()
    assert elementary.exp(np.array([-np.inf, np.inf, 1000.0, -1000.0])).tolist() == [0.0, np.inf, np.inf, 0.0]
    assert np.isnan(elementary.exp(np.array([np.nan]))).all()
    assert elementary.powers(2.0, 1100)[-1] == np.inf
    assert elementary.log(np.zeros((2, 0))).shape == (2, 0)
    assert elementary.power(0.5, np.zeros(0)).tolist() == []


@given(st.lists(st.floats() | st.floats(-760, 720), max_size=20))
@pytest.mark.parametrize("function", [elementary.log, elementary.log2, elementary.exp])
def test_the_compiled_loop_has_the_bits_of_its_twin(function, values):
    compiled = function(np.array(values))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elementary, "extension", None)
        twin = function(np.array(values))
    assert np.where(np.isnan(twin), np.nan, twin).tobytes() == np.where(np.isnan(compiled), np.nan, compiled).tobytes()


def test_the_first_part_of_a_logarithm_has_exact_multiples():
    """A double is at least 2^-1074 and below 2^1024; what its logarithm adds up first is not rounded."""
    two, of_c = (part[0] for part in elementary.tables()[:2])
    for power in range(-1074, 1025):
        product = power * two
        assert Fraction(product) == power * Fraction(two)
        assert Fraction(product + of_c[-1]) == Fraction(product) + Fraction(of_c[-1])


def test_logarithms_of_counts_are_kept_and_read_only():
    assert elementary.log2_of_counts(1).tolist() == [-math.inf]
    with pytest.raises(ValueError, match="read-only"):
        elementary.log2_of_counts(3)[1] = 1


def test_long_tables_of_powers_are_not_kept():
    kept = elementary._keep_powers.cache_info
    elementary.power(0.503, np.array([elementary.LONGEST_KEPT - 1]))
    before = kept().currsize
    assert elementary.power(0.503, np.array([elementary.LONGEST_KEPT])).tolist() == [0]  # smaller than any double
    assert elementary.power(1.0, np.array([elementary.LONGEST_KEPT])).tolist() == [1]
    assert kept().currsize == before
