"""Runs from arrays: scores [query, document], as a trainer or an index of vectors holds them."""

from collections.abc import Sequence
from itertools import chain
from math import isfinite
from typing import Any

import numpy as np

from fairtrec.data.docnos import Bools, Docnos, Docs, Floats, Ints, encode_ids, fingerprints, list_distinct
from fairtrec.data.ranking.order import add_empty, sort_by_score
from fairtrec.support.errors import InputError

FEW = 200  # scores, below which lists are sorted faster than arrays


def rank_arrays(
    qids: Sequence[str], docnos: Any, scores: Any, indices: Any, depth: int | None
) -> tuple[tuple[str, ...], Ints, Docs, Floats]:
    """Rank what ``Run.from_arrays`` takes: the query ids, and starts, docnos and scores of their rankings."""
    values = np.asarray(scores if isinstance(scores, np.ndarray) else read_array(scores, "scores"), dtype=np.float64)
    if values.ndim != 2 or len(values) != len(qids):
        raise InputError(f"the scores have the shape {values.shape}; pass [query, document] of {len(qids)} queries")
    names = read_docnos(docnos)
    if indices is not None:
        names = names[read_indices(indices, len(names))]
    if names.shape not in (values.shape, values.shape[1:]):
        what = f"the docnos have the shape {names.shape}, and the scores {values.shape}"
        raise InputError(f"{what}; pass a docno for each column or for each score")
    if (few := _rank_few(tuple(map(str, qids)), names, values, depth)) is not None:
        return few
    if np.isnan(values).any() or (values == np.inf).any():
        raise InputError("a score is nan or inf; correct it, or pass -inf to leave the document out")
    kept = find_kept(values, depth)
    lengths = kept.sum(axis=1)
    ranked = np.flatnonzero(lengths)
    several = np.broadcast_to(names, values.shape)
    docs, found = (several.ravel(), values.ravel()) if kept.all() else (several[kept], values[kept])
    starts = np.concatenate(([0], np.cumsum(lengths[ranked])))
    ids = [str(qid) for qid in qids]
    if len({*ids}) < len(ids):
        raise InputError("a query id appears twice; keep one row for each query")
    kept_qids, empty = [ids[row] for row in ranked.tolist()], [ids[row] for row in np.flatnonzero(lengths == 0)]
    if len(docs):
        refuse_repeated(names if names.ndim == 1 else docs, np.array([0, len(names)]) if names.ndim == 1 else starts)
        starts, docs, found = sort_by_score(starts, docs, found, depth)
    return *add_empty(kept_qids, starts, empty), docs, found


def _rank_few(
    qids: tuple[str, ...], names: Docs, values: Floats, depth: int | None
) -> tuple[tuple[str, ...], Ints, Docs, Floats] | None:
    """Rank few documents in plain Python; None of more, if one is left out, or if anything is to be refused."""
    if not 0 < values.size < FEW or (depth is not None and depth < values.shape[1]):
        return None
    rows = values.tolist()
    every = names.tolist() if names.ndim > 1 else [names.tolist()] * len(rows)
    is_plain = len({*qids}) == len(qids) and isfinite(sum(map(sum, rows)))
    if not is_plain or any(len({*docs}) < len(docs) for docs in every):
        return None
    pairs = (sorted(zip(row, docs, strict=True), reverse=True) for row, docs in zip(rows, every, strict=True))
    found, docnos = zip(*chain(*pairs), strict=True)
    starts = np.arange(0, values.size + 1, values.shape[1])
    return qids, starts, np.array(docnos, names.dtype), np.array(found)


def read_array(thing: Any, what: str) -> np.ndarray[Any, Any]:
    """Take an array of numpy, or a tensor: by ``__array__`` or ``__dlpack__``, off its graph and its device."""
    for step in ("detach", "cpu"):
        call = getattr(thing, step, None)
        thing = call() if callable(call) else thing
    try:
        if hasattr(thing, "__dlpack__") and not hasattr(thing, "__array__"):
            return np.from_dlpack(thing)
        return np.asarray(thing)
    except (TypeError, ValueError, RuntimeError, BufferError) as fault:
        raise InputError(f"cannot take the {what} as an array ({fault}); convert them to float32 or numpy") from None


def read_docnos(docnos: Any) -> Docs:
    """Take docnos as bytes: texts of one or of two dimensions."""
    column = docnos if isinstance(docnos, np.ndarray) else np.asarray(docnos)
    if column.dtype.kind != "S":
        texts = [str(docno) for docno in column.ravel().tolist()]
        if any(not text or "\0" in text or "\n" in text for text in texts):
            raise InputError("a docno is empty, or contains a NUL or a line end; change it")
        column = encode_ids(texts).reshape(column.shape)
    return column


def read_indices(indices: Any, documents: int) -> Ints:
    """Take the places of documents among the docnos. Raises InputError for one that is out of their range."""
    rows = read_array(indices, "indices")
    if rows.dtype.kind not in "iu" or (rows.size and not 0 <= rows.min() <= rows.max() < documents):
        raise InputError(f"the indices are not whole numbers from 0 to {documents - 1}; correct them")
    return rows.astype(np.int64, copy=False)


def find_kept(values: Floats, depth: int | None) -> Bools:
    """Tell which scores [query, document] count: not -inf, and no worse than the one at rank ``depth``."""
    kept: Bools = values > -np.inf
    if depth is not None and depth < values.shape[1]:
        kept &= values >= -np.partition(-values, depth - 1, axis=1)[:, depth - 1 : depth]
    return kept


def refuse_repeated(docs: Docs, starts: Ints) -> None:
    """Raise InputError if a document appears twice in the lines ``starts[i]:starts[i + 1]``."""
    is_short = docs.dtype.itemsize <= 8
    keys = np.ascontiguousarray(docs.astype("S8", copy=False)).view(np.uint64) if is_short else fingerprints(docs)
    if len(keys) == (len(starts) - 1) * int(starts[1]):
        keys = np.sort(keys.reshape(len(starts) - 1, -1), axis=1)
        suspects = np.flatnonzero((keys[:, 1:] == keys[:, :-1]).any(axis=1))
    else:
        query = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        order = np.lexsort((keys, query))
        keys, query = keys[order], query[order]
        suspects = list_distinct(query[1:][(keys[1:] == keys[:-1]) & (query[1:] == query[:-1])])
    for row in suspects.tolist():  # the same, or the same key by chance
        own = docs[starts[row] : starts[row + 1]]
        if len(Docnos.collect(own)) < len(own):
            several, times = np.unique(own, return_counts=True)
            raise InputError(f"document {several[times.argmax()].decode()} appears twice in a ranking; keep one")
