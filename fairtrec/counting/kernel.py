"""The counter in numpy: the same numbers as ``counter.py``, many documents at a time, from their UTF-8 bytes.

A byte table tells what belongs to a token, so tokens begin and end where that changes. The first 8 bytes of a token
are its key. A bitmap drops nearly all tokens whose key no term has; the others are compared with the terms exactly.
Documents with a byte beyond ASCII are lower-cased as text, and the kind of each such character comes from Unicode.

Memory grows with the longest stretch without an ASCII blank, so that very long documents become others of the same
counts: letters are lower-cased, what parts tokens and is not ASCII becomes a blank, and a token far longer than any
term another one that is no term either.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fairtrec.counting.counter import STRIPPED, Lexicon
from fairtrec.counting.lookup import NONE, TermTrie, join_texts, pad_block
from fairtrec.data import Bools, Ints
from fairtrec.support.literals import Tokenizer

Bytes = npt.NDArray[np.uint8]
Points = npt.NDArray[np.int32]

BLANK, INNER, OTHER = range(3)  # kinds of characters: between tokens, in tokens, in tokens but not at their ends
LOWER = bytes(range(256)).lower()
POINTS = 0x110000  # of Unicode
LETTERS, WHITE = 0x40000, 0x4000  # below which are all letters and digits, and all white space
PIECE = 1 << 20  # bytes; documents that are longer are worked on in pieces of about this size
WHITE_SPACE = re.compile(  # in UTF-8: what stands before it has no influence on the case of what stands behind
    rb"[\t-\r\x1c-\x20]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80"
)
ASCII_BLANK = re.compile(b" ")
_BETWEEN = {"strip": re.compile(r"[^\S\x00-\x7f]"), "word": re.compile(r"[^\w\x00-\x7f]")}
_TOKEN = {"strip": re.compile(r"\S+"), "space": re.compile("[^ ]+"), "word": re.compile(r"\w+")}


class Kernel:
    """Counts tokens and group terms in blocks of documents."""

    name: ClassVar[str] = "numpy"
    batch = 1 << 19  # bytes that are worked on at a time, so that the arrays stay in the processor's cache

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.terms = TermTrie(lexicon)
        ascii_kinds = character_kinds(lexicon.tokenizer)[:128].tobytes()
        self.kinds = ascii_kinds + bytes([INNER]) * 128
        blanks = bytes(i for i, kind in enumerate(ascii_kinds) if kind == BLANK)
        self.blank = re.compile(b"[" + re.escape(blanks) + b"]")

    def count(self, block: bytes, starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
        """Count tokens [document] and terms [document, group] in the texts ``block[starts[i]:ends[i]]``.

        The whole block is valid UTF-8. It is fastest where the texts stand in order, at least a byte apart.
        """
        if np.any(starts[1:] <= ends[:-1]) or (ends - starts).max(initial=0) > PIECE:
            texts = (block[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True))
            block, starts, ends = join_texts([shortened(t, self.lexicon) if len(t) > PIECE else t for t in texts])
        return self._counted(block, starts, ends)

    def occurrences(self, block: bytes) -> tuple[Ints, Ints, Ints]:
        """Give number, start and end of each token in a block that a term has, whatever text it stands in.

        Only ASCII letters are lower-cased. The block is valid UTF-8.
        """
        found = [np.zeros((3, 0), dtype=np.int64)]
        for _, begin, end in self._batches(block, np.array([0]), np.array([len(block)])):
            text, first, last = pad_block(block, begin, end)
            places, points = _beyond_ascii(text)
            text = text.translate(LOWER)
            first, last = TOKENS[self.lexicon.tokenizer](self._kinds(text, first, last, places, points))
            place, number = self.terms.hits(text, first, last)
            found.append(np.stack((number, first[place] + begin - 1, last[place] + begin - 1)))
        numbers, firsts, lasts = np.concatenate(found, axis=1)
        return numbers, firsts, lasts

    def _counted(self, block: bytes, starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
        tokens, counts = self._sweep(block, starts, ends, lowered=self.lexicon.case_sensitive)
        odd = np.flatnonzero(tokens == NONE)
        if len(odd):  # lower-cased as text, since it is not done by ASCII letters alone
            texts = (block[start:end].decode() for start, end in zip(starts[odd], ends[odd], strict=True))
            tokens[odd], counts[odd] = self._sweep(*join_texts([text.lower().encode() for text in texts]), lowered=True)
        return tokens, counts

    def _sweep(self, block: bytes, starts: Ints, ends: Ints, *, lowered: bool) -> tuple[Ints, Ints]:
        """Count tokens [document], NONE where only Unicode can make lower case, and terms [document, group]."""
        tokens = np.zeros(len(starts), dtype=np.int64)
        counts = np.zeros((len(starts), len(self.lexicon.groups)), dtype=np.int64)
        odd = np.zeros(len(starts), dtype=np.bool_)
        hits = np.zeros((3, 0), dtype=np.int64)  # document, place in it and number of each token that a term has
        for some, begin, end in self._batches(block, starts, ends):
            text, first, last = pad_block(block, begin, end)
            places, points = _beyond_ascii(text)
            if not lowered:
                text = text.translate(LOWER)
                if len(points):
                    capital = places[capitals()[points]]
                    document = np.searchsorted(first, capital, side="right") - 1
                    odd[some.start + document[capital < last[document]]] = True
                    if 2 * np.count_nonzero(odd[some]) > len(first):
                        odd[some] = True
                        continue
            more, found = self._scan(text, first, last, places, points)
            found[1] += tokens[some][found[0]]
            found[0] += some.start
            tokens[some] += more
            context = hits[:, max(0, hits.shape[1] + 1 - self.terms.longest) :]  # a phrase may begin there
            hits = np.concatenate((context, found), axis=1)
            counts[some] += self.terms.tally(hits, context.shape[1], some)
        tokens[odd] = NONE
        return tokens, counts

    def _batches(self, block: bytes, starts: Ints, ends: Ints) -> Iterator[tuple[slice, Ints, Ints]]:
        """Give about ``batch`` bytes at a time: starts and ends of some documents or of a part of a long one."""
        i = 0
        while i < len(starts):
            j = int(np.searchsorted(ends, starts[i] + self.batch, side="right"))
            if j > i:
                yield slice(i, j), starts[i:j], ends[i:j]
                i = j
                continue
            start, stop = starts[i : i + 1], ends[i : i + 1]
            while cut := self.blank.search(block, int(start[0]) + self.batch, int(stop[0])):
                yield slice(i, i + 1), start, np.array([cut.start()])
                start = np.array([cut.end()])
            yield slice(i, i + 1), start, stop
            i += 1

    def _scan(self, text: bytearray, starts: Ints, ends: Ints, places: Ints, points: Points) -> tuple[Ints, Ints]:
        """Give the number of tokens [document], and document, place in it and number of each that a term has."""
        first, last = TOKENS[self.lexicon.tokenizer](self._kinds(text, starts, ends, places, points))
        before = np.searchsorted(first, starts)
        tokens = np.searchsorted(first, ends, side="right") - before
        place, number = self.terms.hits(text, first, last)
        document = np.searchsorted(starts, first[place], side="right") - 1
        known = np.flatnonzero(first[place] <= ends[document])  # and not between two documents
        document = document[known]
        return tokens, np.stack((document, place[known] - before[document], number[known]))

    def _kinds(self, text: bytearray, starts: Ints, ends: Ints, places: Ints, points: Points) -> Bytes:
        """Give the kind of each byte; those beside a document are blank."""
        kinds = np.frombuffer(text.translate(self.kinds), np.uint8)
        if len(points) and self.lexicon.tokenizer != "space":
            kind = character_kinds(self.lexicon.tokenizer)[points]
            for i in range(4):
                reached = points >= (0x80, 0x80, 0x800, 0x10000)[i]
                kinds[places[reached] + i] = kind[reached]
        # one blank on either side of each document, so that no token runs from one into the next
        kinds[starts - 1] = kinds[ends] = BLANK
        return kinds


def _beyond_ascii(text: bytearray) -> tuple[Ints, Points]:
    if text.isascii():
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    letters = np.frombuffer(text, np.uint8)
    places = np.flatnonzero(letters >= 0xC0)
    lead = letters[places]
    points = lead.astype(np.int32) & 0x1F
    for i, (least, bits) in enumerate(((0xC0, 0x1F), (0xE0, 0x3FF), (0xF0, 0x7FFF)), 1):
        points = np.where(lead >= least, (points & bits) << 6 | letters[places + i] & 0x3F, points)
    return places, points


@cache
def capitals() -> Bools:
    """Tell of every code point whether lower case changes it."""
    every = np.arange(LETTERS, dtype="<u4")
    text = every.tobytes().decode("utf-32-le", "surrogatepass")
    lower = text.replace("İ", "I").lower()  # which alone becomes two characters
    found = np.zeros(POINTS, dtype=np.bool_)
    found[:LETTERS] = np.frombuffer(lower.encode("utf-32-le", "surrogatepass"), "<u4") != every
    return found


@cache
def character_kinds(tokenizer: Tokenizer) -> Bytes:
    """Tell the kind of every code point."""
    if tokenizer == "space":
        kinds = np.full(POINTS, INNER, dtype=np.uint8)
        kinds[ord(" ")] = BLANK
        return kinds
    kinds = np.full(POINTS, OTHER if tokenizer == "strip" else BLANK, dtype=np.uint8)
    characters = np.arange(LETTERS, dtype=np.uint32).view("U1")
    if tokenizer == "strip":
        kinds[:WHITE][np.strings.isspace(characters[:WHITE])] = BLANK
    else:
        kinds[ord("_")] = INNER
    kinds[:LETTERS][np.strings.isalnum(characters)] = INNER
    return kinds


def _between_blanks(kinds: Bytes) -> tuple[Ints, Ints]:
    blanks = np.flatnonzero(kinds == BLANK)
    return blanks[:-1] + 1, blanks[1:]


def _inner_runs(kinds: Bytes) -> tuple[Ints, Ints]:
    inner = kinds == INNER
    edges = np.flatnonzero(inner[1:] != inner[:-1]) + 1
    return edges[::2], edges[1::2]


def _stripped(kinds: Bytes) -> tuple[Ints, Ints]:
    """Find runs of letters and digits, and join those that no white space parts."""
    first, last = _inner_runs(kinds)
    gaps = np.flatnonzero((kinds[last[:-1]] != BLANK) & (kinds[first[1:] - 1] != BLANK))
    begin, end = last[gaps], first[gaps + 1]
    solid = np.ones(len(gaps), dtype=np.bool_)
    if len(wide := np.flatnonzero(end - begin > 2)):
        row = kinds.tobytes()
        solid[wide] = [row.find(BLANK, *gap) < 0 for gap in zip(begin[wide].tolist(), end[wide].tolist(), strict=True)]
    gaps = gaps[solid]
    return np.delete(first, gaps + 1), np.delete(last, gaps)


TOKENS = {"strip": _stripped, "space": _between_blanks, "word": _inner_runs}


def shortened(text: bytes, lexicon: Lexicon) -> bytes:
    """Give a text of the same counts in which no token is long."""
    white = ASCII_BLANK if lexicon.tokenizer == "space" else WHITE_SPACE
    longest = max((len(token) for phrase in lexicon.listed for token in phrase), default=0)
    result = bytearray()
    start = 0
    while start < len(text):
        cut = white.search(text, start + PIECE)
        stop = cut.end() if cut else len(text)
        for piece in _pieces(text[start:stop].decode(), lexicon, longest):
            result += piece.encode()
        start = stop
    return bytes(result)


def _pieces(text: str, lexicon: Lexicon, longest: int) -> Iterator[str]:
    """Give what stands between two blanks, without tokens of more than PIECE characters."""
    if not lexicon.case_sensitive:
        text = text.lower()
    start = 0
    for token in _TOKEN[lexicon.tokenizer].finditer(text) if len(text) > PIECE else ():
        first, last = token.span()
        if last - first > max(PIECE, longest):
            yield from _parted(text, start, first, lexicon)
            if lexicon.tokenizer == "strip":
                core = STRIPPED.search(text, first, last)
                first, last = core.span() if core else (last, last)
            yield text[first:last] if last - first <= longest else "x" * (longest + 1)
            start = token.end()
    yield from _parted(text, start, len(text), lexicon)


def _parted(text: str, start: int, stop: int, lexicon: Lexicon) -> Iterator[str]:
    for i in range(start, stop, PIECE):
        some = text[i : min(i + PIECE, stop)]
        yield some if lexicon.tokenizer == "space" or some.isascii() else _BETWEEN[lexicon.tokenizer].sub(" ", some)
