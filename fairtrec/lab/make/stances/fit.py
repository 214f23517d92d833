"""The documents of each query, its axes, and where the documents stand on them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fairtrec.data import MISSING, Bools, Docnos, Docs, Floats, Ints, Labels, Run, list_distinct, look_up
from fairtrec.lab.make.stances import axes as principal
from fairtrec.lab.make.stances.query_documents import QueryDocuments
from fairtrec.lab.make.stances.vectors import Vectors
from fairtrec.support.errors import InputError
from fairtrec.support.literals import SpuriousAs


@dataclass(frozen=True, eq=False)
class DocumentLists:
    """Documents of queries, as rows of a table, each once for a query and by rising docno.

    ``documents[starts[i]:starts[i + 1]]`` are those of query i.
    """

    documents: Ints
    starts: Ints

    def take(self, query: int) -> Ints:
        """Give the rows of a query's documents."""
        return self.documents[self.starts[query] : self.starts[query + 1]]

    def keep_known(self, known: Bools) -> "DocumentLists":
        """Leave out documents that are not known [document]."""
        kept = known[self.documents]
        return DocumentLists(self.documents[kept], np.concatenate(([0], np.cumsum(kept)))[self.starts])


class DocumentTable:
    """The queries of some runs, in the order in which they are first seen, and all documents that are named."""

    def __init__(self, runs: Sequence[Run], named: Iterable[QueryDocuments]) -> None:
        self.qids = tuple(dict.fromkeys(qid for run in runs for qid in run.qids))
        self._number = {qid: i for i, qid in enumerate(self.qids)}
        columns = [run.docnos for run in runs] + [_column(each.docnos) for each in named]
        self.documents = Docnos.collect(*columns)
        self._order = np.argsort(self.documents.names)
        self._place = np.empty_like(self._order)
        self._place[self._order] = np.arange(len(self._order))

    def list_ranked(self, runs: Sequence[Run]) -> DocumentLists:
        """List what any of the runs ranks."""
        of_qids = [np.array([self._number[qid] for qid in run.qids], dtype=np.int64) for run in runs]
        queries = [np.repeat(numbers, np.diff(run.starts)) for numbers, run in zip(of_qids, runs, strict=True)]
        return self._lists(np.concatenate(queries), np.concatenate([run.docnos for run in runs]))

    def list_named(self, named: QueryDocuments, side: str | None = None) -> DocumentLists:
        """List what is named for these queries, on one side or at all; other queries are passed over."""
        taken = [i for i, name in enumerate(named.sides) if side is None or name == side]
        queries = np.array([self._number.get(named.qids[i], MISSING) for i in taken], dtype=np.int64)
        docnos = _column([named.docnos[i] for i in taken])
        return self._lists(queries[queries != MISSING], docnos[queries != MISSING])

    def _lists(self, queries: Ints, docnos: Docs) -> DocumentLists:
        many = len(self.documents)
        keys = list_distinct(queries * many + self._place[self.documents.rows(docnos)])
        starts = np.searchsorted(keys, np.arange(len(self.qids) + 1) * many)
        return DocumentLists(self._order[keys % many], starts)

    def merge_lists(self, lists: Iterable[DocumentLists]) -> Ints:
        """Give all documents of some lists, each once, by rising docno."""
        there = np.zeros(len(self.documents), dtype=np.bool_)
        for each in lists:
            there[each.documents] = True
        return np.asarray(self._order[there[self._order]])

    def weights(self, labels: Labels, query: int, documents: Ints) -> Floats:
        """Look up the labels of a query's documents [document, group]; nan where there is none."""
        return np.asarray(look_up(labels, [self.qids[query]], self.documents.names, documents[None])[0])


def _column(docnos: Sequence[str]) -> Docs:
    return np.array([docno.encode() for docno in docnos], dtype=np.bytes_)


HALFWAY = 0.5  # from chance to 1: below it, an axis is said to be perhaps another
LARGEST = 1e100  # of the numbers of a vector, whose squares are added


@dataclass(frozen=True, eq=False)
class AxisAgreement:
    """Accuracy beside the exact level of chance, each [axis], in the mean over ``queries`` that have labels.

    ``published`` and ``published_chance`` are those of the published program: the better side for each group alone.
    """

    labels: str
    queries: int
    accuracy: Floats
    chance: Floats
    published: Floats
    published_chance: Floats


def find_groups(weights: Floats) -> Ints:
    """Give the group of each document, that of its greatest weight [document, group]; MISSING where two are as great.

    >>> find_groups(np.array([[0.2, 0.8], [1.0, 1.0], [np.nan, np.nan], [1.0, 0.0]])).tolist()
    [1, -1, -1, 0]
    """
    known = np.nan_to_num(weights)
    one = (known == known.max(axis=1, keepdims=True)).sum(axis=1) == 1
    return np.where(one, known.argmax(axis=1), MISSING)


def toward(stances: Floats, weights: Floats, group: int) -> Floats | None:
    """Give the sign [axis] that brings a group's mean stance [document, axis] above that of the rest.

    Where both means are the same the sign is 1; None where one of the two has no document.
    """
    groups = find_groups(weights)
    inside, rest = groups == group, (groups != group) & (groups != MISSING)
    if not inside.any() or not rest.any():
        return None
    difference = stances[inside].mean(axis=0) - stances[rest].mean(axis=0)
    return np.where(difference < 0, -1.0, 1.0)


def agreeing(stances: Floats, weights: Floats) -> Floats | None:
    """Say how a query's stances [document, axis] agree with labels of two groups, as AxisAgreement has it [4, axis].

    The documents that belong to one of the two groups count; None where none does.
    """
    groups = find_groups(weights)
    of_one = groups != MISSING
    if not of_one.any():
        return None
    label = groups[of_one] == 1
    n, labeled = len(label), int(label.sum())
    of_axes = [
        (
            principal.accuracy(side, label),
            principal.chance(n, labeled, int(side.sum())),
            principal.published_accuracy(side, label),
            principal.published_chance(n, labeled),
        )
        for side in (stances[of_one] > 0).T
    ]
    return np.array(of_axes).T


@dataclass
class Exceptions:
    """Queries that could not be treated as was asked for, and the documents that are left out with them."""

    no_axis: int = 0
    left_out: int = 0
    undetermined: int = 0
    as_they_are: int = 0
    not_pointed: int = 0


@dataclass(eq=False)
class Fitting:
    """Fits axes query by query, and places the ranked documents; ``sides`` are those of a difference to take out.

    So many ``axes`` are asked for, of vectors of length 1 if they are to be ``normalize``d; ``labels`` say where they
    point: ``toward`` a group.
    """

    table: DocumentTable
    vectors: Vectors
    ranked: DocumentLists
    fit: DocumentLists
    sides: Sequence[DocumentLists]
    axes: int
    normalize: bool
    spurious_as: SpuriousAs
    labels: Labels | None
    toward: str | None
    tally: Exceptions = field(default_factory=Exceptions)
    agreements: list[Floats] = field(default_factory=list)  # of each query that has labels

    @property
    def agreement(self) -> AxisAgreement | None:
        """How stances agree with labels of two groups, in the mean over queries; None if no query has any."""
        if self.labels is None or not self.agreements:
            return None
        return AxisAgreement(self.labels.name, len(self.agreements), *np.mean(self.agreements, axis=0))

    def run(self) -> tuple[Ints, Ints, Floats, Floats]:
        """Give query and document of each row, its stances [row, axis], and what axes explain [query, axis].

        Raises InputError if no query has axes.
        """
        rows: list[tuple[int, Ints]] = []
        values, explained = [], []
        for query in range(len(self.table.qids)):
            documents = self.ranked.take(query)
            axes, stances = self._placed(query, documents)
            if axes is None or stances is None:
                self.tally.no_axis += 1
                self.tally.left_out += len(documents)
                continue
            self.tally.undetermined += not axes.determined
            rows.append((query, documents))
            values.append(self._agreed(query, documents, stances))
            explained.append(axes.explained)
        if not rows:
            raise InputError(
                "no query has two different documents, plus one for each further axis; add more with --fit FILE"
            )
        queries = np.concatenate([np.full(len(documents), query) for query, documents in rows])
        of_rows = np.concatenate([documents for _, documents in rows])
        return queries, of_rows, np.concatenate(values), np.array(explained)

    def _placed(self, query: int, documents: Ints) -> tuple[principal.Axes | None, Floats | None]:
        fit = self.fit.take(query)
        if len(fit) <= self.axes:
            return None, None
        direction = self._spurious(query)
        vectors = self._taken(fit, direction)
        axes = principal.fit_axes(vectors, self.axes)
        if axes is None:
            return None, None
        same = fit is documents or np.array_equal(fit, documents)
        return axes, axes.stances(vectors if same else self._taken(documents, direction))

    def _taken(self, documents: Ints, direction: Floats | None) -> Floats:
        """Give the vectors [document, dimension] as they are used. Raises InputError for what is no number."""
        vectors = self.vectors.take(documents)
        if len(vectors) and not np.abs(vectors).max() <= LARGEST:  # nor is it nan
            bad = ~(np.abs(vectors).max(axis=1) <= LARGEST)
            self._refuse(documents, bad, f"is not finite, or beyond {LARGEST:g}; make it again")
        if self.normalize:
            vectors = self._unit(vectors, documents)
        return vectors if direction is None else principal.remove_direction(vectors, direction)

    def _spurious(self, query: int) -> Floats | None:
        if not self.sides:
            return None
        first, second = (side.take(query) for side in self.sides)
        if not len(first) and not len(second):
            self.tally.as_they_are += 1
            return None
        if not len(first) or not len(second):
            message = f"query {self.table.qids[query]} has spurious documents of one side; name some of both, or none"
            raise InputError(message)
        several = [self._taken(documents, None) for documents in (first, second)]
        if self.spurious_as == "published":
            several = [self._unit(each, of) for each, of in zip(several, (first, second), strict=True)]
        direction = principal.subtract_means(*several, unit=self.spurious_as == "unit")
        self.tally.as_they_are += direction is None
        return direction

    def _unit(self, vectors: Floats, documents: Ints) -> Floats:
        lengths = np.linalg.norm(vectors, axis=1)
        if not lengths.all():
            self._refuse(documents, lengths == 0, "is 0 everywhere, so it has no direction; leave the document out")
        return np.asarray(vectors / lengths[:, None])

    def _refuse(self, documents: Ints, bad: Any, what: str) -> None:
        docno = self.table.documents.names[documents[int(np.argmax(bad))]].decode()
        raise InputError(f"the vector of document {docno} {what}", self.vectors.path)

    def _agreed(self, query: int, documents: Ints, stances: Floats) -> Floats:
        """Point the axes as the labels say, and count how they agree."""
        labels = self.labels
        if labels is None:
            return stances
        weights = self.table.weights(labels, query, documents)
        if self.toward is not None:
            signs = toward(stances, weights, labels.groups.index(self.toward))
            self.tally.not_pointed += signs is None
            stances = stances if signs is None else stances * signs
        if len(labels.groups) == 2 and (found := agreeing(stances, weights)) is not None:
            self.agreements.append(found)
        return stances
