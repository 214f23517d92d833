"""TE, TED, RBDF and TExFAIR: the hand check of the specification, arithmetic, a restatement in plain Python, laws."""

from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrec.data import MISSING
from fairtrec.data.parameters import list_required_inputs
from fairtrec.measures.texfair import RBDF, TE, TED, TExFAIR
from fairtrec.support.errors import UsageError

EVEN = np.array([[0.5, 0.5]])
GROUPS = ("f", "m")
F, M, NONE = 0, 1, 2
COUNTS = np.array([[1, 0], [0, 1], [0, 0]], dtype=float)
TOKENS = np.full(3, 10.0)


def values(ranked, measure, *, counts=COUNTS, tokens=TOKENS, target=EVEN):
    width = max(map(len, ranked), default=0)
    rows = np.array([[*row, *[MISSING] * (width - len(row))] for row in ranked], dtype=np.int64)
    rows = rows.reshape(len(ranked), width)
    given = {"counts": counts, "tokens": tokens, "target": target, "groups": GROUPS}
    return measure(rows, **{name: given[name] for name in measure.needs if name != "ranked"})


def value(ranked, measure, **given):
    return values([ranked], measure, **given).item()


def test_the_hand_check_of_the_specification():
    fmfm, fmmf, mmmm = [F, M, F, M], [F, M, M, F], [M, M, M, M]
    f, m = value(fmfm, TE(group="f")), value(fmfm, TE(group="m"))
    assert f == pytest.approx((1 + 1 / 2) / 10)  # ranks 1 and 3, one token of ten
    assert f / (f + m) == pytest.approx(0.585570075, abs=5e-10)
    assert value(fmfm, TED()) == pytest.approx(0.171140150, abs=5e-10)
    assert value(fmfm, TExFAIR()) == pytest.approx(0.828859850, abs=5e-10)
    assert value(fmmf, TED()) == pytest.approx(0.117015173, abs=5e-10)
    assert value(fmmf, TExFAIR()) == pytest.approx(1 - 0.117015173, abs=5e-10)
    assert value(mmmm, TED()) == pytest.approx(1)
    assert value(mmmm, TExFAIR()) == pytest.approx(0)


def test_arithmetic_with_silent_documents_and_lengths():
    counts = np.array([[2, 0], [0, 0], [0, 3]], dtype=float)
    tokens = np.array([10.0, 50, 60])
    ranked = [0, 1, 2]
    given = {"counts": counts, "tokens": tokens}
    # f: 2/10 at rank 1; m: 3/60 at rank 3, half: .2 against .025, shares 8/9 and 1/9, 7/18 from even twice
    assert value(ranked, TE(group="f"), **given) == pytest.approx(0.2)
    assert value(ranked, TE(group="m"), **given) == pytest.approx(0.025)
    assert value(ranked, TED(), **given) == pytest.approx(7 / 9)
    # ranks 1 and 3 of 1, .630929754, .5
    spoken = 1.5 / 2.130929754
    assert value(ranked, RBDF(), **given) == pytest.approx(spoken)
    assert value(ranked, TExFAIR(), **given) == pytest.approx(1 - 7 / 9 * spoken)
    assert value(ranked, TED(cutoff=2), **given) == 1


def test_every_option_changes_the_value():
    ranked, three_to_one = [F, NONE, F], np.array([[0.25, 0.75]])
    spoken, all_ten = 1.5 / 2.130929754, 1.5 / 4.543559338
    assert value(ranked, RBDF(full_k=True)) == pytest.approx(all_ten)
    assert value(ranked, RBDF(full_k=True, cutoff=2)) == pytest.approx(1 / 1.630929754)
    assert value(ranked, TExFAIR()) == pytest.approx(1 - spoken)
    assert value(ranked, TExFAIR(full_k=True)) == pytest.approx(1 - all_ten)
    assert value(ranked, TExFAIR(rbdf=False)) == pytest.approx(0)
    # from (1, 0) to (.25, .75) it is .75 twice, which is all there can be
    assert value(ranked, TExFAIR(), target=three_to_one) == pytest.approx(1.5 - 1.5 * spoken)
    assert value(ranked, TExFAIR(scaled=True), target=three_to_one) == pytest.approx(1 - spoken)
    assert value(ranked, TExFAIR(rbdf=False), target=three_to_one) == pytest.approx(0)
    assert value([M], TExFAIR(rbdf=False, scaled=True), target=three_to_one) == pytest.approx(1 - 0.5 / 1.5)
    assert value([F, M], TExFAIR(cutoff=1)) != value([F, M], TExFAIR())
    assert value(ranked, TE(group="f")) != value(ranked, TE(group="m"))


def test_a_target_for_each_query():
    targets = np.array([[0.5, 0.5], [1, 0], [0, 1], [np.nan, np.nan]])
    np.testing.assert_allclose(values([[F]] * 4, TED(), target=targets), [1, 0, 2, np.nan])
    np.testing.assert_allclose(values([[F]] * 4, TExFAIR(), target=targets), [0, 2, 0, np.nan])
    np.testing.assert_allclose(values([[F]] * 4, TExFAIR(scaled=True), target=targets), [0, 1, 0, np.nan])


def test_rankings_that_say_nothing_and_rankings_of_nothing():
    silent, empty = [NONE, NONE], []
    assert value(silent, TE(group="f")) == 0
    assert np.isnan(value(silent, TED()))
    assert value(silent, RBDF()) == value(silent, RBDF(full_k=True)) == 0
    assert value(silent, TExFAIR()) == value(silent, TExFAIR(full_k=True)) == 1
    assert np.isnan(value(silent, TExFAIR(rbdf=False)))
    assert value([NONE, F], TExFAIR(cutoff=1)) == 1  # the group term stands below the cutoff
    assert value(empty, TE(group="f")) == 0
    for measure in (TED(), RBDF(), RBDF(full_k=True), TExFAIR(), TExFAIR(full_k=True), TExFAIR(rbdf=False)):
        assert np.isnan(value(empty, measure)), measure
        assert np.isnan(values([[], [F]], measure)[0]), measure


def test_how_many_say_nothing_is_told():
    ranked = np.array([[F, M], [NONE, NONE], [NONE, MISSING], [MISSING, MISSING]])
    said = "2 of 4 rankings have no group word and so get the maximum value"
    assert str(TExFAIR().note(ranked, COUNTS)) == said
    assert TExFAIR().note(ranked[:1], COUNTS) is None
    assert TExFAIR(rbdf=False).note(ranked, COUNTS) is None  # they are undefined there
    assert list_required_inputs(TExFAIR.note) == ("ranked", "counts")


def test_one_measure_for_each_group():
    assert TE().expand_groups(("f", "m")) == (TE(group="f"), TE(group="m"))
    assert TE(group="m", cutoff=3).expand_groups(("f", "m")) == (TE(group="m", cutoff=3),)
    assert TE().expand_groups(()) == (TE(),)  # so that the lack of groups is complained of
    TE(group="f").check(GROUPS)
    with pytest.raises(UsageError, match="there is no group 'x'; the groups are f, m"):
        TE(group="x").check(GROUPS)


def test_documents_of_no_tokens_expose_nothing():
    given = {"counts": np.array([[0.0, 0], [0, 1]]), "tokens": np.array([0.0, 4])}
    assert value([0, 1], TE(group="m"), **given) == pytest.approx(0.25 / log2(3))
    assert value([0, 1], TED(), **given) == 1


# -- the formulas once more -------------------------------------------------------------------------------------------


def slow(ranked, counts, tokens, target, k):
    """Give TE of each group, TED, and RBDF to min(k, n) and to k, summing document by document."""
    exposure, spoken, there = [0.0] * len(target), 0.0, 0.0
    for rank, row in enumerate(ranked[:k], start=1):
        bias = 1 / log2(1 + rank)
        for group, count in enumerate(counts[row]):
            exposure[group] += count / tokens[row] * bias
        spoken += bias * any(counts[row])
        there += bias
    whole = sum(exposure)
    ted = sum(abs(e / whole - t) for e, t in zip(exposure, target, strict=True)) if whole else np.nan
    every = sum(1 / log2(1 + rank) for rank in range(1, k + 1))
    return exposure, ted, spoken / there if there else np.nan, spoken / every if there else np.nan


@st.composite
def worlds(draw):
    groups, queries = draw(st.integers(2, 4)), draw(st.integers(1, 3))
    table = draw(st.lists(st.lists(st.integers(0, 3), min_size=groups, max_size=groups), min_size=1, max_size=6))
    tokens = [sum(row) + draw(st.integers(1, 20)) for row in table]
    shares = st.lists(st.integers(0, 5), min_size=groups, max_size=groups).filter(any)
    targets = [[amount / sum(row) for amount in row] for row in (draw(shares) for _ in range(queries))]
    if draw(st.booleans()):
        targets = targets[:1]
    ranked = [draw(st.lists(st.integers(0, len(table) - 1), max_size=8, unique=True)) for _ in range(queries)]
    return np.array(table, dtype=float), np.array(tokens, dtype=float), np.array(targets), ranked


@given(worlds(), st.integers(1, 8))
def test_they_are_the_slow_ones(world, k):
    counts, tokens, targets, ranked = world
    given = {"counts": counts, "tokens": tokens, "target": targets}
    got = {
        measure: values(ranked, measure, **given)
        for measure in (TED(k), RBDF(k), RBDF(k, full_k=True), TExFAIR(k), TExFAIR(k, full_k=True))
    }
    bare, scaled = (values(ranked, TExFAIR(k, **options), **given) for options in ({"rbdf": False}, {"scaled": True}))
    first = values(ranked, TE(k, group="f"), **given)
    for query, ranking in enumerate(ranked):
        target = targets[query % len(targets)].tolist()
        exposure, ted, spoken, of_k = slow(ranking, counts.tolist(), tokens.tolist(), target, k)
        most = 2 * (1 - min(target))
        distances = (0.0, 0.0) if spoken == 0 else (ted * spoken, ted * of_k)
        expected = [ted, spoken, of_k, *(most - distance for distance in distances)]
        np.testing.assert_allclose([each[query] for each in got.values()], expected, atol=1e-12)
        np.testing.assert_allclose(bare[query], most - ted, atol=1e-12)
        np.testing.assert_allclose(scaled[query], (most - distances[0]) / most, atol=1e-12)
        np.testing.assert_allclose(first[query], exposure[0], atol=1e-12)


@given(worlds(), st.integers(1, 8))
def test_laws(world, k):
    counts, tokens, targets, ranked = world
    given = {"counts": counts, "tokens": tokens, "target": targets}
    most = np.broadcast_to(2 * (1 - targets.min(axis=1)), len(ranked))
    ted, whole = values(ranked, TED(k), **given), values(ranked, TExFAIR(k), **given)
    defined, there = ~np.isnan(ted), ~np.isnan(whole)
    assert np.all((ted[defined] >= 0) & (ted[defined] <= most[defined] + 1e-12))
    assert np.all((whole[there] >= -1e-12) & (whole[there] <= most[there]))
    bare = values(ranked, TExFAIR(k, rbdf=False), **given)
    assert np.all(whole[defined] >= bare[defined] - 1e-12)
    assert np.array_equal(there, [bool(ranking) for ranking in ranked])
    double = {"counts": 2 * counts, "tokens": 2 * tokens, "target": targets}
    for measure in (TE(k, group="f"), TED(k), RBDF(k), TExFAIR(k)):
        np.testing.assert_allclose(
            values(ranked, measure, **double), values(ranked, measure, **given), atol=1e-12, err_msg=str(measure)
        )
    order = list(reversed(range(counts.shape[1])))
    turned = {"counts": counts[:, order], "tokens": tokens, "target": targets[:, order]}
    np.testing.assert_allclose(values(ranked, TExFAIR(k), **turned), whole, atol=1e-12)


@pytest.mark.parametrize("target", [(0.5, 0.5), (0.1, 0.3, 0.6), (1.0, 0.0)])
def test_against_a_target_the_greatest_value_is_that_of_a_ranking_without_group_terms(target):
    silent = np.zeros((1, len(target)))
    (value,) = TExFAIR()(np.array([[0]]), silent, np.ones(1), np.array([target]))
    assert TExFAIR().bounds_against(np.array(target)) == (0.0, value)
    assert TExFAIR(scaled=True).bounds_against(np.array(target)) == (0.0, 1.0)
