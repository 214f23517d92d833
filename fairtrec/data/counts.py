"""Counts of group terms: of documents, of sets of documents, of a whole collection."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fairtrec.data.docnos import Bools, Docnos, Floats, Ints


@dataclass(frozen=True, eq=False)
class Histogram:
    """All documents of a collection by their counts: ``documents[i]`` documents have the counts ``counts[i]``."""

    counts: Ints
    documents: Ints


@dataclass(frozen=True, eq=False)
class Annotations:
    """For each document of ``docnos``: its number of tokens, and how many belong to each group's terms.

    ``known`` is False for a document that has no annotation (its numbers are 0). ``log_counts`` [document, group] is
    the sum over a group's terms of ln(occurrences), where texts were at hand. ``collection`` is there if asked for.
    """

    groups: tuple[str, ...]
    docnos: Docnos
    known: Bools
    tokens: Ints
    counts: Ints
    log_counts: Floats | None = None
    collection: Histogram | None = None

    def of(self, docnos: Docnos) -> "Annotations":
        """Take the rows of some of the documents."""
        rows = self.docnos.rows(docnos.names)
        logs = None if self.log_counts is None else self.log_counts[rows]
        taken = self.known[rows], self.tokens[rows], self.counts[rows], logs
        return Annotations(self.groups, docnos, *taken, self.collection)

    def joined(self, other: "Annotations") -> "Annotations":
        """Put the rows of other documents among these."""
        docnos, at = self.docnos.joined(other.docnos)

        def merged(mine: Any, theirs: Any) -> Any:
            return np.insert(mine, at, theirs, axis=0)

        logs = None
        if self.log_counts is not None and other.log_counts is not None:
            logs = merged(self.log_counts, other.log_counts)
        known, tokens = merged(self.known, other.known), merged(self.tokens, other.tokens)
        return Annotations(self.groups, docnos, known, tokens, merged(self.counts, other.counts), logs, self.collection)


@dataclass(frozen=True, eq=False)
class Candidates:
    """A set of documents per query: their counts [query, kind, group], and how many have them [query, kind].

    There is one row for all queries where the set is the same for all. What measures make of it is ``kept`` for the
    runs that share it.
    """

    counts: Floats
    documents: Ints
    kept: dict[Any, Floats] = field(default_factory=dict, init=False)
