"""The signature: every choice that changes a number, in one line; and which of the choices play a part at all."""

import re
import sys
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from os.path import getsize, isfile
from typing import Any

from fairtrec.evaluation import given
from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.answers.result import InputFile, Part
from fairtrec.evaluation.given.reference import Plan
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.loading import short
from fairtrec.evaluation.inputs.option import insert_names
from fairtrec.evaluation.inputs.options import CHOICES, Choices, name_source
from fairtrec.evaluation.inputs.targets import list_target_files as target_files
from fairtrec.evaluation.reading import Reading
from fairtrec.evaluation.relevance import is_computed_here
from fairtrec.measure import Measure, Note, NoteKind, NoteSeverity
from fairtrec.measures import BUILT_IN
from fairtrec.measures.catalogue.registry import find_package
from fairtrec.measures.utility import Utility
from fairtrec.support.errors import UsageError
from fairtrec.support.files.arguments import is_by_name
from fairtrec.support.version import __version__

LARGE = 1 << 24  # bytes, of which hashing takes longer than a thread to start
KEYS = [(row.key, row.behind) for row in CHOICES.values() if row.key]  # of choices, and which each stands behind
FIELDS = tuple(insert_names(given.FIELDS, KEYS))  # of a signature, behind the versions, in their order
IDLE = NoteKind("no part", "{options} {have} no effect{where}", NoteSeverity.LEGEND)  # so it is never left out


def name_input_files(parts: Mapping[Part, Any]) -> dict[Part, InputFile]:
    """Name the file behind each part, where it is one."""
    found = {part: loading.find_file(thing) for part, thing in parts.items() if thing is not None}
    return {part: InputFile(*at) for part, at in found.items() if at is not None}


def list_parts(things: Mapping[str, Any], target: Any) -> dict[Part, Any]:
    """Give what is given beside the runs, and may be a file, by the part that it plays."""
    parts: dict[Part, Any] = dict.fromkeys(Part(name) for name in given.SOURCE_NAMES)
    for name, own in ({} if target == "even" else target if is_by_name(target) else {"": target}).items():
        several = target_files(own)
        for number, file in enumerate(several, 1):
            parts[Part("target", f"{name} {number}".strip() if len(several) > 1 else name or None)] = file
    for name in given.GIVEN:
        if things.get(name) is not None:
            parts |= given.load_reference(name).list_parts(things[name])
    return parts


def list_input_files(plan: Plan) -> dict[Part, InputFile]:
    """Name the files beside the runs, by the parts that they play; large ones are hashed while they are read."""
    things = {name: thing for name, thing in plan.given.things.items() if name not in plan.given.words}
    files = name_input_files(list_parts(things, plan.choices.target))
    hashed = {name for name, reference in plan.given.references.items() if reference.is_hashed(plan)}
    for part, found in files.items():
        if part.of in hashed and isfile(found.place) and getsize(found.place) >= LARGE:  # noqa: PTH113, PTH202 - as pathlib is not loaded
            found.begin()
    return files


def write_signature(plan: Plan, reading: Reading, files: Mapping[Part, InputFile], unknown: int = 0) -> Signature:
    """Write the signature of an evaluation, with these ``files`` beside it; ``unknown`` documents had no counts."""
    context, taus = reading.context, {str(each.tau) for each in plan.measures if hasattr(each, "tau")}
    fields = {"fairtrec": __version__, "tau": ",".join(sorted(taus)), **_options(plan, reading.choices, files, unknown)}
    for reference in plan.given.references.values():
        if reference.plays(plan):
            fields |= reference.sign(plan, context, files)
    assert fields.keys() <= {*FIELDS}, "a field of signatures is missing in FIELDS"
    return Signature(list_versions(plan.measures) | {name: fields.get(name, "") for name in FIELDS})


def _options(plan: Plan, options: Choices, files: Mapping[Part, InputFile], unknown: int) -> dict[str, str]:
    """Write each option that is in effect, by its field; a file of targets has its digest."""
    plays = plan.plays | {"documents"} if unknown else plan.plays
    told = {
        row.key: "" if plays.isdisjoint(row.part.split()) else row.describe_value(getattr(options, row.name))
        for row in CHOICES.values()
        if row.key
    }
    for file in (file for part, file in files.items() if part.of == "target"):
        digest = short(name_source(file.place), file.sha256)
        told["target"] = re.sub(rf"(?<![^*=;]){re.escape(name_source(file.place))}(?![^+;])", digest, told["target"])
    if unknown:
        told["missing"] += f"({unknown})"
    return told


def list_versions(measures: Sequence[Measure]) -> dict[str, str]:
    """Tell the versions of what computed something, and of each measure's values where that is not 1."""
    theirs, plugins, values = False, dict[str, str](), dict[str, str]()
    for measure in measures:
        if isinstance(measure, Utility):
            theirs = theirs or not (measure.is_plain or is_computed_here(measure))
        elif measure.name not in BUILT_IN:
            plugins[measure.name] = find_package(type(measure))
        if measure.changes:
            values[measure.name] = f"{measure.name}/{measure.value_version}"
    return {
        "fairtrec": __version__,
        "ir-measures": _version_of_ir_measures() if theirs else "",
        "plug-ins": ",".join(sorted(set(plugins.values()) - {""})),
        "values": ",".join(sorted(values.values())),
    }


def _version_of_ir_measures() -> str:
    """Read which version is installed, without its import where that can be told from its file."""
    from importlib.machinery import PathFinder

    spec = None if "ir_measures" in sys.modules else PathFinder.find_spec("ir_measures")
    if spec is not None and spec.origin is not None:
        with open(spec.origin, encoding="utf-8") as file:  # noqa: PTH123 - pathlib takes its time to be imported
            found = re.search(r"^__version__ = ['\"]([^'\"]+)['\"]", file.read(), re.MULTILINE)
        if found is not None:
            return found[1]
    import ir_measures

    return str(ir_measures.__version__)


class UnusedOptionError(UsageError):
    """An option that has no effect; ``keyword`` is its name in Python."""

    def __init__(self, message: str, keyword: str) -> None:
        super().__init__(message)
        self.keyword = keyword


@dataclass
class UnusedOptions:
    """The options that are still to play a part, by their keywords, and in how many ``plans`` they may."""

    options: dict[str, str]
    plans: int | None
    given: set[str] = field(default_factory=set)  # the parts of choices of which something was given
    note: Note | None = None

    def check(self, plan: Plan) -> None:
        """Tell what plays a part in a plan. Raises UsageError for what plays none, if it is the last."""
        references = plan.given.references
        self.given = {"all", "unlabeled"}.union(
            *(references[name].parts for name in references.keys() - plan.given.words)
        )
        names = {row.name for row in CHOICES.values() if not plan.plays.isdisjoint(row.part.split())}
        names |= {name for name, reference in references.items() if reference.plays(plan)}
        self.options = {name: option for name, option in self.options.items() if name not in names}
        if self.plans is not None:
            self.plans -= 1
            if not self.plans and self.options:
                self.end(f" on {', '.join(map(str, plan.measures))}" if plan.measures else "")

    def end(self, where: str = "") -> None:
        """Raise UsageError for a choice about what is not there; make a note on other options that played no part."""
        for name, option in self.options.items():
            if name in CHOICES and self.given.isdisjoint(CHOICES[name].part.split()):
                raise UnusedOptionError(f"{option} has no effect{where}; leave it out", name)
        have = "have" if len(self.options) > 1 else "has"
        self.note = IDLE.note(options=", ".join(self.options.values()), have=have, where=where)
        self.options.clear()


HEEDED = {*CHOICES, *given.GIVEN}
waiting_for: ContextVar[UnusedOptions | None] = ContextVar("waiting_for", default=None)
