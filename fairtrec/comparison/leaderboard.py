"""The order of runs by one measure, and how they stand in all: who is best, who is worst, who is dominated.

Each measure says itself which values are good; a measure that says neither has a highest value, but no best one.
Nothing here looks at a run, only at its means [run, measure] (mean sizes, where nearer 0 is better); nan is undefined.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from fairtrec.answers.aggregates import of_query
from fairtrec.answers.result import Result
from fairtrec.catalogue import registry
from fairtrec.catalogue.needs import looks_at_groups
from fairtrec.comparison.slices import aligned
from fairtrec.data import Bools, Floats, Ints
from fairtrec.errors import UsageError
from fairtrec.measure import Better, Measure, badness


@dataclass(frozen=True, eq=False)
class Standing:
    """How runs stand by what they are compared by [run, measure]; ``betters`` are the directions of the measures."""

    means: Floats
    betters: Sequence[Better]

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

        An undefined value is as good as another undefined one, and cannot be compared with a number. With fewer than
        two such measures the order says it all, and nobody is marked.
        """
        compared = self.badness[:, self.directed]
        if compared.shape[1] < 2:
            return np.zeros(len(compared), dtype=np.bool_)
        undefined = np.isnan(compared)
        beaten = [
            (((compared <= own) | (undefined & np.isnan(own))).all(axis=1) & (compared < own).any(axis=1)).any()
            for own in compared
        ]
        return np.array(beaten, dtype=np.bool_)


def incomplete(result: Result) -> Bools:
    """Tell which means leave out a query for which another run has a value [run, measure].

    They are over other queries than those of that run, whether theirs are undefined there or were never ranked, so that
    they can be compared with none of them.
    """
    every = list(dict.fromkeys(qid for each in result.scores for qid in each.qids))
    valued = ~np.isnan(aligned(result.scores, every))
    lacking = (valued.any(axis=0) & ~valued).any(axis=2)
    return np.asarray(lacking & valued.any(axis=2))


def strange(result: Result) -> Bools:
    """Tell which means rest on documents of which more than a tenth is unknown [run, measure]."""
    return np.array([[each in scores.strange for each in scores.measures] for scores in result.scores], dtype=np.bool_)


def comparable(result: Result) -> Floats:
    """Give that by which runs are ordered [run, measure], nan where it is incomplete, or of unknown documents."""
    return np.where(
        incomplete(result) | strange(result), np.nan, np.array([scores.compared for scores in result.scores])
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
        raise UsageError(f"--sort takes one measure, and {text!r} names {len(named)}; name one")
    several = measures if isinstance(measures, list | tuple) else [measures]
    asked = [one for each in several if each is not None for one in registry.parse(str(each), relevance_level)]
    if asked and all(one.expanded(("f", "m")) == (one,) for one in asked) and not looks_at_groups(named[0]):
        _refuse_other(named[0], asked)
    return named[0]


def computed(result: Result, measure: Measure) -> Measure:
    """Find the measure that runs are to be sorted by: the first of those that aggregate it, where there are such.

    Raises UsageError if it is none of them.
    """
    measures = result.scores[0].measures
    found = next((each for each in measures if measure in (each, of_query(each))), None)
    if found is None:
        _refuse_other(measure, measures)
    return found or measure


def by(result: Result, measure: Measure) -> Result:
    """Sort the runs of a result by one of its measures, by full values; incomplete means stand last.

    Raises UsageError if it is none of them.
    """
    measures = result.scores[0].measures
    row = measures.index(computed(result, measure))
    places = order(comparable(result)[:, row], measures[row].better)
    return replace(result, scores=tuple(result.scores[place] for place in places.tolist()))


def _refuse_other(measure: Measure, measures: Iterable[Measure]) -> None:
    there = dict.fromkeys(measures)
    if measure not in there:
        measure.refuse_several(there)
        way_out = f"add it with -m, or sort by one of {', '.join(map(str, there))}"
        raise UsageError(f"cannot sort by {measure}, which is not computed; {way_out}")
