"""What differs between two tables of counts, whatever their formats."""

from collections.abc import Iterator
from os import fspath
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from fairtrec.errors import FilePath
from fairtrec.formats.table.build import sorted_parts
from fairtrec.formats.table.files import Table
from fairtrec.formats.table.rows import Rows, merged, steps

MADE = ("tokenizer", "case_sensitive", "sha256")


def differences(one: FilePath, other: FilePath) -> Iterator[str]:
    """Say what differs, a line each: how the counts were made, then documents in the order of the tables."""
    tables = Table(one), Table(other)
    groups = [tuple(sorted(each.groups)) for each in tables]
    if groups[0] != groups[1]:
        yield f"groups: {', '.join(groups[0])} | {', '.join(groups[1])}"
        return
    metas = [each.meta for each in tables]
    for name in MADE if None not in metas else ():
        values = [getattr(meta, name) for meta in metas]
        if values[0] != values[1]:
            yield f"{name}: {values[0]} | {values[1]}"
    with TemporaryDirectory(prefix="fairtrec-") as folder:
        whole = []
        for number, each in enumerate(tables):
            parts = list(sorted_parts(each, number, groups[0], Path(folder)))
            whole.append(merged(parts, _impossible))
        for pieces in steps(whole):
            yield from _between(pieces[0], pieces[1], fspath(one), fspath(other))


def _impossible(*_: object) -> None:
    """Ignore what stands twice in one table."""


def _between(some: list[Rows], more: list[Rows], one: str, other: str) -> Iterator[str]:
    if some and more:
        a, b = Rows.joined(some), Rows.joined(more)
        if len(a) == len(b) and a.docnos.equals(b.docnos) and np.array_equal(a.numbers, b.numbers):
            return
    rows = [_by_docno(pieces) for pieces in (some, more)]
    for docno in dict.fromkeys([*rows[0], *rows[1]]):
        left, right = (each.get(docno) for each in rows)
        if left is None or right is None:
            yield f"{docno}: only in {other if left is None else one}"
        elif left != right:
            yield f"{docno}: {' '.join(map(str, left))} | {' '.join(map(str, right))}"


def _by_docno(pieces: list[Rows]) -> dict[str, list[int]]:
    return {
        docno: numbers
        for piece in pieces
        for docno, numbers in zip(piece.docnos.to_pylist(), piece.numbers.T.tolist(), strict=True)
    }
