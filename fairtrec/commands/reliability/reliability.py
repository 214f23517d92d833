"""Is the order of these runs reliable? The share of the variance of their means that is due to the runs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from fairtrec.evaluation import slices as slicing
from fairtrec.evaluation.answers import Answer, Signature
from fairtrec.evaluation.answers.aggregates import refuse_gold
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.complete_queries import stack_complete
from fairtrec.measures.utility import refuse_geometric
from fairtrec.statistics import reliability as formulas
from fairtrec.statistics.procedure import Procedure
from fairtrec.support.errors import FilePath, UsageError
from fairtrec.support.notes import Note, NoteKind

FEWEST = 3  # runs that have an order worth the name
ALONE = (
    "reliability is of the order of three runs or more; test two with fairtrec compare: to show a difference takes "
    "about 8 / effect² + 2 queries, and effect is a column there"
)
INCOMPLETE = NoteKind(
    "incomplete queries",
    "{complete} of {queries} queries; {left_out} have no value in some run",
)
TOO_FEW = NoteKind("too few queries", "no reliability; fewer than 2 queries have a value in every run")
ALL_ALIKE = NoteKind("no difference", "no reliability; all runs have the same values")
BY_CHANCE = NoteKind(
    "chance",
    "the runs differ no more than by chance, so no number of queries can be given",
)


@dataclass(frozen=True)
class OrderReliability:
    """The reliability of the order of ``runs`` by one measure over the complete ``queries`` of a slice.

    A query is complete if every run has a finite value; the others are ``left_out``. Numbers are nan if undefined, and
    a number of queries that cannot be given is None. The ``variance_`` fields are shares that sum to 1.
    """

    measure: str  # the name of the measure
    slice: str  # the name of the slice, or "all"
    runs: int  # the number of runs
    queries: int  # the number of complete queries
    left_out: int  # the number of other queries
    reliability: float  # how well other queries would give the same order, 0 to 1
    low: float  # the lower end of its interval
    high: float  # the upper end of its interval
    alpha: float  # the reliability, uncut
    absolute: float  # the reliability of the means themselves
    needed: int | None  # queries for the reliability that was asked for
    needed_low: int | None  # from ``high``
    needed_high: int | None  # from ``low``
    halves: float  # mean Kendall's tau-b between two halves of the queries
    variance_run: float  # the share of variance due to runs
    variance_query: float  # the share due to queries
    variance_residual: float  # the rest
    size: bool  # whether absolute values are measured, as nearer 0 is better
    doubtful: bool  # whether fewer than 10 queries decide, so that the interval is surer than the data


@dataclass(frozen=True, eq=False, repr=False)
class Reliabilities(Answer):
    """The reliability of the order of the runs by each measure, over all queries and each slice."""

    rows: tuple[OrderReliability, ...]  # one per measure and slice
    result: Result  # the values behind the order
    wanted: float  # the reliability that was asked for
    confidence: float  # the level of the intervals
    seed: int  # the seed of random halves
    notes: tuple[Note, ...]  # what a reader must know about the numbers

    @property
    def signature(self) -> Signature:
        """Every choice that changes a number."""
        choices = {"reliability": str(self.wanted), "interval": f"jackknife/{self.confidence}", "seed": str(self.seed)}
        return self.result.signature | choices


def reliability(
    result: Result | slicing.Recorded,
    wanted: float = 0.95,
    confidence: float = 0.95,
    seed: int = 0,
    *,
    slices: FilePath | Mapping[str, Sequence[str]] | None = None,
) -> Reliabilities:
    """Estimate how reliable the order of three or more runs is, and how many queries a wanted reliability needs.

    Args:
        result: what ``evaluate``, ``read_results`` or ``read_values`` returns.
        wanted: the reliability for which queries are counted, between 0 and 1. Default 0.95.
        confidence: the level of the intervals, between 0 and 1. Default 0.95.
        seed: the seed of the 200 halvings of the queries, 0 or more. Default 0.
        slices: the query ids of each slice, or a file of lines of qid and slice. Each slice has its own rows.

    Returns:
        A row per measure and slice.

    Raises:
        UsageError: fewer than three runs; gold labels, or a measure that is no mean over queries; a bad argument.
    """
    refuse_wanted(wanted)
    how = Procedure(confidence=confidence, seed=seed)
    result, parts = slicing.record_slices(result, slices)
    refuse_gold(result.scores, "the reliability looks")
    refuse_geometric(result.scores[0].measures if result.scores else ())
    refuse_few(len(result.scores))
    several = list(slicing.split_result(result, parts))
    rows = tuple(
        _row(name, part, row, wanted, how) for row in range(len(result.scores[0].measures)) for name, part in several
    )
    notes = (*slicing.note_slices(result, parts), *_list_notes(rows))
    return Reliabilities(rows, result, float(wanted), float(how.confidence), how.seed, notes)


def refuse_wanted(wanted: float) -> None:
    """Raise UsageError for a reliability that no number of queries gives."""
    if not isinstance(wanted, int | float) or not 0 < wanted < 1:
        raise UsageError(f"the wanted reliability is {wanted!r}; it lies between 0 and 1, like 0.95")


def refuse_few(runs: int) -> None:
    """Raise UsageError for fewer runs than have an order."""
    if runs < FEWEST:
        raise UsageError(ALONE)


def _row(name: str, result: Result, row: int, wanted: float, how: Procedure) -> OrderReliability:
    measure = result.scores[0].measures[row]
    values, qids, left_out = stack_complete(result, row)
    found = formulas.estimate_reliability(values, how.confidence)
    return OrderReliability(
        measure=str(measure),
        slice=name,
        left_out=left_out,
        reliability=found.reliability,
        needed=found.count_needed(wanted),
        needed_low=formulas.count_queries(found.high, found.queries, wanted),
        needed_high=formulas.count_queries(found.low, found.queries, wanted),
        halves=formulas.correlate_halves(values, list(formulas.halve_queries(qids, how.seed))),
        size=measure.better == "nearer 0",
        **vars(found),
    )


def name_measure(row: OrderReliability) -> str:
    """Name the measure of a row, between bars if its absolute values are measured."""
    return f"|{row.measure}|" if row.size else row.measure


def _list_notes(rows: Sequence[OrderReliability]) -> Iterator[Note]:
    """List the notes on reliabilities that are 0 or undefined, and on queries that are left out."""
    several = len({row.slice for row in rows}) > 1
    for row in rows:
        called = f"{name_measure(row)}, {row.slice}" if several else name_measure(row)
        if row.left_out:
            many = row.queries + row.left_out
            yield INCOMPLETE.note(measure=called, complete=row.queries, queries=many, left_out=row.left_out)
        if row.queries < 2:
            yield TOO_FEW.note(measure=called)
        elif isnan(row.reliability):
            yield ALL_ALIKE.note(measure=called)
        elif row.reliability == 0:
            yield BY_CHANCE.note(measure=called)
