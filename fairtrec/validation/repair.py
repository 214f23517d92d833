"""Writing a run anew where it is certain what is meant: nothing is invented, and no score is touched."""

import os
from collections.abc import Iterable, Iterator
from itertools import pairwise
from os import fspath
from pathlib import Path

import numpy as np

from fairtrec.data import Ints, starts_of
from fairtrec.errors import FilePath, UsageError
from fairtrec.files import compression, opening
from fairtrec.files.atomic import replaced
from fairtrec.literals import Severity
from fairtrec.validation.checked import Checked
from fairtrec.validation.entries import RunEntries
from fairtrec.validation.findings import CODES, Code


def obstacles(checked: Checked) -> list[Code]:
    """List the errors that cannot be repaired with certainty, which leave a run unwritten."""
    found = [CODES[name] for name in sorted(checked.found.many)]
    return [code for code in found if code.is_error and not code.repair]


def is_written(checked: Checked, place: Path | None) -> bool:
    """Tell whether a run is written anew: it should be, and nothing stands against it."""
    return place is not None and not obstacles(checked)


def is_bad(checked: Checked, place: Path | None, fail_on: Severity) -> bool:
    """Tell whether errors (or warnings, if it is to fail on these) are left, in what is written if anything is."""
    written = is_written(checked, place)
    left = [code for code in map(CODES.__getitem__, checked.found.many) if not (written and code.repair)]
    return any(code.is_error or fail_on == "warning" for code in left)


def repaired(checked: Checked) -> list[tuple[Code, int]]:
    """List what writing the run anew puts right, and how often that was found."""
    return [(CODES[name], many) for name, many in sorted(checked.found.many.items()) if CODES[name].repair]


def outputs(runs: list[str], named: FilePath, others: Iterable[str] = (), *, force: bool) -> dict[str, Path]:
    """Say where each run is written: several go to a folder, which is made; no file that is read is written to.

    A name that ends in a slash is that of a folder. ``others`` are read beside the runs.

    Raises UsageError for what cannot be.
    """
    out = Path(named)
    if any(opening.is_stream(run) for run in runs):
        raise UsageError("a run is read twice for --fix, which a stream cannot be; give a file")
    folder = len(runs) > 1 or fspath(named).endswith(os.sep)
    if _is_there(out) and folder and not out.is_dir():
        raise UsageError(f"{out} is a file, and several runs are written to a folder; name one")
    folder = folder or out.is_dir()
    places = {run: out / compression.uncompressed(Path(run).name) if folder else out for run in runs}
    _refuse_shared(places)
    for place in places.values():
        if place.suffix in compression.ENDINGS:
            raise UsageError(f"a repaired run is written as plain text; leave out {place.suffix} of {place}")
        if any(place.exists() and os.path.exists(read) and place.samefile(read) for read in [*runs, *others]):  # noqa: PTH110
            raise UsageError(f"{place} is one of the files that are read; write elsewhere with --fix")
        if place.exists() and not place.is_file():
            raise UsageError(f"{place} is no file, and would be replaced by one; write elsewhere with --fix")
        if place.exists() and not force:
            raise UsageError(f"{place} is there already; write elsewhere, or add --force to replace it")
        if not folder and not place.parent.is_dir():
            raise UsageError(f"the folder of {place} is not there; make it, or write elsewhere")
    return places


def _refuse_shared(places: dict[str, Path]) -> None:
    """Raise UsageError for two runs that would be written to one file."""
    first: dict[Path, str] = {}
    for run, place in places.items():
        if place in first:
            raise UsageError(f"{first[place]} and {run} would both be written to {place}; repair them one by one")
        first[place] = run


def _is_there(out: Path) -> bool:
    """Tell whether something is there. Raises UsageError for a name that no file can have."""
    try:
        return out.exists()
    except OSError as fault:
        raise UsageError(f"cannot write {out}: {fault.strerror}; write elsewhere with --fix") from None


def write(checked: Checked, place: Path, depth: int | None = None) -> None:
    """Write a run that has no obstacles, down to ``depth``: all or nothing."""
    try:
        place.parent.mkdir(exist_ok=True)
        with replaced(place) as part, part.open("wb") as file:
            file.writelines(_lines(checked, depth))
    except OSError as fault:
        raise UsageError(f"cannot write {place}: {fault.strerror}; write elsewhere with --fix") from None


def _lines(checked: Checked, depth: int | None) -> Iterator[bytes]:
    """Write the lines as they are evaluated: by query as first seen, falling score, ties by falling docno."""
    rows = checked.rows
    starts = starts_of(rows.query)
    alphabetical = np.unique(rows.docnos, return_inverse=True)[1]
    ranked = np.lexsort((-alphabetical, -rows.scores, rows.query))
    if depth is not None:
        ranked = ranked[np.arange(len(ranked)) - np.repeat(starts[:-1], np.diff(starts)) < depth]
        starts = np.append(0, np.cumsum(np.minimum(np.diff(starts), depth)))
    if rows.form != "trec":
        yield from _written(rows, ranked, starts)
        return
    with opening.opened(checked.path) as stream:
        texts = stream.read().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    ranks = np.arange(1, len(ranked) + 1) - np.repeat(starts[:-1], np.diff(starts))
    for line, rank in zip(rows.lines[ranked].tolist(), ranks.tolist(), strict=True):
        qid, second, docno, _, score, tag = texts[line - 1].split()
        yield b"%b %b %b %d %b %b\n" % (qid, second, docno, rank, score, tag)


def _written(rows: RunEntries, ranked: Ints, starts: Ints) -> Iterator[bytes]:
    """Write the lines of what was no TREC file, with the scores as they are."""
    tag = rows.tag.encode()
    scores, docnos = rows.scores[ranked].tolist(), rows.docnos[ranked].tolist()
    for first, end in pairwise(starts.tolist()):
        query = rows.query[ranked[first]]
        qid, second = rows.qids[query].encode(), rows.second[query].encode()
        for rank, at in enumerate(range(first, end), 1):
            yield b"%b %b %b %d %b %b\n" % (qid, second, docnos[at], rank, repr(scores[at]).encode(), tag)
