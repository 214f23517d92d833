"""How do measures go together, query by query and in how they rank runs?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import nan
from typing import Any, Literal

import numpy as np

from fairtrec.data import Floats
from fairtrec.evaluation import slices as slicing
from fairtrec.evaluation.answers import Answer, Signature
from fairtrec.evaluation.answers.aggregates import refuse_gold
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.leaderboard import comparable
from fairtrec.formulas.rounding import finite
from fairtrec.measure import Measure, badness
from fairtrec.measures.catalogue.cutoffs import family, find_cutoff
from fairtrec.statistics import corrections as correction
from fairtrec.statistics.agreement import COEFFICIENTS, Coefficient, Correlation, correlation, tau_ap
from fairtrec.statistics.procedure import Procedure
from fairtrec.support.errors import FilePath, UsageError
from fairtrec.support.literals import Correction, Over
from fairtrec.support.notes import Note

AssociationOutcome = Literal["correlated", "not shown", "not tested"]
ALL_RUNS = "all runs"
MeasuresOfCutoff = tuple[int, int, str, str, int | None]


@dataclass(frozen=True)
class Association:
    """The correlation of two measures, over the queries of a run or over the means of runs.

    Attributes:
        measure, other: the two measures.
        kind: the coefficient.
        n: pairs of values.
        undefined: pairs that are left out: a value is undefined or infinite, or the mean of a run cannot be compared.
        correlation: with the interval ``low``, ``high``.
        p, p_corrected: the p-value, and the corrected one.
        verdict: "correlated", "not shown" or "not tested".
        doubtful: whether fewer than 10 values of a measure differ from its most frequent one, so there is no interval.
    """

    slice: str  # the name of the slice, or "all"
    run: str  # the name of the run, or "all"
    measure: str
    other: str
    kind: Coefficient | Literal["tau_ap"]
    n: int
    undefined: int  # pairs that are left out: a value is undefined or infinite, or a run's mean cannot be compared
    correlation: float
    low: float  # the lower end of the interval
    high: float  # the upper end of the interval
    p: float
    p_corrected: float
    verdict: AssociationOutcome
    doubtful: bool  # whether so few values of a measure differ that p and verdict are surer than the data


@dataclass(frozen=True)
class AssociationAtCutoff(Association):
    """The correlation of two measures of one cutoff; their names are without it."""

    cutoff: int


@dataclass(frozen=True, eq=False, repr=False)
class Associations(Answer):
    """The correlations between all measures of a result, or between those of each cutoff.

    Attributes:
        rows: the correlations.
        over: "queries" or "runs".
        procedure: the correction and the level of intervals.
        family: the correlations over which p-values are corrected.
        by_cutoff: whether only measures with the same cutoff are correlated.
    """

    rows: tuple[Association, ...]
    result: Result  # the values that are correlated
    over: Over
    procedure: Procedure
    family: str
    notes: tuple[Note, ...]  # what a reader must know about the numbers
    by_cutoff: bool = False

    @property
    def signature(self) -> Signature:
        """Every choice that changes a number."""
        how = self.procedure
        over = f"{self.over} by cutoff" if self.by_cutoff else self.over
        choices = {"correlate": over, "correction": how.correction, "interval": str(how.confidence)}
        return self.result.signature | choices


def correlate(
    result: Result | slicing.Recorded,
    over: Over = "queries",
    *,
    slices: FilePath | Mapping[str, Sequence[str]] | None = None,
    correction: Correction = "holm",
    confidence: float = 0.95,
    by_cutoff: bool = False,
) -> Associations:
    """Correlate each two measures of a result, over queries or over runs.

    Over queries, each run has a row, and all runs together have one. The row of all has no p and no interval, because
    values of one query are not independent. Over runs there is also tau_ap of the orders of runs, without p and
    interval. Over runs, a mean over fewer queries than those of other runs is left out. If nearer 0 is better, orders
    are by the mean size.

    Args:
        result: what ``evaluate``, ``read_results`` or ``read_values`` returns.
        over: "queries" or "runs".
        slices: the query ids of each slice, or a file of lines of qid and slice.
        correction: of the p-values for several pairs.
        confidence: the level of the intervals.
        by_cutoff: correlate only measures with the same cutoff, in a result with each at several.

    Raises:
        UsageError: fewer than two measures; with ``by_cutoff``, fewer than two of a cutoff, or one without.
    """
    how = Procedure(correction=correction, confidence=confidence)
    result, parts = slicing.record_slices(result, slices)
    refuse_gold(result.scores, "correlations look")
    if over not in ("queries", "runs"):
        raise UsageError(f"measures correlate over queries or runs, not over {over!r}; choose one of the two")
    if not result.scores:
        raise UsageError("no run to correlate measures of; pass one")
    if len(result.scores[0].measures) < 2:
        raise UsageError("only one measure; add another to correlate it with")
    pairs = _pairs(result.scores[0].measures, by_cutoff=by_cutoff)
    rows = [
        row
        for name, part in slicing.split_result(result, parts)
        for run, values, pooled in _columns(part, over)
        for row in _associations(name, run, pairs, values, how, pooled=pooled)
    ]
    if over == "runs":
        rows += [row for name, part in slicing.split_result(result, parts) for row in _of_orders(name, part, pairs)]
    corrected, notes = tuple(_corrected(rows, how)), tuple(slicing.note_slices(result, parts))
    return Associations(corrected, result, over, how, _family(rows, how), notes, by_cutoff)


def _pairs(measures: Sequence[Measure], *, by_cutoff: bool) -> list[MeasuresOfCutoff]:
    """Give each two measures by number and name, and their cutoff if they are to have the same."""
    names = list(map(str, measures))
    if not by_cutoff:
        return [(one, other, names[one], names[other], None) for one, other in combinations(range(len(names)), 2)]
    cutoffs = list(map(find_cutoff, measures))
    found: list[MeasuresOfCutoff] = []
    for cutoff in sorted({*cutoffs}):
        rows = [row for row, own in enumerate(cutoffs) if own == cutoff]
        if len(rows) < 2:
            raise UsageError(f"{names[rows[0]]} is the only measure at its cutoff; add another to correlate it with")
        found += [(a, b, family(measures[a]), family(measures[b]), cutoff) for a, b in combinations(rows, 2)]
    return found


def _row(name: str, run: str, pair: MeasuresOfCutoff, kind: Any, many: int, found: Correlation) -> Association:
    """Take what was found of so ``many`` pairs of values."""
    (*_, one, other, cutoff), p = pair, found.p
    ends = found.value, found.low, found.high
    left_out = many - found.n
    row = Association(name, run, one, other, kind, found.n, left_out, *ends, p, p, "not tested", found.doubtful)
    return row if cutoff is None else AssociationAtCutoff(**vars(row), cutoff=cutoff)


def _columns(result: Result, over: Over) -> Iterator[tuple[str, Floats, bool]]:
    """Give the values [measure, query] of each run, and those of all runs side by side; or the means [measure, run]."""
    if over == "runs":
        means = np.array([scores.means for scores in result.scores])
        yield ALL_RUNS, np.where(np.isnan(comparable(result)), nan, means).T, False
        return
    for scores in result.scores:
        yield scores.run, scores.values, False
    if len(result.scores) > 1:
        yield ALL_RUNS, np.concatenate([scores.values for scores in result.scores], axis=1), True


def _associations(
    name: str, run: str, pairs: Sequence[MeasuresOfCutoff], values: Floats, how: Procedure, *, pooled: bool
) -> Iterator[Association]:
    for pair in pairs:
        for kind in COEFFICIENTS:
            found = correlation(values[pair[0]], values[pair[1]], kind, how.confidence)
            told = replace(found, low=nan, high=nan, p=nan, doubtful=False) if pooled else found
            yield _row(name, run, pair, kind, values.shape[1], told)


def _of_orders(name: str, result: Result, pairs: Sequence[MeasuresOfCutoff]) -> Iterator[Association]:
    """Correlate the orders of the runs from the best, or the highest by a measure of no direction."""
    measures = result.scores[0].measures
    orders = [badness(row, measure.better) for row, measure in zip(comparable(result).T, measures, strict=True)]
    known = [np.where(finite(order), order, nan) for order in orders]
    for pair in pairs:
        x, y = known[pair[0]], known[pair[1]]
        n = int((~np.isnan(x) & ~np.isnan(y)).sum())
        yield _row(name, ALL_RUNS, pair, "tau_ap", len(x), Correlation(n, tau_ap(x, y)))


def _corrected(rows: list[Association], how: Procedure) -> Iterator[Association]:
    """Correct the p-values, those of each kind of coefficient as a family of its own."""
    p = np.array([row.p for row in rows])
    kinds = np.array([row.kind for row in rows])
    for kind in COEFFICIENTS:
        p[kinds == kind] = correction.correct_p_values(p[kinds == kind], how.correction)
    for row, corrected in zip(rows, p.tolist(), strict=True):
        outcome: AssociationOutcome = "correlated" if corrected <= how.alpha else "not shown"
        yield replace(row, p_corrected=corrected, verdict="not tested" if np.isnan(corrected) else outcome)


def _family(rows: list[Association], how: Procedure) -> str:
    tested = sum(not np.isnan(row.p) for row in rows if row.kind == COEFFICIENTS[0])
    return f"{correction.NAMES[how.correction]} over {tested} correlation{'s' * (tested != 1)} of each kind"
