"""trec_eval for fairness: how fairly do rankings represent groups?

``fairtrec.evaluate`` does from Python what ``fairtrec eval`` does from the shell; ``compare``, ``correlate``,
``curves``, ``check`` and ``select`` go on from its result, or from what ``read_results`` and ``read_values`` read; see
docs/python.md.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from fairtrec.answers.answer import Answer as _Answer
from fairtrec.version import __version__

Stability = Literal["stable", "provisional"]
_PLACES: dict[str, tuple[str, Stability]] = {  # of each name of this package: where it is, and how lasting
    "Choices": ("inputs.choices", "stable"),
    "FairtrecError": ("errors", "stable"),
    "InputError": ("errors", "stable"),
    "ResourceError": ("errors", "stable"),
    "Result": ("answers.result", "stable"),
    "Scores": ("answers.scores", "stable"),
    "UsageError": ("errors", "stable"),
    "ablate": ("ablation.ablation", "provisional"),
    "annotate": ("evaluation.corpus", "provisional"),
    "attributes": ("inputs.given", "provisional"),
    "check": ("gate.checking", "provisional"),
    "cite": ("catalogue.pages", "provisional"),
    "compare": ("comparison.baseline", "stable"),
    "correlate": ("comparison.correlations", "stable"),
    "counterfactual": ("evaluation.corpus", "provisional"),
    "curves": ("comparison.curves", "provisional"),
    "evaluate": ("evaluation.evaluate", "stable"),
    "evaluator": ("evaluation.evaluate", "provisional"),
    "explain": ("explanation.explaining", "provisional"),
    "headroom": ("frontier", "provisional"),
    "plot": ("report.figures", "provisional"),
    "positions": ("projection.project", "provisional"),
    "queryset": ("querysets.building", "provisional"),
    "rbo": ("comparison.correlations", "provisional"),
    "read_results": ("replay.results", "provisional"),
    "read_values": ("replay.named_values", "provisional"),
    "rerank": ("reranking.rerank", "provisional"),
    "select": ("selection.selecting", "provisional"),
    "validate": ("validation.validating", "provisional"),
}
_PACKAGES = ("gold", "measures", "rerankers")
STABILITY: dict[str, Stability] = {  # of each public name; what does not stand here may change at any time
    **{f"fairtrec.{name}": word for name, (_, word) in _PLACES.items()},
    "fairtrec.evaluation.trec_fair_2019.evaluate": "provisional",
    "fairtrec.files.arguments.paths": "provisional",
    "fairtrec.formulas.overlap.rbo": "provisional",
    "fairtrec.gold.agree": "provisional",
    "fairtrec.gold.draw": "provisional",
    "fairtrec.ir_measures.given": "provisional",
    "fairtrec.ir_measures.parse": "provisional",
    "fairtrec.measure.Better": "stable",
    "fairtrec.measure.Bools": "stable",
    "fairtrec.measure.Bounds": "stable",
    "fairtrec.measure.Candidates": "provisional",
    "fairtrec.measure.Exposed": "provisional",
    "fairtrec.measure.Finals": "provisional",
    "fairtrec.measure.First": "provisional",
    "fairtrec.measure.Floats": "stable",
    "fairtrec.measure.Form": "provisional",
    "fairtrec.measure.Gains": "provisional",
    "fairtrec.measure.Ints": "stable",
    "fairtrec.measure.Limits": "provisional",
    "fairtrec.measure.Linear": "provisional",
    "fairtrec.measure.Measure": "stable",
    "fairtrec.measure.Portion": "provisional",
    "fairtrec.measure.Precisions": "provisional",
    "fairtrec.measure.Prefixes": "provisional",
    "fairtrec.measure.Ratio": "provisional",
    "fairtrec.measure.Remark": "provisional",
    "fairtrec.measure.Sum": "provisional",
    "fairtrec.measure.Summands": "provisional",
    "fairtrec.measure.Terms": "provisional",
    "fairtrec.measure.Totals": "provisional",
    "fairtrec.measure.UsageError": "stable",
    "fairtrec.measure.define": "provisional",
    "fairtrec.measure.take": "stable",
    "fairtrec.measures": "stable",
    "fairtrec.reranker.Chance": "provisional",
    "fairtrec.reranker.Order": "provisional",
    "fairtrec.reranker.Reranker": "provisional",
    "fairtrec.rerankers": "provisional",
    "fairtrec.statistics.paired": "provisional",
    "fairtrec.testing.MeasureContract": "provisional",
    "fairtrec.testing.RerankerContract": "provisional",
    "fairtrec.testing.CommandContract": "provisional",
}
__all__ = [
    "Choices",
    "FairtrecError",
    "InputError",
    "ResourceError",
    "Result",
    "Scores",
    "UsageError",
    "__version__",
    "ablate",
    "annotate",
    "attributes",
    "check",
    "cite",
    "compare",
    "correlate",
    "counterfactual",
    "curves",
    "evaluate",
    "evaluator",
    "explain",
    "headroom",
    "plot",
    "positions",
    "queryset",
    "rbo",
    "read_results",
    "read_values",
    "rerank",
    "select",
    "validate",
]

_Answer.reports = lambda: import_module("fairtrec.report.answers")

if TYPE_CHECKING:
    from fairtrec.ablation.ablation import ablate
    from fairtrec.catalogue.pages import cite
    from fairtrec.comparison.baseline import compare
    from fairtrec.comparison.correlations import correlate, rbo
    from fairtrec.comparison.curves import curves
    from fairtrec.errors import FairtrecError, InputError, ResourceError, UsageError
    from fairtrec.evaluation.corpus import annotate, counterfactual
    from fairtrec.evaluation.evaluate import evaluate, evaluator
    from fairtrec.explanation.explaining import explain
    from fairtrec.frontier import headroom
    from fairtrec.gate.checking import check
    from fairtrec.inputs.choices import Choices
    from fairtrec.inputs.given import attributes
    from fairtrec.projection.project import positions
    from fairtrec.querysets.building import queryset
    from fairtrec.replay.named_values import read_values
    from fairtrec.replay.results import read_results
    from fairtrec.report.figures import plot
    from fairtrec.reranking.rerank import rerank
    from fairtrec.selection.selecting import select
    from fairtrec.validation.validating import validate


def __getattr__(name: str) -> Any:
    """Import the interface when it is first used, so that ``fairtrec --help`` need not."""
    if name not in {*_PLACES, *_PACKAGES}:
        from fairtrec.catalogue.renamed import KEYWORDS, now

        told, new = f"module 'fairtrec' has no attribute {name!r}", KEYWORDS.get(name)
        raise AttributeError(now(f"fairtrec.{name}", f"fairtrec.{new}") if new in _PLACES else told)
    if name in _PACKAGES:
        return import_module(f"fairtrec.{name}")
    return getattr(import_module(f"fairtrec.{_PLACES[name][0]}"), name)


def __dir__() -> list[str]:
    return sorted([*__all__, *_PACKAGES])
