"""Rerankers: one file for each or for an inseparable family, imported when one of them is first used."""

from importlib import import_module
from typing import Any

_FILES = {
    "det": ("DetGreedy", "DetCons", "DetRelaxed", "DetConstSort"),
    "fa_topk": ("FATopK",),
    "fair_greedy": ("FairGreedy", "AlphaIdeal"),
    "foe": ("FOE",),
    "neutral": ("Neutral",),
    "optimal": ("Optimal",),
    "oracle": ("Oracle",),
    "random": ("Random", "RandomSwap", "PlackettLuce"),
}
BUILT_IN = {name: file for file, names in _FILES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a reranker by its name: ``from fairtrec.rerankers import DetCons``."""
    if name not in BUILT_IN:
        raise AttributeError(f"module 'fairtrec.rerankers' has no attribute {name!r}")
    return getattr(import_module(f"fairtrec.rerankers.{BUILT_IN[name]}"), name)


def __dir__() -> list[str]:
    return [*BUILT_IN]
