"""What values could be if the groups or the texts of unknown documents were known: the column of labels and texts."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fairtrec.data import Bools, Floats, Ints
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.columns.intervals import Intervals, note_moved
from fairtrec.formulas.labelings.unlabeled import DRAWN
from fairtrec.formulas.rounding import NEAR, same
from fairtrec.support.notes import Note, NoteKind, NoteSeverity

NO_UNKNOWN = NoteKind("no unknown", "unknown documents change no value")
OVER_TEXTS = NoteKind("bounds of texts", "[least, greatest]: over all texts that are missing", NoteSeverity.LEGEND)
OVER_LABELS = NoteKind(
    "bounds of labels",
    "[least, greatest] ~expected: over all ways to assign each unknown document to one group{or_none}",
    NoteSeverity.LEGEND,
)
OUTSIDE = NoteKind("outside", "outside: no {way} gives this value, see docs/bounds.md", NoteSeverity.LEGEND)
UNKNOWN = NoteKind(
    "unknown",
    "unknown documents can change values of {moving} of {of} runs, in {most} at most{also}",
    NoteSeverity.MISLEADING,
)
UNKNOWN_OF_ONE = NoteKind(
    "unknown of one run",
    "unknown documents can change the value of {moved} of {queries} queries{also}",
    NoteSeverity.MISLEADING,
)
OVERLAP = NoteKind("overlapping bounds", "the bounds overlap, so they do not show {which}", NoteSeverity.MISLEADING)


@dataclass(frozen=True, eq=False)
class UnknownIntervals(Intervals):
    """What the values of a run [measure, query] are over all ways to give each document of unknown group one group.

    Each equals the value where a measure looks at no such document. The value may be nan, or lie outside, where these
    are defined. All fields are [measure, query].
    """

    name: ClassVar[str] = "unknown"

    number: Ints  # how many documents of unknown group the measure looks at
    bounded: Bools  # an end is a bound that no labeling passes, and perhaps none attains
    sampled: Bools  # the expected value is that of labelings drawn at random
    drawn: Bools  # the ends are those of drawn labelings, too, and so no bounds
    rank: Ints  # of the unknown document that moves the value most; 0 where there is none, or it was not asked for
    moves: Floats  # how far apart it moves the value; nan where there is none
    docno: Any  # which it is; "" where there is none
    documents: Any  # the unknown documents that the measure looks at, a tuple of docnos; empty where not asked for

    @classmethod
    def none(cls, values: Floats) -> "UnknownIntervals":
        """Say of values that no group is unknown."""
        shape = values.shape
        documents = np.empty(shape, dtype=object)
        documents.fill(())
        return cls(
            least=values.copy(),
            greatest=values.copy(),
            expected=values.copy(),
            number=np.zeros(shape, dtype=np.int64),
            bounded=np.zeros(shape, dtype=np.bool_),
            sampled=np.zeros(shape, dtype=np.bool_),
            drawn=np.zeros(shape, dtype=np.bool_),
            rank=np.zeros(shape, dtype=np.int64),
            moves=np.full(shape, np.nan),
            docno=np.full(shape, "", dtype=object),
            documents=documents,
        )

    def outside(self, values: Floats) -> Bools:
        """Tell which values no labeling gives [measure, query]."""
        beyond: Bools = (values < self.least - NEAR) | (values > self.greatest + NEAR)
        return beyond & ~self.drawn

    def fill(self, empty: Bools, counts_as: Floats) -> "UnknownIntervals":  # noqa: ARG002 - an end may be defined
        """Fill each end where it is undefined itself."""
        ends: dict[str, Any] = {end: np.where(np.isnan(of), counts_as, of) for end, of in self.ends().items()}
        return replace(self, **ends)

    def decide(self, scores: Scores) -> Mapping[int, float]:
        """Compare no means that no labeling gives."""
        return {row: np.nan for row in range(len(scores.measures)) if self.misleads(scores, row)}

    def misleads(self, scores: Scores, row: int) -> bool:
        """Tell whether no labeling gives the mean, over the queries that have a value."""
        there = ~np.isnan(scores.mean_values[row])
        if not there.any() or self.drawn[row].any():
            return False
        value, least, greatest = (each[row, there] for each in (scores.values, self.least, self.greatest))
        with np.errstate(invalid="ignore"):
            return bool(value.mean() < least.mean() - NEAR or value.mean() > greatest.mean() + NEAR)

    def describe_mean(self, scores: Scores, row: int) -> Mapping[str, Any]:
        """Give the means of the three, and in how many queries documents are unknown, and bounds are no bounds."""
        counts = {"with_bounds": int(scores.ends["least"].defined[row]), "unknown": int((self.number[row] > 0).sum())}
        counts |= {name: int(getattr(self, name)[row].sum()) for name in ("drawn", "bounded", "sampled")}
        counts["outside"] = int(self.outside(scores.values)[row].sum())
        return {**super().describe_mean(scores, row), **counts}

    def describe_queries(self, scores: Scores, spelled: Sequence[str]) -> Mapping[str, Any]:
        """Give the ends, and for each query and measure the unknown document that moves the value most."""
        following: dict[str, dict[str, dict[str, Any]]] = {}
        for query, row in zip(*(each.tolist() for each in self.rank.T.nonzero()), strict=True):
            at = row, query
            told = {"rank": int(self.rank[at]), "docno": self.docno[at], "moves": self.moves[at]}
            following.setdefault(scores.qids[query], {})[spelled[row]] = told
        return {**super().describe_queries(scores, spelled), "label_next": following}

    def suffixes(self, scores: Scores, query: int | str | None, places: int) -> list[str]:
        """Write the three, and whether the value is outside of them."""
        written = super().suffixes(scores, query, places)
        if isinstance(query, str):
            return written
        if query is None:
            outside = [self.misleads(scores, row) for row in range(len(written))]
        else:
            outside = self.outside(scores.values)[:, query].tolist()
        return [f"{text} outside" if is_outside else text for text, is_outside in zip(written, outside, strict=True)]

    @classmethod
    def list_notes(cls, result: Result, called: Sequence[str]) -> list[Note]:  # noqa: ARG003 - of all runs
        """Say to which measures unknown groups matter, in how many queries, and how the ends were found."""
        runs = cls.find_all(result.scores)
        texts = result.signature.get("bounds") == "texts"
        way = "text" if texts else "labeling"
        rows = [row for row, measure in enumerate(result.scores[0].measures) if not measure.of_pool]
        said = [note for row in rows for note in _note_open(row, runs, result, way)]
        if not said:
            return [NO_UNKNOWN.note()] * bool(rows)
        members, prior = (result.signature.get(key, "") for key in ("members", "prior"))
        may_be = re.search(r", none \d", members) or "-=" in prior
        key = [OVER_TEXTS.note() if texts else OVER_LABELS.note(or_none=", or none" if may_be else "")]
        key += [OUTSIDE.note(way=way)] * any(found.misleads(scores, row) for scores, found in runs for row in rows)
        return [*key, *said, *_note_overlap(result, runs)]


def _note_open(row: int, runs: Sequence[tuple[Scores, UnknownIntervals]], result: Result, way: str) -> list[Note]:
    """Count the queries of each run in which one measure is open, beyond its interval, bounded or drawn."""
    moved = [int(_find_moved(scores, found)[row].sum()) for scores, found in runs]
    also = {
        f"no {way} gives the value": [found.outside(scores.values)[row] for scores, found in runs],
        "the value is undefined, but its bounds are not": [
            np.isnan(scores.values[row]) & ~np.isnan(found.least[row]) for scores, found in runs
        ],
        f"an end is a bound that no {way} need attain": [found.bounded[row] for _, found in runs],
        f"only {DRAWN} random labelings were tried: no bounds": [found.drawn[row] for _, found in runs],
        f"the expected is that of {DRAWN} random ones": [(found.sampled & ~found.drawn)[row] for _, found in runs],
    }
    many = {words: [int(some.sum()) for some in several] for words, several in also.items()}
    if not any(moved):
        return []
    note = note_moved((UNKNOWN, UNKNOWN_OF_ONE), moved, result, many)
    return [replace(note, measures=(result.scores[0].measures[row],))]


def _find_moved(scores: Scores, found: UnknownIntervals) -> Bools:
    """Tell for which queries the ends differ from each other, or from the value."""
    alike = same(found.least, found.greatest) & same(found.least, scores.values)
    return ~(alike | (np.isnan(found.least) & np.isnan(scores.values)))


def _by_size(scores: Scores) -> tuple[Scores, Scores]:
    """Give the least and the greatest values; where nearer 0 is better, the least and the greatest sizes."""
    least, greatest = scores.ends["least"], scores.ends["greatest"]
    low, high = least.values, greatest.values
    nearer = np.array([[measure.better == "nearer 0"] for measure in scores.measures])
    smallest = np.where((low < 0) & (high > 0), 0.0, np.minimum(np.abs(low), np.abs(high)))
    low, high = np.where(nearer, smallest, low), np.where(nearer, np.maximum(np.abs(low), np.abs(high)), high)
    return replace(least, values=low), replace(greatest, values=high)


def _note_overlap(result: Result, runs: Sequence[tuple[Scores, UnknownIntervals]]) -> list[Note]:
    """Name the measures whose intervals of means overlap, so that labels cannot tell which run is fairer."""
    if len(runs) < 2:
        return []
    ends = [[each.order_values for each in _by_size(scores)] for scores, _ in runs]
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
