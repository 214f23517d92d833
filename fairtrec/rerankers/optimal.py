"""Optimal: the fairest order that costs no utility, or no more than so much."""

from dataclasses import dataclass

import numpy as np

from fairtrec.formulas import discount, neutrality, ranks
from fairtrec.formulas.fronts import budget, two_sums
from fairtrec.formulas.fronts.front import same_grades
from fairtrec.reranker import MISSING, Bools, Candidates, Floats, Ints, Order, Remark, Reranker, counted, take

TOLD = 1e-6  # what fairness may lack without its being said


@dataclass(frozen=True)
class Optimal(Reranker):
    """What is the fairest order that loses no utility, or no more than a share of it?

        the order of greatest FaiRR@k, or NFaiRR@k with --background, among those
        of nDCG@k >= (1 - loss) times that of the run, in the mean over queries; each=True: of each query
        same_grades=True: among those in which every rank keeps a document of the same grade

    It is exact, of all orders of the run's documents. On the ranks of one grade, the fairest documents of that grade
    stand in falling order of omega; and where so many of each grade have been placed, what can still come depends on
    these numbers alone. With same_grades every measure of relevance stays what it is to the last bit, as each rank
    keeps its grade, below rank k too.

    Groups: counts of group terms, or hard labels with tau=0. A document without terms is neutral. Target: as given with
    --target.
    Chance: none.
    Edges: a document that is not judged is one of grade 0, so it may be moved at no loss; with pin_unjudged=True it
    stays where it is, and none from below comes in. A query without a relevant document has nothing to lose. Of the
    mean over queries all are ordered together: a query that loses much may make room for others, and what greedy leaves
    open a search closes. A query without a target, or with --background without one, keeps its order. Where more than a
    million ways would have to be followed for a query, only orders on the hull of its front are found, and a remark
    says how much fairer the mean could be.
    Source: this project; the rearrangement inequality. omega and NFaiRR: Rekabsaz, Kopeinik, Schedl, SIGIR 2021.
    https://doi.org/10.1145/3404835.3462949
    """

    cutoff: int = 10
    loss: float = 0.0
    same_grades: bool = False
    each: bool = False
    pin_unjudged: bool = False
    tau: int = 1

    worst_known = True
    limits = (
        ("loss", 0, 1, "loss is {loss}; it is a share of the utility, from 0 to 1"),
        neutrality.TAU,
    )

    @property
    def together(self) -> bool:
        """In the mean, what one query may lose depends on what others do."""
        return not self.same_grades and not self.each

    def __call__(
        self,
        relevance: Floats,
        judged_relevance: Floats,
        counts: Floats,
        ranked: Ints,
        target: Floats,
        lengths: Ints,
        background: Candidates | None = None,
    ) -> Order:
        """Return the order [query, place]."""
        omega = neutrality.omega(take(counts, ranked), target[:, None], self.tau)
        known = np.broadcast_to(~np.isnan(target).any(axis=1), (len(lengths),)).copy()
        ideal = np.ones(len(lengths))
        if background is not None:
            held = neutrality.omega(background.counts, target[:, None], self.tau)
            ideal = np.broadcast_to(neutrality.ideal(held, background.documents, self.cutoff), (len(lengths),))
            known &= ideal > 0
        lost = counted("queries without a target or a background, so their order is kept: {} of {}", ~known)
        width = relevance.shape[1]
        there = np.arange(width) < lengths[:, None]
        stay: Bools = np.asarray(np.isnan(relevance) & there & self.pin_unjudged)
        if self.same_grades:
            grades = np.unique(np.nan_to_num(relevance), return_inverse=True)[1].reshape(relevance.shape)
            grades = np.where(stay, grades.size + np.arange(width), grades)  # each one of its own
            worth = np.where(known[:, None] & there, omega, 0.0)
            order = same_grades(np.where(there, grades, MISSING), worth, discount.log2(self.cutoff))
            return Order(order, (lost,))
        best = ranks.ideal(ranks.gains(judged_relevance), discount.log2(self.cutoff))
        gains = ranks.gains(relevance) / np.where(best > 0, best, 1.0)[:, None]
        worth = omega / np.where(known, ideal, 1.0)[:, None]
        return self._fairest(np.where(there, gains, np.nan), np.where(there, worth, np.nan), stay, known, lost)

    def _fairest(self, gains: Floats, worth: Floats, stay: Bools, known: Bools, lost: Remark) -> Order:
        """Choose of each query's front what is allowed, of each on its own or of all together."""
        rows = np.flatnonzero(known & ~np.isnan(gains).all(axis=1))
        order = np.full((len(gains), min(self.cutoff, gains.shape[1])), MISSING)
        weights = discount.log2(order.shape[1])
        counts = np.broadcast_to(weights, order[rows].shape)
        lengths = (~np.isnan(gains[rows, : self.cutoff])).sum(axis=1)
        fronts = two_sums.fronts(gains[rows], worth[rows], counts, counts, lengths, stay[rows])
        least = (1 - self.loss) * (np.nan_to_num(gains[rows, : self.cutoff]) @ weights)
        if self.each:
            found = [front.fairest(low - budget.ROUNDING) for front, low in zip(fronts, least.tolist(), strict=True)]
            points = [at for at, _ in found]
            gap = sum(most - float(front.fairness[at]) for front, (at, most) in zip(fronts, found, strict=True))
        else:
            spent = budget.spend(fronts, float(least.sum()))
            points, gap = spent.points.tolist(), spent.bound - spent.fairness
        for row, front, at in zip(rows.tolist(), fronts, points, strict=True):
            order[row, : front.tops.shape[1]] = front.tops[at]
        gap /= max(len(rows), 1)
        open_ = (Remark(f"the mean of fairness could be {gap:.6f} higher at most"),) if gap > TOLD else ()
        return Order(order, (lost, *open_))
