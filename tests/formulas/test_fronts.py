"""Fronts of utility and fairness against all orders, written out."""

from itertools import permutations, product
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairtrec.data import MISSING
from fairtrec.formulas import fronts as fronts_module
from fairtrec.formulas import two_sums
from fairtrec.formulas.fronts import Front, keep_undominated, merge_hulls, same_grades, sort_undominated, spend
from fairtrec.formulas.sequences import KindSequences, group_by_kind, number_kinds

WORTH = st.sampled_from([-1.0, -0.4, 0.0, 0.25, 0.3, 0.5, 0.75, 1.0])
WEIGHT = st.sampled_from([0.0, 0.2, 0.5, 0.63, 1.0])


@st.composite
def queries(draw, most=7):
    """Grades and worth of documents, and how much the ranks count for each of the two."""
    n = draw(st.integers(1, most))
    ranks = draw(st.integers(1, 4))
    grades = draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n))
    worth = draw(st.lists(WORTH, min_size=n, max_size=n))
    weights, discounts = (draw(st.lists(WEIGHT, min_size=ranks, max_size=ranks)) for _ in range(2))
    return np.array(grades, dtype=float), np.array(worth), np.array(weights), np.array(discounts)


def summed(values, weights, order):
    return sum(weight * values[doc] for weight, doc in zip(weights, order, strict=False))


def all_points(grades, worth, weights, discounts):
    k = min(len(grades), len(weights))
    return {
        (round(summed(grades, weights, order), 9), round(summed(worth, discounts, order), 9))
        for order in permutations(range(len(grades)), k)
    }


def best_of(points):
    """Those of which no other has more of both, the one of most utility first."""
    front, highest = [], -np.inf
    for utility, fairness in sorted(points, key=lambda point: (-point[0], -point[1])):
        if fairness > highest:
            front.append((utility, fairness))
            highest = fairness
    return front


def pairs(front):
    return list(zip(front.utility.round(9).tolist(), front.fairness.round(9).tolist(), strict=True))


def near(found, wanted):
    assert len(found) == len(wanted)
    assert np.allclose(found, wanted, atol=1e-8)


def merged_line(fronts):
    start, edges, *_ = merge_hulls(fronts)
    return start[:, None] + np.cumsum(np.column_stack([np.zeros(2), edges]), axis=1)


@given(queries())
def test_of_the_same_grades_no_order_is_fairer(query):
    grades, worth, _, discounts = query
    kinds = np.unique(grades, return_inverse=True)[1][None]
    (order,) = same_grades(kinds, worth[None], discounts).tolist()
    assert sorted(order) == [*range(len(grades))]
    assert grades[order].tolist() == grades.tolist()
    k = len(discounts)
    allowed = [
        summed(worth, discounts, top)
        for top in permutations(range(len(grades)), min(k, len(grades)))
        if grades[list(top)].tolist() == grades[: len(top)].tolist()
    ]
    assert summed(worth, discounts, order) == pytest.approx(max(allowed))


def test_what_is_worth_the_same_stays_where_it_is():
    kinds = np.array([[0, 1, 0, 1, 0, MISSING]])
    assert same_grades(kinds, np.full((1, 6), 0.5), np.array([1.0, 0.6, 0.5])).tolist() == [[0, 1, 2, 3, 4, -1]]


@given(queries())
def test_the_front_is_that_of_all_orders_whatever_the_discounts(query):
    grades, worth, weights, discounts = query
    (front,) = two_sums.find_fronts_by_counts(grades[None], worth[None], weights, discounts)
    near(pairs(front), best_of(all_points(grades, worth, weights, discounts)))
    for utility, fairness, top in zip(front.utility, front.fairness, front.tops.tolist(), strict=True):
        assert len(set(top)) == min(len(grades), len(weights))
        assert utility == pytest.approx(summed(grades, weights, top))
        assert fairness == pytest.approx(summed(worth, discounts, top))


@given(queries(), st.integers(0, 3))
def test_ranks_count_that_only_one_of_both_weighs(query, fewer):
    grades, worth, weights, discounts = query
    for few in ((weights, discounts[fewer:]), (weights[fewer:], discounts)):
        padded = [np.pad(each, (0, max(map(len, few)) - len(each))) for each in few]
        ours, theirs = (two_sums.find_fronts_by_counts(grades[None], worth[None], *each)[0] for each in (few, padded))
        near(pairs(ours), pairs(theirs))


@settings(max_examples=20)
@given(queries(5))
def test_the_hull_by_assignments_is_that_of_all_orders(query):
    grades, worth, weights, discounts = query
    found = two_sums.supported_front(grades, worth, weights, discounts)
    every = all_points(grades, worth, weights, discounts)
    for price in (0.0, 0.1, 0.5, 1.0, 3.0):
        most = max(fairness + price * utility for utility, fairness in every)
        assert (found.ends[1] + price * found.ends[0]).max() == pytest.approx(most, abs=1e-6)
    assert {(round(u, 6), round(f, 6)) for u, f in zip(*found.ends, strict=True)} <= {
        (round(u, 6), round(f, 6)) for u, f in every
    }
    for least in np.linspace(found.ends[0, -1], found.ends[0, 0], 4):
        at, bound = found.fairest(least - 1e-9)
        best = max(fairness for utility, fairness in every if utility >= least - 1e-8)
        assert found.fairness[at] <= best + 1e-6 <= bound + 2e-6


@pytest.mark.parametrize("scale", [2.0**-10, 2.0**40])
@pytest.mark.parametrize("which", ["gains", "worth"])
def test_the_hull_by_assignments_has_no_scale(which, scale):
    random = np.random.default_rng(5)
    given_ = {"gains": random.integers(0, 4, 9) * 1.0, "worth": random.random(9)}
    rest = {"weights": np.array([1.0, 0.6, 0.5]), "discounts": np.array([1.0, 0.8, 0.1])}
    one = two_sums.supported_front(**given_, **rest).ends
    other = two_sums.supported_front(**given_ | {which: scale * given_[which]}, **rest).ends
    one[["gains", "worth"].index(which)] *= scale
    assert one.shape[1] > 2
    assert other == pytest.approx(one)


@given(queries(), st.lists(st.integers(0, 2), min_size=7, max_size=7), st.integers(0, 99))
def test_whatever_goes_by_kinds_has_the_front_of_all_orders(query, kinds, seed):
    gains, _, weights, _ = query
    n, weights = len(gains), -np.sort(-weights)
    kinds = np.array(kinds[:n])
    ranks = min(n, len(weights))

    def fairness(row):  # anything at all
        return crc32(bytes([seed, *row])) % 41 / 40

    docs, supply = group_by_kind(kinds, gains, 3, ranks)
    every = KindSequences.enumerate_sequences(supply.tolist(), ranks)
    tops = every.take(docs)
    assert len({tuple(row) for row in every.kinds.tolist()}) == len(every.kinds)
    assert (kinds[tops] == every.kinds).all()
    fair = np.array([fairness(row) for row in every.kinds.tolist()])
    front = Front.keep_best(gains[tops] @ weights[:ranks], fair, tops)
    orders = list(permutations(range(n), ranks))
    points = {(round(summed(gains, weights, each), 9), fairness(kinds[list(each)].tolist())) for each in orders}
    near(pairs(front), best_of(points))

    grades = np.unique(gains, return_inverse=True)[1]
    pairs_of = np.zeros((grades.max() + 1, 3), dtype=np.int64)
    np.add.at(pairs_of, (grades, kinds), 1)
    kept = every.kinds[every.keep_grades(grades[:ranks], pairs_of)].tolist()
    same_grades = [each for each in orders if (grades[list(each)] == grades[:ranks]).all()]
    assert {tuple(row) for row in kept} == {tuple(kinds[list(each)].tolist()) for each in same_grades}
    assert every.fit_supply(supply).all()


def test_too_many_sequences_are_not_listed():
    assert KindSequences.enumerate_sequences([5, 5, 5], 5, most=100) is None
    assert KindSequences.enumerate_sequences([9] * 200, 3) is None
    assert len(KindSequences.enumerate_sequences([2, 1], 3).kinds) == 3


def test_queries_of_other_lengths_are_solved_beside_each_other():
    gains = np.array([[1.0, 0.0, np.nan], [np.nan] * 3, [0.0, 1.0, 2.0]])
    worth = np.where(np.isnan(gains), np.nan, 1 - np.nan_to_num(gains))
    several = two_sums.find_fronts_by_counts(gains, worth, np.ones(2), np.ones(2))
    assert [front.tops.shape[1] for front in several] == [2, 0, 2]
    assert pairs(several[1]) == [(0, 0)]
    for row in (0, 2):
        there = ~np.isnan(gains[row])
        (alone,) = two_sums.find_fronts_by_counts(
            gains[row : row + 1, there], worth[row : row + 1, there], np.ones(2), np.ones(2)
        )
        assert pairs(alone) == pairs(several[row])


def test_too_many_ways_are_not_followed():
    random = np.random.default_rng(3)
    gains, worth = random.integers(0, 3, (2, 30)).astype(float), random.random((2, 30))
    gains[1] = 0
    many, one = two_sums.find_fronts_by_counts(gains, worth, np.linspace(1, 0.3, 8), 1 / np.arange(1.0, 9), most=200)
    assert many is None
    assert len(one.utility) == 1
    assert two_sums.find_fronts_by_counts(random.random((1, 60)), random.random((1, 60)), np.ones(8), np.ones(8)) == [
        None
    ]  # 60 kinds


def test_as_many_ways_are_followed_as_may_be():
    gains = np.array([[0.0] * 7 + [1.0] * 7])
    worth = np.random.default_rng(2).random((1, 14)).round(3)
    weights, discounts = 1 / np.sqrt(np.arange(1.0, 8)), 1 / np.arange(1.0, 8)
    falling = [np.sort(worth[0, part])[::-1].tolist() for part in (slice(7), slice(7, None))]
    most, ways = 0, [(0, 0, 0.0, 0.0)]  # of each kind how many are placed, utility, fairness
    for weight, discount in zip(weights, discounts, strict=True):
        longer = [(a + 1, b, u, f + discount * falling[0][a]) for a, b, u, f in ways]
        longer += [(a, b + 1, u + weight, f + discount * falling[1][b]) for a, b, u, f in ways]
        ways = [
            one
            for one in longer
            if not any(one[:2] == other[:2] and one != other and one[2] <= other[2] and one[3] <= other[3] for other in longer)
        ]  # fmt: skip
        most = max(most, len(ways))
    assert most > 36  # the numbers of two kinds that seven ranks can have
    assert two_sums.find_fronts_by_counts(gains, worth, weights, discounts, most=most) != [None]
    assert two_sums.find_fronts_by_counts(gains, worth, weights, discounts, most=most - 1) == [None]


def drawn_fronts(random, many=4):
    fronts = []
    for _ in range(many):
        size = int(random.integers(1, 6))
        utility, fairness = random.integers(0, 8, (2, size)) / 8
        fronts.append(Front.keep_best(utility, fairness, np.zeros((size, 0), dtype=np.int64)))
    return fronts


def test_the_mean_is_the_best_of_all_choices_and_the_bound_is_one():
    random = np.random.default_rng(14)
    programmed = 0
    for _ in range(60):
        fronts = drawn_fronts(random)
        every = [
            (sum(u for u, _ in each), sum(f for _, f in each))
            for each in product(*(list(zip(front.utility, front.fairness, strict=True)) for front in fronts))
        ]
        for share in (0.3, 0.6, 0.9, 1.0):
            least = share * sum(float(front.utility[0]) for front in fronts)
            spent = spend(fronts, least)
            assert spent.fairness == pytest.approx(max(f for u, f in every if u >= least - 1e-9))
            assert spent.bound == pytest.approx(spent.fairness)
            assert sum(front.utility[at] for front, at in zip(fronts, spent.points, strict=True)) >= least - 1e-8
            utility, fairness = merged_line(fronts)
            hull = np.interp(least, utility[::-1], fairness[::-1])
            assert hull >= spent.fairness - 1e-9
            programmed += hull > spent.fairness + 1e-6
    assert programmed > 40


def draw_line(random, many):
    """Draw a front whose points lie on one line: at that price all choices of points are worth the same."""
    utility = np.sort(random.random(many))[::-1]
    return Front(utility, 0.469 * (utility[0] - utility), np.zeros((many, 0), dtype=np.int64))


def test_a_search_of_few_ways_keeps_below_its_bound(monkeypatch):
    random = np.random.default_rng(16)
    monkeypatch.setattr("fairtrec.formulas.fronts.WAYS", (4,))
    missed = 0
    for _ in range(20):
        fronts = [draw_line(random, 4) for _ in range(5)]
        utility, fairness = (
            np.array(list(product(*(getattr(front, name) for front in fronts)))).sum(axis=1)
            for name in ("utility", "fairness")
        )
        least = 0.8 * sum(float(front.utility[0]) for front in fronts)
        best = fairness[utility >= least - 1e-9].max()
        spent = spend(fronts, least)
        assert spent.fairness - 1e-9 <= best <= spent.bound + 1e-9
        missed += best > spent.fairness + 1e-9
    assert missed


def test_many_queries_with_one_price_end_soon_and_close_to_the_bound(monkeypatch):
    random, steps = np.random.default_rng(17), []
    fronts = [draw_line(random, 16) for _ in range(40)]

    def count(*given):
        found = search_points(*given)
        steps.append(found[-1])
        return found

    search_points = fronts_module._search_points
    monkeypatch.setattr("fairtrec.formulas.fronts._search_points", count)
    least = 0.9 * sum(float(front.utility[0]) for front in fronts)
    spent = spend(fronts, least)
    used = sum(front.utility[at] for front, at in zip(fronts, spent.points, strict=True))
    assert used >= least - 1e-8
    assert 0 <= spent.bound - spent.fairness < 1e-4  # an edge of the hull is up to .1 high
    assert sum(steps) < fronts_module.STEPS


def test_the_mean_is_what_an_integer_program_of_all_documents_and_ranks_finds():
    from scipy.optimize import LinearConstraint, milp

    queries, n, k, weights = 3, 6, 3, 1 / np.log2(np.arange(2, 5))
    for seed in range(3):
        random = np.random.default_rng(seed)
        gains, worth = random.choice([0.0, 0, 1, 2], (queries, n)), random.random((queries, n))
        useful, fair = (np.einsum("k,qn->qkn", weights, each).ravel() for each in (gains, worth))
        at = np.arange(queries * k * n).reshape(queries, k, n)
        filled = np.array([np.isin(at, one).ravel() for one in at.reshape(-1, n)], dtype=float)
        once = np.array([np.isin(at, at[query, :, doc]).ravel() for query in range(queries) for doc in range(n)])
        fronts = two_sums.find_fronts_by_counts(gains, worth, weights, weights)
        for loss in (0.0, 0.05):
            least = (1 - loss) * sum(float(row[:k] @ weights) for row in gains)
            constraints = [
                LinearConstraint(filled, 1, 1), LinearConstraint(once.astype(float), 0, 1), LinearConstraint(useful[None], least),
            ]  # fmt: skip
            answer = milp(-fair, constraints=constraints, integrality=np.ones(at.size), bounds=(0, 1))
            assert spend(fronts, least).fairness == pytest.approx(-answer.fun, abs=1e-5)


def test_no_fronts_have_a_hull_of_one_point():
    start, edges, slopes, whose = merge_hulls([])
    assert (start.tolist(), edges.tolist(), slopes.tolist(), whose.tolist()) == ([0, 0], [[], []], [], [])


@pytest.mark.parametrize("scale", [1e-15, 1.0, 1e15])
def test_a_sieve_has_no_scale(scale):
    utility, fairness = scale * np.array([2.0, 1.0, 1.0, 0.0]), scale * np.array([1.0, 2.0, 1.0, 1.0])
    assert fronts_module.find_candidates(utility, fairness).tolist() == [0, 1, 2]  # the last has less than the first


def test_the_merged_hull_is_that_of_all_choices():
    random = np.random.default_rng(15)
    for _ in range(50):
        fronts = drawn_fronts(random)
        utility, fairness = merged_line(fronts)
        every = [
            (sum(u for u, _ in each), sum(f for _, f in each))
            for each in product(*(list(zip(front.utility, front.fairness, strict=True)) for front in fronts))
        ]
        for price in (0.1, 0.5, 1.0, 2.0):
            most = max(f + price * u for u, f in every)
            assert (fairness + price * utility).max() == pytest.approx(most)


def test_what_is_not_exact_has_a_bound_above_it():
    ends = np.array([[2.0, 0.0], [0.0, 4.0]])
    rough = Front.keep_best(*ends, np.zeros((2, 0), dtype=np.int64), ends)
    spent = spend([rough, rough], 3.0)
    assert (spent.fairness, spent.bound) == (0.0, pytest.approx(2.0))
    assert rough.fairest(1.0) == (0, 2.0)


@given(st.integers(0, 10_000), st.integers(1, 400), st.sampled_from([0, 1, 3, 15]))
def test_a_sieve_before_sorting_keeps_what_sorting_keeps(seed, many, digits):
    random = np.random.default_rng(seed)
    utility, fairness = random.normal(size=(2, many)).round(digits)
    fairness = np.where(random.random(many) < 0.05, -np.inf, fairness)
    order, starts, _ = sort_undominated(np.zeros(many, dtype=np.int64), utility, fairness)
    assert keep_undominated(utility, fairness).tolist() == order[starts].tolist()


@pytest.mark.parametrize(("kinds", "ranks"), [(1, 5), (3, 20), (6, 1023), (6, 1024), (9, 20)])
def test_documents_of_a_kind_are_numbered(kinds, ranks):
    several = np.random.default_rng(kinds).integers(0, kinds, (7, ranks))
    wanted = [[row[:at].tolist().count(kind) for at, kind in enumerate(row.tolist())] for row in several]
    assert number_kinds(several).tolist() == wanted


def test_a_front_with_bounds_is_known_only_if_they_are_attained():
    one = np.array([0.5])
    for ends, attained, known in ((None, False, True), (np.ones((2, 1)), False, False), (np.ones((2, 1)), True, True)):
        assert Front(one, one, np.zeros((1, 1), dtype=np.int64), ends, attained=attained).is_known == known
    assert not Front(one, one, np.zeros((1, 1), dtype=np.int64), np.ones((2, 1))).is_known
