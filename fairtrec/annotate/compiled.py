"""The counter as a compiled scan over bytes: the kernel, with the search for tokens done by numba.

numba comes with ``pip install "fairtrec[fast]"``. It is imported when a counter is made, compiles on the first text,
and keeps the result for the next process.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from fairtrec.annotate.counter import Lexicon
from fairtrec.annotate.kernel import BLANK, INNER, Bytes, Kernel
from fairtrec.annotate.terms import MASKS, MULTIPLIER, windows
from fairtrec.data import Bools, Ints, Keys

Table = tuple[Bools, np.uint64, np.uint64, Keys]


class Compiled(Kernel):
    """Counts tokens and group terms in blocks of documents.

    Raises ImportError where numba is not installed, and RuntimeError where it has no folder for what it compiles.
    """

    name = "numba"

    def __init__(self, lexicon: Lexicon) -> None:
        super().__init__(lexicon)
        self.find_blanks, self.scan = _compiled(_find_blanks), _compiled(_scan)
        self.table = self.terms.bitmap, self.terms.shift, MULTIPLIER, MASKS
        self.room = np.empty((5, 0), dtype=np.int64)

    def _candidates(self, text: bytearray, kinds: Bytes, starts: Ints, ends: Ints) -> tuple[Ints, ...]:
        if self.room.shape[1] < len(kinds):
            self.room = np.empty((5, len(kinds)), dtype=np.int64)
        blanks, found = self.room[0], self.room[1:]
        tokens = np.empty(len(starts), dtype=np.int64)
        keep_empty = self.lexicon.tokenizer == "space"
        self.find_blanks(kinds, BLANK, blanks)
        n = self.scan(kinds, INNER, blanks, windows(text), self.table, keep_empty, starts, ends, tokens, found)
        return tokens, *found[:, :n]


@cache
def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    from numba import njit

    compiled: Callable[..., Any] = njit(cache=True, nogil=True)(function)
    return compiled


# What numba keeps is renewed when this file changes, not when another one does: so constants come as arguments.


def _find_blanks(kinds: Bytes, blank: int, blanks: Ints) -> None:
    found = 0
    for i in range(len(kinds)):
        blanks[found] = i
        found += kinds[i] == blank


def _scan(
    kinds: Bytes,
    inner: int,
    blanks: Ints,
    windows: Keys,
    table: Table,
    keep_empty: bool,
    starts: Ints,
    ends: Ints,
    tokens: Ints,
    hits: Ints,
) -> int:
    """Count tokens [document]; write document, place in it, start and end of each that may be part of a term."""
    bitmap, shift, multiplier, masks = table
    width = len(masks) - 1
    j = found = 0
    for document in range(len(starts)):
        while blanks[j] < starts[document] - 1:
            j += 1
        place = 0
        while blanks[j] < ends[document]:
            start = blanks[j] + 1
            j += 1
            stop = blanks[j]
            while start < stop and kinds[start] != inner:
                start += 1
            while start < stop and kinds[stop - 1] != inner:
                stop -= 1
            is_token = stop > start or keep_empty
            key = windows[start] & masks[min(stop - start, width)]
            hits[0, found] = document  # to be written over by the next token, unless this one counts
            hits[1, found] = place
            hits[2, found] = start
            hits[3, found] = stop
            found += is_token and bitmap[(key * multiplier) >> shift]
            place += is_token
        tokens[document] = place
    return found
