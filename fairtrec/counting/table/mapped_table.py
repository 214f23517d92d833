"""Looking documents up in an Arrow table on disk: what no wanted document needs is not read.

A large file is mapped into memory. Wanted docnos come in the order of their keys, as the rows do, so both are gone
through once, batch by batch; the pages of a batch are given back before the next one.
"""

import mmap
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from os import fspath
from typing import Any

import numpy as np
import pyarrow as pa

from fairtrec.counting.table import TOKENS
from fairtrec.counting.table.files import readable
from fairtrec.data import MISSING, Bools, Docnos, Docs, Ints, Keys
from fairtrec.data.docnos import PROBES
from fairtrec.formats.spans import Letters, find_edges, pack_words, take_numbers
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import mapping
from fairtrec.support.files.admission import open_file, refuse_unrecorded


class _Batches:
    """The batches of a table, mapped into memory or, if it is small or nobody could say that it was cut, read."""

    def __init__(self, path: FilePath, stack: ExitStack) -> None:
        self.path = path
        self.memory: mmap.mmap | None = None
        refuse_unrecorded(path)
        if not mapping.is_mapped(path):
            self.reader = pa.ipc.open_file(stack.enter_context(pa.OSFile(fspath(path))))
            return
        with open_file(path) as file:
            self.memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        buffer = pa.py_buffer(self.memory)
        self.address = buffer.address
        stack.enter_context(mapping.watch_mapping(path, buffer.address, buffer.size))
        self.reader = pa.ipc.open_file(buffer)
        self.letters = np.frombuffer(buffer, np.uint8)

    def batches(self) -> Iterator[Any]:
        """Give the batches in turn; the pages of each are given back behind it."""
        for i in range(self.reader.num_record_batches):
            batch = self.reader.get_batch(i)
            batch.validate()
            if batch.num_rows:
                yield batch
            if self.memory is not None and hasattr(mmap, "MADV_DONTNEED"):
                edges = [each.address - self.address for each in batch.column(0).buffers() if each]
                start = min(edges) // mmap.PAGESIZE * mmap.PAGESIZE
                self.memory.madvise(mmap.MADV_DONTNEED, start, batch.nbytes)

    def same(self, docnos: Any, rows: Ints, words: Keys) -> Bools:
        """Tell whether these rows hold these docnos, given as words [row, word] whose keys are theirs."""
        letters, start, length = self._locate(docnos, rows)
        equal: Bools = length <= 8 * words.shape[1]
        if words.shape[1] > 1:  # with 8 bytes the key is the docno
            equal &= (pack_words(self._pad(letters), start, start + length, words.shape[1]) == words).all(axis=1)
        return equal

    def take(self, docnos: Any, rows: Ints, words: int) -> tuple[Ints, Docs]:
        """Give those of these rows whose docnos have no more than so many words of 8 bytes, and these docnos."""
        letters, start, length = self._locate(docnos, rows)
        fits = length <= 8 * words
        start, length = start[fits], length[fits]
        packed = pack_words(self._pad(letters), start, start + length, words)
        return rows[fits], packed.view(f"S{8 * words}").ravel()

    def _locate(self, docnos: Any, rows: Ints) -> tuple[Letters, Ints, Ints]:
        """Find where the docnos of these rows start, and how long they are. Raises InputError for damaged ones."""
        _, offsets, buffer = docnos.buffers()
        edges = find_edges(offsets, docnos)
        start = edges[rows].astype(np.int64)
        length = edges[rows + 1] - start
        last = buffer.size if buffer else 0
        if (length < 0).any() or start.min(initial=0) < 0 or (start + length).max(initial=0) > last:
            raise InputError("its docnos are damaged; make or fetch it again", self.path)
        if self.memory is None:
            return np.frombuffer(buffer or b"", np.uint8), start, length
        return self.letters, start + buffer.address - self.address, length

    def _pad(self, letters: Letters) -> Letters:
        """Give letters with 7 bytes behind them; a mapped file has them in its footer."""
        return letters if self.memory is not None else np.append(letters, np.zeros(8, np.uint8))


def refuse_disorder(keys: Keys, last: np.uint64, path: FilePath) -> None:
    """Raise InputError where keys fall, or lie before those that stood above."""
    if keys[0] < last or (keys[1:] < keys[:-1]).any():
        raise InputError("its rows are not in the order of their fingerprints; count again", path)


def find(path: FilePath, wanted: Docnos, groups: Sequence[str]) -> tuple[Bools, Ints, Ints]:
    """Look the wanted documents up: which are there, their tokens, and their counts [document, group]."""
    known = np.zeros(len(wanted), dtype=np.bool_)
    numbers = np.zeros((1 + len(groups), len(wanted)), dtype=np.int64)
    width = -(-wanted.names.dtype.itemsize // 8)
    words = np.ascontiguousarray(wanted.names.astype(f"S{8 * width}")).view(np.uint64).reshape(len(wanted), width)
    with readable(path), ExitStack() as stack:
        table, last = _Batches(path, stack), np.uint64(0)
        for batch in table.batches():
            keys = take_numbers(batch.column(0))
            refuse_disorder(keys[:1], last, path)
            low = int(np.searchsorted(wanted.keys, keys[0]))
            high = int(np.searchsorted(wanted.keys, keys[-1], side="right"))
            asked = np.arange(low, high)
            rows = np.searchsorted(keys, wanted.keys[low:high])
            for _ in range(PROBES):
                near = keys[np.minimum(rows, len(keys) - 1)] == wanted.keys[asked]
                near &= rows < len(keys)
                if not near.all():
                    asked, rows = asked[near], rows[near]
                hit = table.same(batch.column(1), rows, words[low:high] if len(asked) == high - low else words[asked])
                is_whole = len(asked) == high - low and bool(hit.all())  # each is found at once, as mostly
                places: Any = slice(low, high) if is_whole else asked[hit]
                found = rows if is_whole else rows[hit]
                known[places] = True
                for column, name in zip(numbers, (TOKENS, *groups), strict=True):
                    column[places] = take_numbers(batch.column(name))[found]
                if is_whole:
                    break
                asked, rows = asked[~hit], rows[~hit] + 1  # the next row may have the same key
                if not len(asked):
                    break
            else:  # so many have the same key that somebody has seen to it
                several = np.flatnonzero(np.isin(keys, wanted.keys[asked]))[::-1]
                several, docnos = table.take(batch.column(1), several, width)
                places = wanted.rows(docnos)
                found, places = several[places != MISSING], places[places != MISSING]
                known[places] = True
                for column, name in zip(numbers, (TOKENS, *groups), strict=True):
                    column[places] = take_numbers(batch.column(name))[found]
            if not known[low:high].all():
                refuse_disorder(keys, last, path)  # a row out of its place is not found
            last = keys[-1]
    return known, numbers[0], numbers[1:].T
