"""FA*IR: the paper's table; exact probabilities by fractions and by enumeration; the algorithm in loops."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest

from fairtrec.lab.rerankers.fa_topk import adjust_table, break_probability, cumulative, find_least_counts
from fairtrec.rerankers import FATopK
from fairtrec.support.errors import UsageError


def exact_least(k, p, alpha):
    """By whole binomial sums of fractions."""
    table = []
    for i in range(1, k + 1):
        total, t = Fraction(0), -1
        while total <= alpha:
            t += 1
            total += comb(i, t) * p**t * (1 - p) ** (i - t)
        table.append(t)
    return table


def exact_broken(table, p):
    holds = {0: Fraction(1)}
    for wanted in table:
        after = {}
        for t, chance in holds.items():
            for more, likely in ((0, 1 - p), (1, p)):
                if t + more >= wanted:
                    after[t + more] = after.get(t + more, Fraction(0)) + chance * likely
        holds = after
    return 1 - sum(holds.values())


def test_the_table_of_the_paper():
    # Table 3: k = 12, p = .5, alpha = .1
    assert adjust_table(12, 0.5, 0.1, "none") == (0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 4)


def test_the_probabilities_of_the_readme_of_fairsearch():
    assert (
        round(break_probability(np.array(adjust_table(20, 0.25, 0.1, "none")), 0.25), 6) == 0.146887
    )  # which it prints as .11518
    at_most = adjust_table(20, 0.25, 0.1)
    assert at_most[:10] == (0, 0, 0, 0, 0, 0, 0, 0, 0, 1)
    assert round(break_probability(np.array(at_most), 0.25), 6) == 0.089722
    assert round(break_probability(np.array(adjust_table(20, 0.25, 0.1, "nearest")), 0.25), 6) == 0.105152


def test_a_level_is_passed_not_reached():
    # P(none of 1) is .1 = alpha, which is not above it; scipy's ppf gives 0
    assert adjust_table(1, 0.9, 0.1, "none") == (1,)


@pytest.mark.parametrize("p", [Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(9, 10)])
@pytest.mark.parametrize("alpha", [Fraction(1, 100), Fraction(1, 10), Fraction(3, 10)])
def test_tables_and_probabilities_are_exact(p, alpha):
    for k in (1, 2, 5, 12, 30):
        table = exact_least(k, p, alpha)
        assert find_least_counts(cumulative(k, float(p)), float(alpha)).tolist() == table
        assert break_probability(np.array(table), float(p)) == pytest.approx(float(exact_broken(table, p)), abs=1e-9)


@pytest.mark.parametrize("p", [Fraction(1, 4), Fraction(1, 2), Fraction(7, 10)])
def test_no_other_level_is_better(p):
    """Every level there is, one after the other."""
    alpha = Fraction(1, 10)
    for k in (3, 8, 14):
        levels = {Fraction(0)}
        for i in range(1, k + 1):
            sums = [comb(i, t) * p**t * (1 - p) ** (i - t) for t in range(i + 1)]
            levels |= {sum(sums[: t + 1]) for t in range(i + 1)}
        allowed = {level: exact_broken(exact_least(k, p, level), p) for level in levels if level <= alpha}
        best = max(level for level, chance in allowed.items() if chance <= alpha)
        assert adjust_table(k, float(p), float(alpha)) == tuple(exact_least(k, p, best))
        nearest = min(abs(chance - alpha) for chance in allowed.values())
        found = exact_broken(adjust_table(k, float(p), float(alpha), "nearest"), p)
        assert abs(found - alpha) == nearest


def test_the_probability_by_all_rankings():
    table = (0, 1, 1, 2, 2, 3)
    p = 0.3
    lost = 0.0
    for order in product((0, 1), repeat=6):
        if any(sum(order[:i]) < wanted for i, wanted in enumerate(table, 1)):
            lost += p ** sum(order) * (1 - p) ** (6 - sum(order))
    assert break_probability(np.array(table), p) == pytest.approx(lost, abs=1e-12)


def slow(protected, table, k):
    left = list(range(len(protected)))
    order, so_far = [], 0
    for i in range(min(k, len(protected))):
        best = [d for d in left if protected[d]] if so_far < table[i] else left
        chosen = (best or left)[0]
        order.append(chosen)
        left.remove(chosen)
        so_far += protected[chosen]
    return order + left


@pytest.mark.parametrize("unknown", ["keep", "unprotected"])
def test_it_is_what_loops_give(unknown):
    for number in range(60):
        random = np.random.default_rng(number)
        k, p = int(random.integers(1, 15)), float(random.choice([0.2, 0.5, 0.8]))
        by = FATopK(k, p, 0.1, "b", unknown=unknown)
        lengths = random.integers(1, 25, 20)
        group_of = np.where(np.arange(24) < lengths[:, None], random.integers(-1, 3, (20, 24)), -1)
        ranks = by(group_of, ("a", "b", "c"), lengths).ranks
        table = adjust_table(k, p, 0.1)
        for row, length, found in zip(group_of.tolist(), lengths.tolist(), ranks.tolist(), strict=True):
            groups = row[:length]
            moved = [d for d in range(length) if unknown == "unprotected" or groups[d] >= 0]
            inner = slow([groups[d] == 1 for d in moved], table, sum(d < k for d in moved))
            order = list(range(length))
            for slot, at in zip(moved, inner, strict=True):
                order[slot] = moved[at]
            assert [rank for rank in found if rank >= 0] == order


def test_a_group_is_protected_by_name():
    with pytest.raises(UsageError, match=r"name it, like FATopK\(protected='f'\); there are f, m"):
        FATopK().check(("f", "m"))
    with pytest.raises(UsageError, match="there is no group 'x'; the groups are f, m"):
        FATopK(protected="x").check(("f", "m"))
    for wrong in ({"p": 0.0}, {"p": 1.0}, {"alpha": 0.0}, {"alpha": 1.0}):
        with pytest.raises(UsageError, match="lies between 0 and 1"):
            FATopK(**wrong)
