"""Queries whose rankings are about as long: one long ranking among many short ones is no reason for a large matrix."""

from collections.abc import Sequence

import numpy as np

from fairtrec.data import Ints, Run

CELLS = 1 << 24  # of a matrix [query, rank] that is made whatever stands in it
TIMES = 4  # so many cells for each document are no waste


def evenly(run: Run, qids: Sequence[str], depth: int | None) -> list[Ints]:
    """Deal the queries, by number, to parts whose matrices [query, rank] hold few empty cells; mostly that is one.

    Rankings of one part are at most twice as long as each other, down to 16 ranks.
    """
    many = dict(zip(run.qids, np.diff(run.starts).tolist(), strict=True))
    lengths = np.array([many.get(qid, 0) for qid in qids], dtype=np.int64)
    if depth is not None:
        lengths = np.minimum(lengths, depth)
    return dealt(lengths)


def dealt(lengths: Ints) -> list[Ints]:
    """Deal rows of these lengths to parts in the same way."""
    every = np.arange(len(lengths))
    if len(lengths) * int(lengths.max(initial=0)) <= max(CELLS, TIMES * int(lengths.sum())):
        return [every]
    steps = np.ceil(np.log2(np.maximum(lengths, 16)))
    return [every[steps == step] for step in np.unique(steps)]
