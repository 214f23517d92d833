"""Orders of one query that are searched for: walks from two orders, and climbs from edge to edge of the hull.

An order is a sequence of kinds at the ranks that are free, the documents of each kind by falling gain. A move
exchanges the kinds at two ranks, or puts a kind of which a document is left at a rank instead. The walk *out* takes
the move of greatest gain in fairness per utility lost; the walk *back* that of greatest gain in utility per fairness
lost. A climb from the order of most utility looks at fairness alone. Then the upper hull of all orders that were
evaluated is refined: from both ends of each edge, climb by the moves that raise fairness + slope * utility most.
Nothing is drawn at random, and all caps are numbers of steps.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fairtrec.data import MISSING, Bools, Floats, Ints
from fairtrec.evaluation.fronts.exposure_fairness import ExposureFairness
from fairtrec.evaluation.fronts.problem import Problem
from fairtrec.formulas.fronts import Front, find_candidates, find_largest, sort_undominated, upper_corners
from fairtrec.formulas.rounding import NEAR, same
from fairtrec.formulas.sequences import group_by_kind, number_kinds
from fairtrec.formulas.weighted_sums import weighted_sum
from fairtrec.measure import RankForm, SumOverRanks

GAINED = 1e-9  # what is gained or lost at least
EDGES = 200  # of the hull, from which is climbed
CELLS = 50_000_000  # ranks of orders that are evaluated for a query
MOVES = 20_000  # from one order


class _Neighbors(NamedTuple):
    """The orders that one move leads to: their kinds [order, rank] and both values [order]."""

    kinds: Ints
    utility: Floats
    fairness: Floats


@dataclass(eq=False)
class Walks:
    """The search in one query.

    ``docs`` [kind, number] are the documents of each kind by falling gain, ``supply`` [kind] how many there are.
    ``useful`` are the terms of the utility, if it is a sum of falling weights; ``exposed`` says what fairness makes of
    exposure, if it is that. With ``grades`` [kind] a move leaves the grade of each rank as it is. Where ``blind``,
    nobody looks at utility.
    """

    problem: Problem
    row: int
    docs: Ints
    supply: Ints
    useful: SumOverRanks | None
    exposed: ExposureFairness | None
    grades: Ints | None = None
    blind: bool = False
    seen: dict[bytes, _Neighbors] = field(default_factory=dict)
    started: list[_Neighbors] = field(default_factory=list)
    cells: int = 0
    quick: "SumsByKind | None" = None
    most_cells: int | None = None  # ranks of orders that may be evaluated; None: CELLS

    @classmethod
    def set_up(cls, problem: Problem, row: int, kinds: Ints, useful: RankForm | None, fair: RankForm | None) -> "Walks":
        """Set the search up; ``kinds`` [movable document] are numbered."""
        movable, ranks = problem.find_movable(row), len(problem.ranks(row))
        many = int(kinds.max(initial=-1)) + 1
        falls = useful if isinstance(useful, SumOverRanks) and useful.falls else None
        worth = np.zeros(len(movable)) if falls is None else falls.gains[row, movable]
        if falls is None and (grades := problem.grades()) is not None:
            worth = grades[row, movable].astype(np.float64)
        docs, supply = group_by_kind(kinds, worth, many, ranks)
        docs = np.where(docs == MISSING, MISSING, movable[np.maximum(docs, 0)] if len(movable) else docs)
        exposed = ExposureFairness.find(problem, np.array([row]), fair)
        walks = cls(problem, row, docs, np.minimum(supply, ranks), falls, exposed)
        walks.quick = None if falls is None or exposed is None else SumsByKind.find(walks, exposed)
        return walks

    @classmethod
    def set_up_blind(
        cls, problem: Problem, row: int, kinds: Ints, fair: RankForm | None, grades: Ints | None = None
    ) -> "Walks":
        """Set the search up for fairness alone; ``kinds`` [movable document] are numbered, ``grades`` [kind] kept."""
        movable, ranks = problem.find_movable(row), len(problem.ranks(row))
        docs, supply = group_by_kind(kinds, np.zeros(len(movable)), int(kinds.max(initial=-1)) + 1, ranks)
        docs = np.where(docs == MISSING, MISSING, movable[np.maximum(docs, 0)] if len(movable) else docs)
        exposed = ExposureFairness.find(problem, np.array([row]), fair)
        walks = cls(problem, row, docs, np.minimum(supply, ranks), None, exposed, grades, blind=True)
        walks.quick = None if exposed is None else SumsByKind.find(walks, exposed)
        return walks

    def tops(self, kinds: Ints) -> Ints:
        """Say which documents stand at all ranks [order, rank], where these kinds stand at the free ones."""
        return self.problem.fill_ranks(self.row, self.docs[kinds, number_kinds(kinds)])

    def evaluate_orders(self, kinds: Ints) -> _Neighbors:
        """Evaluate orders by their kinds [order, rank]."""
        if not len(kinds):
            return _Neighbors(kinds, np.zeros(0), np.zeros(0))
        problem, row = self.problem, self.row
        if self.quick is not None and self.exposed is not None:
            self.cells += len(kinds) * int(problem.lengths[row])
            utility, exposure = self.quick.add_up(kinds)
            fairness = self.exposed.value(exposure[None])[0]
            return _Neighbors(kinds, utility, np.where(np.isfinite(fairness), fairness, -np.inf))
        tops = self.tops(kinds)
        self.cells += tops.size
        utility = np.zeros(len(tops)) if self.blind else self.utility_of(tops)
        if self.exposed is not None:
            fairness = self.exposed.value(self.exposed.exposure(0, tops)[None])[0]
        else:
            fairness = problem.compute_fairness(row, tops)
        usable = np.isfinite(utility)
        return _Neighbors(kinds, np.where(usable, utility, -np.inf), np.where(usable, fairness, -np.inf))

    def neighbors(self, kinds: Ints) -> _Neighbors:
        """Evaluate all orders that are one move from this one [rank]: exchanges first, then replacements."""
        key = kinds.tobytes()
        if key not in self.seen:
            self.seen[key] = self.evaluate_orders(self._moved(kinds))
        return self.seen[key]

    def _moved(self, kinds: Ints) -> Ints:
        ranks = len(kinds)
        upper, lower = list_pairs(ranks)
        differ = kinds[upper] != kinds[lower]
        if self.grades is not None:
            differ &= self.grades[kinds[upper]] == self.grades[kinds[lower]]
        upper, lower = upper[differ][:MOVES], lower[differ][:MOVES]
        left = np.flatnonzero(self.supply > np.bincount(kinds, minlength=len(self.supply)))
        rank, other = _list_places(ranks, tuple(left.tolist()))
        changed = kinds[rank] != other
        if self.grades is not None:
            changed &= self.grades[kinds[rank]] == self.grades[other]
        rank, other = rank[changed][: MOVES - len(upper)], other[changed][: MOVES - len(upper)]
        moved = np.empty((len(upper) + len(rank), ranks), dtype=kinds.dtype)
        moved[:] = kinds
        at = np.arange(len(upper))
        moved[at, upper], moved[at, lower] = kinds[lower], kinds[upper]
        moved[np.arange(len(upper), len(moved)), rank] = other
        return moved

    @property
    def spent(self) -> bool:
        """Whether as many orders have been evaluated as may be."""
        return self.cells >= (CELLS if self.most_cells is None else self.most_cells)

    def start(self, kinds: Ints) -> tuple[float, float]:
        """Evaluate one order [rank]; give both values."""
        one = self.evaluate_orders(kinds[None])
        self.started.append(one)
        return float(one.utility[0]), float(one.fairness[0])

    def walk(self, kinds: Ints, at: tuple[float, float], *, out: bool) -> tuple[Ints, tuple[float, float]]:
        """Take the moves of greatest gain per loss until none gains; gain fairness on the way ``out``, else utility."""
        while not self.spent:
            near = self.neighbors(kinds)
            gain, loss = near.fairness - at[1], at[0] - near.utility
            gain, loss = (gain, loss) if out else (-loss, -gain)
            gains = gain > GAINED
            if not gains.any():
                break
            free = gains & (loss <= GAINED)
            rate = np.where(free, gain, -np.inf) if free.any() else np.where(gains, gain, -np.inf)
            if not free.any():
                rate = np.divide(rate, loss, out=rate, where=gains)
            best = _first_best(rate)
            kinds, at = near.kinds[best], (float(near.utility[best]), float(near.fairness[best]))
        return kinds, at

    def climb(self, kinds: Ints, at: tuple[float, float], slope: float) -> Ints:
        """Go on by the move that most raises fairness + slope * utility, until none does; give the last order."""
        height = at[1] + slope * at[0]
        while not self.spent:
            near = self.neighbors(kinds)
            heights = near.fairness + slope * near.utility
            if not len(heights):
                break
            best = _first_best(heights)
            if not heights[best] > height + NEAR * max(abs(height), 1.0):
                break
            kinds, height = near.kinds[best], float(heights[best])
        return kinds

    def refine(self) -> int:
        """Climb from both ends of each edge of the hull, each edge once; give the number of edges."""
        done: set[tuple[bytes, bytes]] = set()
        known = _Hull()
        while len(done) < EDGES and not self.spent:
            known.add(self._all()[known.read :])
            edge = next((pair for pair in known.edges() if pair not in done), None)
            if edge is None:
                break
            done.add(edge)
            ends = [known.points[key] for key in edge]
            (left, low), (right, high) = ends
            slope = (high - low) / (left - right)
            for key, end in zip(edge, ends, strict=True):
                self.climb(np.frombuffer(key, dtype=np.int64), end, slope)
        known.add(self._all()[known.read :])
        return len(done)

    def _all(self) -> list[_Neighbors]:
        return [*self.started, *self.seen.values()]

    def front(self, most: float) -> Front:
        """Give the orders that no other equals or exceeds in both; nothing is above ``most``."""
        every = self._all()
        utility, fairness = (np.concatenate([each[at] for each in every]) for at in (1, 2))
        kinds = np.concatenate([each.kinds for each in every])
        usable = np.flatnonzero(np.isfinite(fairness))
        largest = find_largest(utility[usable], fairness[usable])
        usable = usable[find_candidates(utility[usable], fairness[usable])] if len(usable) else usable
        order, starts, ends = sort_undominated(
            np.zeros(len(usable), dtype=np.int64), utility[usable], fairness[usable], largest
        )
        alike = [order[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        chosen = usable[np.concatenate(alike)] if alike else usable
        tops = self.tops(np.unique(kinds[chosen], axis=0))
        own = np.arange(self.problem.lengths[self.row])[None]
        tops = np.concatenate([tops, own])
        fairness = self.problem.compute_fairness(self.row, tops)  # as it is printed, to the last digit
        utility = self.utility_of(tops)
        found = np.isfinite(fairness)
        box = np.array([[utility[found].max(), utility[found].min()], [max(most, fairness[found].max())] * 2])
        return Front.keep_best(utility[found], fairness[found], tops[found], box)

    def utility_of(self, tops: Ints) -> Floats:
        """Give the utility of orders of documents at all ranks [order, rank]."""
        if self.useful is not None:
            return weighted_sum(np.nan_to_num(self.useful.gains[self.row])[tops], self.useful.weights[self.row])
        found = self.problem.compute_utility(self.row, tops)
        assert found is not None
        return found


@dataclass(eq=False)
class _Hull:
    """The upper hull of the orders that have been evaluated so far; ``read`` counts the batches of these."""

    points: dict[bytes, tuple[float, float]] = field(default_factory=dict)
    read: int = 0

    def add(self, batches: Sequence[_Neighbors]) -> None:
        """Look at more orders."""
        self.read += len(batches)
        keys = [*self.points]
        old = np.array([*self.points.values()]).reshape(-1, 2)
        lines = _Lines(old) if len(old) > 1 else None
        if not batches or (lines is not None and not any(lines.is_exceeded(each) for each in batches)):
            return  # the corners stay
        utility = np.concatenate([old[:, 0], *(each.utility for each in batches)])
        fairness = np.concatenate([old[:, 1], *(each.fairness for each in batches)])
        rises = np.isfinite(fairness)
        if lines is not None:
            rises[len(old) :] &= lines.may_rise(utility[len(old) :], fairness[len(old) :])
        usable = np.flatnonzero(rises)
        order, starts, _ = sort_undominated(np.zeros(len(usable), dtype=np.int64), utility[usable], fairness[usable])
        kept = usable[order[starts]]
        kept = kept[upper_corners(utility[kept], fairness[kept])]
        firsts = np.cumsum([len(old), *(len(each.utility) for each in batches)])
        self.points = {}
        for at in kept.tolist():
            batch = int(np.searchsorted(firsts, at, side="right"))
            key = keys[at] if not batch else batches[batch - 1].kinds[at - firsts[batch - 1]].astype(np.int64).tobytes()
            self.points[key] = float(utility[at]), float(fairness[at])

    def edges(self) -> Iterator[tuple[bytes, bytes]]:
        """Go along the edges, those of most utility first."""
        keys = [*self.points]
        for one, other in pairwise(keys):
            if self.points[one][0] - self.points[other][0] > GAINED:
                yield one, other


class _Lines:
    """The lines between the ``corners`` [point, 2] of a hull, by falling utility, and what lies above them."""

    def __init__(self, corners: Floats) -> None:
        self.utility, self.fairness = corners[::-1].T.copy()
        self.rounding = NEAR * float(np.abs(self.fairness).max())

    def level(self, utility: Floats) -> Floats:
        """Give the height of the lines [point]: flat to the left, and nothing to the right."""
        return np.asarray(np.interp(utility, self.utility, self.fairness, right=-np.inf), dtype=np.float64)

    def is_exceeded(self, batch: _Neighbors) -> bool:
        """Tell whether any point lies above, by more than rounding."""
        most = float(self.utility[-1])
        alike = np.abs(batch.utility - most) <= NEAR * abs(most)
        return bool((batch.fairness > self.level(np.where(alike, most, batch.utility)) + self.rounding).any())

    def may_rise(self, utility: Floats, fairness: Floats) -> Bools:
        """Leave out what lies below, by more than rounding."""
        level = self.level(utility)
        return np.asarray(fairness >= level - GAINED * np.maximum(np.abs(level), 1.0))


@lru_cache(maxsize=8)  # of so many lengths: the pairs of a long ranking are large
def list_pairs(ranks: int) -> tuple[Ints, Ints]:
    """List the pairs of ranks, the upper ones first."""
    return np.triu_indices(ranks, 1)


@lru_cache(maxsize=1024)
def _list_places(ranks: int, kinds: tuple[int, ...]) -> tuple[Ints, Ints]:
    """List all ranks with each of these kinds: the ranks, and the kinds."""
    return np.repeat(np.arange(ranks), len(kinds)), np.tile(np.array(kinds, dtype=np.int64), ranks)


@dataclass(frozen=True, eq=False)
class SumsByKind:
    """What documents add at the free ranks, by their kinds: utility and exposure are sums of it.

    ``gains`` [kind, number] and ``shares`` [kind, a] are those of documents, ``discounts`` and ``weights`` [rank] those
    of the ranks; ``fixed`` is what the other documents add to utility and, [a], exposure.
    """

    gains: Floats
    shares: Floats
    discounts: Floats
    weights: Floats
    fixed: tuple[float, Floats]
    blind: bool = False

    @classmethod
    def find(cls, walks: "Walks", exposed: ExposureFairness) -> "SumsByKind | None":
        """Take what documents add; None if documents of a kind differ in exposure, or others are not fixed."""
        row, ranks, useful = walks.row, walks.problem.ranks(walks.row), walks.useful
        there = walks.docs != MISSING
        if not len(ranks) or not there.any(axis=1).all():
            return None
        gains, discounts = np.zeros(walks.docs.shape), np.zeros(len(ranks))
        if useful is not None:
            if len(useful.weights[row]) <= int(ranks.max()):
                return None
            gains = np.where(there, np.nan_to_num(useful.gains[row])[np.maximum(walks.docs, 0)], 0.0)
            discounts = useful.weights[row, ranks]
        shares = exposed.shares[0][walks.docs[:, 0]]
        alike = (exposed.shares[0][np.maximum(walks.docs, 0)] == shares[:, None]).all(axis=2) | ~there
        if not alike.all():
            return None
        quick = cls(gains, shares, discounts, exposed.weights[0, ranks], (0.0, np.zeros(1)), blind=walks.blind)
        one = np.repeat(np.arange(len(gains)), np.minimum(walks.supply, len(ranks)))
        if len(one) < len(ranks):
            return None
        orders = np.stack([one[: len(ranks)], one[::-1][: len(ranks)]])
        tops = walks.tops(orders)
        utility, exposure = quick.add_up(orders)
        whole = utility if walks.blind else walks.utility_of(tops)
        apart = whole - utility, exposed.exposure(0, tops) - exposure
        if not (same(apart[0][:1], apart[0][1:]).all() and same(apart[1][0], apart[1][1]).all()):
            return None
        return replace(quick, fixed=(float(apart[0][0]), apart[1][0]))

    def add_up(self, kinds: Ints) -> tuple[Floats, Floats]:
        """Add up utility [order] and exposure [order, a] of orders by their kinds [order, rank]."""
        exposure = weighted_sum(self.shares.take(kinds, axis=0), self.weights) + self.fixed[1]
        if self.blind:
            return np.zeros(len(kinds)), exposure
        places = kinds * self.gains.shape[1] + number_kinds(kinds)
        return weighted_sum(self.gains.ravel().take(places), self.discounts) + self.fixed[0], exposure


def _first_best(values: Floats) -> int:
    """Choose the greatest value; of those that are equal but for rounding the first."""
    best = float(values.max())
    return int((values >= best - NEAR * abs(best)).argmax())


def search_front(
    problem: Problem,
    row: int,
    useful: RankForm | None,
    fair: RankForm | None,
    most: float,
    starts: Sequence[Ints] = (),
) -> tuple[Front, Ints, bool]:
    """Search for the front of a query; give the documents that may stand in it, and whether a cap ended the search.

    ``starts`` are orders [rank] that are known; none exceeds ``most`` in fairness.
    """
    kinds = np.unique(problem.looks(row)[problem.find_movable(row)], axis=0, return_inverse=True)[1].ravel()
    walks = Walks.set_up(problem, row, kinds, useful, fair)
    of_place = np.full(int(problem.candidate_counts[row]), MISSING)
    of_place[problem.find_movable(row)] = kinds
    ranks = problem.ranks(row)
    own = of_place[ranks]
    for top in starts:
        walks.start(of_place[top[ranks]])
    useful_first = _most_useful(problem, row, of_place, walks)
    walks.climb(useful_first, walks.start(useful_first), 0.0)
    end, at = walks.walk(own, walks.start(own), out=True)
    walks.walk(end, at, out=False)
    edges = walks.refine()
    documents = walks.docs[walks.docs != MISSING]
    return walks.front(most), documents, walks.spent or edges >= EDGES


def climb_fairness(problem: Problem, row: int, fair: RankForm | None, grades: Ints | None) -> tuple[Ints, float]:
    """Climb from the order of a query as it is to one that no move makes fairer; give it [rank] and its fairness.

    With ``grades`` [document] each rank keeps its grade.
    """
    movable = problem.find_movable(row)
    kinds = np.unique(problem.looks(row)[movable], axis=0, return_inverse=True)[1].ravel()
    of_kind: Ints | None = None
    if grades is not None:
        pairs, kinds = np.unique(np.column_stack([kinds, grades[movable]]), axis=0, return_inverse=True)
        kinds, of_kind = kinds.ravel(), pairs[:, 1]
    of_place = np.full(int(problem.candidate_counts[row]), MISSING)
    of_place[movable] = kinds
    walks = Walks.set_up_blind(problem, row, kinds, fair, of_kind)
    own = of_place[problem.ranks(row)]
    top = walks.tops(walks.climb(own, walks.start(own), 0.0)[None])
    return top[0], float(problem.compute_fairness(row, top)[0])


def _most_useful(problem: Problem, row: int, of_place: Ints, walks: Walks) -> Ints:
    """Give the kinds of the order of most utility: the documents by falling gain, or grade."""
    movable, ranks = problem.find_movable(row), len(problem.ranks(row))
    worth = np.zeros(len(movable))
    if walks.useful is not None:
        worth = walks.useful.gains[row, movable]
    elif (grades := problem.grades()) is not None:
        worth = grades[row, movable].astype(np.float64)
    return of_place[movable[np.argsort(-worth, kind="stable")[:ranks]]]
