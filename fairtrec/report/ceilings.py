"""Measures of which nearly all rankings have the best value that there is, so that a few queries decide."""

from collections.abc import Sequence

import numpy as np

from fairtrec.answers.result import Result
from fairtrec.formulas.rounding import same
from fairtrec.report.cells import listed, names

CEILING = 0.8  # of the rankings of a run
SEVERAL = 5  # queries, of fewer of which nothing is said


def remarks(result: Result) -> list[str]:
    """Say of which measures nearly all rankings have the best value that there is, so that a few queries decide."""
    said: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for row, measure in enumerate(result.scores[0].measures if result.scores else ()):
        target = result.scores[0].target
        low, high = measure.bounds if target is None else measure.bounds_against(target)
        if measure.total or measure.better == "neither":
            continue
        there = [values[~np.isnan(values)] for values in (scores.values[row] for scores in result.scores)]
        ends = {"higher": (high, "the maximum"), "lower": (low, "the minimum"), "nearer 0": (0.0, "the value 0")}
        best, called = ends[measure.better]
        if best is None:  # then it is the best of those that there are
            every = np.concatenate(there)
            best = float(every.max(initial=-np.inf) if measure.better == "higher" else every.min(initial=np.inf))
        counts: dict[int, tuple[int, int]] = {}
        for place, known in enumerate(there):
            many = int(same(known, np.array(best)).sum())
            if len(known) >= SEVERAL and many >= CEILING * len(known):
                counts[place] = many, len(known)
        if counts:
            at, of = ([each[end] for each in counts.values()] for end in (0, 1))
            deciding = _span([every - many for many, every in counts.values()])
            decide = {"0": "so no query tells runs apart", "1": "so 1 query tells runs apart"}.get(
                deciding, f"so {deciding} queries tell runs apart"
            )
            words = f"{_span(at)} of {_span(of)} rankings have {called}, {decide}"
            said.setdefault((words, tuple(counts)), []).append(str(measure))
    every_run = tuple(range(len(result.scores)))
    named = names(result) if any(runs != every_run for _, runs in said) else []
    return [
        f"{', '.join(measures)}: {words}"
        + (f" ({listed([named[place] for place in runs])})" if runs != every_run else "")
        for (words, runs), measures in said.items()
    ]


def _span(numbers: Sequence[int]) -> str:
    least, most = min(numbers), max(numbers)
    return str(least) if least == most else f"{least} to {most}"
