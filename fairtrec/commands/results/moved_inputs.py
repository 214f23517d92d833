"""Finding the inputs of a results file by their sha256, whatever their names are now and wherever they were moved."""

import os
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from fairtrec.evaluation.answers.result import InputFile, Part
from fairtrec.evaluation.inputs import loading
from fairtrec.support.errors import InputError
from fairtrec.support.files import admission

MOST_FILES = 100_000  # that are looked through


class InputState(NamedTuple):
    """An input of a file: its part, its name and its sha256 there, and where it is today; None if nowhere.

    ``is_moved``  it was found by its sha256, under another name or in another folder.
    """

    part: Part
    name: str
    sha256: str
    place: Path | None
    is_moved: bool


def locate_inputs(inputs: Mapping[Part, InputFile], starts: Sequence[Path], below: Path) -> list[InputState]:
    """Locate each input: by its name, from the first of the folders ``starts`` on, or by its sha256 ``below``.

    Links are not followed, and folders whose names begin with a dot are passed over. Raises InputError if there are
    more than 100,000 files to look through.
    """
    here = {part: _find_in_place(file, starts) for part, file in inputs.items()}
    found = find_digests({file.sha256 for part, file in inputs.items() if here[part] is None and file.sha256}, below)
    return [
        InputState(part, file.name, file.sha256, here[part] or found.get(file.sha256), here[part] is None)
        for part, file in inputs.items()
    ]


def _find_in_place(file: InputFile, starts: Sequence[Path]) -> Path | None:
    """Give where an input is if its name leads there and it is what it was."""
    places: list[str | Path] = [start / file.name for start in starts]  # paths of Python are files
    places = [file.name] if loading.is_name(file.name) else places
    origins = [loading.find_file(place) for place in places]
    several = (Path(origin[1]) for origin in origins if origin is not None)
    return next((path for path in several if _hash(path) == file.sha256), None)


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


@contextmanager
def put_in_place(states: Sequence[InputState], starts: Sequence[Path]) -> Iterator[Path]:
    """Give a folder from which the inputs have the names that they had: one of ``starts``, or a folder of links.

    That folder is removed in the end. If a name is absolute there is none, so the inputs must be where they were.

    Raises InputError if some are moved and another is nowhere.
    """
    files = [state for state in states if not loading.is_name(state.name)]
    for start in starts:
        if all(state.place in (None, start / state.name) for state in files):
            yield start
            return
    if any(Path(state.name).is_absolute() for state in files):
        yield starts[0]
        return
    for state in files:
        if state.place is None:
            what = f"no file has the sha256 {state.sha256[:8]} of the {state.part}, {state.name}"
            raise InputError(f"{what}; choose a folder that has it with --root")
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
