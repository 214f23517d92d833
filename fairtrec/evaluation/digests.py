"""What the signature calls what was given beside runs: by its name, and by a digest of what it holds."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from os import fspath
from os.path import getsize, isfile
from typing import Any

import numpy as np

from fairtrec.answers.result import InputFile, Part
from fairtrec.data import Docs, Ints, Qrels, Run
from fairtrec.errors import PATH
from fairtrec.evaluation.plan import Plan
from fairtrec.files.by_name import is_by_name
from fairtrec.inputs import loading
from fairtrec.inputs.choices import Choices, name_of
from fairtrec.inputs.given import Given
from fairtrec.inputs.targets import files_of as target_files

LARGE = 1 << 24  # bytes, of which hashing takes longer than a thread to start


def files_of(parts: Mapping[Part, Any]) -> dict[Part, InputFile]:
    """Name the file behind each part, where it is one."""
    found = {part: loading.origin(thing) for part, thing in parts.items()}
    return {part: InputFile(*at) for part, at in found.items() if at is not None}


@dataclass(frozen=True, eq=False)
class InputFiles:
    """What was given beside runs; of each file a digest, made once."""

    given: Given
    choices: Choices

    @cached_property
    def files(self) -> dict[Part, InputFile]:
        """The files, by the parts that they play."""
        given = self.given
        parts = {Part(name): thing for name, thing in vars(given).items() if name not in given.words}
        asked: Any = self.choices.target
        for name, target in (asked if is_by_name(asked) else {"": asked}).items() if asked != "even" else ():
            several = target_files(target)
            numbers = [f"{name} {number}".strip() for number in range(1, len(several) + 1)]
            parts |= {Part("target", number if len(several) > 1 else name or None): each
                      for number, each in zip(numbers, several, strict=True)}  # fmt: skip
        parts |= {} if self.choices.pool == "even" else {Part("pool"): self.choices.pool}
        if given.labels is not None:
            parts |= {Part("labels", name): file for name, file in given.label_files.items()}
        return files_of(parts)

    def begin(self, plan: Plan) -> None:
        """Have large files hashed while they are read."""
        searched = plan.table is not None and plan.table.is_sorted
        decide = {"qrels": True, "background": "background" in plan.uses}
        decide |= {"docs": plan.lexicon is not None and "documents" in plan.uses}
        decide |= {"counts": not searched and "documents" in plan.uses}
        for part, file in self.files.items():
            if decide.get(part.of) and isfile(file.place) and getsize(file.place) >= LARGE:  # noqa: PTH113, PTH202 - as pathlib is not loaded
                file.begin()

    def called(self, part: str, read: Qrels | Run | None = None, digest: str = "") -> str:
        """Name what plays a part: name@digest of a file, or of what was ``read``; an ir_datasets id as it is.

        ``digest``  what a table that is searched, not read, says of its rows.
        """
        thing, file = getattr(self.given, part), self.files.get(Part(part))
        if file is not None and not digest:
            return file.called
        if thing is None:
            return ""
        name = fspath(thing) if file is None and isinstance(thing, PATH) else name_of(thing)
        return loading.short(name, digest if read is None else digest_of(read))

    def target(self, told: str) -> str:
        """Put a digest behind each file of which the target is made, in what is told of it."""
        for part, file in self.files.items():
            if part.of == "target":
                told = re.sub(rf"(?<![^*=;]){re.escape(name_of(file.place))}(?![^+;])", file.called, told)
        return told

    def pool(self, told: str) -> str:
        """Put a digest behind the file of frequencies, if there is one."""
        file = self.files.get(Part("pool"))
        return told if file is None else file.called


def digest_of(read: Qrels | Run) -> str:
    """Hash judgements, or rankings, that are in no file; in whatever order their queries came."""
    from hashlib import sha256

    found = sha256()
    for row in sorted(range(len(read.qids)), key=read.qids.__getitem__):
        for column in _columns(read, row):
            found.update(f"{read.qids[row]} {column.dtype} {len(column)}\n".encode())
            found.update(np.ascontiguousarray(column).data)
    return found.hexdigest()


def _columns(read: Qrels | Run, row: int) -> list[Docs | Ints]:
    """Give what decides of one query: its documents in their order, or by name with their grades and subtopics."""
    first, end = read.starts[row : row + 2]
    if isinstance(read, Run):
        return [read.docnos[first:end]]
    columns = read.docnos[first:end], read.iterations[first:end], read.grades[first:end]
    order = np.lexsort((columns[1], columns[0]))
    return [column[order] for column in columns]
