"""Measures: one file for each measure or inseparable family, imported when one of its measures is first used."""

from typing import TYPE_CHECKING

from fairtrec.support.late_imports import import_late

if TYPE_CHECKING:
    from fairtrec.measures.arab import ARaB as ARaB
    from fairtrec.measures.arab import RaB as RaB
    from fairtrec.measures.awrf import AWRF as AWRF
    from fairtrec.measures.awrf import AWRFxnDCG as AWRFxnDCG
    from fairtrec.measures.crbo import CRBO as CRBO
    from fairtrec.measures.duo import DUO as DUO
    from fairtrec.measures.duo import DUO_random as DUO_random
    from fairtrec.measures.duo import SignedDUO as SignedDUO
    from fairtrec.measures.expected_exposure import EED as EED
    from fairtrec.measures.expected_exposure import EEL as EEL
    from fairtrec.measures.expected_exposure import EER as EER
    from fairtrec.measures.exposure import Exposure as Exposure
    from fairtrec.measures.exposure_ratio import ABR as ABR
    from fairtrec.measures.exposure_ratio import DIR as DIR
    from fairtrec.measures.exposure_ratio import DP as DP
    from fairtrec.measures.exposure_ratio import DTR as DTR
    from fairtrec.measures.fair import FAIR as FAIR
    from fairtrec.measures.gfr import GFR as GFR
    from fairtrec.measures.groups import Groups as Groups
    from fairtrec.measures.kl import KL as KL
    from fairtrec.measures.kl import NDKL as NDKL
    from fairtrec.measures.kl import nDRKL as nDRKL
    from fairtrec.measures.max_share import MaxShare as MaxShare
    from fairtrec.measures.nfairr import FaiRR as FaiRR
    from fairtrec.measures.nfairr import IFaiRR as IFaiRR
    from fairtrec.measures.nfairr import NFaiRR as NFaiRR
    from fairtrec.measures.nfairr import NSetFaiRR as NSetFaiRR
    from fairtrec.measures.nfairr import SetFaiRR as SetFaiRR
    from fairtrec.measures.pairwise import rKL as rKL
    from fairtrec.measures.pairwise import rND as rND
    from fairtrec.measures.pairwise import rRD as rRD
    from fairtrec.measures.position_bias import InputBias as InputBias
    from fairtrec.measures.position_bias import MeanAbsoluteBias as MeanAbsoluteBias
    from fairtrec.measures.position_bias import MeanBias as MeanBias
    from fairtrec.measures.position_bias import OutputBias as OutputBias
    from fairtrec.measures.position_bias import RankingBias as RankingBias
    from fairtrec.measures.retrievability import Gini as Gini
    from fairtrec.measures.retrievability import Retrievability as Retrievability
    from fairtrec.measures.selection import Impact as Impact
    from fairtrec.measures.selection import Selected as Selected
    from fairtrec.measures.skew import InfeasibleCount as InfeasibleCount
    from fairtrec.measures.skew import InfeasibleIndex as InfeasibleIndex
    from fairtrec.measures.skew import MaxSkew as MaxSkew
    from fairtrec.measures.skew import MinSkew as MinSkew
    from fairtrec.measures.skew import Skew as Skew
    from fairtrec.measures.texfair import RBDF as RBDF
    from fairtrec.measures.texfair import TE as TE
    from fairtrec.measures.texfair import TED as TED
    from fairtrec.measures.texfair import TExFAIR as TExFAIR
    from fairtrec.measures.trec_fair_2019 import TREC19Unfairness as TREC19Unfairness
    from fairtrec.measures.trec_fair_2019 import TREC19Utility as TREC19Utility

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
    "retrievability": ("Gini", "Retrievability"),
    "selection": ("Selected", "Impact"),
    "trec_fair_2019": ("TREC19Unfairness", "TREC19Utility"),
}
BUILT_IN = {name: file for file, names in _FILES.items() for name in names}
if not TYPE_CHECKING:  # for a type checker, every name that is not imported above is an error
    __getattr__ = import_late(__name__, BUILT_IN)


def __dir__() -> list[str]:
    return [*BUILT_IN]
