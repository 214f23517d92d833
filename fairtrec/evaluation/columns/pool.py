"""Exposure pooled over queries: what a run hands out to groups in all, each query as often as it is asked.

What is unfair one way in one query may be made up in another. Source: Biega, Gummadi, Weikum: Equity of Attention.
SIGIR 2018, amortised over rankings. https://doi.org/10.1145/3209978.3210063
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import isnan, nan
from typing import Any, ClassVar

import numpy as np

from fairtrec.data import Floats, Ints, System
from fairtrec.data.ranking.depth import deal_queries, find_depth
from fairtrec.evaluation.answers.scores import (
    ColumnTable,
    FollowingText,
    FollowingTexts,
    OtherValues,
    ScoreColumn,
    Scores,
)
from fairtrec.evaluation.columns.scored_run import Computed, ScoredRun
from fairtrec.evaluation.drawn_exposure import find_drawn_shares
from fairtrec.evaluation.given.pool import find_frequencies
from fairtrec.evaluation.inputs.documents import EvaluationContext
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.evaluation.measure_values import InputsOfSamples
from fairtrec.measure import Measure, Note, NoteKind, NoteSeverity, Quantity, Summands
from fairtrec.measure.forms import PooledQueries
from fairtrec.measures.selection import Selections
from fairtrec.statistics.deleted_clusters import Deletions, PooledInterval
from fairtrec.statistics.doubt import mark_doubt
from fairtrec.statistics.gold_correctors import LEVEL
from fairtrec.statistics.pooled_shares import CorrectedPool, DrawnShares
from fairtrec.statistics.procedure import Procedure
from fairtrec.statistics.value_ranges import Range, cut_ends
from fairtrec.support.literals import Method

POOLED = NoteKind(
    "pooled",
    "pooled: computed from sums over queries, so one query can make up for another; read it with the mean",
)
OF_LABELS = NoteKind(
    "corrected pooled interval",
    "[low, high] of pooled values: {percent} interval of the corrected value; it covers the draw of labels, for these "
    "queries only",
    NoteSeverity.LEGEND,
)
BOUNDED = NoteKind(
    "bounds of pooled values",
    "[least, greatest] of pooled values: over all ways to assign unknown documents to groups",
    NoteSeverity.LEGEND,
)
INTERVAL = NoteKind(
    "interval of pooled values",
    "[low, high] of pooled values: {percent} interval by deletion of one {unit} after the other",
    NoteSeverity.LEGEND,
)
DOUBTFUL = NoteKind(
    "doubtful pooled interval",
    "? of pooled values: fewer than 10 {units}, or {units} of similar weight, decide, or a rate is 0 or 1",
    NoteSeverity.LEGEND,
)
ONE_QUERY = NoteKind("candidates of one query", "the candidates of one query compete, so they are not independent")
NOT_ATTAINED = NoteKind("bound of pooled values", "{measures}: no labeling need attain the greatest value")
WITHOUT_INTERVAL = NoteKind(
    "pooled without interval",
    "the corrected pooled value has no interval: it needs two groups, and the same target in all queries",
)


@dataclass(frozen=True, eq=False)
class Pooled(ScoreColumn):
    """What the measures of a run that can be pooled sum over queries, and the ``frequency`` [query] of each.

    ``drawn`` is what gold labels of drawn documents correct the values of some measures by; None without such labels.
    ``may_be_none`` says for each attribute whether unknown documents can be of no group; None if pooled values have no
    bounds over labels. ``confidence`` is that of the intervals of pooled values; None if they have none.
    ``clusters`` numbers the cluster of each query [query]; None: queries are independent. ``compared`` is what files
    say of the difference from another slice, by measure.
    """

    name: ClassVar[str] = "pooled"

    pools: Mapping[Measure, PooledQueries]
    frequency: Floats
    drawn: Mapping[Measure, DrawnShares] | None = None
    may_be_none: Mapping[str, bool] | None = None
    confidence: float | None = None
    clusters: Ints | None = None
    compared: Mapping[Quantity, Mapping[str, Any]] = field(default_factory=dict)

    def with_confidence(self, confidence: float, interval: Method, clusters: Ints | None) -> "Pooled":  # noqa: ARG002
        """Give each pooled value an interval, for which queries or clusters are deleted."""
        return replace(self, confidence=confidence, clusters=clusters)

    def keep_queries(self, queries: Sequence[int]) -> "Pooled":
        """Keep some of the queries, by number."""
        some = {measure: pool.keep_queries(queries) for measure, pool in self.pools.items()}
        drawn = self.drawn and {measure: each.keep_queries(queries) for measure, each in self.drawn.items()}
        clusters = None if self.clusters is None else self.clusters[list(queries)]
        return replace(self, pools=some, frequency=self.frequency[list(queries)], drawn=drawn, clusters=clusters)

    def join(self, other: "Pooled", order: Sequence[int]) -> "Pooled":  # noqa: ARG002 - they are kept by measure
        """Put those of other measures next to these."""
        drawn = None if self.drawn is None else {**self.drawn, **(other.drawn or {})}
        return replace(self, pools={**self.pools, **other.pools}, drawn=drawn)

    def value(self, measure: Measure) -> float | None:
        """Give the pooled value, nan where it is undefined; None of a measure that cannot be pooled."""
        pool = self.pools.get(measure)
        return None if pool is None else pool.compute(self.frequency)

    def correct(self, measure: Measure) -> CorrectedPool | None:
        """Correct the pooled value by gold labels; None if they do not correct it."""
        drawn = (self.drawn or {}).get(measure)
        return None if drawn is None else drawn.correct(self.frequency, LEVEL)

    def other_values(self, scores: Scores) -> Mapping[str, OtherValues]:
        """Return the pooled values in a row of their own; in columns of corrected means, corrected pooled values.

        JSON has next to them the corrected value, its interval, and how many gold labels it rests on; or counts and
        ends. Selection rates have tables of their own.
        """
        corrected = [self.correct(measure) for measure in scores.measures]
        details: dict[str, list[Mapping[str, float]]] = {
            "corrected": [{} if found is None else found._asdict() for found in corrected],
            "numbers": [self._describe(scores, measure) for measure in scores.measures],
        }
        values = [self._total(scores, measure) for measure in scores.measures]
        return {self.name: OtherValues(values, "total", details, partial(self._lay_out, scores.measures))}

    def _total(self, scores: Scores, measure: Any) -> float | None:
        """Give the pooled value of a measure, or the number that it has next to it."""
        if isinstance(measure, Measure):
            return self.value(measure)
        found = self.correct(measure.of)
        numbers = self._describe(scores, measure.of) if found is None else found._asdict()
        number = numbers.get(measure.end)
        return None if number is None or isnan(number) else number

    def settle(self, scores: Scores) -> dict[Measure, PooledInterval]:
        """Compute the intervals of pooled values that have one."""
        rows = {measure: row for row, measure in enumerate(scores.measures) if measure in self.pools}
        found = {
            measure: self.find_interval(self.pools[measure], measure, scores.find_bounds(row))
            for measure, row in rows.items()
        }
        return {measure: interval for measure, interval in found.items() if interval is not None}

    def _describe(self, scores: Scores, measure: Measure) -> Mapping[str, Any]:
        """Give what stands next to a pooled value; nothing if gold labels correct it.

        These are its interval, its counts, its ends over labels, and its difference from another slice.
        """
        pool, interval = self.pools.get(measure), scores.settle(self.name).get(measure)
        if pool is None or self.correct(measure) is not None:
            return {}
        ends = {} if interval is None else interval._asdict()
        beside = {**pool.describe(self.frequency), **self.bound(pool, measure.by)}
        return {**ends, **beside, **self.compared.get(measure, {})}

    def find_interval(self, pool: PooledQueries, measure: Measure, bounds: Range) -> PooledInterval | None:
        """Compute the interval of a pooled value, within these bounds; None if it has none, or none was asked for."""
        if self.confidence is None:
            return None
        clusters = np.arange(len(self.frequency)) if self.clusters is None else self.clusters
        found = pool.find_interval(self.frequency, clusters, self.confidence)
        if found is None or measure.has_pooled_interval:  # rates end where they must, and a ratio may be above 1
            return found
        low, high = cut_ends((found.low, found.high), bounds)
        return found._replace(low=low, high=high)

    def delete_clusters(self, measure: Measure, clusters: Ints, confidence: float) -> Deletions | None:
        """Compute what the deletion of each cluster [query] changes of a pooled value; None if there is none."""
        pool = self.pools.get(measure)
        if pool is None:
            return None
        found = pool.delete_clusters(self.frequency, clusters, confidence)
        return Deletions(pool.compute(self.frequency), np.zeros(0)) if found is None else found

    def suffixes(self, scores: Scores, query: int | str | None, places: int) -> list[str]:
        """Write the intervals of pooled values that gold labels do not correct."""
        if query != self.name or self.drawn:
            return super().suffixes(scores, query, places)
        return [_write_interval(scores.settle(self.name).get(measure), places) for measure in scores.measures]

    def bound(self, pool: PooledQueries, by: str) -> Mapping[str, float]:
        """Give the ends of a pooled value over labels of this attribute; none if they are not asked for."""
        if self.may_be_none is None:
            return {}
        return pool.bound(self.frequency, may_be_none=self.may_be_none[by])

    def _lay_out(self, measures: Sequence[Measure], places: int) -> Sequence[ColumnTable]:
        """Lay out selection rates and their ratios, group by group."""
        pools = {each: pool for each in measures if isinstance(pool := self.pools.get(each), Selections)}
        if not pools:
            return ()
        from fairtrec.evaluation.selection_tables import list_selection_tables  # which few evaluations import

        def write(pool: Selections, measure: Measure) -> tuple[str, str]:
            value, ends = pool.compute(self.frequency), self.bound(pool, measure.by)
            if isnan(value):
                return "-", ""
            behind = f" [{ends['least']:.{places}f}, {ends['greatest']:.{places}f}]" if ends else ""
            return f"{value:.{places}f}", behind + _write_interval(
                self.find_interval(pool, measure, measure.bounds), places
            )

        return [*list_selection_tables(pools, self.frequency, write, places)]

    def follow(self, scores: Scores, total: str | None, places: int) -> FollowingTexts:
        """Write each corrected pooled value and its interval; - if it is not corrected."""
        if self.drawn is None or total != self.name:
            return {}
        several = [(self.value(measure), self.correct(measure)) for measure in scores.measures]
        return {"corrected": [None if value is None else _write(found, places) for value, found in several]}

    @classmethod
    def list_notes(cls, result: Any, called: Sequence[str]) -> list[Note]:  # noqa: ARG003 - of all runs
        """Say what pooled values are, and what their intervals are of."""
        corrected = any(column.drawn for _, column in cls.find_all(result.scores))
        bounded = any(column.may_be_none is not None for _, column in cls.find_all(result.scores))
        summed = any(not measure.of_pool for _, column in cls.find_all(result.scores) for measure in column.pools)
        return [
            *[POOLED.note()] * summed,
            *[OF_LABELS.note(percent=Procedure(confidence=LEVEL).percent)] * corrected,
            *[BOUNDED.note()] * bounded,
            *_explain_intervals(cls.find_all(result.scores)),
        ]


def _explain_intervals(several: Sequence[tuple[Scores, "Pooled"]]) -> list[Note]:
    """Explain the intervals of pooled values of runs; nothing if none has any."""
    found = [
        (measure, len(scores.qids), interval)
        for scores, column in several
        for measure, interval in scores.settle(column.name).items()
        if not isnan(interval.low)
    ]
    if not found:
        return []
    one = any(queries == 1 and measure.has_pooled_interval for measure, queries, _ in found)
    doubtful = any(interval.doubtful for _, _, interval in found)
    confidence = several[0][1].confidence
    assert confidence is not None  # with which all are computed
    percent = Procedure(confidence=confidence).percent
    unit, units = "query", "queries"
    if any(column.clusters is not None for _, column in several):
        unit, units = "cluster", "clusters"
    legend = [INTERVAL.note(percent=percent, unit=unit), *[DOUBTFUL.note(units=units)] * doubtful]
    return [*legend, *[ONE_QUERY.note()] * one]


def _write_interval(found: PooledInterval | None, places: int) -> str:
    """Write the interval of a pooled value, with ? if too few queries decide it."""
    if found is None or isnan(found.low):
        return ""
    return mark_doubt(f" [{found.low:.{places}f}, {found.high:.{places}f}]", doubtful=found.doubtful)


def _write(found: CorrectedPool | None, places: int) -> FollowingText:
    value, low, high = (nan,) * 3 if found is None else found[:3]
    if isnan(value):
        return FollowingText("-")
    return FollowingText(f"{value:.{places}f}", "" if isnan(low) else f" [{low:.{places}f}, {high:.{places}f}]")


def compute(scored: ScoredRun) -> Computed:
    """Sum exposure over the queries of the run, and find by what gold labels correct it."""
    scores, context = scored.scores, scored.context
    found = pool_values(scored.system, scores.measures, scores.qids, context)
    drawn = find_drawn_shares(scored.system, scores.measures, scores.qids, context)
    notes = _note_intervals(scores.measures, drawn or {}, found.frequency)
    for measure, pool in found.pools.items():
        pool.refuse(found.frequency)  # before anything is printed
        notes += pool.list_notes(measure, found.frequency)
    if scored.choices.bounds is not None and any(measure.has_pooled_bounds for measure in found.pools):
        labels = {measure.by: context.take_attribute(measure.by).labels for measure in found.pools}
        found = replace(found, may_be_none={by: each is not None and each.none for by, each in labels.items()})
        open_ended = [each for each, pool in found.pools.items() if found.bound(pool, each.by).get("bounded")]
        notes += [NOT_ATTAINED.note(measures=open_ended)] if open_ended else []
    return replace(found, drawn=drawn), notes


def _note_intervals(measures: Sequence[Measure], drawn: Mapping[Measure, DrawnShares], frequency: Floats) -> list[Note]:
    """Say which corrected pooled values have no interval."""
    found = {measure: drawn[measure].correct(frequency, LEVEL) for measure in measures if measure in drawn}
    without = [measure for measure, each in found.items() if each is not None and isnan(each.low)]
    return [WITHOUT_INTERVAL.note(measures=without)] if without else []


def pool_values(system: System, measures: Sequence[Measure], qids: Sequence[str], context: EvaluationContext) -> Pooled:
    """Sum what the measures of a run pool. Raises InputError for a query of which no frequency is known."""
    frequency = find_frequencies(context.opened.get("pool"), qids, system.name)
    frequency.flags.writeable = False  # so that what is computed for it can be kept
    alike: dict[tuple[str, frozenset[str]], list[Measure]] = {}  # that look at the same inputs
    apart = frozenset({"run_scores", "sample_of"} if system.sampled else {"run_scores"})
    for measure in dict.fromkeys(measures):
        if measure.supports("pool"):
            alike.setdefault((measure.by, apart.intersection(measure.needs)), []).append(measure)
    found: dict[Measure, PooledQueries] = {}
    for (attribute, reads), several in alike.items():
        found |= _pool(system, several, reads, qids, context.take_attribute(attribute))
    return Pooled({measure: found[measure] for measure in measures if measure in found}, frequency)


def _pool(
    system: System, measures: Sequence[Measure], reads: frozenset[str], qids: Sequence[str], context: EvaluationContext
) -> dict[Measure, PooledQueries]:
    """Take what measures of the same inputs pool, the mean over a query's rankings where there are several.

    They may read the scores of the queries that are evaluated, whichever others the run has, or all rankings at once.
    """
    depth = find_depth(measures)
    several: Iterable[Inputs] = (
        Inputs(run.cut(ranked, None) if "run_scores" in reads else run, [ranked[row] for row in part], context, depth)
        for run, ranked in system.parts(qids)
        for part in deal_queries(run, ranked, depth)
    )
    if "sample_of" in reads:
        several = [InputsOfSamples(system.runs, qids, measures, context)]
    place = {qid: at for at, qid in enumerate(qids)}
    parts: dict[Measure, list[PooledQueries]] = {measure: [] for measure in measures}
    queries: list[Ints] = []
    for inputs in several:
        for measure in measures:
            pool = measure.make_form(**{name: getattr(inputs, name) for name in measure.needs}).over_queries()
            assert pool is not None
            if isinstance(pool, Summands) and not inputs.takes_part.all():
                pool = replace(pool, terms=np.where(inputs.takes_part[:, None], pool.terms, 0.0))
            parts[measure].append(pool)
        queries.append(np.array([place[qid] for qid in inputs.qids], dtype=np.int64))
    return {measure: type(first[0]).join(first, queries, len(qids)) for measure, first in parts.items()}
