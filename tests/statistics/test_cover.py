"""Simulations: how often intervals of gold labels cover, and how often a difference is shown where there is none.

Each table stands in docs/gold-cover.md. `make slow` runs them; every cell is within 1.5 points of its nominal level, or
on the safe side.
"""

from functools import partial

import numpy as np
import pytest

from fairtrec.measure.group_forms import _compare_one
from fairtrec.measures.awrf import awrf
from fairtrec.statistics.gold_estimates import DrawnDocuments, DrawnRanks, estimate_from_queries
from fairtrec.statistics.pooled_shares import DrawnShares

QUERIES, RANKS, TRIALS = 40, 10, 1000
WEIGHTS = 1 / np.log2(np.arange(2, 2 + RANKS))
WEIGHTS /= WEIGHTS.sum()
INSTRUMENTS = (
    "blind in 70 % of queries",
    "misses 40 % of f",
    "errs on 10 %",
    "documents of several queries, blind in 70 %",
)


def make_world(random, instrument):
    """The documents [run, query, rank], the gain of each by people and by the instrument [run, query, rank]."""
    pool = 20 * QUERIES if "several" not in instrument else 5 * QUERIES
    of_query = np.arange(pool).reshape(QUERIES, -1) if pool == 20 * QUERIES else None
    share = random.beta(0.8, 0.8, size=QUERIES)  # of f among the documents of a query
    people = (random.random((QUERIES, 20)) < share[:, None]).ravel() if of_query is not None else None
    if of_query is None:
        people = random.random(pool) < random.beta(0.8, 0.8)
        of_query = np.stack([random.choice(pool, 20, replace=False) for _ in range(QUERIES)])
    runs = np.stack([np.stack([random.permutation(documents)[:RANKS] for documents in of_query]) for _ in range(2)])
    gold = people.astype(float)[runs]
    if instrument.startswith("misses"):
        seen = (people & (random.random(len(people)) >= 0.4)).astype(float)[runs]
    elif instrument.startswith("errs"):
        seen = (people ^ (random.random(len(people)) < 0.1)).astype(float)[runs]
    else:
        blind = random.random(QUERIES) < 0.7
        seen = np.where(blind[None, :, None], 0.0, gold)
    return runs, gold, seen


def draw(random, runs, part):
    """The probability of each document [document], and whether it is drawn; more likely the more exposure it has."""
    exposure = np.bincount(runs.ravel(), np.broadcast_to(WEIGHTS, runs.shape).ravel())
    wanted, looked_at = part * (exposure > 0).sum(), exposure > 0
    low, high = 0.0, 1e6
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if np.minimum(1, middle * exposure).sum() < wanted else (low, middle)
    chance = np.minimum(1, high * exposure) if part < 1 else looked_at.astype(float)
    return chance, random.random(len(chance)) < chance


def drawn_of(documents, gold, seen, chance, is_drawn):
    """What drawn documents say of one run [query, rank]; the documents that were not drawn have no part in it."""
    rows = np.flatnonzero(is_drawn)
    place = np.full(len(is_drawn), -1)
    place[rows] = np.arange(len(rows))
    query, rank = np.nonzero(place[documents] >= 0)
    document, weight = place[documents[query, rank]], WEIGHTS[rank] / QUERIES
    error = weight * (gold - seen)[query, rank]
    of_document = [np.bincount(document, each, len(rows)) for each in (weight, error, weight * gold[query, rank])]
    values = (seen * WEIGHTS).sum(axis=1)
    ranks = DrawnRanks(query, document, weight, error, np.full(QUERIES, 1 / QUERIES), values / QUERIES)
    return DrawnDocuments(
        *of_document, of_document[0], chance[rows], np.zeros(len(rows), bool), 1.0, 0.0, ranks
    ), values  # fmt: skip


def rates(instrument, part, trials=TRIALS, seed=41):
    """How often a difference is shown at 5 % where there is none, in percent: with both variances added, and here."""
    random, added, ours = np.random.default_rng(seed), 0, 0
    for _ in range(trials):
        runs, gold, seen = make_world(random, instrument)
        chance, is_drawn = draw(random, runs, part)
        (one, first), (other, second) = (
            drawn_of(runs[run], gold[run], seen[run], chance, is_drawn) for run in range(2)
        )
        found = one.estimate_difference(other)
        value = found.correct(float((first - second).mean()))
        naive = found._replace(variance=found.variance + (first - second).var(ddof=1) / QUERIES, freedom=QUERIES - 1)
        added += naive.p_value(value) <= 0.05
        ours += found.with_queries().p_value(value) <= 0.05
    return 100 * added / trials, 100 * ours / trials


@pytest.mark.slow
@pytest.mark.parametrize("instrument", INSTRUMENTS)
@pytest.mark.parametrize("part", [1.0, 0.6, 0.3, 0.1])
def test_a_difference_is_shown_in_five_of_a_hundred_where_there_is_none(instrument, part):
    _, ours = rates(instrument, part)
    assert ours <= 6.5


WAYS = ("priority", "Poisson", "uniform")


def draw_documents(random, exposure, number, way):
    """Draw about so many documents: their rows, and the probability of each."""
    if way == "priority":
        ratio = exposure / random.random(len(exposure))
        order = np.argsort(-ratio)
        return order[:number], np.minimum(1, exposure / ratio[order[number]])[order[:number]]
    if way == "uniform":
        return random.choice(len(exposure), number, replace=False), np.full(number, number / len(exposure))
    low, high = 0.0, 1e6
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if np.minimum(1, middle * exposure).sum() < number else (low, middle)
    chance = np.minimum(1, high * exposure)
    rows = np.flatnonzero(random.random(len(chance)) < chance)
    return rows, chance[rows]


def refusals(number, way, trials=500, seed=3):
    """How often samples are refused, in percent: as drawn, with a probability of 1 everywhere, and with twice their own."""
    random, refused = np.random.default_rng(seed), np.zeros(3)
    for _ in range(trials):
        documents = random.integers(0, 900, size=(117, RANKS))  # some stand in several queries
        exposure = np.bincount(documents.ravel(), np.broadcast_to(WEIGHTS, documents.shape).ravel())
        exposure = exposure[exposure > 0]
        rows, chance = draw_documents(random, exposure, number, way)
        none = np.zeros(len(rows))
        for at, said in enumerate((chance, np.ones(len(rows)), np.minimum(1, 2 * chance))):
            weights = exposure[rows]
            drawn = DrawnDocuments(weights, none, none, weights, said, none > 0, float(exposure.sum()))
            refused[at] += drawn.refuted() is not None
    return 100 * refused / trials


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("number", [20, 60, 200])
def test_sheets_are_refused_that_were_not_drawn_so(number, way):
    """Right sheets are refused in less than one of a hundred; a probability of 1 for all is refused always."""
    right, certain, _ = refusals(number, way)
    assert right <= 1
    assert certain == 100


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_probabilities_twice_too_high_are_refused_with_enough_labels(way):
    few, some, many = (refusals(number, way)[2] for number in (20, 60, 200))
    assert few > 40
    assert some > 95
    assert many == 100


def cover_of_queries(number, trials=600, seed=5):
    """How often intervals of drawn queries hold the mean by people, and with queries the expected mean, in percent.

    The instrument has no value in half of 120 queries, those with low values by people.
    """
    random, held = np.random.default_rng(seed), np.zeros(2)
    for _ in range(trials):
        gold = random.beta(2, 1, size=120)
        values = np.clip(gold + random.normal(0, 0.1, size=120), 0, 1)
        values[np.argsort(gold + random.normal(0, 0.1, size=120))[:60]] = np.nan
        drawn = np.zeros(120, dtype=bool)
        drawn[random.choice(120, number, replace=False)] = True
        found = estimate_from_queries(values, np.where(drawn, gold, np.nan), drawn)
        for at, (each, truth) in enumerate(((found, gold.mean()), (found.with_queries(), 2 / 3))):
            low, high = each.find_interval(found.value, 0.95)
            held[at] += low <= truth <= high
    return 100 * held / trials


@pytest.mark.slow
@pytest.mark.parametrize("number", [30, 60, 90])
def test_drawn_queries_cover_where_the_instrument_has_no_value(number):
    labels, queries = cover_of_queries(number)
    assert labels >= 93.5
    assert queries >= 93.5


def cover_of_pools(instrument, number, trials=500, seed=7):
    """How often intervals of pooled AWRF and Exposure hold the value by people, in percent."""
    random, held = np.random.default_rng(seed), np.zeros(2)
    target = np.array([0.5, 0.5])
    values = partial(_compare_one, awrf), lambda shares, wanted: float(shares[0] - wanted[0])
    for _ in range(trials):
        runs, gold, seen = (each[0] for each in make_world(random, instrument))
        chance, is_drawn = draw(random, runs[None], number / len(np.unique(runs)))
        rows = np.flatnonzero(is_drawn)
        place = np.full(len(is_drawn), -1)
        place[rows] = np.arange(len(rows))
        query, rank = np.nonzero(place[runs] >= 0)
        errors = np.stack([gold - seen, seen - gold], axis=-1)[query, rank] * WEIGHTS[rank, None]
        by = [(np.stack([each, 1 - each], axis=-1) * WEIGHTS[:, None]).sum(axis=1) for each in (seen, gold)]
        total, shares = np.ones(QUERIES), by[1].sum(axis=0) / by[1].sum()
        for at, value in enumerate(values):
            pool = DrawnShares(
                by[0], by[0], total, query, place[runs[query, rank]], WEIGHTS[rank], errors, chance[rows],
                np.zeros(len(rows), dtype=bool), target, value, 0, False,
            )  # fmt: skip
            found = pool.correct(np.ones(QUERIES), 0.95)
            held[at] += found.low - 1e-12 <= value(shares, target) <= found.high + 1e-12
    return 100 * held / trials


@pytest.mark.slow
@pytest.mark.parametrize("instrument", INSTRUMENTS)
@pytest.mark.parametrize("number", [30, 120])
def test_pooled_values_cover(instrument, number):
    assert (cover_of_pools(instrument, number) >= 93.5).all()
