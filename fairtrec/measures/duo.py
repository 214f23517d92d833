"""DUO: how late a ranking shows the spread of stances that its documents have on an axis of debate.

The value is normalized by the least and the most that any order of the same list could have. Both are computed, not
sampled: extremes.py proves that the most is exact, and says up to where the least is.

Source: Ziems, Held, Dwivedi-Yu, Yang: Measuring and Addressing Indexical Bias in Information Retrieval. Findings of
ACL 2024. https://doi.org/10.18653/v1/2024.findings-acl.763
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar, Literal

import numpy as np

from fairtrec.data import list_distinct
from fairtrec.formulas import extremes, ranks
from fairtrec.formulas.distribution import exceeds_zero, quotient
from fairtrec.formulas.rounding import NEAR
from fairtrec.formulas.sequences import Earned
from fairtrec.formulas.spread import SpreadMean, average_spread, bound_each, sample_bounds, spread, variances, weights
from fairtrec.formulas.weighted_sums import multiply_counts
from fairtrec.measure import Bounds, Floats, Ints, Limits, Measure, Note, NoteKind, NoteSeverity, UsageError

MOST_IN_ORDER = 5_000  # documents, of which an order at an end is written down
NOT_PROVED = NoteKind(
    "order not proved",
    "for {open} of {rankings} rankings the fairest possible order is proved only within bounds; their values are exact "
    "or too high, by {most} at most",
    NoteSeverity.MISLEADING,
)


def group_by_length(stances: Floats) -> Iterator[tuple[Ints, Floats]]:
    """Group lists [query, rank] of equal length, without their nan: the rows, and the lists [row, rank].

    Lists without an order to speak of, of two documents or of documents that are all at one place, are left out. The
    others are moved and stretched to [-1/2, 1/2], as no measure here depends on where the axis begins, or its unit.
    """
    together = ranks.close_up(stances)
    length = (~np.isnan(stances)).sum(axis=1)
    for n in list_distinct(length[length > 2]):
        rows = np.flatnonzero(length == n)
        lists = together[rows, :n]
        low, high = lists.min(axis=1, keepdims=True), lists.max(axis=1, keepdims=True)
        spread_out = (low < high)[:, 0]
        if spread_out.any():
            rows, lists, low, high = rows[spread_out], lists[spread_out], low[spread_out], high[spread_out]
            yield rows, (lists - low) / (high - low) - 0.5


@dataclass(frozen=True)
class _Spread(Measure):
    """What the family shares: its parameters, and what normalizes it."""

    cutoff: int | None = None
    step: int = 1
    mean: SpreadMean = "prefix"
    normalizer: Literal["exact", "sampled"] = "exact"
    n: int = 40320
    seed: int = 7
    axis: int = 0
    limits: ClassVar[Limits] = (
        ("step", 1, inf, "step is {step}; it is 1 or more"),
        ("n", 1, inf, "n is {n}; it is 1 or more"),
        ("seed", 0, inf, "seed is {seed}; it is 0 or more"),
        ("axis", 0, inf, "axis is {axis}; it is 0 or more"),
    )
    lowest: ClassVar[float] = 0.0

    @property
    def bounds(self) -> Bounds:
        """Random orders miss both ends."""
        return (self.lowest, 1.0) if self.normalizer == "exact" else (None, None)

    def axes(self, stances: Floats) -> Floats:
        """Choose one axis, or all [axis, query, rank]."""
        if self.axis > stances.shape[2]:
            what = f"axis is {self.axis}, but the stances have {stances.shape[2]} axes"
            raise UsageError(f"{self.name}: {what}; choose one of them")
        every = np.moveaxis(stances[:, : self.cutoff], 2, 0)
        return every[self.axis - 1 : self.axis] if self.axis else every

    def raw(self, lists: Floats) -> Floats:
        """Give what is normalized [list]."""
        return spread(lists, self.step, self.mean)

    def normalized(self, stances: Floats) -> tuple[Floats, Floats]:
        """Give the value for each list [query, rank], and how much lower the truth may be."""
        value, doubt = np.full(len(stances), np.nan), np.zeros(len(stances))
        for rows, lists in group_by_length(stances):
            raw = self.raw(lists)
            if self.normalizer == "exact":
                bound, least, most = bound_each(lists, self.step, self.mean)
            else:
                bound, least, most = sample_bounds(lists, self.step, self.mean, n=self.n, seed=self.seed)
            wide = exceeds_zero(most - least, size=most + least)
            of = quotient(most - raw, most - least, size=most + least)
            value[rows] = of.clip(0, 1) if self.normalizer == "exact" else of
            doubt[rows[wide]] = (of * (least - bound))[wide] / (most - bound)[wide]
        return value, doubt

    def note(self, stances: Floats, **_: Any) -> Note | None:
        """Count the lists whose least spread is not proved closely enough."""
        if self.normalizer == "sampled":
            return None
        doubt = np.array([doubt for _, doubt in _normalize_axes(stances, self)]).max(axis=0, initial=0)
        many = int((doubt > 1e-3).sum())
        most = f"{doubt.max(initial=0):.4f}"
        return NOT_PROVED.note(open=many, rankings=len(doubt), most=most) if many else None


@ranks.cache_by_array
def _list_normalized(stances: Floats) -> dict[_Spread, list[tuple[Floats, Floats]]]:  # noqa: ARG001 - by which it is kept
    """List by measure what ``_normalize_axes`` has computed for these stances."""
    return {}


def _normalize_axes(stances: Floats, measure: _Spread) -> list[tuple[Floats, Floats]]:
    """Give the values of a measure on each axis, and how much lower the truth may be; its note asks for them, too."""
    known = _list_normalized(stances)
    if measure not in known:
        known[measure] = [measure.normalized(axis) for axis in measure.axes(stances)]
    return known[measure]


def _strongest(values: Sequence[Floats], queries: int) -> Floats:
    """Take each query's value of the greatest magnitude over the axes; nan where it has none on any."""
    stacked = np.stack([np.full(queries, np.nan), *values])
    strongest = np.argmax(np.where(np.isnan(stacked), -1.0, np.abs(stacked)), axis=0)
    return np.asarray(stacked[strongest, np.arange(queries)])


class DUO(_Spread):
    """How late does a ranking show the spread of stances that its documents have on an axis of debate?

        raw = sum over k = 2, 2 + step, .. n - 1 of  Var(x_1 .. x_k) / log2(k)
        DUO = 1 - (raw - least) / (most - least), least and most over all orders of the same list

    x_i is the stance (polarization) of document i. The list is the first k documents (all, without a cutoff) whose
    stance is known; ranks close up over the others. Var is the population variance about the mean of the prefix, or
    with ``mean='full'`` about the mean of the list (Eq. 5 of the paper, but not its program or its Fig. 1). From step=3
    on the published program looks at k = step, 2 step, .. instead; for step=2, as in the paper, both are the same. With
    several axes the value is that of the axis on which it is greatest; ``axis=1`` takes only the first, and so on.

    The most is exact. The least is exact for lists of up to 14 documents and for mean='full'. For longer lists it is
    the least known. No better order is known for any list, and if it matters a note has the greatest possible error.
    ``normalizer='sampled'`` is the published way: least and most of ``n`` random orders, drawn with ``seed``, for lists
    longer than 8. It misses both ends, and the value is not clipped: 50 documents sorted along an axis at equal
    distances have about 1.15.

    Unit: none, a share of what the list allows. Better: lower, 0 balanced from the start and 1 sorted by side. Empty
    ranking: undefined. Range: [0, 1]; beyond it with normalizer='sampled'.
    Undefined: two documents or fewer, or all at the same place (of the same distance to the mean, if mean='full').
    Source: Ziems et al., ACL 2024, Eq. 5-6. https://doi.org/10.18653/v1/2024.findings-acl.763
    """

    better = "lower"

    def order_at_end(self, stances: Floats, *, worst: bool) -> Ints | None:
        """Order documents [document, axis] at one end: known where all count, on one axis, and the value is exact."""
        many = len(stances)
        if self.normalizer != "exact" or (self.cutoff is not None and self.cutoff < many):
            return None
        x, *others = self.axes(stances[None])[:, 0]
        known = np.flatnonzero(~np.isnan(x))
        if others or not 2 < len(known) <= MOST_IN_ORDER:
            return None
        low, high = x[known].min(), x[known].max()
        placed = known[np.argsort(x[known], kind="stable")]
        ordered = (x[placed] - low) / (high - low if high > low else 1.0) - 0.5
        of_length = weights(len(known), self.step)
        if self.mean == "full":
            squares = np.square(ordered - ordered.mean())
            order = np.argsort(squares if worst else -squares, kind="stable")
        else:
            order = (extremes.find_least_order if worst else extremes.find_most_order)(ordered, of_length)
        whole = np.arange(many)
        whole[known] = placed[order]
        return whole

    def over_prefixes(self, stances: Floats, supply: Ints, ranks: int) -> Earned | None:
        """Each prefix adds its variance, where the list is of all documents: on one axis, by exact ends."""
        every = int(supply.sum())
        if self.normalizer != "exact" or ranks != every or (self.cutoff is not None and self.cutoff < every):
            return None
        x, *others = np.moveaxis(stances, 1, 0) if not self.axis else self.axes(stances[None])[:, 0]
        if others:
            return None
        known = ~np.isnan(x)
        lists = [each for _, each in group_by_length(np.repeat(x[known], supply[known])[None])]
        if not lists:
            return None
        _, least, most = bound_each(lists[0], self.step, self.mean)[:, 0]
        if not exceeds_zero(most - least, size=most + least):
            return None
        low, high = x[known].min(), x[known].max()
        placed_at = np.where(known, (x - low) / (high - low) - 0.5, 0.0)
        if self.mean == "full":
            placed_at = placed_at - lists[0].mean()
        terms = np.where(known[:, None], np.column_stack([np.ones(len(x)), placed_at, np.square(placed_at)]), 0.0)
        of_length = np.append(weights(lists[0].shape[1], self.step), 0.0) / (most - least)

        def less(placed: Floats, _: int) -> Floats:
            many, total, squares = np.moveaxis(multiply_counts(placed, terms)[:, None] + terms, 2, 0)
            number = np.maximum(many, 1.0)
            drift = total / number if self.mean == "prefix" else 0.0
            spread_there = np.maximum(squares / number - drift * drift, 0.0)
            return np.where(known & (many > 0), -of_length[many.astype(np.int64) - 1] * spread_there, 0.0)

        return less

    def __call__(self, stances: Floats) -> Floats:
        """Return DUO [query]."""
        return _strongest([value for value, _ in _normalize_axes(stances, self)], len(stances))


class SignedDUO(_Spread):
    """To which side of an axis of debate does a ranking lean, and how much?

        SignedDUO = sign(sum over k = 2, 2 + step, .. n - 1 of  s_k Var(x_1 .. x_k) / log2(k)) * DUO

    s_k is 1 if more than half of the first k documents have stances above 0, -1 if more than half are below 0, else
    0. So 0 must be the middle of the axis, which DUO itself does not need. All parameters are as for DUO; with several
    axes the value is the one farthest from 0.

    The published program computes the sign but does not apply it. A prefix without a majority counts 0 here, so a
    mirrored axis mirrors the value. It counts -1 in the program, and 1 in a sentence of the paper; at step=1 this
    changed the signs of 37 of 99 rankings.

    Unit: none, a share of what the list allows. Better: nearer 0; above 0 the upper side is shown first. Empty
    ranking: undefined. Range: [-1, 1]; beyond it with normalizer='sampled'. The sign changes when the axis is mirrored.
    Undefined: as DUO.
    Source: Ziems et al., ACL 2024, appendix A.2. https://doi.org/10.18653/v1/2024.findings-acl.763
    """

    better = "nearer 0"
    lowest = -1.0

    def __call__(self, stances: Floats) -> Floats:
        """Return signed DUO [query]."""
        pairs = zip(self.axes(stances), _normalize_axes(stances, self), strict=True)
        return _strongest([self._sign(axis) * value for axis, (value, _) in pairs], len(stances))

    def _sign(self, stances: Floats) -> Floats:
        together = ranks.close_up(stances)
        k = np.arange(1, together.shape[1] + 1)
        side = np.sign(together)
        majority = (2 * np.cumsum(side > 0, axis=1) > k) * 1.0 - (2 * np.cumsum(side < 0, axis=1) > k)
        sign = np.full(len(stances), np.nan)
        for rows, lists in group_by_length(stances):
            n = lists.shape[1]
            signed = variances(lists, self.mean) * weights(n, self.step) * majority[rows, :n]
            total = signed.sum(axis=1)
            sign[rows] = np.where(np.abs(total) > NEAR, np.sign(total), 0.0)
        return sign


@dataclass(frozen=True)
class DUO_random(_Spread):  # noqa: N801 - its name
    """What would DUO be, on average, if the same list were in random order?

        DUO_random = 1 - (E[raw] - least) / (most - least)
        E[raw]     = S^2 * sum over k = 2, 2 + step, .. n - 1 of  (k - 1) / (k log2(k))
        S^2        = sum over the list of (x - mean)^2 / (n - 1)

    This is the chance level to compare DUO with: the exact mean of DUO over all orders of the list. With mean='full',
    E[raw] is the variance of the list times the sum of 1 / log2(k). ``axis`` is the axis, from 1; the mean of a maximum
    over several axes has no closed form. All other parameters are as for DUO.

    Unit: that of DUO. Better: neither, it describes the list. Empty ranking: undefined.
    Range: that of DUO.
    Undefined: as DUO.
    Source: our derivation, for DUO of Ziems et al., ACL 2024. https://doi.org/10.18653/v1/2024.findings-acl.763
    """

    axis: int = 1
    limits = (("axis", 1, inf, "axis is {axis}; it is 1 or more"),)
    better = "neither"

    def raw(self, lists: Floats) -> Floats:
        """Give what is normalized [list]."""
        return average_spread(lists, self.step, self.mean)

    def __call__(self, stances: Floats) -> Floats:
        """Return the expectation [query]."""
        return _normalize_axes(stances, self)[0][0].copy()
