"""From the choices of an evaluation to its signature."""

import sys

from fairtrec.data import Queries
from fairtrec.evaluation.choice import inserted
from fairtrec.evaluation.choices import CHOICES, Choices, name_of
from fairtrec.evaluation.given import Given
from fairtrec.evaluation.groups import listed, sizes
from fairtrec.evaluation.plan import Plan
from fairtrec.evaluation.signature import Signature, short
from fairtrec.measures.utility import Utility
from fairtrec.version import __version__

KEYS = [(row.key, row.behind) for row in CHOICES.values() if row.key]  # of choices, and which each stands behind


def signature_of(plan: Plan, options: Choices, given: Given, queries: Queries | None, unknown: int) -> Signature:
    """Write the signature of an evaluation; ``unknown`` documents had no counts."""
    of_documents, labels = "documents" in plan.uses, plan.reference.labels
    background = ""
    if "background" in plan.uses and given.background is not None:
        run = f"{name_of(given.background)}/{options.background_depth}"
        background = "collection" if given.whole_collection else run
    from_texts = of_documents and plan.lexicon is not None
    made = plan.made if of_documents else None
    terms = short(plan.terms.name, plan.terms.sha256) if plan.terms and from_texts else ""
    parts = {
        "all": True,
        "documents": of_documents or unknown,
        "texts": from_texts or made,
        "labels": labels,
        "membership": not labels and "membership" in plan.uses,
        "unknown": options.unknown,
    }
    told = {
        row.key: row.told(getattr(options, row.name)) if any(parts[part] for part in row.part.split()) else ""
        for row in CHOICES.values()
        if row.key
    }
    if made is not None:
        terms = short(made.terms, made.sha256)
        told |= {"tokenizer": made.tokenizer or "", "case": CHOICES["case_sensitive"].told(made.case_sensitive)}
    if unknown:
        told["missing"] += f"({unknown})"
    uses_utility = any(isinstance(measure, Utility) for measure in plan.measures)
    versions = {"fairtrec": __version__, "ir-measures": _version_of_ir_measures() if uses_utility else ""}
    beside = {
        "fairtrec": __version__,
        "tau": ",".join(sorted({str(each.tau) for each in plan.measures if hasattr(each, "tau")})),
        "terms": terms,
        "counts": name_of(given.counts) if of_documents and not (from_texts or labels) else "",
        "labels": short(labels.name, labels.sha256) if labels else "",
        "members": listed(sizes(labels)) if labels else "",
        **{name: name_of(thing) for name, thing in vars(given).items() if name in plan.reference.extras},
        "queries": short(queries.name, queries.sha256) if queries else "",
        "background": background,
    }
    every = beside | told
    return Signature(versions | {name: every[name] for name in inserted(beside, KEYS)})


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
