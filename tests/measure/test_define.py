"""A measure from a function: its parameters, its page, its values, and what is refused."""

import pickle

import numpy as np
import pytest

import fairtrec
from fairtrec import measure
from fairtrec.commands.measures import pages
from fairtrec.measure import define, take
from fairtrec.measures.catalogue import registry
from fairtrec.support.errors import UsageError
from fairtrec.testing import MeasureContract

RUN = {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "q2": {"d3": 1.0}}
GIVEN = {"terms": {"f": ["she"], "m": ["he"]}, "docs": {"d1": "she", "d2": "it", "d3": "he"}}


@define("SpokenOf", better="neither", bounds=(0.0, None), changes=["documents were counted twice"])
def spoken(ranked, counts, *, cutoff: int = 10, least: int = 1):
    """How many documents at the top of a ranking speak of a group?

        SpokenOf@k = number of ranks i = 1..k whose document holds that many group terms

    Unit: documents. Better: neither. Empty ranking: 0. Range: 0 to k. Undefined: never.
    Source: this test.
    """
    return (np.nan_to_num(take(counts, ranked)[:, :cutoff].sum(axis=2)) >= least).sum(axis=1)


measure.DEFINED.pop("SpokenOf")  # which tests of other files must not find


@pytest.fixture(autouse=True)
def known(monkeypatch):
    monkeypatch.setitem(measure.DEFINED, "SpokenOf", spoken)


class TestSpokenOf(MeasureContract):
    measure = spoken


def test_it_is_a_measure_like_any_other():
    result = fairtrec.evaluate("SpokenOf@1 SpokenOf(least=2)@3 SpokenOf", RUN, **GIVEN)
    # d1 and d3 hold one term, d2 none: of q1 the first, of the first three two; of q2 its only document
    assert result.per_query["run"]["SpokenOf@1"] == {"q1": 1, "q2": 1}
    assert result.per_query["run"]["SpokenOf@10"] == {"q1": 2, "q2": 1}
    assert result.per_query["run"]["SpokenOf(least=2)@3"] == {"q1": 0, "q2": 0}
    assert result.signature["values"] == "SpokenOf/2"
    assert fairtrec.evaluate([spoken(cutoff=1)], RUN, **GIVEN).means == {"run": {"SpokenOf@1": 1.0}}
    assert pickle.loads(pickle.dumps(spoken(cutoff=3))) == spoken(cutoff=3)


def test_its_docstring_is_its_page():
    page = pages.page("SpokenOf")
    assert "SpokenOf@k = number of ranks i = 1..k" in page
    assert "  least = 1" in page
    assert "  2: documents were counted twice" in page
    assert "SpokenOf" in registry.names()


@pytest.mark.parametrize("text", ["SpokenOf(least=x)", "SpokenOf(most=1)", "SpokenOf@0"])
def test_its_parameters_are_checked(text):
    with pytest.raises(UsageError, match="SpokenOf"):
        registry.parse(text)


def test_a_function_that_is_no_measure_is_refused(monkeypatch):
    monkeypatch.setattr(measure, "DEFINED", {})

    def bare(ranked): ...

    def untyped(ranked, *, cutoff=3):
        """A page."""

    with pytest.raises(UsageError, match="the measure A needs a docstring"):
        define("A")(bare)
    with pytest.raises(UsageError, match="needs a type and a default for cutoff"):
        define("A")(untyped)
    with pytest.raises(UsageError, match="needs a name of letters"):
        define("a b")(spoken.__call__)
