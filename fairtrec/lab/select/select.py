"""``fairtrec.select``: from whatever the caller has to what is chosen for each beta, and its values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import fspath
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from fairtrec.commands.check import requirement
from fairtrec.commands.check.requirement import Requirement
from fairtrec.commands.compare.baseline import compare
from fairtrec.commands.compare.comparison import Comparisons
from fairtrec.data import Run
from fairtrec.evaluation.answers import aggregates
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.evaluate import evaluate
from fairtrec.evaluation.given import Keywords
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.calls import require_names
from fairtrec.evaluation.inputs.documents import keep_documents
from fairtrec.evaluation.inputs.options import ChoiceKeywords, Choices, refuse_positions
from fairtrec.formats import run_writer
from fairtrec.lab.select.criterion import AXES, BETAS, MeasurePair, Variants, betas, gather_variants, keep_values
from fairtrec.lab.select.folds import Folds, ScoredVariants, SelectedVariants, Selection, divide, settle_choice
from fairtrec.measure import Measure
from fairtrec.measures.catalogue import registry
from fairtrec.measures.catalogue.needs import needs_judgments
from fairtrec.measures.utility import refuse_geometric
from fairtrec.report.output import refuse_input
from fairtrec.statistics.procedure import Procedure, ProcedureKeywords
from fairtrec.support.errors import FilePath, UsageError
from fairtrec.support.files.arguments import find_run


class SelectKeywords(Keywords, ProcedureKeywords, total=False):
    """What ``select`` takes beside its own keywords: those of ``evaluate``, and the fields of Procedure."""


@require_names
def select(
    runs: Any,
    *,
    qrels: Any = None,
    utility: str | Measure,
    fairness: str | Measure,
    beta: str | float | Sequence[float] = BETAS,
    folds: int | FilePath = 5,
    require: str | Iterable[str] = (),
    baseline: Any = None,
    measures: str | Measure | Iterable[str | Measure] = (),
    write_run: FilePath | None = None,
    jobs: int | None = 1,
    **given: Unpack[SelectKeywords],
) -> Selection:
    """Choose one of several variants by F_beta of utility and fairness, with cross-validation over queries.

    Args:
        runs: two or more, as ``evaluate`` takes them, with its inputs; or a Result.
        utility, fairness: a measure each. One that is better lower, or nearer 0, enters negated.
        beta: the weight of fairness: 0 for utility only, infinity for fairness only. One or several.
        folds: their number, or a file of lines of qid and fold. 1 chooses by all queries, so its means are too high.
        require: like ``"nDCG@10 >= baseline - 1%"``. Only variants whose training means meet these are chosen.
        baseline: a run, or the name of one of the runs. The values of each beta are compared with it by the fields of
            Procedure, such as ``test="randomization"``.
        measures: what is also evaluated, without a part in the choice.
        write_run: a path: the rankings that one beta chooses are written there as a run.

    Raises:
        UsageError: fewer than two variants, fewer queries than folds, or inputs that do not fit together; and what
            ``evaluate`` raises.
    """
    aggregates.refuse_given(given, "a choice goes by")
    level = given.get("relevance_level")
    axes = _axes(utility, fairness, level)
    several = betas(beta)
    if write_run is not None:
        _refuse_writing(runs, several, given)
    texts = [require] if isinstance(require, str) else dict.fromkeys(require)
    asked = tuple(requirement.parse(text, level) for text in texts)
    rest: dict[str, Any] = dict(given)
    procedure = {name: rest.pop(name) for name in ProcedureKeywords.__annotations__ if name in rest}
    Procedure(**procedure)
    beside = [measures] if isinstance(measures, str | Measure) else list(measures)
    if isinstance(runs, Result):
        if qrels is not None or rest or beside:
            raise UsageError("these values are there already; leave out what they would be evaluated from")
        names = [each.run for each in runs.scores]
        result, base = runs, None if baseline is None else runs.scores[find_run(names, baseline)]
        shown = list(dict.fromkeys((*axes, *result.scores[0].measures)))
    else:
        wanted = [*axes, *beside, *(each.measure for each in asked)]
        rest = _keep_judged(axes, qrels, rest)
        result, base = evaluate_variants(runs, qrels, wanted, baseline, {"jobs": jobs, **rest})
        shown = _shown(result.scores[0].measures, axes, beside, asked, level)
    aggregates.refuse_gold(result.scores, "a choice looks")
    variants = gather_variants(result.scores, axes)
    dealt = divide(variants.qids, folds)
    choice = settle_choice(variants, dealt, asked, base)
    rows = tuple(_selected(each, choice, variants, dealt, shown) for each in several)
    comparisons = None if base is None else _compared(result, keep_values(base, shown, variants.qids), rows, procedure)
    selection = Selection(rows, variants, choice, dealt, asked, result, comparisons)
    if write_run is not None:
        refuse_input(Path(fspath(write_run)), [fspath(file.place) for file in result.files.values()])
        run_writer.write(_composed(selection, dict(loading.name_rankings(runs)), qrels, rest), Path(fspath(write_run)))
    return selection


def _keep_judged(axes: MeasurePair, qrels: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Take the judged queries, if no queries are named and others have no value of both measures."""
    is_named = given.get("queries") is not None
    if is_named or not loading.is_given(qrels) or not any(map(needs_judgments, axes)):
        return given
    return {**given, "queries": loading.JUDGED}


def _axes(utility: str | Measure, fairness: str | Measure, level: int | None) -> MeasurePair:
    """Read the two measures. Raises UsageError where one is not one measure, or says not what is better."""
    axes = []
    for asked, option in zip((utility, fairness), AXES, strict=True):
        several = [asked] if isinstance(asked, Measure) else registry.parse(asked, level)
        if len(several) != 1:
            raise UsageError(f"--{option} needs one measure, and {asked!r} has {len(several)}; choose one")
        if several[0].better == "neither":
            raise UsageError(f"{several[0]} has no direction; choose another for --{option}")
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
) -> SelectedVariants:
    chosen = choice.choose(beta)
    of_fold = {name: variants.names[at] for name, at in zip(folds.names, chosen.tolist(), strict=True)}
    composed = variants.compose_scores(f"beta {beta:g}", chosen[folds.of])
    return SelectedVariants(beta, of_fold, keep_values(composed, shown, variants.qids))


def _compared(result: Result, base: Scores, rows: Sequence[SelectedVariants], procedure: Any) -> Comparisons:
    """Compare what is chosen with the baseline; rows that choose the same are one run, and tested once."""
    once = {tuple(row.chosen.items()): row.scores for row in reversed(rows)}
    distinct = tuple(row.scores for row in rows if once[tuple(row.chosen.items())] is row.scores)
    return compare(replace(result, scores=(base, *distinct)), 0, **procedure)


def evaluate_variants(
    runs: Any, qrels: Any, measures: Sequence[str | Measure], baseline: Any, given: Mapping[str, Any]
) -> tuple[Result, Scores | None]:
    """Evaluate runs, and a baseline with them: one of them by its name, or another run, which is no variant.

    Raises what ``evaluate`` raises, and UsageError for a baseline that there is not.
    """
    refuse_positions("select", given.get("order"))
    named = dict(loading.name_rankings(runs))
    refuse_geometric(each for each in measures if isinstance(each, Measure))
    if baseline is None:
        return evaluate(list(measures), named, qrels=qrels, **given), None
    name, every = loading.join_run(named, baseline)
    result = evaluate(list(measures), every, qrels=qrels, **given)
    base = next(each for each in result.scores if each.run == name)
    variants = tuple(each for each in result.scores if each.run in named)
    return replace(result, scores=variants), base


def _refuse_writing(runs: Any, betas: Sequence[float], given: Mapping[str, Any]) -> None:
    if len(betas) > 1:
        raise UsageError(
            f"{len(betas)} values of beta choose several runs, and one can be written; pass one, like --beta 1"
        )
    if given.get("samples"):
        raise UsageError(
            "--write-run writes one ranking per query, and --samples has several; leave out one of the two"
        )
    if isinstance(runs, Result):
        raise UsageError("values have no rankings, so no run can be written; pass the runs")


def _composed(selection: Selection, runs: Mapping[str, Any], qrels: Any, given: Mapping[str, Any]) -> Run:
    """Put the rankings together that the one row of a selection has chosen, ordered and cut as they were evaluated.

    ``runs`` are the variants by name, ``given`` what they were evaluated by.
    """
    (row,) = selection.rows
    choices = Choices(**{name: value for name, value in given.items() if name in ChoiceKeywords.__annotations__})
    judgments = loading.qrels(qrels) if choices.keeps_grades else None
    of_query = np.array([row.chosen[name] for name in selection.folds.names])[selection.folds.of].tolist()
    wholes: dict[str, Run] = {}
    for name in dict.fromkeys(of_query):
        system = loading.load_run(runs[name], name, choices, choices.depth)
        (wholes[name],) = keep_documents(system, choices, judgments).runs
    found = zip(selection.variants.qids, of_query, strict=True)  # sorted by qid
    parts = [part for qid, name in found if (part := wholes[name].cut([qid], None)).qids]
    return replace(
        parts[0],
        name=f"beta {row.beta:g}",
        tag=f"select-beta={row.beta:g}",
        qids=tuple(qid for part in parts for qid in part.qids),
        starts=np.cumsum([0, *(len(part.docnos) for part in parts)]),
        docnos=np.concatenate([part.docnos for part in parts]),
        scores=np.concatenate([part.scores for part in parts]),
    )
