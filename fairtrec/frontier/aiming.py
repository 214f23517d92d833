"""How far a run and its queries are from a point of their fronts (DPFR)."""

from collections.abc import Sequence
from dataclasses import replace
from math import hypot, nan

import numpy as np

from fairtrec.data import Floats
from fairtrec.formulas.fronts import dpfr
from fairtrec.formulas.fronts.front import Front
from fairtrec.frontier.frontier import Dpfr, OfRun, Point
from fairtrec.measure import Better


def aimed(run: OfRun, fronts: Sequence[Front], better: Better, alpha: float) -> OfRun:
    """Measure the distances of a run, of whose queries these are the ``fronts``; ``better`` says which fairness is.

    Of queries the hull is taken, too, as of their mean: so a run of one query is as far as the query is.
    """
    turn = 1.0 if better == "higher" else -1.0  # fronts have it so that more is better
    known = all(front.known for front in fronts)
    of_queries = [
        replace(query, dpfr=_from(query.points[0], _turned(front, turn) if front.known else None, alpha))
        for query, front in zip(run.queries, fronts, strict=True)
    ]
    return replace(run, dpfr=_from(run.points[0], run.front if known else None, alpha), queries=tuple(of_queries))


def _turned(front: Front, turn: float) -> Floats:
    utility, fairness = front.hull
    return np.stack([utility, turn * fairness])


def _from(own: Point, front: Floats | None, alpha: float) -> Dpfr:
    if front is None:
        return Dpfr(alpha, nan, nan, nan)
    utility, fairness = dpfr.point(front, alpha)
    return Dpfr(alpha, utility, fairness, hypot(own.utility - utility, own.fairness - fairness))
