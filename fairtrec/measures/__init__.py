"""Measures: one file for each measure or inseparable family, imported when one of its measures is first used."""

from importlib import import_module
from typing import Any

_FILES = {
    "nfairr": ("FaiRR", "IFaiRR", "NFaiRR", "SetFaiRR", "NSetFaiRR"),
    "arab": ("RaB", "ARaB"),
    "texfair": ("TE", "TED", "RBDF", "TExFAIR"),
    "fair": ("FAIR",),
    "kl": ("KL", "NDKL", "nDRKL"),
    "skew": ("Skew", "MinSkew", "MaxSkew", "InfeasibleIndex", "InfeasibleCount"),
    "pairwise": ("rND", "rKL", "rRD"),
    "crbo": ("CRBO",),
    "duo": ("DUO", "SignedDUO", "DUO_random"),
    "awrf": ("AWRF", "AWRFxnDCG"),
    "expected_exposure": ("EED", "EER", "EEL"),
    "gfr": ("GFR",),
    "exposure": ("Exposure",),
    "max_share": ("MaxShare",),
    "groups": ("Groups",),
    "exposure_ratio": ("DP", "DTR", "DIR", "ABR"),
    "position_bias": ("InputBias", "OutputBias", "RankingBias", "MeanBias", "MeanAbsoluteBias"),
    "trec_fair_2019": ("TREC19Unfairness", "TREC19Utility"),
}
BUILT_IN = {name: file for file, names in _FILES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a measure by its name: ``from fairtrec.measures import NFaiRR``."""
    if name not in BUILT_IN:
        raise AttributeError(f"module 'fairtrec.measures' has no attribute {name!r}")
    return getattr(import_module(f"fairtrec.measures.{BUILT_IN[name]}"), name)


def __dir__() -> list[str]:
    return [*BUILT_IN]
