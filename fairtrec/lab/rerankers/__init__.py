"""Rerankers: one file for each or for an inseparable family, imported when one of them is first used."""

from typing import TYPE_CHECKING

from fairtrec.support.late_imports import import_late

if TYPE_CHECKING:
    from fairtrec.lab.rerankers.det import DetCons as DetCons
    from fairtrec.lab.rerankers.det import DetConstSort as DetConstSort
    from fairtrec.lab.rerankers.det import DetGreedy as DetGreedy
    from fairtrec.lab.rerankers.det import DetRelaxed as DetRelaxed
    from fairtrec.lab.rerankers.fa_topk import FATopK as FATopK
    from fairtrec.lab.rerankers.fair_greedy import AlphaIdeal as AlphaIdeal
    from fairtrec.lab.rerankers.fair_greedy import FairGreedy as FairGreedy
    from fairtrec.lab.rerankers.foe import FOE as FOE
    from fairtrec.lab.rerankers.neutral import Neutral as Neutral
    from fairtrec.lab.rerankers.optimal import Optimal as Optimal
    from fairtrec.lab.rerankers.optimal import Worst as Worst
    from fairtrec.lab.rerankers.oracle import Oracle as Oracle
    from fairtrec.lab.rerankers.random import PlackettLuce as PlackettLuce
    from fairtrec.lab.rerankers.random import Random as Random
    from fairtrec.lab.rerankers.random import RandomSwap as RandomSwap

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
if not TYPE_CHECKING:  # for a type checker, every name that is not imported above is an error
    __getattr__ = import_late(__name__, BUILT_IN)


def __dir__() -> list[str]:
    return [*BUILT_IN]
