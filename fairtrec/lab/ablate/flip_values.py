"""Values of a run's queries where labels or grades are others: what each flip of one would make of each query.

A flip gives a *unit* another label or grade. A unit is a row of the labels, or a line of the qrels, so that one flip
shows in all queries and all runs that look the unit up. Inputs that hold labels or grades are changed where the unit
stands, and the measure computes the value of the query anew, ideals included. Targets stay as they are.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fairtrec.data import (
    MISSING,
    NONE,
    UNKNOWN,
    Bools,
    Candidates,
    Docs,
    Floats,
    Ints,
    Labels,
    Qrels,
    Run,
    decode,
    find_judged_lines,
    find_rows,
    take,
)
from fairtrec.data.run import QrelsIndex
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.evaluation.unknown_documents import CELLS, take_inputs
from fairtrec.formulas.distribution import quotient
from fairtrec.measure import Measure, SumOverRanks
from fairtrec.measures.catalogue.needs import OF_DOCUMENTS
from fairtrec.measures.utility import Utility, split_relevance
from fairtrec.support.errors import UsageError

NO_FLIP = -1  # in the place of an alternative: what is in the file
NO_UNIT = -2  # a unit that stands nowhere
MOST_GRADES = 100  # from the least to the greatest; more are no scale on which people judge
OF_LABELS = frozenset({"membership", "judged_membership", "ranked", "background", "collection", "group_sizes"})
OF_WHOLE = frozenset({"collection", "group_sizes"})  # of all labeled documents, wherever they are ranked
OF_GRADES = frozenset({"relevance", "judged_relevance", "greatest_grade"})
BESIDE_RANKS = frozenset({"background", "judged_membership"})  # where a label is looked up for an ideal


@dataclass(frozen=True, eq=False)
class Units:
    """What can be flipped, and to what.

    Attributes:
        alternatives: the names of other labels or grades [alternative].
        order: the place of each unit by docno, then by query [unit].
        allowed: whether a unit may get an alternative: it differs from what the file says [unit, alternative].
        docnos: the document of each unit, as bytes [unit].
        qids: its query [unit]; None if it is of a document in all queries.
        name: names what the file says of a unit.
    """

    alternatives: tuple[str, ...]
    order: Ints
    allowed: Bools
    docnos: Docs
    qids: Sequence[str] | None
    name: Callable[[int], str]

    def describe(self, unit: int, alternative: int) -> dict[str, str | None]:
        """Say which document gets which label or grade instead of which."""
        return {
            "docno": decode(self.docnos[unit : unit + 1])[0],
            "qid": None if self.qids is None else self.qids[unit],
            "from": self.name(unit),
            "to": self.alternatives[alternative],
        }


@dataclass(eq=False)
class FlippableRun:
    """The values of one run, and of its queries with any of their units flipped.

    ``slots`` has for each changed input the unit at each of its places [query, n], MISSING elsewhere; ``measured`` are
    those at the measured ranks. ``undefined`` is what a query without a value counts as.
    """

    inputs: Inputs
    measure: Measure
    units: Units
    slots: Mapping[str, Ints]
    measured: Ints
    undefined: float

    @property
    def qids(self) -> Sequence[str]:
        """The queries that are evaluated."""
        return self.inputs.qids

    @cached_property
    def _named(self) -> dict[str, Any]:
        """The inputs of the measure as the files have them."""
        return {name: getattr(self.inputs, name) for name in self.measure.needs}

    def list_entries(self, units: Bools) -> tuple[Ints, Ints]:
        """List the queries and the units of each pair of them that plays a part in a value, of these ``units`` [unit].

        They are sorted by query.
        """
        pairs = [np.empty((0, 2), dtype=np.int64)]
        for slots in self.slots.values():
            query, place = np.nonzero(slots >= 0)
            unit = slots[query, place]
            pairs.append(np.stack([query, unit], axis=1)[units[unit]])
        query, unit = np.unique(np.concatenate(pairs), axis=0).T
        return query, unit

    def compute(self, queries: Ints, units: Ints, alternatives: Ints, flipped: Mapping[int, int]) -> Floats:
        """Compute the value of a query [row] with one unit flipped to an alternative, on top of those ``flipped``."""
        every = np.full(len(self.units.order), NO_FLIP)
        every[[*flipped]] = [*flipped.values()]
        values = np.full(len(queries), np.nan)
        step = max(CELLS // max(self._width, 1), 1)
        for first in range(0, len(queries), step):
            part = slice(first, first + step)
            chosen = {
                name: _choose(slots[queries[part]], every, units[part], alternatives[part])
                for name, slots in self.slots.items()
            }
            values[part] = self._evaluate(queries[part], chosen)
        return np.where(np.isnan(values), self.undefined, values) + 0.0

    def compute_base(self, queries: Ints, flipped: Mapping[int, int]) -> Floats:
        """Compute the values of queries [row] with what is ``flipped``."""
        nothing = np.full(len(queries), NO_UNIT)
        return self.compute(queries, nothing, nothing, flipped)

    @property
    @abstractmethod
    def _width(self) -> int:
        """The numbers that are held for one query."""

    @abstractmethod
    def _evaluate(self, queries: Ints, chosen: Mapping[str, Ints]) -> Floats:
        """Compute the measure; ``chosen`` are alternatives at the places of each input [row, n], NO_FLIP elsewhere."""

    @property
    @abstractmethod
    def is_sum(self) -> bool:
        """Whether each unit adds its part to the value of a query, whatever the others are."""

    def _call(self, named: Mapping[str, Any], rows: int) -> Floats:
        return np.broadcast_to(self.measure(**named), rows)


def _choose(slots: Ints, every: Ints, units: Ints, alternatives: Ints) -> Ints:
    """Choose the alternative at each place [row, n]: that of the unit of the row, or what is flipped already."""
    chosen = np.where(slots >= 0, every[slots], NO_FLIP)
    return np.where(slots == units[:, None], alternatives[:, None], chosen)


@dataclass(eq=False)
class LabelFlips(FlippableRun):
    """Values of a run where documents have other labels; ``weights`` [alternative, group] are those of the labels."""

    weights: Floats

    @property
    def _width(self) -> int:
        return int(self.weights.shape[1] * (1 + sum(slots.shape[1] for slots in self.slots.values())))

    @cached_property
    def _tables(self) -> dict[str, Floats]:
        """The tables of documents with a row more for each alternative, as a label is one term of its group."""
        rows = {"counts": self.weights, "tokens": self.weights.sum(axis=1)}
        asked = rows.keys() & {*self.measure.needs}
        return {name: np.concatenate([getattr(self.inputs, name), rows[name]]) for name in asked}

    @cached_property
    def _background(self) -> tuple[Ints, Floats]:
        """The rows of the background [query, n], and the table of their counts."""
        inputs, documents = self.inputs, self.inputs.documents
        background = inputs.context.background
        assert isinstance(background, Run)
        counts = documents.document_counts.counts if documents.missing == "worst" else inputs.counts
        rows = documents.rows(background, inputs.qids, inputs.context.choices.background_depth)
        return rows, np.concatenate([counts.astype(np.float64), self.weights])

    def _evaluate(self, queries: Ints, chosen: Mapping[str, Ints]) -> Floats:
        plain = [name for name in self.measure.needs if name not in ("counts", "tokens", "background")]
        named = take_inputs(self.inputs, plain, queries)
        for name in named.keys() & {"membership", "judged_membership"}:
            there = chosen[name] >= 0
            named[name][there] = self.weights[chosen[name][there]]
        named |= self._tables
        if "ranked" in named:
            named["ranked"] = _move(named["ranked"], chosen["ranked"], len(self.inputs.counts))
        if "background" in self.measure.needs:
            rows, table = self._background
            moved = _move(rows[queries], chosen["background"], len(self.inputs.counts))
            named["background"] = Candidates(take(table, moved), (moved != MISSING).astype(np.int64))
        return self._call(named, len(queries))

    @cached_property
    def is_sum(self) -> bool:
        """Whether each document adds its part: the form is such a sum, and nothing else looks at labels."""
        form = self.measure.formula(**self._named).over_documents()
        return form is not None and BESIDE_RANKS.isdisjoint(self.measure.needs)


def _move(rows: Ints, chosen: Ints, documents: int) -> Ints:
    """Move documents to the rows of alternatives, which stand behind those of all documents."""
    return np.where(chosen >= 0, documents + chosen, rows)


@dataclass(eq=False)
class GradeFlips(FlippableRun):
    """Values of a run where pairs of a query and a document have other ``grades`` [alternative]."""

    grades: Floats

    @property
    def _width(self) -> int:
        groups = len(self.inputs.groups) if "membership" in self.measure.needs else 1
        return int(groups * (1 + sum(slots.shape[1] for slots in self.slots.values())))

    def _evaluate(self, queries: Ints, chosen: Mapping[str, Ints]) -> Floats:
        named = take_inputs(self.inputs, self.measure.needs, queries)
        for name, at in chosen.items():
            named[name] = np.where(at >= 0, self.grades[at], named[name])
        for measure in split_relevance([self.measure])[0]:  # a judge computes it
            return self._judge(measure, named["relevance"], named["judged_relevance"], self._lengths[queries])
        return self._call(named, len(queries))

    @cached_property
    def _lengths(self) -> Ints:
        """How many documents are ranked [query], also below the measured ranks."""
        return np.asarray((self.inputs.run.top(self.inputs.qids, None) != MISSING).sum(axis=1))

    def _judge(self, measure: Utility, relevance: Floats, judged: Floats, lengths: Ints) -> Floats:
        """Compute a measure of relevance as its judge does, of the grades at the ranks and of all that are judged."""
        from fairtrec.evaluation.relevance.trec_eval import Ranked, find_formula

        places = np.broadcast_to(np.arange(1, relevance.shape[1] + 1), relevance.shape)
        falling = -np.sort(-judged, axis=1)
        if measure.is_plain:
            ideal = measure.ideal_gain(falling)
            values = quotient(measure.sum_gains(places, relevance), ideal, otherwise=0.0)
        else:
            formula = find_formula(measure)
            assert formula is not None
            values = formula(Ranked(places, relevance, lengths, falling))
        return np.where(np.isnan(judged).all(axis=1), np.nan, values)

    @cached_property
    def is_sum(self) -> bool:
        """Whether each grade adds its part."""
        form = self.measure.formula(**self._named)
        return isinstance(form, SumOverRanks) and form.sums_grades


def list_label_units(labels: Labels) -> tuple[Units, Floats]:
    """List the labeled documents, and the labels that they can get: the groups, and ``-`` if it is in use."""
    groups = [at for at, group in enumerate(labels.groups) if group != UNKNOWN]
    weights = np.eye(len(labels.groups))[groups]
    names = [labels.groups[at] for at in groups]
    if labels.none:
        weights, names = np.concatenate([weights, np.zeros((1, weights.shape[1]))]), [*names, NONE]
    known = np.asarray(~np.isnan(labels.weights).any(axis=1)) if labels.labeled is None else labels.labeled
    other = np.stack([(labels.weights != each).any(axis=1) for each in weights], axis=1)
    docnos, qids = labels.rows.names, None
    if labels.per_query:
        parts = [name.split(b" ", 1) for name in docnos.tolist()]
        docnos = np.array([docno for _, docno in parts], dtype=np.bytes_)
        qids = decode(np.array([qid for qid, _ in parts], dtype=np.bytes_))

    def name(row: int) -> str:
        """Name the groups of a row, with their weights where these are not 1."""
        held = zip(labels.groups, labels.weights[row].tolist(), strict=True)
        return ", ".join(group if weight == 1 else f"{group} {weight:g}" for group, weight in held if weight) or NONE

    units = Units(tuple(names), _place(docnos, qids), known[:, None] & other, docnos, qids, name)
    return units, weights


def list_grade_units(inputs: Inputs, *, keeps_greatest: bool) -> tuple[Units, Floats]:
    """List the judged pairs, and the grades that they can get: from 0, or the least below it, to the greatest.

    ``keeps_greatest``: the only pair of the greatest grade keeps it, as values of all queries depend on it.
    Raises UsageError for a document that is judged twice for a query, as subtopics are, and for a scale without end.
    """
    qrels = inputs.qrels
    pairs = int((find_judged_lines(qrels, qrels.qids) != MISSING).sum())
    if pairs < len(qrels.grades):
        raise UsageError("a flip changes the grade of a pair, and these qrels have several (subtopics); pass one grade")
    least, greatest = min(0, int(qrels.grades.min(initial=0))), int(qrels.grades.max(initial=0))
    if greatest - least > MOST_GRADES:
        what = f"the grades go from {least} to {greatest}, which are too many to try"
        raise UsageError(f"{what}; pass qrels with a scale of at most {MOST_GRADES} grades")
    grades = np.arange(least, greatest + 1)
    allowed = qrels.grades[:, None] != grades
    highest = qrels.grades == greatest
    if keeps_greatest and highest.sum() == 1:
        allowed &= ~highest[:, None]
    qids = [qrels.qids[query] for query in qrels.query.tolist()]
    names = tuple(map(str, grades.tolist()))
    units = Units(names, _place(qrels.docnos, qids), allowed, qrels.docnos, qids, lambda line: str(qrels.grades[line]))
    return units, grades.astype(np.float64)


def _place(docnos: Docs, qids: Sequence[str] | None) -> Ints:
    """Give each unit its place by docno, then by query."""
    keys = [docnos] if qids is None else [np.array(qids), docnos]
    place = np.empty(len(docnos), dtype=np.int64)
    place[np.lexsort(keys)] = np.arange(len(docnos))
    return place


def make_label_flips(inputs: Inputs, measure: Measure, units: Units, weights: Floats, undefined: float) -> FlippableRun:
    """Find where the labels of documents stand in the inputs of a measure of a run."""
    labels = inputs.context.labels
    assert labels is not None
    can_flip = np.append(units.allowed.any(axis=1), np.zeros(1, dtype=np.bool_))  # the last is of no row
    run, documents = inputs.run, inputs.documents
    skips = bool(OF_DOCUMENTS.intersection(measure.needs)) and documents.missing == "skip"

    def find_units(of: Run | Qrels, lines: Ints) -> Ints:
        """Find the unit of each document [query, n]."""
        rows = find_rows(labels, inputs.qids, of.docnos, lines)
        return np.where(can_flip[rows], rows, MISSING)

    lines = documents.lines(run, inputs.qids, measure.depth) if skips else inputs.lines
    measured = find_units(run, lines[:, : measure.depth])
    slots: dict[str, Ints] = {name: measured for name in ("membership", "ranked") if name in measure.needs}
    if "judged_membership" in measure.needs:
        slots["judged_membership"] = find_units(inputs.qrels, inputs.judged_lines)
    if "background" in measure.needs:
        background, depth = inputs.context.background, inputs.context.choices.background_depth
        assert isinstance(background, Run)
        top = documents.lines(background, inputs.qids, depth) if skips else background.top(inputs.qids, depth)
        slots["background"] = find_units(background, top)
    return LabelFlips(inputs, measure, units, slots, measured, undefined, weights)


def make_grade_flips(inputs: Inputs, measure: Measure, units: Units, grades: Floats, undefined: float) -> FlippableRun:
    """Find where the grades of pairs stand in the inputs of a measure of a run."""
    measured = _find_judged(inputs)[:, : measure.depth]
    slots = {"relevance": measured} if "relevance" in measure.needs else {}
    if "judged_relevance" in measure.needs:
        slots["judged_relevance"] = inputs.judged_lines
    return GradeFlips(inputs, measure, units, slots, measured, undefined, grades)


def _find_judged(inputs: Inputs) -> Ints:
    """Find the line of the qrels of each ranked document [query, rank]; MISSING where it is not judged."""
    qrels, lines, index = inputs.qrels, inputs.lines, QrelsIndex(inputs.qrels)
    _, places = index.find_judged(qrels.query, qrels.docnos)
    line_of = np.argsort(places)  # exact: each pair has one line
    rows, ranks = np.nonzero(lines != MISSING)
    query = qrels.numbers(inputs.qids)[rows]
    judged, places = index.find_judged(query, inputs.run.docnos[lines[rows, ranks]])
    found = np.full(lines.shape, MISSING, dtype=np.int64)
    found[rows[judged], ranks[judged]] = line_of[places]
    return found
