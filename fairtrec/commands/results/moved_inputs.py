"""Finding the inputs of a results file by their sha256, whatever their names are now and wherever they were moved."""

import os
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from fairtrec.evaluation.answers.result import InputFile, Part
from fairtrec.evaluation.inputs import loading
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import admission

MOST_FILES = 100_000  # that are looked through


class InputState(NamedTuple):
    """An input of a file: its part, its name and its sha256 there, and where it is today; None if nowhere.

    ``is_moved``  it was found by its sha256, under another name or in another folder.
    ``changed``   the sha256 of what has its name today, if that is another file; empty if none has it.
    """

    part: Part
    name: str
    sha256: str
    place: Path | None
    is_moved: bool
    changed: str = ""


def locate_inputs(inputs: Mapping[Part, InputFile], starts: Sequence[Path], below: Path) -> list[InputState]:
    """Locate each input: by its name, from the first of the folders ``starts`` on, or by its sha256 ``below``.

    Links are not followed, and folders whose names begin with a dot are passed over. Raises InputError if there are
    more than 100,000 files to look through.
    """
    here = {part: _find_in_place(file, starts) for part, file in inputs.items()}
    missing = {file.sha256 for part, file in inputs.items() if here[part][0] is None and file.sha256}
    found = find_digests(missing, below)
    return [
        InputState(part, file.name, file.sha256, place or found.get(file.sha256), place is None, changed)
        for (part, file), (place, changed) in zip(inputs.items(), here.values(), strict=True)
    ]


def _find_in_place(file: InputFile, starts: Sequence[Path]) -> tuple[Path | None, str]:
    """Give where an input is if its name leads there and it is what it was; else the sha256 of what is there."""
    places: list[str | Path] = [start / file.name for start in starts]  # paths of Python are files
    places = [file.name] if loading.is_name(file.name) else places
    origins = [loading.find_file(place) for place in places]
    several = (Path(origin[1]) for origin in origins if origin is not None)
    changed = ""
    for path in several:
        digest = _hash(path)
        if digest == file.sha256:
            return path, ""
        changed = changed or digest or ""
    return None, changed


def find_digests(digests: Collection[str], below: Path) -> dict[str, Path]:
    """Find files by their sha256 in a folder and the folders in it: of several the first in the order of names."""
    found: dict[str, Path] = {}
    many = 0
    for folder, inner, names in os.walk(below):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        for name in sorted(names):
            if len(found) == len(digests):
                return found
            many += 1
            if many > MOST_FILES:
                raise InputError(f"more than {MOST_FILES:,} files to look through; choose a folder with --root", below)
            path = Path(folder, name)
            digest = None if path.is_symlink() else _hash(path)
            if digest in digests:
                found.setdefault(str(digest), path)
    return found


def _hash(path: Path) -> str | None:
    """Hash a file; None for what is no file, cannot be read or is empty."""
    try:
        return admission.hash_file(path)[0] if path.is_file() else None
    except (OSError, InputError):
        return None


def describe_moves(states: Sequence[InputState]) -> Iterator[str]:
    """Say which inputs are read in another place, and which of these have a name that another file has today."""
    for state in states:
        if not state.is_moved or state.place is None or Path(state.name).is_absolute():
            continue
        where = f"{state.part}: {state.name} is {state.place} (sha256 {state.sha256[:8]})"
        yield where + f", as {state.name} has changed: its sha256 is {state.changed[:8]}" * bool(state.changed)


def explain_diff(path: FilePath) -> str:
    """Say how the values of a changed run are compared with those of a results file."""
    new = "NEW.json"
    return f", or evaluate the changed run with -f json -o {new} and type: fairtrec results diff {path!s} {new}"


@contextmanager
def put_in_place(states: Sequence[InputState], starts: Sequence[Path], results: FilePath | None) -> Iterator[Path]:
    """Give a folder from which the inputs have the names that they had: one of ``starts``, or a folder of links.

    That folder is removed in the end. An absolute name leads to its own place from any folder.

    Raises InputError if some are moved and another is nowhere; ``results`` is the results file that lists them.
    """
    files = [state for state in states if not loading.is_name(state.name) and not Path(state.name).is_absolute()]
    for start in starts:
        if all(state.place in (None, start / state.name) for state in files):
            yield start
            return
    for state in files:
        if state.place is None:
            what = f"no file has the sha256 {state.sha256[:8]} of the {state.part}, {state.name}"
            way_out = explain_diff(results) if state.changed and state.part.of == "run" and results else ""
            raise InputError(f"{what}; choose a folder that has it with --root{way_out}")
    with tempfile.TemporaryDirectory() as made:
        relative = {state.name: Path(os.path.normpath(state.name)) for state in files}
        depth = max(path.parts.count(os.pardir) for path in relative.values())
        inside = Path(made, *["in"] * depth)
        inside.mkdir(parents=True, exist_ok=True)
        for state in files:
            link = Path(os.path.normpath(inside / relative[state.name]))
            if state.place is not None and not link.exists():
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(state.place.absolute())
        yield inside
