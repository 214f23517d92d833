"""Texts of JSON that others wrote: the one parser of all readers, which refuses a key that appears twice.

Python keeps the last of two equal keys in silence. Other programs keep the first, so the same file has two meanings.
"""

import gc
import json
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from fairtrec.support.errors import FilePath, InputError, describe_parse_fault
from fairtrec.support.late_patterns import compile_late

SHOWN = 40  # letters of a key in a message
LONG = 1 << 16  # letters
ONE_A_LINE, REMOVE = "write one object per line", "remove one of the two"
_BLANK = compile_late("[ \t\r\n]*")
_START = compile_late("\ufeff?[ \t\r\n]*")
_TEXT = r'"(?:[^"\\]|\\.)*+"'
_TOKEN = compile_late(rf"({_TEXT})([ \t\r\n]*+:)?|[{{}}\[\]]")
_CONSTANT = compile_late(rf"{_TEXT}|NaN|Infinity")


class JsonError(ValueError):
    """What is wrong with a text, what to do about it, and on which of its lines, from 1, if that is known."""

    def __init__(self, what: str, way_out: str, line: int | None = None) -> None:
        super().__init__(f"{what}; {way_out}")
        self.what, self.way_out, self.line = what, way_out, line


class _RepeatedKeyError(ValueError):
    """An object has a key twice. Where it stands is looked for only then."""


class _ConstantError(ValueError):
    """A number is NaN or Infinity, which JSON does not have."""


def _make_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _RepeatedKeyError
    return found


@contextmanager
def _pause_collector() -> Iterator[None]:
    """Keep Python from looking for cycles, of which JSON has none: it looks through all values again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _refuse_constant(name: str) -> Any:
    raise _ConstantError(name)


scan_value = json.JSONDecoder(object_pairs_hook=_make_object).raw_decode
_scan_finite = json.JSONDecoder(object_pairs_hook=_make_object, parse_constant=_refuse_constant).raw_decode


def parse(text: bytes | str, way_out: str = ONE_A_LINE, what: str = "this line is", *, finite: bool = False) -> Any:
    """Parse a text of JSON. Raises JsonError, whose message is for the user, if it is none or has a key twice.

    ``finite`` also refuses NaN and Infinity, which are no JSON but which Python reads.

    >>> parse(b'{"a": [1, {"a": 2}]}')
    {'a': [1, {'a': 2}]}
    >>> parse('{"a": 1, "\\\\u0061": 2}')
    Traceback (most recent call last):
    fairtrec.support.files.json_text.JsonError: the key 'a' appears twice in one object; remove one of the two
    """
    scan = _scan_finite if finite else scan_value
    try:
        letters = text if isinstance(text, str) else text.decode()
        start = 0 if letters[:1] == "{" else _START.match(letters).end()  # type: ignore[union-attr]
        with _pause_collector() if len(letters) > LONG else nullcontext():
            found, end = scan(letters, start)
        end = _BLANK.match(letters, end).end()  # type: ignore[union-attr]
        if end < len(letters):
            raise json.JSONDecodeError("Extra data", letters, end)  # noqa: TRY301 - as json.loads does
    except _RepeatedKeyError:
        key, line = _find_repeat(letters)
        raise JsonError(f"the key {key[:SHOWN]!r} appears twice in one object", REMOVE, line) from None
    except _ConstantError as fault:
        raise JsonError(f"{fault} is not a JSON number", way_out, _find_constant(letters)) from None
    except json.JSONDecodeError as fault:
        raise JsonError(f"{what} not JSON ({fault.msg}, column {fault.colno})", way_out, fault.lineno) from None
    except (ValueError, RecursionError) as fault:
        raise JsonError(f"{what} not JSON ({describe_parse_fault(fault)})", way_out) from None
    return found


def parse_at(
    text: bytes | str,
    path: FilePath | None,
    line: int | None,
    way_out: str = ONE_A_LINE,
    what: str = "this line is",
    *,
    finite: bool = False,
) -> Any:
    """Parse a line of a file, or the whole file without one. Raises InputError with the line that is wrong."""
    try:
        return parse(text, way_out, what, finite=finite)
    except JsonError as fault:
        raise InputError(str(fault), path, fault.line if line is None else line) from None


def _find_repeat(text: str) -> tuple[str, int]:
    """Find the first key that appears twice in one object, and its line."""
    levels: list[set[str]] = []
    for token in _TOKEN.finditer(text):
        if token[0] in "{[":
            levels.append(set())
        elif token[0] in "}]":
            levels.pop()
        elif token[2] is not None:
            key = json.loads(token[1])
            if key in levels[-1]:
                return key, text.count("\n", 0, token.start()) + 1
            levels[-1].add(key)
    raise AssertionError("no object has a key twice")


def _find_constant(text: str) -> int:
    """Find the line of the first NaN or Infinity."""
    first = next(token for token in _CONSTANT.finditer(text) if token[0][0] != '"')
    return text.count("\n", 0, first.start()) + 1
