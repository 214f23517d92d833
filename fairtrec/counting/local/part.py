"""What a counting process does: a task in, a sorted part of the table out, on disk before it is spoken of."""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from platform import node
from typing import Any, Self

from fairtrec.counting.compiled import fastest
from fairtrec.counting.counter import Lexicon
from fairtrec.counting.kernel import Kernel
from fairtrec.counting.local.tasks import Origin, Task, read_documents
from fairtrec.counting.table.build import write_rows
from fairtrec.counting.table.rows import schema
from fairtrec.counting.text_blocks import Fault, Piece
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.files.atomic import replace_file
from fairtrec.support.files.typed_fields import parse_json


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
        return partial(self.count_task, fastest(self.lexicon))

    def count_task(self, counter: Kernel, task: Task) -> "Done":
        """Count one task and commit its part."""
        piece = Piece(faults=[(1, task.damage)] if task.damage else [])
        for some in read_documents(self.origins[task.origin], task, self.longest):
            piece.add(some, counter, skip=self.skip)
        rows = piece.sort_rows()
        if piece.faults and not self.skip:
            return Done(task.number, task.origin, fault=min(piece.faults))
        if piece.faults:
            with replace_file(rejects(self.folder, task.number), synced=True) as file:
                file.write_text(piece.rejected, "utf-8")
        if rows is not None:
            with replace_file(part(self.folder, task.number), synced=True) as file:
                write_rows(file, schema(self.lexicon.groups, placed=True), [rows])
        many = 0 if rows is None else len(rows)
        return Done(task.number, task.origin, piece.lines, many, piece.bytes, len(piece.faults), counter.name)


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


def part(folder: Path, number: int) -> Path:
    """Name the file of a part."""
    return folder / f"{number:07}.arrow"


def rejects(folder: Path, number: int) -> Path:
    """Name the file of the lines of a part that were passed over."""
    return folder / f"{number:07}.rejected.jsonl"


NAME = "manifest.jsonl"
DAMAGED = "the record of an unfinished run is damaged, begin anew with --force"
COUNTS = ("number", "origin", "lines", "documents", "bytes", "rejected")  # of what came of a task
OWNER = "owner"  # the file that says who counts into a folder


@contextmanager
def hold_folder(folder: Path, *, resume: bool, force: bool) -> Iterator[None]:
    """Make the folder of the parts, or take one that is there, and keep other processes from it.

    Raises UsageError where one counts into it, or where it holds an unfinished run that is neither resumed nor dropped.
    """
    is_new = not os.path.lexists(folder)
    if not is_new and (folder.is_symlink() or not folder.is_dir()):
        raise UsageError(f"{folder} is not a folder, and the parts of the table go there; move it away")
    try:
        folder.mkdir(exist_ok=True)
        lock = os.open(folder, os.O_RDONLY)
    except OSError as fault:
        raise UsageError(f"cannot write {folder}: {fault.strerror}; choose another place with -o") from None
    is_ours = False
    try:
        _lock(lock, folder)
        is_ours = True
        if not is_new and not resume:
            if not force:
                message = f"{folder} has an unfinished run; add --resume to continue, or --force to begin again"
                raise UsageError(message)
            for each in folder.iterdir():
                shutil.rmtree(each) if each.is_dir() and not each.is_symlink() else each.unlink()
        (folder / OWNER).write_text(f"process {os.getpid()} on {node()}")
        yield
    finally:
        if is_ours and is_new and not (folder / NAME).exists():  # there is nothing to go on with
            shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _lock(lock: int, folder: Path) -> None:
    """Lock a folder until this process closes it, or ends. Raises UsageError if another process has."""
    try:
        import fcntl

        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_there = folder.exists() and folder.stat().st_ino == os.fstat(lock).st_ino
    except BlockingIOError:
        is_there = False
    except (OSError, ImportError):  # a file system, or a system, without locks
        return
    if not is_there:
        owner = folder / OWNER
        who = owner.read_text("utf-8", "replace")[:200] if owner.is_file() else "another process"
        raise UsageError(f"{who} counts into {folder}; wait until it is done, or give another -o")


class Manifest:
    """The record of a run, in the folder of its parts."""

    def __init__(self, folder: Path, header: Mapping[str, Any]) -> None:
        """Read what is done. Raises UsageError where that is of another run, InputError where it is damaged."""
        self.folder = folder
        self.path = folder / NAME
        self.done: dict[int, Done] = {}
        head = json.loads(json.dumps(header))
        lines = self._lines()
        if lines:
            found = parse_json(lines[0], self.path, DAMAGED, 1).values
            if other := sorted(name for name in {*found, *head} if found.get(name) != head.get(name)):
                what = ", ".join(other)
                message = f"{folder} holds a run that differs in: {what}; use the same, or begin again with --force"
                raise UsageError(message)
            for number, line in enumerate(lines[1:], 2):
                done = self._done(line, number, len(head.get("sources", ())))
                has_part = not done.documents or part(folder, done.number).exists()
                if has_part and (not done.rejected or rejects(folder, done.number).exists()):
                    self.done[done.number] = done
        self.file = self.path.open("ab")
        if not lines:
            self._append(json.dumps(head))

    def _lines(self) -> list[bytes]:
        """Read the whole lines, and cut off one that was not written to its end."""
        if not os.path.lexists(self.path):
            return []
        if self.path.is_symlink() or not self.path.is_file():
            raise InputError(f"this is no file; {DAMAGED}", self.path)
        text = self.path.read_bytes()
        whole = text.rfind(b"\n") + 1
        os.truncate(self.path, whole)
        return text[:whole].splitlines()

    def _done(self, line: bytes, number: int, origins: int) -> Done:
        fields = parse_json(line, self.path, DAMAGED, number)
        counts: Any = {name: fields.count(name) for name in COUNTS}
        done = Done(counter=fields.get("counter", str), **counts)
        if done.origin >= origins:
            fields.refuse("is no number of a source", "origin")
        return done

    def _append(self, line: str) -> None:
        self.file.write(line.encode() + b"\n")
        self.file.flush()
        os.fsync(self.file.fileno())

    def add(self, done: Done) -> None:
        """Write down that a task is done."""
        self.done[done.number] = done
        self._append(json.dumps({name: value for name, value in vars(done).items() if name != "fault"}))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        self.file.close()
        if not self.done:  # there is nothing to go on with
            shutil.rmtree(self.folder)
