"""GFR: group fairness and relevance in one sum over the ranks at which readers stop.

Source: Sakai, Kim, Kang: A Versatile Framework for Evaluating Ranked Lists in terms of Group Fairness and Relevance.
2022. https://doi.org/10.48550/arXiv.2204.00280
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from fairtrec.formulas import discount, distribution, ranks
from fairtrec.formulas.weighted_sums import weighted_sum
from fairtrec.measure import ABOVE_0, READING_ON, Bools, Floats, GroupPrefixes, Ints, Measure, UsageError


@ranks.cache_by_rank
def stops(relevance: Floats, max_grade: int) -> Floats:
    """Give the probability to stop at each rank of ``relevance`` [query, rank], as ERR has it.

    >>> stops(np.array([[1.0, 0.0, 1.0, np.nan]]), 1).tolist()
    [[0.5, 0.0, 0.25, 0.0]]
    """
    grades = np.nan_to_num(relevance).clip(0, max_grade).astype(np.int64)
    stop = np.ldexp(1.0, grades - max_grade) - np.ldexp(1.0, -max_grade)  # without the overflow of 2^grade
    before = np.cumprod(1 - stop, axis=1)
    before = np.concatenate((np.ones((len(stop), 1)), before), axis=1)[:, :-1]
    return np.asarray(before * stop)


def compute_likeness(diverge: Callable[[Floats, Floats], Floats], amounts: Floats, target: Floats, _: Any) -> Floats:
    """Give 1 minus the divergence of what groups hold down to a rank; 0 if no group holds anything."""
    return np.nan_to_num(1 - diverge(distribution.shares(amounts), target))


LIKENESS = {  # one object each, so that cutoffs share it
    name: partial(compute_likeness, diverge) for name, diverge in distribution.DIVERGENCES.items()
}


@dataclass(frozen=True)
class GFR(Measure):
    """How fair is the ranking that a reader has seen when they stop, and how relevant?

        r(d)       = (2^grade - 1) / 2^max_grade;  a grade above max_grade counts as max_grade, none as 0
        stop_k     = r(d_k) * product over ranks j < k of (1 - r(d_j))
        D_k        = the groups' shares among the documents at ranks 1..k, their mean membership
        fairness   = sum over ranks k = 1..cutoff of  stop_k * (1 - divergence(D_k, target))
        relevance  = sum over ranks k = 1..cutoff of  stop_k * decay_k,  which is ERR or iRBU itself
        GFR@cutoff = (fairness + relevance) / 2

    ``decay``: 'err' is 1 / k; 'irbu' is p^k. ``divergence``: 'jsd' is Jensen-Shannon to base 2, for groups without
    order. 'nmd' is the normalized match distance, sum of |cumulated D - cumulated target| / (groups - 1). 'rnod' is the
    root normalized order-aware divergence, sqrt(mean over groups i of target > 0 of sum over groups j of
    |i - j| (D(j) - target(j))^2 / (groups - 1)). Both need ordered groups: names that are numbers, bins, or ``--groups
    low,mid,high``. Any two groups are ordered; more without an order are refused. ``part``: 'fairness' or 'relevance'
    prints only this part. ``max_grade`` is by default the greatest grade of the qrels, and the signature shows it.
    NTCIREVAL takes the greatest grade of the task; ``max_grade=4`` is that of the Web track's ERR. Set it to compare
    values of several qrels files.

    For several attributes GFR is one number, (relevance + sum of their fairness) / (1 + attributes), and
    part='fairness' is the mean of their fairness; ``by`` selects one attribute. The ordinal divergences apply to
    attributes with ordered groups; the others use 'jsd'. So ``by=NAME,part='fairness'`` with the attribute's divergence
    is its part of the sum. An attribute with labels per query counts only for the queries in them.

    Before the first document of any group, a rank adds only to relevance. A document of unknown group changes no share;
    the authors' program, NTCIREVAL, gives it an even membership, as ``--missing even`` does. A query without a relevant
    document is 0; NTCIREVAL has no value for it.

    Unit: none. Better: higher. Empty ranking: 0.
    Range: [0, 1).
    Undefined: documents of the top k have grades above 0, but none has a group; or there is no target; neither matters
    for part='relevance'.
    Source: Sakai, Kim, Kang, 2022. https://doi.org/10.48550/arXiv.2204.00280
    """

    cutoff: int = 10
    decay: Literal["err", "irbu"] = "err"
    divergence: Literal["jsd", "nmd", "rnod"] = "jsd"
    part: Literal["both", "fairness", "relevance"] = "both"
    max_grade: int | None = None
    p: float = 0.99
    fewest = 2
    limits = (
        ("max_grade", 1, 2**31, "max_grade is {max_grade}; the greatest grade is 1 or more, and 2^31 at most"),
        ("p", ABOVE_0, 1, READING_ON),
    )
    bounds = 0.0, 1.0

    @property
    def needs(self) -> tuple[str, ...]:
        """The names of the inputs; the order of the groups and the greatest grade if the value depends on them."""
        ordinal = self.divergence != distribution.SYMMETRIC and self.part != "relevance"
        return (*super().needs, *["order"] * ordinal, *["greatest_grade"] * (self.max_grade is None))

    def formula(
        self,
        membership: Floats,
        relevance: Floats,
        target: Floats,
        order: Ints | None = None,
        greatest_grade: int | None = None,
    ) -> GroupPrefixes:
        """Let each rank add, as often as readers stop there, the likeness of what the groups hold down to it.

        Raises UsageError if neither ``max_grade`` nor the greatest grade is known.
        """
        probability, relevant = self._relevant(relevance, greatest_grade)
        share, of_relevance = (part / sum(self._counted) for part in self._counted)
        lacking = np.isnan(target).any(axis=1) & (self.part != "relevance")
        return GroupPrefixes(
            membership,
            LIKENESS[self.divergence],
            target,
            share * probability,
            first=np.where(lacking, np.nan, of_relevance * relevant),
            if_nobody=np.where((relevant == 0) | (self.part == "relevance"), 0.0, np.nan),
            order=order,
        )

    def over_attributes(self, ordered: Mapping[str, bool]) -> tuple[Measure, ...]:
        """Relevance, and the fairness of each attribute; ordinal divergences for those whose groups have an order."""
        if self.part == "relevance":
            return ()
        nominal = replace(self, divergence="jsd")
        of_each = {name: self if has_order else nominal for name, has_order in ordered.items()}
        parts = [replace(measure, by=name, part="fairness") for name, measure in of_each.items()]
        return (replace(self, part="relevance"), *parts)

    def combine_attributes(self, values: Floats, takes_part: Bools) -> Floats:
        """Take the mean over relevance and the fairness of each attribute that takes part; at least one does."""
        number, both = takes_part.sum(axis=0), self._counted[1]
        fairness = np.where(takes_part, values[1:], 0.0).sum(axis=0)
        return np.asarray((fairness + both * values[0]) / np.where(number > 0, number + both, np.nan))

    @property
    def _counted(self) -> tuple[int, int]:
        """Whether fairness and relevance count."""
        return int(self.part != "relevance"), int(self.part != "fairness")

    def _relevant(self, relevance: Floats, greatest_grade: int | None) -> tuple[Floats, Floats]:
        """Give the probability to stop at each rank [query, rank], and the part of relevance [query]."""
        max_grade = greatest_grade if self.max_grade is None else self.max_grade
        if max_grade is None:
            raise UsageError(f"{self} needs the greatest grade of the qrels; pass greatest_grade, or max_grade")
        probability = stops(relevance[:, : self.cutoff], max_grade)
        n = probability.shape[1]
        decay = discount.reciprocal(n) if self.decay == "err" else discount.geometric(n + 1, self.p)[1:]
        return probability, weighted_sum(probability, decay)
