"""F_beta of utility and fairness, by which one of several variants is chosen, and the values that it is of.

    F_beta = (1 + beta^2) * U * N / (beta^2 * U + N)

U and N are the utility and the fairness of a variant, each scaled so that the worst variant has 0 and the best 1
(min-max). beta 0 looks at utility alone, infinity at fairness alone.

Source: Rekabsaz, Kopeinik, Schedl: Societal Biases in Retrieved Contents. SIGIR 2021, Eq. 12.
https://doi.org/10.1145/3404835.3462949
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fairtrec.data import Bools, Floats, Ints
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.slices import keep_queries
from fairtrec.formulas.rounding import constant, finite, same
from fairtrec.formulas.weighted_sums import multiply_counts
from fairtrec.measure import Better, Measure
from fairtrec.support.errors import UsageError

BETAS = (0.0, 0.5, 1.0, 2.0, math.inf)


def betas(given: str | float | Sequence[float]) -> tuple[float, ...]:
    """Read the values of beta: a number, several, or a text with commas between them; each once.

    Raises UsageError for what is no number of 0 or more, and for none.

    >>> betas("0, 0.5,inf"), betas(2)
    ((0.0, 0.5, inf), (2.0,))
    """
    several = given.split(",") if isinstance(given, str) else [given] if isinstance(given, int | float) else given
    found: list[float] = []
    for each in several:
        try:
            beta = float(each)
        except (TypeError, ValueError):
            what = f"beta is {str(each).strip()!r}; it is a number of 0 or more, or inf"
            raise UsageError(f"{what}, like --beta 0,0.5,1,2,inf") from None
        if not beta >= 0:
            raise UsageError(f"beta is {each}; it is 0 or more: 0 is utility only, inf is fairness only")
        found.append(beta)
    if not found:
        raise UsageError("no beta; pass one or more, like 0,0.5,1,2,inf")
    return tuple(dict.fromkeys(found))


def worth(values: Floats, better: Better, training: Bools) -> Floats:
    """Give each variant's mean over the training queries of each fold, turned so that more is better [fold, variant].

    ``values`` [variant, query] are numbers, ``training`` is [fold, query]. Where lower is better, the mean is negated;
    where nearer 0 is, the sizes of the values are averaged, and that is negated.
    """
    turned = -values if better == "lower" else -np.abs(values) if better == "nearer 0" else values
    return np.asarray(multiply_counts(training, turned.T) / training.sum(axis=1, keepdims=True))


def scale_means(means: Floats) -> Floats:
    """Scale means [fold, variant] so that the least of each fold is 0, the greatest 1; all are 1 where all are equal.

    >>> scale_means(np.array([[0.2, 0.3, 0.4], [0.5, 0.5, 0.5]])).round(12).tolist()
    [[0.0, 0.5, 1.0], [1.0, 1.0, 1.0]]
    """
    low = means.min(axis=1, keepdims=True)
    spread = means.max(axis=1, keepdims=True) - low
    alike = np.broadcast_to(constant(means)[:, None], means.shape)
    return np.asarray(np.divide(means - low, spread, out=np.ones(means.shape), where=~alike))


def f_beta(utility: Floats, fairness: Floats, beta: float) -> Floats:
    """Combine scaled utility and fairness, of any shape; 0 where both are 0.

    >>> f_beta(np.array([0.5, 1.0, 0.0]), np.array([0.5, 0.5, 0.0]), 2.0).round(4).tolist()
    [0.5, 0.5556, 0.0]
    """
    if beta == 0:
        return utility
    if math.isinf(beta):
        return fairness
    square = beta * beta
    if math.isinf(square):
        return np.where(utility > 0, fairness, 0.0)
    below = square * utility + fairness
    share = np.divide(fairness, below, out=np.zeros(np.shape(below)), where=below > 0)
    return (1 + square) * utility * share


def choose_best(criterion: Floats, names: Sequence[str], allowed: Bools) -> Ints:
    """Choose a variant in each fold: the greatest criterion [fold, variant] of those that are ``allowed``.

    Where several agree to 12 digits, it is the first by name. Some variant is allowed in each fold.
    """
    by_name = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
    ordered = np.where(allowed, criterion, -np.inf)[:, by_name]
    top = np.asarray(same(ordered, ordered.max(axis=1, keepdims=True)))
    return np.asarray(by_name[top.argmax(axis=1)])


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

    def take_values(self, measure: Measure) -> Floats:
        """Give the values of a measure [variant, query]. Raises UsageError if it was not computed."""
        return self.values[:, place(measure, self.scores[0].measures)]

    def compose_scores(self, name: str, chosen: Ints) -> Scores:
        """Give the scores of a run whose queries [query] are those of the variants ``chosen``."""
        values = self.values[chosen, :, np.arange(len(self.qids))].T
        return replace(self.scores[0], run=name, tag="select", values=values, notes=(), columns={})


def gather_variants(several: Sequence[Scores], axes: MeasurePair) -> Variants:
    """Keep the queries for which each variant has both values, which are numbers.

    Raises UsageError for fewer than two variants, a measure that was not computed, and where no query is left.
    """
    if len(several) < 2:
        raise UsageError("only one run, so there is no choice; pass two runs or more")
    valued = []
    for each in several:
        values = each.values[[place(axis, each.measures) for axis in axes]]
        valued.append({each.qids[column] for column in np.flatnonzero(finite(values).all(axis=0)).tolist()})
    whole, every = set.intersection(*valued), {qid for each in several for qid in each.qids}
    if not whole:
        raise UsageError(f"there is no query for which each variant has both {axes[0]} and {axes[1]}; name other runs")
    qids = sorted(whole)
    kept = tuple(keep_values(each, each.measures, qids) for each in several)
    return Variants(kept, axes, tuple(sorted(every - whole)))


def keep_values(scores: Scores, measures: Sequence[Measure], qids: Sequence[str]) -> Scores:
    """Keep some measures of a run, and those of its queries that are among these; queries sorted by id."""
    kept = keep_queries(scores, qids)
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
