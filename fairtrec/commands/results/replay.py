"""Evaluating again what a results file holds, from the inputs that it names."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NamedTuple, Union, cast, get_args, get_origin

from fairtrec.commands.results import difference
from fairtrec.commands.results.moved_inputs import explain_diff
from fairtrec.commands.results.results import RecordedResult
from fairtrec.evaluation import evaluate as api
from fairtrec.evaluation.answers.result import Part, Result
from fairtrec.evaluation.given import SOURCE_NAMES
from fairtrec.evaluation.given.given_rows import Attributes
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.option import Choice
from fairtrec.evaluation.inputs.options import CHOICES, ChoiceKeywords
from fairtrec.evaluation.signature import list_versions
from fairtrec.measures.catalogue import registry
from fairtrec.support.errors import InputError, UsageError, refuse_first
from fairtrec.support.files import admission
from fairtrec.support.files.admission import FileIdentity, UnrecordedFileError
from fairtrec.support.files.arguments import source, split_crossed

REPLAYED = "only a file can be replayed, so write it to one and evaluate that again"


class Replayed(NamedTuple):
    """The values of today, and the options that show the slices of queries and their differences."""

    result: Result
    view: Mapping[str, Any]


def evaluate(recorded: RecordedResult, root: Path | None = None, *, accept: bool = False) -> Replayed:
    """Evaluate the runs of a results file again; relative paths start at ``root``.

    Raises InputError if an input is not there, or is not what it was, for what a file cannot be replayed from, and for
    a measure whose values have changed since, unless these are accepted.
    """
    found = find_inputs(recorded, root)
    places = found.places
    known = {*SOURCE_NAMES, *ChoiceKeywords.__annotations__}
    if not recorded.options or not known >= set(recorded.options):
        strange = ", ".join(sorted(set(recorded.options) - known))
        what = f"options that there are not: {strange}" if strange else "no options"
        raise InputError(f"this file has {what}; write it again with this version of fairtrec", recorded.path)
    options = {name: _option(recorded, name, value, places) for name, value in recorded.options.items()}
    for run in recorded.runs:
        if Part("run", run.name) not in places:
            raise InputError(f"the run {run.name} was no file; {REPLAYED}", recorded.path)
    try:
        measures = [each for name in recorded.measures for each in registry.parse(name)]
        if not accept:
            changed = difference.find_changed_versions(recorded.measures, list_versions(measures), recorded.signature)
            difference.refuse_changed(changed, recorded.path)
        runs = {run.name: places[Part("run", run.name)] for run in recorded.runs}
        with admission.admit_only(found.files):
            again = api.evaluate(measures, runs, **options)
            return Replayed(*_add_slices(again, recorded, places))
    except UsageError as fault:
        raise InputError(f"this file cannot be replayed: {fault}", recorded.path) from None
    except UnrecordedFileError as fault:
        what = f"{fault.name} would be read, of which this file has no sha256"
        raise InputError(f"{what}, so it cannot be replayed; evaluate the runs again", recorded.path) from None


class FoundInputs(NamedTuple):
    """Where the inputs of a file are, and by what they are known since they were hashed."""

    places: dict[Part, str]
    files: dict[FileIdentity, str]


def find_inputs(recorded: RecordedResult, root: Path | None) -> FoundInputs:
    """Find all inputs; relative paths start at ``root``. Raises InputError for one that is not what it was."""
    found = FoundInputs({}, {})
    for part in recorded.inputs:
        place, path, identity = _find_input(recorded, part, root)
        found.places[part] = place
        found.files[identity] = path
    return found


def _find_input(recorded: RecordedResult, part: Part, root: Path | None) -> tuple[str, str, FileIdentity]:
    """Find an input, and make sure that it is what it was: give its name, its path, and its identity."""
    file = recorded.inputs[part]
    place = file.name if root is None or loading.is_name(file.name) else str(root / file.name)
    origin = loading.find_file(place) or loading.find_file(file.name)
    of = f"{part.of} of {recorded.path}"
    if origin is None:
        way_out = "bring it back" if Path(file.name).is_absolute() else "choose a folder that has it with --root"
        raise InputError(f"there is no such file, which is the {of}; {way_out}", place)
    if not Path(origin[1]).is_file():
        raise InputError(f"this {of} is a stream or a folder; {REPLAYED}", place)
    digest, identity = admission.hash_file(origin[1])
    if digest != file.sha256:
        was = f"its sha256 was {file.sha256[:8]}, and is {digest[:8]}"
        way_out = explain_diff(recorded.path) if part.of == "run" and recorded.runs else ""
        raise InputError(f"this {of} has changed: {was}; bring back the old file{way_out}", place)
    return place if loading.is_file(place) else file.name, str(Path(origin[1]).absolute()), identity


def _add_slices(again: Result, recorded: RecordedResult, places: Mapping[Part, str]) -> tuple[Result, dict[str, Any]]:
    """Add the slices and the intervals that there were; give the options that show them, too."""
    from fairtrec.evaluation.slices import Slices, take_slices

    place = places.get(Part("slices"))
    slices = None if place is None else Slices.read(place)
    slices = take_slices(slices, again) if again.slices else slices  # a column of the runs may hold them
    again = again if slices is None else slices.add_notes(again)
    asked = re.fullmatch(r"(t|percentile|bca)/(0?\.\d+)", recorded.signature.get("interval", ""))
    if asked is not None:
        method: Any = asked[1]
        again = again.with_confidence(float(asked[2]), slices, interval=method)
    if slices is None or "against" not in recorded.signature:
        return again, {"slices": slices}
    from fairtrec.evaluation.slice_differences import sign_differences

    against, correction = recorded.signature["against"], cast("Any", recorded.signature.get("correction"))
    view = {"slices": slices, "against": against, "correction": correction}
    return sign_differences(again, slices, against, correction), view


def _option(recorded: RecordedResult, name: str, value: Any, places: dict[Part, str]) -> Any:
    """Give an option as it was; where it names a file, the one that was found. Raises InputError for another type."""
    refuse_first(_faults_of_option(name, value), lambda fault: InputError(fault, recorded.path))
    match name, value:
        case "labels", dict():
            return Attributes({attribute: _labels(each, places, attribute) for attribute, each in value.items()})
        case "labels", str():
            return _labels(value, places)
        case "target", dict():
            own = {attribute: each for attribute, each in value.items() if isinstance(each, str)}
            return value | {attribute: _placed(recorded, each, places) for attribute, each in own.items()}
        case "target", str():
            return _placed(recorded, value, places)
        case "counterfactual", _ if Part(name) not in places:  # it is the folder of several
            return next((str(Path(place).parent) for part, place in places.items() if part.of == name), value)
    return places.get(Part(name), value) if isinstance(value, str) else value


def _faults_of_option(name: str, value: Any) -> Iterator[tuple[bool, str]]:
    """List what a recorded option must not be."""
    again = "write it with: fairtrec eval -f json"
    if name in SOURCE_NAMES:
        yield value is True, f"the {name} were an object in Python; {REPLAYED}"
        hint = dict[str, str] | str | None if name == "labels" else str | None
        yield not _is_of(value, hint), f"options.{name} must be text or null; {again}"
    if name in CHOICES:
        what = f"this file cannot be replayed: options.{name} has no value of its type"
        yield not _is_choice(value, CHOICES[name]), f"{what}; {again}"


def _placed(recorded: RecordedResult, target: str, places: dict[Part, str]) -> str:
    """Put the places of its files into a target, which may be a mixture."""
    for part, place in places.items():
        if part.of == "target":
            name = re.escape(recorded.inputs[part].name)
            target = re.sub(rf"(?<![^*+]){name}(?![^+])", place.replace("\\", r"\\"), target)
    return target


def _is_choice(value: Any, row: Choice) -> bool:
    """Tell whether a value of JSON is of the type of a choice, or has one of it for each attribute."""
    if row.by_name and isinstance(value, dict) and value and all(_is_of(each, row.hint) for each in value.values()):
        return True
    return _is_of(value, row.hint)


def _is_of(value: Any, hint: Any) -> bool:
    """Tell whether a value of JSON is of a type, as annotations write it."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(_is_of(value, each) for each in inner)
    if origin is Literal:
        return value in inner
    if origin in (Mapping, dict):
        return isinstance(value, dict) and all(_is_of(each, inner[1]) for each in value.values())
    if origin is Sequence:
        return isinstance(value, list) and all(_is_of(each, inner[0]) for each in value)
    return type(value) in (int, float) if hint is float else type(value) is hint


def _labels(value: str, places: dict[Part, str], attribute: str = "") -> str:
    """Give labels as they were, each file in its place, with what is taken of it."""
    several = split_crossed(value)
    found = []
    for number, part in enumerate(several, 1):
        place = places.get(Part("labels", f"{attribute} {number}".strip() if len(several) > 1 else attribute or None))
        found.append(part if place is None else str(source(part)._replace(name=place)))
    return "*".join(found)
