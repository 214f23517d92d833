"""What is found of each run: its own point, the fairest ones at no loss and at some, and its front."""

from dataclasses import dataclass
from math import nan
from typing import NamedTuple

from fairtrec.data import Floats
from fairtrec.evaluation.answer import Answer, Signature
from fairtrec.evaluation.result import Result
from fairtrec.literals import Among
from fairtrec.measure import Measure, Quantity

PROVEN = 1e-6  # what is less far apart is the same


@dataclass(frozen=True)
class OfScores(Quantity):
    """DCG of the scores that a run gave its documents, scaled to 0 to 1 over the candidates of each query."""

    def __str__(self) -> str:
        return "DCG of scores"


class Point(NamedTuple):
    """Utility and fairness of an order, or their means; ``bound`` is the best fairness that there could be there.

    ``name``    one of "run", "same grades", "loss", "most".
    ``loss``    the share of the utility that may be lost, of a "loss".
    ``spoken``  the share of its ranks whose document holds a group term, or belongs to a group; nan if it is not known.
    ``told``    that no order as fair has more utility; else this is what was found, a bound from below.
    """

    name: str
    utility: float
    fairness: float
    bound: float
    loss: float = nan
    spoken: float = nan
    told: bool = True

    @property
    def open(self) -> float:
        """How far the bound is from the value; 0 where the value is proven."""
        gap = abs(self.bound - self.fairness)
        return gap if gap > PROVEN else 0.0


class Dpfr(NamedTuple):
    """The point at the share ``alpha`` of the length of a front, and the ``distance`` of a run from it.

    All but alpha are nan where the front is not known.
    """

    alpha: float
    utility: float
    fairness: float
    distance: float


@dataclass(frozen=True, eq=False)
class QueryFrontier:
    """The points of one query; its losses are its own, and so is the front of its ``dpfr``."""

    qid: str
    points: tuple[Point, ...]
    dpfr: Dpfr | None = None

    @property
    def distance(self) -> float:
        """How much fairer it could be at its own utility."""
        own = self.points[0]
        return next((abs(each.fairness - own.fairness) for each in self.points if each.loss == 0), nan)


@dataclass(frozen=True, eq=False)
class RunFrontier:
    """The points of one run, in the mean over ``queries``, and its front; some queries may be ``left_out``.

    ``front`` [2, vertex]: utility and fairness between which straight lines lie nowhere below what is attained in the
    mean; ``exact`` says that its vertices are attained, and no query's order was left out. ``dpfr`` if asked for.
    """

    run: str
    points: tuple[Point, ...]
    front: Floats
    exact: bool
    queries: tuple[QueryFrontier, ...]
    left_out: tuple[str, ...] = ()
    dpfr: Dpfr | None = None


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Frontier(Answer):
    """All runs, the front of the documents of all of them, and the choices that made it."""

    utility: Quantity
    fairness: Measure
    runs: tuple[RunFrontier, ...]
    pool: RunFrontier | None
    among: Among
    each: bool
    losses: tuple[float, ...]
    way: str  # by which the fronts were found, in words
    result: Result
    signature: Signature
    notes: tuple[str, ...] = ()
    dpfr: float | None = None  # the alpha that was asked for
