"""What the cutoff does: each measure's mean at several cutoffs, and whether they rank the runs alike."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fairtrec.evaluation import slices as slicing
from fairtrec.evaluation.answers import Answer, Signature
from fairtrec.evaluation.answers.aggregates import refuse_gold
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.leaderboard import comparable
from fairtrec.measure import Better, Measure, badness
from fairtrec.measures.catalogue.cutoffs import family, find_cutoff
from fairtrec.statistics.agreement import correlation, tau_ap
from fairtrec.support.errors import FilePath, UsageError
from fairtrec.support.notes import Note


@dataclass(frozen=True)
class CurvePoint:
    """The mean of a run by a measure at one cutoff.

    Attributes:
        measure: without its cutoff.
        queries: those for which it is defined.
        worst_slice: whether this slice is the one with the worst mean of the run.
    """

    slice: str  # the name of the slice, or "all"
    run: str  # the name of the run
    measure: str  # without its cutoff
    better: Better  # the direction of the measure
    cutoff: int  # the number of ranks that count
    queries: int
    mean: float  # the mean over queries
    worst_slice: bool


@dataclass(frozen=True)
class CurveAgreement:
    """Kendall's tau-b and tau_ap between the orders of the runs at one cutoff and at the deepest; nan for one run."""

    slice: str
    measure: str
    cutoff: int
    tau: float
    tau_ap: float


@dataclass(frozen=True, eq=False, repr=False)
class Curves(Answer):
    """The means of all runs at all cutoffs.

    Attributes:
        rows: a point per run, measure and cutoff.
        agreements: of the orders of runs at one cutoff and at the deepest: tau-b and tau_ap.
    """

    rows: tuple[CurvePoint, ...]
    agreements: tuple[CurveAgreement, ...]
    result: Result  # the values at all cutoffs
    notes: tuple[Note, ...]  # what a reader must know about the numbers

    @property
    def signature(self) -> Signature:
        """Every choice that changes a number."""
        return self.result.signature


def curves(
    result: Result | slicing.Recorded, *, slices: FilePath | Mapping[str, Sequence[str]] | None = None
) -> Curves:
    """Read the curve of each measure from a result that has every measure at several cutoffs.

    Args:
        result: what ``evaluate``, ``read_results`` or ``read_values`` returns.
        slices: the query ids of each slice, or a file of lines of qid and slice.

    Raises:
        UsageError: a measure without a cutoff, or no run.
    """
    result, parts = slicing.record_slices(result, slices)
    refuse_gold(result.scores, "curves look")
    if not result.scores:
        raise UsageError("no run to draw curves of; pass one")
    points: list[tuple[CurvePoint, float]] = []
    agreements: list[CurveAgreement] = []
    for name, part in slicing.split_result(result, parts):
        for measure, rows in _families(part.scores[0].measures).items():
            points += _points(name, measure, rows, part)
            agreements += _agreements(name, measure, rows, part)
    marks = slicing.mark_worst([((p.run, p.measure, p.cutoff), p.slice, size, p.better) for p, size in points])
    marked = tuple(replace(point, worst_slice=mark) for (point, _), mark in zip(points, marks, strict=True))
    return Curves(marked, tuple(agreements), result, tuple(slicing.note_slices(result, parts)))


def _families(measures: Sequence[Measure]) -> dict[str, list[tuple[int, int]]]:
    """Group measures that differ in their cutoff alone: the cutoffs, rising, and the row of each."""
    families: dict[str, list[tuple[int, int]]] = {}
    for row, measure in enumerate(measures):
        families.setdefault(family(measure), []).append((find_cutoff(measure), row))
    return {name: sorted(rows) for name, rows in families.items()}


def _points(name: str, measure: str, rows: list[tuple[int, int]], result: Result) -> Iterator[tuple[CurvePoint, float]]:
    """Give each point, and by what it is compared with others."""
    for scores in result.scores:
        for cutoff, row in rows:
            better, n, mean = scores.measures[row].better, int(scores.defined[row]), float(scores.means[row])
            point = CurvePoint(name, scores.run, measure, better, cutoff, n, mean, worst_slice=False)
            yield point, float(scores.order_values[row])


def _agreements(name: str, measure: str, rows: list[tuple[int, int]], result: Result) -> Iterator[CurveAgreement]:
    means = badness(comparable(result), result.scores[0].measures[rows[0][1]].better)
    deepest = means[:, rows[-1][1]]
    for cutoff, row in rows:
        here = means[:, row]
        tau = correlation(here, deepest, "kendall").value
        yield CurveAgreement(name, measure, cutoff, tau, tau_ap(here, deepest))
