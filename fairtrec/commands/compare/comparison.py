"""A run compared with a baseline: the values of both in the same queries, and what is found of each measure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from fairtrec.data import Floats, Ints
from fairtrec.evaluation import slices as slicing
from fairtrec.evaluation.answers import Answer, Signature
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.deletions import delete_from_value, has_total, number_clusters
from fairtrec.formulas.distribution import quotient
from fairtrec.measure import Better, Measure
from fairtrec.statistics import corrections, paired
from fairtrec.statistics.deleted_clusters import Deletions, PooledDifference, compare_deletions, delete_from_mean
from fairtrec.statistics.doubt import is_difference_doubtful, is_doubtful
from fairtrec.statistics.gold_estimates import Estimate
from fairtrec.statistics.procedure import Procedure
from fairtrec.statistics.value_ranges import Range, bound_size
from fairtrec.support.notes import Note, NoteKind

LEVEL = 0.95  # of intervals that are only asked for their K and their doubt
ALL = "all"  # in the place of a baseline: every run in turn
ComparisonOutcome = Literal["better", "worse", "higher", "lower", "not shown", "not tested"]
TUKEY = NoteKind("queries of Tukey HSD", "Tukey HSD uses the queries that all runs have: {queries}")


@dataclass(frozen=True)
class Comparison:
    """The comparison of a run with a baseline by one measure, over the queries of a slice for which both have a value.

    Attributes:
        slice: its name, or "all".
        against: the run that is the baseline.
        better: the direction of the measure.
        compared: whether values or absolute values were compared.
        queries: how many have both values.
        baseline, mean: the means of the baseline and of the run.
        difference: mean minus baseline, with the interval ``low``, ``high``.
        p, p_corrected: the p-value, and the corrected one.
        effect: Cohen's d_z; nan of pooled values.
        cliff: Cliff's delta of the two sets of values; nan of pooled values.
        wins, ties, losses: queries in which the run is better, equal and worse; without a direction, higher and lower.
            None of pooled values.
        deciding: differences that differ from the most frequent one; of pooled values, queries that move the
            difference; with clusters, clusters.
        doubtful: whether fewer than ten decide, so that interval, p and verdict are surer than the data.
        verdict: "better", "worse", "higher", "lower", "not shown" or "not tested".
        p_not_worse: of non-inferiority by the margin; None if not asked for.
        p_equivalent: of equivalence within the margin (TOST); None if not asked for.
        worst_slice: whether this slice is the one with the worst mean of the run.
    """

    slice: str
    run: str  # the name of the run
    against: str  # the run that is the baseline of this comparison
    measure: str  # the name of the measure
    better: Better
    compared: Literal["value", "absolute value"]
    queries: int
    baseline: float
    mean: float
    difference: float
    low: float  # the lower end of the interval
    high: float  # the upper end of the interval
    p: float
    p_corrected: float
    effect: float  # Cohen's d_z
    cliff: float  # Cliff's delta, of the two sets of values
    wins: int | None
    ties: int | None
    losses: int | None
    deciding: int  # differences that differ from the most frequent one
    doubtful: bool  # whether fewer than ten decide, so that interval, p and verdict are surer than the data
    verdict: ComparisonOutcome
    p_not_worse: float | None  # of non-inferiority by the margin; None if not asked for
    p_equivalent: float | None  # of TOST
    worst_slice: bool

    @property
    def tested_difference(self) -> float:
        """The difference that interval, p and verdict are of."""
        return self.difference


@dataclass(frozen=True)
class CorrectedComparison(Comparison):
    """A comparison beside gold labels: the interval, p and verdict are those of the ``corrected`` difference.

    ``labels_share`` is how much of the variance is that of labels, the rest that of queries. None of both: gold labels
    do not correct the measure.
    """

    corrected: float | None = None
    labels_share: float | None = None

    @property
    def tested_difference(self) -> float:
        """The difference that interval, p and verdict are of: the corrected one, if there is one."""
        return self.difference if self.corrected is None else self.corrected


@dataclass(frozen=True)
class PooledComparison(Comparison):
    """A comparison in a report with pooled values; ``pooled`` tells whether these are compared, and not means.

    Then ``baseline`` and ``mean`` are the pooled values.
    """

    pooled: bool = False


def is_pooled(row: Comparison) -> bool:
    """Tell whether a row compares pooled values."""
    return isinstance(row, PooledComparison) and row.pooled


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(Answer):
    """All comparisons of a result with its baselines. Each two runs are compared once.

    Attributes:
        rows: the comparisons.
        baselines: numbers of runs; all of them if each two runs are compared.
        procedure: the test, the correction and the interval.
        family: the comparisons over which p-values are corrected.
    """

    rows: tuple[Comparison, ...]
    result: Result  # the values that are compared
    baselines: tuple[int, ...]
    procedure: Procedure
    family: str
    notes: tuple[Note, ...]  # what a reader must know about the numbers

    @property
    def baseline(self) -> int:
        """The first of the baselines."""
        return self.baselines[0]

    @property
    def compares_all(self) -> bool:
        """Whether all runs are compared with each other."""
        return len(self.baselines) == len(self.result.scores)

    @property
    def signature(self) -> Signature:
        """Every choice that changes a number."""
        names = [Path(self.result.scores[number].run).name for number in self.baselines]
        return (
            self.result.signature | {"baseline": ALL if self.compares_all else ",".join(names)} | self.procedure.choices
        )


@dataclass(frozen=True, eq=False)
class PairedValues:
    """The values of a run and of the baseline in the same queries."""

    slice: str
    run: str
    against: str
    measure: Measure
    qids: tuple[str, ...]
    values: Floats
    baseline: Floats
    differences: Floats
    bounds: Range = (None, None)  # of the values that are compared
    beside_gold: bool = False
    labels: Estimate | None = None  # what gold labels add to the mean difference
    few: bool = False  # whether it rests on queries, of which few may differ
    uncorrected: float = float("nan")  # the mean difference that they correct
    beside_pool: bool = False  # whether the report has pooled values
    is_pooled: bool = False  # whether these are compared
    deletions: tuple[Deletions, Deletions] | None = None  # of both values; None: of means of independent queries
    clusters: Ints | None = None  # of the queries; None: they are independent

    @property
    def better(self) -> Better:
        """Which values are good: of signed ones, pooled or corrected by gold labels, nothing says."""
        signed = (self.labels is not None or self.is_pooled) and self.measure.better == "nearer 0"
        return "neither" if signed else self.measure.better

    @property
    def is_skewable(self) -> bool:
        """Whether its interval is of Student's t over queries."""
        return self.labels is None and self.deletions is None

    @property
    def both(self) -> tuple[float, float]:
        """The pooled values or the means, of the run and of the baseline."""
        if self.is_pooled and self.deletions is not None:
            return self.deletions[0].value, self.deletions[1].value
        with np.errstate(invalid="ignore"):  # the mean of both infinities is undefined
            one, other = (float(each.mean()) if len(each) else float("nan") for each in (self.values, self.baseline))
        return one, other

    @cached_property
    def cluster_sums(self) -> Floats:
        """The differences, summed over each cluster [cluster]."""
        numbers = np.arange(len(self.differences)) if self.clusters is None else self.clusters
        _, at = np.unique(numbers, return_inverse=True)
        return np.bincount(at, self.differences).astype(np.float64)

    def compare_deletions(self, confidence: float) -> PooledDifference:
        """Compare what the deletion of clusters changes of both."""
        assert self.deletions is not None
        return compare_deletions(*self.deletions, confidence)

    @property
    def is_doubtful(self) -> bool:
        """Whether so few differences decide, or so few labels, that interval, p and verdict are too sure."""
        if self.deletions is not None:
            return self.compare_deletions(LEVEL).doubtful
        few_labels = self.few and self.labels is not None and is_doubtful(self.labels.deciding)
        return few_labels or is_difference_doubtful(self.differences)

    @property
    def labels_share(self) -> float:
        """How much of the variance is that of labels; nan where there is none, or no interval."""
        assert self.labels is not None
        return float(quotient(self.labels.variance, self.labels.with_queries().variance))

    @property
    def corrected_difference(self) -> float:
        """The mean difference as gold labels correct it."""
        assert self.labels is not None
        return self.labels.correct(self.uncorrected)

    def correct_difference(self, confidence: float) -> tuple[float, float, float, float]:
        """Give the interval of the corrected mean difference, its p, and the side of 0 that it is on."""
        assert self.labels is not None
        value, of_both = self.corrected_difference, self.labels.with_queries()
        return *of_both.find_interval(value, confidence), of_both.p_value(value), float(np.sign(value))


def pairs(
    name: str, several: Sequence[Scores], bases: Sequence[int], clusters: Mapping[str, str]
) -> Iterator[PairedValues]:
    """Pair each run of a slice with each baseline, measure by measure; two runs once, with the first of them.

    ``clusters`` has the cluster of each query; nothing: queries are independent.
    """
    for at, base in enumerate(bases):
        for number, scores in enumerate(several):
            if number not in bases[: at + 1]:
                yield from _of_two(name, scores, several[base], clusters)


def _of_two(name: str, run: Scores, against: Scores, clusters: Mapping[str, str]) -> Iterator[PairedValues]:
    mine, theirs = (run, against) if run.qids == against.qids else slicing.keep_common_queries(run, against)
    numbers = number_clusters(mine.qids, clusters)
    beside_pool = any(has_total(mine, measure) for measure in run.measures)
    for row, measure in enumerate(run.measures):
        of_run, of_baseline = mine.values[row], theirs.values[row]
        if has_total(mine, measure):
            yield _pair_pooled(name, mine, theirs, row, numbers)
            continue
        beside_gold, labels, few, uncorrected = mine.is_corrected and theirs.is_corrected, None, False, float("nan")
        if beside_gold:
            from fairtrec.evaluation.columns.gold import estimate_difference  # which few comparisons need

            labels, few, uncorrected = estimate_difference(mine, theirs, row)
        bounds = mine.find_bounds(row)
        if measure.better == "nearer 0" and labels is None:
            of_run, of_baseline, bounds = np.abs(of_run), np.abs(of_baseline), bound_size(bounds)
        both = ~(np.isnan(of_run) | np.isnan(of_baseline))
        values, others = of_run[both], of_baseline[both]
        qids = tuple(mine.qids[column] for column in np.flatnonzero(both))
        differences = paired.subtract(values, others)
        own = numbers[both] if clusters else None
        deletions = None
        if own is not None:
            deletions = delete_from_mean(values, own, LEVEL), delete_from_mean(others, own, LEVEL)
        yield PairedValues(
            slice=name,
            run=run.run,
            against=against.run,
            measure=measure,
            qids=qids,
            values=values,
            baseline=others,
            differences=differences,
            bounds=bounds,
            beside_gold=beside_gold,
            labels=labels,
            few=few,
            uncorrected=uncorrected,
            beside_pool=beside_pool,
            deletions=deletions,
            clusters=own,
        )


def _pair_pooled(name: str, run: Scores, against: Scores, row: int, clusters: Ints) -> PairedValues:
    """Pair the pooled values of two runs over the same queries."""
    nothing = np.full(len(run.qids), np.nan)
    return PairedValues(
        slice=name,
        run=run.run,
        against=against.run,
        measure=run.measures[row],
        qids=run.qids,
        values=nothing,
        baseline=nothing,
        differences=nothing,
        bounds=run.find_bounds(row),
        beside_pool=True,
        is_pooled=True,
        deletions=(delete_from_value(run, row, clusters, LEVEL), delete_from_value(against, row, clusters, LEVEL)),
    )


def tukey_hsd(compared: Sequence[PairedValues], p: Floats, *, resamples: int, seed: int) -> tuple[Floats, list[Note]]:
    """Give the p of Tukey's HSD of each pair, all runs of a measure and slice at once, and what is to be said of it.

    It is over the queries that all of these have; a pair without a ``p`` of its own has none.
    """
    found = np.full(len(compared), np.nan)
    families: dict[tuple[str, Measure], list[int]] = {}
    for place in np.flatnonzero(~np.isnan(p)).tolist():
        families.setdefault((compared[place].slice, compared[place].measure), []).append(place)
    fewer: dict[str, int] = {}
    for (_, measure), places in families.items():
        family = [compared[place] for place in places]
        shared = set(family[0].qids).intersection(*(pair.qids for pair in family[1:]))
        if any(len(pair.qids) > len(shared) for pair in family):
            fewer[str(measure)] = len(shared)
        if len(shared) < 2:
            continue
        columns: dict[str, Floats] = {}  # of each run
        for pair in family:
            keep = [qid in shared for qid in pair.qids]
            columns.setdefault(pair.against, pair.baseline[keep])
            columns.setdefault(pair.run, pair.values[keep])
        number = {run: at for at, run in enumerate(columns)}
        values = np.stack([*columns.values()], axis=1)
        values[~np.isfinite(values).all(axis=1)] = 0.0  # runs that are infinite alike do not differ in that query
        p_of = corrections.randomized_tukey(values, resamples=resamples, seed=seed)
        found[places] = [p_of[number[pair.against], number[pair.run]] for pair in family]
    told = ", ".join(f"{name} {many}" for name, many in fewer.items())
    return found, [TUKEY.note(queries=told)] if fewer else []
