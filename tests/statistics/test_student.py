"""Critical values against those of mpmath at 30 digits, with a scipy that is right to 11 of them and one that is exact."""

import pytest
from scipy import special

from fairtrec.statistics.student import critical_t

EXACT = {  # freedom: findroot of 1 - betainc(v/2, 1/2, 0, v/(v + t^2)) / 2 - 0.975
    5: 2.57058183563631551469624621744,
    11: 2.2009851600916398678772003617,
    29: 2.04522964213270429819377222151,
    42: 2.01808170281844468147030485581,
    199: 1.97195654425175385433312213497,
}


@pytest.mark.parametrize("error", [0, 4e-12, -1e-9])
@pytest.mark.parametrize("freedom", EXACT)
def test_a_critical_value_is_exact_whatever_scipy_gives(monkeypatch, freedom, error):
    given = special.stdtrit
    monkeypatch.setattr(special, "stdtrit", lambda *arguments: given(*arguments) * (1 + error))
    assert critical_t(freedom, 0.025) == pytest.approx(EXACT[freedom], rel=2e-15)


@pytest.mark.parametrize(("freedom", "tail"), [(1, 1e-12), (3.7, 0.4999), (2, 1e-300), (1e6, 0.025)])
def test_an_extreme_tail_has_a_critical_value(freedom, tail):
    assert special.stdtr(freedom, -critical_t(freedom, tail)) == pytest.approx(tail, rel=1e-9)
