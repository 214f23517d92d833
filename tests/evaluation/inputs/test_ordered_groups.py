"""Groups that have an order: by their numbers, or as they are named; and measures that look at it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import fairtrec
from fairtrec.formats import labels
from fairtrec.formulas.distribution import match_distance
from fairtrec.measures.gfr import GFR
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made import texts

RUN = {"q1": {f"d{at}": -float(at) for at in range(6)}}
QRELS = {"q1": {"d0": 1, "d2": 1, "d3": 1}}
STARS = {"d0": "100", "d1": "5", "d2": "50", "d3": "5", "d4": "100", "d5": "50"}
ORDINAL = ["GFR(divergence='nmd')@6", "GFR(divergence='rnod')@6"]


def called(names: dict[str, str]) -> dict[str, str]:
    return {docno: names[star] for docno, star in STARS.items()}


def means(given_, **more):
    return fairtrec.evaluate(ORDINAL, RUN, qrels=QRELS, labels=given_, **more).means["run"]


def test_names_that_are_numbers_are_ordered_as_numbers(tmp_path):
    """NMD of 100, 5, 50 by the order of numbers, written out; by the order of their letters it is another."""
    result = fairtrec.evaluate("GFR(divergence=nmd,part=fairness,max_grade=1)@3", RUN, qrels=QRELS, labels=STARS)
    # stop 1/2 at rank 1, where all is 100: cumulated from 5 on (0, 0) against (1/3, 2/3): NMD 1/2, likeness 1/2
    # stop 1/4 at rank 3, where each has a third: NMD 0, likeness 1
    assert result.scores[0].values.item() == pytest.approx(1 / 2 * 1 / 2 + 1 / 4)
    # by letters 100 would be the first, against (2/3, 1/3): the same; so a target tells them apart
    uneven = {"100": 0.0, "5": 1.0, "50": 0.0}
    (value,) = (
        fairtrec.evaluate(
            "GFR(divergence=nmd,part=fairness,max_grade=1)@1", RUN, qrels=QRELS, labels=STARS, target=uneven
        )
        .scores[0]
        .values[0]
    )
    assert value == 0  # from 100 to 5 it is all the way; from the letters' 100 to 5 it would be half of it
    assert "groups, in this order: 5 2, 50 2, 100 2; target 0.333 each" in texts(result.notes)
    assert result.signature["members"] == "5 2, 50 2, 100 2, in this order"
    (tmp_path / "l.tsv").write_text("".join(f"{docno}\t{star}\n" for docno, star in STARS.items()))
    assert labels.read(tmp_path / "l.tsv").groups == ("100", "5", "50")  # arrays stay in the order of names


@pytest.mark.parametrize(
    ("names", "order"), [(("0", "-2", "3.5"), ("-2", "0", "3.5")), (("1e3", "200", "-"), ("200", "1e3"))]
)
def test_signs_and_exponents_are_numbers(names, order, tmp_path):
    (tmp_path / "l.tsv").write_text("".join(f"d{at}\t{name}\n" for at, name in enumerate(names)))
    assert labels.read(tmp_path / "l.tsv").order == order


def test_two_names_of_one_number_are_refused(tmp_path):
    (tmp_path / "l.tsv").write_text("d1\t1\nd2\t1.0\nd3\t2\n")
    with pytest.raises(InputError, match=r"l\.tsv: the groups 1 and 1\.0 are the same number; write it in one way"):
        labels.read(tmp_path / "l.tsv")


NAMES = {"5": "low", "50": "mid", "100": "high"}


def test_the_order_is_that_in_which_all_groups_are_named():
    assert means(called(NAMES), groups="low,mid,high") == means(STARS)
    assert means(called(NAMES), groups=["low", "mid", "high", "-"]) == means(STARS)
    assert means(STARS, groups="50,5,100") != means(STARS)  # what is named comes before what is a number
    result = fairtrec.evaluate(ORDINAL, RUN, qrels=QRELS, labels=called(NAMES), groups="low,mid,high")
    assert "groups, in this order: low 2, mid 2, high 2; target 0.333 each" in texts(result.notes)
    assert list(result.groups) == ["high", "low", "mid"]


def test_targets_are_printed_in_the_order_too():
    notes = texts(fairtrec.evaluate("AWRF@6", RUN, labels=STARS, target={"5": 0.5, "50": 0.3, "100": 0.2}).notes)
    assert "groups, in this order: 5 2, 50 2, 100 2; target 0.5, 0.3, 0.2" in notes


def test_groups_without_an_order_are_refused():
    what = r"GFR\(divergence='nmd'\)@6 needs the order of the groups: groups=low,mid,high \(they are high, low, mid\)"
    with pytest.raises(UsageError, match=what):
        means(called(NAMES))
    terms = {name: [name] for name in NAMES.values()}
    with pytest.raises(UsageError, match="needs the order of the groups: give labels"):
        fairtrec.evaluate(ORDINAL, RUN, qrels=QRELS, terms=terms, docs=dict.fromkeys(STARS, ""))


def test_measures_that_look_at_no_order_need_none():
    measures = "GFR@6 GFR(divergence=nmd,part=relevance)@6 AWRF@6"
    assert fairtrec.evaluate(measures, RUN, qrels=QRELS, labels=called(NAMES)).scores[0].defined.tolist() == [1, 1, 1]


def test_some_of_the_numbers_keep_their_order_and_two_groups_need_none():
    some = fairtrec.evaluate(ORDINAL, RUN, qrels=QRELS, labels=STARS | {"d1": "7"}, groups="100,5,7")
    assert some.signature["members"] == "5 1, 7 1, 100 2, in this order"
    two = {docno: "f" if star == "5" else "m" for docno, star in STARS.items()}
    assert means(two) == means(two, groups="m,f")


def test_reversing_the_order_or_renaming_with_it_changes_nothing():
    of_numbers = means(STARS)
    assert means(STARS, groups="100,50,5") == pytest.approx(of_numbers, abs=1e-12)
    other = {"5": "z", "50": "a", "100": "k"}
    assert means(called(other), groups="z,a,k") == pytest.approx(of_numbers, abs=1e-12)


membership = hnp.arrays(np.int64, (2, 4), elements=st.integers(0, 3)).map(lambda of: np.eye(4)[of])


@given(membership, st.permutations(range(4)), st.sampled_from(["nmd", "rnod"]))
def test_the_order_turns_columns_and_no_more(held, order, divergence):
    measure = GFR(divergence=divergence, max_grade=1)
    relevance, target = np.ones((2, 4)), np.array([[0.1, 0.2, 0.3, 0.4]])
    found = measure(held, relevance, target, np.array(order))
    np.testing.assert_array_equal(found, measure(held[..., order], relevance, target[:, order]))
    back = measure(held, relevance, target, np.array(order)[::-1])
    np.testing.assert_allclose(found, back, atol=1e-12)


@given(
    hnp.arrays(np.float64, (2, 5), elements=st.floats(0.01, 1)), st.integers(0, 3), st.floats(0, 1, exclude_min=True)
)
def test_mass_that_moves_toward_the_target_lowers_the_match_distance(shares, at, part):
    p, q = shares / shares.sum(axis=1, keepdims=True)
    excess = (np.cumsum(p) - np.cumsum(q))[at]
    m = min(excess, p[at]) * part
    if m <= 0:
        return
    moved = p.copy()
    moved[at : at + 2] += -m, m
    assert match_distance(p, q) - match_distance(moved, q) == pytest.approx(m / 4, abs=1e-12)


def test_a_group_of_what_is_unknown_has_no_place_in_an_order():
    stars = {docno: star for docno, star in STARS.items() if docno != "d5"}
    result = fairtrec.evaluate("KL@6", RUN, labels=stars, missing="group")
    assert texts(result.notes)[0] == "groups: 100 2, 5 2, 50 1, ? (no label); target 0.333, 0.333, 0.333, 0"
    with pytest.raises(
        UsageError, match=r"unknown documents have no place in it; leave out missing=group \(they are 100"
    ):
        means(stars, missing="group")
    assert set(means(stars, missing="even")) == set(ORDINAL)
