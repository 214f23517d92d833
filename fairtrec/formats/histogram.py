"""All documents of a collection by their counts, gathered piece by piece."""

import numpy as np

from fairtrec.data import Histogram, Ints


def added(histogram: Histogram | None, counts: Ints) -> Histogram:
    """Add documents [document, group] to a histogram."""
    more = Histogram(counts, np.ones(len(counts), dtype=np.int64))
    return distinct(more.counts, more.documents) if histogram is None else joined(histogram, more)


def joined(first: Histogram, second: Histogram) -> Histogram:
    """Put the documents of two histograms together."""
    both = (np.concatenate([getattr(each, name) for each in (first, second)]) for name in ("counts", "documents"))
    return distinct(*both)


def distinct(counts: Ints, documents: Ints) -> Histogram:
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


def histogram_of(counts: Ints) -> Histogram:
    """Count the documents [document, group] that have the same counts.

    >>> histogram = histogram_of(np.array([[0, 0], [2, 1], [0, 0]]))
    >>> histogram.counts.tolist(), histogram.documents.tolist()
    ([[0, 0], [2, 1]], [2, 1])
    """
    return added(None, counts)
