"""Counts of group terms: of documents, of sets of documents, of a whole collection."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fairtrec.data.docnos import MISSING, Bools, Docnos, Floats, Ints
from fairtrec.data.groups import Labels


@dataclass(frozen=True, eq=False)
class Histogram:
    """All documents of a collection by their counts: ``documents[i]`` documents have the counts ``counts[i]``."""

    counts: Ints
    documents: Ints


@dataclass(frozen=True, eq=False)
class Counts:
    """For each document of ``docnos``: its number of tokens, and how many belong to each group's terms.

    ``known`` is False for a document that has no counts (its numbers are 0). Tokens [document] and counts [document,
    group] are whole numbers of any type: floats, as measures take them, if they were read from lines. ``log_counts``
    [document, group] is the sum over a group's terms of ln(occurrences), where texts were at hand. ``collection`` is
    there if asked for.
    """

    groups: tuple[str, ...]
    docnos: Docnos
    known: Bools
    tokens: Any
    counts: Any
    log_counts: Floats | None = None
    collection: Histogram | None = None

    def take_documents(self, docnos: Docnos) -> "Counts":
        """Take the rows of some of the documents."""
        rows = self.docnos.rows(docnos.names)
        logs = None if self.log_counts is None else self.log_counts[rows]
        taken = self.known[rows], self.tokens[rows], self.counts[rows], logs
        return Counts(self.groups, docnos, *taken, self.collection)

    def keep_terms(self, kept: Bools) -> "Counts":
        """Leave terms only in documents that are ``kept`` [document]; those of a whole collection are unknown then."""
        logs = None if self.log_counts is None else self.log_counts * kept[:, None]
        return replace(self, counts=self.counts * kept[:, None], log_counts=logs, collection=None)

    def insert(self, other: "Counts") -> "Counts":
        """Put the rows of other documents among these."""
        docnos, at = self.docnos.insert(other.docnos)

        def merged(mine: Any, theirs: Any) -> Any:
            return np.insert(mine, at, theirs, axis=0)

        logs = None
        if self.log_counts is not None and other.log_counts is not None:
            logs = merged(self.log_counts, other.log_counts)
        known, tokens = merged(self.known, other.known), merged(self.tokens, other.tokens)
        return Counts(self.groups, docnos, known, tokens, merged(self.counts, other.counts), logs, self.collection)


@dataclass(frozen=True, eq=False)
class Candidates:
    """A set of documents per query, such as a background. It has one row if all queries share the set.

    Attributes:
        counts: the distinct counts of documents [query, kind, group].
        documents: how many documents have them [query, kind].
        kept: what measures computed from it, for other runs.
    """

    counts: Floats
    documents: Ints
    kept: dict[Any, Floats] = field(default_factory=dict, init=False)


def merge_histograms(*several: Histogram) -> Histogram:
    """Put the documents of histograms together."""
    return merge_equal_rows(
        *(np.concatenate([getattr(each, name) for each in several]) for name in ("counts", "documents"))
    )


def merge_equal_rows(counts: Ints, documents: Ints) -> Histogram:
    """Bring rows of counts [row, group] that are equal together; row i stands for ``documents[i]`` documents."""
    code = np.zeros(len(counts), dtype=np.int64)  # of a row's first columns; equal where these are, ordered as they are
    codes = 1
    for column in counts.T:
        values = int(column.max(initial=0)) + 1
        if codes * values >= 2**62:
            kinds, code = np.unique(code, return_inverse=True)
            codes = len(kinds)
        if codes * values >= 2**62:
            kinds, column = np.unique(column, return_inverse=True)  # noqa: PLW2901 - the same, numbered
            values = len(kinds)
        code = code * values + column
        codes *= values
    if codes <= max(1024, 4 * len(counts)):
        first = np.empty(codes, dtype=np.int64)
        first[code] = np.arange(len(code))
        many = np.bincount(code, minlength=codes)
        kinds = np.flatnonzero(many)
        if documents.min(initial=1) != 1 or documents.max(initial=1) != 1:
            many = np.bincount(code, weights=documents, minlength=codes).astype(np.int64)
        return Histogram(counts[first[kinds]], many[kinds])
    _, first, number = np.unique(code, return_index=True, return_inverse=True)
    return Histogram(counts[first], np.bincount(number, weights=documents).astype(np.int64))


def make_histogram(counts: Ints) -> Histogram:
    """Count the documents [document, group] that have the same counts.

    >>> histogram = make_histogram(np.array([[0, 0], [2, 1], [0, 0]]))
    >>> histogram.counts.tolist(), histogram.documents.tolist()
    ([[0, 0], [2, 1]], [2, 1])
    """
    return merge_equal_rows(counts, np.ones(len(counts), dtype=np.int64))


def count_labels(labels: Labels, wanted: Docnos) -> Counts:
    """Let hard labels stand for counts: a document holds one term for each group that it belongs to, and no other."""
    unknown = np.asarray(np.isnan(labels.weights).any(axis=1))
    whole = np.nan_to_num(labels.weights).astype(np.int64)
    rows = labels.rows.rows(wanted.names)
    known = np.logical_and(rows != MISSING, ~unknown[rows])
    counts = np.where(known[:, None], whole[rows], 0)
    if labels.others is not None:
        counts, known = np.where(known[:, None], counts, labels.others.astype(np.int64)), np.ones_like(known)
    histogram = make_histogram(whole[~unknown])
    return Counts(labels.groups, wanted, known, counts.sum(axis=1), counts, collection=histogram)
