"""What figures draw of a result: names, labels, and intervals of means."""

from dataclasses import replace

import numpy as np

from fairtrec.answers.result import Result
from fairtrec.answers.scores import Scores
from fairtrec.data import Floats
from fairtrec.measure import Measure
from fairtrec.report.cells import names

ARROWS = {"higher": " ↑", "lower": " ↓", "nearer 0": " →0", "neither": ""}


def called(result: Result) -> list[str]:
    """Name the runs; matplotlib leaves out of its legend what begins with an underscore."""
    return [f" {name}" if name.startswith("_") else name for name in names(result)]


def label(measure: Measure) -> str:
    """Name a measure, and tell which values are better."""
    return f"{measure}{ARROWS[measure.better]}"


def ends(scores: Scores, *, compared: bool = False) -> Floats | None:
    """Give the interval of each mean [measure, end], nan where it has none; None where none is to be drawn.

    ``compared``  of the mean size, where nearer 0 is better: that is by what runs are compared.
    """
    if not compared:
        return scores.within
    nearer = np.array([[measure.better == "nearer 0"] for measure in scores.measures])
    within = replace(scores, values=np.where(nearer, np.abs(scores.values), scores.values)).within
    return within if within is None else np.where(nearer, np.maximum(within, 0), within)


def drawn_apart(mean: float, reach: Floats) -> Floats:
    """Give how far an interval reaches below and above its mean [end, 1]; 0 where there is none."""
    return np.nan_to_num(np.abs(reach - mean), nan=0.0, posinf=0.0).reshape(2, 1)
