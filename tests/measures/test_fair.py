"""FAIR against the hand check, plain utility measures of ir-measures, and arithmetic."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import jensenshannon

from fairtrec.formulas import sequences
from fairtrec.measures.fair import FAIR, greedy_novelty
from fairtrec.support.errors import UsageError

A, B, NO, UNKNOWN = [1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [np.nan, np.nan]
EVEN = np.array([[0.5, 0.5]])
GAINS = ["alpha", "ndcg", "rbp", "err_ia", "nrbp", "ap"]


def value(measure, ranked, grades, target=EVEN, judged=None, judged_grades=None):
    membership, relevance = np.array([ranked]), np.array([grades])
    judged = membership if judged is None else np.array([judged])
    judged_grades = relevance if judged_grades is None else np.array([judged_grades])
    return measure(membership, relevance, np.asarray(target), judged_grades, judged).item()


HAND = ([A, A, B, A, B], [1.0, 1.0, 1.0, 0.0, 1.0])  # a1 a2 b1 a3 b2, all relevant but a3
D2 = 1 / np.log2(np.arange(2, 12))  # the discounts of ranks 1, 2, ...
# dKL of the prefixes: shares 1:0, 1:0, 2:1, 3:1, 3:2 against even
DKL = [np.log(2), np.log(2), np.log(2) - (np.log(3) - 2 / 3 * np.log(2)), None, None]
DKL[3] = 3 / 4 * np.log(3 / 2) + 1 / 4 * np.log(1 / 2)
DKL[4] = 3 / 5 * np.log(6 / 5) + 2 / 5 * np.log(4 / 5)


def test_the_hand_check_of_the_specification():
    assert np.allclose(DKL, [0.693147, 0.693147, 0.056633, 0.130812, 0.020136], atol=5e-7)
    # gains 1, 1/2 (a seen once), 1, 0 (not relevant), 1/2; ideal a1 b1 a2 b2: 1, 1, 1/2, 1/2
    assert value(FAIR(cutoff=5), *HAND) == pytest.approx(0.686813, abs=5e-7)


@pytest.mark.parametrize(
    ("gain", "gains", "ideal"),
    [
        ("alpha", [1, D2[1] / 2, D2[2], 0, D2[4] / 2], 1 + D2[1] + D2[2] / 2 + D2[3] / 2),
        ("ndcg", [1, D2[1], D2[2], 0, D2[4]], D2[:4].sum()),
        ("rbp", [1, 0.8, 0.8**2, 0, 0.8**4], 1 + 0.8 + 0.8**2 + 0.8**3),
        ("err_ia", [1, 1 / 2 / 2, 1 / 3, 0, 1 / 2 / 5], 1 + 1 / 2 + 1 / 2 / 3 + 1 / 2 / 4),
        ("nrbp", [1, 0.8 / 2, 0.8**2, 0, 0.8**4 / 2], 1 + 0.8 + 0.8**2 / 2 + 0.8**3 / 2),
        ("ap", [1, 1, 1, 0, 4 / 5], 4),
    ],
)
def test_each_gain_written_out(gain, gains, ideal):
    expected = sum(g / (1 + d) for g, d in zip(gains, DKL, strict=True)) / ideal
    assert value(FAIR(cutoff=5, gain=gain), *HAND) == pytest.approx(expected, abs=1e-12)


def test_parameters_change_the_value():
    # alpha .2: a2 gains .8, b2 gains .8; ideal 1, 1, .8, .8
    gains = [1, 0.8 * D2[1], D2[2], 0, 0.8 * D2[4]]
    expected = sum(g / (1 + d) for g, d in zip(gains, DKL, strict=True)) / (1 + D2[1] + 0.8 * D2[2] + 0.8 * D2[3])
    assert value(FAIR(cutoff=5, alpha=0.2), *HAND) == pytest.approx(expected)
    # p .5: 1, .5, .25, 0, .0625 over 1 + .5 + .25 + .125
    gains = [1, 0.5, 0.25, 0, 0.0625]
    expected = sum(g / (1 + d) for g, d in zip(gains, DKL, strict=True)) / 1.875
    assert value(FAIR(cutoff=5, gain="rbp", p=0.5), *HAND) == pytest.approx(expected)
    # rel 2: only the second document is relevant, at share 1:0
    assert value(FAIR(gain="ap", rel=2), [B, A], [1.0, 2.0], [[0.5, 0.5]]) == pytest.approx(0.5)
    # cutoff 1: a1 alone, over an ideal of 1
    assert value(FAIR(cutoff=1), *HAND) == pytest.approx(1 / (1 + np.log(2)))


def test_grades_count_for_ndcg():
    # grade 1 before grade 3, both prefixes on target: (1 + 3 / log2 3) / (3 + 1 / log2 3)
    ranked = [[0.5, 0.5], [0.5, 0.5]]
    expected = (1 + 3 * D2[1]) / (3 + D2[1])
    assert value(FAIR(gain="ndcg"), ranked, [1.0, 3.0]) == pytest.approx(expected)
    assert value(FAIR(gain="ndcg"), ranked, [-1.0, 3.0]) == pytest.approx(3 * D2[1] / 3)


@pytest.mark.parametrize(("gain", "name"), [("ndcg", "nDCG@3"), ("ap", "AP@3")])
def test_on_target_throughout_it_is_the_plain_utility(gain, name):
    import ir_measures

    grades = [0, 2, 1, 0, 3]
    docs = [f"d{i}" for i in range(5)]
    qrels = [ir_measures.Qrel("q", doc, grade) for doc, grade in zip(docs, grades, strict=True)]
    run = [ir_measures.ScoredDoc("q", doc, 9.0 - i) for i, doc in enumerate(docs)]
    kind, _, cutoff = name.partition("@")
    measure = getattr(ir_measures, kind) @ int(cutoff)  # its own parser does not run on Python 3.14
    plain = ir_measures.calc_aggregate([measure], qrels, run)[measure]
    both = [[0.5, 0.5]] * 5
    assert value(FAIR(cutoff=3, gain=gain), both, [float(g) for g in grades]) == pytest.approx(plain)


def test_on_target_throughout_rbp_is_the_plain_utility_over_its_ideal():
    # every document is in both groups: D_i is even from the first on; relevant at ranks 1 and 4, ideal at 1 and 2
    ranked, grades = [[1.0, 1.0]] * 4, [1.0, 0.0, 0.0, 1.0]
    assert value(FAIR(gain="rbp"), ranked, grades) == pytest.approx((1 + 0.8**3) / (1 + 0.8))


def test_a_group_that_nobody_wants_costs_the_rank():
    # target all a: the second rank has an infinite dKL and earns 0, the ideal is a then b
    assert value(FAIR(gain="rbp"), [A, B], [1.0, 1.0], [[1.0, 0.0]]) == pytest.approx(1 / 1.8)


def test_unknown_documents_change_no_share_and_earn_no_alpha_gain():
    # the unknown document is relevant: rbp pays it at the share that stands, nothing before the first known one
    ranked, grades = [UNKNOWN, A, UNKNOWN], [1.0, 1.0, 1.0]
    expected = (0.8 + 0.64) / (1 + np.log(2)) / (1 + 0.8 + 0.64)
    assert value(FAIR(gain="rbp"), ranked, grades) == pytest.approx(expected)
    assert value(FAIR(), ranked, grades) == pytest.approx(D2[1] / (1 + np.log(2)))
    assert value(FAIR(), [NO, A], [1.0, 1.0]) == pytest.approx(D2[1] / (1 + np.log(2)))


def test_the_ideal_takes_judged_documents_that_were_not_ranked():
    # ideal: a then b, 1 + 1 / log2 3
    expected = 1 / (1 + np.log(2)) / (1 + D2[1])
    assert value(FAIR(), [A], [1.0], judged=[A, B, UNKNOWN], judged_grades=[1.0, 1.0, np.nan]) == pytest.approx(
        expected
    )


def test_ties_of_the_greedy_ideal_follow_the_order_of_the_documents():
    # alpha 1: a group counts once; ab, cd, ac gain 2 each at rank 1, and what comes first decides what is left
    one = greedy_novelty(np.array([[[1.0, 1, 0, 0], [0, 0, 1.0, 1], [1.0, 0, 1.0, 0]]]), 1.0, 3)
    two = greedy_novelty(np.array([[[1.0, 0, 1.0, 0], [1.0, 1, 0, 0], [0, 0, 1.0, 1]]]), 1.0, 3)
    assert one.tolist() == [[2.0, 2.0, 0.0]]
    assert two.tolist() == [[2.0, 1.0, 1.0]]


@pytest.mark.parametrize("gain", GAINS)
def test_undefined_and_empty(gain):
    measure = FAIR(gain=gain)
    assert value(measure, [UNKNOWN], [np.nan], judged=[A], judged_grades=[1.0]) == 0  # an empty ranking
    assert np.isnan(value(measure, [A], [0.0]))  # nothing relevant
    assert np.isnan(value(measure, [A], [1.0], [[np.nan, np.nan]]))  # no target
    assert np.isnan(value(measure, [UNKNOWN], [1.0]))  # no document of any group
    none = measure(np.zeros((1, 0, 2)), np.zeros((1, 0)), EVEN, np.ones((1, 1)), np.array([[A]]))
    assert none.tolist() == [0.0]


@pytest.mark.parametrize("bad", [{"alpha": -0.1}, {"alpha": 1.1}, {"p": 0.0}, {"p": 1.0}, {"cutoff": 0}])
def test_bad_parameters(bad):
    with pytest.raises(UsageError):
        FAIR(**bad)


hard = hnp.arrays(np.int64, (3, 6), elements=st.integers(0, 3)).map(lambda g: np.eye(4)[g][..., :3])  # 3: no group
grades = hnp.arrays(np.float64, (3, 6), elements=st.sampled_from([0.0, 1.0, 2.0, np.nan]))


@given(hard, grades, st.sampled_from(GAINS), st.integers(1, 6))
def test_laws(membership, relevance, gain, cutoff):
    measure, target = FAIR(gain=gain, cutoff=cutoff), np.array([[0.5, 0.3, 0.2]])
    got = measure(membership, relevance, target, relevance, membership)
    assert np.all((got[~np.isnan(got)] >= 0) & (got[~np.isnan(got)] <= 1 + 1e-9))
    swapped = membership[..., [2, 0, 1]]
    renamed = measure(swapped, relevance, target[:, [2, 0, 1]], relevance, swapped)
    np.testing.assert_allclose(got, renamed, atol=1e-12)
    longer = np.concatenate((membership, np.full((3, 2, 3), np.nan)), axis=1)
    padded = measure(longer, np.pad(relevance, ((0, 0), (0, 2)), constant_values=np.nan), target, relevance, membership)
    np.testing.assert_allclose(got, padded, atol=1e-12)
    below = membership.copy()
    below[:, cutoff:] = np.nan
    judged = measure(below, relevance, target, relevance, membership)
    np.testing.assert_allclose(got, judged, atol=1e-12)
    alone = measure(membership[1:2], relevance[1:2], target, relevance[1:2], membership[1:2])
    np.testing.assert_allclose(got[1:2], alone, atol=1e-12)


@given(grades, st.sampled_from(GAINS))
def test_a_fair_ranking_earns_the_utility_and_an_unfair_one_less(relevance, gain):
    on_target = np.full((3, 6, 2), 0.5)
    best = FAIR(gain=gain)(on_target, relevance, EVEN, relevance, on_target)
    other = np.array([[0.1, 0.9]])
    less = FAIR(gain=gain)(on_target, relevance, other, relevance, on_target)
    # the same dKL at each rank: the whole value is divided by 1 + dKL
    dkl = 0.5 * np.log(5) + 0.5 * np.log(5 / 9)
    np.testing.assert_allclose(less, best / (1 + dkl), atol=1e-12)


def test_other_divergences_stand_for_dkl():
    # squared: twice the square of what a has above a half: 1/2 1/2 1/18 1/8 1/50; jsd as scipy has it
    above = np.array([1 / 2, 1 / 2, 1 / 6, 1 / 4, 1 / 10])
    gains = np.array([1, D2[1] / 2, D2[2], 0, D2[4] / 2])
    ideal = 1 + D2[1] + D2[2] / 2 + D2[3] / 2
    squared = (gains / (1 + 2 * above**2)).sum() / ideal
    assert value(FAIR(cutoff=5, divergence="squared"), *HAND) == pytest.approx(squared)
    assert squared == pytest.approx(0.734779, abs=5e-7)  # worked out by another program, as the next
    away = [jensenshannon([0.5 + more, 0.5 - more], [0.5, 0.5], base=2) ** 2 for more in above]
    jsd = (gains / (1 + np.array(away))).sum() / ideal
    assert value(FAIR(cutoff=5, divergence="jsd"), *HAND) == pytest.approx(jsd)
    assert jsd == pytest.approx(0.803842, abs=5e-7)


def test_the_product_weighs_the_whole_measure_by_the_last_rank():
    # alpha 2.008891 of 2.096268, and 1 + dKL of 3 to 2 is 1.020136
    assert value(FAIR(cutoff=5, form="product"), *HAND) == pytest.approx(0.939403, abs=5e-7)
    assert value(FAIR(cutoff=5, gain="rbp"), *HAND) == pytest.approx(0.701329, abs=5e-7)
    assert value(FAIR(cutoff=5, gain="rbp", form="product"), *HAND) == pytest.approx(0.946258, abs=5e-7)
    deeper = value(FAIR(cutoff=10, gain="rbp", form="product"), *HAND)  # the last rank is the fifth
    assert deeper == pytest.approx(0.946258, abs=5e-7)


def test_ordinal_divergences_stand_for_dkl():
    # three groups, a target of thirds; shares (1, 0, 0), then (1/2, 0, 1/2)
    ranked, grades, thirds = [[1.0, 0, 0], [0, 0, 1.0]], [1.0, 1.0], [[1 / 3] * 3]
    # nmd: |2/3| + |1/3| over 2, then |1/6| + |-1/6| over 2
    nmd = (1 / (1 + 1 / 2) + 0.8 / (1 + 1 / 6)) / 1.8
    assert value(FAIR(gain="rbp", divergence="nmd"), ranked, grades, thirds) == pytest.approx(nmd)
    # rnod: squares 4/9 1/9 1/9 give 3/9, 5/9, 9/9, their mean 17/27; squares 1/36 4/36 1/36 give 6/36, 2/36, 6/36
    rnod = (1 / (1 + np.sqrt(17 / 27 / 2)) + 0.8 / (1 + np.sqrt(14 / 108 / 2))) / 1.8
    assert value(FAIR(gain="rbp", divergence="rnod"), ranked, grades, thirds) == pytest.approx(rnod)
    # the groups' names need not stand in their order
    turned = [[0, 1.0, 0], [1.0, 0, 0]]
    measure, order = FAIR(gain="rbp", divergence="nmd"), np.array([1, 2, 0])
    both = np.array([turned]), np.array([grades]), np.array(thirds), np.array([grades]), np.array([turned]), order
    assert measure(*both).item() == pytest.approx(nmd)
    assert "order" in measure.needs
    assert "order" not in FAIR().needs


def test_precision_is_weighed_as_a_whole():
    # 4 of 5 relevant, shares 3 to 2; of ten ranks 4 are relevant
    assert value(FAIR(cutoff=5, gain="precision", form="product"), *HAND) == pytest.approx(4 / 5 / (1 + DKL[4]))
    assert value(FAIR(gain="precision", form="product"), *HAND) == pytest.approx(4 / 10 / (1 + DKL[4]))
    assert value(FAIR(gain="precision", form="product"), [A], [0.0]) == 0


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"form": "product", "normalizer": "greedy"}, "only by the ideal; leave out normalizer"),
        ({"gain": "precision"}, "add form=product"),
    ],
)
def test_forms_that_do_not_fit_together_are_refused(form, words):
    with pytest.raises(UsageError, match=words):
        FAIR(**form).check(("f", "m"))


def test_an_ordinal_divergence_takes_two_groups():
    FAIR().check(("f",))
    with pytest.raises(UsageError, match="two groups or more, not 1; take another"):
        FAIR(divergence="rnod").check(("f",))


@pytest.mark.parametrize("normalizer", ["attainable", "greedy"])
def test_what_can_be_attained_normalizes(normalizer):
    assert value(FAIR(cutoff=5, normalizer=normalizer), *HAND) == pytest.approx(0.860327, abs=5e-7)
    # one document of each group: no first rank meets the target, and any order earns 1
    assert value(FAIR(normalizer=normalizer), [A, B], [1.0, 1.0]) == pytest.approx(1.0)
    # nothing is judged
    assert np.isnan(value(FAIR(normalizer=normalizer, gain="rbp"), [B], [1.0], EVEN, [UNKNOWN], [np.nan]))
    none = FAIR(normalizer=normalizer)(np.ones((1, 1, 2)), np.ones((1, 1)), EVEN, np.ones((1, 0)), np.ones((1, 0, 2)))
    assert np.isnan(none).all()
    # what nobody judged may lift a ranking above 1: b then a, over b alone
    more = value(FAIR(normalizer=normalizer, gain="rbp"), [B, A], [1.0, 1.0], EVEN, [B], [1.0])
    assert more == pytest.approx((1 / (1 + np.log(2)) + 0.8) * (1 + np.log(2)))


several = st.lists(
    st.tuples(st.sampled_from([A, B, NO, UNKNOWN, [1.0, 1.0], [0.25, 0.75]]), st.sampled_from([0.0, 1.0, 2.0])),
    min_size=1,
    max_size=5,
)


@given(several, st.sampled_from(GAINS), st.integers(1, 5), st.sampled_from([EVEN, np.array([[0.8, 0.2]])]))
def test_no_order_of_the_judged_documents_earns_more_than_the_attainable(documents, gain, cutoff, target):
    orders = np.array(list(permutations(range(len(documents)))))
    held, grades = np.array([d[0] for d in documents]), np.array([d[1] for d in documents])
    judged = np.broadcast_to(grades, orders.shape), np.broadcast_to(held, (*orders.shape, 2))
    ideal, attainable, greedy = (
        FAIR(gain=gain, cutoff=cutoff, normalizer=each)(held[orders], grades[orders], target, *judged)
        for each in ("ideal", "attainable", "greedy")
    )
    if np.nan_to_num(ideal).max() > 0:
        np.testing.assert_allclose(attainable, ideal / ideal.max(), atol=1e-12)  # by trying all orders
        assert greedy.max() >= 1 - 1e-12  # greedy is one of the orders
        assert np.isclose(greedy, 1, atol=1e-12).any()
    else:
        np.testing.assert_array_equal(attainable, ideal)  # undefined, or 0
        np.testing.assert_array_equal(greedy, ideal)


def test_the_same_judgments_are_solved_once(monkeypatch):
    solved = []
    most_earned = sequences.most_earned
    monkeypatch.setattr(sequences, "most_earned", lambda *given: solved.append(1) or most_earned(*given))
    orders, grades = np.array([[A, B], [B, A], [A, B]]), np.ones((3, 2))
    judged = np.array([[1.0, 1.0], [1.0, 1.0], [1.0, np.nan]]), np.array([[A, B], [A, B], [A, UNKNOWN]])
    found = FAIR(gain="rbp", normalizer="attainable")(orders, grades, EVEN, *judged)
    first, second = 1 / (1 + np.log(2)), 0.8
    assert found == pytest.approx([1.0, 1.0, (first + second) / first])
    assert len(solved) == 2  # of three rankings


def test_where_no_order_earns_anything_all_have_0():
    # the target is all a, and only b is judged: each rank is infinitely far from it
    for normalizer in ("ideal", "attainable", "greedy"):
        assert value(FAIR(normalizer=normalizer), [B], [1.0], [[1.0, 0.0]]) == 0
        assert np.isnan(value(FAIR(normalizer=normalizer), [B], [0.0], [[1.0, 0.0]]))


def test_greedy_is_no_ceiling_and_what_exceeds_it_is_told():
    # b alone is relevant. Greedy begins with it, 1 / (1 + .25 + .25); after a it stands on target and earns .8
    measure = FAIR(gain="rbp", normalizer="greedy", divergence="squared")
    found = value(measure, [A, B], [0.0, 1.0])
    assert found == pytest.approx(0.8 * 1.5)
    assert value(replace(measure, normalizer="attainable"), [B, A], [1.0, 0.0]) == pytest.approx(1 / 1.5 / 0.8)
    said = "1 of 2 rankings have a value above 1, because the greedy order is not an upper bound"
    assert str(measure.note(np.array([0.5, found]))) == said
    assert "documents without a grade" in str(FAIR(normalizer="attainable").note(np.array([1.5])))
    assert FAIR(normalizer="attainable").note(np.array([1.0, np.nan])) is None
    assert FAIR().note(np.array([1.5])) is None


def test_of_documents_that_earn_as_much_greedy_takes_the_fairest():
    # nothing earns at rank 1: the relevant document has no group, b and a are not relevant; a is nearest to .8 of a
    judged, grades = [UNKNOWN, B, A], [1.0, 0.0, 0.0]
    measure = FAIR(gain="rbp", normalizer="greedy", cutoff=2, divergence="squared")
    # squared: b 2 * .64, a 2 * .04
    assert value(measure, [B, UNKNOWN], [0.0, 1.0], [[0.8, 0.2]], judged, grades) == pytest.approx(1.08 / 2.28)


def test_of_documents_as_good_and_fair_greedy_takes_the_first():
    # alpha 1, four groups: ab, cd, ac earn the same at rank 1; ab leaves cd, ac leaves what adds one group each
    ab, cd, ac = [1.0, 1, 0, 0], [0, 0, 1.0, 1], [1.0, 0, 1.0, 0]
    first = 2 / (1 + np.log(2))
    one = first + 2 * D2[1]
    two = first + D2[1] / (1 + np.log(2) / 2) + D2[2] / (1 + 2 / 3 * np.log(4 / 3) + 1 / 3 * np.log(2 / 3))
    for judged, most in (([ab, cd, ac], one), ([ac, ab, cd], two)):
        got = value(FAIR(alpha=1.0, cutoff=3, normalizer="greedy"), [ab], [1.0], [[0.25] * 4], judged, [1.0] * 3)
        assert got == pytest.approx(first / most)


def test_too_many_states_are_refused_before_they_are_looked_at():
    rng = np.random.default_rng(1)
    judged = rng.integers(1, 9, (40, 2)) / 8.0
    many = FAIR(gain="rbp", normalizer="attainable")
    with pytest.raises(UsageError, match=r"more than 1,000,000 states .*; take normalizer=greedy, or a smaller cutoff"):
        value(many, judged.tolist(), [1.0] * 40)
    assert value(FAIR(gain="rbp", normalizer="greedy"), judged.tolist(), [1.0] * 40) > 0


@pytest.mark.parametrize("normalizer", ["attainable", "greedy"])
def test_of_two_groups_alike_either_order_of_ap_is_the_best(normalizer):
    assert value(FAIR(gain="ap", normalizer=normalizer), [A, B], [1.0, 1.0]) == pytest.approx(1.0)


@pytest.mark.parametrize("measure", [FAIR(form="product"), FAIR(normalizer="attainable"), FAIR()])
def test_it_is_a_sum_over_prefixes_only_with_a_fixed_ideal(measure):
    """The product is none, what is attainable depends on the list, and without a relevant document there is no ideal."""
    groups = np.array([[1.0, 0.0], [0.0, 1.0]])
    grades = np.zeros((1, 2)) if measure == FAIR() else np.ones((1, 2))
    assert measure.over_prefixes(groups, np.ones(2), np.array([[0.5, 0.5]]), grades, groups[None]) is None
