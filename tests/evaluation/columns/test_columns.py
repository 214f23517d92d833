"""Every column that may stand next to a value keeps the laws of ScoreColumn, and every format prints it."""

from dataclasses import replace
from importlib import import_module
from itertools import chain
from pkgutil import iter_modules

import numpy as np
import pytest

import fairtrec
from fairtrec.evaluation import columns
from fairtrec.evaluation.answers.scores import QueryColumn, ScoreColumn, fill_undefined, join_scores
from fairtrec.evaluation.columns.gaps import gaps
from fairtrec.evaluation.slices import split_result
from fairtrec.report.cells import followers, write_suffix
from fairtrec.report.results import objects
from fairtrec.report.writers import RESULTS

RUN = {
    "q1": {"a": 3.0, "b": 3.0, "c": 1.0, "d": 0.5},
    "q2": {"b": 2.0, "d": 2.0, "a": 1.0},
    "q3": {"c": 4.0, "a": 3.0, "d": 3.0, "b": 1.0},
    "q4": {"d": 2.0, "c": 1.0, "b": 1.0},
}
LABELS = {"a": "f", "b": "m", "c": "f", "d": "m"}
SOME = {"a": "f", "b": "m", "c": "f"}  # nobody has said what d is
MEASURES = "AWRF@2 EER@3"
GIVEN = {  # by the name of the column
    "ties": {"labels": LABELS, "bounds": "ties"},
    "orders": {"labels": LABELS, "bounds": "orders"},
    "unknown": {"labels": SOME, "bounds": "labels"},
    "gold": {"labels": LABELS, "gold": LABELS | {"a": "m"}},
    "pooled": {"labels": LABELS, "pool": "even"},
    "confidence": {"labels": LABELS},
    "mixed_ties": {"labels": LABELS},
}
QUIET = {"mixed_ties"}  # whose numbers stand in JSON only, and in notes
SHOWN = {"table", "json", "jsonl", "md", "latex", "html", "parquet"}  # formats that have notes or all numbers
ORDER = {name: [name, "mixed_ties"] for name in GIVEN} | {
    "mixed_ties": ["mixed_ties"],
    "confidence": ["mixed_ties", "confidence"],
}


def whole_result_of(name, measures=MEASURES, run=RUN):
    result = fairtrec.evaluate(measures, {"run": run}, **GIVEN[name])
    return result.with_confidence(0.9) if name == "confidence" else result


def result_of(name, **keywords):
    """Give a result with this column and no other."""
    result = whole_result_of(name, **keywords)
    alone = [{key: each for key, each in scores.columns.items() if key == name} for scores in result.scores]
    several = zip(result.scores, alone, strict=True)
    return replace(result, scores=tuple(replace(scores, columns=columns) for scores, columns in several))


def scores_of(name, **keywords):
    return result_of(name, **keywords).scores[0]


def without(scores):
    return replace(scores, columns={})


def found_in(scores):
    """All that formats ask the columns of a run for, as text."""
    rows = range(len(scores.measures))
    described = [[column.describe_mean(scores, row) for row in rows] for column in scores.columns.values()]
    queries = [column.describe_queries(scores, [*map(str, scores.measures)]) for column in scores.columns.values()]
    several = [
        scores.totals,
        [of.details for of in scores.other_values.values()],
        scores.decisions,
        [scores.numbers(row) for row in rows],
        [[f"{value:.9f}" for value in each.values.ravel()] for each in scores.ends.values()],
        [write_suffix(scores, query, 6) for query in (None, *range(len(scores.qids)), *scores.totals)],
        [followers(scores, of, 6) for of in (None, *scores.totals)],
    ]
    return str([described, queries, *several]).replace("-0.0", "0.0")


def defined():
    """The columns that the folder defines, by name."""
    modules = [import_module(f"{columns.__name__}.{each.name}") for each in iter_modules(columns.__path__)]
    kinds = [kind for module in modules for kind in vars(module).values() if isinstance(kind, type)]
    return {kind.name: kind for kind in kinds if issubclass(kind, ScoreColumn) and hasattr(kind, "name")}


def test_every_column_is_tried_here():
    assert defined().keys() == {*GIVEN, "gaps", "group_gaps", "compared_slices"}  # of slices, with tests of their own


def test_no_question_has_a_single_answer():
    asked = [name for name, each in vars(ScoreColumn).items() if not name.startswith("_") and name != "name"]
    own = {name: {*chain(*map(vars, kind.__mro__[:-2]))} for name, kind in defined().items()}
    answers = {name: {column for column, given in own.items() if name in given} for name in asked}
    assert {name for name, columns in answers.items() if len(columns) == 1} == set()
    assert [name for name, columns in answers.items() if not columns] == ["corrects_means", "find_all"], (
        "made of answers"
    )


@pytest.mark.parametrize("name", GIVEN)
def test_it_stands_next_to_values_that_it_does_not_change(name):
    scores = scores_of(name)
    plain = fairtrec.evaluate(MEASURES, {"run": RUN}, labels=GIVEN[name]["labels"], missing="error").scores[0]
    assert [*whole_result_of(name).scores[0].columns] == ORDER[name]
    assert type(scores.columns[name]) is defined()[name]
    assert scores.values.tobytes() == plain.values.tobytes()
    assert scores.means.tobytes() == plain.means.tobytes()


@pytest.mark.parametrize("name", [name for name in GIVEN if name != "confidence"])
@pytest.mark.parametrize("turned", [False, True])
def test_parts_that_are_joined_are_the_whole(name, turned):
    order = MEASURES.split()[::-1] if turned else MEASURES.split()
    whole = scores_of(name, measures=order)
    first, second = (scores_of(name, measures=each) for each in MEASURES.split())
    both = join_scores(whole.measures, first, second)
    assert found_in(both) == found_in(whole)
    for pair in ((without(first), second), (first, without(second))):
        assert join_scores(whole.measures, *pair).columns == {}, "it is kept if both have it"


@pytest.mark.parametrize("name", GIVEN)
@pytest.mark.parametrize("kept", [["q1", "q3"], ["q2"], ["q1", "q2", "q3", "q4"]])
def test_some_queries_are_an_evaluation_of_these(name, kept):
    scores = scores_of(name)
    some = scores.keep_queries([scores.qids.index(qid) for qid in kept])
    assert some.qids == tuple(kept)
    assert found_in(some) == found_in(scores_of(name, run={qid: RUN[qid] for qid in kept}))


@pytest.mark.parametrize("name", GIVEN)
@pytest.mark.parametrize("row", [0, 1])
def test_some_measures_are_an_evaluation_of_these(name, row):
    one = scores_of(name).keep_measures([row])
    assert found_in(one) == found_in(scores_of(name, measures=MEASURES.split()[row]))


@pytest.mark.parametrize("name", GIVEN)
def test_undefined_values_count_as_something_and_others_stay(name):
    scores = scores_of(name)
    assert fill_undefined(scores, "0") is scores, "nothing is undefined"
    values = scores.values.copy()
    values[:, 0] = np.nan
    column = scores.columns[name]
    if isinstance(column, QueryColumn):
        ends = {end: np.where(np.isnan(values), np.nan, each) for end, each in column.ends().items()}
        column = replace(column, **ends)
    zero = fill_undefined(replace(scores, values=values, columns={name: column}), "0")
    assert (zero.values[:, 0] == 0).all()
    for end, each in zero.ends.items():
        assert (each.values[:, 0] == 0).all()
        assert each.values[:, 1:].tobytes() == scores.ends[end].values[:, 1:].tobytes()


@pytest.mark.parametrize("form", RESULTS.forms)
@pytest.mark.parametrize("name", GIVEN)
def test_every_format_prints_it(name, form):
    if form == "parquet":
        pytest.importorskip("pyarrow")
    result = result_of(name)
    plain = replace(result, scores=tuple(map(without, result.scores)))
    several = RESULTS.forms[form].queries
    view = {"per_query": several, "places": 6}
    printed = {each: RESULTS(form, of, **view) for each, of in (("with", result), ("without", plain))}
    printed = {each: text if isinstance(text, bytes) else "".join(text).encode() for each, text in printed.items()}
    assert (printed["with"] != printed["without"]) == (name not in QUIET or form in SHOWN)


@pytest.mark.parametrize("name", GIVEN)
def test_numbers_of_means_have_one_name_everywhere(name):
    scores = scores_of(name)
    column = scores.columns[name]
    for row in range(len(scores.measures)):
        numbers = column.numbers(scores, row)
        assert {cell.name for cell in column.cells} <= {*numbers}
        assert numbers.items() <= {**column.describe_mean(scores, row)}.items()
        assert objects._mean(scores, row).keys() >= numbers.keys()


def test_gaps_stand_next_to_no_value():
    result = result_of("confidence")
    found = gaps(dict(split_result(result, {"one": ["q1", "q2"], "other": ["q3", "q4"]})))
    for part in found.values():
        assert [*part.scores[0].columns] == ["gaps"]
        assert all(text.startswith(" o") for text in write_suffix(part.scores[0], None, 4))
        assert {"of", "low", "high"} <= objects._mean(part.scores[0], 0).keys()
    assert gaps(dict(split_result(result_of("gold"), {"one": ["q1"], "other": ["q3"]}))) == {}, "means are corrected"
