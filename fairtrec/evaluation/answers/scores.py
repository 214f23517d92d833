"""Values of measures [measure, query], their means, and the columns that stand next to them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isnan
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from fairtrec.data import Bools, Floats, Ints
from fairtrec.evaluation.answers import CONFIDENCE_OR_BOUNDS, Answer, Signature
from fairtrec.formulas.distribution import quotient
from fairtrec.formulas.elementary import exp, log
from fairtrec.measure import Better, Bounds, Measure, Note, NoteKind, NoteSeverity, Quantity
from fairtrec.statistics.value_ranges import bound_size
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.literals import Method, Undefined
from fairtrec.support.version import __version__

JUDGED = NoteKind("few judged", "judged in the measured ranks of {measures}: {judged:each} of {ranks}")
GRADED = NoteKind(
    "few graded",
    "of {ranks} documents in the measured ranks, {judged:has} a grade of 0 or more, {below} a grade below 0",
)
NONE_JUDGED = NoteKind(
    "none judged",
    "none of {ranks} documents is judged; the run has {own}, the qrels {other}{hint}",
    NoteSeverity.MISLEADING,
)
OF_JUDGED = (JUDGED, GRADED, NONE_JUDGED)  # the notes on judged ranks
COUNTED = NoteKind(
    "undefined, counted",
    "undefined for {undefined} of {queries} queries, which count as {counts_as:g}",
    NoteSeverity.MISLEADING,
)


@dataclass(frozen=True)
class End(Quantity):
    """What a column has next to a measure, as a row or column of its own: ``nDCG@10.least``."""

    of: Quantity
    end: str
    better: ClassVar[Better] = "neither"

    @property
    def total(self) -> bool:  # type: ignore[override]  # that of the measure
        """Whether a run's value is the sum over queries."""
        return self.of.total

    def __str__(self) -> str:
        return f"{self.of}.{self.end}"


class MeanEnd(End):
    """What a column has next to a mean, and next to the value of no query: ``nDCG@10.low``."""

    of_mean = True
    may_be_empty: ClassVar[bool] = False  # whether nothing is written where it is undefined


class DefinedCount(MeanEnd):
    """How many queries a mean is over: ``nDCG@10.defined``."""

    total = True  # a whole number


class MeanCell(NamedTuple):
    """A number that a column has next to a mean, by name, and how formats place it.

    ``place``     "mean": runs are compared by it. "end": figures draw it, as an end of the interval of the mean.
    ``quantity``  what it is in formats that have one value in a place.
    """

    name: str
    place: Literal["number", "mean", "end"] = "number"
    quantity: type[End] = MeanEnd


class ColumnTable(NamedTuple):
    """A table of a column: the first cell of a row names it, and each other is a text and the text beside it."""

    head: Sequence[str]
    rows: Sequence[tuple[str, Sequence[tuple[str, str]]]]
    measures: Collection[Measure]  # those that are in it


class OtherValues(NamedTuple):
    """Values of a column for all measures, and how formats place them.

    ``place``    "end": next to the values of queries, and their means next to the means [measure, query]. "total": in a
                 row of their own [measure], of all queries together. "row": the same, in tables of rows only.
    ``details``  what JSON has next to each [measure], by the name of these details, such as "corrected".
    ``lay_out``  lays out, with so many places, the tables that have values of some measures instead of columns.
    """

    values: Any
    place: Literal["end", "total", "row"] = "end"
    details: Mapping[str, Sequence[Mapping[str, float]]] = MappingProxyType({})
    lay_out: Callable[[int], Sequence[ColumnTable]] | None = None


class FollowingText(NamedTuple):
    """A cell that follows a mean or a total in tables: its text, the text beside it, and what it is of."""

    text: str
    beside: str = ""
    of: str = ""  # else the measure


FollowingTexts = Mapping[str, Sequence[FollowingText | None]]  # [measure], by the heading of their column


class ScoreColumn:
    """What may stand next to the values of a run, such as bounds or a corrected mean: a file of evaluation/columns/.

    A subclass overrides what it has; all else here says that it has none. ``Scores.columns`` holds one by its ``name``.
    Formats ask every column the same questions, and never which column it is. What a column computes from values,
    ``settle`` gives, and the Scores that hold the column keep it.
    """

    name: ClassVar[str]
    cells: tuple[MeanCell, ...] = ()  # the numbers next to a mean
    is_of_means: ClassVar[bool] = False  # whether it says nothing of a median and the like

    @property
    def corrects_means(self) -> bool:
        """Whether runs are compared by other means than those of their values."""
        return any(cell.place == "mean" for cell in self.cells)

    def join(self, other: Self, order: Sequence[int]) -> Self:  # noqa: ARG002 - for subclasses
        """Put the column of other measures behind this one, and all in another order."""
        return self

    def keep_queries(self, queries: Sequence[int]) -> Self:  # noqa: ARG002 - for subclasses
        """Keep some of the queries, by number."""
        return self

    def keep_measures(self, rows: Sequence[int]) -> Self:  # noqa: ARG002 - for subclasses
        """Keep some of the measures, by number."""
        return self

    def fill(self, empty: Bools, counts_as: Floats) -> Self:  # noqa: ARG002 - for subclasses
        """Put what undefined values count as [measure, 1] where the run's value is ``empty`` [measure, query]."""
        return self

    def with_confidence(self, confidence: float, interval: Method, clusters: Ints | None) -> Self:  # noqa: ARG002
        """Prepare for an interval next to each mean, by ``clusters`` [query] of queries if there are some.

        Raises UsageError if the column cannot stand next to one.
        """
        return self

    def settle(self, scores: "Scores") -> Any:  # noqa: ARG002 - for subclasses
        """Compute what the column says of these values. Ask ``scores.settle(name)``, which computes it once."""
        return None

    def other_values(self, scores: "Scores") -> Mapping[str, OtherValues]:  # noqa: ARG002 - for subclasses
        """Return other values of the measures by name, such as ``least``."""
        return {}

    def numbers(self, scores: "Scores", row: int) -> Mapping[str, float]:  # noqa: ARG002 - for subclasses
        """Give the numbers next to the mean of a measure, by the names of ``cells``; none if the measure has none."""
        return {}

    def decide(self, scores: "Scores") -> Mapping[int, float]:  # noqa: ARG002 - for subclasses
        """Return the value that runs are compared by instead of the mean, by number of the measure; nan for none."""
        return {}

    def describe_mean(self, scores: "Scores", row: int) -> Mapping[str, Any]:
        """Give what JSON says of the mean of a measure: at least the numbers next to it."""
        return self.numbers(scores, row)

    def describe_queries(self, scores: "Scores", spelled: Sequence[str]) -> Mapping[str, Any]:  # noqa: ARG002
        """Give what JSON says of the queries of a run; ``spelled`` are its measures."""
        return {}

    def suffixes(self, scores: "Scores", query: int | str | None, places: int) -> list[str]:  # noqa: ARG002
        """Write what tables print behind each measure's value of a query, mean (None), or total by its name."""
        return [""] * len(scores.measures)

    def follow(self, scores: "Scores", total: str | None, places: int) -> FollowingTexts:  # noqa: ARG002
        """Write what follows each mean, or each total of this name, in columns of tables, by their heading.

        None for a measure that the column does not follow.
        """
        return {}

    @classmethod
    def list_notes(cls, result: Any, called: Sequence[str]) -> list[Note]:  # noqa: ARG003 - for subclasses
        """List the notes on the column in a result, whose runs are ``called`` so."""
        return []

    @classmethod
    def find_all(cls, several: "Sequence[Scores]") -> list[tuple["Scores", Self]]:
        """Give the scores that have this column, each with it."""
        pairs = [(scores, column) for scores in several for column in scores.columns.values()]
        return [(scores, column) for scores, column in pairs if isinstance(column, cls)]


@dataclass(frozen=True, eq=False)
class QueryColumn(ScoreColumn):
    """A column of arrays [measure, query]; ``end_names`` are the fields that are other values of the queries."""

    end_names: ClassVar[tuple[str, ...]] = ()

    def join(self, other: Self, order: Sequence[int]) -> Self:
        """Put those of other measures behind these, and all in another order."""
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return type(self)(*(np.concatenate(pair)[list(order)] for pair in pairs))

    def keep_queries(self, queries: Sequence[int]) -> Self:
        """Keep some of the queries, by number."""
        return type(self)(*(each[:, list(queries)] for each in vars(self).values()))

    def keep_measures(self, rows: Sequence[int]) -> Self:
        """Keep some of the measures, by number."""
        return type(self)(*(each[list(rows)] for each in vars(self).values()))

    def fill(self, empty: Bools, counts_as: Floats) -> Self:
        """Fill the ends where the value is empty."""
        ends: dict[str, Any] = {end: np.where(empty, counts_as, values) for end, values in self.ends().items()}
        return replace(self, **ends)

    def with_confidence(self, confidence: float, interval: Method, clusters: Ints | None) -> Self:  # noqa: ARG002
        """Refuse: both would print an interval behind the mean."""
        raise UsageError(CONFIDENCE_OR_BOUNDS)

    def ends(self) -> Mapping[str, Floats]:
        """Give the ends by name."""
        return {end: getattr(self, end) for end in self.end_names}

    def other_values(self, scores: "Scores") -> Mapping[str, OtherValues]:  # noqa: ARG002 - of all
        """Return the ends."""
        return {end: OtherValues(values) for end, values in self.ends().items()}

    def describe_mean(self, scores: "Scores", row: int) -> Mapping[str, Any]:
        """Give the means of the ends."""
        return {end: scores.ends[end].means[row] for end in self.ends()}

    def describe_queries(self, scores: "Scores", spelled: Sequence[str]) -> Mapping[str, Any]:
        """Give the ends by query and measure."""
        return {self.name: {end: nest_by_query(scores.qids, values, spelled) for end, values in self.ends().items()}}


def nest_by_query(qids: Sequence[str], values: Floats, spelled: Sequence[str]) -> dict[str, dict[str, float]]:
    """Give values [measure, query] by query and measure."""
    rows = (dict(zip(spelled, row, strict=True)) for row in values.T.tolist())
    return dict(zip(qids, rows, strict=True))


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Answer):
    """The values of one run [measure, query], nan if a measure is undefined for a query. Queries are sorted by id.

    With ``bounds="ties"``, ``"labels"``, ``"texts"`` or ``"orders"``, ``ends["least"]`` and ``ends["greatest"]`` are
    scores of the lowest and highest values.
    """

    run: str  # the name of the run
    tag: str  # the tag in its file
    measures: tuple[Measure, ...]  # the measures, in the order of rows
    qids: tuple[str, ...]  # the ids of queries, in the order of columns
    values: Floats  # the values [measure, query]
    notes: tuple[Note, ...] = ()  # what a reader must know about the numbers
    columns: Mapping[str, ScoreColumn] = field(default_factory=dict)  # such as ties, unknown, gold, pooled
    target: Floats | None = None  # of all queries, where it is one [group]
    groups: tuple[str, ...] = ()  # the names of the groups of the target
    attribute: str = ""  # the name of the attribute of these groups, if there are several
    other_targets: Mapping[str, tuple[tuple[str, ...], Floats]] = field(
        default_factory=dict
    )  # the groups and the target of each other attribute whose target is one
    is_sized: bool = False  # whether values of measures that are best near 0 are absolute values
    top: str = ""  # a digest of the first hundred ranks of all queries
    strange: frozenset[Measure] = frozenset()  # those for which more than a tenth of the documents are unknown
    sampled: bool = False  # whether there are several rankings of a query
    unjudged: frozenset[str] = frozenset()  # the queries that are not in the qrels; none if there are no qrels
    left_out: Bools | None = None  # values that no mean is over, because of other runs [measure, query]; None: no value
    result: Any = None  # of a session, whose only scores these are

    @property
    def signature(self) -> Signature:
        """Every choice that changes a number, if a session computed the values; otherwise only the version."""
        of_session: Signature | None = getattr(self.result, "signature", None)
        return of_session or Signature({"fairtrec": __version__})

    @cached_property
    def _settled(self) -> dict[str, Any]:
        return {}

    def settle(self, name: str) -> Any:
        """Give what a column computes from these values; it is computed once."""
        if name not in self._settled:
            self._settled[name] = self.columns[name].settle(self)
        return self._settled[name]

    def find_bounds(self, row: int) -> Bounds:
        """Return the least and the greatest possible value of a measure by its number, against the target if it is one.

        None is an end that nobody knows.
        """
        measure = self.measures[row]
        by = getattr(measure.query_measure, "by", "")
        groups, target = (self.groups, self.target)
        if by not in ("", self.attribute):
            groups, target = self.other_targets.get(by, ((), None))
        bounds = measure.bounds if target is None else measure.bounds_among(groups, target)
        return bound_size(bounds) if self.is_sized and measure.better == "nearer 0" else bounds

    @cached_property
    def other_values(self) -> dict[str, OtherValues]:
        """The other values of all columns, by name."""
        several = (column.other_values(self) for column in self.columns.values())
        return {name: values for of_column in several for name, values in of_column.items()}

    @cached_property
    def ends(self) -> dict[str, "Scores"]:
        """The other values of queries, by name: with bounds "least", "greatest" and "expected"."""
        several = {name: of.values for name, of in self.other_values.items() if of.place == "end"}
        return {end: replace(self, values=values, columns={}) for end, values in several.items()}

    @property
    def totals(self) -> dict[str, list[float | None]]:
        """Values of all queries together [measure], by the name of the row that they stand in."""
        return {name: of.values for name, of in self.other_values.items() if of.place == "total"}

    def describe_total(self, measure: Measure) -> dict[str, float]:
        """Give what columns say of the total of a measure next to its value."""
        row, totals = self.measures.index(measure), (of for of in self.other_values.values() if of.place == "total")
        several = (each[row] for of in totals for each in of.details.values())
        return {name: value for numbers in several for name, value in numbers.items()}

    def list_tables(self, places: int) -> list[ColumnTable]:
        """List the tables of columns, which have values of some measures instead of columns of the values."""
        several = (of.lay_out for of in self.other_values.values() if of.lay_out is not None)
        return [table for lay_out in several for table in lay_out(places)]

    @cached_property
    def intervals(self) -> tuple[Floats, ...]:
        """The interval of each mean [measure, end], nan if it has none: one array, or none."""
        ends = {column: [cell.name for cell in column.cells if cell.place == "end"] for column in self.columns.values()}
        rows = range(len(self.measures))
        return tuple(
            np.array([[column.numbers(self, row).get(end, np.nan) for end in names] for row in rows])
            for column, names in ends.items()
            if names
        )

    @cached_property
    def doubtful(self) -> Bools:
        """Which of the intervals have ?, because too few values decide them [measure]."""
        rows = range(len(self.measures))
        several = [column for column in self.columns.values() if any(cell.place == "end" for cell in column.cells)]
        said = [any(column.describe_mean(self, row).get("doubtful") for column in several) for row in rows]
        return np.array(said, dtype=np.bool_)

    @property
    def is_corrected(self) -> bool:
        """Whether runs are compared by other means than those of their values."""
        return any(column.corrects_means for column in self.columns.values())

    @property
    def has_other_values(self) -> bool:
        """Whether columns have other values of the queries, or numbers next to means."""
        return bool(self.ends) or any(column.cells for column in self.columns.values())

    @cached_property
    def decisions(self) -> dict[int, float]:
        """The values that columns put in the place of means, where runs are compared, by the number of the measure.

        nan is for a mean that cannot be compared with those of other runs.
        """
        return {row: value for column in self.columns.values() for row, value in column.decide(self).items()}

    @cached_property
    def group_gaps(self) -> list[dict[str, Any]]:
        """The gaps between groups, as JSON has them."""
        gaps = self.settle("group_gaps") if "group_gaps" in self.columns else {}
        return [gap.describe() for gap in gaps.values()]

    def numbers(self, row: int) -> dict[str, float]:
        """Give the numbers next to the mean of a measure; of two columns the first has a name."""
        found: dict[str, float] = {}
        for column in self.columns.values():
            for name, value in column.numbers(self, row).items():
                found.setdefault(name, value)
        return found

    def spell(self, query: int | str | None, places: int) -> list[str]:
        """Write one value of each measure: of a query by number, the mean (None), or a total by its name.

        Undefined is nan, and no value is an empty text: a pooled measure has only totals. A count has no digits behind
        the point.
        """
        if isinstance(query, str):
            several = self.other_values[query].values
            return ["" if value is None else f"{value:.{places}f}" for value in several]
        values = self.means if query is None else self.values[:, query]
        return [
            ""
            if (measure.of if isinstance(measure, End) else measure).of_pool
            or (query is not None and measure.of_mean)
            or (isinstance(measure, MeanEnd) and measure.may_be_empty and isnan(value))
            else f"{value:.{0 if measure.total and value.is_integer() else places}f}"
            for measure, value in zip(self.measures, values.tolist(), strict=True)
        ]

    def keep_queries(self, queries: Sequence[int]) -> Self:
        """Keep some of the queries, by number."""
        columns = {name: column.keep_queries(queries) for name, column in self.columns.items()}
        qids = tuple(self.qids[query] for query in queries)
        left_out = None if self.left_out is None else self.left_out[:, list(queries)]
        return replace(self, qids=qids, values=self.values[:, queries], columns=columns, left_out=left_out)

    def keep_measures(self, rows: Sequence[int]) -> Self:
        """Keep some of the measures, by number."""
        columns = {name: column.keep_measures(rows) for name, column in self.columns.items()}
        measures = tuple(self.measures[row] for row in rows)
        left_out = None if self.left_out is None else self.left_out[list(rows)]
        return replace(self, measures=measures, values=self.values[list(rows)], columns=columns, left_out=left_out)

    @cached_property
    def mean_values(self) -> Floats:
        """The values that means are over [measure, query], nan if undefined or left out."""
        return self.values if self.left_out is None else np.where(self.left_out, np.nan, self.values)

    @cached_property
    def defined(self) -> Ints:
        """How many queries each mean is over: those that the measure is defined for [measure]."""
        many: Ints = (~np.isnan(self.mean_values)).sum(axis=1)
        return many

    def has_all_queries(self, row: int) -> bool:
        """Tell whether the mean of a measure is over all queries of the run; a value of no query is."""
        return not self.measures[row].has_query_values or int(self.defined[row]) == len(self.qids)

    @cached_property
    def means(self) -> Floats:
        """Each measure's mean over the queries that it is defined for (the sum for one that counts) [measure].

        Where a median, a share of queries or the like was asked for, that (``Quantity.over``).
        """
        values = self.mean_values
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
    def order_values(self) -> Floats:
        """By what runs are ordered and marked [measure]: the means, or where nearer 0 is better, the mean sizes.

        Values of either sign cancel in a mean: it is near 0 for a run that leans far to both sides. A column may put
        another value in the place of the mean, such as the one that gold labels correct, or its size.
        """
        nearer = np.array([[measure.better == "nearer 0"] for measure in self.measures], dtype=np.bool_)
        sized = self
        if nearer.any():
            sized = replace(self, values=np.where(nearer, np.abs(self.values), self.values), columns={})
        if not self.decisions:
            return sized.means
        means = sized.means.copy()
        for row, value in self.decisions.items():
            if not isnan(value):
                means[row] = abs(value) if nearer[row] else value
        return means


def join_scores(measures: Sequence[Measure], first: Scores, second: Scores) -> Scores:
    """Put the scores of one run together in the order of ``measures``, each of which is in one of the two."""
    rows = {measure: row for row, measure in enumerate(first.measures + second.measures)}
    order = [rows[measure] for measure in measures]
    values = np.concatenate((first.values, second.values))[order]
    both = [name for name in first.columns if name in second.columns]
    columns = {name: first.columns[name].join(second.columns[name], order) for name in both}
    notes = dict.fromkeys(first.notes + second.notes)
    strange = first.strange | second.strange
    return replace(first, measures=tuple(measures), values=values, notes=tuple(notes), columns=columns, strange=strange)


def fill_undefined(scores: Scores, undefined: Undefined) -> Scores:
    """Give each undefined value of a run what it counts as, and say of how many queries.

    Raises InputError where there must be none, UsageError for a measure that has no worst value.
    """
    empty = np.isnan(scores.values)
    empty[[measure.of_pool for measure in scores.measures]] = False
    if undefined == "skip" or not empty.any():
        return scores
    counts_as = np.full((len(scores.measures), 1), np.nan)
    notes = list(scores.notes)
    for row in np.flatnonzero(empty.any(axis=1)).tolist():
        measure, many = scores.measures[row], int(empty[row].sum())
        if undefined == "error":
            what = f"{measure} is undefined for {many} of {len(scores.qids)} queries"
            first = scores.qids[int(empty[row].argmax())]
            raise InputError(f"{what}, such as {first}; set what these count as with --undefined worst|0", scores.run)
        counts_as[row] = find_worst_value(measure) if undefined == "worst" else 0.0
        value = counts_as[row].item()
        notes.append(COUNTED.note(measure=measure, undefined=many, queries=len(scores.qids), counts_as=value))
    values = np.where(empty, counts_as, scores.values)
    columns = {name: column.fill(empty, counts_as) for name, column in scores.columns.items()}
    return replace(scores, values=values, columns=columns, notes=tuple(notes))


def find_worst_value(measure: Measure) -> float:
    """Give the worst value that a measure can have. Raises UsageError where there is no such number.

    >>> from fairtrec.measures import AWRF, KL
    >>> find_worst_value(AWRF())
    0.0
    >>> find_worst_value(KL())
    Traceback (most recent call last):
    fairtrec.support.errors.UsageError: KL@10 has no worst value; choose undefined=0, error or skip
    """
    low, high = (float("nan") if end is None else end for end in measure.bounds)
    ends = {"higher": low, "lower": high, "nearer 0": max(abs(low), abs(high)), "neither": float("nan")}
    found = ends[measure.better] if not (measure.better == "nearer 0" and isnan(low + high)) else float("nan")
    if isnan(found):
        raise UsageError(f"{measure} has no worst value; choose --undefined 0, error or skip")
    return found
