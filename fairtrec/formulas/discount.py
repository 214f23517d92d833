"""Position bias: how much a rank counts. Ranks count from 1; each function gives the weights of ranks 1..n."""

from collections.abc import Callable
from typing import Literal, Self

import numpy as np

from fairtrec.data import Floats
from fairtrec.data.parameters import GIVEN
from fairtrec.formulas import elementary
from fairtrec.formulas.weighted_sums import weighted_sum
from fairtrec.support.errors import InputError, UsageError

Discount = Literal["log2", "log2_next", "log2_rank", "log2_clipped", "reciprocal", "geometric", "given"]


class GivenDiscount(str):  # noqa: SLOT000 - it has more than a text
    """The word ``given`` with the ``weights`` that it stands for, of ranks from 1, and the ``origin`` of these."""

    weights: tuple[float, ...]
    origin: str

    def __new__(cls, weights: tuple[float, ...], origin: str) -> Self:
        """Make the word."""
        made = super().__new__(cls, GIVEN)
        made.weights, made.origin = weights, origin
        return made

    def __getnewargs__(self) -> tuple[tuple[float, ...], str]:  # type: ignore[override]  # for other processes
        return self.weights, self.origin

    def first(self, n: int) -> Floats:
        """Weigh ranks 1..n. Raises InputError where there are not so many."""
        if n > len(self.weights):
            raise InputError(f"{self.origin} ends at rank {len(self.weights)}, and rank {n} is looked at; add weights")
        return np.array(self.weights[:n])


def log2(n: int) -> Floats:
    """Discount as DCG does, by the logarithm of the rank plus 1.

    >>> log2(3).round(6).tolist()
    [1.0, 0.63093, 0.5]
    """
    return 1 / elementary.log2_of_counts(n + 2)[2:]


def log2_clipped(n: int) -> Floats:
    """Discount by the logarithm of the rank from rank 3 on, as the first DCG did and TREC Fair Ranking does.

    >>> log2_clipped(3).round(6).tolist()
    [1.0, 1.0, 0.63093]
    """
    return np.append(1.0, 1 / elementary.log2_of_counts(n + 1)[2:])[:n]


def log2_rank(n: int) -> Floats:
    """Discount by the logarithm of the rank, which for rank 1 is 0: it does not count.

    >>> log2_rank(3).round(6).tolist()
    [0.0, 1.0, 0.63093]
    """
    return np.append(0.0, log2(n - 1))[:n]


def reciprocal(n: int) -> Floats:
    """Discount by the rank.

    >>> reciprocal(2).tolist()
    [1.0, 0.5]
    """
    return 1 / np.arange(1.0, n + 1)


def geometric(n: int, p: float) -> Floats:
    """Follow a reader who goes on to the next rank with the probability ``p``.

    >>> geometric(3, 0.5).tolist()
    [1.0, 0.5, 0.25]
    """
    return elementary.powers(p, n)


BY_NAME: dict[Discount, Callable[[int], Floats]] = {
    "log2": log2,
    "log2_next": log2,  # its name where the logarithm of the rank itself can be had too
    "log2_rank": log2_rank,
    "log2_clipped": log2_clipped,
    "reciprocal": reciprocal,
}


def compute_weights(name: Discount, n: int, p: float = 1.0) -> Floats:
    """Discount as one names it; ``p`` belongs to the geometric one. Raises UsageError for ``given`` without weights."""
    if isinstance(name, GivenDiscount):
        return name.first(n)
    if name == GIVEN:
        raise UsageError("discount=given needs the weights of ranks; add --discount FILE")
    return geometric(n, p) if name == "geometric" else BY_NAME[name](n)


def sums(weights: Floats) -> Floats:
    """Give what the first 0, 1, .. n ranks weigh together, of the weights of n.

    >>> sums(log2(2)).round(6).tolist()
    [0.0, 1.0, 1.63093]
    """
    return np.concatenate(([0.0], np.cumsum(weights)))


def rank_averages(n: int) -> Floats:
    """Weigh rank i so that the weighted sum is the mean over x = 1..n of the mean of the first x values.

    >>> rank_averages(2).tolist()
    [0.75, 0.25]
    """
    return np.cumsum(1 / np.arange(n, 0, -1))[::-1] / max(n, 1)


def exposure(membership: Floats, weights: Floats) -> Floats:
    """Sum the ``weights`` [rank, or query and rank] of the ranks that belong to each group [query, group].

    >>> exposure(np.array([[[1.0, 0.0], [0.0, 1.0], [np.nan, np.nan]]]), np.array([1.0, 0.6, 0.5])).tolist()
    [[1.0, 0.6]]
    """
    return weighted_sum(np.nan_to_num(membership), weights)
