"""How measures are written: ``Name(k=v)@10``, or a name of trec_eval, between white space or commas."""

import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from fairtrec.errors import UsageError

_TREC_NAME = re.compile(r"[^\s,()@]+(?:,\d[\d.]*(?=[\s,]|$))*")  # P.5,10 is one name
_NAME = re.compile(r"[^\W\d]\w*", re.UNICODE)
_VALUE = re.compile(
    r"""\s*(?:(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])
    |(?P<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(?P<word>[^\W\d][\w.-]*)|(?P<open>\{))\s*""",
    re.VERBOSE | re.DOTALL,
)
_WORDS = {"True": True, "False": False, "true": True, "false": False, "None": None}


class Written(NamedTuple):
    """A measure as it is written: what stands behind @ is the ``cutoff``, None where nothing does."""

    name: str
    params: dict[str, Any]
    cutoff: Any
    spelled: str


def read(text: str) -> Iterator[Written]:
    """Read one measure after the other. Raises UsageError for what is not in the notation.

    >>> [tuple(each) for each in read("P.5,10 ARaB(mag=tf)@20")]
    [('P.5,10', {}, None, 'P.5,10'), ('ARaB', {'mag': 'tf'}, 20, 'ARaB(mag=tf)@20')]
    """
    at = 0
    while at < len(text):
        if text[at].isspace() or text[at] == ",":
            at += 1
            continue
        name, params, cutoff, end = _read(text, at)
        yield Written(name, params, cutoff, " ".join(text[at:end].split()))
        at = end


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
            if key.group() in params:
                raise _bad(text[begin:], f"the parameter {key.group()} is given twice")
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
        number = float(found["number"])
        if not math.isfinite(number):
            raise _bad(whole, "a number is too large")
        return (int(found["number"]) if re.fullmatch(r"[+-]?\d+", found["number"]) else number), found.end()
    if found["quoted"]:
        return re.sub(r"\\(.)", r"\1", found["quoted"][1:-1], flags=re.DOTALL), found.end()
    return _WORDS.get(found["word"], found["word"]), found.end()


def _mapping(text: str, at: int, whole: str) -> tuple[dict[Any, Any], int]:
    """Read ``0: 1, 2: 3}``, as nDCG's gains are written."""
    mapping: dict[Any, Any] = {}
    while text[at : at + 1] != "}":
        pair = []
        for end in (":", ",}"):
            nested = text.startswith("{", _skip(text, at))
            value, at = (None, at) if nested else _value(text, at, whole)
            if nested or not text[at : at + 1] or text[at] not in end:
                raise _bad(whole, "a mapping is written {key:value,key:value}")
            pair.append(value)
            at += text[at] != "}"
        if pair[0] in mapping:
            raise _bad(whole, f"the key {pair[0]} is given twice")
        mapping[pair[0]] = pair[1]
        at = _skip(text, at)
    return mapping, _skip(text, at + 1)


def _bad(text: str, why: str) -> UsageError:
    return UsageError(f"cannot read the measure {text.strip()!r}: {why}; like NFaiRR(tau=0)@10")
