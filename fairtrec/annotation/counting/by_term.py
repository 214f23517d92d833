"""Texts that are read once, and how often each term stands in each of them: documents x terms.

What a list of groups makes of the texts is then a product of two matrices, as every occurrence of every term counts by
itself, in each group that lists it.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from fairtrec.annotation.counting.counter import TOKENIZERS, Lexicon, Phrase
from fairtrec.data import Annotations, Bools, Docnos, Floats, Ints
from fairtrec.literals import Tokenizer

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
        self.found.extend((row, phrase, times) for (phrase,), times in self.lexicon.occurrences(words) if times)


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
