"""Functions that evaluate runs take the qrels by name only, and say how they are called."""

import inspect

import pytest

import fairtrec

RUN = {"1": {"a": 2.0, "b": 1.0}}
QRELS = {"1": {"a": 1, "b": 2}}
CALLS = {
    "evaluate": ("measures", "runs"),
    "check": ("requirements", "runs"),
    "explain": ("measure", "runs"),
    "rerank": ("by", "runs"),
    "study": ("measures", "runs"),
    "headroom": ("runs",),
    "ablate": ("runs",),
    "select": ("runs",),
}


@pytest.mark.parametrize("name", CALLS)
def test_qrels_are_passed_by_name(name):
    function, places = getattr(fairtrec, name), CALLS[name]
    shape = rf"{name}\({', '.join(places)}, qrels=\.\.\.\)"
    with pytest.raises(fairtrec.UsageError, match=rf"^pass qrels by name: {shape}$"):
        function(*["nDCG@10"] * (len(places) - 1), QRELS, RUN)
    with pytest.raises(fairtrec.UsageError, match=r"^there is no option run; did you mean runs\?$"):
        function(*["nDCG@10"] * (len(places) - 1), run=RUN)
    with pytest.raises(fairtrec.UsageError, match=f"^runs is missing; write {shape}$"):
        function(*["nDCG@10"] * (len(places) - 1), qrels=QRELS)
    with pytest.raises(fairtrec.UsageError, match=f"^runs is given twice; write {shape}$"):
        function(*["nDCG@10"] * (len(places) - 1), RUN, runs=RUN)


def test_every_function_that_takes_runs_and_qrels_takes_these_by_name():
    several = {name: inspect.signature(getattr(fairtrec, name)) for name in CALLS}
    offered = {name: getattr(fairtrec, name) for name in fairtrec.__all__}
    functions = {name: inspect.signature(each) for name, each in offered.items() if inspect.isfunction(each)}
    both = {name for name, each in functions.items() if {"runs", "qrels"} <= each.parameters.keys()}
    assert both - {"validate"} == set(CALLS)
    assert all(each.parameters["qrels"].kind is inspect.Parameter.KEYWORD_ONLY for each in several.values())


def test_a_session_takes_qrels_by_position():
    (asked,) = fairtrec.evaluate("nDCG@2", RUN, qrels=QRELS).scores
    assert fairtrec.evaluator("nDCG@2", QRELS).scores(RUN).means.tolist() == asked.means.tolist()
