"""From a run and gold labels to what corrects each measure: by documents that were drawn, or by queries."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from fairtrec.data import MISSING, Bools, Floats, Ints, Keys, Sheet, find_starts, fingerprints
from fairtrec.data.groups import find_rows
from fairtrec.data.ranking.depth import deal_queries
from fairtrec.evaluation.given.gold import Gold
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.formulas.distribution import quotient
from fairtrec.formulas.weighted_sums import weighted_sum
from fairtrec.measure import Measure, Note, NoteKind, NoteSeverity, SumOverRanks
from fairtrec.measures.catalogue.needs import OF_DOCUMENTS, OF_EXTRAS, OF_GROUPS
from fairtrec.statistics.gold_correctors import (
    NOTHING,
    Corrector,
    DocumentCorrector,
    QueryCorrector,
    Refused,
    average_values,
)
from fairtrec.statistics.gold_estimates import DrawnDocuments, Estimate
from fairtrec.support.errors import InputError

OF_NO_GROUP = OF_EXTRAS | {"background_stances"}
LOOKS = OF_GROUPS | OF_DOCUMENTS | OF_NO_GROUP  # a measure of none of these does not depend on groups
NO_SUM = (
    "it is not a sum over documents, so drawn documents cannot correct it; draw queries "
    "(gold draw --unit query), or use Exposure(of='all'), or --pool even for AWRF and Exposure"
)
NO_WORDS = "it counts words, and gold labels contain no counts"
SETS = frozenset({"background", "collection"})
UNTOLD = "nobody could tell the group of some documents, and it is not a sum over documents"
BY_DOCUMENTS = NoteKind(
    "corrected by documents", "gold labels for {labeled} of the {documents} documents in the measured ranks"
)
BY_QUERIES = NoteKind("corrected by queries", "gold labels for {labeled} of the {queries} queries")
ON_TRUST = NoteKind(
    "gold sheet without runs",
    "{sheet} lists no runs; fairtrec assumes that every document looked at could be drawn",
)
TARGET_STAYS = NoteKind("target stays", "the target of the {target} is not corrected")
SPLIT_VOTES = NoteKind("split votes", "{split} of {documents} gold documents are split votes")
UNDECIDED = NoteKind(
    "undecided votes", "{undecided} of these have several votes of equal, greatest weight, which count equally"
)
UNFINISHED = NoteKind(
    "queries without a whole annotator",
    "in {unfinished} of {queries} labeled queries no annotator labeled every document; there, the vote of most weight "
    "for each document counts",
)
NO_TAU = NoteKind(
    "people know no tau",
    "gold labels correct the value with tau=0, which is {without}; with tau={tau} it is {before}",
)
IDEAL_STAYS = NoteKind("ideal stays", "its ideal is not corrected", NoteSeverity.BACKGROUND)
NOT_CORRECTED = NoteKind("not corrected", "not corrected: {why}")
OTHER_VALUES = NoteKind(
    "corrected values", "labeled queries with another value: {differ} of {labeled}", NoteSeverity.BACKGROUND
)
OTHER_LABELS = NoteKind(
    "corrected labels", "gold labels that differ from the instrument: {differ} of {labels}", NoteSeverity.BACKGROUND
)


@dataclass(frozen=True, eq=False)
class LabeledPart:
    """Some queries of a run, by number, with their inputs, and the rows of the sheet that stand at their ranks."""

    inputs: Inputs
    gold: Gold
    queries: Ints

    @cached_property
    def rows(self) -> Ints:
        """Rows of the sheet [query, rank]."""
        inputs = self.inputs
        return find_rows(self.gold.labels, inputs.qids, inputs.run.docnos, inputs.lines)

    @cached_property
    def weights(self) -> Floats:
        """The weights of groups by gold [query, rank, group]; nan where there is no label, or nobody could tell."""
        return np.where(self.gold.is_labeled[self.rows][..., None], self.gold.majority_membership[self.rows], np.nan)

    def compute_inputs(self, measure: Measure) -> dict[str, Any]:
        """Compute what a measure needs."""
        return {name: getattr(self.inputs, name) for name in measure.needs}

    def refuse_undrawn(self, ranks: int | None, among: Bools) -> None:
        """Raise InputError for a document at the first ranks of these queries [query] that has no label."""
        refuse_undrawn(self.gold, self.inputs, self.rows[:, :ranks], among)


def refuse_undrawn(gold: Gold, inputs: Inputs, rows: Ints, among: Bools) -> None:
    """Raise InputError for a document at a rank of these queries [query] whose row of the sheet [query, rank] lacks."""
    lines = inputs.lines[:, : rows.shape[1]]
    lacking = (lines != MISSING) & (rows == MISSING) & among[:, None]
    if lacking.any():
        query, rank = np.argwhere(lacking)[0].tolist()
        run, qid = inputs.run, inputs.qids[query]
        raise gold.missing_label_error(run.docnos[lines[query, rank]].decode(), rank + 1, qid, run.name)


def refuse_impossible(sheet: Sheet, measure: Measure, drawn: DrawnDocuments) -> None:
    """Raise InputError if a sheet of others has probabilities by which these documents cannot have been drawn."""
    if sheet.made or sheet.probability is None:
        return
    share = drawn.refuted() if drawn.weights.any() else None
    if share is not None:
        what = f"by these probabilities the drawn documents carry {share:.2g} of the exposure looked at by {measure}"
        raise InputError(f"{what}, not 1; only a drawn sample can correct values: fairtrec gold draw", sheet.path)


class Share(NamedTuple):
    """What each rank of a part has in a sum over documents [query, rank]: its weight, its gain, and that by gold."""

    weights: Floats
    gains: Floats
    by_gold: Floats
    reach: Floats

    @classmethod
    def take(cls, part: LabeledPart, form: SumOverRanks, among: Bools) -> "Share":
        """Take what a measure says of a part; ranks of no document, and of queries not ``among`` them, weigh 0."""
        assert form.by_labels is not None
        ranks = min(form.weights.shape[-1], form.gains.shape[1])
        there: Bools = np.asarray(part.inputs.lines[:, :ranks] != MISSING) & among[:, None]
        weights = form.divide_ranks(np.where(there, form.weights[..., :ranks], 0.0), otherwise=0.0)
        gains = np.where(there, np.nan_to_num(form.gains[:, :ranks]), 0.0)
        rows = part.rows[:, :ranks]
        of_labeled = np.nan_to_num(part.gold.gains(form.by_labels, rows))
        by_gold = np.where(there & part.gold.is_labeled[rows], of_labeled, gains)
        reach = np.broadcast_to(np.asarray(form.reach, dtype=np.float64).reshape(-1, 1), there.shape)
        return cls(weights, gains, by_gold, reach)

    @property
    def errors(self) -> Floats:
        """What gold labels add to the value [query]."""
        return weighted_sum(self.by_gold - self.gains, self.weights)


@dataclass(eq=False)
class Correcting:
    """The parts of a run, and what is looked at of it on the way: documents, and which rows of the sheet [row]."""

    parts: Sequence[LabeledPart]
    gold: Gold
    looked_at: list[Keys]
    labeled: Bools
    undecided: Bools  # rows of which several votes have the most weight, where that matters
    annotated: dict[str, bool] = field(
        default_factory=dict
    )  # whether somebody labeled all of a query that was asked for

    def find_corrector(self, measure: Measure, values: Floats) -> Corrector:
        """Find what corrects a measure that has these values [query]. Raises InputError where a label is missing."""
        if why := _unfit(measure):
            return Refused(why)
        forms = [part.compute_inputs(measure) for part in self.parts]
        asked, is_other_form = measure, bool(getattr(measure, "tau", 0))
        if is_other_form:
            measure, values = self._without_tau(measure, forms, values)
        sums = [form for named in forms if (form := measure.formula(**named).over_documents()) is not None]
        if not sums and (why := _unlabeled(measure)):
            return Refused(why)
        if sums or self.gold.draws_queries or self.gold.is_certain:
            self.gold.refuse_deeper(asked)
        if sums and not self.gold.draws_queries:
            return replace(self._by_documents(measure, sums, values), is_other_form=is_other_form)
        if self.gold.draws_queries or self._complete(measure):
            return replace(self._by_queries(measure, sums, values), is_other_form=is_other_form)
        return Refused(UNTOLD if self.gold.is_certain and self.gold.sheet.unknown.any() else NO_SUM)

    def _without_tau(self, measure: Measure, forms: Sequence[dict[str, Any]], values: Floats) -> tuple[Measure, Floats]:
        """Give the form of a measure with tau=0, as people do not apply tau, and its values [query]."""
        form = replace(measure, tau=0)  # type: ignore[call-arg]  # which it has
        found = np.full(len(values), np.nan)
        for part, named in zip(self.parts, forms, strict=True):
            found[part.queries] = form(**named)
        return form, found

    def _by_documents(self, measure: Measure, sums: Sequence[SumOverRanks], values: Floats) -> DocumentCorrector:
        weight, rest = np.zeros((2, len(values)))
        entries: list[tuple[Ints, Ints, Floats]] = []
        seen: list[Keys] = []
        for part, form in zip(self.parts, sums, strict=True):
            among = ~np.isnan(values[part.queries])
            share = Share.take(part, form, among)
            ranks = share.weights.shape[1]
            if self.gold.sheet.probability is None:
                part.refuse_undrawn(ranks, among)
            weighs, rows = np.asarray(share.weights > 0), part.rows[:, :ranks]
            query, rank = np.nonzero(weighs & (rows != MISSING))
            errors = share.by_gold - share.gains
            parts = np.stack([share.weights * by for by in (1.0, errors, share.by_gold, share.reach)])
            entries.append((part.queries[query], rows[query, rank], parts[:, query, rank]))
            seen.append(fingerprints(part.inputs.run.docnos[part.inputs.lines[:, :ranks][weighs]]))
            weight[part.queries] = weighted_sum(share.weights, np.ones(ranks))
            rest[part.queries] = values[part.queries] - weighted_sum(share.gains, share.weights)
        queries, documents, of_parts = (np.concatenate(each, axis=-1) for each in zip(*entries, strict=True))
        self.looked_at += seen
        sheet = self.gold.sheet
        self.labeled[documents] = True
        found = DocumentCorrector(
            values, queries, documents, of_parts, weight, rest, self.gold.probability, sheet.unknown
        )
        if not sheet.made:
            refuse_impossible(sheet, measure, found.take_drawn())
        return found

    def _by_queries(self, measure: Measure, sums: Sequence[SumOverRanks], values: Floats) -> QueryCorrector:
        gold, is_drawn = np.full(len(values), np.nan), np.zeros(len(values), dtype=np.bool_)
        for at, part in enumerate(self.parts):
            drawn = self.gold.find_drawn_queries(part.inputs.qids)
            ranks = Share.take(part, sums[at], drawn).weights.shape[1] if sums else measure.depth
            part.refuse_undrawn(ranks, drawn)
            if sums:
                by_gold = values[part.queries] + Share.take(part, sums[at], drawn).errors
            else:
                by_gold = self._of_people(measure, part, drawn)
            gold[part.queries] = np.where(drawn, by_gold, np.nan)
            is_drawn[part.queries] = drawn
        return QueryCorrector(values, gold, is_drawn)

    def _of_people(self, measure: Measure, part: LabeledPart, drawn: Bools) -> Floats:
        """Compute the values [query] of a measure that is no sum over documents, by what people say.

        Of a query that annotators have labeled whole, it is the mean of their values; else that of the vote of most
        weight for each document, which is counted if there are several.
        """
        named, depth = part.compute_inputs(measure), measure.depth
        there: Bools = np.asarray(part.inputs.lines != MISSING)[:, :depth] & drawn[:, None]
        several, whole = [], []
        for weights in self.gold.annotators.values():
            of_one = weights[part.rows]
            lacking: Bools = np.asarray(np.isnan(of_one).any(axis=2))
            done: Bools = np.asarray(~(lacking[:, :depth] & there).any(axis=1))
            if done.any():
                several.append(np.where(done, measure(**{**named, "membership": of_one}), np.nan))
                whole.append(done)
        by_vote = np.broadcast_to(measure(**{**named, "membership": part.weights}), drawn.shape)
        undecided: Bools = np.append(self.gold.is_tied, np.zeros(1, dtype=np.bool_))
        open_votes = undecided[part.rows[:, :depth]] & there
        many = np.sum(whole, axis=0) if whole else np.zeros(len(drawn), dtype=np.int64)
        for query in np.flatnonzero(drawn).tolist() if self.gold.annotators else ():
            qid = part.inputs.qids[query]
            self.annotated[qid] = bool(many[query]) and self.annotated.get(qid, True)
        if several:
            open_votes = open_votes & (many == 0)[:, None]
            by_vote = np.where(many > 0, _mean_of_defined(np.array(several)), by_vote)
        self.undecided[part.rows[open_votes.nonzero()]] = True
        return by_vote

    def _complete(self, measure: Measure) -> bool:
        """Tell whether all documents that a measure looks at are labeled, for certain, and told."""
        if not self.gold.is_certain:
            return False
        looked_at = [(part.inputs.lines != MISSING)[:, : measure.depth] for part in self.parts]
        known = [~np.isnan(part.weights[:, : measure.depth]).any(axis=2) for part in self.parts]
        return all((labeled | ~there).all() for labeled, there in zip(known, looked_at, strict=True))


def _mean_of_defined(several: Floats) -> Floats:
    """Average the values [annotator, query] that are defined; nan of none."""
    known = ~np.isnan(several)
    return np.asarray(quotient(np.where(known, several, 0.0).sum(axis=0), known.sum(axis=0)))


def _unlabeled(measure: Measure) -> str:
    """Say why labels of ranked documents say nothing of a measure that is no sum over them; nothing if they do."""
    if "membership" in measure.needs and not OF_DOCUMENTS.intersection(measure.needs):
        return ""
    is_of_set = SETS.intersection(measure.needs) and "ranked" not in measure.needs
    return "it uses other documents than the run, and none of these were drawn" if is_of_set else NO_WORDS


def _unfit(measure: Measure) -> str:
    """Say why nothing corrects a measure, as far as its inputs tell."""
    if measure.total or measure.geometric:
        return "it is not a mean over queries, and gold labels correct only these"
    if OF_NO_GROUP.intersection(measure.needs):
        return "it uses stances or other rankings, and gold labels are about groups"
    if "judged_membership" in measure.needs:
        return "its ideal is made of judged documents, which were not drawn"
    return ""


def find_correctors(
    inputs: Inputs, measures: Sequence[Measure], values: Floats
) -> tuple[tuple[Corrector | None, ...], tuple[Note, ...]]:
    """Find what corrects each measure of a run that has these values [measure, query], and what a reader should know.

    Raises InputError where a document that has to be labeled is not.
    """
    gold = inputs.context.opened.get("gold")
    assert gold is not None
    looks = [not LOOKS.isdisjoint(measure.needs) for measure in measures]
    several = deal_queries(inputs.run, inputs.qids, inputs.depth) if any(looks) else []
    parts = [
        LabeledPart(inputs if len(several) == 1 else inputs.take_queries(queries), gold, queries) for queries in several
    ]
    rows_of_sheet = len(gold.sheet.unknown)
    found = Correcting(parts, gold, [], np.zeros(rows_of_sheet, np.bool_), np.zeros(rows_of_sheet, np.bool_))
    each = zip(measures, values, looks, strict=True)
    rows = tuple(found.find_corrector(measure, row) if is_asked else None for measure, row, is_asked in each)
    return rows, tuple(_list_notes(found, inputs, measures, rows, values))


def _list_notes(
    found: Correcting,
    inputs: Inputs,
    measures: Sequence[Measure],
    rows: Sequence[Corrector | None],
    values: Floats,
) -> Iterator[Note]:
    """Say what was corrected by how many labels, what was not and why, and what stays that of the instrument."""
    looked_at = np.sort(np.concatenate(found.looked_at or [np.empty(0, np.uint64)]))  # np.unique would import numpy.ma
    if many := len(find_starts(looked_at)) - 1:
        yield BY_DOCUMENTS.note(labeled=int(found.labeled.sum()), documents=many)
    elif found.gold.draws_queries:
        drawn = found.gold.find_drawn_queries(inputs.qids)
        yield BY_QUERIES.note(labeled=int(drawn.sum()), queries=len(drawn))
    sheet = found.gold.sheet
    if not sheet.runs and sheet.probability is not None and not found.gold.is_certain:
        yield ON_TRUST.note(sheet=sheet.labels.name)
    yield from _note_votes(found)
    corrected = []
    for measure, row in zip(measures, rows, strict=True):
        if row is not None:
            estimate = row.estimate()
            yield replace(_note_estimate(row, estimate), measures=(measure,))
            if estimate is not None and row.is_other_form:
                before = round(average_values(values[measures.index(measure)]), 4)
                tau: int = getattr(measure, "tau", 0)
                yield NO_TAU.note(measure=measure, before=before, tau=tau, without=round(average_values(row.values), 4))
            corrected += [measure] * (estimate is not None)
    of = inputs.context.target_of
    if of is not None and any("target" in measure.needs for measure in corrected):
        yield TARGET_STAYS.note(target=" and the ".join(word for _, word in of.of))
    ideals = (measure for measure in corrected if "background" in measure.needs)
    yield from (IDEAL_STAYS.note(measure=measure) for measure in ideals)


def _note_votes(found: Correcting) -> Iterator[Note]:
    """Count the gold documents that people do not agree on."""
    gold = found.gold
    if split := int(gold.split.sum()):
        yield SPLIT_VOTES.note(split=split, documents=len(gold.split))
    if undecided := int(found.undecided.sum()):
        yield UNDECIDED.note(undecided=undecided)
    if unfinished := len(found.annotated) - sum(found.annotated.values()):
        yield UNFINISHED.note(unfinished=unfinished, queries=len(found.annotated))


def _note_estimate(row: Corrector, estimate: Estimate | None) -> Note:
    if isinstance(row, Refused):
        return NOT_CORRECTED.note(why=row.why)
    if estimate is None:
        return NOT_CORRECTED.note(why=NOTHING)
    number, differ = estimate.number, estimate.differ
    if isinstance(row, QueryCorrector):
        return OTHER_VALUES.note(labeled=number, differ=differ)
    return OTHER_LABELS.note(labels=number, differ=differ)
