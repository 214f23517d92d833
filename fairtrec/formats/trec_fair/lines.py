"""The lines of the track's files: what an id, a q_num and an object are, and what is said of a line that is neither."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from fairtrec.errors import FilePath, InputError
from fairtrec.files import opening
from fairtrec.formats.columns import WIDEST

Value = TypeVar("Value")
_Q_NUM = re.compile(r"(\d{1,18})\.(\d{1,18})", re.ASCII)


class Numbers(dict[str, int]):
    """Number ids in the order in which they first appear; raises ValueError for what is no id."""

    def __missing__(self, key: object) -> int:
        number = self[as_id(key, "document id")] = len(self)
        return number


def as_id(value: object, what: str) -> str:
    """Take a value as an id, called ``what`` in messages. Raises ValueError, as each of these, for anything else."""
    if not isinstance(value, str):
        raise ValueError(f"the {what} {shown(value)} is not text")  # noqa: TRY004 - one kind for whatever is wrong
    if not value or "\0" in value or "\n" in value or len(value.encode()) > WIDEST:  # a lone surrogate is a ValueError
        raise ValueError(f"the {what} {shown(value)} is empty, holds a NUL or a newline, or exceeds {WIDEST} bytes")
    return value


def as_qid(value: object) -> str:
    """Take a value as a query id, which may be written as a whole number."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return as_id(str(value) if whole else value, "qid")


def shown(value: object) -> str:
    """Quote a value in a message, shortly."""
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def as_q_num(value: object) -> tuple[int, int]:
    """Take a value as the numbers of a sequence and of a request in it."""
    found = _Q_NUM.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError(f"the q_num {shown(value)} is not of the form seq.num, two whole numbers as text")
    return int(found[1]), int(found[2])


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entry = dict(pairs)
    if len(entry) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return entry


def fields(thing: object, *names: str) -> list[Any]:
    """Take these fields out of an object."""
    if not isinstance(thing, dict):
        raise ValueError(f"{shown(thing)} is not an object")  # noqa: TRY004 - one kind for whatever is wrong
    missing = [name for name in names if name not in thing]
    if missing:
        raise ValueError(f"the object has no {' and no '.join(missing)}")
    return [thing[name] for name in names]


def as_list(value: object, what: str) -> list[Any]:
    """Take a value as a list."""
    if not isinstance(value, list):
        raise ValueError(f"the {what} is not a list")  # noqa: TRY004 - one kind for whatever is wrong
    return value


def as_json(line: bytes) -> Any:
    """Read a line of JSON, in which no key stands twice in one object."""
    try:
        return json.loads(line, object_pairs_hook=_once)
    except json.JSONDecodeError as fault:
        raise ValueError(f"this line is not JSON ({fault.msg}, column {fault.colno})") from None
    except RecursionError:
        raise ValueError("this line is not JSON of this kind; it is nested too deeply") from None


def parsed(path: FilePath, form: str, parse: Callable[[bytes], Value]) -> Iterator[tuple[int, Value]]:
    """Parse each line; a ValueError becomes an InputError that says where, and what a line should be like."""
    empty = True
    for number, line in opening.lines(path):
        empty = False
        try:
            yield number, parse(line)
        except UnicodeEncodeError:
            raise InputError("an id holds half a character (a lone surrogate); correct it", path, number) from None
        except ValueError as fault:
            raise InputError(f"{fault}; write each line as {form}", path, number) from None
    if empty:
        raise InputError("this file has no lines; was it written to the end?", path)


def some(names: list[str]) -> str:
    """List the first of many names."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
