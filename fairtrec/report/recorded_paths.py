"""The names of input files in JSON: no absolute path, which would name the folders of whoever wrote the file."""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any

typed_arguments: ContextVar[Sequence[str]] = ContextVar("typed_arguments", default=())  # of the command that writes


def shorten_paths(paths: Iterable[str]) -> dict[str, str]:
    """Give the name of each absolute path: relative to the working directory if it is in there, else its last parts.

    Of several with the same last part each has as many parts as tell them apart.
    """
    from pathlib import Path

    names: dict[str, str] = {}
    here = Path.cwd()
    for path in dict.fromkeys(map(Path, paths)):
        if not path.is_absolute():
            continue
        if path.is_relative_to(here):
            names[str(path)] = str(path.relative_to(here))
            continue
        several = ("/".join(path.parts[-many:]) for many in range(1, len(path.parts) + 1))
        names[str(path)] = next(name for name in several if name not in names.values())
    return names


def hide_folders(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give an object of JSON in which no input is named by an absolute path; values of queries stay as they are."""
    inputs = record.get("inputs")
    if not isinstance(inputs, Mapping):
        return record
    names = shorten_paths(each["path"] for each in inputs.values() if isinstance(each, Mapping))
    return rename_paths(record, names) if names else record


def rename_paths(value: Any, names: Mapping[str, str]) -> Any:
    """Rename the files that stand in texts of JSON: alone, or behind ``NAME=``, before ``:FIELD`` and in mixtures."""
    if not names:
        return value
    every = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    written = re.compile(rf"(?<![^*+=,\s])(?:{every})(?![^*+:,\s])")

    def rename(of: Any) -> Any:
        if isinstance(of, Mapping):
            return {rename(key): each if key == "per_query" else rename(each) for key, each in of.items()}
        if isinstance(of, list | tuple):
            return [rename(each) for each in of]
        return written.sub(lambda found: names[found[0]], of) if isinstance(of, str) else of

    return rename(value)
