"""DP, DTR, DIR and ABR, written out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import fairtrec
from fairtrec.measures.exposure_ratio import ABR, DIR, DP, DTR, ComparedRates
from fairtrec.support.errors import UsageError

A, B, NO, UNKNOWN = [1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [np.nan, np.nan]
GROUPS = ("f", "m")
EVEN = np.array([[0.5, 0.5]])
W = 1 / np.log2(np.arange(2, 8))


def rows(ranked, groups=2):
    return np.array([ranked]).reshape(1, len(ranked), groups)


def row(grades):
    return np.array([grades], dtype=float)


def test_demographic_parity_written_out():
    ranked = rows([A, UNKNOWN, B, B])  # exposures 1 and .5, .430677
    f, m = 1, (W[2] + W[3]) / 2
    assert DP()(ranked, EVEN, GROUPS).item() == pytest.approx(m / f)
    assert DP(protected="f")(ranked, EVEN, GROUPS).item() == pytest.approx(f / m)
    assert DP(protected="m")(ranked, EVEN, GROUPS).item() == pytest.approx(m / f)
    assert DP(cutoff=3)(ranked, EVEN, GROUPS).item() == pytest.approx(W[2] / 2)  # of two m, one is seen
    assert DP(cutoff=2)(ranked, EVEN, GROUPS).item() == 0  # no m is seen
    assert DP(cutoff=2, protected="m")(ranked, EVEN, GROUPS).item() == 0
    assert DP(cutoff=2, protected="f")(ranked, EVEN, GROUPS).item() == np.inf


def test_soft_labels_weigh_the_mean():
    ranked = rows([[0.75, 0.25], [0.25, 0.75]])
    f, m = 0.75 + 0.25 * W[1], 0.25 + 0.75 * W[1]
    assert DP()(ranked, EVEN, GROUPS).item() == pytest.approx(m / f)


def test_disparate_treatment_and_impact_written_out():
    # ranked a (grade 1), b (grade 2), b (not judged); judged besides: b of grade 1, not retrieved. U = 1 and 3
    ranked, relevance = rows([A, B, B]), row([1, 2, np.nan])
    judged, grades = rows([A, B, B, UNKNOWN]), row([1, 2, 1, np.nan])
    f, m = 1, (W[1] + W[2]) / 3
    assert DTR()(ranked, grades, judged, GROUPS).item() == pytest.approx(m / f)
    assert DTR(protected="f")(ranked, grades, judged, GROUPS).item() == pytest.approx(f / m)
    assert DTR(cutoff=2)(ranked, grades, judged, GROUPS).item() == pytest.approx(W[1] / 3)
    m = 2 * W[1] / 3
    assert DIR()(ranked, relevance, grades, judged, GROUPS).item() == pytest.approx(m / f)
    assert DIR(protected="m")(ranked, relevance, grades, judged, GROUPS).item() == pytest.approx(m / f)
    assert DIR(cutoff=1)(ranked, relevance, grades, judged, GROUPS).item() == 0


def test_a_group_without_relevant_documents_has_no_claim():
    # three groups, the third without a relevant document; it is on top, and does not count
    ranked, judged, grades = rows([np.eye(3)[g] for g in (2, 0, 1)], 3), rows(np.eye(3), 3), row([1, 1, 0])
    assert DTR()(ranked, grades, judged, "abc").item() == pytest.approx(W[2] / W[1])
    # with protected it counts among the rest, whose claim is that of b
    assert DTR(protected="a")(ranked, grades, judged, "abc").item() == pytest.approx(W[1] / (1 + W[2]))
    assert np.isnan(DTR(protected="c")(ranked, grades, judged, "abc")).item()


def test_attention_bias_ratio_written_out():
    # weights 1, p, p^2: f has rank 1, m ranks 2 and 3
    ranked = rows([A, B, B])
    assert ABR()(ranked, EVEN).item() == pytest.approx((0.9 + 0.81) / 2)
    assert ABR(p=0.5)(ranked, EVEN).item() == pytest.approx((0.5 + 0.25) / 2)
    assert ABR(cutoff=2)(ranked, EVEN).item() == pytest.approx(0.9 / 2)
    assert ABR(cutoff=1)(ranked, EVEN).item() == 0


def test_the_range_is_that_of_a_share():
    assert ABR.bounds == (0.0, 1.0)


def test_members_below_the_cutoff_count_with_no_attention():
    # 50 women and 50 men: one woman at rank 1, the men, and 49 women at the bottom
    ranked = rows([A, *[B] * 50, *[A] * 49])
    p = 0.9 ** np.arange(100)
    f, m = (p[0] + p[51:].sum()) / 50, p[1:51].sum() / 50
    assert ABR()(ranked, EVEN).item() == pytest.approx(f / m)
    assert ABR(cutoff=10)(ranked, EVEN).item() == pytest.approx(p[0] / p[1:10].sum())  # each over 50
    assert ABR(cutoff=10)(ranked, EVEN).item() < 0.2 < 1 / (p[1:10].sum() / 9)  # as if there were no others
    w = 1 / np.log2(np.arange(2, 102))
    assert DP(cutoff=10)(ranked, EVEN, GROUPS).item() == pytest.approx(w[0] / w[1:10].sum())
    assert DP(cutoff=10, protected="f")(ranked, EVEN, GROUPS).item() == pytest.approx(w[0] / w[1:10].sum())
    assert (DP(cutoff=10).depth, ABR(cutoff=10).depth, str(ABR(cutoff=10)), str(ABR())) == (None, None, "ABR@10", "ABR")


@pytest.mark.parametrize("measure", ["ABR@2", "DP@2", "DP(protected=f)@2"])
def test_a_command_gives_members_below_the_cutoff_to_the_measure(measure):
    run = {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}
    labels = {"a": "f", "b": "m", "c": "m", "d": "m"}
    weights = [1, 0.9] if "ABR" in measure else [1, W[1]]
    f, m = weights[0] / 1, weights[1] / 3
    (scores,) = fairtrec.evaluate(measure, run, labels=labels).scores
    assert scores.values.item() == pytest.approx(f / m if "protected" in measure else m / f)


def test_undefined_and_empty():
    some, one = rows([A, B]), row([1, 1])
    for ranked in (rows([]), rows([UNKNOWN, NO])):
        blank = np.zeros((1, ranked.shape[1]))
        assert np.isnan(ABR()(ranked, EVEN)).item()
        for options in ({}, {"protected": "f"}):
            assert np.isnan(DP(**options)(ranked, EVEN, GROUPS)).item()
            assert np.isnan(DTR(**options)(ranked, one, some, GROUPS)).item()
            assert np.isnan(DIR(**options)(ranked, blank, one, some, GROUPS)).item()
    assert np.isnan(DTR()(some, row([1, 0]), some, GROUPS)).item()  # only f has a relevant document
    assert np.isnan(DTR()(some, row([1, -1]), some, GROUPS)).item()


def test_which_values_are_good():
    assert DP().better == DTR().better == DIR().better == "higher"
    assert DP(protected="f").better == "neither"
    assert DP.better == "higher"
    assert str(DP()) == "DP"
    assert str(DP(cutoff=5, protected="f")) == "DP(protected='f')@5"


def test_groups_are_checked():
    DP(protected="f").check(GROUPS)
    ABR().check(GROUPS)
    with pytest.raises(UsageError, match="no group 'x'"):
        DTR(protected="x").check(GROUPS)
    for measure in (DP(), ABR()):
        with pytest.raises(UsageError, match="two groups"):
            measure.check(("f",))
    for p in (0.0, 1.0):
        with pytest.raises(UsageError, match="p is"):
            ABR(p=p)


hard = hnp.arrays(np.int64, (3, 5), elements=st.integers(0, 3)).map(lambda g: np.eye(4)[g][..., :3])
grades = hnp.arrays(np.float64, (3, 5), elements=st.sampled_from([0.0, 1.0, 2.0]))


@given(hard, grades, st.integers(1, 5))
def test_laws(membership, relevance, cutoff):
    order, judged = [2, 0, 1], membership
    calls = {
        "DP": lambda m, r, j, n: DP(cutoff=cutoff)(m, np.full((1, 3), 1 / 3), n),
        "DTR": lambda m, r, j, n: DTR(cutoff=cutoff)(m, relevance, j, n),
        "DIR": lambda m, r, j, n: DIR(cutoff=cutoff)(m, r, relevance, j, n),
        "ABR": lambda m, r, j, n: ABR(cutoff=cutoff)(m, np.full((1, 3), 1 / 3)),
    }
    below = np.concatenate((membership[:, :cutoff], np.full((3, 3, 3), np.nan)), axis=1)
    padded = np.pad(relevance[:, :cutoff], ((0, 0), (0, 3)), constant_values=np.nan)
    for call in calls.values():
        got = call(membership, relevance, judged, "abc")
        assert np.all(np.isnan(got) | ((got >= 0) & (got <= 1)))
        np.testing.assert_allclose(got, call(membership[..., order], relevance, judged[..., order], "cab"), atol=1e-12)
        if call not in (calls["DP"], calls["ABR"]):  # whose means are over members below, too
            np.testing.assert_allclose(got, call(below, padded, judged, "abc"), atol=1e-12)


@given(hnp.arrays(np.int64, (3, 5), elements=st.integers(0, 1)))
def test_two_groups_one_is_the_rest(group):
    membership = np.eye(2)[group]
    f, m = DP(protected="f")(membership, EVEN, GROUPS), DP(protected="m")(membership, EVEN, GROUPS)
    both = (f > 0) & (m > 0) & np.isfinite(f)
    np.testing.assert_allclose(f[both] * m[both], 1)
    np.testing.assert_allclose(DP()(membership, EVEN, GROUPS), np.minimum(f, m))


@pytest.mark.parametrize(
    ("one", "groups", "is_chosen"), [(None, 2, False), (None, 3, True), (0, 2, False), (0, 3, False)]
)
def test_two_of_three_rates_are_chosen_after_a_look_at_the_data(one, groups, is_chosen):
    got, due = np.array([[1.0, 3.0, 2.0]])[:, :groups], np.full((1, groups), 4.0)
    fixed = ComparedRates(one).fix(got, due, np.ones((1, groups)))
    assert fixed.is_chosen == is_chosen
    rest = got[:, 1:].sum() / due[:, 1:].sum()
    assert fixed.value(fixed.parts).item() == pytest.approx(1 / 3 if one is None else 0.25 / rest)


def test_a_group_of_which_nothing_is_wanted_takes_part_unless_a_target_counts():
    got, due, wanted = np.array([[1.0, 3.0, 0.0]]), np.full((1, 3), 4.0), np.array([[0.5, 0.5, 0.0]])
    assert ComparedRates(None).take(got, due, wanted)[0].tolist() == got.tolist()
    assert ComparedRates(None, has_target=True).take(got, due, wanted)[0].tolist() == [[1, 3]]
