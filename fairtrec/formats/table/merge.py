"""Many sorted parts into one sorted stream of rows, a limited number of rows at a time."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from fairtrec.data import Keys
from fairtrec.formats import table
from fairtrec.formats.table.rows import Rows, arranged

SAMPLES = 8  # of each part, at least, to find out where to cut
Twice = Callable[[list[str], Keys, Keys], None]  # docnos, where each stood first, and where again


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


def merged(parts: Sequence[Iterable[Rows]], twice: Twice) -> Iterator[Rows]:
    """Merge parts, each sorted by key, into rows sorted by key and docno.

    Rows must have places. Of rows with the same docno the one of the lowest place stays; ``twice`` is told the others.
    """
    for pieces in steps(parts):
        whole = Rows.joined([piece for some in pieces for piece in some])
        rows, again, first = arranged(whole)
        if len(again):
            assert whole.places is not None
            twice(whole.docnos.take(again).to_pylist(), whole.places[first], whole.places[again])
        yield rows


def _cut(keys: Sequence[Keys]) -> np.uint64:
    """Choose a key up to which there are about ROWS rows, none of them beyond what is at hand."""
    step = max(1, table.ROWS // (SAMPLES * len(keys)))
    samples = np.sort(np.concatenate([each[step - 1 : table.ROWS : step] for each in keys]))
    last = min(each[-1] for each in keys)
    most = table.ROWS // step
    return last if len(samples) <= most else min(last, samples[most])
