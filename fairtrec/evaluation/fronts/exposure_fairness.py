"""Fairness as a function of exposure: what the orders of queries give to each group, and what that is worth."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fairtrec.data import Floats, Ints
from fairtrec.evaluation.fronts.prefixes import OF_GROUPS, inputs_of_rankings
from fairtrec.evaluation.fronts.problem import COUNTED, Problem
from fairtrec.formulas.distribution import exceeds_zero
from fairtrec.formulas.labelings.exposures import Exposed
from fairtrec.formulas.rounding import same
from fairtrec.formulas.weighted_sums import weighted_sum
from fairtrec.measure import RankForm, RatioOfMeans, RatioOfSums, SumOverRanks
from fairtrec.measure.forms import list_form_classes

CELLS = 1 << 22  # ranks of orders that are looked at together


@dataclass(frozen=True, eq=False)
class ExposureFairness:
    """Fairness of the orders of some queries, more being better.

    An order gives the exposure E(a) = sum over ranks of ``weights`` [query, rank] times ``shares`` [query, document,
    a]. ``value`` of exposures [query, order, a] is the fairness [query, order]; ``slope`` gives its gradients [query,
    order, a]. ``concave`` [query] says that no point of fairness lies above its tangents.
    """

    weights: Floats
    shares: Floats
    value: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]
    concave: "np.ndarray[tuple[int], np.dtype[np.bool_]]"

    @classmethod
    def find(cls, problem: Problem, rows: Ints, fair: RankForm | None) -> "ExposureFairness | None":
        """Say what fairness makes of exposure; None where it goes by more than that. ``fair`` are its terms."""
        made = _by_size(problem, rows, fair) or _by_form(problem, rows) or _by_ratio(problem, rows)
        if made is None:
            return None
        own = [np.arange(problem.lengths[row]) for row in rows.tolist()]
        held = np.stack([made.exposure(at, top[None]) for at, top in enumerate(own)])
        known = [problem.compute_fairness(row, top[None]) for row, top in zip(rows.tolist(), own, strict=True)]
        return made if bool(same(made.value(held), np.array(known)).all()) else None

    def exposure(self, query: int, tops: Ints) -> Floats:
        """Sum the exposure that orders of one query [order, rank] give [order, a]."""
        return weighted_sum(self.shares[query][tops], self.weights[query])


def _by_size(problem: Problem, rows: Ints, fair: RankForm | None) -> ExposureFairness | None:
    """Take the size of a sum over ranks, which is better nearer 0."""
    if not isinstance(fair, SumOverRanks) or problem.fairness.better != "nearer 0" or problem.by_value:
        return None
    sign = 1.0 if problem.worst else -1.0
    shares = np.nan_to_num(fair.gains[rows])[..., None]

    def value(exposure: Floats) -> Floats:
        return sign * np.abs(exposure[..., 0])

    def slope(exposure: Floats) -> Floats:
        return sign * np.sign(exposure)

    return ExposureFairness(fair.weights[rows], shares, value, slope, np.full(len(rows), not problem.worst))


def _by_ratio(problem: Problem, rows: Ints) -> ExposureFairness | None:
    """Take the sums of which a measure makes a ratio, where the ends of its value are looked for.

    A sum over ranks of weights times what documents have is found by orders of one document at all ranks, and of
    another at one of them.
    """
    measure, (row, *others) = problem.fairness, rows.tolist()
    ranks, docs = int(problem.lengths[row]), int(problem.candidate_counts[row])
    kinds = [kind for kind in list_form_classes(type(measure).formula) if issubclass(kind, RatioOfSums | RatioOfMeans)]
    if not problem.by_value or others or not ranks or not kinds:
        return None

    def look(tops: Ints) -> RatioOfSums:
        form = measure.formula(**problem.look_up_orders(measure, row, tops))
        assert isinstance(form, RatioOfSums | RatioOfMeans)
        return form.sums if isinstance(form, RatioOfMeans) else form

    own = look(np.arange(ranks)[None])
    step = max(CELLS // ranks, 1)
    alone = (np.arange(first, min(first + step, docs)) for first in range(0, docs, step))
    whole = np.nan_to_num(np.concatenate([look(np.repeat(each[:, None], ranks, axis=1)).got for each in alone]))
    doc, group = divmod(int(np.abs(whole - whole[0]).argmax()), whole.shape[1])
    at_one = (np.eye(min(step, ranks - first), ranks, first, dtype=np.bool_) for first in range(0, ranks, step))
    got = np.concatenate([look(np.where(each, doc, 0)).got[:, group] for each in at_one])
    weights = got - whole[0, group]
    if not exceeds_zero(abs(weights.sum()), size=np.abs(got).sum() + ranks * abs(whole[0, group])):
        return None
    width = problem.inputs.lines.shape[1]
    shares, of_rank = np.zeros((1, width, whole.shape[1])), np.zeros((1, int(problem.lengths.max())))
    shares[0, :docs], of_rank[0, :ranks] = whole / weights.sum(), weights

    def value(exposure: Floats) -> Floats:
        turned = problem.fair(np.asarray(own.compare(exposure, own.due[0], own.target)))
        return np.where(np.isfinite(turned), turned, -np.inf)

    return ExposureFairness(of_rank, shares, value, np.zeros_like, np.zeros(1, dtype=np.bool_))


def _by_form(problem: Problem, rows: Ints) -> ExposureFairness | None:
    """Take what a measure says of its groups' exposure, if it looks at nothing else."""
    measure, ranks = problem.fairness, int(problem.lengths.max(initial=0))
    if not (OF_GROUPS | COUNTED).issuperset(measure.needs) or not ranks:
        return None
    form = measure.formula(**inputs_of_rankings(problem, rows, measure.needs)).over_labels()
    if not isinstance(form, Exposed) or form.slope is None or len(form.weights) != 1:
        return None
    weights = np.zeros((len(rows), ranks))
    wide = min(form.weights.shape[1], ranks)
    weights[:, :wide] = np.where(np.arange(wide) < problem.lengths[rows, None], form.weights[0, :wide], 0.0)
    there, held, of_exposure, slope_of = problem.there[rows], problem.inputs.membership[rows], form.value, form.slope
    shares = np.nan_to_num(held)

    def value(exposure: Floats) -> Floats:
        turned = problem.fair(np.where(exposure.any(axis=2), of_exposure(exposure), np.nan))
        return np.where(np.isfinite(turned), turned, -np.inf)

    def slope(exposure: Floats) -> Floats:
        return problem.sign * slope_of(exposure)

    concave = np.full(len(rows), (form.bends == "down") == (problem.sign > 0))
    if form.level == "ratio":  # the exposure of all groups has to be the same in all orders
        whole = same(held.sum(axis=2), np.ones(1))
        concave &= (whole | ~there).all(axis=1)
    return ExposureFairness(weights, shares, value, slope, concave)
