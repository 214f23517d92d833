"""FOE against the linear program of n x n unknowns, solved by HiGHS."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_matrix, vstack

import fairtrec
from fairtrec.formulas import discount
from fairtrec.lab.rerankers.foe import constraints, exposure, mixture
from fairtrec.reranker import Chance
from fairtrec.rerankers import FOE
from fairtrec.support.errors import InputError
from fairtrec_made import THOROUGH


def program(utility, rows, discounts):
    """The greatest u·P·v over doubly stochastic P with rows·P·v = 0; None where there is none."""
    n = len(utility)
    cell = np.arange(n * n)
    ones = np.ones(n * n)
    by_row, by_column = coo_matrix((ones, (cell // n, cell))), coo_matrix((ones, (cell % n, cell)))
    fair = [coo_matrix(np.outer(row, discounts).reshape(1, -1)) for row in rows]
    equal, right = vstack([by_row, by_column, *fair]), np.append(np.ones(2 * n), np.zeros(len(rows)))
    found = linprog(
        -np.outer(utility, discounts).ravel(), A_eq=equal.tocsc(), b_eq=right, bounds=(0, 1), method="highs"
    )
    return -found.fun if found.status == 0 else None


def drawn(number, most=12):
    random = np.random.default_rng(number)
    n, many = int(random.integers(2, most)), int(random.integers(2, 5))
    groups = random.integers(0, many, n)
    scores = random.random(n) if number % 3 else random.integers(0, 4, n) / 3.0
    utility = np.sort(scores)[::-1]
    k = int(random.integers(1, n + 1))
    discounts = np.append(discount.log2(k), np.zeros(n - k))
    return utility, groups, discounts


MANY = 150 if THOROUGH else 12


@pytest.mark.parametrize("kind", ["parity", "treatment", "impact"])
def test_the_mixture_is_the_optimum_of_the_linear_program(kind):
    solved = refused = 0
    for number in range(MANY):
        utility, groups, discounts = drawn(number)
        rows = constraints(groups, utility, kind)
        if rows is None:
            continue
        found, best = mixture(utility, rows, discounts), program(utility, rows, discounts)
        assert (found is None) == (best is None), (number, kind)
        if found is None:
            refused += 1
            continue
        solved += 1
        shares = np.array([share for share, _ in found])
        mean = shares @ np.array([exposure(order, discounts) for _, order in found])
        assert len(found) <= len(np.unique(groups))
        assert shares.sum() == pytest.approx(1, abs=1e-9)
        assert (shares > 0).all()
        assert np.abs(rows @ mean).max() < 1e-9, (number, kind)
        assert utility @ mean == pytest.approx(best, abs=1e-7), (number, kind)
    assert solved > 0.3 * MANY
    assert solved + refused > 0.6 * MANY


@pytest.mark.parametrize("kind", ["parity", "treatment", "impact"])
@pytest.mark.parametrize(("many", "n", "cutoff"), [(3, 40, 40), (8, 40, 10), (16, 50, 50)])
def test_the_mixture_of_many_groups_is_the_optimum_of_the_linear_program(kind, many, n, cutoff):
    random = np.random.default_rng(many)
    groups = random.integers(0, many, n)
    utility = np.sort(random.random(n) + 1)[::-1]
    discounts = np.append(discount.log2(cutoff), np.zeros(n - cutoff))
    rows = constraints(groups, utility, kind)
    found, best = mixture(utility, rows, discounts), program(utility, rows, discounts)
    assert found is not None
    mean = sum(share * exposure(order, discounts) for share, order in found)
    assert len(found) <= len(np.unique(groups))
    assert np.abs(rows @ mean).max() < 1e-9
    assert utility @ mean == pytest.approx(best, rel=1e-7)


def test_a_case_by_hand():
    # u = 1, 0.9, 0 of groups a, a, b; discounts 1, w, 0.5 with w = 1/log2(3). Parity: the mean of a's two is b's one,
    # so b needs a third of 1 + w + .5: .710. The orders around it: b second (w = .631), and b first (1).
    w = 1 / np.log2(3)
    utility, groups, discounts = np.array([1.0, 0.9, 0.0]), np.array([0, 0, 1]), np.array([1.0, w, 0.5])
    (low, first), (high, second) = mixture(utility, constraints(groups, utility, "parity"), discounts)
    assert sorted([first.tolist(), second.tolist()]) == [[0, 2, 1], [2, 0, 1]]
    assert low * w + high == pytest.approx((1.5 + w) / 3)


def test_what_cannot_be_fair_keeps_its_order():
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}, "p": {"a": 2.0, "c": 1.0}}
    (one,) = fairtrec.rerank("FOE", {"r": run}, labels={"a": "f", "b": "f", "x": "m"}).runs
    assert one.rankings["q"] == {"a": 3.0, "b": 2.0, "c": 1.0}
    assert "order kept in 2 of 2 queries: no mixture of orders is fair" in map(str, one.notes)
    (one,) = fairtrec.rerank("FOE(constraint=treatment)", {"r": run}, labels={"a": "f", "c": "m"}).runs
    assert one.rankings["p"] == {"a": 2.0, "c": 1.0}  # c has utility 0, scaled


def test_samples_have_the_mixture_s_exposure():
    qids = [f"q{number}" for number in range(4_000)]
    groups = np.tile([0, 0, 1], (4_000, 1))
    scores = np.tile([1.0, 0.9, 0.0], (4_000, 1))
    chance = Chance(1, qids, 0)
    ranks = FOE(cutoff=3)(groups, scores, scores, np.full(4_000, 3), chance).ranks
    of_b = discount.log2(3)[(ranks == 2).argmax(axis=1)]
    of_a = (discount.log2(3).sum() - of_b) / 2
    assert of_b.mean() == pytest.approx(of_a.mean(), abs=0.02)


def test_utilities():
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.5}}
    labels, qrels = {"a": "f", "b": "f", "c": "m", "d": "m"}, {"q": {"d": 3, "c": 1}}
    one = {
        kind: fairtrec.rerank(f"FOE(utility={kind})@4", {"r": run}, qrels=qrels, labels=labels)
        for kind in ("minmax", "raw")
    }
    assert len({str(each.runs[0].rankings) for each in one.values()}) == 1  # parity knows no scale
    (graded,) = fairtrec.rerank("FOE(utility=grade)@4", {"r": run}, qrels=qrels, labels=labels).runs
    assert [*graded.rankings["q"]].index("d") < [*graded.rankings["q"]].index("c")
    with pytest.raises(InputError, match="some scores are below 0, which is not a utility; use utility=minmax"):
        fairtrec.rerank("FOE(utility=raw)", {"r": {"q": {"a": -1.0, "c": -2.0}}}, labels=labels)
