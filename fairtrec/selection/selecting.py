"""``fairtrec.select``: from whatever the caller has to what is chosen for each beta, and its values."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from os import fspath
from pathlib import Path
from typing import Any, Unpack

from fairtrec.catalogue import registry
from fairtrec.comparison.baseline import Comparisons, compare
from fairtrec.errors import FilePath, UsageError
from fairtrec.evaluation import loading
from fairtrec.evaluation.evaluate import Keywords
from fairtrec.evaluation.result import Result
from fairtrec.evaluation.scores import Scores
from fairtrec.gate import requirement
from fairtrec.gate.requirement import Requirement
from fairtrec.measure import Measure
from fairtrec.selection import composing
from fairtrec.selection.candidates import AXES, MeasurePair, Variants, gathered, only
from fairtrec.selection.choosing import ScoredVariants, choice_of
from fairtrec.selection.criterion import BETAS, betas
from fairtrec.selection.evaluated import evaluated, of_result
from fairtrec.selection.folds import Folds, divide
from fairtrec.selection.selected import Selected, Selection
from fairtrec.statistics.procedure import Procedure, ProcedureKeywords


class SelectKeywords(Keywords, ProcedureKeywords, total=False):
    """What ``select`` takes beside its own keywords: those of ``evaluate``, and the fields of Procedure."""


def select(
    runs: Any,
    qrels: Any = None,
    *,
    utility: str | Measure,
    fairness: str | Measure,
    beta: str | float | Sequence[float] = BETAS,
    folds: int | FilePath = 5,
    require: str | Iterable[str] = (),
    baseline: Any = None,
    measures: str | Measure | Iterable[str | Measure] = (),
    output: FilePath | None = None,
    jobs: int | None = 1,
    **given: Unpack[SelectKeywords],
) -> Selection:
    """Choose one of several variants by F_beta of utility and fairness, by cross-validation over queries.

    ``runs``      two or more, as `evaluate` takes them, with what it takes besides; or a Result.
    ``utility``, ``fairness``  a measure each; one that is better lower, or nearer 0, enters negated.
    ``beta``      how much fairness counts: 0 for utility alone, infinity for fairness alone; one or several.
    ``folds``     how many; or a file of lines of qid and fold. 1 chooses by all queries, which flatters the means.
    ``require``   like ``"nDCG@10 >= baseline - 1%"``: only variants whose training means meet these are chosen.
    ``baseline``  a run, or the name of one of the runs, with which the values of each beta are compared by the fields
                  of Procedure, such as ``test="randomisation"``.
    ``measures``  what is told beside, without a part in the choice.
    ``output``    where the rankings that one beta chooses are written as a run.

    Raises UsageError for fewer than two variants, fewer queries than folds and what does not fit together, and what
    `evaluate` raises.
    """
    level = given.get("relevance_level")
    axes = _axes(utility, fairness, level)
    several = betas(beta)
    if output is not None:
        composing.refuse(runs, several, given)
    texts = [require] if isinstance(require, str) else dict.fromkeys(require)
    asked = tuple(requirement.parse(text, level) for text in texts)
    rest: dict[str, Any] = dict(given)
    procedure = {name: rest.pop(name) for name in ProcedureKeywords.__annotations__ if name in rest}
    Procedure(**procedure)
    beside = [measures] if isinstance(measures, str | Measure) else list(measures)
    if isinstance(runs, Result):
        if qrels is not None or rest or beside:
            raise UsageError("these values are there already; leave out what they would be evaluated from")
        result, base = of_result(runs, baseline)
        shown = list(dict.fromkeys((*axes, *result.scores[0].measures)))
    else:
        wanted = [*axes, *beside, *(each.measure for each in asked)]
        result, base = evaluated(runs, qrels, wanted, baseline, {"jobs": jobs, **rest})
        shown = _shown(result.scores[0].measures, axes, beside, asked, level)
    variants = gathered(result.scores, axes)
    dealt = divide(variants.qids, folds)
    choice = choice_of(variants, dealt, asked, base)
    rows = tuple(_selected(each, choice, variants, dealt, shown) for each in several)
    comparisons = None if base is None else _compared(result, only(base, shown, variants.qids), rows, procedure)
    selection = Selection(rows, variants, choice, dealt, asked, result, comparisons)
    if output is not None:
        composing.write(selection, dict(loading.named_runs(runs)), rest, Path(fspath(output)))
    return selection


def _axes(utility: str | Measure, fairness: str | Measure, level: int | None) -> MeasurePair:
    """Read the two measures. Raises UsageError where one is not one measure, or says not what is better."""
    axes = []
    for asked, option in zip((utility, fairness), AXES, strict=True):
        several = [asked] if isinstance(asked, Measure) else registry.parse(asked, level)
        if len(several) != 1:
            raise UsageError(f"--{option} takes one measure, and {asked!r} names {len(several)}; name one")
        if several[0].better == "neither":
            raise UsageError(f"{several[0]} does not say which values are better; choose another for --{option}")
        axes.append(several[0])
    if axes[0] == axes[1]:
        raise UsageError(f"utility and fairness are both {axes[0]}, so there is nothing to weigh; name two measures")
    return axes[0], axes[1]


def _shown(
    computed: Sequence[Measure],
    axes: MeasurePair,
    beside: Sequence[str | Measure],
    asked: Sequence[Requirement],
    level: int | None,
) -> list[Measure]:
    """Leave out what only a requirement asks for."""
    named = [one for each in beside for one in ([each] if isinstance(each, Measure) else registry.parse(each, level))]
    whole = {*axes, *named}
    required = {each.measure for each in asked}
    several = {measure.name for measure in named if getattr(measure, "group", None) == ""}
    return [each for each in computed if each in whole or each not in required or each.name in several]


def _selected(
    beta: float, choice: ScoredVariants, variants: Variants, folds: Folds, shown: Sequence[Measure]
) -> Selected:
    chosen = choice.chosen(beta)
    of_fold = {name: variants.names[at] for name, at in zip(folds.names, chosen.tolist(), strict=True)}
    composed = variants.composed(f"beta {beta:g}", chosen[folds.of])
    return Selected(beta, of_fold, only(composed, shown, variants.qids))


def _compared(result: Result, base: Scores, rows: Sequence[Selected], procedure: Any) -> Comparisons:
    """Compare what is chosen with the baseline; rows that choose the same are one run, and tested once."""
    once = {tuple(row.chosen.items()): row.scores for row in reversed(rows)}
    distinct = tuple(row.scores for row in rows if once[tuple(row.chosen.items())] is row.scores)
    return compare(replace(result, scores=(base, *distinct)), 0, **procedure)
