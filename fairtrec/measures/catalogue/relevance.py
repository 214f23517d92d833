"""The measures of relevance: those of ir-measures, or where that is not installed those that are computed here.

On Linux on ARM and on other systems for which pytrec_eval-terrier has no wheel, ir-measures cannot be installed without
a compiler, so it is not required there. What stands in for it spells names and parameters as it does.
"""

import io
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from fairtrec.measures.catalogue.notation import LARGEST, Spelled
from fairtrec.measures.utility import TREC_ONLY, Plain, TrecOnly, Utility
from fairtrec.support.errors import ResourceError, UsageError

ABSENT = "this needs ir-measures, which is not installed; leave it out, or run: pip install ir-measures"
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
        """Set parameters. Raises ResourceError for what only ir-measures computes."""
        if params.get("dcg", "log2") not in ("log2", "exp-log2"):
            raise ResourceError(f"nDCG(dcg={params['dcg']!r}): {ABSENT}")
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

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)  # of trec_eval, where none is named
_NUMBERS = re.compile(r"\D+(?:\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)?")
_OF_TREC_EVAL: dict[str, tuple[str, str, Sequence[float]]] = {  # and the parameter that stands behind the name
    "P": ("P", "cutoff", CUTOFFS), "map_cut": ("AP", "cutoff", CUTOFFS), "recall": ("R", "cutoff", CUTOFFS),
    "ndcg_cut": ("nDCG", "cutoff", CUTOFFS), "success": ("Success", "cutoff", (1, 5, 10)),
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


def list_relevance_measures() -> Mapping[str, Any]:
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


class TrecName(NamedTuple):
    """A measure of ir-measures, what trec_eval prints it as, and whether it was asked for by the name of a set."""

    measure: Any
    printed: str
    is_of_set: bool


def trec_measures(name: str) -> list[TrecName]:
    """Find the measures that trec_eval means by a name; say which of them there are not here; none if it means none."""
    try:
        with redirect_stdout(io.StringIO()) as said:
            several = _of_member(name)
    except (ValueError, TypeError):
        return []
    lacking = [each for each in re.findall(r"'([^']+)'", said.getvalue()) if each not in TREC_ONLY]
    if lacking and sys.stderr is not None:
        sys.stderr.write(f"# {name}: left out, because no run has them: {', '.join(lacking)}\n")
    if is_installed():
        import pytrec_eval

        members = pytrec_eval.supported_nicknames.get(name)
        if members is not None:
            pairs = [(member, measure) for member in sorted(members) for measure in _if_there(member)]
            return [TrecName(measure, _printed(member, measure), is_of_set=True) for member, measure in pairs]
    return [TrecName(measure, _printed(name, measure), is_of_set=False) for measure in several]


def trec_only(name: str) -> list[TrecOnly]:
    """Read a name of trec_eval that ir-measures lacks, like relative_P.5,10; none for any other."""
    base, *cutoffs = re.split(r"[._,](?=\d)", name)
    if base not in TREC_ONLY or (cutoffs and base != "relative_P"):
        return []
    if base != "relative_P":
        return [TrecOnly(base, {})]
    return [TrecOnly(base, {"cutoff": int(cutoff)}) for cutoff in cutoffs or CUTOFFS]


def _of_member(name: str) -> list[Any]:
    if ours := trec_only(name):
        return list(ours)
    if not _NUMBERS.fullmatch(name):
        raise ValueError(name)
    if not is_installed():
        return of_trec_eval(name)
    import ir_measures

    return list(ir_measures.parse_trec_measure(name))


def _if_there(name: str) -> list[Any]:
    """Read a member of a set; nothing of what nobody reports, which has been said."""
    try:
        return _of_member(name)
    except ValueError:
        return []


def _printed(name: str, measure: Any) -> str:
    """Spell a measure as trec_eval prints it: ndcg_cut.5 as ndcg_cut_5, iprec_at_recall.0.1 as iprec_at_recall_0.10."""
    base = re.sub(r"[._]\d[\d.,]*$", "", name)
    if "recall" in measure.params:
        return f"{base}_{measure.params['recall']:.2f}"
    return f"{base}_{measure.params['cutoff']}" if "cutoff" in measure.params else base


def make_trec_only(written: Spelled, relevance_level: int | None) -> Utility:
    """Give a measure that ir-measures lacks its parameters."""
    name, params, cutoff, spelled = written
    given = {"rel": relevance_level, **params, "cutoff": cutoff}
    given = {key: value for key, value in given.items() if value is not None}
    may = {"rel", *(["cutoff"] if name == "relative_P" else [])}
    if not given.keys() <= may or not all(type(value) is int and 1 <= value <= LARGEST for value in given.values()):
        raise UsageError(f"{spelled}: {name} is written {name}(rel=2){'@10' if 'cutoff' in may else ''}")
    return Utility(TrecOnly(name, given))


def utility(measure: Any, params: dict[str, Any], spelled: str, relevance_level: int | None) -> Utility:
    """Give a measure of ir-measures its parameters; those that its programs fall over are refused here."""
    if isinstance(measure, TrecOnly):
        level = {} if relevance_level is None else {"rel": relevance_level}
        return Utility(TrecOnly(measure.NAME, {**measure.params, **level}))
    supported = measure.SUPPORTED_PARAMS
    _refuse_unknown(measure, params, spelled)
    if relevance_level is not None and "rel" not in params and _takes_level(measure):
        params = {**params, "rel": relevance_level}
    whole = {name for name, value in params.items() if type(value) is int and supported[name].dtype is float}
    measure = measure(**{name: float(value) if name in whole else value for name, value in params.items()})
    _refuse_unusable(measure, spelled)
    return Utility(Plain.parse(measure.NAME, measure.params, LARGEST) or measure)


def _takes_level(measure: Any) -> bool:
    """Tell whether a measure goes by a grade; NumRet without one counts all documents."""
    return measure.NAME == "RBP" or ("rel" in measure.SUPPORTED_PARAMS and isinstance(measure["rel"], int))


def _has(measure: Any) -> str:
    return f"{measure.NAME} has the parameters: {', '.join(measure.SUPPORTED_PARAMS) or 'none'}"


def _refuse_unknown(measure: Any, params: Mapping[str, Any], spelled: str) -> None:
    """Raise UsageError for a parameter that the measure does not have."""
    unknown = [name for name in params if name not in measure.SUPPORTED_PARAMS]
    if unknown:
        from difflib import get_close_matches

        near = get_close_matches(unknown[0], measure.SUPPORTED_PARAMS, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise UsageError(f"{spelled}: {measure.NAME} has no parameter {unknown[0]}; {hint}{_has(measure)}")


def _refuse_unusable(measure: Any, spelled: str) -> None:
    """Raise UsageError for a parameter that is missing, or that has a value which its programs do not take."""
    for name, info in measure.SUPPORTED_PARAMS.items():
        if name not in measure.params:
            if info.required:
                like = f", like {measure.NAME}@10" if name == "cutoff" else ""
                raise UsageError(f"{spelled} needs {name}{like}; {_has(measure)}")
            continue
        value = measure.params[name]
        if isinstance(value, bool) is not (info.dtype is bool) or not info.validate(value) or not _usable(name, value):
            raise UsageError(f"{spelled}: {name} cannot be {value!r}; {_has(measure)}")


def _usable(name: str, value: Any) -> bool:
    """Tell whether trec_eval takes such a number; it ends the whole program, or computes something else, if not."""
    if name == "rel":
        return bool(1 <= value <= LARGEST)
    if name == "recall":
        return bool(0 <= value <= 1 and round(value, 2) == value)
    if name == "gains":
        return all(type(each) is int and abs(each) <= LARGEST for pair in value.items() for each in pair)
    return True
