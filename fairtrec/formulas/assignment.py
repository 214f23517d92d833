"""Do the two sides of an axis agree with labels of two groups, and what would sides that know nothing do?

The sides have no names, so that the better of the two assignments counts. This alone lifts what chance gives above one
half: for few documents by a lot. Both levels of chance are exact, in whole numbers, not drawn.

Source: Ziems et al., ACL 2024, section 5.1, and their program; the levels of chance are our derivation.
"""

from functools import lru_cache
from math import comb

from fairtrec.data import Bools


def accuracy(side: Bools, label: Bools) -> float:
    """Give the share of documents whose side is that of their label, for the better of the two assignments.

    >>> import numpy as np
    >>> accuracy(np.array([True, True, False, True]), np.array([False, False, True, True]))
    0.75
    """
    same = int((side == label).sum())
    return max(same, len(side) - same) / len(side)


@lru_cache(maxsize=1 << 12)
def chance(documents: int, labelled: int, on_side: int) -> float:
    """Give the accuracy expected if ``on_side`` of the documents, drawn at random, stood on the upper side.

    ``labelled`` of them are of the first group. How many of these are drawn, h, has a hypergeometric distribution, and
    2 h + documents - on_side - labelled documents agree with their label.

    >>> round(chance(8, 4, 4), 4)
    0.6286
    """
    total = 0
    for drawn in range(max(0, on_side + labelled - documents), min(on_side, labelled) + 1):
        ways = comb(labelled, drawn) * comb(documents - labelled, on_side - drawn)
        same = 2 * drawn + documents - on_side - labelled
        total += ways * max(same, documents - same)
    return total / (comb(documents, on_side) * documents)


def published_accuracy(side: Bools, label: Bools) -> float:
    """Give the share of documents on the side that holds most of their group, which may be one side for both groups.

    >>> import numpy as np
    >>> published_accuracy(np.array([True, True, True, True]), np.array([False, False, True, True]))
    1.0
    """
    counts = [int((side & group).sum()) for group in (label, ~label)]
    sizes = [int(group.sum()) for group in (label, ~label)]
    return sum(max(count, size - count) for count, size in zip(counts, sizes, strict=True)) / len(side)


@lru_cache(maxsize=1 << 12)
def published_chance(documents: int, labelled: int) -> float:
    """Give the published accuracy expected if a fair coin chose the side of each document.

    >>> published_chance(8, 4)
    0.6875
    """
    sizes = labelled, documents - labelled
    expected = (sum(comb(size, up) * max(up, size - up) for up in range(size + 1)) / (1 << size) for size in sizes)
    return sum(expected) / documents
