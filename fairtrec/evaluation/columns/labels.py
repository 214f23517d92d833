"""Bounds of the values of a run over all ways to label the documents of unknown group (``--bounds labels``)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from typing import Any

import numpy as np

from fairtrec.data import MISSING, Docs, Floats, Ints, Run, decode, list_distinct
from fairtrec.data.ranking.depth import deal_queries, find_depth
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.columns.intervals import ENDS
from fairtrec.evaluation.columns.scored_run import Computed, ScoredRun
from fairtrec.evaluation.columns.unknown import UnknownIntervals
from fairtrec.evaluation.inputs.documents import EvaluationContext
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.evaluation.measure_values import compute_measures, find_participation, list_parts, mask_values
from fairtrec.evaluation.unknown_documents import CELLS, Slots, choose_labelings, chunks, compute_prior, take_inputs
from fairtrec.formulas.labelings.unlabeled import Ends, Unlabeled, count_enumerable, list_labelings, mean
from fairtrec.measure import Measure, Note, NoteKind

ASKED = frozenset(("membership", "judged_membership"))
FIRST = 20  # unknown documents of a query, the topmost, of which it is told how far they move the value
SHARED = NoteKind(
    "shared unknown documents",
    "{shared} of {unknown} unknown documents are ranked for several queries, so the ends of a mean may be out of reach",
)
TARGET_OF_KNOWN = NoteKind(
    "target of known documents", "the target is computed from the documents of known group in the {target}"
)


@dataclass(frozen=True, eq=False)
class Filled:
    """Inputs of a measure for a few queries, in which documents of unknown group can be given groups."""

    inputs: Inputs
    measure: Measure
    slots: Slots

    def values(self, rows: Ints, given: Any) -> Floats:
        """Evaluate the measure [query, n] where the unknown documents of these queries have the groups that are given.

        ``given`` is [query or 1, n, slot, group], or the group of each [query or 1, n, slot]; one more is none of them.
        """
        queries, groups, (many, slots) = len(rows), self.slots.known.shape[2], given.shape[1:3]
        hard = np.eye(groups + 1, groups) if given.dtype.kind == "i" else None
        values = np.full((queries, many), np.nan)
        depth = self.slots.known.shape[1] + self.slots.judged.shape[1] + 1
        size = max(CELLS // (depth * groups * many), 1)
        step = many if size > 1 else max(CELLS // (depth * groups), 1)
        for first in range(0, queries, size):
            some = rows[first : first + size]
            for at in range(0, many, step):
                part = np.broadcast_to(given, (queries, *given.shape[1:]))[first : first + size, at : at + step]
                membership: Floats = part if hard is None else hard[part]
                found = self._evaluated(np.repeat(some, part.shape[1]), membership.reshape(-1, slots, groups))
                values[first : first + size, at : at + step] = found.reshape(len(some), -1)
        return values

    def _evaluated(self, rows: Ints, given: Floats) -> Floats:
        """Evaluate the measure for these queries, one labeling [row, slot, group] each."""
        named = take_inputs(self.inputs, self.measure.needs, rows)
        for name, slot in (("membership", self.slots.ranked), ("judged_membership", self.slots.judged)):
            if name in named:
                of_rows = slot[rows]
                row, place = np.nonzero(of_rows >= 0)
                membership = named[name][:, : of_rows.shape[1]]
                membership[row, place] = given[row, of_rows[row, place]]
                named[name] = membership
        return np.broadcast_to(self.measure(**named), len(rows))


def compute(scored: ScoredRun) -> Computed:
    """Find the least, greatest and expected values over all labelings of unknown documents."""
    return intervals(scored.run, scored.scores, scored.context, which=scored.choices.next_label)


def intervals(
    run: Run, scores: Scores, context: EvaluationContext, *, which: bool
) -> tuple[UnknownIntervals, tuple[Note, ...]]:
    """Find the least, greatest and expected values of a run that was scored, and what a reader should know of them.

    ``which``: tell, too, which unknown document of each query moves the value most.
    """
    found = UnknownIntervals.none(scores.values)
    by: dict[str, list[tuple[int, Measure]]] = {}
    said: dict[Note, None] = {}
    for row, measure in enumerate(scores.measures):
        parts = list_parts(measure, context)
        if parts:
            said |= dict.fromkeys(_over_attributes(found, row, parts, run, scores, context, which=which))
        elif ASKED.intersection(measure.needs) and not measure.of_pool:
            by.setdefault(measure.by, []).append((row, measure))
    for attribute, measures in by.items():
        own, depth, names = (
            context.take_attribute(attribute),
            find_depth([each for _, each in measures]),
            dict[Any, list[Docs]](),
        )
        for part in deal_queries(run, scores.qids, depth):
            inputs = Inputs(run, [scores.qids[query] for query in part], own, depth)
            for key, slots in _fill(found, part, inputs, measures, which=which).items():
                names.setdefault(key, []).append(slots.names)
            for (row, measure), ends in product(measures, (found.least, found.greatest, found.expected)):
                ends[row, part] = mask_values(measure, ends[row, part], inputs)
        said |= dict.fromkeys(_list_notes(own, [np.concatenate(each) for each in names.values()], attribute))
    return found, tuple(said)


def _over_attributes(
    found: UnknownIntervals, row: int, parts: Sequence[Measure], run: Run, scores: Scores, context: EvaluationContext,
    *, which: bool,
) -> tuple[Note, ...]:  # fmt: skip
    """Put in what one number of all attributes could be: these are labeled independently, so its parts add up."""
    measure, inputs = scores.measures[row], Inputs(run, scores.qids, context, scores.measures[row].depth)
    of_parts = replace(scores, measures=tuple(parts), values=compute_measures(inputs, parts))
    several, said = intervals(run, of_parts, context, which=which)
    takes_part = find_participation(inputs)
    for end in ENDS:
        getattr(found, end)[row] = measure.combine_attributes(getattr(several, end), takes_part)
    for flags in ("bounded", "sampled", "drawn"):
        getattr(found, flags)[row] = getattr(several, flags).any(axis=0)
    found.number[row] = several.number.max(axis=0)
    most = np.nan_to_num(several.moves, nan=-1.0).argmax(axis=0)
    for field_ in ("rank", "docno"):
        getattr(found, field_)[row] = np.take_along_axis(getattr(several, field_), most[None], axis=0)[0]
    moves = np.where(np.arange(len(parts))[:, None] == most, np.nan_to_num(several.moves), 0.0)
    found.moves[row] = np.where(found.rank[row] > 0, measure.combine_attributes(moves, takes_part), np.nan)
    for query in range(len(scores.qids)):
        found.documents[row, query] = tuple(dict.fromkeys(chain.from_iterable(several.documents[:, query])))
    return said


def _fill(
    found: UnknownIntervals, part: Ints, inputs: Inputs, measures: Sequence[tuple[int, Measure]], *, which: bool
) -> dict[Any, Slots]:
    """Find what the values of some queries could be; give the slots that measures of one depth look at."""
    looked_at: dict[Any, Slots] = {}
    alike: dict[Any, list[tuple[int, Filled]]] = {}  # measures that look at the same labelings
    for row, measure in measures:
        key = measure.depth, "judged_membership" in measure.needs
        if key not in looked_at:
            looked_at[key] = Slots.find(inputs, measure)
        one = take_inputs(inputs, measure.needs, np.arange(min(len(part), 1)))
        form = measure.formula(**one).over_labels()
        filled = Filled(inputs, measure, looked_at[key])
        alike.setdefault((key, form is None or form.tries), []).append((row, filled))
    prior = compute_prior(inputs)
    for (key, tries), several in alike.items():
        slots = looked_at[key]
        for rows in chunks(slots.number, prior.shape[1], tries=tries):
            rankings = choose_labelings(slots, rows, prior, inputs.qids)
            for row, filled in several:
                _put(found, row, part[rows], _ends(filled, rankings, rows), filled.measure)
                if which:
                    most = _most(filled, rows, prior[rows])
                    found.rank[row, part[rows]], found.moves[row, part[rows]], found.docno[row, part[rows]] = most
        each = zip(part.tolist(), slots.docnos, slots.number.tolist(), strict=True)
        names = [(query, tuple(decode(row[:many]))) for query, row, many in each] if which else []
        for row, _ in several:
            found.number[row, part] = slots.number
            for query, documents in names:
                found.documents[row, query] = documents
    return looked_at


def _put(found: UnknownIntervals, row: int, queries: Ints, ends: Ends, measure: Measure) -> None:
    """Put in the ends of these queries, within the bounds of the measure, which they miss by rounding."""
    low, high = measure.bounds
    values = np.clip(ends.values, -np.inf if low is None else low, np.inf if high is None else high)
    found.least[row, queries], found.greatest[row, queries], found.expected[row, queries] = values
    found.bounded[row, queries], found.sampled[row, queries] = ends.bounded, ends.sampled
    found.drawn[row, queries] = ends.drawn


def _ends(filled: Filled, rankings: Unlabeled, rows: Ints) -> Ends:
    """Find the ends by the form of the measure, or by trying labelings."""
    measure = filled.measure
    named = take_inputs(filled.inputs, measure.needs, rows)
    form = measure.formula(**named).over_labels()
    if form is not None and form.exact(rankings):
        return form.find_ends(rankings)
    return rankings.take_ends(filled.values(rows, rankings.choices))


def _most(filled: Filled, rows: Ints, prior: Floats) -> tuple[Ints, Floats, list[str]]:
    """Say at which rank the unknown document stands that moves the value most, how far apart, and which it is [query].

    Each of the topmost in turn is given each group.
    """
    slots = filled.slots
    rank_of = np.full((len(rows), int(slots.number.max(initial=0))), MISSING, dtype=np.int64)
    query, rank = np.nonzero(slots.ranked[rows] >= 0)
    rank_of[query, slots.ranked[rows][query, rank]] = rank
    first, ways = rank_of[:, :FIRST], prior.shape[1]
    moves = np.full(first.shape, np.nan)
    for many in list_distinct(slots.number[rows]).tolist():
        some = np.flatnonzero(slots.number[rows] == many)
        effects = _tried if many <= count_enumerable(ways) else _plugged
        moves[some, : min(many, FIRST)] = effects(filled, rows[some], prior[some], many)[:, :FIRST]
    moves = np.where((first == MISSING) | np.isnan(moves), -np.inf, moves)
    most = (moves >= moves.max(axis=1, keepdims=True) - 1e-12).argmax(axis=1)
    at = np.arange(len(rows))
    there = moves[at, most] >= 0
    docnos = [
        docno if is_so else "" for docno, is_so in zip(decode(slots.docnos[rows, most]), there.tolist(), strict=True)
    ]
    return np.where(there, first[at, most] + 1, 0), np.where(there, moves[at, most], np.nan), docnos


def _tried(filled: Filled, rows: Ints, prior: Floats, many: int) -> Floats:
    """Say how far apart a document's groups move the value, in the mean over all labelings of the others."""
    groups, choices = prior.shape[1], list_labelings(prior.shape[1], many)
    values = filled.values(rows, choices[None]).reshape(len(rows), *(groups,) * many)
    chances = np.stack([prior[:, choices[:, slot]] for slot in range(many)])
    found = []
    for slot in range(many):
        others = np.delete(chances, slot, axis=0).prod(axis=0).reshape(values.shape)
        found.append(mean(_apart(values, slot + 1), others.take(0, axis=slot + 1).reshape(len(rows), -1)))
    return np.stack(found, axis=1)


def _plugged(filled: Filled, rows: Ints, prior: Floats, many: int) -> Floats:
    """Say the same of the topmost where the others, and it before, are in each group as far as that is likely."""
    ways, groups, first = prior.shape[1], filled.slots.known.shape[2], min(many, FIRST)
    given = np.repeat(prior[:, None, None, :groups], filled.slots.docnos.shape[1], axis=2)
    given = np.tile(given, (1, first * ways + 1, 1, 1))
    for slot in range(first):
        given[:, slot * ways : (slot + 1) * ways, slot] = np.eye(ways, groups)
    values = filled.values(rows, given)
    before = np.broadcast_to(values[:, -1, None, None], (len(rows), first, 1))
    every_way = values[:, :-1].reshape(len(rows), first, ways)
    return _apart(np.concatenate([every_way, before], axis=2), 2).reshape(len(rows), first)


def _apart(values: Floats, axis: int) -> Floats:
    """Give the greatest less the least along an axis [row, n]."""
    with np.errstate(invalid="ignore"):  # from one infinity to the same
        apart: Floats = np.fmax.reduce(values, axis=axis) - np.fmin.reduce(values, axis=axis)
    return apart.reshape(len(values), -1)


def _list_notes(context: EvaluationContext, several: Sequence[Docs], attribute: str) -> tuple[Note, ...]:
    """Say of which documents two queries may want different groups, and where the target is from."""
    assert context.labels is not None
    notes = []
    _, times = np.unique(max(several, key=len), return_counts=True)
    if (times > 1).any() and not context.labels.per_query:
        notes.append(SHARED.note(by=attribute, shared=int((times > 1).sum()), unknown=len(times)))
    if context.target_of is not None and times.size:
        of = " and the ".join(word for _, word in context.target_of.of)
        notes.append(TARGET_OF_KNOWN.note(by=attribute, target=of))
    return tuple(notes)
