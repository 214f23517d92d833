"""What a gate goes by, and what it says: a verdict and its evidence; where groups are unknown, whatever they are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from fairtrec.answers.scores import Scores
from fairtrec.data import Floats
from fairtrec.errors import UsageError
from fairtrec.formulas.labellings.unlabelled import DRAWN
from fairtrec.formulas.rounding import same
from fairtrec.gate.requirement import Requirement
from fairtrec.literals import FailOn, Method
from fairtrec.measure import Measure

Status = Literal["passed", "warning", "undecided", "failed"]
STATUSES: tuple[Status, ...] = ("passed", "warning", "undecided", "failed")  # the worse, the later
MOST = 0.9999  # confidence; of more, no data of a few queries say anything


@dataclass(frozen=True)
class Evidence:
    """How a run's mean differs from the baseline's (times the factor of the requirement), over the queries of both."""

    baseline: float
    difference: float
    low: float
    high: float
    tolerance: float
    detectable: float  # the smallest true difference that is found with a power of 80 %
    nonzero: int  # queries whose difference is not 0


@dataclass(frozen=True)
class ToLabel:
    """How many documents of unknown group leave a requirement open, and the one that moves the value most."""

    documents: int
    docno: str
    rank: int
    qid: str

    def __str__(self) -> str:
        many = "1 document" if self.documents == 1 else f"{self.documents} documents"
        return f"label {many}, first {self.docno} (rank {self.rank} of query {self.qid})"


@dataclass(frozen=True)
class Verdict:
    """Whether a run meets a requirement, on all queries or on those of a slice, and why not."""

    requirement: Requirement
    run: str
    status: Status
    reason: str
    value: float
    bound: float
    defined: int  # the queries behind the value
    queries: int  # of the run, or of the slice
    interval: tuple[float, float] | None = None  # of the mean; None for a relative requirement, which has evidence
    slice: str | None = None
    evidence: Evidence | None = None
    ends: tuple[float, float] | None = None  # of the mean, over all labellings, where groups are unknown
    label: ToLabel | None = None  # what leaves it undecided


@dataclass(frozen=True)
class Gate:
    """How much evidence it takes: the intervals are of this ``confidence``.

    ``strict``   fails on the difference itself, whatever its interval.
    ``prove``    passes only where the whole interval lies on the right side of the bound (non-inferiority).
    ``fail_on``  says whether a warning is a failure.
    ``interval`` is computed from Student's t, or by bootstrap.
    """

    confidence: float = 0.95
    strict: bool = False
    prove: bool = False
    fail_on: FailOn = "failed"
    interval: Method = "t"

    def __post_init__(self) -> None:
        if not 0 < self.confidence <= MOST:
            raise UsageError(f"the confidence is {self.confidence}; it lies between 0 and {MOST}, like 0.95")
        if self.fail_on not in get_args(FailOn):
            raise UsageError(f"fail_on is {self.fail_on!r}; it is one of {', '.join(get_args(FailOn))}")
        if self.interval not in get_args(Method):
            raise UsageError(f"interval is {self.interval!r}; it is one of {', '.join(get_args(Method))}")

    @property
    def alpha(self) -> float:
        """How often an interval may err."""
        return round(1 - self.confidence, 12)

    def fails(self, status: Status) -> bool:
        """Tell whether a status closes the gate."""
        return status in ("failed", "undecided", self.fail_on)

    def among(self, slices: int) -> float:
        """Give the alpha of each of so many slices, one of which is enough to fail (Bonferroni).

        To prove something of all of them takes no correction: each has to pass.
        """
        return self.alpha if self.prove else self.alpha / max(slices, 1)


USUAL = Gate()


@dataclass(frozen=True, eq=False)
class Open:
    """One measure of a run [1, query]: its values at the least and at the greatest end."""

    scores: Scores
    low: Floats
    high: Floats

    @classmethod
    def of(cls, scores: Scores | None, measure: Measure, *, unsigned: bool) -> "Open | None":
        """Take a measure of a run whose groups are not all known; None where that does not matter."""
        if scores is None or scores.unknown is None:
            return None
        found, row = scores.unknown, scores.measures.index(measure)
        low, high, values = found.least[[row]], found.greatest[[row]], scores.values[[row]]
        alike = same(low, high) & same(low, values) | np.isnan(low) & np.isnan(values)
        if alike.all():
            return None
        if unsigned:
            sizes = np.abs(low), np.abs(high)
            low, high = np.where((low < 0) & (high > 0), 0.0, np.minimum(*sizes)), np.maximum(*sizes)
        one = replace(scores, measures=(measure,), values=values, ties=None, unknown=found.of_measure(row))
        return cls(one, low, high)

    def at(self, *, high: bool) -> Scores:
        """Give the scores as they are at one end."""
        return replace(self.scores, values=self.high if high else self.low, unknown=None)

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the mean."""
        low, high = (float(self.at(high=high).means[0]) for high in (False, True))
        return low, high

    @property
    def doubt(self) -> str:
        """Say where the ends are no bounds."""
        assert self.scores.unknown is not None
        many = int(self.scores.unknown.drawn.sum())
        what = f"in {many} queries only {DRAWN} random labellings were tried, so this is no proof"
        return what if many else ""

    @property
    def to_label(self) -> ToLabel | None:
        """Say what to label; None where it is texts that are missing, or was not looked for."""
        found = self.scores.unknown
        assert found is not None
        moved = np.flatnonzero((found.rank[0] > 0) & ~same(self.low[0], self.high[0]))
        if not len(moved):
            return None
        first = int(moved[found.moves[0, moved].argmax()])
        many = len({docno for query in moved for docno in found.documents[0, query]})
        return ToLabel(many, found.docno[0, first], int(found.rank[0, first]), self.scores.qids[first])


def both_ends(
    mine: Open | None, theirs: Open | None, own: Scores, base: Scores | None, *, upward: bool
) -> tuple[tuple[Scores, Scores | None], tuple[Scores, Scores | None]]:
    """Pair a run with its baseline where the labels are worst for it, and where they are best."""
    pairs = []
    for best in (False, True):
        run = own if mine is None else mine.at(high=best == upward)
        other = base if theirs is None else theirs.at(high=best != upward)
        pairs.append((run, other))
    return pairs[0], pairs[1]


def decided(verdict: Verdict, worst: Verdict, best: Verdict, opened: Sequence[Open], gate: Gate) -> Verdict:
    """Say what a verdict comes to, given those at both ends of what the labels leave open."""
    doubt = "; ".join(dict.fromkeys(filter(None, (each.doubt for each in opened))))
    run = next((each.ends for each in opened if each.scores.run == verdict.run), None)
    if _meets(best, gate) and not _meets(worst, gate):
        label = next((each.to_label for each in opened if each.to_label is not None), None)
        many = sum(int((~same(each.low, each.high)).sum()) for each in opened)
        reason = f"not decided: {label if label is not None else f'{many} queries are open'}"
        return replace(verdict, status="undecided", reason=reason, ends=run, label=label)
    found = best if gate.fails(best.status) else worst
    reason = f"{found.reason}, whatever is unknown" if gate.fails(found.status) else found.reason
    status: Status = "warning" if doubt and found.status == "passed" else found.status
    return replace(verdict, status=status, reason="; ".join(filter(None, (reason, doubt))), ends=run)


def _meets(verdict: Verdict, gate: Gate) -> bool:
    """Tell whether a run meets a requirement at one end; the mean difference decides of one with a baseline."""
    found, asked = verdict.evidence, verdict.requirement
    return not gate.fails(verdict.status) and (found is None or asked.holds(found.difference, asked.offset))
