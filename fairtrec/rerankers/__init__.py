"""Rerankers: one file for each or for an inseparable family, imported when one of them is first used."""

from collections.abc import Callable
from typing import Any

from fairtrec.late import Late

_FILES = {
    "det": ("DetGreedy", "DetCons", "DetRelaxed", "DetConstSort"),
    "fa_topk": ("FATopK",),
    "fair_greedy": ("FairGreedy", "AlphaIdeal"),
    "foe": ("FOE",),
    "neutral": ("Neutral",),
    "optimal": ("Optimal", "Worst"),
    "oracle": ("Oracle",),
    "random": ("Random", "RandomSwap", "PlackettLuce"),
}
BUILT_IN = {name: file for file, names in _FILES.items() for name in names}
__getattr__: Callable[[str], Any] = Late(__name__, BUILT_IN)


def __dir__() -> list[str]:
    return [*BUILT_IN]
