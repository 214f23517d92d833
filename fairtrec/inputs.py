"""What a measure may ask for, by name; each is computed once for a run, when first asked for.

``ranked``      Ints [query, rank]: rows in the table of documents, NOTHING where there is no document
``counts``      Floats [document, group]: occurrences of each group's terms
``log_counts``  Floats [document, group]: the sum over a group's terms of ln(occurrences); needs texts
``tokens``      Floats [document]
``groups``      the groups' names, in the order of every group axis
``target``      Floats [query, group]: the share that each group should have; one row where it is the same for all
``background``  Candidates: the documents that define a query's ideal
``collection``  Candidates: all documents of the collection
``relevance``   Floats [query, rank]: the grade of each ranked document, nan where it is not judged
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from fairtrec import distribution
from fairtrec.data import NOTHING, Annotations, Bools, Docnos, Floats, Ints, Qrels, Run, fingerprints

TargetOf = Literal["background", "collection", "qrels"]
Missing = Literal["error", "neutral", "skip", "worst"]
OF_DOCUMENTS = frozenset({"counts", "log_counts", "tokens", "background", "collection"})
OPTIONS = {  # what to say when a measure asks for an input that was not given
    "counts": ("the counts of group terms", "--groups LIST with --docs COLLECTION, or --annotations FILE"),
    "tokens": ("the lengths of documents", "--groups LIST with --docs COLLECTION, or --annotations FILE"),
    "log_counts": ("the texts of documents", "--groups LIST with --docs COLLECTION"),
    "target": ("groups", "--groups LIST with --docs COLLECTION, or --annotations FILE"),
    "groups": ("groups", "--groups LIST with --docs COLLECTION, or --annotations FILE"),
    "background": ("a background set", "--background RUN or --background collection"),
    "collection": ("the counts of a whole collection", "--annotations FILE"),
    "relevance": ("relevance judgements", "a qrels file in the place of none"),
}


def take(table: Floats, rows: Ints) -> Floats:
    """Look up rows of a table; nan where there is no document.

    >>> take(np.array([5.0, 6.0]), np.array([[1, NOTHING]])).tolist()
    [[6.0, nan]]
    """
    if not len(table):
        return np.full(rows.shape + table.shape[1:], np.nan)
    values = table[rows]
    values[rows == NOTHING] = np.nan
    return values


@dataclass(frozen=True, eq=False)
class Candidates:
    """A set of documents per query: their counts [query, kind, group], and how many have them [query, kind].

    There is one row for all queries where the set is the same for all.
    """

    counts: Floats
    documents: Ints


@dataclass(frozen=True, eq=False)
class Documents:
    """The table of documents that all runs and measures of an evaluation share."""

    annotations: Annotations
    missing: Missing

    @property
    def docnos(self) -> Docnos:
        """The documents, in the order of the table."""
        return self.annotations.docnos

    @property
    def dropped(self) -> Bools:
        """Which documents are passed over [document]."""
        return ~self.annotations.known if self.missing == "skip" else np.zeros(len(self.docnos), dtype=np.bool_)

    @cached_property
    def counts(self) -> Floats:
        """Occurrences [document, group]; infinite for the worst document that there could be."""
        counts = self.annotations.counts.astype(np.float64)
        if self.missing == "worst":
            counts[~self.annotations.known] = np.inf
        return counts

    def rows(self, run: Run, qids: Sequence[str], depth: int | None) -> Ints:
        """Give the rows of each query's first documents [query, rank], without those that are passed over."""
        lines = run.top(qids, None if self.missing == "skip" else depth)
        rows = np.full(lines.shape, NOTHING, dtype=np.int64)
        there = lines != NOTHING
        rows[there] = self.docnos.rows(run.docnos[lines[there]])
        if self.missing != "skip":
            return rows
        rows[there] = np.where(self.dropped[rows[there]], NOTHING, rows[there])
        together = np.argsort(rows == NOTHING, axis=1, kind="stable")
        return np.take_along_axis(rows, together, axis=1)[:, :depth]


@dataclass(frozen=True, eq=False)
class Given:
    """What was given beside the run; shared by all runs."""

    qrels: Qrels | None = None
    documents: Documents | None = None
    background: Run | Literal["collection"] | None = None
    background_depth: int = 200
    target: Floats | None = None  # the same for all queries; None: taken from the documents of ``target_of``
    target_of: TargetOf | None = None
    relevance_level: int = 1

    @property
    def documents_or_fail(self) -> Documents:
        """The table of documents, where a measure has asked for what stands in it."""
        assert self.documents is not None
        return self.documents


class Inputs:
    """The inputs of one run's evaluation over ``qids``; attributes are named as measures name them."""

    def __init__(self, run: Run, qids: Sequence[str], given: Given, depth: int | None) -> None:
        self.run, self.qids, self.given, self.depth = run, qids, given, depth

    def named(self, names: Sequence[str]) -> dict[str, Any]:
        """Compute the inputs of these names."""
        return {name: getattr(self, name) for name in names}

    @cached_property
    def ranked(self) -> Ints:
        """Rows of the ranked documents [query, rank]."""
        return self.given.documents_or_fail.rows(self.run, self.qids, self.depth)

    @property
    def counts(self) -> Floats:
        """Occurrences of group terms [document, group]."""
        return self.given.documents_or_fail.counts

    @property
    def log_counts(self) -> Floats:
        """Sum over a group's terms of ln(occurrences) [document, group]."""
        log_counts = self.given.documents_or_fail.annotations.log_counts
        assert log_counts is not None
        return log_counts

    @property
    def tokens(self) -> Floats:
        """Lengths [document]."""
        return self.given.documents_or_fail.annotations.tokens.astype(np.float64)

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of the groups."""
        return self.given.documents_or_fail.annotations.groups

    @cached_property
    def background(self) -> Candidates:
        """The documents that define each query's ideal."""
        if self.given.background == "collection":
            return self.collection
        assert self.given.background is not None
        return self._candidates(self._background_rows(self.given.background))

    @cached_property
    def collection(self) -> Candidates:
        """All documents of the collection, by their counts."""
        histogram = self.given.documents_or_fail.annotations.collection
        assert histogram is not None
        return Candidates(histogram.counts[None].astype(np.float64), histogram.documents[None])

    @cached_property
    def relevance(self) -> Floats:
        """Grades of the ranked documents [query, rank]."""
        qrels = self.given.qrels
        assert qrels is not None
        lines = self.run.top(self.qids, self.depth)
        number = {qid: i for i, qid in enumerate(qrels.qids)}
        query = np.array([number.get(qid, NOTHING) for qid in self.qids], dtype=np.int64)
        names = Docnos.of(qrels.docnos)
        judged = qrels.query * len(names) + names.rows(qrels.docnos)
        order = np.lexsort((qrels.grades, judged))
        judged, grades = judged[order], qrels.grades[order]
        rows = np.full(lines.shape, NOTHING, dtype=np.int64)
        rows[lines != NOTHING] = names.rows(self.run.docnos[lines[lines != NOTHING]])
        asked = np.where((rows == NOTHING) | (query[:, None] == NOTHING), NOTHING, query[:, None] * len(names) + rows)
        at = np.searchsorted(judged, asked, side="right") - 1
        return np.where((at >= 0) & (judged[at] == asked), grades[at], np.nan)

    @cached_property
    def target(self) -> Floats:
        """The share that each group should have [query, group]."""
        if self.given.target is not None:
            return self.given.target[None]
        if self.given.target_of == "collection":
            candidates = self.collection
        elif self.given.target_of == "background":
            candidates = self.background
        else:
            candidates = self._candidates(self._relevant_rows())
        amounts = np.nan_to_num(candidates.counts, nan=0.0, posinf=0.0) * candidates.documents[..., None]
        return distribution.shares(amounts.sum(axis=1))

    def _background_rows(self, background: Run) -> Ints:
        return self.given.documents_or_fail.rows(background, self.qids, self.given.background_depth)

    def _relevant_rows(self) -> Ints:
        assert self.given.qrels is not None
        lines = relevant(self.given.qrels, self.qids, self.given.relevance_level)
        rows = np.full(lines.shape, NOTHING, dtype=np.int64)
        documents = self.given.documents_or_fail
        rows[lines != NOTHING] = documents.docnos.rows(self.given.qrels.docnos[lines[lines != NOTHING]])
        return np.where(documents.dropped[rows], NOTHING, rows) if len(documents.dropped) else rows

    def _candidates(self, rows: Ints) -> Candidates:
        return Candidates(take(self.counts, rows), (rows != NOTHING).astype(np.int64))


def relevant(qrels: Qrels, qids: Sequence[str], level: int) -> Ints:
    """Give the lines of each query's relevant documents [query, n], each document once; NOTHING fills the rows."""
    number = {qid: i for i, qid in enumerate(qids)}
    row = np.array([number.get(qid, NOTHING) for qid in qrels.qids], dtype=np.int64)[qrels.query]
    lines = np.flatnonzero((qrels.grades >= level) & (row != NOTHING))
    keys = fingerprints(qrels.docnos[lines]) ^ row[lines].astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    lines = lines[np.unique(keys, return_index=True)[1]]
    lines = lines[np.argsort(row[lines], kind="stable")]
    many = np.bincount(row[lines], minlength=len(qids))
    matrix = np.full((len(qids), int(many.max(initial=0))), NOTHING, dtype=np.int64)
    matrix[np.arange(matrix.shape[1]) < many[:, None]] = lines
    return matrix
