"""The gap between slices of queries: greatest less least mean, and least over greatest, with intervals that hold.

The two slices are chosen by looking, so an interval of these two alone would hold too rarely. With k slices of two
queries or more, means m, variances of means v = s^2/n, Welch's degrees of freedom df, and q of the studentised range,

    c          = q(confidence; k, df) / sqrt(2), for two slices Student's t
    difference = m_a - m_b +- c sqrt(v_a + v_b),   p = P(Q(k, df) > sqrt(2) |m_a - m_b| / sqrt(v_a + v_b))
    ratio      : the roots r of (m_a^2 - c^2 v_a) r^2 - 2 m_a m_b r + (m_b^2 - c^2 v_b); none unless the first is > 0

Sources: Games, Howell: Pairwise Multiple Comparison Procedures with Unequal N's and/or Variances. Journal of
Educational Statistics 1976. https://doi.org/10.3102/10769986001002113
Fieller: Some Problems in Interval Estimation. Journal of the Royal Statistical Society B 1954 (the ratio).
https://doi.org/10.1111/j.2517-6161.1954.tb00159.x
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import isnan, nan, sqrt
from typing import Any, ClassVar

import numpy as np

from fairtrec.data import Floats, Ints
from fairtrec.evaluation.answers.aggregates import Aggregated
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import ScoreColumn, Scores
from fairtrec.evaluation.columns.confidence import Confidence, has_gaps
from fairtrec.formats.tsv import ALL, DIFFERENCE, RATIO
from fairtrec.measure import Measure, Quantity
from fairtrec.statistics.student import critical_t

DIGITS = 12  # of means that are the same


@dataclass(frozen=True)
class Gap:
    """A difference or ratio of the means of two slices, ``of`` (the greatest, the least), over ``queries`` of both.

    The interval and p are nan where there is none; ``doubtful`` where so few values differ from the commonest of these
    that they are surer than the data.
    """

    of: tuple[str, str]
    value: float
    queries: int
    low: float = nan
    high: float = nan
    p: float = nan
    doubtful: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class GapScores(Scores):
    """Gaps between slices in the place of a run's means [measure], so that formats write them as they write slices."""

    gaps: tuple[Gap | None, ...] = ()
    kind: str = DIFFERENCE

    @cached_property
    def means(self) -> Floats:
        """The gaps [measure]; nan if there is none."""
        return np.array([nan if gap is None else gap.value for gap in self.gaps])

    @cached_property
    def compared(self) -> Floats:
        """The sizes of the gaps [measure]."""
        return np.abs(self.means)

    @cached_property
    def defined(self) -> Ints:
        """Over how many queries each gap is [measure]."""
        return np.array([0 if gap is None else gap.queries for gap in self.gaps])

    def spell(self, query: int | str | None, places: int) -> list[str]:
        """Write each gap; nothing if there is none."""
        return ["" if text == "nan" else text for text in super().spell(query, places)]

    def told(self, row: int) -> str:
        """Say of which slices a gap is: the greatest less the least, or the least over the greatest."""
        gap = self.gaps[row]
        if gap is None:
            return ""
        return f"{gap.of[0]} - {gap.of[1]}" if self.kind == DIFFERENCE else f"{gap.of[1]} / {gap.of[0]}"


@dataclass(frozen=True, eq=False)
class Gaps(ScoreColumn):
    """What stands next to a gap: its slices, and with ``--confidence`` its interval and p."""

    name: ClassVar[str] = "gaps"

    number_names: tuple[str, ...] = ()

    def numbers(self, scores: Any, row: int) -> Mapping[str, float]:
        """Give the ends of the interval; nan for a measure without a gap."""
        if scores.measures[row].total:
            return {}
        return {end: nan if scores.gaps[row] is None else getattr(scores.gaps[row], end) for end in self.number_names}

    def describe_mean(self, scores: Any, row: int) -> Mapping[str, Any]:
        """Give the two slices, and the p of a difference that has an interval."""
        gap = scores.gaps[row]
        if gap is None:
            return self.numbers(scores, row)
        numbers: dict[str, Any] = {**self.numbers(scores, row), "of": list(gap.of)}
        return numbers | ({"p": gap.p} if self.number_names and scores.kind == DIFFERENCE else {})

    def suffixes(self, scores: Any, query: int | None, places: int) -> list[str]:  # noqa: ARG002 - of means
        """Write which slices are the greatest and the least, the interval of their gap, and p, if it has one."""
        written = []
        for row, gap in enumerate(scores.gaps):
            reach = "" if gap is None or isnan(gap.low) else f" [{gap.low:.{places}f}, {gap.high:.{places}f}]"
            doubt = " ?" * (gap is not None and gap.doubtful and bool(reach))
            p = "" if gap is None or isnan(gap.p) else f" p {gap.p:.{places}f}"
            written.append("" if gap is None else f" {scores.told(row)}{reach}{doubt}{p}")
        return written


def gaps(parts: Mapping[str, Result]) -> dict[str, Result]:
    """Give the differences and ratios of slices as slices of their own; none of fewer than two, or of gold labels."""
    slices = {name: part for name, part in parts.items() if name != ALL}
    whole = parts[ALL]
    if not has_gaps(whole.scores, len(slices)):
        return {}
    found: dict[str, list[Scores]] = {DIFFERENCE: [], RATIO: []}
    for number, scores in enumerate(whole.scores):
        of_run = {name: part.scores[number] for name, part in slices.items()}
        levels = [column.confidence for _, column in Confidence.find_all((scores,))]
        both = [_of_measure(measure, row, of_run, *levels) for row, measure in enumerate(scores.measures)]
        column = Gaps(Confidence.number_names if levels else ())
        for kind, several in zip(found, zip(*both, strict=True), strict=True):
            found[kind].append(_scores(scores, of_run, several, kind, column))
    return {kind: replace(whole, scores=tuple(several)) for kind, several in found.items()}


def _scores(
    scores: Scores, of_run: Mapping[str, Scores], several: Sequence[Gap | None], kind: str, column: Gaps
) -> GapScores:
    wanted = {qid for each in of_run.values() for qid in each.qids}
    qids = tuple(qid for qid in scores.qids if qid in wanted)
    return GapScores(
        run=scores.run,
        tag=scores.tag,
        measures=scores.measures,
        qids=qids,
        values=np.full((len(several), len(qids)), nan),
        columns={column.name: column},
        strange=frozenset(scores.measures),  # compared with no other run's
        gaps=tuple(several),
        kind=kind,
    )


def _of_measure(
    measure: Quantity, row: int, of_run: Mapping[str, Scores], confidence: float | None = None
) -> tuple[Gap | None, Gap | None]:
    """Give the difference and the ratio of a measure over the slices of a run; None where there is none."""
    is_end = not isinstance(measure, Measure | Aggregated)  # of bounds
    if is_end or measure.total or measure.geometric:
        return None, None
    values = {name: scores.values[row] for name, scores in of_run.items()}
    values = {name: each[~np.isnan(each)] for name, each in values.items()}
    if measure.better == "nearer 0":
        values = {name: np.abs(each) for name, each in values.items()}
    values = {name: each for name, each in values.items() if len(each) and np.isfinite(each).all()}
    low = measure.bounds[0]
    qids = [qid for scores in of_run.values() for qid in scores.qids]
    return gap(
        values,
        confidence if len(set(qids)) == len(qids) else None,
        is_ratio=low is not None and low >= 0,
        over=measure.over,
    )


def gap(
    values: Mapping[str, Floats],
    confidence: float | None,
    *,
    is_ratio: bool = True,
    over: Callable[[Floats], float] | None = None,
) -> tuple[Gap | None, Gap | None]:
    """Give the difference and the ratio of the greatest and the least mean of the values [query] of each slice.

    Equal means are taken by name. Both are None of fewer than two slices, the ratio where the greatest mean is 0. With
    a ``confidence`` there are intervals, unless a slice of the two has one query, or neither has any spread. ``over``
    makes something else than means.

    >>> difference, ratio = gap({"a": np.array([1.0, 3.0]), "b": np.array([1.0])}, None)
    >>> difference.of, difference.value, ratio.value
    (('a', 'b'), 1.0, 0.5)
    """
    if len(values) < 2:
        return None, None
    means = {name: float(each.mean() if over is None else over(each)) for name, each in values.items()}
    first, *_, last = sorted(means, key=lambda name: (-round(means[name], DIGITS), name))
    a, b = means[first], means[last]
    both = np.concatenate((values[first], values[last]))
    difference = Gap((first, last), a - b, len(both))
    ratio = Gap((first, last), b / a, len(both)) if is_ratio and a > 0 else None
    if confidence is None or min(len(values[first]), len(values[last])) < 2:
        return difference, ratio
    va, vb = (float(values[name].var(ddof=1)) / len(values[name]) for name in (first, last))
    if round(sqrt(va + vb), DIGITS) == 0:
        return difference, ratio
    freedom = (va + vb) * (va + vb) / (va * va / (len(values[first]) - 1) + vb * vb / (len(values[last]) - 1))
    from fairtrec.statistics import paired
    from fairtrec.statistics.procedure import DECIDING

    slices = sum(len(each) > 1 for each in values.values())
    critical, error = _critical(confidence, slices, freedom), sqrt(va + vb)
    few = paired.differing(both) < DECIDING
    p = _tail((a - b) / error, slices, freedom)
    difference = replace(difference, low=a - b - critical * error, high=a - b + critical * error, p=p, doubtful=few)
    if ratio is not None:
        low, high = fieller(a, b, critical * critical * va, critical * critical * vb)
        ratio = replace(ratio, low=low, high=high, doubtful=few and not isnan(low))
    return difference, ratio


def fieller(a: float, b: float, va: float, vb: float) -> tuple[float, float]:
    """Give Fieller's set of b / a, whose squared reaches are ``va`` and ``vb``; nan where it is no interval.

    >>> fieller(2.0, 1.0, 0.0, 0.25)
    (0.25, 0.75)
    """
    lead = a * a - va
    if lead <= 0:
        return nan, nan
    root = sqrt(max(a * b * a * b - lead * (b * b - vb), 0.0))
    return (a * b - root) / lead, (a * b + root) / lead


@lru_cache(1024)
def _critical(confidence: float, slices: int, freedom: float) -> float:
    if slices == 2:
        return critical_t(freedom, (1 - confidence) / 2)

    from scipy import stats

    return float(stats.studentized_range.ppf(confidence, slices, freedom)) / sqrt(2)


def _tail(far: float, slices: int, freedom: float) -> float:
    from scipy import stats

    if slices == 2:
        return float(2 * stats.t.sf(abs(far), freedom))
    return float(np.clip(stats.studentized_range.sf(abs(far) * sqrt(2), slices, freedom), 0, 1))
