"""How an axis agrees with labels: which way it points, and how many documents stand on the side of their group."""

from dataclasses import dataclass

import numpy as np

from fairtrec.data import MISSING, Floats, Ints, Labels
from fairtrec.errors import UsageError
from fairtrec.formulas import assignment

HALFWAY = 0.5  # from chance to 1: below it, an axis is said to be perhaps another


@dataclass(frozen=True, eq=False)
class Agreement:
    """Accuracy beside the exact level of chance, each [axis], in the mean over ``queries`` that have labels.

    ``published`` and ``published_chance`` are those of the published program: the better side for each group alone.
    """

    labels: str
    queries: int
    accuracy: Floats
    chance: Floats
    published: Floats
    published_chance: Floats


def refuse_unfit(labels: Labels, toward: str | None) -> None:
    """Raise UsageError for labels that cannot point an axis as is asked for, nor tell its accuracy."""
    if toward is None:
        if len(labels.groups) > 2:
            many = len(labels.groups)
            raise UsageError(f"accuracy is of two groups, and these labels have {many}; point the axis with --toward G")
    elif toward not in labels.groups:
        raise UsageError(f"{labels.name} has no group {toward}; there are {', '.join(labels.groups)}")


def groups_of(weights: Floats) -> Ints:
    """Give the group of each document, that of its greatest weight [document, group]; MISSING where two are as great.

    >>> groups_of(np.array([[0.2, 0.8], [1.0, 1.0], [np.nan, np.nan], [1.0, 0.0]])).tolist()
    [1, -1, -1, 0]
    """
    known = np.nan_to_num(weights)
    one = (known == known.max(axis=1, keepdims=True)).sum(axis=1) == 1
    return np.where(one, known.argmax(axis=1), MISSING)


def toward(positions: Floats, weights: Floats, group: int) -> Floats | None:
    """Give the sign [axis] that brings a group's mean position [document, axis] above that of the rest.

    Where both means are the same the sign is 1; None where one of the two has no document.
    """
    groups = groups_of(weights)
    inside, rest = groups == group, (groups != group) & (groups != MISSING)
    if not inside.any() or not rest.any():
        return None
    difference = positions[inside].mean(axis=0) - positions[rest].mean(axis=0)
    return np.where(difference < 0, -1.0, 1.0)


class Count:
    """Adds up, query by query, how positions agree with labels of two groups."""

    def __init__(self) -> None:
        self._rows: list[Floats] = []

    def add(self, positions: Floats, weights: Floats) -> None:
        """Count a query's documents that belong to one of the two groups; positions [document, axis]."""
        groups = groups_of(weights)
        of_one = groups != MISSING
        if not of_one.any():
            return
        label = groups[of_one] == 1
        n, labelled = len(label), int(label.sum())
        above = positions[of_one] > 0
        row = [
            (
                assignment.accuracy(side, label),
                assignment.chance(n, labelled, int(side.sum())),
                assignment.published_accuracy(side, label),
                assignment.published_chance(n, labelled),
            )
            for side in above.T
        ]
        self._rows.append(np.array(row).T)

    def total(self, labels: str) -> Agreement | None:
        """Give the means over the queries; None if no query has labels."""
        if not self._rows:
            return None
        return Agreement(labels, len(self._rows), *np.mean(self._rows, axis=0))
