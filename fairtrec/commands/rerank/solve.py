"""The front of each query of a run, by the lemma that holds; where none does, what was found and a bound.

Lemma 1: fairness is a sum over ranks. Lemma 2: fairness goes by which kind of document stands at each rank, of which
there are few, whatever it makes of them. docs/headroom.md has both. Of few documents every order is looked at.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from fairtrec.commands.rerank.problem import Problem
from fairtrec.data import Bools, Floats, Ints
from fairtrec.formulas import discount, two_sums
from fairtrec.formulas.fronts import Front, same_grades
from fairtrec.formulas.rounding import NEAR
from fairtrec.formulas.sequences import KindSequences, by_kind
from fairtrec.formulas.weighted_sums import weigh, weighted_sum
from fairtrec.measure import First, Precisions, RankForm, SumOverRanks

EXCHANGED = frozenset({"ERR"})  # without terms, but never less where of two documents the better one comes first
TRIED = 64  # of the fairest orders, how many are evaluated for their utility
SHARED = 100_000  # sequences whose values are kept for other queries
SHARED_BY = 1_000  # orders that are as fair, of which the first is taken
KINDS = 64
Cached = dict[bytes, tuple[KindSequences, Floats]]
Tops = list[Ints]  # of each query, the places of its documents


@dataclass(frozen=True, eq=False)
class Solved:
    """The front of each query, its fairest order of the same grades, and the fairness of that, more being better.

    ``most_same`` [query] is what no such order exceeds; ``way`` says in words how it was done. ``told`` [query] says
    that no order as fair as the fairest has more utility than the last point of the front. ``same_tops`` are those
    orders of the same grades; none where nothing is judged.
    """

    fronts: list[Front]
    same: Floats
    most_same: Floats
    way: str
    told: Bools
    same_tops: Tops


def solve(problem: Problem, values: Floats, kept: Cached, *, grades_only: bool = False) -> Solved:
    """Find the front of each query; ``values`` [2, query] are its utility and fairness, ``kept`` is shared by runs.

    With ``grades_only`` there may be no fronts, as only the orders of the same grades are wanted.
    """
    fair, useful = problem.terms(problem.fairness), problem.terms(problem.utility)
    if isinstance(fair, SumOverRanks) and problem.fairness.better in ("higher", "lower") and (fair.weights >= 0).all():
        return _by_sums(problem, values, fair, useful, grades_only=grades_only)
    return _by_kinds(problem, values, useful, kept)


def _by_sums(
    problem: Problem, values: Floats, fair: SumOverRanks, useful: RankForm | None, *, grades_only: bool
) -> Solved:
    """Lemma 1."""
    worth, weights = problem.fair(fair.gains), fair.weights
    grades, every = problem.grades(), np.ones(len(problem.qids), dtype=np.bool_)
    orders, alike = _same_grades(problem, np.nan_to_num(worth), weights, grades)
    if grades_only and grades is not None:
        return Solved([], alike, alike, "by lemma 1", every, orders)
    if isinstance(useful, SumOverRanks):
        found = two_sums.fronts(useful.gains, worth, useful.weights, weights, problem.lengths, problem.held)
        rough = sum(front.ends is not None for front in found)
        hull = f"; of {rough} of {len(found)} queries the hull alone" if rough else ""
        return Solved(found, alike, alike, f"by lemma 1{hull}", every, orders)
    fronts = [_of_relevance(problem, row, useful, worth[row], weights[row]) for row in range(len(problem.qids))]
    listed = {row: _of_every_order(problem, row, None) for row, front in enumerate(fronts) if front is None}
    fronts = [front if (by_order := listed.get(row)) is None else by_order.front for row, front in enumerate(fronts)]
    if len(exact := [front for front in fronts if front is not None]) == len(fronts):
        way = _exactly("by lemma 1, over sequences", len(listed), len(fronts))
        return Solved(exact, alike, alike, way, every, orders)
    return _between_bounds(problem, values, fronts, SumOverRanks(worth, weights), orders, alike)


def _same_grades(problem: Problem, worth: Floats, weights: Floats, grades: Ints | None) -> tuple[Tops, Floats]:
    """Give the fairest order of the same grades of each query, and its fairness [query]; nan if nothing is judged."""
    if grades is None:
        return [], np.full(len(problem.qids), np.nan)
    places = same_grades(grades, worth, weights)
    orders = [places[row, : problem.lengths[row]] for row in range(len(problem.qids))]
    return orders, np.array([weigh(worth[row, top], weights[row]) for row, top in enumerate(orders)])


def _between_bounds(
    problem: Problem, values: Floats, fronts: Sequence[Front | None], fair: SumOverRanks, orders: Tops, alike: Floats
) -> Solved:
    """Give queries without a front what was found below a bound: the fairest order, and that of the same grades."""
    worth, weights, grades = fair.gains, fair.weights, problem.grades()
    counted, queries = np.nan_to_num(worth), range(len(problem.qids))
    best = [
        _fairest(problem, row, worth[row], weights[row], None if grades is None else grades[row]) for row in queries
    ]
    falls = [bool((np.diff(weights[row][problem.ranks(row)]) < 0).all()) for row in queries]
    told = np.array([front is not None for front in fronts]) | (_goes_by_exchanges(problem) & np.array(falls))
    most = np.array([weigh(counted[row, top], weights[row]) for row, top in enumerate(best)])
    rest = _bounded(problem, values, [(orders, alike)] * bool(orders) + [(best, most)], most)
    mixed = [known if front is None else front for front, known in zip(fronts, rest, strict=True)]
    return Solved(mixed, alike, alike, "same grades and most by lemma 1, else a value and a bound", told, orders)


class _Solution(NamedTuple):
    """What was found of one query: its front, or None, and orders.

    ``order``  the fairest of the same grades, ``same`` its fairness, which is at most ``most_same``.
    ``tries``  the fairest orders [order, rank], whose fairness is at most ``most``.
    ``told``   that one of these has the most utility of all that are as fair.
    ``way``    by which it was found.
    """

    front: Front | None
    order: Ints
    tries: Ints
    same: float
    most_same: float
    most: float
    told: bool
    way: Literal["orders", "kinds", "exchanges"]


def _by_kinds(problem: Problem, values: Floats, useful: RankForm | None, kept: Cached) -> Solved:
    """Lemma 2; exchanges where there are too many kinds."""
    grades, queries = problem.grades(), range(len(problem.qids))
    found = [_solve_query(problem, row, useful, kept, None if grades is None else grades[row]) for row in queries]
    alike, most_alike, most = (
        np.array([each[at] for each in found]) for at in map(_Solution._fields.index, ("same", "most_same", "most"))
    )
    told = np.array([each.told for each in found], dtype=np.bool_)
    orders = [each.order for each in found]
    if len(exact := [each.front for each in found if each.front is not None]) == len(found):
        listings = sum(each.way == "orders" for each in found)
        return Solved(exact, alike, most_alike, _exactly("by lemma 2", listings, len(found)), told, orders)
    best = _most_useful(problem, [each.tries for each in found])
    reached = np.array([problem.fairness_of(row, best[row][None])[0] if len(best[row]) else 0.0 for row in queries])
    tried = [(orders, np.where(np.isnan(alike), values[1], alike)), (best, reached)]
    rest = _bounded(problem, values, tried, most)
    mixed = [known if each.front is None else each.front for each, known in zip(found, rest, strict=True)]
    climbs = sum(each.way == "exchanges" for each in found)
    whole = f"a value by exchanges and a bound for {climbs} of {len(found)} queries" if climbs else ""
    way = whole or "same grades and most by lemma 2, else a value and a bound"
    return Solved(mixed, alike, most_alike, way, told, orders)


def _solve_query(problem: Problem, row: int, useful: RankForm | None, kept: Cached, grades: Ints | None) -> _Solution:
    """Look at every sequence of kinds of a query, or at every order; exchange documents if both are too many."""
    listed = _listed(problem, row, kept)
    if listed is None or _gains_of(row, useful) is None:
        by_order = _of_every_order(problem, row, grades)
        if by_order is not None:
            exact, same = by_order.front, by_order.same
            most = float(exact.fairness[-1])
            return _Solution(exact, by_order.same_grades, exact.tops[-1:], same, same, most, True, "orders")
    if listed is None:
        return _exchange(problem, row, grades)
    front, order, fairest, told = _of_kinds(problem, row, useful, listed, grades)
    same = np.nan if grades is None else float(problem.fairness_of(row, order[None])[0])
    most = float(problem.fairness_of(row, fairest[:1])[0]) if fairest.size else 0.0
    return _Solution(front, order, fairest, same, same, most, told, "kinds")


def _exchange(problem: Problem, row: int, grades: Ints | None) -> _Solution:
    """Exchange documents of a query as long as that makes it fairer."""
    order, same = np.arange(problem.lengths[row]), np.nan
    if grades is not None:
        order, same = problem.local_optimum(row, grades)
    end = problem.at_end(row)
    tries = (problem.local_optimum(row, None)[0] if end is None else end)[None]
    greatest = problem.greatest(row)
    return _Solution(None, order, tries, same, greatest, greatest, False, "exchanges")


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
    utility = None if tops is None else problem.utility_of(row, tops)
    if tops is None or utility is None:
        return None
    fairness = problem.fairness_of(row, tops)
    usable = np.isfinite(fairness) & np.isfinite(utility)
    if not usable.any():
        return None
    front = Front.of(utility[usable], fairness[usable], tops[usable])
    own = np.arange(problem.lengths[row])
    if grades is None:
        return _Listed(front, own, np.nan)
    alike = np.flatnonzero(usable & (grades[tops] == grades[own]).all(axis=1))
    if not len(alike):
        return _Listed(front, own, float(problem.fairness_of(row, own[None])[0]))
    fairest = alike[fairness[alike] >= fairness[alike].max() - NEAR]  # orders are listed with the first documents first
    return _Listed(front, tops[fairest[0]], float(fairness[fairest[0]]))


def _exactly(way: str, listed: int, queries: int) -> str:
    """Say how all queries were solved, of which so many by looking at every order."""
    if not listed:
        return way
    return "by every order" if listed == queries else f"{way}; by every order of {listed} of {queries} queries"


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
        fronts.append(Front.of(utility, fairness, tops, ends))
    return fronts


def _of_relevance(problem: Problem, row: int, useful: RankForm | None, worth: Floats, weights: Floats) -> Front | None:
    """Go through all sequences of relevant documents; None if there are too many, or utility goes by more."""
    if not isinstance(useful, First | Precisions):
        return None
    ranks, movable = problem.ranks(row), problem.movable(row)
    relevant = useful.relevant[row]
    docs, supply = by_kind(relevant[movable].astype(np.int64), worth[movable], 2, len(ranks))
    every = KindSequences.of(supply.tolist(), len(ranks))
    if every is None:
        return None
    falling = np.argsort(-weights[ranks], kind="stable")  # a kind's fairest documents stand where most counts
    placed = np.empty(every.kinds.shape, dtype=np.int64)
    placed[:, falling] = movable[every.take(docs)]
    tops = problem.filled(row, placed)
    fairness = weighted_sum(np.nan_to_num(worth)[tops], weights)
    return Front.of(_of_gains(useful, row, relevant[tops]), fairness, tops)


def _listed(problem: Problem, row: int, kept: Cached) -> tuple[KindSequences, Floats, Ints] | None:
    """List the sequences of kinds of a query, their fairness, and the kind of each document; None if too many."""
    movable, ranks = problem.movable(row), len(problem.ranks(row))
    looks, kinds = np.unique(problem.looks(row)[movable], axis=0, return_inverse=True)
    many, kinds = len(looks), kinds.ravel()
    if many > KINDS:
        return None
    examples = np.array([int(movable[kinds == kind][0]) for kind in range(many)], dtype=np.int64)
    if many**ranks > SHARED or problem.held[row].any():  # exact: whole numbers
        every = KindSequences.of(np.bincount(kinds, minlength=many).tolist(), ranks)
        if every is None:
            return None
        return every, problem.fairness_of(row, problem.filled(row, examples[every.kinds])), kinds
    key = b"|".join([looks.tobytes(), bytes([ranks]), *problem.beside(row)])
    if key not in kept:
        every = KindSequences.of([ranks] * many, ranks)
        assert every is not None
        tops = examples[every.kinds] if ranks else np.zeros((1, 0), dtype=np.int64)
        kept[key] = every, problem.fairness_of(row, tops)
    return (*kept[key], kinds)


def _of_kinds(
    problem: Problem, row: int, useful: RankForm | None, listed: tuple[KindSequences, Floats, Ints], grades: Ints | None
) -> tuple[Front | None, Ints, Ints, bool]:
    """Give the front of a query, its fairest order of the same grades, and its fairest orders [order, rank].

    Last whether one of these is as useful as any order that is as fair; of orders of the same grades one is enough.
    """
    every, fairness, kinds = listed
    ranks, movable = problem.ranks(row), problem.movable(row)
    supply = np.bincount(kinds, minlength=every.counts.shape[1])
    usable = every.possible(supply) & np.isfinite(fairness)
    own = np.arange(problem.lengths[row])
    if not usable.any():
        return None, own, own[None], False
    order = own
    if grades is not None:
        pairs = np.zeros((int(grades.max(initial=0)) + 1, len(supply)), dtype=np.int64)
        np.add.at(pairs, (grades[movable], kinds), 1)
        allowed = np.flatnonzero(usable & every.of_grades(grades[ranks], pairs))
        if len(allowed):
            alike = allowed[fairness[allowed] >= fairness[allowed].max() - NEAR][:SHARED_BY]
            several = [movable[_placed(each, grades[ranks], grades[movable], kinds)] for each in every.kinds[alike]]
            order = problem.filled(row, min(several, key=np.ndarray.tolist)[None])[0]
    gains = _gains_of(row, useful)
    ungraded = np.zeros(len(movable)) if grades is None else grades[movable].astype(np.float64)
    worth = ungraded if gains is None else gains[movable]
    docs, _ = by_kind(kinds, worth, len(supply), len(ranks))
    tops = problem.filled(row, movable[docs[every.kinds[usable], every.number[usable]]])
    if useful is not None and gains is not None:
        return Front.of(_of_gains(useful, row, gains[tops]), fairness[usable], tops), order, tops[:1], True
    fairest = tops[fairness[usable] >= fairness[usable].max() - NEAR]
    if grades is None:
        return None, order, fairest[:1], False
    _, first = np.unique(-grades[fairest], axis=0, return_index=True)
    return None, order, fairest[first[:TRIED]], _goes_by_exchanges(problem) and len(first) <= TRIED


def _of_gains(useful: RankForm, row: int, gains: Floats | Ints) -> Floats:
    """Say what First, Precisions or a sum of these gains [sequence, rank] makes of one query [sequence]."""
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
    falls = (
        isinstance(useful, SumOverRanks)
        and (np.diff(useful.weights, axis=-1) <= 0).all()
        and (useful.weights >= 0).all()
    )
    return useful.gains[row] if isinstance(useful, SumOverRanks) and falls else None


def _placed(kinds: Ints, wanted: Ints, grades: Ints, of: Ints) -> Ints:
    """Put documents of these kinds on the ranks, each of the grade that is wanted there, the first ones first."""
    left: dict[tuple[int, int], list[int]] = {}
    for doc in range(len(grades) - 1, -1, -1):
        left.setdefault((int(grades[doc]), int(of[doc])), []).append(doc)
    ranks = zip(wanted.tolist(), kinds.tolist(), strict=True)
    return np.array([left[pair].pop() for pair in ranks], dtype=np.int64)


def _fairest(problem: Problem, row: int, worth: Floats, weights: Floats, grades: Ints | None) -> Ints:
    """Order the documents of a query by falling worth where the ranks count most; of equal ones by falling grade."""
    ranks, movable = problem.ranks(row), problem.movable(row)
    top = np.empty(len(ranks), dtype=np.int64)
    keys = -np.nan_to_num(worth[movable], nan=-np.inf).round(12)
    graded = np.zeros(len(movable)) if grades is None else -grades[movable]
    best = movable[np.lexsort((graded, keys))[: len(ranks)]]
    top[np.argsort(-weights[ranks], kind="stable")] = best
    return np.asarray(problem.filled(row, top[None])[0])
