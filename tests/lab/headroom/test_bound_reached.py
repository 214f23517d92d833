"""The bound of a front is said to be reached, or how far it is at most."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrec.lab.headroom.report import _write_gap


@given(st.floats(0, 1))
def test_a_bound_is_reached_or_has_a_distance_that_is_not_0(gap):
    written = _write_gap(gap, "above")
    if written == "reached":
        assert gap < 1e-9
    else:
        distance = float(written.removeprefix("at most ").removesuffix(" above"))
        assert distance > 0
        assert distance == pytest.approx(gap, abs=1.1e-4)
        assert distance >= gap - 1e-9
