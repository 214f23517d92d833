"""How measures and rerankers are written: ``Name(k=v)@10``, or a name of trec_eval, between white space or commas.

A value may be a measure as it stands, like ``Optimal(fairness=AWRF(base=e)@20)``; it is handed on as text.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from fairtrec.errors import UsageError

_NAME = r"[^\s,()@]+(?:,\d[\d.]*(?=[\s,]|$))*"  # P.5,10 is one name of trec_eval
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
            raise rest.bad("something stands behind it")
        yield Spelled(name.group(), params, cutoff, " ".join(text[rest.begin : rest.at].split()))


@dataclass
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
