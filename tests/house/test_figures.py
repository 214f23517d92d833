"""`make figures` counts as it says, and no function takes more decisions than a reader follows."""

import sys
from importlib.util import module_from_spec, spec_from_file_location

import pytest

from fairtrec_made import REPOSITORY

MOST = 25
TOO_MANY = {  # functions of more decisions, to be split by what they settle: why they are long
    "evaluation/answers/result.py:Result.with_confidence": "asks what stands next to a value",
    "report/results/tables.py:_columns": "asks what stands next to a value",
    "commands/rerank/search.py:Search.cases": "makes the inputs of each query",
    "commands/rerank/rerank.py:rerank": "refuses what rerankers cannot heed, and goes on from an evaluation",
    "commands/compare/command.py:command": "three reports in one command",
    "evaluation/inputs/given.py:Given.__post_init__": "refuses what is given together",
    "commands/make/positions/project.py:positions": "refuses what is given together",
    "commands/check/checking.py:check": "three kinds of requirements",
    "evaluation/score.py:_measured": "asks what stands next to a value",
    "evaluation/inputs/targets.py:attribute": "a target is one of many things",
    "measures/catalogue/relevance.py:utility": "spells measures of ir_measures",
    "commands/results/difference.py:between": "compares each kind of what results hold",
}


@pytest.fixture(scope="module")
def figures():
    spec = spec_from_file_location("figures", REPOSITORY / ".ci" / "figures.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("body", "many"),
    [
        ("pass", 1),
        ("if a and b or c: pass\n    elif d: pass\n    else: pass", 5),
        ("for x in y: pass\n    else: pass", 3),
        ("while a: return b if c else d", 3),
        ("try: pass\n    except A: pass\n    except B: pass\n    else: pass\n    finally: pass", 4),
        ("return [x for x in y if x if z], lambda: 1", 4),
        ("assert a", 2),
        ("match a:\n        case 1: pass\n        case 2: pass\n        case _: pass", 3),
        ("def g():\n        if a: pass", 1),
    ],
)
def test_decisions_are_counted_as_radon_counts_them(figures, body, many):
    assert dict(figures.complexities(f"def f():\n    {body}\n"))["f"] == many


def test_no_function_takes_more_decisions_than_a_reader_follows(figures):
    found = {
        f"{path.relative_to(figures.PACKAGE).as_posix()}:{name}": many
        for path in figures.PACKAGE.rglob("*.py")
        for name, many in figures.complexities(path.read_text("utf-8"))
    }
    longer = {name for name, many in found.items() if many > MOST}
    assert longer - TOO_MANY.keys() == set(), f"split these by what they decide: {MOST} decisions are the most"
    assert TOO_MANY.keys() - longer == set(), "these are short enough now; take them off the list"


def test_the_figures_are_printed(figures, capsys):
    figures.main()
    printed = capsys.readouterr().out
    assert printed.startswith("room ")
    assert "functions of complexity 25 or more: " in printed
    assert "tests of what stands next to a value: " in printed
    assert "figures" not in sys.modules
