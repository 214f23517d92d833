"""The rule of ? and of skewed values: tables of cover, and of false verdicts, that stand in docs/intervals.md.

`make slow` draws more. A share is within three standard errors of the page, or the page changes.
"""

import math

import numpy as np
import pytest

from fairtrec.statistics import paired
from fairtrec.statistics.doubt import count_differing, is_difference_doubtful, is_doubtful
from fairtrec.statistics.skewness import find_skewness
from fairtrec_made import REPOSITORY, THOROUGH

DRAWS = 20_000 if THOROUGH else 2_000
SIZES = 20, 50, 100, 215


def draw_two_values(random, share, draws, queries):
    """Differences [draw, query] of mean 0: a small gain in this share of the queries, a large loss in the others."""
    gain = 0.01
    return np.where(random.random((draws, queries)) < share, gain, -gain * share / (1 - share))


def count_false_verdicts(share, queries, draws=DRAWS):
    """How often a difference is shown at 5 % without a mark where there is none, in percent: counting nonzero, and now."""
    differences = draw_two_values(np.random.default_rng(queries), share, draws, queries)
    shown = paired.p_values(differences) <= 0.05
    nonzero = np.count_nonzero(differences, axis=1)
    before = shown & ~((nonzero > 0) & (nonzero < 10))
    now = shown & ~np.array([is_difference_doubtful(row) for row in differences])
    return 100 * before.mean(), 100 * now.mean()


def error_of(percent, draws):
    """Three standard errors of a share in percent, of at least one draw."""
    share = min(max(percent / 100, 1 / draws), 1 - 1 / draws)
    return 300 * math.sqrt(share * (1 - share) / draws)


def read_table(title):
    """The rows of the table below a sentence of docs/intervals.md, by the first cell: the numbers of each other cell."""
    text = (REPOSITORY / "docs" / "intervals.md").read_text("utf-8")
    lines = text[text.index(title) :].split("\n\n")[1].splitlines()[2:]
    rows = [[each.strip() for each in line.strip("|").split("|")] for line in lines]
    return {name: [[*map(float, cell.split(","))] for cell in cells] for name, *cells in rows}


FALSE = {  # in percent of 20,000 draws: counting differences that are not 0, and now
    ("0.95", 20): (35.6, 0), ("0.95", 50): (7.7, 0), ("0.95", 100): (12.6, 0.4), ("0.95", 215): (5.0, 1.2),
    ("0.99", 20): (81.9, 0), ("0.99", 50): (60.3, 0), ("0.99", 100): (36.5, 0), ("0.99", 215): (11.7, 0),
}  # fmt: skip


@pytest.mark.parametrize(("share", "queries"), FALSE, ids=str)
def test_a_rare_loss_gives_no_false_verdict_without_a_mark(share, queries):
    found = count_false_verdicts(float(share), queries)
    for each, said in zip(found, FALSE[share, queries], strict=True):
        assert each == pytest.approx(said, abs=error_of(said, DRAWS) + error_of(said, 20_000) + 0.05)
    assert found[1] <= 2  # of 100, without a mark


def test_the_page_has_the_false_verdicts():
    for name, share in (("95 % of queries +.01, 5 % −.19", "0.95"), ("99 % of queries +.01, 1 % −.99", "0.99")):
        assert read_table("False verdicts without a mark")[name] == [[FALSE[share, size][1]] for size in SIZES]


WORLDS = {  # values [draw, query], and their true mean
    "normal": (lambda random, size: random.normal(size=size), 0.0),
    "uniform": (lambda random, size: random.random(size), 0.5),
    "lognormal": (lambda random, size: random.lognormal(size=size), math.exp(0.5)),
    "half at the ceiling": (lambda random, size: np.where(random.random(size) < 0.5, 1.0, random.random(size)), 0.75),
    "80 % at the ceiling": (lambda random, size: np.where(random.random(size) < 0.8, 1.0, random.random(size)), 0.9),
    "90 % at the ceiling": (lambda random, size: np.where(random.random(size) < 0.9, 1.0, random.random(size)), 0.95),
    "95 % equal, 5 % lower by .2": (lambda random, size: np.where(random.random(size) < 0.95, 0.01, -0.19), 0.0),
}


def measure_cover(world, queries, draws=DRAWS):
    """How often a 95 % t interval holds the mean, how often it has ?, and how often the note on skewed values, in percent."""
    make, mean = WORLDS[world]
    values = make(np.random.default_rng(queries), (draws, queries))
    low, high = paired.intervals(values).T
    marked = [is_doubtful(count_differing(row)) for row in values]
    noted = [find_skewness(row) is not None for row in values]
    return [100 * float(np.mean(each)) for each in ((low <= mean) & (mean <= high), marked, noted)]


def list_cells():
    """The cells of the page, by world and number of queries: cover, marked, noted."""
    table = read_table("Cover of 95 % t intervals, the share with `?`, and the share with the note on skew")
    return {(world, size): cell for world, row in table.items() for size, cell in zip((20, 50, 100), row, strict=True)}


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
def test_the_page_has_the_cover_of_means(world):
    for (name, queries), said in list_cells().items():
        if name == world:
            for found, cell in zip(measure_cover(world, queries, 20_000), said, strict=True):
                assert found == pytest.approx(cell, abs=2 * error_of(cell, 20_000) + 0.5), (queries, said)


def test_what_covers_too_little_is_marked_or_is_named_on_the_page():
    """More than 1.5 points and three standard errors below 95 %: at least half of the draws are marked, or a sentence."""
    text = (REPOSITORY / "docs" / "intervals.md").read_text("utf-8")
    assert {name for name, _ in list_cells()} == {*WORLDS}
    for (world, queries), (cover, marked, _) in list_cells().items():
        if cover < 95 - 1.5 - error_of(95, 20_000) and marked < 50:
            assert f"{world}, {queries} queries: {cover:.0f} %" in text
    assert all(marked <= 7 for (world, _), (_, marked, _) in list_cells().items() if world == "normal")


@pytest.mark.parametrize(
    ("world", "queries", "cover", "marked", "noted"),
    [
        ("lognormal", 20, 86, 0, None),
        ("lognormal", 50, 89, 0, None),
        ("lognormal", 100, 91, 0, None),
        ("normal", 20, 95, 0, 6),
    ],
)
def test_skewed_values_are_noted_and_cover_less(world, queries, cover, marked, noted):
    found = measure_cover(world, queries)
    for each, said in zip(found, (cover, marked, noted), strict=True):
        assert said is None or each == pytest.approx(said, abs=error_of(said, DRAWS) + 0.7)


def test_skewness_is_that_of_scipy():
    from scipy import stats

    values = np.random.default_rng(4).lognormal(size=40)
    assert find_skewness(values) == pytest.approx(stats.skew(values), abs=1e-12)
    assert find_skewness(np.full(40, 0.3)) is None
    assert find_skewness(np.array([0.1, 0.9] * 20)) is None
    assert find_skewness(np.array([1.0, np.inf])) is None
