"""AWRF against scipy's Jensen-Shannon distance, nDCG against ir-measures."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import jensenshannon

import fairtrec
from fairtrec.measures.awrf import AWRF, AWRFxnDCG, awrf_slope

A, B, NO, UNKNOWN = [1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [np.nan, np.nan]
EVEN = np.array([[0.5, 0.5]])


def first(many, ranks=4):
    """Fill so many ranks of a ranking."""
    return np.arange(ranks)[None] < many


def value(measure, ranked, target=EVEN, **inputs):
    return measure(np.array([ranked]).reshape(1, len(ranked), 2), np.asarray(target), **inputs).item()


RANKED = [A, [0.25, 0.75], B, A]


@pytest.mark.parametrize("base", [2, "e"])
@pytest.mark.parametrize("discount", ["log2_clipped", "log2"])
def test_awrf_is_scipys_jensen_shannon(base, discount):
    ranks = np.arange(1, 5)
    weights = 1 / np.log2(np.maximum(ranks, 2) if discount == "log2_clipped" else ranks + 1)
    share = weights @ np.array(RANKED) / weights.sum()
    expected = 1 - jensenshannon(share, [0.3, 0.7], base=np.e if base == "e" else 2) ** 2
    measure = AWRF(base=base, discount=discount)
    assert value(measure, RANKED, [[0.3, 0.7]]) == pytest.approx(expected, abs=1e-12)


def test_each_option_changes_the_value():
    # clipped weights 1, 1, .630930, .5: shares a 1.75, b 1.380930 of 3.130930
    values = {
        (base, discount): value(AWRF(base=base, discount=discount), RANKED, [[0.3, 0.7]])
        for base in (2, "e")
        for discount in ("log2_clipped", "log2")
    }
    assert len({round(v, 6) for v in values.values()}) == 4
    assert str(AWRF(base="e", discount="log2")) == "AWRF(base='e',discount='log2')@10"


def test_both_ends_of_the_range():
    assert value(AWRF(), [A, B], EVEN) == 1  # the clipped discount is 1 and 1
    assert value(AWRF(), [A, A], [[0.0, 1.0]]) == 0
    assert value(AWRF(base="e"), [A, A], [[0.0, 1.0]]) == pytest.approx(1 - np.log(2))


def test_unknown_documents():
    # dropped: a and b at ranks 1 and 3, weights 1 and .630930
    ranked, weights = [A, UNKNOWN, B, UNKNOWN], np.array([1, 1 / np.log2(3)])
    assert value(AWRF(), ranked) == pytest.approx(1 - jensenshannon(weights, [0.5, 0.5], base=2) ** 2)
    # a group: unknown at ranks 2 and 4, weights 1 and .5, target 0
    measure = AWRF(unknown="group")
    expected = 1 - jensenshannon([*weights, 1.5], [0.5, 0.5, 0], base=2) ** 2
    assert value(measure, ranked, is_filled=first(4)) == pytest.approx(expected)
    # the ranking ends before the fourth
    expected = 1 - jensenshannon([*weights, 1], [0.5, 0.5, 0], base=2) ** 2
    assert value(measure, ranked, is_filled=first(3)) == pytest.approx(expected)
    assert value(measure, [UNKNOWN], is_filled=first(1)) == 0
    # a document that is known to be of no group is in no group
    assert value(measure, [A, NO, B], is_filled=first(3)) == value(AWRF(), [A, UNKNOWN, B])


def test_what_it_needs():
    assert AWRF().needs == ("membership", "target")
    assert AWRF(unknown="group").needs == ("membership", "target", "is_filled")
    assert AWRFxnDCG().needs == ("membership", "target", "relevance", "judged_relevance")


def test_awrf_times_ndcg():
    import ir_measures

    grades, others = [0, 3, 0, 1], [2, 0]
    judged = [*grades, *others]
    qrels = [ir_measures.Qrel("q", f"d{i}", grade) for i, grade in enumerate(judged)]
    run = [ir_measures.ScoredDoc("q", f"d{i}", 9.0 - i) for i in range(4)]
    for k in (2, 10):
        ndcg = ir_measures.calc_aggregate([ir_measures.nDCG @ k], qrels, run)[ir_measures.nDCG @ k]
        inputs = {"relevance": np.array([grades], float), "judged_relevance": np.array([[*judged, np.nan]], float)}
        for options in ({}, {"base": "e"}):
            fair = value(AWRF(cutoff=k, discount="log2", **options), RANKED)
            both = AWRFxnDCG(cutoff=k, discount="log2", **options)
            assert value(both, RANKED, **inputs) == pytest.approx(fair * ndcg)
    options = {"unknown": "group", "discount": "log2"}
    grouped = value(AWRFxnDCG(**options), [UNKNOWN, *RANKED[1:]], is_filled=first(4), **inputs)
    alone = value(AWRF(**options), [UNKNOWN, *RANKED[1:]], is_filled=first(4))
    assert grouped == pytest.approx(alone * ndcg)


def test_negative_grades_count_nothing():
    inputs = {"relevance": np.array([[-2.0, 1.0]]), "judged_relevance": np.array([[-2.0, 1.0]])}
    fair = value(AWRF(discount="log2"), [A, B])
    assert value(AWRFxnDCG(discount="log2"), [A, B], **inputs) == pytest.approx(fair / np.log2(3))


def test_undefined_and_empty():
    assert np.isnan(value(AWRF(), []))
    assert np.isnan(value(AWRF(), [UNKNOWN, NO]))
    assert np.isnan(value(AWRF(), [A], [[np.nan, np.nan]]))
    judged, none = np.array([[1.0]]), np.zeros((1, 0))
    assert value(AWRFxnDCG(), [], relevance=none, judged_relevance=judged) == 0
    assert value(AWRFxnDCG(), [UNKNOWN], relevance=np.array([[0.0]]), judged_relevance=judged) == 0
    assert np.isnan(value(AWRFxnDCG(), [UNKNOWN], relevance=judged, judged_relevance=judged))
    assert np.isnan(value(AWRFxnDCG(), [A], relevance=judged, judged_relevance=0 * judged))
    assert np.isnan(value(AWRFxnDCG(), [A], relevance=judged, judged_relevance=none))
    assert np.isnan(value(AWRFxnDCG(), [A], [[np.nan, np.nan]], relevance=0 * judged, judged_relevance=judged))


memberships = hnp.arrays(np.float64, (3, 5, 3), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0]))


@given(memberships, st.integers(1, 5), st.sampled_from([2, "e"]), st.sampled_from(["log2", "log2_clipped"]))
def test_laws(membership, cutoff, base, discount):
    measure, target = AWRF(cutoff=cutoff, base=base, discount=discount), np.array([[0.5, 0.3, 0.2]])
    got = measure(membership, target)
    known = membership[:, :cutoff].any(axis=(1, 2))
    assert np.array_equal(~np.isnan(got), known)
    assert np.all((got[known] >= (0 if base == 2 else 1 - np.log(2)) - 1e-12) & (got[known] <= 1 + 1e-12))
    np.testing.assert_allclose(got, measure(membership[..., [2, 0, 1]], target[:, [2, 0, 1]]), atol=1e-12)
    below = np.concatenate((membership[:, :cutoff], np.full((3, 4, 3), np.nan)), axis=1)
    np.testing.assert_allclose(got, measure(below, target), atol=1e-12)


def test_even_gives_what_is_of_nobody_to_all_groups_in_equal_parts():
    # weights 1, 1, .630930, .5: a has 1 + (.630930 + .5) / 2 = 1.565465 of 3.130930, b 1 + .565465: even
    is_filled = first(4)
    assert value(AWRF(unknown="even"), [A, B, UNKNOWN, NO], is_filled=is_filled) == pytest.approx(1)
    weights = 1 / np.log2(np.maximum(np.arange(1, 5), 2))
    share = [weights[0] + weights[1:].sum() / 2, weights[1:].sum() / 2]
    expected = 1 - jensenshannon(share, [0.5, 0.5], base=2) ** 2
    assert value(AWRF(unknown="even"), [A, NO, UNKNOWN, NO], is_filled=is_filled) == pytest.approx(expected)
    assert value(AWRF(unknown="even"), [NO, NO, UNKNOWN, NO], is_filled=is_filled) == 1  # where others have no value
    assert np.isnan(value(AWRF(), [NO, NO, UNKNOWN, NO]))
    short = value(AWRF(unknown="even"), [A, NO, UNKNOWN, UNKNOWN], is_filled=first(2))  # which ends at rank 2
    assert short == pytest.approx(1 - jensenshannon([1.5, 0.5], [0.5, 0.5], base=2) ** 2)
    assert np.isnan(value(AWRF(unknown="even"), [UNKNOWN], is_filled=first(0)))
    useful = {"relevance": np.array([[1.0, 0.0]]), "judged_relevance": np.array([[1.0]])}
    both = value(AWRFxnDCG(unknown="even"), [NO, NO], is_filled=first(2), **useful)
    assert both == 1
    assert AWRF(unknown="even").formula(np.zeros((1, 2, 2)), EVEN, first(2)).over_labels() is None
    assert (
        AWRFxnDCG(unknown="even").formula(np.zeros((1, 2, 2)), EVEN, is_filled=first(2), **useful).over_labels() is None
    )
    assert (AWRF(unknown="even").beyond, AWRF().beyond) == ("", "sum")


def test_even_of_the_paper_s_ten_runs(ten):
    """Worked out by another program, over all 30 queries, where AWRF has 6 to 10 of them; the ceiling is in sight."""
    runs, qrels, given = ten
    given = {name: given[name] for name in ("counts", "missing", "queries")}
    result = fairtrec.evaluate("AWRF(unknown='even')@10", runs, qrels=qrels, **given)
    assert {scores.defined.item() for scores in result.scores} == {30}
    found = {Path(scores.run).stem: scores.means.item() for scores in result.scores}
    printed = {
        "BM25": 0.9980,
        "RM3": 0.9980,
        "advbert_L2": 0.9952,
        "advbert_L4": 0.9974,
        "bert_L2": 0.9920,
        "bert_L4": 0.9917,
    }
    printed |= {"conv_knrm": 0.9909, "knrm": 0.9950, "match_pyramid": 0.9974, "tk": 0.9908}
    assert found == pytest.approx(printed, abs=6e-5)


@pytest.mark.parametrize("base", [2, np.e])
@pytest.mark.parametrize("target", [[0.5, 0.5, 0.0], [0.2, 0.3, 0.5]])
def test_the_slope_is_the_derivative_of_scipys_jensen_shannon(base, target):
    exposure, step = np.array([3.0, 1.0, 0.5]), 1e-6

    def of_scipy(amounts):
        return 1 - jensenshannon(amounts / amounts.sum(), target, base=base) ** 2

    expected = [(of_scipy(exposure + step * up) - of_scipy(exposure - step * up)) / (2 * step) for up in np.eye(3)]
    assert awrf_slope(exposure[None], np.array([target]), base)[0] == pytest.approx(expected, abs=1e-8)
    twice = awrf_slope(2 * exposure[None], np.array([target]), base)[0]  # shares move half as fast
    assert twice == pytest.approx(np.array(expected) / 2, abs=1e-8)


def test_only_given_weights_can_rise_so_that_ndcg_exceeds_1():
    # weights 1 and 2: a relevant document at rank 2 gets 2, in the order of falling grades 1; exposures are 1 and 2
    given = {"labels": {"x": "f", "y": "m"}, "discount": [1.0, 2.0]}
    scores = fairtrec.evaluate(
        "AWRFxnDCG(discount='given')@2", {"q": {"x": 2.0, "y": 1.0}}, qrels={"q": {"y": 1}}, **given
    )
    expected = 2 * (1 - jensenshannon([1 / 3, 2 / 3], [0.5, 0.5], base=2) ** 2)
    assert scores.scores[0].values.item() == pytest.approx(expected)
    assert expected > 1
    assert [AWRFxnDCG(discount=name).bounds for name in ("given", "log2", "log2_clipped")] == [
        (0, None),
        (0, 1),
        (0, 1),
    ]


def test_ndcg_does_not_depend_on_unknown_groups():
    run = {
        "1": {"a": 4.0, "x": 3.0, "b": 2.0, "y": 1.0},
        "2": {"y": 3.0, "b": 2.0, "a": 1.0},
        "3": {"b": 1.0, "x": 0.5},
    }
    qrels = {"1": {"a": 1, "y": 2}, "2": {"a": 1, "b": 1}, "3": {"b": 1, "c": 3}}
    names = "AWRF(discount=log2)@10 nDCG@10 AWRFxnDCG(discount=log2)@10"
    scores = fairtrec.evaluate(names, run, qrels=qrels, labels={"a": "f", "b": "m", "c": "f"}, bounds="labels").scores[
        0
    ]
    for end in ("least", "greatest"):
        fair, _, both = scores.ends[end].values
        assert both == pytest.approx(fair * scores.values[1], rel=1e-12)
