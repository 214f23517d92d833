"""Which queries of a run have ties between documents of different groups, and which group stands above the other."""

from typing import Any, NamedTuple, cast

import numpy as np

from fairtrec.data import MISSING, Bools, Floats, Ints, Run, look_up, take
from fairtrec.data.ranking.depth import deal_queries
from fairtrec.data.ranking.ties import Blocks
from fairtrec.evaluation.inputs.documents import EvaluationContext
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.evaluation.measure_values import list_parts
from fairtrec.evaluation.tied_pairs import WHOLE, PairTable
from fairtrec.formulas.neutrality import membership
from fairtrec.measure import Measure

CELLS = 1 << 21  # of a matrix [query, rank, group]


class MixedBlocks(NamedTuple):
    """Blocks of equal scores with documents of different membership, by one attribute.

    ``first`` [query] is the first rank of such a block, from 0; WHOLE if a query has none.
    """

    first: Ints
    pairs: PairTable


class TiedGroups:
    """Which documents of a run with ties are of different groups, for measures of any cutoff.

    ``tables`` are those of pairs, by attributes in the order in which they were looked at.
    """

    def __init__(self, run: Run, context: EvaluationContext) -> None:
        self.run, self.context = run, context
        self._found: dict[str, MixedBlocks] = {}

    @property
    def tables(self) -> tuple[PairTable, ...]:
        """The pairs of tied documents of different groups, by each attribute that was looked at."""
        return tuple(each.pairs for each in self._found.values())

    def look(self, measure: Measure, reach: int) -> tuple[Bools, int]:
        """Tell which queries are mixed for a measure [query] in so many ranks; give the number of its table of pairs.

        A measure of several attributes has none, which is MISSING.
        """
        several = list_parts(measure, self.context)
        names = tuple(each.by for each in several) or (measure.by,)
        for name in names:
            if name not in self._found:
                self._found[name] = self._look_by(name)
        is_mixed = np.any([self._found[name].first < reach for name in names], axis=0)
        return is_mixed, [*self._found].index(names[0]) if len(names) == 1 else MISSING

    def _look_by(self, attribute: str) -> MixedBlocks:
        context = self.context.take_attribute(attribute)
        first = np.full(len(self.run.qids), WHOLE)
        if context.is_vast or (context.labels is None and context.documents is None):
            return MixedBlocks(first, PairTable((), *np.empty((5, 0), dtype=np.int64)))
        groups = Inputs(self.run, (), context, None).groups
        parts = []
        for queries in deal_queries(self.run, self.run.qids, None, CELLS // max(len(groups), 1)):
            inputs = Inputs(self.run, [self.run.qids[query] for query in queries], context, None)
            number = Blocks.find(self.run, inputs.lines).number
            goes_on = np.zeros((len(number), number.shape[1] + 1), dtype=np.bool_)  # the block of the rank above
            goes_on[:, 1:-1] = number[:, 1:] == number[:, :-1]
            query, rank = np.nonzero(goes_on[:, :-1] | goes_on[:, 1:])
            begins = ~goes_on[query, rank]
            belongs = know_membership(inputs, query, inputs.lines[query, rank])
            mixed = np.flatnonzero(find_mixed(belongs, begins))
            at = np.flatnonzero(np.diff(query[mixed], prepend=-1))
            first[queries[query[mixed[at]]]] = rank[mixed[at]]
            upper, above, below, many = count_pairs(belongs[mixed], begins[mixed])
            parts.append((queries[query[mixed[upper]]], rank[mixed[upper]], above, below, many))
        return MixedBlocks(first, PairTable(tuple(groups), *map(np.concatenate, zip(*parts, strict=True))))


def know_membership(inputs: Inputs, query: Ints, lines: Ints) -> Floats:
    """Give the membership of documents [document, group], by query and line; -1 if it is unknown."""
    context = inputs.context
    if context.labels is not None:
        qids = [inputs.qids[at] for at in query.tolist()] if context.labels.per_query else ()
        return np.nan_to_num(look_up(context.labels, qids, inputs.run.docnos, lines[:, None])[:, 0], nan=-1.0)
    found = inputs.documents.document_counts
    rows, table = found.docnos.rows(inputs.run.docnos[lines]), cast("Any", found.counts)
    counts = take(table, rows)  # whole numbers, of which only those that are taken become floats
    counts[(rows != MISSING) & ~found.known[rows]] = np.nan
    return np.nan_to_num(membership(counts, context.membership), nan=-1.0)


def find_mixed(belongs: Floats, begins: Bools) -> Bools:
    """Tell which documents are of a block with two documents of different membership.

    The blocks stand one after another; ``begins`` [document] tells where one begins.

    >>> held = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    >>> find_mixed(held, np.array([True, False, True, False])).tolist()
    [True, True, False, False]
    """
    block = np.cumsum(begins) - 1
    differs = np.flatnonzero((belongs[1:] != belongs[:-1]).any(axis=1) & ~begins[1:]) + 1
    is_mixed = np.zeros(len(begins), dtype=np.bool_)
    is_mixed[block[differs]] = True
    return np.asarray(is_mixed[block])


def count_pairs(belongs: Floats, begins: Bools) -> tuple[Ints, Ints, Ints, Ints]:
    """Count pairs of documents of one block and of different single groups, by the upper one and the lower's group.

    ``belongs`` [document, group] is their membership; ``begins`` as in ``find_mixed``. The result is the number of the
    upper document, its group, the other group, and how many lower documents are of that [row].

    >>> held = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    >>> [column.tolist() for column in count_pairs(held, np.array([True, False, False]))]
    [[0, 1], [0, 1], [1, 0], [1, 1]]
    """
    held = belongs > 0
    is_single = held.sum(axis=1) == 1
    held &= is_single[:, None]
    below = np.zeros((len(held) + 1, held.shape[1]), dtype=np.int64)  # each document
    below[:-1] = np.cumsum(held[::-1], axis=0)[::-1]
    ends = np.append(np.flatnonzero(begins)[1:], len(held))[np.cumsum(begins) - 1]
    left = np.where(held | ~is_single[:, None], 0, below[:-1] - below[ends])
    upper, other = np.nonzero(left)
    return upper, held.argmax(axis=1)[upper] if len(upper) else upper, other, left[upper, other]
