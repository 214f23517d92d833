"""From the counts of group terms in a document to the groups that it belongs to, and to how neutral it is.

Counts have the shape [..., group]; a document that is not there has nan counts and gets nan. Membership has the same
shape, between 0 and 1; a row of zeros: the document belongs to no group.

Source of omega: Rekabsaz, Kopeinik, Schedl: Societal Biases in Retrieved Contents. SIGIR 2021, Eq. 1 and 2.
https://doi.org/10.1145/3404835.3462949
"""

from functools import reduce
from math import prod

import numpy as np

from fairtrec.data import Floats, Ints
from fairtrec.formulas import discount, distribution
from fairtrec.formulas.weighted_sums import weighted_sum
from fairtrec.support.literals import Membership

MANY, KINDS = (
    100_000,
    1 << 14,
)  # counts of documents, from which each different row is rated once; of the most such rows
PIECE = 1 << 15  # documents that are rated at a time, as caches have them
TAU = ("tau", 0, np.inf, "tau is {tau}; it counts group terms, so it is 0 or more")  # the limits of the parameter


def membership(counts: Floats, rule: Membership) -> Floats:
    """Tell membership from occurrences of group terms [..., group].

    ``share``: the group's part of all group terms; ``majority``: whole in the group of most terms, in none where two
    have the most; ``any``: whole in each group of which a term occurs.

    >>> membership(np.array([[3.0, 1.0], [2.0, 2.0], [0.0, 0.0]]), "majority").tolist()
    [[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
    """
    unknown = np.isnan(counts)
    if rule == "share":
        belongs = np.nan_to_num(distribution.shares(counts))
    elif rule == "any":
        belongs = (counts > 0).astype(np.float64)
    else:
        columns = list(np.moveaxis(counts, -1, 0))  # far fewer than documents
        most = reduce(np.maximum, columns)
        several = sum(column == most for column in columns) > 1
        belongs = np.stack([(column == most) & (column > 0) & ~several for column in columns], axis=-1) * 1.0
    return np.where(unknown, np.nan, belongs)


def omega(counts: Floats, target: Floats, tau: int = 1) -> Floats:
    """Rate each document's neutrality: 1 minus the distance of its group shares from the target.

    A document with at most ``tau`` group terms is neutral (1). The equation in the paper reads "fewer than tau", its
    program and its figures "at most"; ``tau=0`` is the equation with tau = 1. The range is [2 min(target) - 1, 1]:
    [0, 1] for two groups of even target, and below 0 for more; nothing is clipped. A document of infinite counts
    stands for the least neutral one that there can be.

    >>> omega(np.array([[10, 0], [6, 4], [8, 2], [1, 0], [0, 0.]]), np.array([0.5, 0.5])).round(6).tolist()
    [0.0, 0.8, 0.4, 1.0, 1.0]
    """
    if counts.size <= MANY or target.size != counts.shape[-1] or target.size > distribution.FEW:
        return _rate_neutrality(counts, target, tau)
    rows, target = counts.reshape(-1, target.size), target.reshape(-1)
    rated = np.empty(len(rows))
    for first in range(0, len(rows), PIECE):
        piece = rows[first : first + PIECE]
        found = _kinds_of(piece)
        kinds, number = (piece, slice(None)) if found is None else found
        rated[first : first + PIECE] = _rate_neutrality(kinds, target, tau)[number]
    return rated.reshape(counts.shape[:-1])


def _kinds_of(counts: Floats) -> tuple[Floats, Ints] | None:
    """Number the different rows of counts [..., group]: list them [kind, group], and say which each is [...].

    There may be rows in the list that do not occur. None: too many, or not all are whole numbers of 0 or more, or nan.

    >>> kinds, number = _kinds_of(np.array([[2.0, 0.0], [np.nan, 1.0]]))
    >>> kinds[number].tolist()
    [[2.0, 0.0], [nan, 1.0]]
    """
    number, values = np.zeros(counts.shape[:-1], dtype=np.int64), []
    for column in np.moveaxis(counts, -1, 0):
        with np.errstate(invalid="ignore"):
            whole = column.astype(np.int64)
        odd = whole != column
        if odd.any():
            if not np.isnan(column[odd]).all():
                return None
            whole[odd] = 0
        most = int(whole.max())
        values.append(np.append(np.arange(most + 1.0), np.nan))
        if whole.min() < 0 or prod(map(len, values)) > KINDS:
            return None
        whole[odd] = most + 1
        number *= most + 2
        number += whole
    kinds = np.stack(np.meshgrid(*values, indexing="ij"), axis=-1)
    return kinds.reshape(-1, counts.shape[-1]), number


def _rate_neutrality(counts: Floats, target: Floats, tau: int) -> Floats:
    total = counts.sum(axis=-1)
    few = (total <= tau) & ~np.isnan(target).any(axis=-1)
    worst = np.isinf(total)
    known = np.where(worst[..., None], 0.0, counts) if worst.any() else counts
    lean = distribution.distance(distribution.quotient(known, known.sum(axis=-1, keepdims=True)), target)
    return np.where(few, 1.0, np.where(worst, 2 * target.min(axis=-1) - 1, 1 - lean))


def rate_labels(weights: Floats, target: Floats) -> Floats:
    """Rate each document's neutrality by the weights of its groups [..., group], which are 1 in all, or less, or more.

    1 minus the distance of the groups' shares from the target, as far as the document is of groups at all: 1 for none.

    >>> rate_labels(np.array([[1, 0], [1, 1], [0.25, 0.25], [0.5, 0], [0, 0.0]]), np.array([0.5, 0.5])).tolist()
    [0.0, 1.0, 1.0, 0.5, 1.0]
    """
    lean = np.nan_to_num(distribution.distance(distribution.shares(weights), target))
    return np.asarray(1 - weights.sum(axis=-1).clip(max=1) * lean)


def ideal(omega: Floats, documents: Ints, cutoff: int) -> Floats:
    """Sum the best that a set allows: its documents sorted by falling omega; nan for an empty set.

    ``documents`` [query, kind] is how many documents have each omega [query, kind].

    >>> ideal(np.array([[0.5, 1.0, 0.0]]), np.array([[1, 2, 9]]), cutoff=3).round(6).tolist()
    [1.88093]
    """
    if (found := ideals(omega, documents, cutoff)) is not None:
        return found[:, -1]
    documents = np.broadcast_to(documents, omega.shape)
    order = np.argsort(-np.where(documents > 0, omega, -np.inf), axis=1, kind="stable")
    last = np.cumsum(np.take_along_axis(documents, order, axis=1), axis=1).clip(max=cutoff)
    weights = np.diff(discount.sums(discount.log2(cutoff))[last], axis=1, prepend=0.0)
    values = np.where(weights > 0, np.take_along_axis(omega, order, axis=1), 0.0)
    return np.where(documents.sum(axis=1) > 0, weighted_sum(values, weights), np.nan)


def ideals(omega: Floats, documents: Ints, cutoff: int) -> Floats | None:
    """Sum the best that a set allows down to each rank [query, cutoff], as ``ideal`` does down to the last.

    None if several documents have one omega between them, or if an omega is unknown.

    >>> ideals(np.array([[0.5, 1.0, 0.0]]), np.array([[1, 1, 1]]), cutoff=2).round(6).tolist()
    [[1.0, 1.315465]]
    """
    documents = np.broadcast_to(documents, omega.shape)
    if not omega.size or documents.max() > 1:
        return None
    weights = np.diff(discount.sums(discount.log2(cutoff)))
    best = np.zeros((len(omega), cutoff))
    step = max(PIECE // omega.shape[1], 1)
    for first in range(0, len(omega), step):
        part = slice(first, first + step)
        worth = np.where(documents[part] > 0, -omega[part], np.inf)
        if np.isnan(worth).any():
            return None
        worth.partition(min(cutoff, worth.shape[1]) - 1, axis=1)
        falling = -np.sort(worth[:, :cutoff], axis=1)
        best[part, : falling.shape[1]] = np.where(falling > -np.inf, falling, 0.0) * weights[: falling.shape[1]]
    best = np.cumsum(best, axis=1)
    best[~documents.any(axis=1)] = np.nan
    return best
