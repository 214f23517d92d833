"""Intervals of values over what is left open: the least, the greatest and the expected value of each query."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairtrec.data import Floats
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import QueryColumn, Scores
from fairtrec.support.notes import Note, NoteKind

ENDS = ("least", "greatest", "expected")


@dataclass(frozen=True, eq=False)
class Intervals(QueryColumn):
    """What the values of a run [measure, query] could be as well: over all orders of ties, labelings or texts."""

    end_names: ClassVar[tuple[str, ...]] = ENDS

    least: Floats
    greatest: Floats
    expected: Floats

    def suffixes(self, scores: Scores, query: int | None, places: int) -> list[str]:
        """Write the three, unless the printed digits are those of the value."""
        several = (scores, *(scores.ends[end] for end in ENDS))
        rows = zip(*(each.spell(query, places) for each in several), strict=True)
        return ["" if len({*row}) == 1 else f" [{row[1]}, {row[2]}] ~{row[3]}".removesuffix(" ~nan") for row in rows]


def note_moved(
    kinds: tuple[NoteKind, NoteKind], moved: Sequence[int], result: Result, also: Mapping[str, Sequence[int]]
) -> Note:
    """Count the queries of each run in which a value moves; the second kind is of one run."""
    of_runs, of_one = kinds
    one, most = len(moved) == 1, "1 query" if max(moved) == 1 else f"{max(moved)} queries"
    parts = (f"; for {many[0] if one else f'up to {max(many)}'} {words}" for words, many in also.items() if any(many))
    if one:
        return of_one.note(moved=moved[0], queries=len(result.scores[0].qids), also="".join(parts))
    return of_runs.note(moving=int(np.count_nonzero(moved)), of=len(moved), most=most, also="".join(parts))
