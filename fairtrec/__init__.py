"""trec_eval for fairness: how fairly do rankings represent groups?

``fairtrec.evaluate`` does from Python what ``fairtrec eval`` does from the shell; ``compare``, ``correlate``,
``curves``, ``check`` and ``select`` go on from its result, or from what ``read_results`` and ``read_values`` read; see
docs/python.md.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from fairtrec.answers import Answer as _Answer
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
_OTHERS: dict[Stability, str] = {  # how lasting are names of packages in it; all else may change at any time
    "stable": "measure.Better measure.Bools measure.Bounds measure.Floats measure.Ints measure.Measure "
    "measure.UsageError measure.take measures",
    "provisional": "evaluation.trec_fair_2019.evaluate files.arguments.paths formulas.overlap.rbo gold.agree gold.draw "
    "ir_measures.given ir_measures.parse measure.Candidates measure.Exposed measure.Finals measure.First "
    "measure.Form measure.Gains measure.Limits measure.Linear measure.Portion measure.Precisions "
    "measure.Prefixes measure.Ratio measure.Remark measure.Sum measure.Summands measure.Terms measure.Totals "
    "measure.define reranker.Chance reranker.Order reranker.Reranker rerankers statistics.paired "
    "testing.MeasureContract testing.RerankerContract testing.CommandContract",
}
STABILITY: dict[str, Stability] = {f"fairtrec.{name}": word for name, (_, word) in _PLACES.items()}
STABILITY |= {f"fairtrec.{name}": word for word, names in _OTHERS.items() for name in names.split()}
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

if TYPE_CHECKING:  # type checkers and editors find each name here, and report any other
    from fairtrec import gold as gold
    from fairtrec import measures as measures
    from fairtrec import rerankers as rerankers
    from fairtrec.ablation.ablation import ablate
    from fairtrec.answers.result import Result
    from fairtrec.answers.scores import Scores
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

if not TYPE_CHECKING:

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
