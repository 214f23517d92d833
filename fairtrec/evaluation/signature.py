"""The signature: every choice that changes a number, in one line; and which of the choices play a part at all."""

import sys
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass

from fairtrec.answers.answer import Signature
from fairtrec.catalogue.registry import package_of
from fairtrec.data import Run
from fairtrec.errors import UsageError
from fairtrec.evaluation.digests import InputFiles
from fairtrec.evaluation.plan import Plan
from fairtrec.evaluation.reading import Reading
from fairtrec.inputs.choice import inserted
from fairtrec.inputs.choices import CHOICES, name_of
from fairtrec.inputs.given import Given
from fairtrec.inputs.groups import members
from fairtrec.inputs.loading import short
from fairtrec.inputs.rank_weights import is_given
from fairtrec.measure import Measure
from fairtrec.measures import BUILT_IN
from fairtrec.measures.utility import Utility
from fairtrec.relevance.judge import is_computed_here
from fairtrec.version import __version__

KEYS = [(row.key, row.behind) for row in CHOICES.values() if row.key]  # of choices, and which each stands behind


def signature_of(plan: Plan, reading: Reading, beside_runs: InputFiles, unknown: int) -> Signature:
    """Write the signature of an evaluation; ``unknown`` documents had no counts."""
    options, given = reading.choices, beside_runs.given
    of_documents, labels = "documents" in plan.uses, plan.reference.labels
    several = {name: each for name in plan.reference.given if (each := plan.reference.by(name).labels) is not None}
    background = "collection" if "background" in plan.uses & given.words else ""
    if "background" in plan.uses and not background:
        ranked = reading.reference.background
        called = beside_runs.called("background", ranked if isinstance(ranked, Run) else None)
        background = f"{called}/{options.background_depth}"
    from_texts = of_documents and plan.lexicon is not None
    made = plan.made if of_documents else None
    terms = short(plan.terms.name, plan.terms.sha256) if plan.terms and from_texts else ""
    parts = {
        "all": True,
        "documents": of_documents or unknown,
        "texts": from_texts or made,
        "labels": labels,
        "membership": options.membership is not None if labels else "membership" in plan.uses,
        "filled": labels is not None and labels.others is not None,
        "unlabelled": options.bounds == "labels",
    }
    told = {
        row.key: row.told(getattr(options, row.name)) if any(parts[part] for part in row.part.split()) else ""
        for row in CHOICES.values()
        if row.key
    }
    if options.target != "even":
        told["target"] = beside_runs.target(told["target"])
    if options.pool is not None:
        told["pool"] = beside_runs.pool(told["pool"])
    if made is not None:
        terms = short(made.terms, made.sha256)
        told |= {"tokenizer": made.tokenizer or "", "case": CHOICES["case_sensitive"].told(made.case_sensitive)}
    if unknown:
        told["missing"] += f"({unknown})"
    queries, is_searched = reading.queries, plan.table is not None and plan.table.is_sorted
    rows = made.digest if made is not None and is_searched else ""
    idle = set() if given.discount is None or any(map(is_given, plan.measures)) else {"discount"}
    beside = {
        "fairtrec": __version__,
        "qrels": beside_runs.called("qrels", reading.reference.qrels),
        "tau": ",".join(sorted({str(each.tau) for each in plan.measures if hasattr(each, "tau")})),
        "terms": terms,
        "docs": beside_runs.called("docs") if from_texts else "",
        "counts": beside_runs.called("counts", digest=rows) if of_documents and not (from_texts or labels) else "",
        "labels": ",".join(_called(name, short(each.name, each.sha256), "=") for name, each in several.items()),
        "members": "; ".join(_called(name, members(each), " ") for name, each in several.items()),
        **{name: _of_extra(name, beside_runs) for name in vars(given) if name in plan.reference.extras.keys() - idle},
        "gold": beside_runs.called("gold") if plan.reference.gold is not None else "",
        "queries": short(queries.name, queries.sha256) if queries else "",
        "background": background,
    }
    every = beside | told
    return Signature(versions_of(plan.measures) | {name: every[name] for name in inserted(beside, KEYS)})


def _of_extra(name: str, beside_runs: InputFiles) -> str:
    """Name an input beside the others; of counterfactual runs, as of runs, without a digest."""
    return name_of(beside_runs.given.counterfactual) if name == "counterfactual" else beside_runs.called(name)


def versions_of(measures: Sequence[Measure]) -> dict[str, str]:
    """Tell the versions of what computed something, and of each measure's values where that is not 1."""
    theirs, plugins, values = False, dict[str, str](), dict[str, str]()
    for measure in measures:
        if isinstance(measure, Utility):
            theirs = theirs or not (measure.is_plain or is_computed_here(measure))
        elif measure.name not in BUILT_IN:
            plugins[measure.name] = package_of(type(measure))
        if measure.changes:
            values[measure.name] = f"{measure.name}/{measure.value_version}"
    return {
        "fairtrec": __version__,
        "ir-measures": _version_of_ir_measures() if theirs else "",
        "plug-ins": ",".join(sorted(set(plugins.values()) - {""})),
        "values": ",".join(sorted(values.values())),
    }


def _called(name: str, what: str, sign: str) -> str:
    return f"{name}{sign}{what}" if name else what


def _version_of_ir_measures() -> str:
    """Read which version is installed, without its import where that can be told from its file."""
    import re
    from importlib.machinery import PathFinder

    spec = None if "ir_measures" in sys.modules else PathFinder.find_spec("ir_measures")
    if spec is not None and spec.origin is not None:
        with open(spec.origin, encoding="utf-8") as file:  # noqa: PTH123 - pathlib takes its time to be imported
            found = re.search(r"^__version__ = ['\"]([^'\"]+)['\"]", file.read(), re.MULTILINE)
        if found is not None:
            return found[1]
    import ir_measures

    return str(ir_measures.__version__)


@dataclass
class Waiting:
    """The options that are still to play a part, by their keywords, and in how many ``plans`` they may."""

    options: dict[str, str]
    plans: int | None
    given: frozenset[str] = frozenset()  # the parts of choices of which something was given
    remark: str = ""

    def end(self, where: str = "") -> None:
        """Raise UsageError for a choice about what is not there; remark on other options that played no part."""
        for name, option in self.options.items():
            if name in CHOICES and self.given.isdisjoint(CHOICES[name].part.split()):
                raise UsageError(f"{option} plays no part{where}; leave it out")
        several = ", ".join(self.options.values())
        self.remark = f"{several} {'play' if len(self.options) > 1 else 'plays'} no part{where}"
        self.options.clear()


HEEDED = {*CHOICES, *Given.__annotations__}
waiting_for: ContextVar[Waiting | None] = ContextVar("waiting_for", default=None)


def heed(plan: Plan, given: Given) -> None:
    """Tell what plays a part in a plan. Raises UsageError for what was typed and plays none, if this is the last."""
    waiting = waiting_for.get()
    if waiting is None or not waiting.options:
        return
    texts, labels = not (given.docs is None and given.counts is None), plan.reference.labels
    background = given.background is not None and "background" not in given.words
    of_documents = "documents" in plan.uses
    of_texts, of_counts = of_documents and plan.lexicon is not None, of_documents and given.counts is not None
    words = {  # of the parts of choices: whether something was given for it, and whether it plays one
        "all": (True, True),
        "documents": (texts or labels is not None, of_documents),
        "texts": (texts, of_texts or of_counts),
        "labels": (labels is not None, labels is not None),
        "membership": (texts or labels is not None, labels is not None or "membership" in plan.uses),
        "filled": (labels is not None, labels is not None and labels.others is not None),
        "unlabelled": (True, True),  # which is refused elsewhere where it plays none
        "background": (background, background and "background" in plan.uses),
    }
    waiting.given = frozenset(word for word, (is_given, _) in words.items() if is_given)
    names = {row.name for row in CHOICES.values() if any(words[each][1] for each in row.part.split())}
    names |= {"qrels", "labels", "positions", "counterfactual", "queries"}
    names |= {"background"} if given.background is not None and "background" in plan.uses else set()
    names |= {"discount"} if given.discount is not None and any(map(is_given, plan.measures)) else set()
    names |= {"gold"} if plan.reference.gold is not None else set()
    names |= {"terms", "docs"} if of_texts else set()
    names |= {"terms", "counts"} if of_counts else set()
    for name in names:
        waiting.options.pop(name, None)
    if waiting.plans is not None:
        waiting.plans -= 1
        if not waiting.plans and waiting.options:
            waiting.end(f" in {', '.join(map(str, plan.measures))}" if plan.measures else "")
