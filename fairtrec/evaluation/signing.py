"""From the choices of an evaluation to its signature."""

import sys
from collections.abc import Mapping
from os import fspath
from typing import Any

from fairtrec.data import Queries
from fairtrec.errors import PATH
from fairtrec.evaluation.choices import Choices
from fairtrec.evaluation.given import Given
from fairtrec.evaluation.groups import listed, sizes
from fairtrec.evaluation.plan import Plan
from fairtrec.evaluation.signature import Signature, short
from fairtrec.measures.utility import Utility
from fairtrec.version import __version__


def signature_of(plan: Plan, options: Choices, given: Given, queries: Queries | None, unknown: int) -> Signature:
    """Write the signature of an evaluation; ``unknown`` documents had no counts."""
    of_documents, labels = "documents" in plan.uses, plan.reference.labels
    background = ""
    if "background" in plan.uses and given.background is not None:
        background = "collection" if given.whole_collection else f"{_name(given.background)}/{options.background_depth}"
    target = options.target if isinstance(options.target, str) else _shares(options.target)
    prior = options.prior if isinstance(options.prior, str) else _shares(options.prior)
    uses_utility = any(isinstance(measure, Utility) for measure in plan.measures)
    from_texts = of_documents and plan.lexicon is not None
    made = plan.made if of_documents else None
    tokenizer: str = options.tokenizer or "strip"
    case_sensitive = options.case_sensitive
    groups = short(plan.terms.name, plan.terms.sha256) if plan.terms and from_texts else ""
    if made is not None:
        tokenizer, case_sensitive = made.tokenizer or "", made.case_sensitive
        groups = short(made.terms, made.sha256)
    return Signature(
        {
            "fairtrec": __version__,
            "ir-measures": _version_of_ir_measures() if uses_utility else "",
            "order": options.order,
            "scores": options.score_dtype if options.score_dtype != "float64" else "",
            "depth": str(options.depth or ""),
            "level": str(options.relevance_level or ""),
            "complete": "yes" if options.complete else "",
            "undefined": options.undefined if options.undefined != "skip" else "",
            "samples": "column 2" if options.samples else "",
            "ties": _of_ties() if options.ties else "",
            "unknown": _of_labellings() if options.unknown else "",
            "prior": prior if options.unknown else "",
            "tokenizer": tokenizer if from_texts or made else "",
            "case": "sensitive" if (from_texts or made) and case_sensitive else "",
            "tau": ",".join(sorted({str(each.tau) for each in plan.measures if hasattr(each, "tau")})),
            "target": _name(target) if of_documents or labels else "",
            "groups": groups,
            "counts": _name(given.annotations) if of_documents and not (from_texts or labels) else "",
            "labels": short(labels.name, labels.sha256) if labels else "",
            "members": listed(sizes(labels)) if labels else "",
            "as": options.rule if not labels and "membership" in plan.uses else "",
            **{name: _name(thing) for name, thing in vars(given).items() if name in plan.reference.extras},
            "queries": short(queries.name, queries.sha256) if queries else "",
            "background": background,
            "missing": f"{options.missing}({unknown})" if unknown else options.missing if of_documents else "",
        }
    )


def _of_ties() -> str:
    """Say how many orders of tied documents are tried, and how many are drawn."""
    from fairtrec.ranking.ties import DRAWN, MOST  # which few evaluations import

    return f"{MOST}/{DRAWN}"


def _of_labellings() -> str:
    """Say how many labellings are tried, and how many are drawn."""
    from fairtrec.formulas.labellings.unlabelled import DRAWN, MOST

    return f"{MOST}/{DRAWN}"


def _shares(given: Mapping[str, float]) -> str:
    return ",".join(f"{group}={share}" for group, share in given.items())


def _name(thing: Any) -> str:
    return fspath(thing).rstrip("/").rsplit("/", 1)[-1] if isinstance(thing, PATH) else "given"


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
