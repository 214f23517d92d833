"""Data's way stays short: one number passes few functions, and none is called from far."""

import pytest

from benchmarks import trace

MOST = {"NFaiRR@10 from counts": 164, "P@2": 140, "headroom from counts": 288}  # functions entered


@pytest.fixture(scope="module")
def passed():
    return trace.figures()


@pytest.mark.parametrize("number", MOST)
def test_one_number_passes_few_functions(passed, number):
    assert passed[number][0] <= MOST[number]


def test_nothing_is_called_from_far(passed):
    _, deep, way = passed["NFaiRR@10 from counts"]
    assert deep <= 12, way
    assert way.startswith("cli/__init__.py main > cli/__init__.py _run > cli/eval.py command > ")
