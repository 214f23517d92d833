"""Fronts of sums over ranks and over prefixes against all orders of kinds, written out."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrec.data import MISSING
from fairtrec.formulas.prefix_fronts import Layers

PARTS = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, 3.0])


@st.composite
def problems(draw):
    """Documents of two kinds, ranks of which one may be held, and what each step earns."""
    supply = draw(st.tuples(st.integers(1, 3), st.integers(1, 3)))
    gains = np.sort([draw(st.lists(PARTS, min_size=3, max_size=3)) for _ in supply], axis=1)[:, ::-1]
    ranks = draw(st.integers(1, min(4, sum(supply))))
    weights = np.sort(draw(st.lists(st.sampled_from([0.2, 0.5, 0.63, 1.0]), min_size=ranks, max_size=ranks)))[::-1]
    held = np.full(ranks, MISSING)
    if draw(st.booleans()):
        held[draw(st.integers(0, ranks - 1))] = draw(st.integers(0, 1))
    pay = np.array(draw(st.lists(PARTS, min_size=50, max_size=50))).reshape(5, 5, 2)
    return supply, gains, weights, held, pay


def list_steps(problem, allowed=None):
    supply, gains, weights, held, pay = problem

    def earned(placed, _):
        first, second = placed.astype(int).T
        return pay[first, second]

    return Layers.list_steps(gains, np.array(supply), weights, earned, held, allowed)


def add_up(problem, kinds):
    """Sum utility and fairness of an order of kinds; None if there are too few documents of a kind."""
    supply, gains, weights, held, pay = problem
    placed, above, utility, fairness = [0, 0], [0, 0], 0.0, 0.0
    for rank, kind in enumerate(kinds):
        fairness += pay[*above, kind]
        above[kind] += 1
        if held[rank] == MISSING:
            if placed[kind] == supply[kind]:
                return None
            utility += weights[rank] * gains[kind, placed[kind]]
            placed[kind] += 1
        elif held[rank] != kind:
            return None
    return utility, fairness


def add_up_all(problem):
    points = (add_up(problem, kinds) for kinds in product((0, 1), repeat=len(problem[2])))
    return [point for point in points if point is not None]


@given(problems())
def test_the_front_is_that_of_all_orders(problem):
    points = add_up_all(problem)
    highest, front = -np.inf, []
    for utility, fairness in sorted(points, key=lambda point: (-round(point[0], 9), -point[1])):
        if fairness > highest + 1e-9:
            front.append((utility, fairness))
            highest = fairness
    found = list_steps(problem).find_front()
    assert np.allclose(np.array(front).T, [found.utility, found.fairness], atol=1e-9)
    assert np.allclose([add_up(problem, kinds) for kinds in found.kinds.tolist()], front, atol=1e-9)


@given(problems(), PARTS, PARTS)
def test_the_best_order_at_a_price_is_that_of_all_orders(problem, price, worth):
    utility, fairness, kinds = list_steps(problem).find_best(price, worth)
    assert add_up(problem, kinds.tolist()) == pytest.approx((utility, fairness))
    best = max(price * point[0] + worth * point[1] for point in add_up_all(problem))
    assert price * utility + worth * fairness == pytest.approx(best)


@given(problems(), st.sampled_from([1e-3, 1.0, 1e3]))
def test_the_hull_has_the_corners_of_all_orders(problem, scale):
    *others, pay = problem
    problem = *others, pay * scale
    points = np.array(add_up_all(problem))
    found = list_steps(problem).hull()
    corners = np.array([found.utility, found.fairness]).T
    assert np.allclose([add_up(problem, kinds) for kinds in found.kinds.tolist()], corners)
    for price in np.linspace(0.01, 5, 40):  # no order is worth more than the best corner, whatever the price
        at_best = (price * scale * corners[:, 0] + corners[:, 1]).max()
        assert at_best == pytest.approx((price * scale * points[:, 0] + points[:, 1]).max())
    edges = np.diff(corners, axis=0)[(np.abs(np.diff(corners, axis=0)) > 1e-6).any(axis=1)]
    slopes = edges[:, 1] / -edges[:, 0]
    assert (np.diff(slopes) < 1e-6 * scale).all()  # a hull: ever less fairness for the utility that is given up


def test_a_rank_that_nothing_may_take_has_no_hull():
    problem = (1, 1), np.ones((2, 1)), np.ones(1), np.full(1, MISSING), np.ones((5, 5, 2))
    assert list_steps(problem).hull() is not None
    assert list_steps(problem, np.zeros((1, 2), dtype=bool)).hull() is None


def take_any(many):
    """List the steps of documents of ``many`` kinds, one of each, that gain and earn the same."""
    gains, earned = np.ones((many, 1)), lambda placed, _: np.ones(placed.shape)
    return Layers.list_steps(gains, np.ones(many, dtype=int), np.ones(many), earned, np.full(many, MISSING))


def test_as_many_pairs_are_kept_as_may_be():
    # One order of each set of kinds is kept: 3 of 1 and 3 of 2 of three kinds.
    assert take_any(3).find_front(most=3).utility.tolist() == [3]
    assert take_any(3).find_front(most=2) is None


def test_four_times_as_many_pairs_may_be_compared_as_kept():
    # The sets of 5 of ten kinds are compared in 210 * 6 = 1260 pairs, and 252 are kept.
    assert take_any(10).find_front(most=315).utility.tolist() == [10]
    assert take_any(10).find_front(most=314) is None
