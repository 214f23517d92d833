"""Which queries of a run have ties between documents of different groups, and which group stands above the other."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from fairtrec.data import MISSING, Bools, Floats, Run, take
from fairtrec.data.ranking.depth import deal_queries
from fairtrec.data.ranking.ties import Blocks
from fairtrec.evaluation.inputs.documents import EvaluationContext
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.evaluation.measure_values import list_parts
from fairtrec.evaluation.tied_pairs import NO_PAIRS, TiedPairs
from fairtrec.formulas.neutrality import membership
from fairtrec.measure import Measure

CELLS = 1 << 21  # of a matrix [query, rank, group]


class TiedGroups:
    """Which documents of a run with ties are of different groups. What measures share is looked up once."""

    def __init__(self, run: Run, context: EvaluationContext) -> None:
        self.run, self.context = run, context
        self._found: dict[Any, tuple[Bools, TiedPairs]] = {}

    def look(self, measure: Measure, reach: int | None) -> tuple[Bools, TiedPairs]:
        """Tell which queries are mixed for a measure [query] down to a rank, and count the pairs of tied documents."""
        several = list_parts(measure, self.context)
        names = tuple(each.by for each in several) or (measure.by,)
        key = names, reach
        if key not in self._found:
            is_mixed, pairs = np.zeros(len(self.run.qids), dtype=np.bool_), NO_PAIRS
            for name in names:
                here, of_name = self._look_by(name, reach)
                is_mixed |= here
                pairs = of_name if len(names) == 1 else NO_PAIRS
            self._found[key] = is_mixed, pairs
        return self._found[key]

    def _look_by(self, attribute: str, reach: int | None) -> tuple[Bools, TiedPairs]:
        context = self.context.take_attribute(attribute)
        is_mixed, pairs = np.zeros(len(self.run.qids), dtype=np.bool_), NO_PAIRS
        if context.is_vast or (context.labels is None and context.documents is None):
            return is_mixed, pairs
        wide = max(len(Inputs(self.run, (), context, None).groups), 1)
        for queries in deal_queries(self.run, self.run.qids, None, CELLS // wide):
            inputs = Inputs(self.run, [self.run.qids[query] for query in queries], context, None)
            lines = inputs.lines
            blocks = Blocks.find(self.run, lines)
            belongs = know_membership(inputs)
            differs = np.zeros(lines.shape, dtype=np.bool_)
            same_block = blocks.number[:, 1:] == blocks.number[:, :-1]
            differs[:, 1:] = same_block & (belongs[:, 1:] != belongs[:, :-1]).any(axis=2)
            is_mixed[queries] = ((blocks.total(differs) > 0) & (lines != MISSING))[:, :reach].any(axis=1)
            of_part = count_pairs(blocks, belongs, reach, inputs.groups)
            fresh = queries[of_part.query]
            pairs = pairs.join(of_part.keep(np.ones(len(fresh), np.bool_), query=fresh), 0)
        return is_mixed, pairs


def know_membership(inputs: Inputs) -> Floats:
    """Give the membership of ranked documents [query, rank, group]; -1 if it is unknown."""
    if inputs.context.labels is not None:
        return np.nan_to_num(inputs.membership, nan=-1.0)
    found, rows = inputs.documents.document_counts, inputs.ranked
    if rows.size < len(found.known):  # there are fewer documents to look at
        table: Any = found.counts  # whole numbers, of which only those that are taken become floats
        counts = take(table, rows)
        counts[(rows != MISSING) & ~found.known[rows]] = np.nan
        return np.nan_to_num(membership(counts, inputs.context.membership), nan=-1.0)
    belongs = membership(np.where(found.known[:, None], found.counts, np.nan), inputs.context.membership)
    return np.nan_to_num(take(belongs, rows), nan=-1.0)


def count_pairs(blocks: Blocks, belongs: Floats, reach: int | None, groups: Sequence[str]) -> TiedPairs:
    """Count pairs of tied documents of different single groups, the upper of which is at the ranks that are read.

    ``belongs`` [query, rank, group] is their membership.

    >>> blocks, belongs = Blocks(np.array([[0, 0, 0]])), np.array([[[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]])
    >>> count_pairs(blocks, belongs, 1, ("f", "m")).many.tolist()
    [1]
    """
    held = belongs > 0
    group = np.where(held.sum(axis=2) == 1, held.argmax(axis=2), MISSING)
    many, ranks = len(groups), group.shape[1]
    keys = []
    for step in range(1, ranks):
        upper, lower = group[:, : ranks - step][:, :reach], group[:, step:][:, :reach]
        tied = (blocks.number[:, : ranks - step] == blocks.number[:, step:])[:, :reach]
        if not tied.any():
            break
        query, rank = np.nonzero(tied & (upper != lower) & (upper != MISSING) & (lower != MISSING))
        keys.append((query * many + upper[query, rank]) * many + lower[query, rank])
    if not keys:
        return NO_PAIRS
    every = np.sort(np.concatenate(keys))  # np.unique would import numpy.ma
    first = np.flatnonzero(np.diff(every, prepend=-1))
    key, counts = every[first], np.diff(first, append=len(every))
    names = np.array(groups, dtype=object)
    query, pair = np.divmod(key, many * many)
    above, below = np.divmod(pair, many)
    return TiedPairs(np.zeros(len(key), np.int64), query, names[above], names[below], counts)
