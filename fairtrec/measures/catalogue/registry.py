"""From what a user types to measures: from names and parameters, as notation.py reads them, to objects.

A name is looked up in the table of our measures, then in ir-measures, then among the entry points ``fairtrec.measures``
of installed packages: so what nDCG means does not depend on what else is installed.
"""

import dataclasses
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import import_module

from fairtrec.data.parameters import Parameters
from fairtrec.measure import DEFINED, EACH, Measure, Note, NoteKind, NoteSeverity
from fairtrec.measures import BUILT_IN
from fairtrec.measures.catalogue import notation, relevance
from fairtrec.measures.catalogue.notation import Parametrized, Spelled, build_object
from fairtrec.measures.catalogue.other_names import find_answer
from fairtrec.measures.utility import PLAIN, GroupUtility, Plain, Utility
from fairtrec.support.errors import FairtrecError, ResourceError, UsageError

SAME = ("Rprec", "infAP")  # which trec_eval and ir-measures call alike
ALIKE = 0.7  # of 1; with less, two names share letters only, as gender and EER
ALL_FAIR = "all_fair"  # stands for every measure of fairness, as trec_eval's all_trec does for its own
_FADES = {  # the measures of attention, and how it fades where no parameter says so
    **dict.fromkeys(("AWRF", "AWRFxnDCG", "Exposure", "DP", "DTR", "DIR"), "log2"),
    **dict.fromkeys(("EED", "EER", "EEL", "ABR"), "geometric"),
}
_WRITTEN = {
    "log2": "1/log2(1+i)",
    "log2_clipped": "1/log2(max(i,2))",
    "geometric": "{p}^(i-1)",
    "given": "as given",
    "err": "{p}^(i-1), less behind relevant documents",
}
LEFT_OUT = NoteKind("left out of all_fair", f"{ALL_FAIR} leaves out {{left_out}}", NoteSeverity.BACKGROUND)
ATTENTION = NoteKind(
    "attention",
    "attention decreases with the rank i as in the source of each measure: {models}",
    NoteSeverity.BACKGROUND,
)


def parse(text: str, relevance_level: int | None = None) -> list[Measure]:
    """Read measures between white space or commas.

    Raises UsageError for what is not in the notation, a name that nobody knows (with the nearest one that is known),
    and a parameter that the measure does not have or that cannot have this value.

    >>> [str(measure) for measure in parse("NFaiRR(tau=0)@20 ARaB(mag=tf)")]
    ['NFaiRR(tau=0)@20', "ARaB(mag='tf')@10"]
    """
    several: list[Measure] = []
    for written in notation.read(text):
        if written.name in BUILT_IN:
            several.append(build_object(load_built_in(written.name), written, relevance_level))
        else:
            several += _of_relevance(written, relevance_level) or _others(written, relevance_level)
    return several


def _of_relevance(written: Spelled, relevance_level: int | None) -> Sequence[Measure]:
    """Read a measure of relevance; nothing if it is none."""
    if "group" in written.params:
        return _of_group(written, relevance_level)
    name, params, cutoff, spelled = written
    if name in PLAIN and (cutoff is None or "cutoff" not in params):  # computed here, so that it needs no import
        given = {} if relevance_level is None or PLAIN[name] == "nDCG" else {"rel": relevance_level}
        given |= params if cutoff is None else {**params, "cutoff": cutoff}
        if (plain := Plain.parse(name, given, notation.LARGEST)) is not None:
            return [Utility(plain)]
    is_bare = not params and cutoff is None
    theirs = None if is_bare and relevance.is_list(name) else relevance.list_relevance_measures().get(name)
    if theirs is not None:
        if cutoff is not None and theirs.AT_PARAM in params:
            raise UsageError(f"{spelled}: the parameter {theirs.AT_PARAM} is given twice; leave out one of the two")
        given = params if cutoff is None else {**params, theirs.AT_PARAM: cutoff}
        found = relevance.utility(theirs, given, spelled, relevance_level)
        return [replace(found, trec=name) if spelled in SAME else found]
    is_alone = not is_bare and relevance.is_trec_only(name)
    return [relevance.make_trec_only(written, relevance_level)] if is_alone else []


def _of_group(written: Spelled, relevance_level: int | None) -> Sequence[Measure]:
    """Read a measure of relevance by the judgments of one group."""
    own = {key: value for key, value in written.params.items() if key in ("group", "by")}
    rest = {key: value for key, value in written.params.items() if key not in own}
    several = _of_relevance(written._replace(params=rest), relevance_level)
    for key, value in own.items():
        if several and not isinstance(value, str):
            raise UsageError(f"{written.spelled}: the parameter {key} is {value!r}; it must be of type str")
    by, group = own.get("by", ""), own["group"]
    return [
        GroupUtility(each.measure, by=by, group="" if group == EACH else group)
        for each in several
        if isinstance(each, Utility)
    ]


def _others(written: Spelled, relevance_level: int | None) -> Sequence[Measure]:
    """Read what is no name of a measure of ours or of relevance: of a plug-in, of several, or in other letters."""
    name, params, cutoff, spelled = written
    kind = plugin(name, Measure)
    if kind is not None:
        return [build_object(kind, written, relevance_level)]
    if is_all_fair(name):
        return _all_fair(written, relevance_level)
    if not params and cutoff is None and (several := relevance.trec_measures(name)):
        return [
            replace(relevance.utility(measure, {}, spelled, relevance_level), trec=printed, is_of_set=is_of_set)
            for measure, printed, is_of_set in several
        ]
    if other := relevance.find_other_name(name):
        called, given = other
        if called == "SetF" and cutoff is not None:
            raise UsageError(f"{spelled} is no measure of a cutoff here; use -M {cutoff} and -m SetF")
        return _of_relevance(written._replace(name=called, params={**given, **params}), relevance_level)
    alike = find_proper_name(name)
    if alike is None:
        raise _unknown(name, spelled)
    if alike in BUILT_IN:
        return [build_object(load_built_in(alike), written, relevance_level)]
    proper = written._replace(name=alike)
    return _of_relevance(proper, relevance_level) or _others(proper, relevance_level)


def _unknown(name: str, spelled: str) -> FairtrecError:
    """Say that there is no such measure, or not here, or which of several may be meant."""
    if name in relevance.ELSEWHERE and not relevance.is_installed():
        return ResourceError(f"{spelled}: {relevance.ABSENT}")
    if len(alikes := _alike(name)) > 1:
        return UsageError(f"{spelled} may be {' or '.join(alikes)}; write one of them in its own letters")
    from difflib import get_close_matches

    if answer := find_answer(name):
        return UsageError(f"there is no measure {name}; {answer}")
    near = get_close_matches(name.lower(), [each.lower() for each in names()], 1, ALIKE)
    meant = _guess_cutoff(name) or next((each for each in names() if near and each.lower() == near[0]), None)
    hint = f"did you mean {meant}? " if meant else ""
    here = "" if relevance.is_installed() else ", but for those of ir-measures, which is not installed here"
    return UsageError(f"there is no measure {name}; {hint}`fairtrec measures` lists them all{here}")


def _guess_cutoff(name: str) -> str:
    """Give the measure that has its cutoff in the name of trec_eval: NFaiRR@10 for NFaiRR_cut_10; "" for none."""
    found = re.fullmatch(r"(\w+?)(?:_cut)?[._](\d+)", name)
    alike = _alike(found[1]) if found else []
    meant = f"{alike[0]}@{found[2]}" if found and alike else ""
    with suppress(FairtrecError):  # of a measure that has no cutoff
        return meant if meant and parse(meant) else ""
    return ""


def find_proper_name(name: str) -> str | None:
    """Find the one name that is this one but for case; None for a name that is right, or where there is none or two."""
    if find(name) is not None:
        return None  # without a look at the names of ir-measures, which takes an import
    alike = _alike(name)
    return alike[0] if len(alike) == 1 and alike[0] != name else None


def _alike(name: str) -> list[str]:
    """List the names that are this one but for case; of two of the same measure the first."""
    several = {each for each in names() if each.lower() == name.lower()}
    return sorted(several or {each for each in relevance.list_relevance_measures() if each.lower() == name.lower()})


def is_all_fair(name: str) -> bool:
    """Tell the word that stands for every measure of fairness, in any case."""
    return name.lower() == ALL_FAIR


def _all_fair(written: Spelled, relevance_level: int | None) -> list[Measure]:
    """Make all measures that are ours or a plug-in's, each as it is by itself; a cutoff is for all that have one."""
    if written.params:
        what = f"{written.spelled}: {ALL_FAIR} takes a cutoff, like {ALL_FAIR}@20, and no parameters"
        raise UsageError(f"{what}; leave them out")
    without = written._replace(cutoff=None)
    return [
        build_object(kind, written if "cutoff" in kind.__dataclass_fields__ else without, relevance_level)
        for kind in filter(None, map(find, (*BUILT_IN, *plugins(Measure))))
        if not kind.of_pool  # it has no mean
    ]


def find(name: str) -> type[Measure] | None:
    """Find the class of a measure that is ours or a plug-in's; None for any other name."""
    return load_built_in(name) if name in BUILT_IN else plugin(name, Measure)


def load_built_in(name: str) -> type[Measure]:
    """Find the class of a measure that is ours."""
    kind: type[Measure] = getattr(import_module(f"fairtrec.measures.{BUILT_IN[name]}"), name)
    return kind


def names() -> list[str]:
    """List the names of all measures: ours, the plug-ins', and those of ir-measures."""
    return [*BUILT_IN, *plugins(Measure), *sorted(list_foreign_names())]


def list_foreign_names() -> set[str]:
    """Name the measures of ir-measures, among which ours are, too, where ``fairtrec.ir_measures`` was imported."""
    return {measure.NAME for measure in relevance.list_relevance_measures().values()} - BUILT_IN.keys()


def name_family(base: type[Parameters]) -> str:
    """Call a member of the family of this base.

    >>> name_family(Parameters)
    'parameters'
    """
    return base.__name__.lower()


def _group(base: type[Parameters]) -> str:
    """Name the entry points at which packages announce what they add."""
    return f"fairtrec.{name_family(base)}s"


def plugin(name: str, base: type[Parametrized]) -> type[Parametrized] | None:
    """Find the class that an installed package adds under this name, or that was made of a function.

    Raises UsageError if it is none of its family.
    """
    made: type | None = DEFINED.get(name)
    if made is not None and issubclass(made, base):
        return made
    what = name_family(base)
    from importlib.metadata import entry_points

    for point in entry_points(group=_group(base), name=name):
        try:
            loaded = point.load()
        except Exception as fault:
            raise UsageError(f"the plug-in {point.value} of the {what} {name} does not load: {fault!r}") from fault
        if not (isinstance(loaded, type) and issubclass(loaded, base) and dataclasses.is_dataclass(loaded)):
            raise UsageError(
                f"the plug-in {point.value} is no {what}; it must be a dataclass derived from {base.__name__}"
            )
        if loaded.__name__ != name:
            raise UsageError(f"the plug-in {point.value} is announced as {name}; class and entry point need one name")
        lacking = [field.name for field in dataclasses.fields(loaded) if field.default is dataclasses.MISSING]
        if lacking:
            raise UsageError(f"the plug-in {point.value} has no default for {lacking[0]}; each parameter needs one")
        return loaded
    return None


def find_package(kind: type[Parameters]) -> str:
    """Name the installed package that announces a class, with its version; nothing of a class that none announces."""
    from importlib.metadata import entry_points

    base = next(each for each in kind.__mro__ if Parameters in each.__bases__)
    for point in entry_points(group=_group(base), name=kind.__name__):
        if point.dist is not None and point.load() is kind:
            return f"{point.dist.name}/{point.dist.version}"
    return ""


def plugins(base: type[Parameters]) -> list[str]:
    """List the names that installed packages add, and those of measures that were made of functions."""
    from importlib.metadata import entry_points

    defined = [name for name, kind in DEFINED.items() if issubclass(kind, base)]
    return sorted({point.name for point in entry_points(group=_group(base))}.union(defined))


def find_allowed(
    text: str, relevance_level: int | None, refuse: Callable[[Measure], None]
) -> tuple[list[Measure], list[Note]]:
    """Read measures, of ``all_fair`` those that go with the inputs. Raises UsageError where none does.

    ``refuse`` raises UsageError for a measure that does not. The second that is returned are the
    notes.
    """
    found: list[Measure] = []
    lacking: dict[str, list[str]] = {}
    for written in notation.read(text):
        several = parse(written.spelled, relevance_level)
        if is_all_fair(written.name):
            several = [measure for measure in several if _passes(measure, refuse, lacking)]
            if not several:
                raise UsageError(f"{ALL_FAIR} finds nothing to measure; add --labels FILE, or --terms LIST")
        found += several
    said = [f"{', '.join(names)} ({why})" for why, names in lacking.items()]
    return found, [LEFT_OUT.note(left_out="; ".join(said))] if said else []


def _passes(measure: Measure, refuse: Callable[[Measure], None], lacking: dict[str, list[str]]) -> bool:
    try:
        refuse(measure)
    except UsageError as fault:
        why = str(fault).partition(";")[0].removeprefix(str(measure)).lstrip(": ")
        lacking.setdefault(why, []).append(str(measure))
        return False
    return True


def note_attention(measures: Sequence[Measure]) -> list[Note]:
    """Say how attention fades with the rank if measures differ in that."""
    models: dict[str, dict[str, None]] = {}
    for measure in measures:
        if measure.name in _FADES:
            model = str(getattr(measure, "discount", _FADES[measure.name]))
            models.setdefault(_WRITTEN[model].format(p=getattr(measure, "p", "")), {})[measure.name] = None
    said = "; ".join(f"{', '.join(names)} {model}" for model, names in models.items())
    return [ATTENTION.note(models=said)] if len(models) > 1 else []
