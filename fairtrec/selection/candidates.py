"""The values that variants are chosen by: of the queries for which each variant has both."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fairtrec.comparison.slices import restricted
from fairtrec.data import Bools, Floats, Ints
from fairtrec.errors import UsageError
from fairtrec.evaluation.scores import Scores
from fairtrec.formulas.rounding import finite
from fairtrec.measure import Measure
from fairtrec.selection.criterion import worth

AXES = ("utility", "fairness")
MeasurePair = tuple[Measure, Measure]  # by these two


@dataclass(frozen=True, eq=False)
class Variants:
    """The scores of several variants, all of the same queries, and the two measures that they are chosen by."""

    scores: tuple[Scores, ...]
    axes: MeasurePair
    left_out: tuple[str, ...]  # queries of some variant for which not each has both values

    @property
    def names(self) -> tuple[str, ...]:
        """What the variants are called."""
        return tuple(each.run for each in self.scores)

    @property
    def qids(self) -> tuple[str, ...]:
        """The queries, sorted by id, which are those of each variant."""
        return self.scores[0].qids

    @cached_property
    def values(self) -> Floats:
        """All values [variant, measure, query]."""
        return np.stack([each.values for each in self.scores])

    def of(self, measure: Measure) -> Floats:
        """Give the values of a measure [variant, query]. Raises UsageError if it was not computed."""
        return self.values[:, place(measure, self.scores[0].measures)]

    def worths(self, training: Bools) -> tuple[Floats, Floats]:
        """Give utility and fairness over the training queries [fold, query] of each fold, unscaled [fold, variant]."""
        utility, fairness = (worth(self.of(axis), axis.better, training) for axis in self.axes)
        return utility, fairness

    def composed(self, name: str, chosen: Ints) -> Scores:
        """Give the scores of a run whose queries [query] are those of the variants ``chosen``."""
        values = self.values[chosen, :, np.arange(len(self.qids))].T
        return replace(self.scores[0], run=name, tag="select", values=values, remarks=(), ties=None)


def gathered(several: Sequence[Scores], axes: MeasurePair) -> Variants:
    """Keep the queries for which each variant has both values, which are numbers.

    Raises UsageError for fewer than two variants, a measure that was not computed, and where no query is left.
    """
    if len(several) < 2:
        raise UsageError("there is one variant alone, so nothing can be chosen; name two runs or more")
    valued = []
    for each in several:
        values = each.values[[place(axis, each.measures) for axis in axes]]
        valued.append({each.qids[column] for column in np.flatnonzero(finite(values).all(axis=0)).tolist()})
    whole, every = set.intersection(*valued), {qid for each in several for qid in each.qids}
    if not whole:
        raise UsageError(f"there is no query for which each variant has both {axes[0]} and {axes[1]}; name other runs")
    qids = sorted(whole)
    kept = tuple(only(each, each.measures, qids) for each in several)
    return Variants(kept, axes, tuple(sorted(every - whole)))


def only(scores: Scores, measures: Sequence[Measure], qids: Sequence[str]) -> Scores:
    """Keep some measures of a run, and those of its queries that are among these; queries sorted by id."""
    kept = restricted(scores, qids)
    rows = [kept.measures.index(measure) for measure in measures]
    order = sorted(range(len(kept.qids)), key=kept.qids.__getitem__)
    values = kept.values[rows][:, order]
    return replace(kept, measures=tuple(measures), qids=tuple(kept.qids[at] for at in order), values=values)


def place(measure: Measure, computed: Sequence[Measure]) -> int:
    """Tell which of the computed measures it is. Raises UsageError if it is none of them."""
    if measure in computed:
        return computed.index(measure)
    measure.refuse_several(computed)
    of_groups = [str(each) for each in computed if each.name == measure.name]
    if getattr(measure, "group", None) == "" and of_groups:
        raise UsageError(f"{measure} has a value for each group; name one, like {' or '.join(of_groups)}")
    raise UsageError(f"there are no values of {measure}, only of {', '.join(map(str, computed))}; evaluate it, too")
