"""How many queries have ties between documents of different groups, whose docnos then decide, and the value without.

A query is counted for a measure if a document at the ranks that the measure reads is of a block of equal scores that
holds two documents of different membership, also if the block goes on below the cutoff. For a measure of the set of
these documents, such as MaxShare@10, it must go on there: within the ranks, ties change nothing.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fairtrec.data import MISSING, Bools, Floats, Run
from fairtrec.data.ranking.depth import find_depth
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import ScoreColumn, Scores
from fairtrec.evaluation.columns.scored_run import Computed, ScoredRun
from fairtrec.evaluation.tied_pairs import WHOLE, TiedPairs
from fairtrec.measure import Measure
from fairtrec.measures.catalogue.needs import is_of_ranked_groups
from fairtrec.support.notes import Note, NoteKind, NoteSeverity, merge_runs

FEWEST = 10  # tied pairs, of fewer of which nothing is said
MANY = 0.05  # of the queries: from here on a measure without an expected value is noted
PLACES = 4  # digits of which one must differ
_TIED = (
    "in {mixed} of {queries} queries, documents of different groups have equal scores and are ordered by falling "
    "docno, as trec_eval"
)
_VALUES = "the value is {value:.4f}, the average over all orders {expected:.4f}"
_MOVED = f"{_TIED}: {_VALUES} (--bounds ties){{pairs}}{{more}}"
MOVED = NoteKind("mixed ties", _MOVED, NoteSeverity.MISLEADING)
OPEN = NoteKind(
    "mixed ties, no expected value",
    f"{_TIED}; --bounds ties prints the lowest and highest possible value{{pairs}}{{more}}",
    NoteSeverity.MISLEADING,
)


@dataclass(frozen=True, eq=False)
class MixedTies(ScoreColumn):
    """Which queries have ties of different groups [measure, query], and the values expected over all ties.

    ``looks`` [measure] is False for a measure that needs no groups. ``expected`` is nan where the value is, and where
    it has no closed form.
    """

    name: ClassVar[str] = "mixed_ties"
    is_of_means: ClassVar[bool] = True

    looks: Bools
    is_mixed: Bools
    expected: Floats
    pairs: TiedPairs

    def join(self, other: "MixedTies", order: Sequence[int]) -> "MixedTies":
        """Put those of other measures behind these, and all in another order."""
        both = self.pairs.join(other.pairs)
        looks, is_mixed, expected = (
            np.concatenate((getattr(self, name), getattr(other, name))) for name in ("looks", "is_mixed", "expected")
        )
        return MixedTies(looks, is_mixed, expected, both).keep_measures(order)

    def keep_queries(self, queries: Sequence[int]) -> "MixedTies":
        """Keep some of the queries, by number."""
        pairs = self.pairs.keep_queries(queries, self.is_mixed.shape[1])
        return MixedTies(self.looks, self.is_mixed[:, list(queries)], self.expected[:, list(queries)], pairs)

    def keep_measures(self, rows: Sequence[int]) -> "MixedTies":
        """Keep some of the measures, by number."""
        at, pairs = list(rows), self.pairs.keep_measures(rows)
        return MixedTies(self.looks[at], self.is_mixed[at], self.expected[at], pairs)

    def fill(self, empty: Bools, counts_as: Floats) -> "MixedTies":
        """Put what undefined values count as where the value is empty."""
        return replace(self, expected=np.where(empty, counts_as, self.expected))

    def settle(self, scores: Scores) -> list[float | None]:
        """Compute the mean of the expected values of each measure; None if one of them has no closed form."""
        means = replace(scores, values=self.expected, columns={}).means.tolist()
        is_closed = self.looks & (np.isnan(self.expected) == np.isnan(scores.values)).all(axis=1)
        return [mean if closed else None for mean, closed in zip(means, is_closed.tolist(), strict=True)]

    def describe_mean(self, scores: Scores, row: int) -> Mapping[str, Any]:
        """Give in how many queries docnos decide, and the expected value, if it has a closed form."""
        if not self.looks[row]:
            return {}
        expected = scores.settle(self.name)[row]
        found: dict[str, Any] = {"mixed_ties": int(self.is_mixed[row].sum())}
        return found if expected is None else found | {"expected": expected}

    @classmethod
    def list_notes(cls, result: Result, called: Sequence[str]) -> list[Note]:
        """Note for each run the measure whose mean ties of different groups move most, and count the others."""
        is_told = result.signature.get("bounds", "").startswith("ties")
        if is_told:
            return []
        places = {scores.run: place for place, scores in enumerate(result.scores)}
        said: dict[Note, list[int]] = {}
        for scores, column in cls.find_all(result.scores):
            note = column.note_moved(scores)
            if note is not None:
                said.setdefault(note, []).append(places[scores.run])
        return merge_runs(said, [scores.run for scores in result.scores], called) if said else []

    def note_moved(self, scores: Scores) -> Note | None:
        """Note the measure whose mean differs most from the expected one, or the first without an expected one."""
        if not self.is_mixed.any():
            return None
        means, expected = scores.means.tolist(), scores.settle(self.name)
        mixed = self.is_mixed.sum(axis=1).tolist()
        moved, left_open = list[tuple[float, int]](), list[int]()
        for row, (mean, other) in enumerate(zip(means, expected, strict=True)):
            if mixed[row] and other is None and mixed[row] >= MANY * len(scores.qids):
                left_open.append(row)
            elif mixed[row] and other is not None and f"{mean:.{PLACES}f}" != f"{other:.{PLACES}f}":
                moved.append((-abs(mean - other), row))
        if not moved and not left_open:
            return None
        row = min(moved)[1] if moved else left_open[0]
        others = len(moved) + len(left_open) - 1
        pair = self.pairs.count(row)
        affected = "1 more measure is affected" if others == 1 else f"{others} more measures are affected"
        texts = {"pairs": "", "more": f"; {affected}" if others else ""}
        if pair is not None and pair[3] >= FEWEST:
            texts["pairs"] = f"; {pair[0]} is above {pair[1]} in {pair[2]} of {pair[3]} tied pairs"
        numbers = {"mixed": mixed[row], "queries": len(scores.qids)}
        if not moved:
            return OPEN.note(measure=scores.measures[row], **numbers, **texts)
        return MOVED.note(
            measure=scores.measures[row], **numbers, value=means[row], expected=expected[row] or 0.0, **texts
        )


def compute(scored: ScoredRun) -> Computed:
    """Count the queries with ties of different groups, and find the values expected over all ties."""
    scores, context, depth = scored.scores, scored.context, scored.choices.depth
    looks = np.array([is_of_ranked_groups(measure) for measure in scores.measures], dtype=np.bool_)
    is_mixed = np.zeros(scores.values.shape, dtype=np.bool_)
    expected = np.where(looks[:, None], scores.values, np.nan)
    table, reach = np.full((2, len(looks)), [[MISSING], [WHOLE]])
    rows = np.flatnonzero(looks).tolist()
    measures = [scores.measures[row] for row in rows]
    tied = _keep_tied(scored, measures) if measures else None
    if tied is None or not tied.qids:
        return MixedTies(looks, is_mixed, expected, TiedPairs((), table, reach)), ()
    from fairtrec.evaluation.columns.ties import expect, find_reach  # only where there are ties
    from fairtrec.evaluation.tied_groups import TiedGroups

    if (documents := context.documents) is not None:  # a copy, as those of the run keep what they found last
        context = replace(context, documents=documents.behind or copy(documents))
    place = {qid: at for at, qid in enumerate(scores.qids)}
    queries = np.array([place[qid] for qid in tied.qids])
    part = replace(scores, measures=tuple(measures), qids=tied.qids, values=scores.values[rows][:, queries])
    expected[np.array(rows)[:, None], queries] = expect(tied, part, context, depth)
    found = TiedGroups(tied, context)
    for row, measure in zip(rows, measures, strict=True):
        ranks = find_reach(measure, context, depth)
        reach[row] = WHOLE if ranks is None else ranks
        is_mixed[row, queries], table[row] = found.look(measure, reach[row])
    tables = tuple(each._replace(query=queries[each.query]) for each in found.tables)
    return MixedTies(looks, is_mixed, expected, TiedPairs(tables, table, reach)), ()


def _keep_tied(scored: ScoredRun, measures: Sequence[Measure]) -> Run:
    """Keep the queries with ties at the ranks that these measures read, and all documents that are tied there."""
    assert scored.tied is not None
    several = (find_depth(measures), scored.choices.depth)
    return scored.tied.keep_tied(scored.scores.qids, min((each for each in several if each is not None), default=None))
