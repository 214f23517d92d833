"""Selection rates: which share of a group's candidates is in the top of the rankings, and how far groups differ.

Source: Uniform Guidelines on Employee Selection Procedures, 29 CFR 1607.4 D.
https://www.ecfr.gov/current/title-29/part-1607/section-1607.4
Rules of the City of New York, title 6, section 5-301.
https://rules.cityofnewyork.us/wp-content/uploads/2023/04/DCWP-NOA-for-Use-of-Automated-Employment-Decisionmaking-Tools-2.pdf
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from fairtrec.data import Floats, Ints
from fairtrec.formulas import ranks
from fairtrec.formulas.candidate_counts import CandidateCounts, count_candidates, lay_candidates
from fairtrec.formulas.distribution import divide_sums
from fairtrec.measure import BELOW_1, EACH, Form, Measure, Note, NoteKind, NoteSeverity, Summands, UsageError
from fairtrec.measure.forms import FixedValue, fix_ratio, prefix_sums

if TYPE_CHECKING:
    from fairtrec.statistics.deleted_clusters import PooledInterval

ALL_SELECTED = NoteKind(
    "all selected", "every candidate is in the top {cutoff}; pass a run of all candidates", NoteSeverity.MISLEADING
)
TOO_SMALL = NoteKind("below min_share", "below min_share, {percent}: {groups}; no reference, no ratio")
MEDIAN, USUAL = "median", 10


@dataclass(frozen=True, eq=False)
class Selections(Summands):
    """The candidates of each query, of ``groups``: their rates, or the ratios of groups of a share of ``min_share``.

    ``group`` is the one whose rate or ratio is the value, by number; None is the least ratio.
    """

    groups: tuple[str, ...] = ()
    group: int | None = None
    min_share: float | None = None

    @classmethod
    def take_rate(cls, terms: Floats, groups: tuple[str, ...], group: int) -> "Selections":
        """Take the rate of a group for the value."""
        interval, fix = partial(_bound_rate, group), partial(_fix_rate, group)
        return cls(terms, partial(_find_rate, group), interval, fix, groups, group)

    @classmethod
    def take_ratio(cls, terms: Floats, groups: tuple[str, ...], group: int | None, min_share: float) -> "Selections":
        """Take the ratio of a group, or the least one, for the value."""
        value, interval = partial(_find_ratio, group, min_share), partial(_bound_ratio, group, min_share)
        fix = partial(_fix_ratio, group, min_share)
        return cls(terms, value, interval, fix, groups, group, min_share)

    def tally(self, frequency: Floats) -> CandidateCounts:
        """Count the candidates of all queries."""
        return CandidateCounts.read(self.sum_terms(frequency))

    def describe(self, frequency: Floats) -> Mapping[str, float]:
        """Count the candidates of a group, and the selected ones, next to its rate."""
        if self.group is None or self.min_share is not None:
            return {}
        found = self.tally(frequency)
        several = {"n": found.candidates, "selected": found.selected, "share": found.shares}
        return {name: each[self.group].item() for name, each in several.items()}

    def list_notes(self, measure: Measure, frequency: Floats) -> list[Note]:
        """Note the groups that are too small to be compared."""
        if not self.min_share:
            return []
        found = self.tally(frequency)
        small = ~found.find_compared(self.min_share) & (found.candidates > 0)
        groups = ", ".join(name for name, is_small in zip(self.groups, small.tolist(), strict=True) if is_small)
        return [TOO_SMALL.note(percent=f"{100 * self.min_share:g} %", groups=groups, by=measure.by)] * bool(groups)

    def bound(self, frequency: Floats, *, may_be_none: bool) -> Mapping[str, float | bool]:
        """Give the ends of the value over all labelings, and whether none need attain the greatest."""
        found, is_bound = self.tally(frequency), False
        if self.min_share is None:
            least, greatest = (ends[self.group].item() for ends in found.bound_rates())
        elif self.group is None:
            least, greatest, is_bound = found.bound_least_ratio(self.min_share, may_be_none=may_be_none)
        else:
            least, greatest, is_bound = found.bound_ratio(self.group, self.min_share)
        return {"least": least, "greatest": greatest, "bounded": is_bound}


def _find_rate(group: int, sums: Floats) -> Floats:
    return np.array([CandidateCounts.read(row).rates[group] for row in sums])


def _find_ratio(group: int | None, min_share: float, sums: Floats) -> Floats:
    ratios = [CandidateCounts.read(row).compute_ratios(min_share) for row in sums]
    return np.array([np.fmin.reduce(row) if group is None else row[group] for row in ratios])


def _bound_rate(group: int, parts: Floats, _: Floats, confidence: float) -> "PooledInterval":
    """Bound the rate of a group; of one query, whose candidates are the sample, by their number."""
    from fairtrec.statistics import deleted_clusters

    chosen, draws = (each[:, group] for each in CandidateCounts.split(parts))
    if len(parts) == 1:
        return deleted_clusters.bound_drawn_rate(chosen.item(), draws.item(), confidence)
    return deleted_clusters.bound_share(chosen, draws - chosen, confidence, of_all=True)


def _bound_ratio(group: int | None, min_share: float, parts: Floats, _: Floats, confidence: float) -> "PooledInterval":
    """Bound the ratio of a group to the greatest rate, or the least of these; of one query by their numbers."""
    from fairtrec.statistics import deleted_clusters

    counts = CandidateCounts.read(parts.sum(axis=0))
    ratios, bound = counts.compute_ratios(min_share), deleted_clusters.bound_ratio
    if np.isnan(ratios).all() or (group is not None and np.isnan(ratios[group])):
        return deleted_clusters.NONE
    if len(parts) == 1:
        bound = deleted_clusters.bound_drawn_ratio
    selected, candidates = CandidateCounts.split(parts)
    if group is None:
        at = np.flatnonzero(~np.isnan(ratios))
        return deleted_clusters.bound_least_ratio(selected[:, at], candidates[:, at], confidence, bound)
    pair = [group, int(np.nanargmax(ratios))]
    return bound(selected[:, pair], candidates[:, pair], confidence)


def _fix_rate(group: int, parts: Floats) -> FixedValue:
    selected, candidates = (each[:, group] for each in CandidateCounts.split(parts))
    return FixedValue(divide_sums, np.stack([selected, candidates], axis=1))


def _fix_ratio(group: int | None, min_share: float, parts: Floats) -> FixedValue:
    """Fix the group of the least rate, or the one that is asked for, and that of the greatest."""
    ratios = CandidateCounts.read(parts.sum(axis=0)).compute_ratios(min_share)
    at = np.flatnonzero(~np.isnan(ratios))
    if not len(at):
        return FixedValue(divide_sums, np.zeros((len(parts), 2)))
    first = int(np.nanargmin(ratios)) if group is None else group
    return fix_ratio(*CandidateCounts.split(parts), [first, int(np.nanargmax(ratios))], is_chosen=len(at) > 2)


@ranks.cache_by_array
def _add_up(membership: Floats, scores: Floats) -> Floats:
    """Count the candidates down to each rank, and above the first [query, rank, term]: once for all cutoffs."""
    laid = lay_candidates(membership, ~np.isnan(scores))
    return np.concatenate([np.zeros((len(laid), 1, laid.shape[2])), prefix_sums(laid, np.ones(laid.shape[1]))], axis=1)


@ranks.cache_by_array
def _count(membership: Floats, scores: Floats, cutoff: int | None, threshold: float | None) -> Floats:
    if cutoff is not None:
        counts = _add_up(membership, scores)
        return count_candidates(counts[:, : cutoff + 1][:, -1], counts[:, -1])
    assert threshold is not None
    laid = lay_candidates(membership, ~np.isnan(scores))
    return count_candidates(ranks.total(laid * (scores > threshold)[..., None]), ranks.total(laid))


@dataclass(eq=False)
class SelectionRates(Form):
    """What a threshold, or else a cutoff, selects of the ranked documents [query, rank], of which these are ``scores``.

    The other attributes are those of ``Selections``.
    """

    membership: Floats
    scores: Floats
    cutoff: int | None
    threshold: float | None
    groups: tuple[str, ...]
    group: int | None
    min_share: float | None = None

    def value(self) -> Floats:
        """Give no value for a single query."""
        return np.full(len(self.membership), np.nan)

    def over_queries(self) -> Selections:
        """Count the candidates of each query."""
        terms = _count(self.membership, self.scores, self.cutoff, self.threshold)
        if self.min_share is not None:
            return Selections.take_ratio(terms, self.groups, self.group, self.min_share)
        assert self.group is not None
        return Selections.take_rate(terms, self.groups, self.group)


@dataclass(frozen=True)
class _Selection(Measure):
    cutoff: int | None = None
    group: str = ""
    above: float | str | None = None
    of_pool = True
    has_pooled_bounds = True
    has_pooled_interval = True
    reads_on = True  # candidates below the cutoff count
    bounds = 0.0, 1.0

    def __post_init__(self) -> None:
        if self.above is None and self.cutoff is None:
            object.__setattr__(self, "cutoff", USUAL)
        super().__post_init__()
        if isinstance(self.above, str) and self.above != MEDIAN:
            raise UsageError(f"{self.name}: above is {self.above!r}; it is a number, or {MEDIAN}")
        if self.above is not None and self.cutoff is not None:
            raise UsageError(
                f"{self.name}: above selects by score, and @{self.cutoff} by rank; leave out one of the two"
            )

    @property
    def uses_scores(self) -> bool:
        """Whether it selects by the scores of the run."""
        return self.above is not None

    def find_threshold(self, run_scores: Floats) -> float | None:
        """Give the score above which documents are selected; None if ranks are."""
        if self.above != MEDIAN:
            return None if self.above is None else float(self.above)
        return float(np.median(run_scores)) if len(run_scores) else np.inf

    def note(self, lengths: Ints) -> Note | None:
        """Note that no ranking is longer than the cutoff."""
        if self.cutoff is None or (lengths > self.cutoff).any():
            return None
        return ALL_SELECTED.note(cutoff=self.cutoff)


class Selected(_Selection):
    """Which share of the group's candidates is in the top k? (Selection rate)

        Selected@k = sum over queries of  the membership in the group of the documents at ranks 1..k
                     / sum over queries of  the membership in the group of all ranked documents

    The ranked documents are the candidates, so a run must rank all of them. k is 10 by default. ``Selected(above=0.5)``
    selects every score above 0.5 instead of the top k, and ``above=median`` every score above the median of all scores
    of the evaluated queries. Candidates of no or unknown group are counted next to the groups. ``--pool FILE`` weighs
    queries.

    There is one value for each group: ``Selected(group='f')@10``; ``Selected@10`` and ``Selected(group=each)@10`` print
    all of them. There is one value for all queries, and none for one query. Labels can be soft.

    Unit: a share. Better: neither; compare groups. Empty ranking: undefined, if all rankings are empty. Range: 0 to 1.
    Undefined: for a single query; no candidate is of the group.
    Source: Uniform Guidelines on Employee Selection Procedures, 29 CFR 1607.4 D (selection rate).
    https://www.ecfr.gov/current/title-29/part-1607/section-1607.4
    """

    better = "neither"

    def formula(self, membership: Floats, scores: Floats, run_scores: Floats, groups: Sequence[str]) -> SelectionRates:
        """Count the candidates of the group."""
        threshold = self.find_threshold(run_scores)
        return SelectionRates(membership, scores, self.cutoff, threshold, tuple(groups), groups.index(self.group))


@dataclass(frozen=True)
class Impact(_Selection):
    """How far is the selection rate of a group from that of the group with the greatest? (Impact ratio)

        Impact(group='f')@k = Selected(group='f')@k / the greatest Selected@k of all groups
        Impact@k            = the least of these

    ``Impact(group=each)@10`` prints one value for each group. Groups with less than ``min_share`` of the candidates of
    known group take no part: they have no ratio, and no ratio is to their rate. ``above`` is that of Selected.

    Local Law 144 of New York City asks for these ratios by sex, by race and by both crossed, and lets a group of less
    than 2 % be left out. The four-fifths rule compares impact ratios with 0.8. They are numbers, and no legal verdict.

    There is one value for all queries, and none for one query. A ratio to the greatest of several rates is biased down
    if groups are small. Labels can be soft.

    Unit: none, a ratio. Better: higher. Empty ranking: undefined, if all rankings are empty.
    Range: [0, 1], 1 is the same selection rate for all groups.
    Undefined: for a single query; fewer than two groups take part, or none of them has a selected candidate.
    Source: Uniform Guidelines on Employee Selection Procedures, 29 CFR 1607.4 D (four-fifths rule).
    https://www.ecfr.gov/current/title-29/part-1607/section-1607.4 Rules of the City of New York, title 6, section 5-301
    (impact ratio). https://rules.cityofnewyork.us/wp-content/uploads/2023/04/DCWP-NOA-for-Use-of-Automated-Employment-Decisionmaking-Tools-2.pdf
    """

    min_share: float = 0.02
    limits = (("min_share", 0.0, BELOW_1, "min_share is {min_share}; it is a share from 0 to below 1"),)
    fewest = 2
    each_group = EACH

    def formula(self, membership: Floats, scores: Floats, run_scores: Floats, groups: Sequence[str]) -> SelectionRates:
        """Compare the rates of the groups."""
        threshold, group = self.find_threshold(run_scores), groups.index(self.group) if self.group else None
        return SelectionRates(membership, scores, self.cutoff, threshold, tuple(groups), group, self.min_share)
