"""The counter as one compiled scan over bytes, where the package was built with a compiler."""

from functools import cache, partial

import numpy as np

from fairtrec.counting.counter import Lexicon
from fairtrec.counting.kernel import INNER, Bytes, Kernel, capitals, character_kinds
from fairtrec.counting.lookup import NONE, WIDTH
from fairtrec.data import Ints
from fairtrec.formats import spans
from fairtrec.support.compiled import extension
from fairtrec.support.literals import Tokenizer

CAPITAL, UPPER = 3, 4  # kinds of characters beyond ASCII whose lower case matters: that of the text, of the token
ROOM = 1 << 16  # tokens that may be of terms, for which there is room at first
SMALL = np.uint64(0x2020202020202020)  # bits of a key that its letters have if they are small, and most else has
HIT = 6  # document, place in it, start, end, key and tail of a token


class Compiled(Kernel):
    """Counts tokens and group terms in blocks of documents, for several threads as for one.

    Raises ImportError where nothing is compiled.
    """

    name = "compiled"

    def __init__(self, lexicon: Lexicon) -> None:
        super().__init__(lexicon)
        if extension is None:
            raise ImportError("this package was built without a compiler")
        self.tokens = extension.tokens
        letters = frozenset(b"".join(self.terms.numbers).decode(errors="replace"))
        self.kind = kinds_with_capitals(lexicon.tokenizer, letters)
        bitmap = np.zeros(len(self.terms.bitmap), dtype=np.bool_)
        keys = self.terms.keys[:-1]
        bitmap[self.terms.slots((keys | SMALL) & spans.MASKS[np.minimum(self.terms.lengths[:-1], WIDTH)])] = True
        self.bitmap = np.packbits(bitmap, bitorder="little")
        self.room = ROOM

    def _sweep(self, block: bytes, starts: Ints, ends: Ints, *, lowered: bool) -> tuple[Ints, Ints]:
        tokens = np.empty(len(starts), dtype=np.int64)
        counts = np.zeros((len(starts), len(self.lexicon.groups)), dtype=np.int64)
        kind = character_kinds(self.lexicon.tokenizer) if lowered else self.kind
        rules = kind, self.bitmap, int(self.terms.shift), self.lexicon.tokenizer == "space", not lowered
        room = np.empty((self.room, HIT), dtype=np.int64)
        first = 0
        while first < len(starts):
            some = np.ascontiguousarray(starts[first:]), np.ascontiguousarray(ends[first:])
            done, found = self.tokens(block, *some, *rules, tokens[first:], room)
            if not done:  # a document that needs more room
                self.room = 4 * len(room)
                room = np.empty((self.room, HIT), dtype=np.int64)
                continue
            document, place, begin, end, keys, tails = np.ascontiguousarray(room[:found].T)
            tokens_of = partial(self._token, block, begin, end)
            number = self.terms.number_tokens(keys.view(np.uint64), tails.view(np.uint64), end - begin, tokens_of)
            for hit in np.flatnonzero(keys == NONE).tolist():  # with a capital beyond ASCII
                number[hit] = self.terms.numbers.get(block[begin[hit] : end[hit]].decode().lower().encode(), NONE)
            known = np.flatnonzero(number != NONE)
            listed = np.stack((document[known], place[known], number[known]))
            counts[first : first + done] = self.terms.tally(listed, 0, slice(0, done))
            first += done
        return tokens, counts

    def _token(self, block: bytes, begin: Ints, end: Ints, hit: int) -> bytes:
        token = block[begin[hit] : end[hit]]
        return token if self.lexicon.case_sensitive else token.lower()


def fastest(lexicon: Lexicon) -> Kernel:
    """Give this counter where it was compiled, else the one in numpy; ``name`` tells which it is."""
    return Kernel(lexicon) if extension is None else Compiled(lexicon)


@cache
def kinds_with_capitals(tokenizer: Tokenizer, letters: frozenset[str]) -> Bytes:
    """Tell the kind of every code point, and which of those beyond ASCII have to be lower-cased, as text or as a token.

    These are all whose lower case is one of the ``letters`` of terms or of ASCII, or is of another kind. A token with
    any other is no term, whatever its case. The text is needed for a sigma, and where tokens may be others afterwards.
    """
    kinds = character_kinds(tokenizer).copy()
    for point in (np.flatnonzero(capitals()[0x80:]) + 0x80).tolist():
        alone, behind = chr(point).lower(), f"a{chr(point)}".lower()[1:]  # which differ for a sigma
        if len(alone) > 1 or kinds[ord(alone)] != kinds[point]:
            kinds[point] = CAPITAL
        elif alone.isascii() or {alone, behind} & letters:
            kinds[point] = UPPER if alone == behind and kinds[point] == INNER else CAPITAL
    return kinds
