"""Values of measures [measure, query], their means, and what ties or unknown groups make of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from fairtrec.data import Bools, Floats, Ints
from fairtrec.evaluation.answers import Answer, Signature
from fairtrec.formulas.distribution import quotient
from fairtrec.formulas.elementary import exp, log
from fairtrec.formulas.rounding import NEAR
from fairtrec.measure import Measure, Note, NoteKind, NoteSeverity
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.literals import Method, Undefined
from fairtrec.support.version import __version__

if TYPE_CHECKING:
    from fairtrec.statistics.corrected import Corrected, Corrections

JUDGED = NoteKind("few judged", "{judged} of {ranks} ranks looked at are judged")
COUNTED = NoteKind(
    "undefined, counted",
    "undefined for {undefined} of {queries} queries, which count as {counts_as:g}",
    NoteSeverity.MISLEADING,
)
ENDS = ("least", "greatest", "expected")


@dataclass(frozen=True, eq=False)
class Intervals:
    """What the values of a run [measure, query] could be as well: over all orders of ties, labellings or texts."""

    least: Floats
    greatest: Floats
    expected: Floats

    def joined(self, other: Self, order: Sequence[int]) -> Self:
        """Put those of other measures behind these, and all in another order."""
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return type(self)(*(np.concatenate(pair)[list(order)] for pair in pairs))

    def of(self, queries: Sequence[int]) -> Self:
        """Keep some of the queries, by number."""
        return type(self)(*(each[:, list(queries)] for each in vars(self).values()))


@dataclass(frozen=True, eq=False)
class Ties(Intervals):
    """What the values of a run [measure, query] are over the orders of tied documents.

    Each equals the value where no document that the measure looks at is tied; nan where the value is.
    """

    is_tied: Bools  # the measure looks at tied documents
    is_drawn: Bools  # and the three come from some orders only, drawn at random

    @property
    def tied(self) -> Ints:
        """For how many queries each measure looks at tied documents [measure]."""
        return np.asarray(self.is_tied.sum(axis=1))

    @property
    def drawn(self) -> Ints:
        """For how many of these the three come from some orders only, drawn at random [measure]."""
        return np.asarray(self.is_drawn.sum(axis=1))


@dataclass(frozen=True, eq=False)
class UnknownIntervals(Intervals):
    """What the values of a run [measure, query] are over all ways to give each document of unknown group one group.

    Each equals the value where a measure looks at no such document. The value may be nan, or lie outside, where these
    are defined. All fields are [measure, query].
    """

    number: Ints  # how many documents of unknown group the measure looks at
    bounded: Bools  # an end is a bound that no labelling passes, and perhaps none attains
    sampled: Bools  # the expected value is that of labellings drawn at random
    drawn: Bools  # the ends are those of drawn labellings, too, and so no bounds
    rank: Ints  # of the unknown document that moves the value most; 0 where there is none, or it was not asked for
    moves: Floats  # how far apart it moves the value; nan where there is none
    docno: Any  # which it is; "" where there is none
    documents: Any  # the unknown documents that the measure looks at, a tuple of docnos; empty where not asked for

    @classmethod
    def none(cls, values: Floats) -> "UnknownIntervals":
        """Say of values that no group is unknown."""
        shape = values.shape
        documents = np.empty(shape, dtype=object)
        documents.fill(())
        return cls(
            least=values.copy(),
            greatest=values.copy(),
            expected=values.copy(),
            number=np.zeros(shape, dtype=np.int64),
            bounded=np.zeros(shape, dtype=np.bool_),
            sampled=np.zeros(shape, dtype=np.bool_),
            drawn=np.zeros(shape, dtype=np.bool_),
            rank=np.zeros(shape, dtype=np.int64),
            moves=np.full(shape, np.nan),
            docno=np.full(shape, "", dtype=object),
            documents=documents,
        )

    def of_measure(self, row: int) -> "UnknownIntervals":
        """Keep one measure."""
        return UnknownIntervals(*(each[[row]] for each in vars(self).values()))

    def outside(self, values: Floats) -> Bools:
        """Tell which values no labelling gives [measure, query]."""
        beyond: Bools = (values < self.least - NEAR) | (values > self.greatest + NEAR)
        return beyond & ~self.drawn


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Answer):
    """One run's values [measure, query], nan where a measure is undefined for a query; queries sorted by id."""

    is_gap: ClassVar[bool] = False  # whether these are differences or ratios of slices

    run: str
    tag: str
    measures: tuple[Measure, ...]
    qids: tuple[str, ...]
    values: Floats
    notes: tuple[Note, ...] = ()
    ties: Ties | None = None  # where they were asked for
    unknown: UnknownIntervals | None = None  # where it was asked for
    gold: "Corrections | None" = None  # where there are gold labels
    pooled: Any = None  # the Pooled of evaluation/computing.py, which imports this, where it was asked for
    confidence: float | None = None  # of the intervals of means, where they were asked for
    interval: Method = "t"
    target: Floats | None = None  # of all queries, where it is one [group]
    top: str = ""  # a digest of the first hundred ranks of all queries
    strange: frozenset[Measure] = frozenset()  # those for which more than a tenth of the documents are unknown
    sampled: bool = False  # whether there are several rankings of a query
    result: Any = None  # of a session, whose only scores these are

    @property
    def signature(self) -> Signature:
        """Every choice that changes a number, where these are a session's; else the version alone."""
        of_session: Signature | None = getattr(self.result, "signature", None)
        return of_session or Signature({"fairtrec": __version__})

    @cached_property
    def ends(self) -> dict[str, "Scores"]:
        """The least, greatest and expected values over orders of ties, labellings or texts, where asked for."""
        found = self.ties or self.unknown
        return (
            {end: replace(self, values=getattr(found, end), ties=None, unknown=None) for end in ENDS} if found else {}
        )

    @cached_property
    def defined(self) -> Ints:
        """How many queries each measure is defined for [measure]."""
        many: Ints = (~np.isnan(self.values)).sum(axis=1)
        return many

    @cached_property
    def means(self) -> Floats:
        """Each measure's mean over the queries that it is defined for (the sum for one that counts) [measure].

        Where a median, a share of queries or the like was asked for, that (``Quantity.over``).
        """
        values = self.values
        there = ~np.isnan(values)
        with np.errstate(invalid="ignore"):  # the sum of both infinities is undefined
            sums = np.where(there, values, 0.0).sum(axis=1)
        totals = np.array([measure.total for measure in self.measures], dtype=np.bool_)
        many = there.sum(axis=1)
        means = quotient(sums, np.where(totals & (many > 0), 1, many))
        for row, measure in enumerate(self.measures):
            if measure.geometric and many[row]:
                means[row] = exp(np.asarray(np.nanmean(log(values[row]))))
            if measure.over is not None and many[row]:
                means[row] = measure.over(values[row][there[row]])
        return means

    @cached_property
    def compared(self) -> Floats:
        """By what runs are ordered and marked [measure]: the means, or where nearer 0 is better, the mean sizes.

        Values of either sign cancel in a mean: it is near 0 for a run that leans far to both sides. Where gold labels
        correct a mean, it is the corrected one, or its size.
        """
        nearer = np.array([[measure.better == "nearer 0"] for measure in self.measures], dtype=np.bool_)
        sized = replace(self, values=np.where(nearer, np.abs(self.values), self.values)) if nearer.any() else self
        if self.gold is None:
            return sized.means
        means = sized.means.copy()
        for row, found in enumerate(self.corrected):
            if found is not None and not found.why:
                means[row] = abs(found.corrected) if nearer[row] else found.corrected
        return means

    @cached_property
    def within(self) -> Floats | None:
        """The interval of each mean [measure, end], nan where it has none; None where it was not asked for.

        It ends where the values of the measure do.
        """
        if self.confidence is None:
            return None
        from fairtrec.statistics import paired

        ends = np.full((len(self.measures), 2), np.nan)
        for number, (measure, row) in enumerate(zip(self.measures, self.values, strict=True)):
            if not (measure.total or measure.geometric) and not (self.gold and self.gold.rows[number]):
                found = paired.interval(row[~np.isnan(row)], self.interval, confidence=self.confidence)
                low, high = measure.bounds if self.target is None else measure.bounds_against(self.target)
                ends[number] = np.clip(found, -np.inf if low is None else low, np.inf if high is None else high)
        return ends

    @cached_property
    def corrected(self) -> "tuple[Corrected | None, ...]":
        """Each mean as gold labels correct it, with an interval that ends where the values of the measure do.

        None of a measure that looks at no group. The interval is of labels alone, where a ``confidence`` was asked for
        of other queries, too.
        """
        if self.gold is None:
            return ()
        from fairtrec.statistics.corrected import corrected

        rows = zip(self.measures, self.gold.rows, self.values, self.means, strict=True)
        found: list[Corrected | None] = []
        for measure, row, values, mean in rows:
            bounds = measure.bounds if self.target is None else measure.bounds_against(self.target)
            found.append(None if row is None else corrected(row, values, float(mean), self.confidence, bounds))
        return tuple(found)

    @cached_property
    def doubtful(self) -> Bools:
        """Which intervals [measure] rest on so few values beside the commonest that they are surer than the data."""
        if self.within is None:
            return np.zeros(len(self.measures), dtype=np.bool_)
        from fairtrec.statistics import paired
        from fairtrec.statistics.procedure import DECIDING

        few = [paired.differing(row[~np.isnan(row)]) < DECIDING for row in self.values]
        return np.asarray(few) & ~np.isnan(self.within[:, 0])


def joined(measures: Sequence[Measure], first: Scores, second: Scores) -> Scores:
    """Put the scores of one run together in the order of ``measures``, each of which is in one of the two."""
    rows = {measure: row for row, measure in enumerate(first.measures + second.measures)}
    order = [rows[measure] for measure in measures]
    values = np.concatenate((first.values, second.values))[order]
    ties = first.ties.joined(second.ties, order) if first.ties and second.ties else None
    unknown = first.unknown.joined(second.unknown, order) if first.unknown and second.unknown else None
    notes = first.notes + second.notes
    gold = first.gold.joined(second.gold, order) if first.gold and second.gold else None
    pooled = first.pooled.joined(second.pooled) if first.pooled and second.pooled else None
    wide = replace(first, measures=tuple(measures), values=values, ties=ties, unknown=unknown, gold=gold, pooled=pooled)
    return replace(wide, notes=tuple(dict.fromkeys(notes)), strange=first.strange | second.strange)


def filled(scores: Scores, undefined: Undefined) -> Scores:
    """Give each undefined value of a run what it counts as, and say of how many queries.

    Raises InputError where there must be none, UsageError for a measure that has no worst value.
    """
    empty = np.isnan(scores.values)
    if undefined == "skip" or not empty.any():
        return scores
    counts_as = np.full((len(scores.measures), 1), np.nan)
    notes = list(scores.notes)
    for row in np.flatnonzero(empty.any(axis=1)).tolist():
        measure, many = scores.measures[row], int(empty[row].sum())
        if undefined == "error":
            what = f"{measure} is undefined for {many} of {len(scores.qids)} queries"
            first = scores.qids[int(empty[row].argmax())]
            raise InputError(f"{what}, such as {first}; say what these count as with --undefined worst|0", scores.run)
        counts_as[row] = worst(measure) if undefined == "worst" else 0.0
        value = counts_as[row].item()
        notes.append(COUNTED.note(measure=measure, undefined=many, queries=len(scores.qids), counts_as=value))
    values = np.where(empty, counts_as, scores.values)
    ties = scores.ties
    if ties is not None:
        ends = {end: np.where(empty, counts_as, getattr(ties, end)) for end in ENDS}
        ties = replace(ties, **ends)
    unknown = scores.unknown
    if unknown is not None:
        ends = {end: np.where(np.isnan(getattr(unknown, end)), counts_as, getattr(unknown, end)) for end in ENDS}
        unknown = replace(unknown, **ends)
    return replace(scores, values=values, ties=ties, unknown=unknown, notes=tuple(notes))


def worst(measure: Measure) -> float:
    """Give the worst value that a measure can have. Raises UsageError where there is no such number.

    >>> from fairtrec.measures import AWRF, KL
    >>> worst(AWRF())
    0.0
    >>> worst(KL())
    Traceback (most recent call last):
    fairtrec.support.errors.UsageError: KL@10 has no worst value; choose --undefined 0, error or skip
    """
    low, high = (float("nan") if end is None else end for end in measure.bounds)
    ends = {"higher": low, "lower": high, "nearer 0": max(abs(low), abs(high)), "neither": float("nan")}
    found = ends[measure.better] if not (measure.better == "nearer 0" and isnan(low + high)) else float("nan")
    if isnan(found):
        raise UsageError(f"{measure} has no worst value; choose --undefined 0, error or skip")
    return found
