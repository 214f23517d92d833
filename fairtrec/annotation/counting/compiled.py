"""The counter as a compiled scan over bytes, by numba.

numba comes with ``pip install "fairtrec[fast]"``. It is imported when a counter is made, compiles on the first text,
and keeps the result for the next process.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from fairtrec.annotation.counting.counter import Lexicon
from fairtrec.annotation.counting.kernel import BLANK, INNER, Bytes, Kernel, capitals, character_kinds
from fairtrec.annotation.counting.lookup import MULTIPLIER, NONE, joined, padded, windows
from fairtrec.data import Bools, Ints, Keys
from fairtrec.formats.spans import MASKS

# Of 8 ASCII letters at once: the high bit of a byte comes up by the first sum from "A" on, by the second behind "Z".
EACH = 0x0101_0101_0101_0101
FROM_A, BEHIND_Z, HIGH = (np.uint64(EACH * byte) for byte in (0x80 - ord("A"), 0x7F - ord("Z"), 0x80))
TO_LOWER = np.uint64(2)  # by how many bits it is then moved to become the difference between "A" and "a"
Lookup = tuple[Bools, np.uint64, np.uint64, Keys]


class Compiled(Kernel):
    """Counts tokens and group terms in blocks of documents.

    Raises ImportError where numba is not installed, or is told not to compile, and RuntimeError where it has no folder
    for what it compiles.
    """

    name = "numba"

    def __init__(self, lexicon: Lexicon) -> None:
        super().__init__(lexicon)
        self.find_stops, self.scan = _compiled(_find_stops), _compiled(_scan)
        self.table = self.terms.bitmap, self.terms.shift, MULTIPLIER, MASKS
        self.kind = character_kinds(lexicon.tokenizer)
        self.is_stop = np.array([byte >= 0xC0 or kind == BLANK for byte, kind in enumerate(self.kind[:256])])
        self.is_stop[0x80:0xC0] = False  # not the first byte of a character
        self.room = np.empty((9, 0), dtype=np.int64)

    def _counted(self, block: bytes, starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
        tokens = np.empty(len(starts), dtype=np.int64)
        counts = np.empty((len(starts), len(self.lexicon.groups)), dtype=np.int64)
        i = 0
        while i < len(starts):
            j = max(i + 1, int(np.searchsorted(ends, starts[i] + self.batch, side="right")))
            count = super()._counted if ends[i] - starts[i] > self.batch else self._scanned  # one long, or some short
            tokens[i:j], counts[i:j] = count(block, starts[i:j], ends[i:j])
            i = j
        return tokens, counts

    def _scanned(self, block: bytes, starts: Ints, ends: Ints, *, lowered: bool = False) -> tuple[Ints, Ints]:
        text, starts, ends = padded(block, starts, ends)
        if self.room.shape[1] < len(text) + len(starts):
            self.room = np.empty((9, len(text) + len(starts)), dtype=np.int64)
        stops, hits = self.room[:3], self.room[3:]
        as_is = lowered or self.lexicon.case_sensitive
        rules = BLANK, INNER, self.lexicon.tokenizer == "space", np.uint64(0) if as_is else HIGH
        letters = np.frombuffer(text, np.uint8)
        self.find_stops(letters, self.is_stop, self.kind, no_capitals() if as_is else capitals(), BLANK, stops)
        tokens = np.empty(len(starts), dtype=np.int64)
        found = self.scan(letters, windows(text), self.kind, self.table, rules, starts, ends, stops, tokens, hits)
        document, place, first, last = hits[:4, :found]
        keys, tails = hits[4:, :found].view(np.uint64)
        number = self.terms.numbered(keys, tails, last - first, lambda i: self._token(text[first[i] : last[i]]))
        known = np.flatnonzero(number != NONE)
        listed = np.stack((document[known], place[known], number[known]))
        counts = self.terms.tally(listed, 0, slice(0, len(starts)))
        odd = np.flatnonzero(tokens == NONE)
        if len(odd):  # lower-cased as text, since it is not done by ASCII letters alone
            spans = zip(starts[odd].tolist(), ends[odd].tolist(), strict=True)
            texts = [text[start:end].decode().lower().encode() for start, end in spans]
            tokens[odd], counts[odd] = self._scanned(*joined(texts), lowered=True)
        return tokens, counts

    def _token(self, token: bytearray) -> bytes:
        return bytes(token if self.lexicon.case_sensitive else token.lower())


def fastest(lexicon: Lexicon) -> Kernel:
    """Give this counter where numba works here, else the one in numpy; ``name`` tells which it is."""
    try:
        return Compiled(lexicon)
    except (ImportError, RuntimeError, OSError):  # of its library, which may need more memory than there is
        return Kernel(lexicon)


@contextmanager
def without_extras() -> Iterator[None]:
    """Let numba do without what is half of its start, in a process of our own only.

    That is the linear algebra of scipy, and coverage, which is told what is compiled.
    """
    modules: dict[str, Any] = sys.modules
    hidden = [name for name in ("scipy", "coverage") if name not in modules]
    modules.update(dict.fromkeys(hidden))
    try:
        yield
    finally:
        for name in hidden:
            del modules[name]


@cache
def no_capitals() -> Bools:
    """Tell of every code point that lower case does not change it."""
    return np.zeros_like(capitals())


@cache
def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    from numba import config, njit

    if getattr(config, "DISABLE_JIT", 0):
        raise ImportError("numba does not compile, because NUMBA_DISABLE_JIT is set")
    compiled: Callable[..., Any] = njit(cache=True, nogil=True)(function)
    return compiled


# What numba keeps is renewed when this file changes, not when another one does: so constants come as arguments.


def _find_stops(letters: Bytes, is_stop: Bools, kind: Bytes, is_capital: Bools, blank: int, stops: Ints) -> None:
    """Find ASCII blanks and all characters beyond ASCII: where each begins, its kind (or -1: a capital), its bytes."""
    found = 0
    for i in range(len(letters)):
        stops[0, found] = i
        found += is_stop[letters[i]]
    for j in range(found):
        i = stops[0, j]
        lead = letters[i]
        if lead < 0x80:
            stops[1, j], stops[2, j] = blank, 1
            continue
        size = 2 + (lead >= 0xE0) + (lead >= 0xF0)
        point = np.int64(lead & (0x7F >> size))
        for k in range(1, size):
            point = point << 6 | (letters[i + k] & 0x3F)
        stops[1, j] = -1 if is_capital[point] else kind[point]
        stops[2, j] = size


def _scan(  # noqa: C901, PLR0912, PLR0915 - one loop, which numba compiles as a whole
    letters: Bytes,
    windows: Keys,
    kind: Bytes,
    table: Lookup,
    rules: tuple[int, int, bool, np.uint64],
    starts: Ints,
    ends: Ints,
    stops: Ints,
    tokens: Ints,
    hits: Ints,
) -> int:
    """Count tokens [document], -1 where only Unicode can make lower case.

    Write document, place in it, start, end, key and tail of each token that may be part of a term.
    """
    bitmap, shift, multiplier, masks = table
    blank, inner, keep_empty, capital = rules
    width = len(masks) - 1
    j = found = 0
    for document in range(len(starts)):
        start, end = starts[document], ends[document]
        while stops[0, j] < start:
            j += 1
        place, before = 0, found
        while start <= end:
            i = j  # this token's characters beyond ASCII are those from i to j
            while stops[0, j] < end and stops[1, j] > blank:
                j += 1
            last = j - 1
            stop, behind = end, end + 1
            if stops[0, j] < end:
                if stops[1, j] < blank:
                    place, found = -1, before
                    break
                stop = stops[0, j]
                behind = stop + stops[2, j]
                j += 1
            while start < stop:
                if letters[start] < 0x80:
                    if kind[letters[start]] == inner:
                        break
                    start += 1
                else:
                    if stops[1, i] == inner:
                        break
                    start += stops[2, i]
                    i += 1
            while start < stop:
                if letters[stop - 1] < 0x80:
                    if kind[letters[stop - 1]] == inner:
                        break
                    stop -= 1
                else:
                    if stops[1, last] == inner:
                        break
                    stop = stops[0, last]
                    last -= 1
            key = windows[start] & masks[min(stop - start, width)]
            # lower case, 8 bytes at a time: the two sums set the high bit of bytes from A on and of those behind Z
            seven = key & ~HIGH
            key |= ((seven + FROM_A) & ~(seven + BEHIND_Z) & ~key & capital) >> TO_LOWER
            is_token = stop > start or keep_empty
            if is_token and bitmap[(key * multiplier) >> shift]:
                tail = windows[stop - width] if stop - start > width else key
                seven = tail & ~HIGH
                tail |= ((seven + FROM_A) & ~(seven + BEHIND_Z) & ~tail & capital) >> TO_LOWER
                hits[0, found] = document
                hits[1, found] = place
                hits[2, found] = start
                hits[3, found] = stop
                hits[4, found] = np.int64(key)
                hits[5, found] = np.int64(tail)
                found += 1
            place += is_token
            start = behind
        tokens[document] = place
    return found
