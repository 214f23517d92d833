"""What orders are worth, where a measure is a sum over ranks, or goes by what is relevant; and exchanges that gain.

Where nothing tells the best order of a query, exchanges of two documents lead to good ones.
"""

import numpy as np

from fairtrec.data import Floats, Ints
from fairtrec.formulas.distribution import quotient
from fairtrec.formulas.rounding import NEAR
from fairtrec.measure import First, Precisions, Sum, Terms
from fairtrec.reranking.orders.problem import Problem


def of_gains(useful: Terms, row: int, gains: Floats | Ints) -> Floats:
    """Say what First or Precisions, or a Sum of these gains [sequence, rank], makes of one query [sequence]."""
    ranks = gains.shape[1]
    if isinstance(useful, Sum):
        weights = (useful.weights if useful.weights.ndim == 1 else useful.weights[row])[:ranks]
        return np.asarray(gains[:, : len(weights)] @ weights)
    relevant = gains > 0
    if isinstance(useful, First):
        worth = np.zeros(ranks + 1)
        worth[:ranks][: len(useful.worth)] = useful.worth[:ranks]
        return np.asarray(worth[np.where(relevant.any(axis=1), relevant.argmax(axis=1), ranks)])
    assert isinstance(useful, Precisions)
    precisions = relevant * np.cumsum(relevant, axis=1) / np.arange(1, ranks + 1)
    return np.asarray(precisions[:, : useful.cutoff].sum(axis=1) / float(useful.divisor[row]))


def gains_of(row: int, useful: Terms | None) -> Floats | None:
    """Say what the documents of a query gain, if utility grows wherever a greater gain comes before a smaller one."""
    if isinstance(useful, First | Precisions):
        return np.asarray(useful.relevant[row], dtype=np.float64)
    falls = isinstance(useful, Sum) and (np.diff(useful.weights, axis=-1) <= 0).all() and (useful.weights >= 0).all()
    return divided(useful)[row] if isinstance(useful, Sum) and falls else None


def divided(terms: Sum) -> Floats:
    """Give the gains over the divisor [query, document]."""
    return terms.gains if terms.divisor is None else quotient(terms.gains, np.asarray(terms.divisor)[:, None])


def of_ranks(problem: Problem, weights: Floats) -> Floats:
    """Give the weights of each query's ranks [query, rank]; 0 where nothing counts, or the ranking has ended."""
    wide = np.zeros((len(problem.qids), int(problem.lengths.max(initial=0))))
    held = np.broadcast_to(weights, (len(problem.qids), weights.shape[-1]))[:, : wide.shape[1]]
    wide[:, : held.shape[1]] = held
    return np.where(np.arange(wide.shape[1]) < problem.lengths[:, None], wide, 0.0)


STEPS = 30
TRIED = 4_000  # exchanges in a step


def local_optimum(problem: Problem, query: int, grades: Ints | None) -> tuple[Ints, float]:
    """Exchange documents of a query, the pair that gains most first, until none gains; give the order and its value.

    With ``grades`` [document] only documents of the same grade change places.
    """
    top = np.arange(int(problem.lengths[query]))
    several = int(problem.several[query])
    value = float(problem.fairness_of(query, top[None])[0]) if len(top) else -np.inf
    rank, doc = np.divmod(np.arange(len(top) * several), max(several, 1))
    rank, doc = rank[:TRIED], doc[:TRIED]
    for _ in range(STEPS if len(rank) else 0):
        place = np.full(several, -1)
        place[top] = np.arange(len(top))
        useful = place[doc] < 0
        useful |= place[doc] > rank
        useful &= ~(problem.held[query, doc] | problem.held[query, top[rank]])
        if grades is not None:
            useful &= grades[doc] == grades[top[rank]]
        if not useful.any():
            break
        tops = np.repeat(top[None], int(useful.sum()), axis=0)
        at, (upper, new) = np.arange(len(tops)), (rank[useful], doc[useful])
        lower = place[new]
        inside = lower >= 0
        tops[at[inside], lower[inside]] = top[upper[inside]]
        tops[at, upper] = new
        values = problem.fairness_of(query, tops)
        best = int(values.argmax())
        if not values[best] > value + NEAR:
            break
        top, value = tops[best], float(values[best])
    return top, value
