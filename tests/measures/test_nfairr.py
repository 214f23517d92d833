"""FaiRR, its ideal and its set forms: against a restatement in plain Python, arithmetic, and all orders of small sets."""

from fractions import Fraction
from itertools import permutations, product
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrec.data import MISSING, Candidates, take
from fairtrec.formulas import neutrality
from fairtrec.measures.nfairr import FaiRR, IFaiRR, NFaiRR, NSetFaiRR, SetFaiRR, fairr, ifairr, setfairr
from fairtrec.support.errors import UsageError

EVEN = np.array([[0.5, 0.5]])
P10 = 4.543559338088346
INF = [np.inf, np.inf]


def array(rows):
    return np.array(rows, dtype=np.float64)


def ranking(rows):
    """Pad rankings of uneven length with MISSING."""
    width = max(map(len, rows), default=0)
    padded = [[*row, *[MISSING] * (width - len(row))] for row in rows]
    return np.array(padded, dtype=np.int64).reshape(len(rows), width)


def candidates(counts, rows, weights=None):
    rows = ranking(rows)
    weights = np.ones(rows.shape, dtype=np.int64) if weights is None else ranking(weights)
    return Candidates(take(counts, rows), np.where(rows == MISSING, 0, weights))


# -- the formulas once more, a document at a time ---------------------------------------------------------------------


def slow_omega(counts, target, tau):
    total = sum(counts)
    if total <= tau:
        return 1.0
    if total == np.inf:
        return 2 * min(target) - 1
    return 1 - sum(abs(count / total - share) for count, share in zip(counts, target, strict=True))


def slow_fairr(omegas, k):
    return sum(omega / log2(1 + rank) for rank, omega in enumerate(omegas[:k], start=1))


def slow_ifairr(omegas, k):
    return slow_fairr(sorted(omegas, reverse=True), k) if omegas else np.nan


def slow_setfairr(omegas, k, *, full_k):
    if not omegas:
        return np.nan
    ranks = k if full_k else min(k, len(omegas))
    return sum(omegas) / len(omegas) * slow_fairr([1.0] * ranks, k)


def slow_ratio(value, ideal):
    return value / ideal if ideal > 0 else np.nan


@st.composite
def worlds(draw):
    """Documents of 2-4 groups, a target for all queries or for each, rankings and weighted candidates for each."""
    groups, queries = draw(st.integers(2, 4)), draw(st.integers(1, 3))
    count = st.one_of(st.integers(0, 4), st.sampled_from([0, 25]))
    table = draw(st.lists(st.lists(count, min_size=groups, max_size=groups), min_size=1, max_size=6))
    table = [[np.inf] * groups if draw(st.integers(0, 9)) == 0 else row for row in table]
    shares = st.lists(st.integers(0, 5), min_size=groups, max_size=groups).filter(any)
    targets = [[amount / sum(row) for amount in row] for row in (draw(shares) for _ in range(queries))]
    if draw(st.booleans()):
        targets = targets[:1]
    rows = st.lists(st.integers(0, len(table) - 1), max_size=8, unique=True)
    ranked, behind = ([draw(rows) for _ in range(queries)] for _ in range(2))
    weights = [[draw(st.integers(1, 3)) for _ in row] for row in behind]
    return array(table), array(targets), ranked, behind, weights


@given(worlds(), st.integers(1, 7), st.integers(0, 4), st.booleans())
def test_every_form_is_the_slow_one(world, k, tau, full_k):
    counts, targets, ranked, behind, weights = world
    background = candidates(counts, behind, weights)
    parameters = {"cutoff": k, "tau": tau}
    got = {
        "fairr": FaiRR(**parameters)(ranking(ranked), counts, targets),
        "ifairr": IFaiRR(**parameters)(background, targets),
        "nfairr": NFaiRR(**parameters)(ranking(ranked), counts, background, targets),
        "set": SetFaiRR(**parameters, full_k=full_k)(targets, background=background),
        "nset": NSetFaiRR(**parameters, full_k=full_k)(targets, background),
    }
    for query in range(len(ranked)):
        target = targets[query % len(targets)].tolist()
        omega = [slow_omega(row, target, tau) for row in counts.tolist()]
        value = slow_fairr([omega[row] for row in ranked[query]], k)
        whole = [omega[row] for row, many in zip(behind[query], weights[query], strict=True) for _ in range(many)]
        ideal, expectation = slow_ifairr(whole, k), slow_setfairr(whole, k, full_k=full_k)
        expected = {
            "fairr": value,
            "ifairr": ideal,
            "nfairr": slow_ratio(value, ideal),
            "set": expectation,
            "nset": slow_ratio(expectation, ideal),
        }
        for name, one in expected.items():
            if abs(ideal) < 1e-9 and name.startswith("n"):
                continue  # whether the ideal is 0 or a little more is a matter of rounding
            np.testing.assert_allclose(got[name][query], one, atol=1e-12, err_msg=f"{name} of query {query}")


# -- arithmetic -------------------------------------------------------------------------------------------------------

COUNTS = array([[0, 0], [1, 0], [6, 4], [8, 2], [10, 0]])  # omega 1, 1, .8, .4, 0; with tau = 0 the second is 0
ALL = candidates(COUNTS, [[0, 1, 2, 3, 4]])


def test_arithmetic():
    ranked = ranking([[4, 2, 3]])
    # 0 + .8 / log2(3) + .4 / 2 = .504743803 + .2
    assert FaiRR()(ranked, COUNTS, EVEN).item() == pytest.approx(0.704743803, abs=5e-10)
    assert FaiRR(cutoff=2)(ranked, COUNTS, EVEN).item() == pytest.approx(0.504743803, abs=5e-10)
    # 1 + 1 / log2(3) + .8 / 2 = 2.030929754
    assert IFaiRR(cutoff=3)(ALL, EVEN).item() == pytest.approx(2.030929754, abs=5e-10)
    assert NFaiRR(cutoff=3)(ranked, COUNTS, ALL, EVEN).item() == pytest.approx(0.704743803 / 2.030929754, abs=1e-9)
    # mean omega 3.2 / 5; 1 + .630929754 + .5
    assert SetFaiRR(cutoff=3)(EVEN, ALL).item() == pytest.approx(0.64 * 2.130929754, abs=1e-9)
    assert NSetFaiRR(cutoff=3)(EVEN, ALL).item() == pytest.approx(0.64 * 2.130929754 / 2.030929754, abs=1e-9)


def test_tau_full_k_and_of_change_the_value():
    ranked = ranking([[1, 0]])
    assert FaiRR()(ranked, COUNTS, EVEN).item() == pytest.approx(1 + 1 / log2(3))
    assert FaiRR(tau=0)(ranked, COUNTS, EVEN).item() == pytest.approx(1 / log2(3))
    assert FaiRR(tau=9)(ranking([[4]]), COUNTS, EVEN).item() == 0
    assert FaiRR(tau=10)(ranking([[4]]), COUNTS, EVEN).item() == 1
    assert IFaiRR(cutoff=2, tau=0)(ALL, EVEN).item() == pytest.approx(1 + 0.8 / log2(3))
    # five documents cannot fill ten ranks, but the published program sums to ten all the same
    assert SetFaiRR()(EVEN, ALL).item() == pytest.approx(0.64 * 2.9484591188793923)
    assert SetFaiRR(full_k=True)(EVEN, ALL).item() == pytest.approx(0.64 * P10)
    assert NSetFaiRR(full_k=True)(EVEN, ALL).item() > NSetFaiRR()(EVEN, ALL).item()
    whole = Candidates(array([[[0, 0], [10, 0]]]), np.array([[1, 3]]))  # mean omega 1 / 4
    assert SetFaiRR(cutoff=1, of="collection")(EVEN, collection=whole).item() == 0.25
    assert NSetFaiRR(cutoff=1, of="collection")(EVEN, ALL, whole).item() == 0.25
    assert NSetFaiRR(cutoff=1, of="collection")(EVEN, candidates(COUNTS, [[3]]), whole).item() == pytest.approx(0.625)
    assert SetFaiRR().needs == ("target", "background")
    assert SetFaiRR(of="collection").needs == ("target", "collection")
    assert set(NSetFaiRR(of="collection").needs) == {"target", "background", "collection"}


def test_rankings_of_one_sided_documents_are_all_the_same_to_it():
    # paper 001: f m f m, f m m f and m m m m, one group word in each document
    counts = array([[1, 0], [0, 1]])
    ranked = ranking([[0, 1, 0, 1], [0, 1, 1, 0], [1, 1, 1, 1]])
    background = Candidates(array([[[0, 0]]] * 3), np.array([[4]] * 3))
    assert NFaiRR(tau=0)(ranked, counts, background, EVEN).tolist() == [0, 0, 0]
    np.testing.assert_allclose(NFaiRR(cutoff=4)(ranked, counts, background, EVEN), 1)


def test_one_target_for_each_query_and_one_set_for_all():
    counts = array([[6, 4], [0, 5]])
    targets = array([[0.6, 0.4], [0.4, 0.6]])
    np.testing.assert_allclose(FaiRR()(ranking([[0], [0]]), counts, targets), [1, 0.6])
    whole = Candidates(counts[None], np.array([[1, 4]]))
    # from (.4, .6) the documents are 0.4 and 0.8 away
    np.testing.assert_allclose(IFaiRR(cutoff=1)(whole, targets), [1, 0.6])
    np.testing.assert_allclose(SetFaiRR(cutoff=1)(targets, whole), [(1 - 4 * 0.2) / 5, (0.6 + 4 * 0.2) / 5])
    np.testing.assert_allclose(NFaiRR(cutoff=1)(ranking([[1], [1]]), counts, whole, targets), [-0.2, 0.2 / 0.6])


def test_empty_rankings_empty_sets_and_ideals_of_nothing():
    nobody = Candidates(np.zeros((2, 0, 2)), np.zeros((2, 0), dtype=np.int64))
    empty = ranking([[], []])
    assert FaiRR()(empty, COUNTS, EVEN).tolist() == [0, 0]
    assert np.isnan(NFaiRR()(empty, COUNTS, nobody, EVEN)).all()
    for measure in (IFaiRR(), SetFaiRR(), SetFaiRR(full_k=True), NSetFaiRR()):
        keyed = {"background": nobody, "target": EVEN}
        assert np.isnan(measure(**keyed)).all(), measure
    one_has = candidates(COUNTS, [[0], []])
    np.testing.assert_array_equal(NFaiRR()(empty, COUNTS, one_has, EVEN), [0, np.nan])
    one_sided = candidates(COUNTS, [[4]])
    assert IFaiRR()(one_sided, EVEN).item() == 0
    assert np.isnan(NFaiRR()(ranking([[0]]), COUNTS, one_sided, EVEN)).all()
    below = np.full((1, 3), 1 / 3)  # the one candidate is all of one group: ideal -1/3
    assert np.isnan(NFaiRR()(ranking([[0]]), array([[0, 0, 9]]), candidates(array([[0, 0, 9]]), [[0]]), below)).all()


def test_a_query_without_a_target_is_undefined():
    targets = array([[np.nan, np.nan], [0.5, 0.5]])
    ranked, background = ranking([[0], [0]]), candidates(COUNTS, [[0], [0]])
    for values in (
        FaiRR()(ranked, COUNTS, targets),
        NFaiRR()(ranked, COUNTS, background, targets),
        IFaiRR()(background, targets),
        SetFaiRR()(targets, background),
        NSetFaiRR()(targets, background),
    ):
        np.testing.assert_array_equal(values, [np.nan, 1])


def test_a_document_from_outside_the_background_can_lift_it_above_one():
    assert NFaiRR()(ranking([[0]]), COUNTS, candidates(COUNTS, [[3]]), EVEN).item() == pytest.approx(2.5)


def test_infinite_counts_are_the_worst_document():
    counts = array([INF, [10, 0]])
    assert FaiRR(tau=99)(ranking([[0]]), counts, EVEN).item() == 0  # no tau makes it neutral
    uneven = array([[0.75, 0.25]])
    assert FaiRR()(ranking([[0]]), counts, uneven).item() == -0.5
    assert IFaiRR(cutoff=2)(candidates(counts, [[0, 1]]), uneven).item() == pytest.approx(0.5 - 0.5 / log2(3))
    assert all(kind.worst_known for kind in (FaiRR, NFaiRR, IFaiRR, SetFaiRR, NSetFaiRR))


def test_an_ideal_is_computed_once_for_each_cutoff_tau_and_target(monkeypatch):
    shared, asked = candidates(COUNTS, [[0, 1, 2, 3, 4]]), []
    ideals = neutrality.ideals
    monkeypatch.setattr(neutrality, "ideals", lambda *given: asked.append(given) or ideals(*given))
    for cutoff, tau, target in product((2, 3), (0, 1), (EVEN, array([[0.75, 0.25]]))):
        own = IFaiRR(cutoff, tau)(candidates(COUNTS, [[0, 1, 2, 3, 4]]), target).item()
        given = IFaiRR(cutoff, tau)(shared, target)
        assert given.item() == own
        given[:] = 9  # which is nobody else's
        assert IFaiRR(cutoff, tau)(shared, target).item() == own
    assert len(asked) == 2 * 8


def test_a_negative_tau_and_a_cutoff_of_no_rank_are_refused():
    with pytest.raises(UsageError, match="tau is -1"):
        FaiRR(tau=-1)
    for cutoff in (0, -3, 10**7):
        with pytest.raises(UsageError, match="ranks count from 1"):
            NFaiRR(cutoff=cutoff)


# -- ideals that are 0 but for rounding -------------------------------------------------------------------------------


def list_of_omega_0(groups, most):
    """List counts of several groups, up to a total, whose omega is 0 by exact arithmetic."""
    even = Fraction(1, groups)
    every = (counts for counts in product(range(most + 1), repeat=groups) if 2 <= sum(counts) <= most)
    return [each for each in every if sum(abs(Fraction(n, sum(each)) - even) for n in each) == 1]


@pytest.mark.parametrize(("groups", "most"), [(3, 24), (4, 16)])
@pytest.mark.parametrize("cutoff", [1, 10])
def test_an_ideal_that_is_0_but_for_rounding_is_0(groups, most, cutoff):
    """Of three groups 5/6, 1/6, 0; of four two groups with a quarter or more each."""
    zeros = list_of_omega_0(groups, most)
    assert (5, 1, 0) in zeros or (3, 1, 0, 0) in zeros
    counts, target = array([*zeros, [*[0] * (groups - 1), 9]]), np.full((1, groups), 1 / groups)
    assert (neutrality.omega(counts[:-1], target, 1) > 0).any()  # what there is to mend
    background = candidates(counts, [[row] for row in range(len(zeros))])
    worst = ranking([[len(zeros)]] * len(zeros))
    assert np.isnan(NFaiRR(cutoff=cutoff)(worst, counts, background, target)).all()
    assert np.isnan(NSetFaiRR(cutoff=cutoff)(target, background)).all()
    several = candidates(counts, [[0, 0, row] for row in range(len(zeros))])
    assert np.isnan(NFaiRR(cutoff=cutoff)(worst, counts, several, target)).all()


def test_texts_that_decide_whether_an_ideal_is_0_bound_the_value():
    """The ideal is 0 with the least neutral text, 1 with the most neutral one."""
    counts, target = array([[5, 0, 1], [0, 9, 0], [0, 0, 0]]), np.full((1, 3), 1 / 3)
    assert neutrality.omega(counts[0], target[0]) > 0
    ranked = ranking([[1]])
    ends = [
        {"ranked": ranked, "counts": counts, "target": target, "background": candidates(counts, [rows])}
        for rows in ([0], [0, 2])
    ]
    least, greatest, _ = NFaiRR(cutoff=1).bound_over_texts(*ends)
    assert least.item() == -np.inf
    assert greatest.item() == pytest.approx(-1 / 3)
    assert np.isnan(NFaiRR(cutoff=1).bound_over_texts(ends[0], ends[0])[:2]).all()


# -- laws -------------------------------------------------------------------------------------------------------------

omegas = st.lists(st.sampled_from([1.0, 0.8, 0.5, 0.25, 0.0, -0.3]), min_size=1, max_size=6)


@given(omegas, st.integers(1, 8))
def test_the_mean_over_all_orders_is_the_set_form_and_the_best_is_the_ideal(omega, k):
    values = fairr(array(list(permutations(omega))), k)
    ones = np.ones((1, len(omega)), dtype=np.int64)
    assert setfairr(array([omega]), ones, k).item() == pytest.approx(values.mean(), abs=1e-12)
    if k >= len(omega) or min(omega) >= 0:
        assert ifairr(array([omega]), ones, k).item() == pytest.approx(values.max(), abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=9), st.integers(1, 9))
def test_the_sorted_background_has_one(documents, k):
    counts = array(documents)
    by_omega = sorted(range(len(counts)), key=lambda i: -slow_omega(documents[i], (0.5, 0.5), 1))
    background = candidates(counts, [list(range(len(counts)))])
    value = NFaiRR(cutoff=k)(ranking([by_omega]), counts, background, EVEN).item()
    assert value == pytest.approx(1) or IFaiRR(cutoff=k)(background, EVEN).item() == 0


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=8), st.integers(1, 9), st.data())
def test_a_more_neutral_document_that_rises_never_lowers_it(omega, k, data):
    at = data.draw(st.integers(0, len(omega) - 2))
    if omega[at] > omega[at + 1]:
        omega[at : at + 2] = omega[at + 1], omega[at]
    better = [*omega]
    better[at : at + 2] = omega[at + 1], omega[at]
    before, after = fairr(array([omega, better]), k)
    assert after >= before - 1e-12


@given(worlds(), st.integers(1, 5))
def test_documents_below_the_cutoff_change_nothing(world, k):
    counts, targets, ranked, _, _ = world
    cut = [row[:k] for row in ranked]
    values = FaiRR(cutoff=k)(ranking(ranked), counts, targets), FaiRR(cutoff=k)(ranking(cut), counts, targets)
    np.testing.assert_allclose(*values, atol=1e-14)


ZEROS = [(*each, 0)[:4] for each in (*list_of_omega_0(3, 24), *list_of_omega_0(4, 12))]
shown = st.one_of(st.sampled_from(ZEROS), st.lists(st.integers(0, 60), min_size=4, max_size=4))


@given(st.lists(shown, min_size=1, max_size=6), st.integers(2, 4), st.integers(1, 12), st.integers(0, 3), st.booleans())
def test_no_value_is_a_rounding_error_that_something_was_divided_by(documents, groups, k, tau, even):
    counts = array(documents)[:, :groups]
    target = np.full((1, groups), 1 / groups) if even else array([[0.5, 0.25, 0.125, 0.125][: groups - 1]])
    target = target if even else np.append(target, [[1 - target.sum()]], axis=1)
    rows = list(range(len(documents)))
    for few in range(1, len(rows) + 1):
        background = candidates(counts, [rows[:few]])
        values = [
            NFaiRR(cutoff=k, tau=tau)(ranking([rows]), counts, background, target).item(),
            NSetFaiRR(cutoff=k, tau=tau, full_k=True)(target, background).item(),
        ]
        assert all(np.isnan(value) or abs(value) <= 1e12 for value in values)
