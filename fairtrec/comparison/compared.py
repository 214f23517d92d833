"""A run compared with a baseline: what is found of one measure, and all of it together."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from fairtrec.errors import UsageError
from fairtrec.evaluation.answer import Answer, Signature
from fairtrec.evaluation.result import Result
from fairtrec.measure import Better
from fairtrec.statistics.procedure import DECIDING, Procedure

ALL = "all"  # in the place of a baseline: every run in turn
ComparisonOutcome = Literal["better", "worse", "higher", "lower", "not shown", "not tested"]


@dataclass(frozen=True)
class Comparison:
    """One run against the baseline by one measure, over the ``n`` queries of a slice for which both have a value.

    ``compared`` says whether the values or their absolute values were compared. ``wins`` are the queries in which the
    run is better; for a measure of no direction, those in which it is higher.
    """

    slice: str
    run: str
    against: str  # the run that is the baseline of this comparison
    measure: str
    better: Better
    compared: Literal["value", "absolute value"]
    n: int
    baseline: float
    mean: float
    difference: float
    low: float
    high: float
    p: float
    p_corrected: float
    effect: float  # Cohen's d_z
    cliff: float  # Cliff's delta, of the two sets of values
    wins: int
    ties: int
    losses: int
    nonzero: int  # differences that are not 0
    verdict: ComparisonOutcome
    p_not_worse: float | None  # of non-inferiority by the margin; None if not asked for
    p_equivalent: float | None  # of TOST
    worst_slice: bool

    @property
    def tested(self) -> float:
        """The difference that interval, p and verdict are of."""
        return self.difference

    @property
    def doubtful(self) -> bool:
        """Whether so few differences are not 0 that interval and p are surer than the data."""
        return 0 < self.nonzero < DECIDING and not np.isnan(self.p)


@dataclass(frozen=True)
class CorrectedComparison(Comparison):
    """A comparison beside gold labels: the interval, p and verdict are those of the ``corrected`` difference.

    ``labels_share`` is how much of the variance is that of labels, the rest that of queries. None of both: gold labels
    do not correct the measure.
    """

    corrected: float | None = None
    labels_share: float | None = None
    few_labels: bool = False

    @property
    def tested(self) -> float:
        """The difference that interval, p and verdict are of: the corrected one, if there is one."""
        return self.difference if self.corrected is None else self.corrected

    @property
    def doubtful(self) -> bool:
        """Whether so few differences are not 0, or so few labels differ, that interval and p are too sure."""
        return super().doubtful or self.few_labels


def refuse_gold(result: Result, what: str) -> None:
    """Raise UsageError for what looks at values of single queries, which gold labels do not correct."""
    if any(scores.gold is not None for scores in result.scores):
        raise UsageError(f"gold labels correct means, and {what} at values of queries; leave out --gold")


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(Answer):
    """All comparisons of a result with its baselines, each pair of runs once, and how they were made.

    ``baselines`` are numbers of runs; where all runs are compared with each other, these are all.
    """

    rows: tuple[Comparison, ...]
    result: Result
    baselines: tuple[int, ...]
    procedure: Procedure
    family: str
    notes: tuple[str, ...]

    @property
    def baseline(self) -> int:
        """The first of the baselines."""
        return self.baselines[0]

    @property
    def of_all(self) -> bool:
        """Whether all runs are compared with each other."""
        return len(self.baselines) == len(self.result.scores)

    @property
    def signature(self) -> Signature:
        """Every choice that changes a number."""
        names = [Path(self.result.scores[number].run).name for number in self.baselines]
        return self.result.signature | {"baseline": ALL if self.of_all else ",".join(names)} | self.procedure.choices
