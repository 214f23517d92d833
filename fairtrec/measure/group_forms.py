"""Forms of groups: what they hold in all, or down to each rank, their exposure, and ratios of what they get.

Each is a formula that a measure writes once, as a function of what groups have [..., group]. How the least, the
greatest and the expected value over all labelings follow from it is proved in fairtrec/formulas/labelings.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from fairtrec.data import Floats, Ints
from fairtrec.formulas import discount, distribution, ranks
from fairtrec.formulas.distribution import quotient
from fairtrec.formulas.ranks import starts
from fairtrec.formulas.weighted_sums import weighted_sum
from fairtrec.measure.forms import FixedValue, Form, PooledShares, Summands, begins, prefix_sums

if TYPE_CHECKING:
    from fairtrec.formulas.labelings.exposures import Ratio
    from fairtrec.formulas.labelings.sums import Prefixes, Totals
    from fairtrec.formulas.labelings.unlabeled import LabelForm
    from fairtrec.statistics.deleted_clusters import PooledInterval

Compare = Callable[[Floats, Any], Floats]


def _is_same(one: Callable[..., Any], other: Callable[..., Any]) -> bool:
    """Tell whether two functions are one, which may be made anew in each call, and depend on nothing else."""
    code, closure = getattr(one, "__code__", None), getattr(one, "__closure__", None)
    return one is other or (code is not None and code is getattr(other, "__code__", None) and closure is None)


@ranks.cache_by_array
def _held_in_all(membership: Floats, cutoff: int | None) -> Floats:
    """Sum the membership of the first ranks [query, group]; once for all measures that ask for it in turn."""
    held = ranks.total(np.nan_to_num(membership[:, :cutoff]))
    held.flags.writeable = False
    return held


@dataclass(eq=False)
class GroupTotals(Form):
    """A function of what each group holds in the first ranks.

    Attributes:
        membership: [query, rank, group].
        cutoff: the number of ranks; None: all.
        compare: a function of the amounts [..., group] and the target [..., group] that returns a value [...].
        target: None for a measure without a target.
        of_set: the order within the first ranks does not matter, so ties there are not noted.

    >>> a, b = [1.0, 0.0], [0.0, 1.0]
    >>> GroupTotals(np.array([[a, a, b]]), 3, lambda amounts, _: amounts.max(axis=-1)).value().tolist()
    [2.0]
    """

    of_set: ClassVar[bool] = True

    membership: Floats
    cutoff: int | None
    compare: Compare
    target: Floats | None = None

    def value(self) -> Floats:
        """Compare what the groups hold [query]."""
        return np.asarray(self.compare(_held_in_all(self.membership, self.cutoff), self.target))

    def value_of(self, shallower: Form) -> Floats:
        """Count down to the deepest rank once."""
        assert isinstance(shallower, GroupTotals)
        if not starts(shallower.membership, self.membership):
            return shallower.value()
        depth = min(shallower.cutoff or shallower.membership.shape[1], shallower.membership.shape[1])
        if not 0 < depth <= self._held.shape[1]:
            return shallower.value()
        return np.asarray(shallower.compare(self._held[:, depth - 1], shallower.target))

    @cached_property
    def _held(self) -> Floats:
        """What each group holds down to each rank [query, rank, group]."""
        top = self.membership[:, : self.cutoff]
        return prefix_sums(top, np.ones(top.shape[1]))

    def over_labels(self) -> "Totals":
        """Let what each group holds in all decide."""
        from fairtrec.formulas.labelings.sums import Totals

        target = None if self.target is None else self.target[:, None]
        return Totals(lambda amounts: self.compare(amounts, target))


@dataclass(eq=False)
class GroupPrefixes(Form):
    """A sum over ranks of a function of what each group holds down to the rank, over a divisor.

    Attributes:
        membership: [query, rank, group], read as far as the weights go.
        cost: a function of the amounts [..., group], the target [..., group] and the rank from 1 that returns a number
            [...].
        target: [query or 1, group].
        weights: [query, rank]; 0 for ranks that do not count.
        divisor: [query or 1].
        first: [query], added to the sum; nan if the value is undefined. By default it is undefined without a target.
        if_nobody: [query or 1], the value if no document is of any group.
        order: [group]: the groups from the least to the greatest, if they have an order.
    """

    membership: Floats
    cost: Callable[[Floats, Floats, Any], Floats]
    target: Floats
    weights: Floats
    divisor: Floats | float = 1.0
    first: Floats | None = None
    if_nobody: Floats | float = np.nan
    order: Ints | None = None

    def value(self) -> Floats:
        """Go down the ranks [query]."""
        return self.sum_costs(*self._costs)

    def value_of(self, shallower: Form) -> Floats:
        """Compute the cost of each rank once, if it does not depend on the cutoff."""
        assert isinstance(shallower, GroupPrefixes)
        if not shallower.costs_as(self):
            return shallower.value()
        held, costs = self._costs
        several = shallower.weights.shape[1]
        return shallower.sum_costs(held[:, :several], costs[:, :several])

    def costs_as(self, deeper: "GroupPrefixes") -> bool:
        """Tell whether the costs of ranks are those of a form that goes deeper: of the same ranks, by one function."""
        same = self.target is deeper.target and self.order is deeper.order and _is_same(self.cost, deeper.cost)
        return same and starts(self.membership, deeper.membership) and self.weights.shape[1] <= deeper.weights.shape[1]

    @cached_property
    def _costs(self) -> tuple[Floats, Floats]:
        """What the groups hold down to each rank [query, rank, group], and what that costs [query, rank]."""
        several = self.weights.shape[1]
        top = distribution.order_groups(self.membership[:, :several], self.order)
        held = np.cumsum(np.nan_to_num(top), axis=1)
        return held, self.cost(held, self._aim, np.arange(1, several + 1)[:, None])

    def sum_costs(self, held: Floats, costs: Floats) -> Floats:
        """Sum the costs [query, rank], for groups that hold so much down to each rank [query, rank, group]."""
        total = weighted_sum(np.where(self.weights > 0, costs, 0.0), self.weights)
        somebody = (held[:, -1:] > 0).any(axis=(1, 2))
        return np.asarray(np.where(somebody, quotient(total, self.divisor), self.if_nobody) + self._first)

    def over_labels(self) -> "Prefixes":
        """Let each rank add what the groups hold down to it."""
        from fairtrec.formulas.labelings.sums import Prefixes

        weights = quotient(self.weights, np.reshape(self.divisor, (-1, 1)), otherwise=0.0)

        def cost(amounts: Floats, above: int) -> Floats:
            return self.cost(distribution.order_groups(amounts, self.order), self._aim, above + 1)

        return Prefixes(cost, weights, self._first, alike=len(self.target) == 1)

    @property
    def _aim(self) -> Floats:
        return distribution.order_groups(self.target, self.order)[:, None]

    @property
    def _first(self) -> Floats:
        if self.first is not None:
            return self.first
        return np.where(np.isnan(self.target).any(axis=1), np.nan, 0.0)


@dataclass(eq=False)
class GroupExposure(Form):
    """A function of the exposure of the groups.

    Attributes:
        membership: [query, rank, group].
        weights: the exposure of a rank: [rank], or [query or 1, rank].
        wanted: the exposure that the groups should have [query or 1, group].
        compare: a function of the exposure [..., group] and what is wanted [..., group] that returns a value [...].
        bends: how the value bends in the exposure, so that bounds over labelings are known: "up" (convex), "down"
            (concave), or "" (unknown: labelings are tried).
        level: the best exposure has one level: of exposure over what is wanted ("ratio", for shares), or of exposure
            minus what is wanted ("difference", for distances).
        labeled: what is wanted if all documents have labels [query or 1, group]; by default ``wanted``.
        slope: a function with the arguments of ``compare`` that returns the gradient of the value [..., group]. With it
            ``headroom`` has a bound for the fairest orders of a query.
    """

    membership: Floats
    weights: Floats
    wanted: Floats
    compare: Compare
    bends: Literal["up", "down", ""] = ""
    level: Literal["ratio", "difference"] = "ratio"
    labeled: Floats | None = None
    slope: Compare | None = None

    @property
    def exposure(self) -> Floats:
        """The exposure of the groups [query, group]."""
        return discount.exposure(self.membership, self.weights)

    def value(self) -> Floats:
        """Compare the exposure with what is wanted [query]."""
        return np.asarray(self.compare(self.exposure, self.wanted))

    def value_of(self, shallower: Form) -> Floats:
        """Add up the exposure once, if the weights of the other are those of the first ranks."""
        assert isinstance(shallower, GroupExposure)
        is_usual = type(self).exposure is GroupExposure.exposure
        if not is_usual or not starts(shallower.membership, self.membership):
            return shallower.value()
        depth = shallower.membership.shape[1]
        if not 0 < depth == shallower.weights.shape[-1] or not begins(shallower.weights, self.weights):
            return shallower.value()
        return np.asarray(shallower.compare(self._exposures[:, depth - 1], shallower.wanted))

    @cached_property
    def _exposures(self) -> Floats:
        """The exposure down to each rank [query, rank, group]."""
        return prefix_sums(self.membership, self.weights)

    def over_labels(self) -> "LabelForm | None":
        """Let the exposure of the groups decide, if it is known how the value bends."""
        if not self.bends:
            return None
        from fairtrec.formulas.labelings.exposures import Exposed

        wanted = self.wanted if self.labeled is None else self.labeled
        weights, slope = np.atleast_2d(self.weights), self.slope
        return Exposed(
            weights,
            lambda held: self.compare(held, wanted[:, None]),
            wanted,
            self.level,
            self.bends,
            None if slope is None else lambda held: slope(held, wanted[:, None]),
        )


class ExposureShares(GroupExposure):
    """A function of the groups' shares of the exposure. Pooled, exposure is summed over queries."""

    def over_queries(self) -> Summands:
        """Sum exposure, and what each query should have handed to the groups of what it did."""
        exposure = self.exposure
        handed = exposure.sum(axis=1, keepdims=True)
        terms = np.concatenate([exposure, handed * self.wanted], axis=1)
        undefined = np.isnan(terms).any(axis=1, keepdims=True)
        value = partial(_compare_shares, self.compare, exposure.shape[1])
        interval = partial(_bound_shares, value, exposure.shape[1], len(self.wanted) == 1) if self.bends else None
        return Summands(np.where(undefined, 0.0, terms), value, interval)

    def over_shares(self) -> PooledShares | None:
        """Give the exposure of the groups, if no document of unknown group takes part of it."""
        if not self.bends or (self.labeled is not None and self.labeled.shape[1] != self.wanted.shape[1]):
            return None
        value = partial(_compare_one, self.compare)
        return PooledShares(np.nan_to_num(self.membership), np.atleast_1d(self.weights), self.wanted, value)


def _compare_one(compare: Compare, shares: Floats, target: Floats) -> float:
    return float(compare(shares[None], target[None]).item())


def _compare_shares(compare: Compare, groups: int, sums: Floats) -> Floats:
    return np.asarray(compare(sums[..., :groups], distribution.shares(sums[..., groups:])))


def _bound_shares(
    value: Callable[[Floats], Floats],
    groups: int,
    is_one_target: bool,
    parts: Floats,
    queries: Floats,
    confidence: float,
) -> "PooledInterval":
    """Bound a value that is 1 on the target: of two groups by the share of one, else by its distance from 1."""
    from fairtrec.statistics import deleted_clusters, doubt

    if groups == 2 and is_one_target:
        found = deleted_clusters.bound_share(parts[:, 0], parts[:, 1], confidence)
        target = distribution.shares(parts.sum(axis=0)[2:])
        within = [float(target[0])] if found.low <= target[0] <= found.high else []
        shares = np.array([found.low, found.high, *within])
        values = value(np.column_stack([shares, 1 - shares, *np.broadcast_to(target, (len(shares), 2)).T]))
        return found._replace(low=float(values.min()), high=float(values.max()))

    def distance(sums: Floats) -> Floats:
        return np.asarray(1 - value(sums))

    def off(sums: Floats) -> Floats:
        shares, target = distribution.shares(sums[..., :groups]), distribution.shares(sums[..., groups:])
        beyond = np.where(shares > 0, np.inf, 0.0)
        return np.where(target > 0, quotient(shares - target, np.sqrt(target)), beyond)

    effective = doubt.count_effective(queries)
    found = deleted_clusters.bound_distance(distance, parts, effective, confidence, off=off)
    return found._replace(low=1 - found.high, high=1 - found.low)


@dataclass(eq=False)
class RatioOfSums(Form):
    """A comparison of what the groups got with what they were due. Pooled, both are summed over queries.

    A group of which no query wants anything takes no part.

    Attributes:
        got: [query, group].
        due: [query, group].
        compare: a function of both [..., group] and of the target [..., group], or None, that returns a value [...].
        target: [query or 1, group], or None.
        interval: a function of what the groups got, were due and what was wanted for them [cluster, group], and of the
            confidence, that returns the interval of the pooled value. None: it has none.
        fix: a function of the first three that returns the pooled value, whose groups stay as they are.
    """

    got: Floats
    due: Floats
    compare: Callable[[Floats, Floats, Any], Floats]
    target: Floats | None = None
    interval: Callable[[Floats, Floats, Floats, float], "PooledInterval"] | None = None
    fix: Callable[[Floats, Floats, Floats], FixedValue] | None = None

    def value(self) -> Floats:
        """Compare the sums [query]."""
        return np.asarray(self.compare(self.got, self.due, self.target))

    def over_queries(self) -> Summands:
        """Sum what the groups got, and what they were due."""
        shape = self.got.shape
        wanted = np.ones(shape) if self.target is None else np.broadcast_to(np.nan_to_num(self.target, nan=1.0), shape)
        terms = np.concatenate([self.got, self.due, wanted], axis=1)
        interval = None if self.interval is None else partial(_bound_rates, self.interval)
        fix = None if self.fix is None else partial(_fix_rates, self.fix)
        return Summands(terms, partial(_compare_sums, self.compare), interval, fix)


def _bound_rates(
    interval: Callable[[Floats, Floats, Floats, float], "PooledInterval"], parts: Floats, _: Floats, confidence: float
) -> "PooledInterval":
    got, due, wanted = np.split(parts, 3, axis=-1)
    return interval(got, due, wanted, confidence)


def _fix_rates(fix: Callable[[Floats, Floats, Floats], FixedValue], parts: Floats) -> FixedValue:
    return fix(*np.split(parts, 3, axis=-1))


def _compare_sums(compare: Callable[[Floats, Floats, Any], Floats], sums: Floats) -> Floats:
    got, due, wanted = np.split(sums, 3, axis=-1)
    return np.asarray(compare(got, due, wanted))


@dataclass(eq=False)
class RatioOfMeans(Form):
    """A comparison of what the documents of the groups get on average.

    Attributes:
        membership: of all ranks [query, rank, group].
        weights: what each rank gets [rank].
        compare: a function of what the groups got in all, of how many documents they have, both [..., group], and of
            the target [query or 1, group], that returns a value [...].
        target: [query or 1, group].
        pair: the two groups, by number.
        signed: whether the value rises with what the first group gets. Otherwise it is greatest, 1, if both get the
            same.
    """

    membership: Floats
    weights: Floats
    compare: Callable[[Floats, Floats, Any], Floats]
    target: Floats
    pair: tuple[int, int] = (0, 1)
    signed: bool = False

    @property
    def sums(self) -> RatioOfSums:
        """What the groups got, over their documents."""
        got, due = discount.exposure(self.membership, self.weights), ranks.total(np.nan_to_num(self.membership))
        return RatioOfSums(got, due, self.compare, self.target)

    def value(self) -> Floats:
        """Compare the means [query]."""
        return self.sums.value()

    def value_of(self, shallower: Form) -> Floats:
        """Add up what the groups get once, if the other gets the same at the first ranks, and nothing below these."""
        assert isinstance(shallower, RatioOfMeans)
        if shallower.membership is not self.membership:
            return shallower.value()
        depth = np.count_nonzero(shallower.weights)
        if not depth or shallower.weights[depth:].any() or not begins(shallower.weights[:depth], self.weights):
            return shallower.value()
        got, due = self._amounts
        return np.asarray(shallower.compare(got[:, depth - 1], due, shallower.target))

    @cached_property
    def _amounts(self) -> tuple[Floats, Floats]:
        """What the groups get down to each rank [query, rank, group], and how many documents they have."""
        return prefix_sums(self.membership, self.weights), ranks.total(np.nan_to_num(self.membership))

    def over_labels(self) -> "Ratio":
        """Let the mean weights of two groups decide, or of one and the rest."""
        from fairtrec.formulas.labelings.exposures import Ratio

        target = self.target[:, None]
        return Ratio(self.weights, lambda got, due: self.compare(got, due, target), self.pair, signed=self.signed)
