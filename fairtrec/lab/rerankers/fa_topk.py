"""FATopK: FA*IR, enough of a protected group among the first i for every i, as a test of chance has it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np

from fairtrec.data import list_distinct
from fairtrec.lab.reranker import (
    FAR,
    MISSING,
    Bools,
    Floats,
    Heads,
    Ints,
    Lists,
    NoteKind,
    Order,
    Reranker,
    UsageError,
    count_queries,
    places_to_fill,
)
from fairtrec.support.progress import foretell

PER_RANK = 1.2e-7  # seconds that the table takes, times the square of its ranks
ALIKE = 1 + 1e-12  # probabilities are computed to this
TOO_FEW = NoteKind("too few protected", "too few protected documents in {many} of {queries} queries")
Adjust = Literal["at-most", "nearest", "none"]


def cumulative(k: int, p: float) -> Floats:
    """Give P(at most t of i are protected) [i - 1, t] for i = 1..k, if each is with probability p.

    >>> cumulative(2, 0.5).tolist()
    [[0.5, 1.0, 1.0], [0.25, 0.75, 1.0]]
    """
    exact = np.zeros((k + 1, k + 1))
    exact[0, 0] = 1.0
    for i in range(1, k + 1):
        exact[i] = exact[i - 1] * (1 - p)
        exact[i, 1:] += exact[i - 1, :-1] * p
    return np.asarray(np.cumsum(exact[1:], axis=1))


def find_least_counts(of: Floats, alpha: float) -> Ints:
    """Give the least t with P(at most t of i) > alpha, for i = 1..k, from ``cumulative``.

    >>> find_least_counts(cumulative(12, 0.5), 0.1).tolist()
    [0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 4]
    """
    return np.asarray((of <= alpha * ALIKE).sum(axis=1))


def break_probability(table: Ints, p: float) -> float:
    """Give the probability that a ranking in which each is protected with probability p breaks the table at some rank.

    >>> break_probability(find_least_counts(cumulative(20, 0.25), 0.1), 0.25).__round__(6)
    0.146887
    """
    holds = np.zeros(len(table) + 1)
    holds[0] = 1.0
    lost = 0.0
    for wanted in table.tolist():
        one_more = holds[:-1] * p
        holds *= 1 - p
        holds[1:] += one_more
        lost += float(holds[:wanted].sum())
        holds[:wanted] = 0.0
    return lost


@cache
def adjust_table(k: int, p: float, alpha: float, adjust: Adjust = "at-most") -> tuple[int, ...]:
    """Give the table of how many protected documents the first 1..k need, for all these tests together.

    >>> table = adjust_table(20, 0.25, 0.1)
    >>> table[8:10], round(break_probability(np.array(table), 0.25), 6)
    ((0, 1), 0.089722)
    >>> round(break_probability(np.array(adjust_table(20, 0.25, 0.1, "nearest")), 0.25), 6)
    0.105152
    """
    foretell(f"the table of {k:,} ranks (FATopK; fewer with a cutoff)", PER_RANK * k * k)
    of = cumulative(k, p)
    if adjust == "none":
        return tuple(find_least_counts(of, alpha).tolist())
    levels = list_distinct([0.0, *of[of <= alpha * ALIKE]])  # a table changes at these only
    low, high = 0, len(levels)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (middle, high)
            if break_probability(find_least_counts(of, levels[middle]), p) <= alpha * ALIKE
            else (low, middle)
        )
    tables = [find_least_counts(of, level) for level in levels[low : low + 2]]
    if adjust == "nearest":
        tables.sort(key=lambda table: abs(break_probability(table, p) - alpha))
    return tuple(tables[0].tolist())


@dataclass(frozen=True)
class FATopK(Reranker):
    """Does every rank have enough of the protected group, compared with a ranking that ignores groups?

        m_i = the least t with P(at most t of i are protected) > alpha_c,  each protected with probability p
        rank i = 1..k: if fewer than m_i above it or at it would be protected, the best remaining protected document;
        else the best remaining document

    k tests together fail more often than alpha. ``adjust='at-most'``: alpha_c is the largest level up to alpha at which
    such a ranking fails with a probability of at most alpha; 'nearest': the level at which this probability is nearest
    to alpha, as in fairsearch; 'none': alpha itself, as in the table of the paper. The probabilities are exact;
    fairsearchcore omits the last rank (.11518 in its README instead of .14689).

    Groups: the protected one, and all others together. A document of unknown group keeps its rank, and the others
    change places among theirs; unknown='unprotected' counts it as not protected, as in LensKit. No target.
    Chance: none.
    Edges: if no protected document is left, the best remaining one. A query without a document of known group keeps its
    order.
    Source: Zehlike, Bonchi, Castillo, Hajian, Megahed, Baeza-Yates: FA*IR: A Fair Top-k Ranking Algorithm. CIKM 2017.
    https://doi.org/10.1145/3132847.3132938
    """

    cutoff: int = 10
    p: float = 0.5
    alpha: float = 0.1
    protected: str = ""
    adjust: Adjust = "at-most"
    unknown: Literal["keep", "unprotected"] = "keep"

    limits = (
        ("p", np.nextafter(0.0, 1.0), np.nextafter(1.0, 0.0), "p is {p}; it lies between 0 and 1"),
        ("alpha", np.nextafter(0.0, 1.0), np.nextafter(1.0, 0.0), "alpha is {alpha}; it lies between 0 and 1"),
    )

    def check(self, groups: Sequence[str]) -> None:
        """Raise UsageError where no group is protected, or none of that name is there."""
        super().check(groups)
        if groups and not self.protected:
            like = f"{self.name}(protected='{groups[0]}')"
            raise UsageError(f"{self.name} protects one group; name it, like {like}; there are {', '.join(groups)}")

    def __call__(self, group_of: Ints, groups: tuple[str, ...], lengths: Ints) -> Order:
        """Return the order [query, place]."""
        protected = np.where(group_of == MISSING, MISSING, group_of == groups.index(self.protected))
        lists = Lists.group_documents(protected, lengths, self.cutoff, 0 if self.unknown == "unprotected" else None)
        heads = Heads(lists.groups, 2)
        table = adjust_table(self.cutoff, self.p, self.alpha, self.adjust)
        first = np.full((len(group_of), int(lists.tops.max(initial=0))), MISSING)
        lapsed = np.zeros(len(first), dtype=np.bool_)
        for rank in range(first.shape[1]):
            active: Bools = np.asarray(rank < lists.tops)
            wanting: Bools = np.asarray(active & (heads.taken[:, 1] < table[rank]))
            there = heads.places < FAR
            lapsed |= wanting & ~there[:, 1]
            there[:, 0] &= ~(wanting & there[:, 1])
            placed = heads.take(heads.first(there), active)
            first[active, rank] = placed[active]
        return Order(lists.put_back(first), (*lists.notes, count_queries(TOO_FEW, lapsed)))

    def deep_enough(self, group_of: Ints, groups: tuple[str, ...]) -> Bools:
        """Tell where there are as many protected documents as must be placed; any other places the best remaining."""
        known, protected = group_of != MISSING, group_of == groups.index(self.protected)
        tops = places_to_fill(known, self.cutoff, moved_only=self.unknown == "keep")
        wanted = np.array([0, *adjust_table(self.cutoff, self.p, self.alpha, self.adjust)])[tops]
        filled: Bools = known.any(axis=1) & (protected.sum(axis=1) >= wanted)  # or else it is said that there is none
        return filled
