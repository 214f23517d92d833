"""The difference of each slice of queries from one of them (``--against``), with its interval and p.

Of a measure that pools, pooled values are compared, of others means. A cluster of queries may be in both slices: it
counts once. p is corrected over all differences of a report.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Any, ClassVar, NamedTuple

from fairtrec.evaluation.answers.scores import MeanCell, ScoreColumn
from fairtrec.measure import Quantity

NAMES = ("difference", "difference_low", "difference_high", "p", "p_corrected")


class SliceDifference(NamedTuple):
    """The difference of a value in a slice and in the slice ``against``; nan if there is none.

    ``is_shown``: the corrected p is low enough. ``is_pooled``: pooled values are compared.
    """

    against: str
    difference: float
    low: float
    high: float
    p: float
    p_corrected: float
    doubtful: bool
    is_shown: bool
    is_pooled: bool

    @property
    def numbers(self) -> dict[str, float]:
        """The numbers, as files name them."""
        return dict(zip(NAMES, (self.difference, self.low, self.high, self.p, self.p_corrected), strict=True))

    def describe(self) -> dict[str, Any]:
        """Give what JSON says of it."""
        return {"against": self.against, **self.numbers, "difference_doubtful": self.doubtful}


@dataclass(frozen=True, eq=False)
class SliceDifferences(ScoreColumn):
    """The differences of a slice, by measure; none in the slice that others are compared with."""

    name: ClassVar[str] = "compared_slices"
    cells = tuple(map(MeanCell, NAMES))

    found: Mapping[Quantity, SliceDifference]
    compared: frozenset[Quantity]  # the measures of which some slice has a difference

    def numbers(self, scores: Any, row: int) -> Mapping[str, float]:
        """Give the numbers of a difference of means; nan if there is none."""
        measure = scores.measures[row]
        if measure not in self.compared:
            return {}
        found = self.found.get(measure)
        return dict.fromkeys(NAMES, nan) if found is None or found.is_pooled else found.numbers

    def describe_mean(self, scores: Any, row: int) -> Mapping[str, Any]:
        """Give the difference of means; nothing if there is none."""
        found = self.found.get(scores.measures[row])
        return {} if found is None or found.is_pooled else found.describe()
