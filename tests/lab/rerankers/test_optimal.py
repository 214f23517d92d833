"""Optimal against all orders of small rankings; and that no measure of relevance sees what it does."""

from itertools import permutations, product

import numpy as np
import pytest

import fairtrec
from fairtrec.data import Candidates
from fairtrec.formulas import discount
from fairtrec.lab.rerank import ordering
from fairtrec.rerankers import Optimal
from fairtrec.support.errors import UsageError
from fairtrec.testing import RerankerContract
from fairtrec_made import EXAMPLE, THOROUGH
from fairtrec_made.neutrality import omega_of

GIVEN = {"terms": "gender-en", "docs": EXAMPLE / "collection.tsv", "background": EXAMPLE / "background.run"}
RUNS = {name: EXAMPLE / f"{name}.run" for name in ("bm25", "neural", "fair")}
QRELS = EXAMPLE / "qrels.txt"
SEES = "nDCG@10 nDCG AP AP@5 RR P@5 P@10 R@10 ERR@10 Rprec Success@3 NumRet infAP bpref"


class TestOptimal(RerankerContract):
    reranker = Optimal

    def variants(self, collection):
        yield from (Optimal(3, loss=0.1, each=True), Optimal(3, same_grades=True))


def values(runs, measures):
    result = fairtrec.evaluate(measures, runs, qrels=QRELS, **GIVEN)
    return [(scores.run, scores.qids, scores.values) for scores in result.scores]


@pytest.mark.parametrize("k", [1, 5, 10])
def test_of_the_same_grades_every_measure_of_relevance_stays_bit_for_bit(k):
    reranked = fairtrec.rerank(Optimal(k, same_grades=True), RUNS, qrels=QRELS, **GIVEN).runs
    after = {each.run: each.rankings for each in reranked}
    moved = False
    for (run, qids, before), (_, _, then) in zip(values(RUNS, SEES), values(after, SEES), strict=True):
        assert before.tobytes() == then.tobytes(), run
        assert len(qids) == 12
    for (_, _, before), (_, _, then) in zip(values(RUNS, f"NFaiRR@{k}"), values(after, f"NFaiRR@{k}"), strict=True):
        assert (then >= before - 1e-12).all()
        moved |= bool((then > before + 0.01).any())
    assert moved


def small(random, n):
    grades = random.integers(-1, 3, n).astype(float)
    grades[random.random(n) < 0.2] = np.nan
    return grades, random.integers(0, 5, (n, 2)).astype(float)


def sums(grades, counts, ideal, k):
    weights = discount.log2(k)
    gains, omega = np.maximum(np.nan_to_num(grades), 0) / ideal, omega_of(counts)
    every = {}
    for top in permutations(range(len(grades)), min(k, len(grades))):
        every[top] = tuple(sum(w * of[d] for w, d in zip(weights, top, strict=False)) for of in (gains, omega))
    return every


@pytest.mark.parametrize("loss", [0.0, 0.1, 0.4])
def test_no_order_that_loses_no_more_is_fairer(loss):
    random, k = np.random.default_rng(5), 3
    for _ in range(40 if THOROUGH else 20):
        two = [small(random, int(random.integers(2, 6))) for _ in range(2)]
        wide = max(len(grades) for grades, _ in two)
        relevance = np.full((2, wide), np.nan)
        ranked = np.full((2, wide), -1)
        at = 0
        for row, (grades, _) in enumerate(two):
            relevance[row, : len(grades)] = grades
            ranked[row, : len(grades)] = np.arange(at, at + len(grades))
            at += len(grades)
        table = np.concatenate([counts for _, counts in two])
        lengths = np.array([len(grades) for grades, _ in two])
        target = np.array([[0.5, 0.5]])
        ideals = [(-np.sort(-np.maximum(np.nan_to_num(g), 0)))[:k] @ discount.log2(min(k, len(g))) or 1 for g, _ in two]
        every = [sums(grades, counts, ideal, k) for (grades, counts), ideal in zip(two, ideals, strict=True)]
        own = [sum_of[tuple(range(min(k, len(g))))] for sum_of, (g, _) in zip(every, two, strict=True)]
        inputs = {"relevance": relevance, "judged_relevance": relevance, "counts": table, "ranked": ranked}
        inputs |= {"target": target, "lengths": lengths}

        def found(by, inputs=inputs, every=every):
            tops = [tuple(rank for rank in ranks if rank >= 0) for ranks in by(**inputs).ranks.tolist()]
            return [of[top] for of, top in zip(every, tops, strict=True)]

        each = found(Optimal(k, loss, each=True))
        for got, of, (utility, _) in zip(each, every, own, strict=True):
            assert got[0] >= (1 - loss) * utility - 2e-9
            best = max(fair for used, fair in of.values() if used >= (1 - loss) * utility - 1e-9)
            assert got[1] == pytest.approx(best)
        kept = found(Optimal(k, loss, each=True, pin_unjudged=True))
        for got, of, (utility, _), (grades, _) in zip(kept, every, own, two, strict=True):
            stays = [
                (top, sums_)
                for top, sums_ in of.items()
                if all(not np.isnan(grades[doc]) or doc == rank for rank, doc in enumerate(top))
                and all(not np.isnan(grades[rank]) or top[rank] == rank for rank in range(len(top)))
            ]
            best = max(fair for _, (used, fair) in stays if used >= (1 - loss) * utility - 1e-9)
            assert got[1] == pytest.approx(best)
        together = found(Optimal(k, loss))
        least = (1 - loss) * sum(utility for utility, _ in own)
        assert sum(utility for utility, _ in together) >= least - 1e-8
        best = max(a[1] + b[1] for a, b in product(every[0].values(), every[1].values()) if a[0] + b[0] >= least - 1e-9)
        assert sum(fair for _, fair in together) == pytest.approx(best)


def test_a_background_weighs_queries_and_one_without_keeps_its_order():
    relevance = np.zeros((2, 2))
    counts = np.array([[4.0, 0.0], [2.0, 2.0]])
    ranked = np.array([[0, 1], [0, 1]])
    background = Candidates(np.stack([counts, counts]), np.array([[1, 1], [0, 0]]))
    order = Optimal(2)(relevance, relevance, counts, ranked, np.array([[0.5, 0.5]]), np.array([2, 2]), background)
    assert order.ranks.tolist() == [[1, 0], [-1, -1]]
    assert [str(remark) for remark in order.notes] == ["order kept in 1 of 2 queries: no target or no background"]


def test_where_there_are_too_many_ways_it_says_what_it_may_lack(monkeypatch):
    monkeypatch.setattr("fairtrec.formulas.two_sums.MOST", 0)
    monkeypatch.setattr("fairtrec.formulas.two_sums.find_fronts_by_counts", lambda gains, *_: [None] * len(gains))
    for by in (Optimal(), Optimal(each=True)):
        (one,) = fairtrec.rerank(by, RUNS["fair"], qrels=QRELS, **GIVEN).runs
        assert "the mean fairness could be" in " ".join(map(str, one.notes))
        result = fairtrec.evaluate(
            "nDCG@10 NFaiRR@10", {"new": one.rankings, "old": RUNS["fair"]}, qrels=QRELS, **GIVEN
        )
        (new, fairer), (utility, fairness) = (scores.means.tolist() for scores in result.scores)
        assert new >= utility - 1e-9
        assert fairer >= fairness - 0.03


def test_queries_that_depend_on_each_other_are_ordered_at_once(monkeypatch):
    whole = fairtrec.rerank("Optimal", RUNS["bm25"], qrels=QRELS, **GIVEN).runs[0].rankings
    monkeypatch.setattr(ordering, "CELLS", 1)
    assert fairtrec.rerank("Optimal", RUNS["bm25"], qrels=QRELS, **GIVEN).runs[0].rankings == whole
    assert Optimal().orders_together
    assert not Optimal(each=True).orders_together
    assert not Optimal(same_grades=True).orders_together


def test_a_share_is_a_share():
    with pytest.raises(UsageError, match="loss is 2"):
        Optimal(loss=2)
