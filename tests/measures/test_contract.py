"""All our measures keep the contract that those of other packages inherit."""

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
