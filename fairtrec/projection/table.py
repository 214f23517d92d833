"""Which documents each query has: those that the runs rank, and those that are named for it in a file."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from fairtrec.data import MISSING, Bools, Docnos, Docs, Floats, Ints, Labels, Run, looked_up
from fairtrec.formats.tsv import QueryDocuments


@dataclass(frozen=True, eq=False)
class DocumentLists:
    """Documents of queries, as rows of a table, each once for a query and by rising docno.

    ``documents[starts[i]:starts[i + 1]]`` are those of query i.
    """

    documents: Ints
    starts: Ints

    def of(self, query: int) -> Ints:
        """Give the rows of a query's documents."""
        return self.documents[self.starts[query] : self.starts[query + 1]]

    def kept(self, known: Bools) -> "DocumentLists":
        """Leave out documents that are not known [document]."""
        kept = known[self.documents]
        return DocumentLists(self.documents[kept], np.concatenate(([0], np.cumsum(kept)))[self.starts])


class DocumentTable:
    """The queries of some runs, in the order in which they are first seen, and all documents that are named."""

    def __init__(self, runs: Sequence[Run], named: Iterable[QueryDocuments]) -> None:
        self.qids = tuple(dict.fromkeys(qid for run in runs for qid in run.qids))
        self._number = {qid: i for i, qid in enumerate(self.qids)}
        columns = [run.docnos for run in runs] + [_column(each.docnos) for each in named]
        self.documents = Docnos.of(np.concatenate(columns))
        self._order = np.argsort(self.documents.names)
        self._place = np.empty_like(self._order)
        self._place[self._order] = np.arange(len(self._order))

    def ranked(self, runs: Sequence[Run]) -> DocumentLists:
        """List what any of the runs ranks."""
        of_qids = [np.array([self._number[qid] for qid in run.qids], dtype=np.int64) for run in runs]
        queries = [np.repeat(numbers, np.diff(run.starts)) for numbers, run in zip(of_qids, runs, strict=True)]
        return self._lists(np.concatenate(queries), np.concatenate([run.docnos for run in runs]))

    def named(self, named: QueryDocuments, side: str | None = None) -> DocumentLists:
        """List what is named for these queries, on one side or at all; other queries are passed over."""
        taken = [i for i, name in enumerate(named.sides) if side is None or name == side]
        queries = np.array([self._number.get(named.qids[i], MISSING) for i in taken], dtype=np.int64)
        docnos = _column([named.docnos[i] for i in taken])
        return self._lists(queries[queries != MISSING], docnos[queries != MISSING])

    def _lists(self, queries: Ints, docnos: Docs) -> DocumentLists:
        many = len(self.documents)
        keys = np.unique(queries * many + self._place[self.documents.rows(docnos)])
        starts = np.searchsorted(keys, np.arange(len(self.qids) + 1) * many)
        return DocumentLists(self._order[keys % many], starts)

    def of_lists(self, lists: Iterable[DocumentLists]) -> Ints:
        """Give all documents of some lists, each once, by rising docno."""
        there = np.zeros(len(self.documents), dtype=np.bool_)
        for each in lists:
            there[each.documents] = True
        return np.asarray(self._order[there[self._order]])

    def weights(self, labels: Labels, query: int, documents: Ints) -> Floats:
        """Look up the labels of a query's documents [document, group]; nan where there is none."""
        return np.asarray(looked_up(labels, [self.qids[query]], self.documents.names, documents[None])[0])


def _column(docnos: Sequence[str]) -> Docs:
    return np.array([docno.encode() for docno in docnos], dtype=np.bytes_)
