"""The greatest share against arithmetic, and against Counter."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrec.measures.max_share import MaxShare
from fairtrec.measures.skew import MaxSkew

A, B, NO, UNKNOWN = [1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [np.nan, np.nan]


def value(ranked, cutoff=10):
    return MaxShare(cutoff=cutoff)(np.array([ranked]).reshape(1, len(ranked), 2)).item()


def test_written_out():
    assert value([A, B, A, A]) == 0.75
    assert value([A, B, A, A], 2) == 0.5
    assert value([A, A]) == 1
    assert value([[1.0, 1.0], A]) == pytest.approx(2 / 3)  # a document of both counts for both
    assert value([[0.25, 0.75], B]) == 0.875
    assert value([UNKNOWN, A, NO, B, A]) == pytest.approx(2 / 3)
    for ranked in ([], [UNKNOWN, NO]):
        assert np.isnan(value(ranked))


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=12), st.integers(1, 13))
def test_it_is_the_most_common_of_the_top(ranked, cutoff):
    membership = np.array([[[name == group for group in "abcd"] for name in ranked]], dtype=float)
    found = MaxShare(cutoff=cutoff)(membership).item()
    [(_, many)] = Counter(ranked[:cutoff]).most_common(1)
    assert found == pytest.approx(many / len(ranked[:cutoff]))
    skew = MaxSkew(cutoff=cutoff)(membership, np.full((1, 4), 0.25)).item()
    assert found == pytest.approx(0.25 * np.exp(skew))
