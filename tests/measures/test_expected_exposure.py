"""Expected exposure, written out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from fairtrec.measures.expected_exposure import EED, EEL, EER
from fairtrec.support.errors import UsageError

A, B, NO, UNKNOWN = [1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [np.nan, np.nan]
EVEN = np.array([[0.5, 0.5]])


def values(rankings, target=EVEN, sample_of=None, queries=1, grades=None, judged=None, **options):
    membership = np.array(rankings).reshape(len(rankings), -1, 2)
    sample_of = np.zeros(len(rankings), dtype=np.int64) if sample_of is None else np.array(sample_of)
    relevance = {} if grades is None else {"relevance": np.array(grades)}
    both = {} if judged is None else {"judged_relevance": np.array(judged)}
    target = np.asarray(target)
    return (
        EED(**options)(membership, sample_of, queries, **relevance),
        EER(**options)(membership, sample_of, queries, target, **relevance, **both),
        EEL(**options)(membership, sample_of, queries, target, **relevance, **both),
    )


def one(*args, **options):
    return [value.item() for value in values(*args, **options)]


def test_one_ranking_written_out():
    # weights 1, .5, .25: s = (1.25, .5); t = even shares of 1.75
    d, r, loss = one([[A, B, A]], cutoff=3)
    assert d == 1.25**2 + 0.5**2
    assert r == 0.875 * 1.75
    assert loss == pytest.approx((1.25 - 0.875) ** 2 + (0.5 - 0.875) ** 2)
    # a target of 1 : 3 wants (.4375, 1.3125)
    d, r, loss = one([[A, B, A]], [[0.25, 0.75]], cutoff=3)
    assert r == 1.25 * 0.4375 + 0.5 * 1.3125
    assert loss == pytest.approx((1.25 - 0.4375) ** 2 + (0.5 - 1.3125) ** 2)


def test_several_rankings_are_averaged_before_they_are_squared():
    # two rankings that mirror each other: s = (.75, .75), the target itself
    assert one([[A, B], [B, A]], cutoff=2) == [2 * 0.75**2, 2 * 0.75**2, 0]
    # rows of two queries in any order; the second has one ranking, the third none
    got = values([[A, B], [A, A], [B, A]], sample_of=[0, 1, 0], queries=3, cutoff=2)
    np.testing.assert_allclose(got[2], [0, 2 * 0.75**2, np.nan])
    np.testing.assert_allclose(got[0], [2 * 0.75**2, 1.5**2, np.nan])


def test_each_discount_written_out():
    w = 1 / np.log2(3)
    assert one([[A, B]], cutoff=2, discount="log2")[0] == pytest.approx(1 + w**2)
    assert one([[A, B]], cutoff=2, discount="log2")[2] == pytest.approx(2 * ((1 - w) / 2) ** 2)
    assert one([[A, B]], cutoff=2, p=0.8)[0] == pytest.approx(1 + 0.64)
    # err, p .5, stop .5: the first document is relevant, so .5 * .5 of the readers see the second and .25 * .5 the third;
    # the ideal has both relevant documents first: 1 + .25 + .25 * .25 = 1.3125
    grades, judged = [[1.0, 0.0, np.nan]], [[1.0, 2.0, np.nan]]
    d, r, loss = one([[A, B, B]], cutoff=3, discount="err", grades=grades, judged=judged)
    s = np.array([1, 0.25 + 0.125])
    assert d == pytest.approx(s @ s)
    assert r == pytest.approx(s.sum() * 1.3125 / 2)
    assert loss == pytest.approx(((s - 1.3125 / 2) ** 2).sum())
    # stop .8: .5 * .2 and .25 * .2; from grade 2 on nothing ranked is relevant, and one judged document
    assert one([[A, B, B]], cutoff=3, discount="err", stop=0.8, grades=grades, judged=judged)[0] == pytest.approx(
        1 + 0.15**2
    )
    d, r, _ = one([[A, B, B]], cutoff=3, discount="err", rel=2, grades=grades, judged=judged)
    assert d == pytest.approx(1 + 0.75**2)
    assert r == pytest.approx(1.75 * (1 + 0.25 + 0.125) / 2)


def test_unknown_documents_leave_exposure_to_nobody():
    # s = (1, 0), t = (.75, .75)
    for ranked in ([A, UNKNOWN], [A, NO], [A]):
        assert one([ranked], cutoff=2) == [1, 0.75, 0.25**2 + 0.75**2]
    # a sample without any labeled document still counts as a ranking
    assert one([[A], [UNKNOWN]], cutoff=1)[0] == 0.25
    # nobody comes as far as the second document, but its group is known
    assert one([[UNKNOWN, A]], cutoff=2, discount="err", stop=1.0, grades=[[1.0, 0.0]], judged=[[1.0]])[0] == 0


def test_undefined_and_empty():
    for rankings in ([[UNKNOWN, NO]], [[]]):
        assert np.isnan(one(rankings)).all()
    d, r, loss = one([[A]], [[np.nan, np.nan]])
    assert d == 1
    assert np.isnan([r, loss]).all()


def test_what_it_needs():
    assert EED().needs == ("membership", "sample_of", "queries")
    assert EED(discount="err").needs == ("membership", "sample_of", "queries", "relevance")
    assert EEL().needs == ("membership", "sample_of", "queries", "target")
    assert EER(discount="err").needs[3:] == ("target", "relevance", "judged_relevance")


@pytest.mark.parametrize("bad", [{"p": 0.0}, {"p": 1.5}, {"stop": -0.1}, {"stop": 1.1}])
def test_bad_parameters(bad):
    with pytest.raises(UsageError, match="probabilities"):
        EEL(**bad)


hard = hnp.arrays(np.int64, (4, 5), elements=st.integers(0, 2)).map(lambda g: np.eye(3)[g])


@given(hard, st.integers(1, 5), st.sampled_from(["geometric", "log2", "err"]))
def test_laws(membership, cutoff, discount):
    options = {"cutoff": cutoff, "discount": discount}
    sample_of, target = np.array([0, 1, 0, 1]), np.array([[0.5, 0.3, 0.2]])
    grades = (membership[..., 0] > 0).astype(float)
    extra = {"relevance": grades} if discount == "err" else {}
    judged = {**extra, "judged_relevance": grades[:2]} if discount == "err" else {}
    d = EED(**options)(membership, sample_of, 2, **extra)
    r = EER(**options)(membership, sample_of, 2, target, **judged)
    loss = EEL(**options)(membership, sample_of, 2, target, **judged)
    i = np.arange(cutoff)
    above = np.minimum(i, grades[:2].sum(axis=1, keepdims=True)) if discount == "err" else np.zeros((2, 1))
    most = (1 / np.log2(i + 2) if discount == "log2" else 0.5**i * 0.5**above).sum(axis=-1)
    np.testing.assert_allclose(loss, d - 2 * r + (target**2).sum() * most**2, atol=1e-12)
    order = [2, 0, 1]
    np.testing.assert_allclose(
        loss, EEL(**options)(membership[..., order], sample_of, 2, target[:, order], **judged), atol=1e-12
    )
    np.testing.assert_allclose(d, EED(**options)(membership[..., order], sample_of, 2, **extra))
    below = np.concatenate((membership[:, :cutoff], np.full((4, 3, 3), np.nan)), axis=1)
    cut = {"relevance": np.pad(grades[:, :cutoff], ((0, 0), (0, 3)))} if discount == "err" else {}
    np.testing.assert_allclose(d, EED(**options)(below, sample_of, 2, **cut))
    assert np.all(d >= 0)
    assert np.all(loss >= 0)


def test_only_relevant_documents_hand_exposure_to_their_groups():
    # weights 1, .5, .25; the first and last are relevant, both of a: s = (1.25, 0); t = even shares of 1.75
    given = {"cutoff": 3, "documents": "relevant", "grades": [[1, 0, 2]]}
    assert one([[A, B, A]], **given) == pytest.approx([1.25**2, 1.25 * 0.875, 0.375**2 + 0.875**2])
    assert one([[A, B, A]], **given, rel=2) == pytest.approx([0.25**2, 0.25 * 0.875, 0.625**2 + 0.875**2])
    # a reader who stops at relevant documents: the third rank keeps .25 * .5
    assert one([[A, B, A]], **given, discount="err", judged=[[1, 2]])[0] == pytest.approx(1.125**2)


def test_where_none_is_relevant_exposure_is_0_and_not_undefined():
    got = values([[A, B], [B, A]], sample_of=[0, 1], queries=2, cutoff=2, documents="relevant",
                 grades=[[1, np.nan], [0, np.nan]])  # fmt: skip
    np.testing.assert_allclose(got, [[1, 0], [0.75, 0], [0.25**2 + 0.75**2, 2 * 0.75**2]])


def test_where_all_are_relevant_nothing_is_different():
    grades = [[1, 1], [1, 1]]
    both = [
        values([[A, B], [B, B]], sample_of=[0, 0], cutoff=2, documents=of, grades=grades) for of in ("all", "relevant")
    ]
    np.testing.assert_array_equal(*both)
