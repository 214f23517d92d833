"""Skew and feasibility against arithmetic."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import fairtrec
from fairtrec.formulas.elementary import log
from fairtrec.measures.skew import InfeasibleCount, InfeasibleIndex, MaxSkew, MinSkew, Skew
from fairtrec.support.errors import UsageError

A, B, NO, UNKNOWN = [1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [np.nan, np.nan]
EVEN = np.array([[0.5, 0.5]])
GROUPS = ("f", "m")


def rows(ranked):
    return np.array([ranked]).reshape(1, len(ranked), 2)


def test_skew_written_out():
    ranked = rows([A, A, A, B, B])  # shares 3/4 and 1/4 at 4
    assert Skew(cutoff=4, group="f")(ranked, EVEN, GROUPS).item() == pytest.approx(np.log(1.5))
    assert Skew(cutoff=4, group="m")(ranked, EVEN, GROUPS).item() == pytest.approx(np.log(0.5))
    assert MinSkew(cutoff=4)(ranked, EVEN).item() == pytest.approx(np.log(0.5))
    assert MaxSkew(cutoff=4)(ranked, EVEN).item() == pytest.approx(np.log(1.5))
    assert MaxSkew(cutoff=5)(ranked, EVEN).item() == pytest.approx(np.log(1.2))
    assert MinSkew()(rows([A, UNKNOWN, NO, B]), np.array([[0.25, 0.75]])).item() == pytest.approx(np.log(2 / 3))


def test_smoothing():
    ranked = rows([A])
    assert MinSkew()(ranked, EVEN).item() == -np.inf
    assert MinSkew(eps=0.1)(ranked, EVEN).item() == pytest.approx(np.log(0.1 / 0.6))
    assert MaxSkew(eps=0.1)(ranked, EVEN).item() == pytest.approx(np.log(1.1 / 0.6))
    assert Skew(group="m", eps=0.1)(ranked, EVEN, GROUPS).item() == pytest.approx(np.log(0.1 / 0.6))
    with pytest.raises(UsageError, match="eps"):
        MinSkew(eps=-1)


def test_a_group_without_target():
    only_a = np.array([[1.0, 0.0]])
    assert np.isnan(Skew(group="m")(rows([A]), only_a, GROUPS)).item()  # neither share nor target
    assert MinSkew()(rows([A]), only_a).item() == 0
    assert MaxSkew()(rows([A]), only_a).item() == 0
    assert MaxSkew()(rows([A, B]), only_a).item() == np.inf


def test_one_measure_for_each_group():
    assert [str(m) for m in Skew(cutoff=5).expand_groups(GROUPS)] == ["Skew(group='f')@5", "Skew(group='m')@5"]
    assert Skew(group="m").expand_groups(GROUPS) == (Skew(group="m"),)
    Skew(group="m").check(GROUPS)
    Skew().check(GROUPS)
    with pytest.raises(UsageError, match="no group 'x'"):
        Skew(group="x").check(GROUPS)


def test_infeasible_written_out():
    ranked, length = rows([A, A, A, A, B]), np.array([5])
    # due of each group at ranks 1..5: 0 1 1 2 2; b has 0 0 0 0 1: short at ranks 2, 3, 4 and 5
    assert InfeasibleIndex()(ranked, EVEN, length).item() == 4
    assert InfeasibleCount()(ranked, EVEN, length).item() == 4
    assert InfeasibleIndex(cutoff=3)(ranked, EVEN, length).item() == 2
    assert InfeasibleCount(cutoff=3)(ranked, EVEN, length).item() == 2
    # a document of no or unknown group takes its rank: at rank 2 both groups are due 1, at rank 4 both are due 2
    ranked = rows([UNKNOWN, NO, A, B])
    assert InfeasibleIndex()(ranked, EVEN, np.array([4])).item() == 3  # ranks 2, 3 (b), 4
    assert InfeasibleCount()(ranked, EVEN, np.array([4])).item() == 5
    assert InfeasibleCount()(ranked, EVEN, np.array([3])).item() == 3  # the ranking ends at rank 3


def test_what_is_due_does_not_suffer_from_rounding():
    # 100 * .29 is 28.999999999999996 in floating point, and 29 is due
    ranked = np.zeros((1, 100, 2))
    ranked[0, :28, 0] = 1
    ranked[0, 28:, 1] = 1
    got = [InfeasibleCount(cutoff=k)(ranked, np.array([[0.29, 0.71]]), np.array([100])).item() for k in (99, 100)]
    assert got[1] - got[0] == 1


def test_undefined_and_empty():
    none = np.zeros((1, 0, 2))
    nowhere = np.array([[np.nan, np.nan]])
    for ranked, target in ((none, EVEN), (rows([UNKNOWN, NO]), EVEN), (rows([A]), nowhere)):
        length = np.array([ranked.shape[1]])
        assert np.isnan(Skew(group="f")(ranked, target, GROUPS)).item()
        assert np.isnan(MinSkew()(ranked, target)).item()
        assert np.isnan(MaxSkew()(ranked, target)).item()
        assert np.isnan(InfeasibleIndex()(ranked, target, length)).item()
        assert np.isnan(InfeasibleCount()(ranked, target, length)).item()


hard = hnp.arrays(np.int64, (3, 6), elements=st.integers(0, 2)).map(lambda g: np.eye(3)[g])


@given(hard, st.integers(1, 6))
def test_laws(membership, cutoff):
    target, lengths, order = np.array([[0.5, 0.3, 0.2]]), np.full(3, 6), [2, 0, 1]
    least, most = MinSkew(cutoff=cutoff)(membership, target), MaxSkew(cutoff=cutoff)(membership, target)
    assert np.all(least <= 1e-12)
    assert np.all(most >= -1e-12)
    for kind, inputs in ((MinSkew, ()), (MaxSkew, ()), (InfeasibleIndex, (lengths,)), (InfeasibleCount, (lengths,))):
        measure = kind(cutoff=cutoff)
        got = measure(membership, target, *inputs)
        np.testing.assert_allclose(got, measure(membership[..., order], target[:, order], *inputs))
        below = np.concatenate((membership[:, :cutoff], np.full((3, 4, 3), np.nan)), axis=1)
        np.testing.assert_allclose(got, measure(below, target, *(np.minimum(x, cutoff) for x in inputs)))
    index = InfeasibleIndex(cutoff=cutoff)(membership, target, lengths)
    count = InfeasibleCount(cutoff=cutoff)(membership, target, lengths)
    assert np.all((index <= count) & (count <= 3 * index) & (index <= cutoff))
    singles = np.array([m(membership, target, "abc") for m in Skew(cutoff=cutoff).expand_groups("abc")])
    np.testing.assert_allclose(singles.min(axis=0), least)
    np.testing.assert_allclose(singles.max(axis=0), most)


def test_one_value_of_each_of_many_groups_looks_at_the_members_once(monkeypatch):
    asked = []
    monkeypatch.setattr("fairtrec.measures.skew.log", lambda ratio: asked.append(1) or log(ratio))
    labels = {f"d{i}": f"g{i % 40:02}" for i in range(80)}
    run = {f"q{q}": {f"d{(7 * q + i) % 80}": 20.0 - i for i in range(20)} for q in range(30)}
    values = fairtrec.evaluate("Skew(eps=0.1)@10", {"r": run}, labels=labels)
    assert len(values.scores[0].measures) == 40
    assert len(asked) == 1


def test_many_groups_are_looked_at_for_a_part_of_the_queries_at_a_time(monkeypatch):
    labels = {f"d{i}": f"g{i % 40:02}" for i in range(80)}
    run = {f"q{q:03}": {f"d{(7 * q + i) % 80}": 20.0 - i for i in range(20)} for q in range(200)}
    asked = "Skew(eps=0.1)@10 AWRF@10 Exposure@20 rND(protected='g01')@20"
    whole = fairtrec.evaluate(asked, {"r": run}, labels=labels)
    for place in ("data.ranking.depth", "evaluation.score"):
        monkeypatch.setattr(f"fairtrec.{place}.CELLS", 20_000)
    parts = fairtrec.evaluate(asked, {"r": run}, labels=labels)
    assert (parts.scores[0].values == whole.scores[0].values)[~np.isnan(whole.scores[0].values)].all()
    assert parts.scores[0].notes == whole.scores[0].notes
