"""The gap between groups in one measure of relevance: the difference, and the relative difference of the means.

Over the queries in which both groups have a value, x and y, d = x - y, s = x + y:

    difference           D = mean d,  D +- t se(d),  p two-sided: paired t
    relative difference  2 mean d / mean s: a ratio of means; nan if mean s is 0
    its interval         V = cov(d, s) / n, r the roots of
                         (S^2 - t^2 V_ss) r^2 - 2 (D S - t^2 V_ds) r + (D^2 - t^2 V_dd), times 2;
                         none unless the first is > 0

Of more than two groups these are the two of the greatest and of the least mean.

Sources: Dai et al.: Neural Retrievers are Biased Towards LLM-Generated Content. KDD 2024 (the relative difference).
https://doi.org/10.1145/3637528.3671882
Fieller: Some Problems in Interval Estimation. Journal of the Royal Statistical Society B 1954 (its interval).
https://doi.org/10.1111/j.2517-6161.1954.tb00159.x
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan, sqrt
from typing import Any, ClassVar

import numpy as np

from fairtrec.data import Floats, Ints
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import FollowingText, FollowingTexts, OtherValues, ScoreColumn, Scores
from fairtrec.formulas.distribution import exceeds_zero
from fairtrec.measures.utility import GroupUtility
from fairtrec.statistics.doubt import TOO_NARROW, explain_doubt, mark_doubt
from fairtrec.statistics.value_ranges import Range, bound_difference, cut_ends
from fairtrec.support.literals import GAP, Method
from fairtrec.support.notes import Note, NoteKind, NoteSeverity

RELATIVE = "relative difference"
MOST_RELATIVE = -2.0, 2.0  # of two means of 0 or more, one of which is 0
OF_GROUPS = NoteKind(
    "gaps between groups",
    "{what}: over the queries in which both groups have relevant documents, {contrasts}, not corrected; "
    "relative difference: twice the difference of the means over their sum",
    NoteSeverity.LEGEND,
)


DOUBTFUL_GAP = NoteKind("doubtful gap", TOO_NARROW, NoteSeverity.LEGEND)


@dataclass(frozen=True)
class GroupGap:
    """The gap of a measure between two groups, over so many queries; nan is what there is not."""

    measure: str
    groups: tuple[str, str]
    queries: int
    means: tuple[float, float]
    difference: float
    low: float = nan
    high: float = nan
    p: float = nan
    relative: float = nan
    relative_low: float = nan
    relative_high: float = nan
    doubtful: bool = False  # so few differences decide that the interval and p are surer than the data

    def describe(self) -> dict[str, Any]:
        """Give what JSON says of it."""
        return vars(self) | {"groups": list(self.groups), "means": list(self.means)}


@dataclass(frozen=True, eq=False)
class GroupGaps(ScoreColumn):
    """The gaps between groups, with intervals if a ``confidence`` is given."""

    name: ClassVar[str] = "group_gaps"
    is_of_means: ClassVar[bool] = True

    confidence: float | None = None

    def with_confidence(self, confidence: float, interval: Method, clusters: Ints | None) -> "GroupGaps":  # noqa: ARG002
        """Give each gap an interval of t, which takes queries for independent; none by clusters."""
        return replace(self, confidence=confidence if clusters is None else None)

    def settle(self, scores: Scores) -> dict[int, GroupGap]:
        """Compute the gap of each measure that has several groups, by the row of the last of them."""
        return {rows[-1]: _compare(scores, rows, self.confidence) for rows in find_families(scores)}

    def other_values(self, scores: Scores) -> Mapping[str, OtherValues]:
        """Return the difference in the column of the first group, the relative difference in that of the second."""
        values: list[float | None] = [None] * len(scores.measures)
        families = find_families(scores)
        for rows in families:
            gap = scores.settle(self.name)[rows[-1]]
            of_group = {scores.measures[row].group: row for row in rows}  # type: ignore[attr-defined]
            for group, value in zip(gap.groups, (gap.difference, gap.relative), strict=True):
                values[of_group[group]] = value
        return {GAP: OtherValues(values, "row")} if families else {}

    def follow(self, scores: Scores, total: str | None, places: int) -> FollowingTexts:
        """Write the difference and the relative difference behind the last group of each measure."""
        found: dict[str, list[FollowingText | None]] = {}
        if total is not None:
            return found
        gaps = scores.settle(self.name)
        families = {rows[-1]: rows for rows in find_families(scores)}
        for row, gap in gaps.items():
            names = [scores.measures[each].group for each in families[row]]  # type: ignore[attr-defined]
            is_pair = len(names) == 2
            heading = f"{names[0]} - {names[1]}" if is_pair else "greatest - least"
            for title, text in ((heading, _write(gap, places, named=not is_pair)), (RELATIVE, _write_relative(gap))):
                of_both = text._replace(of=gap.measure)  # without a group
                found.setdefault(title, [None] * len(scores.measures))[row] = of_both
        return found

    @classmethod
    def list_notes(cls, result: Result, called: Sequence[str]) -> list[Note]:  # noqa: ARG003 - of all runs
        """Say over which queries gaps are, and how many contrasts there are."""
        found = [gap for scores, _ in cls.find_all(result.scores) for gap in scores.settle(cls.name).values()]
        contrasts, pairs = len(found), {gap.groups for gap in found}
        what = " - ".join(next(iter(pairs))) if len(pairs) == 1 else "difference of groups"
        many = "1 contrast" if contrasts == 1 else f"{contrasts} contrasts"
        doubtful = any(gap.doubtful for gap in found)
        notes = [DOUBTFUL_GAP.note(rule=explain_doubt("differences"))] * doubtful
        return [OF_GROUPS.note(what=what, contrasts=many), *notes] if contrasts else []


def find_families(scores: Scores) -> list[list[int]]:
    """Find the measures that differ only by group, two or more: their rows, in their order."""
    families: dict[str, list[int]] = {}
    for row, measure in enumerate(scores.measures):
        if isinstance(measure, GroupUtility) and not (measure.total or measure.geometric):
            families.setdefault(str(measure.ungrouped), []).append(row)
    return [rows for rows in families.values() if len(rows) > 1]


def _compare(scores: Scores, rows: Sequence[int], confidence: float | None) -> GroupGap:
    """Compare two groups of a measure; of more, those of the greatest and the least mean."""
    if len(rows) > 2:
        means = scores.means[list(rows)]
        rows = (
            [rows[int(np.nanargmax(means))], rows[int(np.nanargmin(means))]] if not np.isnan(means).all() else rows[:2]
        )
    one, other = (scores.measures[row] for row in rows)
    values = scores.mean_values[list(rows)]
    x, y = values[:, ~np.isnan(values).any(axis=0)]
    groups = (one.group, other.group)  # type: ignore[attr-defined]
    family = str(one.ungrouped)  # type: ignore[attr-defined]
    return compare_groups(family, groups, x, y, confidence, bounds=scores.find_bounds(rows[0]))


def compare_groups(
    measure: str,
    groups: tuple[str, str],
    x: Floats,
    y: Floats,
    confidence: float | None = None,
    *,
    bounds: Range = (None, None),
) -> GroupGap:
    """Compare the values [query] of two groups, which are paired; intervals are cut at what values within ``bounds``
    can have.

    >>> gap = compare_groups("P@1", ("a", "b"), np.array([1.0, 0.0]), np.array([0.0, 0.0]))
    >>> gap.difference, gap.relative
    (0.5, 2.0)
    """
    if not len(x):
        return GroupGap(measure, groups, 0, (nan, nan), nan)
    d, s = x - y, x + y
    difference, total = float(d.mean()), float(s.mean())
    relative = 2 * difference / total if total else nan
    gap = GroupGap(measure, groups, len(x), (float(x.mean()), float(y.mean())), difference, relative=relative)
    if confidence is None or len(x) < 2:
        return gap
    from fairtrec.statistics import paired
    from fairtrec.statistics.doubt import is_difference_doubtful
    from fairtrec.statistics.student import critical_t

    low, high = cut_ends(paired.interval(d, confidence=confidence), bound_difference(bounds))
    p = float(paired.p_values(d[None])[0])
    t = critical_t(len(x) - 1, (1 - confidence) / 2)
    ends = _solve(difference, total, d - difference, s - total, t)
    if bounds[0] is not None and bounds[0] >= 0:
        ends = cut_ends(ends, MOST_RELATIVE)
    few = is_difference_doubtful(d)
    return replace(gap, low=low, high=high, p=p, relative_low=ends[0], relative_high=ends[1], doubtful=few)


def _solve(difference: float, total: float, d: Floats, s: Floats, t: float) -> tuple[float, float]:
    """Give the interval of twice a ratio of paired means, whose deviations are d and s [query]; or nan."""
    many = len(d) * (len(d) - 1)
    v_dd, v_ds, v_ss = (float(np.square(d).sum()), float((d * s).sum()), float(np.square(s).sum()))
    whole, part = total * total, t * t * v_ss / many
    lead = whole - part
    middle, last = difference * total - t * t * v_ds / many, difference * difference - t * t * v_dd / many
    if not exceeds_zero(lead, size=whole + part):
        return nan, nan
    root = sqrt(max(middle * middle - lead * last, 0.0))
    return 2 * (middle - root) / lead, 2 * (middle + root) / lead


def _write(gap: GroupGap, places: int, *, named: bool) -> FollowingText:
    """Write a difference, and behind it its interval and p, and of which groups it is."""
    if isnan(gap.difference):
        return FollowingText("-")
    reach = "" if isnan(gap.low) else f" [{gap.low:.{places}f}, {gap.high:.{places}f}]"
    p = "" if isnan(gap.p) else f" p {write_p(gap.p)}"
    found = mark_doubt(f"{reach}{p}", doubtful=gap.doubtful and bool(reach))
    of = f" {gap.groups[0]} - {gap.groups[1]}" if named else ""
    return FollowingText(f"{gap.difference:.{places}f}", f"{found}{of}")


def _write_relative(gap: GroupGap) -> FollowingText:
    if isnan(gap.relative):
        return FollowingText("-")
    low, high = gap.relative_low, gap.relative_high
    reach = "" if isnan(low) else f" [{100 * low:.1f} %, {100 * high:.1f} %]"
    return FollowingText(f"{100 * gap.relative:.1f} %", mark_doubt(reach, doubtful=gap.doubtful))


def write_p(p: float) -> str:
    """Write a p to two digits.

    >>> write_p(0.0011), write_p(0.28), write_p(1.0), write_p(3e-12)
    ('.0011', '.28', '1', '<.0001')
    """
    return "<.0001" if p < 0.0001 else f"{p:.2g}".removeprefix("0")
