"""Retrievability: how often the rankings of many queries show each document, and how unequal documents are in that.

Source: Azzopardi, Vinay: Retrievability. CIKM 2008. https://doi.org/10.1145/1458082.1458157
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairtrec.data import MISSING, Docnos, Docs, Floats, Ints, list_lines
from fairtrec.formulas import elementary
from fairtrec.formulas.weighted_sums import weigh


def weigh_ranks(b: float, n: int) -> Floats:
    """Weigh ranks 1..n by rank^-b.

    >>> weigh_ranks(0.0, 3).tolist(), weigh_ranks(1.0, 2).tolist()
    ([1.0, 1.0, 1.0], [1.0, 0.5])
    """
    return elementary.exp(-b * elementary.log(np.arange(1.0, n + 1)))


def gini(amounts: Floats, size: int | None = None) -> float:
    """Compute the Gini coefficient of ``amounts`` above 0; all others of ``size`` amounts are 0. nan of no amounts.

    The amounts are paired from both ends, so nothing cancels: equal amounts have exactly 0.

    >>> round(gini(np.array([1.0, 3.0])), 12), gini(np.array([1.0, 1.0]), size=4)
    (0.25, 0.5)
    """
    many = len(amounts)
    if not many:
        return float("nan")
    rising = np.sort(amounts)  # exact: equal amounts are the same
    rising = rising / rising[-1]
    pairs = many // 2
    factors: Any = many - 1.0 - 2 * np.arange(pairs)
    apart = weigh(rising[::-1][:pairs] - rising[:pairs], factors)
    size = many if size is None else size
    return (apart / weigh(rising, np.ones(many)) + (size - many)) / size


@dataclass(frozen=True, eq=False)
class RetrievedDocuments:
    """The documents that rankings show, ranking after ranking, by their number among ``names``.

    Attributes:
        names: the docnos [document].
        documents: the numbers of the documents at each rank, one ranking after another [line]; MISSING is none.
        lengths: how many ranks each ranking has [ranking].
        query: the number of the query of each ranking [ranking].
        parts: how much of its query each ranking is, 1 if it is the only one [ranking].
        weights: of ranks, as many as any ranking has, or more [rank].
    """

    names: Docs
    documents: Ints
    lengths: Ints
    query: Ints
    parts: Floats
    weights: Floats

    @classmethod
    def number(cls, docnos: Docs, lengths: Ints, weights: Floats) -> "RetrievedDocuments":
        """Number the docnos of rankings of so many ``lengths``, one of each query; a rank without one is empty."""
        table = Docnos.collect(docnos if (there := docnos != b"").all() else docnos[there])
        rows: Any = table.rows(docnos).astype(np.int32 if len(table) < 1 << 31 else np.int64)  # a log has many lines
        return cls(table.names, rows, lengths, np.arange(len(lengths)), np.ones(len(lengths)), weights)

    @classmethod
    def join(cls, several: Sequence["RetrievedDocuments"], queries: Sequence[Ints]) -> "RetrievedDocuments":
        """Put rankings together, by query; ``queries`` numbers those of each [query]. Names of documents are let go.

        A query that has several rankings counts each as an equal part.
        """
        first, *more = several
        query = np.concatenate([numbers[each.query] for each, numbers in zip(several, queries, strict=True)])
        lengths = np.concatenate([each.lengths for each in several])
        documents = first.documents
        if more:
            table = Docnos.collect(*(each.names for each in several))
            rows = [np.append(table.rows(each.names), MISSING) for each in several]
            documents = np.concatenate([row[each.documents] for row, each in zip(rows, several, strict=True)])
        order = np.argsort(query, kind="stable")
        if (np.diff(query) < 0).any():
            starts = np.cumsum(lengths) - lengths
            documents = documents[list_lines(starts[order], lengths[order])]
        query, lengths = query[order], lengths[order]
        parts = 1 / np.maximum(np.bincount(query), 1)[query]
        return cls(first.names[:0], documents, lengths, query, parts, first.weights)

    @classmethod
    def lay(cls, top: Docs, weights: Floats) -> "RetrievedDocuments":
        """Number the docnos of rankings [query, rank], empty where there is no document."""
        there = top != b""
        lengths = np.where(there, np.arange(1, top.shape[1] + 1), 0).max(axis=1, initial=0)
        return cls.number(top[np.arange(top.shape[1]) < lengths[:, None]], lengths, weights)

    def cut(self, weights: Floats) -> "RetrievedDocuments":
        """Keep the ranks that have one of these weights."""
        rank, lengths = self._find_ranks(), np.minimum(self.lengths, len(weights))
        return replace(self, documents=self.documents[rank < len(weights)], lengths=lengths, weights=weights)

    def keep_queries(self, queries: Sequence[int]) -> "RetrievedDocuments":
        """Keep some of the queries, by number, and number them anew."""
        wanted = np.asarray(queries, dtype=np.int64)
        first, last = (np.searchsorted(self.query, wanted, side=side) for side in ("left", "right"))
        rankings = list_lines(first, last - first)
        starts = np.cumsum(self.lengths) - self.lengths
        lines = list_lines(starts[rankings], self.lengths[rankings])
        return replace(
            self,
            documents=self.documents[lines],
            lengths=self.lengths[rankings],
            query=np.repeat(np.arange(len(wanted)), last - first),
            parts=self.parts[rankings],
        )

    def sum_weights(self, frequency: Floats) -> Floats:
        """Sum the weights of the ranks that show each document [document]; a query counts ``frequency`` times [query].

        >>> shown = RetrievedDocuments.number(np.array([b"a", b"b", b"a"]), np.array([2, 1]), np.array([1.0, 0.5]))
        >>> shown.sum_weights(np.array([1.0, 3.0])).tolist()
        [4.0, 0.5]
        """
        worth = self.weights[self._find_ranks()] * np.repeat(frequency[self.query] * self.parts, self.lengths)
        documents, there = self.documents, self.documents != MISSING
        if not there.all():
            documents, worth = documents[there], worth[there]
        amounts: Any = np.bincount(documents, weights=worth)
        return np.asarray(amounts, dtype=np.float64)

    def _find_ranks(self) -> Ints:
        """Count the ranks above each line of its ranking [line]."""
        longest = int(self.lengths.max(initial=0))
        if (self.lengths == longest).all():  # as they mostly are
            return np.tile(np.arange(longest), len(self.lengths))
        return np.arange(len(self.documents)) - np.repeat(np.cumsum(self.lengths) - self.lengths, self.lengths)
