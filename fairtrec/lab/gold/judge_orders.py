"""How runs are ordered by the judgments of people and by those of a judge, over the same pairs."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np

from fairtrec.data import Bools, Floats, Qrels
from fairtrec.data.ranking.depth import find_depth
from fairtrec.evaluation.given import Keywords
from fairtrec.evaluation.given.labels import is_of_judgments, list_sources
from fairtrec.evaluation.given.qrels import unjudged_error
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.documents import Documents, EvaluationContext, write_missing
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.evaluation.inputs.options import Choices
from fairtrec.evaluation.plan import settle
from fairtrec.evaluation.reading import LoadedRun, Reading, choose_queries
from fairtrec.evaluation.relevance import RelevanceEvaluator
from fairtrec.evaluation.score import compute_values
from fairtrec.evaluation.session import Evaluator
from fairtrec.measure import Measure, badness
from fairtrec.measures.catalogue import registry
from fairtrec.measures.catalogue.needs import needs_judgments
from fairtrec.measures.utility import refuse_geometric, split_relevance
from fairtrec.report.result_notes import COMMON
from fairtrec.statistics.agreement import tau_ap, tau_b
from fairtrec.statistics.reliability import correlate_halves, estimate_reliability, find_complete, halve_queries
from fairtrec.support.errors import UsageError
from fairtrec.support.notes import Note, NoteKind, NoteSeverity

FEWEST = 3  # runs that have an order worth the name
DEFAULT = ("nDCG@10", "DTR")  # the second with groups that it fits
UNRELIABLE = NoteKind(
    "unreliable order of people",
    "the order by people is not reliable, so a low tau does not count against the judge",
    NoteSeverity.MISLEADING,
)
UNCOUNTED = NoteKind(
    "ranked documents without counts",
    write_missing("documents of the runs and the qrels", "count as neutral in measures of groups", "text or counts"),
    NoteSeverity.MISLEADING,
)


@dataclass(frozen=True)
class JudgeOrder:
    """The order of ``runs`` by one measure with the judgments of people and of a judge, over the same ``queries``.

    These have a value for every run by both. ``reliability`` with its interval, and ``halves``, are of people's order.
    """

    measure: str
    runs: int
    queries: int
    tau_b: float
    tau_ap: float
    reliability: float
    low: float
    high: float
    judge_reliability: float
    halves: float  # mean Kendall's tau-b between two halves of the queries
    doubtful: bool  # whether so few queries decide the reliability that its interval is surer than the data


@dataclass(frozen=True, eq=False)
class JudgedValues:
    """The values of runs by people and by a judge, of each measure [run, query], over the same queries."""

    people: list[Floats]
    judge: list[Floats]
    qids: tuple[str, ...]

    def subtract(self, row: int) -> Floats:
        """Subtract the values by people from those by the judge, for queries with a value in every run by both."""
        people, judge = self.people[row], self.judge[row]
        complete = find_complete(people) & find_complete(judge)
        return judge[:, complete] - people[:, complete]


class JudgedRuns:
    """Runs that are read once, and evaluated with the judgments of people and of judges."""

    def __init__(
        self,
        runs: Any,
        measures: Any,
        human: Qrels,
        levels: tuple[int | None, int | None],
        choices: Choices,
        instrument: Any,
    ) -> None:
        named = loading.name_rankings(runs)
        if len(named) < FEWEST:
            raise UsageError(f"an order of runs needs {FEWEST} or more, and --runs has {len(named)}; add more")
        how = {name: getattr(choices, name) for name in ("order", "score_dtype", "run_format", "columns")}
        given = {**how, **instrument, "missing": "neutral"}
        self._sessions = [_open(measures, human, {**given, "relevance_level": level}) for level in levels]
        session = self._sessions[0]
        self.session, self.measures = session, session.measures
        self.named = [
            (name, loading.ranking(thing, name, choices, session.depth, is_run=True)) for name, thing in named
        ]
        self._readings = [each.prepare_reading(self.named) for each in self._sessions]
        self._chosen: dict[tuple[str, ...], list[tuple[str, ...]]] = {}  # queries of each run, by those of judgments
        self._documents: Documents | None = None
        self._only_judged = all(map(needs_judgments, self.measures))
        self._depth = find_depth(split_relevance(self.measures)[1])
        reading = self._readings[0]
        if reading.two_pass:
            of_runs = self._choose_queries(human)
            runs_cut = [
                LoadedRun(name, qids, None, run.cut(qids, reading.kept))
                for (name, run), qids in zip(self.named, of_runs, strict=True)
            ]
            self._documents = session.documents(runs_cut, reading)
        self._inputs: dict[tuple[int, tuple[str, ...]], Inputs] = {}  # by run and queries
        self._by_people: tuple[bytes, list[Floats], tuple[str, ...]] | None = None
        self._halves: dict[tuple[str, ...], list[Bools]] = {}
        self._reliabilities: dict[tuple[int, bytes], tuple[Any, float]] = {}

    def evaluate(self, human: Qrels, judge: Qrels, kept: Bools) -> "JudgedValues":
        """Evaluate the runs by people and by a judge, both cut to pairs in common; ``kept`` are those of people."""
        key = kept.tobytes()
        if self._by_people is None or self._by_people[0] != key:
            self._by_people = key, *self._evaluate(0, human)
        _, of_people, qids = self._by_people
        of_judge, others = self._evaluate(1, judge)
        if others != qids:
            of_judge = [_place(values, others, qids) for values in of_judge]
        return JudgedValues(of_people, of_judge, qids)

    def compare(self, values: "JudgedValues", confidence: float) -> list[JudgeOrder]:
        """Compare the orders by people and by a judge."""
        return [
            self._compare_orders(row, values.people[row], values.judge[row], values.qids, confidence)
            for row in range(len(self.measures))
        ]

    def _evaluate(self, which: int, qrels: Qrels) -> tuple[list[Floats], tuple[str, ...]]:
        """Give the values [run, query] of each measure, and the qids, by the level of people (0) or of a judge (1)."""
        context = replace(_judged_by(self._readings[which], qrels).context, documents=self._documents)
        of_runs = self._choose_queries(qrels)
        qids = tuple(sorted({qid for own in of_runs for qid in own}))
        column = {qid: at for at, qid in enumerate(qids)}
        values = np.full((len(self.measures), len(of_runs), len(qids)), nan)
        for number in sorted(range(len(of_runs)), key=of_runs.__getitem__):  # runs of the same queries in turn
            own = of_runs[number]
            values[:, number, [column[qid] for qid in own]] = self._measure(number, own, context)
        return list(values), qids

    def _choose_queries(self, qrels: Qrels) -> list[tuple[str, ...]]:
        """Choose the queries of each run that are evaluated."""
        if qrels.qids not in self._chosen:
            self._chosen[qrels.qids] = [
                choose_queries(run, qrels, None, only_judged=self._only_judged) for _, run in self.named
            ]
        return self._chosen[qrels.qids]

    def _measure(self, number: int, qids: tuple[str, ...], context: EvaluationContext) -> Floats:
        """Compute the measures [measure, query] of a run; inputs without judgments are kept for the next judge.

        Raises InputError if labels know none of the run's documents.
        """
        key = number, qids
        if key in self._inputs:
            return compute_values(self._inputs[key].take_judgments(context), self.measures, told=True)[0]
        inputs = Inputs(self.named[number][1], qids, context, self._depth)
        values, _ = compute_values(inputs, self.measures)
        self._inputs[key] = inputs
        return values

    def _compare_orders(
        self, row: int, people: Floats, judge: Floats, qids: Sequence[str], confidence: float
    ) -> JudgeOrder:
        measure = self.measures[row]
        if measure.better == "nearer 0":
            people, judge = np.abs(people), np.abs(judge)
        complete = find_complete(people) & find_complete(judge)
        people, judge = people[:, complete], judge[:, complete]
        queries = people.shape[1]
        kept = tuple(qid for qid, there in zip(qids, complete.tolist(), strict=True) if there)
        found, halves = self._describe(row, people, kept, confidence)
        one, other = (each.mean(axis=1) if queries else np.full(len(people), nan) for each in (people, judge))
        return JudgeOrder(
            measure=str(measure),
            runs=len(people),
            queries=queries,
            tau_b=tau_b(one[None], other[None]).item() if queries else nan,
            tau_ap=tau_ap(badness(one, measure.better), badness(other, measure.better)),
            reliability=found.reliability,
            low=found.low,
            high=found.high,
            judge_reliability=estimate_reliability(judge).reliability,
            halves=halves,
            doubtful=found.doubtful,
        )

    def _describe(self, row: int, values: Floats, qids: tuple[str, ...], confidence: float) -> tuple[Any, float]:
        """Give the reliability of people's order and the tau of halves, once for the same values."""
        key = row, values.tobytes()
        if key not in self._reliabilities:
            if qids not in self._halves:
                self._halves[qids] = list(halve_queries(qids))
            found = estimate_reliability(values, confidence)
            self._reliabilities[key] = found, correlate_halves(values, self._halves[qids])
        return self._reliabilities[key]

    @property
    def notes(self) -> list[Note]:
        """Note the documents of which nothing is known."""
        documents = self._documents
        strange = 0 if documents is None else documents.missing_count
        return (
            [UNCOUNTED.note(unknown=strange, documents=len(documents.document_counts.known))]
            if documents and strange
            else []
        )


def _open(measures: Any, human: Any, given: dict[str, Any]) -> Evaluator:
    """Open a session, which refuses a run of which the labels know no measured document, as ``evaluate`` does.

    Raises UsageError for a measure that does not look at judgments.
    """
    keywords, known = {"qrels": human, **given}, Keywords.__annotations__
    if not measures:
        with suppress(UsageError):
            return Evaluator(settle(DEFAULT, keywords, known))
        return Evaluator(settle(DEFAULT[0], keywords, known))
    if not is_of_judgments(list_sources(given.get("labels"))):
        _refuse_unjudged(measures)
    plan = settle(measures, keywords, known)
    refuse_geometric(plan.measures)
    return Evaluator(plan)


def _refuse_unjudged(measures: Any) -> None:
    """Raise UsageError for a measure that does not look at judgments, whatever else it lacks."""
    for each in [measures] if isinstance(measures, str | Measure) else measures:
        for measure in [each] if isinstance(each, Measure) else registry.parse(str(each)):
            if not needs_judgments(measure):
                raise unjudged_error(measure)


def _judged_by(reading: Reading, qrels: Qrels) -> Reading:
    """Put other judgments in place of those of a reading."""
    utility, _ = split_relevance(reading.measures)
    judge = RelevanceEvaluator(utility, qrels) if utility else None
    opened = {**reading.context.opened, "qrels": qrels}
    return replace(reading, context=replace(reading.context, opened=opened, judge=judge, of_judged={}))


def _place(values: Floats, qids: Sequence[str], wanted: Sequence[str]) -> Floats:
    """Give the values [run, query] of the wanted queries, nan where there is none."""
    place = {qid: number for number, qid in enumerate(qids)}
    found = np.full((len(values), len(wanted)), nan)
    there = [number for number, qid in enumerate(wanted) if qid in place]
    found[:, there] = values[:, [place[wanted[number]] for number in there]]
    return found


def note_unreliable(orders: Sequence[JudgeOrder], measures: Sequence[Measure]) -> list[Note]:
    """Note the measures by which people's own order is not reliable."""
    doubtful = {order.measure for order in orders if order.reliability < COMMON}
    several = [measure for measure in measures if str(measure) in doubtful]
    return [UNRELIABLE.note(measures=several)] if several else []
