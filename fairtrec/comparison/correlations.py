"""How do measures go together, query by query and in how they rank runs? And how alike are the rankings of runs?"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import nan
from typing import Any, Literal

import numpy as np

from fairtrec.answers import Answer, Signature
from fairtrec.answers.result import Result
from fairtrec.comparison import slices as slicing
from fairtrec.comparison.baseline import find
from fairtrec.comparison.compared import refuse_gold
from fairtrec.comparison.curves import cutoff_of, family
from fairtrec.comparison.leaderboard import comparable
from fairtrec.data import MISSING, Docnos, Floats, Run
from fairtrec.errors import FilePath, InputError, UsageError
from fairtrec.formulas import overlap
from fairtrec.formulas.rounding import finite
from fairtrec.inputs import loading
from fairtrec.inputs.choices import Choices
from fairtrec.literals import Correction, Extrapolation, Over, RunFormat
from fairtrec.measure import Measure, badness
from fairtrec.statistics import corrections as correction
from fairtrec.statistics.agreement import COEFFICIENTS, Coefficient, correlation, tau_ap
from fairtrec.statistics.procedure import Procedure
from fairtrec.version import __version__

AssociationOutcome = Literal["correlated", "not shown", "not tested"]
ALL_RUNS = "all runs"
MeasuresOfCutoff = tuple[int, int, str, str, int | None]


@dataclass(frozen=True)
class Association:
    """The correlation of two measures over ``n`` pairs of values, those of a run's queries or the means of runs."""

    slice: str
    run: str
    measure: str
    other: str
    kind: Coefficient | Literal["tau_ap"]
    n: int
    undefined: int  # pairs that are left out: a value is undefined or infinite, or a run's mean cannot be compared
    correlation: float
    low: float
    high: float
    p: float
    p_corrected: float
    verdict: AssociationOutcome


@dataclass(frozen=True)
class AssociationAtCutoff(Association):
    """The correlation of two measures of one cutoff; their names are without it."""

    cutoff: int


@dataclass(frozen=True, eq=False, repr=False)
class Associations(Answer):
    """The correlations between all measures of a result, or between those of each cutoff."""

    rows: tuple[Association, ...]
    result: Result
    over: Over
    procedure: Procedure
    family: str
    notes: tuple[str, ...]
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
    """Correlate each two measures of a result: over the queries of each run and of all together, or over runs' means.

    Pairs of the same query in several runs are not independent, so what is pooled has neither p nor interval. Over runs
    there is tau_ap, too, of the orders of runs from the best, by the mean size where nearer 0 is better, with neither.
    Over runs, a mean over fewer queries than those of other runs is left out, since it cannot be compared with them.
    ``by_cutoff`` correlates measures of the same cutoff alone, in a result with each at several.

    Raises UsageError for fewer than two measures, also of a cutoff, and by cutoff for one without.
    """
    how = Procedure(correction=correction, confidence=confidence)
    result, parts = slicing.signed(result, slices)
    refuse_gold(result, "correlations look")
    if over not in ("queries", "runs"):
        raise UsageError(f"measures correlate over queries or runs, not over {over!r}; choose one of the two")
    if not result.scores:
        raise UsageError("there is no run whose measures could correlate; give one")
    if len(result.scores[0].measures) < 2:
        raise UsageError("there is one measure alone; name another to correlate it with")
    pairs = _pairs(result.scores[0].measures, by_cutoff=by_cutoff)
    rows = [
        row
        for name, part in slicing.sliced(result, parts)
        for run, values, pooled in _columns(part, over)
        for row in _associations(name, run, pairs, values, how, pooled=pooled)
    ]
    if over == "runs":
        rows += [row for name, part in slicing.sliced(result, parts) for row in _of_orders(name, part, pairs)]
    corrected, notes = tuple(_corrected(rows, how)), tuple(slicing.notes(result, parts))
    return Associations(corrected, result, over, how, _family(rows, how), notes, by_cutoff)


def _pairs(measures: Sequence[Measure], *, by_cutoff: bool) -> list[MeasuresOfCutoff]:
    """Give each two measures by number and name, and their cutoff if they are to have the same."""
    names = list(map(str, measures))
    if not by_cutoff:
        return [(one, other, names[one], names[other], None) for one, other in combinations(range(len(names)), 2)]
    cutoffs = list(map(cutoff_of, measures))
    found: list[MeasuresOfCutoff] = []
    for cutoff in sorted({*cutoffs}):
        rows = [row for row, own in enumerate(cutoffs) if own == cutoff]
        if len(rows) < 2:
            raise UsageError(f"{names[rows[0]]} is alone at its cutoff; name another to correlate it with")
        found += [(a, b, family(measures[a]), family(measures[b]), cutoff) for a, b in combinations(rows, 2)]
    return found


def _row(
    name: str, run: str, pair: MeasuresOfCutoff, kind: Any, many: int, found: tuple[int, float, float, float, float]
) -> Association:
    """Take what was found of so ``many`` pairs of values: how many of these count, the coefficient, interval and p."""
    (*_, one, other, cutoff), (n, value, low, high, p) = pair, found
    row = Association(name, run, one, other, kind, n, many - n, value, low, high, p, p, "not tested")
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
            told = (nan, nan, nan) if pooled else (found.low, found.high, found.p)
            yield _row(name, run, pair, kind, values.shape[1], (found.n, found.value, *told))


def _of_orders(name: str, result: Result, pairs: Sequence[MeasuresOfCutoff]) -> Iterator[Association]:
    """Correlate the orders of the runs from the best, or the highest by a measure of no direction."""
    measures = result.scores[0].measures
    orders = [badness(row, measure.better) for row, measure in zip(comparable(result).T, measures, strict=True)]
    known = [np.where(finite(order), order, nan) for order in orders]
    for pair in pairs:
        x, y = known[pair[0]], known[pair[1]]
        n = int((~np.isnan(x) & ~np.isnan(y)).sum())
        yield _row(name, ALL_RUNS, pair, "tau_ap", len(x), (n, tau_ap(x, y), nan, nan, nan))


def _corrected(rows: list[Association], how: Procedure) -> Iterator[Association]:
    """Correct the p-values, those of each kind of coefficient as a family of its own."""
    p = np.array([row.p for row in rows])
    kinds = np.array([row.kind for row in rows])
    for kind in COEFFICIENTS:
        p[kinds == kind] = correction.corrected(p[kinds == kind], how.correction)
    for row, corrected in zip(rows, p.tolist(), strict=True):
        outcome: AssociationOutcome = "correlated" if corrected <= how.alpha else "not shown"
        yield replace(row, p_corrected=corrected, verdict="not tested" if np.isnan(corrected) else outcome)


def _family(rows: list[Association], how: Procedure) -> str:
    tested = sum(not np.isnan(row.p) for row in rows if row.kind == COEFFICIENTS[0])
    return f"{correction.NAMES[how.correction]} over {tested} correlation{'s' * (tested != 1)} of each kind"


@dataclass(frozen=True, eq=False)
class Overlap:
    """RBO of two runs for each query; ``left_out`` queries are those that one of them lacks."""

    first: str
    second: str
    qids: tuple[str, ...]
    values: Floats
    left_out: int

    @property
    def mean(self) -> float:
        """The mean over the queries; nan if there is none."""
        return float(self.values.mean()) if len(self.values) else float("nan")


@dataclass(frozen=True, eq=False, repr=False)
class Overlaps(Answer):
    """RBO of the runs: of each with each other, or of each with a baseline."""

    runs: tuple[str, ...]
    baseline: str | None
    pairs: tuple[Overlap, ...]
    signature: Signature

    @property
    def notes(self) -> list[str]:
        """Which pairs are compared over fewer queries than they have."""
        fewer = [pair for pair in self.pairs if pair.left_out]
        if not fewer:
            return []
        first = fewer[0]
        one = first.left_out == 1
        queries = f"{first.left_out} {'query' if one else 'queries'} that {first.first} or {first.second} lacks"
        more = f", and the like in {len(fewer) - 1} other pairs" if len(fewer) > 1 else ""
        return [f"{queries} {'is' if one else 'are'} left out{more}; --complete counts these as empty rankings"]


def rbo(
    runs: Any,
    baseline: str | int | None = None,
    *,
    p: float = 0.9,
    form: Extrapolation = "ext",
    depth: int | None = None,
    complete: bool = False,
    run_format: RunFormat = "auto",
) -> Overlaps:
    """Compare the rankings of runs by rank-biased overlap: each two, or each with a ``baseline`` among them.

    ``runs``      two or more, as `evaluate` takes them; the ``baseline`` is one of them, by name or by number from 0.
    ``p``         how likely a reader goes on to the next rank.
    ``form``      "ext" extrapolates; "min" is the least that it can be, "res" how much more, "trunc" neither.
    ``depth``     cuts rankings.
    ``complete``  counts queries that one run lacks as empty rankings; without it they are left out.

    Raises UsageError for fewer than two runs, InputError for what cannot be read and for runs of other queries.
    """
    named = dict(loading.named_runs(runs))
    if baseline is not None and baseline not in named:
        baseline = list(named)[find(list(named), baseline)]
    several = list(named) if baseline is None else [baseline, *(name for name in named if name != baseline)]
    if len(several) < 2:
        raise UsageError("RBO compares runs; name at least two, or one and --baseline RUN")
    choices = Choices(depth=depth, run_format=run_format)
    loaded = [one for name in several for one in loading.submitted(named[name], str(name), choices, depth).runs]
    numbers = range(len(several))
    pairs = combinations(numbers, 2) if baseline is None else ((number, 0) for number in numbers[1:])
    found = tuple(compared(loaded, pairs, p, form, complete=complete))
    for pair in found:
        if not pair.qids:
            raise InputError(f"this run and {pair.second} have no query in common; check the ids", pair.first)
    made = {"fairtrec": __version__, "rbo": form, "p": f"{p:g}", "order": "score", "depth": str(depth or "")}
    return Overlaps(tuple(named), None if baseline is None else str(baseline), found, Signature(made))


def compared(
    runs: Sequence[Run],
    pairs: Iterable[tuple[int, int]],
    p: float = 0.9,
    form: Extrapolation = "ext",
    *,
    complete: bool = False,
) -> Iterator[Overlap]:
    """Compare pairs of runs over the queries that both have; ``complete`` takes all, an absent one as an empty ranking.

    Ties are broken as everywhere, since a Run is ranked.
    """
    table = Docnos.of(np.concatenate([np.unique(run.docnos) for run in runs]))
    numbers = [np.append(table.rows(run.docnos), MISSING) for run in runs]  # the last is that of MISSING
    for one, other in pairs:
        first, second = runs[one], runs[other]
        every = tuple(dict.fromkeys((*first.qids, *second.qids)))
        among = set(first.qids).intersection(second.qids)
        qids = every if complete else tuple(qid for qid in every if qid in among)
        matrices = numbers[one][first.top(qids, None)], numbers[other][second.top(qids, None)]
        yield Overlap(first.name, second.name, qids, overlap.rbo(*matrices, p, form), len(every) - len(qids))
