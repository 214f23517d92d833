"""Neutral against all orders of small rankings; and what it promises of NFaiRR."""

from itertools import permutations

import numpy as np
import pytest

import fairtrec
from fairtrec.data import Candidates
from fairtrec.formulas import discount
from fairtrec.lab.rerankers.neutral import BELOW_BEST
from fairtrec.rerankers import Neutral
from fairtrec.support.errors import UsageError
from fairtrec_made import THOROUGH
from fairtrec_made.neutrality import omega_of

NUMBER = 1_000


def drawn(number, n=None):
    random = np.random.default_rng(number)
    n = int(random.integers(1, 7)) if n is None else n
    counts = random.integers(0, 6, (n, 2)).astype(float)
    scaled = np.sort(random.random(n))[::-1]
    return scaled, counts


def first_of(by, scaled, counts, **more):
    n = len(scaled)
    ranked, target = np.arange(n)[None], np.array([[0.5, 0.5]])
    order = by(scaled=scaled[None], counts=counts, ranked=ranked, target=target, lengths=np.array([n]), **more)
    return [rank for rank in order.ranks[0].tolist() if rank >= 0], order.notes


def test_it_sorts():
    for number in range(NUMBER):
        scaled, counts = drawn(number, 12)
        weight, k = float(np.random.default_rng(number).random()), 1 + number % 12
        keys = (1 - weight) * scaled + weight * omega_of(counts, number % 3)
        wanted = sorted(range(12), key=lambda d: -keys[d])[:k]
        assert first_of(Neutral(k, weight, tau=number % 3), scaled, counts)[0] == wanted


def test_no_order_has_more_of_both():
    for number in range(150 if THOROUGH else 25):
        scaled, counts = drawn(number)
        omega, k, weight = omega_of(counts), 3, 0.3
        weights = discount.log2(k)
        value = {
            order[:k]: sum(
                w * ((1 - weight) * scaled[d] + weight * omega[d]) for w, d in zip(weights, order, strict=False)
            )
            for order in permutations(range(len(scaled)))
        }
        found = tuple(first_of(Neutral(k, weight), scaled, counts)[0])
        assert value[found] == pytest.approx(max(value.values()))


def test_what_is_equal_to_twelve_digits_keeps_its_order():
    # three groups alike: a, c and d show one group alone, b as well; omega is 1 - 2/3 - 1/3 - 1/3 in some order of sums
    counts = {"a": (2, 0, 0), "b": (0, 3, 0), "c": (0, 0, 2), "d": (4, 0, 0)}
    words = {"x": ["ex"], "y": ["why"], "z": ["zed"]}
    texts = {d: " ".join(["ex"] * n[0] + ["why"] * n[1] + ["zed"] * n[2]) for d, n in counts.items()}
    for order in ("abcd", "dcba", "cadb"):
        run = {"q": {docno: 4.0 - at for at, docno in enumerate(order)}}
        (one,) = fairtrec.rerank("Neutral(weight=1)@4", run, terms=words, docs=texts).runs
        assert "".join(one.rankings["q"]) == order


@pytest.mark.parametrize("wanted", [0.5, 0.8, 0.95, 1.0])
def test_what_is_required_is_met_by_the_least_weight_and_the_gap_is_a_bound(wanted):
    met, many = 0, 100 if THOROUGH else 20
    for number in range(many):
        scaled, counts = drawn(number)
        omega, k = omega_of(counts), 3
        weights = discount.log2(k)
        ideal = (np.sort(omega)[::-1][:k] * weights[: len(omega)]).sum()
        background = Candidates(counts[None], np.ones((1, len(counts)), dtype=np.int64))
        found, notes = first_of(Neutral(k, require=wanted), scaled, counts, background=background)
        sums = {
            order[:k]: tuple(sum(w * of[d] for w, d in zip(weights, order, strict=False)) for of in (scaled, omega))
            for order in permutations(range(len(scaled)))
        }
        if ideal <= 0:
            assert found == [*range(len(scaled))][:k]
            continue
        reaching = [utility for utility, fair in sums.values() if fair >= wanted * ideal - 1e-9]
        assert reaching  # the background is the ranking, so its best order reaches 1
        utility, fair = sums[tuple(found)]
        assert fair >= wanted * ideal - 1e-9
        (gap,) = [note.numbers["gap"] for note in notes if note.kind == BELOW_BEST]
        assert utility <= max(reaching) + 1e-9
        assert utility + gap + 1e-4 >= max(reaching)
        met += 1
    assert met > 0.8 * many


def test_a_query_that_cannot_reach_it_is_as_neutral_as_it_can_be():
    scaled, counts = np.array([1.0, 0.5, 0.0]), np.array([[9.0, 0.0], [6.0, 3.0], [5.0, 3.0]])
    background = Candidates(np.array([[[1.0, 1.0], [2.0, 2.0]]]), np.ones((1, 2), dtype=np.int64))
    found, notes = first_of(Neutral(2, require=0.9), scaled, counts, background=background)
    assert found == [2, 1]
    assert "no order reaches it in 1 of 1 queries: the most neutral order is taken" in map(str, notes)


def test_on_a_run_eval_finds_what_was_required(example):
    given = {"terms": "gender-en", "docs": example / "collection.tsv", "background": example / "background.run"}
    (one,) = fairtrec.rerank("Neutral(require=0.6)@10", example / "neural.run", **given).runs
    values = fairtrec.evaluate("NFaiRR@10", {"r": one.after}, **given).scores[0].values[0]
    before = fairtrec.evaluate("NFaiRR@10", {"r": one.before}, **given).scores[0].values[0]
    most = fairtrec.rerank("Neutral(weight=1)@10", example / "neural.run", **given).runs[0].after
    best = fairtrec.evaluate("NFaiRR@10", {"r": most}, **given).scores[0].values[0]
    assert (before < 0.6).any()
    assert ((values >= 0.6 - 1e-9) | np.isclose(values, best)).all()
    assert np.array_equal(values[before >= 0.6], before[before >= 0.6])


def test_it_needs_a_background_where_nfairr_is_required(example):
    given = {"terms": "gender-en", "docs": example / "collection.tsv"}
    with pytest.raises(UsageError, match=r"Neutral\(require=0.5\)@10 needs a background set; add background=RUN"):
        fairtrec.rerank("Neutral(require=0.5)", example / "neural.run", **given)
    with pytest.raises(UsageError, match="weight is 2"):
        Neutral(weight=2.0)
