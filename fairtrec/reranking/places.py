"""Where reranked runs are written."""

import os
from collections.abc import Sequence
from pathlib import Path

from fairtrec.errors import UsageError
from fairtrec.files import opening
from fairtrec.reranker import Reranker


def places(runs: Sequence[str], by: Sequence[Reranker], output: str | None) -> list[Path]:
    """Say where each run goes, those of the first reranker first: to a file, or each to a file in a folder.

    A folder is what ends in a slash or is one; several runs need one. A run keeps its name there; where there are
    several rerankers, with the reranker behind it. Nothing is given where there is no ``output``.

    Raises UsageError where several have no folder, or two the same name.
    """
    several = len(runs) * len(by) > 1
    if output is None:
        if several:
            raise UsageError(f"{len(runs) * len(by)} runs are written; name a folder for them with -o")
        return []
    place = Path(output)
    if not several and not output.endswith(os.sep) and not place.is_dir():
        return [place]
    if place.exists() and not place.is_dir():
        raise UsageError(f"{output} is a file, and several runs are written to a folder; name one with -o")
    found = [place / _called(run, each if len(by) > 1 else None) for each in by for run in runs]
    twice = [each for number, each in enumerate(found) if each in found[:number]]
    if twice:
        raise UsageError(f"two runs would be written to {twice[0]}; call one by another name, with NAME=FILE")
    return found


def _called(run: str, by: Reranker | None) -> str:
    name = opening.uncompressed(Path(run).name)
    if by is None:
        return name
    spelled = str(by).replace(os.sep, "_")
    return f"{name.removesuffix('.run')}-{spelled}.run"


def prepare(place: Path, output: str) -> None:
    """Make the folder in which a run is written, if that is one. Raises UsageError where that cannot be."""
    if place == Path(output):
        return
    try:
        place.parent.mkdir(exist_ok=True)
    except OSError as fault:
        raise UsageError(f"cannot make the folder {output}: {fault.strerror}; choose another with -o") from None
