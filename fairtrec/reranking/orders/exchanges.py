"""Where nothing tells the best order of a query: exchanges of two documents lead to good ones."""

import numpy as np

from fairtrec.data import Ints
from fairtrec.formulas.rounding import NEAR
from fairtrec.reranking.orders.problem import Problem

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
