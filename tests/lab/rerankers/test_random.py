"""Rankings of chance: their exact distributions over all orders of three and four documents; seeds and samples."""

from collections import Counter
from itertools import permutations
from math import exp

import numpy as np
import pytest
from scipy.stats import chisquare

import fairtrec
from fairtrec.reranker import Chance
from fairtrec.rerankers import PlackettLuce, Random, RandomSwap
from fairtrec.support.errors import UsageError
from fairtrec_made import THOROUGH

SAMPLES = 10_000 if THOROUGH else 5_000


def uniform(scores):
    orders = list(permutations(range(len(scores))))
    return dict.fromkeys(orders, 1 / len(orders))


def plackett_luce(scores, temperature):
    chances = {}
    for order in permutations(range(len(scores))):
        left, chance = list(range(len(scores))), 1.0
        for d in order:
            chance *= exp(scores[d] / temperature) / sum(exp(scores[other] / temperature) for other in left)
            left.remove(d)
        chances[order] = chance
    return chances


def swapped(scores, eps):
    chances = {tuple(range(len(scores))): 1.0}
    for i in range(len(scores) - 1):
        after = Counter()
        for order, chance in chances.items():
            after[order] += chance * (1 - eps)
            later = range(i + 1, len(scores))
            for j in later:
                moved = list(order)
                moved[i], moved[j] = moved[j], moved[i]
                after[tuple(moved)] += chance * eps / len(later)
        chances = after
    return dict(chances)


CASES = [
    (Random(), uniform),
    (PlackettLuce(), lambda scores: plackett_luce(scores, 1.0)),
    (PlackettLuce(temperature=0.5), lambda scores: plackett_luce(scores, 0.5)),
    (RandomSwap(), lambda scores: swapped(scores, 0.5)),
    (RandomSwap(eps=0.2), lambda scores: swapped(scores, 0.2)),
]


@pytest.mark.parametrize(("by", "exact"), CASES, ids=lambda each: str(each) if not callable(each) else "")
@pytest.mark.parametrize("scores", [[1.0, 0.4, 0.0], [0.9, 0.5, 0.2, -0.3]])
def test_samples_fit_the_exact_distribution(by, exact, scores):
    qids = [f"q{number}" for number in range(SAMPLES)]  # a query is drawn as a sample is
    given = {"lengths": np.full(SAMPLES, len(scores)), "chance": Chance(3, qids)}
    if "scores" in by.needs:
        given["scores"] = np.tile(scores, (SAMPLES, 1))
    found = Counter(map(tuple, by(**given).ranks.tolist()))
    chances = exact(scores)
    assert sum(chances.values()) == pytest.approx(1)
    assert set(found) <= set(chances)
    expected = [chances[order] * SAMPLES for order in chances]
    assert chisquare([found[order] for order in chances], expected).pvalue > 0.001


def test_samples_of_one_query_differ_as_queries_do():
    drawn = [Chance(0, ["q"], sample).uniform(1)[0, 0] for sample in range(2_000)]
    assert len(set(drawn)) == 2_000
    assert chisquare(np.histogram(drawn, bins=10, range=(0, 1))[0]).pvalue > 0.001


def test_lengths_differ():
    lengths = np.array([1, 3, 0])
    for by in (Random(), RandomSwap(eps=1.0)):
        ranks = by(lengths=lengths, chance=Chance(0, ["a", "b", "c"])).ranks
        assert ranks[0].tolist() == [0, -1, -1]
        assert sorted(ranks[1].tolist()) == [0, 1, 2]
        assert ranks[2].tolist() == [-1, -1, -1]


def test_samples_are_written_and_read_back(fairtrec_command, tmp_path):
    run = {f"q{n}": {docno: float(-rank) for rank, docno in enumerate("abcdef")} for n in range(4)}
    labels = {"a": "f", "b": "f", "c": "f", "d": "m", "e": "m", "f": "m"}
    path, out = tmp_path / "a.run", tmp_path / "out.run"
    path.write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, ranking in run.items() for d, s in ranking.items()))
    (tmp_path / "labels.tsv").write_text("".join(f"{d}\t{g}\n" for d, g in labels.items()))
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} 1\n" for q in run for d in "abcdef"))
    given = (tmp_path / "qrels", path, "--by", "Random", "--rankings", 50, "--labels", tmp_path / "labels.tsv")
    done = fairtrec_command("rerank", *given, "-m", "EEL@6 DP@3", "-o", out)
    assert done.code == 0, done.err
    assert {line.split()[1] for line in out.read_text().splitlines()} == {str(n) for n in range(1, 51)}
    whole = fairtrec.evaluate("EEL@6 DP@3", out, qrels=tmp_path / "qrels", labels=labels, samples=True).means[str(out)]
    before = fairtrec.evaluate("EEL@6 DP@3", path, qrels=tmp_path / "qrels", labels=labels).means[str(path)]
    assert f"{whole['EEL@6']:.4f}" in done.out
    assert f"{before['EEL@6']:.4f}" in done.out
    assert whole["EEL@6"] < before["EEL@6"]
    (one,) = fairtrec.rerank("Random", run, rankings=2).runs
    with pytest.raises(UsageError, match="several rankings of each query"):
        one.rankings  # noqa: B018
    assert len(one.after.runs) == 2


def test_limits():
    with pytest.raises(UsageError, match="temperature is 0"):
        PlackettLuce(temperature=0.0)
    with pytest.raises(UsageError, match=r"eps is 1\.5"):
        RandomSwap(eps=1.5)
