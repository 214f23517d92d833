"""What stands behind values, and what reports say of it: ends over ties, labellings or texts, and corrections by gold.

Where a format has one value in a place, they are measures of their own.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from fairtrec.data import Bools, Floats
from fairtrec.data.ranking.ties import DRAWN as ORDERS
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores, UnknownIntervals
from fairtrec.formulas.labellings.unlabelled import DRAWN
from fairtrec.formulas.rounding import NEAR, same
from fairtrec.measure import Measure, Quantity
from fairtrec.statistics.corrected import LEVEL, OfDocuments
from fairtrec.statistics.estimate import FEWEST
from fairtrec.statistics.procedure import DECIDING, Procedure
from fairtrec.support.notes import Note, NoteKind, NoteSeverity, merge_measures

PLACES = 4

OVER_ORDERS = NoteKind(
    "bounds of ties", "[least, greatest] ~expected: over all orders of tied documents", NoteSeverity.LEGEND
)
NO_TIES = NoteKind("no ties", "ties change no value")
TIES = NoteKind("ties", "ties change values of {moving} of {of} runs, in {most} at most{also}", NoteSeverity.MISLEADING)
TIES_OF_ONE = NoteKind(
    "ties of one run", "ties change the value of {moved} of {queries} queries{also}", NoteSeverity.MISLEADING
)
NO_UNKNOWN = NoteKind("no unknown", "nothing that is unknown changes a value")
OVER_TEXTS = NoteKind("bounds of texts", "[least, greatest]: over all texts that are missing", NoteSeverity.LEGEND)
OVER_LABELS = NoteKind(
    "bounds of labels",
    "[least, greatest] ~expected: over all ways to give each unknown document one group{or_none}",
    NoteSeverity.LEGEND,
)
OUTSIDE = NoteKind("outside", "outside: no {way} gives this value, see docs/unknown.md", NoteSeverity.LEGEND)
UNKNOWN = NoteKind(
    "unknown",
    "what is unknown can change values of {moving} of {of} runs, in {most} at most{also}",
    NoteSeverity.MISLEADING,
)
UNKNOWN_OF_ONE = NoteKind(
    "unknown of one run",
    "what is unknown can change the value of {moved} of {queries} queries{also}",
    NoteSeverity.MISLEADING,
)
OVERLAP = NoteKind("overlapping bounds", "the bounds overlap, so they do not tell {which}", NoteSeverity.MISLEADING)
CORRECTED = NoteKind(
    "corrected interval", "[low, high]: {percent} interval of the corrected value, {of}", NoteSeverity.LEGEND
)
DOUBTFUL = NoteKind(
    "doubtful corrected interval",
    "?: fewer than {fewest} labelled queries have another value, so the interval is too narrow",
    NoteSeverity.LEGEND,
)
NO_INTERVAL = NoteKind(
    "no corrected interval",
    "no interval: of fewer than {fewest} labelled queries, or if none has another value",
)
BY_CORRECTED = NoteKind(
    "sorted by corrected means", "runs are marked, and sorted, by corrected means", NoteSeverity.BACKGROUND
)
NO_HELP = NoteKind("no help", "the instrument is no help: gold alone gives {value} [{low}, {high}]{of_run}")


def list_notes(result: Result, called: Sequence[str]) -> list[Note]:
    """List the notes on ties, on what is unknown and on gold labels, if these were asked for."""
    notes: list[Note] = []
    if any(scores.ties for scores in result.scores):
        notes += _note_ties(result)
    if any(scores.unknown for scores in result.scores):
        notes += _note_unknown(result)
    if any(scores.gold for scores in result.scores):
        notes += _note_gold(result, called)
    return notes


@dataclass(frozen=True)
class End(Quantity):
    """The least, greatest or expected value of a measure, as a row or column of its own: ``nDCG@10.least``."""

    of: Quantity
    end: str
    better = "neither"

    @property
    def total(self) -> bool:  # type: ignore[override]  # that of the measure
        """Whether a run's value is the sum over queries."""
        return self.of.total

    def __str__(self) -> str:
        return f"{self.of}.{self.end}"


class IntervalEnd(End):
    """An end of the interval of a mean, which single queries have not."""

    of_mean = True


def with_bounds(result: Result) -> Result:
    """Put the interval of each mean behind it, where it was asked for, as two measures of their own; a sum has none.

    Before it the mean that gold labels have corrected, if there are any.
    """
    several = (_with_bounds(each) if each.confidence or each.gold else each for each in result.scores)
    return replace(result, scores=tuple(several))


def _with_bounds(scores: Scores) -> Scores:
    none = np.full(len(scores.qids), np.nan)
    rows: list[tuple[Quantity, Floats, float]] = []
    columns = zip(scores.measures, scores.values, scores.means.tolist(), strict=True)
    for row, (measure, values, mean) in enumerate(columns):
        rows.append((measure, values, mean))
        ends: dict[str, float] = {}
        if scores.gold is not None and (found := scores.corrected[row]) is not None:
            before = {} if found.without_tau is None else {"without_tau": found.without_tau}
            ends = before | {end: getattr(found, end) for end in ("corrected", "low", "high")}
        elif scores.within is not None and not measure.total:
            ends = dict(zip(("low", "high"), scores.within[row].tolist(), strict=True))
        rows += [(IntervalEnd(measure, end), none, value) for end, value in ends.items()]
    measures, values, means = zip(*rows, strict=True)
    wide = replace(scores, measures=measures, values=np.array(values), confidence=None, gold=None)
    vars(wide)["means"] = np.array(means)  # which are not all means of values
    return wide


def with_ends(result: Result) -> Result:
    """Put the three behind each measure, as measures of their own."""
    return replace(result, scores=tuple(_with_ends(scores) if scores.ends else scores for scores in result.scores))


def _with_ends(scores: Scores) -> Scores:
    measures = [one for measure in scores.measures for one in (measure, *(End(measure, end) for end in scores.ends))]
    values: Floats = np.stack([scores.values, *(each.values for each in scores.ends.values())], axis=1)
    several = cast("tuple[Measure, ...]", tuple(measures))
    return replace(scores, measures=several, values=values.reshape(len(measures), -1), ties=None, unknown=None)


def _note_ties(result: Result) -> list[Note]:
    """Say to which measures ties matter, in how many queries, and where not all orders were evaluated."""
    runs = [scores.ties for scores in result.scores if scores.ties is not None]
    said = []
    for row, measure in enumerate(result.scores[0].measures):
        with np.errstate(invalid="ignore"):  # where both ends are infinite, nothing moves
            moved = [int((ties.greatest[row] - ties.least[row] > NEAR).sum()) for ties in runs]
        drawn = [int(ties.drawn[row]) for ties in runs]
        tried = {f"only {ORDERS} random orders were tried, which may miss both ends": drawn}
        if any(moved) or any(drawn):
            said.append(replace(_note_moved((TIES, TIES_OF_ONE), moved, result, tried), measures=(measure,)))
    return [OVER_ORDERS.note(), *merge_measures(said)] if said else [NO_TIES.note()]


def _note_unknown(result: Result) -> list[Note]:
    """Say to which measures unknown groups matter, in how many queries, and how the ends were found."""
    runs = [(scores, scores.unknown) for scores in result.scores if scores.unknown is not None]
    texts = result.signature.get("bounds") == "texts"
    way = "text" if texts else "labelling"
    rows = range(len(result.scores[0].measures))
    said = [note for row in rows for note in _note_open(row, runs, result, way)]
    if not said:
        return [NO_UNKNOWN.note()]
    may_be = re.search(r", none \d", result.signature.get("members", "")) or "-=" in result.signature.get("prior", "")
    key = [OVER_TEXTS.note() if texts else OVER_LABELS.note(or_none=", or none" if may_be else "")]
    key += [OUTSIDE.note(way=way)] * any(outside(scores, row, None) for scores, _ in runs for row in rows)
    return [*key, *merge_measures(said), *_note_overlap(result)]


def _note_moved(
    kinds: tuple[NoteKind, NoteKind], moved: Sequence[int], result: Result, also: Mapping[str, Sequence[int]]
) -> Note:
    """Count the queries of each run in which a value moves; the second kind is of one run."""
    of_runs, of_one = kinds
    one, most = len(moved) == 1, "1 query" if max(moved) == 1 else f"{max(moved)} queries"
    parts = (f"; for {many[0] if one else f'up to {max(many)}'} {words}" for words, many in also.items() if any(many))
    if one:
        return of_one.note(moved=moved[0], queries=len(result.scores[0].qids), also="".join(parts))
    return of_runs.note(moving=int(np.count_nonzero(moved)), of=len(moved), most=most, also="".join(parts))


def _note_open(row: int, runs: Sequence[tuple[Scores, UnknownIntervals]], result: Result, way: str) -> list[Note]:
    """Count the queries of each run in which one measure is open, beyond its interval, bounded or drawn."""
    moved = [int(_matters(scores, found)[row].sum()) for scores, found in runs]
    also = {
        f"no {way} gives the value": [found.outside(scores.values)[row] for scores, found in runs],
        "the value is undefined, but its bounds are not": [
            np.isnan(scores.values[row]) & ~np.isnan(found.least[row]) for scores, found in runs
        ],
        f"an end is a bound that no {way} need attain": [found.bounded[row] for _, found in runs],
        f"only {DRAWN} random labellings were tried: no bounds": [found.drawn[row] for _, found in runs],
        f"the expected is that of {DRAWN} random ones": [(found.sampled & ~found.drawn)[row] for _, found in runs],
    }
    many = {words: [int(some.sum()) for some in several] for words, several in also.items()}
    if not any(moved):
        return []
    note = _note_moved((UNKNOWN, UNKNOWN_OF_ONE), moved, result, many)
    return [replace(note, measures=(result.scores[0].measures[row],))]


def _matters(scores: Scores, found: UnknownIntervals) -> Bools:
    """Tell for which queries the ends differ from each other, or from the value."""
    alike = same(found.least, found.greatest) & same(found.least, scores.values)
    return ~(alike | (np.isnan(found.least) & np.isnan(scores.values)))


def outside(scores: Scores, row: int, query: int | None) -> bool:
    """Tell whether no labelling gives one query's value, or the mean, over the queries that have a value."""
    found = scores.unknown
    assert found is not None
    if query is not None:
        return bool(found.outside(scores.values)[row, query])
    there = ~np.isnan(scores.values[row])
    if not there.any() or found.drawn[row].any():
        return False
    value, least, greatest = (each[row, there] for each in (scores.values, found.least, found.greatest))
    with np.errstate(invalid="ignore"):
        return bool(value.mean() < least.mean() - NEAR or value.mean() > greatest.mean() + NEAR)


def _by_size(scores: Scores) -> tuple[Scores, Scores]:
    """Give the least and the greatest values; where nearer 0 is better, the least and the greatest sizes."""
    least, greatest, _ = scores.ends.values()
    low, high = least.values, greatest.values
    nearer = np.array([[measure.better == "nearer 0"] for measure in scores.measures])
    smallest = np.where((low < 0) & (high > 0), 0.0, np.minimum(np.abs(low), np.abs(high)))
    low, high = np.where(nearer, smallest, low), np.where(nearer, np.maximum(np.abs(low), np.abs(high)), high)
    return replace(least, values=low), replace(greatest, values=high)


def _note_overlap(result: Result) -> list[Note]:
    """Name the measures whose intervals of means overlap, so that labels cannot tell which run is fairer."""
    if len(result.scores) < 2:
        return []
    ends = [[each.compared for each in _by_size(scores)] for scores in result.scores if scores.ends]
    least, greatest = np.array([each[0] for each in ends]), np.array([each[1] for each in ends])
    overlap = []
    for row, measure in enumerate(result.scores[0].measures):
        if measure.better == "neither" or not (greatest[:, row] > least[:, row] + NEAR).any():
            continue
        pairs = ((a, b) for a in range(len(ends)) for b in range(a))
        if any(least[a, row] <= greatest[b, row] and least[b, row] <= greatest[a, row] for a, b in pairs):
            overlap.append(measure)
    if not overlap:
        return []
    which = "which run is fairer" if len(ends) == 2 else "which of some runs is fairer"
    return [OVERLAP.note(measures=overlap, which=which)]


def _note_gold(result: Result, called: Sequence[str]) -> list[Note]:
    """Say what intervals of corrected values are of, which have none, and where the instrument is no help."""
    found = [each for scores in result.scores for each in scores.corrected if each is not None and not each.why]
    if not found:
        return []
    confidence = result.scores[0].confidence
    percent = Procedure(confidence=LEVEL if confidence is None else confidence).percent
    of = "of labels alone, for these queries" if confidence is None else "of queries and labels"
    notes = [CORRECTED.note(percent=percent, of=of)]
    if any(each.doubtful for each in found):
        notes.append(DOUBTFUL.note(fewest=DECIDING))
    if any(np.isnan(each.low) for each in found):
        notes.append(NO_INTERVAL.note(fewest=FEWEST))
    if len(result.scores) > 1:
        notes.append(BY_CORRECTED.note())
    for name, scores in zip(called, result.scores, strict=True):
        notes += _note_no_help(scores, f" ({name})" if len(called) > 1 else "")
    return notes


def _note_no_help(scores: Scores, of_run: str) -> Iterator[Note]:
    """Name the measures for which gold labels alone would give a narrower interval, and which."""
    assert scores.gold is not None
    for measure, row, found in zip(scores.measures, scores.gold.rows, scores.corrected, strict=True):
        if not isinstance(row, OfDocuments) or found is None or found.why or row.untold.any():
            continue
        drawn = row.drawn()
        alone, mine = drawn.gold_alone(), drawn.estimate()
        if alone is not None and mine is not None and alone[1].variance < mine.variance:
            value, estimate = alone
            low, high = (f"{end:.{PLACES}f}" for end in estimate.ends(value, LEVEL))
            yield NO_HELP.note(measure=measure, value=f"{value:.{PLACES}f}", low=low, high=high, of_run=of_run)
