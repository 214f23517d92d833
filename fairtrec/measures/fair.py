"""FAIR: what a ranking is worth to its readers, each rank paid by how fairly the ranking stands at that rank.

Source: Gao, Ge, Shah: FAIR: Fairness-Aware Information Retrieval Evaluation. 2021, Eq. 1-7.
https://doi.org/10.48550/arXiv.2106.08527
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fairtrec.formulas import discount, distribution, ranks
from fairtrec.formulas.distribution import quotient
from fairtrec.formulas.rounding import NEAR
from fairtrec.measure import ABOVE_0, BELOW_1, READING_ON, Floats, Measure

Gain = Literal["alpha", "ndcg", "rbp", "err_ia", "nrbp", "ap"]
DISCOUNTS: dict[Gain, discount.Discount] = {
    "alpha": "log2", "ndcg": "log2", "err_ia": "reciprocal", "ap": "reciprocal", "rbp": "geometric", "nrbp": "geometric"
}  # fmt: skip


Divergence = Literal["kl", "jsd", "squared"]
DIVERGENCES: dict[Divergence, Callable[[Floats, Floats], Floats]] = {
    "kl": distribution.kl,
    "jsd": distribution.jensen_shannon,
    "squared": lambda p, q: ((p - q) ** 2).sum(axis=-1),
}


def fair(gains: Floats, ideal: Floats, membership: Floats, target: Floats, divergence: Divergence = "kl") -> Floats:
    """Sum the ``gains`` [query, rank], each over 1 + the divergence of the ranking so far, over the ``ideal`` [query].

    >>> a, b = [1.0, 0.0], [0.0, 1.0]
    >>> membership, target = np.array([[a, b], [a, a]]), np.array([[0.5, 0.5]])
    >>> fair(np.ones((2, 2)), np.array([2.0, 2.0]), membership, target).round(6).tolist()
    [0.795308, 0.590616]
    """
    away = DIVERGENCES[divergence](distribution.prefix_shares(membership), target[:, None])
    earned = (gains * distribution.closeness(away)).sum(axis=1)
    return quotient(earned, ideal)


def novelty(worth: Floats, alpha: float) -> Floats:
    """Give what each rank of ``worth`` [query, rank, group] adds; a group seen before counts 1 - alpha times as much.

    >>> novelty(np.array([[[1.0, 0.0], [1.0, 1.0]]]), alpha=0.5).tolist()
    [[1.0, 1.5]]
    """
    seen = np.cumsum(worth, axis=1) - worth
    gains: Floats = (worth * np.power(1 - alpha, seen)).sum(axis=2)
    return gains


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
        fresh *= np.power(1 - alpha, left[:, row, best])
        left[:, row, best] = 0
    return gains


@dataclass(frozen=True)
class FAIR(Measure):
    """How useful is a ranking, if each rank only earns its gain as far as the ranking down to it is fair?

        D_i    = the groups' shares among the documents at ranks 1..i; each membership counts once
        dKL_i  = sum over groups a of  D_i(a) ln(D_i(a) / target(a));  0 ln 0 = 0
        FAIR@k = (1 / M) * sum over ranks i = 1..k of  gain_i / (dKL_i + 1)

    ``gain`` says what a rank earns; a document is relevant from grade ``rel``, J(d, a) = its membership in a if so:

        alpha   G_i / log2(1 + i),  G_i = sum over a of J(d_i, a) (1 - alpha)^(sum of J(d, a) above rank i)
        err_ia  G_i / i
        nrbp    G_i p^(i - 1);  NRBP as published has p=0.5
        ndcg    grade / log2(1 + i)
        rbp     p^(i - 1) if relevant
        ap      precision at i if relevant

    M is the same sum for an ideal ranking of the query's judged documents, without the division: for alpha, err_ia
    and nrbp the greedy one (ties by falling docno, as ndeval has it), for ndcg and rbp the one by falling grade; for
    ap M is the number of relevant documents, as in trec_eval. So FAIR of a ranking that meets the target at every rank
    is the plain measure, as far as M normalises it. ``divergence``: 'jsd', Jensen-Shannon to base 2, or 'squared', the
    sum over groups a of (D_i(a) - target(a))^2, stands for dKL, as the paper says that other divergences may. A
    document of unknown group changes no share. Where a group of target 0 has a share, and before the first document of
    a group, dKL is infinite or undefined, and the rank earns 0.

    ``form='product'``: the whole measure, normalised, over 1 + the divergence at the last rank, not rank by rank.

    ``--target relevance`` takes each group's sum of grades, where the paper has their average; another target can be
    given as a file.

    Unit: none, a share of the ideal gain. Better: higher. Empty ranking: 0.
    Range: [0, 1]; the greedy ideal need not be the best where documents belong to several groups, so that a value
    slightly above 1 is possible. Fairness is not in M: where no order meets the target, no order reaches 1.
    Undefined: M is 0 (no relevant document, for alpha, err_ia and nrbp: none of any group); no document in the
    top k, and no judged one, is of a group; or there is no target.
    Source: Gao, Ge, Shah, 2021, Eq. 1, 6 and 7. https://doi.org/10.48550/arXiv.2106.08527
    """

    cutoff: int = 10
    gain: Gain = "alpha"
    alpha: float = 0.5
    p: float = 0.8
    rel: int = 1
    divergence: Divergence = "kl"
    form: Literal["sum", "product"] = "sum"
    bounds = 0.0, None
    limits = (
        ("alpha", 0, 1, "alpha is {alpha}; a share of novelty lies between 0 and 1"),
        ("p", ABOVE_0, BELOW_1, READING_ON),
    )

    def __call__(
        self,
        membership: Floats,
        relevance: Floats,
        target: Floats,
        judged_relevance: Floats,
        judged_membership: Floats,
    ) -> Floats:
        """Return FAIR [query]."""
        top, grades = np.nan_to_num(membership[:, : self.cutoff]), relevance[:, : self.cutoff]
        judged = np.nan_to_num(judged_membership)
        gains, ideal = self._gains(top, grades), self._ideal(judged, judged_relevance)
        grouped = top.any(axis=(1, 2)) | judged.any(axis=(1, 2))
        earned = fair(gains, ideal, top, target, self.divergence)
        if self.form == "product":
            away = DIVERGENCES[self.divergence](distribution.prefix_shares(top)[:, -1:], target[:, None])
            earned = quotient(gains.sum(axis=1), ideal) * distribution.closeness(away).sum(axis=1)
        value = np.where(grouped, earned, np.nan)
        return np.where(np.isnan(target).any(axis=1), np.nan, value)

    def _gains(self, top: Floats, grades: Floats) -> Floats:
        """Give what each rank earns if fairness does not matter [query, rank]."""
        weights, relevant = self._discount(grades.shape[1]), (grades >= self.rel).astype(np.float64)
        if self.gain == "ap":
            gains = relevant * np.cumsum(relevant, axis=1)
        elif self.gain == "rbp":
            gains = relevant
        elif self.gain == "ndcg":
            gains = ranks.gains(grades)
        else:
            gains = novelty(top * relevant[..., None], self.alpha)
        return gains * weights

    def _ideal(self, judged: Floats, grades: Floats) -> Floats:
        """Give the sum that normalises [query]."""
        weights, relevant = self._discount(self.cutoff), (grades >= self.rel).astype(np.float64)
        if self.gain == "ap":
            return ranks.ideal(relevant, np.ones(relevant.shape[1]))
        if self.gain in ("rbp", "ndcg"):
            return ranks.ideal(relevant if self.gain == "rbp" else ranks.gains(grades), weights)
        total: Floats = greedy_novelty(judged * relevant[..., None], self.alpha, self.cutoff) @ weights
        return total

    def _discount(self, n: int) -> Floats:
        """Weigh ranks 1..n."""
        return discount.named(DISCOUNTS[self.gain], n, self.p)
