"""rND, rKL and DUO with exact normalizers, against simulating 40,320 orders as the published programs do."""

import numpy as np

from benchmarks.timing import Cost, clocked, report
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


def simulated_duo(stances: np.ndarray, random: np.random.Generator) -> float:
    """Take the extremes of raw DUO over many random orders of one list."""
    n = len(stances)
    orders = random.permuted(np.tile(stances, (ORDERS, 1)), axis=1)
    count = np.arange(1, n + 1)
    variance = np.cumsum(orders**2, axis=1) / count - (np.cumsum(orders, axis=1) / count) ** 2
    return float((variance[:, 1:-1] @ (1 / np.log2(np.arange(2, n)))).max())


def main() -> None:
    random = np.random.default_rng(7)
    first = random.random((QUERIES, DEPTH)) < random.uniform(0.1, 0.9, (QUERIES, 1))
    membership = np.stack([first, ~first], axis=2).astype(np.float64)
    stances = random.normal(size=(QUERIES, DEPTH, 1))
    exact = {
        "rND": clocked(lambda: rND(protected="a")(membership, ("a", "b"))),
        "rKL": clocked(lambda: rKL(protected="a")(membership, ("a", "b"))),
        "DUO": clocked(lambda: DUO()(stances)),
    }
    total = Cost(sum(each.seconds for each in exact.values()), sum(each.cpu for each in exact.values()), 0.0)
    report("rND, rKL and DUO of 1,000 x 100, exact: seconds in all", total.seconds, 2, total)
    simulated = {
        "rND": clocked(lambda: [simulated_rnd(row.astype(float), random) for row in first[:5]]),
        "DUO": clocked(lambda: [simulated_duo(row[:, 0], random) for row in stances[:5]]),
    }
    for name, cost in simulated.items():
        ratio, detail = cost.seconds / 5 / (exact[name].seconds / QUERIES), f"5 in {cost}"
        report(f"{name}: simulating 40,320 orders, of exact, per ranking", ratio, 100, detail, at_least=True)

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
        took = clocked(lambda measure=measure, given=given: measure(**given))
        report(f"{measure} of 6,980 x 100: seconds", took.seconds, 1, took)
