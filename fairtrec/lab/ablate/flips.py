"""How few labels or grades, if they were others, turn the order of two runs: for each pair, and for the first place."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from fairtrec.evaluation.answers.scores import find_worst_value
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.formulas.rounding import merge_ties
from fairtrec.lab.ablate.factors import Flippable
from fairtrec.lab.ablate.flip_search import (
    ALPHA,
    NOTHING,
    FewestFlips,
    FlippedPair,
    Side,
    adds_up,
    approximate_chance,
    compute_chance,
    find_few_greedily,
    find_fewest_parts,
    find_lost_verdict,
    find_p,
    list_flips,
)
from fairtrec.lab.ablate.flip_values import (
    OF_GRADES,
    OF_LABELS,
    OF_WHOLE,
    FlippableRun,
    list_grade_units,
    list_label_units,
    make_grade_flips,
    make_label_flips,
)
from fairtrec.measure import Measure, Note, NoteKind
from fairtrec.measures.utility import refuse_by_group, split_relevance
from fairtrec.statistics.doubt import is_difference_doubtful
from fairtrec.support.errors import UsageError
from fairtrec.support.files.arguments import split_crossed
from fairtrec.support.literals import Undefined

By = Literal["mean", "size"]
FEW = 4  # runs of which all pairs are shown
TARGET_STAYS = NoteKind("target of flips", "the target is computed from the {target} and stays the same in all flips")


@dataclass(frozen=True)
class PairFlips:
    """How few labels or grades, if they were others, turn the order of two runs.

    Attributes:
        factor: what is flipped, ``labels`` or ``qrels``.
        above, below: the runs.
        by: what they are ordered by: the ``mean``, or the ``size``, the mean of absolute values.
        difference: the mean of the run above minus that of the run below, or of their absolute values.
        queries: the queries in which both have a value.
        p: of the paired t-test; ``doubtful`` if few differences decide it.
        looked_at: the labeled documents, or judged pairs, that can flip.
        flips: how many turn the order; None if the runs are tied, or none that turn it were found.
        least: how many it takes at least; ``exact`` if no fewer than ``flips`` can turn it.
        share: ``flips`` of those looked at.
        by_chance: the probability that the order turns if a tenth of the labels is wrong at random, by the normal
            distribution; None if documents do not add their parts.
        by_chance_exact: the same probability, computed exactly; None if too many different sums are possible.
        verdict: how many flips are enough for p above .05, or another order; None if p is above .05 now, or none were
            found.
        documents: those that turn the order, with their labels before and after.
    """

    factor: Flippable
    above: str
    below: str
    by: By
    difference: float
    queries: int
    p: float
    doubtful: bool
    looked_at: int
    flips: int | None
    least: int | None
    exact: bool | None
    share: float | None
    by_chance: float | None
    by_chance_exact: float | None
    verdict: int | None
    documents: tuple[Mapping[str, str | None], ...]

    @property
    def is_tied(self) -> bool:
        """Whether the runs are tied, over the queries in which both have a value."""
        return self.exact is None and self.queries > 0

    @property
    def is_decided(self) -> bool:
        """Whether the paired t-test shows a difference now."""
        return self.p <= ALPHA


@dataclass(frozen=True)
class FirstPlace:
    """The first run, and the other that the fewest flips put above it; None if no flips do, or runs are tied with it.

    ``tied`` are those runs.
    """

    run: str
    rival: str | None
    flips: int | None
    least: int | None
    exact: bool | None
    tied: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Fragility:
    """All pairs of runs, those that are ``adjacent`` in the order, and the first place.

    ``notes`` are what a reader must know of the flips.
    """

    factor: Flippable
    pairs: tuple[PairFlips, ...]
    adjacent: tuple[PairFlips, ...]
    first: FirstPlace
    notes: tuple[Note, ...]


def find_fragility(
    factor: Flippable, runs: Sequence[Inputs], measure: Measure, names: Sequence[str], undefined: Undefined
) -> Fragility:
    """Find how few flips turn the order of each pair of runs.

    ``undefined`` is what a query without a value counts as. Raises UsageError for a measure or inputs that have no
    flips.
    """
    make = _make_grade_flips if factor == "qrels" else _make_label_flips
    flippable = make(runs, measure, _find_undefined(measure, undefined))
    wanted = np.zeros(len(flippable[0].units.order), dtype=np.bool_)
    for run in flippable:
        wanted[run.measured[run.measured >= 0]] = True
    sides = [Side.start(run, wanted) for run in flippable]
    notes, ways = list(_list_notes(runs[0], measure)), _list_ways(measure)
    found, order = {}, {}
    for by in ways:
        order[by] = _order_sides(sides, measure, by)
        for one, other in combinations(order[by], 2):
            found[by, one, other] = _search(factor, measure, by, (sides[one], sides[other]), (names[one], names[other]))
    adjacent = [
        pair
        for (by, one, other), pair in found.items()
        if len(runs) <= FEW or order[by].index(other) == order[by].index(one) + 1
    ]
    top = order["mean"][0]
    rivals = [found["mean", top, other] for other in order["mean"][1:]]
    return Fragility(factor, tuple(found.values()), tuple(adjacent), _find_first(names[top], rivals), tuple(notes))


def _list_ways(measure: Measure) -> tuple[By, ...]:
    """List what runs are ordered by: the mean, and, as signs cancel in it, the size if nearer 0 is better."""
    return ("mean", "size") if measure.better == "nearer 0" else ("mean",)


def _order_sides(sides: Sequence[Side], measure: Measure, by: By) -> list[int]:
    """Number the runs from the first by the mean of their values, or of their sizes; a tie keeps their order."""
    values = [np.abs(side.base) if by == "size" else side.base for side in sides]
    means = merge_ties(np.array([np.nanmean(each) if not np.isnan(each).all() else np.nan for each in values]))
    order: list[int] = np.argsort(means if _find_sign(measure, by) < 0 else -means, kind="stable").tolist()
    return order


def _find_sign(measure: Measure, by: By) -> float:
    """Tell whether the higher value is above (1), or the lower (-1)."""
    return -1.0 if by == "size" or measure.better == "lower" else 1.0


def _search(factor: Flippable, measure: Measure, by: By, sides: tuple[Side, Side], names: tuple[str, str]) -> PairFlips:
    """Search the flips of one pair of runs."""
    is_size, sign = by == "size", _find_sign(measure, by)

    def join() -> FlippedPair:
        """Put the runs together without flips, the one above first."""
        above, below = (side.copy(size=is_size) for side in sides)
        return FlippedPair.join(above, below, sign)

    pair = join()
    if pair.differences.sum() < -NOTHING:
        sides, names = sides[::-1], names[::-1]
        pair = join()
    differences = pair.differences
    lead, p = float(differences.sum()), find_p(pair)
    looked_at = len(pair.candidates)
    found, chance, exact_chance = FewestFlips(None, None), None, None
    is_tied = not lead > NOTHING or not np.isfinite(lead)
    if not is_tied:
        is_sum = by == "mean" and all(side.run.is_sum for side in sides)
        if is_sum and adds_up(pair, sums := pair.sum_effects()):
            found = find_fewest_parts(pair, sums)
            chance, exact_chance = approximate_chance(pair, sums), compute_chance(pair, sums)
        else:
            found = find_few_greedily(join(), _find_bounds(measure, by))
    lost = find_lost_verdict(join()) if not is_tied and p <= ALPHA else None
    return PairFlips(
        factor=factor,
        above=names[0],
        below=names[1],
        by=by,
        difference=sign * float(differences.mean()) if len(differences) else float("nan"),
        queries=len(differences),
        p=p,
        doubtful=is_difference_doubtful(differences),
        looked_at=looked_at,
        flips=found.count,
        least=found.least,
        exact=None if is_tied else found.is_exact,
        share=None if found.count is None else found.count / looked_at,
        by_chance=chance,
        by_chance_exact=exact_chance,
        verdict=None if lost is None else len(lost),
        documents=tuple(list_flips(pair, found.flips or ())),
    )


def _find_bounds(measure: Measure, by: By) -> tuple[float | None, float | None]:
    """Give the least and the greatest value that is compared."""
    low, high = measure.bounds
    if by == "mean" or low is None or high is None:
        return low, high
    return (0.0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))


def _find_first(run: str, rivals: Sequence[PairFlips]) -> FirstPlace:
    """Find the run that the fewest flips put above the first one, the first of several."""
    tied = tuple(pair.below if pair.above == run else pair.above for pair in rivals if pair.is_tied)
    counted = [pair for pair in rivals if pair.flips is not None and pair.above == run]
    if tied or not counted:
        return FirstPlace(run, None, None, None, None, tied)
    rival = min(counted, key=lambda pair: pair.flips or 0)
    least = min(pair.least or 0 for pair in counted)
    return FirstPlace(run, rival.below, rival.flips, least, rival.flips == least, ())


def _find_undefined(measure: Measure, undefined: Undefined) -> float:
    """Tell what a query without a value counts as; nan if it is left out."""
    if undefined == "worst":
        return find_worst_value(measure)
    return 0.0 if undefined == "0" else float("nan")


def _make_label_flips(runs: Sequence[Inputs], measure: Measure, undefined: float) -> Sequence[FlippableRun]:
    """Find what other labels can change. Raises UsageError for a measure that does not depend on labels, and others."""
    context, needs = runs[0].context, frozenset(measure.needs)
    labels = context.labels
    if labels is None or OF_LABELS.isdisjoint(needs):
        raise UsageError(f"{measure} does not depend on labels; leave out labels=flips, or choose another measure")
    if context.crossing is not None or context.is_vast or len(split_crossed(labels.name)) > 1:
        raise UsageError("a label of crossed attributes cannot be flipped; cross no attributes with labels=flips")
    if labels.own:
        raise UsageError("subtopics of the qrels are no labels that can be flipped; pass labels in a file")
    refuse_by_group([measure], "labels=flips goes by all judgments")
    if needs & OF_WHOLE or ("background" in needs and context.background == "collection"):
        what = f"{measure} looks at all labeled documents, and each flip would change the value of every query"
        raise UsageError(f"{what}; pass a run as the background, or choose another measure")
    units, weights = list_label_units(labels)
    return [make_label_flips(run, measure, units, weights, undefined) for run in runs]


def _make_grade_flips(runs: Sequence[Inputs], measure: Measure, undefined: float) -> Sequence[FlippableRun]:
    """Find what other grades can change. Raises UsageError for a measure that cannot depend on them."""
    if OF_GRADES.isdisjoint(measure.needs):
        raise UsageError(f"{measure} does not depend on judgments; leave out qrels=flips, or choose another measure")
    refuse_by_group([measure], "qrels=flips goes by all judgments")
    for utility in split_relevance([measure])[0]:
        from fairtrec.evaluation.relevance.trec_eval import find_formula

        if not utility.is_plain and find_formula(utility) is None:
            raise UsageError(
                f"{measure} goes by subtopics or by another program; choose another measure for qrels=flips"
            )
    units, grades = list_grade_units(runs[0], keeps_greatest="greatest_grade" in measure.needs)
    return [make_grade_flips(run, measure, units, grades, undefined) for run in runs]


def _list_notes(inputs: Inputs, measure: Measure) -> Iterator[Note]:
    """Note that a target which is made of documents stays."""
    if inputs.context.target_of is not None and "target" in measure.needs:
        yield TARGET_STAYS.note(target=" and the ".join(word for _, word in inputs.context.target_of.of))
