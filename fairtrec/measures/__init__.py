"""Measures: one file for each measure or inseparable family, imported when one of its measures is first used."""

from collections.abc import Callable
from typing import Any

from fairtrec.late import Late

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
__getattr__: Callable[[str], Any] = Late(__name__, BUILT_IN)


def __dir__() -> list[str]:
    return [*BUILT_IN]
