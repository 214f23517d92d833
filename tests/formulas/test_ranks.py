"""Weights of ranks: for the lengths that occur, not for all that there could be."""

import tracemalloc

import numpy as np
import pytest

from fairtrec.formulas import discount, ranks


@pytest.mark.parametrize("width", [1, 2, 7, 300])
def test_averages_of_each_length_are_those_of_the_length_by_itself(width):
    lengths = np.random.default_rng(1).integers(0, width + 1, 50)
    weights = ranks.averages(lengths, width)
    for length, row in zip(lengths.tolist(), weights, strict=True):
        expected = np.zeros(width)
        expected[:length] = discount.rank_averages(length)
        assert row.tobytes() == expected.tobytes()
    assert ranks.averages(np.zeros(0, dtype=np.int64), width).shape == (0, width)


def test_a_long_ranking_takes_memory_for_its_ranks_and_not_for_their_square():
    values = np.ones((2, 20_000))
    tracemalloc.start()
    value = ranks.mean_of_means(values)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert value == pytest.approx([1.0, 1.0])
    assert peak < 10 * values.nbytes
