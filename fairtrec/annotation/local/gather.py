"""The end of a local run: parts into one table, and what was passed over into one list."""

import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

import numpy as np

from fairtrec.annotation.counting.piece import twice
from fairtrec.annotation.local.part import Done, part, rejects
from fairtrec.data import Keys
from fairtrec.errors import InputError
from fairtrec.files.atomic import replaced
from fairtrec.formats.table import Meta, plain
from fairtrec.formats.table.build import built, reduced, rows_of
from fairtrec.formats.table.rows import Rows


class Places:
    """Where documents stood: the lines of all sources, numbered through."""

    def __init__(self, names: Sequence[str], parts: Sequence[Done]) -> None:
        self.names, self.parts = names, parts
        self.starts = [0, *accumulate(done.lines for done in parts)]
        self.heads = {done.origin: start for done, start in zip(parts[::-1], self.starts[-2::-1], strict=True)}

    def part(self, place: int) -> int:
        """Give the number of the part that a place is in."""
        return bisect_right(self.starts, place - 1) - 1

    def origin(self, number: int, line: int) -> tuple[str, int]:
        """Give the source of a line of a part, and its number there."""
        origin = self.parts[number].origin
        return self.names[origin], self.starts[number] + line - self.heads[origin]


def merged(output: Path, made: Meta, places: Places, folder: Path, *, skip: bool) -> tuple[Meta, int]:
    """Make the table of the parts in a folder. Give its metadata, and how many lines were passed over.

    Raises InputError for a document that stands in two parts, unless what is wrong is passed over.
    """
    for old in folder.glob("*.twice.jsonl"):
        old.unlink()
    rejected = sum(done.rejected for done in places.parts)

    def repeated(docnos: list[str], first: Keys, again: Keys) -> None:  # noqa: ARG001 - only the second is at fault
        nonlocal rejected
        found = sorted(zip(again.tolist(), docnos, strict=True))
        if not skip:
            place, docno = found[0]
            number = places.part(place)
            raise InputError(twice(docno), *places.origin(number, place - places.starts[number]))
        rejected += len(found)
        for place, docno in found:
            number = places.part(place)
            with _second(folder, number).open("a") as file:
                file.write(json.dumps((place - places.starts[number], twice(docno))) + "\n")

    def rows(number: int) -> Iterator[Rows]:
        for some in rows_of(part(folder, number)):
            assert some.places is not None
            yield replace(some, places=some.places + np.uint64(places.starts[number]))

    parts = [rows(done.number) for done in places.parts if done.documents]
    meta = built(output, made, reduced(parts, made.groups, repeated, folder), folder)
    listed = output.with_name(output.name + ".rejected.jsonl")
    if rejected:
        with replaced(listed, synced=True) as file, file.open("w", encoding="utf-8") as lines:
            for number in range(len(places.parts)):
                for line, reason in _faults(folder, number):
                    name, where = places.origin(number, line)
                    lines.write(plain({"file": name, "line": where, "reason": reason}) + "\n")
    else:
        listed.unlink(missing_ok=True)
    return meta, rejected


def _second(folder: Path, number: int) -> Path:
    return folder / f"{number:07}.twice.jsonl"


def _faults(folder: Path, number: int) -> list[tuple[int, str]]:
    paths = [path for path in (rejects(folder, number), _second(folder, number)) if path.exists()]
    return sorted(tuple(json.loads(line)) for path in paths for line in path.read_text("utf-8").splitlines())
