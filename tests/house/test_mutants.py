"""`make mutants` changes what is computed, and draws the same changes after an edit elsewhere."""

import ast
import sys
import tomllib
from importlib.util import module_from_spec, spec_from_file_location

import pytest

from fairtrec_made import REPOSITORY


@pytest.fixture(scope="module")
def mutants():
    spec = spec_from_file_location("mutants", REPOSITORY / ".ci" / "mutants.py")
    module = module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "mutants", module)  # where its dataclasses look for their types
        spec.loader.exec_module(module)
        yield module


@pytest.mark.parametrize(
    ("line", "changes"),
    [
        ("x = a < b", ["a < b -> a <= b"]),
        ("x = a + b * c", ["a + b * c -> a - b * c", "b * c -> b / c"]),
        ("x += y", ["x += y -> x -= y"]),
        ("x = -1 if not a else True", ["not a -> not not a", "-1 -> -2", "-1 if not a else True -> -1 if not a else False"]),
        ("x = rows.any(axis=1)", ["rows.any(axis=1) -> rows.all(axis=1)", "axis=1 -> axis=0"]),
        ("x = y.reshape(-1, 3)", ["y.reshape(-1, 3) -> y.reshape(-1, 4)"]),
        ("x = a is None and b in c", ["a is None and b in c -> a is None or b in c", "a is None -> a is not None", "b in c -> b not in c"]),
        ('"""A text."""', []),
        ('raise ValueError(f"{a + 1}")', []),
        ('x = f"{1 + a:.3f}" + "s"', []),
        ("x: tuple[int | None, Literal[2]]", []),
        ("x = int | None", []),
        ("x = zip(a, b, strict=True)", []),
        ("x = a > NEAR * b", ["NEAR * b -> NEAR / b"]),
        ("MOST = 1 << 22", []),
        ("FEW, MANY = 3, 10**8", ["(3, 10 ** 8) -> (4, 10 ** 8)"]),
        ("def f(a):\n    return a * 2**3", ["a * 2 ** 3 -> a / 2 ** 3", "2 ** 3 -> 2 * 3", "2 ** 3 -> 3 ** 3", "2 ** 3 -> 2 ** 4"]),
    ],
)  # fmt: skip
def test_what_is_changed(mutants, line, changes):
    assert [each.describe() for each in mutants.find_changes(ast.parse(line))] == changes


def test_a_line_that_an_import_computes_has_no_tests_of_its_own(mutants):
    source = "A = 1\n\ndef f(x=2):\n    return (x +\n            3)\n\n@cache\ndef g():\n    return 4\n"
    lines = [change.lines for change in mutants.find_changes(ast.parse(source))]
    assert lines == [None, None, range(4, 6), range(4, 6), None]


@pytest.mark.long
def test_a_draw_is_a_part_of_a_larger_one(mutants):
    few, many = (mutants.draw_mutants(0, size, ["statistics/student", "measures/awrf"]) for size in (5, 50))
    assert many[:5] == few
    assert few != mutants.draw_mutants(1, 5, ["statistics/student", "measures/awrf"])
    assert len({mutant.name for mutant in many}) == 50


@pytest.mark.parametrize(
    ("counts", "passes"),
    [((400, 12, 0), True), ((400, 13, 0), False), ((400, 1, 1), False), ((0, 0, 0), True)],
)
def test_survivors_are_few_and_named(mutants, counts, passes):
    assert mutants.judge(*counts)[0] == passes


def test_one_line_tells_how_many_survive_and_are_named(mutants):
    line = "400 drawn, 390 killed, 10 survive: 2.5% of at most 3%; 9 named in .ci/survivors.toml, 1 not"
    assert mutants.judge(400, 10, 1) == (False, line)


@pytest.mark.long
def test_survivors_that_are_named_have_a_reason_and_exist(mutants):
    named = tomllib.loads((REPOSITORY / ".ci" / "survivors.toml").read_text("utf-8"))
    texts = {mutant.name for mutant in mutants.draw_mutants(0, sys.maxsize, list(named))}
    assert {f"{path}: {text}" for path, reasons in named.items() for text in reasons} <= texts
    assert all(reason for reasons in named.values() for reason in reasons.values())
