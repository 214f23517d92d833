"""Bounds over ties: the values of a run over all orders of its tied documents, in closed form or by trying orders."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, ClassVar

import numpy as np

from fairtrec.data import MISSING, Bools, Floats, Ints, Run
from fairtrec.data.docnos import MOST_CELLS
from fairtrec.data.ranking.depth import find_depth
from fairtrec.data.ranking.ties import DRAWN, Blocks, orders
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.columns.intervals import Intervals, find_by_parts, note_moved, split_scores
from fairtrec.evaluation.columns.scored_run import Computed, ScoredRun
from fairtrec.evaluation.inputs.documents import EvaluationContext
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.evaluation.measure_values import compute_measures, find_family, list_parts, mask_values
from fairtrec.evaluation.relevance import RelevanceEvaluator
from fairtrec.formulas.distribution import quotient
from fairtrec.formulas.rounding import NEAR
from fairtrec.measure import Measure
from fairtrec.measure.forms import RankForm
from fairtrec.measures.catalogue.needs import OF_EXTRAS, OF_RANKS
from fairtrec.measures.utility import split_relevance
from fairtrec.support.notes import Note, NoteKind, NoteSeverity

OVER_ORDERS = NoteKind(
    "bounds of ties", "[least, greatest] ~expected: over all orders of tied documents", NoteSeverity.LEGEND
)
NO_TIES = NoteKind("no ties", "ties change no value")
TIES = NoteKind("ties", "ties change values of {moving} of {of} runs, in {most} at most{also}", NoteSeverity.MISLEADING)
TIES_OF_ONE = NoteKind(
    "ties of one run", "ties change the value of {moved} of {queries} queries{also}", NoteSeverity.MISLEADING
)
SEED = 2008


@dataclass(frozen=True, eq=False)
class Ties(Intervals):
    """What the values of a run [measure, query] are over the orders of tied documents.

    Each equals the value where no document that the measure looks at is tied; nan where the value is.
    """

    name: ClassVar[str] = "ties"

    is_tied: Bools  # the measure looks at tied documents
    is_drawn: Bools  # and the three come from some orders only, drawn at random

    @property
    def tied(self) -> Ints:
        """For how many queries each measure looks at tied documents [measure]."""
        return np.asarray(self.is_tied.sum(axis=1))

    @property
    def drawn(self) -> Ints:
        """For how many of these the three come from some orders only, drawn at random [measure]."""
        return np.asarray(self.is_drawn.sum(axis=1))

    def describe_mean(self, scores: Scores, row: int) -> Mapping[str, Any]:
        """Give the means of the three, and how many queries have ties."""
        return {**super().describe_mean(scores, row), "tied": int(self.tied[row]), "drawn": int(self.drawn[row])}

    @classmethod
    def list_notes(cls, result: Result, called: Sequence[str]) -> list[Note]:  # noqa: ARG003 - of all runs
        """Say to which measures ties matter, in how many queries, and where not all orders were evaluated."""
        runs = [ties for _, ties in cls.find_all(result.scores)]
        said = []
        for row, measure in enumerate(result.scores[0].measures):
            with np.errstate(invalid="ignore"):  # where both ends are infinite, nothing moves
                moved = [int((ties.greatest[row] - ties.least[row] > NEAR).sum()) for ties in runs]
            drawn = [int(ties.drawn[row]) for ties in runs]
            tried = {f"only {DRAWN} random orders were tried, which may miss both ends": drawn}
            if any(moved) or any(drawn):
                said.append(replace(note_moved((TIES, TIES_OF_ONE), moved, result, tried), measures=(measure,)))
        return [OVER_ORDERS.note(), *said] if said else [NO_TIES.note()]


def compute(scored: ScoredRun) -> Computed:
    """Find the least, greatest and expected values over all orders of tied documents."""
    return intervals(scored.run, scored.scores, scored.context, scored.choices.depth), ()


def intervals(run: Run, scores: Scores, context: EvaluationContext, depth: int | None) -> Ties:
    """Find the least, greatest and expected values of a run that was scored.

    ``run`` holds all that is tied with the last document that is looked at; ``depth`` is where rankings are cut.
    """
    return find_by_parts(run, scores, lambda part: _intervals(run, part, context, depth))


def expect(run: Run, scores: Scores, context: EvaluationContext, depth: int | None) -> Floats:
    """Give the values expected over ties [measure, query], in closed form only; nan if there is none.

    It also is nan if the groups of all tied documents do not fit into memory: nobody has asked for it.
    """
    expected = np.full(scores.values.shape, np.nan)
    inputs = Inputs(run, (), context, depth)
    wide = max(len(inputs.take_attribute(measure.by).groups) for measure in scores.measures)
    for part, some in split_scores(run, scores, MOST_CELLS // wide):
        if len(part) * int(np.diff(run.starts)[run.numbers(some.qids)].max(initial=0)) > MOST_CELLS // wide:
            continue
        found, _ = find_closed(run, some, context, depth)
        expected[:, part] = found[2].clip(np.fmin(found[0], some.values), np.fmax(found[1], some.values))
    return expected


def find_closed(run: Run, scores: Scores, context: EvaluationContext, depth: int | None) -> tuple[Floats, Bools]:
    """Find the interval in closed form [3, measure, query], nan if there is none, and where there are ties."""
    blocks = Blocks.find(run, run.top(scores.qids, None))
    tied: Bools = ~np.isnan(scores.values)
    found = np.repeat(scores.values[None], 3, axis=0)
    closed_form = ClosedForms(Inputs(run, scores.qids, context, depth))
    families = [find_family(measure) for measure in scores.measures]
    for row in sorted(range(len(families)), key=lambda row: -(families[row][0] or 0)):  # the deepest cutoff first
        measure = scores.measures[row]
        reach = find_reach(measure, context, depth)
        tied[row] &= _looks_at(measure, blocks, reach, depth)
        if tied[row].any():
            closed = closed_form.find(measure, families[row][1])
            closed[:, _cut_through(blocks, depth, reach)] = np.nan
            found[:, row, tied[row]] = closed[:, tied[row]]
    return found, tied


def _intervals(run: Run, scores: Scores, context: EvaluationContext, depth: int | None) -> Ties:
    found, tied = find_closed(run, scores, context, depth)
    reaches = [find_reach(measure, context, depth) for measure in scores.measures]
    left = tied & np.isnan(found[0])
    drawn = np.zeros_like(left)
    for reach in dict.fromkeys(reaches):
        rows = [row for row, other in enumerate(reaches) if other == reach and left[row].any()]
        if rows:
            drawn[rows] = _filled(found, left, rows, run, scores, context, depth if reach is None else reach)
    least, greatest = np.fmin(found[0], scores.values), np.fmax(found[1], scores.values)  # they differ by rounding
    return Ties(least, greatest, found[2].clip(least, greatest), tied, drawn)


def find_reach(measure: Measure, context: EvaluationContext, depth: int | None) -> int | None:
    """Tell down to which rank of the run a measure may look; None is its end."""
    if context.documents is not None and context.documents.missing == "skip":  # ranks close up
        return depth
    return min((one for one in (measure.depth, depth) if one is not None), default=None)


def _looks_at(measure: Measure, blocks: Blocks, reach: int | None, depth: int | None) -> Bools:
    """Tell for which queries a measure looks at documents that are tied."""
    if not OF_RANKS & set(measure.needs):
        return np.zeros(len(blocks.number), dtype=np.bool_)
    if not measure.ordered:
        return _cut_through(blocks, depth, reach)
    same = blocks.number[:, 1:] == blocks.number[:, :-1]
    some: Bools = same[:, :reach].any(axis=1)
    return some


def _cut_through(blocks: Blocks, depth: int | None, reach: int | None) -> Bools:
    """Tell which rankings are cut, at ``depth``, through a block of which the first ``reach`` ranks have a part."""
    if depth is None or reach is None or blocks.number.shape[1] <= depth:
        return np.zeros(len(blocks.number), dtype=np.bool_)
    through = blocks.number[:, depth] == blocks.number[:, depth - 1]
    first = depth - 1 - blocks.place[:, depth - 1]
    return np.asarray(through & (first < reach))


class ClosedForms:
    """The intervals over ties of measures that say what they make of their ranks. What cutoffs share is kept."""

    def __init__(self, inputs: Inputs) -> None:
        self.inputs = inputs
        self._blocks: dict[bool, Blocks] = {}  # of all ranks; of those that are not skipped
        self._deepest: dict[tuple[Any, ...], RankForm] = {}  # by family

    def find(self, measure: Measure, family: tuple[Any, ...]) -> Floats:
        """Give the interval of a measure [3, query]; nan for others. The deepest of a family has to come first."""
        inputs = self.inputs
        own = inputs.take_attribute(measure.by)
        terms = measure.formula(**{name: getattr(own, name) for name in measure.needs}).over_ranks()
        if terms is None or list_parts(measure, inputs.context):
            return np.full((3, len(inputs.qids)), np.nan)
        whole = bool(OF_EXTRAS.intersection(measure.needs))
        if whole not in self._blocks:
            lines = inputs.run.top(inputs.qids, inputs.depth) if whole else inputs.lines
            self._blocks[whole] = Blocks.find(inputs.run, lines)
        blocks, deepest = self._blocks[whole], self._deepest.setdefault(family, terms)
        values = terms.interval(blocks) if deepest is terms else deepest.bound_shallower(terms, blocks)
        return mask_values(measure, values, own)


def _filled(
    found: Floats,
    left: Bools,
    rows: Sequence[int],
    run: Run,
    scores: Scores,
    context: EvaluationContext,
    depth: int | None,
) -> Bools:
    """Find by trying orders what is ``left`` of these rows, and tell where not all orders were tried [row, query]."""
    columns = np.flatnonzero(left[rows].any(axis=0))
    measures = [scores.measures[row] for row in rows]
    tried, complete, _ = try_orders(run, measures, [scores.qids[column] for column in columns], context, depth)
    drawn = np.zeros((len(rows), left.shape[1]), dtype=np.bool_)
    for at, row in enumerate(rows):
        wanted = left[row, columns]
        found[:, row, columns[wanted]] = tried[:, at, wanted]
        drawn[at, columns] = wanted & ~complete
    return drawn


def try_orders(
    run: Run,
    measures: Sequence[Measure],
    qids: Sequence[str],
    context: EvaluationContext,
    depth: int | None,
    draws: int = DRAWN,
) -> tuple[Floats, Bools, Floats]:
    """Evaluate orders of each query's first ``depth`` documents: the interval [3, measure, query], and if all were.

    An order for which a measure is undefined is left out of its interval. Of too many orders so many are drawn: third
    is the standard error of the mean of drawn values [measure, query].
    """
    lines = run.top(qids, None)
    if run.positions is not None:  # the orders are of documents, whose positions stay filled
        lines = np.take_along_axis(lines, np.argsort(lines == MISSING, axis=1, kind="stable"), axis=1)
    numbers = [row[there] for row, there in zip(Blocks.find(run, lines).number, lines != MISSING, strict=True)]
    several = [orders(number, depth, (SEED, *qid.encode()), draws) for number, qid in zip(numbers, qids, strict=True)]
    utility, others = split_relevance(measures)
    deepest = find_depth(others)
    if utility and context.qrels is not None:
        context = replace(context, judge=RelevanceEvaluator(utility, context.qrels))
    least, greatest = np.full((2, len(measures), len(qids)), np.nan)
    total, squares, defined = np.zeros((3, len(measures), len(qids)))
    while rankings := {at: lines[at, order] for at, (each, _) in enumerate(several) for order in islice(each, 1)}:
        at = list(rankings)
        permuted = run.reorder([qids[query] for query in at], list(rankings.values()))
        values = compute_measures(Inputs(permuted, permuted.qids, context, deepest), measures)
        least[:, at], greatest[:, at] = np.fmin(least[:, at], values), np.fmax(greatest[:, at], values)
        with np.errstate(invalid="ignore"):  # the sum of both infinities is undefined
            total[:, at] += np.where(np.isnan(values), 0.0, values)
            squares[:, at] += np.where(np.isfinite(values), np.square(values), 0.0)
        defined[:, at] += ~np.isnan(values)
    mean = quotient(total, defined)
    with np.errstate(invalid="ignore"):
        error = np.sqrt(quotient((squares - total * mean).clip(min=0.0), defined * (defined - 1), 0.0))
    return np.stack([least, greatest, mean]), np.array([complete for _, complete in several]), np.nan_to_num(error)
