"""The ends and the mean of a sum over prefixes, against all orders one by one."""

from itertools import permutations

import numpy as np
import pytest

from fairtrec.formulas.prefix_means import average_paths

WORTH = np.array([[0.1, 0.7, 0.2], [0.5, 0.3, 0.9], [0.4, 0.8, 0.6]])  # of a rank and a kind


def earn(placed, above):
    """What a document adds also depends on how many of its kind are above it."""
    return WORTH[above] + placed * placed


@pytest.mark.parametrize("undefined", [False, True])
def test_they_are_those_of_all_orders(undefined):
    def earned(placed, above):
        return np.where((placed[:, [0]] == 1) & undefined, np.nan, earn(placed, above))

    documents, sums = [0, 1, 1, 2], []
    for order in permutations(documents, 3):
        steps = [earned(np.bincount(order[:at], minlength=3)[None] * 1.0, at)[0, kind] for at, kind in enumerate(order)]
        sums.append(sum(steps))
    reach = average_paths(np.bincount(documents), 3, earned)
    assert reach == pytest.approx((np.nanmin(sums), np.nanmax(sums), np.nanmean(sums)))
    assert bool(np.isnan(sums).any()) == undefined


def test_if_no_order_has_a_value_there_is_none():
    assert np.isnan(average_paths(np.array([1, 2]), 2, lambda placed, _: np.full(placed.shape, np.nan))).all()
