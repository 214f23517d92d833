"""Equal documents are brought together where many ranks are filled, which changes no order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrec.lab.rerankers import fair_greedy
from fairtrec.lab.rerankers.fair_greedy import AlphaIdeal, FairGreedy


class Chance:
    """Draws that are the same for each reranker."""

    def __init__(self, queries):
        self.queries = queries

    def uniform(self, ranks):
        return np.random.default_rng(7).random((self.queries, ranks))


@given(st.integers(0, 10**6), st.booleans(), st.sampled_from([{}, {"gain": "qrels"}, {"unknown": "free"}]))
def test_the_order_is_that_of_single_documents(seed, soft, options):
    random = np.random.default_rng(seed)
    queries, several, groups = random.integers(1, 4), random.integers(1, 40), random.integers(2, 4)
    membership = np.eye(groups)[random.integers(0, groups, (queries, several))]
    if soft:
        membership = random.choice([0, 0.25, 1.0], (queries, several, groups))
    membership[random.random((queries, several)) < 0.1] = np.nan
    inputs = {"membership": membership, "lengths": random.integers(0, several + 1, queries)}
    if "gain" in options:
        inputs["relevance"] = random.integers(0, 3, (queries, several)).astype(float)
    more = {"target": random.dirichlet(np.ones(groups))[None], "chance": Chance(queries)}
    for reranker, given_ in ((AlphaIdeal, inputs), (FairGreedy, inputs | more)):
        ranks = []
        for many, few in ((10**9, 4), (0, 0)):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(fair_greedy, "MANY", many)
                patch.setattr(fair_greedy, "FEW", few)
                ranks.append(reranker(cutoff=30, **options)(**given_).ranks.tolist())
        assert ranks[0] == ranks[1]


def test_work_grows_with_the_kinds_and_not_with_the_documents(monkeypatch):
    seen = []
    gains = fair_greedy.Placeable.gains
    monkeypatch.setattr(
        fair_greedy.Placeable, "gains", lambda self, alpha: seen.append(self.left.shape) or gains(self, alpha)
    )
    AlphaIdeal(cutoff=60)(np.eye(2)[np.arange(200) % 2][None], np.array([200]))
    assert {*seen} == {(1, 2)}
