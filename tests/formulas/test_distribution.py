"""Quotients: a divisor that is rounding of what was added up is 0."""

import numpy as np
import pytest

from fairtrec.formulas.distribution import exceeds_zero, quotient


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_what_is_rounding_goes_by_the_size_of_the_terms(size):
    assert exceeds_zero(np.array([1e-9, 1e-15]) * size, size).tolist() == [True, False]
    assert quotient(size, 1e-9 * size, size=size) == pytest.approx(1e9)
    assert np.isnan(quotient(size, 1e-15 * size, size=size))
    assert quotient(1.0, 1e-300) == pytest.approx(1e300)  # of which no size is known
