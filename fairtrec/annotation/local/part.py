"""What a counting process does: a task in, a sorted part of the table out, on disk before it is spoken of."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from fairtrec.annotation.counting.compiled import fastest
from fairtrec.annotation.counting.counter import Lexicon
from fairtrec.annotation.counting.piece import Piece
from fairtrec.annotation.counting.text_blocks import Fault
from fairtrec.annotation.local.tasks import Origin, Task, documents_of
from fairtrec.files.atomic import replaced
from fairtrec.formats.table.build import written
from fairtrec.formats.table.rows import schema


@dataclass(frozen=True)
class CountingWork:
    """What is the same for all tasks."""

    origins: list[Origin]
    lexicon: Lexicon
    folder: Path
    longest: int
    skip: bool  # what is wrong is written down and passed over

    def begin(self) -> "Callable[[Task], Done]":
        """Make the counter of a process."""
        return Counting(self)


@dataclass(frozen=True)
class Done:
    """What came of a task: how many lines, documents and bytes of text it had, and what was wrong with it."""

    number: int
    origin: int
    lines: int = 0
    documents: int = 0
    bytes: int = 0
    rejected: int = 0
    counter: str = ""  # which one it was
    fault: Fault | None = field(default=None)  # the first one, where it is not passed over; its line within the task


class Counting:
    """Counts tasks, with one counter for all of them."""

    def __init__(self, work: CountingWork) -> None:
        self.work = work
        self.counter = fastest(work.lexicon)

    def __call__(self, task: Task) -> Done:
        """Count one task and commit its part."""
        work, piece = self.work, Piece(faults=[(1, task.damage)] if task.damage else [])
        for some in documents_of(work.origins[task.origin], task, work.longest):
            piece.add(some, self.counter, skip=work.skip)
        rows = piece.arranged()
        if piece.faults and not work.skip:
            return Done(task.number, task.origin, fault=min(piece.faults))
        if piece.faults:
            with replaced(rejects(work.folder, task.number), synced=True) as file:
                file.write_text(piece.rejected, "utf-8")
        if rows is not None:
            with replaced(part(work.folder, task.number), synced=True) as file:
                written(file, schema(work.lexicon.groups, placed=True), [rows])
        many = 0 if rows is None else len(rows)
        return Done(task.number, task.origin, piece.lines, many, piece.bytes, len(piece.faults), self.counter.name)


def part(folder: Path, number: int) -> Path:
    """Name the file of a part."""
    return folder / f"{number:07}.arrow"


def rejects(folder: Path, number: int) -> Path:
    """Name the file of the lines of a part that were passed over."""
    return folder / f"{number:07}.rejected.jsonl"


def as_json(done: Done) -> str:
    """Write down what is done."""
    fields = asdict(done)
    del fields["fault"]
    return json.dumps(fields)
