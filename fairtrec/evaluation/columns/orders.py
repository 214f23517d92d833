"""Bounds over orders: the values of a run over all orders of each ranking, and how far its own is from a random one.

It is as if all scores of a ranking were equal: each order of its documents is as likely as any other. ``skill`` is how
far the mean value is on the way from the expected to the best one.

Source: Murphy: Skill Scores Based on the Mean Square Error and Their Relationships to the Correlation Coefficient.
Monthly Weather Review 1988. https://doi.org/10.1175/1520-0493(1988)116<2417:SSBOTM>2.0.CO;2
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any, ClassVar

import numpy as np

from fairtrec.data import MISSING, Bools, Floats, Ints, Run
from fairtrec.data.ranking.random_orders import DRAWN
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import FollowingText, FollowingTexts, MeanCell, MeanEnd, Scores
from fairtrec.evaluation.columns.intervals import ENDS, Intervals, find_by_parts
from fairtrec.evaluation.columns.scored_run import Computed, ScoredRun
from fairtrec.evaluation.columns.ties import SEED, find_closed, find_reach, try_orders
from fairtrec.evaluation.inputs.documents import EvaluationContext
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.evaluation.measure_values import list_parts
from fairtrec.formulas.rounding import same
from fairtrec.measure import Better, Measure, Quantity
from fairtrec.support.notes import Note, NoteKind, NoteSeverity, merge_runs

OVER_ORDERS = NoteKind(
    "bounds of orders",
    "[least, greatest] ~expected: over all orders of {documents}; skill: (value - expected) / (best - expected), 0 for "
    "a random order of the same documents, 1 for the best order",
    NoteSeverity.LEGEND,
)
DRAWN_ORDERS = NoteKind(
    "random orders",
    "{measures}{details}",
    NoteSeverity.LEGEND,
    again="{measures}{details}",
    label=f"expected value of {DRAWN:,} random orders per query",
)
PLACES = 4  # digits, of which one must show the standard error
ONE_VALUE = NoteKind(
    "one value",
    "{measures} in {many} of {queries} queries",
    NoteSeverity.MISLEADING,
    again="{measures} in {many}",
    tail="these rankings are no longer than the cutoff",
    label="all orders have one value",
)
NO_SKILL = NoteKind(
    "near or below chance",
    "{measures} {value:.4f}, a random order of the same documents {expected:.4f}",
    NoteSeverity.MISLEADING,
    again="{measures} {value:.4f}, a random order {expected:.4f}",
)
SKILL = "skill"
SKILL_PLACES = 3
LEAST_SKILL = 0.05  # of less, a value is near that of a random order, or below
FLAT = 1e-9  # if the best value is not further from the expected one, there is no skill


class Skill(MeanEnd):
    """The skill of a measure, as a row or column of its own behind its value and the three: ``AWRF@10.skill``."""

    better: ClassVar[Better] = "higher"
    total = False  # also of a measure that counts
    may_be_empty = True


@dataclass(frozen=True, eq=False)
class Orders(Intervals):
    """What the values of a run [measure, query] are over all orders of the ranking; nan where the value is.

    ``error`` is the standard error of the expected value, ``documents`` how many are ranked.
    """

    name: ClassVar[str] = "orders"
    cells = (MeanCell(SKILL, quantity=Skill),)

    error: Floats
    is_drawn: Bools
    is_searched: Bools
    documents: Ints

    def numbers(self, scores: Scores, row: int) -> Mapping[str, float]:
        """Give the skill, for a measure with a better end."""
        skill = scores.settle(self.name)[row]
        return {} if skill is None else {SKILL: skill}

    def settle(self, scores: Scores) -> list[float | None]:
        """Compute the skill from the means [measure]; None for a measure without a better end."""
        least, greatest, expected = (scores.ends[end].means.tolist() for end in ENDS)
        several = zip(scores.measures, scores.means.tolist(), least, greatest, expected, strict=True)
        return [compute_skill(*each) if has_better_end(each[0]) else None for each in several]

    def describe_mean(self, scores: Scores, row: int) -> Mapping[str, Any]:
        """Give the means of the three, the skill, and how many queries were drawn and searched for."""
        counts = {"drawn": int(self.is_drawn[row].sum()), "searched": int(self.is_searched[row].sum())}
        return {**super().describe_mean(scores, row), SKILL: np.nan, **self.numbers(scores, row), **counts}

    def follow(self, scores: Scores, total: str | None, places: int) -> FollowingTexts:  # noqa: ARG002
        """Write the skill behind each measure that has one."""
        if total is not None:
            return {}
        skills = scores.settle(self.name)
        texts = ["" if each is None or isnan(each) else f"{each:+z.{SKILL_PLACES}f}" for each in skills]
        cells = [None if each is None else FollowingText(text) for each, text in zip(skills, texts, strict=True)]
        return {SKILL: cells} if any(cells) else {}

    def find_mean_error(self, row: int) -> float:
        """Compute the standard error of the mean of the expected values of a measure."""
        several = int(np.count_nonzero(~np.isnan(self.expected[row])))
        return float(np.sqrt(np.square(self.error[row]).sum())) / max(several, 1)

    @classmethod
    def list_notes(cls, result: Result, called: Sequence[str]) -> list[Note]:
        """Say of which documents the orders are, where these were drawn or searched for, and what chance gives."""
        several = [column for _, column in cls.find_all(result.scores)]
        said = [OVER_ORDERS.note(documents=_describe_documents(several, result.signature.get("depth", "")))]
        for row, measure in enumerate(result.scores[0].measures):
            if any(each.is_drawn[row].any() for each in several):
                error = max(each.find_mean_error(row) for each in several)
                is_searched = any(each.is_searched[row].any() for each in several)
                details = [f"standard error {error:.{PLACES}f}"] * (round(error, PLACES) > 0)
                details += ["ends by search"] * is_searched
                note = DRAWN_ORDERS.note(details=f" ({', '.join(details)})" if details else "")
                said.append(replace(note, measures=(measure,)))
            if (depth := measure.depth) is not None:
                flat = [_count_flat(each, row, depth) for each in several]
                if any(flat):
                    note = ONE_VALUE.note(many=max(flat), queries=len(result.scores[0].qids))
                    said.append(replace(note, measures=(measure,)))
        return [*said, *cls._note_chance(result, called)]

    @classmethod
    def _note_chance(cls, result: Result, called: Sequence[str]) -> list[Note]:
        """Note the runs whose values are near or below those of a random order of their documents, by measure."""
        places = {scores.run: place for place, scores in enumerate(result.scores)}
        said: dict[Note, list[int]] = {}
        for scores, column in cls.find_all(result.scores):
            values, expected = scores.means.tolist(), scores.ends["expected"].means.tolist()
            for row, skill in enumerate(scores.settle(column.name)):
                if skill is not None and skill < LEAST_SKILL:
                    note = NO_SKILL.note(measure=scores.measures[row], expected=expected[row], value=values[row])
                    said.setdefault(note, []).append(places[scores.run])
        return merge_runs(said, [scores.run for scores in result.scores], called) if said else []


def has_better_end(measure: Quantity) -> bool:
    """Tell whether the greatest or the least value of a measure is the best one."""
    return measure.better in ("higher", "lower")


def compute_skill(measure: Quantity, value: float, least: float, greatest: float, expected: float) -> float:
    """Compute (value - expected) / (best - expected); nan if the best is as far as the expected value."""
    way = (greatest if measure.better == "higher" else least) - expected
    return (value - expected) / way if np.isfinite(way) and abs(way) >= FLAT else np.nan


def _count_flat(column: Orders, row: int, depth: int) -> int:
    """Count the queries with several documents, down to the cutoff at most; 0 if their order matters in any of them."""
    is_short = (column.documents[row] > 1) & (column.documents[row] <= depth) & ~np.isnan(column.least[row])
    one = same(column.least[row, is_short], column.greatest[row, is_short])
    return int(is_short.sum()) if one.all() else 0


def _describe_documents(several: Sequence[Orders], depth: str) -> str:
    """Say of how many documents of each ranking the orders are."""
    counts = np.concatenate([each.documents.ravel() for each in several])
    least, most = (int(end(counts)) for end in (np.min, np.max))
    if depth and f"{most}" == depth:
        return f"the first {most:,} documents of each ranking"
    return f"the {f'{most:,}' if least == most else f'{least:,} to {most:,}'} documents of each ranking"


def compute(scored: ScoredRun) -> Computed:
    """Find the least, greatest and expected values over all orders of each ranking."""
    return find_intervals(scored.run, scored.scores, scored.context, scored.choices.depth), ()


def find_intervals(run: Run, scores: Scores, context: EvaluationContext, depth: int | None) -> Orders:
    """Find the least, greatest and expected values over all orders of the first ``depth`` documents of each query."""
    run = run.cut(scores.qids, depth)
    return find_by_parts(run, scores, lambda part: _find_part(run, part, context, depth))


def _find_part(run: Run, scores: Scores, context: EvaluationContext, depth: int | None) -> Orders:
    shape = scores.values.shape
    tied = replace(run, scores=np.zeros(len(run.docnos)))
    if run.positions is None:
        found, moves = find_closed(tied, scores, context, depth)
    else:  # what measures say of orders is of ranks without gaps
        found, moves = np.full((3, *shape), np.nan), np.ones(shape, dtype=np.bool_)
    left, error = moves & np.isnan(found[0]), np.zeros(shape)
    is_drawn, is_searched = np.zeros((2, *shape), dtype=np.bool_)
    for row, measure in enumerate(scores.measures):
        queries = np.flatnonzero(left[row])
        if len(queries):
            orders = OrdersOfMeasure(measure, tied, [scores.qids[query] for query in queries.tolist()], context, depth)
            several = orders.find_ends(scores.values[row, queries])
            found[:, row, queries], error[row, queries] = several[:3], several[3]
            is_drawn[row, queries], is_searched[row, queries] = several[4:] > 0
    least, greatest = np.fmin(found[0], scores.values), np.fmax(found[1], scores.values)  # they differ by rounding
    documents = np.broadcast_to((run.top(scores.qids, None) != MISSING).sum(axis=1), shape)
    return Orders(least, greatest, found[2].clip(least, greatest), error, is_drawn, is_searched, documents)


@dataclass(eq=False)
class OrdersOfMeasure:
    """The orders of some queries, of which a measure does not say what each rank adds.

    ``run`` has scores that are all equal.
    """

    measure: Measure
    run: Run
    qids: Sequence[str]
    context: EvaluationContext
    depth: int | None

    def find_ends(self, values: Floats) -> Floats:
        """Find the ends [6, query] where a measure has these values [query] of the run: the fields of OrderEnds."""
        from fairtrec.evaluation.fronts.order_ends import find_order_ends

        problem = self._set_up() if self.run.positions is None and self._is_of_one_query() else None
        if problem is None:
            return self._try_orders()
        places = self._find_places(problem.inputs)
        own = [problem.compute_values(row, top[None])[0] for row, top in enumerate(places)]
        if not same(np.array(own), values).all():  # it sees more than the documents
            return self._try_orders()
        ends = [find_order_ends(problem, row, top, (SEED, *self.qids[row].encode())) for row, top in enumerate(places)]
        return np.array(ends, dtype=np.float64).T

    def _is_of_one_query(self) -> bool:
        """Tell whether a value goes by one ranking and the inputs of its query."""
        own = self.context.take_attribute(self.measure.by)
        return not (list_parts(self.measure, self.context) or own.is_vast)

    def _set_up(self) -> Any:
        """Set the documents up in the order of their names, so that no order of the run matters; None if unknown."""
        from fairtrec.evaluation.fronts.problem import Problem, is_evaluated_at_once

        run, qids = self._sort_documents(), self.qids
        every, own = (
            Inputs(run, qids, self.context, depth).take_attribute(self.measure.by)
            for depth in (None, self.measure.depth)
        )
        there = every.lines != MISSING
        problem = Problem(
            tuple(qids), every, own, own.lengths, there, own.lengths.tolist(), None, self.measure, by_value=True
        )
        return problem if is_evaluated_at_once(self.measure) else None

    def _sort_documents(self) -> Run:
        lines = self.run.top(self.qids, None)
        rankings = [row[row != MISSING] for row in lines]
        return self.run.reorder(self.qids, [row[np.argsort(self.run.docnos[row], kind="stable")] for row in rankings])

    def _find_places(self, every: Inputs) -> list[Ints]:
        """Find the places of the documents of the run's own ranking among all, down to the measure's depth [query]."""
        own = Inputs(self.run, self.qids, self.context, self.measure.depth).lines
        places = []
        for line, lines in zip(own, every.lines, strict=True):
            docnos, wanted = every.run.docnos[lines[lines != MISSING]], self.run.docnos[line[line != MISSING]]
            places.append(np.searchsorted(docnos, wanted))
        return places

    def _try_orders(self) -> Floats:
        """Evaluate orders one by one."""
        run = self._sort_documents()
        reach = find_reach(self.measure, self.context, self.depth)
        found, complete, error = try_orders(
            run, [self.measure], self.qids, self.context, self.depth if reach is None else reach, DRAWN
        )
        return np.stack([*found[:, 0], np.where(complete, 0.0, error[0]), ~complete, np.zeros(len(self.qids))])
