"""GFR: group fairness and relevance in one sum over the ranks at which readers stop.

Source: Sakai, Kim, Kang: A Versatile Framework for Evaluating Ranked Lists in terms of Group Fairness and Relevance.
2022. https://doi.org/10.48550/arXiv.2204.00280
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fairtrec import distribution
from fairtrec.data import Floats
from fairtrec.errors import UsageError
from fairtrec.measure import Measure


def stops(relevance: Floats, max_grade: int) -> Floats:
    """Give the probability to stop at each rank of ``relevance`` [query, rank], as ERR has it.

    >>> stops(np.array([[1.0, 0.0, 1.0, np.nan]]), max_grade=1).tolist()
    [[0.5, 0.0, 0.25, 0.0]]
    """
    grades = np.nan_to_num(relevance).clip(0, max_grade)
    stop = (2.0**grades - 1) / 2.0**max_grade
    before = np.cumprod(1 - stop, axis=1)
    before = np.concatenate((np.ones((len(stop), 1)), before), axis=1)[:, :-1]
    probability: Floats = before * stop
    return probability


def match_distance(p: Floats, q: Floats) -> Floats:
    """Give the normalised match distance of two distributions over ordered groups [..., group], in [0, 1].

    >>> match_distance(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])).item()
    0.5
    """
    value: Floats = np.abs(np.cumsum(p - q, axis=-1)).sum(axis=-1) / (p.shape[-1] - 1)
    return value


def order_aware(p: Floats, q: Floats) -> Floats:
    """Give the root normalised order-aware divergence of p from q over ordered groups [..., group], in [0, 1].

    >>> order_aware(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])).round(6).item()
    0.707107
    """
    place = np.arange(p.shape[-1])
    each = (p - q) ** 2 @ np.abs(place[:, None] - place).astype(np.float64)  # DW of each group
    wanted = q > 0
    mean = np.where(wanted, each, 0.0).sum(axis=-1) / np.maximum(wanted.sum(axis=-1), 1)
    value: Floats = np.sqrt(mean / (p.shape[-1] - 1))
    return value


@dataclass(frozen=True)
class GFR(Measure):
    """How fair is the ranking that a reader has seen when they stop, and how relevant?

        r(d)       = (2^grade - 1) / 2^max_grade;  a grade above max_grade counts as max_grade, none as 0
        stop_k     = r(d_k) * product over ranks j < k of (1 - r(d_j))
        decay_k    = stop_k / k  (ERR),  stop_k * p^k  (iRBU)
        D_k        = the groups' shares among the documents at ranks 1..k, their mean membership
        fairness   = sum over ranks k = 1..cutoff of  decay_k * (1 - divergence(D_k, target))
        relevance  = sum over ranks k = 1..cutoff of  decay_k, which is ERR or iRBU itself
        GFR@cutoff = (fairness + relevance) / 2

    ``decay``: 'err' or 'irbu', with ``p``. ``divergence``: 'jsd' Jensen-Shannon to base 2, for groups without order;
    'nmd' normalised match distance, sum of |cumulated D - cumulated target| / (groups - 1), and 'rnod' root normalised
    order-aware divergence, sqrt(mean over groups i of target > 0 of sum over groups j of |i - j| (D(j) - target(j))^2
    / (groups - 1)), for groups in the order of their names. ``part``: 'fairness' or 'relevance' gives one alone, so
    that several attributes can be averaged. ``max_grade=4`` is that of the Web track's ERR.
    Before the first document of any group a rank adds to relevance only.

    Unit: none. Better: higher. Empty ranking: 0.
    Range: [0, 1); relevance bounds it from above.
    Undefined: documents of the top k have grades above 0, but none is of any group; or there is no target; neither
    matters for part='relevance'.
    Source: Sakai, Kim, Kang, 2022. https://doi.org/10.48550/arXiv.2204.00280
    """

    cutoff: int = 10
    decay: Literal["err", "irbu"] = "err"
    divergence: Literal["jsd", "nmd", "rnod"] = "jsd"
    part: Literal["both", "fairness", "relevance"] = "both"
    max_grade: int = 4
    p: float = 0.99

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_grade < 1:
            raise UsageError(f"GFR: max_grade is {self.max_grade}; the highest grade is 1 or more")
        if not 0 < self.p <= 1:
            raise UsageError(f"GFR: p is {self.p}; the probability to read on lies between 0 and 1")

    def check(self, groups: Sequence[str]) -> None:
        """Refuse a single group."""
        if len(groups) < 2:
            raise UsageError(f"GFR compares two groups or more and was given {len(groups)}")

    def __call__(self, membership: Floats, relevance: Floats, target: Floats) -> Floats:
        """Return GFR [query]."""
        probability = stops(relevance[:, : self.cutoff], self.max_grade)
        ranks = np.arange(1.0, probability.shape[1] + 1)
        decay = probability * (1 / ranks if self.decay == "err" else self.p**ranks)
        relevant: Floats = decay.sum(axis=1)
        if self.part == "relevance":
            return relevant
        held = distribution.prefix_shares(membership[:, : self.cutoff])
        likeness = np.nan_to_num(1 - self._diverges(held, target[:, None]))
        fairness = (decay * likeness).sum(axis=1)
        value = fairness if self.part == "fairness" else (fairness + relevant) / 2
        known = (~np.isnan(held[..., 0])).sum(axis=1) > 0
        return np.where((known | (relevant == 0)) & ~np.isnan(target).any(axis=1), value, np.nan)

    def _diverges(self, held: Floats, target: Floats) -> Floats:
        if self.divergence == "nmd":
            return match_distance(held, target)
        return order_aware(held, target) if self.divergence == "rnod" else distribution.jensen_shannon(held, target)
