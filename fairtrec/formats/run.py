"""TREC run files: ``qid Q0 docno rank score tag``, one retrieved document a line."""

from os import fspath
from typing import Literal

import numpy as np

from fairtrec import order as ordering
from fairtrec.data import Docs, Floats, Ints, Run, fingerprints, starts_of
from fairtrec.errors import FilePath, InputError
from fairtrec.formats import columns
from fairtrec.formats.columns import Table
from fairtrec.order import Order

ScoreType = Literal["float64", "float32"]


def read(path: FilePath, order: Order = "score", score_dtype: ScoreType = "float64", depth: int | None = None) -> Run:
    """Read a run and rank it once; ``depth`` drops what stands below that rank.

    Raises InputError for a line that is not six columns, a score that is no finite number, a document that stands
    twice under one query, bytes that are not UTF-8, and a file with no lines.
    """
    kinds: dict[str, columns.Kind] = {"qid": "text", "Q0": "skip", "docno": "text", "rank": "skip"}
    if order == "rank":
        kinds["rank"] = "int"
    table = columns.read(path, columns.Layout("run", {**kinds, "score": "float", "tag": "text"}))
    qids, query = columns.numbered(table.columns["qid"])
    docnos, scores = table.columns["docno"], table.columns["score"]
    refuse_duplicates(table, query, docnos)
    name = fspath(path).rsplit("/", 1)[-1]
    tag = table.columns["tag"][0].decode()
    if order == "rank":
        scores = -table.columns["rank"].astype(np.float64)
    return ranked(name, tag, qids, query, docnos, scores.astype(score_dtype), order, depth)


def ranked(
    name: str,
    tag: str,
    qids: tuple[str, ...],
    query: Ints,
    docnos: Docs,
    scores: Floats,
    order: Order = "score",
    depth: int | None = None,
) -> Run:
    """Group lines by query and rank each group: by score, or as they stand (``file``)."""
    together = ordering.grouped(query)
    if together is not None:
        query, docnos, scores = query[together], docnos[together], scores[together]
    best_first = None if order == "file" else ordering.by_falling_score(query, docnos, scores)
    if best_first is not None:
        docnos, scores = docnos[best_first], scores[best_first]
    starts = starts_of(query)
    if depth is not None and np.diff(starts).max(initial=0) > depth:
        kept = np.arange(len(query)) - np.repeat(starts[:-1], np.diff(starts)) < depth
        docnos, scores, starts = docnos[kept], scores[kept], starts_of(query[kept])
    return Run(name, tag, qids, starts, docnos, scores)


def refuse_duplicates(table: Table, query: Ints, docnos: Docs) -> None:
    """Raise InputError where a document stands twice under one query, wherever the two lines are."""
    keys = fingerprints(docnos) ^ (query.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    ordered = np.sort(keys)
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(repeated):
        return
    suspects = np.flatnonzero(np.isin(keys, repeated))  # equal by chance, nearly never, or because they are the same
    seen: dict[tuple[int, bytes], int] = {}
    for row in suspects.tolist():
        pair = (int(query[row]), docnos[row])
        if pair in seen:
            docno, qid = docnos[row].decode(), table.columns["qid"][row].decode()
            first = table.line(seen[pair])
            message = f"document {docno} stands twice under query {qid} (first on line {first}); remove one of the two"
            raise InputError(message, table.path, table.line(row))
        seen[pair] = row
