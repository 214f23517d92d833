"""RaB and ARaB: arithmetic for each magnitude, a restatement in plain Python, and their laws."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrec.data import MISSING
from fairtrec.formulas import ranks
from fairtrec.measures.arab import ARaB, RaB
from fairtrec.support.errors import UsageError

MAGNITUDES = ("tc", "tf", "tf_paper", "bool")

# f and m: "she she her" and "man he he he"; "she"; no group term; "he him"
COUNTS = np.array([[3, 4], [1, 0], [0, 0], [0, 2]], dtype=float)
LOGS = np.array([[log(2), log(3)], [0, 0], [0, 0], [0, 0]])
RANKED = np.array([[0, 1, 2, 3]])


def value(measure, ranked=RANKED, counts=COUNTS, logs=LOGS):
    given = {"log_counts": logs} if measure.mag == "tf_paper" else {"counts": counts}
    return measure(ranked, **given)


@pytest.mark.parametrize(
    ("mag", "lean"),
    [
        ("tc", [1, -1, 0, 2]),
        # ln 5 - ln 4, ln 1 - ln 2, 0, ln 3
        ("tf", [0.223143551, -0.693147181, 0, 1.098612289]),
        # (ln 1 + ln 3) - (ln 2 + ln 1), 0 - ln 1, 0, ln 1 + ln 1: a word that stands once adds nothing
        ("tf_paper", [0.405465108, 0, 0, 0]),
        ("bool", [0, -1, 0, 1]),
    ],
)
def test_arithmetic(mag, lean):
    a, b, c, d = lean
    assert value(RaB(cutoff=4, mag=mag)).item() == pytest.approx((a + b + c + d) / 4, abs=1e-9)
    assert value(RaB(cutoff=2, mag=mag)).item() == pytest.approx((a + b) / 2, abs=1e-9)
    # the mean of a, (a + b) / 2, (a + b + c) / 3, (a + b + c + d) / 4: of rank 1 (1 + 1/2 + 1/3 + 1/4) / 4 = .520833...
    by_hand = (a * 25 / 12 + b * 13 / 12 + c * 7 / 12 + d / 4) / 4
    assert value(ARaB(cutoff=4, mag=mag)).item() == pytest.approx(by_hand, abs=1e-9)
    assert value(ARaB(cutoff=2, mag=mag)).item() == pytest.approx(0.75 * a + 0.25 * b, abs=1e-9)
    assert value(ARaB(mag=mag)).item() == pytest.approx(by_hand, abs=1e-9)  # ten ranks were asked for, four are there


def test_each_magnitude_is_another():
    values = {round(value(ARaB(mag=mag)).item(), 9) for mag in MAGNITUDES}
    assert len(values) == 4


def slow_rab(lean, x):
    return sum(lean[:x]) / len(lean[:x]) if lean else np.nan


def slow_arab(lean, k):
    last = min(k, len(lean))
    return sum(slow_rab(lean, x) for x in range(1, last + 1)) / last if lean else np.nan


@st.composite
def worlds(draw):
    """Texts as occurrences of each of three terms in two groups, and rankings of them."""
    terms = st.lists(st.integers(0, 5), min_size=3, max_size=3)
    texts = draw(st.lists(st.tuples(terms, terms), min_size=1, max_size=7))
    rankings = st.lists(st.integers(0, len(texts) - 1), max_size=9, unique=True)
    return texts, draw(st.lists(rankings, min_size=1, max_size=3))


def tables(texts):
    counts = np.array([[sum(terms) for terms in text] for text in texts], dtype=float)
    logs = np.array([[sum(log(n) for n in terms if n) for terms in text] for text in texts])
    return {"counts": counts, "logs": logs}


def padded(rankings):
    width = max(map(len, rankings))
    return np.array([[*row, *[MISSING] * (width - len(row))] for row in rankings], dtype=np.int64).reshape(
        len(rankings), width
    )


SLOW = {
    "tc": sum,
    "tf": lambda terms: log(1 + sum(terms)),
    "tf_paper": lambda terms: sum(log(n) for n in terms if n),
    "bool": lambda terms: float(any(terms)),
}


@given(worlds(), st.integers(1, 9), st.sampled_from(MAGNITUDES))
def test_they_are_the_slow_ones(world, k, mag):
    texts, rankings = world
    lean = [SLOW[mag](m) - SLOW[mag](f) for f, m in texts]
    leans = [[lean[row] for row in ranking] for ranking in rankings]
    for kind, slow in ((RaB, slow_rab), (ARaB, slow_arab)):
        got = value(kind(cutoff=k, mag=mag), padded(rankings), **tables(texts))
        np.testing.assert_allclose(got, [slow(each, k) for each in leans], atol=1e-12)


@given(worlds(), st.integers(1, 9), st.sampled_from(MAGNITUDES))
def test_it_turns_its_sign_when_the_groups_change_places(world, k, mag):
    texts, rankings = world
    turned = tables([(m, f) for f, m in texts])
    for kind in (RaB, ARaB):
        measure = kind(cutoff=k, mag=mag)
        there, back = (value(measure, padded(rankings), **each) for each in (tables(texts), turned))
        np.testing.assert_array_equal(there, -back)


@given(worlds(), st.integers(1, 9))
def test_doubling_every_text_doubles_counts_and_leaves_bool(world, k):
    texts, rankings = world
    double = tables([([2 * n for n in f], [2 * n for n in m]) for f, m in texts])
    for mag, factor in (("tc", 2), ("bool", 1)):
        measure = ARaB(cutoff=k, mag=mag)
        once = value(measure, padded(rankings), **tables(texts))
        np.testing.assert_allclose(value(measure, padded(rankings), **double), factor * once, atol=1e-12)
    assert np.nanmax(np.abs(once), initial=0) <= 1 + 1e-12


@given(st.integers(1, 30), st.floats(-5, 5))
def test_the_weights_sum_to_one(length, lean):
    assert ranks.mean_of_means(np.full((1, length), lean)[:, :20]).item() == pytest.approx(lean, abs=1e-12)


@pytest.mark.parametrize("mag", ["tc", "tf", "bool"])
def test_documents_that_are_not_ranked_change_nothing(mag):
    few = np.array([[3, 0], [1, MISSING]])
    many = np.concatenate([COUNTS, np.full((9, 2), 7.0)])
    for measure in (ARaB(mag=mag), RaB(mag=mag)):
        assert value(measure, few, many).tolist() == value(measure, few).tolist()


def test_nothing_ranked_is_undefined():
    for ranked in (np.empty((2, 0), dtype=np.int64), np.full((2, 3), MISSING)):
        assert np.isnan(value(ARaB(), ranked)).all()
        assert np.isnan(value(RaB(), ranked)).all()
    assert np.isnan(ARaB()(np.full((1, 2), MISSING), np.empty((0, 2)))).all()


def test_what_it_needs_and_says():
    assert ARaB().needs == ("ranked", "counts", "lengths")
    assert RaB(mag="tf_paper").needs == ("ranked", "log_counts", "lengths")
    assert str(ARaB().note(groups=("f", "m"))) == "above 0 leans to m, below 0 to f"
    ARaB().check(("f", "m"))
    for groups in ((), ("f",), ("a", "b", "c")):
        with pytest.raises(UsageError, match=f"RaB compares two groups and was given {len(groups)}"):
            RaB().check(groups)


def test_an_option_that_there_is_not_is_refused_from_python_too():
    with pytest.raises(UsageError, match="ARaB: the parameter mag cannot be 'TF'; it is one of: tc, tf"):
        ARaB(mag="TF")


@pytest.mark.parametrize("measure", [RaB, ARaB])
def test_only_presence_has_bounds(measure):
    """A document holds terms of the second group alone, of the first alone, or counts without a limit."""
    assert measure(mag="bool").bounds == (-1, 1)
    assert measure(mag="tc").bounds == measure(mag="tf").bounds == (None, None)
