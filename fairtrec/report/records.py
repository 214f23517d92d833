"""Answers for programs: rows as TSV or CSV, records as JSON in one line each, an object as JSON with what made it.

JSON has every value in full precision, null where it is undefined, "Infinity" or "-Infinity" where it is that (JSON has
no such number).
"""

import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fairtrec.answers.answer import Signature
from fairtrec.answers.result import Result
from fairtrec.errors import STEERING
from fairtrec.version import __version__

Row = Sequence[str | float | None]  # a head, or cells: numbers are exact, or written already


def delimited(rows: Iterable[Row], *, delimiter: str) -> str:
    """Write rows of cells, the head first; None is an empty cell."""
    import csv

    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return stream.getvalue()


def jsonl(records: Iterable[Mapping[str, Any]]) -> str:
    """Write each object in a line of its own."""
    return "".join(_text(record, None) for record in records)


def json(record: Mapping[str, Any]) -> str:
    """Write one object as a file of its own."""
    return _text(record, 1)


def head(result: Result, signature: Signature, notes: Sequence[str] | None = None) -> dict[str, Any]:
    """Begin an object with what made it: version, signature, files, and what a reader should know if that comes next.

    The files are named, with their digests, by the parts that they play in the evaluation.
    """
    files = {str(part): {"path": file.name, "sha256": file.sha256} for part, file in result.files.items()}
    made = {"fairtrec": __version__, "signature": str(signature), "inputs": files}
    return made if notes is None else {**made, "notes": list(notes)}


def number(value: float) -> float | str | None:
    """Give a value as JSON can hold it."""
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return None if math.isnan(value) else value


def _text(value: Any, indent: int | None) -> str:
    import json as json_module

    text = json_module.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    return re.sub(STEERING, lambda letter: f"\\u{ord(letter.group()):04x}", text) + "\n"  # the same to whoever reads it
