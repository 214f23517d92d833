"""The measures of relevance: those of ir-measures, or where that is not installed those that are computed here.

On Linux on ARM and on other systems for which pytrec_eval-terrier has no wheel, ir-measures cannot be installed without
a compiler, so it is not required there. What stands in for it spells names and parameters as it does.
"""

import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from fairtrec.measures.catalogue.notation import LARGEST, Spelled
from fairtrec.measures.utility import TENTHS, TREC_ONLY, Plain, TrecOnly, Utility
from fairtrec.support.errors import ResourceError, UsageError
from fairtrec.support.late_patterns import compile_late

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
_OF_TREC_EVAL: dict[str, tuple[str, str, Sequence[float]]] = {  # and the parameter that stands behind the name
    "P": ("P", "cutoff", CUTOFFS), "map_cut": ("AP", "cutoff", CUTOFFS), "recall": ("R", "cutoff", CUTOFFS),
    "ndcg_cut": ("nDCG", "cutoff", CUTOFFS), "success": ("Success", "cutoff", (1, 5, 10)),
    "relative_P": ("relative_P", "cutoff", CUTOFFS), "11pt_avg": ("11pt_avg", "recalls", TENTHS),
    "set_F": ("SetF", "beta", (1.0,)), "iprec_at_recall": ("IPrec", "recall", TENTHS),
    **{theirs: (name, "", ()) for theirs, name in {
        "ndcg": "nDCG", "set_map": "SetAP", "set_P": "SetP", "infAP": "infAP", "bpref": "Bpref", "map": "AP",
        "num_rel_ret": "NumRelRet", "recip_rank": "RR", "set_recall": "SetR", "set_relative_P": "SetRelP",
        "num_ret": "NumRet", "num_rel": "NumRel", "Rprec": "Rprec", "num_q": "NumQ", "rbp": "RBP",
        "gm_map": "gm_map", "gm_bpref": "gm_bpref", "num_nonrel_judged_ret": "num_nonrel_judged_ret",
    }.items()},
}  # fmt: skip
_NOT_OFFERED = (
    "G", "Rndcg", "Rprec_mult", "binG", "dcg", "ideal_dcg", "ndcg_rel", "relstring", "utility", "rbp_resid", "unj",
    "yaap", "prefs_", "P_avgjg", "map_avgjg", "Rprec_mult_avgjg", "rbp.", "runid",
)  # names of trec_eval, or how such begin  # fmt: skip
_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)"
_PARAMETERS_BEHIND = compile_late(r"[._][-\d.][-\d.,=]*$")  # of a name that is not offered, like Rprec_mult.5.0,0.2
_LISTED = compile_late(rf"(\w+?)[._]({_NUMBER}(?:={_NUMBER})?(?:,{_NUMBER}(?:={_NUMBER})?)*)")
_OTHERS: dict[str, tuple[str, dict[str, Any]]] = {  # names of ranx, and what is meant
    "r_precision": ("Rprec", {}), "hit_rate": ("Success", {}), "f1": ("SetF", {}),
    "ndcg_burges": ("nDCG", {"dcg": "exp-log2"}),
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


def is_list(name: str) -> bool:
    """Tell a name of trec_eval that stands for a list of cutoffs."""
    return name in _OF_TREC_EVAL and bool(_OF_TREC_EVAL[name][2])


def find_other_name(name: str) -> tuple[str, dict[str, Any]] | None:
    """Find the measure that another program calls so, and its parameters; None for any other name."""
    return _OTHERS.get(name.lower())


def of_trec_eval(name: str) -> list[Any]:
    """Read a name of trec_eval in any case, like ``ndcg_cut.5,10`` or ``ndcg.1=3,2=9``. Raises ValueError.

    Raises UsageError for a cutoff that is no whole number.
    """
    base, numbers = _split(name)
    called, parameter, usual = _OF_TREC_EVAL[base]
    if base in TREC_ONLY:
        return _make_trec_only(base, numbers)
    measure = list_relevance_measures()[called]
    if base == "ndcg" and numbers and all("=" in cell for cell in numbers.split(",")):
        pairs = [cell.split("=") for cell in numbers.split(",")]
        return [measure(gains={int(grade): _read_number(gain) for grade, gain in pairs})]
    if numbers and not parameter:
        raise ValueError(name)
    if not parameter:
        return [measure]
    kind = measure.SUPPORTED_PARAMS[parameter].dtype
    cells = numbers.split(",") if numbers else usual
    if kind is int and (broken := [str(cell) for cell in cells if not str(cell).isdecimal()]):
        raise UsageError(f"{name}: a cutoff is a whole number; write {int(float(broken[0]))} instead of {broken[0]}")
    return [measure(**{parameter: kind(cell)}) for cell in cells]


def _split(name: str) -> tuple[str, str]:
    """Split a name of trec_eval into its base, in its own letters, and a list. Raises ValueError for any other."""
    proper = {base.lower(): base for base in _OF_TREC_EVAL}
    if (base := proper.get(name.lower())) is not None:
        return base, ""
    found = _LISTED.fullmatch(name)
    if found is None or found[1].lower() not in proper:
        raise ValueError(name)
    return proper[found[1].lower()], found[2]


def _make_trec_only(base: str, numbers: str) -> list[Any]:
    """Read a name of trec_eval that ir-measures lacks, like relative_P.5,10."""
    if numbers and not _OF_TREC_EVAL[base][1]:
        raise ValueError(base)
    if base == "relative_P":
        cutoffs = numbers.split(",") if numbers else CUTOFFS
        return [TrecOnly(base, {"cutoff": int(cutoff)}) for cutoff in cutoffs]
    return [TrecOnly(base, {"recalls": tuple(map(float, numbers.split(",")))} if numbers else {})]


def _read_number(text: str) -> float:
    return int(text) if text.isdecimal() else float(text)


class TrecName(NamedTuple):
    """A measure of ir-measures, what trec_eval prints it as, and whether it was asked for by the name of a set."""

    measure: Any
    printed: str
    is_of_set: bool


def trec_measures(name: str) -> list[TrecName]:
    """Find the measures that trec_eval means by a name; say which of them are not offered; none if it means none.

    Raises UsageError if none of them is offered.
    """
    members = _list_members(name)
    if members is None:
        try:
            return [TrecName(measure, _printed(name, measure), is_of_set=False) for measure in of_trec_eval(name)]
        except (ValueError, TypeError):
            return []
    pairs = [(member, measure) for member in sorted(members) for measure in _if_there(member)]
    lacking = sorted(each for each in members if not _if_there(each) and (each != "runid" or each == name))
    if lacking and all(measure.NAME == "NumQ" for _, measure in pairs):
        what = "" if lacking == [name] else f": {', '.join(lacking)}"
        raise UsageError(f"{name} is not offered{what}; `fairtrec measures` lists all measures")
    if lacking and sys.stderr is not None:
        sys.stderr.write(f"# {name}: not offered: {', '.join(lacking)}\n")
    return [TrecName(measure, _printed(member, measure), is_of_set=True) for member, measure in pairs]


def _list_members(name: str) -> Collection[str] | None:
    """List the names in a set of trec_eval, or the name itself if it is not offered; None for any other name."""
    base = _PARAMETERS_BEHIND.sub("", name)
    if any(each in (name, base) or (each[-1] in "_." and name.startswith(each)) for each in _NOT_OFFERED):
        return [name]
    if not is_installed():
        return None
    import pytrec_eval

    members: Collection[str] | None = pytrec_eval.supported_nicknames.get(name)
    return members


def _if_there(name: str) -> list[Any]:
    """Read a member of a set; nothing of what is not offered."""
    try:
        return of_trec_eval(name)
    except ValueError:
        return []


def _printed(name: str, measure: Any) -> str:
    """Spell a measure as trec_eval prints it.

    ndcg_cut.5 is ndcg_cut_5, iprec_at_recall..1 is iprec_at_recall_0.10, and set_F.2 is set_F_2.
    """
    base, numbers = _split(name)
    if "recall" in measure.params:
        return f"{base}_{measure.params['recall']:.2f}"
    if "cutoff" in measure.params:
        return f"{base}_{measure.params['cutoff']}"
    return f"{base}_{numbers}" if numbers else base


def is_trec_only(name: str) -> bool:
    """Tell a name of trec_eval, perhaps with a list, that ir-measures lacks."""
    try:
        return _split(name)[0] in TREC_ONLY
    except ValueError:
        return False


def make_trec_only(written: Spelled, relevance_level: int | None) -> Utility:
    """Give a measure that ir-measures lacks its parameters."""
    name, params, cutoff, spelled = written
    base, numbers = _split(name)
    given = {"rel": relevance_level, **params, "cutoff": cutoff}
    given = {key: value for key, value in given.items() if value is not None}
    may = {"rel", *(["cutoff"] if name == "relative_P" else [])}
    if not given.keys() <= may or not all(type(value) is int and 1 <= value <= LARGEST for value in given.values()):
        raise UsageError(f"{spelled}: {base} is written {base}(rel=2){'@10' if base == 'relative_P' else ''}")
    listed = _make_trec_only(base, numbers)[0].params if numbers else {}
    return Utility(TrecOnly(base, {**listed, **given}))


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
            digits = "; write a recall from 0 to 1 with two digits at most" if name == "recall" else ""
            raise UsageError(f"{spelled}: {name} cannot be {value!r}{digits}; {_has(measure)}")


def _usable(name: str, value: Any) -> bool:
    """Tell whether trec_eval takes such a number; it ends the whole program, or computes something else, if not."""
    if name == "rel":
        return bool(1 <= value <= LARGEST)
    if name == "recall":
        return bool(0 <= value <= 1 and round(value, 2) == value)
    if name == "gains":
        fits = {type(grade) for grade in value} <= {int} and {type(gain) for gain in value.values()} <= {int, float}
        return fits and all(abs(each) <= LARGEST for pair in value.items() for each in pair)
    return True
