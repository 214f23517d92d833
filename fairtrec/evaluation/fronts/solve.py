"""The front of each query of a run, by the lemma that holds; where none does, by a search below a bound.

Lemma 1: fairness is a sum over ranks. Lemma 2: fairness goes by which kind of document stands at each rank, of which
there are few, whatever it makes of them. Lemma 3: fairness is a sum over ranks that look at how many of each kind
stand above. docs/headroom-computed.md has all three. Of few documents every order is looked at.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from fairtrec.data import Bools, Floats, Ints
from fairtrec.evaluation.fronts.exposure_fronts import SHARED, SHARED_BY, front_by_exposure, place_kinds
from fairtrec.evaluation.fronts.kind_counts import KindCounts
from fairtrec.evaluation.fronts.problem import Problem
from fairtrec.evaluation.fronts.walks import climb_fairness, search_front
from fairtrec.formulas import discount, two_sums
from fairtrec.formulas.fronts import Front, same_grades
from fairtrec.formulas.prefix_fronts import Found
from fairtrec.formulas.rounding import NEAR
from fairtrec.formulas.sequences import KindSequences, count_sequences, group_by_kind, states
from fairtrec.formulas.weighted_sums import weigh, weighted_sum
from fairtrec.measure import First, Precisions, RankForm, SumOverRanks

EXCHANGED = frozenset({"ERR"})  # without terms, but never less where of two documents the better one comes first
LISTED, CHEAPER = 10_000, 10  # sequences that are soon listed; how many a count may stand for, so that counts pay
TRIED = 64  # of the fairest orders, how many are evaluated for their utility
KINDS = 64
LEMMA_1, LEMMA_2, LEMMA_3, EVERY_ORDER = "lemma 1", "lemma 2", "lemma 3", "every order"
SEARCH, BOUND = "search", "bound"
WAYS = (LEMMA_1, LEMMA_2, LEMMA_3, EVERY_ORDER, SEARCH, BOUND)


@dataclass(eq=False)
class Cached:
    """What several queries, or several runs, have in common."""

    listed: dict[bytes, tuple[KindSequences, Floats]] = field(default_factory=dict)
    on_front: dict[bytes, Found] = field(default_factory=dict)


Tops = list[Ints]  # of each query, the places of its documents


@dataclass(frozen=True, eq=False)
class Solved:
    """The front of each query, its fairest order of the same grades, and the fairness of that, more being better.

    ``most_same`` [query] is what no such order exceeds; ``ways`` [query] say how each was solved, one of WAYS.
    ``told`` [query] says that no order as fair as the fairest has more utility than the last point of the front.
    ``same_tops`` are those orders of the same grades; none where nothing is judged. ``searched`` are the queries whose
    orders were searched for, with the documents that may stand in one, and ``capped`` those where a cap ended that.
    """

    fronts: list[Front]
    same: Floats
    most_same: Floats
    ways: list[str]
    told: Bools
    same_tops: Tops
    searched: Mapping[int, Ints] = field(default_factory=dict)
    capped: frozenset[int] = frozenset()

    def bound_fronts(self, problem: Problem, own: Floats, losses: Sequence[float]) -> list[Front]:
        """Bound the fronts of what was searched for, where so much may be lost of the utility ``own`` [query]."""
        from fairtrec.evaluation.fronts.relaxation import bound_fronts

        return bound_fronts(problem, self.fronts, self.searched, own, losses) if self.searched else self.fronts


def solve(problem: Problem, values: Floats, kept: Cached, *, grades_only: bool = False) -> Solved:
    """Find the front of each query; ``values`` [2, query] are its utility and fairness, ``kept`` is shared by runs.

    With ``grades_only`` there may be no fronts, as only the orders of the same grades are wanted.
    """
    fair, useful = problem.terms(problem.fairness), problem.terms(problem.utility)
    if isinstance(fair, SumOverRanks) and problem.fairness.better in ("higher", "lower") and (fair.weights >= 0).all():
        return _by_sums(problem, values, fair, useful, grades_only=grades_only)
    return _by_kinds(problem, values, fair, useful, kept)


def _by_sums(
    problem: Problem, values: Floats, fair: SumOverRanks, useful: RankForm | None, *, grades_only: bool
) -> Solved:
    """Lemma 1."""
    worth, weights = problem.fair(fair.gains), fair.weights
    grades, every = problem.grades(), np.ones(len(problem.qids), dtype=np.bool_)
    orders, alike = _same_grades(problem, np.nan_to_num(worth), weights, grades)
    ways = [LEMMA_1] * len(problem.qids)
    if grades_only and grades is not None:
        return Solved([], alike, alike, ways, every, orders)
    if isinstance(useful, SumOverRanks):
        found = two_sums.fronts(useful.gains, worth, useful.weights, weights, problem.lengths, problem.held)
        return Solved(found, alike, alike, ways, every, orders)
    fronts = [_of_relevance(problem, row, useful, worth[row], weights[row]) for row in range(len(problem.qids))]
    for row, front in enumerate(fronts):
        if front is None and (listed := _of_every_order(problem, row, None)) is not None:
            fronts[row], ways[row] = listed.front, EVERY_ORDER
    exact = [front for front in fronts if front is not None]
    if len(exact) == len(fronts):
        return Solved(exact, alike, alike, ways, every, orders)
    best, most, told = _fairest_orders(problem, worth, weights, grades)
    told = np.array([front is not None for front in fronts]) | told
    tried = [(orders, alike)] * bool(orders) + [(best, most)]
    return _searched(problem, values, fronts, tried, most, fair, useful, Solved([], alike, alike, ways, told, orders))


def _same_grades(problem: Problem, worth: Floats, weights: Floats, grades: Ints | None) -> tuple[Tops, Floats]:
    """Give the fairest order of the same grades of each query, and its fairness [query]; nan if nothing is judged."""
    if grades is None:
        return [], np.full(len(problem.qids), np.nan)
    places = same_grades(grades, worth, weights)
    orders = [places[row, : problem.lengths[row]] for row in range(len(problem.qids))]
    return orders, np.array([weigh(worth[row, top], weights[row]) for row, top in enumerate(orders)])


def _fairest_orders(
    problem: Problem, worth: Floats, weights: Floats, grades: Ints | None
) -> tuple[Tops, Floats, Bools]:
    """Give the fairest order of each query, its fairness [query], and whether none as fair has more utility."""
    queries = range(len(problem.qids))
    best = [
        _fairest(problem, row, worth[row], weights[row], None if grades is None else grades[row]) for row in queries
    ]
    most = np.array([weigh(np.nan_to_num(worth[row])[top], weights[row]) for row, top in enumerate(best)])
    falls = np.array([bool((np.diff(weights[row][problem.ranks(row)]) < 0).all()) for row in queries])
    return best, most, np.asarray(_goes_by_exchanges(problem) & falls)


class _OfRow(NamedTuple):
    """What was found of one query without a search: its front, if a lemma gives it, and a few orders."""

    way: str
    front: Front | None
    same_top: Ints  # the fairest order of the same grades
    same: float
    most_same: float
    tried: Ints  # orders that are as fair as can be, if that is known
    most: float
    told: bool = True


def _by_kinds(problem: Problem, values: Floats, fair: RankForm | None, useful: RankForm | None, kept: Cached) -> Solved:
    """Lemma 2, or lemma 3 where there are too many sequences of kinds; a search where there are too many counts."""
    grades, queries = problem.grades(), range(len(problem.qids))
    found = [_of_row(problem, row, fair, useful, None if grades is None else grades[row], kept) for row in queries]
    fronts = [each.front for each in found if each.front is not None]
    alike, most_alike, most = (np.array(each, dtype=np.float64) for each in (
        [one.same for one in found], [one.most_same for one in found], [one.most for one in found]))  # fmt: skip
    told = np.array([each.told for each in found], dtype=np.bool_)
    orders = [each.same_top for each in found]
    solved = Solved(fronts, alike, most_alike, [each.way for each in found], told, orders)
    if len(fronts) == len(found):
        return solved
    best = _most_useful(problem, [each.tried for each in found])
    reached = np.array(
        [problem.compute_fairness(row, best[row][None])[0] if len(best[row]) else 0.0 for row in queries]
    )
    tried = [(orders, np.where(np.isnan(alike), values[1], alike)), (best, reached)]
    open_ = [each.front for each in found]
    return _searched(problem, values, open_, tried, most, fair, useful, solved)


def _of_row(
    problem: Problem, row: int, fair: RankForm | None, useful: RankForm | None, grades: Ints | None, kept: Cached
) -> _OfRow:
    """Solve one query by the first way that there is."""
    exposures = front_by_exposure(problem, row, useful, grades, kept.on_front)
    if exposures is not None:
        front, top = exposures
        same = float(problem.compute_fairness(row, top[None])[0]) if grades is not None else np.nan
        return _OfRow(LEMMA_2, front, top, same, same, front.tops[-1:], float(front.fairness[-1]))
    by_counts = _by_counts(problem, row, fair, useful, grades) if _pays_by_counts(problem, row) else None
    if by_counts is not None:
        is_whole = by_counts.front is not None and by_counts.front.ends is None
        if is_whole:
            return by_counts
    listed = _listed(problem, row, kept)
    if listed is None or _gains_of(row, useful) is None:
        by_order = _of_every_order(problem, row, grades)
        if by_order is not None:
            front, top, same = by_order
            return _OfRow(EVERY_ORDER, front, top, same, same, front.tops[-1:], float(front.fairness[-1]))
    if listed is None:
        return _by_counts(problem, row, fair, useful, grades) if by_counts is None else by_counts
    known, top, fairest, told = _of_kinds(problem, row, useful, listed, grades)
    same = float(problem.compute_fairness(row, top[None])[0]) if grades is not None else np.nan
    most = float(problem.compute_fairness(row, fairest[:1])[0]) if fairest.size else 0.0
    return _OfRow(SEARCH if known is None else LEMMA_2, known, top, same, same, fairest, most, told)


def _pays_by_counts(problem: Problem, row: int) -> bool:
    """Tell whether lemma 3 takes less than lemma 2: a tenth of the steps or less, where these are many."""
    movable, ranks = problem.find_movable(row), len(problem.ranks(row))
    supply = np.unique(problem.looks(row)[movable], axis=0, return_counts=True)[1]
    if not ranks or len(supply) > KINDS or len(supply) ** ranks <= LISTED:  # exact: whole numbers
        return False
    sequences = count_sequences(np.minimum(supply, ranks).tolist(), ranks)
    return sequences > LISTED and states(supply, ranks) * CHEAPER <= sequences


def _by_counts(
    problem: Problem, row: int, fair: RankForm | None, useful: RankForm | None, grades: Ints | None
) -> _OfRow:
    """Lemma 3; without it only the fairest order of the same grades is looked for, by exchanges."""
    counts = KindCounts.sort_kinds(problem, row)
    front = None if counts is None else counts.front(useful)
    most = problem.greatest(row) if front is None else float(front.fairness[-1])
    top, same, most_same = np.arange(problem.lengths[row]), np.nan, np.nan
    if grades is not None:
        exact = None if counts is None else counts.same_grades(grades)
        top, same = exact if exact is not None else climb_fairness(problem, row, fair, grades)
        most_same = same if exact is not None else most
    end = problem.find_end_order(row) if front is None else front.tops[-1]
    tried = top if end is None else end
    return _OfRow(
        SEARCH if front is None else LEMMA_3, front, top, same, most_same, tried[None], most, front is not None
    )


def _searched(
    problem: Problem,
    values: Floats,
    fronts: Sequence[Front | None],
    tried: Sequence[tuple[Tops, Floats]],
    most: Floats,
    fair: RankForm | None,
    useful: RankForm | None,
    solved: Solved,
) -> Solved:
    """Search for the fronts that no lemma gives; where single orders have no utility, keep what was ``tried``."""
    mixed, searched, capped = [*fronts], {}, set()
    for row in [row for row, front in enumerate(fronts) if front is None]:
        if problem.compute_utility(row, np.arange(problem.lengths[row])[None]) is None:
            continue  # _bounded takes what was tried
        starts = [tops[row] for tops, _ in tried]
        mixed[row], searched[row], was_capped = search_front(problem, row, useful, fair, float(most[row]), starts)
        capped |= {row} if was_capped else set()
    ways = [BOUND if front is None else way for front, way in zip(mixed, solved.ways, strict=True)]
    if BOUND in ways:
        rest = _bounded(problem, values, tried, most)
        mixed = [known if front is None else front for front, known in zip(mixed, rest, strict=True)]
    ways = [SEARCH if row in searched else way for row, way in enumerate(ways)]
    every = [front for front in mixed if front is not None]
    return replace(solved, fronts=every, ways=ways, searched=searched, capped=frozenset(capped))


class _Listed(NamedTuple):
    """The front of a query of which every order was looked at, and its fairest order of the same grades.

    ``same`` is the fairness of that; nan where nothing is judged.
    """

    front: Front
    same_grades: Ints
    same: float


def _of_every_order(problem: Problem, row: int, grades: Ints | None) -> _Listed | None:
    """Look at every order of a query; None if they are too many, or of no order both values are known."""
    tops = problem.every_order(row)
    utility = None if tops is None else problem.compute_utility(row, tops)
    if tops is None or utility is None:
        return None
    fairness = problem.compute_fairness(row, tops)
    usable = np.isfinite(fairness) & np.isfinite(utility)
    if not usable.any():
        return None
    front = Front.keep_best(utility[usable], fairness[usable], tops[usable])
    own = np.arange(problem.lengths[row])
    if grades is None:
        return _Listed(front, own, np.nan)
    alike = np.flatnonzero(usable & (grades[tops] == grades[own]).all(axis=1))
    if not len(alike):
        return _Listed(front, own, float(problem.compute_fairness(row, own[None])[0]))
    fairest = alike[fairness[alike] >= fairness[alike].max() - NEAR]  # orders are listed with the first documents first
    return _Listed(front, tops[fairest[0]], float(fairness[fairest[0]]))


def _goes_by_exchanges(problem: Problem) -> bool:
    """Tell whether utility never falls where of two documents the one of the higher grade comes first."""
    return problem.utility is not None and problem.utility.name in EXCHANGED


def _most_useful(problem: Problem, tries: Sequence[Ints]) -> Tops:
    """Choose of the orders of each query [order, rank] the one of most utility; the first, where none is evaluated."""
    best, most = [each[0] for each in tries], np.full(len(tries), -np.inf)
    several = max((len(each) for each in tries), default=0)
    for at in range(several if several > 1 else 0):
        tops = [each[min(at, len(each) - 1)] for each in tries]
        found = problem.utilities(tops)
        for row in np.flatnonzero(found > most).tolist():
            best[row], most[row] = tops[row], found[row]
    return best


def _bounded(problem: Problem, values: Floats, tried: Sequence[tuple[Tops, Floats]], most: Floats) -> list[Front]:
    """Make fronts of the ranking as it is and of orders that were found, below a bound."""
    own = [np.arange(many) for many in problem.lengths.tolist()]
    points = [(own, values[0], values[1]), *((tops, problem.utilities(tops), fair) for tops, fair in tried)]
    fronts = []
    for row in range(len(problem.qids)):
        tops, utility, fairness = (np.array([each[row] for each in column]) for column in zip(*points, strict=True))
        ends = np.array([[utility.max(), utility.min()], [max(most[row], fairness.max())] * 2])
        fronts.append(Front.keep_best(utility, fairness, tops, ends))
    return fronts


def _of_relevance(problem: Problem, row: int, useful: RankForm | None, worth: Floats, weights: Floats) -> Front | None:
    """Go through all sequences of relevant documents; None if there are too many, or utility goes by more."""
    if not isinstance(useful, First | Precisions):
        return None
    ranks, movable = problem.ranks(row), problem.find_movable(row)
    relevant = useful.relevant[row]
    docs, supply = group_by_kind(relevant[movable].astype(np.int64), worth[movable], 2, len(ranks))
    every = KindSequences.enumerate_sequences(supply.tolist(), len(ranks))
    if every is None:
        return None
    falling = np.argsort(-weights[ranks], kind="stable")  # a kind's fairest documents stand where most counts
    placed = np.empty(every.kinds.shape, dtype=np.int64)
    placed[:, falling] = movable[every.take(docs)]
    tops = problem.fill_ranks(row, placed)
    fairness = weighted_sum(np.nan_to_num(worth)[tops], weights)
    return Front.keep_best(_of_gains(useful, row, relevant[tops]), fairness, tops)


def _listed(problem: Problem, row: int, kept: Cached) -> tuple[KindSequences, Floats, Ints] | None:
    """List the sequences of kinds of a query, their fairness, and the kind of each document; None if too many."""
    movable, ranks = problem.find_movable(row), len(problem.ranks(row))
    looks, kinds = np.unique(problem.looks(row)[movable], axis=0, return_inverse=True)
    many, kinds = len(looks), kinds.ravel()
    if many > KINDS:
        return None
    examples = np.array([int(movable[kinds == kind][0]) for kind in range(many)], dtype=np.int64)
    if many**ranks > SHARED or problem.held[row].any():  # exact: whole numbers
        every = KindSequences.enumerate_sequences(np.bincount(kinds, minlength=many).tolist(), ranks)
        if every is None:
            return None
        return every, problem.compute_fairness(row, problem.fill_ranks(row, examples[every.kinds])), kinds
    key = b"|".join([looks.tobytes(), bytes([ranks]), *problem.spell_inputs(row)])
    if key not in kept.listed:
        every = KindSequences.enumerate_sequences([ranks] * many, ranks)
        assert every is not None
        tops = examples[every.kinds] if ranks else np.zeros((1, 0), dtype=np.int64)
        kept.listed[key] = every, problem.compute_fairness(row, tops)
    return (*kept.listed[key], kinds)


def _of_kinds(
    problem: Problem, row: int, useful: RankForm | None, listed: tuple[KindSequences, Floats, Ints], grades: Ints | None
) -> tuple[Front | None, Ints, Ints, bool]:
    """Give the front of a query, its fairest order of the same grades, and its fairest orders [order, rank].

    Last whether one of these is as useful as any order that is as fair; of orders of the same grades one is enough.
    """
    every, fairness, kinds = listed
    ranks, movable = problem.ranks(row), problem.find_movable(row)
    supply = np.bincount(kinds, minlength=every.counts.shape[1])
    usable = every.fit_supply(supply) & np.isfinite(fairness)
    own = np.arange(problem.lengths[row])
    if not usable.any():
        return None, own, own[None], False
    order = own
    if grades is not None:
        pairs = np.zeros((int(grades.max(initial=0)) + 1, len(supply)), dtype=np.int64)
        np.add.at(pairs, (grades[movable], kinds), 1)
        allowed = np.flatnonzero(usable & every.keep_grades(grades[ranks], pairs))
        if len(allowed):
            alike = allowed[fairness[allowed] >= fairness[allowed].max() - NEAR][:SHARED_BY]
            several = [movable[place_kinds(each, grades[ranks], grades[movable], kinds)] for each in every.kinds[alike]]
            order = problem.fill_ranks(row, min(several, key=np.ndarray.tolist)[None])[0]
    gains = _gains_of(row, useful)
    ungraded = np.zeros(len(movable)) if grades is None else grades[movable].astype(np.float64)
    worth = ungraded if gains is None else gains[movable]
    docs, _ = group_by_kind(kinds, worth, len(supply), len(ranks))
    tops = problem.fill_ranks(row, movable[docs[every.kinds[usable], every.number[usable]]])
    if useful is not None and gains is not None:
        return Front.keep_best(_of_gains(useful, row, gains[tops]), fairness[usable], tops), order, tops[:1], True
    fairest = tops[fairness[usable] >= fairness[usable].max() - NEAR]
    if grades is None:
        return None, order, fairest[:1], False
    _, first = np.unique(-grades[fairest], axis=0, return_index=True)
    return None, order, fairest[first[:TRIED]], _goes_by_exchanges(problem) and len(first) <= TRIED


def _of_gains(useful: RankForm, row: int, gains: Floats | Ints) -> Floats:
    """Say what First or Precisions, or a sum of these gains [sequence, rank], makes of one query [sequence]."""
    ranks = gains.shape[1]
    if isinstance(useful, SumOverRanks):
        return weighted_sum(gains, useful.weights[row])
    relevant = gains > 0
    if isinstance(useful, First):
        worth = np.zeros(ranks + 1)
        worth[:ranks][: len(useful.worth)] = useful.worth[:ranks]
        return np.asarray(worth[np.where(relevant.any(axis=1), relevant.argmax(axis=1), ranks)])
    assert isinstance(useful, Precisions)
    down_to = (relevant * np.cumsum(relevant, axis=1))[:, : useful.cutoff]
    return weighted_sum(down_to, discount.reciprocal(ranks)) / float(useful.divisor[row])


def _gains_of(row: int, useful: RankForm | None) -> Floats | None:
    """Say what the documents of a query gain, if utility grows wherever a greater gain comes before a smaller one."""
    if isinstance(useful, First | Precisions):
        return np.asarray(useful.relevant[row], dtype=np.float64)
    return useful.gains[row] if isinstance(useful, SumOverRanks) and useful.falls else None


def _fairest(problem: Problem, row: int, worth: Floats, weights: Floats, grades: Ints | None) -> Ints:
    """Order the documents of a query by falling worth where the ranks count most; of equal ones by falling grade."""
    ranks, movable = problem.ranks(row), problem.find_movable(row)
    top = np.empty(len(ranks), dtype=np.int64)
    keys = -np.nan_to_num(worth[movable], nan=-np.inf).round(12)
    graded = np.zeros(len(movable)) if grades is None else -grades[movable]
    best = movable[np.lexsort((graded, keys))[: len(ranks)]]
    top[np.argsort(-weights[ranks], kind="stable")] = best
    return np.asarray(problem.fill_ranks(row, top[None])[0])
