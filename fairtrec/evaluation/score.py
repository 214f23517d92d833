"""From a run and what was given beside it to scores [measure, query], and what a reader of them should know."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from fairtrec.data import MISSING, UNKNOWN, Floats, Ints, Qrels, Run, Samples, System, decode, fingerprints
from fairtrec.data.parameters import list_required_inputs
from fairtrec.data.ranking.depth import deal_queries, find_depth
from fairtrec.evaluation.answers.scores import GRADED, JUDGED, NONE_JUDGED, Scores
from fairtrec.evaluation.columns import add_columns
from fairtrec.evaluation.columns.scored_run import ScoredRun
from fairtrec.evaluation.inputs.documents import EvaluationContext
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.evaluation.inputs.options import Choices
from fairtrec.evaluation.measure_values import InputsOfSamples, compute_measures, list_parts
from fairtrec.formulas.distribution import quotient
from fairtrec.measure import Measure, Note, NoteKind, NoteSeverity
from fairtrec.measures.catalogue.needs import OF_EXTRAS, OF_RANKS
from fairtrec.measures.utility import find_relevance_rows, split_relevance
from fairtrec.support.errors import InputError

if TYPE_CHECKING:
    from fairtrec.evaluation.relevance import JudgedCounts

RISING = NoteKind(
    "rising scores",
    "scores increase with rank, but runs are ordered by decreasing score; if lower scores are better, add --order rank",
    NoteSeverity.MISLEADING,
)
OWN_ID = NoteKind(
    "own id",
    "own id: the first document of {own} of {rankings} rankings is the query itself (first: {first}); "
    "--only others leaves it out",
    NoteSeverity.MISLEADING,
)
OWN = 10  # one of so many rankings begins with the query itself, from which on it is noted
FEW = 100  # ranks
COMPARED = 30  # queries, whose ids of documents are compared; if one is spelled otherwise, most are
COMPARED_RANKS = 100  # of these, if whole rankings are measured
ENOUGH = 0.9  # of the ranks that measures of relevance look at; a reader must know if fewer are judged
_KNOWN = "of {ranks} documents in the measured ranks, {known:has} a label{others}"
CELLS = 1 << 21  # of a matrix [query, rank, group]
MANY = 256  # queries, whose ranks are looked at together


def weigh_known(known: object, ranks: object, **_: object) -> NoteSeverity:
    """Weigh the note on labels: only documents without one mislead."""
    return NoteSeverity.BACKGROUND if known == ranks else NoteSeverity.MISLEADING


KNOWN = NoteKind("known groups", _KNOWN, weigh_known)
KNOWN_OF_FEW = NoteKind(
    "known groups of few queries",
    f"{_KNOWN}; {{silent}} of {{queries}} queries have no document with a label; check the labels",
    weigh_known,
)
STRANGERS = NoteKind(
    "no known documents",
    "the {what} have none of the {ranks} documents in the measured ranks; check that they are of the same collection",
    NoteSeverity.MISLEADING,
)


def score(
    system: System,
    measures: Sequence[Measure],
    qids: Sequence[str],
    context: EvaluationContext,
    choices: Choices,
    tied: Run | None = None,
    *,
    told: bool = False,
) -> Scores:
    """Compute the measures of one system, and the columns that stand next to them.

    ``tied`` is the run with all that is tied with its last documents; None if ties are not looked for. ``told``: scores
    of other measures say what there is to say of the run itself.
    """
    _, others = split_relevance(measures)
    inputs, notes = None, tuple[Note, ...]()
    if isinstance(system, Samples):
        values, notes = _of_samples(system, measures, qids, context)
    else:
        run = system.cut(qids, choices.depth) if choices.keeps_ties else system
        if measures and not others:
            values = context.judge.values(run, qids)
        else:
            inputs = Inputs(run, qids, context, find_depth(others))
            values, notes = compute_values(inputs, measures, unknown=choices.bounds == "labels")
    scores = Scores(
        system.name,
        system.tag,
        tuple(measures),
        tuple(qids),
        values,
        notes if told else (*notes, *_note_run(system, qids)),
        target=context.target,
        groups=_list_groups(context),
        attribute=context.attribute,
        other_targets=dict(_list_other_targets(context)),
        top="" if told else _digest_rankings(system, qids),
        sampled=system.sampled,
        unjudged=frozenset() if told else _find_unjudged(qids, context.qrels),
    )
    scores = add_columns(ScoredRun(scores, system, tied, inputs, context, choices))
    judged = _note_judged(system.runs[0], scores, qids, context)
    return replace(scores, notes=(*scores.notes, *judged)) if judged else scores


def _note_run(system: System, qids: Sequence[str]) -> Iterator[Note]:
    """Note what a reader should know of a run, whatever is measured."""
    yield from system.notes
    if isinstance(system, Run) and system.rises:
        yield RISING.note()
    yield from _note_own_ids(system, qids)


def _digest_rankings(system: System, qids: Sequence[str]) -> str:
    """Digest the first ranks of all queries, by which runs of the same rankings are found."""
    first = blake2b(digest_size=16)
    for run, ranked in system.parts(qids):
        numbers = run.numbers(ranked)
        for place in range(0, len(ranked), MANY):
            lines = run.find_top(numbers[place : place + MANY], FEW)
            there = lines != MISSING
            first.update(there.sum(axis=1).tobytes())
            first.update(fingerprints(run.docnos[lines[there]]).tobytes())
    return first.hexdigest()


def _list_other_targets(context: EvaluationContext) -> Iterator[tuple[str, tuple[tuple[str, ...], Floats]]]:
    """List the groups and the target of each other attribute whose target is the same for all queries."""
    for name, own in context.attributes.items():
        if name != context.attribute and own.target is not None:
            yield name, (_list_groups(context.take_attribute(name)), own.target)


def _list_groups(context: EvaluationContext) -> tuple[str, ...]:
    """Name the groups of the target; none if nothing says of documents in which they are."""
    if context.labels is not None:
        return context.labels.groups
    return () if context.documents is None else context.documents.document_counts.groups


def _find_unjudged(qids: Sequence[str], qrels: Qrels | None) -> frozenset[str]:
    """Name the queries that are not in the qrels; none if there are no qrels."""
    if qrels is None:
        return frozenset()
    rows = np.flatnonzero(qrels.numbers(qids) == MISSING)
    return frozenset(qids[row] for row in rows.tolist())


def _note_judged(run: Run, scores: Scores, qids: Sequence[str], context: EvaluationContext) -> list[Note]:
    """Make a note if many ranks hold unjudged documents, of those that one relevance measure reads.

    If none has a cutoff, only a run whose values are all 0 is looked at: perhaps none of its documents is judged.
    """
    judge, rows = context.judge, find_relevance_rows(scores.measures)
    if not rows:
        return []
    checked, depth = judge.checked, judge.least
    if checked is None:
        zeros = (row for row in rows if scores.measures[row].better == "higher" and _is_zero(scores.values[row]))
        if (row := next(zeros, None)) is None:
            return []
        checked, depth = scores.measures[row], COMPARED_RANKS
        counts = judge.count_all_judged(run, qids)
    else:
        counts = judge.count_judged(run, qids)
    if counts.ranks and not counts.judged and not counts.below:
        own, other, hint = compare_docnos(run, judge.qrels, qids, depth)
        return [NONE_JUDGED.note(measure=checked, ranks=counts.ranks, own=own, other=other, hint=hint)]
    return [*note_few_judged(counts, judge.checked)]


def _is_zero(values: Floats) -> bool:
    """Tell whether all defined values are 0, and there are some."""
    defined = values[~np.isnan(values)]
    return len(defined) > 0 and not defined.any()


def _note_own_ids(system: System, qids: Sequence[str]) -> tuple[Note, ...]:
    """Make a note if many rankings begin with the query itself, as in collections of which queries are documents."""
    (run, *_), ranked = system.runs, 0
    own = run.find_own_first(qids)
    if own.any():
        ranked = int((run.top(qids, 1) != MISSING).sum())
    return note_own_ids(int(own.sum()), ranked, qids[int(own.argmax())]) if ranked else ()


def note_own_ids(own: int, rankings: int, first: str) -> tuple[Note, ...]:
    """Make a note if a tenth of the rankings or more begin with the query itself."""
    return (OWN_ID.note(own=own, rankings=rankings, first=first),) if own and own * OWN >= rankings else ()


def note_few_judged(counts: "JudgedCounts", checked: Measure | None) -> tuple[Note, ...]:
    """Make a note if many of the ranks that ``checked`` reads hold documents without a grade of 0 or more."""
    if checked is None or counts.judged >= ENOUGH * counts.ranks:
        return ()
    if counts.below:
        return (GRADED.note(measure=checked, judged=counts.judged, below=counts.below, ranks=counts.ranks),)
    return (JUDGED.note(measure=checked, judged=counts.judged, ranks=counts.ranks),)


def compare_docnos(run: Run, qrels: Qrels, qids: Sequence[str], depth: int) -> tuple[str, str, str]:
    """Name a ranked and a judged document of one query, alike if some are, and what would make them the same."""
    from fairtrec.data import spellings

    found, qids = ("", "", ""), qids[:COMPARED]
    for number, ranked in zip(qrels.numbers(qids).tolist(), run.top(qids, depth), strict=True):
        if number == MISSING or not (ranked != MISSING).any():
            continue
        judged = decode(qrels.docnos[slice(*qrels.starts[number : number + 2].tolist())])
        compared = spellings.compare(decode(run.docnos[ranked[ranked != MISSING]]), judged)
        found = found if found[0] else compared
        if compared[2]:
            return compared
    return found


def _of_samples(
    system: Samples,
    measures: Sequence[Measure],
    qids: Sequence[str],
    context: EvaluationContext,
) -> tuple[Floats, tuple[Note, ...]]:
    """Compute measures [measure, query] where a query may have several rankings, and say what is known of the first.

    A value is the mean over the rankings for which the measure is defined; a measure of expected exposure looks at all
    rankings of a query at once.
    """
    at_once = [row for row, measure in enumerate(measures) if "sample_of" in measure.needs]
    one_by_one = [row for row in range(len(measures)) if row not in at_once]
    ordinary = [measures[row] for row in one_by_one]
    depth = find_depth(split_relevance(ordinary)[1])
    column = {qid: i for i, qid in enumerate(qids)}
    total = np.full((len(ordinary), len(qids)), -0.0)  # which leaves the sign of a zero that is added to it
    defined = np.zeros(total.shape)
    notes: tuple[Note, ...] = ()
    for run, ranked in system.parts(qids) if ordinary else ():
        inputs = Inputs(run, ranked, context, depth)
        part, said = compute_values(inputs, ordinary, told=bool(notes))
        notes = notes or said
        at = [column[qid] for qid in ranked]
        total[:, at] += np.where(np.isnan(part), -0.0, part)
        defined[:, at] += ~np.isnan(part)
    values = np.full((len(measures), len(qids)), np.nan)
    values[one_by_one] = quotient(total, defined)
    for row in at_once:
        several = measures[row : row + 1]
        values[row] = compute_measures(InputsOfSamples(system.runs, qids, several, context), several)
    return values, tuple(replace(each, samples=len(system.runs)) for each in notes)


class RankCounts:
    """How many ranks of a run labels and stances know, counted part by part, of all that measures ask for.

    Documents without texts or counts are counted before (``UNKNOWN_IN_RANKS``), whatever ``missing`` takes them for.
    """

    def __init__(self, inputs: Inputs, measures: Sequence[Measure]) -> None:
        of_groups = [measure for measure in measures if "membership" in measure.needs]
        several = [
            inputs.context.given if list_parts(measure, inputs.context) else (measure.by,) for measure in of_groups
        ]
        extras = [name for measure in measures for name in OF_EXTRAS & OF_RANKS & {*measure.needs}]
        labeled = [name for name in chain(*several) if inputs.take_attribute(name).context.labels is not None]
        self.groups = {name: np.zeros(4, dtype=np.int64) for name in labeled}  # by attribute
        self.extras = {name: np.zeros(2, dtype=np.int64) for name in extras}

    def add(self, part: Inputs) -> None:
        """Add the ranks of some queries."""
        for name in self.groups:
            self.groups[name] += _ranks_known(part.take_attribute(name))
        for name in self.extras:
            self.extras[name] += (~np.isnan(getattr(part, name))).sum(), (part.lines != MISSING).sum()

    def list_notes(self, inputs: Inputs, *, unknown: bool) -> list[Note]:
        """List the notes on known groups. Raises InputError if labels or stances know no document.

        In a session they become a note: one run of many may have none at its measured ranks.
        """
        notes = []
        for name, counts in self.groups.items():
            own = inputs.take_attribute(name)
            what = f"labels of {name}" if name else "labels"
            known, ranks = counts[:2].tolist()
            are_strange = _are_labels_alone(own, unknown=unknown) and self._note_strangers(inputs, what, known, ranks)
            notes.append(are_strange or _note_known(own, name, counts))
        strange = (self._note_strangers(inputs, name, *counts.tolist()) for name, counts in self.extras.items())
        return [*notes, *(note for note in strange if note is not None)]

    def _note_strangers(self, inputs: Inputs, what: str, known: int, ranks: int) -> Note | None:
        """Note that documents are there, and labels or stances are known of none of them; else None."""
        if known or not ranks:
            return None
        if inputs.context.refuses_strangers:
            message = f"the {what} have none of its documents in the measured ranks"
            raise InputError(f"{message}; check that they are of the same collection", inputs.run.name)
        return STRANGERS.note(what=what, ranks=ranks)


def compute_values(
    inputs: Inputs, measures: Sequence[Measure], *, unknown: bool = False, told: bool = False
) -> tuple[Floats, tuple[Note, ...]]:
    """Compute measures [measure, query], and say what a reader of the values should know, if that is not ``told`` yet.

    Where a matrix [query, rank, group] were too large, rankings of about one length are taken at a time; the inputs of
    all queries are not computed then, unless a note counts something in one of the parts. Raises InputError if labels
    or stances know no document, unless ``unknown`` groups are what was asked about.
    """
    run, qids = inputs.run, inputs.qids
    counts = RankCounts(inputs, measures)
    wide = max((len(inputs.take_attribute(name).groups) for name in counts.groups), default=1)
    is_small = len(qids) * run.depths.max(initial=0) * wide <= CELLS
    parts = [np.arange(len(qids))] if is_small else deal_queries(run, qids, inputs.depth, CELLS // wide)
    values = np.full((len(measures), len(qids)), np.nan)
    said: list[list[Note | None]] = []  # of each part
    for queries in parts:
        part = inputs if len(parts) == 1 else inputs.take_queries(queries)
        values[:, queries] = compute_measures(part, measures)
        if not told:
            pairs = zip(measures, values[:, queries], strict=True)
            said.append([_note_values(measure, row, part) for measure, row in pairs])
            counts.add(part)
    if told:
        return values, ()
    notes = [
        _join_notes(measure, row, inputs, of_parts)
        for measure, row, *of_parts in zip(measures, values, *said, strict=True)
    ]
    notes += counts.list_notes(inputs, unknown=unknown)
    return values, tuple(note for note in notes if note is not None)


def _join_notes(measure: Measure, values: Floats, inputs: Inputs, of_parts: Sequence[Note | None]) -> Note | None:
    """Give the note on a measure that parts of the queries share; make it anew if it counts something."""
    first, *rest = of_parts
    is_of_all = not rest or ({*rest} == {first} and not (first and first.numbers))
    return first if is_of_all else _note_values(measure, values, inputs)


def _note_values(measure: Measure, values: Floats, inputs: Inputs) -> Note | None:
    """Let a measure make a note on its values [query]."""
    own = inputs.take_attribute(measure.by)
    if own.context.is_vast:
        return None
    asked = list_required_inputs(type(measure).note)
    note = measure.note(**{name: values if name == "values" else getattr(own, name) for name in asked})
    return note and replace(note, measures=(measure,))


def _ranks_known(inputs: Inputs) -> Ints:
    """Count the ranks of which the groups are known, all ranks, the queries without any of the first, all queries."""
    there = inputs.lines != MISSING
    known = there & inputs.known
    silent = there.any(axis=1) & ~known.any(axis=1)
    return np.array([known.sum(), there.sum(), silent.sum(), len(there)])


def _are_labels_alone(inputs: Inputs, *, unknown: bool) -> bool:
    """Tell whether groups come from labels, and nothing stands for those of unknown documents."""
    labels = inputs.context.labels
    return labels is not None and labels.others is None and not unknown


def _note_known(inputs: Inputs, attribute: str, counts: Ints) -> Note:
    """Count the ranks looked at of which the groups are known, and say where the others belong."""
    known, there, silent, queries = counts.tolist()
    labels, others = inputs.context.labels, ""
    if labels is not None and labels.others is not None:
        of_own = any(UNKNOWN in name.split("*") for name in labels.groups)
        others = f"; the others {f'are of the group {UNKNOWN}' if of_own else 'belong evenly to all'}"
    if silent * 10 <= queries:
        return KNOWN.note(by=attribute, known=known, ranks=there, others=others)
    return KNOWN_OF_FEW.note(by=attribute, known=known, ranks=there, others=others, silent=silent, queries=queries)
