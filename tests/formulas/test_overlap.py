"""What two rankings have in common above each depth, against sets."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fairtrec.data import MISSING
from fairtrec.formulas.overlap import overlap

ranking = st.lists(st.integers(0, 9), unique=True, max_size=9)


@given(st.lists(st.tuples(ranking, ranking), min_size=1, max_size=5))
def test_common_documents_are_those_of_sets_whichever_ranking_is_longer(pairs):
    first, second = (
        np.array([each + [MISSING] * (longest - len(each)) for each in side], dtype=np.int64).reshape(len(pairs), -1)
        for side in zip(*pairs, strict=True)
        for longest in [max(map(len, side))]
    )
    depth = max(first.shape[1], second.shape[1])
    common = [[len({*one[:to]} & {*other[:to]}) for to in range(1, depth + 1)] for one, other in pairs]
    assert overlap(first, second).tolist() == common
