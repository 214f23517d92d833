"""Targets of crossed attributes, against the definition tried for every group."""

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrec.formulas.crossed_groups import CrossedGroups, CrossedTarget, cross_attributes

SIZES, UNLABELED = (3, 2, 2), (0, None, 1)
EVERY = list(product(*map(range, SIZES)))


def shares(place, amounts):
    """Normalize amounts over the known groups of an attribute."""
    kept = np.array([0 if group == UNLABELED[place] else amount for group, amount in enumerate(amounts)])
    return kept / kept.sum()


def defined(space, q, x):
    """The share of one group, as the page says it."""
    mixed = [h for h in range(len(SIZES)) if space.given[h] is not None]
    rest = [r for r in range(len(SIZES)) if r not in mixed]
    known = {h for h in mixed if x[h] != UNLABELED[h]}
    if not known:
        return q.get(x, 0)
    mass = sum(of for y, of in q.items() if {h for h in mixed if y[h] != UNLABELED[h]} == known)
    head = sum(of for y, of in q.items() if all(y[h] == x[h] for h in mixed))
    tail = sum(of for y, of in q.items() if all(y[r] == x[r] for r in rest))
    spread = q.get(x, 0) / head if head else tail
    given = prod(space.given[h][x[h]] for h in known)
    return space.factor * q.get(x, 0) + (1 - space.factor) * mass * given * spread


weights = st.lists(st.integers(1, 9), min_size=3, max_size=3)


@given(
    st.dictionaries(st.sampled_from(EVERY), st.integers(1, 9), min_size=1, max_size=6),
    st.lists(weights, min_size=3, max_size=3),
    st.lists(st.booleans(), min_size=3, max_size=3),
    st.sampled_from([0.0, 0.3, 0.5]),
)
def test_the_target_of_every_group_is_the_defined_one(amounts, given_to, mixes, factor):
    space = CrossedGroups(
        SIZES,
        UNLABELED,
        tuple(shares(place, given_to[place][: SIZES[place]]) if mixes[place] else None for place in range(3)),
        factor if any(mixes) else 1.0,
    )
    q = {x: amount / sum(amounts.values()) for x, amount in amounts.items()}
    wanted = CrossedTarget(space, np.array([*q]), np.array([*q.values()]))
    found = wanted.look_up_shares(np.array(EVERY))
    np.testing.assert_allclose(found, [defined(space, q, x) for x in EVERY], atol=1e-13)
    assert found.sum() == pytest.approx(1)
    assert wanted.squares == pytest.approx((found**2).sum())


def test_what_documents_hold_of_crossed_groups_is_the_product():
    held = [np.array([[0.25, 0.75], [1.0, 0.0]]), np.array([[0.5, 0.0, 0.5], [0.0, 0.0, 0.0]])]
    document, codes, weight = cross_attributes(held)
    assert document.tolist() == [0, 0, 0, 0]  # the second is of no group of the other attribute
    assert dict(zip(map(tuple, codes.tolist()), weight.tolist(), strict=True)) == {
        (0, 0): 0.125, (0, 2): 0.125, (1, 0): 0.375, (1, 2): 0.375
    }  # fmt: skip
