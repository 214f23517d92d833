"""How deep rankings are looked at, and how queries are dealt to parts whose rankings are about as long."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from fairtrec.data import Ints, Run
from fairtrec.data.docnos import list_distinct


class Asking(Protocol):
    """What looks at inputs, for which it is settled whether they are there: a measure, or a reranker."""

    @property
    def by(self) -> str:
        """The attribute whose groups it looks at."""

    @property
    def is_of_all(self) -> bool:
        """Whether it is one number over all attributes."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The names of the inputs."""

    @property
    def depth(self) -> int | None:
        """The deepest rank that is looked at; None is the last."""

    @property
    def worst_known(self) -> bool:
        """Whether it has a value for the worst document that there can be."""

    def check(self, groups: tuple[str, ...], /) -> None:
        """Raise UsageError if it does not fit these groups."""

    def counts_at_ends(self, groups: int, /) -> Any:
        """Give the counts of the worst and the best document; None where it cannot tell."""


def find_depth(measures: Sequence[Asking]) -> int | None:
    """Give the deepest rank that any of the measures reads; None is all."""
    depths = [measure.depth for measure in measures]
    return None if None in depths else max((depth for depth in depths if depth), default=1)


CELLS = 1 << 24  # of a matrix [query, rank] that is made whatever stands in it
ROUND = 64  # queries, so that sums are taken in the same order as over all
TIMES = 4  # so many cells for each document are no waste


def deal_queries(run: Run, qids: Sequence[str], depth: int | None, cells: int | None = None) -> list[Ints]:
    """Deal the queries, by number, to parts whose matrices [query, rank] hold few empty cells; mostly that is one.

    Rankings of one part are at most twice as long as each other, down to 16 ranks. A part has no more ``cells`` than
    that, if they are given.
    """
    lengths = run.find_depths(run.numbers(qids))
    if depth is not None:
        lengths = np.minimum(lengths, depth)
    parts = dealt(lengths)
    if cells is None:
        return parts
    fits = [max(cells // int(lengths[part].max(initial=1)), ROUND) // ROUND * ROUND for part in parts]
    return [part[i : i + many] for part, many in zip(parts, fits, strict=True) for i in range(0, len(part), many)]


def dealt(lengths: Ints) -> list[Ints]:
    """Deal rows of these lengths to parts in the same way."""
    every = np.arange(len(lengths))
    if len(lengths) * int(lengths.max(initial=0)) <= max(CELLS, TIMES * int(lengths.sum())):
        return [every]
    steps = np.frexp(np.maximum(lengths, 16) - 1.0)[1]  # the logarithm to base 2, rounded up
    return [every[steps == step] for step in list_distinct(steps)]
