"""What gold labels make of a run's values: of each measure, what corrects its mean over any of the queries."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from fairtrec.data import MISSING, Bools, Floats, Ints, number_rows
from fairtrec.statistics.gold_estimates import DrawnDocuments, DrawnRanks, Estimate, estimate_from_queries

NOTHING = "nothing that it looks at was drawn"
LEVEL = 0.95  # of intervals, where nothing else was asked for


class Corrector:
    """What corrects the mean of one measure over queries; here, nothing does.

    ``values`` [query] are what it corrects the mean of, nan where they are undefined: those of the measure, or of the
    form of it that people's labels are of.
    """

    values: Floats
    is_other_form: bool = False  # whether the values are those of another form of the measure

    @property
    def has_few_errors(self) -> bool:
        """Whether intervals rest on as few errors as there are, and not on what documents could add."""
        return False

    def keep_queries(self, columns: Sequence[int]) -> "Corrector":  # noqa: ARG002 - of any
        """Keep some of the queries, by number."""
        return self

    def estimate(self) -> Estimate | None:
        """Estimate what is to be added to the mean of the values; None: nothing can be."""
        return None

    def estimate_difference(self, other: "Corrector") -> Estimate | None:  # noqa: ARG002 - of any
        """Estimate what is to be added to the mean difference from the values of another run, in the same queries."""
        return None


@dataclass(frozen=True, eq=False)
class DocumentCorrector(Corrector):
    """A sum over documents, of which some were drawn: an entry is a rank of a query at which a drawn document stands.

    ``parts`` [part, entry] are the weight of the rank, and times that the error of the gain, the gain by gold, and how
    far gains reach. ``weight`` [query] is that of all ranks, ``rest`` [query] what a value is beside the sum.
    ``probability`` and ``untold`` [document] are of the sheet.
    """

    values: Floats
    query: Ints
    document: Ints
    parts: Floats
    weight: Floats
    rest: Floats
    probability: Floats
    untold: Bools
    is_other_form: bool = False
    kept: dict[bytes, DrawnDocuments] = field(default_factory=dict)  # what was asked for before

    def keep_queries(self, columns: Sequence[int]) -> "DocumentCorrector":
        """Keep some of the queries, by number."""
        place = number_rows(columns, len(self.weight))
        kept = place[self.query] != MISSING
        return replace(
            self,
            values=self.values[list(columns)],
            query=place[self.query[kept]],
            document=self.document[kept],
            parts=self.parts[:, kept],
            weight=self.weight[list(columns)],
            rest=self.rest[list(columns)],
            kept={},
        )

    def take_drawn(self, there: Bools | None = None) -> DrawnDocuments:
        """Give what the drawn documents have in the mean of the values; ``there`` [query] says of which queries.

        Queries without a value are left out.
        """
        defined = ~np.isnan(self.values) if there is None else there & ~np.isnan(self.values)
        asked = defined.tobytes()
        if asked not in self.kept:
            self.kept[asked] = self._drawn(defined)
        return self.kept[asked]

    def _drawn(self, there: Bools) -> DrawnDocuments:
        many, kept = max(int(there.sum()), 1), there[self.query]
        document, size = self.document[kept], len(self.probability)
        weights, errors, gold, reaches = (np.bincount(document, part[kept], size) / many for part in self.parts)
        weight, rest = (float(each[there].sum()) / many for each in (self.weight, self.rest))
        untold = self.untold & (weights > 0)
        place = np.cumsum(there) - 1
        ranks = DrawnRanks(
            query=place[self.query[kept]],
            document=document,
            weights=self.parts[0, kept] / many,
            errors=self.parts[1, kept] / many,
            totals=self.weight[there] / many,
            values=self.values[there] / many,
        )
        return DrawnDocuments(weights, errors, gold, reaches, self.probability, untold, weight, rest, ranks)

    def estimate(self) -> Estimate | None:
        """Estimate from all drawn documents that are looked at."""
        return self.take_drawn().estimate()

    def estimate_difference(self, other: Corrector) -> Estimate | None:
        """Estimate from the documents drawn, which cancel where they stand at the same ranks of both runs."""
        if not isinstance(other, DocumentCorrector):
            return None
        both = ~(np.isnan(self.values) | np.isnan(other.values))
        return self.take_drawn(both).estimate_difference(other.take_drawn(both))


@dataclass(frozen=True, eq=False)
class QueryCorrector(Corrector):
    """``drawn`` queries [query], all documents of which are labeled, and their values by ``gold`` [query].

    nan is a query that was not drawn, or of which the value is undefined.
    """

    values: Floats
    gold: Floats
    drawn: Bools
    is_other_form: bool = False

    @property
    def has_few_errors(self) -> bool:
        """Whether only a part of the queries was drawn."""
        return not self.drawn.all()

    def keep_queries(self, columns: Sequence[int]) -> "QueryCorrector":
        """Keep some of the queries, by number."""
        kept = list(columns)
        return replace(self, values=self.values[kept], gold=self.gold[kept], drawn=self.drawn[kept])

    def estimate(self) -> Estimate | None:
        """Estimate from the drawn queries."""
        return estimate_from_queries(self.values, self.gold, self.drawn)

    def estimate_difference(self, other: Corrector) -> Estimate | None:
        """Estimate from the differences of the values in the same queries, undefined where either is."""
        if not isinstance(other, QueryCorrector):
            return None
        with np.errstate(invalid="ignore"):  # an infinite value of both
            values, gold = self.values - other.values, self.gold - other.gold
        return estimate_from_queries(values, gold, self.drawn & other.drawn)


@dataclass(frozen=True, eq=False)
class Refused(Corrector):
    """A measure that no gold label corrects, and why."""

    why: str
    values: Floats = field(default_factory=lambda: np.zeros(0))


class Corrected(NamedTuple):
    """A mean that gold labels have corrected, and its interval; nan where there is none.

    ``gold`` is how many were labeled of what it rests on, of which ``differ`` do; ``doubtful`` says that so few differ
    that the interval is surer than they can be. ``without_tau`` is the mean that was corrected, if it is not that of
    the measure. ``why`` there is none.
    """

    corrected: float = float("nan")
    low: float = float("nan")
    high: float = float("nan")
    gold: int = 0
    differ: int = 0
    doubtful: bool = False
    why: str = ""
    without_tau: float | None = None


def correct_mean(
    row: Corrector, values: Floats, mean: float, confidence: float | None, bounds: tuple[float | None, float | None]
) -> Corrected:
    """Correct the ``mean`` of values [query]; without a ``confidence`` the interval is of labels alone, at 95 %.

    Its ends are cut at the ``bounds`` of the measure, the corrected value is not.
    """
    from fairtrec.statistics.doubt import is_doubtful
    from fairtrec.statistics.value_ranges import cut_ends

    if isinstance(row, Refused):
        return Corrected(why=row.why)
    estimate = row.estimate()
    if estimate is None:
        return Corrected(why=NOTHING)
    is_own = np.array_equal(row.values, values, equal_nan=True)
    before = mean if is_own else average_values(row.values)
    value = estimate.correct(before)
    of_both = estimate if confidence is None else estimate.with_queries()
    ends = of_both.find_interval(value, LEVEL if confidence is None else confidence)
    low, high = cut_ends(ends, bounds)
    doubtful = row.has_few_errors and not np.isnan(low) and is_doubtful(estimate.deciding)
    without_tau = before if row.is_other_form else None
    return Corrected(value, low, high, estimate.number, estimate.differ, doubtful, without_tau=without_tau)


def average_values(values: Floats) -> float:
    """Average the values [query] that are defined; nan of none."""
    there = ~np.isnan(values)
    return float(np.where(there, values, 0.0).sum() / there.sum()) if there.any() else float("nan")
