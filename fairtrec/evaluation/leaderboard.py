"""The order of runs by one measure, and how they stand in all: who is best, who is worst, who is dominated.

Each measure says itself which values are good; a measure that says neither has a highest value, but no best one.
Nothing here looks at a run, only at its means [run, measure] (mean sizes, where nearer 0 is better); nan is undefined.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from fairtrec.data import Bools, Floats, Ints
from fairtrec.evaluation.answers import Answer, Signature, aggregates
from fairtrec.evaluation.answers.aggregates import strip_aggregate
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.slices import align_values
from fairtrec.formulas.distribution import quotient
from fairtrec.formulas.rounding import same
from fairtrec.measure import Better, Measure, Quantity, badness
from fairtrec.measures.catalogue import registry
from fairtrec.measures.catalogue.needs import looks_at_groups
from fairtrec.support.errors import UsageError

FEWEST_SHARED = 2  # queries, of fewer of which runs are not ranked if there are others


class UnrankedError(UsageError):
    """A measure by which runs cannot be ranked, as they have too few queries in common in which it is defined."""


@dataclass(frozen=True, eq=False)
class Standing:
    """How runs stand by what they are compared by [run, measure]; ``betters`` are the directions of the measures."""

    means: Floats
    betters: Sequence[Better]
    is_uneven: Bools | None = None  # whose means are over other queries by one measure than by another [run]

    @cached_property
    def badness(self) -> Floats:
        """The means, turned so that less is better [run, measure]."""
        return np.stack([badness(means, better) for means, better in zip(self.means.T, self.betters, strict=True)], 1)

    @cached_property
    def directed(self) -> Bools:
        """Which measures say what is better [measure]."""
        return np.array([better != "neither" for better in self.betters], dtype=np.bool_)

    @cached_property
    def ranks(self) -> Ints:
        """Each run's rank by each measure [run, measure]: 1 plus how many are better; 0 where it is undefined.

        >>> Standing(np.array([[0.5], [0.9], [np.nan], [0.5], [0.1]]), ["higher"]).ranks[:, 0].tolist()
        [2, 1, 0, 2, 4]
        """
        ranks = np.stack([1 + np.searchsorted(np.sort(column), column) for column in self.badness.T], axis=1)
        return np.where(np.isnan(self.means), 0, ranks)

    @cached_property
    def best(self) -> Bools:
        """Which runs are best [run, measure]; nobody is where there is nothing to compare, or at infinity."""
        several = (~np.isnan(self.means)).sum(axis=0) > 1
        return np.asarray((self.ranks == 1) & self.directed & several & np.isfinite(self.means))

    @cached_property
    def worst(self) -> Bools:
        """Which runs are worst [run, measure]; nobody is where all are equal."""
        return np.asarray((self.ranks == self.ranks.max(axis=0)) & (self.ranks > 1) & self.directed)

    @cached_property
    def dominated(self) -> Bools:
        """Which runs another one beats: as good or better in every measure that has a direction, better in one [run].

        A run with an undefined value neither beats another nor is beaten: the two cannot be compared in that measure.
        With fewer than two such measures the order says it all, and no run is marked; nor is one that is uneven.
        """
        compared = self.badness[:, self.directed]
        if compared.shape[1] < 2:
            return np.zeros(len(compared), dtype=np.bool_)
        beaten = [((compared <= own).all(axis=1) & (compared < own).any(axis=1)).any() for own in compared]
        marked = np.array(beaten, dtype=np.bool_)
        return marked if self.is_uneven is None else marked & ~self.is_uneven


def find_uneven(result: Result) -> Bools:
    """Tell which runs have means over other queries by one measure with a direction than by another [run]."""
    measures = result.scores[0].measures
    directed = [row for row, each in enumerate(measures) if each.better != "neither" and not each.of_pool]
    valued = [~np.isnan(scores.mean_values[directed]) for scores in result.scores]
    return np.array([bool((each != each[:1]).any()) for each in valued], dtype=np.bool_)


def incomplete(result: Result) -> Bools:
    """Tell which means leave out a query for which another run has a value [run, measure].

    They are over other queries than those of that run, whether theirs are undefined there or were never ranked, so that
    they can be compared with none of them.
    """
    valued = ~np.isnan(_align_means(result.scores))
    lacking = (valued.any(axis=0) & ~valued).any(axis=2)
    return np.asarray(lacking & valued.any(axis=2))


def _align_means(several: Sequence[Scores]) -> Floats:
    """Align the values that means are over [run, measure, query]."""
    every = list(dict.fromkeys(qid for scores in several for qid in scores.qids))
    return align_values([replace(scores, values=scores.mean_values) for scores in several], every)


def strange(result: Result) -> Bools:
    """Tell which means rest on documents of which more than a tenth is unknown [run, measure]."""
    return np.array([[each in scores.strange for each in scores.measures] for scores in result.scores], dtype=np.bool_)


def comparable(result: Result) -> Floats:
    """Give that by which runs are ordered [run, measure], nan where it is incomplete, or of unknown documents."""
    return np.where(
        incomplete(result) | strange(result), np.nan, np.array([scores.order_values for scores in result.scores])
    )


def order(values: Floats, better: Better) -> Ints:
    """Give the places of values, best first; equal ones as they were given, undefined ones last.

    >>> order(np.array([0.5, np.nan, 0.1, 0.5]), "higher").tolist()
    [0, 3, 2, 1]
    """
    return np.argsort(badness(values, better), kind="stable")


def sort_key(text: str, measures: Any, relevance_level: int | None = None) -> Measure:
    """Read the measure that runs are to be sorted by; ``measures`` are those asked for, as `evaluate` takes them.

    Raises UsageError if it is not one measure, or is certainly none of them: one that becomes several, such as one
    for each group, is only known later.
    """
    named = registry.parse(text, relevance_level)
    if len(named) != 1:
        raise UsageError(f"--sort needs one measure, and {text!r} has {len(named)}; choose one")
    aggregates.refuse_pooled(named, "--sort goes by")
    several = measures if isinstance(measures, list | tuple) else [measures]
    asked = [one for each in several if each is not None for one in registry.parse(str(each), relevance_level)]
    if asked and all(one.expand_groups(("f", "m")) == (one,) for one in asked) and not looks_at_groups(named[0]):
        _refuse_other(named[0], asked)
    return named[0]


def find_sort_measure(result: Result, measure: Measure) -> Measure:
    """Find the measure that runs are to be sorted by: the first of those that aggregate it, where there are such.

    Raises UsageError if it is none of them.
    """
    measures = result.scores[0].measures
    found = next((each for each in measures if measure in (each, strip_aggregate(each))), None)
    if found is None:
        _refuse_other(measure, measures)
    return found or measure


def rank_runs(result: Result, measure: Measure) -> Result:
    """Sort the runs of a result by one of its measures, whose means are over the same queries for all ranked runs.

    These are the queries in which each of them has a value; the signature has their number if there are others. A run
    without any value is not ranked, nor one of unknown documents, nor one that lacks queries that two others have.

    Raises UsageError if the measure is not computed, UnrankedError if there are fewer than two such queries.
    """
    row = result.scores[0].measures.index(find_sort_measure(result, measure))
    return sort_runs(share_queries(result, row), measure)


def sort_runs(result: Result, measure: Measure) -> Result:
    """Sort the runs of a result by one of its measures, by full values; means that are not comparable are last.

    Raises UsageError if it is none of them.
    """
    measures = result.scores[0].measures
    row = measures.index(find_sort_measure(result, measure))
    places = order(comparable(result)[:, row], measures[row].better)
    return replace(result, scores=tuple(result.scores[place] for place in places.tolist()))


def share_queries(result: Result, row: int) -> Result:
    """Leave out of the means of a measure, also of other groups, the queries in which not all ranked runs have a value.

    Values of two groups may be mirror images, so their means are over the same queries.
    """
    scores, measure = result.scores, result.scores[0].measures[row]
    ranked = find_ranked(result, row)
    every = sorted({qid for each in scores for qid in each.qids})
    valued = ~np.isnan(align_values(scores, every)[:, row])
    shared: Bools = np.asarray(valued[ranked].all(axis=0))
    if measure.of_pool or not (valued[ranked].any(axis=0) & ~shared).any():
        return result
    if shared.sum() < FEWEST_SHARED or not np.isnan([each.decisions.get(row, np.nan) for each in scores]).all():
        raise UnrankedError(_explain_unranked(result, row, int(shared.sum()), len(every)))
    kept = {qid for qid, is_kept in zip(every, shared.tolist(), strict=True) if is_kept}
    signature = result.signature | {"sort": f"{measure}/{len(kept)}"}
    rows = find_same_but_group(scores[0].measures, row)
    return replace(result, scores=tuple(_leave_out(each, rows, kept) for each in scores), signature=signature)


def find_same_but_group(measures: Sequence[Quantity], row: int) -> list[int]:
    """Find the rows of a measure and of the same measure of other groups, by its row.

    >>> from fairtrec.measures import AWRF, Exposure
    >>> find_same_but_group([Exposure(5, "f"), Exposure(5, "m"), Exposure(9, "m"), AWRF(5)], 0)
    [0, 1]
    """
    several = [_spell_without_group(measure) for measure in measures]
    return [at for at, each in enumerate(several) if each == several[row]]


def _spell_without_group(measure: Quantity) -> tuple[type, dict[str, Any]]:
    """Give the class of a measure of single queries, and its parameters but the group."""
    plain: Any = strip_aggregate(measure)
    return type(plain), {field.name: getattr(plain, field.name) for field in fields(plain) if field.name != "group"}


def _leave_out(scores: Scores, rows: Sequence[int], kept: Collection[str]) -> Scores:
    """Let the means of some measures go over no other queries than those that are kept."""
    left_out = np.zeros(scores.values.shape, dtype=np.bool_)
    left_out[rows] = [qid not in kept for qid in scores.qids]
    return replace(scores, left_out=left_out)


def restore_means(ranked: Result, given: Result) -> Result:
    """Give the runs in the order in which they are ranked, each mean over all queries that have a value."""
    scores = tuple(replace(each, left_out=None) for each in ranked.scores)
    return replace(given, scores=scores)


def find_ranked(result: Result, row: int) -> Bools:
    """Tell which runs can have a rank by a measure [run]: those with a value, of known documents, of all queries.

    If fewer than two runs have all queries that any run has, the others can have one, too.
    """
    every = {qid for scores in result.scores for qid in scores.qids}
    has_value = np.array([bool((~np.isnan(scores.values[row])).any()) for scores in result.scores])
    has_value &= ~strange(result)[:, row]
    has_all = has_value & np.array([len(scores.qids) == len(every) for scores in result.scores])
    return has_all if has_all.sum() > 1 else has_value


def has_other_queries(result: Result, row: int) -> bool:
    """Tell whether a mean of another measure is over other queries than that of a measure."""
    several = [~np.isnan(scores.mean_values) for scores in result.scores]
    rows = [at for at, each in enumerate(result.scores[0].measures) if each.has_query_values]
    return any(bool((each[rows] != each[row]).any()) for each in several)


def count_shared(result: Result, row: int) -> int | None:
    """Count the queries that the means of a measure are over for all ranked runs; None if nothing was left out."""
    left_out = [scores.left_out for scores in result.scores]
    if not any(each is not None and each[row].any() for each in left_out):
        return None
    return int(np.max([scores.defined[row] for scores in result.scores]))


def _explain_unranked(result: Result, row: int, shared: int, queries: int) -> str:
    """Say why runs cannot be ranked by a measure, and what to do about it."""
    measure, ranked = result.scores[0].measures[row], find_ranked(result, row)
    runs = int(ranked.sum())
    all_of = f"all {runs} runs"
    if shared >= FEWEST_SHARED:
        what = f"{measure} is defined in different queries of {all_of}, and gold labels correct its means over each"
        return f"{what}; add --queries defined, or leave out --sort"
    several = zip(result.scores, ranked.tolist(), strict=True)
    counts = {scores.run: int(scores.defined[row]) for scores, is_ranked in several if is_ranked}
    fewest = min(counts, key=lambda run: counts[run])
    there = {0: "no query", 1: "only 1 query"}[shared]
    what = f"cannot rank by {measure}: {there} of {queries} has a value for {all_of} ({fewest} has {counts[fewest]})"
    return f"{what}; leave out runs with few values, or add --undefined worst or 0"


def _refuse_other(measure: Measure, measures: Iterable[Measure]) -> None:
    there = dict.fromkeys(measures)
    if measure not in there:
        measure.refuse_several(there)
        way_out = f"add it with -m, or sort by one of {', '.join(map(str, there))}"
        raise UsageError(f"cannot sort by {measure}, which is not computed; {way_out}")


ENDS = ("best", "median", "worst")


@dataclass(frozen=True, eq=False, repr=False)
class TopicSpread(Answer):
    """Best, median and worst of each query [measure, query]; ``summary`` alone, if values of queries stay hidden.

    Of a measure that is better nearer 0 sizes are looked at; of one without a direction best is the greatest.
    """

    result: Result
    slices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    summary_only: bool = False

    @property
    def signature(self) -> Signature:
        """Every choice that changes a number."""
        return self.result.signature

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures of all runs."""
        return self.result.scores[0].measures

    @cached_property
    def qids(self) -> tuple[str, ...]:
        """The queries that any run has, sorted."""
        return tuple(sorted({qid for scores in self.result.scores for qid in scores.qids}))

    @cached_property
    def values(self) -> Floats:
        """The values of all runs [run, measure, query], nan where a run has none; sizes, where nearer 0 is better."""
        values = align_values(self.result.scores, self.qids)
        sized = np.array([measure.better == "nearer 0" for measure in self.measures])
        values[:, sized] = np.abs(values[:, sized])
        return values

    @cached_property
    def extremes(self) -> Floats:
        """The best, the median and the worst [end, measure, query] of the runs that have a value."""
        found = np.full((3, len(self.measures), len(self.qids)), np.nan)
        for row, measure in enumerate(self.measures):
            of = self.values[:, row]
            known = ~np.isnan(of).all(axis=0)
            least, middle, most = (end(of[:, known], axis=0) for end in (np.nanmin, np.nanmedian, np.nanmax))
            turned = measure.better in ("lower", "nearer 0")
            found[:, row, known] = (least, middle, most) if turned else (most, middle, least)
        return found

    @cached_property
    def run_counts(self) -> Ints:
        """How many runs have a value [measure, query]."""
        return np.asarray((~np.isnan(self.values)).sum(axis=0))

    def rows(self) -> Iterator[tuple[str, int | None, str]]:
        """List what has a row: each query by its number, then all of them, then each slice."""
        if not self.summary_only:
            yield from ((qid, at, "") for at, qid in enumerate(self.qids))
        yield "all", None, ""
        yield from ((name, None, name) for name in self.slices)

    def take(self, query: int | None, part: str) -> Floats:
        """Give the three of one query, or their means over all queries, or those of a slice [end, measure]."""
        if query is not None:
            return self.extremes[:, :, query]
        return _mean(self.extremes[:, :, self._columns(part)])

    def take_run(self, run: int, query: int | None, part: str) -> Floats:
        """Give the values of one run [measure], or their means, in the same way."""
        if query is not None:
            return np.asarray(self.values[run, :, query])
        return _mean(self.values[run][:, self._columns(part)])

    def place(self, run: int, measure: int, query: int) -> tuple[int, int] | None:
        """Give the place of a run among those that have a value, ties sharing the better; None where it has none."""
        of = badness(self.values[:, measure, query], self.measures[measure].better)
        if np.isnan(of[run]):
            return None
        known = of[~np.isnan(of)]
        better = (known < of[run]) & ~same(known, np.full(len(known), of[run]))
        return int(better.sum()) + 1, len(known)

    def count_values(self, query: int | None, part: str) -> int:
        """Tell how many runs have a value of a query, or how many queries a mean is over."""
        if query is not None:
            return int(self.run_counts[:, query].max(initial=0))
        return len(self._columns(part))

    def _columns(self, part: str) -> list[int]:
        among = set(self.slices[part]) if part else None
        return [at for at, qid in enumerate(self.qids) if among is None or qid in among]


def _mean(values: Floats) -> Floats:
    known = (~np.isnan(values)).sum(axis=-1)
    return np.asarray(quotient(np.nansum(values, axis=-1), known))


def spread(
    result: Result, slices: Mapping[str, Sequence[str]] | None = None, *, summary_only: bool = False
) -> TopicSpread:
    """Give best, median and worst value of each query over the runs of a result, and their means; no run is named.

    Raises UsageError for a slice that is called all, and for what ``aggregate`` has made other values than means of.
    """
    aggregates.refuse(result.scores, "best, median and worst have")
    if slices is not None and "all" in slices:
        raise UsageError("'all' means all queries; rename this slice")
    return TopicSpread(result, dict(slices or {}), summary_only)
