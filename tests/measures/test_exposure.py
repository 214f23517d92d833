"""Exposure of one group against arithmetic, against a plain program, and against its kin."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import fairtrec
from fairtrec.measures.exposure import Exposure
from fairtrec.support.errors import UsageError

A, B, NO, UNKNOWN = [1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [np.nan, np.nan]
EVEN = np.array([[0.5, 0.5]])
GROUPS = ("f", "m")


def value(ranked, target=EVEN, *, length=None, **parameters):
    measure = Exposure(**{"group": "f", **parameters})
    membership = np.array([ranked]).reshape(1, len(ranked), 2)
    is_filled = np.arange(len(ranked))[None] < (length or len(ranked))
    return measure(membership, np.asarray(target), GROUPS, is_filled).item()


def plain(ranked, target, groups, group, cutoff, discount, unknown):
    """The same as a program of its own, document by document; None is a document of unknown group."""
    got, every = dict.fromkeys(groups, 0.0), 0.0
    for rank, document in enumerate(ranked[:cutoff], 1):
        weight = 1 / math.log2(max(rank, 2) if discount == "log2_clipped" else rank + 1)
        for name, part in (document or {}).items():
            got[name] += weight * part
            every += weight * part
        if document is None and unknown == "group":
            every += weight
    return got[group] / every - target[group] if every else math.nan


def test_written_out():
    # weights 1, .6309298, .5 and .4306766 of ranks 1 to 4; f has ranks 1 and 4, 1.4306766 of 2.5616063 together
    assert value([A, B, B, A]) == pytest.approx(1.4306766 / 2.5616063 - 0.5, abs=1e-7)
    assert value([A, B, B, A], group="m") == pytest.approx(1.1309298 / 2.5616063 - 0.5, abs=1e-7)
    assert value([A, B, B, A], [[0.25, 0.75]], cutoff=2) == pytest.approx(1 / 1.6309298 - 0.25, abs=1e-7)
    assert value([A, B, B, A], discount="log2_clipped") == pytest.approx(1.5 / 3.1309298 - 0.5, abs=1e-7)
    assert value([A, [0.4, 0.6]]) == pytest.approx((1 + 0.4 * 0.6309298) / 1.6309298 - 0.5, abs=1e-7)
    assert value([A]) == 0.5
    assert value([A], group="m") == -0.5


def test_documents_of_no_and_of_unknown_group():
    assert value([NO, UNKNOWN, A, B]) == pytest.approx(0.5 / (0.5 + 0.4306766) - 0.5, abs=1e-7)
    # as a group of its own the unknown takes its part: .6309298 of 1.5616063
    assert value([NO, UNKNOWN, A, B], unknown="group") == pytest.approx(0.5 / 1.5616063 - 0.5, abs=1e-7)
    # what stands behind the end of the ranking is no unknown document
    assert value([A, B, UNKNOWN], unknown="group", length=2) == value([A, B])
    assert value([UNKNOWN], unknown="group") == -0.5


def test_undefined_and_empty():
    assert np.isnan(value([]))
    assert np.isnan(value([], unknown="group"))
    assert np.isnan(value([NO, UNKNOWN]))
    assert np.isnan(value([NO], unknown="group"))
    assert np.isnan(value([A], [[np.nan, np.nan]]))


def test_one_measure_for_each_group():
    assert [str(each) for each in Exposure(cutoff=5).expand_groups(GROUPS)] == [
        "Exposure(group='f')@5",
        "Exposure(group='m')@5",
    ]
    with pytest.raises(UsageError, match="no group 'x'"):
        Exposure(group="x").check(GROUPS)


DOCUMENTS = st.one_of(st.none(), st.dictionaries(st.sampled_from("abc"), st.sampled_from([0.25, 0.5, 1.0]), max_size=3))


@given(
    st.lists(DOCUMENTS, max_size=6), st.integers(1, 7), st.sampled_from(["log2", "log2_clipped"]),
    st.sampled_from(["drop", "group"]),
)  # fmt: skip
def test_it_is_what_a_plain_program_computes(ranked, cutoff, discount, unknown):
    target = {"a": 0.5, "b": 0.3, "c": 0.2}
    rows = [[math.nan] * 3 if each is None else [each.get(name, 0.0) for name in "abc"] for each in ranked]
    inputs = (
        np.array(rows).reshape(1, len(rows), 3),
        np.array([[0.5, 0.3, 0.2]]),
        "abc",
        np.ones((1, len(rows)), dtype=bool),
    )
    options = {"cutoff": cutoff, "discount": discount, "unknown": unknown}
    found = [Exposure(group=group, **options)(*inputs).item() for group in "abc"]
    right = [plain(ranked, target, "abc", group, **options) for group in "abc"]
    assert found == pytest.approx(right, abs=1e-12, nan_ok=True)
    if unknown == "drop" and not math.isnan(found[0]):
        assert sum(found) == pytest.approx(0, abs=1e-12)


@given(hnp.arrays(np.int64, (3, 6), elements=st.integers(0, 2)), st.integers(1, 6))
def test_shares_are_those_of_the_exposure_ratio(groups, cutoff):
    """Of hard labels, DP of one group is the ratio of what its documents get on average."""
    from fairtrec.measures.exposure_ratio import DP

    membership, target, is_filled = np.eye(3)[groups], np.full((1, 3), 1 / 3), np.ones((3, 6), dtype=bool)
    share = Exposure(group="a", cutoff=cutoff)(membership, target, "abc", is_filled) + 1 / 3
    own = (groups[:, :cutoff] == 0).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (share / own) / ((1 - share) / (cutoff - own))
    both = (own > 0) & (own < cutoff)
    found = DP(protected="a")(membership[:, :cutoff], target, "abc")
    np.testing.assert_allclose(found[both], ratio[both])


def test_ties_have_a_closed_form_where_all_documents_count_alike():
    """Twelve tied documents, which have 479,001,600 orders; in the other query one document is of unknown group."""
    labels = {f"d{at:02}": "f" if at < 4 else "m" for at in range(12)}
    run = {"q1": dict.fromkeys(labels, 1.0), "q2": dict.fromkeys([*labels, "x"], 1.0)}
    scores = fairtrec.evaluate("Exposure(group=f)@3", run, labels=labels, bounds="ties").scores[0]
    ends = {end: each.values[0] for end, each in scores.ends.items()}
    assert scores.columns["ties"].drawn.tolist() == [1]  # of the other query only some orders are tried
    assert [ends["least"][0], ends["greatest"][0]] == pytest.approx([-0.5, 0.5], abs=1e-12)
    assert ends["expected"][0] == pytest.approx(4 / 12 - 0.5)
    assert ends["expected"][1] == pytest.approx(4 / 12 - 0.5, abs=0.05)


def test_a_value_over_ties_depends_on_no_deeper_measure_beside_it():
    """The document of unknown group is below the ties that Exposure@2 reads: ten of one score, all of which count."""
    labels = {f"d{at:02}": "f" if at < 4 else "m" for at in range(10)}
    run = {"q1": dict.fromkeys(labels, 2.0) | {"x": 1.0, "y": 0.5}}
    for measures in ("Exposure(group=f)@2", "Exposure(group=f)@2 Exposure(group=f)@12"):
        scores = fairtrec.evaluate(measures, run, labels=labels, bounds="ties").scores[0]
        assert scores.ends["expected"].values[0].tolist() == pytest.approx([4 / 10 - 0.5])
        assert scores.columns["ties"].drawn[0] == 0
        scores = fairtrec.evaluate(measures, run, labels=labels).scores[0]
        assert scores.settle("mixed_ties")[0] == pytest.approx(4 / 10 - 0.5)


def test_any_number_of_unknown_documents_has_exact_ends():
    """Of thirty unknown documents there are a thousand million labelings; all to f, and all to m, are the ends."""
    docnos = [f"d{at:02}" for at in range(32)]
    run = {"q1": {docno: -float(at) for at, docno in enumerate(docnos)}}
    given = {"labels": {"d00": "f", "d31": "m"}, "bounds": "labels", "prior": "f=0.75,m=0.25"}
    scores = fairtrec.evaluate("Exposure(group=f)@40", run, **given).scores[0]
    weights = [1 / math.log2(rank + 1) for rank in range(1, 33)]
    least, greatest = weights[0] / sum(weights), 1 - weights[-1] / sum(weights)
    expected = (weights[0] + 0.75 * sum(weights[1:-1])) / sum(weights)
    found = [each.values.item() + 0.5 for each in scores.ends.values()]
    assert found == pytest.approx([least, greatest, expected], abs=1e-12)
    assert not scores.columns["unknown"].drawn.any()


def test_of_all_divides_by_all_ranks_that_are_filled():
    # f has rank 3, .5 of 1 + .6309298 + .5 + .4306766
    assert value([NO, UNKNOWN, A, B], of="all") == pytest.approx(0.5 / 2.5616063 - 0.5, abs=1e-7)
    assert value([A, B], of="all") == value([A, B])
    assert value([A, UNKNOWN], of="all", length=1) == 0.5
    assert value([UNKNOWN], of="all") == -0.5
    assert np.isnan(value([], of="all"))
    with pytest.raises(UsageError, match="counts documents of unknown group already"):
        Exposure(of="all", unknown="group").check(GROUPS)


def test_of_all_the_groups_lack_what_documents_of_no_group_have():
    scores = fairtrec.evaluate(
        "Exposure(of='all')@10", {"q": {"a": 3, "b": 2, "c": 1}}, labels={"a": "f", "b": "m", "d": "f"}
    ).scores[0]
    assert scores.means.sum() == pytest.approx(-0.5 / 2.1309298, abs=1e-7)
