"""The fairest order in which each rank keeps a document of the same grade, so that no measure of grades changes.

On the ranks of one grade, the fairest documents of that grade stand where fairness counts most (the rearrangement
inequality); one that is not used for a used one that is less fair never loses.
"""

import numpy as np

from fairtrec.data import MISSING, Floats, Ints


def fairest(classes: Ints, worth: Floats, weights: Floats) -> Ints:
    """Order all ranks of each query [query, place] so that the weighed sum of ``worth`` is greatest.

    ``classes`` [query, rank] are the grades, numbered, MISSING behind the last document; ``worth`` [query, rank] is
    what a document adds; ``weights`` [rank or query, rank], none below 0, are how much the first ranks count. What is
    worth the same stays in its order, and so does what counts nowhere.

    >>> fairest(np.array([[0, 1, 0, 0]]), np.array([[0.1, 0.9, 0.2, 0.3]]), np.array([1.0, 0.5])).tolist()
    [[3, 1, 0, 2]]
    """
    queries, ranks = classes.shape
    counts = np.zeros((queries, ranks))
    counts[:, : weights.shape[-1]] = weights[..., :ranks]
    at = np.broadcast_to(np.arange(ranks), classes.shape)
    key = np.where(classes == MISSING, classes.max(initial=0) + 1, classes)
    slots = np.lexsort((at, -counts, key), axis=1)  # those of one grade, those that count most first
    best = np.lexsort((at, -worth, key), axis=1)
    chosen = np.zeros(classes.shape, dtype=np.bool_)
    np.put_along_axis(chosen, best, np.take_along_axis(counts, slots, axis=1) > 0, axis=1)
    docs = np.lexsort((at, np.where(chosen, -worth, 0.0), ~chosen, key), axis=1)
    places = np.empty(classes.shape, dtype=np.int64)
    np.put_along_axis(places, slots, docs, axis=1)
    return np.where(classes == MISSING, MISSING, places)
