"""From what a user types to measures: ``Name(k=v)@10``, or a name of trec_eval.

A name is looked up in the table below, then among the entry points ``fairtrec.measures`` of installed packages, then
in ir-measures.
"""

import dataclasses
import re
from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Literal, get_args, get_origin, get_type_hints

from fairtrec.errors import UsageError
from fairtrec.measure import Measure
from fairtrec.measures.utility import Utility

ENTRY_POINTS = "fairtrec.measures"
BUILT_IN = {
    "FaiRR": "nfairr",
    "IFaiRR": "nfairr",
    "NFaiRR": "nfairr",
    "SetFaiRR": "nfairr",
    "NSetFaiRR": "nfairr",
    "RaB": "arab",
    "ARaB": "arab",
    "TE": "texfair",
    "TED": "texfair",
    "RBDF": "texfair",
    "TExFAIR": "texfair",
}

_TREC_NAME = re.compile(r"[^\s,()@]+(?:,\d[\d.]*(?=[\s,]|$))*")  # P.5,10 is one name
_NAME = re.compile(r"[^\W\d]\w*", re.UNICODE)
_VALUE = re.compile(
    r"""\s*(?:(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])
    |(?P<quoted>'[^']*'|"[^"]*")|(?P<word>[^\W\d][\w.-]*)|(?P<open>\{))\s*""",
    re.VERBOSE,
)


def parse(text: str, relevance_level: int | None = None) -> list[Measure]:
    """Read measures between white space or commas.

    Raises UsageError for what is not in the notation, a name that nobody knows (with the nearest one that is known),
    and a parameter that the measure does not have or that cannot have this value.

    >>> [str(measure) for measure in parse("NFaiRR(tau=0)@20 ARaB(mag=tf)")]
    ["NFaiRR(tau=0)@20", "ARaB(mag='tf')@10"]
    """
    measures: list[Measure] = []
    at = 0
    while at < len(text):
        if text[at].isspace() or text[at] == ",":
            at += 1
            continue
        name, params, cutoff, end = _read(text, at)
        spelled = text[at:end]
        measures += _resolved(name, params, cutoff, spelled, relevance_level)
        at = end
    return measures


def _read(text: str, at: int) -> tuple[str, dict[str, Any], Any, int]:
    """Read one measure from a place in the text: name, parameters, what stands behind @, and where it ends."""
    begin = at
    found = _TREC_NAME.match(text, at)
    if found is None:
        raise _bad(text[begin:], "a measure starts with its name")
    name, at = found.group(), found.end()
    params: dict[str, Any] = {}
    if text[at : at + 1] == "(":
        at = _skip(text, at + 1)
        while text[at : at + 1] != ")":
            key = _NAME.match(text, at)
            if key is None or text[_skip(text, key.end()) : _skip(text, key.end()) + 1] != "=":
                raise _bad(text[begin:], "parameters are written (name=value,name=value)")
            params[key.group()], at = _value(text, _skip(text, key.end()) + 1, text[begin:])
            if text[at : at + 1] == ",":
                at = _skip(text, at + 1)
            elif text[at : at + 1] != ")":
                raise _bad(text[begin:], "the parameters do not end with )")
        at += 1
    cutoff = None
    if text[at : at + 1] == "@":
        cutoff, at = _value(text, at + 1, text[begin:])
        at = len(text[:at].rstrip())
    if at < len(text) and not (text[at].isspace() or text[at] == ","):
        raise _bad(text[begin:], "something stands behind it")
    return name, params, cutoff, at


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _value(text: str, at: int, whole: str) -> tuple[Any, int]:
    found = _VALUE.match(text, at)
    if found is None:
        raise _bad(whole, "a value is a number, a word, True, False, or text in quotation marks")
    if found["open"]:
        return _mapping(text, found.end(), whole)
    if found["number"]:
        number = found["number"]
        return (int(number) if re.fullmatch(r"[+-]?\d+", number) else float(number)), found.end()
    if found["quoted"]:
        return found["quoted"][1:-1], found.end()
    return {"True": True, "False": False, "true": True, "false": False}.get(found["word"], found["word"]), found.end()


def _mapping(text: str, at: int, whole: str) -> tuple[dict[Any, Any], int]:
    """Read ``0: 1, 2: 3}``, as nDCG's gains are written."""
    mapping = {}
    while text[at : at + 1] != "}":
        key, at = _value(text, at, whole)
        if text[at : at + 1] != ":":
            raise _bad(whole, "a mapping is written {key:value,key:value}")
        mapping[key], at = _value(text, at + 1, whole)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != "}":
            raise _bad(whole, "a mapping is written {key:value,key:value}")
    return mapping, _skip(text, at + 1)


def _bad(text: str, why: str) -> UsageError:
    return UsageError(f"cannot read the measure {text.strip()!r}: {why}; like NFaiRR(tau=0)@10")


def _resolved(
    name: str, params: dict[str, Any], cutoff: Any, spelled: str, relevance_level: int | None
) -> Iterable[Measure]:
    kind = find(name)
    if kind is not None:
        return [_built(kind, params if cutoff is None else {**params, "cutoff": cutoff}, spelled)]
    import ir_measures

    known = ir_measures.measures.registry
    if name in known:
        at = {} if cutoff is None else {known[name].AT_PARAM: cutoff}
        return [_utility(known[name](**params, **at), spelled, relevance_level)]
    if not params and cutoff is None:
        try:
            return [_utility(measure, spelled, relevance_level) for measure in ir_measures.parse_trec_measure(name)]
        except (ValueError, TypeError):
            pass
    near = get_close_matches(name.lower(), [each.lower() for each in names()], 1, 0.5)
    proper = next((each for each in names() if near and each.lower() == near[0]), None)
    hint = f"did you mean {proper}? " if proper else ""
    raise UsageError(f"there is no measure {name}; {hint}`fairtrec measures` lists them all")


def find(name: str) -> type[Measure] | None:
    """Find the class of a measure that is ours or a plug-in's; None for any other name."""
    if name in BUILT_IN:
        kind: type[Measure] = getattr(import_module(f"fairtrec.measures.{BUILT_IN[name]}"), name)
        return kind
    from importlib.metadata import entry_points

    for point in entry_points(group=ENTRY_POINTS, name=name):
        try:
            loaded = point.load()
        except Exception as fault:
            raise UsageError(f"the plug-in {point.value} of the measure {name} does not load: {fault!r}") from fault
        if not (isinstance(loaded, type) and issubclass(loaded, Measure) and dataclasses.is_dataclass(loaded)):
            raise UsageError(f"the plug-in {point.value} is no measure; it must be a dataclass derived from Measure")
        return loaded
    return None


def names() -> list[str]:
    """List the names of all measures: ours, the plug-ins', and those of ir-measures."""
    import ir_measures

    return [*BUILT_IN, *plugins(), *sorted({m.NAME for m in ir_measures.measures.registry.values()})]


def plugins() -> list[str]:
    """List the names of the measures that installed packages add."""
    from importlib.metadata import entry_points

    return sorted(point.name for point in entry_points(group=ENTRY_POINTS))


def _built(kind: type[Measure], params: dict[str, Any], spelled: str) -> Measure:
    hints = get_type_hints(kind)
    fields = {field.name: hints[field.name] for field in dataclasses.fields(kind)}
    for name, value in params.items():
        if name not in fields:
            near = get_close_matches(name, fields, 1)
            hint = f"did you mean {near[0]}? " if near else ""
            has = ", ".join(fields) or "none"
            raise UsageError(f"{spelled}: {kind.__name__} has no parameter {name}; {hint}it has: {has}")
        params[name] = _fitting(value, fields[name], f"{spelled}: the parameter {name}")
    return kind(**params)


def _fitting(value: Any, hint: Any, what: str) -> Any:
    """Check a parameter against its type. Raises UsageError where it does not fit."""
    options = get_args(hint)
    if get_origin(hint) is Literal:
        if value not in options:
            near = get_close_matches(str(value), map(str, options), 1)
            meant = f"did you mean {near[0]}? " if near else ""
            raise UsageError(f"{what} cannot be {value!r}; {meant}it is one of: {', '.join(map(str, options))}")
        return value
    types = options or (hint,)  # int | None has options, int has none
    if isinstance(value, bool) is (bool in types):
        if isinstance(value, types):
            return value
        if float in types and isinstance(value, int):
            return float(value)
    wanted = " or ".join(kind.__name__ for kind in types if kind is not type(None))
    raise UsageError(f"{what} is {value!r}; it must be of type {wanted}")


def _utility(measure: Any, spelled: str, relevance_level: int | None) -> Measure:
    if relevance_level is not None and "rel" in measure.SUPPORTED_PARAMS and "rel" not in measure.params:
        measure = measure(rel=relevance_level)
    try:
        measure.validate_params()
    except AssertionError as fault:
        has = ", ".join(measure.SUPPORTED_PARAMS) or "none"
        raise UsageError(f"{spelled}: {fault}; {measure.NAME} has the parameters: {has}") from None
    return Utility(measure)
