"""Measures of ours as ir_measures has them: a name, parameters, and what they are given beside a run.

That is named by parameters, which are paths, words and numbers, or bound to a name once, which is then a parameter.
"""

import dataclasses
import math
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cached_property
from typing import Any, get_args
from uuid import uuid4

import ir_measures
import numpy as np

from fairtrec.data.parameters import spell_value
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.given import SourceKeywords
from fairtrec.evaluation.inputs.options import ChoiceKeywords
from fairtrec.measure import Measure
from fairtrec.measures import BUILT_IN
from fairtrec.measures.catalogue import notation, registry
from fairtrec.support.errors import PATH, UsageError
from fairtrec.support.literals import Undefined

OURS = tuple(
    name for name, file in BUILT_IN.items() if file not in ("trec_fair_2019", "retrievability", "selection")
)  # others have no run as input, or no value of a query
_ELSEWHERE = (  # said by qrels; or of more than one value
    "queries", "complete", "samples", "aggregate", "bounds", "next_label", "prior", "collection_size",
)  # fmt: skip
_KEYWORDS = tuple(
    name for name in (*SourceKeywords.__annotations__, *ChoiceKeywords.__annotations__) if name not in _ELSEWHERE
)
_SIMPLE = (str, int, float, bool)
_bound: dict[str, "Bound"] = {}


class FairMeasure(ir_measures.Measure):
    """A measure of ours in ir_measures; two are equal if they are spelled alike, whatever the order of parameters."""

    NAME: str
    DEFAULT = math.nan

    def __init__(self, name: str, /, **params: Any) -> None:
        written = {key: _written(key, value) for key, value in params.items() if value is not None}
        super().__init__(**written)  # type: ignore[no-untyped-call]
        self.NAME = self.__name__ = name
        if params:
            str(self)  # refuses what does not fit together

    @cached_property
    def _kind(self) -> type[Measure]:
        kind = registry.find(self.NAME)
        assert kind is not None
        for name in self.params:  # TE(group='f') is a measure's own
            known = (*notation.parameters(kind), *_KEYWORDS, "given")
            _refuse_unknown(name, known, self.NAME)
        return kind

    @cached_property
    def settings(self) -> dict[str, Any]:
        """The parameters that say what it is computed from, and how; the others are the measure's own."""
        return {name: self.params[name] for name in sorted(self.params) if name not in self._kind.__dataclass_fields__}

    @cached_property
    def keywords(self) -> dict[str, Any]:
        """What that is, in the words of ``fairtrec.evaluator``; and ``undefined``, which may be a number, too."""
        own = dict(self.settings)
        return {**_find(own.pop("given")).keywords, **own} if "given" in own else own

    @cached_property
    def core(self) -> Measure:
        """The measure itself. Raises UsageError for parameters that it does not take."""
        own = {name: value for name, value in self.params.items() if name not in self.settings}
        written = notation.Spelled(self.NAME, own, None, self.NAME)
        return notation.build_object(self._kind, written, self.keywords.get("relevance_level"))

    @cached_property
    def _spelled(self) -> str:
        core = self.core
        own = {field.name: getattr(core, field.name) for field in dataclasses.fields(core) if field.name != "cutoff"}
        own = {name: value for name, value in own.items() if value != core.__dataclass_fields__[name].default}
        inside = ",".join(f"{name}={spell_value(value)}" for name, value in sorted((own | self.settings).items()))
        cutoff = "" if getattr(core, "cutoff", None) is None else f"@{core.cutoff}"  # type: ignore[attr-defined]
        return f"{self.NAME}{f'({inside})' if inside else ''}{cutoff}"

    def validate_params(self) -> None:
        """Do nothing: what does not fit was refused when it was made."""

    def aggregator(self) -> "Mean":
        """Give what makes a run's value of those of its queries."""
        return Mean(self.core)

    def __call__(self, **params: Any) -> "FairMeasure":  # noqa: D102 - as in ir_measures
        return FairMeasure(self.NAME, **{**self.params, **params})

    def __getitem__(self, name: str) -> Any:
        return getattr(self.core, name, self.params.get(name))

    def __repr__(self) -> str:
        return self._spelled

    def __reduce__(self) -> Any:
        return _restored, (self.NAME, self.params, _bound.get(self.params.get("given", "")))


class Mean(ir_measures.measures.MeanAgg):
    """The mean over the queries for which a measure is defined, or their sum, as fairtrec computes it."""

    def __init__(self, core: Measure) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.core, self.values = core, list[float]()

    def add(self, value: float) -> None:
        """Add the value of a query."""
        self.values.append(value)

    def result(self) -> float:
        """Give the value of the run; nan if it is undefined for all queries."""
        values = np.array([self.values], dtype=np.float64)
        return float(Scores("", "", (self.core,), ("",) * len(self.values), values).means[0])


class Bound:
    """Inputs of measures, bound to a name. Its attributes are measures: ``gender.NFaiRR @ 10``."""

    def __init__(self, name: str, keywords: Mapping[str, Any]) -> None:
        self.name, self.keywords, self.token = name, keywords, uuid4().hex

    def __getattr__(self, name: str) -> FairMeasure:
        if name.startswith("_") or not is_ours(name):
            raise AttributeError(f"fairtrec has no measure {name}; `fairtrec measures` lists them all")
        return FairMeasure(name, given=self.name)

    def __dir__(self) -> list[str]:
        return [*OURS]


def given(name: str, **keywords: Any) -> Bound:
    """Bind inputs of measures to a name: ``given("gender", terms=..., docs=...).NFaiRR @ 10``.

    It takes the inputs and options of ``fairtrec.evaluate`` except runs and qrels, as paths and objects.

    Raises:
        UsageError: the name already has other inputs, because equal measures would then use different data.
    """
    for option in keywords:
        _refuse_unknown(option, _KEYWORDS, f"given({name!r})")
    _written("undefined", keywords.get("undefined") or 0)
    found = _bound.setdefault(name, Bound(name, keywords))
    if found.keywords.keys() != keywords.keys() or not all(map(_same, found.keywords.values(), keywords.values())):
        raise _second(name)
    return found


def is_ours(name: str) -> bool:
    """Tell whether a measure is ours, or a plug-in's."""
    return name in OURS or registry.plugin(name, Measure) is not None


def _find(name: str) -> Bound:
    if name not in _bound:
        raise UsageError(f"nothing is given as {name!r}; fairtrec.ir_measures.given({name!r}, ...) says what it is")
    return _bound[name]


def _written(name: str, value: Any) -> Any:
    """Write a parameter so that it can be read again. Raises UsageError for an object, which has no name."""
    if name == "target" and isinstance(value, Mapping):
        return ",".join(f"{group}={share!r}" for group, share in sorted(value.items()))
    if not isinstance(value, (*PATH, *_SIMPLE)):
        what = f"{name} is no path, word or number, as a parameter is"
        raise UsageError(f"{what}; bind objects to a name: fairtrec.ir_measures.given('NAME', {name}=...)")
    words = get_args(Undefined)
    if name == "undefined" and (isinstance(value, bool) or (isinstance(value, str) and value not in words)):
        raise UsageError(f"undefined is {value!r}; choose a number, or one of {', '.join(words)}")
    return str(value) if isinstance(value, PATH) else value


def _refuse_unknown(name: str, known: tuple[str, ...], what: str) -> None:
    if name not in known:
        near = get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise UsageError(f"{what} has no parameter {name}; {hint}it has: {', '.join(known)}")


def _same(one: Any, other: Any) -> bool:
    """Tell whether two are the same object, or equal as far as Python can tell."""
    try:
        return one is other or (isinstance(one, (*PATH, *_SIMPLE, dict, list, tuple)) and bool(one == other))
    except ValueError:  # arrays and frames within
        return False


def _second(name: str) -> UsageError:
    return UsageError(f"{name!r} is the name of something else that was given before; choose another")


def _restored(name: str, params: dict[str, Any], sent: Bound | None) -> FairMeasure:
    """Make a measure that another process has sent, with what is bound to its name."""
    if sent is not None and _bound.setdefault(sent.name, sent).token != sent.token:
        raise _second(sent.name)
    return FairMeasure(name, **params)
