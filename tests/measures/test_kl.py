"""KL, NDKL and nDRKL against scipy's entropy, the hand check, and arithmetic."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import entropy

import fairtrec
from fairtrec.formulas import distribution
from fairtrec.measures.kl import KL, NDKL, nDRKL
from fairtrec.support.errors import UsageError

A, B, NO, UNKNOWN = [1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [np.nan, np.nan]
EVEN = np.array([[0.5, 0.5]])
P5 = 2.9484591188793923


def value(measure, ranked, target=EVEN, length=None):
    inputs = [np.array([ranked]).reshape(1, len(ranked), 2), np.asarray(target)]
    if not isinstance(measure, KL):
        inputs.append(np.array([len(ranked) if length is None else length]))
    return measure(*inputs).item()


HAND = [A, A, B, A, B]


def test_the_hand_check_of_the_specification():
    for k, expected in enumerate([0.693147, 0.693147, 0.056633, 0.130812, 0.020136], start=1):
        assert value(KL(cutoff=k), HAND) == pytest.approx(expected, abs=5e-7)
    assert value(nDRKL(cutoff=5), HAND) == pytest.approx(0.744975, abs=5e-7)
    # .693147 * (1 + .630930) + .056633 * .5 + .130812 * .430677 + .020136 * .386853 = 1.222918, over 2.948459
    assert value(NDKL(cutoff=5), HAND) == pytest.approx(1.222918 / P5, abs=1e-6)


@given(hnp.arrays(np.float64, (4, 3), elements=st.floats(0, 1)), hnp.arrays(np.float64, 3, elements=st.floats(0.05, 1)))
def test_kl_is_scipys_entropy(p, q):
    p, q = p + 1e-3, q / q.sum()
    expected = entropy(p, q[None], axis=1)
    np.testing.assert_allclose(distribution.kl(distribution.shares(p), q), expected, atol=1e-12)
    np.testing.assert_allclose(KL()(p[:, None], q[None]), expected, atol=1e-12)


def test_soft_labels_and_several_groups_count_as_they_stand():
    # 1.5 : .5 of two documents
    assert value(KL(), [[0.5, 0.5], A]) == pytest.approx(entropy([0.75, 0.25], [0.5, 0.5]))
    # one document in both groups, one in a: 2 : 1
    assert value(KL(), [[1.0, 1.0], A]) == pytest.approx(entropy([2 / 3, 1 / 3], [0.5, 0.5]))


def test_a_group_that_nobody_wants():
    only_a = [[1.0, 0.0]]
    assert value(KL(), [A, B], only_a) == np.inf
    assert value(NDKL(), [A, B], only_a) == np.inf
    assert value(nDRKL(cutoff=2), [A, B], only_a) == pytest.approx(1 / (1 + 1 / np.log2(3)))  # rank 2 earns 0
    assert value(KL(), [A], only_a) == 0


SOFT = np.array([[[0.5, 0.5, 0.0]]])
THIRDS = np.full((1, 3), 1 / 3)


@pytest.mark.parametrize(
    ("divergence", "expected"),
    [
        ("kl", np.log(1.5)),
        ("jsd", 0.1908745046211096),  # .5 (2 * .5 log2(.5 / (5/12)) + 2/3 log2((1/3) / (5/12)) + 1/3 log2 2)
        ("nmd", 0.25),  # |1/6| + |2/6| + 0, over 2
        ("rnod", 0.28054180384339106),  # DW = 1/36 + 2/9, 1/36 + 1/9, 2/36 + 1/36; the root of their mean, over 2
    ],
)
def test_other_divergences_stand_in_its_place(divergence, expected):
    order, once = np.array([0, 1, 2]), np.array([1])
    measure = NDKL(cutoff=1, divergence=divergence)
    named = {"order": order} if "order" in measure.needs else {}
    assert measure(SOFT, THIRDS, once, **named).item() == pytest.approx(expected, abs=1e-12)
    assert NDKL(cutoff=3, divergence=divergence)(
        np.repeat(SOFT, 3, axis=1), THIRDS, np.array([3]), **named
    ).item() == pytest.approx(expected, abs=1e-12)


def test_ranks_weigh_other_divergences_as_they_weigh_kl():
    # a, then a b: jsd of all in a from even is .311278, at the second rank 0
    only, both = 0.31127812445913283, 0.0
    measure = NDKL(cutoff=2, divergence="jsd")
    assert value(measure, [A, B]) == pytest.approx((only + both / np.log2(3)) / (1 + 1 / np.log2(3)), abs=1e-12)
    assert value(measure, [A, B], [[1.0, 0.0]]) < 1  # finite, though nobody wants b
    assert value(measure, [NO, A]) == pytest.approx(only / np.log2(3) / (1 + 1 / np.log2(3)), abs=1e-12)


def test_the_order_of_groups_decides_ordinal_divergences():
    run, labels = {"q": {"a": 2.0}}, {"a": "low", "b": "mid", "c": "high"}
    given = {"labels": labels, "target": {"low": 0.0, "mid": 0.0, "high": 1.0}}
    by = {
        (divergence, groups): fairtrec.evaluate(f"NDKL(divergence={divergence})@1", run, groups=groups, **given)
        .scores[0].means[0]
        for divergence in ("nmd", "rnod", "jsd")
        for groups in ("low,mid,high", "mid,low,high")
    }  # fmt: skip
    assert by["nmd", "low,mid,high"] == 1
    assert by["nmd", "mid,low,high"] == 0.5
    assert by["rnod", "low,mid,high"] > by["rnod", "mid,low,high"]
    assert by["jsd", "low,mid,high"] == by["jsd", "mid,low,high"] == 1
    with pytest.raises(UsageError, match=r"needs the order of the groups: groups=low,mid,high"):
        fairtrec.evaluate("NDKL(divergence=nmd)@1", run, **given)


def test_unknown_documents_keep_the_share_and_a_short_ranking_ends():
    z = 1 + 1 / np.log2(3) + 1 / 2
    # ranks 1..3: undefined (0), 1 : 0, 1 : 0
    assert value(nDRKL(cutoff=3), [UNKNOWN, A, UNKNOWN]) == pytest.approx((z - 1) / (1 + np.log(2)) / z)
    assert value(NDKL(cutoff=3), [NO, A, NO]) == pytest.approx((z - 1) * np.log(2) / z)
    # the same row, but the ranking ends after two documents
    assert value(nDRKL(cutoff=3), [UNKNOWN, A, UNKNOWN], length=2) == pytest.approx((z - 1.5) / (1 + np.log(2)) / z)
    assert value(NDKL(cutoff=3), [UNKNOWN, A, UNKNOWN], length=2) == pytest.approx((z - 1.5) * np.log(2) / (z - 0.5))


def test_undefined_and_empty():
    for measure in (KL(), NDKL(), nDRKL()):
        assert np.isnan(value(measure, [UNKNOWN, NO]))
        assert np.isnan(value(measure, [A], [[np.nan, np.nan]]))
    assert np.isnan(value(KL(), []))
    assert np.isnan(value(NDKL(), []))
    assert np.isnan(value(NDKL(), [UNKNOWN], length=0))
    assert value(nDRKL(), []) == 0
    assert value(nDRKL(), [UNKNOWN], length=0) == 0
    assert np.isnan(value(nDRKL(), [UNKNOWN], [[np.nan, np.nan]], length=0))


def test_one_target_each():
    got = KL()(np.array([[A], [A]]), np.array([[0.5, 0.5], [0.25, 0.75]]))
    np.testing.assert_allclose(got, [np.log(2), np.log(4)])


memberships = hnp.arrays(np.float64, (3, 5, 3), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0]))


@given(memberships, st.integers(1, 5))
def test_laws(membership, cutoff):
    target, lengths = np.array([[0.5, 0.3, 0.2]]), np.full(3, 5)
    dkl, ndkl, ndrkl = KL(cutoff=cutoff), NDKL(cutoff=cutoff), nDRKL(cutoff=cutoff)
    some = membership[:, :cutoff].any(axis=(1, 2))
    kl = dkl(membership, target)
    assert np.array_equal(~np.isnan(kl), some)
    assert np.all((kl[some] >= 0) & (kl[some] <= np.log(5) + 1e-12))
    order = [1, 2, 0]
    for measure, inputs in ((dkl, ()), (ndkl, (lengths,)), (ndrkl, (lengths,))):
        got = measure(membership, target, *inputs)
        np.testing.assert_allclose(got, measure(membership[..., order], target[:, order], *inputs), atol=1e-12)
        below = np.concatenate((membership[:, :cutoff], np.full((3, 4, 3), np.nan)), axis=1)
        np.testing.assert_allclose(got, measure(below, target, *(np.minimum(x, cutoff) for x in inputs)), atol=1e-12)
    near, far = ndrkl(membership, target, lengths), ndkl(membership, target, lengths)
    assert np.all((near[some] > 0) & (near[some] <= 1 + 1e-12))
    first = membership[:, 0].any(axis=1)
    assert np.all(near[first] >= 1 / (1 + far[first]) - 1e-9)  # 1 / (1 + x) is convex


def test_an_infinite_mean_has_a_note_with_the_reason():
    run, labels = {"q": {"a": 2.0, "b": 1.0}, "r": {"b": 1.0}}, {"a": "f", "b": "m"}
    result = fairtrec.evaluate("KL@2 NDKL@2 nDRKL@2", run, labels=labels, target={"f": 0.0, "m": 1.0})
    said = "KL@2, NDKL@2: infinite for 1 of 2 queries, so the mean is infinite; a group of target 0 has a share"
    assert said in " ".join(str(result).split())
    assert "infinite" not in str(fairtrec.evaluate("KL@2 NDKL@2", run, labels=labels))
