"""Forms: what a measure makes of its inputs, from which its value and the columns next to it follow.

A measure returns one from ``formula``. The forms of ranks are here; those of groups, which fewer evaluations import, in
group_forms.py.

Source: McSherry, Najork: Computing Information Retrieval Performance Measures Efficiently in the Presence of Tied
Scores. ECIR 2008. https://doi.org/10.1007/978-3-540-78646-7_38
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, get_args

import numpy as np

from fairtrec.data import Bools, Floats, Ints
from fairtrec.formulas.distribution import quotient
from fairtrec.formulas.ranks import starts
from fairtrec.formulas.weighted_sums import weighted_sum

if TYPE_CHECKING:
    from fairtrec.data.ranking.ties import Blocks
    from fairtrec.formulas.labelings.unlabeled import LabelForm
    from fairtrec.statistics.deleted_clusters import Deletions, PooledInterval

FormColumn = Literal["ties", "labels", "gold", "pool"]  # that a form may give next to a value
METHODS: dict[FormColumn, str] = {
    "ties": "over_ranks", "labels": "over_labels", "gold": "over_documents", "pool": "over_queries"
}  # fmt: skip


class PooledQueries:
    """What a pooled value is computed from, of each query: a subclass is sent between processes."""

    @classmethod
    def join(cls, several: Sequence[Self], queries: Sequence[Ints], many: int) -> Self:
        """Put ``several`` parts of ``many`` queries together; ``queries`` numbers those of each part [query].

        A query in several parts has several rankings, over which it is averaged.
        """
        raise NotImplementedError

    def keep_queries(self, queries: Sequence[int]) -> Self:
        """Keep some of the queries, by number."""
        raise NotImplementedError

    def compute(self, frequency: Floats) -> float:
        """Compute the pooled value; nan if it is undefined. ``frequency`` [query] is how often each is asked."""
        raise NotImplementedError

    def refuse(self, frequency: Floats) -> None:
        """Raise UsageError if there can be no pooled value."""

    def list_notes(self, measure: Any, frequency: Floats) -> list[Any]:  # noqa: ARG002 - for subclasses
        """List the notes on the pooled value of a measure."""
        return []

    def describe(self, frequency: Floats) -> Mapping[str, float]:  # noqa: ARG002 - for subclasses
        """Give numbers that stand next to the pooled value, by name."""
        return {}

    def find_interval(
        self,
        frequency: Floats,  # noqa: ARG002 - for subclasses
        clusters: Ints,  # noqa: ARG002
        confidence: float,  # noqa: ARG002
    ) -> "PooledInterval | None":
        """Compute the interval of the pooled value; None if there is none.

        ``clusters`` [query] numbers the clusters from 0: queries of one cluster are not independent.
        """
        return None

    def delete_clusters(self, frequency: Floats, clusters: Ints, confidence: float) -> "Deletions | None":  # noqa: ARG002
        """Compute what the deletion of each cluster changes of the pooled value; None if it has no interval."""
        return None

    def bound(self, frequency: Floats, *, may_be_none: bool) -> Mapping[str, float | bool]:  # noqa: ARG002
        """Give the least and the greatest pooled value over all labels of unknown documents; nothing if none are known.

        ``may_be_none``  they can be of none of the groups, too.
        """
        return {}


class FixedValue(NamedTuple):
    """A pooled value as a function of sums, in which the groups stay that it compares in all data.

    Attributes:
        value: a function of rows of sums [row, term] that returns the value [row].
        parts: the terms that it uses, of each cluster [cluster, term].
        is_chosen: the value compares two of three or more rates, chosen after a look at the data.
    """

    value: Callable[[Floats], Floats]
    parts: Floats
    is_chosen: bool = False


def fix_ratio(got: Floats, due: Floats, pair: Sequence[int], *, is_chosen: bool) -> FixedValue:
    """Fix the ratio of the rates of a pair of groups, of what groups ``got`` and were ``due`` [cluster, group].

    >>> found = fix_ratio(np.array([[1.0, 2.0]]), np.array([[4.0, 4.0]]), [0, 1], is_chosen=False)
    >>> found.value(found.parts).tolist()
    [0.5]
    """
    from fairtrec.statistics.deleted_clusters import divide_rates

    parts = np.concatenate([got[:, pair], due[:, pair]], axis=1)
    whole = parts.sum(axis=0)
    rates = quotient(whole[: len(pair)], whole[len(pair) :], 0.0)
    return FixedValue(partial(divide_rates, rates), parts, is_chosen)


@dataclass(frozen=True, eq=False)
class Summands(PooledQueries):
    """The sums over queries from which a pooled value is computed.

    Attributes:
        terms: the terms that are summed [query, term]; 0 for a query that takes no part.
        value: a function of the sums [term] that returns the pooled value. It is sent between processes, so it is a
            function of a module, a method, or a ``functools.partial`` of these. With ``interval`` it takes and returns
            rows, [row, term] and [row].
        interval: a function of the same kind of the sums of each cluster [cluster, term], of how many queries each has
            [cluster], and of the confidence. It returns the interval. None: there is none.
        fix: a function of the same kind of the sums of each cluster [cluster, term], if the value compares groups that
            are chosen by these sums or does not use all terms. None: the value is a function of all terms.
    """

    terms: Floats
    value: Callable[[Floats], Any]
    interval: "Callable[[Floats, Floats, float], PooledInterval] | None" = None
    fix: Callable[[Floats], FixedValue] | None = None

    @classmethod
    def join(cls, several: Sequence[Self], queries: Sequence[Ints], many: int) -> Self:
        """Add the terms of parts, and divide those of each query by the number of its rankings."""
        terms, times = np.zeros((many, several[-1].terms.shape[1])), np.zeros(many)
        for each, at in zip(several, queries, strict=True):
            terms[at] += each.terms
            times[at] += 1
        return replace(several[-1], terms=terms / np.maximum(times, 1)[:, None])

    def keep_queries(self, queries: Sequence[int]) -> Self:
        """Keep the terms of some of the queries, by number."""
        return replace(self, terms=self.terms[list(queries)])

    def compute(self, frequency: Floats) -> float:
        """Sum the terms of all queries, and compute the value of the sums."""
        sums = self.sum_terms(frequency)
        return float(self.value(sums) if self.interval is None else self.value(sums[None]).item())

    def find_interval(self, frequency: Floats, clusters: Ints, confidence: float) -> "PooledInterval | None":
        """Sum the terms of each cluster, and compute the interval of these sums."""
        if self.interval is None or not len(clusters):
            return None
        parts, queries, _ = self._sum_clusters(frequency, clusters)
        return self.interval(parts, queries, confidence)

    def delete_clusters(self, frequency: Floats, clusters: Ints, confidence: float) -> "Deletions | None":
        """Sum the terms of each cluster, and compute the value without each of them."""
        if self.interval is None or not len(clusters):
            return None
        from fairtrec.statistics.deleted_clusters import delete_each

        parts, queries, numbers = self._sum_clusters(frequency, clusters)
        fixed = FixedValue(self.value, parts) if self.fix is None else self.fix(parts)
        interval = self.interval(parts, queries, confidence)
        found = delete_each(fixed.value, fixed.parts, numbers, interval)
        return found._replace(value=self.compute(frequency), is_chosen=fixed.is_chosen)

    def _sum_clusters(self, frequency: Floats, clusters: Ints) -> tuple[Floats, Floats, Ints]:
        """Sum the terms of each cluster [cluster, term] and its queries [cluster], and give its number [cluster]."""
        order = np.argsort(clusters, kind="stable")
        starts = np.flatnonzero(np.diff(clusters[order], prepend=-1))
        terms, takes_part = self.terms * frequency[:, None], (self.terms != 0).any(axis=1)
        parts = np.add.reduceat(terms[order], starts, axis=0)
        queries = np.add.reduceat((frequency * takes_part)[order], starts)
        return parts, queries, clusters[order[starts]]

    def sum_terms(self, frequency: Floats) -> Floats:
        """Sum the terms of all queries [term]."""
        return np.asarray(weighted_sum(self.terms[None], frequency)[0])


class PooledShares(NamedTuple):
    """The exposure of groups, whose shares make a pooled value; labels of drawn documents correct it.

    ``membership`` [query, rank, group] is 0 where it is unknown. The ranks have ``weights`` [rank], and all groups
    ``wanted`` [query or 1, group]. ``value`` compares shares [group] with those that are wanted [group]; it is sent
    between processes. ``at`` is the group whose share alone counts. The shares are of the exposure of all groups, or of
    that of ``whole`` rankings.
    """

    membership: Floats
    weights: Floats
    wanted: Floats
    value: Callable[[Floats, Floats], float]
    at: int | None = None
    whole: bool = False


class Form:
    """What a measure makes of its inputs: the value, and the columns next to it.

    This class gives no column: fairtrec tries orders and labelings, and pools and corrects nothing. A subclass
    overrides the methods of the columns that it gives. Each method may return None if the parameters rule the column
    out.
    """

    of_set: ClassVar[bool] = False  # the order within the ranks that are read does not matter, only which documents

    @classmethod
    def supports(cls, column: FormColumn) -> bool:
        """Tell whether forms of this class give a column."""
        return getattr(cls, METHODS[column]) is not getattr(Form, METHODS[column])

    def value(self) -> Floats:
        """Compute the value [query]."""
        raise NotImplementedError

    def value_of(self, shallower: "Form") -> Floats:
        """Compute the value of a form of the same measure at a lower cutoff, with the bits of its own ``value``."""
        return shallower.value()

    @classmethod
    def shares_prefixes(cls) -> bool:
        """Tell whether ``value_of`` is of the class that says what the value is: a subclass may compute another."""
        return "value_of" in vars(next(kind for kind in cls.__mro__ if "value" in vars(kind)))

    def over_ranks(self) -> "RankForm | None":
        """Return what the ranks add. ``--bounds ties`` is then exact for any number of orders."""
        return None

    def over_labels(self) -> "LabelForm | None":
        """Return what the groups add. ``--bounds labels`` is then exact for any number of labelings, or a bound."""
        return None

    def over_documents(self) -> "SumOverRanks | None":
        """Return the sum to which each document adds its part. ``--gold`` corrects it by the labels of a few."""
        return None

    def over_queries(self) -> PooledQueries | None:
        """Return what is summed over queries. ``--pool`` then computes a value of all queries together."""
        return None

    def over_shares(self) -> PooledShares | None:
        """Return the exposure of the groups that a pooled value compares. ``--pool`` with ``--gold`` corrects it."""
        return None


@cache
def list_form_classes(method: Callable[..., Any]) -> tuple[type[Form], ...]:
    """List the classes of forms that a method returns, by its annotation; none if it has none that can be read."""
    try:
        said = signature(method, eval_str=True).return_annotation
    except NameError:  # a name that only type checkers import
        return ()
    return tuple(kind for kind in get_args(said) or (said,) if isinstance(kind, type) and issubclass(kind, Form))


def begins(first: Floats, whole: Floats) -> bool:
    """Tell whether weights [..., rank] are the first ones of others.

    >>> begins(np.array([1.0, 0.5]), np.array([1.0, 0.5, 0.25]))
    True
    """
    return np.array_equal(first, whole[..., : first.shape[-1]])


def prefix_sums(values: Floats, weights: Floats) -> Floats:
    """Sum values [query, rank, ...] times weights [rank or query, rank] down to each rank, as ``weighted_sum`` does.

    >>> prefix_sums(np.array([[1.0, 2.0], [np.nan, 4.0]]), np.array([1.0, 0.5])).tolist()
    [[1.0, 2.0], [0.0, 2.0]]
    """
    weights = weights[..., : values.shape[1]]
    with np.errstate(invalid="ignore", over="ignore"):
        products = np.nan_to_num(values) * weights.reshape(weights.shape + (1,) * (values.ndim - 2))
        return np.cumsum(products, axis=1) + 0.0  # -0.0 is 0, as in a sum that begins with 0


class RankForm(Form):
    """A form in which each rank adds its part to the value, or whose ties have a closed form."""

    def over_ranks(self) -> "RankForm | None":
        """Give itself."""
        return self

    def interval(self, blocks: "Blocks") -> Floats:
        """Compute the least, greatest and expected value [3, query]; nan if it has no closed form."""
        raise NotImplementedError

    def bound_shallower(self, shallower: "RankForm", blocks: "Blocks") -> Floats:
        """Compute that of a form of the same measure at a lower cutoff, with the bits of its own ``interval``."""
        return shallower.interval(blocks)


@dataclass(eq=False)
class SumOverRanks(RankForm):
    """The sum over ranks of gains times weights, over a divisor.

    Attributes:
        gains: [query, rank]; nan, where there is no document or none knows its gain, is 0. They may go on behind the
            last weight.
        weights: [rank] or [query, rank].
        divisor: [query].
        known: [query, rank]: a value is undefined if no such document is at a weighted rank. Ties then have a closed
            form only if every order has one there, as orders without one are left out.
        defined: [query or 1]: the queries that have a value.
        settled: [query, rank]: the documents that have the same part in the divisor. Ties have a closed form only if
            this holds for all documents that can come to a weighted rank: all orders then have the same divisor.
        by_labels: a function of the weights of groups [query, rank, group] that returns the gains [query, rank]. The
            divisor does not depend on it. Gold labels then correct the value, and bounds over labelings are exact.
        reach: the difference of the greatest and the least gain that a document can have, a number or [query].
        size: the sum of the sizes of the divisor's terms, if these have signs or are subtracted, a number or [query]. A
            divisor that is 0 but for rounding then counts as 0.
        sums_grades: whether each gain follows from the grade of its document, and the divisor from no grade. The fewest
            grades that turn an order are then exact.

    >>> SumOverRanks(np.array([[4.0, 2.0, 7.0]]), np.array([1.0, 0.5]), np.array([10.0])).value().tolist()
    [0.5]
    """

    gains: Floats
    weights: Floats
    divisor: Floats | Ints | None = None
    known: Bools | None = None
    settled: Bools | None = None
    defined: Bools | None = None
    by_labels: Callable[[Floats], Floats] | None = None
    reach: Floats | float = 1.0
    size: Floats | float | None = None
    sums_grades: bool = False
    _arranged: "tuple[Blocks, tuple[Floats, Floats, Floats]] | None" = field(default=None, init=False, repr=False)
    _added: "tuple[Blocks, Floats] | None" = field(default=None, init=False, repr=False)  # down to each rank

    def value(self) -> Floats:
        """Sum the order as it stands [query]."""
        top = self.gains[:, : self.weights.shape[-1]]
        return self.divide(weighted_sum(top if np.isfinite(top).all() else np.nan_to_num(top), self.weights))

    def value_of(self, shallower: Form) -> Floats:
        """Sum down to the deepest rank once, if gains and weights of the other are those of the first ranks."""
        assert isinstance(shallower, SumOverRanks)
        if not starts(shallower.gains, self.gains):
            return shallower.value()
        if not shallower.gains.shape[1] or not begins(shallower.weights, self.weights):
            return shallower.value()
        return shallower.divide(self._sums[:, min(shallower.weights.shape[-1], shallower.gains.shape[1]) - 1])

    @cached_property
    def _sums(self) -> Floats:
        """The sums down to each rank [query, rank]."""
        return prefix_sums(self.gains[:, : self.weights.shape[-1]], self.weights)

    def divide(self, sums: Floats) -> Floats:
        """Make values of the sums [query], undefined where they are to be."""
        value = self.divide_by_divisor(sums)
        if self.known is not None:
            value = np.where(self.known[:, : self.weights.shape[-1]].any(axis=1), value, np.nan)
        return value if self.defined is None else np.where(self.defined, value, np.nan)

    def divide_by_divisor(self, values: Floats, otherwise: float = np.nan) -> Floats:
        """Divide values [..., query] by the divisor; give another number where that is 0 or less."""
        return values if self.divisor is None else quotient(values, self.divisor, otherwise, size=self.size)

    def divide_ranks(self, values: Floats, otherwise: float = np.nan) -> Floats:
        """Divide values [query, rank] by the divisor of their query, in the same way."""
        return self.divide_by_divisor(values.T, otherwise).T

    def over_labels(self) -> "LabelForm | None":
        """Give what each rank adds by its labels, if it tells that, and is defined for all labelings or none."""
        if self.by_labels is None or self.known is not None:
            return None
        from fairtrec.formulas.labelings.sums import Gains

        divisor = 1.0 if self.divisor is None else self.divisor
        if self.defined is not None:
            divisor = np.where(self.defined, divisor, np.nan)
        return Gains(self.by_labels, self.weights, divisor, size=self.size)

    def over_documents(self) -> "SumOverRanks | None":
        """Give itself, if it tells what documents add by their labels."""
        return None if self.by_labels is None else self

    @property
    def falls(self) -> bool:
        """Whether no rank weighs more than the one above it, or less than 0."""
        return bool((np.diff(self.weights, axis=-1) <= 0).all() and (self.weights >= 0).all())

    def interval(self, blocks: "Blocks") -> Floats:
        """Pair the weights of each block with its gains in the same order, the opposite order, and each with the mean.

        >>> from fairtrec.data.ranking.ties import Blocks
        >>> tied = Blocks(np.array([[0, 0, 1]]))
        >>> SumOverRanks(np.array([[4.0, 2.0, 7.0]]), np.array([1.0, 0.5])).interval(tied).tolist()
        [[4.0], [5.0], [4.5]]
        """
        return self._pair(self._arrange(blocks), blocks)

    def bound_shallower(self, shallower: RankForm, blocks: "Blocks") -> Floats:
        """Arrange the gains once if the other has the same; add them up once if its weights are the first of these."""
        if not isinstance(shallower, SumOverRanks) or not self._has_gains(shallower):
            return shallower.interval(blocks)
        if self._arranged is None or self._arranged[0] is not blocks:
            self._arranged = blocks, self._arrange(blocks)
        if not self.falls or not begins(shallower.weights, self.weights):
            return shallower._pair(self._arranged[1], blocks)  # noqa: SLF001 - of the same class
        if self._added is None or self._added[0] is not blocks:
            top = slice(self.weights.shape[-1])
            self._added = blocks, np.stack([prefix_sums(gains[:, top], self.weights) for gains in self._arranged[1]])
        last = min(shallower.weights.shape[-1], self.gains.shape[1]) - 1
        return shallower._settle(self._added[1][..., last], blocks)  # noqa: SLF001

    def _has_gains(self, other: "SumOverRanks") -> bool:
        """Tell whether another form has the same gains, of some ranks, and pairs them in the same way."""
        is_usual = type(other).interval is type(self).interval is SumOverRanks.interval
        if not is_usual or other.gains.shape != self.gains.shape or not self.gains.shape[1]:
            return False
        return starts(other.gains, self.gains) or np.array_equal(other.gains, self.gains, equal_nan=True)

    def _arrange(self, blocks: "Blocks") -> tuple[Floats, Floats, Floats]:
        """Give the gains [query, rank] with those of each block rising, falling, and each with their mean."""
        gains = np.nan_to_num(self.gains)
        return blocks.sort_rising(gains), blocks.sort_falling(gains), blocks.total(gains) / blocks.size

    def _pair(self, arranged: tuple[Floats, Floats, Floats], blocks: "Blocks") -> Floats:
        """Weigh gains that were arranged: the interval [3, query]."""
        least, greatest, expected = arranged
        if self.falls:
            weights = paired = self.weights
        else:
            weights = np.zeros(self.gains.shape)
            weights[:, : self.weights.shape[-1]] = self.weights[..., : self.gains.shape[1]]
            paired = blocks.sort_falling(weights)
        top = slice(weights.shape[-1])
        sums = [weighted_sum(least[:, top], paired), weighted_sum(greatest[:, top], paired)]
        return self._settle(np.stack([*sums, weighted_sum(expected[:, top], weights)]), blocks)

    def _settle(self, sums: Floats, blocks: "Blocks") -> Floats:
        """Make intervals of sums [3, query], nan if they are not those of all orders."""
        if self.known is not None:
            reached = np.broadcast_to(np.arange(self.gains.shape[1]) < self.weights.shape[-1], self.gains.shape)
            sure = blocks.total(reached) - blocks.total(~self.known)  # so many known ones any order has there
            sums = np.where((sure > 0).any(axis=1), sums, np.nan)
        if self.settled is not None:
            first = np.arange(self.gains.shape[1]) - blocks.place  # of the block: it has a weight or none has
            sums = np.where((self.settled | (first >= self.weights.shape[-1])).all(axis=1), sums, np.nan)
        return self.divide_by_divisor(sums)


@dataclass(eq=False)
class First(RankForm):
    """The weight of the rank of the first relevant document; 0 if there is none. The weights fall.

    >>> First(np.array([[False, True, True]]), np.array([1.0, 0.5])).value().tolist()
    [0.5]
    """

    relevant: Bools  # whether documents are relevant [query, rank]
    worth: Floats  # the weights of ranks [rank]

    def value(self) -> Floats:
        """Look at the order as it stands [query]."""
        return weighted_sum(_first(self.relevant[:, : len(self.worth)].astype(np.float64)), self.worth)

    def interval(self, blocks: "Blocks") -> Floats:
        """Put the relevant documents of each block last, first, and anywhere.

        >>> from fairtrec.data.ranking.ties import Blocks
        >>> tied = Blocks(np.array([[0, 0, 0]]))
        >>> First(np.array([[True, False, False]]), np.array([1.0, 0.5])).interval(tied).tolist()
        [[0.0], [1.0], [0.5]]
        """
        relevant = self.relevant.astype(np.float64)
        worth = np.zeros(relevant.shape[1])
        worth[: len(self.worth)] = self.worth[: len(worth)]
        left = blocks.size - blocks.place
        chance = blocks.total(relevant) / left  # to be relevant if none of the block is so above
        none = np.cumprod((1 - chance).clip(min=0), axis=1)
        first = chance * np.concatenate((np.ones((len(none), 1)), none), axis=1)[:, :-1]
        ends = [_first(one) for one in (blocks.sort_rising(relevant), blocks.sort_falling(relevant))]
        return np.stack([weighted_sum(each, worth) for each in (*ends, first)])


def _first(relevant: Floats) -> Floats:
    """Leave of each row only the first that is relevant."""
    return np.where(np.cumsum(relevant, axis=1) == 1, relevant, 0.0)


@dataclass(eq=False)
class Precisions(RankForm):
    """The sum of the precisions at the relevant ranks down to the cutoff, over a divisor [query].

    >>> Precisions(np.array([[True, False, True]]), None, np.array([2])).value().round(6).tolist()
    [0.833333]
    """

    relevant: Bools  # whether documents are relevant [query, rank]
    cutoff: int | None  # the number of ranks that count; None: all
    divisor: Ints  # what the sum is divided by [query]

    def value(self) -> Floats:
        """Look at the order as it stands [query]."""
        top = self.relevant[:, : self.cutoff].astype(np.float64)
        return quotient(weighted_sum(top * np.cumsum(top, axis=1), 1 / np.arange(1, top.shape[1] + 1)), self.divisor)

    def interval(self, blocks: "Blocks") -> Floats:
        """Put the relevant documents of each block last, first, and anywhere.

        >>> from fairtrec.data.ranking.ties import Blocks
        >>> tied = Blocks(np.array([[0, 0]]))
        >>> Precisions(np.array([[True, False]]), None, np.array([1])).interval(tied).tolist()
        [[0.5], [1.0], [0.75]]
        """
        relevant = self.relevant.astype(np.float64)
        here = blocks.total(relevant)
        place = blocks.place.astype(np.int64)
        above = np.cumsum(relevant, axis=1) - relevant
        before = np.take_along_axis(above, np.arange(relevant.shape[1]) - place, axis=1)  # those of higher blocks
        beside = blocks.place * (here - 1) / (blocks.size - 1).clip(min=1)
        expected = here / blocks.size * (before + 1 + beside)
        ends = [one * np.cumsum(one, axis=1) for one in (blocks.sort_rising(relevant), blocks.sort_falling(relevant))]
        ranks = np.arange(1, relevant.shape[1] + 1)
        sums = np.stack([weighted_sum(each[:, : self.cutoff], 1 / ranks) for each in (*ends, expected)])
        return quotient(sums, self.divisor)
