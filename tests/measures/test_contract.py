"""All our measures keep the contract that those of other packages inherit."""

import re

import pytest

from fairtrec import measures
from fairtrec.evaluation.given.stances import StanceReference
from fairtrec.testing import MeasureContract
from fairtrec.testing.measures import MeasureCollection

for _name in measures.BUILT_IN:
    _laws = {"measure": getattr(measures, _name), "antisymmetric": _name in {"RaB", "ARaB"}}
    globals()[f"Test{_name}"] = type(f"Test{_name}", (MeasureContract,), _laws)


def test_what_a_given_thing_has_as_example_is_in_the_collections(monkeypatch):
    def make_example(_, qids, docnos):
        return {docno: [0.7] for docno in docnos} if "q4" in qids else None

    monkeypatch.setattr(StanceReference, "make_example", make_example)
    assert MeasureCollection.draw({"f": 1.0}).given["stances"] == {docno: [0.7] for docno in "abcdef"}


RANGE = re.compile(r"Range: \[(-?[\d.]+), ([\d.]+)[\])]")
DOCUMENTED = {name: found for name in measures.BUILT_IN if (found := RANGE.search(getattr(measures, name).__doc__))}


@pytest.mark.parametrize("name", DOCUMENTED)
def test_declared_bounds_are_the_documented_range(name):
    """Some pages say when a bound does not hold: then the measure declares none."""
    low, high = map(float, DOCUMENTED[name].groups())
    declared = getattr(measures, name)().bounds
    assert declared[0] in (low, None)
    assert declared[1] in (high, None)
    assert len(DOCUMENTED) > 15
