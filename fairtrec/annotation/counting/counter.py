"""The definition of the counts: which group terms stand in a text, and how often.

Text and terms go through the same tokeniser, which changes numbers, so that the signature names it:

``strip``  split on white space, then take away what is neither letter nor digit from both ends; the default
``space``  split on single blanks and strip nothing, so that empty tokens count; the published programs
``word``   the longest runs of letters, digits and underscores

They are lower-cased unless case matters. A term of several tokens matches where
they follow each other. Every occurrence of every term counts, in each group that lists it.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from fairtrec.data import Annotations, Bools, Docnos, Floats, GroupTerms, Ints
from fairtrec.errors import InputError
from fairtrec.literals import Tokenizer

STRIPPED = re.compile(r"[^\W_](?:.*[^\W_])?", re.DOTALL)  # from the first letter or digit to the last


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
    """Group terms as a tokeniser sees them: each with the numbers of the groups that list it."""

    tokenizer: Tokenizer
    case_sensitive: bool
    groups: tuple[str, ...]
    words: dict[str, tuple[int, ...]]
    phrases: dict[Phrase, tuple[int, ...]]

    @classmethod
    def of(cls, terms: GroupTerms, tokenizer: Tokenizer = "strip", *, case_sensitive: bool = False) -> "Lexicon":
        """Tokenise a term list. Raises InputError for a term in which the tokeniser sees no token."""
        found: dict[Phrase, dict[int, None]] = {}
        for number, group in enumerate(terms.groups):
            for term in terms.terms[group]:
                phrase = tuple(TOKENIZERS[tokenizer](term if case_sensitive else term.lower()))
                if not phrase:
                    message = f"the tokeniser {tokenizer} finds no token in the term {term!r}; remove or mend the term"
                    raise InputError(message, terms.name)
                found.setdefault(phrase, {})[number] = None
        listed = {phrase: tuple(numbers) for phrase, numbers in found.items()}
        words = {phrase[0]: numbers for phrase, numbers in listed.items() if len(phrase) == 1}
        phrases = {phrase: numbers for phrase, numbers in listed.items() if len(phrase) > 1}
        return cls(tokenizer, case_sensitive, terms.groups, words, phrases)

    @property
    def shared(self) -> tuple[str, ...]:
        """The terms that more than one group lists."""
        single = [term for term, numbers in self.words.items() if len(numbers) > 1]
        return (*single, *(" ".join(phrase) for phrase, numbers in self.phrases.items() if len(numbers) > 1))

    def tokens(self, text: str) -> list[str]:
        """Tokenise a text."""
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


def annotate(texts: Iterable[tuple[int, str]], docnos: Docnos, lexicon: Lexicon) -> Annotations:
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
                log_counts[row, number] += math.log(times)
    return Annotations(lexicon.groups, docnos, known, tokens, counts, log_counts)


Reader = Callable[[Docnos], Iterator[tuple[int, str]]]


@dataclass(frozen=True, eq=False)
class Occurrences:
    """How often each of the ``phrases`` stands in each of the documents: ``times``, a sparse matrix [document, phrase].

    ``known`` [document] says of which there is a text, ``tokens`` [document] how long it is.
    """

    phrases: tuple[Phrase, ...]
    known: Bools
    tokens: Ints
    times: Any

    @cached_property
    def logs(self) -> Any:
        """ln(occurrences) where there are any [document, phrase]."""
        logs = self.times.astype(np.float64)
        logs.data = np.log(logs.data)
        return logs

    def counts(self, members: Bools) -> Ints:
        """Add up the occurrences of each group's phrases, of which ``members`` [phrase, group] tells."""
        counts: Ints = self.times @ members.astype(np.int64)
        return counts

    def log_counts(self, members: Bools) -> Floats:
        """Add up the logarithms in the same way."""
        log_counts: Floats = self.logs @ members.astype(np.float64)
        return log_counts

    def members(self, lexicon: Lexicon) -> Bools:
        """Tell which groups of a lexicon list each phrase [phrase, group]."""
        place = {phrase: number for number, phrase in enumerate(self.phrases)}
        members = np.zeros((len(place), len(lexicon.groups)), dtype=np.bool_)
        listed = [((word,), groups) for word, groups in lexicon.words.items()] + list(lexicon.phrases.items())
        for phrase, groups in listed:
            members[place[phrase], list(groups)] = True
        return members


@dataclass(frozen=True, eq=False)
class _Rows:
    """The documents that one tokeniser has seen, one behind the other."""

    lexicon: Lexicon
    row_of: dict[bytes, int] = field(default_factory=dict)
    tokens: list[int] = field(default_factory=list)
    found: list[tuple[int, int, int]] = field(default_factory=list)  # row, phrase, times

    def add(self, docno: bytes, text: str) -> None:
        row, words = len(self.tokens), self.lexicon.tokens(text)
        self.row_of[docno] = row
        self.tokens.append(len(words))
        self.found.extend((row, phrase, times) for (_, (phrase,)), times in self.lexicon.occurrences(words).items())


class TermTable:
    """The texts of documents, each read once, and how often each of some terms stands in them.

    ``terms`` are all that a lexicon may list later; ``reader`` gives the texts of wanted documents by their rows.
    """

    def __init__(self, terms: Iterable[str], reader: Reader) -> None:
        self._terms = tuple(dict.fromkeys(terms))
        self._reader = reader
        self._texts: dict[bytes, str | None] = {}  # None: there is none
        self._rows: dict[tuple[Tokenizer, bool], _Rows] = {}
        self._tables: dict[tuple[Tokenizer, bool], Any] = {}  # the matrices made of them

    def annotations(self, wanted: Docnos, lexicon: Lexicon) -> Annotations:
        """Give the counts of the wanted documents, as ``counter.annotate`` would."""
        found = self.occurrences(wanted, lexicon.tokenizer, case_sensitive=lexicon.case_sensitive)
        members = found.members(lexicon)
        counts = found.counts(members), found.log_counts(members)
        return Annotations(lexicon.groups, wanted, found.known, found.tokens, *counts)

    def occurrences(self, wanted: Docnos, tokenizer: Tokenizer, *, case_sensitive: bool) -> Occurrences:
        """Count every term in the wanted documents; texts that are not known yet are read."""
        names = wanted.names.tolist()
        self._read(names)
        key = (tokenizer, case_sensitive)
        rows = self._rows.setdefault(key, _Rows(self._lexicon(*key)))
        for name in names:
            text = self._texts[name]
            if text is not None and name not in rows.row_of:
                rows.add(name, text)
        nothing = len(rows.tokens)  # the number of the last row, which is of what has no text
        taken = np.array([rows.row_of.get(name, nothing) for name in names], dtype=np.int64)
        phrases = (*((word,) for word in rows.lexicon.words), *rows.lexicon.phrases)
        tokens = np.array([*rows.tokens, 0], dtype=np.int64)[taken]
        return Occurrences(phrases, taken < nothing, tokens, self._table(key, rows)[taken])

    def _table(self, key: tuple[Tokenizer, bool], rows: _Rows) -> Any:
        from scipy import sparse

        table, shape = self._tables.get(key), (len(rows.tokens) + 1, len(rows.lexicon.groups))
        if table is None or table.shape != shape:
            row, phrase, times = np.array(rows.found, dtype=np.int64).reshape(-1, 3).T
            table = self._tables[key] = sparse.csr_matrix((times, (row, phrase)), shape=shape)
        return table

    def _read(self, names: list[bytes]) -> None:
        fresh = [name for name in names if name not in self._texts]
        if fresh:
            docnos = Docnos.of(np.array(fresh))
            self._texts |= dict.fromkeys(fresh)
            of_row = docnos.names.tolist()
            for row, text in self._reader(docnos):
                self._texts[of_row[row]] = text

    def _lexicon(self, tokenizer: Tokenizer, case_sensitive: bool) -> Lexicon:
        """Number each phrase: words first, as ``Occurrences.phrases`` has them; a term without a token is left out."""
        split = (tuple(TOKENIZERS[tokenizer](term if case_sensitive else term.lower())) for term in self._terms)
        phrases = sorted(dict.fromkeys(phrase for phrase in split if phrase), key=lambda phrase: len(phrase) > 1)
        words: dict[str, tuple[int, ...]] = {
            phrase[0]: (number,) for number, phrase in enumerate(phrases) if len(phrase) == 1
        }
        longer: dict[Phrase, tuple[int, ...]] = {
            phrase: (number,) for number, phrase in enumerate(phrases) if len(phrase) > 1
        }
        return Lexicon(tokenizer, case_sensitive, tuple(map(" ".join, phrases)), words, longer)
