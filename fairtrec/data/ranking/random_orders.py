"""Orders of a ranking that are drawn at random, each as likely as any other."""

import numpy as np

from fairtrec.data import Ints

MOST = 720  # so many orders of a ranking are all tried, as those of six documents are
DRAWN = 1_000  # of more, so many are drawn
CELLS = 1 << 22  # documents of orders that are shuffled at once


def draw_orders(docs: int, ranks: int, seed: tuple[int, ...], many: int = DRAWN) -> Ints:
    """Draw which of so many documents stand at the first ranks [order, rank].

    >>> draw_orders(3, 2, (0,), many=4).tolist()
    [[1, 0], [0, 1], [2, 0], [1, 2]]
    """
    random, found = np.random.default_rng(seed), np.empty((many, ranks), dtype=np.int64)
    step = max(CELLS // max(docs, 1), 1)
    for first in range(0, many, step):
        part = found[first : first + step]
        order = np.tile(np.arange(docs), (len(part), 1))
        row, place = np.arange(len(part)), np.arange(ranks)
        chosen = (random.random(part.shape) * (docs - place)).astype(np.int64) + place
        for rank in range(ranks):  # each of those that are left is as likely to come next
            at = chosen[:, rank]
            part[:, rank] = order[row, at]
            order[row, at] = order[:, rank]
    return found
