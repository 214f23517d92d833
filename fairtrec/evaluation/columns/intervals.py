"""Intervals of values over what is left open: the least, the greatest and the expected value of each query."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

import numpy as np

from fairtrec.data import Floats, Ints, Run
from fairtrec.data.ranking.depth import deal_queries
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import QueryColumn, Scores
from fairtrec.support.notes import Note, NoteKind, write_queries

ENDS = ("least", "greatest", "expected")


@dataclass(frozen=True, eq=False)
class Intervals(QueryColumn):
    """What the values of a run [measure, query] could be as well: over all orders of ties, labelings or texts."""

    end_names: ClassVar[tuple[str, ...]] = ENDS

    least: Floats
    greatest: Floats
    expected: Floats

    def suffixes(self, scores: Scores, query: int | str | None, places: int) -> list[str]:
        """Write the three, unless the printed digits are those of the value; a total has none."""
        if isinstance(query, str):
            return super().suffixes(scores, query, places)
        several = (scores, *(scores.ends[end] for end in ENDS))
        rows = zip(*(each.spell(query, places) for each in several), strict=True)
        return ["" if len({*row}) == 1 else f" [{row[1]}, {row[2]}] ~{row[3]}".removesuffix(" ~nan") for row in rows]


SomeIntervals = TypeVar("SomeIntervals", bound=Intervals)


def split_scores(run: Run, scores: Scores, cells: int | None = None) -> Iterator[tuple[Ints, Scores]]:
    """Split scores by queries, into parts of rankings of similar length: the numbers of queries, and their scores.

    A part has no more ``cells`` [query, rank] than that, unless a few rankings have more.
    """
    for part in deal_queries(run, scores.qids, None, cells):
        qids = tuple(scores.qids[query] for query in part.tolist())
        yield part, replace(scores, qids=qids, values=scores.values[:, part])


def find_by_parts(run: Run, scores: Scores, find: Callable[[Scores], SomeIntervals]) -> SomeIntervals:
    """Find the intervals of each part of the queries, and put them together in the order of ``scores``."""
    parts, several = list[Ints](), list[SomeIntervals]()
    for part, some in split_scores(run, scores):
        parts.append(part)
        several.append(find(some))
    if len(several) == 1:
        return several[0]
    order = np.argsort(np.concatenate(parts), kind="stable")
    columns = zip(*(vars(one).values() for one in several), strict=True)
    return type(several[0])(*(np.concatenate(column, axis=1).take(order, axis=1) for column in columns))


def note_moved(
    kinds: tuple[NoteKind, NoteKind], moved: Sequence[int], result: Result, also: Mapping[str, Sequence[int]]
) -> Note:
    """Count the queries of each run in which a value moves; the second kind is of one run."""
    of_runs, of_one = kinds
    one, most = len(moved) == 1, write_queries([max(moved)])
    parts = (f"; for {many[0] if one else f'up to {max(many)}'} {words}" for words, many in also.items() if any(many))
    if one:
        return of_one.note(moved=moved[0], queries=len(result.scores[0].qids), also="".join(parts))
    return of_runs.note(moving=int(np.count_nonzero(moved)), of=len(moved), most=most, also="".join(parts))
