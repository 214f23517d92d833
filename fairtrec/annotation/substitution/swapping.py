"""The scan: which bytes of a block of texts are replaced, and by what."""

from collections.abc import Callable

import numpy as np

from fairtrec.annotation.counting.kernel import Kernel
from fairtrec.annotation.substitution import pronouns
from fairtrec.annotation.substitution.case import cased
from fairtrec.annotation.substitution.links import Addresses, quiet
from fairtrec.annotation.substitution.vocabulary import Vocabulary
from fairtrec.data import Ints
from fairtrec.literals import Pronouns

Edit = tuple[int, int, bytes]  # from which byte to which, and what comes there


class Swapper:
    """Finds the words of a list of pairs in texts. What it has once found out about a spelling it keeps."""

    def __init__(self, vocabulary: Vocabulary, how: Pronouns = "rule") -> None:
        self.vocabulary = vocabulary
        self.kernel = Kernel(vocabulary.lexicon)
        self.known: dict[bytes, bytes | None] = {}
        self.special: dict[int, Callable[[bytes, int, int, int, int], Edit | None]] = {}
        rules = {"her": self._her, "his": self._his} if how == "rule" and vocabulary.has_pronouns else {}
        for token, number in self.kernel.terms.numbers.items():
            word = token.decode().lower()
            if word in vocabulary.terms:
                self.special[number] = self._term
            elif word in rules:
                self.special[number] = rules[word]

    def edits(self, block: bytes, starts: Ints, ends: Ints) -> list[Edit]:
        """List, in order, what is replaced in the texts ``block[starts[i]:ends[i]]``, which is valid UTF-8.

        The texts stand in order, with white space on either side.
        """
        if not len(starts):
            return []
        numbers, firsts, lasts = self.kernel.occurrences(block)
        text = np.searchsorted(starts, firsts, side="right") - 1
        inside = (text >= 0) & (lasts <= ends[text])
        numbers, firsts, lasts, text = numbers[inside], firsts[inside], lasts[inside], text[inside]
        bounds = zip(starts[text].tolist(), ends[text].tolist(), strict=True)
        addresses = Addresses(block)
        special, known = self.special, self.known
        found: list[Edit] = []
        done = 0
        for number, first, last, (start, end) in zip(
            numbers.tolist(), firsts.tolist(), lasts.tolist(), bounds, strict=True
        ):
            if first < done:
                continue
            if number in special:
                edit = special[number](block, first, last, start, end)
            else:
                spelling = block[first:last]
                new = known[spelling] if spelling in known else self._learnt(spelling)
                edit = None if new is None else (first, last, new)
            if edit is not None and (quiet(block, first, edit[1]) or not addresses.hold(first, edit[1])):
                found.append(edit)
                done = edit[1]
        return found

    def _learnt(self, spelling: bytes) -> bytes | None:
        """Find out once what a spelling becomes."""
        new = self.vocabulary.counterpart(spelling.decode())
        if len(self.known) < _MOST:
            self.known[spelling] = None if new is None else new.encode()
        return None if new is None else new.encode()

    def _term(self, block: bytes, first: int, last: int, start: int, end: int) -> Edit | None:  # noqa: ARG002
        """Replace the longest term that begins here."""
        word = block[first:last].decode()
        for _, pattern in self.vocabulary.terms[word.lower()]:
            match = pattern.match(block, first, end)
            if match and _is_bound(block, match.end(), end):
                new = self.vocabulary.counterpart(match.group().decode())
                if new is not None:
                    return first, match.end(), new.encode()
        new = self.vocabulary.counterpart(word)
        return None if new is None else (first, last, new.encode())

    def _her(self, block: bytes, first: int, last: int, start: int, end: int) -> Edit:
        before = block[max(start, first - pronouns.AROUND) : first].decode(errors="ignore")
        after = block[last : min(end, last + pronouns.AROUND)].decode(errors="ignore")
        return first, last, cased(block[first:last].decode(), pronouns.of_her(before, after)).encode()

    def _his(self, block: bytes, first: int, last: int, start: int, end: int) -> Edit:  # noqa: ARG002
        after = block[last : min(end, last + pronouns.AROUND)].decode(errors="ignore")
        return first, last, cased(block[first:last].decode(), pronouns.of_his(after)).encode()


_MOST = 100_000  # spellings that are kept


def _is_bound(block: bytes, at: int, end: int) -> bool:
    """Tell whether no letter, digit or underscore stands at a byte of a text that ends at ``end``."""
    if at >= end:
        return True
    character = block[at : min(at + 4, end)].decode(errors="ignore")[0]
    return not (character.isalnum() or character == "_")


def swapped(block: bytes, edits: list[Edit]) -> bytes:
    """Write a block with what is replaced in it."""
    pieces: list[bytes] = []
    at = 0
    for first, last, new in edits:
        pieces += (block[at:first], new)
        at = last
    pieces.append(block[at:])
    return b"".join(pieces)
