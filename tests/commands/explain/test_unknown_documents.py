"""What each rank adds sums to the value if some documents are of unknown group."""

import pytest

import fairtrec


def test_what_each_rank_adds_sums_to_the_value_beside_unknown_documents():
    run = {"q": {docno: -float(at) for at, docno in enumerate("axbcd")}}  # of x nobody knows
    given = {"labels": {"a": "f", "b": "m", "c": {"f": 0.5, "m": 0.5}, "d": {"f": 1, "m": 1}}}
    value = fairtrec.evaluate("Exposure(group=f)@4", run, **given).per_query["run"]["Exposure(group='f')@4"]["q"]
    (query,) = fairtrec.explain("Exposure(group=f)@4", run, **given).runs[0].queries
    # weights 1, .6309298, .5 and .4306766, of x none: f has 1 + .5 * .4306766 of 1.9306766
    assert value == pytest.approx((1 + 0.2153383) / 1.9306766 - 0.5, abs=1e-7)
    adds = [each.adds for each in query.places]
    assert adds == pytest.approx([0.5 / 1.9306766, 0, -0.25 / 1.9306766, 0], abs=1e-7)
    assert sum(adds) == pytest.approx(value)
