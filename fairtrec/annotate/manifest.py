"""Which parts of an unfinished run are done: JSON lines, each on disk before the next task is counted as done.

The first line says what is counted and how; a run goes on only with the same. The last line may be torn.
"""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from fairtrec.annotate.part import Done, as_json, part, rejects
from fairtrec.errors import UsageError

NAME = "manifest.jsonl"


class Manifest:
    """The record of a run, in the folder of its parts."""

    def __init__(self, folder: Path, header: Mapping[str, Any], *, resume: bool, force: bool) -> None:
        """Open the folder. Raises UsageError where it holds a run that is not this one, or that may not go on."""
        self.folder = folder
        self.path = folder / NAME
        self.done: dict[int, Done] = {}
        if folder.exists() and not resume:
            if not force:
                message = f"{folder} holds an unfinished run; give --resume to go on, or --force to begin anew"
                raise UsageError(message)
            shutil.rmtree(folder)
        folder.mkdir(exist_ok=True)
        head = json.loads(json.dumps(header))
        lines = self._lines()
        if lines:
            found = json.loads(lines[0])
            if other := sorted(name for name in {*found, *head} if found.get(name) != head.get(name)):
                what = ", ".join(other)
                message = f"{folder} holds a run that differs in: {what}; give the same, or begin anew with --force"
                raise UsageError(message)
            for line in lines[1:]:
                done = Done(**json.loads(line))
                if self._is_there(done):
                    self.done[done.number] = done
        self.file = self.path.open("ab")
        if not lines:
            self._append(json.dumps(head))

    def _lines(self) -> list[bytes]:
        """Read the whole lines, and cut off one that was not written to its end."""
        if not self.path.exists():
            return []
        text = self.path.read_bytes()
        whole = text.rfind(b"\n") + 1
        os.truncate(self.path, whole)
        return text[:whole].splitlines()

    def _is_there(self, done: Done) -> bool:
        has_part = not done.documents or part(self.folder, done.number).exists()
        return has_part and (not done.rejected or rejects(self.folder, done.number).exists())

    def _append(self, line: str) -> None:
        self.file.write(line.encode() + b"\n")
        self.file.flush()
        os.fsync(self.file.fileno())

    def add(self, done: Done) -> None:
        """Write down that a task is done."""
        self.done[done.number] = done
        self._append(as_json(done))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        self.file.close()
        if not self.done:  # there is nothing to go on with
            shutil.rmtree(self.folder)
