"""What a Python caller holds instead of a file: dicts, frames, ir_datasets objects, sequences of named tuples.

Frames are recognised by their columns, so pandas and polars frames both do; neither package is imported.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from fairtrec.data import Annotations, Docnos, GroupTerms, Qrels, Queries, Run
from fairtrec.errors import InputError
from fairtrec.formats import annotations, columns
from fairtrec.formats import run as run_format
from fairtrec.formats.columns import Blocks
from fairtrec.order import Order

QUERY = ("query_id", "qid", "q_id", "query")
DOCUMENT = ("doc_id", "docno", "docid", "did")
NUMBER = {"run": ("score", "sim"), "qrels": ("relevance", "rel", "label", "grade")}


def _column(frame: Any, names: Iterable[str], what: str) -> list[Any]:
    found = next((name for name in names if name in frame.columns), None)
    if found is None:
        raise InputError(f"the {what} frame has none of the columns {', '.join(names)}; rename one")
    return list(frame[found])


def _triples(thing: Any, what: str) -> tuple[list[str], list[str], list[Any]]:
    """Take a run or qrels apart: query ids, docnos, scores or grades."""
    if hasattr(thing, "columns"):
        numbers = _column(thing, NUMBER[what], what)
        return [*map(str, _column(thing, QUERY, what))], [*map(str, _column(thing, DOCUMENT, what))], numbers
    if isinstance(thing, Mapping):
        rows = [(qid, docno, number) for qid, docs in thing.items() for docno, number in docs.items()]
    else:
        field = NUMBER[what][0]
        rows = [(row.query_id, row.doc_id, getattr(row, field)) for row in thing]
    return [str(row[0]) for row in rows], [str(row[1]) for row in rows], [row[2] for row in rows]


def _ids(values: list[str], what: str) -> Any:
    encoded = [value.encode() for value in values]
    if any(not value or b"\0" in value or len(value) > columns.WIDEST for value in encoded):
        raise InputError(f"the {what} holds an id that is empty, holds a NUL, or exceeds {columns.WIDEST} bytes")
    return np.array(encoded, dtype=np.bytes_)


def run(
    thing: Any,
    name: str,
    order: Order = "score",
    score_dtype: run_format.ScoreType = "float64",
    depth: int | None = None,
) -> Run:
    """Take a run from ``{qid: {docno: score}}``, a frame, or tuples with query_id, doc_id and score."""
    qids, docnos, scores = _triples(thing, "run")
    if not qids:
        raise InputError(f"the run {name} is empty")
    values = np.array(scores, dtype=np.float64)
    if not np.isfinite(values).all():
        raise InputError(f"the run {name} holds a score that is not finite")
    names, starts, together = columns.numbered(Blocks.of(_ids(qids, "run")))
    column = _ids(docnos, "run")
    if together is not None:
        column, values = column[together], values[together]
    twice = run_format.repeated(starts, column)
    if twice is not None:
        query, rows = twice
        raise InputError(f"the run {name} holds document {column[rows[0]].decode()} twice under query {names[query]}")
    return run_format.ranked(name, name, names, starts, column, values.astype(score_dtype), order, depth)


def qrels(thing: Any) -> Qrels:
    """Take judgements from ``{qid: {docno: grade}}``, a frame, an ir_datasets dataset, or named tuples."""
    rows = thing.qrels_iter() if hasattr(thing, "qrels_iter") else thing
    iterations: list[str] = []
    if not isinstance(rows, Mapping) and not hasattr(rows, "columns"):
        rows = list(rows)
        iterations = [str(getattr(row, "subtopic_id", getattr(row, "iteration", "0"))) for row in rows]
    qids, docnos, grades = _triples(rows, "qrels")
    if not qids:
        raise InputError("the qrels are empty")
    names, starts, together = columns.numbered(Blocks.of(_ids(qids, "qrels")))
    lines = np.arange(len(qids)) if together is None else together
    query = np.repeat(np.arange(len(names)), np.diff(starts))
    iteration = _ids(iterations or ["0"] * len(qids), "qrels")
    return Qrels(names, query, _ids(docnos, "qrels")[lines], np.array(grades, dtype=np.int64)[lines], iteration[lines])


def queries(thing: Iterable[Any]) -> Queries:
    """Take a query set from ids."""
    qids = tuple(map(str, thing))
    if not qids:
        raise InputError("the query set is empty")
    return Queries("queries", qids)


def terms(thing: Mapping[str, Iterable[str]]) -> GroupTerms:
    """Take group terms from ``{group: [term, ...]}``."""
    lists = {
        str(group): tuple(dict.fromkeys(" ".join(term.split()) for term in words)) for group, words in thing.items()
    }
    if len(lists) < 2:
        raise InputError("the term list has fewer than two groups; fairness needs at least two")
    if any("" in words for words in lists.values()):
        raise InputError("the term list holds an empty term; remove it")
    return GroupTerms("groups", lists)


def texts(thing: Any, wanted: Docnos) -> Iterator[tuple[int, str]]:
    """Give the row and text of each wanted document from ``{docno: text}``, a frame, or an ir_datasets dataset."""
    names = [name.decode() for name in wanted.names.tolist()]
    if hasattr(thing, "docs_store"):
        row_of = {name: row for row, name in enumerate(names)}
        for document in thing.docs_store().get_many_iter(names):
            yield row_of[document.doc_id], document.default_text()
        return
    if hasattr(thing, "columns"):
        thing = dict(zip(map(str, _column(thing, DOCUMENT, "docs")), _column(thing, ("text",), "docs"), strict=True))
    for row, name in enumerate(names):
        if name in thing:
            yield row, thing[name]


def counts(frame: Any, wanted: Docnos) -> Annotations:
    """Take the wanted documents' counts from a frame with the columns docno, tokens and one for each group."""
    groups = frame_groups(frame)
    docnos = _ids([*map(str, _column(frame, DOCUMENT, "annotations"))], "annotations")
    table = Docnos.of(docnos)
    if len(table) < len(docnos):
        raise InputError("the annotations frame holds a document twice")
    order = np.argsort(table.rows(docnos))
    numbers = np.stack([np.array(list(frame[name]), dtype=np.int64)[order] for name in groups], axis=1)
    tokens = np.array(list(frame["tokens"]), dtype=np.int64)[order]
    return annotations.of_columns(groups, table, tokens, numbers, wanted)


def frame_groups(frame: Any) -> tuple[str, ...]:
    """Name the groups of an annotations frame."""
    return tuple(sorted(str(name) for name in frame.columns if name not in ("tokens", *DOCUMENT)))
