"""The utility that headroom prints beside the most fairness: the most among the fairest orders, or marked as a bound."""

from itertools import permutations

import numpy as np
import pytest

import fairtrec
from fairtrec.lab.headroom import HEADROOMS

DOCNOS = [f"d{number}" for number in range(7)]
SEEDS = [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 6))]


def drawn(seed):
    random = np.random.default_rng(seed)
    grades = {docno: int(random.integers(0, 4)) for docno in DOCNOS}
    labels = dict(zip(DOCNOS, random.permutation(list("ffmmmff")).tolist(), strict=True))
    run = {docno: 9.0 - at for at, docno in enumerate(random.permutation(DOCNOS).tolist())}
    return {"q": run}, {"q": grades}, labels


def brute(run, qrels, utility, fairness, **given):
    """Evaluate every order of two documents, and give the most utility among the fairest."""
    orders = {
        f"{one}-{two}": {"q": {one: 2.0, two: 1.0, **{d: -float(n) for n, d in enumerate(DOCNOS) if d not in (one, two)}}}
        for one, two in permutations(DOCNOS, 2)
    }  # fmt: skip
    values = np.array(
        [s.values[:, 0] for s in fairtrec.evaluate([utility, fairness], orders, qrels=qrels, **given).scores]
    )
    fairest = values[:, 1] >= values[:, 1].max() - 1e-9
    return values[fairest, 0].max(), values[:, 1].max()


@pytest.mark.parametrize("every_order", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_most_utility_among_the_fairest_is_found_by_kinds(seed, every_order, monkeypatch):
    if not every_order:
        monkeypatch.setattr("fairtrec.evaluation.fronts.problem.ORDERS", 0)
    run, qrels, labels = drawn(seed)
    given = {"labels": labels}
    found = fairtrec.headroom({"r": run}, qrels=qrels, utility="ERR@2", fairness="AWRF@2", **given)
    most = found.runs[0].points[-1]
    wanted = brute(run, qrels, "ERR@2", "AWRF@2", **given)
    assert (most.utility, most.fairness) == pytest.approx(wanted)
    assert most.told
    assert (set(found.runs[0].ways) == {"every order"}) is every_order
    assert ">=" not in HEADROOMS("table", found, places=4).replace(">=:", "")


@pytest.mark.parametrize("every_order", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_most_utility_among_the_fairest_is_found_by_sums(seed, every_order, monkeypatch):
    if not every_order:
        monkeypatch.setattr("fairtrec.evaluation.fronts.problem.ORDERS", 0)
    run, qrels, labels = drawn(seed)
    words = {"f": "she she", "m": "she he"}
    given = {"terms": {"f": ["she"], "m": ["he"]}, "docs": {d: words[group] for d, group in labels.items()}}
    found = fairtrec.headroom({"r": run}, qrels=qrels, utility="ERR@2", fairness="FaiRR@2", **given)
    most = found.runs[0].points[-1]
    assert (most.utility, most.fairness) == pytest.approx(brute(run, qrels, "ERR@2", "FaiRR@2", **given))
    assert most.told


def test_a_utility_of_which_nothing_is_known_is_marked_as_a_bound_from_below(monkeypatch):
    monkeypatch.setattr("fairtrec.evaluation.fronts.problem.ORDERS", 0)
    run, qrels, labels = drawn(3)
    found = fairtrec.headroom({"r": run}, qrels=qrels, utility="infAP", fairness="AWRF@2", labels=labels, candidates=4)
    most = found.runs[0].points[-1]
    assert not most.told
    assert f">={most.utility:.4f}" in HEADROOMS("table", found, places=4)
    assert '"utility_is": "a bound from below"' in HEADROOMS("jsonl", found)
    assert "equally fair orders may have more" in HEADROOMS("table", found, places=4)
