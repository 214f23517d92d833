"""Data's way stays short: one number passes few functions, and none is called from far."""

import pytest

from benchmarks import trace
from fairtrec import compiled

pytestmark = pytest.mark.skipif(
    compiled.extension is None, reason="what stands for loops in C has functions of its own"
)
MOST = {"NFaiRR@10 from counts": 124, "P@2": 103, "headroom from counts": 213}  # functions entered


TWINS = 0 if compiled.extension else 3  # functions of numpy more, where loops are not in C
NUMBER = "NFaiRR@10 from counts"


def test_one_number_passes_few_functions_and_none_is_called_from_far():
    ((many, deep, way),) = trace.figures([NUMBER]).values()
    assert many <= MOST[NUMBER] + TWINS
    assert deep <= 12, way
    assert way.startswith("cli/__init__.py main > cli/eval.py command > ")


@pytest.mark.slow
def test_other_numbers_pass_few_functions():
    passed = trace.figures(MOST.keys() - {NUMBER})
    assert {name: many for name, (many, *_) in passed.items() if many > MOST[name] + TWINS} == {}
