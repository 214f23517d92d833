"""The confidence interval of each mean over queries (``--confidence``): Student's t or the bootstrap."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fairtrec.data import Bools, Floats, Ints
from fairtrec.evaluation.answers import CONFIDENCE_OF_MEANS, aggregates
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import MeanCell, ScoreColumn, Scores
from fairtrec.measure import Quantity
from fairtrec.statistics import deleted_clusters, paired
from fairtrec.statistics.doubt import TOO_NARROW, count_differing, explain_doubt, explain_few, is_doubtful, mark_doubt
from fairtrec.statistics.procedure import SCANTY, Procedure
from fairtrec.statistics.skewness import note_skewed
from fairtrec.statistics.value_ranges import cut_ends
from fairtrec.support.errors import UsageError
from fairtrec.support.literals import Method
from fairtrec.support.notes import Note, NoteKind, NoteSeverity, write_span

INTERVAL = NoteKind(
    "interval", "[low, high]: {percent} {interval} interval of each mean over queries{drawn}", NoteSeverity.LEGEND
)
DOUBTFUL = NoteKind(
    "doubtful interval",
    TOO_NARROW,
    NoteSeverity.LEGEND,
)
GAP_INTERVAL = NoteKind(
    "interval of slices",
    "difference, ratio: {percent} intervals by 1,999 permutations of the queries over the slices; none for a slice of "
    "fewer than 5 queries, or of fewer than 5 values that differ from its most frequent one",
)
NO_GAP_INTERVAL = NoteKind(
    "no interval of slices", "difference, ratio: no interval, because a query is in several slices"
)
NO_GAP_BY_CLUSTER = NoteKind("no interval of slices by clusters", "difference, ratio: no interval by clusters")
GAP_NOTES = (GAP_INTERVAL, NO_GAP_INTERVAL, NO_GAP_BY_CLUSTER)
ONE_QUERY = NoteKind("one query", "a mean over one query has no interval")
FEW_QUERIES = NoteKind("few queries", "an interval over fewer than {fewest} queries (here {here}) {holds}")
CALLED = {"t": "t", "percentile": "bootstrap percentile", "bca": "bootstrap BCa"}


@dataclass(frozen=True, eq=False)
class Confidence(ScoreColumn):
    """The interval of each mean; a sum, a mean over one query and an infinite one have none.

    It leaves out the measures whose interval another column has. ``clusters`` numbers the cluster of each query
    [query]; None: queries are independent.
    """

    name: ClassVar[str] = "confidence"
    cells = (MeanCell("low", "end"), MeanCell("high", "end"))

    confidence: float
    interval: Method
    clusters: Ints | None = None

    def with_confidence(self, confidence: float, interval: Method, clusters: Ints | None) -> "Confidence":  # noqa: ARG002
        """Refuse a second interval."""
        raise UsageError("this result already has intervals; call with_confidence on the result without them")

    def keep_queries(self, queries: Sequence[int]) -> "Confidence":
        """Keep the clusters of some of the queries, by number."""
        return self if self.clusters is None else replace(self, clusters=self.clusters[list(queries)])

    def settle(self, scores: Scores) -> Floats:
        """Compute the intervals [measure, end], which end where the values of the measure do; nan if there is none."""
        ends, left_out = np.full((len(scores.measures), 2), np.nan), self.find_left_out(scores)
        for row, (measure, values) in enumerate(zip(scores.measures, scores.mean_values, strict=True)):
            if measure.total or measure.geometric or left_out[row]:
                continue
            if self.clusters is not None:
                by_cluster = deleted_clusters.bound_mean(values, self.clusters, self.confidence)
                ends[row] = cut_ends((by_cluster.low, by_cluster.high), scores.find_bounds(row))
            else:
                found = paired.interval(values[~np.isnan(values)], self.interval, confidence=self.confidence)
                ends[row] = cut_ends(found, scores.find_bounds(row))
        return ends

    def find_left_out(self, scores: Scores) -> Bools:
        """Find the measures that have an interval of another column [measure]."""
        others, rows = [each for each in scores.columns.values() if each is not self], range(len(scores.measures))
        return np.array([any("low" in each.numbers(scores, row) for each in others) for row in rows], dtype=np.bool_)

    def find_doubtful(self, scores: Scores) -> Bools:
        """Tell which intervals [measure] are decided by so few values that they are too narrow."""
        return np.array([self._is_doubtful(scores, row) for row in range(len(scores.measures))], dtype=np.bool_)

    def _is_doubtful(self, scores: Scores, row: int) -> bool:
        values = scores.mean_values[row]
        if self.clusters is not None:
            return deleted_clusters.bound_mean(values, self.clusters, self.confidence).doubtful
        has_interval = not np.isnan(scores.settle(self.name)[row, 0])
        return has_interval and is_doubtful(count_differing(values[~np.isnan(values)]))

    def numbers(self, scores: Scores, row: int) -> Mapping[str, float]:
        """Give the ends of the interval; a sum has none."""
        if scores.measures[row].total:
            return {}
        return dict(zip(("low", "high"), scores.settle(self.name)[row].tolist(), strict=True))

    def describe_mean(self, scores: Scores, row: int) -> Mapping[str, Any]:
        """Give the ends of the interval, and whether it is doubtful."""
        ends = self.numbers(scores, row)
        return {**ends, "doubtful": self._is_doubtful(scores, row)} if ends else ends

    def suffixes(self, scores: Scores, query: int | str | None, places: int) -> list[str]:
        """Write the interval behind the mean, and ? if it is too narrow."""
        if query is not None:
            return super().suffixes(scores, query, places)
        reach = [[f"{end:.{places}f}" for end in row] for row in scores.settle(self.name).tolist()]
        written = ["" if low == "nan" else f" [{low}, {high}]" for low, high in reach]
        doubtful = self.find_doubtful(scores).tolist()
        return [mark_doubt(each, doubtful=is_so) for each, is_so in zip(written, doubtful, strict=True)]

    @classmethod
    def list_notes(cls, result: Result, called: Sequence[str]) -> list[Note]:
        """Say of which means the values are so skewed that the interval covers less than it says."""
        names = dict(zip([scores.run for scores in result.scores], called, strict=True))
        runs = cls.find_all(result.scores)
        if not runs:
            return []
        percent = Procedure(confidence=runs[0][1].confidence).percent
        several = [scores for scores, _ in runs]
        values = _list_values(several, [names[scores.run] for scores in several])
        return note_skewed("values", values, percent, len(called))


def _list_values(several: Sequence[Scores], called: Sequence[str]) -> Iterator[tuple[Quantity, str, Floats]]:
    """List the values whose mean has an interval, with the measure and what the run is ``called``."""
    for name, scores in zip(called, several, strict=True):
        for row in np.flatnonzero(~np.isnan(scores.settle(Confidence.name)[:, 0])).tolist():
            values = scores.mean_values[row]
            yield scores.measures[row], name, values[~np.isnan(values)]


def with_confidence(
    result: Result, confidence: float, slices: Mapping[str, Sequence[str]] | None, interval: Method
) -> Result:
    """Give the same result with an interval next to each mean; ``Result.with_confidence`` says more."""
    how = Procedure(confidence=confidence, interval=interval)
    if "aggregate" in result.signature:
        raise UsageError(CONFIDENCE_OF_MEANS)
    if result.clusters and interval != "t":
        raise UsageError(f"--interval {interval} resamples single queries; leave it out, or --cluster")
    aggregates.refuse_without_interval(measure for scores in result.scores for measure in scores.measures)
    several = tuple(_add_column(scores, confidence, interval, result.clusters) for scores in result.scores)
    return replace(
        result,
        scores=several,
        signature=result.signature | {name: how.choices[name] for name in ("interval", "resamples", "seed")},
        evaluation_notes=(
            *result.evaluation_notes,
            *_list_notes(several, how, [{*qids} for qids in (slices or {}).values()]),
        ),
    )


def has_gaps(several: Sequence[Scores], slices: int) -> bool:
    """Tell whether so many slices of runs can be compared: two or more, by the means of their values."""
    has_means = any(not measure.of_pool for scores in several for measure in scores.measures)
    return slices > 1 and has_means and not any(scores.is_corrected for scores in several)


def _add_column(scores: Scores, confidence: float, interval: Method, names: Mapping[str, str]) -> Scores:
    clusters = np.unique([names[qid] for qid in scores.qids], return_inverse=True)[1] if names else None
    columns = {name: column.with_confidence(confidence, interval, clusters) for name, column in scores.columns.items()}
    return replace(scores, columns={**columns, Confidence.name: Confidence(confidence, interval, clusters)})


def _list_notes(several: Sequence[Scores], how: Procedure, sets: Sequence[set[str]]) -> Iterator[Note]:
    """Say what the intervals are of, and where they hold less than they promise; ``sets`` are the slices."""
    parts = [
        scores.keep_queries([at for at, qid in enumerate(scores.qids) if qid in qids])
        for scores in several
        for qids in sets
    ]
    by_cluster = any(column.clusters is not None for _, column in Confidence.find_all(several))
    yield from _explain_interval(several, how, by_cluster=by_cluster)
    if any(column.find_doubtful(scores).any() for scores, column in Confidence.find_all([*several, *parts])):
        yield DOUBTFUL.note(rule=explain_few("clusters decide") if by_cluster else explain_doubt("values"))
    if has_gaps(several, len(sets)):
        yield _explain_gaps(sets, how, by_cluster=by_cluster)
    yield from _note_few({int(many) for scores in (*several, *parts) for many in scores.defined}, how.interval)


def _explain_interval(several: Sequence[Scores], how: Procedure, *, by_cluster: bool) -> Iterator[Note]:
    """Say of what the interval of each mean is, if any mean has one from here."""
    runs = Confidence.find_all(several)
    has_means = any(not measure.of_pool for scores in several for measure in scores.measures)
    if has_means and (not runs or not all(column.find_left_out(scores).all() for scores, column in runs)):
        drawn = f"; {how.resamples} resamples, seed {how.seed}" if how.draws else ""
        called = "cluster" if by_cluster else CALLED[how.interval]
        yield INTERVAL.note(percent=how.percent, interval=called, drawn=drawn)


def _explain_gaps(sets: Sequence[set[str]], how: Procedure, *, by_cluster: bool) -> Note:
    """Say of what the intervals of gaps between slices are, or why these have none."""
    if by_cluster:
        return NO_GAP_BY_CLUSTER.note()
    overlap = len(set().union(*sets)) < sum(map(len, sets))
    return NO_GAP_INTERVAL.note() if overlap else GAP_INTERVAL.note(percent=how.percent)


def _note_few(counts: set[int], interval: Method) -> Iterator[Note]:
    """Say of means over how few queries there is no interval, or one that assumes too much."""
    if 1 in counts:
        yield ONE_QUERY.note()
    if few := sorted(many for many in counts if 1 < many < SCANTY):
        holds = "assumes that values are about normally distributed" if interval == "t" else "is too narrow"
        yield FEW_QUERIES.note(fewest=SCANTY, here=write_span(few), holds=holds)
