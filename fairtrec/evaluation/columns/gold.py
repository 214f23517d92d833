"""Means that gold labels correct: labels by people, drawn with known probabilities (``--gold``)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from fairtrec.data import Ints
from fairtrec.evaluation.answers import GOLD_BY_T
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import FollowingText, FollowingTexts, MeanCell, ScoreColumn, Scores
from fairtrec.evaluation.columns.scored_run import Computed, ScoredRun
from fairtrec.evaluation.gold_correction import find_correctors
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.statistics.doubt import TOO_NARROW, explain_doubt, mark_doubt
from fairtrec.statistics.gold_correctors import (
    LEVEL,
    Corrected,
    Corrector,
    DocumentCorrector,
    average_values,
    correct_mean,
)
from fairtrec.statistics.gold_estimates import FEWEST, Estimate
from fairtrec.statistics.procedure import Procedure
from fairtrec.support.errors import UsageError
from fairtrec.support.literals import Method
from fairtrec.support.notes import Note, NoteKind, NoteSeverity

PLACES = 4
CORRECTED = NoteKind(
    "corrected interval", "[low, high]: {percent} interval of the corrected value; it covers {of}", NoteSeverity.LEGEND
)
DOUBTFUL_CORRECTED = NoteKind(
    "doubtful corrected interval",
    TOO_NARROW,
    NoteSeverity.LEGEND,
)
NO_INTERVAL = NoteKind(
    "no corrected interval",
    "no interval: fewer than {fewest} labeled queries, or none has another value",
)
BY_CORRECTED = NoteKind("sorted by corrected means", "corrected means mark and sort the runs", NoteSeverity.BACKGROUND)
NO_HELP = NoteKind("no help", "the instrument does not help: gold labels without it estimate {value} [{low}, {high}]")


@dataclass(frozen=True, eq=False)
class Corrections(ScoreColumn):
    """What corrects each measure of a run; None of one that looks at no group, the value of which stays.

    The interval of a corrected mean is of labels only, and of queries as well if there is a ``confidence``.
    """

    name: ClassVar[str] = "gold"
    cells = (MeanCell("corrected", "mean"), MeanCell("low"), MeanCell("high"))

    rows: tuple[Corrector | None, ...]
    confidence: float | None = None

    def join(self, other: "Corrections", order: Sequence[int]) -> "Corrections":
        """Put those of other measures behind these, and all in another order."""
        rows = self.rows + other.rows
        return replace(self, rows=tuple(rows[row] for row in order))

    def keep_queries(self, queries: Sequence[int]) -> "Corrections":
        """Keep some of the queries, by number."""
        return replace(self, rows=tuple(None if row is None else row.keep_queries(queries) for row in self.rows))

    def keep_measures(self, rows: Sequence[int]) -> "Corrections":
        """Keep some of the measures, by number."""
        return replace(self, rows=tuple(self.rows[row] for row in rows))

    def with_confidence(self, confidence: float, interval: Method, clusters: Ints | None) -> "Corrections":
        """Take the queries into the intervals. Raises UsageError for intervals of the bootstrap, and by clusters."""
        if interval != "t":
            raise UsageError(GOLD_BY_T)
        if clusters is not None:
            raise UsageError("intervals by gold labels take queries for independent; leave out --cluster, or --gold")
        return replace(self, confidence=confidence)

    def settle(self, scores: Scores) -> tuple[Corrected | None, ...]:
        """Correct each mean, with an interval that ends where the values of the measure do; None stays."""
        found: list[Corrected | None] = []
        for number, (row, values, mean) in enumerate(zip(self.rows, scores.values, scores.means, strict=True)):
            bounds = scores.find_bounds(number)
            found.append(None if row is None else correct_mean(row, values, float(mean), self.confidence, bounds))
        return tuple(found)

    def numbers(self, scores: Scores, row: int) -> Mapping[str, float]:
        """Give the corrected mean and its interval; before it the mean that is corrected, if it is another."""
        found = scores.settle(self.name)[row]
        if found is None:
            return {}
        before = {} if found.without_tau is None else {"without_tau": found.without_tau}
        return before | {name: getattr(found, name) for name, *_ in self.cells}

    def decide(self, scores: Scores) -> Mapping[int, float]:
        """Compare runs by the corrected means."""
        several = enumerate(scores.settle(self.name))
        return {row: found.corrected for row, found in several if found is not None and not found.why}

    def describe_mean(self, scores: Scores, row: int) -> Mapping[str, Any]:
        """Give the corrected mean, and how many gold labels it rests on and how many of them differ."""
        found = scores.settle(self.name)[row]
        if found is None:
            return {}
        numbers = {name: getattr(found, name) for name, *_ in self.cells}
        numbers |= {} if found.without_tau is None else {"without_tau": found.without_tau}
        return numbers | {"gold": found.gold, "differ": found.differ, "doubtful": found.doubtful}

    def follow(self, scores: Scores, total: str | None, places: int) -> FollowingTexts:
        """Write each corrected mean and its interval; - if it is not corrected.

        ? is behind an interval that is surer than few labels can be. Before it is the mean that is corrected, if it is
        another than that of the measure.
        """
        if total is not None:
            return {}
        several = scores.settle(self.name)
        before = [None if found is None else found.without_tau for found in several]
        return {
            "tau=0": [None if value is None else FollowingText(f"{value:.{places}f}") for value in before],
            "corrected": [found and _write(found, places) for found in several],
        }

    @classmethod
    def list_notes(cls, result: Result, called: Sequence[str]) -> list[Note]:
        """Say what intervals of corrected values are of, which have none, and where the instrument is no help."""
        runs = cls.find_all(result.scores)
        every = chain.from_iterable(scores.settle(cls.name) for scores, _ in runs)
        found = [each for each in every if each is not None and not each.why]
        if not found:
            return []
        confidence = runs[0][1].confidence
        percent = Procedure(confidence=LEVEL if confidence is None else confidence).percent
        of = "the draw of labels, for these queries only" if confidence is None else "the draw of labels and of queries"
        notes = [CORRECTED.note(percent=percent, of=of)]
        if any(each.doubtful for each in found):
            notes.append(DOUBTFUL_CORRECTED.note(rule=explain_doubt("errors of labeled queries")))
        if any(np.isnan(each.low) for each in found):
            notes.append(NO_INTERVAL.note(fewest=FEWEST))
        if len(runs) > 1:
            notes.append(BY_CORRECTED.note())
        for name, (scores, gold) in zip(called, runs, strict=True):
            notes += [note.assign_runs([scores.run], [name], len(called)) for note in _note_no_help(scores, gold)]
        return notes


def _write(found: Corrected, places: int) -> FollowingText:
    if found.why:
        return FollowingText("-")
    value, low, high = (f"{each:.{places}f}" for each in (found.corrected, found.low, found.high))
    return FollowingText(value, mark_doubt("" if low == "nan" else f" [{low}, {high}]", doubtful=found.doubtful))


def _note_no_help(scores: Scores, gold: Corrections) -> Iterator[Note]:
    """Name the measures for which gold labels alone would give a narrower interval, and which."""
    for measure, row, found in zip(scores.measures, gold.rows, scores.settle(gold.name), strict=True):
        if not isinstance(row, DocumentCorrector) or found is None or found.why or row.untold.any():
            continue
        drawn = row.take_drawn()
        alone, mine = drawn.gold_alone(), drawn.estimate()
        if alone is not None and mine is not None and alone[1].variance < mine.variance:
            value, estimate = alone
            low, high = (f"{end:.{PLACES}f}" for end in estimate.find_interval(value, LEVEL))
            yield NO_HELP.note(measure=measure, value=f"{value:.{PLACES}f}", low=low, high=high)


def compute(scored: ScoredRun) -> Computed:
    """Find what corrects each measure of the run."""
    scores = scored.scores
    inputs = scored.inputs or Inputs(scored.system.runs[0], scores.qids, scored.context, None)
    rows, said = find_correctors(inputs, scores.measures, scores.values)
    return Corrections(rows), said


def estimate_difference(mine: Scores, theirs: Scores, row: int) -> tuple[Estimate | None, bool, float]:
    """Estimate what gold labels add to the mean difference of two runs in a measure, over the same queries.

    None if they do not correct it; then comes whether few labels may differ, and the mean difference that is corrected.
    Both runs have gold labels.
    """
    one, other = (gold.rows[row] for _, gold in Corrections.find_all((mine, theirs)))
    if one is None or other is None:
        return None, False, float("nan")
    labels = one.estimate_difference(other)
    if labels is None:
        return None, one.has_few_errors, float("nan")
    with np.errstate(invalid="ignore"):  # of two that are infinite there is no difference
        return labels, one.has_few_errors, average_values(one.values - other.values)
