"""How few flips turn the order of two runs: exactly if each adds its part to the difference, else greedily.

The *lead* D is the sum over queries of the run above less the run below, signed so that it is above 0. A *flip* gives
one unit, a label or a grade, an alternative. What a flip adds to D is looked up for each query that it plays a part in.

Source: Walsh et al.: The statistical significance of randomized controlled trial results is frequently fragile: a case
for a Fragility Index. Journal of Clinical Epidemiology 67, 2014. https://doi.org/10.1016/j.jclinepi.2013.10.019
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

import numpy as np

from fairtrec.data import Bools, Floats, Ints, list_distinct
from fairtrec.formulas.rounding import merge_ties, same
from fairtrec.lab.ablate.flip_values import FlippableRun, Units
from fairtrec.statistics import paired

NOTHING = 1e-12  # a lead of at most so much is a tie
ALPHA = 0.05  # up to this p a pair is decided
WRONG = 0.1  # the share of labels that are wrong at random
TOGETHER = 1e-10  # for each flip, by which sums differ by rounding
MOST_FRACTIONS = 100  # of the smallest part, one of which may be the unit of all
MOST_MULTIPLES = 10_000  # of the unit, from the least sum to the greatest
MOST_COMBINATIONS = 2**20  # of outcomes that are tried, as of twenty labels with one alternative each
Flip = tuple[int, int]  # a unit and its alternative


@dataclass(frozen=True)
class FewestFlips:
    """How few flips reach an end: those that were found, and the least that there can be. None: none were found."""

    flips: tuple[Flip, ...] | None
    least: int | None

    @property
    def count(self) -> int | None:
        """How many flips were found."""
        return None if self.flips is None else len(self.flips)

    @property
    def is_exact(self) -> bool:
        """Whether no fewer flips can do it."""
        return self.count == self.least


@dataclass(eq=False)
class Side:
    """One run of a pair: its values [query], and those with one more flip [entry, alternative].

    An entry is a query and a unit that plays a part in it; ``query`` [entry] rises. ``size``: values are compared by
    their sizes. ``flipped`` are the flips so far.
    """

    run: FlippableRun
    base: Floats
    query: Ints
    unit: Ints
    values: Floats
    size: bool
    flipped: dict[int, int] = field(default_factory=dict)

    @classmethod
    def start(cls, run: FlippableRun, units: Bools) -> "Side":
        """Compute all values of a run with one of ``units`` [unit] flipped."""
        query, unit = run.list_entries(units)
        every = np.arange(len(run.qids))
        side = cls(run, run.compute_base(every, {}), query, unit, np.zeros(0), size=False)
        side.values = side._compute(np.arange(len(query)))
        return side

    def copy(self, *, size: bool) -> "Side":
        """Begin anew, without flips."""
        return Side(self.run, self.base.copy(), self.query, self.unit, self.values.copy(), size)

    def _compute(self, entries: Ints) -> Floats:
        """Compute the values of entries with each alternative [entry, alternative]; nan for what is not allowed."""
        allowed = self.run.units.allowed[self.unit[entries]]
        row, alternative = np.nonzero(allowed)
        query, unit = self.query[entries][row], self.unit[entries][row]
        values = np.full(allowed.shape, np.nan)
        values[row, alternative] = self.run.compute(query, unit, alternative, self.flipped)
        return values

    @property
    def lead(self) -> Floats:
        """What is compared of the run's values [query]."""
        return np.abs(self.base) if self.size else self.base

    @property
    def effects(self) -> Floats:
        """What each flip adds to the value that is compared [entry, alternative]."""
        values = np.abs(self.values) if self.size else self.values
        with np.errstate(invalid="ignore"):
            return np.asarray(values - self.lead[self.query][:, None])

    def flip(self, unit: int, alternative: int) -> None:
        """Flip a unit, and compute what changes in its queries."""
        self.flipped[unit] = alternative
        queries = list_distinct(self.query[self.unit == unit])
        if len(queries):
            self.base[queries] = self.run.compute_base(queries, self.flipped)
            entries = np.flatnonzero(np.isin(self.query, queries))
            self.values[entries] = self._compute(entries)


@dataclass(eq=False)
class FlippedPair:
    """Two runs over the queries that have a value in both, and the flips that play a part.

    ``signs`` are those of the sides in the lead. Cells are a query and a unit that plays a part in it in either run:
    ``unit`` and ``query`` [cell]. ``places`` are the numbers of each side's entries and of their cells.
    """

    units: Units
    sides: tuple[Side, Side]
    signs: tuple[float, float]
    queries: tuple[Ints, Ints]  # of each side [query], in one order
    candidates: Ints  # the units that can flip, by docno
    unit: Ints  # the place among the candidates [cell], rising
    query: Ints
    places: Sequence[tuple[Ints, Ints]]

    @classmethod
    def join(cls, above: Side, below: Side, sign: float) -> "FlippedPair":
        """Put two sides together; ``sign`` is -1 if the lower value is above."""
        number = {qid: at for at, qid in enumerate(below.run.qids)}
        both = [(at, number[qid]) for at, qid in enumerate(above.run.qids) if qid in number]
        first, second = np.array(both, dtype=np.int64).reshape(-1, 2).T
        defined = ~np.isnan(above.lead[first] + below.lead[second])
        queries = first[defined], second[defined]
        units = above.run.units
        measured = [side.run.measured[rows] for side, rows in zip((above, below), queries, strict=True)]
        looked_at = list_distinct(np.concatenate([each[each >= 0] for each in measured]))
        candidates = looked_at[np.argsort(units.order[looked_at])]  # exact: places differ
        place = np.full(len(units.order), -1)
        place[candidates] = np.arange(len(candidates))
        entries, keys = [], []
        for side, rows in zip((above, below), queries, strict=True):
            at = np.full(len(side.run.qids), -1)
            at[rows] = np.arange(len(rows))
            own = np.flatnonzero((at[side.query] >= 0) & (place[side.unit] >= 0))
            entries.append(own)
            keys.append(place[side.unit[own]] * max(len(rows), 1) + at[side.query[own]])
        cells = list_distinct(np.concatenate(keys))
        places = [(own, np.searchsorted(cells, key)) for own, key in zip(entries, keys, strict=True)]
        unit, query = np.divmod(cells, max(len(queries[0]), 1))
        return cls(units, (above, below), (sign, -sign), queries, candidates, unit, query, places)

    @property
    def differences(self) -> Floats:
        """The value of the run above less that of the run below, signed [query]."""
        first, second = (side.lead[rows] for side, rows in zip(self.sides, self.queries, strict=True))
        return self.signs[0] * paired.subtract(first, second)

    @property
    def effects(self) -> Floats:
        """What each flip adds to the difference of its query [cell, alternative]; nan for one that cannot be."""
        cells = np.zeros((len(self.unit), len(self.units.alternatives)))
        for side, sign, (own, at) in zip(self.sides, self.signs, self.places, strict=True):
            cells[at] += sign * side.effects[own]
        cells[np.isin(self.candidates[self.unit], [*self.sides[0].flipped])] = np.nan
        return cells

    def sum_effects(self) -> Floats:
        """Sum what each flip adds to the lead [candidate, alternative]; infinite if it cannot be."""
        return self.sum_cells(self.effects)

    def sum_cells(self, cells: Floats) -> Floats:
        """Sum over the queries of each flip [candidate, alternative]; infinite if it cannot be."""
        with np.errstate(invalid="ignore"):
            cells = np.where(np.isfinite(cells), cells, np.inf)
        sums = np.zeros((len(self.candidates), cells.shape[1]))
        np.add.at(sums, self.unit, cells)
        allowed = self.units.allowed[self.candidates]
        return np.where(allowed, sums, np.inf)

    def flip(self, candidate: int, alternative: int) -> Flip:
        """Flip a candidate in both runs."""
        unit = int(self.candidates[candidate])
        for side in self.sides:
            side.flip(unit, alternative)
        return unit, alternative


def find_fewest_parts(pair: FlippedPair, sums: Floats) -> FewestFlips:
    """Find the fewest flips that turn a pair, if each adds its part: k flips take at most the k largest parts.

    ``sums`` are those of the effects of the pair.
    """
    best = merge_ties(sums).argmin(axis=1)
    gains = -sums[np.arange(len(sums)), best]
    gains = np.where(np.isfinite(gains), gains, 0.0)
    order = np.argsort(-merge_ties(gains), kind="stable")
    left = pair.differences.sum() - np.cumsum(gains[order])
    turned = np.flatnonzero(left < -NOTHING)
    if not len(turned):
        return FewestFlips(None, None)
    chosen = order[: int(turned[0]) + 1].tolist()
    flips = tuple((int(pair.candidates[at]), int(best[at])) for at in chosen)
    return FewestFlips(flips, len(flips))


def find_few_greedily(pair: FlippedPair, bounds: tuple[float | None, float | None]) -> FewestFlips:
    """Flip what lowers the lead most until the order turns or nothing lowers it; bound from below how many it takes.

    ``bounds`` are the least and the greatest value that is compared.
    """
    least = _bound_flips(pair, bounds)
    flips = _flip_until(pair, pair.sum_effects, lambda: 0.0, lambda: bool(pair.differences.sum() < -NOTHING))
    return FewestFlips(flips, 1 if flips is not None and len(flips) == 1 else least)


def _flip_until(
    pair: FlippedPair, rate: Callable[[], Floats], find_now: Callable[[], float], is_done: Callable[[], bool]
) -> tuple[Flip, ...] | None:
    """Flip what has the least rate until it is done; None if no flip has a rate below that of now."""
    flips: list[Flip] = []
    while not (flips and is_done()):
        rates = merge_ties(rate())
        best = int(rates.argmin()) if rates.size else 0
        if not rates.size or np.isposinf(rates.ravel()[best]) or rates.ravel()[best] >= find_now() - NOTHING:
            return None
        flips.append(pair.flip(*divmod(best, rates.shape[1])))
    return tuple(flips)


def _bound_flips(pair: FlippedPair, bounds: tuple[float | None, float | None]) -> int:
    """Bound from below how many flips turn a pair that no single one turns: each moves only the queries it plays in.

    A query can lose the way of the run above to its worst end, and that of the run below to its best.
    """
    low, high = bounds
    if low is None or high is None or not np.isfinite([low, high]).all():
        return 2
    room = np.zeros(len(pair.queries[0]))
    for side, sign, rows in zip(pair.sides, pair.signs, pair.queries, strict=True):
        room += side.lead[rows] - low if sign > 0 else high - side.lead[rows]
    most = int(np.bincount(pair.unit).max(initial=1))
    reached = np.cumsum(np.sort(room)[::-1]) >= pair.differences.sum() - NOTHING
    queries = int(reached.argmax()) + 1 if reached.any() else len(room)
    return max(2, -(-queries // most))


def find_lost_verdict(pair: FlippedPair) -> tuple[Flip, ...] | None:
    """Flip what lowers t most until p is above .05 or the lead is gone; None if nothing lowers it."""

    def rate() -> Floats:
        """Compute t with each flip [candidate, alternative]."""
        differences, cells = pair.differences, pair.effects
        many, before = len(differences), differences[pair.query][:, None]
        sums = differences.sum() + pair.sum_cells(cells)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            squares = np.square(differences).sum() + pair.sum_cells(np.square(before + cells) - np.square(before))
            variance = np.maximum(squares - sums * sums / many, 0.0) / (many - 1)
            t = np.asarray(sums / np.sqrt(variance * many))
        return np.where(np.isfinite(sums), np.where(np.isnan(t), 0.0, t), np.inf)

    def is_done() -> bool:
        return bool(find_p(pair) > ALPHA or pair.differences.sum() <= NOTHING)

    return _flip_until(pair, rate, lambda: _compute_t(pair.differences), is_done)


def _compute_t(differences: Floats) -> float:
    """Compute the t statistic of differences [query]; infinite if all are equal."""
    spread = float(differences.std(ddof=1))
    return float("inf") if spread <= NOTHING else float(differences.mean()) / spread * float(np.sqrt(len(differences)))


def find_p(pair: FlippedPair) -> float:
    """Compute p of the paired t-test of a pair; nan for fewer than two queries."""
    return float(paired.p_values(pair.differences[None])[0])


def approximate_chance(pair: FlippedPair, sums: Floats) -> float:
    """Approximate how likely the order turns if a tenth of the labels is wrong at random, each alternative as likely.

    By the normal distribution with the mean and variance of the lead: a label that is wrong adds mu on average, and
    square s on average. ``sums`` are those of the effects of the pair.
    """
    from scipy import special

    there = np.isfinite(sums)
    many = there.sum(axis=1).clip(min=1)
    parts = np.where(there, sums, 0.0)
    mean, square = parts.sum(axis=1) / many, np.square(parts).sum(axis=1) / many
    variance = float((WRONG * square - WRONG * WRONG * np.square(mean)).sum())
    lead = float(pair.differences.sum() + WRONG * mean.sum())
    if variance <= 0:
        return float(lead < 0)
    return float(special.ndtr(-lead / np.sqrt(variance)))


def compute_chance(pair: FlippedPair, sums: Floats) -> float | None:
    """Compute what ``approximate_chance`` approximates: add up the distributions of what each label adds to the lead.

    None if there are too many different sums: the parts are no whole multiples of one unit, and many labels count.
    """
    there = np.isfinite(sums)
    parts = np.where(there, sums, 0.0)
    counting = (merge_ties(parts) != 0).any(axis=1)
    chances = np.where(there, WRONG / there.sum(axis=1, keepdims=True).clip(min=1), 0.0)[counting]
    outcomes = _Outcomes(
        np.insert(parts[counting], 0, 0.0, axis=1),
        np.insert(chances, 0, 1 - WRONG, axis=1),  # first of all: it is right
    )
    total = _add_multiples(outcomes) or _add_combinations(outcomes)
    if total is None:
        return None
    return float(total.chances[pair.differences.sum() + total.values < -NOTHING].sum())


class _Outcomes(NamedTuple):
    """What can be added to the lead, and how likely each of it is [label, outcome]; or of all labels [outcome]."""

    values: Floats
    chances: Floats


def _add_multiples(outcomes: _Outcomes) -> _Outcomes | None:
    """Add up outcomes that are whole multiples of one unit; None if there is no unit, or too many multiples."""
    unit = _find_unit(outcomes.values)
    if unit is None:
        return None
    steps = np.rint(outcomes.values / unit).astype(np.int64)
    least, widths = steps.min(axis=1), np.ptp(steps, axis=1)
    kernels = np.zeros((len(steps), int(widths.max(initial=0)) + 1))
    np.add.at(kernels, (np.arange(len(steps))[:, None], steps - least[:, None]), outcomes.chances)
    chances = np.ones(1)
    for kernel, width in zip(kernels, widths.tolist(), strict=True):  # np.convolve adds in the order of the machine
        before, chances = chances, np.zeros(len(chances) + width)
        for step in np.flatnonzero(kernel).tolist():
            chances[step : step + len(before)] += kernel[step] * before
    return _Outcomes(unit * (least.sum() + np.arange(len(chances), dtype=np.float64)), chances)


def _find_unit(values: Floats) -> float | None:
    """Find the unit of which values [label, outcome] are whole multiples, to 12 digits: a fraction of the smallest.

    None if there is none, or the sum over labels can be too many multiples of it.
    """
    sizes = np.abs(values[merge_ties(values) != 0])
    if not len(sizes):
        return 1.0
    units = sizes.min() / np.arange(1, MOST_FRACTIONS + 1)
    units = units[units * MOST_MULTIPLES >= np.ptp(values, axis=1).sum()]
    multiples = np.rint(sizes[:, None] / units)
    fits = same(multiples * units, sizes[:, None]).all(axis=0)
    return float(units[fits.argmax()]) if fits.any() else None


def _add_combinations(outcomes: _Outcomes) -> _Outcomes | None:
    """Add up all combinations of outcomes; None if there are too many."""
    merged = merge_ties(outcomes.values)
    different = 1 + (np.diff(np.sort(merged, axis=1), axis=1) > 0).sum(axis=1)
    if prod(different.tolist()) > MOST_COMBINATIONS:
        return None
    total = _Outcomes(np.zeros(1), np.ones(1))
    for row, values, chances in zip(merged, *outcomes, strict=True):
        _, first, place = np.unique(row, return_index=True, return_inverse=True)
        sums = np.add.outer(total.values, values[first])
        total = _Outcomes(sums.ravel(), np.multiply.outer(total.chances, np.bincount(place, chances)).ravel())
    return total


def list_flips(pair: FlippedPair, flips: Sequence[Flip]) -> list[Mapping[str, str | None]]:
    """Say which documents get which labels."""
    return [pair.units.describe(unit, alternative) for unit, alternative in flips]


def adds_up(pair: FlippedPair, sums: Floats) -> bool:
    """Tell whether flips add up: all of them together change the lead by the sum of what each of them changes.

    ``sums`` are those of the effects of the pair.
    """
    best = sums.argmin(axis=1)
    parts = sums[np.arange(len(sums)), best]
    can_be = np.isfinite(parts)
    parts = parts[can_be]
    flipped = dict(zip(pair.candidates[can_be].tolist(), best[can_be].tolist(), strict=True))
    values = [side.run.compute_base(rows, flipped) for side, rows in zip(pair.sides, pair.queries, strict=True)]
    lead = pair.signs[0] * float((values[0] - values[1]).sum())
    return bool(abs(lead - pair.differences.sum() - parts.sum()) <= TOGETHER * max(1, len(parts)))
