"""Objects of TOML and JSON files: each field has the type that it must have, or the file is refused by field.

What such a file holds may be a stranger's. So nothing reads a field but through ``Fields``, which raises InputError
with the file, the field and the type that it must have.
"""

import math
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from fairtrec.support.errors import FilePath, InputError, describe_parse_fault, short
from fairtrec.support.files import opening

Typed = TypeVar("Typed")
LARGEST_TOML = 1 << 20  # bytes
MOST_PARTS = 32  # of a dotted key of TOML; what reads them takes the square of their number
NAMES = {str: "text", int: "a whole number", float: "a finite number", bool: "true or false", list: "a list"}
_PART = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+"""
_DOTTED = rf"(?<![\w-])(?:{_PART}\.[ \t]*+){{{MOST_PARTS},}}+"
_KEY_ENDS = rf"{_PART}[=\]]"
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")  # half a character, unless the other half stands beside it


@dataclass(frozen=True)
class Fields:
    """An object of a file: its fields by name, the file, its place in the file, and what to type if it is wrong."""

    values: Mapping[str, Any]
    path: FilePath | None
    way_out: str
    place: str = ""
    line: int | None = None
    noun: str = "an object"

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def refuse(self, what: str, name: str = "") -> NoReturn:
        """Raise InputError for a field."""
        where = ".".join(part for part in (self.place, name) if part) or "the file"
        raise InputError(f"{short(where, 100)} {what}; {self.way_out}", self.path, self.line)

    def value(self, name: str) -> Any:
        """Give a field of any type."""
        if name not in self.values:
            self.refuse("is missing", name)
        return self.values[name]

    def get(self, name: str, kind: type[Typed]) -> Typed:
        """Give a field of this type: str, int, float, bool or list. A whole number counts as a float."""
        return self.typed(name, self.value(name), kind)

    def take_optional(self, name: str, kind: type[Typed]) -> Typed | None:
        """Give a field of this type; None if it is missing, or null."""
        return None if self.values.get(name) is None else self.get(name, kind)

    def take_list(self, name: str, kind: type[Typed]) -> list[Typed]:
        """Give a list of values of this type."""
        several = enumerate(self.get(name, list))
        return [self.typed(f"{name}[{number}]", value, kind) for number, value in several]

    def count(self, name: str) -> int:
        """Give a field that is a whole number from 0 on, of at most 63 bits."""
        return self._counted(name, self.get(name, int))

    def counts(self, name: str) -> list[int]:
        """Give a list of such numbers."""
        return [self._counted(f"{name}[{number}]", value) for number, value in enumerate(self.take_list(name, int))]

    def _counted(self, name: str, number: int) -> int:
        if not 0 <= number < 1 << 63:
            self.refuse("must be 0 or more" if number < 0 else "is too large", name)
        return number

    def take_word(self, name: str, words: Collection[str]) -> str:
        """Give a field that is one of these words."""
        word = self.get(name, str)
        if word not in words:
            self.refuse(f"must be one of {', '.join(words)}", name)
        return word

    def object(self, name: str) -> "Fields":
        """Give the fields of an object."""
        return self.inner(name, self.value(name))

    def objects(self, name: str) -> "list[Fields]":
        """Give the fields of each object of a list."""
        return [self.inner(f"{name}[{number}]", value) for number, value in enumerate(self.get(name, list))]

    def inner(self, name: str, value: Any) -> "Fields":
        """Give the fields of a value, which must be an object."""
        if not isinstance(value, dict):
            self.refuse(f"must be {self.noun}", name)
        place = f"{self.place}.{name}" if self.place else name
        return Fields(value, self.path, self.way_out, place, self.line, self.noun)

    def typed(self, name: str, value: Any, kind: type[Typed]) -> Typed:
        """Give the value of a field, which must be of this type."""
        given: Any = value
        if kind is float and type(value) is int and abs(value) < 1 << 1023:
            given = float(value)
        is_endless = isinstance(given, float) and not math.isfinite(given)
        if is_endless or type(given) is not kind:
            self.refuse(f"must be {NAMES[kind]}", name)
        return given

    def refuse_others(self, known: Collection[str]) -> None:
        """Raise InputError for a field that there is not."""
        for name in self.values:
            if name not in known:
                self.refuse("is not a field of such a file", name)


def read_toml(path: FilePath, way_out: str) -> Fields:
    """Read a TOML file. Raises InputError for what is none, and for one that is too large."""
    with opening.open_input(path) as stream:
        data = stream.read(LARGEST_TOML + 1)
    if len(data) > LARGEST_TOML:
        raise InputError(f"this TOML file has more than {LARGEST_TOML >> 20} MiB; {way_out}", path)
    return parse_toml(data, path, way_out)


def parse_toml(data: bytes, path: FilePath, way_out: str) -> Fields:
    """Read the bytes of a TOML file. Raises InputError for what is none."""
    import tomllib

    try:
        text = data.decode()
        if any(re.compile(_KEY_ENDS).match(text, run.end()) for run in re.finditer(_DOTTED, text)):
            raise InputError(f"a key has more than {MOST_PARTS} parts; {way_out}", path)
        found = tomllib.loads(text)
    except (ValueError, RecursionError) as fault:  # of UTF-8, of TOML
        raise InputError(f"not TOML ({describe_parse_fault(fault)}); {way_out}", path) from None
    return Fields(found, path, way_out, noun="a table")


def parse_json(data: bytes, path: FilePath, way_out: str, line: int | None = None) -> Fields:
    """Read the bytes of a JSON object, of a whole file or in a line of one.

    Raises InputError for what is none, for a key that appears twice, and for nan.
    """
    from fairtrec.support.files import json_text

    found = json_text.parse_at(data, path, line, way_out, "this is", finite=True)
    if _HALF.search(data):
        import json

        try:
            json.dumps(found, ensure_ascii=False).encode()
        except UnicodeError:
            raise InputError(f"a text holds half a character (a lone surrogate); {way_out}", path, line) from None
    if not isinstance(found, dict):
        raise InputError(f"the {'file' if line is None else 'line'} must be an object; {way_out}", path, line)
    return Fields(found, path, way_out, line=line)
