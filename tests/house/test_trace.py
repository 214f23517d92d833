"""Data's way stays short: one number passes few functions, and none is called from far."""

import pytest

from benchmarks import trace


@pytest.fixture(scope="module")
def passed():
    return trace.figures()["NFaiRR@10 from counts"]


def test_one_number_passes_few_functions(passed):
    assert passed[0] <= 130


def test_nothing_is_called_from_far(passed):
    _, deep, way = passed
    assert deep <= 12, way
    assert way.startswith("cli/__init__.py main > cli/__init__.py _run > cli/eval.py command > ")
