"""Which documents of a run are of unknown group, where they stand, and how labelings of them are chosen."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairtrec.data import MISSING, Bools, Candidates, Docnos, Docs, Floats, Ints
from fairtrec.data.ranking.depth import deal_queries
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.formulas import distribution
from fairtrec.formulas.labelings.sums import TOGETHER
from fairtrec.formulas.labelings.unlabeled import DRAWN, STATES, Unlabeled, count_enumerable, list_labelings
from fairtrec.measure import Measure
from fairtrec.measures.catalogue.needs import NEEDS

SEED = 2019
CELLS = 1 << 19  # numbers of an array that are computed with at a time


@dataclass(frozen=True, eq=False)
class Slots:
    """Documents of unknown group: ``ranked`` [query, rank] and ``judged`` [query, n] are their slots, -1 elsewhere.

    Slots of a query count from 0, in the order in which its documents stand. ``number`` [query] is how many there are,
    ``docnos`` [query, slot] which. ``known`` [query, rank, group] is the membership of the others, ``length`` [query]
    how many documents there are.
    """

    ranked: Ints
    judged: Ints
    number: Ints
    docnos: Docs
    known: Floats
    length: Ints

    @classmethod
    def find(cls, inputs: Inputs, measure: Measure) -> "Slots":
        """Look for the documents of unknown group that a measure looks at."""
        lines, membership = inputs.lines[:, : measure.depth], inputs.membership[:, : measure.depth]
        ranked = (lines != MISSING) & np.isnan(membership).any(axis=2)
        names = [inputs.run.docnos[lines[ranked]]]
        judged = np.zeros((len(lines), 0), dtype=np.bool_)
        if "judged_membership" in measure.needs:
            lines_judged = inputs.judged_lines
            judged = (lines_judged != MISSING) & np.isnan(inputs.judged_membership).any(axis=2)
            names.append(inputs.qrels.docnos[lines_judged[judged]])
        (of_ranked, of_judged), number, docnos = _numbered([ranked, judged], np.concatenate(names))
        known = np.where(np.isnan(membership), 0.0, membership)
        length: Ints = (lines != MISSING).sum(axis=1)
        return cls(of_ranked, of_judged, number, docnos, known, length)

    @property
    def names(self) -> Docs:
        """The documents, those of one query behind those of another."""
        return self.docnos[np.arange(self.docnos.shape[1]) < self.number[:, None]]


def _numbered(where: Sequence[Bools], names: Docs) -> tuple[list[Ints], Ints, Docs]:
    """Number the documents that stand where it is said, of each query, each once, in the order in which they stand."""
    queries = len(where[0])
    query = np.concatenate([np.nonzero(each)[0] for each in where])
    every_name = Docnos.collect(names)
    keys = query * max(len(every_name), 1) + every_name.rows(names)
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    order = np.lexsort((first, query[first]))
    of_query = query[first][order]
    number = np.bincount(of_query, minlength=queries)
    place = np.arange(len(order)) - np.repeat(np.cumsum(number) - number, number)
    slot = np.empty(len(order), dtype=np.int64)
    slot[order] = place
    docnos = np.zeros((queries, int(number.max(initial=0))), dtype=names.dtype)
    docnos[of_query, place] = names[first][order]
    found, at = [], 0
    for each in where:
        slots = np.full(each.shape, -1, dtype=np.int64)
        many = int(each.sum())
        slots[each] = slot[which[at : at + many]]
        found.append(slots)
        at += many
    return found, number, docnos


def compute_prior(inputs: Inputs) -> Floats:
    """Say how likely each group is [query, way]: as was given, or as among all known documents of the ranking.

    That is the whole ranking, whatever ranks a measure reads; where none is known all groups are as likely. Where a
    document may be of none of them, that is the last way; among the known it is what their weights lack to 1.
    """
    prior, labels = inputs.context.prior, inputs.context.labels
    if prior is not None:
        return np.broadcast_to(prior, (len(inputs.qids), len(prior)))
    none = labels is not None and labels.none
    shares = np.empty((len(inputs.qids), len(inputs.groups) + none))
    for part in deal_queries(inputs.run, inputs.qids, None):
        whole = Inputs(inputs.run, [inputs.qids[query] for query in part], inputs.context, None)
        lacking = (1 - whole.membership.sum(axis=2, keepdims=True)).clip(min=0)
        ways = np.concatenate([whole.membership, lacking], axis=2) if none else whole.membership
        shares[part] = distribution.shares(np.nan_to_num(ways).sum(axis=1))
    return np.where(np.isnan(shares), 1 / shares.shape[1], shares)


def chunks(number: Ints, groups: int, *, tries: bool) -> Iterator[Ints]:
    """Put queries together that have unknown documents: as many as each other, if few; of many it may be drawn ones."""
    most, all_tried = int(number.max(initial=0)), count_enumerable(groups) if tries else 0
    for many in range(1, min(most, all_tried) + 1):
        rows = np.flatnonzero(number == many)
        yield from _cut(rows, TOGETHER // (groups**many * groups))  # exact: whole numbers
    order = np.argsort(number, kind="stable")
    states = (most + 1) ** (groups - 1)  # exact: whole numbers
    size = CELLS // (DRAWN * max(most, 1)) if tries or states > STATES else TOGETHER // states
    yield from _cut(order[number[order] > all_tried], size)


def _cut(rows: Ints, size: int) -> Iterator[Ints]:
    yield from (rows[at : at + max(size, 1)] for at in range(0, len(rows), max(size, 1)))


def choose_labelings(slots: Slots, rows: Ints, prior: Floats, qids: Sequence[str]) -> Unlabeled:
    """Take some queries, and choose the labelings that are tried: all, where there are few, or drawn ones.

    What is drawn for a query depends on its id alone.
    """
    ways, number = prior.shape[1], slots.number[rows]
    most = int(number.max())
    complete = most <= count_enumerable(ways)

    def choose() -> Ints:
        if complete:
            return list_labelings(ways, most)[None]
        choices = np.zeros((len(rows), DRAWN, most), dtype=np.int8 if ways < 128 else np.int64)
        for at, row in enumerate(rows.tolist()):
            number, random = int(slots.number[row]), np.random.default_rng((SEED, *qids[row].encode()))
            for first in range(0, number, CELLS // DRAWN):
                some = slice(first, min(first + CELLS // DRAWN, number))
                drawn = random.random((some.stop - first, DRAWN)).T
                choices[at, :, some] = np.searchsorted(np.cumsum(prior[row])[:-1], drawn, side="right")
        return choices

    return Unlabeled(slots.known[rows], slots.ranked[rows], number, slots.length[rows], prior[rows], choose, complete)


def take_inputs(inputs: Inputs, names: Sequence[str], rows: Ints) -> dict[str, Any]:
    """Take the inputs of these names for some queries, each as often as it is named."""
    return {name: _taken(name, getattr(inputs, name), rows, len(inputs.qids)) for name in names}


def _taken(name: str, value: Any, rows: Ints, queries: int) -> Any:
    if name == "queries":
        return len(rows)
    if name == "sample_of":
        return np.arange(len(rows))
    if isinstance(value, Candidates):
        counts, documents = value.counts, value.documents
        return Candidates(
            counts[rows] if len(counts) == queries else counts,
            documents[rows] if len(documents) == queries else documents,
        )
    of_queries = "[query" in NEEDS[name].shape and len(value) == queries  # a target may have one row for all
    return value[rows] if of_queries else value
