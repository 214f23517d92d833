"""Orders of runs by their means, or mean sizes where nearer 0 is better, and how far two of them agree."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairtrec.data import Bools, Floats, Ints
from fairtrec.formulas.rounding import tied
from fairtrec.measure import Better, badness
from fairtrec.statistics import paired
from fairtrec.statistics.corrections import corrected


@dataclass(frozen=True, eq=False)
class Order:
    """An order of runs: ``badness`` [run], less is better; what agrees to 12 digits is tied, nan is nowhere."""

    badness: Floats

    @classmethod
    def of(cls, means: Floats, better: Better) -> "Order":
        """Order runs by their means [run]; a measure of no direction orders from the highest value."""
        return cls(tied(badness(means, better)))

    @cached_property
    def signs(self) -> Floats:
        """For each two runs [run, run]: 1 where the first is worse, -1 where it is better, 0 where they are tied."""
        with np.errstate(invalid="ignore"):  # infinity less infinity
            signs: Floats = np.sign(self.badness[:, None] - self.badness)
        return np.where(self.badness[:, None] == self.badness, 0.0, signs)

    @property
    def ranks(self) -> Ints:
        """Each run's rank [run]: 1 plus how many are better; 0 where it is undefined."""
        better = (self.badness < self.badness[:, None]).sum(axis=1)
        return np.where(np.isnan(self.badness), 0, 1 + better)

    def flipped(self, other: "Order") -> Bools:
        """Tell which pairs the two orders have the other way round [run, run], each once, the first run above."""
        with np.errstate(invalid="ignore"):
            flipped: Bools = np.triu(self.signs * other.signs < 0)
        return flipped

    def tau_b(self, other: "Order") -> float:
        """Give Kendall's tau-b of two orders; nan where one has no two runs apart.

        >>> Order(np.array([1.0, 2.0, 3.0])).tau_b(Order(np.array([1.0, 3.0, 2.0])))
        0.3333333333333333
        """
        one, two = self.signs, other.signs
        both = ~(np.isnan(one) | np.isnan(two))
        one, two = np.where(both, one, 0.0), np.where(both, two, 0.0)
        apart = np.sqrt((one * one).sum() * (two * two).sum())
        return float((one * two).sum() / apart) if apart else float("nan")


def shown(values: Floats, better: Better, *, alpha: float) -> Bools:
    """Tell which pairs of runs a paired t-test tells apart, Holm over all pairs [run, run], the first run above.

    ``values`` [run, query]; a pair is compared over the queries for which both have a value, as ``compare`` does it:
    where nearer 0 is better, the sizes of the values.
    """
    values = sized(values, better)
    first, second = np.triu_indices(len(values), 1)
    differences: dict[int, list[tuple[int, Floats]]] = defaultdict(list)
    defined = ~np.isnan(values)
    for number, (one, two) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        both = defined[one] & defined[two]
        row = paired.subtract(values[one][both], values[two][both])
        differences[len(row)].append((number, row))
    p = np.full(len(first), np.nan)
    for rows in differences.values():
        p[[number for number, _ in rows]] = paired.p_values(np.stack([row for _, row in rows]))
    told = np.zeros((len(values), len(values)), dtype=np.bool_)
    told[first, second] = corrected(p, "holm") <= alpha
    return told


def sized(values: Floats, better: Better) -> Floats:
    """Give by what runs are compared: the values or, where nearer 0 is better, their sizes, as leanings cancel."""
    return np.abs(values) if better == "nearer 0" else values


def common(values: Sequence[Floats]) -> Bools:
    """Tell for which queries every run has a value in each of several [run, query]."""
    whole: Bools = np.all([~np.isnan(each) for each in values], axis=(0, 1))
    return whole
