"""Runs over other queries than those of other runs: no command makes a mark, an order or a correlation of their means."""

import numpy as np
import pytest

import fairtrec
from fairtrec.commands.compare import paper
from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec_made.measures import Higher, Nearer

TWO = (Higher(), Nearer())
EVERY, FEW = tuple(f"q{number:02}" for number in range(20)), tuple(f"q{number:02}" for number in range(12))
ALIKE = [("a", EVERY, 0.2), ("b", EVERY, 0.4), ("c", EVERY, 0.3)]


def result_of(*runs, measures=TWO):
    """Make values around the mean of each run, by the second measure around that much more."""
    several = []
    for number, (name, qids, mean, *more) in enumerate(runs):
        spread = np.tile([-0.01, 0.0, 0.01, 0.02, -0.02], 4)[: len(qids)] * (1 + 0.1 * number)
        values = np.array([mean + spread, mean + sum(more) + spread[::-1]])[: len(measures)]
        several.append(Scores(name, "t", measures, qids, values))
    return Result(tuple(several), Signature({}), (), {})


def test_means_over_fewer_queries_play_no_part_in_correlations_over_runs():
    alone = fairtrec.correlate(result_of(*ALIKE), "runs").rows
    found = fairtrec.correlate(result_of(*ALIKE, ("few", FEW, 0.9, -0.5), ("less", FEW, 0.0)), "runs").rows
    assert [(row.kind, row.n, row.correlation) for row in found] == [
        (row.kind, row.n, row.correlation) for row in alone
    ]
    assert {row.undefined for row in found} == {2}


def best(columns, runs):
    return [[runs[at] for at in sorted(column.best)] for column in columns]


@pytest.mark.parametrize("baseline", ["all", "a"])
@pytest.mark.parametrize("place", range(4))
def test_no_mean_over_fewer_queries_is_bold_or_keeps_another_from_being_bold(place, baseline):
    runs = list(ALIKE)
    runs.insert(place, ("few", FEW, 0.9))
    result = result_of(*runs, measures=(Higher(),))
    (table,) = paper.overview(fairtrec.compare(result, baseline), 4, []).tables
    assert best(table.values, [name.split()[-1] for name in table.keys[0].cells]) == [
        ["b"]
    ]  # letters stand before names
