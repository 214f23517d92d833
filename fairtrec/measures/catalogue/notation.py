"""How measures and rerankers are written: ``Name(k=v)@10``, or a name of trec_eval, between white space or commas.

What is written is read, and an object made of it.

A value may be a measure as it stands, like ``Optimal(fairness=AWRF(base=e)@20)``; it is handed on as text.
"""

import dataclasses
import math
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Literal, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from fairtrec.data.parameters import Parameters, spell_value, typed_name
from fairtrec.measures.catalogue.needs import looks_at_groups
from fairtrec.support.errors import UsageError

LARGEST = 2**31 - 1  # of the numbers that trec_eval takes
Parametrized = TypeVar("Parametrized", bound=Parameters)
types_of: Callable[[Any], dict[str, Any]] = cache(get_type_hints)  # of the parameters of a class

_CELL = r"-?(?:\d+\.?\d*|\.\d+)"
_NAME = rf"[^\s,()@]+(?:,{_CELL}(?:={_CELL})?(?=[\s,(]|$))*"  # P.5,10 and ndcg.1=3,2=9 are names of trec_eval
_KEY = r"\s*([^\W\d]\w*)\s*="
_VALUE = (
    r"\s*(?:(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])(?P<share>%?)"
    r"|(?P<quoted>(?s:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"))|(?P<word>[^\W\d][\w.*-]*))"
)
_WORDS = {"True": True, "False": False, "true": True, "false": False, "None": None}


class Spelled(NamedTuple):
    """A measure or reranker as it is written: what stands behind @ is the ``cutoff``, None where nothing does."""

    name: str
    params: dict[str, Any]
    cutoff: Any
    spelled: str


def read(text: str, what: str = "measure", like: str = "NFaiRR(tau=0)@10") -> Iterator[Spelled]:
    """Read one after the other. Raises UsageError for what is not in the notation: ``what`` it is, and one ``like`` it.

    >>> [tuple(each) for each in read("P.5,10 ARaB(mag=tf)@20")]
    [('P.5,10', {}, None, 'P.5,10'), ('ARaB', {'mag': 'tf'}, 20, 'ARaB(mag=tf)@20')]
    >>> [each.params for each in read("Optimal(fairness=AWRF(base=e)@20,loss=1%)", "reranker")]
    [{'fairness': 'AWRF(base=e)@20', 'loss': 0.01}]
    """
    rest = _Rest(text, what, like)
    while not rest.take(r"[\s,]*$"):
        rest.take(r"[\s,]*")
        rest.begin = rest.at
        name = rest.take(_NAME)
        if name is None:
            raise rest.bad(f"a {what} starts with its name")
        params = rest.params() if rest.take(r"\(") else {}
        cutoff = rest.value() if rest.take("@") else None
        if not rest.take(r"(?=[\s,]|$)"):
            raise rest.bad("unexpected text after it")
        yield Spelled(name.group(), params, cutoff, " ".join(text[rest.begin : rest.at].split()))


@dataclasses.dataclass
class _Rest:
    """What is left of a text behind ``at``, in which one begins at ``begin``."""

    text: str
    what: str
    like: str
    begin: int = 0
    at: int = 0

    def take(self, pattern: str) -> re.Match[str] | None:
        found = re.compile(pattern).match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found

    def bad(self, why: str) -> UsageError:
        written = self.text[self.begin :].strip()
        return UsageError(f"cannot read the {self.what} {written!r}: {why}; like {self.like}")

    def params(self) -> dict[str, Any]:
        params: dict[str, Any] = {}
        while not self.take(r"\s*\)"):
            key = self.take(_KEY)
            if key is None:
                raise self.bad("parameters are written (name=value,name=value)")
            if key[1] in params:
                raise self.bad(f"the parameter {key[1]} is given twice")
            params[key[1]] = self.value()
            if not self.take(r"\s*,") and not self.take(r"(?=\s*\))"):
                raise self.bad("the parameters do not end with )")
        return params

    def value(self) -> Any:
        if self.take(r"\s*\{"):
            return self.mapping()
        found = self.take(_VALUE)
        if found is None:
            raise self.bad("a value is a number, a word, True, False, or text in quotation marks")
        if found["share"]:
            return float(found["number"]) / 100
        if found["number"]:
            number = float(found["number"])
            if not math.isfinite(number):
                raise self.bad("a number is too large")
            return int(found["number"]) if re.fullmatch(r"[+-]?\d+", found["number"]) else number
        if found["quoted"]:
            return re.sub(r"\\(.)", r"\1", found["quoted"][1:-1], flags=re.DOTALL)
        begin = found.start("word")
        if self.take(r"\("):
            self.params()
        if self.take("@"):
            self.value()
        written = self.text[begin : self.at]
        return _WORDS.get(written, written)

    def mapping(self) -> dict[Any, Any]:
        """Read ``0: 1, 2: 3}``, as nDCG's gains are written."""
        mapping: dict[Any, Any] = {}
        while not self.take(r"\s*\}"):
            pair = []
            for end in (r"\s*:", r"\s*,|(?=\s*\})"):
                nested = self.take(r"(?=\s*\{)")
                pair.append(None if nested else self.value())
                if nested or not self.take(end):
                    raise self.bad("a mapping is written {key:value,key:value}")
            if pair[0] in mapping:
                raise self.bad(f"the key {pair[0]} is given twice")
            mapping[pair[0]] = pair[1]
        return mapping


def parameters(kind: type[Parameters]) -> dict[str, "dataclasses.Field[Any]"]:
    """Give the parameters that a user types, by their names: ``by``, the last, where groups are looked at."""
    first, *others = dataclasses.fields(kind)
    several = [*others, *([first] if looks_at_groups(kind()) else [])]
    return {typed_name(each.name): each for each in several}


def describe_parameters(kind: type[Parameters]) -> list[str]:
    """Say of each parameter what it is by default, and of a choice which others there are, a line for each."""
    lines, hints = [], types_of(kind)
    for name, field in parameters(kind).items():
        options = get_args(hints[field.name])
        said = f"one of {', '.join(map(spell_value, options))}" if str in map(type, options) else ""
        lines.append(f"  {name} = {spell_value(field.default)}   {said}".rstrip())
    return lines


def build_object(kind: type[Parametrized], written: Spelled, relevance_level: int | None = None) -> Parametrized:
    """Make an object of what was written. Raises UsageError for a parameter that it has not, or not so."""
    _, params, cutoff, typed = written
    if cutoff is not None:
        if "cutoff" in params:
            raise UsageError(f"{typed}: the parameter cutoff is given twice; leave out one of the two")
        params = {**params, "cutoff": cutoff}
    hints = types_of(kind)
    names = {typed_name(field.name): field.name for field in dataclasses.fields(kind)}
    fields = {name: hints[names[name]] for name in names}
    values: dict[str, Any] = {"rel": relevance_level} if relevance_level is not None and "rel" in fields else {}
    for name, value in params.items():
        if name not in fields or (name == "by" and not looks_at_groups(kind())):
            raise _no_parameter(kind, name, typed)
        what, hint = f"{typed}: the parameter {name}", fields[name]
        if get_origin(hint) is Literal:
            values[name] = kind.choice(get_args(hint), value, what)
            continue
        types = get_args(hint) or (hint,)  # int | None has options, int has none
        fits = isinstance(value, bool) is (bool in types)
        whole = fits and isinstance(value, int)
        if whole and abs(value) > LARGEST:
            raise UsageError(f"{what} is {value}; it must be at most {LARGEST:,}")
        values[name] = float(value) if whole and float in types and int not in types else value
        if not fits or not isinstance(values[name], types):
            wanted = " or ".join(each.__name__ for each in types if each is not type(None))
            raise UsageError(f"{what} is {value!r}; it must be of type {wanted}")
    return kind(**{names[name]: value for name, value in values.items()})


def _no_parameter(kind: type[Parameters], name: str, typed: str) -> UsageError:
    from difflib import get_close_matches

    known = parameters(kind)
    near = get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]}? " if near else ""
    return UsageError(f"{typed}: {kind.__name__} has no parameter {name}; {hint}it has: {', '.join(known) or 'none'}")
