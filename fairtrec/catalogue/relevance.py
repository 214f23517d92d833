"""The measures of relevance: those of ir-measures, or where that is not installed those that are computed here.

On Linux on ARM and on other systems for which pytrec_eval-terrier has no wheel, ir-measures cannot be installed without
a compiler, so it is not required there. What stands in for it spells names and parameters as it does.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from fairtrec.errors import UsageError

ABSENT = "ir-measures, which alone computes it, is not installed here; leave it out, or run: pip install ir-measures"
ELSEWHERE = {
    "BPM", "Compat", "INSQ", "INST", "NERR10", "NERR11", "NERR8", "NERR9", "SDCG",
}  # fmt: skip  # which nobody but ir-measures computes


class RelevanceParameter(NamedTuple):
    """What a parameter is: its type, and the value that stands for none."""

    dtype: type
    default: Any = None
    required: bool = False
    desc: str = ""

    def validate(self, value: Any) -> bool:
        """Tell whether it is of the type."""
        return isinstance(value, self.dtype)


_CUTOFF, _WHERE = {"cutoff": RelevanceParameter(int)}, {"cutoff": RelevanceParameter(int, required=True)}
_LEVEL, _ALONE = {"rel": RelevanceParameter(int, 1)}, {"judged_only": RelevanceParameter(bool, default=False)}


@dataclass(frozen=True)
class RelevanceMeasure:
    """A measure of relevance that is computed here, with the attributes that one of ir-measures has."""

    NAME: str
    SUPPORTED_PARAMS: Mapping[str, RelevanceParameter]
    AT_PARAM: str = "cutoff"
    params: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, **params: Any) -> "RelevanceMeasure":
        """Set parameters. Raises UsageError for what only ir-measures computes."""
        if params.get("dcg", "log2") not in ("log2", "exp-log2"):
            raise UsageError(f"nDCG(dcg={params['dcg']!r}): {ABSENT}")
        return replace(self, params={**self.params, **params})

    def __getitem__(self, name: str) -> Any:
        return self.params.get(name, self.SUPPORTED_PARAMS[name].default)

    def __str__(self) -> str:
        odd = {name: value for name, value in self.params.items() if value != self.SUPPORTED_PARAMS[name].default}
        at = f"@{odd.pop(self.AT_PARAM)}" if self.AT_PARAM in odd else ""
        inside = ",".join(f"{name}={_spelled(value)}" for name, value in odd.items())
        return f"{self.NAME}{f'({inside})' if inside else ''}{at}"


def _spelled(value: Any) -> str:
    if not isinstance(value, dict):
        return repr(value)
    return f"{{{','.join(f'{grade}:{gain}' for grade, gain in sorted(value.items()) if grade != gain)}}}"


_NOVEL, _ON = {"alpha": RelevanceParameter(float, 0.5)}, {"beta": RelevanceParameter(float, 0.5)}
_PARAMETERS: dict[str, dict[str, RelevanceParameter]] = {
    "AP": _CUTOFF | _LEVEL | _ALONE,
    "AP_IA": _LEVEL | _ALONE,
    "Accuracy": _CUTOFF | _LEVEL,
    "Bpref": _LEVEL,
    "ERR": _CUTOFF,
    "ERR_IA": _CUTOFF | _LEVEL | _ALONE,
    "IPrec": {"recall": RelevanceParameter(float, required=True)} | _LEVEL | _ALONE,
    "Judged": _CUTOFF,
    "NRBP": _LEVEL | _NOVEL | _ON,
    "NumQ": {},
    "NumRel": _LEVEL,
    "NumRet": {"rel": RelevanceParameter(int)},
    "P": _WHERE | _LEVEL | _ALONE,
    "P_IA": _CUTOFF | _LEVEL | _ALONE,
    "R": _WHERE | _LEVEL | _ALONE,
    "RBP": _CUTOFF | {"p": RelevanceParameter(float, 0.8), "rel": RelevanceParameter(int)},
    "RR": _CUTOFF | _LEVEL | _ALONE,
    "Rprec": _LEVEL | _ALONE,
    "SetAP": _LEVEL | _ALONE,
    "SetF": _LEVEL | {"beta": RelevanceParameter(float, 1.0)} | _ALONE,
    "SetP": _LEVEL | {"relative": RelevanceParameter(bool, default=False)} | _ALONE,
    "SetR": _LEVEL,
    "StRecall": _CUTOFF | _LEVEL,
    "Success": _WHERE | _LEVEL | _ALONE,
    "alpha_DCG": _CUTOFF | _LEVEL | _NOVEL | _ALONE,
    "alpha_nDCG": _CUTOFF | _LEVEL | _NOVEL | _ALONE,
    "infAP": _LEVEL,
    "nERR_IA": _CUTOFF | _LEVEL | _ALONE,
    "nNRBP": _LEVEL | _NOVEL | _ON,
    "nDCG": _CUTOFF | {"dcg": RelevanceParameter(str, "log2"), "gains": RelevanceParameter(dict)} | _ALONE,
}
OURS: dict[str, RelevanceMeasure] = {
    name: RelevanceMeasure(name, parameters, "recall" if name == "IPrec" else "cutoff")
    for name, parameters in _PARAMETERS.items()
}
OURS |= {
    alias: OURS[name]
    for alias, name in {
        "MAP": "AP", "BPref": "Bpref", "NDCG": "nDCG", "Precision": "P", "Recall": "R", "RPrec": "Rprec", "MRR": "RR",
        "MAP_IA": "AP_IA", "α_DCG": "alpha_DCG", "α_nDCG": "alpha_nDCG",
    }.items()
}  # fmt: skip
OURS |= {
    "NumRelRet": replace(OURS["NumRet"], params={"rel": 1}),
    "SetRelP": replace(OURS["SetP"], params={"relative": True}),
}

_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_OF_TREC_EVAL: dict[str, tuple[str, str, Sequence[float]]] = {  # and the parameter that stands behind the name
    "P": ("P", "cutoff", _CUTOFFS), "map_cut": ("AP", "cutoff", _CUTOFFS), "recall": ("R", "cutoff", _CUTOFFS),
    "ndcg_cut": ("nDCG", "cutoff", _CUTOFFS), "success": ("Success", "cutoff", (1, 5, 10)),
    "set_F": ("SetF", "beta", (1.0,)), "iprec_at_recall": ("IPrec", "recall", [tenth / 10 for tenth in range(11)]),
    **{theirs: (name, "", ()) for theirs, name in {
        "ndcg": "nDCG", "set_map": "SetAP", "set_P": "SetP", "infAP": "infAP", "bpref": "Bpref", "map": "AP",
        "num_rel_ret": "NumRelRet", "recip_rank": "RR", "set_recall": "SetR", "set_relative_P": "SetRelP",
        "num_ret": "NumRet", "num_rel": "NumRel", "Rprec": "Rprec", "num_q": "NumQ",
    }.items()},
}  # fmt: skip


def is_installed() -> bool:
    """Tell whether ir-measures can be imported; it is, then."""
    try:
        import ir_measures  # noqa: F401 - whether there is one is asked
    except ImportError:
        return False
    return True


def known() -> Mapping[str, Any]:
    """Give all measures of relevance that there are, by their names."""
    if not is_installed():
        return OURS
    import ir_measures

    every: Mapping[str, Any] = ir_measures.measures.registry
    return every


def of_trec_eval(name: str) -> list[Any]:
    """Read a name of trec_eval, like ``ndcg_cut.5,10``, where ir-measures is not there to do so. Raises ValueError."""
    base, numbers = name, ""
    if name not in _OF_TREC_EVAL and (found := re.fullmatch(r"(\w+?)[._](\d[\d.,]*)", name)):
        base, numbers = found[1], found[2]
    if base not in _OF_TREC_EVAL or (numbers and not _OF_TREC_EVAL[base][1]):
        raise ValueError(name)
    called, parameter, usual = _OF_TREC_EVAL[base]
    measure = OURS[called]
    if not parameter:
        return [measure]
    kind = measure.SUPPORTED_PARAMS[parameter].dtype
    return [measure(**{parameter: kind(each)}) for each in (numbers.split(",") if numbers else usual)]
