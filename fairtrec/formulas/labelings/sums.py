"""Forms that are sums: of what each group holds in all, or down to each rank, and of gains."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fairtrec.data import Bools, Floats, Ints
from fairtrec.formulas import ranks
from fairtrec.formulas.distribution import quotient
from fairtrec.formulas.elementary import exp, log, raise_each
from fairtrec.formulas.labelings.unlabeled import STATES, Ends, LabelForm, Unlabeled, mean
from fairtrec.formulas.weighted_sums import weighted_sum

TOGETHER = 131_072  # states of rankings that are gone through side by side
RankCost = Callable[[Floats, int], Floats]


def grid(most: int, groups: int) -> Ints:
    """List how many of up to ``most`` documents each group may have, but for the last group [state, group - 1].

    >>> grid(1, 3).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    return (
        np.indices((most + 1,) * (groups - 1)).reshape(groups - 1, (most + 1) ** (groups - 1)).T
    )  # exact: whole numbers


def add_compositions(states: Ints, number: Ints, held: Floats) -> tuple[Floats, Bools]:
    """Add to what the groups hold [query, group] each composition of a number [query] of documents.

    Gives the amounts [query, state, group], and where the last group, which has what is left, has 0 or more. A group
    lies in one piece in memory, which is what sums over groups are quick for.
    """
    left = number[:, None] - states.sum(axis=1)
    amounts = np.empty((states.shape[1] + 1, *left.shape))
    amounts[:-1] = states.T[:, None]
    np.maximum(left, 0, out=amounts[-1])
    amounts += held.T[:, :, None]
    return np.moveaxis(amounts, 0, 2), left >= 0


@dataclass(frozen=True, eq=False)
class Totals(LabelForm):
    """A function of what each group holds in all: ``value`` of amounts [query, n, group] gives [query, n]."""

    value: Callable[[Floats], Floats]

    def exact(self, rankings: Unlabeled) -> bool:
        """Tell whether there are few enough compositions."""
        return bool((rankings.most_unknown + 1) ** (rankings.ways - 1) <= STATES)  # exact: whole numbers

    def find_ends(self, rankings: Unlabeled) -> Ends:
        """Try all compositions of the unknown."""
        states, held = grid(rankings.most_unknown, rankings.ways), ranks.total(rankings.way_membership)
        added, possible = add_compositions(states, rankings.number, np.zeros(held.shape))
        amounts = add_compositions(states, rankings.number, held)[0]
        values = np.where(possible, self.value(amounts[..., : rankings.groups]), np.nan)
        chances = np.where(possible, multinomial(added, rankings.prior), 0.0)
        least, greatest = np.fmin.reduce(values, axis=1), np.fmax.reduce(values, axis=1)
        return Ends.exact(np.stack([least, greatest, mean(values, chances)]))


def multinomial(given: Floats, prior: Floats) -> Floats:
    """Say how likely each composition [query, state, group] is, by a ``prior`` [query, group].

    >>> multinomial(np.array([[[2.0, 0.0], [1.0, 1.0]]]), np.array([[0.5, 0.5]])).round(12).tolist()
    [[0.25, 0.5]]
    """
    # logs[n] is log n!: a ratio of factorials is a difference of logarithms, which does not overflow
    logs = np.concatenate(([0.0], np.cumsum(log(np.arange(1.0, given.sum(axis=2).max(initial=0) + 1)))))
    ways = logs[given.sum(axis=2).astype(np.int64)] - logs[given.astype(np.int64)].sum(axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(given > 0, given * log(prior)[:, None], 0.0)
    return exp(ways + each.sum(axis=2))


@dataclass(frozen=True, eq=False)
class Linear(LabelForm):
    """Each rank adds ``gains`` [query, rank, group] as far as its document is in each group; ``first`` [query] too.

    Where nobody is of any group the value is undefined, unless it is ``always`` defined.
    """

    gains: Floats
    first: Floats | float = 0.0
    always: bool = False

    def find_ends(self, rankings: Unlabeled) -> Ends:
        """Give each unknown rank its least, its greatest and its expected gain."""
        unknown = rankings.slot >= 0
        held = ranks.total((self.gains * rankings.known).sum(axis=2))
        gains = np.pad(self.gains, ((0, 0), (0, 0), (0, rankings.ways - rankings.groups)))
        each = gains.min(axis=2), gains.max(axis=2), (gains * rankings.prior[:, None]).sum(axis=2)
        sums = np.stack([held + ranks.total(np.where(unknown, gain, 0.0)) for gain in each])
        nobody = rankings.may_be_nobody & (not self.always)
        if nobody.any():  # then some document is of the group that costs or adds least
            lacking = np.where(unknown, self.gains.min(axis=2), np.inf).min(axis=1).clip(min=0)
            excess = np.where(unknown, self.gains.max(axis=2), -np.inf).max(axis=1).clip(max=0)
            chance = np.where(nobody, 1 - raise_each(rankings.prior[:, -1], rankings.number), 1.0)
            sums[:2] += np.where(nobody, np.stack([lacking, excess]), 0.0)
            sums[2] = quotient(sums[2], chance, size=2.0)
        return Ends.exact(sums + self.first)


@dataclass(frozen=True, eq=False)
class Gains(LabelForm):
    """Each rank adds what its document gains by its labels, weighed, over a ``divisor`` [query] of a ``size``.

    ``by_labels`` gives the gains [query, rank] of the weights of groups [query, rank, group], and ``weights`` are [rank
    or query, rank]. A document that is labeled has one group, or none, so nothing is asked of how gains add up.
    """

    by_labels: Callable[[Floats], Floats]
    weights: Floats
    divisor: Floats | Ints | float = 1.0
    size: Floats | float | None = None

    def find_ends(self, rankings: Unlabeled) -> Ends:
        """Give each unknown rank its least, its greatest and its expected gain."""
        known, unknown = rankings.known, rankings.slot >= 0
        there = np.arange(known.shape[1]) < rankings.length[:, None]
        held = np.where(there & ~unknown, self.by_labels(known), 0.0)
        ways = np.eye(rankings.ways, rankings.groups)
        gains = np.stack([self.by_labels(np.broadcast_to(way, known.shape)) for way in ways], axis=2)
        each = gains.min(axis=2), gains.max(axis=2), (gains * rankings.prior[:, None]).sum(axis=2)
        sums = [weighted_sum(np.where(unknown, gain, held), self.weights) for gain in each]
        return Ends.exact(quotient(np.stack(sums), self.divisor, size=self.size))


@dataclass(frozen=True, eq=False)
class Prefixes(LabelForm):
    """A sum over ranks: ``cost`` of what each group holds down to a rank [query, state, group], and of the rank from 0.

    It gives [query, state], and is weighed [query, rank]; ``first`` [query] is added, nan where all is undefined. Where
    it is one function for all queries, as of one target, it takes [1, state, group]: they are ``alike``.
    """

    cost: RankCost
    weights: Floats
    first: Floats | float = 0.0
    alike: bool = False

    def exact(self, rankings: Unlabeled) -> bool:
        """Tell whether there are few enough states."""
        return bool((rankings.most_unknown + 1) ** (rankings.ways - 1) <= STATES)  # exact: whole numbers

    def find_ends(self, rankings: Unlabeled) -> Ends:
        """Find the shortest, the longest and the mean path."""
        known, groups = rankings.way_membership, rankings.groups
        whole = self.alike and rankings.ways == 2 and np.array_equal(known, known.round())
        steps = Steps(_of_groups(self.cost, groups), known, rankings.slot >= 0, self.weights, looked_up=whole)
        low, high, _, total = walked(steps, rankings.prior, rankings.most_unknown, by_state=False)
        nobody = rankings.may_be_nobody  # of which there is no value; only one path leads there, to the first state
        chance = np.where(nobody, raise_each(rankings.prior[:, -1], rankings.number), 0.0)
        spent = np.where(chance > 0, chance * np.nan_to_num(low[:, 0]), 0.0)
        low[nobody, 0] = high[nobody, 0] = np.nan
        expected = quotient(total[:, 0] - spent, 1 - chance, size=2.0)
        ends = np.fmin.reduce(low, axis=1), np.fmax.reduce(high, axis=1), expected
        return Ends.exact(np.stack(ends) + self.first)


@dataclass(frozen=True, eq=False)
class Finals(LabelForm):
    """A sum over ranks that depends, too, on what each group holds in the end.

    ``cost`` of what the groups hold in the end [row, group], and of how many documents there are [row], gives a cost as
    that of Prefixes, and what is added at first [row]; nan is undefined. Of a soft membership, more than .5 counts.
    """

    cost: Callable[[Floats, Ints], tuple[RankCost, Floats]]

    def exact(self, rankings: Unlabeled) -> bool:
        """Tell whether there are few enough ends, and states on the way to each."""
        return bool((rankings.most_unknown + 1) ** (2 * (rankings.ways - 1)) <= STATES)  # exact: whole numbers

    def find_ends(self, rankings: Unlabeled) -> Ends:
        """Find the shortest, the longest and the mean path to each end."""
        most = rankings.most_unknown
        states, groups = grid(most, rankings.ways), rankings.groups
        possible = rankings.number[:, None] >= states.sum(axis=1)
        query, end = np.nonzero(possible)
        found = np.full((4, *possible.shape), np.nan)
        held, unknown = (rankings.way_membership > 0.5).astype(np.float64), rankings.slot >= 0
        totals = add_compositions(states, rankings.number, ranks.total(held))[0]
        many = max(TOGETHER // len(states), 1)
        for some in (slice(at, at + many) for at in range(0, len(query), many)):
            of, to = query[some], end[some]
            cost, first = self.cost(totals[of, to, :groups], rankings.length[of])
            steps = Steps(_of_groups(cost, groups), held[of], unknown[of])
            paths = walked(steps, rankings.prior[of], most, by_state=True)
            row = np.arange(len(of))
            low, high, likely, total = (each[row, to] for each in paths)
            found[:, of, to] = low + first, high + first, likely, total + likely * first
        undefined = np.isnan(found[0])
        likely, total = (np.where(undefined, 0.0, each).sum(axis=1) for each in found[2:])
        expected = np.divide(total, likely, out=np.full(len(total), np.nan), where=likely > 0)
        least, greatest = np.fmin.reduce(found[0], axis=1), np.fmax.reduce(found[1], axis=1)
        return Ends.exact(np.stack([least, greatest, expected]))


def _of_groups(cost: RankCost, groups: int) -> RankCost:
    """Take the cost of what the groups hold, whatever is of none of them."""
    return lambda amounts, rank: cost(amounts[..., :groups], rank)


class Steps:
    """What each rank costs in each state.

    ``known`` [query, rank, group] are in groups, ``unknown`` [query, rank] are to be given to one.

    ``looked_up``: amounts of two groups are whole numbers, and their cost is one function, so it is computed once.
    """

    def __init__(
        self, cost: RankCost, known: Floats, unknown: Bools, weights: Floats | None = None, *, looked_up: bool = False
    ) -> None:
        self.cost, self.unknown, self.weights, self.looked_up = cost, unknown, weights, looked_up
        self.held = np.cumsum(known, axis=1)
        self.so_far = np.cumsum(unknown, axis=1, dtype=np.int64)

    def compute_costs(self, rank: int, most: int) -> Floats:
        """Give the costs [query, state] where groups but the last have up to ``most`` of the unknown."""
        number, held, states = self.so_far[:, rank], self.held[:, rank], grid(most, self.held.shape[2])
        if self.looked_up:
            costs = self._found(rank, number, held.astype(np.int64), most)
        else:
            costs = self.cost(add_compositions(states, number, held)[0], rank)
        weight = np.ones((1, 1)) if self.weights is None else self.weights[:, rank, None]
        if np.isfinite(costs).all():
            return costs * weight
        possible = number[:, None] >= states.sum(axis=1)
        return np.multiply(costs, weight, out=np.zeros(costs.shape), where=possible & (weight > 0))

    def _found(self, rank: int, number: Ints, held: Ints, most: int) -> Floats:
        """Look costs up in a table [number of documents in both groups, number in the first]."""
        totals, row = np.unique(held.sum(axis=1) + number, return_inverse=True)
        least = int(held[:, 0].min())
        first = np.arange(least, int(held[:, 0].max()) + most + 1)
        amounts = np.empty((2, len(totals), len(first)))
        amounts[0] = first
        np.maximum(totals[:, None] - first, 0, out=amounts[1])
        table = self.cost(np.moveaxis(amounts, 0, 2).reshape(1, -1, 2), rank)
        place = (row * len(first) + held[:, 0] - least)[:, None] + np.arange(most + 1)
        return np.asarray(table[0][place])


def walked(steps: Steps, prior: Floats, most: int, *, by_state: bool) -> tuple[Floats, Floats, Floats, Floats]:
    """Go down all ranks: the least and the greatest sum of costs on the way to each state [query, state].

    Third how likely it is to come to the state, and fourth the mean sum on the way there times that, or if not asked
    for ``by_state`` their sum over the states [query, 1]. Groups but the last have up to ``most`` documents each.
    """
    queries, groups = prior.shape
    shape = (queries, *(most + 1,) * (groups - 1))
    low, high = np.full(shape, np.inf), np.full(shape, -np.inf)
    likely = np.zeros(shape)
    total = np.zeros(shape if by_state else (queries, *(1,) * (groups - 1)))
    origin = (slice(None), *(0,) * (groups - 1))
    low[origin], high[origin], likely[origin] = 0.0, 0.0, 1.0
    wide = (slice(None), *(None,) * (groups - 1))
    with np.errstate(invalid="ignore"):  # a state that no path comes to, less one that is infinite
        for rank in range(steps.unknown.shape[1]):
            widest = int(steps.so_far[:, rank].max())
            here = (slice(None), *(slice(widest + 1),) * (groups - 1))
            moves = steps.unknown[:, rank]
            if moves.any():
                never = np.where(moves, 0.0, np.inf)[wide]
                by = [np.where(moves, prior[:, a], float(a == groups - 1))[wide] for a in range(groups)]
                _move(low[here], never, np.fmin)
                _move(high[here], -never, np.fmax)
                _spread(likely[here], by)
                if by_state:
                    _spread(total[here], by)
            costs = steps.compute_costs(rank, widest).reshape(low[here].shape)
            low[here] += costs
            high[here] += costs
            chance = likely[here]
            mean = np.multiply(chance, costs, out=np.zeros(chance.shape), where=chance > 0)
            if by_state:
                total[here] += mean
            else:
                total[:] += mean.sum(axis=tuple(range(1, groups)), keepdims=True)
    never = (low == np.inf) & (high == -np.inf)
    low[never] = high[never] = np.nan
    flat = (queries, -1)
    return low.reshape(flat), high.reshape(flat), likely.reshape(flat), total.reshape(flat)


def _steps(states: int) -> list[tuple[tuple[slice, ...], tuple[slice, ...]]]:
    """Give the states after one document more, and those before: a step along the axis of each group but the last."""
    keep = slice(None)
    return [((keep,) * axis + (slice(1, None),), (keep,) * axis + (slice(-1),)) for axis in range(1, states)]


def _move(best: Floats, never: Floats, better: np.ufunc) -> None:
    """Give one document more to some group: to the last in place, to another by a step; ``never`` is added to steps."""
    ways = [(after, best[before] + never) for after, before in _steps(best.ndim)]
    for after, way in ways:
        better(best[after], way, out=best[after])


def _spread(chance: Floats, by: list[Floats]) -> None:
    """Do the same where each group is as likely as ``by`` says."""
    ways = [(after, chance[before] * of) for (after, before), of in zip(_steps(chance.ndim), by, strict=False)]
    chance *= by[-1]
    for after, way in ways:
        chance[after] += way
