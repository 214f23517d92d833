"""FairGreedy and AlphaIdeal a second time, in loops; what they promise of FAIR, KL and alpha-nDCG."""

# ruff: noqa: B023 - the functions are called before their loop goes on

import math

import numpy as np
import pandas as pd
import pytest

import fairtrec
from fairtrec.reranker import Chance
from fairtrec.rerankers import AlphaIdeal, FairGreedy
from fairtrec_made import THOROUGH


def dkl(held, target):
    total = sum(held)
    if not total:
        return math.inf
    found = 0.0
    for share, aim in zip((h / total for h in held), target, strict=True):
        if share > 0:
            found += share * math.log(share / aim) if aim else math.inf
    return max(found, 0.0)


def near(value, other):
    return value == other or abs(value - other) <= 1e-12 * max(1.0, abs(other))


def slow(by, membership, grades, target, fairly):
    """``fairly`` says for each rank whether the divergence comes first."""
    moved = [d for d, row in enumerate(membership) if any(m > 0 for m in row)]
    left, held, seen = list(moved), [0.0] * len(target), [0.0] * len(target)
    slots = [d for d in moved if d < by.cutoff]
    placed = []
    for at in range(len(slots)):

        def gain(d):
            if grades is not None and not grades[d] >= by.rel:
                return 0.0
            return sum(m * (1 - by.alpha) ** s for m, s in zip(membership[d], seen, strict=True))

        def divergence(d):
            return dkl([h + m for h, m in zip(held, membership[d], strict=True)], target)

        def paid(d):
            if by.divisor == "kl+1":
                return gain(d) / (divergence(d) + 1)
            if divergence(d) == 0:
                return math.inf if gain(d) > 0 else 0.0
            return gain(d) / divergence(d)

        rules = [gain] if isinstance(by, AlphaIdeal) else [paid, lambda d: -divergence(d)]
        if fairly is not None and fairly[at]:
            rules = [lambda d: -divergence(d), gain]
        among = left
        for rule in rules:
            most = max(map(rule, among))
            among = [d for d in among if near(rule(d), most)]
        chosen = among[0]
        placed.append(chosen)
        left.remove(chosen)
        held = [h + m for h, m in zip(held, membership[chosen], strict=True)]
        if grades is None or grades[chosen] >= by.rel:
            seen = [s + m for s, m in zip(seen, membership[chosen], strict=True)]
    order = list(range(len(membership)))
    for slot, d in zip(moved, placed + left, strict=True):
        order[slot] = d
    return order


def drawn(number):
    random = np.random.default_rng(number)
    many = int(random.integers(2, 4))
    membership = np.zeros((20, 14, many))
    lengths = random.integers(1, 15, 20)
    for query, length in enumerate(lengths):
        kinds = random.integers(0, many + 2, length)
        for d, kind in enumerate(kinds):
            if kind < many:
                membership[query, d, kind] = 1.0
            elif kind == many:
                membership[query, d] = random.dirichlet(np.ones(many)) if number % 2 else 1.0
            else:
                membership[query, d] = np.nan
    membership[np.arange(14) >= lengths[:, None]] = np.nan
    target = random.dirichlet(np.ones(many) * 2, 20)
    grades = np.where(random.random((20, 14)) < 0.2, np.nan, random.integers(0, 3, (20, 14)))
    return membership, lengths, target, grades, int(random.integers(1, 12))


VARIANTS = [
    {"eps": 0.0},
    {"eps": 1.0},
    {"eps": 0.5},
    {"eps": 0.5, "divisor": "kl"},
    {"eps": 0.0, "alpha": 1.0, "rel": 2},
]


@pytest.mark.parametrize("options", VARIANTS, ids=str)
@pytest.mark.parametrize("judged", [True, False])
def test_it_is_what_loops_give(options, judged):
    for number in range(25 if THOROUGH else 6):
        membership, lengths, target, grades, k = drawn(number)
        gain = "qrels" if judged else "run"
        by, chance = FairGreedy(cutoff=k, gain=gain, **options), Chance(number, [f"q{n}" for n in range(20)])
        ranks = by(membership, target, lengths, chance, grades if judged else None).ranks
        fairly = chance.uniform(14) < by.eps
        for query, length in enumerate(lengths.tolist()):
            rows = np.nan_to_num(membership[query, :length]).tolist()
            wanted = slow(
                by, rows, grades[query, :length].tolist() if judged else None, target[query].tolist(), fairly[query]
            )
            assert [rank for rank in ranks[query].tolist() if rank >= 0] == wanted, (number, query)


@pytest.mark.parametrize("judged", [True, False])
def test_the_ideal_is_what_loops_give(judged):
    for number in range(30):
        membership, lengths, target, grades, k = drawn(number)
        by = AlphaIdeal(cutoff=k)
        ranks = by(membership, lengths, grades if judged else None).ranks
        for query, length in enumerate(lengths.tolist()):
            rows = np.nan_to_num(membership[query, :length]).tolist()
            wanted = slow(by, rows, grades[query, :length].tolist() if judged else None, target[query].tolist(), None)
            assert [rank for rank in ranks[query].tolist() if rank >= 0] == wanted, (number, query)


def collection(number, queries=30):
    random = np.random.default_rng(number)
    names = [f"d{n:02}" for n in range(12)]
    run = {
        f"q{n}": dict(zip(random.permutation(names).tolist(), np.arange(12.0, 0, -1), strict=True))
        for n in range(queries)
    }
    labels = {name: "fm"[int(random.integers(2))] for name in names[2:]} | {"d00": "f", "d01": "m"}
    qrels = {qid: {name: int(random.integers(0, 3)) for name in names} for qid in run}
    return run, labels, qrels


@pytest.mark.parametrize("number", range(5))
def test_what_the_two_ends_promise(number):
    run, labels, qrels = collection(number)
    given = {"labels": labels, "target": {"f": 0.3, "m": 0.7}}
    for by, measure in (("FairGreedy(eps=0,gain=qrels)", "FAIR@1"), ("FairGreedy(eps=1)", "KL@1")):
        (one,) = fairtrec.rerank(by, {"r": run}, qrels=qrels, **given).runs
        both = {"before": one.before, "after": one.after}
        before, after = (each.values[0] for each in fairtrec.evaluate(measure, both, qrels=qrels, **given).scores)
        known = ~np.isnan(before)
        better = after <= before + 1e-12 if measure == "KL@1" else after >= before - 1e-12
        assert better[known].all()
        assert known.any()


def test_the_ideal_has_an_alpha_ndcg_of_1():
    pytest.importorskip("pyndeval", reason="pyndeval, which computes alpha-nDCG, is not installed")
    run, labels, qrels = collection(9)
    (one,) = fairtrec.rerank("AlphaIdeal(gain=qrels)@10", {"r": run}, qrels=qrels, labels=labels).runs
    topics = {"f": "1", "m": "2"}
    rows = [
        {"query_id": qid, "iteration": topics[labels[docno]], "doc_id": docno, "relevance": int(grade >= 1)}
        for qid, grades in qrels.items() for docno, grade in grades.items()
    ]  # fmt: skip
    values = fairtrec.evaluate("alpha_nDCG@10", {"r": one.after}, qrels=pd.DataFrame(rows)).scores[0].values
    assert values == pytest.approx(1.0)


def test_the_ideal_has_the_gain_of_the_measure_s_ideal():
    """FAIR divides by a greedy ideal of its own; where the target is met everywhere both are the plain measure."""
    run, labels, qrels = collection(11)
    (one,) = fairtrec.rerank("AlphaIdeal(gain=qrels)@10", {"r": run}, qrels=qrels, labels=labels).runs
    membership = {"f": 0, "m": 1}
    for qid, ranking in one.rankings.items():
        gains = []
        for order in (ranking, sorted(qrels[qid], reverse=True)):
            left, seen, total, pool = [*order], [0, 0], 0.0, [*order]
            for rank in range(10):

                def gain(docno, seen=seen, qid=qid):
                    return 0.5 ** seen[membership[labels[docno]]] if qrels[qid][docno] >= 1 else 0.0

                chosen = left[0] if order is ranking else max(pool, key=gain)
                total += gain(chosen) / math.log2(rank + 2)
                if qrels[qid][chosen] >= 1:
                    seen[membership[labels[chosen]]] += 1
                left = left[1:]
                pool.remove(chosen)
            gains.append(total)
        assert gains[0] == pytest.approx(gains[1])
