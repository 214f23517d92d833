"""Shapley values of alike players: what each of many things is worth, over all orders in which they could come.

Players are of a few kinds, and those of one kind are alike, so a coalition is known by how many it has of each kind.

Source: Shapley: A Value for n-Person Games. 1953. https://doi.org/10.1515/9781400881970-018
"""

from collections.abc import Sequence
from functools import reduce

import numpy as np

from fairtrec.data import Floats
from fairtrec.formulas.elementary import exp, log

MOST = 1_000_000  # coalitions; of more, ``shares`` are not worth their time


def coalitions(counts: Sequence[int]) -> Floats:
    """List how many of each kind a coalition can have [coalition, kind], the last kind changing first.

    >>> coalitions([1, 1]).tolist()
    [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    """
    axes = np.meshgrid(*(np.arange(many + 1.0) for many in counts), indexing="ij")
    return np.stack(axes, axis=-1).reshape(-1, len(counts))


def shares(worth: Floats) -> Floats:
    """Give what one player of each kind is worth [kind], 0 where there is none of the kind.

    ``worth`` [kind 1, kind 2, ...] is that of the coalition that has so many of each kind, up to all players. What all
    players get sums to the worth of all less the worth of none.

    >>> shares(np.array([[1.0, 0.0], [0.0, 1.0]])).tolist()
    [0.0, 0.0]
    """
    counts = [size - 1 for size in worth.shape]
    players = sum(counts)
    logs = np.concatenate(([0.0], np.cumsum(log(np.arange(1.0, players + 1)))))
    value = np.zeros(len(counts))
    for kind, many in enumerate(counts):
        if many:
            others = [each - (at == kind) for at, each in enumerate(counts)]
            sizes = reduce(np.add, np.ix_(*(np.arange(each + 1) for each in others)))
            ways = reduce(np.add, np.ix_(*(_chosen(logs, each) for each in others)))
            chance = exp(ways - (logs[players - 1] - logs[sizes] - logs[players - 1 - sizes])) / players
            value[kind] = (chance * np.diff(worth, axis=kind)).sum()
    return value.round(14) + 0.0  # what is 0 is 0


def _chosen(logs: Floats, many: int) -> Floats:
    """Give the logarithm of how many ways there are to choose 0, 1, .. of so many."""
    return np.asarray(logs[many] - logs[: many + 1] - logs[: many + 1][::-1])
