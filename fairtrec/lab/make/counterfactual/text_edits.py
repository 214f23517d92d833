"""The scan: which bytes of a block of texts are replaced, and by what."""

import re
from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np

from fairtrec.counting.kernel import WHITE_SPACE, Kernel
from fairtrec.data import Ints
from fairtrec.lab.make.counterfactual import pronouns
from fairtrec.lab.make.counterfactual.vocabulary import PRONOUNS, Vocabulary, match_case
from fairtrec.support.literals import Pronouns

WHITE = b" \t\n\r\x0b\x0c"
_SCHEME = re.compile(r"[A-Za-z0-9+.-]*")  # these two are matched backwards
_LOCAL = re.compile(r"[\w.+%-]*")
_WWW = re.compile(r"(?<!\w)www\.", re.IGNORECASE)
_REST = re.compile(r"[^\s<>\"]+")
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)+")
_BLANKS_BEHIND = re.compile(b"(?:" + WHITE_SPACE.pattern + b")*")
_BLANK_BEFORE = re.compile(b"(?:" + WHITE_SPACE.pattern + rb")\Z")
_STRETCH = re.compile(b"[^" + WHITE + b"]*")
_MOST = 100_000  # spellings that are kept
_QUIET = frozenset(WHITE + b",;:!?)\"'")


def quiet(block: bytes, first: int, last: int) -> bool:
    """Tell at a glance of most words that they are in no address: nothing but white space is next to them."""
    if first and block[first - 1] not in WHITE:
        return False
    after = block[last : last + 2]
    return not after or after[0] in WHITE or (len(after) == 2 and after[0] in _QUIET and after[1] in WHITE)


class Addresses:
    """Finds the addresses in the stretch without white space around a word; the last stretch is kept."""

    def __init__(self, block: bytes) -> None:
        self.block = block
        self.begin = self.end = 0
        self.spans: list[tuple[int, int]] = []

    def hold(self, first: int, last: int) -> bool:
        """Tell whether the word at these bytes of the block is in an address."""
        if not self.begin <= first < self.end:
            self._look(first, last)
        return any(begin <= first and last <= end for begin, end in self.spans)

    def _look(self, first: int, last: int) -> None:
        block, begin = self.block, first
        while begin and block[begin - 1] not in WHITE:
            begin -= 1
        end = _STRETCH.match(block, last).end()  # type: ignore[union-attr]
        self.begin, self.end = begin, end
        stretch = block[begin:end]
        some = b"@" in stretch or b"://" in stretch or b"www." in stretch.lower()
        self.spans = [(begin + a, begin + b) for a, b in _found(stretch)] if some else []


def _found(stretch: bytes) -> list[tuple[int, int]]:
    """Find the addresses of a stretch, in bytes."""
    text = stretch.decode()
    spans: list[tuple[int, int]] = []
    behind = 0
    for mark, before in (("://", _SCHEME), ("@", _LOCAL)):
        at, behind = text.find(mark), 0
        while at >= 0:
            size = _end(before, text[behind:at][::-1], 0)
            name = text[at - size : at].lstrip("0123456789+.-")
            rest = (_REST if mark == "://" else _HOST).match(text, at + len(mark))
            behind = at + len(mark)
            if name and rest:
                spans.append((at - len(name), rest.end()))
                behind = rest.end()
            at = text.find(mark, behind)
    at = 0
    while www := _WWW.search(text, at):
        at = max(www.end(), _end(_REST, text, www.end()))
        spans.append((www.start(), at))
    lengths = [0]
    if spans and not text.isascii():
        for character in text:
            lengths.append(lengths[-1] + len(character.encode()))
        return [(lengths[a], lengths[b]) for a, b in spans]
    return spans


def _end(pattern: re.Pattern[str], text: str, start: int) -> int:
    found = pattern.match(text, start)
    return found.end() if found else start


Edit = tuple[int, int, bytes]  # from which byte to which, and what comes there


class Swapper:
    """Finds the words of a list of pairs in texts. What it has once found out about a spelling it keeps."""

    def __init__(self, vocabulary: Vocabulary, how: Pronouns = "rule") -> None:
        self.vocabulary = vocabulary
        self.kernel = Kernel(vocabulary.lexicon)
        self.known = lru_cache(_MOST)(self._counterpart)
        self.special: dict[int, Callable[[bytes, int, int, int, int], Edit | None]] = {}
        has_pronouns = vocabulary.pairs.lines >= PRONOUNS and not vocabulary.pairs.one_way
        rules = {"her": pronouns.resolve_her, "his": pronouns.resolve_his} if how == "rule" and has_pronouns else {}
        for token, number in self.kernel.terms.numbers.items():
            word = token.decode().lower()
            if word in vocabulary.terms:
                self.special[number] = self._term
            elif word in rules:
                self.special[number] = partial(self._pronoun, rules[word])

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
                new = known(block[first:last])
                edit = None if new is None else (first, last, new)
            if edit is not None and (quiet(block, first, edit[1]) or not addresses.hold(first, edit[1])):
                found.append(edit)
                done = edit[1]
        return _one_way(block, found, starts, ends) if self.vocabulary.pairs.one_way else found

    def _counterpart(self, found: bytes) -> bytes | None:
        new = self.vocabulary.counterpart(found.decode())
        return None if new is None else new.encode()

    def _term(self, block: bytes, first: int, last: int, start: int, end: int) -> Edit | None:  # noqa: ARG002
        word = block[first:last]
        for _, pattern in self.vocabulary.terms[word.decode().lower()]:
            match = pattern.match(block, first, end)
            if match and _is_bound(block, match.end(), end):
                new = self._counterpart(match.group())
                if new is not None:
                    return first, match.end(), new
        new = self._counterpart(word)
        return None if new is None else (first, last, new)

    def _pronoun(
        self, rule: Callable[[str, str], str], block: bytes, first: int, last: int, start: int, end: int
    ) -> Edit:
        before = block[max(start, first - pronouns.AROUND) : first].decode(errors="ignore")
        after = block[last : min(end, last + pronouns.AROUND)].decode(errors="ignore")
        return first, last, match_case(block[first:last].decode(), rule(before, after)).encode()


def _one_way(block: bytes, found: list[Edit], starts: Ints, ends: Ints) -> list[Edit]:
    """Leave out what stays, and let white space go with a word that goes: that before it, at the start that behind."""
    texts = np.searchsorted(starts, [first for first, _, _ in found], side="right") - 1
    edits: list[Edit] = []
    front = 0  # all from the start of a text to this byte has gone
    for (first, last, new), start, end in zip(found, starts[texts].tolist(), ends[texts].tolist(), strict=True):
        if new:
            edits += [(first, last, new)] * (new != block[first:last])
        elif first in (start, front):
            front = _BLANKS_BEHIND.match(block, last, end).end()  # type: ignore[union-attr]
            edits.append((first, front, new))
        else:
            least, begin = max(start, edits[-1][1] if edits else 0), first
            while gap := _BLANK_BEFORE.search(block, max(least, begin - 3), begin):
                begin = gap.start()
            edits.append((begin, last, new))
    return edits


def _is_bound(block: bytes, at: int, end: int) -> bool:
    """Tell whether no letter, digit or underscore stands at a byte of a text that ends at ``end``."""
    if at >= end:
        return True
    character = block[at : min(at + 4, end)].decode(errors="ignore")[0]
    return not (character.isalnum() or character == "_")


def apply_edits(block: bytes, edits: list[Edit]) -> bytes:
    """Write a block with what is replaced in it."""
    pieces: list[bytes] = []
    at = 0
    for first, last, new in edits:
        pieces += (block[at:first], new)
        at = last
    pieces.append(block[at:])
    return b"".join(pieces)
