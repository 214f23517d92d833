"""How functions that evaluate runs are called: the runs in their place, and the qrels by name."""

import inspect
from collections.abc import Callable
from functools import wraps
from numbers import Number
from typing import ParamSpec, TypeVar

from fairtrec.evaluation.inputs.options import refuse_unknown_options
from fairtrec.support.errors import UsageError

LISTS = ("requirements", "by", "vary", "query", "what_if", "require")  # texts, or one
Called = ParamSpec("Called")
Returned = TypeVar("Returned")


def advise_name(shape: str) -> str:
    """Write how a function is called, in which the qrels have their name."""
    return f"pass qrels by name: {shape}"


def require_names(function: Callable[Called, Returned]) -> Callable[Called, Returned]:
    """Refuse qrels by place, as other programs take them first: swapped grades and scores would give a value.

    >>> @require_names
    ... def evaluate(measures, runs, *, qrels=None): ...
    >>> evaluate("nDCG@10", "qrels.txt", "bm25.run")
    Traceback (most recent call last):
    fairtrec.support.errors.UsageError: pass qrels by name: evaluate(measures, runs, qrels=...)
    """
    parameters = inspect.signature(function).parameters.values()
    places = [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
    shape = f"{function.__name__}({', '.join(places)}, qrels=...)"

    @wraps(function)
    def call(*given: Called.args, **named: Called.kwargs) -> Returned:
        if len(given) > len(places):
            raise UsageError(advise_name(shape))
        if "run" in named:
            refuse_unknown_options(["run"], ["runs"])
        for place in places[: len(given)]:
            if place in named:
                raise UsageError(f"{place} is given twice; write {shape}")
        for place in places[len(given) :]:
            if place not in named:
                raise UsageError(f"{place} is missing; write {shape}")
        for name, value in [*zip(places, given, strict=False), *named.items()]:
            if name in LISTS and (value is None or isinstance(value, Number)):
                raise UsageError(f"{name} is {value!r}; pass a text, or a list of texts")
        return function(*given, **named)

    return call
