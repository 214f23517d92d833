"""The algorithms of Geyik et al. a second time, in fractions and loops; what they promise; what is printed."""

from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest

from fairtrec.measures.skew import InfeasibleIndex
from fairtrec.rerankers import DetCons, DetConstSort, DetGreedy, DetRelaxed
from fairtrec_made import THOROUGH

LISTS = 1200 if THOROUGH else 200


def picked(kind, groups, shares, k):
    """Rank by rank: the places of the chosen documents, the rest behind them in their order."""
    left = list(range(len(groups)))
    placed = [0] * len(shares)
    order = []
    for i in range(1, min(k, len(groups)) + 1):
        heads = {g: next((d for d in left if groups[d] == g), None) for g in range(len(shares))}
        heads = {g: d for g, d in heads.items() if d is not None}
        behind = [g for g in heads if placed[g] < floor(i * shares[g])]
        below = [g for g in heads if placed[g] < ceil(i * shares[g])]
        if behind:
            group = min(behind, key=heads.get)
        elif not below:
            group = min(heads, key=heads.get)
        elif kind is DetGreedy:
            group = min(below, key=heads.get)
        elif kind is DetCons:
            group = min(below, key=lambda g: (ceil(i * shares[g]) / shares[g], heads[g]))
        else:
            group = min(below, key=lambda g: (ceil(ceil(i * shares[g]) / shares[g]), heads[g]))
        order.append(heads[group])
        left.remove(heads[group])
        placed[group] += 1
    return order + left


def sorted_under_limits(groups, shares, k, *, printed):
    """Algorithm 3 as it is told: counters, appending, exchanging."""
    k = min(k, len(groups))
    heads = {g: [d for d in range(len(groups)) if groups[d] == g] for g in range(len(shares))}
    order, limits = [], []
    supply = {g: len(docs) for g, docs in heads.items()}
    i, wanted = 0, k + printed
    while len(order) < min(wanted, len(groups)) and any(heads[g] for g in heads if shares[g]):
        i += 1
        grown = [g for g in heads if floor(i * shares[g]) > floor((i - 1) * shares[g]) and heads[g]]
        for group in sorted(grown, key=lambda g: heads[g][0]):
            if len(order) == wanted and not printed:
                break
            order.append(heads[group].pop(0))
            limits.append(i)
            at = len(order)  # the rank, from 1
            while at > 1 and order[at - 2] > order[at - 1] and limits[at - 2] >= (at - 1 if printed else at):
                for moved in (order, limits):
                    moved[at - 2], moved[at - 1] = moved[at - 1], moved[at - 2]
                at -= 1
    assert sum(supply.values()) == len(groups)
    order = (order + [d for d in range(len(groups)) if d not in order])[:k]
    return order + [d for d in range(len(groups)) if d not in order]


def slow(by, groups, shares):
    if isinstance(by, DetConstSort):
        return sorted_under_limits(groups, shares, by.cutoff, printed=by.reading == "printed")
    return picked(type(by), groups, shares, by.cutoff)


def with_unknown(by, groups, shares):
    """Those of unknown group keep their ranks."""
    known = [d for d, group in enumerate(groups) if group >= 0]
    inner = type(by)(
        cutoff=max(1, sum(d < by.cutoff for d in known)), **({"reading": by.reading} if hasattr(by, "reading") else {})
    )
    moved = slow(inner, [groups[d] for d in known], shares) if any(d < by.cutoff for d in known) else range(len(known))
    order = list(range(len(groups)))
    for slot, at in zip(known, moved, strict=True):
        order[slot] = known[at]
    return order


def drawn(number, unknown=0.0):
    """Twenty lists of one number of groups, with shares in tenths, sevenths or hundredths; groups may run out."""
    random = np.random.default_rng(number)
    many, whole, k = int(random.integers(2, 6)), int(random.choice([10, 100, 7])), int(random.integers(1, 16))
    lists = []
    for _ in range(20):
        cuts = np.sort(random.integers(0, whole + 1, many - 1))
        shares = [Fraction(int(n), whole) for n in np.diff([0, *cuts, whole])]
        groups = random.integers(0, many, int(random.integers(1, 30)))
        lists.append((np.where(random.random(len(groups)) < unknown, -1, groups).tolist(), shares))
    return lists, k


def orders_of(by, lists):
    """What it gives for all of them at once."""
    lengths = np.array([len(groups) for groups, _ in lists])
    matrix = np.full((len(lists), lengths.max()), -1)
    for row, (groups, _) in zip(matrix, lists, strict=True):
        row[: len(groups)] = groups
    target = np.array([[float(share) for share in shares] for _, shares in lists])
    ranks = by(matrix, target, lengths).ranks
    return [[rank for rank in row if rank >= 0] for row in ranks.tolist()]


KINDS = pytest.mark.parametrize("kind", [DetGreedy, DetCons, DetRelaxed, DetConstSort])


@KINDS
def test_it_is_what_loops_and_fractions_give(kind):
    for number in range(LISTS // 20):
        lists, k = drawn(number)
        by = kind(cutoff=k)
        assert orders_of(by, lists) == [slow(by, *one) for one in lists], (number, k)


def test_the_printed_reading_is_what_loops_give():
    for number in range(LISTS // 20):
        lists, k = drawn(number)
        by = DetConstSort(cutoff=k, reading="printed")
        assert orders_of(by, lists) == [slow(by, *one) for one in lists], (number, k)


@KINDS
def test_documents_of_unknown_group_keep_their_ranks(kind):
    for number in range(LISTS // 20):
        lists, k = drawn(number, unknown=0.3)
        by = kind(cutoff=k)
        assert orders_of(by, lists) == [with_unknown(by, *one) for one in lists], (number, k)


@KINDS
def test_free_documents_are_a_group_of_no_share(kind):
    for number in range(LISTS // 20):
        lists, k = drawn(number, unknown=0.3)
        told = [([len(shares) if group < 0 else group for group in groups], [*shares, 0]) for groups, shares in lists]
        assert orders_of(kind(cutoff=k, unknown="free"), lists) == [slow(kind(cutoff=k), *one) for one in told]


def infeasible(by, many_lists=3_000 if THOROUGH else 1_000):
    """In how many of so many lists of 2 to 12 groups, none of which runs out, some group comes short at some rank."""
    short = 0
    for groups_many in range(2, 13):
        lists = many_lists // 11 + 1
        random = np.random.default_rng(groups_many)
        shares = random.dirichlet(np.ones(groups_many) * 3, lists)
        k = 30
        groups = np.stack([random.permutation(np.tile(np.arange(groups_many), k)) for _ in range(lists)])
        order = by(groups, shares, np.full(lists, groups.shape[1])).ranks[:, :k]
        top = np.take_along_axis(groups, order, axis=1)
        membership = (top[:, :, None] == np.arange(groups_many)).astype(float)
        short += int((InfeasibleIndex(cutoff=k)(membership, shares, np.full(lists, k)) > 0).sum())
    return short


@pytest.mark.parametrize("by", [DetCons(30), DetRelaxed(30), DetConstSort(30)])
def test_no_group_comes_short_whatever_their_number(by):
    assert infeasible(by) == 0


def test_what_is_printed_comes_short():
    assert infeasible(DetConstSort(30, reading="printed"), 300) > 200


def test_greedy_comes_short_from_four_groups_on():
    assert infeasible(DetGreedy(30), 300) > 100


def test_shares_are_decimals():
    # 0.1 of 30 is 3, so that at rank 30 the small group has 3; as floats 0.1 * 3 is more than 0.3
    groups = [1] * 40 + [0] * 10
    (order,) = orders_of(DetCons(cutoff=30), [(groups, [Fraction(1, 10), Fraction(9, 10)])])
    assert sum(groups[d] == 0 for d in order[:30]) == 3


def test_a_query_without_a_target_or_without_groups_keeps_its_order():
    by = DetCons(cutoff=3)
    order = by(np.array([[0, 0, 1], [-1, -1, -1]]), np.array([[np.nan, np.nan], [0.5, 0.5]]), np.array([3, 3]))
    assert order.ranks.tolist() == [[0, 1, 2], [0, 1, 2]]
    said = {note.kind.name: note.numbers for note in order.notes}
    assert said["no target"] == {"many": 1, "queries": 2}
    assert said["no known group"] == {"many": 1, "queries": 2}
