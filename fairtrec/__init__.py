"""trec_eval for fairness: how fairly do rankings represent groups?

``fairtrec.evaluate`` does from Python what ``fairtrec eval`` does from the shell; the functions of other commands
continue with its result, or with what ``read_results`` and ``read_values`` read; see docs/python.md.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from fairtrec import commands as _commands
from fairtrec.evaluation.answers import Answer as _Answer
from fairtrec.support import command_rows as _rows
from fairtrec.support.version import __version__ as __version__

Stability = Literal["stable", "provisional"]
_PLACES: dict[str, tuple[str, Stability]] = {  # of each name of this package: where it is, and how lasting
    "Choices": ("evaluation.inputs.options", "stable"),
    "FairtrecError": ("support.errors", "stable"),
    "InputError": ("support.errors", "stable"),
    "ResourceError": ("support.errors", "stable"),
    "Run": ("data.run", "provisional"),
    "Result": ("evaluation.answers.result", "stable"),
    "Scores": ("evaluation.answers.scores", "stable"),
    "UsageError": ("support.errors", "stable"),
    "attributes": ("evaluation.given.given_rows", "provisional"),
    "evaluate": ("evaluation.evaluate", "stable"),
    "evaluator": ("evaluation.evaluate", "provisional"),
    "retrievability": ("evaluation.document_retrievability", "provisional"),
}
_STABLE = ("compare", "correlate")  # of what commands offer; all else is provisional
_OTHERS: dict[Stability, str] = {  # how lasting are names of packages in it; all else may change at any time
    "stable": "measure.Better measure.Bools measure.Bounds measure.Floats measure.Ints measure.Measure "
    "measure.UsageError measure.take measures",
    "provisional": "formulas.overlap.rbo support.files.arguments.paths "
    "ir_measures.given ir_measures.parse measure.Candidates measure.ExposureShares measure.First measure.Form "
    "measure.GroupExposure measure.GroupPrefixes measure.GroupTotals measure.LabelForm measure.Limits measure.Note "
    "measure.NoteKind measure.NoteSeverity measure.Precisions measure.RankForm measure.RatioOfMeans "
    "measure.RatioOfSums measure.SumOverRanks measure.Summands measure.define measure.shares statistics.paired "
    "testing.MeasureContract testing.CommandContract",
}

_Answer.reports = lambda: import_module("fairtrec.report.answers")
_rows.registry = _commands


def _list_stability() -> dict[str, Stability]:
    """List the public names and how lasting each is: of this package, of commands, and of packages in it."""
    offered = [name for row in _commands.list_rows() for name in row.public]
    found: dict[str, Stability] = {name: word for name, (_, word) in _PLACES.items()}
    found |= {name: "stable" if name in _STABLE else "provisional" for name in offered}
    found |= {name: word for word, names in _OTHERS.items() for name in names.split()}
    first = sorted(name for name in found if "." not in name)
    return {f"fairtrec.{name}": found[name] for name in dict.fromkeys([*first, *found])}


def _find_offer(name: str) -> Any:
    """Import what a command offers under a name, or the module of this name that it offers."""
    offer = None if name.startswith("_") else _commands.find_offer(name)
    if offer is None:
        raise AttributeError(f"module 'fairtrec' has no attribute {name!r}")
    return _commands.load(*offer) if offer[1] else import_module(f"fairtrec.{name}")


if TYPE_CHECKING:  # type checkers and editors find each name here, and report any other
    __all__: list[str]
    STABILITY: dict[str, Stability]

    from fairtrec import gold as gold
    from fairtrec import measures as measures
    from fairtrec import rerankers as rerankers
    from fairtrec.commands.check.check import check as check
    from fairtrec.commands.compare.baseline import compare as compare
    from fairtrec.commands.correlate.correlations import correlate as correlate
    from fairtrec.commands.correlate.overlaps import rbo as rbo
    from fairtrec.commands.counts.collection import make_counts as make_counts
    from fairtrec.commands.explain.explain import explain as explain
    from fairtrec.commands.measures.pages import bibtex as bibtex
    from fairtrec.commands.reliability.reliability import reliability as reliability
    from fairtrec.commands.results.named_values import read_values as read_values
    from fairtrec.commands.results.results import read_results as read_results
    from fairtrec.commands.validate.validate import validate as validate
    from fairtrec.data.run import Run as Run
    from fairtrec.evaluation.answers.result import Result as Result
    from fairtrec.evaluation.answers.scores import Scores as Scores
    from fairtrec.evaluation.document_retrievability import retrievability as retrievability
    from fairtrec.evaluation.evaluate import evaluate as evaluate
    from fairtrec.evaluation.evaluate import evaluator as evaluator
    from fairtrec.evaluation.given.given_rows import attributes as attributes
    from fairtrec.evaluation.inputs.options import Choices as Choices
    from fairtrec.lab.ablate.ablation import ablate as ablate
    from fairtrec.lab.headroom.headroom import headroom as headroom
    from fairtrec.lab.make.counterfactual.counterfactual import make_counterfactual as make_counterfactual
    from fairtrec.lab.make.labels.trec_fair_2022 import make_labels as make_labels
    from fairtrec.lab.make.queryset.make_queryset import make_queryset as make_queryset
    from fairtrec.lab.make.stances.project import make_stances as make_stances
    from fairtrec.lab.plot.curves import curves as curves
    from fairtrec.lab.plot.figure import plot as plot
    from fairtrec.lab.report.report import study as study
    from fairtrec.lab.rerank.rerank import rerank as rerank
    from fairtrec.lab.select.select import select as select
    from fairtrec.support.errors import FairtrecError as FairtrecError
    from fairtrec.support.errors import InputError as InputError
    from fairtrec.support.errors import ResourceError as ResourceError
    from fairtrec.support.errors import UsageError as UsageError

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Import the interface when it is first used, so that ``fairtrec --help`` need not."""
        if name in _PLACES:
            return getattr(import_module(f"fairtrec.{_PLACES[name][0]}"), name)
        if name == "measures":
            return import_module("fairtrec.measures")
        if name == "STABILITY":
            return _list_stability()
        if name == "__all__":
            return sorted({*_list_names(), "__version__"} - _list_modules() - _commands.list_broken_offers())
        return _find_offer(name)


def __dir__() -> list[str]:
    return sorted({*_list_names(), "__version__"})


def _list_names() -> list[str]:
    """List the public names of this package itself."""
    return [name for each in _list_stability() if "." not in (name := each.removeprefix("fairtrec."))]


def _list_modules() -> set[str]:
    """List which of them are modules."""
    return {"measures", *(name for row in _commands.list_rows() for name, place in row.public.items() if not place)}
