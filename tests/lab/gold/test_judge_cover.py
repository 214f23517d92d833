"""Simulations: how often intervals of a judge's rates cover, and how often they are marked with ?.

The table stands in docs/judges.md. `make slow` runs it; FAIRTREC_UPDATE=1 writes it.
"""

import numpy as np
import pytest

from fairtrec.lab.gold.judge_rates import PairCounts, estimate_kappa, estimate_rate, subtract_rates
from fairtrec_made.cover import DRAWS, check_page, count_cover, write_table

PAIRS = 5  # of most queries
MANY = 60  # of one query in ten


def draw_difference(random, queries):
    """Rates of .03 and 0, of 1 to 9 pairs of each group; the first differs between queries."""
    one, other = random.integers(1, 2 * PAIRS, (2, queries))
    counts = random.binomial(one, random.beta(0.3, 9.7, queries))
    return subtract_rates((counts.astype(float), one.astype(float)), (np.zeros(queries), other.astype(float)), 0.95)


def draw_rate(random, queries):
    """One query in ten has 60 pairs, and a rate of .9; others have .5."""
    is_large = random.random(queries) < 0.1
    pairs = np.where(is_large, MANY, PAIRS)
    return estimate_rate(random.binomial(pairs, np.where(is_large, 0.9, 0.5)).astype(float), pairs.astype(float), 0.95)


def draw_kappa(random, queries):
    """Of the pairs 5 % are relevant; the judge finds .8 of them, and .1 of the others."""
    pairs = np.full(queries, PAIRS)
    relevant = random.binomial(pairs, 0.05)
    both = random.binomial(relevant, 0.8)
    judged = both + random.binomial(pairs - relevant, 0.1)
    return estimate_kappa(PairCounts(*(each.astype(float) for each in (pairs, relevant, judged, both))), 0.95)


SAME, BY_CHANCE = 0.05 * 0.8 + 0.95 * 0.9, 0.05 * 0.135 + 0.95 * 0.865  # the judge calls .04 + .095 relevant
CASES = {
    "difference of rates of .03 and 0": (draw_difference, 0.03),
    "rate, one query in ten has 60 pairs": (draw_rate, (0.1 * 60 * 0.9 + 0.9 * 5 * 0.5) / (0.1 * 60 + 0.9 * 5)),
    "kappa, 5 % of the pairs relevant": (draw_kappa, (SAME - BY_CHANCE) / (1 - BY_CHANCE)),
}


@pytest.mark.slow
def test_rates_and_kappa():
    sizes = (8, 20, 50, 100)
    rows = []
    for name, (draw, truth) in CASES.items():
        covers = []
        for queries in sizes:
            random = np.random.default_rng(54)
            found = (draw(random, queries) for _ in range(DRAWS))
            covers.append(count_cover(((each.low, each.high, each.doubtful) for each in found), truth))
        rows.append([name, *covers])
    assert all(each.percent_marked == 100 for each in rows[0][1:])
    check_page("judges.md", "judges", write_table(["", *(f"{size} queries" for size in sizes)], rows))
