"""Best, median and worst value of each query over all runs, as organisers hand them out: no run is named."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from fairtrec.answers import aggregates
from fairtrec.answers.answer import Answer, Signature
from fairtrec.answers.result import Result
from fairtrec.comparison.slices import aligned
from fairtrec.data import Floats, Ints
from fairtrec.errors import UsageError
from fairtrec.formulas.distribution import quotient
from fairtrec.formulas.rounding import same
from fairtrec.measure import Measure, badness

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
        values = aligned(self.result.scores, self.qids)
        sized = np.array([measure.better == "nearer 0" for measure in self.measures])
        values[:, sized] = np.abs(values[:, sized])
        return values

    @cached_property
    def ends(self) -> Floats:
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
    def many(self) -> Ints:
        """How many runs have a value [measure, query]."""
        return np.asarray((~np.isnan(self.values)).sum(axis=0))

    def rows(self) -> Iterator[tuple[str, int | None, str]]:
        """List what has a row: each query by its number, then all of them, then each slice."""
        if not self.summary_only:
            yield from ((qid, at, "") for at, qid in enumerate(self.qids))
        yield "all", None, ""
        yield from ((name, None, name) for name in self.slices)

    def of(self, query: int | None, part: str) -> Floats:
        """Give the three of one query, or their means over all queries, or those of a slice [end, measure]."""
        if query is not None:
            return self.ends[:, :, query]
        return _mean(self.ends[:, :, self._columns(part)])

    def own(self, run: int, query: int | None, part: str) -> Floats:
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

    def runs_of(self, query: int | None, part: str) -> int:
        """Tell how many runs have a value of a query, or how many queries a mean is over."""
        if query is not None:
            return int(self.many[:, query].max(initial=0))
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
        raise UsageError("'all' stands for all queries; give this slice another name")
    return TopicSpread(result, dict(slices or {}), summary_only)
