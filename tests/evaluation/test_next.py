"""Which document to label next: the one that moves the value most, in the mean over all labelings of the others."""

from itertools import product

import numpy as np
import pytest

import fairtrec


def brute(measure, ranking, labels):
    """Say how far apart the groups of each unknown document move the value, in the mean over those of the others."""
    unknown = [docno for docno in ranking if docno not in labels]
    values = {}
    for groups in product("fm", repeat=len(unknown)):
        whole = {**labels, **dict(zip(unknown, groups, strict=True))}
        (scores,) = fairtrec.evaluate(measure, {"q": ranking}, labels=whole).scores
        values[groups] = scores.values.item()
    apart = {docno: [] for docno in unknown}
    for at, docno in enumerate(unknown):
        for groups, value in values.items():
            other = values[(*groups[:at], "m", *groups[at + 1 :])]
            apart[docno] += [abs(value - other) if value == value and other == other else 0.0] * (groups[at] == "f")
    return {docno: np.mean(several) for docno, several in apart.items()}


@pytest.mark.parametrize("measure", ["ABR", "rND", "NDKL@6", "AWRF@6", "DP"])
@pytest.mark.parametrize("seed", range(2))
def test_what_to_label_next_moves_the_value_most(measure, seed):
    random = np.random.default_rng(seed)
    names = [f"d{number}" for number in range(8)]
    labels = {name: "fm"[at % 2] for at, name in enumerate(random.permutation(names)[:4].tolist())}
    ranking = {name: 8.0 - at for at, name in enumerate(names)}
    (scores,) = fairtrec.evaluate(measure, {"q": ranking}, labels=labels, bounds="labels", next_label=True).scores
    effects = brute(measure, ranking, labels)
    found = scores.columns["unknown"]
    assert found.moves.item() == pytest.approx(max(effects.values()))
    assert effects[found.docno.item()] == pytest.approx(max(effects.values()))
