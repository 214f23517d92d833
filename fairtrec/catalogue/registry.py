"""From what a user types to measures: from names and parameters, as notation.py reads them, to objects.

A name is looked up in the table below, then in ir-measures, then among the entry points ``fairtrec.measures`` of
installed packages: so what nDCG means does not depend on what else is installed.
"""

import io
import re
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from dataclasses import replace
from importlib import import_module
from typing import Any, NamedTuple

from fairtrec.catalogue import family, notation, relevance
from fairtrec.catalogue.family import LARGEST
from fairtrec.catalogue.notation import Spelled
from fairtrec.errors import UsageError
from fairtrec.measure import Measure
from fairtrec.measures import BUILT_IN
from fairtrec.measures.utility import PLAIN, TREC_ONLY, Plain, TrecOnly, Utility

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)  # of trec_eval, where none is named
SAME = ("Rprec", "infAP")  # which trec_eval and ir-measures call alike
_NUMBERS = re.compile(r"\D+(?:\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)?")
ALL_FAIR = "all_fair"  # stands for every measure of fairness, as trec_eval's all_trec does for its own


class TrecName(NamedTuple):
    """A measure of ir-measures, what trec_eval prints it as, and whether it was asked for by the name of a set."""

    measure: Any
    printed: str
    is_of_set: bool


def trec_measures(name: str) -> list[TrecName]:
    """Find the measures that trec_eval means by a name; say which of them there are not here; none if it means none."""
    if ours := trec_only(name):
        return [TrecName(each, _printed(name, each), is_of_set=False) for each in ours]
    if not _NUMBERS.fullmatch(name):
        return []
    installed = relevance.is_installed()
    try:
        with redirect_stdout(io.StringIO()) as said:
            several: list[Any] = _of_member(name) if installed else relevance.of_trec_eval(name)
    except (ValueError, TypeError):
        return []
    if not installed:
        return [TrecName(measure, _printed(name, measure), is_of_set=False) for measure in several]
    lacking = [each for each in re.findall(r"'([^']+)'", said.getvalue()) if each not in TREC_ONLY]
    if lacking and sys.stderr is not None:
        sys.stderr.write(f"# {name}: left out, as nobody reports them: {', '.join(lacking)}\n")
    import pytrec_eval

    members = pytrec_eval.supported_nicknames.get(name)
    if members is None:
        return [TrecName(measure, _printed(name, measure), is_of_set=False) for measure in several]
    pairs = [(member, measure) for member in sorted(members) for measure in _if_there(member)]
    return [TrecName(measure, _printed(member, measure), is_of_set=True) for member, measure in pairs]


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


def parse(text: str, relevance_level: int | None = None) -> list[Measure]:
    """Read measures between white space or commas.

    Raises UsageError for what is not in the notation, a name that nobody knows (with the nearest one that is known),
    and a parameter that the measure does not have or that cannot have this value.

    >>> [str(measure) for measure in parse("NFaiRR(tau=0)@20 ARaB(mag=tf)")]
    ['NFaiRR(tau=0)@20', "ARaB(mag='tf')@10"]
    """
    several: list[Measure] = []
    for written in notation.read(text):
        plain = _plain(written, relevance_level) if written.name in PLAIN else None
        several += _resolved(written, relevance_level) if plain is None else [plain]
    return several


def _resolved(written: Spelled, relevance_level: int | None) -> Iterable[Measure]:
    name, params, cutoff, spelled = written
    kind, theirs, at = built_in(name), None, "cutoff"
    if kind is None:
        theirs = relevance.known().get(name)
        kind, at = (family.plugin(name, Measure), at) if theirs is None else (None, theirs.AT_PARAM)
    if cutoff is not None and (kind is not None or theirs is not None):
        if at in params:
            raise UsageError(f"{spelled}: the parameter {at} is given twice; leave out one of the two")
        params = {**params, at: cutoff}
    if name in TREC_ONLY and (params or cutoff is not None):
        return [_trec_only(written, relevance_level)]
    if theirs is not None:
        found = _utility(theirs, params, spelled, relevance_level)
        return [replace(found, trec=name) if spelled in SAME else found]
    if kind is not None:
        return [family.built(kind, params, spelled, relevance_level)]
    return _of_others(written, relevance_level)


def _of_others(written: Spelled, relevance_level: int | None) -> Iterable[Measure]:
    """Read what is no name of a measure as it is written: of several, of trec_eval, or in other letters."""
    name, params, cutoff, spelled = written
    if is_all_fair(name):
        return _all_fair(params, cutoff, spelled, relevance_level)
    if not params and cutoff is None and (several := trec_measures(name)):
        return [
            replace(_utility(measure, {}, spelled, relevance_level), trec=printed, is_of_set=is_of_set)
            for measure, printed, is_of_set in several
        ]
    if (alike := proper(name)) is not None:
        return _resolved(written._replace(name=alike), relevance_level)
    raise _unknown(name, spelled)


def _unknown(name: str, spelled: str) -> UsageError:
    """Say that there is no such measure, or not here, or which of several may be meant."""
    if name in relevance.ELSEWHERE and not relevance.is_installed():
        return UsageError(f"{spelled}: {relevance.ABSENT}")
    if len(alikes := _alike(name)) > 1:
        return UsageError(f"{spelled} may be {' or '.join(alikes)}; write one of them in its own letters")
    from difflib import get_close_matches

    near = get_close_matches(name.lower(), [each.lower() for each in names()], 1)
    meant = next((each for each in names() if near and each.lower() == near[0]), None)
    hint = f"did you mean {meant}? " if meant else ""
    here = "" if relevance.is_installed() else ", but for those of ir-measures, which is not installed here"
    return UsageError(f"there is no measure {name}; {hint}`fairtrec measures` lists them all{here}")


def _trec_only(written: Spelled, relevance_level: int | None) -> Utility:
    """Give a measure that ir-measures lacks its parameters."""
    name, params, cutoff, spelled = written
    given = {"rel": relevance_level, **params, "cutoff": cutoff}
    given = {key: value for key, value in given.items() if value is not None}
    may = {"rel", *(["cutoff"] if name == "relative_P" else [])}
    if not given.keys() <= may or not all(type(value) is int and 1 <= value <= LARGEST for value in given.values()):
        raise UsageError(f"{spelled}: {name} is written {name}(rel=2){'@10' if 'cutoff' in may else ''}")
    return Utility(TrecOnly(name, given))


def _plain(written: Spelled, relevance_level: int | None) -> Utility | None:
    """Take a measure of ir-measures that is computed here, so that it needs no import; None where it may be refused."""
    name, params, cutoff, _ = written
    if cutoff is not None and "cutoff" in params:
        return None
    given = params if cutoff is None else {**params, "cutoff": cutoff}
    if relevance_level is not None and PLAIN.get(name) != "nDCG":
        given = {"rel": relevance_level, **given}
    plain = Plain.of(name, given, LARGEST)
    return None if plain is None else Utility(plain)


def proper(name: str) -> str | None:
    """Find the one name that is this one but for case; None for a name that is right, or where there is none or two."""
    if find(name) is not None:
        return None  # without a look at the names of ir-measures, which takes an import
    alike = _alike(name)
    return alike[0] if len(alike) == 1 and alike[0] != name else None


def _alike(name: str) -> list[str]:
    """List the names that are this one but for case."""
    return sorted({each for each in names() if each.lower() == name.lower()})


def is_all_fair(name: str) -> bool:
    """Tell the word that stands for every measure of fairness, in any case."""
    return name.lower() == ALL_FAIR


def _all_fair(params: dict[str, Any], cutoff: Any, spelled: str, relevance_level: int | None) -> list[Measure]:
    """Make all measures that are ours or a plug-in's, each as it is by itself; a cutoff is for all that have one."""
    if params:
        raise UsageError(f"{spelled}: {ALL_FAIR} takes a cutoff, like {ALL_FAIR}@20, and no parameters; leave them out")
    made: list[Measure] = []
    for kind in filter(None, map(find, (*BUILT_IN, *family.plugins(Measure)))):
        at = {"cutoff": cutoff} if cutoff is not None and "cutoff" in kind.__dataclass_fields__ else {}
        made.append(family.built(kind, at, spelled, relevance_level))
    return made


def find(name: str) -> type[Measure] | None:
    """Find the class of a measure that is ours or a plug-in's; None for any other name."""
    return built_in(name) or family.plugin(name, Measure)


def built_in(name: str) -> type[Measure] | None:
    """Find the class of a measure that is ours."""
    file = BUILT_IN.get(name)
    return None if file is None else getattr(import_module(f"fairtrec.measures.{file}"), name)


def names() -> list[str]:
    """List the names of all measures: ours, the plug-ins', and those of ir-measures."""
    return [*BUILT_IN, *family.plugins(Measure), *sorted(foreign())]


def foreign() -> set[str]:
    """Name the measures of ir-measures, among which ours are, too, where ``fairtrec.ir_measures`` was imported."""
    return {measure.NAME for measure in relevance.known().values()} - BUILT_IN.keys()


def _utility(measure: Any, params: dict[str, Any], spelled: str, relevance_level: int | None) -> Utility:
    """Give a measure of ir-measures its parameters; those that its programs fall over are refused here."""
    if isinstance(measure, TrecOnly):
        level = {} if relevance_level is None else {"rel": relevance_level}
        return Utility(TrecOnly(measure.NAME, {**measure.params, **level}))
    supported = measure.SUPPORTED_PARAMS
    has = f"{measure.NAME} has the parameters: {', '.join(supported) or 'none'}"
    unknown = [name for name in params if name not in supported]
    if unknown:
        from difflib import get_close_matches

        near = get_close_matches(unknown[0], supported, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise UsageError(f"{spelled}: {measure.NAME} has no parameter {unknown[0]}; {hint}{has}")
    whole_grade = isinstance(measure["rel"], int) if "rel" in supported else False  # NumRet without rel counts all
    levelled = whole_grade or measure.NAME == "RBP"
    if relevance_level is not None and levelled and "rel" not in params:
        params = {**params, "rel": relevance_level}
    whole = {name for name, value in params.items() if type(value) is int and supported[name].dtype is float}
    measure = measure(**{name: float(value) if name in whole else value for name, value in params.items()})
    for name, info in supported.items():
        if name not in measure.params:
            if info.required:
                like = f", like {measure.NAME}@10" if name == "cutoff" else ""
                raise UsageError(f"{spelled} needs {name}{like}; {has}")
            continue
        value = measure.params[name]
        if isinstance(value, bool) is not (info.dtype is bool) or not info.validate(value) or not _usable(name, value):
            raise UsageError(f"{spelled}: {name} cannot be {value!r}; {has}")
    return Utility(Plain.of(measure.NAME, measure.params, LARGEST) or measure)


def _usable(name: str, value: Any) -> bool:
    """Tell whether trec_eval takes such a number; it ends the whole program, or computes something else, if not."""
    if name == "rel":
        return bool(1 <= value <= LARGEST)
    if name == "recall":
        return bool(0 <= value <= 1 and round(value, 2) == value)
    if name == "gains":
        return all(type(each) is int and abs(each) <= LARGEST for pair in value.items() for each in pair)
    return True
