"""What gold labels make of a run's values: of each measure, what corrects its mean over any of the queries."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from fairtrec.data import MISSING, Bools, Floats, Ints
from fairtrec.statistics.estimate import DrawnDocuments, Estimate, of_queries

NOTHING = "nothing that it looks at was drawn"
LEVEL = 0.95  # of intervals, where nothing else was asked for


class Corrector:
    """What corrects the mean of one measure over queries; here, nothing does."""

    @property
    def few(self) -> bool:
        """Whether intervals rest on as few errors as there are, and not on what documents could add."""
        return False

    def of(self, columns: Sequence[int]) -> "Corrector":  # noqa: ARG002 - of any
        """Keep some of the queries, by number."""
        return self

    def estimate(self, values: Floats) -> Estimate | None:  # noqa: ARG002 - of any
        """Estimate what is to be added to the mean of the ``values`` [query] that are defined; None: nothing can be."""
        return None

    def between(self, other: "Corrector", values: Floats, baseline: Floats) -> Estimate | None:  # noqa: ARG002 - of any
        """Estimate what is to be added to the mean difference from the values of another run, in the same queries."""
        return None


@dataclass(frozen=True, eq=False)
class OfDocuments(Corrector):
    """A sum over documents, of which some were drawn: an entry is a rank of a query at which a drawn document stands.

    ``parts`` [part, entry] are the weight of the rank, and times that the error of the gain, the gain by gold, and how
    far gains reach. ``weight`` [query] is that of all ranks, ``rest`` [query] what a value is beside the sum.
    ``probability`` and ``untold`` [document] are of the sheet.
    """

    query: Ints
    document: Ints
    parts: Floats
    weight: Floats
    rest: Floats
    probability: Floats
    untold: Bools
    kept: dict[bytes, DrawnDocuments] = field(default_factory=dict)  # what was asked for before

    def of(self, columns: Sequence[int]) -> "OfDocuments":
        """Keep some of the queries, by number."""
        place = np.full(len(self.weight), MISSING, dtype=np.int64)
        place[list(columns)] = np.arange(len(columns))
        kept = place[self.query] != MISSING
        return replace(
            self,
            query=place[self.query[kept]],
            document=self.document[kept],
            parts=self.parts[:, kept],
            weight=self.weight[list(columns)],
            rest=self.rest[list(columns)],
            kept={},
        )

    def drawn(self, values: Floats) -> DrawnDocuments:
        """Give what the drawn documents have in the mean of the values [query] that are defined."""
        there = ~np.isnan(values)
        asked = there.tobytes()
        if asked not in self.kept:
            self.kept[asked] = self._drawn(there)
        return self.kept[asked]

    def _drawn(self, there: Bools) -> DrawnDocuments:
        many, kept = max(int(there.sum()), 1), there[self.query]
        document, size = self.document[kept], len(self.probability)
        weights, errors, gold, reaches = (np.bincount(document, part[kept], size) / many for part in self.parts)
        weight, rest = (float(each[there].sum()) / many for each in (self.weight, self.rest))
        untold = self.untold & (weights > 0)
        return DrawnDocuments(weights, errors, gold, reaches, self.probability, untold, weight, rest)

    def estimate(self, values: Floats) -> Estimate | None:
        """Estimate from all drawn documents that are looked at."""
        return self.drawn(values).estimate()

    def between(self, other: Corrector, values: Floats, baseline: Floats) -> Estimate | None:
        """Estimate from the documents drawn, which cancel where they stand at the same ranks of both runs."""
        if not isinstance(other, OfDocuments):
            return None
        both = np.isnan(values) | np.isnan(baseline)
        mine, theirs = (each.drawn(np.where(both, np.nan, values)) for each in (self, other))
        return mine.less(theirs)


@dataclass(frozen=True, eq=False)
class OfQueries(Corrector):
    """Drawn queries, all documents of which are labelled: ``errors`` [query] are the values by gold less the others.

    nan is a query that was not drawn, or of which one of the two is undefined. ``probability`` is that of any query.
    """

    errors: Floats
    probability: float

    @property
    def few(self) -> bool:
        """Whether only a part of the queries was drawn."""
        return self.probability < 1

    def of(self, columns: Sequence[int]) -> "OfQueries":
        """Keep some of the queries, by number."""
        return replace(self, errors=self.errors[list(columns)])

    def estimate(self, values: Floats) -> Estimate | None:
        """Estimate from the drawn queries of which both values are defined."""
        errors = np.where(np.isnan(values), np.nan, self.errors)
        return of_queries(errors[~np.isnan(errors)], self.probability)

    def between(self, other: Corrector, values: Floats, baseline: Floats) -> Estimate | None:
        """Estimate from the differences of the errors in the same queries."""
        if not isinstance(other, OfQueries):
            return None
        with np.errstate(invalid="ignore"):  # an infinite error of both
            between = replace(self, errors=self.errors - other.errors)
        return between.estimate(np.where(np.isnan(baseline), np.nan, values))


@dataclass(frozen=True, eq=False)
class Refused(Corrector):
    """A measure that no gold label corrects, and why."""

    why: str


class Corrections(NamedTuple):
    """What corrects each measure of a run; None of one that looks at no group, the value of which stays."""

    rows: tuple[Corrector | None, ...]

    def of(self, columns: Sequence[int]) -> "Corrections":
        """Keep some of the queries, by number."""
        return Corrections(tuple(None if row is None else row.of(columns) for row in self.rows))

    def joined(self, other: "Corrections", order: Sequence[int]) -> "Corrections":
        """Put those of other measures behind these, and all in another order."""
        rows = self.rows + other.rows
        return Corrections(tuple(rows[row] for row in order))


class Corrected(NamedTuple):
    """A mean that gold labels have corrected, and its interval; nan where there is none.

    ``gold`` is how many were labelled of what it rests on, of which ``differ`` do; ``doubtful`` says that so few differ
    that the interval is surer than they can be. ``why`` there is none.
    """

    corrected: float = float("nan")
    low: float = float("nan")
    high: float = float("nan")
    gold: int = 0
    differ: int = 0
    doubtful: bool = False
    why: str = ""


def corrected(
    row: Corrector, values: Floats, mean: float, confidence: float | None, bounds: tuple[float | None, float | None]
) -> Corrected:
    """Correct the ``mean`` of values [query]; without a ``confidence`` the interval is of labels alone, at 95 %.

    Its ends are cut at the ``bounds`` of the measure, the corrected value is not.
    """
    from fairtrec.statistics.procedure import DECIDING

    if isinstance(row, Refused):
        return Corrected(why=row.why)
    estimate = row.estimate(values)
    if estimate is None:
        return Corrected(why=NOTHING)
    value = mean + estimate.correction
    of_both = estimate if confidence is None else estimate.over(values[~np.isnan(values)])
    ends = of_both.ends(value, LEVEL if confidence is None else confidence)
    least, greatest = bounds
    cut = np.clip(ends, -np.inf if least is None else least, np.inf if greatest is None else greatest)
    low, high = map(float, cut)
    doubtful = row.few and not np.isnan(low) and estimate.differ < DECIDING
    return Corrected(value, low, high, estimate.number, estimate.differ, doubtful)
