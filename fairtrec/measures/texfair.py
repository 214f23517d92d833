"""TExFAIR and what it is made of: term exposure (TE), its distance from the target (TED), and RBDF.

Source: Abolghasemi et al.: Measuring Bias in a Ranked List Using Term-based Representations. ECIR 2024.
https://doi.org/10.1007/978-3-031-56069-9_1
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairtrec.formulas import discount, distribution, ranks
from fairtrec.formulas.distribution import quotient
from fairtrec.formulas.weighted_sums import weighted_sum
from fairtrec.measure import Bools, Bounds, Floats, Ints, Measure, Note, NoteKind, NoteSeverity, SumOverRanks, take

SILENT = NoteKind(
    "no group term",
    "{silent} of {rankings} rankings {silent:~has} no group word and so {silent:~gets} the maximum value",
    NoteSeverity.MISLEADING,
)


@ranks.cache_by_rank
def shares_of(ranked: Ints, counts: Floats, tokens: Floats) -> Floats:
    """Give the groups' shares of the tokens of the ranked documents [query, rank, group]."""
    return per_token(take(counts, ranked), take(tokens, ranked))


@ranks.cache_by_rank
def terms_of(ranked: Ints, counts: Floats) -> Floats:
    """Count the group terms of the ranked documents [query, rank]; nan is no document."""
    return np.asarray(take(counts, ranked).sum(axis=2))


def term_exposure(counts: Floats, tokens: Floats, cutoff: int) -> Floats:
    """Sum, over the ranks of ``counts`` [query, rank, group], a group's share of the tokens, discounted.

    >>> counts = np.array([[[1.0, 0.0], [0.0, 2.0]]])
    >>> term_exposure(counts, np.array([[10.0, 10.0]]), cutoff=2).round(6).tolist()
    [[0.1, 0.126186]]
    """
    share = per_token(counts[:, :cutoff], tokens[:, :cutoff])
    return discount.exposure(share, discount.log2(share.shape[1]))


def per_token(counts: Floats, tokens: Floats) -> Floats:
    """Divide ``counts`` [query, rank, group] by ``tokens`` [query, rank]; 0 where there are none."""
    return quotient(counts, tokens[..., None], otherwise=0.0)


def rbdf(counts: Floats, cutoff: int, *, full_k: bool = False) -> SumOverRanks:
    """Weigh the ranks whose documents hold any group term against all ranks; nan for an empty ranking.

    >>> rbdf(np.array([[[1.0, 0.0], [0.0, 0.0], [np.nan, np.nan]]]), cutoff=3).value().round(6).tolist()
    [0.613147]
    """
    return sum_terms(counts.sum(axis=2), cutoff, full_k=full_k)


def sum_terms(total: Floats, cutoff: int, *, full_k: bool = False) -> SumOverRanks:
    """Give RBDF of the number of group terms of each document [query, rank]; nan is no document."""
    divisor = all_ranks(~np.isnan(total[:, :cutoff]), cutoff, full_k=full_k)
    return SumOverRanks(
        (total > 0).astype(np.float64),
        discount.log2(cutoff),
        divisor,
        by_labels=lambda weights: weights.sum(axis=2).clip(max=1),
    )


def all_ranks(there: Bools, cutoff: int, *, full_k: bool = False) -> Floats:
    """Sum the discounts of the ranks that are ``there`` [query, rank], or of all ``cutoff`` if any is."""
    weights = discount.log2(cutoff)
    total = weighted_sum(there, weights)
    return np.where(there.any(axis=1), weights.sum(), 0.0) if full_k else total


@dataclass(frozen=True)
class TE(Measure):
    """How much exposure do a group's terms get?

        TE(t)@k = sum over ranks i = 1..k of  (occurrences of t in d_i / tokens of d_i) / log2(1 + i)
        TE@k    = sum of TE(t)@k over the group's terms t

    There is one value for each group: ``TE(group='f')@10``; ``TE@10`` prints all of them.

    Unit: share of the tokens, discounted. Better: neither; compare the groups' values. Empty ranking: 0.
    Range: from 0 to the sum of the discounts, 4.5436 for k = 10.
    Undefined: never. A document of no tokens exposes nothing.
    Source: Abolghasemi et al., ECIR 2024, Eq. 8. https://doi.org/10.1007/978-3-031-56069-9_1
    """

    cutoff: int = 10
    group: str = ""
    better = "neither"

    @property
    def bounds(self) -> Bounds:
        """From no token of a group to all of them."""
        return 0.0, discount.log2(self.cutoff).sum().item()

    def formula(self, ranked: Ints, counts: Floats, tokens: Floats, groups: Sequence[str]) -> SumOverRanks:
        """Let each rank add the group's share of the tokens of its document, discounted."""
        share = shares_of(ranked, counts, tokens)
        return SumOverRanks(share[..., groups.index(self.group)], discount.log2(self.cutoff))


@dataclass(frozen=True)
class TED(Measure):
    """How far is the exposure of the groups' terms from the target?

        p_G   = TE of group G / sum of TE over all groups
        TED@k = sum over groups G of |p_G - target_G|

    Unit: none, a distance of shares. Better: lower. Empty ranking: undefined.
    Range: [0, 2 (1 - least target)], [0, 1] for two groups of even target.
    Undefined: no document in the top k holds a group term.
    Source: Abolghasemi et al., ECIR 2024, Eq. 10. https://doi.org/10.1007/978-3-031-56069-9_1
    """

    cutoff: int = 10
    better = "lower"
    bounds = 0.0, 2.0

    def __call__(self, ranked: Ints, counts: Floats, tokens: Floats, target: Floats) -> Floats:
        """Return TED [query]."""
        share = shares_of(ranked, counts, tokens)[:, : self.cutoff]
        exposure = discount.exposure(share, discount.log2(share.shape[1]))
        return distribution.distance(distribution.shares(exposure), target)


@dataclass(frozen=True)
class RBDF(Measure):
    """How much of the top of a ranking speaks of the groups at all?

        RBDF@k = (sum of 1 / log2(1 + i) over the ranks i <= k whose document holds any group term)
                 / (the same sum over all ranks i <= min(k, length))

    ``full_k=True``: the lower sum runs to k even if the ranking is shorter.

    Unit: none, a discounted share of documents. Better: neither. Empty ranking: undefined.
    Range: [0, 1]. Undefined: nothing was ranked.
    Source: Abolghasemi et al., ECIR 2024, Eq. 11. https://doi.org/10.1007/978-3-031-56069-9_1
    """

    cutoff: int = 10
    full_k: bool = False
    better = "neither"
    bounds = 0.0, 1.0

    def formula(self, ranked: Ints, counts: Floats) -> SumOverRanks:
        """Let each rank add its discount if its document holds a group term, over the discounts of all ranks."""
        return sum_terms(terms_of(ranked, counts), self.cutoff, full_k=self.full_k)


@dataclass(frozen=True)
class TExFAIR(Measure):
    """Do the groups' terms get their target exposure, counted as far as the ranking speaks of groups?

        TExFAIR@k = max(TED) - TED@k * RBDF@k,   max(TED) = 2 (1 - least target)

    Unlike NFaiRR, it uses the ranking as a whole: a document that leans one way makes up for one that leans the other
    way. One group term makes a document count; there is no tau. ``rbdf=False`` leaves RBDF out, ``scaled=True`` divides
    by max(TED), and ``full_k=True`` is that of RBDF.

    Unit: none. Better: higher. Empty ranking: undefined.
    Range: [0, max(TED)], [0, 1] for two groups of even target. A ranking without any group term has the maximum; a note
    counts them.
    Undefined: nothing was ranked; with rbdf=False also if no document in the top k holds a group term.
    Source: Abolghasemi et al., ECIR 2024, Eq. 13. https://doi.org/10.1007/978-3-031-56069-9_1
    """

    cutoff: int = 10
    rbdf: bool = True
    scaled: bool = False
    full_k: bool = False

    @property
    def bounds(self) -> Bounds:
        """The greatest distance is 2, from a target that a group has not."""
        return 0.0, 1.0 if self.scaled else 2.0

    def bounds_against(self, target: Floats) -> Bounds:
        """The greatest distance is that from the group of the least target."""
        return 0.0, 1.0 if self.scaled else float(_most(target))

    def __call__(self, ranked: Ints, counts: Floats, tokens: Floats, target: Floats) -> Floats:
        """Return TExFAIR [query]."""
        top = ranked[:, : self.cutoff]
        share = shares_of(top, counts, tokens)
        exposure = discount.exposure(share, discount.log2(share.shape[1]))
        ted = distribution.distance(distribution.shares(exposure), target)
        most = _most(target)
        if self.rbdf:
            factor = sum_terms(terms_of(top, counts), self.cutoff, full_k=self.full_k).value()
            ted = np.where(factor == 0, 0.0, ted * factor)
        return np.asarray((most - ted) / (most if self.scaled else 1))

    def note(self, ranked: Ints, counts: Floats, **_: Any) -> Note | None:
        """Count the rankings that have the maximum because they say nothing of any group."""
        silent = (
            int((sum_terms(terms_of(ranked[:, : self.cutoff], counts), self.cutoff).value() == 0).sum())
            if self.rbdf
            else 0
        )
        return SILENT.note(silent=silent, rankings=len(ranked)) if silent else None


def _most(target: Floats) -> Floats:
    """Give the greatest distance that there can be from a target [..., group]."""
    return np.asarray(2 * (1 - target.min(axis=-1)))
