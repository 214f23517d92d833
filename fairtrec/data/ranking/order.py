"""The one ranking: falling score, ties by falling docno, as trec_eval; every measure sees this order.

Rankings stand one behind the other: that of query i in the lines ``starts[i]`` to ``starts[i + 1]``. Files are nearly
always sorted already, so each step first looks whether it has anything to do.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from fairtrec.data.docnos import Docs, Floats, Ints, fingerprints, lay_rows, list_lines
from fairtrec.data.uneven_ids import UnevenIds, number_ids

MANY = 100_000  # lines, from which it pays to look at the first of each ranking alone


def sort_by_score(starts: Ints, docnos: Docs, scores: Floats, depth: int | None = None) -> tuple[Ints, Docs, Floats]:
    """Sort each ranking by falling score, ties by falling docno; what stands below rank ``depth`` may stay or go.

    >>> docnos, scores = np.array([b"a", b"b", b"c", b"d"]), np.array([1.0, 2.0, 2.0, 5.0])
    >>> sort_by_score(np.array([0, 3, 4]), docnos, scores)[1].tolist()
    [b'c', b'b', b'a', b'd']
    """
    if not is_sorted(starts, scores):
        starts, order = _sorted_in_rows(starts, scores, depth)
        docnos, scores = docnos[order], scores[order]
    elif depth is not None and len(scores) > MANY:
        starts, docnos, scores = _down_to(depth, starts, docnos, scores)
    tie = scores[1:] == scores[:-1]
    tie[starts[1:-1] - 1] = False
    if tie.any():
        above, below = np.append(tie, False), np.insert(tie, 0, False)
        tied = np.flatnonzero(above | below)
        block = np.cumsum(~below[tied])
        if depth is not None:
            first = tied[~below[tied]]  # of each block
            kept = (first - starts[np.searchsorted(starts, first, side="right") - 1] < depth)[block - 1]
            tied, block = tied[kept], block[kept]
        points: Any  # integers that compare as the docnos do
        points = fingerprints(docnos[tied]) if docnos.dtype.itemsize <= 8 else number_ids(docnos[tied])
        order = tied[np.lexsort((~points, block))]
        column: Any = docnos
        if isinstance(column, UnevenIds):
            moved = np.arange(len(docnos))
            moved[tied] = order
            docnos = column[moved]
        else:
            docnos = docnos.copy()
            docnos[tied] = docnos[order]
    return starts, docnos, scores


def _down_to(depth: int, starts: Ints, docnos: Docs, scores: Floats) -> tuple[Ints, Docs, Floats]:
    """Keep the first lines of rankings that are sorted, and those that are tied with the last of them."""
    kept = count_tops(depth, starts, scores)
    if kept.sum() > len(scores) // 2:
        return starts, docnos, scores
    first = np.concatenate(([0], np.cumsum(kept)))
    lines = list_lines(starts[:-1], kept)
    return first, docnos[lines], scores[lines]


def count_tops(depth: int, starts: Ints, scores: Floats) -> Ints:
    """Count the first lines of rankings that are sorted, and those that are tied with the last of them [query]."""
    lengths = np.diff(starts)
    kept = np.minimum(lengths, depth)
    longer = np.flatnonzero(lengths > depth)
    for _ in range(depth):
        longer = longer[kept[longer] < lengths[longer]]
        tied = scores[starts[longer] + kept[longer]] == scores[starts[longer] + kept[longer] - 1]
        longer = longer[tied]
        if not len(longer):
            break
        kept[longer] += 1
    else:
        kept[longer] = lengths[longer]
    return kept


def is_sorted(starts: Ints, scores: Floats) -> bool:
    """Tell whether no score is above that of the line before it in its ranking."""
    rising = scores[1:] > scores[:-1]
    rising[starts[1:-1] - 1] = False  # the last line of each ranking but the final one
    return not rising.any()


def _sorted_in_rows(starts: Ints, scores: Floats, depth: int | None) -> tuple[Ints, Ints]:
    """Sort the lines of rankings; of long ones only those that are no worse than the line at rank ``depth``."""
    lengths = np.diff(starts)
    if int(lengths.max()) * len(lengths) > 4 * len(scores) + 4096:  # a few long rankings among many short ones
        order: Ints = np.lexsort((-scores, np.repeat(np.arange(len(lengths)), lengths)))
        return starts, order
    matrix, filled = lay_rows(-scores, lengths, np.inf)
    lines = None
    if depth is not None and 2 * depth < matrix.shape[1]:
        filled = filled & (matrix <= np.partition(matrix, depth - 1, axis=1)[:, depth - 1 : depth])
        number = np.arange(matrix.shape[1]) + starts[:-1, None]
        lines = number[filled]
        lengths = filled.sum(axis=1)
        starts = np.concatenate(([0], np.cumsum(lengths)))
        matrix, filled = lay_rows(matrix[filled], lengths, np.inf)
    within: Ints = np.argsort(matrix, axis=1)  # exact: by_falling_score orders ties
    within = (within + starts[:-1, None])[filled]
    return starts, within if lines is None else lines[within]


def add_empty(qids: Sequence[str], starts: Ints, empty: Sequence[str]) -> tuple[tuple[str, ...], Ints]:
    """Add queries that a run names without documents behind those whose documents begin at ``starts``.

    >>> qids, starts = add_empty(["q1"], np.array([0, 3]), ["q2"])
    >>> qids, starts.tolist()
    (('q1', 'q2'), [0, 3, 3])
    """
    if not empty:
        return tuple(qids), starts
    return (*qids, *empty), np.concatenate((starts, np.repeat(starts[-1:], len(empty))))
