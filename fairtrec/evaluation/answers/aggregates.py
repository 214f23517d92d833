"""What a run's value is made of those of its queries, where that is not their mean (``--aggregate``).

mean, median, min, max      over the queries that have a value
gm                          the geometric mean, values below .00001 as that: gm_map of trec_eval, of any measure
p0 to p100, also p2.5       a percentile, between two values by linear interpolation, as numpy.quantile; p50: the median
<b, <=b, >b, >=b            the share of these queries whose value lies beyond the bound b
"""

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from fairtrec.data import Floats
from fairtrec.evaluation.answers import CONFIDENCE_GOES_BY
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.formulas.elementary import exp, log
from fairtrec.formulas.rounding import same
from fairtrec.measure import Better, Bounds, Measure, Note, NoteKind, Quantity
from fairtrec.support.errors import UsageError
from fairtrec.support.late_patterns import compile_late

MEAN = "mean"
LEAST = 0.00001  # of what is multiplied, as in trec_eval
_OVER: dict[str, Callable[[Floats], Any]] = {
    "median": np.median,
    "min": np.min,
    "max": np.max,
    "gm": lambda values: exp(np.asarray(log(np.maximum(values, LEAST)).mean())),
}
_BEYOND = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_BOUND = compile_late(r"(<=|>=|<|>)\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")
_PERCENTILE = compile_late(r"p(\d+(?:\.\d+)?)")
SHARE = NoteKind("share of queries", "{bounds}: the share of queries with such a value, of those that have one")
GEOMETRIC = NoteKind("geometric mean", "gm: the geometric mean over queries, each value at least {least:.5f}")


def read(given: str | Sequence[str]) -> tuple[str, ...]:
    """Read a list of them, apart by commas. Raises UsageError for what is none, and for one that appears twice.

    >>> read("max, < 0.90"), read(["gm"])
    (('max', '<0.9'), ('gm',))
    >>> read("p10.0,p2.5")
    ('p10', 'p2.5')
    """
    if not isinstance(given, str | Sequence):
        raise UsageError(f"the aggregate is {given!r}; it must be a list like 'median,<0.9'")
    words = given.split(",") if isinstance(given, str) else given
    found = []
    for word in (str(each).strip() for each in words):
        bound, percentile = _BOUND.fullmatch(word), _find_percentile(word)
        if bound is None and percentile is None and word not in (MEAN, *_OVER):
            known = f"{', '.join((MEAN, *_OVER))}, p0 to p100, and bounds like '<0.9' or '>=3'"
            raise UsageError(f"cannot read --aggregate {word!r}; there are {known}")
        number = 0.0 if bound is None else float(bound[2]) + 0.0  # which leaves no sign to 0
        if not math.isfinite(number):
            raise UsageError(f"--aggregate {word}: the number is too large; write one below 1e308")
        sign, number = ("p", percentile) if percentile is not None else (bound[1] if bound else word, number)
        found.append(word if sign == word else f"{sign}{number!r}".removesuffix(".0"))
    for word in (word for at, word in enumerate(found) if word in found[:at]):
        raise UsageError(f"--aggregate has {word} twice; keep one")
    return tuple(found)


def _find_percentile(word: str) -> float | None:
    """Read a percentile; None if it is none from 0 to 100."""
    found = _PERCENTILE.fullmatch(word)
    return float(found[1]) if found and float(found[1]) <= 100 else None


def _compute_percentile(values: Floats, percentile: float) -> float:
    """Compute a percentile as numpy does; of values that may be infinite, of which numpy makes nan.

    >>> _compute_percentile(np.array([8.0, 1.0, 4.0, 2.0]), 50.0), _compute_percentile(np.array([-np.inf, 1.0]), 0.0)
    (3.0, -inf)
    """
    low, high = (np.quantile(values, percentile / 100, method=side) for side in ("lower", "higher"))
    if low == high or not np.isfinite(low + high):
        return float(low if low == high else low + high)
    return float(np.quantile(values, percentile / 100))


@dataclass(frozen=True)
class Aggregated(Quantity):
    """A measure whose value of a run is another than the mean over queries: ``MaxSkew@10 max``.

    ``follows`` says that it stands behind another of the same measure, which has the values of queries.
    """

    of: Measure
    how: str
    follows: bool  # type: ignore[misc]  # of each, as it is given

    @property
    def bound(self) -> tuple[str, float] | None:
        """The operator and the number beyond which values are counted; None where they are not."""
        found = _BOUND.fullmatch(self.how)
        return None if found is None else (found[1], float(found[2]))

    @property
    def better(self) -> Better:  # type: ignore[override]  # that of the measure, or of being beyond a bound
        """Which values are good; a share of queries is better lower where it counts the worse ones."""
        if self.bound is None:
            return self.of.better
        (sign, number), better = self.bound, self.of.better
        if better == "neither" or (better == "nearer 0" and (number < 0 if sign[0] == ">" else number > 0)):
            return "neither"
        return "higher" if (sign[0], better) in ((">", "higher"), ("<", "lower")) else "lower"

    @property
    def total(self) -> bool:  # type: ignore[override]
        """Whether it is the sum over queries."""
        return self.how == MEAN and self.of.total

    @property
    def of_mean(self) -> bool:  # type: ignore[override]
        """Whether the values of queries stand elsewhere."""
        return self.follows

    @property
    def bounds(self) -> Bounds:
        """Those of the measure, or of a share."""
        return self.of.bounds if self.bound is None else (0.0, 1.0)

    def bounds_against(self, target: Floats) -> Bounds:
        """Give those of the measure against this target, or those of a share."""
        return self.of.bounds_against(target) if self.bound is None else (0.0, 1.0)

    def bounds_among(self, groups: Sequence[str], target: Floats) -> Bounds:
        """Give those of the measure against the target of these groups, or those of a share."""
        return self.of.bounds_among(groups, target) if self.bound is None else (0.0, 1.0)

    @property
    def trec(self) -> str:
        """The name that trec_eval has for the measure, if it was asked for by that."""
        return getattr(self.of, "trec", "")

    @property
    def is_of_set(self) -> bool:
        """Whether the measure was asked for by the name of a set of trec_eval."""
        return getattr(self.of, "is_of_set", False)

    @property
    def query_measure(self) -> Measure:
        """The measure."""
        return self.of

    @property
    def aggregate(self) -> str:
        """What the run's value is."""
        return "sum" if self.total else self.how

    def describe(self) -> dict[str, str]:
        """Name the measure, too."""
        return {**super().describe(), "of": str(self.of)}

    def describe_aggregate(self) -> dict[str, str]:
        """Say what the run's value is."""
        return {"aggregate": self.aggregate}

    def trec_name(self, *, is_mean: bool) -> str:
        """Name the measure as trec_eval does, if it was asked for so; behind a point what of its values this is."""
        return f"{self.trec or self.of}{f'.{self.how}' if self.how != MEAN and is_mean else ''}"

    @property
    def over(self) -> Callable[[Floats], float] | None:
        """What makes one value of those of queries, of which there is one or more; None: the mean, or the sum."""
        return None if self.how == MEAN else self._over

    def _over(self, values: Floats) -> float:
        if (percentile := _find_percentile(self.how)) is not None:
            return _compute_percentile(values, percentile)
        if self.bound is None:
            return float(_OVER[self.how](values))
        sign, number = self.bound
        there = _BEYOND[sign](np.where(same(values, np.array(number)), number, values), number)
        return float(there.mean())

    def refuse(self, target: Floats | None) -> None:
        """Raise UsageError for a measure that it is not made of, against this target [group]."""
        if self.of.geometric:
            raise UsageError(f"{self.of} is a geometric mean already; leave it out, or --aggregate")
        low, _ = self.of.bounds if target is None else self.of.bounds_against(target)
        if self.how == "gm" and (low is None or low < 0):
            raise UsageError(f"{self.of} can be below 0, and has no geometric mean; leave it out, or --aggregate gm")

    def __str__(self) -> str:
        return str(self.of) if self.how == MEAN else f"{self.of} {self.how}"


def strip_aggregate(measure: Quantity) -> Quantity:
    """Give the measure that the values of single queries are of."""
    return measure.query_measure


def strip_aggregates(scores: Scores) -> Scores:
    """Give each measure once, as the values of queries are of it."""
    rows = [row for row, measure in enumerate(scores.measures) if not measure.follows]
    measures = cast("tuple[Measure, ...]", tuple(strip_aggregate(scores.measures[row]) for row in rows))
    return scores if measures == scores.measures else replace(scores, measures=measures, values=scores.values[rows])


def several(measures: Sequence[Measure], given: str | Sequence[str]) -> tuple[Aggregated, ...]:
    """Give each measure in each of these ways."""
    ways = read(given)
    return tuple(Aggregated(each, how, at > 0) for each in measures for at, how in enumerate(ways))


def refuse_unfit(
    measures: Sequence[Measure], given: str | Sequence[str], target_of: Callable[[str], Floats | None]
) -> None:
    """Raise UsageError for the first measure that cannot be made so; each attribute has a target."""
    for each in several(measures, given):
        each.refuse(target_of(each.of.by))


def aggregate_scores(scores: Scores, given: str | Sequence[str]) -> Scores:
    """Give a row for each measure in each of these ways, with the values of queries that there are."""
    found = several(scores.measures, given)
    return replace(
        scores,
        measures=cast("tuple[Measure, ...]", found),  # of which reports ask no more than of a quantity
        values=np.repeat(scores.values, len(read(given)), axis=0),
        columns={name: column for name, column in scores.columns.items() if not column.is_of_means},
        strange=frozenset(cast("Measure", each) for each in found if each.of in scores.strange),
    )


def note_aggregates(given: str | Sequence[str]) -> list[Note]:
    """Make the notes on these ways."""
    ways = read(given)
    bounds = [way for way in ways if _BOUND.fullmatch(way)]
    return [
        *[SHARE.note(bounds=", ".join(bounds))] * bool(bounds),
        *[GEOMETRIC.note(least=LEAST)] * ("gm" in ways),
    ]


def refuse_aggregated(several: Sequence[Scores], what: str) -> None:
    """Raise UsageError where the values of runs are medians and the like, and it goes by means."""
    for each in (measure for scores in several for measure in scores.measures):
        if isinstance(each, Aggregated):
            raise UsageError(f"{what} means over queries, and these are not; leave out --aggregate {each.how}")


def refuse(several: Sequence[Scores], what: str) -> None:
    """Raise UsageError where the values of runs are no means, by which it goes."""
    refuse_aggregated(several, what)
    refuse_pooled((measure for scores in several for measure in scores.measures), what)


def refuse_gold(several: Sequence[Scores], what: str) -> None:
    """Raise UsageError for what looks at values of queries, which gold labels do not correct, or at their means."""
    refuse(several, f"{what} at")
    refuse_corrected(several, f"gold labels correct means, and {what} at values of queries; leave out --gold")


def refuse_corrected(several: Sequence[Scores], fault: str) -> None:
    """Raise UsageError with a message if gold labels correct the means of runs."""
    if any(scores.is_corrected for scores in several):
        raise UsageError(fault)


def refuse_pooled(measures: Iterable[Quantity], what: str, *, asked: bool = True) -> None:
    """Raise UsageError for a measure that only all queries together have a value of, if means are ``asked`` for."""
    for each in measures:
        if each.of_pool and asked:
            raise UsageError(f"{what} means over queries, and {each} has none; leave the measure out")


def refuse_without_interval(measures: Iterable[Quantity], *, asked: bool = True) -> None:
    """Raise UsageError for a measure of which no value has an interval, if intervals are ``asked`` for."""
    refuse_pooled((each for each in measures if not each.has_pooled_interval), CONFIDENCE_GOES_BY, asked=asked)


def refuse_given(given: Mapping[str, Any], what: str) -> None:
    """Raise UsageError where others than means are asked for."""
    if read(given.get("aggregate") or MEAN) != (MEAN,):
        raise UsageError(f"{what} means over queries; leave out --aggregate")
