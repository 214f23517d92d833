"""Measures that compute nothing, one for each direction: for tests of what is done with values."""

from dataclasses import dataclass

from fairtrec.measure import Measure


@dataclass(frozen=True)
class Higher(Measure):
    cutoff: int = 10


@dataclass(frozen=True)
class Lower(Measure):
    cutoff: int = 10
    better = "lower"


@dataclass(frozen=True)
class Nearer(Measure):
    cutoff: int = 10
    better = "nearer 0"


@dataclass(frozen=True)
class Neither(Measure):
    cutoff: int = 10
    better = "neither"


@dataclass(frozen=True)
class Count(Measure):
    total = True
    better = "neither"
