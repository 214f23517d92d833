"""GFR, written out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import jensenshannon
from scipy.stats import wasserstein_distance

import fairtrec
from fairtrec.formulas.distribution import match_distance, order_aware
from fairtrec.measures.gfr import GFR, stops
from fairtrec.support.errors import UsageError

A, B, C = np.eye(3)
UNKNOWN = [np.nan] * 3
THIRD = np.array([[1 / 3] * 3])


def value(measure, ranked, grades, target=THIRD):
    return measure(np.array([ranked]).reshape(1, len(ranked), 3), np.array([grades]), np.asarray(target)).item()


def test_written_out():
    # max_grade 1: r = 1/2, 0, 1/2; stop at 1: 1/2, at 2: 0, at 3: 1/4. ERR = 1/2 + 1/4 / 3 = 7/12
    ranked, grades = [A, B, B], [1.0, 0.0, 1.0]
    assert value(GFR(max_grade=1, part="relevance"), ranked, grades) == pytest.approx(7 / 12)
    # likeness of (1, 0, 0) and (1/3, 2/3, 0) to a third each
    first = 1 - jensenshannon([1, 0, 0], [1 / 3] * 3, base=2) ** 2
    third = 1 - jensenshannon([1 / 3, 2 / 3, 0], [1 / 3] * 3, base=2) ** 2
    fairness = first / 2 + third / 4
    assert value(GFR(max_grade=1, part="fairness"), ranked, grades) == pytest.approx(fairness)
    assert value(GFR(max_grade=1), ranked, grades) == pytest.approx((fairness + 7 / 12) / 2)
    # the cutoff ends the sum
    assert value(GFR(max_grade=1, cutoff=2), ranked, grades) == pytest.approx((first + 1) / 4)


def test_irbu():
    # 1/2 * p + 1/4 * p^3
    ranked, grades = [A, B, B], [1.0, 0.0, 1.0]
    got = value(GFR(max_grade=1, decay="irbu", part="relevance"), ranked, grades)
    assert got == pytest.approx(0.5 * 0.99 + 0.25 * 0.99**3)
    got = value(GFR(max_grade=1, decay="irbu", p=0.5, part="relevance"), ranked, grades)
    assert got == pytest.approx(0.25 + 0.25 / 8)


def test_grades():
    # max_grade 2: r = 1/4, 3/4; a grade above counts as 2, one below 0 as none
    assert value(GFR(max_grade=2, part="relevance"), [A, A], [1.0, 2.0]) == pytest.approx(1 / 4 + 3 / 4 * 3 / 4 / 2)
    assert value(GFR(max_grade=2, part="relevance"), [A, A], [1.0, 9.0]) == pytest.approx(1 / 4 + 3 / 4 * 3 / 4 / 2)
    assert value(GFR(max_grade=2, part="relevance"), [A, A], [-1.0, np.nan]) == 0
    assert value(GFR(part="relevance", max_grade=4), [A], [4.0]) == pytest.approx(15 / 16)


def test_the_greatest_grade_is_that_of_all_qrels_and_the_signature_shows_it():
    """Four relevant documents of alternating groups; q2, which no run has, is judged to the grade 2."""
    run, labels = {"q1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}, {"a": "f", "b": "m", "c": "f", "d": "m"}
    qrels = {"q1": dict.fromkeys("abcd", 1)}
    # as written out in test_values: a grade of 1 of 1 stops half of the readers
    found = fairtrec.evaluate("GFR@4 GFR(max_grade=1)@4 GFR(max_grade=2)@4", run, qrels=qrels, labels=labels)
    default, one, two = found.scores[0].values[:, 0]
    assert default == one == pytest.approx(0.7308, abs=5e-5)
    assert found.signature["max-grade"] == "1"
    more = fairtrec.evaluate("GFR@4", run, qrels=qrels | {"q2": {"a": 2}}, labels=labels)
    assert more.scores[0].values.item() == two != one
    assert more.signature["max-grade"] == "2"
    none = fairtrec.evaluate("GFR@4", run, qrels={"q1": {"a": 0}}, labels=labels)
    assert none.scores[0].values.item() == 0
    assert "max-grade" not in fairtrec.evaluate("GFR(max_grade=1)@4 nDCG", run, qrels=qrels, labels=labels).signature
    with pytest.raises(UsageError, match=r"GFR@10 needs the greatest grade of the qrels"):
        value(GFR(), [A], [1.0])


def test_grades_of_any_size_have_a_value():
    # 2^3000 overflows: the greatest stops all but 2^-3000 of the readers, one less half of them
    assert value(GFR(max_grade=3000, part="relevance"), [A], [3000.0]) == 1
    assert value(GFR(max_grade=3000, part="relevance"), [A], [2999.0]) == 0.5


def test_ordinal_divergences():
    # target all in the first group; a document in the second is nearer than one in the third
    only = [[1.0, 0.0, 0.0]]
    by = {
        (divergence, name): value(GFR(max_grade=1, divergence=divergence, part="fairness"), [group], [1.0], only)
        for divergence in ("jsd", "nmd", "rnod")
        for name, group in (("b", B), ("c", C))
    }
    assert by["jsd", "b"] == by["jsd", "c"] == 0
    # nmd: |cumulated| = 1, 0, 0 or 1, 1, 0, over 2
    assert by["nmd", "b"] == pytest.approx(0.5 * (1 - 0.5))
    assert by["nmd", "c"] == pytest.approx(0.5 * (1 - 1))
    # rnod: only the first group is wanted; DW_1 = 1 * 1^2 or 2 * 1^2; sqrt(DW / 2)
    assert by["rnod", "b"] == pytest.approx(0.5 * (1 - np.sqrt(1 / 2)))
    assert by["rnod", "c"] == pytest.approx(0.5 * (1 - np.sqrt(2 / 2)))


def test_order_aware_written_out():
    # p - q = .5, -.25, -.25; squares .25, .0625, .0625; DW = .0625 + .125, .25 + .0625, .5 + .0625; mean of those with
    # q > 0, the last two: .4375; over 2, the root
    p, q = np.array([0.5, 0.25, 0.25]), np.array([0.0, 0.5, 0.5])
    assert order_aware(p, q) == pytest.approx(np.sqrt(0.4375 / 2))


@given(hnp.arrays(np.float64, (2, 4), elements=st.floats(0.01, 1)))
def test_match_distance_is_scipys_wasserstein(pq):
    p, q = pq / pq.sum(axis=1, keepdims=True)
    assert match_distance(p, q) == pytest.approx(wasserstein_distance(range(4), range(4), p, q) / 3)


def test_unknown_documents_keep_the_share():
    # stop 1/2, 1/4, 1/8; the first rank has no share yet, the third that of the second
    likeness = 1 - jensenshannon([1, 0, 0], [1 / 3] * 3, base=2) ** 2
    got = value(GFR(max_grade=1, part="fairness"), [UNKNOWN, A, UNKNOWN], [1.0, 1.0, 1.0])
    assert got == pytest.approx((1 / 4 + 1 / 8) * likeness)


@pytest.mark.parametrize("divergence", ["jsd", "nmd", "rnod"])
def test_undefined_and_empty(divergence):
    measure = GFR(divergence=divergence, max_grade=4)
    assert value(measure, [], []) == 0
    assert value(measure, [UNKNOWN], [np.nan]) == 0
    assert np.isnan(value(measure, [UNKNOWN], [1.0]))
    assert np.isnan(value(measure, [A], [1.0], [UNKNOWN]))
    assert value(GFR(part="relevance", max_grade=1), [UNKNOWN], [1.0], [UNKNOWN]) == 0.5


def test_bad_parameters():
    for bad in ({"max_grade": 0}, {"max_grade": 10**400}, {"p": 0.0}, {"p": 1.1}):
        with pytest.raises(UsageError, match="GFR"):
            GFR(**bad)
    GFR().check(("f", "m"))
    with pytest.raises(UsageError, match="two groups"):
        GFR().check(("f",))


hard = hnp.arrays(np.int64, (3, 5), elements=st.integers(0, 2)).map(lambda g: np.eye(3)[g])
grades = hnp.arrays(np.float64, (3, 5), elements=st.sampled_from([0.0, 1.0, 2.0, np.nan]))


@given(hard, grades, st.integers(1, 5), st.sampled_from(["err", "irbu"]), st.sampled_from(["jsd", "nmd", "rnod"]))
def test_laws(membership, relevance, cutoff, decay, divergence):
    options = {"cutoff": cutoff, "decay": decay, "divergence": divergence, "max_grade": 2}
    target = np.array([[0.5, 0.3, 0.2]])
    both, fairness, relevant = (
        GFR(**options, part=part)(membership, relevance, target) for part in ("both", "fairness", "relevance")
    )
    np.testing.assert_allclose(both, (fairness + relevant) / 2)
    stop = stops(relevance[:, :cutoff], 2).sum(axis=1)
    assert np.all((fairness >= -1e-12) & (fairness <= stop + 1e-12) & (relevant <= stop + 1e-12) & (stop < 1))
    back = GFR(**options)(membership[..., ::-1], relevance, target[:, ::-1])  # turning an order round keeps distances
    np.testing.assert_allclose(both, back, atol=1e-9)
    below = np.concatenate((membership[:, :cutoff], np.full((3, 3, 3), np.nan)), axis=1)
    padded = np.pad(relevance[:, :cutoff], ((0, 0), (0, 3)), constant_values=np.nan)
    np.testing.assert_allclose(both, GFR(**options)(below, padded, target), atol=1e-12)
