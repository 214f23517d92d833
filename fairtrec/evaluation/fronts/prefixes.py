"""What the next document earns: fairness as a sum over prefixes of the orders of one query (lemma 3)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from fairtrec.data import Floats, Ints, list_distinct
from fairtrec.data.parameters import list_required_inputs
from fairtrec.evaluation.fronts.problem import COUNTED, LOOKS, OF_QUERY, TABLES, Problem, count_orders
from fairtrec.formulas.labelings.sums import Finals, Prefixes, Totals
from fairtrec.formulas.sequences import Earned
from fairtrec.formulas.weighted_sums import multiply_counts
from fairtrec.measure import Measure

OF_GROUPS = frozenset(
    {"membership", "target", "groups", "lengths", "is_filled"}
)  # of which a form is that of all orders


def find_earnings(problem: Problem, row: int, examples: Ints, supply: Ints) -> Earned | None:
    """Say what the next document of each kind earns, more being better; None where fairness is no sum over prefixes.

    ``examples`` [kind] are documents of a query, one of each kind, of which there are ``supply`` [kind]. A step to what
    is infinite or undefined earns a value that is not finite.
    """
    if type(problem.fairness).over_prefixes is not Measure.over_prefixes:
        return _by_measure(problem, row, examples, supply)
    if not OF_GROUPS.issuperset(problem.fairness.needs):
        return None
    return _by_form(problem, row, examples, supply)


def _by_measure(problem: Problem, row: int, examples: Ints, supply: Ints) -> Earned | None:
    """Ask the measure itself."""
    measure = problem.fairness
    if measure.better not in ("higher", "lower") and not problem.by_value:
        return None
    names = list_required_inputs(type(measure).over_prefixes)
    known = {name: getattr(problem.inputs, name)[row][examples] for name in LOOKS if name in names}
    known |= _of_queries(problem, np.array([row]), names)
    counted = {"supply": supply, "ranks": int(problem.lengths[row])}
    earned = measure.over_prefixes(**known, **{name: each for name, each in counted.items() if name in names})
    return None if earned is None else lambda placed, above: problem.sign * earned(placed, above)


def _by_form(problem: Problem, row: int, examples: Ints, supply: Ints) -> Earned | None:
    """Take what the measure says of labelings: a function of what the groups hold, in all or down to each rank."""
    measure, ranks = problem.fairness, int(problem.lengths[row])
    form = measure.formula(**inputs_of_rankings(problem, np.array([row]), measure.needs)).over_labels()
    held = problem.inputs.membership[row][examples]
    looked = ranks if measure.depth is None else min(ranks, measure.depth)
    if isinstance(form, Totals):
        return _by_totals(problem, form, np.nan_to_num(held), looked)
    if measure.better not in ("higher", "lower") and not problem.by_value:
        return None
    if isinstance(form, Prefixes):
        return _by_prefixes(problem, form, np.nan_to_num(held), min(looked, form.weights.shape[1]))
    return _by_finals(problem, form, held, supply) if isinstance(form, Finals) and looked == supply.sum() else None


def inputs_of_rankings(problem: Problem, rows: Ints, names: Sequence[str]) -> dict[str, Any]:
    """Look up what a measure sees of the rankings of some queries as they are."""
    counted = count_orders(problem.lengths[rows], problem.own.lines.shape[1])
    looks = {name: getattr(problem.own, name)[rows] for name in LOOKS if name in names}
    return looks | _of_queries(problem, rows, names) | {name: counted[name] for name in COUNTED & {*names}}


def _of_queries(problem: Problem, rows: Ints, names: Sequence[str]) -> dict[str, Any]:
    tables = {name: getattr(problem.inputs, name) for name in TABLES & {*names}}
    each = {name: getattr(problem.inputs, name) for name in OF_QUERY & {*names}}
    return tables | {name: value[rows] if len(value) > 1 else value for name, value in each.items()}


def _after(placed: Floats, held: Floats) -> Floats:
    """Add up what each group holds once the next document of each kind is placed [1, state and kind, group]."""
    return np.asarray(multiply_counts(placed, held)[:, None] + held).reshape(1, -1, held.shape[1])


def _by_totals(problem: Problem, form: Totals, held: Floats, looked: int) -> Earned:
    def earned(placed: Floats, above: int) -> Floats:
        if above != looked - 1:
            return np.zeros(placed.shape)
        return problem.fair(form.value(_after(placed, held))[0]).reshape(placed.shape)

    return earned


def _by_prefixes(problem: Problem, form: Prefixes, held: Floats, looked: int) -> Earned:
    def earned(placed: Floats, above: int) -> Floats:
        if above >= looked:
            return np.zeros(placed.shape)
        amounts = _after(placed, held)
        cost = form.cost(amounts, above)[0]
        weight = float(form.weights[0, above])
        value: Floats = problem.sign * np.multiply(
            cost, weight, out=np.zeros(cost.shape), where=np.full(cost.shape, weight > 0)
        )
        if above == looked - 1:  # nobody is of any group
            value[~amounts[0].any(axis=1)] = np.nan
        return value.reshape(placed.shape)

    return earned


def _by_finals(problem: Problem, form: Finals, held: Floats, supply: Ints) -> Earned | None:
    """What the groups hold in the end is known, as all documents are ranked; ranks close up over unknown ones."""
    known = ~np.isnan(held).any(axis=1)
    hard = (held > 0.5).astype(np.float64)
    length = int(supply[known].sum())
    totals = multiply_counts(np.where(known, supply, 0)[None], hard)
    cost, first = form.cost(totals, np.array([length]))
    if np.isnan(first).any():
        return None

    def earned(placed: Floats, _: int) -> Floats:
        amounts = _after(placed, hard)
        above = placed[:, known].sum(axis=1).astype(np.int64)
        value = np.zeros(placed.shape)
        for rank in list_distinct(above).tolist():
            here = above == rank
            each = amounts.reshape(*placed.shape, -1)[here]
            added = cost(each.reshape(1, -1, each.shape[2]), rank)[0].reshape(each.shape[:2])
            value[here] = np.where(known, problem.sign * added, 0.0)
        return value

    return earned
