"""FairGreedy and AlphaIdeal: rank by rank the document that adds most, weighed by how fair the ranking then is.

Source: Gao, Ge, Shah: FAIR: Fairness-Aware Information Retrieval Evaluation. 2021, Algorithm 1.
https://doi.org/10.48550/arXiv.2106.08527
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from fairtrec.formulas import distribution
from fairtrec.formulas.elementary import power
from fairtrec.formulas.rounding import NEAR
from fairtrec.lab.reranker import (
    MISSING,
    NO_TARGET,
    Bools,
    Chance,
    Floats,
    Ints,
    Lists,
    Order,
    Reranker,
    Unknown,
    count_queries,
)

MANY = 50  # ranks to fill, from which equal documents are brought together
FEW = 4  # documents of each kind at least, from which that pays


@dataclass(frozen=True, eq=False)
class Placeable:
    """The documents of each query that may be placed, and what is placed so far: [query, n], [query, n, group].

    ``worth`` is a document's membership if it is relevant.
    """

    membership: Floats
    worth: Floats
    left: Bools
    shown: Floats  # membership of what is placed, added up [query, group]
    seen: Floats  # and its worth

    def gains(self, alpha: float) -> Floats:
        """Give what each document adds; a group seen before counts 1 - alpha times as much."""
        fresh = power(1 - alpha, self.seen)
        return np.asarray((self.worth * fresh[:, None]).sum(axis=2))

    def divergences(self, target: Floats) -> Floats:
        """Give dKL of the ranking with each document behind it; infinite as long as there is no group in it."""
        shares = distribution.shares(self.shown[:, None] + self.membership)
        return np.nan_to_num(distribution.kl(shares, target[:, None]), nan=np.inf, posinf=np.inf)

    def find_topmost(self, among: Bools) -> tuple[Ints, Ints]:
        """Find the first of these [query, n] in each query: its number here, and its place in the list."""
        chosen = among.argmax(axis=1)
        return chosen, chosen

    def place(self, chosen: Ints, active: Bools) -> None:
        """Take one document of each active query off."""
        rows = np.flatnonzero(active)
        self.take_off(rows, chosen[rows])
        self.shown[rows] += self.membership[rows, chosen[rows]]
        self.seen[rows] += self.worth[rows, chosen[rows]]

    def take_off(self, rows: Ints, chosen: Ints) -> None:
        """Take documents off that are placed."""
        self.left[rows, chosen] = False


@dataclass(frozen=True, eq=False, kw_only=True)
class PlaceableKinds(Placeable):
    """The same, of documents of few kinds: what is of one membership and worth stands in a queue [query, kind]."""

    order: Ints  # places of documents, kind by kind [query, n]
    nexts: Ints  # where the rest of each queue begins in the order
    ends: Ints  # and where it ends

    @classmethod
    def group(cls, documents: Placeable) -> Placeable:
        """Bring equal documents together, if there are many of each kind.

        >>> membership = np.array([[[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]] * 4])
        >>> nothing = np.zeros((1, 2))
        >>> documents = Placeable(membership, membership, np.ones((1, 12), np.bool_), nothing, nothing.copy())
        >>> PlaceableKinds.group(documents).find_topmost(np.array([[False, True]]))[1].tolist()
        [0]
        """
        queries, several, groups = documents.membership.shape
        rows = np.concatenate([documents.membership, documents.worth], axis=2).reshape(-1, 2 * groups)
        kind, kinds = np.zeros(len(rows), dtype=np.int64), 1
        for column in rows.T:
            values, number = np.unique(column, return_inverse=True)
            distinct, kind = np.unique(kind * len(values) + number, return_inverse=True)
            kinds = len(distinct)
            if FEW * kinds > several:
                return documents
        first = np.unique(kind, return_index=True)[1]
        kind = np.where(documents.left, kind.reshape(queries, several), kinds)
        held = (kind[..., None] == np.arange(kinds)).sum(axis=1)
        ends = np.cumsum(held, axis=1)
        shape = queries, kinds, groups
        return cls(
            np.broadcast_to(rows[first, :groups], shape), np.broadcast_to(rows[first, groups:], shape), held > 0,
            documents.shown, documents.seen,
            order=np.argsort(kind, axis=1, kind="stable"), nexts=ends - held, ends=ends,
        )  # fmt: skip

    def find_topmost(self, among: Bools) -> tuple[Ints, Ints]:
        """Find the kind whose next document is the first of these in each query, and the place of that document."""
        several = self.order.shape[1]
        places = np.take_along_axis(self.order, np.minimum(self.nexts, several - 1), axis=1)
        chosen = np.where(among, places, several).argmin(axis=1)
        return chosen, places[np.arange(len(chosen)), chosen]

    def take_off(self, rows: Ints, chosen: Ints) -> None:
        """Go on to the next document of each queue."""
        self.nexts[rows, chosen] += 1
        self.left[rows, chosen] = self.nexts[rows, chosen] < self.ends[rows, chosen]


def narrowed(among: Bools, values: Floats) -> Bools:
    """Keep those of the greatest value, but for rounding."""
    most = np.where(among, values, -np.inf).max(axis=1, keepdims=True, initial=-np.inf)
    bound = most - NEAR * np.maximum(1.0, np.abs(np.where(np.isinf(most), 0.0, most)))
    return np.asarray(among & (values >= bound))


@dataclass(frozen=True)
class _Greedy(Reranker):
    cutoff: int = 10
    alpha: float = 0.5
    gain: Literal["run", "qrels"] = "run"
    rel: int = 1
    unknown: Unknown = "keep"

    limits = (("alpha", 0, 1, "alpha is {alpha}; a share of novelty lies between 0 and 1"),)

    @property
    def needs(self) -> tuple[str, ...]:
        """Judgments are needed where they are what documents gain."""
        return (*super().needs, *["relevance"] * (self.gain == "qrels"))

    def _start(self, membership: Floats, lengths: Ints, relevance: Floats | None) -> tuple[Lists, Placeable]:
        """Take the documents of some group, or all of them."""
        known = np.where((np.nan_to_num(membership) > 0).any(axis=2), 0, MISSING)
        lists = Lists.group_documents(known, lengths, self.cutoff, 0 if self.unknown == "free" else None)
        there = lists.ranks != MISSING
        at = np.maximum(lists.ranks, 0)
        moved = np.where(there[..., None], np.nan_to_num(np.take_along_axis(membership, at[..., None], axis=1)), 0.0)
        relevant = there if relevance is None else np.asarray(lists.spread(relevance) >= self.rel)
        nothing = np.zeros((len(moved), moved.shape[2]))
        documents = Placeable(moved, moved * relevant[..., None], there.copy(), nothing, nothing.copy())
        return lists, PlaceableKinds.group(documents) if lists.tops.max(initial=0) > MANY else documents


class AlphaIdeal(_Greedy):
    """Which document adds most that was not there before?

        rank i = 1..k: of the remaining documents the one of greatest
        G[i] = sum over groups a of J(d, a) (1 - alpha)^(sum of J(., a) above rank i);  of several, the best

    J(d, a) is the membership of d in a; a system knows no more. With ``gain='qrels'`` it is 0 unless d has grade >= rel
    in QRELS. This is the greedy ideal of alpha-nDCG among the documents of the run: a bound, not a system.

    Groups: any membership. A document of no known group keeps its rank, and the others change places among theirs;
    unknown='free' treats it as one that adds nothing. No target.
    Chance: none.
    Edges: values of G that agree to 12 digits are equal. A query without a document of known group keeps its order.
    Source: Clarke, Kolla, Cormack, Vechtomova, Ashkan, Buettcher, MacKinnon: Novelty and Diversity in Information
    Retrieval Evaluation. SIGIR 2008. https://doi.org/10.1145/1390334.1390446
    """

    def __call__(self, membership: Floats, lengths: Ints, relevance: Floats | None = None) -> Order:
        """Return the order [query, place]."""
        lists, candidates = self._start(membership, lengths, relevance)
        first = np.full((len(lengths), int(lists.tops.max(initial=0))), MISSING)
        for rank in range(first.shape[1]):
            active: Bools = np.asarray(rank < lists.tops)
            chosen, places = candidates.find_topmost(narrowed(candidates.left, candidates.gains(self.alpha)))
            first[active, rank] = places[active]
            candidates.place(chosen, active)
        return Order(lists.put_back(first), lists.notes)


@dataclass(frozen=True)
class FairGreedy(_Greedy):
    """Which document adds most, if each rank counts by how fair the ranking is with it?

        rank i = 1..k, of the remaining documents:
        with probability 1 - eps  those of greatest G[i] / (dKL + 1), among these those of least dKL
        with probability eps      those of least dKL, among these those of greatest G[i]
        and of several the best

    G[i] is that of AlphaIdeal, dKL that of KL with the document at rank i: sum over a of D(a) ln(D(a) / target(a)).
    eps=0 and eps=1 involve no chance. Algorithm 1 of the paper prints G / dKL, which is infinite if dKL is 0. Its Eq. 6
    and its text have G / (dKL + 1), which is the default; ``divisor='kl'`` follows Algorithm 1.

    Groups: any membership. A document of no known group keeps its rank, and the others change places among theirs;
    unknown='free' treats it as one that adds nothing and changes no share. Target: that of --target.
    Chance: which of the two rules a rank follows; --seed, and --rankings for several.
    Edges: every document of the run gains, as in the paper's runs without qrels, since a system has none; with
    ``gain='qrels'`` only those of grade >= rel in QRELS, which makes it a bound. dKL is infinite before the first
    document of a group. Values that agree to 12 digits are equal. A query without a target, or without a document of
    known group, keeps its order.
    Source: Gao, Ge, Shah, 2021, Algorithm 1. https://doi.org/10.48550/arXiv.2106.08527
    """

    eps: float = 0.5
    divisor: Literal["kl+1", "kl"] = "kl+1"

    limits = (("eps", 0, 1, "eps is {eps}; a probability lies between 0 and 1"),)

    def __call__(
        self, membership: Floats, target: Floats, lengths: Ints, chance: Chance, relevance: Floats | None = None
    ) -> Order:
        """Return the order [query, place]."""
        lists, candidates = self._start(membership, lengths, relevance)
        aims = np.broadcast_to(target, (len(lengths), target.shape[1]))
        aimed = ~np.isnan(aims).any(axis=1)
        tops = np.where(aimed, lists.tops, 0)
        first = np.full((len(lengths), int(tops.max(initial=0))), MISSING)
        drawn = chance.uniform(first.shape[1])
        for rank in range(first.shape[1]):
            active: Bools = np.asarray(rank < tops)
            # [query, candidate]: one rule or the other is what counts first, for each query as it was drawn; the other
            # decides among equals, and of several that are left the topmost is taken (argmax takes the first).
            gains, divergences = candidates.gains(self.alpha), candidates.divergences(aims)
            fair = (drawn[:, rank] < self.eps)[:, None]
            foremost = np.where(fair, -divergences, self._paid(gains, divergences))
            among = narrowed(narrowed(candidates.left, foremost), np.where(fair, gains, -divergences))
            chosen, places = candidates.find_topmost(among)
            first[active, rank] = places[active]
            candidates.place(chosen, active)
        lost = count_queries(NO_TARGET, ~aimed)
        return Order(lists.put_back(first), (*lists.notes, lost))

    def _paid(self, gains: Floats, divergences: Floats) -> Floats:
        """Divide what documents add by how unfair the ranking is with them."""
        if self.divisor == "kl+1":
            return gains * distribution.closeness(divergences)
        divided: Floats = np.divide(gains, divergences, out=np.zeros(gains.shape), where=divergences > 0)
        return np.where((divergences <= 0) & (gains > 0), np.inf, divided)
