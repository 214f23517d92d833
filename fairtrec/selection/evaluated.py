"""The values of all variants, and of a baseline that need not be one of them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import fspath
from pathlib import Path
from typing import Any

from fairtrec.comparison.baseline import find
from fairtrec.errors import PATH
from fairtrec.evaluation import loading
from fairtrec.evaluation.evaluate import evaluate
from fairtrec.evaluation.result import Result
from fairtrec.evaluation.scores import Scores
from fairtrec.files.arguments import joined
from fairtrec.measure import Measure


def evaluated(
    runs: Any, qrels: Any, measures: Sequence[str | Measure], baseline: Any, given: Mapping[str, Any]
) -> tuple[Result, Scores | None]:
    """Evaluate runs, and a baseline with them: one of them by its name, or another run, which is no variant.

    Raises what ``evaluate`` raises, and UsageError for a baseline that there is not.
    """
    named = dict(loading.named_runs(runs))
    if baseline is None:
        return evaluate(list(measures), named, qrels, **given), None
    name, every = _joined(named, baseline)
    result = evaluate(list(measures), every, qrels, **given)
    base = next(each for each in result.scores if each.run == name)
    variants = tuple(each for each in result.scores if each.run in named)
    return replace(result, scores=variants), base


def of_result(result: Result, baseline: str | int | None) -> tuple[Result, Scores | None]:
    """Take values that are there already; the baseline is one of their runs, and a variant too."""
    if baseline is None:
        return result, None
    return result, result.scores[find([each.run for each in result.scores], baseline)]


def _joined(named: dict[str, Any], baseline: Any) -> tuple[str, dict[str, Any]]:
    if isinstance(baseline, PATH):
        text = fspath(baseline)
        if text in named:
            return text, named
        if not Path(text).is_file():
            return list(named)[find(list(named), text)], named
        files = {name: fspath(run) for name, run in named.items() if isinstance(run, PATH)}
        name, every = joined(files, text)
        return name, {**named, name: every[name]}
    ((name, run),) = loading.named_runs(baseline)
    name = "baseline" if name == "run" else name
    while name in named:
        name = f"{name} (baseline)"
    return name, {**named, name: run}
