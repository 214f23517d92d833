"""The gap between slices of queries: greatest less least mean, and least over greatest, with intervals that hold.

The two slices are chosen by looking, so an interval of these two alone would hold too rarely. It is compared with the
gaps that chance makes: in each of 1,999 permutations the queries of the slices exchange their values, and the two
slices of the greatest and the least mean are chosen again.

    t          = (m_a - m_b) / se,   se = sqrt(s_a^2 / n_a + s_b^2 / n_b)
    p          = (1 + number of permutations with t_i >= t) / 2000
    difference = m_a - m_b +- c se,   c is the smallest t_i that 2000 times the confidence of them do not exceed
    ratio      : the roots r of (m_a^2 - c^2 v_a) r^2 - 2 m_a m_b r + (m_b^2 - c^2 v_b), v = s^2 / n; none unless the
                 first is > 0

Permutation i of a seed gives the queries, in the order of their ids, the values of the queries in the order of the
sha256 of "seed i qid". There is no interval and no p if one of the two slices has fewer than 5 queries, or fewer than
5 values that differ from its most frequent one.

Sources: Chung, Romano: Exact and asymptotically robust permutation tests. Annals of Statistics 2013 (permutations of a
studentised difference). https://doi.org/10.1214/13-AOS1090
Fieller: Some Problems in Interval Estimation. Journal of the Royal Statistical Society B 1954 (the ratio).
https://doi.org/10.1111/j.2517-6161.1954.tb00159.x
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import ceil, isinf, isnan, nan, sqrt
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

from fairtrec.data import Bools, Floats, Ints
from fairtrec.evaluation.answers.aggregates import Aggregated
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import MeanCell, ScoreColumn, Scores
from fairtrec.evaluation.columns.confidence import Confidence, has_gaps
from fairtrec.formulas.distribution import exceeds_zero
from fairtrec.measure import Measure, Quantity
from fairtrec.statistics.doubt import mark_doubt
from fairtrec.statistics.hashed_orders import order_queries
from fairtrec.statistics.value_ranges import Range, bound_difference, bound_size, cut_ends
from fairtrec.support.literals import ALL, DIFFERENCE, RATIO

DIGITS = 12  # of means that are the same
PERMUTATIONS = 1999
FEWEST = 5  # queries of a slice, and values that differ from its most frequent one, that a gap has an interval from


@dataclass(frozen=True)
class Gap:
    """A difference or ratio of the means of two slices, ``of`` (the greatest, the least), over ``queries`` of both.

    The interval and p are nan if there is none; ``doubtful`` if so few values of a slice differ from its most frequent
    one that they are surer than the data.
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
    def order_values(self) -> Floats:
        """The sizes of the gaps [measure]."""
        return np.abs(self.means)

    @cached_property
    def defined(self) -> Ints:
        """Over how many queries each gap is [measure]."""
        return np.array([0 if gap is None else gap.queries for gap in self.gaps])

    def has_all_queries(self, row: int) -> bool:  # noqa: ARG002 - of all
        """Report that a gap is over the queries that both slices have."""
        return True

    def keep_measures(self, rows: Sequence[int]) -> Self:
        """Keep the gaps of some of the measures, by number."""
        return replace(super().keep_measures(rows), gaps=tuple(self.gaps[row] for row in rows))

    def spell(self, query: int | str | None, places: int) -> list[str]:
        """Write each gap; nothing if there is none."""
        return ["" if text == "nan" else text for text in super().spell(query, places)]

    def describe_slices(self, row: int) -> str:
        """Say of which slices a gap is: the greatest less the least, or the least over the greatest."""
        gap = self.gaps[row]
        if gap is None:
            return ""
        return f"{gap.of[0]} - {gap.of[1]}" if self.kind == DIFFERENCE else f"{gap.of[1]} / {gap.of[0]}"


@dataclass(frozen=True, eq=False)
class Gaps(ScoreColumn):
    """What stands next to a gap: its slices, and with ``--confidence`` its interval and p."""

    name: ClassVar[str] = "gaps"

    cells: tuple[MeanCell, ...] = ()

    def numbers(self, scores: Any, row: int) -> Mapping[str, float]:
        """Give the ends of the interval; nan for a measure without a gap."""
        if scores.measures[row].total:
            return {}
        return {end: nan if scores.gaps[row] is None else getattr(scores.gaps[row], end) for end, *_ in self.cells}

    def describe_mean(self, scores: Any, row: int) -> Mapping[str, Any]:
        """Give the two slices, and the p of a difference that has an interval."""
        gap = scores.gaps[row]
        if gap is None:
            return self.numbers(scores, row)
        numbers: dict[str, Any] = {**self.numbers(scores, row), "of": list(gap.of)}
        numbers |= {"p": gap.p} if self.cells and scores.kind == DIFFERENCE else {}
        return numbers | ({"doubtful": gap.doubtful} if self.cells else {})

    def suffixes(self, scores: Any, query: int | str | None, places: int) -> list[str]:  # noqa: ARG002 - of means
        """Write which slices are the greatest and the least, the interval of their gap, and p, if it has one."""
        written = []
        for row, gap in enumerate(scores.gaps):
            reach = "" if gap is None or isnan(gap.low) else f" [{gap.low:.{places}f}, {gap.high:.{places}f}]"
            reach = mark_doubt(reach, doubtful=gap is not None and gap.doubtful)
            p = "" if gap is None or isnan(gap.p) else f" p {gap.p:.{places}f}"
            written.append("" if gap is None else f" {scores.describe_slices(row)}{reach}{p}")
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
        levels = [column.confidence for _, column in Confidence.find_all((scores,)) if column.clusters is None]
        both = [_of_measure(measure, row, of_run, *levels) for row, measure in enumerate(scores.measures)]
        column = Gaps(Confidence.cells if levels else ())
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
    bounds = next(iter(of_run.values())).find_bounds(row)
    if measure.better == "nearer 0":
        bounds = bound_size(bounds)
    low = measure.bounds[0]
    every = [qid for scores in of_run.values() for qid in scores.qids]
    whose = {
        name: [qid for qid, value in zip(of_run[name].qids, of_run[name].values[row], strict=True) if value == value]  # noqa: PLR0124 - nan is not itself
        for name in values
    }
    return gap(
        values,
        confidence if len(set(every)) == len(every) else None,
        qids=whose,
        is_ratio=low is not None and low >= 0,
        over=measure.over,
        bounds=bounds,
    )


def gap(
    values: Mapping[str, Floats],
    confidence: float | None,
    *,
    qids: Mapping[str, Sequence[str]] = MappingProxyType({}),
    is_ratio: bool = True,
    over: Callable[[Floats], float] | None = None,
    bounds: Range = (None, None),
    seed: int = 0,
) -> tuple[Gap | None, Gap | None]:
    """Give the difference and the ratio of the greatest and the least mean of the values [query] of each slice.

    Equal means are taken by name. Both are None for fewer than two slices, the ratio if the greatest mean is 0. With a
    ``confidence``, and the ``qids`` of the values of each slice, there are intervals and p, unless a slice of the two
    has too few queries or values that differ. ``over`` makes something else than means. Intervals are cut at what
    values within ``bounds`` can have.

    >>> difference, ratio = gap({"a": np.array([1.0, 3.0]), "b": np.array([1.0])}, None)
    >>> difference.of, difference.value, ratio.value
    (('a', 'b'), 1.0, 0.5)
    """
    if len(values) < 2:
        return None, None
    means = {name: float(each.mean() if over is None else over(each)) for name, each in values.items()}
    first, *_, last = sorted(means, key=lambda name: (-round(means[name], DIGITS), name))
    a, b = means[first], means[last]
    queries = len(values[first]) + len(values[last])
    difference = Gap((first, last), a - b, queries)
    ratio = Gap((first, last), b / a, queries) if is_ratio and a > 0 else None
    if confidence is None or min(len(values[first]), len(values[last])) < FEWEST:
        return difference, ratio
    from fairtrec.statistics.doubt import count_differing, is_doubtful

    differing = min(count_differing(values[name]) for name in (first, last))
    if differing < FEWEST:
        return difference, ratio
    va, vb = (float(values[name].var(ddof=1)) / len(values[name]) for name in (first, last))
    error, few = sqrt(va + vb), is_doubtful(differing)
    by_chance = permute_gaps(values, qids, seed)
    p = float(1 + (by_chance >= (a - b) / error * (1 - 1e-9)).sum()) / (PERMUTATIONS + 1)
    critical = float(np.sort(by_chance, kind="stable")[ceil((PERMUTATIONS + 1) * confidence - 1e-9) - 1])
    difference = replace(difference, p=p, doubtful=few)
    if isinf(critical):
        return difference, ratio
    low, high = cut_ends((a - b - critical * error, a - b + critical * error), bound_difference(bounds))
    difference = replace(difference, low=low, high=high)
    if ratio is not None:
        low, high = cut_ends(fieller(a, b, critical * critical * va, critical * critical * vb), (0.0, None))
        ratio = replace(ratio, low=low, high=high, doubtful=few and not isnan(low))
    return difference, ratio


def permute_gaps(values: Mapping[str, Floats], qids: Mapping[str, Sequence[str]], seed: int) -> Floats:
    """Give the studentised gap of each permutation of the values over the queries of the slices [permutation].

    It is 0 if all means are the same, and infinite if the values of both slices do not vary.
    """
    names = sorted(values)
    pairs = sorted(
        (qid, name, value) for name in names for qid, value in zip(qids[name], values[name].tolist(), strict=True)
    )
    every = np.array([value for _, _, value in pairs])
    permuted = every[order_permutations(tuple(qid for qid, _, _ in pairs), seed)]  # [permutation, query]
    slices = np.array([names.index(name) for _, name, _ in pairs])
    means, variances = np.empty((2, len(names), PERMUTATIONS))
    for number in range(len(names)):
        part = np.ascontiguousarray(permuted[:, slices == number])
        many = part.shape[1]
        means[number] = part.mean(axis=1)
        variances[number] = part.var(axis=1, ddof=1) / many if many > 1 else 0.0
    rounded, which = means.round(DIGITS), np.arange(PERMUTATIONS)
    first = rounded.argmax(axis=0)
    last = len(names) - 1 - rounded[::-1].argmin(axis=0)
    apart = rounded[first, which] - rounded[last, which]
    error = np.sqrt(variances[first, which] + variances[last, which])
    flat: Bools = error.round(DIGITS) == 0
    return np.where(apart <= 0, 0.0, np.where(flat, np.inf, apart / np.where(flat, 1.0, error)))


@lru_cache(2)
def order_permutations(qids: tuple[str, ...], seed: int) -> Ints:
    """Order queries by the sha256 of "seed i qid" for each permutation i [permutation, query].

    >>> order_permutations(("a", "b", "c"), 0)[:2].tolist()
    [[2, 0, 1], [0, 1, 2]]
    """
    return np.array(list(order_queries(qids, seed, PERMUTATIONS)), dtype=np.int64)


def fieller(a: float, b: float, va: float, vb: float) -> tuple[float, float]:
    """Give Fieller's set of b / a, whose squared reaches are ``va`` and ``vb``; nan where it is no interval.

    >>> fieller(2.0, 1.0, 0.0, 0.25)
    (0.25, 0.75)
    """
    lead = a * a - va
    if not exceeds_zero(lead, size=a * a + va):
        return nan, nan
    root = sqrt(max(a * b * a * b - lead * (b * b - vb), 0.0))
    return (a * b - root) / lead, (a * b + root) / lead
