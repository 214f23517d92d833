"""Functions that evaluate runs take the qrels by name only, and say how they are called."""

import inspect
import math
import re

import pandas as pd
import pyarrow as pa
import pytest

import fairtrec

RUN = {"1": {"a": 2.0, "b": 1.0}}
QRELS = {"1": {"a": 1, "b": 2}}
OFFERED = {name: getattr(fairtrec, name) for name in fairtrec.__all__}
SIGNATURES = {name: inspect.signature(each) for name, each in OFFERED.items() if inspect.isfunction(each)}
CALLS = {
    name: [each.name for each in found.parameters.values() if each.kind is each.POSITIONAL_OR_KEYWORD]
    for name, found in SIGNATURES.items()
    if {"runs", "qrels"} <= found.parameters.keys() and name != "validate"
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
    assert len(CALLS) >= 3  # of the core
    assert all(places[-1] == "runs" for places in CALLS.values())
    assert all(SIGNATURES[name].parameters["qrels"].kind is inspect.Parameter.KEYWORD_ONLY for name in CALLS)


def test_a_session_takes_qrels_by_stance():
    (asked,) = fairtrec.evaluate("nDCG@2", RUN, qrels=QRELS).scores
    assert fairtrec.evaluator("nDCG@2", QRELS).scores(RUN).means.tolist() == asked.means.tolist()


FRAME = {"qid": ["q4", "q4"], "docno": ["d2", "d12"]}
FAULTS = [
    ({"bm25": {"q4": {"d2": 1.0, "d12": math.nan}}}, "the score of document d12 under query q4 of the run bm25 is nan"),
    ({"bm25": {"q4": {"d2": 1.0, "d12": "high"}}}, "the score of document d12 under query q4 of the run bm25 is high"),
    ({"bm25": {"q4": {"d2": 1.0, "d12": None}}}, "the score of document d12 under query q4 of the run bm25 is None"),
    ({"q4": {"d2": 1.0, "d12": None}}, "the score of document d12 under query q4 of the run is None"),
    ({"r": pd.DataFrame(FRAME | {"score": [1, math.nan]})}, "score of document d12 under query q4 of the run r is nan"),
    ({"r": pd.DataFrame(FRAME | {"score": ["1", "x"]})}, "score of document d12 under query q4 of the run r is x"),
    ({"r": pa.table(FRAME | {"score": [1, None]})}, "score of document d12 under query q4 of the run r is None"),
    ({"bm25": {"q4": {"d1": 1.0}, "q5": 3}}, "cannot read 3 as the documents of query q5 in the run bm25; pass"),
    ({"q4": {"d1", "d2"}}, "cannot read this as the documents of query q4 in the run; pass {docno: score}"),
    (True, "cannot read True as run; pass a path, {qid: {docno: score}}"),
]


@pytest.mark.parametrize(("run", "said"), FAULTS)
def test_a_fault_of_a_run_names_its_query_and_document(run, said):
    with pytest.raises(fairtrec.InputError, match=re.escape(said)):
        fairtrec.evaluate("nDCG@2", run, qrels=QRELS)


@pytest.mark.parametrize(
    ("qrels", "said"),
    [
        ({"q4": {"d2": 1, "d12": math.nan}}, "the grade of document d12 under query q4 of the qrels is nan"),
        ({"q4": {"d2": 1, "d12": 0.5}}, "the grade of document d12 under query q4 of the qrels is 0.5"),
        ({"q4": {"d2": 1, "d12": None}}, "the grade of document d12 under query q4 of the qrels is None"),
        (pd.DataFrame(FRAME | {"rel": [1, 0.5]}), "the grade of document d12 under query q4 of the qrels is 0.5"),
        ({"q4": 1}, "cannot read 1 as the documents of query q4 in the qrels; pass {docno: relevance}"),
    ],
)
def test_a_fault_of_qrels_names_its_query_and_document(qrels, said):
    with pytest.raises(fairtrec.InputError, match=re.escape(said)):
        fairtrec.evaluate("nDCG@2", RUN, qrels=qrels)


GIVEN = ("labels", "terms", "docs", "counts", "stances", "queries", "gold", "background", "counterfactual")
WORDS = r"\b(int|float|bool|str|dict|NoneType|object|ndarray|Series|iterable|attribute|subscriptable)\b"


@pytest.mark.parametrize("name", GIVEN)
@pytest.mark.parametrize(
    "thing",
    [3, True, object(), [3], {"a": object()}, {"a": [[]]}],
    ids=["number", "truth", "object", "list", "dict", "nested"],
)
def test_no_message_speaks_of_types(name, thing):
    beside = {"labels": {"a": "f", "b": "m"}} if name in ("gold", "queries", "background") else {}
    beside |= {"terms": {"f": ["she"], "m": ["he"]}} if name == "docs" else {"docs": {}} if name == "terms" else {}
    measure = {
        "stances": "DUO@2",
        "counterfactual": "CRBO@2",
        "docs": "ARaB@2",
        "terms": "ARaB@2",
        "counts": "ARaB@2",
    }
    try:
        fairtrec.evaluate(measure.get(name, "AWRF@2"), RUN, **beside | {name: thing})
    except fairtrec.FairtrecError as fault:
        said = str(fault).partition("; docs/convert.md")[0].replace("frame", "")
        assert not re.search(WORDS, said), said


def test_a_series_is_read_as_a_dict():
    run, qrels = {"1": pd.Series(RUN["1"])}, {"1": pd.Series(QRELS["1"])}
    expected = fairtrec.evaluate("nDCG@2", RUN, qrels=QRELS).means["run"]
    assert fairtrec.evaluate("nDCG@2", run, qrels=qrels).means["run"] == expected
    assert fairtrec.evaluate("nDCG@2", {"run": run}, qrels=pd.Series(QRELS)).means["run"] == expected
    assert fairtrec.evaluate("nDCG@2", pd.Series(RUN), qrels=QRELS).means["run"] == expected
    for measure, given in (
        ("AWRF@2", {"labels": {"a": "f", "b": "m"}}),
        ("DUO@2", {"stances": {"a": 1.0, "b": -1.0}}),
        ("ARaB@2", {"docs": {"a": "she", "b": "he"}, "terms": {"f": ["she"], "m": ["he"]}}),
    ):
        several = {name: pd.Series(thing) for name, thing in given.items()}
        asked = fairtrec.evaluate(measure, RUN, **given)
        assert str(fairtrec.evaluate(measure, RUN, **several)) == str(asked)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: fairtrec.check(3, RUN, qrels=QRELS), "requirements is 3; pass a text, or a list of texts"),
        (lambda: fairtrec.evaluate("RR", RUN, qrels=QRELS, jobs="2"), "jobs is '2'; it must be a whole number"),
        (lambda: fairtrec.evaluate("RR", RUN, qrels=QRELS, samples="no"), "samples= is 'no'; it must be True or False"),
        (lambda: fairtrec.compare(3), "this is not a result; pass what evaluate or read_results returns"),
        (
            lambda: fairtrec.compare(fairtrec.evaluate("RR", {"a": RUN, "b": RUN}, qrels=QRELS), slices={"s": 3}),
            "the queries of the slice s are 3; pass a list of qids",
        ),
    ],
)
def test_arguments_of_another_kind_are_refused(call, said):
    with pytest.raises(fairtrec.UsageError, match=f"^{re.escape(said)}$"):
        call()
