"""Kulshrestha's and Gezici's biases, written out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from fairtrec.measures.position_bias import InputBias, MeanAbsoluteBias, MeanBias, OutputBias, RankingBias
from fairtrec.support.errors import UsageError

NAN = np.nan


def on_axis(*rows):
    return np.array(rows, dtype=float)[..., None]


def test_kulshrestha_written_out():
    ranked, background = on_axis([1, 0.5, -1]), on_axis([1, 0.5, -1, -1, NAN])
    # B = 1, .75, 1/6; mean (1 + 3/4 + 1/6) / 3 = 23/36; input -.5 / 4 = -1/8
    assert OutputBias()(ranked).item() == pytest.approx(23 / 36)
    assert InputBias()(background).item() == -1 / 8
    assert RankingBias()(ranked, background).item() == pytest.approx(23 / 36 + 1 / 8)
    assert OutputBias(cutoff=2)(ranked).item() == pytest.approx(7 / 8)
    assert RankingBias(cutoff=1)(ranked, background).item() == pytest.approx(9 / 8)
    # one background for all queries
    assert RankingBias(cutoff=1)(on_axis([1], [0]), background).tolist() == [9 / 8, 1 / 8]


def test_unknown_stances_are_passed_over():
    assert OutputBias()(on_axis([NAN, 1, NAN, -1])).item() == OutputBias()(on_axis([1, -1])).item() == 0.5


def test_gezici_written_out():
    ranked = on_axis([1, -0.2, -3, NAN, 0, -1])
    # ranks 1 | 2, 3, 6
    by = {"p": (1 - 3) / 10, "rbp": 0.2 * (1 - 0.8 - 0.64 - 0.8**5)}
    by["dcg"] = 1 - 1 / np.log2(3) - 1 / 2 - 1 / np.log2(7)
    for gain, expected in by.items():
        assert MeanBias(gain=gain)(ranked).item() == pytest.approx(expected)
        assert MeanAbsoluteBias(gain=gain)(ranked).item() == pytest.approx(abs(expected))
    assert MeanBias(cutoff=2)(ranked).item() == 0
    assert MeanBias(cutoff=2, gain="rbp", p=0.5)(ranked).item() == pytest.approx(0.5 * (1 - 0.5))


def test_axes():
    two = np.array([[[1.0, -1.0], [1.0, NAN]]])
    assert [OutputBias(axis=axis)(two).item() for axis in (1, 2)] == [1, -1]
    assert [InputBias(axis=axis)(two).item() for axis in (1, 2)] == [1, -1]
    assert [MeanBias(axis=axis, cutoff=2)(two).item() for axis in (1, 2)] == [1, -0.5]
    with pytest.raises(UsageError, match="no axis 3"):
        OutputBias(axis=3)(two)
    with pytest.raises(UsageError, match="axes count from 1"):
        OutputBias(axis=0)


def test_undefined_and_empty():
    for ranked in (np.zeros((1, 0, 1)), on_axis([NAN, NAN])):
        for measure in (InputBias(), OutputBias(), MeanBias(), MeanAbsoluteBias()):
            assert np.isnan(measure(ranked)).item()
        assert np.isnan(RankingBias()(ranked, on_axis([1]))).item()
        assert np.isnan(RankingBias()(on_axis([1]), ranked)).item()
    for p in (0.0, 1.0):
        with pytest.raises(UsageError, match="p is"):
            MeanBias(p=p)


stances = hnp.arrays(np.float64, (3, 5, 1), elements=st.sampled_from([-1.0, -0.5, 0.0, 0.3, 1.0, NAN]))
measures = st.sampled_from(
    [OutputBias, MeanBias, *(lambda cutoff, gain=gain: MeanBias(cutoff=cutoff, gain=gain) for gain in ("rbp", "dcg"))]
)


@given(stances, measures, st.integers(1, 5))
def test_laws(ranked, kind, cutoff):
    measure = kind(cutoff=cutoff)
    got = measure(ranked)
    np.testing.assert_allclose(got, -measure(-ranked), atol=1e-12)
    below = np.concatenate((ranked[:, :cutoff], np.full((3, 3, 1), NAN)), axis=1)
    np.testing.assert_allclose(got, measure(below), atol=1e-12)
    defined = got[~np.isnan(got)]
    assert np.all(np.abs(defined) <= (1 / np.log2(np.arange(2, cutoff + 2))).sum() + 1e-12)
    if isinstance(measure, MeanBias):
        absolute = MeanAbsoluteBias(cutoff=cutoff, gain=measure.gain)(ranked)
        np.testing.assert_allclose(absolute, np.abs(got))


def test_a_full_ranking_of_the_background_in_either_order():
    # over both orders of a set the output bias averages to the input bias
    x = [1.0, -0.25, 0.5]
    both = OutputBias()(on_axis(x, x[::-1]))
    every = on_axis(
        *(np.array(x)[list(order)] for order in ([0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]))
    )
    assert OutputBias()(every).mean() == pytest.approx(InputBias()(on_axis(x)).item())
    assert both[0] != both[1]
