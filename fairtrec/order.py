"""The one ranking: falling score, ties by falling docno, as trec_eval; every measure sees this order.

Files are nearly always grouped by query and sorted already, so each step first looks whether it has anything to do.
"""

from typing import Literal, cast

import numpy as np

from fairtrec.data import Docs, Floats, Ints, fingerprints, starts_of

Order = Literal["score", "rank", "file"]


def grouped(query: Ints) -> Ints | None:
    """Order lines so that each query's stand together, queries as first seen; None if they do already."""
    starts = starts_of(query)[:-1]
    return None if len(np.unique(query[starts])) == len(starts) else np.argsort(query, kind="stable")


def by_falling_score(query: Ints, docnos: Docs, scores: Floats) -> Ints | None:
    """Order grouped lines by falling score, ties by falling docno; None if they are in that order already."""
    same_query = query[1:] == query[:-1]
    rising = bool(np.any(same_query & (scores[1:] > scores[:-1])))
    order = _sorted_in_rows(query, scores) if rising else np.arange(len(query))
    ranked = scores[order]
    tie = same_query & (ranked[1:] == ranked[:-1])
    if tie.any():
        tied = np.flatnonzero(np.concatenate((tie, [False])) | np.concatenate(([False], tie)))
        block = np.cumsum(~np.concatenate(([False], tie)))[tied]
        order[tied] = order[tied][np.lexsort((~_code_points(docnos[order[tied]]), block))]
    elif not rising:
        return None
    return order


def _sorted_in_rows(query: Ints, scores: Floats) -> Ints:
    starts = starts_of(query)
    lengths = np.diff(starts)
    width = int(lengths.max())
    if width * len(lengths) > 4 * len(query) + 4096:  # a few long rankings among many short ones
        return cast("Ints", np.lexsort((-scores, query)))
    filled = np.arange(width) < lengths[:, None]
    matrix = np.full(filled.shape, np.inf, dtype=scores.dtype)
    matrix[filled] = -scores
    return cast("Ints", (np.argsort(matrix, axis=1, kind="stable") + starts[:-1, None])[filled])


def _code_points(docnos: Docs) -> Ints:
    """Give integers that compare as the docnos do."""
    if docnos.dtype.itemsize <= 8:
        return np.unique(fingerprints(docnos), return_inverse=True)[1]
    return np.unique(docnos, return_inverse=True)[1]
