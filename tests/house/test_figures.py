"""`make figures` counts as it says, and no function takes more decisions than a reader follows."""

import sys
from importlib.util import module_from_spec, spec_from_file_location

import pytest

from fairtrec_made import REPOSITORY
from fairtrec_made.sources import parse

MOST, LONG = 25, 20  # decisions of a function, and of one that needs a reason
EXCEPTIONS = 15  # as many functions may take as many decisions as that
REASONS = {  # why each of these takes 20 or more decisions; it is split by what it decides once it grows
    "lab/make/counterfactual/pronouns.py:_is_object": "rules of grammar, of which the first that fits decides",
    "evaluation/session.py:Evaluator.result": "what stands next to a value is put together",
    "measures/catalogue/notation.py:build_object": "each kind of parameter that a measure may be spelled with",
    "report/results/lines.py:trec": "each kind of line that trec_eval prints",
}
REASONS = {name: why for name, why in REASONS.items() if (REPOSITORY / "fairtrec" / name.partition(":")[0]).is_file()}
TOO_MANY = {  # functions of more decisions than a reader follows, to be split by what they decide
}


@pytest.fixture(scope="module")
def figures():
    spec = spec_from_file_location("figures", REPOSITORY / ".ci" / "figures.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    module.parse = parse
    return module


@pytest.mark.long
def test_no_function_takes_more_decisions_than_a_reader_follows(figures):
    found = {
        f"{path.relative_to(figures.PACKAGE).as_posix()}:{name}": many
        for path in figures.PACKAGE.rglob("*.py")
        for name, many in figures.complexities(path.read_text("utf-8"))
    }
    longer = {name for name, many in found.items() if many > MOST}
    assert longer - TOO_MANY.keys() == set(), f"split these by what they decide: {MOST} decisions are the most"
    assert TOO_MANY.keys() - longer == set(), "these are short enough now; take them off the list"
    reasoned = {name for name, many in found.items() if many >= LONG} - longer
    assert reasoned - REASONS.keys() == set(), "split these by what they decide, or say why not"
    assert REASONS.keys() - reasoned == set(), "these are short enough now; take them off the list"
    assert len(REASONS) + len(TOO_MANY) <= EXCEPTIONS
    assert all(REASONS.values())


@pytest.mark.long
def test_few_branches_ask_what_stands_next_to_a_value(figures):
    """A column says itself what it has (ScoreColumn); who asks which one it is has to be told of every new one."""
    found = {
        f"{path.relative_to(figures.PACKAGE).as_posix()}:{line}": sorted(words)
        for path in figures.PACKAGE.rglob("*.py")
        for line, words in figures.find_branches(path.read_text("utf-8"), path.relative_to(figures.PACKAGE).as_posix())
    }
    assert sum(map(len, found.values())) <= 50, found
    assert not any(place.startswith("report/results/") for place in found), "formats walk columns"


@pytest.mark.parametrize(
    ("source", "asked"),
    [
        ("if scores.ties is not None: pass", {"ties"}),
        ("x = 1 if 'pooled' in scores.columns else 2", {"pooled"}),
        ("[column for column in columns if isinstance(column, UnknownIntervals)]", {"UnknownIntervals"}),
        ("if choices.bounds == 'labels': pass", {"labels"}),
        ("if 'labels' in given: pass", None),
        ("x = scores.ties", None),
    ],
)
def test_branches_are_found(figures, source, asked):
    assert [words for _, words in figures.find_branches(source, "report/cells.py")] == ([asked] if asked else [])


def test_the_figures_are_printed(figures, capsys, monkeypatch):
    monkeypatch.setattr(figures, "PACKAGE", figures.PACKAGE / "formulas")
    figures.main()
    printed = capsys.readouterr().out
    assert printed.startswith("room ")
    assert "functions of complexity 25 or more: " in printed
    assert "tests of what stands next to a value: " in printed
    assert "figures" not in sys.modules


KEPT = {  # names by a participle or preposition that other files use: why
    "inputs of measures and rerankers, by the names that formulas have": "group_of known ranked sample_of scaled",
    "words of options, reports and documented Python": "by defined drawn given passed tied",
    "what is asked of a column or measure, named as the parameter of the same meaning": "of_mean over ungrouped wanted",
    "properties that say which or whether": "directed dominated held pointed refuted rejected",
    "the field of a file, with the type that it must have": "typed",
    "a test, by the alternative that it is against": "at_least",
    "a form's value for a measure of a lower cutoff": "value_of values_at",
    "a cell of a report": "listed",
}


@pytest.mark.long
def test_functions_have_names_that_a_reader_finds(figures):
    sources = {path.as_posix(): path.read_text("utf-8") for path in figures.PACKAGE.rglob("*.py")}
    kept = {name for names in KEPT.values() for name in names.split()}
    assert figures.find_vague_names(sources) <= kept, "name these by a verb and what it is about"


@pytest.mark.parametrize(
    ("name", "is_vague"),
    [("found", True), ("of", True), ("files_of", True), ("of_runs", True), ("joined", True), ("find_files", False)],
)
def test_vague_names_are_found(figures, name, is_vague):
    one = f"def {name}(): pass"
    assert figures.find_vague_names({"a.py": one, "b.py": f"from a import {name}"}) == ({name} if is_vague else set())
    assert figures.find_vague_names({"a.py": one, "b.py": ""}) == set(), "only its own file uses it"
