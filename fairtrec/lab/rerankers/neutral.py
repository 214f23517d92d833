"""Neutral: scores weighed against the neutrality of documents."""

from dataclasses import dataclass

import numpy as np

from fairtrec.formulas import discount, neutrality
from fairtrec.formulas.distribution import exceeds_zero
from fairtrec.formulas.rounding import merge_ties
from fairtrec.formulas.weighted_sums import weighted_sum
from fairtrec.lab.reranker import (
    MISSING,
    NO_TARGET_OR_BACKGROUND,
    Bools,
    Candidates,
    Floats,
    Ints,
    Note,
    NoteKind,
    Order,
    Reranker,
    count_queries,
    take,
)

STEPS = 60  # of halving, down to neighboring numbers
ROUNDING = 1e-12
OUT_OF_REACH = NoteKind(
    "out of reach", "no order reaches it in {many} of {queries} queries: the most neutral order is taken"
)
BELOW_BEST = NoteKind(
    "below the best order", "in every query the DCG of scores is at most {gap} below the best order that meets it"
)


@dataclass(frozen=True)
class Neutral(Reranker):
    """Which documents come first, if neutrality counts next to the score?

        by falling  (1 - weight) * score + weight * omega(d);  scores scaled to 0 to 1 over the query's candidates
        omega(d) = 1 - sum over groups a of |n_a(d) / n(d) - target(a)|, or 1 if n(d) <= tau

    The first k maximize (1 - weight) DCG@k of the scores + weight FaiRR@k, since both discount ranks in the same way.
    ``require=x`` takes, for each query, the least weight with NFaiRR@k >= x, against the background.

    Groups: counts of group terms, or hard labels with tau=0. A document without terms is neutral. Target: that of
    --target.
    Chance: none.
    Edges: documents whose values agree to 12 digits keep their order. If no order of the query reaches x, the weight is
    1. Between two weights there can be a better order of the same NFaiRR, which an integer program would find; a note
    has the most by which DCG could be higher. A query without a target, or with require without a background, keeps its
    order.
    Source: this project; the rearrangement inequality. omega and NFaiRR: Rekabsaz, Kopeinik, Schedl, SIGIR 2021.
    https://doi.org/10.1145/3404835.3462949
    """

    cutoff: int = 10
    weight: float = 0.3
    require: float | None = None
    tau: int = 1

    worst_known = True
    limits = (("weight", 0, 1, "weight is {weight}; it lies between 0 and 1"), neutrality.TAU)

    @property
    def needs(self) -> tuple[str, ...]:
        """A background is needed where an NFaiRR is required."""
        return (*super().needs, *["background"] * (self.require is not None))

    @property
    def preferences(self) -> tuple[str, ...]:
        """None: a background is needed, or of no use."""
        return ()

    def __call__(
        self,
        scaled: Floats,
        counts: Floats,
        ranked: Ints,
        target: Floats,
        lengths: Ints,
        background: Candidates | None = None,
    ) -> Order:
        """Return the order of the first ranks [query, place]."""
        omega = neutrality.omega(take(counts, ranked), target[:, None], self.tau)
        aimed = np.broadcast_to(~np.isnan(target).any(axis=1), (len(lengths),))
        if background is None:
            weights = np.full(len(lengths), self.weight)
            order = self._by(scaled, omega, np.where(aimed, weights, 0.0), lengths)
            return Order(order, (_untold(~aimed),))
        held = neutrality.omega(background.counts, target[:, None], self.tau)
        ideal = np.broadcast_to(neutrality.ideal(held, background.documents, self.cutoff), (len(lengths),))
        known = aimed & exceeds_zero(ideal, size=discount.log2(self.cutoff).sum())
        wanted = np.where(known, ideal * (self.require or 0.0), -np.inf)
        return self._required(scaled, omega, wanted, lengths, ~known)

    def deep_enough(self, scaled: Floats, scaled_below: Floats, counts: Floats, ranked: Ints, target: Floats) -> Bools:
        """Tell where no document below can be better than the last of the first k, even if it is neutral [query]."""
        if self.require is not None or scaled.shape[1] < self.cutoff:
            return np.zeros(len(scaled), dtype=np.bool_)
        omega = neutrality.omega(take(counts, ranked), target[:, None], self.tau)
        keys = self._keys(scaled, omega, np.full(len(scaled), self.weight))
        last = -np.sort(-np.nan_to_num(merge_ties(keys), nan=-np.inf), axis=1)[:, self.cutoff - 1]
        highest = np.where(
            np.isinf(scaled_below), -np.inf, (1 - self.weight) * np.maximum(scaled_below, 0.0) + self.weight
        )
        return np.asarray(last >= merge_ties(highest))

    @staticmethod
    def _keys(scaled: Floats, omega: Floats, weights: Floats) -> Floats:
        weight = weights[:, None]
        return (1 - weight) * scaled + np.where(weight == 0, 0.0, weight * omega)

    def _by(self, scaled: Floats, omega: Floats, weights: Floats, lengths: Ints) -> Ints:
        """Give the first ranks by these weights [query, place]."""
        keys = np.nan_to_num(merge_ties(self._keys(scaled, omega, weights)), nan=-np.inf)
        order = np.argsort(-keys, axis=1, kind="stable")[:, : self.cutoff]
        return np.where(np.arange(order.shape[1]) < lengths[:, None], order, MISSING)

    def _sums(self, values: Floats, order: Ints) -> Floats:
        """Add the values [query, rank] of the first ranks up, discounted [query]."""
        top = np.where(order == MISSING, 0.0, np.take_along_axis(values, np.maximum(order, 0), axis=1))
        return weighted_sum(np.nan_to_num(top), discount.log2(top.shape[1]))

    def _required(self, scaled: Floats, omega: Floats, wanted: Floats, lengths: Ints, unknown: Bools) -> Order:
        low, high = np.zeros(len(wanted)), np.ones(len(wanted))
        easy = self._sums(omega, self._by(scaled, omega, low, lengths)) >= wanted - ROUNDING
        high = np.where(easy | unknown, 0.0, high)
        hard = ~easy & ~unknown & (self._sums(omega, self._by(scaled, omega, high, lengths)) < wanted - ROUNDING)
        for _ in range(STEPS):
            middle = (low + high) / 2
            meets = self._sums(omega, self._by(scaled, omega, middle, lengths)) >= wanted - ROUNDING
            low, high = np.where(meets, low, middle), np.where(meets, middle, high)
        high = np.where(hard, 1.0, high)
        above, below = self._by(scaled, omega, high, lengths), self._by(scaled, omega, low, lengths)
        fairness, utility = ([self._sums(of, order) for order in (below, above)] for of in (omega, scaled))
        open_ = ~easy & ~unknown & ~hard & (fairness[1] > fairness[0])
        share = np.divide(fairness[1] - wanted, fairness[1] - fairness[0], out=np.zeros(len(wanted)), where=open_)
        gap = round(float(np.max(share * (utility[0] - utility[1]), initial=0.0)), 4)
        said = (
            count_queries(OUT_OF_REACH, hard),
            BELOW_BEST.note(gap=gap),
        )
        return Order(above, (_untold(unknown), *said))


def _untold(which: Bools) -> Note:
    return count_queries(NO_TARGET_OR_BACKGROUND, which)
