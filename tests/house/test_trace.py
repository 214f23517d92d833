"""Data's way stays short: one number passes few functions, and none is called from far."""

from benchmarks import trace


def test_one_number_passes_few_functions():
    many, deep, way = trace.figures()
    assert many <= 130
    assert deep <= 14, way
    assert way.startswith("cli/__init__.py main > cli/__init__.py _run > cli/eval.py command > ")
