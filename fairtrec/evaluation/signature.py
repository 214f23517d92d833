"""The signature: every choice that changes a number, in one line; and which of the choices play a part at all."""

import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from os import fspath
from os.path import getsize, isfile
from typing import TYPE_CHECKING, Any

import numpy as np

from fairtrec.data import Docs, Ints, Positions, Qrels, Run, Sheet, digest_columns, digest_texts
from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.answers.result import InputFile, Part
from fairtrec.evaluation.given.discount import is_given
from fairtrec.evaluation.given.source import SOURCE_NAMES
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.groups import members
from fairtrec.evaluation.inputs.loading import short
from fairtrec.evaluation.inputs.option import insert_names
from fairtrec.evaluation.inputs.options import CHOICES, name_source
from fairtrec.evaluation.inputs.targets import list_target_files as target_files
from fairtrec.evaluation.plan import Plan
from fairtrec.evaluation.reading import Reading
from fairtrec.evaluation.relevance import is_computed_here
from fairtrec.formulas.discount import GivenDiscount
from fairtrec.measure import Measure, Note, NoteKind, NoteSeverity
from fairtrec.measures import BUILT_IN
from fairtrec.measures.catalogue.needs import EXTRAS
from fairtrec.measures.catalogue.registry import find_package
from fairtrec.measures.utility import Utility
from fairtrec.support.errors import PATH, InputError, UsageError
from fairtrec.support.files.arguments import is_by_name, renamings, source, split_crossed
from fairtrec.support.version import __version__

if TYPE_CHECKING:
    from fairtrec.counting.table import Meta
    from fairtrec.evaluation.given.counterfactual import Counterfactuals

LARGE = 1 << 24  # bytes, of which hashing takes longer than a thread to start
KEYS = [(row.key, row.behind) for row in CHOICES.values() if row.key]  # of choices, and which each stands behind
BESIDE = (
    *("fairtrec", "qrels", "tau", "max-grade", "terms", "docs", "counts", "labels", "groups", "members"),
    *(name for name in SOURCE_NAMES if name in EXTRAS),
    *("gold", "queries", "background"),
)
FIELDS = tuple(insert_names(BESIDE, KEYS))  # of a signature, behind the versions, in their order
IDLE = NoteKind("no part", "{options} {have} no effect{where}", NoteSeverity.BACKGROUND)


def name_input_files(parts: Mapping[Part, Any]) -> dict[Part, InputFile]:
    """Name the file behind each part, where it is one."""
    found = {part: loading.find_file(thing) for part, thing in parts.items() if thing is not None}
    return {part: InputFile(*at) for part, at in found.items() if at is not None}


def list_parts(given: Mapping[str, Any], sources: Mapping[str, Any], target: Any, pool: Any) -> dict[Part, Any]:
    """Give what is named beside the runs, and may be a file, by the part that it plays.

    ``sources`` are those of labels, by attribute.
    """
    parts = {Part(name): None if name == "labels" else thing for name, thing in given.items()}  # which have sources
    if isinstance(gold := given.get("gold"), PATH):
        parts[Part("gold")] = source(fspath(gold)).name
    targets = {} if target == "even" else target if is_by_name(target) else {"": target}
    several: list[tuple[str, str, list[Any]]] = [
        ("target", name, [*target_files(own)]) for name, own in targets.items()
    ]
    several.append(("pool", "", [] if pool == "even" else [pool]))
    for name, thing in sources.items():
        crossing = [source(part).name for part in split_crossed(fspath(thing))] if isinstance(thing, PATH) else [thing]
        several.append(("labels", name, crossing))
    for of, name, each in several:
        for number, file in enumerate(each, 1):
            parts[Part(of, f"{name} {number}".strip() if len(each) > 1 else name or None)] = file
    return parts


def list_input_files(plan: Plan) -> dict[Part, InputFile]:
    """Name the files beside the runs, by the parts that they play; large ones are hashed while they are read."""
    given = plan.given
    things = {name: getattr(given, name) for name in SOURCE_NAMES if name not in given.words}
    files = name_input_files(list_parts(things, given.label_sources, plan.choices.target, plan.choices.pool))
    searched = plan.table is not None and plan.table.is_sorted
    decide = {"qrels": True, "background": "background" in plan.uses}
    decide |= {"docs": plan.lexicon is not None and "documents" in plan.uses}
    decide |= {"counts": not searched and "documents" in plan.uses}
    for part, found in files.items():
        if decide.get(part.of) and isfile(found.place) and getsize(found.place) >= LARGE:  # noqa: PTH113, PTH202 - as pathlib is not loaded
            found.begin()
    return files


def write_signature(plan: Plan, reading: Reading, files: Mapping[Part, InputFile], unknown: int = 0) -> Signature:
    """Write the signature of an evaluation, with these ``files`` beside it; ``unknown`` documents had no counts."""
    fields = _inputs(plan, reading, files) | _options(plan, reading, files, unknown)
    return Signature(list_versions(plan.measures) | {name: fields.get(name, "") for name in FIELDS})


def _options(plan: Plan, reading: Reading, files: Mapping[Part, InputFile], unknown: int) -> dict[str, str]:
    """Write each option that is in effect, by its field; a file that one names has its digest."""
    options = reading.choices
    plays = plan.plays | {"documents"} if unknown else plan.plays
    told = {
        row.key: "" if plays.isdisjoint(row.part.split()) else row.describe_value(getattr(options, row.name))
        for row in CHOICES.values()
        if row.key
    }
    for file in (file for part, file in files.items() if part.of == "target"):
        digest = short(name_source(file.place), file.sha256)
        told["target"] = re.sub(rf"(?<![^*=;]){re.escape(name_source(file.place))}(?![^+;])", digest, told["target"])
    if Part("pool") in files:
        told["pool"] = name_part("pool", vars(options), files)
    elif isinstance(options.pool, Mapping):
        told["pool"] = short(told["pool"], digest_texts((str(qid), repr(float(n))) for qid, n in options.pool.items()))
    if (made := _made(plan)) is not None:
        told |= {
            "tokenizer": made.tokenizer or "",
            "case": CHOICES["case_sensitive"].describe_value(made.case_sensitive),
        }
    if unknown:
        told["missing"] += f"({unknown})"
    return told


def _inputs(plan: Plan, reading: Reading, files: Mapping[Part, InputFile]) -> dict[str, str]:
    """Write what was given, by its field, each with its digest; "" for what plays no part."""
    things, qrels, queries = vars(plan.given), reading.context.qrels, reading.queries
    several = {
        name: each for name in plan.context.given if (each := plan.context.take_attribute(name).labels) is not None
    }
    is_graded = any("greatest_grade" in each.needs for each in plan.measures)
    gold = plan.context.gold
    fields = {
        "fairtrec": __version__,
        "qrels": name_part("qrels", things, files, qrels),
        "tau": ",".join(sorted({str(each.tau) for each in plan.measures if hasattr(each, "tau")})),
        "max-grade": "" if qrels is None or not is_graded else str(qrels.greatest_grade),
        "labels": ",".join(_of_attribute(name, short(each.name, each.sha256), "=") for name, each in several.items()),
        "groups": renamings(reading.choices.groups) if several or gold is not None else "",
        "members": "; ".join(_of_attribute(name, members(each), " ") for name, each in several.items()),
        "gold": "" if gold is None else _gold(gold.sheet, things, files),
        "queries": short(queries.name, queries.sha256) if queries else "",
        "background": _background(plan, reading, files),
    }
    fields |= _texts(plan, files) | _extras(plan, files)
    assert fields.keys() <= {*BESIDE}, "a field of signatures is missing in BESIDE"
    return fields


def _made(plan: Plan) -> "Meta | None":
    """Give how the counts were made, if a table of counts says so and documents are looked at."""
    return plan.made if "documents" in plan.uses else None


def _texts(plan: Plan, files: Mapping[Part, InputFile]) -> dict[str, str]:
    """Write the terms, the texts and the counts."""
    things, of_documents, made = vars(plan.given), "documents" in plan.uses, _made(plan)
    from_texts = of_documents and plan.lexicon is not None
    terms = short(plan.terms.name, plan.terms.digest) if plan.terms and from_texts else ""
    is_searched = plan.table is not None and plan.table.is_sorted
    rows = made.digest if made is not None and is_searched else plan.digest("counts")
    is_counted = of_documents and not (from_texts or plan.context.labels)
    return {
        "terms": terms if made is None else short(made.terms, made.sha256),
        "docs": name_part("docs", things, files, digest=plan.digest("docs")) if from_texts else "",
        "counts": name_part("counts", things, files, digest=rows) if is_counted else "",
    }


def _extras(plan: Plan, files: Mapping[Part, InputFile]) -> dict[str, str]:
    """Write the inputs that only some measures look at; weights of ranks only if a measure is weighed by them."""
    idle = set() if plan.given.discount is None or any(map(is_given, plan.measures)) else {"discount"}
    fields = {}
    for name in (name for name in SOURCE_NAMES if name in plan.context.extras.keys() - idle):
        is_paired = name == "counterfactual"
        read = plan.context.extras[name]
        fields[name] = _counterfactual(plan, files) if is_paired else name_part(name, vars(plan.given), files, read)
    return fields


def _background(plan: Plan, reading: Reading, files: Mapping[Part, InputFile]) -> str:
    """Write the background and how many documents of each query it has, if it is looked at."""
    if "background" not in plan.uses:
        return ""
    ranked = reading.context.background
    name = name_part("background", vars(plan.given), files, ranked if isinstance(ranked, Run) else None)
    return name if "background" in plan.given.words else f"{name}/{reading.choices.background_depth}"


def name_part(
    part: str,
    things: Mapping[str, Any],
    files: Mapping[Part, InputFile],
    read: Any = None,
    digest: str = "",
) -> str:
    """Name what was given for a part: name@digest of its file, or of what was ``read``; an ir_datasets id as it is.

    ``digest``  what a table that is searched, not read, says of its rows; or that of what is held in memory.
    """
    thing, file = things[part], files.get(Part(part))
    if thing is None:
        return ""
    name = fspath(thing) if isinstance(thing, PATH) else "given"
    if callable(dataset := getattr(thing, "dataset_id", None)):  # of ir_datasets
        name = str(dataset())
    if file is not None:
        name, digest = name_source(file.place), digest or file.sha256
    elif read is not None:
        digest = compute_digest(read)
    return short(name, digest)


def _gold(sheet: Sheet, things: Mapping[str, Any], files: Mapping[Part, InputFile]) -> str:
    """Name gold labels, which may be a field of a file."""
    if isinstance(things["gold"], PATH):
        return short(sheet.labels.name, sheet.labels.sha256)
    return name_part("gold", things, files, sheet)


def compute_digest(read: Any) -> str:
    """Hash what is in no file: judgments or rankings, in any order of queries; what documents hold; a mapping.

    An input of another package that is no mapping has no digest.
    """
    from hashlib import sha256

    if isinstance(read, Positions):
        kind = np.full(len(read.values), 2 * read.per_query + read.pointed)
        return digest_columns(read.rows.names, *read.values.T, kind)
    if isinstance(read, Sheet):
        labels = read.labels
        drawn = np.ones(len(read.unknown)) if read.probability is None else read.probability
        rows = digest_columns(labels.rows.names, *np.nan_to_num(labels.weights.T), read.unknown, drawn)
        return digest_texts([(read.unit, rows), (f"depth {read.depth}", "\n".join(labels.groups))])
    if isinstance(read, GivenDiscount):
        return sha256(repr(read.weights).encode()).hexdigest()
    if isinstance(read, Mapping):  # an input of another package
        return digest_texts(sorted((str(name), repr(value)) for name, value in read.items()))
    if not isinstance(read, Qrels | Run):
        return ""
    found = sha256()
    for row in sorted(range(len(read.qids)), key=read.qids.__getitem__):
        for column in _columns(read, row):
            found.update(f"{read.qids[row]} {column.dtype} {len(column)}\n".encode())
            found.update(np.ascontiguousarray(column).data)
    return found.hexdigest()


def _columns(read: Qrels | Run, row: int) -> list[Docs | Ints]:
    """Give what decides of one query: its documents in their order, or by name with their grades and subtopics."""
    first, end = read.starts[row : row + 2]
    if isinstance(read, Run):
        return [read.docnos[first:end]]
    columns = read.docnos[first:end], read.iterations[first:end], read.grades[first:end]
    order = np.lexsort((columns[1], columns[0]))
    return [column[order] for column in columns]


def _counterfactual(plan: Plan, files: Mapping[Part, InputFile]) -> str:
    """Name the counterfactual runs; a folder has no digest, as it may hold more than is read."""
    given: Counterfactuals = plan.context.extras["counterfactual"]
    if given.folder is not None:
        return name_source(given.folder)
    held, digest = {"": given.one} if given.by_name is None else given.by_name, ""
    if Part("counterfactual") not in files:
        with suppress(InputError):  # which has ended the run that it is of
            digest = digest_texts((name, _digest_of_run(thing, plan)) for name, thing in held.items())
    return name_part("counterfactual", vars(plan.given), files, digest=digest)


def _digest_of_run(thing: Any, plan: Plan) -> str:
    if isinstance(thing, PATH):
        return InputFile(fspath(thing), thing).sha256
    return compute_digest(loading.ranking(thing, "counterfactual", plan.choices, None))


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


def _of_attribute(name: str, what: str, sign: str) -> str:
    return f"{name}{sign}{what}" if name else what


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
        given, texts = plan.given, plan.given.docs is not None or plan.given.counts is not None
        self.given = {"all", "unlabeled"} | ({"documents", "texts", "membership"} if texts else set())
        self.given |= {"documents", "labels", "membership", "filled"} if given.labels is not None else set()
        self.given |= {"background"} if given.background is not None and "background" not in given.words else set()
        names = {row.name for row in CHOICES.values() if not plan.plays.isdisjoint(row.part.split())}
        names |= {"qrels", "labels", "positions", "counterfactual", "queries"}
        names |= {"background"} & plan.uses
        names |= {"discount"} if given.discount is not None and any(map(is_given, plan.measures)) else set()
        names |= {"gold"} if plan.context.gold is not None else set()
        names |= {"terms", "docs", "counts"} if "documents" in plan.uses else set()
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


HEEDED = {*CHOICES, *SOURCE_NAMES}
waiting_for: ContextVar[UnusedOptions | None] = ContextVar("waiting_for", default=None)
