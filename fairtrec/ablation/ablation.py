"""What the variants of an instrument say of the same runs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairtrec.ablation.factors import Draw, Setting
from fairtrec.answers.answer import Answer, Signature
from fairtrec.answers.result import Result
from fairtrec.data import Floats, Ints
from fairtrec.measure import Measure


@dataclass(frozen=True, eq=False)
class Variant:
    """One way to measure, and how the order of runs by it goes with that of the base.

    ``means`` [run] are those that ``eval`` prints with these options. The orders are over the ``queries`` for which
    every run has a value by both; ``tau_b`` and ``tau_ap`` are nan where an order has no two runs apart.
    """

    setting: Setting
    variant: str
    measure: Measure
    means: Floats
    ranks: Ints  # of the runs, 1 is the best; 0 where undefined
    tau_b: float
    tau_ap: float
    flipped: int  # pairs of runs
    settled: int  # of these, how many the base tells apart
    queries: int
    documents: int | None = None  # in which a term that is left out stands

    @property
    def factor(self) -> str:
        """What is varied."""
        return self.setting.factor


@dataclass(frozen=True, eq=False, repr=False)
class Ablation(Answer):
    """All variants beside the base."""

    runs: tuple[str, ...]
    base: Variant
    variants: tuple[Variant, ...]
    result: Result  # of the base
    vary: tuple[str, ...]
    seed: int
    told_apart: int  # pairs of runs that the base tells apart, by a paired t-test, Holm over all pairs
    never: int  # pairs that no variant flips
    every: int  # queries of the base
    terms: tuple[int, int] | None  # how many of the list occur in what was looked at, and how many there are

    @property
    def pairs(self) -> int:
        """How many pairs of runs there are."""
        return len(self.runs) * (len(self.runs) - 1) // 2

    @property
    def measure(self) -> Measure:
        """That of the base."""
        return self.base.measure

    @property
    def signature(self) -> Signature:
        """Every choice that changes a number."""
        changes = [change for each in self.variants for change in each.setting.changes]
        drawn = any(isinstance(change.terms, Draw) or change.ties is not None for change in changes)
        more = {"measure": str(self.measure), "vary": "; ".join(self.vary), "seed": str(self.seed) if drawn else ""}
        return self.result.signature | more

    @property
    def intervals(self) -> Floats:
        """The least and the greatest mean of each run over base and variants of the base's measure [run, end].

        Both are nan where no mean is defined.
        """
        means = np.array([each.means for each in (self.base, *self.alike)])
        return np.stack([np.fmin.reduce(means), np.fmax.reduce(means)], axis=1)

    @property
    def rank_intervals(self) -> Ints:
        """The least and the greatest rank of each run over base and all variants [run, end]."""
        ranks = np.array([each.ranks for each in (self.base, *self.variants)])
        return np.stack([ranks.min(axis=0), ranks.max(axis=0)], axis=1)

    @property
    def alike(self) -> Sequence[Variant]:
        """The variants by the measure of the base, perhaps with other parameters: their means go side by side."""
        return [each for each in self.variants if each.measure.name == self.measure.name]
