"""How runs are ordered by the judgments of people and by those of a judge, over the same pairs."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np

from fairtrec.data import Bools, Floats, Qrels
from fairtrec.evaluation.evaluate import evaluator
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.documents import Documents
from fairtrec.evaluation.inputs.options import Choices
from fairtrec.evaluation.plan import refuse_unjudged
from fairtrec.evaluation.reading import Reading, read
from fairtrec.evaluation.relevance import RelevanceEvaluator
from fairtrec.evaluation.session import Evaluator
from fairtrec.evaluation.slices import align_values
from fairtrec.measure import Measure, badness
from fairtrec.measures.utility import refuse_geometric, split_relevance
from fairtrec.report.result_notes import COMMON
from fairtrec.statistics.agreement import correlation, tau_ap
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
    "{unknown} of {documents} documents of the runs and the qrels have no counts or text and count as neutral in "
    "measures of groups",
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
            raise UsageError(f"an order of runs takes {FEWEST} or more, and --runs names {len(named)}; name more")
        how = {name: getattr(choices, name) for name in ("order", "score_dtype", "run_format")}
        given = {**how, **instrument, "missing": "neutral"}
        self._sessions = [_open(measures, human, {**given, "relevance_level": level}) for level in levels]
        session = self._sessions[0]
        self.measures = session.measures
        self.named = [
            (name, loading.ranking(thing, name, choices, session.depth, is_run=True)) for name, thing in named
        ]
        self._readings = [each.prepare_reading(self.named) for each in self._sessions]
        self._documents: Documents | None = None
        if self._readings[0].two_pass:
            runs_read, _ = read(self.named, self._readings[0], 1, keep_going=False)
            self._documents = session.documents(runs_read, self._readings[0])
        self._by_people: tuple[bytes, list[Floats], tuple[str, ...]] | None = None
        self._halves: dict[tuple[str, ...], list[Bools]] = {}
        self._reliabilities: dict[tuple[int, bytes], tuple[Any, float]] = {}

    def compare(self, human: Qrels, judge: Qrels, kept: Bools, confidence: float) -> list[JudgeOrder]:
        """Compare the orders by people and by a judge, both cut to pairs in common; ``kept`` are those of people."""
        key = kept.tobytes()
        if self._by_people is None or self._by_people[0] != key:
            self._by_people = key, *self._evaluate(0, human)
        _, of_people, qids = self._by_people
        of_judge, others = self._evaluate(1, judge)
        if others != qids:
            of_judge = [_place(values, others, qids) for values in of_judge]
        return [
            self._compare_orders(row, of_people[row], of_judge[row], qids, confidence)
            for row in range(len(self.measures))
        ]

    def _evaluate(self, which: int, qrels: Qrels) -> tuple[list[Floats], tuple[str, ...]]:
        """Give the values [run, query] of each measure, and the qids, by the level of people (0) or of a judge (1)."""
        session, reading = self._sessions[which], _judged_by(self._readings[which], qrels)
        runs, _ = read(self.named, reading, 1, keep_going=False)
        scores = session.score_runs(runs, reading, self._documents)
        qids = tuple(sorted({qid for each in scores for qid in each.qids}))
        values = align_values(scores, qids)
        return [np.ascontiguousarray(values[:, row]) for row in range(values.shape[1])], qids

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
            tau_b=correlation(one, other, "kendall").value,
            tau_ap=tau_ap(badness(one, measure.better), badness(other, measure.better)),
            reliability=found.reliability,
            low=found.low,
            high=found.high,
            judge_reliability=estimate_reliability(judge).reliability,
            halves=halves,
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
    """Open a session; raises UsageError for a measure that does not look at judgments."""
    if not measures:
        with suppress(UsageError):
            return evaluator(DEFAULT, human, **given)
        return evaluator(DEFAULT[0], human, **given)
    session = evaluator(measures, human, **given)
    refuse_unjudged(session.plan)
    refuse_geometric(session.measures)
    return session


def _judged_by(reading: Reading, qrels: Qrels) -> Reading:
    """Put other judgments in place of those of a reading."""
    utility, _ = split_relevance(reading.measures)
    judge = RelevanceEvaluator(utility, qrels) if utility else None
    return replace(reading, context=replace(reading.context, qrels=qrels, judge=judge))


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
