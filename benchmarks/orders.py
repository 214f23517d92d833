"""rND, rKL and DUO with exact normalisers, against simulating 40,320 orders as the published programs do."""

from time import perf_counter

import numpy as np

from benchmarks.timing import report
from fairtrec.measures.awrf import AWRF
from fairtrec.measures.duo import DUO
from fairtrec.measures.fair import FAIR
from fairtrec.measures.kl import nDRKL
from fairtrec.measures.pairwise import rKL, rND

QUERIES, DEPTH, ORDERS = 1_000, 100, 40_320


def simulated_rnd(protected: np.ndarray, random: np.random.Generator) -> float:
    """Take the extremes of raw rND over many random orders of one list."""
    n = len(protected)
    share = protected.sum() / n
    orders = random.permuted(np.tile(protected, (ORDERS, 1)), axis=1)
    prefix = np.cumsum(orders, axis=1) / np.arange(1, n + 1)
    return float((np.abs(prefix - share) @ (1 / np.log2(np.arange(2, n + 2)))).max())


def simulated_duo(positions: np.ndarray, random: np.random.Generator) -> float:
    """Take the extremes of raw DUO over many random orders of one list."""
    n = len(positions)
    orders = random.permuted(np.tile(positions, (ORDERS, 1)), axis=1)
    count = np.arange(1, n + 1)
    variance = np.cumsum(orders**2, axis=1) / count - (np.cumsum(orders, axis=1) / count) ** 2
    return float((variance[:, 1:-1] @ (1 / np.log2(np.arange(2, n)))).max())


def seconds(work: object) -> float:
    assert callable(work)
    began = perf_counter()
    work()
    return perf_counter() - began


def main() -> None:
    random = np.random.default_rng(7)
    first = random.random((QUERIES, DEPTH)) < random.uniform(0.1, 0.9, (QUERIES, 1))
    membership = np.stack([first, ~first], axis=2).astype(np.float64)
    positions = random.normal(size=(QUERIES, DEPTH, 1))
    exact = {
        "rND": seconds(lambda: rND(protected="a")(membership, ("a", "b"))),
        "rKL": seconds(lambda: rKL(protected="a")(membership, ("a", "b"))),
        "DUO": seconds(lambda: DUO()(positions)),
    }
    total = sum(exact.values())
    report("rND, rKL and DUO of 1,000 x 100, exact: seconds in all", total, 2)
    simulated = {
        "rND": seconds(lambda: [simulated_rnd(row.astype(float), random) for row in first[:5]]) / 5,
        "DUO": seconds(lambda: [simulated_duo(row[:, 0], random) for row in positions[:5]]) / 5,
    }
    for name, cost in simulated.items():
        ratio = cost / (exact[name] / QUERIES)
        report(f"{name}: simulating 40,320 orders, of exact, per ranking", ratio, 100, f"{cost:.2f} s", at_least=True)

    many = 6_980
    group = random.integers(0, 2, (many, DEPTH))
    membership = np.stack([group == 0, group == 1], axis=2).astype(np.float64)
    relevance = random.choice([np.nan, 0.0, 1.0, 2.0], (many, DEPTH), p=[0.7, 0.1, 0.1, 0.1])
    target, lengths = np.array([[0.5, 0.5]]), np.full(many, DEPTH)
    shared = {"target": target, "membership": membership}
    judged = {"judged_relevance": relevance, "judged_membership": membership}
    for measure, given in (
        (FAIR(cutoff=DEPTH), {**shared, **judged, "relevance": relevance}),
        (nDRKL(cutoff=DEPTH), {**shared, "lengths": lengths}),
        (AWRF(cutoff=DEPTH), shared),
    ):
        took = seconds(lambda measure=measure, given=given: measure(**given))
        report(f"{measure} of 6,980 x 100: seconds", took, 1)
