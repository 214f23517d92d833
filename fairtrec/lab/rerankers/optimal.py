"""Optimal and Worst: the fairest order that costs no utility, or no more than so much, and the least fair one."""

from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from fairtrec.data.parameters import spell_value, typed_name
from fairtrec.formulas import discount, neutrality, ranks, two_sums
from fairtrec.formulas.fronts import ROUNDING, same_grades, spend
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
    UsageError,
    count_queries,
    take,
)
from fairtrec.support.literals import DocumentsFrom
from fairtrec.support.progress import foretell

K = 10  # the cutoff where nothing is named
SCORES = "scores"  # for a utility: DCG of what the run itself scored
PER_RANK = 4e-8  # seconds that the front of a query takes, times the square of its ranks
TOLD = 1e-6  # what fairness may lack without its being said
COULD_BE = NoteKind("could be fairer", "the mean fairness could be at most {gap} {side}")


@dataclass(frozen=True)
class Optimal(Reranker):
    """What is the fairest order that loses no utility, or no more than a share of it?

        the order of the best ``fairness`` (FaiRR@10, or NFaiRR@10 with --background) among those
        of ``utility`` (nDCG@10) >= (1 - loss) times that of the run, in the mean over queries; each=True: of each query
        same_grades=True: among those in which every rank keeps a document of the same grade

    ``fairness`` and ``utility`` are any two measures, written as for -m:
    Optimal(fairness=AWRF@20,utility=nDCG@10,loss=1%). utility=scores is the DCG of the run's own scores, which needs no
    qrels; it ends at the cutoff of the fairness, unless scores@k or @k sets another. @k is the cutoff of measures
    without their own. Documents come from the run; from=background: also from --background; from=runs: from all runs of
    the command. `fairtrec headroom` prints the same fronts and values; docs/headroom-computed.md says when they are
    exact. If they are not, a note has the value that no order exceeds.

    For FaiRR and nDCG it is exact. On the ranks of one grade, the fairest documents of that grade come by falling
    omega. Once a number of documents of each grade is placed, what can follow depends only on these numbers. With
    same_grades measures of relevance keep their values to the last bit, since each rank keeps its grade, also below
    rank k.

    Groups: counts of group terms, or hard labels with tau=0. A document without terms is neutral. Target: that of
    --target.
    Chance: none.
    Edges: an unjudged document counts as grade 0, so moving it costs nothing; with pin_unjudged=True it keeps its rank,
    and none comes in from below. same_grades treats it as a grade of its own if ``utility`` does, like Bpref. A query
    without a relevant document has nothing to lose. With ``fairness`` or ``utility`` given, of equally fair orders the
    one of most utility is written, and of these the one whose documents come first in the run; a query without a finite
    value of both keeps its order. The queries share the loss: a query that loses much can make room for others, and a
    search closes the gap that the greedy choice leaves. A query without a target, or with --background without one,
    keeps its order. For a query with more than a million ways, only orders on the hull of its front are found, and a
    note says how much fairer the mean could be.
    Source: this project; the rearrangement inequality. omega and NFaiRR: Rekabsaz, Kopeinik, Schedl, SIGIR 2021.
    https://doi.org/10.1145/3404835.3462949
    """

    cutoff: int | None = None
    loss: float = 0.0
    same_grades: bool = False
    each: bool = False
    pin_unjudged: bool = False
    tau: int = 1
    fairness: str = ""
    utility: str = ""
    from_: DocumentsFrom = "run"

    worst_known = True
    worst: ClassVar[bool] = False  # whether the least fair order is looked for
    limits = (("loss", 0, 1, "loss is {loss}; it is a share of the utility, from 0 to 1"), neutrality.TAU)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.fairness and self.tau != 1:
            raise UsageError(f"{self.name}: tau is of the fairness; write it there, like fairness=NFaiRR(tau=0)")
        if self.utility.split("@")[0].strip() == SCORES:
            of_grades = {"same_grades": self.same_grades, "pin_unjudged": self.pin_unjudged}
            for option in (name for name, is_set in of_grades.items() if is_set):
                raise UsageError(f"{self.name}: scores have no grades; leave out {option}, or name another utility")
            if self.from_ != "run":
                raise UsageError(f"{self.name}: only the documents of the run have scores; leave out from")
        if self.cutoff is None and not self.searches_orders:
            object.__setattr__(self, "cutoff", K)

    @property
    def searches_orders(self) -> bool:
        """Whether orders are looked for by what measures make of them."""
        return bool(self.fairness or self.utility) or self.from_ != "run"

    @property
    def orders_together(self) -> bool:
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
        """Return the order [query, place], by FaiRR or NFaiRR and nDCG."""
        k = self.cutoff or K
        omega = neutrality.omega(take(counts, ranked), target[:, None], self.tau)
        known = np.broadcast_to(~np.isnan(target).any(axis=1), (len(lengths),)).copy()
        ideal = np.ones(len(lengths))
        if background is not None:
            held = neutrality.omega(background.counts, target[:, None], self.tau)
            ideal = np.broadcast_to(neutrality.ideal(held, background.documents, k), (len(lengths),))
            known &= ideal > 0
        lost = count_queries(NO_TARGET_OR_BACKGROUND, ~known)
        width = relevance.shape[1]
        there = np.arange(width) < lengths[:, None]
        stay: Bools = np.asarray(np.isnan(relevance) & there & self.pin_unjudged)
        if self.same_grades:
            grades = np.unique(np.nan_to_num(relevance), return_inverse=True)[1].reshape(relevance.shape)
            grades = np.where(stay, grades.size + np.arange(width), grades)  # each one of its own
            worth = np.where(known[:, None] & there, self._turned(omega), 0.0)
            order = same_grades(np.where(there, grades, MISSING), worth, discount.log2(k))
            return Order(order, (lost,))
        best = ranks.ideal(ranks.gains(judged_relevance), discount.log2(k))
        gains = ranks.gains(relevance) / np.where(best > 0, best, 1.0)[:, None]
        worth = self._turned(omega) / np.where(known, ideal, 1.0)[:, None]
        return self._fairest(k, np.where(there, gains, np.nan), np.where(there, worth, np.nan), stay, known, lost)

    def _fairest(self, k: int, gains: Floats, worth: Floats, stay: Bools, known: Bools, lost: Note) -> Order:
        """Choose of each query's front what is allowed, of each on its own or of all together."""
        rows = np.flatnonzero(known & ~np.isnan(gains).all(axis=1))
        order = np.full((len(gains), min(k, gains.shape[1])), MISSING)
        weights = discount.log2(order.shape[1])
        counts = np.broadcast_to(weights, order[rows].shape)
        lengths = (~np.isnan(gains[rows, :k])).sum(axis=1)
        what = f"the fronts of rankings of up to {order.shape[1]:,} documents (Optimal; fewer with a cutoff)"
        foretell(what, PER_RANK * float((lengths * lengths).sum()))
        fronts = two_sums.fronts(gains[rows], worth[rows], counts, counts, lengths, stay[rows])
        least = (1 - self.loss) * weighted_sum(np.nan_to_num(gains[rows, :k]), weights)
        if self.each:
            found = [front.fairest(low - ROUNDING) for front, low in zip(fronts, least.tolist(), strict=True)]
            points = [at for at, _ in found]
            gap = sum(most - float(front.fairness[at]) for front, (at, most) in zip(fronts, found, strict=True))
        else:
            spent = spend(fronts, float(least.sum()))
            points, gap = spent.points.tolist(), spent.bound - spent.fairness
        for row, front, at in zip(rows.tolist(), fronts, points, strict=True):
            order[row, : front.tops.shape[1]] = front.tops[at]
        gap /= max(len(rows), 1)
        side = "lower" if self.worst else "higher"
        open_ = (COULD_BE.note(gap=f"{gap:.6f}", side=side),) if gap > TOLD else ()
        return Order(order, (lost, *open_))

    def _turned(self, omega: Floats) -> Floats:
        return -omega if self.worst else omega

    def __str__(self) -> str:
        measures = [f"{name}={getattr(self, name)}" for name in ("fairness", "utility") if getattr(self, name)]
        rest = [
            f"{typed_name(field.name)}={spell_value(getattr(self, field.name))}"
            for field in fields(self)
            if field.name not in ("cutoff", "fairness", "utility") and getattr(self, field.name) != field.default
        ]
        inside = ",".join([*measures, *rest])
        cutoff = "" if self.cutoff is None else f"@{self.cutoff}"
        return f"{self.name}{f'({inside})' if inside else ''}{cutoff}"


@dataclass(frozen=True)
class Worst(Optimal):
    """What is the least fair order that loses no utility, or no more than a share of it?

        the order of the worst ``fairness`` (FaiRR@10, or NFaiRR@10 with --background) among those
        of ``utility`` (nDCG@10) >= (1 - loss) times that of the run, in the mean over queries; each=True: of each query
        same_grades=True: among those in which every rank keeps a document of the same grade

    This is the opposite of Optimal, with the same parameters and the same search: how biased could a ranking of these
    documents be, if no measure of relevance can distinguish it from this one? The measure's direction decides what is
    worst: the least value if higher is better, the greatest if lower is better, the farthest from 0 if near 0 is
    better.

    Groups: as of Optimal.
    Chance: none.
    Edges: those of Optimal. An order with infinite or undefined fairness is never taken.
    Source: this project; the rearrangement inequality. Least and most biased orders of one list: Ziems, Held,
    Dwivedi-Yu, Yang, Findings of ACL 2024, section 5.2. https://doi.org/10.18653/v1/2024.findings-acl.763
    """

    worst: ClassVar[bool] = True
