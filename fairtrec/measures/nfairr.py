"""FaiRR, its ideal, its ranker-agnostic form, and the normalized form of each (in the paper: FaiRC).

Source: Rekabsaz, Kopeinik, Schedl: Societal Biases in Retrieved Contents. SIGIR 2021, Eq. 2-9.
https://doi.org/10.1145/3404835.3462949
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fairtrec.formulas import discount, neutrality, ranks
from fairtrec.formulas.distribution import exceeds_zero, quotient
from fairtrec.formulas.neutrality import ideal as ifairr
from fairtrec.formulas.rounding import same
from fairtrec.formulas.weighted_sums import weighted_sum
from fairtrec.measure import (
    Bools,
    Bounds,
    Candidates,
    Floats,
    Ints,
    Measure,
    Note,
    NoteKind,
    NoteSeverity,
    SumOverRanks,
    take,
)

OUTSIDE = NoteKind(
    "above 1, outside background",
    "{above} of {rankings} rankings have a value above 1, because they have documents from outside the background",
    NoteSeverity.MISLEADING,
)


def fairr(omega: Floats, cutoff: int) -> Floats:
    """Sum each row of ``omega`` [query, rank], discounted; nan is no document.

    >>> fairr(np.array([[1.0, 0.0, 1.0], [0.5, np.nan, np.nan]]), cutoff=3).tolist()
    [1.5, 0.5]
    """
    top = omega[:, :cutoff]
    return weighted_sum(np.nan_to_num(top), discount.log2(top.shape[1]))


def setfairr(omega: Floats, documents: Ints, cutoff: int, *, full_k: bool = False) -> Floats:
    """Average FaiRR over all orders of a set: its mean omega times the discounts of the ranks that it fills."""
    documents = np.broadcast_to(documents, omega.shape)
    size = documents.sum(axis=1)
    total = ranks.total(np.where(documents > 0, omega * documents, 0.0))
    mean = quotient(total, size)
    filled = np.full(len(size), cutoff) if full_k else size.clip(max=cutoff)
    return np.asarray(mean * discount.sums(discount.log2(cutoff))[filled])


@ranks.cache_by_rank
def _omega_of(ranked: Ints, counts: Floats, target: Floats, tau: int) -> Floats:
    """Rate the neutrality of the ranked documents [query, rank]; once for measures at several cutoffs."""
    return neutrality.omega(take(counts, ranked), target[:, None], tau)


@dataclass(frozen=True)
class Neutrality(Measure):
    """What the family shares: its two parameters."""

    cutoff: int = 10
    tau: int = 1
    worst_known = True
    limits = (neutrality.TAU,)

    @property
    def bounds(self) -> Bounds:
        """The least neutral document shows only a group of target 0: -1."""
        return -self.size, self.size

    @property
    def size(self) -> float:
        """The sum of the sizes of an ideal's terms: no document is of a neutrality beyond -1 to 1."""
        return float(discount.log2(self.cutoff).sum())

    def counts_at_ends(self, groups: int) -> tuple[Floats, Floats] | None:
        """Give the counts of the least neutral document, and of one without group terms."""
        return np.full(groups, np.inf), np.zeros(groups)

    def discounted(
        self, ranked: Ints, counts: Floats, target: Floats, ideal: Floats | None = None, defined: Bools | None = None
    ) -> SumOverRanks:
        """Sum the neutrality of the ranked documents, discounted, over the ``ideal`` [query]."""
        return SumOverRanks(
            _omega_of(ranked, counts, target, self.tau),
            discount.log2(self.cutoff),
            ideal,
            defined=defined,
            by_labels=lambda weights: neutrality.rate_labels(weights, target[:, None]),
            reach=2 * (1 - target.min(axis=1)),
            size=self.size,
        )

    def ideal(self, candidates: Candidates, target: Floats) -> Floats:
        """Sum the best top that the candidates could have filled [query]; once for all runs that share them."""
        key = self.tau, target.tobytes()
        asked, prefixes = ("ideal", self.cutoff, *key), ("ideals", *key)
        deepest = candidates.kept.get(prefixes)
        if deepest is not None and self.cutoff <= deepest.shape[1]:
            return deepest[:, self.cutoff - 1]
        if asked not in candidates.kept:
            omega = neutrality.omega(candidates.counts, target[:, None], self.tau)
            of_each = neutrality.ideals(omega, candidates.documents, self.cutoff)
            if of_each is not None:
                candidates.kept[prefixes] = of_each
                return of_each[:, -1]
            candidates.kept[asked] = ifairr(omega, candidates.documents, self.cutoff)
        return candidates.kept[asked]


class FaiRR(Neutrality):
    """How neutral is the top of a ranking?

        FaiRR@k  = sum over ranks i = 1..k of  omega(d_i) / log2(1 + i)
        omega(d) = 1 - sum over groups a of |n_a(d) / n(d) - target(a)|, or 1 if n(d) <= tau

    omega(d) is the neutrality of document d: 1 is balanced, 0 one-sided. n_a(d) is the number of terms of group a in
    it, n(d) their sum. A document with at most ``tau`` group terms is neutral. A label counts as one term, so use
    ``tau=0`` with labels.

    Unit: neutral documents, discounted. Better: higher. Empty ranking: 0.
    Range: from 0 (two groups of even target) to the sum of the discounts, 4.5436 for k = 10.
    Undefined: never, unless the query has no target.
    Source: Rekabsaz, Kopeinik, Schedl, SIGIR 2021, Eq. 3 (FaiRC). https://doi.org/10.1145/3404835.3462949
    """

    def formula(self, ranked: Ints, counts: Floats, target: Floats) -> SumOverRanks:
        """Let each rank add the neutrality of its document, discounted."""
        return self.discounted(ranked, counts, target, defined=np.asarray(~np.isnan(target).any(axis=1)))


class IFaiRR(Neutrality):
    """How neutral could the top of a ranking have been?

        IFaiRR@k = FaiRR@k of the background set, sorted by falling omega

    Unit: neutral documents, discounted. Better: neither, it describes the background. Empty ranking: does not matter.
    Range: that of FaiRR.
    Undefined: the query has no background set.
    Source: Rekabsaz, Kopeinik, Schedl, SIGIR 2021, section 4.2. https://doi.org/10.1145/3404835.3462949
    """

    better = "neither"

    def __call__(self, background: Candidates, target: Floats) -> Floats:
        """Return the ideal [query]."""
        return self.ideal(background, target).copy()


class NFaiRR(Neutrality):
    """How neutral is the top of a ranking, compared with the most neutral top that its background set allows?

        FaiRR@k  = sum over ranks i = 1..k of  omega(d_i) / log2(1 + i)
        NFaiRR@k = FaiRR@k / (FaiRR@k of the background set, sorted by falling omega)
        omega(d) = 1 - sum over groups a of |n_a(d) / n(d) - target(a)|, or 1 if n(d) <= tau

    omega(d) is the neutrality of document d: 1 is balanced, 0 one-sided. With more than two groups or an uneven target
    it goes down to 2 (least target) - 1, which is below 0. n_a(d) is the number of terms of group a in the document,
    n(d) their sum. A document with at most ``tau`` group terms is neutral. The paper prints "fewer than tau", which is
    ``tau=0`` here, but its figures have ``tau=1``. A label counts as one term, so use ``tau=0`` with labels.

    Unit: none, a ratio. Better: higher. Empty ranking: 0.
    Range: [0, 1] for two groups of even target and a run inside its background set; a document outside of it can raise
    the value above 1.
    Undefined: the query has no background set, or one whose ideal is 0 (but for rounding) or less.
    Source: Rekabsaz, Kopeinik, Schedl, SIGIR 2021, Eq. 4 (NFaiRC). https://doi.org/10.1145/3404835.3462949
    """

    bounds = None, None

    def bounds_against(self, target: Floats) -> Bounds:
        """No document is less neutral than 2 (least target) - 1, which is 0 for two groups of even target."""
        return (0.0 if 2 * target.min() >= 1 else None), None

    def formula(self, ranked: Ints, counts: Floats, background: Candidates, target: Floats) -> SumOverRanks:
        """Let each rank add the neutrality of its document, discounted, over the ideal, which no order changes."""
        return self.discounted(ranked, counts, target, self.ideal(background, target))

    def bound_over_texts(self, low: Mapping[str, Any], high: Mapping[str, Any]) -> tuple[Floats, Floats, Bools]:
        """Set the least neutral ranking against the most neutral ideal, and the other way round.

        Where both ideals are the same, being full without the documents that have no text, some texts attain both.
        """
        worst, best = self.ideal(low["background"], low["target"]), self.ideal(high["background"], high["target"])
        least, greatest = (
            self.discounted(*(each[name] for name in ("ranked", "counts", "target"))).value() for each in (low, high)
        )
        size, without = self.size, np.where(least < 0, -np.inf, np.nan)
        least = quotient(least, np.where(least < 0, worst, best), without, size=size)
        greatest = quotient(greatest, np.where(greatest < 0, best, worst), np.inf, size=size)
        there = exceeds_zero(best, size)
        return np.where(there, least, np.nan), np.where(there, greatest, np.nan), ~same(worst, best)

    def note(self, values: Floats) -> Note | None:
        """Count the rankings that documents from outside the background have lifted above 1."""
        above = int((values > 1 + 1e-9).sum())
        return OUTSIDE.note(above=above, rankings=len(values)) if above else None


@dataclass(frozen=True)
class _OfSet(Neutrality):
    """What the ranker-agnostic forms share: which set, and how a set smaller than the cutoff counts."""

    of: Literal["background", "collection"] = "background"
    full_k: bool = False

    @property
    def needs(self) -> tuple[str, ...]:
        """The set is an input, and which one depends on ``of``."""
        return (*super().needs, self.of)

    def expectation(self, candidates: Candidates | None, target: Floats) -> Floats:
        """Average FaiRR over all orders of the candidates [query]."""
        assert candidates is not None
        asked = "omega", self.tau, target.tobytes()
        if asked not in candidates.kept:  # once for all cutoffs
            candidates.kept[asked] = neutrality.omega(candidates.counts, target[:, None], self.tau)
        return setfairr(candidates.kept[asked], candidates.documents, self.cutoff, full_k=self.full_k)


class SetFaiRR(_OfSet):
    """How neutral is the top of a random order of a set of documents?

        SetFaiRR@k = (mean omega of the set) * sum over i = 1..min(k, size) of 1 / log2(1 + i)

    This is the mean of FaiRR@k over all orders of the set: the query's background, or ``of='collection'``.
    ``full_k=True`` sums to k even if the set is smaller, as the published program does.

    Unit: neutral documents, discounted. Better: neither, it describes the set. Empty ranking: does not matter.
    Range: that of FaiRR.
    Undefined: the set is empty.
    Source: Rekabsaz, Kopeinik, Schedl, SIGIR 2021, Eq. 6-8 (SetFaiRC). https://doi.org/10.1145/3404835.3462949
    """

    better = "neither"

    def __call__(
        self, target: Floats, background: Candidates | None = None, collection: Candidates | None = None
    ) -> Floats:
        """Return the expectation [query]."""
        return self.expectation(collection if self.of == "collection" else background, target)


class NSetFaiRR(_OfSet):
    """What would a random ranker's NFaiRR be?

        NSetFaiRR@k = SetFaiRR@k / (FaiRR@k of the background set, sorted by falling omega)

    Compare it with the NFaiRR of runs that have the same background. ``of`` and ``full_k`` are as for SetFaiRR.

    Unit: none, a ratio. Better: neither, it describes the set. Empty ranking: does not matter.
    Range: [0, 1] for two groups of even target and of='background'; with the collection it can exceed 1.
    Undefined: as NFaiRR, or the set is empty.
    Source: Rekabsaz, Kopeinik, Schedl, SIGIR 2021, Eq. 9. https://doi.org/10.1145/3404835.3462949
    """

    better = "neither"
    bounds = None, None

    def counts_at_ends(self, groups: int) -> None:  # noqa: ARG002 - of any number
        """Give none: a document without a text is in the numerator and in the denominator."""
        return

    def __call__(self, target: Floats, background: Candidates, collection: Candidates | None = None) -> Floats:
        """Return the ratio [query]."""
        chosen = collection if self.of == "collection" else background
        return quotient(self.expectation(chosen, target), self.ideal(background, target), size=self.size)
