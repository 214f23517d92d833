"""How often intervals of pooled values, of means by clusters, and of their differences cover: a table of a page.

Each cluster has twelve candidates, or four queries, on average: all as many, or lognormal numbers of them.
"""

import math
from functools import partial

import numpy as np
import pytest
from scipy import stats

from fairtrec.formulas.candidate_counts import count_candidates, lay_candidates
from fairtrec.measure import ExposureShares, Summands
from fairtrec.measures.awrf import awrf
from fairtrec.measures.expected_exposure import ExpectedExposure, squares_slope
from fairtrec.measures.exposure import _bound_surplus, _of_sums
from fairtrec.measures.selection import Selections
from fairtrec.statistics.deleted_clusters import bound_mean, bound_ratio, compare_deletions, delete_from_mean
from fairtrec_made.cover import check_page, count_cover, write_table

DRAWS = 500
CLUSTERS = 8, 20, 50, 200
SPREAD = 1.2  # of the logarithm of sizes
CEILING = 0.4959  # standard deviations of the mean below it, so that 69 % of normal values are cut


def draw_sizes(random, clusters, mean, *, unequal):
    """How many candidates or queries each cluster has."""
    scale = random.lognormal(-SPREAD * SPREAD / 2, SPREAD, clusters) if unequal else np.ones(clusters)
    return np.maximum(random.poisson(mean * scale) if unequal else np.full(clusters, mean), 1).astype(int)


def vary(random, rates, clusters):
    """The rates of each cluster [cluster, group]: those that are given in the mean, moved together."""
    moved = np.clip(random.normal(0, 0.1, (clusters, 1)), -0.2, 0.2)
    return np.asarray(rates) + moved


def select(random, sizes, chances, rates):
    """Count the candidates of each cluster, and those that are selected [cluster, term], as measures do."""
    due = np.stack([random.multinomial(size, chances) for size in sizes])
    got = random.binomial(due, rates)
    groups = len(chances)
    terms = np.zeros((len(sizes), 2 * groups + 5))
    terms[:, :groups], terms[:, groups : 2 * groups], terms[:, 2 * groups] = got, due, due.sum(axis=1)
    return terms


def test_candidates_are_counted_as_measures_do():
    # two candidates of the first group, of which one is selected, and one of the second
    membership = np.array([[[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]])
    laid = lay_candidates(membership, np.ones((1, 3), bool))
    counted = count_candidates(laid[:, 0], laid.sum(axis=1))
    assert counted.tolist() == [[1, 0, 2, 1, 3, 0, 0, 0, 0]]


def bound(pool, clusters=None):
    """The interval of a pool, a query for each cluster or queries of ``clusters``."""
    many = len(pool.terms)
    return pool.find_interval(np.ones(many), np.arange(many) if clusters is None else clusters, 0.95)


def draw_rate(random, clusters, *, unequal, all_selected=0.0):
    sizes = draw_sizes(random, clusters, 12, unequal=unequal)
    chances, rate = [0.1, 0.2, 0.3, 0.4], 0.3
    rates = vary(random, [rate] * 4, clusters)
    rates[random.random(clusters) < all_selected] = 1
    terms = select(random, sizes, chances, rates)
    return bound(Selections.take_rate(terms, tuple("abcd"), 0)), all_selected + (1 - all_selected) * rate


def draw_ratio(random, clusters, *, unequal):
    sizes = draw_sizes(random, clusters, 12, unequal=unequal)
    rates = vary(random, [0.3, 0.5], clusters)
    rates[random.random(clusters) < 0.6] = 1
    terms = select(random, sizes, [0.4, 0.6], rates)
    return bound_ratio(terms[:, :2], terms[:, 2:4], 0.95), (0.6 + 0.4 * 0.3) / (0.6 + 0.4 * 0.5)


def draw_impact(random, clusters, *, unequal, groups):
    sizes = draw_sizes(random, clusters, 12, unequal=unequal)
    terms = select(random, sizes, np.full(groups, 1 / groups), vary(random, [0.4] * groups, clusters))
    return bound(Selections.take_ratio(terms, tuple(map(str, range(groups))), None, 0.0)), 1.0


def draw_exposure(random, clusters, chances, *, unequal):
    """The exposure of groups [cluster, group], whose shares vary from cluster to cluster."""
    sizes = draw_sizes(random, clusters, 12, unequal=unequal)
    shares = random.dirichlet(np.asarray(chances) * 20, clusters)
    return np.stack([random.multinomial(size, share) for size, share in zip(sizes, shares, strict=True)]).astype(float)


def draw_share(random, clusters, *, unequal):
    held, rest = draw_exposure(random, clusters, [0.03, 0.97], unequal=unequal).T
    handed = held + rest
    pool = Summands(np.stack([held, 0.25 * handed, handed], axis=1), _of_sums, _bound_surplus)
    return bound(pool), 0.03 - 0.25


def draw_awrf(random, clusters, *, unequal, chances, target):
    amounts = draw_exposure(random, clusters, chances, unequal=unequal)
    wanted = np.array([target])
    form = ExposureShares(amounts[:, None], np.ones(1), wanted, awrf, "down")
    return bound(form.over_queries()), awrf(np.array([chances]), wanted).item()


def draw_distance(random, clusters, *, unequal, loss):
    """EED, or EEL, of users with several queries."""
    sizes = draw_sizes(random, clusters, 4, unequal=unequal)
    whose = np.repeat(np.arange(clusters), sizes)
    shares = random.beta(0.85 * 8, 0.15 * 8, clusters)[whose]
    held = random.beta(shares * 20, (1 - shares) * 20)
    amounts, wanted = np.stack([held, 1 - held], axis=1), np.full((1, 2), 0.5 * loss)
    form = ExpectedExposure(
        membership=amounts[:, None], weights=np.ones((1, 1)), wanted=wanted, sample_of=np.arange(len(whose)),
        compare=lambda one, other: np.square(one - other).sum(axis=-1), slope=squares_slope, bends="up", queries=len(whose),
    )  # fmt: skip
    return bound(form.over_queries(), whose), float(np.square(np.array([0.85, 0.15]) - wanted).sum())


def draw_mean(random, clusters, *, unequal, ceiling=False):
    sizes = draw_sizes(random, clusters, 4, unequal=unequal)
    whose = np.repeat(np.arange(clusters), sizes)
    values = random.normal(0, math.sqrt(0.5), clusters)[whose] + random.normal(0, math.sqrt(0.5), len(whose))
    truth = 0.0
    if ceiling:  # at 0, which most values exceed
        values = np.minimum(values + CEILING, 0)
        truth = CEILING * stats.norm.cdf(-CEILING) - stats.norm.pdf(CEILING)
    return bound_mean(values, whose, 0.95), truth


def draw_runs(random, clusters, *, unequal):
    """The difference of Impact of two runs of the same candidates, of four groups: .6 and 1."""
    sizes = draw_sizes(random, clusters, 12, unequal=unequal)
    due = np.stack([random.multinomial(size, np.full(4, 0.25)) for size in sizes])
    both = []
    for rates in ([0.3, 0.5, 0.5, 0.5], [0.4] * 4):
        terms = np.zeros((clusters, 13))
        terms[:, :4], terms[:, 4:8], terms[:, 8] = random.binomial(due, vary(random, rates, clusters)), due, sizes
        pool = Selections.take_ratio(terms, tuple("abcd"), None, 0.0)
        both.append(pool.delete_clusters(np.ones(clusters), np.arange(clusters), 0.95))
    return compare_deletions(*both, 0.95), 0.6 - 1.0


def draw_slices(random, clusters, *, unequal):
    """The difference of the share of a group on two days, for users of whom most are there on both."""
    pools = []
    shares = random.dirichlet(np.array([0.3, 0.7]) * 20, clusters)
    for _ in range(2):
        there = np.flatnonzero(random.random(clusters) < 0.8)
        sizes = draw_sizes(random, len(there), 12, unequal=unequal)
        held = random.binomial(sizes, shares[there, 0]).astype(float)
        terms = np.stack([held, 0.5 * sizes, sizes.astype(float)], axis=1)
        pool = Summands(terms, _of_sums, _bound_surplus)
        pools.append(pool.delete_clusters(np.ones(len(there)), there, 0.95))
    return compare_deletions(*pools, 0.95), 0.0


def draw_days(random, clusters, *, unequal):
    """The difference of the means of two days, for users of whom most are there on both."""
    users, both = random.normal(0, 1, clusters), []
    for _ in range(2):
        there = np.flatnonzero(random.random(clusters) < 0.8)
        whose = np.repeat(there, draw_sizes(random, len(there), 4, unequal=unequal))
        both.append(delete_from_mean(users[whose] + random.normal(0, 1, len(whose)), whose, 0.95))
    return compare_deletions(*both, 0.95), 0.0


FOUR = [0.1, 0.2, 0.3, 0.4]
ROWS = {
    "rate, small group of four": draw_rate,
    "the same, 60 % of clusters select all": partial(draw_rate, all_selected=0.6),
    "ratio of two rates, 60 % select all": draw_ratio,
    "Impact of 2 groups, truth 1": partial(draw_impact, groups=2),
    "Impact of 8 groups, truth 1": partial(draw_impact, groups=8),
    "Exposure, share of 3 %": draw_share,
    "AWRF, 2 groups, off target": partial(draw_awrf, chances=[0.3, 0.7], target=[0.5, 0.5]),
    "AWRF, 4 groups, off target": partial(draw_awrf, chances=FOUR, target=[0.25] * 4),
    "AWRF, 4 groups, at target": partial(draw_awrf, chances=FOUR, target=FOUR),
    "EED, groups of .85 and .15": partial(draw_distance, loss=False),
    "EEL, groups of .85 and .15": partial(draw_distance, loss=True),
    "mean, users with several queries": draw_mean,
    "the same, 69 % at the ceiling": partial(draw_mean, ceiling=True),
    "difference of Impact of 4 groups, .6 and 1": draw_runs,
    "difference of two days, Exposure": draw_slices,
    "difference of two days, mean": draw_days,
}


def cover(draw, clusters, *, unequal):
    """Count how often the interval of a draw covers, less the truth of the draw."""
    random = np.random.default_rng(73 + clusters)
    found = []
    for _ in range(DRAWS):
        interval, truth = draw(random, clusters, unequal=unequal)
        found.append((interval.low - truth, interval.high - truth, interval.doubtful))
    return count_cover(found, 0.0)


@pytest.mark.slow
def test_pooled_values_cover():
    head = ["value", *(f"{each} {kind}" for kind in ("alike", "unequal") for each in CLUSTERS)]
    rows = [
        [name, *(cover(draw, clusters, unequal=unequal) for unequal in (False, True) for clusters in CLUSTERS)]
        for name, draw in ROWS.items()
    ]
    check_page("pooled-cover.md", "pooled values", write_table(head, rows))


@pytest.mark.parametrize("name", ROWS)
def test_the_truth_is_within_many_intervals(name):
    """Each draw of the table: its truth is near the value of very many clusters."""
    random = np.random.default_rng(5)
    for unequal in (False, True):
        low, high = [], []
        for _ in range(3):
            interval, truth = ROWS[name](random, 200, unequal=unequal)
            low.append(interval.low)
            high.append(interval.high)
        assert min(low) - 1e-9 <= truth <= max(high) + 1e-9
