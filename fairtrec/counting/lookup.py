"""Group terms as arrays, so that the tokens of many documents are looked up at once.

A token's key is its first 8 bytes, its tail the last 8; with its length they make it up where it has at most 16.
"""

from collections.abc import Callable, Sequence

import numpy as np

from fairtrec.counting.counter import Lexicon
from fairtrec.data import Ints, Keys
from fairtrec.formats.spans import MASKS

NONE, ASK = -1, -2  # instead of a token's number: no term has it; only a dictionary can tell
WIDTH = 8  # bytes in a key
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


def join_texts(texts: Sequence[bytes]) -> tuple[bytes, Ints, Ints]:
    """Lay texts out in one block, a byte apart; give their starts and ends in it."""
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    ends = np.cumsum(lengths + 1) - 1
    return b" ".join(texts), ends - lengths, ends


def pad_block(block: bytes, starts: Ints, ends: Ints) -> tuple[bytearray, Ints, Ints]:
    """Put a byte before the first document and enough behind the last one for its keys to be read."""
    text = bytearray(1)
    text += memoryview(block)[int(starts[0]) : int(ends[-1])]
    text += bytes(WIDTH)
    return text, starts - starts[0] + 1, ends - starts[0] + 1


def windows(text: bytearray) -> Keys:
    """Give a view of the 8 bytes from each byte on."""
    return np.ndarray((len(text) - WIDTH + 1,), np.uint64, text, strides=(1,))


def keys_of(text: bytearray, first: Ints, last: Ints) -> Keys:
    """Give the first 8 bytes of each token, zeros behind a shorter one."""
    keys: Keys = windows(text)[first]
    keys &= MASKS[np.minimum(last - first, WIDTH)]
    return keys


def ends_of(text: bytearray, first: Ints, last: Ints) -> tuple[Keys, Keys]:
    """Give the keys of tokens, and the last 8 bytes of each, its key where it is shorter."""
    keys, tails = keys_of(text, first, last), windows(text)[np.maximum(last - WIDTH, 0)]
    return keys, np.where(last - first > WIDTH, tails, keys)


def _fingerprints(keys: Keys, tails: Keys, lengths: Ints) -> Keys:
    prints = (keys ^ (tails * np.uint64(0xBF58476D1CE4E5B9) + lengths.astype(np.uint64))) * MULTIPLIER
    return prints ^ (prints >> np.uint64(29))


class TermTrie:
    """What a lexicon lists, as arrays: the distinct tokens of its terms, numbered, and a trie over these numbers."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.groups = len(lexicon.groups)
        self.longest = max(map(len, lexicon.listed), default=1)
        self.numbers: dict[bytes, int] = {}
        steps: dict[tuple[int, int], int] = {}
        marked: dict[int, tuple[int, ...]] = {}  # the state where a term ends -> the groups that list it
        for phrase, groups in lexicon.listed.items():
            state = 0
            for token in phrase:
                number = self.numbers.setdefault(token.encode(errors="surrogatepass"), len(self.numbers))
                state = steps.setdefault((state, number), len(steps) + 1)
            marked[state] = groups
        self._fill_table(list(self.numbers) or [b"\xff"])  # a byte that UTF-8 does not have
        self._fill_trie(steps, marked)

    def _fill_table(self, tokens: list[bytes]) -> None:
        block, first, last = join_texts(tokens)
        text, first, last = pad_block(block, first, last)
        bits = (len(tokens) * 32).bit_length()
        self.shift = np.uint64(64 - bits)
        keys, tails = ends_of(text, first, last)
        self.bitmap = np.zeros(1 << bits, dtype=np.bool_)
        self.bitmap[self.slots(keys)] = True
        prints = _fingerprints(keys, tails, last - first)
        order = np.argsort(prints, kind="stable")
        nothing = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
        self.prints = np.append(prints[order], nothing)
        self.keys, self.tails = np.append(keys[order], nothing), np.append(tails[order], nothing)
        self.lengths = np.append((last - first)[order], NONE)
        self.number = np.append(order, NONE)
        twins = np.flatnonzero(self.prints[1:] == self.prints[:-1])
        self.number[self.lengths > 2 * WIDTH] = self.number[twins] = self.number[twins + 1] = ASK
        near = (len(tokens) * 4).bit_length()
        self.near_shift = np.uint64(64 - near)
        self.near = np.searchsorted(self.prints, np.arange(1 << near).astype(np.uint64) << self.near_shift)

    def slots(self, keys: Keys) -> Ints:
        """Hash keys to places in the bitmap."""
        slots = keys * MULTIPLIER
        slots >>= self.shift
        return slots.view(np.int64)

    def hits(self, text: bytearray, first: Ints, last: Ints) -> tuple[Ints, Ints]:
        """Give the places among tokens of those that a term has, and their numbers."""
        place = np.flatnonzero(self.bitmap[self.slots(keys_of(text, first, last))])
        first, last = first[place], last[place]
        number = self.number_tokens(
            *ends_of(text, first, last), last - first, lambda i: bytes(text[first[i] : last[i]])
        )
        known = number != NONE
        return place[known], number[known]

    def number_tokens(self, keys: Keys, tails: Keys, lengths: Ints, token: Callable[[int], bytes]) -> Ints:
        """Give the number of each token, NONE if no term has it; ``token`` gives a whole one, for the rare long one."""
        prints = _fingerprints(keys, tails, lengths)
        at = self.near[(prints >> self.near_shift).view(np.int64)]
        behind = np.flatnonzero(self.prints[at] < prints)
        while len(behind):
            at[behind] += 1
            behind = behind[self.prints[at[behind]] < prints[behind]]
        same = (self.keys[at] == keys) & (self.tails[at] == tails) & (self.lengths[at] == lengths)
        numbers = np.where(same, self.number[at], NONE)
        unsure = (self.number[at] == ASK) & (self.prints[at] == prints)
        for i in np.flatnonzero(unsure).tolist():
            numbers[i] = self.numbers.get(token(i), NONE)
        return numbers

    def _fill_trie(self, steps: dict[tuple[int, int], int], marked: dict[int, tuple[int, ...]]) -> None:
        states = len(steps) + 1
        self.first_step = np.full(len(self.numbers), NONE)
        self.leads_on = np.zeros(states, dtype=np.bool_)
        for (state, number), target in steps.items():
            self.leads_on[state] = True
            if state == 0:
                self.first_step[number] = target
        keys = np.array([state * len(self.numbers) + number for state, number in steps], dtype=np.int64)
        self.step_to = np.argsort(keys, kind="stable") + 1  # states are numbered in the order of ``steps``
        self.step_keys = keys[self.step_to - 1]
        self.marks = np.full((max(map(len, marked.values()), default=1), states), NONE)
        for state, groups in marked.items():
            self.marks[: len(groups), state] = groups

    def tally(self, hits: Ints, old: int, documents: slice) -> Ints:
        """Count the terms [document, group] whose last token is not one of the ``old`` first ones.

        The rows of ``hits`` are the documents, the places in them, and the numbers of tokens, in order.
        """
        document, place, number = hits
        counts = np.zeros((documents.stop - documents.start) * self.groups, dtype=np.int64)
        state = self.first_step[number]
        begin = np.flatnonzero(state != NONE)
        state = state[begin]
        length = 1
        while len(begin):
            new = begin + length > old
            spot, ends_in = begin[new], state[new]
            for marks in self.marks:
                group = marks[ends_in]
                marked = np.flatnonzero(group != NONE)
                spot, ends_in, group = spot[marked], ends_in[marked], group[marked]
                cells = (document[spot] - documents.start) * self.groups + group
                counts += np.bincount(cells, minlength=len(counts))
            goes_on = np.flatnonzero(self.leads_on[state] & (begin < len(number) - length))
            begin, state = begin[goes_on], state[goes_on]
            follower = begin + length
            key = state * len(self.numbers) + number[follower]
            at = np.minimum(np.searchsorted(self.step_keys, key), len(self.step_keys) - 1)
            follows = (place[follower] == place[begin] + length) & (document[follower] == document[begin])
            follows &= self.step_keys[at] == key
            begin, state = begin[follows], self.step_to[at[follows]]
            length += 1
        return counts.reshape(documents.stop - documents.start, self.groups)
