"""FOE: fairness of exposure, the most useful mixture of orders in which groups get the exposure that they should."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from fairtrec.formulas import discount
from fairtrec.lab.reranker import (
    MISSING,
    Bools,
    Chance,
    Floats,
    InputError,
    Ints,
    Lists,
    NoteKind,
    Order,
    Reranker,
    Unknown,
    count_queries,
)

Mixture = list[tuple[float, Ints]]  # how probable an order is, and the order
EXACT = 1e-12
PIVOT = 1e-11  # below which an entry of an inverse is rounding
GAIN = 1e-10  # below which an order adds nothing
ROUNDS = 5_000
NO_MIXTURE = NoteKind("no mixture", "order kept in {many} of {queries} queries: no mixture of orders is fair")
MIXTURE = NoteKind(
    "mixture",
    "a mixture of orders in {many} of {queries} queries: the likeliest order is written, of "
    "probability {least} or more (--rankings draws)",
)


def constraints(groups: Ints, utility: Floats, kind: str) -> Floats | None:
    """Give the rows f [constraint, document] with f·exposure = 0 for a fair exposure; None where there is none.

    Each group's sum is compared with that of the first that appears; MISSING is of no group.

    >>> constraints(np.array([0, 0, 1]), np.array([1.0, 0.5, 0.0]), "parity").tolist()
    [[0.5, 0.5, -1.0]]
    """
    known = groups[groups != MISSING]
    found, at = np.unique(known, return_index=True)
    members = [groups == group for group in found[np.argsort(at)]]  # as they appear: no name matters
    if len(members) < 2:
        return None
    rows = []
    for own in members:
        size, mean = own.sum(), utility[own].mean()
        if kind != "parity" and mean <= 0:
            return None
        weight = {"parity": 1.0, "treatment": 1 / max(mean, EXACT), "impact": utility / max(mean, EXACT)}[kind]
        rows.append(np.where(own, weight, 0.0) / size)
    return np.array([rows[0] - row for row in rows[1:]])


def exposure(order: Ints, discounts: Floats) -> Floats:
    """Give each document the discount of its rank.

    >>> exposure(np.array([2, 0, 1]), np.array([1.0, 0.5, 0.0])).tolist()
    [0.5, 0.0, 1.0]
    """
    exposed = np.empty(len(order))
    exposed[order] = discounts
    return exposed


def mixture(utility: Floats, rows: Floats, discounts: Floats) -> Mixture | None:
    """Mix at most as many orders as there are groups, so that rows·exposure = 0 and utility·exposure is the greatest.

    Documents stand in their present order, ``discounts`` [rank] do not rise. None: no mixture is fair.
    The exposures of mixtures are the convex hull of the permuted discounts, whose linear maximisers are sorts: so the
    best for fixed multipliers mu is the order by falling utility + mu·rows.
    """
    return _mixture(utility.tobytes(), rows.tobytes(), discounts.tobytes(), len(utility))


@lru_cache(maxsize=10_000)  # of the queries of which samples are drawn
def _mixture(utility: bytes, rows: bytes, discounts: bytes, many: int) -> Mixture | None:
    of, weights = np.frombuffer(utility), np.frombuffer(discounts)
    balanced = np.frombuffer(rows).reshape(-1, many)
    return _of_two(of, balanced[0], weights) if len(balanced) == 1 else _of_many(of, balanced, weights)


def _sorted(values: Floats) -> Ints:
    return np.argsort(-values, kind="stable")


def _of_two(utility: Floats, row: Floats, discounts: Floats) -> Mixture | None:
    """Find the multiplier at which row·exposure, which never falls in it, crosses 0; mix the orders around it."""

    def balance(order: Ints) -> float:
        return float(row[order] @ discounts)

    low_order = _sorted(utility)
    at_low = balance(low_order)
    if abs(at_low) <= EXACT:
        return [(1.0, low_order)]
    if at_low > 0:
        row = -row
        at_low = -at_low
    best = np.lexsort((-utility, -row))
    if balance(best) < -EXACT:
        return None
    # The balance is a step function of the multiplier, as only finitely many orders are sorted so: doubling finds a
    # multiplier beyond the crossing, halving the two orders beside it. Both are best for about the same multiplier,
    # so their mixture is on the edge of the hull between them, which is where the balance is 0.
    low, high, high_order = 0.0, 1.0, best
    while balance(_sorted(utility + high * row)) < 0 and high < 1e12:
        high *= 2
    at_high = balance(_sorted(utility + high * row))
    if at_high < 0:  # only where nothing but the row counts
        return [(1.0, best)] if abs(balance(best)) <= EXACT else _mixed((low_order, at_low), (best, balance(best)))
    high_order = _sorted(utility + high * row)
    while (high - low) * at_high > EXACT and low < (middle := (low + high) / 2) < high:
        order = _sorted(utility + middle * row)
        value = balance(order)
        if value < 0:
            low, low_order, at_low = middle, order, value
        else:
            high, high_order, at_high = middle, order, value
    return _mixed((low_order, at_low), (high_order, at_high))


def _mixed(below: tuple[Ints, float], above: tuple[Ints, float]) -> Mixture:
    (low, at_low), (high, at_high) = below, above
    if at_high <= 0:
        return [(1.0, high)]
    share = -at_low / (at_high - at_low)
    return [(1 - share, low), (share, high)]


def _of_many(utility: Floats, rows: Floats, discounts: Floats) -> Mixture | None:
    """Generate orders as the linear program over them asks for them: first to be fair at all, then to be useful.

    The program mixes as many orders as it has constraints (the rows, and that shares sum to 1), which are its basis.
    The basis prices documents; the order that these prices sort is the best of all n! for them. It takes the place of
    one order of the basis, until the best adds nothing. Shares are then solved for once more.
    """
    scale = np.abs(rows).sum(axis=1, keepdims=True)
    rows = rows / np.where(scale > 0, scale, 1.0)
    basis = Basis(utility, rows, discounts)
    basis.improve(fairly=True)
    if basis.unfairness > 1e-9:
        return None
    basis.improve(fairly=False)
    kept = [(order, share) for order, share in zip(basis.orders, basis.shares, strict=True) if order is not None]
    orders = [order for order, share in kept if share > 1e-9]
    exposures = np.array([exposure(order, discounts) for order in orders])
    system = np.vstack([rows @ exposures.T, np.ones(len(orders))])
    exact = np.linalg.lstsq(system, np.append(np.zeros(len(rows)), 1.0), rcond=None)[0]
    return [(float(share), order) for share, order in zip(exact, orders, strict=True) if share > 0]


class Basis:
    """The orders that a linear program mixes, one for each constraint, and their shares: revised simplex.

    A constraint that no order meets yet has a filler, whose order is None and whose share is how far from fair the
    mixture is in that row.
    """

    def __init__(self, utility: Floats, rows: Floats, discounts: Floats) -> None:
        """Begin with the order by utility, and with fillers for what it lacks."""
        self._utility, self._rows, self._discounts = utility, rows, discounts
        many = len(rows)
        first = _sorted(utility)
        column, worth = self._enter(first)
        signs = np.where(column[:-1] > 0, -1.0, 1.0)
        self.orders: list[Ints | None] = [first, *[None] * many]
        self._columns = np.hstack([column[:, None], np.vstack([np.diag(signs), np.zeros(many)])])
        self._worth = np.append(worth, np.zeros(many))
        self._invert()

    @property
    def unfairness(self) -> float:
        """Sum the shares of fillers."""
        return float(self.shares[self._filled].sum())

    @property
    def _filled(self) -> Bools:
        return np.array([order is None for order in self.orders])

    def improve(self, *, fairly: bool) -> None:
        """Take in orders until none makes the mixture fairer, or, with as many fillers, more useful."""
        for _ in range(ROUNDS):
            worth = -self._filled.astype(np.float64) if fairly else self._worth
            prices = worth @ self._inverse
            priced = (0.0 if fairly else self._utility) - prices[:-1] @ self._rows
            order = _sorted(priced)
            if priced[order] @ self._discounts - prices[-1] <= GAIN or not self._exchange(order):
                break

    def _exchange(self, order: Ints) -> bool:
        """Let an order take the place of the one whose share it uses up first; False if it uses up none."""
        column, worth = self._enter(order)
        use = self._inverse @ column
        empty = self._filled & (self.shares <= EXACT) & (np.abs(use) > PIVOT)  # a filler that is of no use any more
        if empty.any():
            leaving = int(np.argmax(np.where(empty, np.abs(use), 0.0)))
        elif (able := use > PIVOT).any():
            reach = np.where(able, self.shares / np.where(able, use, 1.0), np.inf)
            ties = np.flatnonzero(reach <= reach.min() + EXACT)
            # Of equals, the least row of the inverse in dictionary order leaves: no basis comes back.
            leaving = int(min(ties.tolist(), key=lambda at: (self._inverse[at] / use[at]).tolist()))
        else:
            return False
        self.orders[leaving] = order
        self._columns[:, leaving], self._worth[leaving] = column, worth
        self._invert()
        return True

    def _enter(self, order: Ints) -> tuple[Floats, float]:
        """Give what an order adds to each constraint, and its utility."""
        exposed = exposure(order, self._discounts)
        return np.append(self._rows @ exposed, 1.0), float(self._utility @ exposed)

    def _invert(self) -> None:
        self._inverse = np.linalg.inv(self._columns)
        self.shares = np.maximum(self._inverse[:, -1], 0.0)


@dataclass(frozen=True)
class FOE(Reranker):
    """Which mixture of orders is most useful, if each group gets its fair exposure?

        max over mixtures of orders  sum over d of u(d) e(d),  e(d) = expected 1 / log2(1 + rank of d), 0 below rank k
        parity     the mean of e is the same in each group
        treatment  the mean of e, over the mean of u, is the same in each group
        impact     the mean of u e, over the mean of u, is the same in each group

    There is no program of n x n unknowns and no decomposition of its solution: the optimum is a mixture of at most as
    many sorted orders as there are groups. ``utility``: minmax (scores scaled to 0 to 1 for each query; parity is the
    same for any scale), raw, or grade (QRELS). --rankings draws from the mixture; one run has its likeliest order.

    Groups: one for each document. A document of unknown group keeps its rank, and the others share the discounts of
    theirs; unknown='free' also moves it, as a document without constraints. No target.
    Chance: which order of the mixture is drawn, with --rankings; else none.
    Edges: all documents of one group, a group of mean utility 0 for treatment and impact, or no fair mixture: the order
    is kept. A raw score below 0 is refused.
    Source: Singh, Joachims: Fairness of Exposure in Rankings. KDD 2018. https://doi.org/10.1145/3219819.3220088 The
    hull: Kletti, Renders, Loiseau: Introducing the Expohedron for Efficient Pareto-optimal Fairness-Utility
    Amortizations in Repeated Rankings. WSDM 2022. https://doi.org/10.1145/3488560.3498490
    """

    cutoff: int = 10
    constraint: Literal["parity", "treatment", "impact"] = "parity"
    utility: Literal["minmax", "raw", "grade"] = "minmax"
    unknown: Unknown = "keep"

    fewest = 2

    @property
    def needs(self) -> tuple[str, ...]:
        """Judgments are needed where they are the utility."""
        return (*super().needs, *["relevance"] * (self.utility == "grade"))

    def __call__(
        self,
        group_of: Ints,
        scores: Floats,
        scaled: Floats,
        lengths: Ints,
        chance: Chance,
        relevance: Floats | None = None,
    ) -> Order:
        """Return the order [query, place]."""
        utility = {"minmax": scaled, "raw": scores, "grade": scores if relevance is None else relevance}[self.utility]
        if self.utility == "raw" and (utility < 0).any():
            raise InputError("some scores are below 0, which is not a utility; use utility=minmax")
        free = int(group_of.max(initial=0)) + 1 if self.unknown == "free" else None
        lists = Lists.group_documents(group_of, lengths, self.cutoff, free)
        worth = np.maximum(np.nan_to_num(lists.spread(utility)), 0.0)
        weights = np.append(discount.log2(self.cutoff), 0.0)[np.clip(lists.ranks, 0, self.cutoff)]
        first = np.full((len(lengths), int(lists.tops.max(initial=0))), MISSING)
        drawn = chance.uniform(1)[:, 0]
        kept: Bools = np.zeros(len(lengths), dtype=np.bool_)
        mixed = kept.copy()
        least = 1.0
        for query, many in enumerate(lists.document_counts.tolist()):
            groups = np.where(lists.groups[query, :many] == free, MISSING, lists.groups[query, :many])
            rows = constraints(groups, worth[query, :many], self.constraint) if many else None
            found = None if rows is None else mixture(worth[query, :many], rows, weights[query, :many])
            if found is None:
                kept[query] = True
                continue
            shares = np.array([share for share, _ in found])
            at = int(shares.argmax())
            if chance.sample is not None:
                at = min(int(np.searchsorted(np.cumsum(shares), drawn[query], side="right")), len(found) - 1)
            top = int(lists.tops[query])
            first[query, :top] = found[at][1][:top]
            mixed[query] = len(found) > 1
            least = min(least, float(shares.max()))
        notes = [*lists.notes, count_queries(NO_MIXTURE, kept)]
        if chance.sample is None and mixed.any():
            many = int(np.sum(mixed))
            notes.append(MIXTURE.note(least=f"{least:.2f}", many=many, queries=len(mixed)))
        return Order(lists.put_back(first), tuple(notes))
