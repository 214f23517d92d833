"""FAIR: what a ranking is worth to its readers, each rank paid by how fairly the ranking stands at that rank.

Source: Gao, Ge, Shah: FAIR: Fairness-Aware Information Retrieval Evaluation. 2021, Eq. 1-7.
https://doi.org/10.48550/arXiv.2106.08527
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast

import numpy as np

from fairtrec.formulas import discount, distribution, ranks, sequences
from fairtrec.formulas.distribution import quotient
from fairtrec.formulas.elementary import power
from fairtrec.formulas.rounding import NEAR
from fairtrec.formulas.sequences import Earned
from fairtrec.formulas.weighted_sums import multiply_counts, multiply_few
from fairtrec.measure import (
    ABOVE_0,
    BELOW_1,
    READING_ON,
    Bools,
    Bounds,
    Floats,
    Ints,
    Measure,
    Note,
    NoteKind,
    NoteSeverity,
    UsageError,
)

Gain = Literal["alpha", "ndcg", "rbp", "err_ia", "nrbp", "ap", "precision"]
DISCOUNTS: dict[Gain, discount.Discount] = {
    "alpha": "log2", "ndcg": "log2", "err_ia": "reciprocal", "ap": "reciprocal", "rbp": "geometric", "nrbp": "geometric"
}  # fmt: skip
Divergence = Literal["kl", "jsd", "nmd", "rnod", "squared"]
DIVERGENCES: dict[Divergence, Callable[[Floats, Floats], Floats]] = {
    "kl": distribution.kl,
    "jsd": distribution.jensen_shannon,
    "nmd": distribution.match_distance,
    "rnod": distribution.order_aware,
    "squared": lambda p, q: np.square(p - q).sum(axis=-1),
}
ORDINAL = "nmd", "rnod"  # the divergences of groups that have an order
ABOVE_GREEDY = NoteKind(
    "above 1, greedy",
    "{above} of {rankings} rankings have a value above 1, because the greedy order is not an upper bound",
    NoteSeverity.MISLEADING,
)
ABOVE_GRADED = NoteKind(
    "above 1, no grade",
    "{above} of {rankings} rankings have a value above 1, because they have documents without a grade",
    NoteSeverity.MISLEADING,
)


class _Sums(NamedTuple):
    """What all cutoffs share: sums down to each rank, from above the first [query, rank]."""

    earned: Floats
    near: Floats | None  # at each rank, if it multiplies the whole sum [query, rank - 1]
    grouped: Bools  # whether a document down to the rank is of a group [query, rank - 1]
    are_judged_grouped: Bools  # [query]
    ideal: Floats


def _accumulate(gains: Floats) -> Floats:
    """Sum down to each rank, from above the first [query, rank]."""
    return np.concatenate([np.zeros((len(gains), 1)), np.cumsum(gains, axis=1)], axis=1)


def novelty(worth: Floats, alpha: float) -> Floats:
    """Give what each rank of ``worth`` [query, rank, group] adds; a group seen before counts 1 - alpha times as much.

    >>> novelty(np.array([[[1.0, 0.0], [1.0, 1.0]]]), alpha=0.5).tolist()
    [[1.0, 1.5]]
    """
    seen = np.cumsum(worth, axis=1) - worth
    return np.asarray((worth * power(1 - alpha, seen)).sum(axis=2))


def greedy_novelty(worth: Floats, alpha: float, cutoff: int) -> Floats:
    """Give what each rank adds when always the document that adds most comes next; of several, the first.

    >>> greedy_novelty(np.array([[[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]]), alpha=0.5, cutoff=5).tolist()
    [[1.0, 1.0, 0.5, 0.0, 0.0]]
    """
    queries, _, groups = worth.shape
    worthy = worth.any(axis=2)
    most = int(worthy.sum(axis=1).max(initial=0))
    order = np.argsort(~worthy, axis=1, kind="stable")[:, :most]
    left = np.ascontiguousarray(np.moveaxis(np.take_along_axis(worth, order[..., None], axis=1), 2, 0))
    fresh = np.ones((groups, queries))
    gains, row = np.zeros((queries, cutoff)), np.arange(queries)
    added, term = np.empty((2, queries, most))  # kept, as memory is what takes the time
    for rank in range(min(cutoff, most)):
        np.multiply(left[0], fresh[0, :, None], out=added)
        for group in range(1, groups):
            added += np.multiply(left[group], fresh[group, :, None], out=term)
        gains[:, rank] = added.max(axis=1)
        best = (added >= gains[:, rank, None] * (1 - NEAR)).argmax(axis=1)  # rounding makes no document better
        fresh *= power(1 - alpha, left[:, row, best])
        left[:, row, best] = 0
    return gains


@dataclass(frozen=True)
class FAIR(Measure):
    """How useful is a ranking, if each rank only earns its gain as far as the ranking down to it is fair?

        D_i    = the groups' shares among the documents at ranks 1..i; each membership counts once
        dKL_i  = sum over groups a of  D_i(a) ln(D_i(a) / target(a));  0 ln 0 = 0
        FAIR@k = (1 / M) * sum over ranks i = 1..k of  gain_i / (dKL_i + 1)

    ``gain`` sets what a rank earns. A document is relevant from grade ``rel``; J(d, a) is its membership in a if it is
    relevant:

        alpha   G_i / log2(1 + i),  G_i = sum over a of J(d_i, a) (1 - alpha)^(sum of J(d, a) above rank i)
        err_ia  G_i / i
        nrbp    G_i p^(i - 1);  NRBP as published has p=0.5
        ndcg    grade / log2(1 + i)
        rbp     p^(i - 1) if relevant
        ap      precision at i if relevant

    M is the same sum for an ideal ranking of the query's judged documents, without the division. For alpha, err_ia and
    nrbp the ideal is greedy (ties by falling docno, as in ndeval); for ndcg and rbp it is sorted by falling grade; for
    ap, M is the number of relevant documents, as in trec_eval. So FAIR of a ranking that meets the target at every rank
    is the plain measure, as far as M normalizes it.

    ``divergence`` replaces dKL, as the paper allows: 'jsd' is Jensen-Shannon to base 2; 'squared' is the sum over
    groups a of (D_i(a) - target(a))^2; 'nmd' and 'rnod', for ordered groups, are those of GFR. A document of unknown
    group changes no share. A rank earns 0 before the first document of a group (the divergence is undefined), and with
    'kl', and no other divergence, if a group of target 0 has a share (dKL is infinite).

    ``form='product'`` divides the whole normalized measure by 1 + the divergence at the last rank, instead of rank by
    rank. Only this form allows gain='precision' (the relevant documents at ranks 1..k over k), and it allows only
    ``normalizer='ideal'``.

    ``normalizer`` sets M: 'ideal' as above. 'attainable' is the greatest sum, with the division, that any order of the
    judged documents reaches, by a dynamic program over the numbers of documents placed of each kind; above a million
    states it is refused. 'greedy' is the sum of the order that always adds the document that adds most; of several, the
    one with the least divergence, then by falling docno. The authors propose such a greedy order, but it is not a
    bound: other orders can earn more, so values above 1 are possible, and a note reports them. With 'attainable' this
    happens only if a ranking holds unjudged documents.

    ``--target relevance`` takes each group's sum of grades, where the paper has their average; a file can set another
    target.

    Unit: none, a share of the ideal gain. Better: higher. Empty ranking: 0.
    Range: [0, 1]; if documents belong to several groups, the greedy ideal may not be the best, so a value slightly
    above 1 is possible. M ignores fairness: if no order meets the target, no order reaches 1. With
    normalizer='attainable' the best order of the judged documents has 1; if no such order earns anything, all have 0.
    Undefined: the ideal M is 0 (no relevant document, for alpha, err_ia and nrbp: none of any group; precision then has
    0); no document in the top k, and no judged one, is of a group; or there is no target.
    Source: Gao, Ge, Shah, 2021, Eq. 1, 6 and 7. https://doi.org/10.48550/arXiv.2106.08527
    """

    cutoff: int = 10
    gain: Gain = "alpha"
    alpha: float = 0.5
    p: float = 0.8
    rel: int = 1
    divergence: Divergence = "kl"
    form: Literal["sum", "product"] = "sum"
    normalizer: Literal["ideal", "attainable", "greedy"] = "ideal"
    limits = (
        ("alpha", 0, 1, "alpha is {alpha}; a share of novelty lies between 0 and 1"),
        ("p", ABOVE_0, BELOW_1, READING_ON),
    )

    @property
    def needs(self) -> tuple[str, ...]:
        """The names of the inputs, and the order of the groups where the divergence looks at it."""
        return (*super().needs, *["order"] * (self.divergence in ORDINAL))

    @property
    def bounds(self) -> Bounds:
        """At most 1 where the ideal is the greatest sum of gains that there is."""
        sure = self.gain in ("ndcg", "rbp", "ap", "precision") and self.normalizer == "ideal"
        return 0.0, 1.0 if sure else None

    def check(self, groups: Sequence[str]) -> None:
        """Raise UsageError for forms that do not fit together, and for one group where these have an order."""
        super().check(groups)
        if self.form == "product" and self.normalizer != "ideal":
            raise UsageError(f"{self}: the product is normalized only by the ideal; leave out normalizer, or form")
        if self.form == "sum" and self.gain == "precision":
            raise UsageError(f"{self}: precision is of all ranks together; add form=product")
        if self.divergence in ORDINAL and len(groups) < 2:
            raise UsageError(f"{self} compares two groups or more, not {len(groups)}; take another divergence")

    def __call__(
        self,
        membership: Floats,
        relevance: Floats,
        target: Floats,
        judged_relevance: Floats,
        judged_membership: Floats,
        order: Ints | None = None,
    ) -> Floats:
        """Return FAIR [query]. Raises UsageError where the attainable normalizer would look at too many states."""
        sums = self._sum_down(membership, relevance, target, judged_relevance, judged_membership, order)
        return self.divide_sums(sums, target, judged_relevance, judged_membership, order)

    def values_at(self, shallower: Sequence[Measure], **inputs: Any) -> Iterator[Floats]:
        """Sum down to the deepest cutoff once."""
        sums = self._sum_down(**inputs)
        of_query = {name: each for name, each in inputs.items() if name not in ("membership", "relevance")}
        for each in (self, *shallower):
            yield cast("FAIR", each).divide_sums(sums, **of_query)

    def _sum_down(
        self,
        membership: Floats,
        relevance: Floats,
        target: Floats,
        judged_relevance: Floats,
        judged_membership: Floats,
        order: Ints | None = None,
    ) -> _Sums:
        """Sum what the ranks earn, and what they would earn in the ideal order, down to each rank."""
        membership, judged, target = (
            distribution.order_groups(each, order) for each in (membership, judged_membership, target)
        )
        judged = np.nan_to_num(judged)
        top, grades = np.nan_to_num(membership[:, : self.cutoff]), relevance[:, : self.cutoff]
        away = DIVERGENCES[self.divergence](distribution.prefix_shares(top), target[:, None])
        near, gains = distribution.closeness(away), self._gains(top, grades)
        is_sum = self.form == "sum"
        return _Sums(
            _accumulate(gains * near if is_sum else gains),
            None if is_sum else near,
            np.logical_or.accumulate(top.any(axis=2), axis=1),
            np.asarray(judged.any(axis=(1, 2))),
            _accumulate(self._ideal_gains(judged, judged_relevance)),
        )

    def divide_sums(
        self,
        sums: _Sums,
        target: Floats,
        judged_relevance: Floats,
        judged_membership: Floats,
        order: Ints | None = None,
    ) -> Floats:
        """Divide what is earned down to the cutoff by what normalizes it [query]."""
        judged, target = (distribution.order_groups(each, order) for each in (judged_membership, target))
        ranked = min(self.cutoff, sums.grouped.shape[1])
        grouped = sums.are_judged_grouped | (sums.grouped[:, ranked - 1] if ranked else False)
        ideal = self._normalize(sums.ideal)
        known = grouped & ~np.isnan(target).any(axis=1) & (ideal > 0)
        if self.normalizer != "ideal":
            ideal = self._find_ideal(ideal, known, judged, judged_relevance, target)
        earned = quotient(sums.earned[:, ranked], ideal)
        if sums.near is not None:
            earned = earned * sums.near[:, ranked - 1 : ranked].sum(axis=1)
        return np.where(known, np.nan_to_num(earned), np.nan)

    def _find_ideal(self, ideal: Floats, known: Bools, judged: Floats, grades: Floats, target: Floats) -> Floats:
        """Find the greatest or a great sum of an order of the judged documents, where they are ``known`` [query]."""
        sought = self._greedy if self.normalizer == "greedy" else self._attainable
        merit, of_query = self._merit(grades), np.broadcast_to(target, (len(grades), target.shape[1]))
        found: dict[bytes, float] = {}  # as several rankings of one query have the same judgments
        best = ideal.copy()
        for query in np.flatnonzero(known):
            there = ~np.isnan(grades[query])
            of = np.nan_to_num(judged[query, there]), merit[query, there], of_query[query]
            key = b"".join(each.tobytes() for each in of)
            if key not in found:
                found[key] = sought(*of)
            best[query] = found[key]
        return best

    def note(self, values: Floats) -> Note | None:
        """Count the rankings that earn more than what normalizes them, where that is no sum of the best gains."""
        above = 0 if self.normalizer == "ideal" else int((values > 1 + NEAR).sum())
        kind = ABOVE_GREEDY if self.normalizer == "greedy" else ABOVE_GRADED
        return kind.note(above=above, rankings=len(values)) if above else None

    def _gains(self, top: Floats, grades: Floats) -> Floats:
        """Give what each rank earns if fairness does not matter [query, rank]."""
        weights, relevant = self._discount(grades.shape[1]), (grades >= self.rel).astype(np.float64)
        if self.gain == "ap":
            gains = relevant * np.cumsum(relevant, axis=1)
        elif self.gain in ("rbp", "precision"):
            gains = relevant
        elif self.gain == "ndcg":
            gains = ranks.gains(grades)
        else:
            gains = novelty(top * relevant[..., None], self.alpha)
        return gains * weights

    def _ideal_gains(self, judged: Floats, grades: Floats) -> Floats:
        """Give what each rank of the ideal order earns [query, rank]; for ap, what a relevant document counts."""
        relevant = (grades >= self.rel).astype(np.float64)
        if self.gain == "ap":
            return -np.sort(-relevant, axis=1)
        if self.gain == "precision":
            return np.ones((len(grades), 1))  # as all ranks do
        if self.gain in ("rbp", "ndcg"):
            best = -np.sort(-(relevant if self.gain == "rbp" else ranks.gains(grades)), axis=1)[:, : self.cutoff]
        else:
            best = greedy_novelty(judged * relevant[..., None], self.alpha, self.cutoff)
        return best * self._discount(best.shape[1])

    def _normalize(self, sums: Floats) -> Floats:
        """Give the sum that normalizes [query], of those down to each rank of the ideal order."""
        if self.gain == "precision":
            return np.full(len(sums), float(self.cutoff))
        return sums[:, -1 if self.gain == "ap" else min(self.cutoff, sums.shape[1] - 1)]

    def _merit(self, grades: Floats) -> Floats:
        """Give what makes a document worth to read, whatever its rank and group."""
        return ranks.gains(grades) if self.gain == "ndcg" else (grades >= self.rel).astype(np.float64)

    def _earned(self, held: Floats, merit: Floats, target: Floats) -> Callable[[Floats, int], tuple[Floats, Floats]]:
        """Say what the next of these documents would earn, and how far from the target they would bring the ranking.

        Both are [state, document], of how often each has been placed [state, document] at so many ranks.
        """
        weights, worth = self._discount(self.cutoff), held * merit[:, None]

        def earned(placed: Floats, above: int) -> tuple[Floats, Floats]:
            if self.gain == "ap":
                gains = merit * (multiply_counts(placed, merit[:, None]) + 1)
            elif self.gain in ("rbp", "ndcg"):
                gains = np.broadcast_to(merit, placed.shape)
            else:
                gains = multiply_few(power(1 - self.alpha, multiply_counts(placed, worth)), worth.T)
            down_to = distribution.shares(multiply_counts(placed, held)[:, None] + held)
            away = DIVERGENCES[self.divergence](down_to, target)
            return gains * weights[above] * distribution.closeness(away), away

        return earned

    def over_prefixes(
        self,
        membership: Floats,
        relevance: Floats,
        target: Floats,
        judged_relevance: Floats,
        judged_membership: Floats,
        order: Ints | None = None,
    ) -> Earned | None:
        """Each rank earns its gain, over one plus the divergence of the groups' shares down to it."""
        held, judged, wanted = (
            np.nan_to_num(distribution.order_groups(each, order)) for each in (membership, judged_membership, target)
        )
        (ideal,) = self._normalize(_accumulate(self._ideal_gains(judged, judged_relevance)))
        if self.form == "product" or self.normalizer != "ideal" or not judged.any() or not ideal > 0:
            return None
        earned = self._earned(held, self._merit(relevance), wanted[0])

        def share(placed: Floats, above: int) -> Floats:
            return earned(placed, above)[0] / ideal if above < self.cutoff else np.zeros(placed.shape)

        return share

    def _attainable(self, held: Floats, merit: Floats, target: Floats) -> float:
        """Give the most that any order of the documents earns."""
        useful = held.any(axis=1) | (merit > 0)  # what is of no group and no merit only takes a rank
        kinds, number = np.unique(np.column_stack((held, merit))[useful], axis=0, return_counts=True)
        if sequences.states(number, self.cutoff) > sequences.MOST:
            what = f"{self} needs more than {sequences.MOST:,} states for the judged documents of a query"
            raise UsageError(f"{what}; take normalizer=greedy, or a smaller cutoff")
        earned = self._earned(kinds[:, :-1], kinds[:, -1], target)
        return sequences.most_earned(number, self.cutoff, lambda placed, above: earned(placed, above)[0])

    def _greedy(self, held: Floats, merit: Floats, target: Floats) -> float:
        """Give what the documents earn if always the one that earns most comes next; of several, the fairest first."""
        earned, placed, total = self._earned(held, merit, target), np.zeros((1, len(merit))), 0.0
        for above in range(min(self.cutoff, len(merit))):
            (gains,), (away,) = earned(placed, above)
            gains = np.where(placed[0] > 0, -np.inf, gains)
            away = np.where(gains >= gains.max() * (1 - NEAR), np.nan_to_num(away, nan=np.inf), np.nan)
            best = int(np.argmax(away <= np.nanmin(away) + NEAR))
            total += gains[best]
            placed[0, best] = 1.0
        return total

    def _discount(self, n: int) -> Floats:
        return np.ones(n) if self.gain == "precision" else discount.compute_weights(DISCOUNTS[self.gain], n, self.p)
