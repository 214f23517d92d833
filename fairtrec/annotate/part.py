"""What a counting process does: a task in, a sorted part of the table out, on disk before it is spoken of."""

import json
import multiprocessing
import os
import signal
import threading
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from fairtrec.annotate import fastest
from fairtrec.annotate.counter import Lexicon
from fairtrec.annotate.documents import Documents, Fault
from fairtrec.annotate.kernel import Kernel
from fairtrec.annotate.long import PIECE, shortened
from fairtrec.annotate.tasks import Origin, Task, documents_of
from fairtrec.annotate.terms import joined
from fairtrec.data import Ints, Keys
from fairtrec.formats.replaced import replaced
from fairtrec.formats.table.build import written
from fairtrec.formats.table.rows import Numbers, Rows, arranged, schema

Piece = tuple[Any, Numbers, Keys]  # docnos, numbers and places

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess


@dataclass(frozen=True)
class Work:
    """What is the same for all tasks."""

    origins: list[Origin]
    lexicon: Lexicon
    folder: Path
    longest: int
    skip: bool  # what is wrong is written down and passed over


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

    def __init__(self, work: Work) -> None:
        self.work = work
        self.counter = fastest(work.lexicon)

    def __call__(self, task: Task) -> Done:
        """Count one task and commit its part."""
        if task.damage:
            return self._finish(task, [], [(1, task.damage)], 0, 0)
        pieces: list[Piece] = []
        faults: list[Fault] = []
        lines = size = 0
        for some in documents_of(self.work.origins[task.origin], task, self.work.longest):
            faults += [(lines + line, reason) for line, reason in some.faults]
            size += int((some.ends - some.starts).sum())
            if len(some.starts) and (self.work.skip or not faults):
                tokens, counts = counted(self.counter, some)
                numbers = np.concatenate((tokens[None], counts.T)).astype(np.uint32)
                pieces.append((some.docnos, numbers, (some.lines + lines).astype(np.uint64)))
            lines += some.passed
        return self._finish(task, pieces, faults, lines, size)

    def _finish(self, task: Task, pieces: list[Piece], faults: list[Fault], lines: int, size: int) -> Done:
        documents = 0
        if pieces:
            docnos, numbers, places = zip(*pieces, strict=True)
            whole = Rows.of(pa.concat_arrays(docnos), np.concatenate(numbers, axis=1), np.concatenate(places))
            rows, again, _ = arranged(whole)
            documents = len(rows)
            if len(again):
                names, where = whole.docnos.take(again).to_pylist(), whole.places[again].tolist()  # type: ignore[index]
                faults = sorted(faults + [(line, twice(name)) for line, name in zip(where, names, strict=True)])
        if faults and not self.work.skip:
            return Done(task.number, task.origin, fault=min(faults))
        if faults:
            with replaced(rejects(self.work.folder, task.number), synced=True) as file:
                file.write_text("".join(json.dumps(fault) + "\n" for fault in faults), "utf-8")
        if documents:
            with replaced(part(self.work.folder, task.number), synced=True) as file:
                written(file, schema(self.work.lexicon.groups, placed=True), [rows])
        return Done(task.number, task.origin, lines, documents, size, len(faults), self.counter.name)


def part(folder: Path, number: int) -> Path:
    """Name the file of a part."""
    return folder / f"{number:07}.arrow"


def rejects(folder: Path, number: int) -> Path:
    """Name the file of the lines of a part that were passed over."""
    return folder / f"{number:07}.rejected.jsonl"


def twice(docno: str) -> str:
    """Say that a document stands twice."""
    return f"document {docno} stands twice; keep one line"


def counted(counter: Kernel, some: Documents) -> tuple[Ints, Ints]:
    """Count documents; very long ones are made fit for the counter before."""
    block, starts, ends = some.block, some.starts, some.ends
    if (ends - starts).max() > PIECE:
        texts = (block[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True))
        block, starts, ends = joined([shortened(t, counter.lexicon) if len(t) > PIECE else t for t in texts])
    return counter.count(block, starts, ends)


_counting: Counting | None = None


def begin(work: Work) -> None:
    """Make this process ready to count, and end when the one that started it does."""
    global _counting  # noqa: PLW0603 - a process counts for one collection
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if (parent := multiprocessing.parent_process()) is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _counting = Counting(work)


def _end_with(parent: "BaseProcess") -> None:
    parent.join()
    os._exit(1)


def run(task: Task) -> Done:
    """Count a task in this process."""
    assert _counting is not None
    return _counting(task)


def as_json(done: Done) -> str:
    """Write down what is done."""
    fields = asdict(done)
    del fields["fault"]
    return json.dumps(fields)
