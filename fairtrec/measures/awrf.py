"""AWRF: the exposure of the groups against the target; and its product with nDCG, the score of TREC Fair Ranking.

Source: Sapiezynski et al.: Quantifying the Impact of User Attention on Fair Group Representation in Ranked Lists.
WWW 2019 companion. https://doi.org/10.1145/3308560.3317595
Ekstrand et al.: Overview of the TREC 2022 Fair Ranking Track. https://doi.org/10.48550/arXiv.2302.05558
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from fairtrec.data import Bools
from fairtrec.formulas import discount, distribution, ranks
from fairtrec.formulas.distribution import quotient
from fairtrec.formulas.elementary import log, log_of_number
from fairtrec.formulas.weighted_sums import weighted_sum
from fairtrec.measure import Bounds, ExposureShares, Floats, GroupExposure, Measure

LEAST = 1e-300  # a share, in a gradient


def awrf(exposure: Floats, target: Floats, base: float = 2.0) -> Floats:
    """Compare the shares of ``exposure`` [query, group] with the target; nan where there is none.

    >>> awrf(np.array([[3.0, 3.0], [3.0, 0.0], [0.0, 0.0]]), np.array([[0.5, 0.5]])).round(6).tolist()
    [1.0, 0.688722, nan]
    """
    return 1 - distribution.jensen_shannon(distribution.shares(exposure), target, base)


def awrf_slope(exposure: Floats, target: Floats, base: float = 2.0) -> Floats:
    """Give the gradient of ``awrf`` for each group's exposure [..., group]; a share of 0 counts as 1e-300.

    >>> awrf_slope(np.array([[3.0, 3.0]]), np.array([[0.5, 0.5]])).tolist()
    [[0.0, 0.0]]
    """
    p = np.maximum(distribution.shares(exposure), LEAST)
    steep = -log(2 * p / (p + target)) / (2 * log_of_number(base))
    along = (p * steep).sum(axis=-1, keepdims=True)
    return quotient(steep - along, exposure.sum(axis=-1, keepdims=True)) + 0.0  # -0.0 is 0.0


def ndcg(relevance: Floats, judged_relevance: Floats, weights: Floats) -> Floats:
    """Sum the grades of each row, weighed, over the best such sum; nan where no judged document is relevant.

    >>> ndcg(np.array([[0.0, 2.0, np.nan]]), np.array([[2.0, 0.0]]), np.array([1.0, 0.5])).tolist()
    [0.5]
    """
    gains = ranks.gains(relevance[:, : len(weights)])
    return quotient(
        weighted_sum(gains, weights), weighted_sum(_sort_gains(judged_relevance)[:, : len(weights)], weights)
    )


@ranks.cache_by_array
def _sort_gains(grades: Floats) -> Floats:
    """Sort the gains of judged documents, the greatest first [query, n]: once for all cutoffs."""
    return -np.sort(-ranks.gains(grades), axis=1)


@dataclass(frozen=True)
class _AWRF(Measure):
    """What both share: the weight of a rank, the logarithm, and what becomes of unknown documents."""

    cutoff: int = 10
    base: Literal[2, "e"] = 2
    discount: Literal["log2_clipped", "log2", "given"] = "log2_clipped"
    unknown: Literal["drop", "group", "even"] = "drop"
    beyond = "sum"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.unknown == "even":
            object.__setattr__(self, "beyond", "")  # what is given to all groups in equal parts asks how many there are

    @property
    def needs(self) -> tuple[str, ...]:
        """To tell an unknown document from a rank without one takes the ranks that hold one."""
        return super().needs if self.unknown == "drop" else (*super().needs, "is_filled")

    def describe_exposure(self, membership: Floats, target: Floats, is_filled: Bools | None) -> dict[str, Any]:
        """Say what the form of the exposure is; AWRF is one minus a divergence, so it bends down."""
        top = membership[:, : self.cutoff]
        there = None if is_filled is None else is_filled[:, : top.shape[1]]
        wanted = target
        if self.unknown == "even":
            assert there is not None
            of_none = there & ~(np.nan_to_num(top) > 0).any(axis=2)
            top = np.where(of_none[..., None], 1 / top.shape[2], top)
        if self.unknown == "group":
            assert there is not None
            nobody = np.isnan(top).any(axis=2) & there
            top = np.concatenate((top, nobody[..., None]), axis=2)
            wanted = np.column_stack((target, np.zeros(len(target))))
        return {
            "membership": top,
            "weights": discount.compute_weights(self.discount, top.shape[1]),
            "wanted": wanted,
            "bends": "" if self.unknown == "even" else "down",  # what is of no group is not told apart there
            "labeled": target,
        }

    @property
    def logarithm(self) -> float:
        """The base as a number."""
        return np.e if self.base == "e" else 2.0


class AWRF(_AWRF):
    """How near is the groups' share of the readers' attention to the target?

        exposure(a) = sum over ranks i = 1..k of  w_i * membership of d_i in group a
        p(a)        = exposure(a) / sum of exposure over all groups
        AWRF@k      = 1 - JSD(p, target),  JSD(p, q) = (KL(p, m) + KL(q, m)) / 2,  m = (p + q) / 2

    ``discount``: 'log2_clipped' is w_i = 1 / log2(max(i, 2)), as in the TREC track; 'log2' is w_i = 1 / log2(1 + i);
    'given' takes w_i from --discount FILE. ``base`` is that of the logarithm in KL; the track has base='e'. Labels can
    be soft.

    ``unknown``: 'drop' leaves documents of unknown group out; 'group' makes them a separate group of target 0. In the
    track of 2022 this group has their share of the relevant documents as its target: use --missing group --target
    qrels. 'even' gives a document of no known group, or without group terms, to all groups in equal parts, so every
    query has a value. If few documents hold a term, this value is near 1 for every run, since the target is also even.

    Unit: none. Better: higher. Empty ranking: undefined.
    Range: [0, 1]; [1 - ln 2, 1] = [0.3069, 1] for base='e'.
    Undefined: no document in the top k has a group, or there is no target.
    Source: Sapiezynski et al., WWW 2019. https://doi.org/10.1145/3308560.3317595 Ekstrand et al., TREC 2022.
    https://doi.org/10.48550/arXiv.2302.05558 unknown='even': Abolghasemi et al., ECIR 2024, Eq. 14.
    https://doi.org/10.1007/978-3-031-56069-9_1
    """

    @property
    def bounds(self) -> Bounds:
        """To base e the divergence is at most ln 2."""
        return 1 - log_of_number(2) if self.base == "e" else 0.0, 1.0

    def formula(self, membership: Floats, target: Floats, is_filled: Bools | None = None) -> ExposureShares:
        """Compare the shares of the exposure with the target."""
        compare, slope = partial(awrf, base=self.logarithm), partial(awrf_slope, base=self.logarithm)
        return ExposureShares(compare=compare, slope=slope, **self.describe_exposure(membership, target, is_filled))


class AWRFxnDCG(_AWRF):
    """Is a ranking both fair and useful?

        AWRFxnDCG@k = AWRF@k * nDCG@k, for each query
        nDCG@k      = (sum over ranks i = 1..k of  w_i * grade(d_i))
                      / (the same sum for all judged documents of the query, sorted by falling grade)

    ``discount``, ``base`` and ``unknown`` are those of AWRF; both factors have the same w_i. nDCG has linear gains; a
    grade below 0, or none, counts 0. The score of the TREC track has binary grades, base='e' and k = 500.

    Unit: none. Better: higher. Empty ranking: 0.
    Range: [0, 1]; above 1 if given weights rise. A ranking without a relevant document has 0, whether its groups are
    known or not.
    Undefined: no relevant document is judged; there is no target; or no document in the top k has a group although some
    is relevant.
    Source: Ekstrand et al., TREC 2022. https://doi.org/10.48550/arXiv.2302.05558
    """

    @property
    def bounds(self) -> Bounds:
        """Weights that rise make another order than that of falling grades the ideal."""
        return 0.0, None if self.discount == "given" else 1.0

    def formula(
        self,
        membership: Floats,
        target: Floats,
        relevance: Floats,
        judged_relevance: Floats,
        is_filled: Bools | None = None,
    ) -> GroupExposure:
        """Compare the shares of the exposure with the target, times nDCG, which does not depend on groups."""
        useful = ndcg(relevance, judged_relevance, discount.compute_weights(self.discount, self.cutoff))
        useful = np.where(np.isnan(target).any(axis=1), np.nan, useful)

        def compare(exposure: Floats, wanted: Floats) -> Floats:
            fairness = awrf(exposure, wanted, self.logarithm)
            times = useful.reshape(-1, *[1] * (fairness.ndim - 1))
            return np.where(times == 0, 0.0, fairness * times)

        return GroupExposure(compare=compare, **self.describe_exposure(membership, target, is_filled))
