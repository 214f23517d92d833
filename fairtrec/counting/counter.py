"""The definition of the counts: which group terms stand in a text, and how often.

Text and terms go through the same tokenizer, which changes numbers, so that the signature names it:

``strip``  split on white space, then take away what is neither letter nor digit from both ends; the default
``space``  split on single blanks and strip nothing, so that empty tokens count; the published programs
``word``   the longest runs of letters, digits and underscores

They are lower-cased unless case matters. A term of several tokens matches where
they follow each other. Every occurrence of every term counts, in each group that lists it.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from fairtrec.data import Bools, Counts, Docnos, GroupTerms, Ints
from fairtrec.formulas.elementary import log, log_of_number
from fairtrec.support.errors import InputError
from fairtrec.support.literals import Tokenizer

STRIPPED = re.compile(r"[^\W_](?:\S*[^\W_])?")  # from the first letter or digit to the last


def strip(text: str) -> list[str]:
    """Split on white space and strip each token of what is neither letter nor digit.

    >>> strip("She said: 'the king's men' -- (twice).")
    ['She', 'said', 'the', "king's", 'men', 'twice']
    """
    return [token for word in text.split() if (token := word if word.isalnum() else _inner(word))]


def _inner(word: str) -> str:
    found = STRIPPED.search(word)
    return found[0] if found else ""


def space(text: str) -> list[str]:
    """Split on each single blank.

    >>> space("two  blanks.")
    ['two', '', 'blanks.']
    """
    return text.split(" ")


def word(text: str) -> list[str]:
    r"""Find all matches of ``\w+``.

    >>> word("the king's men")
    ['the', 'king', 's', 'men']
    """
    return re.findall(r"\w+", text)


TOKENIZERS: dict[Tokenizer, Callable[[str], list[str]]] = {"strip": strip, "space": space, "word": word}

Phrase = tuple[str, ...]
Term = tuple[str, tuple[int, ...]]  # and the numbers of the groups that list it


@dataclass(frozen=True)
class Lexicon:
    """Group terms as a tokenizer sees them, with the numbers of the groups that list each; those of one token first."""

    tokenizer: Tokenizer
    case_sensitive: bool
    groups: tuple[str, ...]
    listed: Mapping[Phrase, tuple[int, ...]]

    @classmethod
    def from_terms(
        cls, terms: GroupTerms, tokenizer: Tokenizer = "strip", *, case_sensitive: bool = False
    ) -> "Lexicon":
        """Tokenize a term list. Raises InputError for a term in which the tokenizer sees no token."""
        found: dict[Phrase, dict[int, None]] = {}
        for number, group in enumerate(terms.groups):
            for term in terms.terms[group]:
                phrase = tuple(TOKENIZERS[tokenizer](term if case_sensitive else term.lower()))
                if not phrase:
                    message = f"the tokenizer {tokenizer} finds no token in the term {term!r}; remove or correct it"
                    raise InputError(message, terms.name)
                found.setdefault(phrase, {})[number] = None
        listed = {phrase: tuple(found[phrase]) for phrase in sorted(found, key=lambda phrase: len(phrase) > 1)}
        return cls(tokenizer, case_sensitive, terms.groups, listed)

    @cached_property
    def words(self) -> dict[str, tuple[int, ...]]:
        """The terms of one token."""
        return {phrase[0]: numbers for phrase, numbers in self.listed.items() if len(phrase) == 1}

    @cached_property
    def phrases(self) -> dict[Phrase, tuple[int, ...]]:
        """The terms of several."""
        return {phrase: numbers for phrase, numbers in self.listed.items() if len(phrase) > 1}

    @property
    def shared_terms(self) -> tuple[str, ...]:
        """The terms that more than one group lists."""
        return tuple(" ".join(phrase) for phrase, numbers in self.listed.items() if len(numbers) > 1)

    def tokens(self, text: str) -> list[str]:
        """Tokenize a text."""
        return TOKENIZERS[self.tokenizer](text if self.case_sensitive else text.lower())

    def occurrences(self, tokens: list[str]) -> dict[Term, int]:
        """Count the terms in a text: words in the order in which they come, then longer ones in that of the list."""
        words = Counter(token for token in tokens if token in self.words)
        found = {(word, self.words[word]): times for word, times in words.items()}
        for phrase, numbers in self.phrases.items():
            if at := places(tokens, phrase):
                found[" ".join(phrase), numbers] = len(at)
        return found


def places(tokens: list[str], phrase: Phrase) -> list[int]:
    """Tell where a term of several tokens begins."""
    if phrase[0] not in tokens:
        return []
    return [at for at in range(len(tokens) - len(phrase) + 1) if tuple(tokens[at : at + len(phrase)]) == phrase]


def count_texts(texts: Iterable[tuple[int, str]], docnos: Docnos, lexicon: Lexicon) -> Counts:
    """Count tokens and group terms in texts, each of which comes with its row in ``docnos``."""
    known = np.zeros(len(docnos), dtype=np.bool_)
    tokens = np.zeros(len(docnos), dtype=np.int64)
    counts = np.zeros((len(docnos), len(lexicon.groups)), dtype=np.int64)
    log_counts = np.zeros(counts.shape)
    for row, text in texts:
        words = lexicon.tokens(text)
        known[row] = True
        tokens[row] = len(words)
        for (_, numbers), times in lexicon.occurrences(words).items():
            for number in numbers:
                counts[row, number] += times
                log_counts[row, number] += log_of_number(times)
    return Counts(lexicon.groups, docnos, known, tokens, counts, log_counts)


@dataclass(frozen=True, eq=False)
class Occurrences:
    """How often phrases stand in documents: ``times``, a sparse matrix [document, phrase]; ``place`` numbers phrases.

    ``known`` [document] says of which there is a text, ``tokens`` [document] how long it is.
    """

    place: Mapping[Phrase, int]
    known: Bools
    tokens: Ints
    times: Any

    @cached_property
    def logs(self) -> Any:
        """ln(occurrences) where there are any [document, phrase]."""
        logs = self.times.astype(np.float64)
        logs.data = log(logs.data)
        return logs

    def sum_groups(self, groups: tuple[str, ...], docnos: Docnos, members: Bools) -> Counts:
        """Add up the occurrences of each group's phrases, and their logarithms; ``members`` [phrase, group]."""
        counts = (
            self.times @ members.astype(np.int64),
            self.logs @ members.astype(np.float64),
        )  # exact: sparse matrices are added row by row
        return Counts(groups, docnos, self.known, self.tokens, *counts)


@dataclass(eq=False)
class _Rows:
    """The documents that one tokenizer has seen, one behind the other, and the table that is made of them."""

    lexicon: Lexicon
    row_of: dict[bytes, int] = field(default_factory=dict)
    tokens: list[int] = field(default_factory=list)
    found: list[tuple[int, int, int]] = field(default_factory=list)  # row, phrase, times
    table: Any = None

    def add(self, docno: bytes, text: str) -> None:
        row, words = len(self.tokens), self.lexicon.tokens(text)
        self.row_of[docno] = row
        self.tokens.append(len(words))
        self.found.extend((row, phrase, times) for (_, (phrase,)), times in self.lexicon.occurrences(words).items())
        self.table = None


class TermTable:
    """The texts of documents, each read once, and how often each of some terms stands in them.

    What a list of groups makes of the texts is then a product of two matrices, as every occurrence of every term counts
    by itself, in each group that lists it. ``terms`` are all that a lexicon may list later; ``reader`` gives the texts
    of wanted documents by their rows.
    """

    def __init__(self, terms: Iterable[str], reader: Callable[[Docnos], Iterator[tuple[int, str]]]) -> None:
        self._terms = tuple(dict.fromkeys(terms))
        self._reader = reader
        self._texts: dict[bytes, str | None] = {}  # None: there is none
        self._rows: dict[tuple[Tokenizer, bool], _Rows] = {}

    def look_up_counts(self, wanted: Docnos, lexicon: Lexicon) -> Counts:
        """Give the counts of the wanted documents, as ``count_texts`` would."""
        found = self.occurrences(wanted, lexicon.tokenizer, case_sensitive=lexicon.case_sensitive)
        members = np.zeros((len(found.place), len(lexicon.groups)), dtype=np.bool_)
        for phrase, groups in lexicon.listed.items():
            members[found.place[phrase], list(groups)] = True
        return found.sum_groups(lexicon.groups, wanted, members)

    def occurrences(self, wanted: Docnos, tokenizer: Tokenizer, *, case_sensitive: bool) -> Occurrences:
        """Count every term in the wanted documents; texts that are not known yet are read."""
        from scipy import sparse

        names = wanted.names.tolist()
        self._read(names)
        key = (tokenizer, case_sensitive)
        rows = self._rows.setdefault(key, _Rows(self._lexicon(*key)))
        for name in names:
            text = self._texts[name]
            if text is not None and name not in rows.row_of:
                rows.add(name, text)
        listed, nothing = rows.lexicon.listed, len(rows.tokens)  # the last row, which is of what has no text
        if rows.table is None:
            row, phrase, times = np.array(rows.found, dtype=np.int64).reshape(-1, 3).T
            rows.table = sparse.csr_matrix((times, (row, phrase)), shape=(nothing + 1, len(listed)))
        taken = np.array([rows.row_of.get(name, nothing) for name in names], dtype=np.int64)
        tokens = np.array([*rows.tokens, 0], dtype=np.int64)[taken]
        place = {phrase: number for number, phrase in enumerate(listed)}
        return Occurrences(place, taken < nothing, tokens, rows.table[taken])

    def _read(self, names: list[bytes]) -> None:
        fresh = [name for name in names if name not in self._texts]
        if fresh:
            docnos = Docnos.collect(np.array(fresh))
            texts = dict(self._reader(docnos))
            self._texts |= {name: texts.get(row) for row, name in enumerate(docnos.names.tolist())}

    def _lexicon(self, tokenizer: Tokenizer, case_sensitive: bool) -> Lexicon:
        """Number each phrase, as if it were a group of its own; a term without a token is left out."""
        split = (tuple(TOKENIZERS[tokenizer](term if case_sensitive else term.lower())) for term in self._terms)
        phrases = sorted(dict.fromkeys(phrase for phrase in split if phrase), key=lambda phrase: len(phrase) > 1)
        listed = {phrase: (number,) for number, phrase in enumerate(phrases)}
        return Lexicon(tokenizer, case_sensitive, tuple(map(" ".join, phrases)), listed)
