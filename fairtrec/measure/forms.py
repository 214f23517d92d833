"""What measures make of their ranks, where that says in closed form what ties make of a value.

A Sum of what each rank adds, the worth of the First relevant document, or average Precision. Every evaluation imports
these, so they are named tuples, which take less time to be made than dataclasses.

Source: McSherry, Najork: Computing Information Retrieval Performance Measures Efficiently in the Presence of Tied
Scores. ECIR 2008. https://doi.org/10.1007/978-3-540-78646-7_38
"""

from collections.abc import Callable
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, get_args

import numpy as np

from fairtrec.data import Bools, Floats, Ints
from fairtrec.formulas.distribution import quotient
from fairtrec.formulas.weighted_sums import weighted_sum

if TYPE_CHECKING:
    from fairtrec.data.ranking.ties import Blocks
    from fairtrec.formulas.labellings.unlabelled import LabelForm

FormColumn = Literal["ties", "labels", "gold", "pool"]  # that a form may give next to a value
METHODS: dict[FormColumn, str] = {
    "ties": "over_ranks", "labels": "over_labels", "gold": "over_documents", "pool": "over_queries"
}  # fmt: skip


class Form:
    """What a measure makes of its inputs: the value, and the columns next to it.

    This one gives no column: orders and labelings are tried, and nothing is pooled. The others say more.
    """

    @classmethod
    def gives(cls, column: FormColumn) -> bool:
        """Tell whether a form of this class can give a column; it may still have none for some parameters."""
        return getattr(cls, METHODS[column]) is not getattr(Form, METHODS[column])

    def value(self) -> Floats:
        """Compute the value [query]."""
        raise TypeError(f"{type(self).__name__} has no value")

    def over_ranks(self) -> "Terms | None":
        """Give what the ranks add, if that gives a value over all orders of tied documents (``--bounds ties``)."""
        return None

    def over_labels(self) -> "LabelForm | None":
        """Give what the groups add, if that gives a value over all labelings of unknown documents."""
        return None

    def over_documents(self) -> "Gains | None":
        """Give what each document adds, if gold labels of a few documents correct the value (``--gold``)."""
        return None

    def over_queries(self) -> "Summands | None":
        """Give what is summed over queries, if that gives a value of all of them together (``--pool``)."""
        return None


def kinds_of(method: Callable[..., Any]) -> tuple[type[Form], ...]:
    """List the forms that a method returns, by its annotation; if it has none, a form that may give everything."""
    said = signature(method, eval_str=True).return_annotation
    return tuple(kind for kind in get_args(said) or (said,) if isinstance(kind, type) and issubclass(kind, Form))


class Summands(NamedTuple):
    """What a measure sums over queries: ``terms`` [query, term], of whose sums [term] ``value`` makes the pooled value.

    The terms of a query that takes no part are 0. ``value`` is sent between processes: a function of a module, a
    method, or a ``functools.partial`` of these.
    """

    terms: Floats
    value: Callable[[Floats], float]


class Terms(Protocol):
    """What a measure makes of its ranks."""

    def interval(self, blocks: "Blocks") -> Floats:
        """Give the least, greatest and expected value [3, query]; nan where that has no closed form."""


class Sum(NamedTuple):
    """The sum over ranks of ``weights`` [rank or query, rank] times ``gains`` [query, rank], over ``divisor`` [query].

    The gains may go on behind the last weight, and are nan where there is no document. Where the value is undefined
    if no document of those that are ``known`` [query, rank] is among the weighted ranks, it has a closed form only if
    every order has one there, as all orders without are left out. Where the divisor is that of the order as it stands
    alone, and not ``settled`` [query] for all orders, there is none either.
    """

    gains: Floats
    weights: Floats
    divisor: Floats | Ints | None = None
    known: Bools | None = None
    settled: Bools | None = None

    def interval(self, blocks: "Blocks") -> Floats:
        """Pair the weights of each block with its gains in the same order, the opposite order, and each with the mean.

        >>> from fairtrec.data.ranking.ties import Blocks
        >>> tied = Blocks(np.array([[0, 0, 1]]))
        >>> Sum(np.array([[4.0, 2.0, 7.0]]), np.array([1.0, 0.5])).interval(tied).tolist()
        [[4.0], [5.0], [4.5]]
        """
        gains, ranks = np.nan_to_num(self.gains), self.gains.shape[1]
        weights = np.zeros(gains.shape)
        weights[:, : self.weights.shape[-1]] = self.weights[..., :ranks]
        paired = blocks.falling(weights)
        sums = np.stack(
            [
                weighted_sum(blocks.rising(gains), paired),
                weighted_sum(blocks.falling(gains), paired),
                weighted_sum(blocks.total(gains) / blocks.size, weights),
            ]
        )
        if self.known is not None:
            reached = np.broadcast_to(np.arange(ranks) < self.weights.shape[-1], gains.shape)
            sure = blocks.total(reached) - blocks.total(~self.known)  # so many known ones any order has there
            sums[:, ~(sure > 0).any(axis=1)] = np.nan
        if self.settled is not None:
            sums[:, ~self.settled] = np.nan
        return sums if self.divisor is None else quotient(sums, self.divisor)


class Gains(NamedTuple):
    """A ``sum`` over ranks whose gains are what each document adds by itself, and what that would be by other labels.

    ``of_labels`` takes the weights of groups [query, rank, group] and gives the gains [query, rank]; ``reach`` is how
    far the greatest gain that a document can have is from the least, one number or [query].
    """

    sum: Sum
    of_labels: Callable[[Floats], Floats]
    reach: Floats | float


class First(NamedTuple):
    """The worth [rank], which falls, of the rank of the first of the ``relevant`` [query, rank]; 0 if there is none."""

    relevant: Bools
    worth: Floats

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
        ends = [_first(one) for one in (blocks.rising(relevant), blocks.falling(relevant))]
        return np.stack([weighted_sum(each, worth) for each in (*ends, first)])


def _first(relevant: Floats) -> Floats:
    """Leave of each row only the first that is relevant."""
    return np.where(np.cumsum(relevant, axis=1) == 1, relevant, 0.0)


class Precisions(NamedTuple):
    """The sum of the precisions at the ``relevant`` [query, rank] of the first ``cutoff`` ranks, over ``divisor``."""

    relevant: Bools
    cutoff: int | None
    divisor: Ints

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
        ends = [one * np.cumsum(one, axis=1) for one in (blocks.rising(relevant), blocks.falling(relevant))]
        ranks = np.arange(1, relevant.shape[1] + 1)
        sums = np.stack([weighted_sum(each[:, : self.cutoff], 1 / ranks) for each in (*ends, expected)])
        return quotient(sums, self.divisor)
