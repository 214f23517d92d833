"""Expected exposure: what the groups get on average over the rankings that a system gives for one query.

Source: Diaz et al.: Evaluating Stochastic Rankings with Expected Exposure. CIKM 2020, section 3.
https://doi.org/10.1145/3340531.3411962
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fairtrec.formulas import discount
from fairtrec.formulas.distribution import quotient
from fairtrec.formulas.elementary import power
from fairtrec.formulas.labelings.sums import Linear
from fairtrec.formulas.rounding import constant
from fairtrec.measure import ABOVE_0, Floats, GroupExposure, Ints, Measure, Note, NoteKind, Summands, SumOverRanks

if TYPE_CHECKING:
    from fairtrec.statistics.deleted_clusters import PooledInterval

EVEN = NoteKind("even target", "the target is even; the source uses the relevant documents (--target qrels)")


def expected_exposure(membership: Floats, weights: Floats, sample_of: Ints, queries: int) -> Floats:
    """Sum the groups' exposure per row of ``membership`` [row, rank, group], and average it over each query's rows.

    ``weights`` [row or 1, rank] is the exposure of each rank; ``sample_of`` [row] the row's query. A query none of
    whose documents is of any group has nan.

    >>> a, b = [1.0, 0.0], [0.0, 1.0]
    >>> membership, weights = np.array([[a, b], [b, a]]), np.array([[1.0, 0.5], [1.0, 0.5]])
    >>> expected_exposure(membership, weights, np.array([0, 0]), 2).tolist()
    [[0.75, 0.75], [nan, nan]]
    """
    total = np.zeros((queries, membership.shape[2]))
    np.add.at(total, sample_of, discount.exposure(membership, weights))
    rows = np.bincount(sample_of, minlength=queries)
    known = np.bincount(sample_of, np.nan_to_num(membership).any(axis=(1, 2)), minlength=queries) > 0
    return quotient(total, np.where(known, rows, 0)[:, None])


def squares_slope(held: Floats, wanted: Floats) -> Floats:
    """Give the gradient of the sum of squared distances of ``held`` from what is ``wanted`` [..., group].

    >>> squares_slope(np.array([[2.0, 1.0]]), np.array([[1.0, 1.0]])).tolist()
    [[2.0, 0.0]]
    """
    return 2 * (held - wanted)


@dataclass(eq=False, kw_only=True)
class ExpectedExposure(GroupExposure):
    """A function of the groups' exposure, on average over a query's rankings; ``sample_of`` [row] is the row's query.

    Pooled, exposure is averaged over queries, and then compared.
    """

    sample_of: Ints
    queries: int
    level: Literal["ratio", "difference"] = "difference"

    @property
    def exposure(self) -> Floats:
        """The groups' expected exposure s [query, group]."""
        top = self.membership[:, : self.weights.shape[-1]]
        return expected_exposure(top, self.weights, self.sample_of, self.queries)

    def over_queries(self) -> Summands:
        """Average the groups' exposure, and that under the target; a query without a target takes no part.

        A query none of whose documents is of any group hands out nothing.
        """
        held = self.exposure
        takes_part = np.asarray(~np.isnan(self.wanted).any(axis=1))
        parts = [np.nan_to_num(held), np.broadcast_to(self.wanted, held.shape), np.ones((len(held), 1))]
        both = np.concatenate(parts, axis=1)
        value = partial(_compare_means, self.compare)
        interval = partial(self.bound, value, bool(self.wanted.any()))
        return Summands(np.where(takes_part[:, None], both, 0.0), value, interval)

    @staticmethod
    def bound(
        value: Callable[[Floats], Floats], has_target: bool, parts: Floats, _: Floats, confidence: float
    ) -> "PooledInterval":
        """Bound the pooled value as a distance: from 0, or from the target, if it has one."""
        from fairtrec.statistics import deleted_clusters

        off = _find_off if has_target else None
        return deleted_clusters.bound_distance(value, parts, _count_exposed(parts), confidence, off=off)


def _find_off(sums: Floats) -> Floats:
    held, wanted = np.split(quotient(sums[..., :-1], sums[..., -1:]), 2, axis=-1)
    return held - wanted


def _count_exposed(parts: Floats) -> float:
    """Count the effective clusters of the group in which these are fewest."""
    from fairtrec.statistics import doubt

    held, _ = np.split(parts[:, :-1], 2, axis=-1)
    return min(doubt.count_effective(each) for each in held.T)


def _compare_means(compare: Callable[[Floats, Floats], Floats], sums: Floats) -> Floats:
    held, wanted = np.split(quotient(sums[..., :-1], sums[..., -1:]), 2, axis=-1)
    return np.where(np.asarray(held != 0).any(axis=-1), compare(held, wanted), np.nan)


@dataclass(eq=False, kw_only=True)
class LinearExposure(ExpectedExposure):
    """The groups' exposure, weighed by what is wanted: each rank adds its part, and so does each document.

    ``of_orders`` gives the weights of the ranks [1, rank] of all orders; None if these depend on the order.
    ``by_documents``: all documents hand their exposure on.
    """

    of_orders: Callable[[], Floats] | None
    by_documents: bool

    @staticmethod
    def bound(
        value: Callable[[Floats], Floats],
        has_target: bool,  # noqa: ARG004 - the value is no distance
        parts: Floats,
        _: Floats,
        confidence: float,
    ) -> "PooledInterval":
        """Bound the pooled value on its own scale."""
        from fairtrec.statistics import deleted_clusters

        return deleted_clusters.bound_value(value, parts, _count_exposed(parts), confidence)

    def over_labels(self) -> Linear | None:
        """Let each rank add its exposure as far as the target wants it there."""
        return Linear(self.weights[..., None] * self.wanted[:, None]) if self.by_documents else None

    def over_ranks(self) -> SumOverRanks | None:
        """Do the same for any order, if relevance does not stop the reader."""
        if self.of_orders is None:
            return None
        held = np.nan_to_num(self.membership)
        return SumOverRanks(self._gains(held), self.of_orders(), known=np.asarray(held.any(axis=2)))

    def over_documents(self) -> SumOverRanks | None:
        """Let each document add its exposure as far as the target wants it there."""
        if not self.by_documents:
            return None
        held, reach = np.nan_to_num(self.membership), self.wanted.max(axis=1)
        return SumOverRanks(self._gains(held), self.weights, by_labels=self._gains, reach=reach)

    def _gains(self, held: Floats) -> Floats:
        return np.asarray((held * self.wanted[:, None]).sum(axis=2))


@dataclass(frozen=True)
class _Exposure(Measure):
    """What the three share: the exposure of a rank."""

    cutoff: int = 10
    discount: Literal["geometric", "err", "log2", "log2_clipped", "given"] = "geometric"
    p: float = 0.5
    stop: float = 0.5
    rel: int = 1
    documents: Literal["all", "relevant"] = "all"
    limits = (
        ("p", ABOVE_0, 1, "p is {p}, stop {stop}; they are probabilities"),
        ("stop", 0, 1, "p is {p}, stop {stop}; they are probabilities"),
    )
    bounds = 0.0, None
    beyond = "squares"

    @property
    def needs(self) -> tuple[str, ...]:
        """A reader who stops at relevant documents asks for relevance, and so does who counts only these."""
        looks = self.discount == "err" or self.documents == "relevant"
        return (*super().needs, "relevance") if looks else super().needs

    def weights(self, ranks: int, relevant_above: Floats | None = None) -> Floats:
        """Give the exposure of ranks 1..``ranks`` [row or 1, rank]."""
        if self.discount in ("log2", "log2_clipped", "given"):
            return discount.compute_weights(self.discount, ranks)[None]
        above = 0.0 if relevant_above is None else relevant_above
        weights: Floats = discount.geometric(ranks, self.p) * power(1 - self.stop, np.asarray(above))
        return np.atleast_2d(weights)

    def of_ranks(self, membership: Floats, relevance: Floats | None) -> Floats:
        """Give the exposure of the ranks that are read [row or 1, rank]."""
        several = membership[:, : self.cutoff].shape[1]
        if "relevance" not in self.needs:
            return self.weights(several)
        assert relevance is not None
        relevant: Floats = (relevance[:, : self.cutoff] >= self.rel).astype(np.float64)
        above = np.cumsum(relevant, axis=1) - relevant
        weights = self.weights(several, above if self.discount == "err" else None)
        return weights * relevant if self.documents == "relevant" else weights

    def read(self, membership: Floats, sample_of: Ints, queries: int, relevance: Floats | None) -> dict[str, Any]:
        """Say what the form of the exposure is: squares bend up, unless only relevant documents count."""
        return {
            "membership": membership,
            "weights": self.of_ranks(membership, relevance),
            "compare": self.compare_exposure,
            "bends": "" if self.documents == "relevant" else "up",
            "sample_of": sample_of,
            "queries": queries,
        }

    @abstractmethod
    def compare_exposure(self, held: Floats, wanted: Floats) -> Floats:
        """Compare the groups' exposure s with t, that under the target, both [..., group]."""


class _AgainstTarget(_Exposure):
    """What the two that have a target share."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The exposure that an ideal ranking hands out depends on how many documents are relevant."""
        return (*super().needs, "judged_relevance") if self.discount == "err" else super().needs

    def wanted(self, target: Floats, judged_relevance: Floats | None) -> Floats:
        """Give the groups' exposure t under the target [query or 1, group]."""
        above: Floats | None = None
        if self.discount == "err":
            assert judged_relevance is not None
            relevant = (judged_relevance >= self.rel).sum(axis=1, keepdims=True)
            above = np.minimum(np.arange(self.cutoff), relevant).astype(np.float64)
        return np.asarray(target * self.weights(self.cutoff, above).sum(axis=1, keepdims=True))

    def note(self, target: Floats, **_: Any) -> Note | None:
        """Say that the target is not that of the source."""
        even = len(target) == 1 and bool(constant(target)[0])
        return EVEN.note() if even else None

    def formula(
        self,
        membership: Floats,
        sample_of: Ints,
        queries: int,
        target: Floats,
        *,
        relevance: Floats | None = None,
        judged_relevance: Floats | None = None,
    ) -> ExpectedExposure:
        """Compare the groups' exposure with that under the target."""
        wanted = self.wanted(target, judged_relevance)
        return ExpectedExposure(
            wanted=wanted, slope=squares_slope, **self.read(membership, sample_of, queries, relevance)
        )


class EED(_Exposure):
    """How unevenly is exposure spread over the groups, on average over a query's rankings?

        e(a)  = sum over ranks i = 1..k of  w_i * membership of d_i in group a
        s(a)  = mean of e(a) over the query's rankings
        EED@k = sum over groups a of  s(a)^2

    ``discount``: 'geometric' is w_i = p^(i - 1), for a reader who continues with probability ``p``; 'err' is w_i =
    p^(i - 1) (1 - stop)^(relevant documents above rank i), for one who also stops at a relevant document (from grade
    ``rel``) with probability ``stop``; 'log2' is w_i = 1 / log2(1 + i); 'log2_clipped' is 1 / log2(max(i, 2)), as in
    TREC Fair Ranking 2021; 'given' takes w_i from --discount FILE.

    With ``documents='relevant'`` only relevant documents (from grade ``rel``) pass their exposure to groups (equal
    opportunity), as in the track of 2022; e is 0 if none is ranked. EED is not normalized.

    Unit: exposure, squared. Better: lower (disparity). Empty ranking: undefined.
    Range: from 0 to the square of the sum of w_i; for hard labels at least that square over the number of groups.
    Undefined: no document in the top k of the query's rankings has a group.
    Source: Diaz et al., CIKM 2020, Eq. 2 (EE-D), for groups. https://doi.org/10.1145/3340531.3411962
    """

    better = "lower"

    def formula(
        self, membership: Floats, sample_of: Ints, queries: int, relevance: Floats | None = None
    ) -> ExpectedExposure:
        """Add up the squares of the groups' exposure."""
        return ExpectedExposure(
            wanted=np.zeros((1, membership.shape[2])),
            slope=squares_slope,
            **self.read(membership, sample_of, queries, relevance),
        )

    def compare_exposure(self, held: Floats, wanted: Floats) -> Floats:  # noqa: ARG002 - there is no target
        """Sum the squares."""
        return np.asarray(np.square(held).sum(axis=-1))


class EER(_AgainstTarget):
    """How much of the exposure falls where the target wants it, on average over a query's rankings?

        s(a)  = mean over the query's rankings of  sum over ranks i = 1..k of  w_i * membership of d_i in group a
        t(a)  = target(a) * W,  W the sum of w_i over k ranks
        EER@k = sum over groups a of  s(a) t(a)

    ``discount``, ``p``, ``stop``, ``rel`` and ``documents`` are those of EED. For discount='err', W is that of a
    ranking that puts the query's relevant documents first. EER is not normalized. The source's target is relevance: use
    --target qrels. With the default, an even target, EER only shows how much exposure the groups received.

    Unit: exposure, squared. Better: higher (relevance). Empty ranking: undefined.
    Range: from 0 to W times the sum of w_i.
    Undefined: no document in the top k of the query's rankings has a group, or there is no target.
    Source: Diaz et al., CIKM 2020, Eq. 2 (EE-R), for groups. https://doi.org/10.1145/3340531.3411962
    """

    def compare_exposure(self, held: Floats, wanted: Floats) -> Floats:
        """Return EE-R [query]."""
        return np.asarray((held * wanted).sum(axis=-1))

    def formula(
        self,
        membership: Floats,
        sample_of: Ints,
        queries: int,
        target: Floats,
        *,
        relevance: Floats | None = None,
        judged_relevance: Floats | None = None,
    ) -> LinearExposure:
        """Let each rank, and each document, add its exposure as far as the target wants it there."""
        return LinearExposure(
            wanted=self.wanted(target, judged_relevance),
            of_orders=None if "relevance" in self.needs else partial(self.weights, self.cutoff),
            by_documents=self.documents != "relevant",
            **self.read(membership, sample_of, queries, relevance),
        )


class EEL(_AgainstTarget):
    """How far is the groups' exposure from the target, on average over a query's rankings?

        s(a)  = mean over the query's rankings of  sum over ranks i = 1..k of  w_i * membership of d_i in group a
        t(a)  = target(a) * W,  W the sum of w_i over k ranks
        EEL@k = sum over groups a of  (s(a) - t(a))^2  =  EED - 2 EER + sum over groups a of t(a)^2

    ``discount``, ``p``, ``stop``, ``rel`` and ``documents`` are those of EED. For discount='err', W is that of a
    ranking that puts the query's relevant documents first. EEL is not normalized. Short rankings, and documents of no
    or unknown group, leave exposure unused, which costs. The source's target is relevance: use --target qrels; the
    default is even.

    Unit: exposure, squared. Better: lower (loss). Empty ranking: undefined.
    Range: from 0 to 2 W^2 for hard labels and a fixed discount.
    Undefined: no document in the top k of the query's rankings has a group, or there is no target.
    Source: Diaz et al., CIKM 2020, Eq. 1 (EE-L), for groups. https://doi.org/10.1145/3340531.3411962
    """

    better = "lower"

    def compare_exposure(self, held: Floats, wanted: Floats) -> Floats:
        """Return EE-L [query]."""
        return np.asarray(np.square(held - wanted).sum(axis=-1))
