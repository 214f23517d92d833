"""Rows of a table on their way from one file to another: as Arrow hands them out, sorted by fingerprint and docno.

Many sorted parts become one sorted stream of rows, a limited number of rows at a time.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fairtrec.counting import table
from fairtrec.counting.table import DOCNO, KEY, TOKENS
from fairtrec.data import Ints, Keys
from fairtrec.formats.spans import compute_keys, flat, locate_texts, take_numbers

PLACE = "place"  # in the parts of an engine: where a document stood, so that a second one can be pointed at
Numbers = npt.NDArray[np.uint32]
SAMPLES = 8  # of each part, at least, to find out where to cut
Twice = Callable[[list[str], Keys, Keys], None]  # docnos, where each stood first, and where again


def schema(groups: Sequence[str], *, keyed: bool = True, placed: bool = False) -> Any:
    """Give the columns of a table: with the fingerprint, with the place."""
    fields = [(KEY, pa.uint64())] * keyed + [(DOCNO, pa.string())]
    fields += [(name, pa.uint32()) for name in (TOKENS, *groups)] + [(PLACE, pa.uint64())] * placed
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in fields])


@dataclass(frozen=True, eq=False)
class Rows:
    """Some rows: keys [row], docnos (an Arrow array of strings), numbers [column, row] and perhaps places [row]."""

    keys: Keys
    docnos: Any
    numbers: Numbers
    places: Keys | None = None

    @classmethod
    def from_columns(cls, docnos: Any, numbers: Numbers, places: Keys) -> Self:
        """Compute the keys of rows."""
        return cls(compute_keys(*locate_texts(docnos)), docnos, numbers, places)

    @classmethod
    def from_batch(cls, batch: Any) -> Self:
        """Take the rows of a record batch with a fingerprint; nothing is copied but the counts."""
        names = batch.schema.names
        placed = names[-1] == PLACE
        columns = [take_numbers(batch.column(i)) for i in range(2, len(names) - placed)]
        places = take_numbers(batch.column(len(names) - 1)) if placed else None
        return cls(take_numbers(batch.column(0)), batch.column(1), np.stack(columns), places)

    def batch(self, form: Any) -> Any:
        """Make a record batch of this schema."""
        columns = {KEY: flat(self.keys), DOCNO: _alone(self.docnos)}
        columns |= {} if self.places is None else {PLACE: flat(self.places)}
        columns |= dict(zip([name for name in form.names if name not in columns], map(flat, self.numbers), strict=True))
        return pa.record_batch([columns[name] for name in form.names], schema=form)

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, some: slice) -> "Rows":
        places = None if self.places is None else self.places[some]
        start, stop, _ = some.indices(len(self))
        return Rows(self.keys[some], self.docnos.slice(start, stop - start), self.numbers[:, some], places)

    def take(self, order: Ints) -> "Rows":
        """Pick rows by number."""
        places = None if self.places is None else self.places[order]
        return Rows(self.keys[order], self.docnos.take(flat(order)), self.numbers[:, order], places)

    @staticmethod
    def concatenate(parts: Sequence["Rows"]) -> "Rows":
        """Lay rows one behind the other."""
        if len(parts) == 1:
            return parts[0]
        places = [part.places for part in parts if part.places is not None]
        return Rows(
            np.concatenate([part.keys for part in parts]),
            pa.concat_arrays([part.docnos for part in parts]),
            np.concatenate([part.numbers for part in parts], axis=1),
            np.concatenate(places) if places else None,
        )


def _alone(docnos: Any) -> Any:
    """Copy docnos, so that nothing of their neighbors is written with them."""
    letters, starts, ends = locate_texts(docnos)
    offsets = np.concatenate((starts, ends[-1:])) - starts[0]
    buffers = [pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(letters[starts[0] : ends[-1]].tobytes())]
    return pa.StringArray.from_buffers(len(docnos), *buffers)


def sort_rows(rows: Rows) -> tuple[Rows, Ints, Ints]:
    """Sort rows by key, docno and place. Give them, those that repeat the docno of another, and these others."""
    if (rows.keys[1:] > rows.keys[:-1]).all():  # nothing is copied of what is in order
        nothing = np.empty(0, dtype=np.int64)
        return rows, nothing, nothing
    order = np.argsort(rows.keys, kind="stable")
    keys = rows.keys[order]
    same = np.flatnonzero(keys[1:] == keys[:-1])
    again = np.zeros(len(order), dtype=np.bool_)
    if len(same):
        tied = np.union1d(same, same + 1)
        names = rows.docnos.take(flat(order[tied])).to_pylist()
        places = np.zeros(len(tied)) if rows.places is None else rows.places[order[tied]]
        ranks = list(zip(keys[tied].tolist(), names, places.tolist(), strict=True))
        by_rank = sorted(range(len(tied)), key=ranks.__getitem__)  # code points sort as their UTF-8 does
        order[tied] = order[tied][by_rank]
        repeats = [ranks[a][:2] == ranks[b][:2] for a, b in pairwise(by_rank)]
        again[tied[1:]] = repeats
    first = order[np.maximum.accumulate(np.where(again, 0, np.arange(len(order))))[again]] if again.any() else order[:0]
    return rows.take(order[~again]), order[again], first


def even(pieces: Iterable[Rows], size: int = 0) -> Iterator[Rows]:
    """Cut rows anew into pieces of ``size`` rows (ROWS); the last one may have fewer."""
    size = size or table.ROWS
    held: list[Rows] = []
    for piece in pieces:
        held.append(piece)
        if sum(map(len, held)) < size:
            continue
        whole = Rows.concatenate(held)
        full = len(whole) // size * size
        yield from (whole[i : i + size] for i in range(0, full, size))
        held = [whole[full:]]
    if sum(map(len, held)):
        held = [Rows.concatenate(held)]
        yield held.pop()  # which is not kept here, too


class _Cursor:
    """Where the merge stands in one part."""

    def __init__(self, pieces: Iterable[Rows]) -> None:
        self.pieces = iter(pieces)
        self.rows: Rows | None = None
        self.fill()

    def fill(self) -> None:
        """Go on to the next rows; None at the end."""
        while self.rows is None or not len(self.rows):
            self.rows = next(self.pieces, None)
            if self.rows is None:
                return

    def until(self, key: np.uint64) -> Iterator[Rows]:
        while self.rows is not None:
            end = int(np.searchsorted(self.rows.keys, key, side="right"))
            if end:
                yield self.rows[:end]
            self.rows = self.rows[end:]
            if len(self.rows):
                return
            self.fill()


def steps(parts: Sequence[Iterable[Rows]]) -> Iterator[list[list[Rows]]]:
    """Go through parts, each sorted by key, together: give what each has up to one key, then up to the next."""
    cursors = [_Cursor(part) for part in parts]
    while keys := [cursor.rows.keys for cursor in cursors if cursor.rows is not None]:
        cut = _cut(keys)
        yield [list(cursor.until(cut)) for cursor in cursors]


def merge_sorted(parts: Sequence[Iterable[Rows]], twice: Twice | None = None) -> Iterator[Rows]:
    """Merge parts, each sorted by key, into rows sorted by key and docno.

    Rows must have places. Of rows with the same docno the one of the lowest place stays; ``twice`` is told the others.
    """
    for pieces in steps(parts):
        whole = Rows.concatenate([piece for some in pieces for piece in some])
        rows, again, first = sort_rows(whole)
        if len(again) and twice is not None:
            assert whole.places is not None
            twice(whole.docnos.take(again).to_pylist(), whole.places[first], whole.places[again])
        del pieces, whole  # of which the rows are a copy
        yield rows


def _cut(keys: Sequence[Keys]) -> np.uint64:
    """Choose a key up to which there are about ROWS rows, none of them beyond what is at hand."""
    step = max(1, table.ROWS // (SAMPLES * len(keys)))
    samples = np.sort(np.concatenate([each[step - 1 : table.ROWS : step] for each in keys]))
    last = min(each[-1] for each in keys)
    most = table.ROWS // step
    return last if len(samples) <= most else min(last, samples[most])
