"""Simulations: how often intervals of correlations, reliabilities and means of clusters cover, and how often ? is there.

The tables stand in docs/intervals.md and docs/reliability.md. `make slow` runs them; FAIRTREC_UPDATE=1 writes them.
"""

import math
import re

import numpy as np
import pytest
from scipy import stats

import fairtrec
from fairtrec.statistics.agreement import COEFFICIENTS, correlation
from fairtrec.statistics.doubt import is_doubtful
from fairtrec.statistics.paired import intervals
from fairtrec.statistics.reliability import find_interval, mean_squares
from fairtrec_made import REPOSITORY
from fairtrec_made.cover import DRAWS, check_page, count_cover, write_table

NAMES = {"pearson": "Pearson's r", "spearman": "Spearman's rho", "kendall": "Kendall's tau-b"}
SHAPES = {  # of two columns of normal values, correlated by .5
    "normal": lambda values: values,
    "half at the maximum": lambda values: np.minimum(values, 0.0),
    "80 % at the maximum": lambda values: np.minimum(values, stats.norm.ppf(0.2)),
    "lognormal": np.exp,
}
HALF = 0.5
SCIPYS = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


def draw_columns(random, queries, shape):
    """Draw two columns of values."""
    x, y = random.normal(size=(2, queries))
    return SHAPES[shape](x), SHAPES[shape](HALF * x + math.sqrt(1 - HALF * HALF) * y)


def cover_of_correlations(shape, kind, queries, seed=51):
    truth = SCIPYS[kind](*draw_columns(np.random.default_rng(50), 500_000, shape)).statistic
    random = np.random.default_rng(seed)
    found = (correlation(*draw_columns(random, queries, shape), kind) for _ in range(DRAWS))
    return count_cover(((each.low, each.high, each.doubtful) for each in found), truth)


@pytest.mark.slow
def test_correlations():
    sizes = (30, 60, 215)
    rows = [
        [NAMES[kind], shape, *(cover_of_correlations(shape, kind, queries) for queries in sizes)]
        for kind in COEFFICIENTS
        for shape in SHAPES
    ]
    assert all(each.percent_marked <= 7 for row in rows if row[1] == "normal" for each in row[2:])
    check_page(
        "intervals.md", "correlations", write_table(["", "values", *(f"{size} queries" for size in sizes)], rows)
    )


@pytest.mark.slow
def test_means_of_clusters():
    """Clusters of four share half of the variance: the variance of a mean is 1 + 3 / 2 times that of single queries."""
    random = np.random.default_rng(55)
    several = np.repeat(random.normal(size=(4 * DRAWS, 25)), 4, axis=1) + random.normal(size=(4 * DRAWS, 100))
    ends = intervals(several, "t")
    found = count_cover(((low, high, False) for low, high in ends.tolist()), 0.0)
    (told,) = re.findall(r"contain the true mean in (\d+) %", (REPOSITORY / "docs" / "intervals.md").read_text("utf-8"))
    assert found.percent == pytest.approx(int(told), abs=1.5)


TABLES = ((10, 20), (10, 50), (40, 20), (40, 50), (10, 215))  # runs and queries
RESIDUALS = {  # whether runs of a family of five share half of the variance, and the deviation of the queries' logarithms
    "normal": (False, 0.0),
    "unequal queries": (False, 1.0),
    "families of runs": (True, 0.0),
    "families, unequal queries": (True, 0.7),
}


def draw_residuals(random, runs, queries, residuals):
    """Draw residuals [run, query] with a variance of 1."""
    in_families, spread = RESIDUALS[residuals]
    drawn = random.normal(size=(runs, queries))
    if in_families:
        drawn = (drawn + np.repeat(random.normal(size=(runs // 5, queries)), 5, axis=0)) / math.sqrt(2)
    return drawn * np.exp(random.normal(0, spread, queries) - spread * spread)


def cover_of_reliability(residuals, runs, queries, truth, seed=52):
    """The means of runs stay as they are, and queries are drawn."""
    own = stats.norm.ppf((np.arange(runs) + 0.5) / runs)
    own = np.random.default_rng(seed - 1).permutation(own)  # families have runs of all kinds
    shared = 2 / (runs - 1) if RESIDUALS[residuals][0] else 0.0  # covariance of half with four others
    own *= math.sqrt(truth / (1 - truth) * (1 - shared) / queries / own.var(ddof=1))
    random = np.random.default_rng(seed)
    found = (find_interval(own[:, None] + draw_residuals(random, runs, queries, residuals), 0.95) for _ in range(DRAWS))
    return count_cover(((low, high, is_doubtful(deciding)) for low, high, deciding in found), truth)


@pytest.mark.slow
def test_reliability():
    rows = [
        [residuals, f".{round(10 * truth)}", *(cover_of_reliability(residuals, *shape, truth) for shape in TABLES)]
        for residuals in RESIDUALS
        for truth in (0.5, 0.8)
    ]
    assert all(each.percent_marked <= 7 for row in rows if row[0] == "normal" for each in row[2:])
    head = ["residuals", "reliability", *(f"{runs} × {queries}" for runs, queries in TABLES)]
    check_page("reliability.md", "reliability", write_table(head, rows))


@pytest.mark.slow
def test_reliability_of_queries_drawn_from_a_track(shared):
    """43 runs of TREC DL 2019, whose 43 queries are all that there are: of them 20 or 50 are drawn, with replacement."""
    data = shared / "data"
    runs = [run for run in sorted((data / "rankllm-dl19").glob("*.run")) if "9d3bb4" not in run.name]
    given = {"counts": data / "dl19-dl20-counts" / "gender.strip.tsv", "missing": "neutral"}
    result = fairtrec.evaluate("nDCG@10 TExFAIR@10", runs, qrels=data / "qrels" / "qrels.dl19-passage.txt", **given)
    values = np.array([scores.values for scores in result.scores]).swapaxes(0, 1)
    rows = []
    for measure, whole in zip(("nDCG@10", "TExFAIR@10"), values, strict=True):
        queries = whole.shape[1]
        of_run, _, of_residual = mean_squares(whole)
        residual = of_residual * (queries - 1) / queries  # the variance in queries that are all that there are
        rows.append([measure])
        for drawn in (20, 50):
            truth = 1 - residual / (drawn / queries * of_run + residual)
            random = np.random.default_rng(53)
            found = (find_interval(whole[:, random.integers(0, queries, drawn)], 0.95) for _ in range(DRAWS))
            rows[-1].append(count_cover(((low, high, is_doubtful(by)) for low, high, by in found), truth))
    check_page("reliability.md", "a track", write_table(["measure", "20 queries", "50 queries"], rows))
