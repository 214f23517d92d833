"""What installed packages announce, read from their files: to import importlib.metadata takes ten times as long."""

import os
import sys
from collections.abc import Iterator
from functools import cache

METADATA = (".dist-info", ".egg-info")  # how the folders end that say what is installed
OURS = "fairtrec."  # before the modules of this package


def find_entry_points(group: str) -> dict[str, str]:
    """Find the names that packages announce in a group, and the place of each, such as ``package.module:name``.

    Those of fairtrec come first, and no other package replaces them.
    """
    return _find(group, tuple(sys.path))


@cache
def _find(group: str, places: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for place in places:
        for text in _read(place):
            for name, value in _parse(text, group) if group in text else ():
                if name not in found or (value.startswith(OURS) and not found[name].startswith(OURS)):
                    found[name] = value
    return dict(sorted(found.items(), key=lambda each: (not each[1].startswith(OURS), each[0])))


def _read(place: str) -> Iterator[str]:
    """Read the files of entry points where packages are installed."""
    try:
        with os.scandir(place or ".") as entries:
            folders = [entry.path for entry in entries if entry.name.endswith(METADATA)]
    except FileNotFoundError:
        return
    except OSError:  # an archive, which may hold packages
        from importlib.metadata import distributions

        yield from (each.read_text("entry_points.txt") or "" for each in distributions(path=[place]))
        return
    for folder in folders:
        try:
            with open(f"{folder}/entry_points.txt", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
                yield file.read()
        except OSError:  # it announces nothing
            continue


def _parse(text: str, group: str) -> Iterator[tuple[str, str]]:
    """Read the names and places of a group.

    >>> dict(_parse("[a]\\nx = y\\n[b]\\none = two:three [more]", "b"))
    {'one': 'two:three'}
    """
    section = ""
    for line in map(str.strip, text.splitlines()):
        name, sign, value = line.partition("=")
        if line.startswith("["):
            section = line.strip("[]")
        elif section == group and sign and not line.startswith("#"):
            yield name.strip(), value.partition("[")[0].strip()
