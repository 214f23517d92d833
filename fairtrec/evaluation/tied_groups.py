"""Which queries of a run have ties between documents of different groups, and which group stands above the other."""

from typing import Any, NamedTuple, cast

import numpy as np

from fairtrec.data import MISSING, Bools, Floats, Ints, Run, list_lines, look_up, take
from fairtrec.data.ranking.depth import deal_queries
from fairtrec.data.ranking.ties import Blocks
from fairtrec.evaluation.inputs.documents import EvaluationContext
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.evaluation.measure_values import list_parts
from fairtrec.evaluation.tied_pairs import PairTable
from fairtrec.formulas.neutrality import membership
from fairtrec.measure import Measure

CELLS = 1 << 21  # of a matrix [query, rank, group]
MOST_PAIRS = 1 << 20  # rows of a table of pairs, or so many for each tied document:
FEW = 8


class MixedBlocks(NamedTuple):
    """Blocks of equal scores with documents of different membership, by one attribute.

    ``query``, ``first`` and ``last`` [block] are the query of each, and its first and last rank, from 0.
    """

    pairs: PairTable
    query: Ints
    first: Ints
    last: Ints


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

        A measure of several attributes, or of the set of documents, has none, which is MISSING.
        """
        several = list_parts(measure, self.context)
        names = tuple(each.by for each in several) or (measure.by,)
        for name in names:
            if name not in self._found:
                self._found[name] = self._look_by(name)
        documents = self.context.documents
        is_of_set = measure.reads_set() and not (documents is not None and documents.missing == "skip")
        is_mixed = np.zeros(len(self.run.qids), dtype=np.bool_)
        for blocks in map(self._found.__getitem__, names):
            counts = blocks.first < reach
            if is_of_set:  # a block within the ranks that are read changes nothing
                counts &= blocks.last >= reach
            is_mixed[blocks.query[counts]] = True
        return is_mixed, [*self._found].index(names[0]) if len(names) == 1 and not is_of_set else MISSING

    def _look_by(self, attribute: str) -> MixedBlocks:
        context = self.context.take_attribute(attribute)
        if context.is_vast or (context.labels is None and context.documents is None):
            return MixedBlocks(PairTable((), *np.empty((5, 0), dtype=np.int64)), *np.empty((3, 0), dtype=np.int64))
        blocks = []
        groups = Inputs(self.run, (), context, None).groups
        parts, left = [], max(MOST_PAIRS, FEW * len(self.run.docnos))
        for queries in deal_queries(self.run, self.run.qids, None, CELLS // max(len(groups), 1)):
            inputs = Inputs(self.run, [self.run.qids[query] for query in queries], context, None)
            number = Blocks.find(self.run, inputs.lines).number
            goes_on = np.zeros((len(number), number.shape[1] + 1), dtype=np.bool_)  # the block of the rank above
            goes_on[:, 1:-1] = number[:, 1:] == number[:, :-1]
            query, rank = np.nonzero(goes_on[:, :-1] | goes_on[:, 1:])
            begins = ~goes_on[query, rank]
            differs, single = compare_membership(inputs, query, inputs.lines[query, rank], len(groups))
            mixed = np.flatnonzero(find_mixed(differs, begins))
            at = np.flatnonzero(begins[mixed])
            last = np.append(at, len(mixed))[1:] - 1
            blocks.append((queries[query[mixed[at]]], rank[mixed[at]], rank[mixed[last]]))
            pairs = TiedSingles.find(single[mixed], begins[mixed], len(groups))
            left -= pairs.most
            if left >= 0:
                upper, above, below, many = pairs.count_pairs()
                parts.append((queries[query[mixed[upper]]], rank[mixed[upper]], above, below, many))
        if left < 0:  # of so many groups that no pair of two has many documents
            parts = [(*np.empty((5, 0), dtype=np.int64),)]
        table = PairTable(tuple(groups), *map(np.concatenate, zip(*parts, strict=True)))
        return MixedBlocks(table, *map(np.concatenate, zip(*blocks, strict=True)))


def compare_membership(inputs: Inputs, query: Ints, lines: Ints, groups: int) -> tuple[Bools, Ints]:
    """Tell which documents are not of the same groups as the one before, and the group of those of one group.

    That is MISSING for others. No matrix [document, group] of more than ``CELLS`` is made.
    """
    differs, single = np.zeros(len(lines), dtype=np.bool_), np.full(len(lines), MISSING)
    for first in range(0, len(lines), max(CELLS // max(groups, 1), 1)):
        part = slice(max(first - 1, 0), first + max(CELLS // max(groups, 1), 1))
        belongs = know_membership(inputs, query[part], lines[part])
        differs[part][1:] = (belongs[1:] != belongs[:-1]).any(axis=1)
        held = belongs > 0
        single[part] = np.where(held.sum(axis=1) == 1, held.argmax(axis=1), MISSING)
    return differs, single


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


def find_mixed(differs: Bools, begins: Bools) -> Bools:
    """Tell which documents are of a block with two documents of different membership.

    The blocks stand one after another; ``begins`` [document] tells where one begins, ``differs`` [document] which is
    not of the same groups as the one before.

    >>> find_mixed(np.array([False, True, True, False]), np.array([True, False, True, False])).tolist()
    [True, True, False, False]
    """
    block = np.cumsum(begins) - 1
    is_mixed = np.zeros(len(begins), dtype=np.bool_)
    is_mixed[block[differs & ~begins]] = True
    return np.asarray(is_mixed[block])


class TiedSingles(NamedTuple):
    """Tied documents of one group each, of which pairs are counted.

    ``place`` [document] is the number of each among all, ``single`` [document] its group. ``kinds`` [kind] are the
    different pairs of a block and a group, as one number; a document's block has the kinds from ``low`` to ``high``
    [document]. ``ordered`` are the documents by kind, then by place.
    """

    place: Ints
    single: Ints
    groups: int
    kinds: Ints
    low: Ints
    high: Ints
    ordered: Ints

    @classmethod
    def find(cls, single: Ints, begins: Bools, groups: int) -> "TiedSingles":
        """Take the documents of one group; ``single`` [document] is MISSING for others, ``begins`` as in find_mixed."""
        place = np.flatnonzero(single != MISSING)
        block, single = np.cumsum(begins)[place], single[place]
        kinds, kind = np.unique(block * groups + single, return_inverse=True)
        low, high = (np.searchsorted(kinds, edge * groups) for edge in (block, block + 1))
        ordered = np.sort(kind * len(place) + np.arange(len(place)))
        return cls(place, single, groups, kinds, low, high, ordered)

    @property
    def most(self) -> int:
        """The most rows that there can be."""
        return int((self.high - self.low - 1).sum())

    def count_pairs(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Count pairs of documents of one block and of different groups, by the upper one and the lower's group.

        The result is the number of the upper document, its group, the other group, and how many lower documents are of
        that [row].

        >>> found = TiedSingles.find(np.array([0, 1, 0]), np.array([True, False, False]), 2)
        >>> [column.tolist() for column in found.count_pairs()]
        [[0, 1], [0, 1], [1, 0], [1, 1]]
        """
        several = self.high - self.low
        upper, kind = np.repeat(np.arange(len(self.place)), several), list_lines(self.low, several)
        other = self.kinds[kind] % self.groups
        there = other != self.single[upper]
        upper, kind, other = upper[there], kind[there], other[there]
        ends, passed = ((kind + more) * len(self.place) for more in (1, 0))
        below = np.searchsorted(self.ordered, ends) - np.searchsorted(self.ordered, passed + upper)
        left = below > 0
        return self.place[upper[left]], self.single[upper[left]], other[left], below[left]
