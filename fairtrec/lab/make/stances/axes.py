"""Axes along which the vectors of documents spread most: principal components, and directions taken out before.

And whether the two sides of an axis agree with labels of two groups, and what sides that know nothing would do. The
sides have no names, so that the better of the two assignments counts. This alone lifts what chance gives above one
half: for few documents by a lot. Both levels of chance are exact, in whole numbers, not drawn.

Source: Ziems, Held, Dwivedi-Yu, Yang: Measuring and Addressing Indexical Bias in Information Retrieval. Findings of
ACL 2024, section 4.2, appendix A.5, and for sides section 5.1 and their program; the levels of chance are our
derivation. https://doi.org/10.18653/v1/2024.findings-acl.763
"""

from dataclasses import dataclass
from functools import lru_cache
from math import comb

import numpy as np

from fairtrec.data import Bools, Floats

NOTHING_LEFT = 1e-12  # of the length of the vectors: what is less is rounding, no spread
TIED = 1e-9  # of the greatest: singular values that are nearer to each other leave an axis open
COARSE = 1e-6  # of the greatest eigenvalue: below, squared products do not tell an axis well


@dataclass(frozen=True, eq=False)
class Axes:
    """Principal axes: the ``mean`` [dimension], unit ``directions`` [axis, dimension], the share that each explains.

    ``determined`` is False where two singular values are equal, so that other directions would do as well.
    """

    mean: Floats
    directions: Floats
    explained: Floats
    determined: bool

    def stances(self, vectors: Floats) -> Floats:
        """Project vectors [document, dimension] on the axes [document, axis]; 0 is the mean of what they were fit to.

        What is 0 but for rounding is 0, so that no side of the mean is chosen by it.
        """
        values: Floats = (vectors - self.mean) @ self.directions.T
        least = NOTHING_LEFT * np.abs(vectors).max(initial=0.0)
        return np.where(np.abs(values) <= least, 0.0, values)


def fit_axes(vectors: Floats, number: int = 1) -> Axes | None:
    """Find the axes along which vectors [document, dimension] spread most; None where they do not span so many.

    The entry of a direction that is greatest in absolute value is positive, as scikit-learn has it.

    >>> found = fit_axes(np.array([[1.0, 5.0], [3.0, 5.0], [5.0, 5.0]]))
    >>> found.directions.tolist(), found.stances(np.array([[4.0, 7.0]])).tolist(), found.explained.tolist()
    ([[1.0, 0.0]], [[1.0]], [1.0])
    """
    if number > min(len(vectors) - 1, vectors.shape[1]):
        return None
    mean = vectors.mean(axis=0)
    centered = vectors - mean
    length = float(np.linalg.norm(vectors))
    squares, directions = _spectrum(centered, number)
    if squares[number - 1] <= (NOTHING_LEFT * length) ** 2 or squares[number - 1] <= NOTHING_LEFT**2 * squares[0]:
        return None
    singular = np.sqrt(squares)
    apart = singular[:-1] - singular[1:] > TIED * singular[0]
    size = np.abs(directions)
    first = np.argmax(size >= size.max(axis=1, keepdims=True) * (1 - TIED), axis=1)
    signs = np.sign(directions[np.arange(number), first])
    total = float((centered**2).sum())
    return Axes(mean, directions * signs[:, None], squares[:number] / total, bool(apart.all()))


def _spectrum(centered: Floats, number: int) -> tuple[Floats, Floats]:
    """Give the squares of the greatest singular values, one more than asked for, and the right singular vectors."""
    from scipy.linalg import eigh

    of_rows = len(centered) <= centered.shape[1]
    products = centered @ centered.T if of_rows else centered.T @ centered
    n = len(products)
    squares, vectors = eigh(products, subset_by_index=[max(n - number - 1, 0), n - 1], check_finite=False)
    squares, vectors = np.maximum(squares[::-1], 0.0), vectors[:, ::-1][:, :number]
    if squares[number - 1] <= COARSE * squares[0]:  # the products' rounding is as large as what is looked for
        _, exact, rows = np.linalg.svd(centered, full_matrices=False)
        return exact[: number + 1] ** 2, rows[:number]
    if not of_rows:
        return squares, vectors.T
    directions = (vectors / np.sqrt(squares[:number])).T @ centered
    return squares, directions / np.linalg.norm(directions, axis=1, keepdims=True)


def subtract_means(first: Floats, second: Floats, *, unit: bool = True) -> Floats | None:
    """Give the difference of the means of two sides [document, dimension]; None where they are one.

    ``unit`` brings it to length 1. The published program leaves it as it is, but brings the sides' vectors to length 1
    before, which is for the caller to do: so a share of 1 - |b|^2 of the direction stays when it is taken out.

    >>> subtract_means(np.array([[4.0, 1.0]]), np.array([[1.0, 1.0], [3.0, 1.0]])).tolist()
    [1.0, 0.0]
    """
    between: Floats = first.mean(axis=0) - second.mean(axis=0)
    length = float(np.linalg.norm(between))
    if length <= NOTHING_LEFT * max(float(np.linalg.norm(first)), float(np.linalg.norm(second))):
        return None
    return between / length if unit else between


def remove_direction(vectors: Floats, direction: Floats) -> Floats:
    """Take v - (v . b) b of each vector [document, dimension].

    >>> remove_direction(np.array([[2.0, 3.0]]), np.array([1.0, 0.0])).tolist()
    [[0.0, 3.0]]
    """
    return np.asarray(vectors - (vectors @ direction)[:, None] * direction)


def accuracy(side: Bools, label: Bools) -> float:
    """Give the share of documents whose side is that of their label, for the better of the two assignments.

    >>> accuracy(np.array([True, True, False, True]), np.array([False, False, True, True]))
    0.75
    """
    same = int((side == label).sum())
    return max(same, len(side) - same) / len(side)


@lru_cache(maxsize=1 << 12)
def chance(documents: int, labeled: int, on_side: int) -> float:
    """Give the accuracy expected if ``on_side`` of the documents, drawn at random, stood on the upper side.

    ``labeled`` of them are of the first group. How many of these are drawn, h, has a hypergeometric distribution, and
    2 h + documents - on_side - labeled documents agree with their label.

    >>> round(chance(8, 4, 4), 4)
    0.6286
    """
    total = 0
    for drawn in range(max(0, on_side + labeled - documents), min(on_side, labeled) + 1):
        ways = comb(labeled, drawn) * comb(documents - labeled, on_side - drawn)
        same = 2 * drawn + documents - on_side - labeled
        total += ways * max(same, documents - same)
    return total / (comb(documents, on_side) * documents)


def published_accuracy(side: Bools, label: Bools) -> float:
    """Give the share of documents on the side that holds most of their group, which may be one side for both groups.

    >>> published_accuracy(np.array([True, True, True, True]), np.array([False, False, True, True]))
    1.0
    """
    counts = [int((side & group).sum()) for group in (label, ~label)]
    sizes = [int(group.sum()) for group in (label, ~label)]
    return sum(max(count, size - count) for count, size in zip(counts, sizes, strict=True)) / len(side)


@lru_cache(maxsize=1 << 12)
def published_chance(documents: int, labeled: int) -> float:
    """Give the published accuracy expected if a fair coin chose the side of each document.

    >>> published_chance(8, 4)
    0.6875
    """
    sizes = labeled, documents - labeled
    expected = (sum(comb(size, up) * max(up, size - up) for up in range(size + 1)) / (1 << size) for size in sizes)
    return sum(expected) / documents
