"""Orders that exchanges of two documents lead to, where nothing tells the best: each is evaluated."""

import numpy as np

from fairtrec.data import Ints
from fairtrec.frontier.problem import Case

STEPS = 30
TRIED = 4_000  # exchanges in a step
NEAR = 1e-12


def climbed(case: Case, query: int, grades: Ints | None) -> tuple[Ints, float]:
    """Exchange documents of a query, the pair that gains most first, until none gains; give the order and its value.

    With ``grades`` [document] only documents of the same grade change places.
    """
    top = np.arange(int(case.lengths[query]))
    several = int(case.several[query])
    value = float(case.fairness_of(query, top[None])[0]) if len(top) else -np.inf
    rank, doc = np.divmod(np.arange(len(top) * several), max(several, 1))
    rank, doc = rank[:TRIED], doc[:TRIED]
    for _ in range(STEPS if len(rank) else 0):
        place = np.full(several, -1)
        place[top] = np.arange(len(top))
        useful = place[doc] < 0
        useful |= place[doc] > rank
        useful &= ~(case.held[query, doc] | case.held[query, top[rank]])
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
        values = case.fairness_of(query, tops)
        best = int(values.argmax())
        if not values[best] > value + NEAR:
            break
        top, value = tops[best], float(values[best])
    return top, value
