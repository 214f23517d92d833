"""Sequences of kinds against plain enumeration."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrec.formulas.sequences import KindSequences, SequenceSteps, number_rows


@given(st.lists(st.integers(0, 3), min_size=1, max_size=3), st.integers(0, 4))
def test_each_sequence_is_listed_once_in_either_form(supply, length):
    expected = [
        kinds
        for kinds in product(range(len(supply)), repeat=length)
        if all(kinds.count(kind) <= most for kind, most in enumerate(supply))
    ]
    listed = KindSequences.enumerate_sequences(supply, length)
    assert [tuple(row) for row in listed.kinds.tolist()] == expected
    assert listed.number.tolist() == [[row[:rank].count(row[rank]) for rank in range(length)] for row in expected]
    steps = SequenceSteps.enumerate_steps(np.array(supply), length)
    assert len(steps) == len(expected)
    assert [tuple(row) for row in steps.take(np.arange(len(steps))).tolist()] == expected


@given(st.lists(st.integers(1, 3), min_size=2, max_size=3), st.integers(1, 4))
def test_as_many_sequences_are_listed_as_may_be(supply, length):
    length = min(length, sum(supply))
    many = len(KindSequences.enumerate_sequences(supply, length).kinds)
    everywhere = np.ones((length, len(supply)), dtype=bool)
    assert len(KindSequences.enumerate_sequences(supply, length, most=many).kinds) == many
    assert KindSequences.enumerate_sequences(supply, length, most=many - 1) is None
    for allowed in (None, everywhere):
        assert len(SequenceSteps.enumerate_steps(np.array(supply), length, allowed, most=many)) == many
        assert SequenceSteps.enumerate_steps(np.array(supply), length, allowed, most=many - 1) is None


@pytest.mark.parametrize("largest", [3, 1 << 40])  # of which a row has its number by arithmetic, or by its bytes
@given(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=12))
def test_equal_rows_have_one_number(largest, rows):
    rows = [tuple(largest * each // 2 for each in row) for row in [*rows, (2, 2, 2)]]
    first, of = number_rows(np.array(rows))
    assert [rows[at] for at in first[of].tolist()] == rows
    assert first.tolist() == [rows.index(row) for row in dict.fromkeys(rows[at] for at in first.tolist())]
    assert len(first) == len({*rows})
