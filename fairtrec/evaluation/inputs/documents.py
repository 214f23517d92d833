"""The documents that measures look at: which they are, what is known of them, and what stands beside a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from typing import Any, Literal, Self, cast

import numpy as np

from fairtrec.data import (
    MISSING,
    Bools,
    Candidates,
    Counts,
    Docnos,
    Docs,
    Floats,
    Ints,
    Labels,
    Qrels,
    Queries,
    Run,
    System,
)
from fairtrec.evaluation.inputs.options import Choices
from fairtrec.formulas.crossed_groups import Crossing
from fairtrec.measure import Measure, Note, NoteKind, NoteSeverity
from fairtrec.support.errors import InputError
from fairtrec.support.literals import Membership, Missing

TargetOf = Literal["background", "collection", "qrels", "relevance", "ideal"]
OF_QRELS: frozenset[TargetOf] = frozenset({"qrels", "relevance", "ideal"})
OF_RUNS = frozenset({"ranked", "membership"})  # inputs for which the documents of runs are looked up
MOST_UNKNOWN = 0.1  # of the ranks that are measured; above, a run has no mark
TAKEN: Mapping[str, str] = {  # as what documents count
    "error": "are left open (--bounds texts)",
    "neutral": "count as having no group words (--missing neutral)",
    "worst": "count as having words of one group only (--missing worst)",
    "skip": "are left out (--missing skip)",
    "group": "form one more group (--missing group)",
    "even": "count evenly for all groups (--missing even)",
}


def write_missing(which: str, taken: str = "{taken}", what: str = "{what}") -> str:
    """Write the text that counts documents of ``which`` some lack ``what`` is needed; ``taken`` is what they count as.

    >>> write_missing("documents", "are left out", "label").format(unknown=2, documents=1000)
    '2 of 1,000 documents have no label and are left out'
    """
    return f"{{unknown:,}} of {{documents:,}} {which} have no {what}{f' and {taken}' if taken else ''}"


UNKNOWN_IN_RANKS = NoteKind(
    "unknown documents",
    write_missing("documents in the measured ranks"),
    NoteSeverity.MISLEADING,
)
MOSTLY_UNKNOWN = NoteKind(
    "too many unknown",
    "more than a tenth of the documents are unknown",
    NoteSeverity.MISLEADING,
)
UNKNOWN_BELOW = NoteKind(
    "unknown documents of whole rankings",
    write_missing("documents in the whole rankings, all of which {option} looks at,"),
    NoteSeverity.MISLEADING,
)
UNKNOWN_IN_SOURCES = NoteKind(
    "unknown background documents",
    write_missing("documents in the {where}"),
    NoteSeverity.MISLEADING,
)


@dataclass(frozen=True)
class Needs:
    """What several measures, or whatever else is asked for, look at.

    ``inputs`` are names of the table of inputs; ``depth`` is the deepest rank of which they look a document up, None
    the last.
    """

    inputs: frozenset[str]
    depth: int | None


@dataclass(frozen=True, eq=False)
class MixedTarget:
    """A target that is taken from documents, each part ``of`` them with its factor, and from shares that are given.

    ``shares``  those that are given together, the same for all queries, or ``by_query``; the other factor is theirs.
    """

    of: tuple[tuple[float, TargetOf], ...]
    shares: Floats | None = None
    by_query: Mapping[str, Floats] | None = None

    @property
    def factor(self) -> float:
        """How much comes from documents."""
        return sum(factor for factor, _ in self.of)


@dataclass(eq=False)
class Documents:
    """The table of documents that all runs and measures of an evaluation share.

    All counts pass here, whether they come from texts, counts or labels, or are made by another command: ``counted`` is
    what was counted, ``document_counts`` what the choices make of it.

    ``last`` changes: it keeps what was asked of a background last (run, depth, queries), and what was found.
    """

    counted: Counts
    choices: Choices
    document_counts: Counts = field(init=False)
    counts: Floats = field(init=False)  # occurrences [document, group]; infinite for the worst that there could be
    missing: Missing = field(init=False)
    has_missing: bool = field(init=False)  # whether nobody knows some document, by some attribute
    refuses_missing: bool = field(init=False)  # and no choice says what it is worth
    of_labels: bool = field(default=False, kw_only=True)  # which stand for counts
    by: Mapping[str, "Documents"] = field(default_factory=dict, kw_only=True)  # of labels of other attributes
    behind: "Documents | None" = field(default=None, kw_only=True)  # with all that is tied with documents of runs
    last: tuple[tuple[Run, int, tuple[str, ...]], Candidates] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.document_counts, self.missing = self.counted, self.choices.missing
        self.counts = self.document_counts.counts.astype(np.float64, copy=False)
        if self.missing == "worst":
            self.set_unknown(np.inf)
        self.has_missing = not self.counted.known.all() or any(each.has_missing for each in self.by.values())
        self.refuses_missing = self.has_missing and self.missing == "error"

    @property
    def every(self) -> "tuple[Documents, ...]":
        """These, and those by other attributes."""
        return (self, *self.by.values())

    @property
    def missing_count(self) -> int:
        """How many documents nobody knows."""
        return int((~self.document_counts.known).sum())

    def set_unknown(self, counts: Any) -> None:
        """Let documents that nobody knows have these counts [group]."""
        self.counts = np.where(self.document_counts.known[:, None], self.counts, counts)

    def find_missing(self, docnos: Docs) -> Bools:
        """Tell which of these documents nobody knows."""
        rows = self.document_counts.docnos.rows(docnos)
        return np.asarray((rows != MISSING) & ~self.document_counts.known[rows])

    @cached_property
    def is_skipped(self) -> Bools:
        """Which documents are passed over [document], and last whether what is in no row is, which it is not."""
        known = self.document_counts.known
        return np.append(~known if self.missing == "skip" else np.zeros(len(known), dtype=np.bool_), False)

    def with_counts(self, counted: Counts) -> "Documents":
        """Take other counts in the place of these, by the same choices."""
        return Documents(counted, self.choices, of_labels=self.of_labels)

    def lines(self, run: Run, qids: Sequence[str], depth: int | None) -> Ints:
        """Give the lines of each query's first documents [query, rank], without those that are passed over."""
        return self.find_lines(run, run.numbers(qids), depth)

    def find_lines(self, run: Run, numbers: Ints, depth: int | None) -> Ints:
        """Give the same for the numbers of queries."""
        if self.missing != "skip":
            return run.find_top(numbers, depth)
        lines = run.find_top(numbers, None)
        there = lines != MISSING
        rows = self.document_counts.docnos.rows(run.docnos[lines[there]])
        lines[there] = np.where(self.is_skipped[rows], MISSING, lines[there])
        together = np.argsort(lines == MISSING, axis=1, kind="stable")
        return np.take_along_axis(lines, together, axis=1)[:, :depth]

    def rows(self, run: Run, qids: Sequence[str], depth: int | None) -> Ints:
        """Give the rows of each query's first documents [query, rank], without those that are passed over."""
        return self.document_counts.docnos.rows(run.docnos, self.lines(run, qids, depth))


@dataclass(frozen=True, eq=False, kw_only=True)
class AttributeContext:
    """The groups of one attribute: who belongs to them, and what each of them should have."""

    attribute: str = ""  # its name
    labels: Labels | None = None
    target: Floats | None = None  # the same for all queries; None: taken from the documents of ``target_of``
    target_of: MixedTarget | None = None
    targets: Mapping[str, Floats] | None = None  # a target for each query
    prior: Floats | None = None  # of the groups of unknown documents; None: as among the query's known ones
    crossing: Crossing | None = None  # of which the target is made
    is_vast: bool = False  # there are more groups than are listed; ``labels`` are those of the first that is crossed


@dataclass(frozen=True, eq=False, kw_only=True)
class EvaluationContext(AttributeContext):
    """What stands beside the runs when it has been read; shared by all runs.

    Of several attributes it has one, and the others by their names: those that were ``given``, and crossed ones.
    """

    documents: Documents | None = None
    choices: Choices = field(default_factory=Choices)
    things: tuple[
        Any, ...
    ] = ()  # what says all of each thing given beside the runs (evaluation/given, which imports this)
    opened: Mapping[str, Any] = field(default_factory=dict)  # of these things what is looked at, by name
    membership: Membership = "share"
    judge: Any = None  # the RelevanceEvaluator of all measures of relevance, whose room is beside this one
    refuses_strangers: bool = True  # refuse a run of whose measured ranks labels or stances know no document
    attributes: Mapping[str, AttributeContext] = field(default_factory=dict)
    given: tuple[str, ...] = ()
    sources: frozenset[TargetOf] = frozenset()  # documents of which targets are made, of any attribute
    of_judged: dict[Any, Any] = field(default_factory=dict)  # groups of judged documents, kept for the next run

    @property
    def qrels(self) -> Qrels | None:
        """The judgments."""
        return self.opened.get("qrels")

    @property
    def queries(self) -> Queries | None:
        """The wanted queries."""
        return self.opened.get("queries")

    @property
    def background(self) -> Run | Literal["collection"] | None:
        """The documents that define each query's ideal."""
        return self.opened.get("background")

    def take_attribute(self, attribute: str) -> "EvaluationContext":
        """Take another attribute: the groups, and the documents where labels stand for counts."""
        if attribute in ("", self.attribute):
            return self
        documents = self.documents and self.documents.by.get(attribute, self.documents)
        return replace(self, **vars(self.attributes[attribute]), documents=documents)


class RunContext:
    """One run's evaluation over ``qids``, to a depth, before any input is computed; all that a module of an extra sees.

    The inputs proper are ``measure_inputs.Inputs``; ``first`` are those of the attribute that is computed first.
    """

    counts: Floats  # occurrences of group terms [document, group]

    def __init__(
        self, run: Run, qids: Sequence[str], context: EvaluationContext, depth: int | None, first: Self | None = None
    ) -> None:
        self.run, self.qids, self.context, self.depth, self.first = run, qids, context, depth, first
        self.queries = len(qids)
        self.documents = cast("Documents", context.documents)  # these are there where an input needs them
        self.qrels = cast("Qrels", context.qrels)
        if context.documents is not None:
            self.counts = context.documents.counts
        self._others: dict[str, Any] = {}  # inputs of other attributes

    @cached_property
    def takes_part(self) -> Bools:
        """Whether the labels name the query [query], where they are per query."""
        labels = self.context.labels
        if labels is None or not labels.per_query:
            return np.ones(len(self.qids), dtype=np.bool_)
        return np.array([qid in labels.queries for qid in self.qids], dtype=np.bool_)


def keep_documents(system: System, choices: Choices, qrels: Qrels | None) -> System:
    """Keep only the documents of each ranking that the choices keep; those with ``drops`` act here, for all commands.

    ``--only`` keeps documents that are not the query, or judged, or from a grade on relevant.
    """
    words = choices.only.split(",") if choices.only else []
    if "others" in words:
        system = system.keep_where(Run.find_others)
    if qrels is not None and choices.keeps_grades:
        least = 0 if "judged" in words else choices.level
        system = system.keep_where(partial(Run.find_graded, qrels=qrels, least=least))
    return system


def collect_documents(
    runs: Sequence[tuple[System | None, Sequence[str]]], needs: Needs, context: EvaluationContext, choices: Choices
) -> list[Docs]:
    """Collect the documents that are looked at of the queries of runs: beside them, and in those that are there.

    Beside them stand the background, and judged ones. Where there are ties, what is tied with them is one of them.
    """
    every = sorted({qid for _, qids in runs for qid in qids})
    parts: list[Docs] = [np.empty(0, "S1")]
    for thing in reversed(context.things):  # of those of the last an unknown one is named first
        parts += thing.collect_documents(context, needs, every, choices)
    depth = None if choices.reads_whole else needs.depth
    for system, qids in runs if OF_RUNS & needs.inputs else ():
        for run, ranked in system.parts(qids) if system is not None else ():
            parts.append(run.cut(ranked, depth, with_ties=choices.keeps_ties).docnos)
    return parts


def note_unknown(
    system: System, qids: Sequence[str], needs: Needs, measures: Sequence[Measure], documents: Documents
) -> tuple[tuple[Note, ...], frozenset[Measure]]:
    """Count the unknown documents in the measured ranks of a run, and find the measures with too many of them."""
    looking = [measure for measure in measures if OF_RUNS.intersection(measure.needs)]
    unknown: dict[int | None, tuple[int, int]] = {}  # and all, by depth
    whole = documents.choices.whole_columns
    for depth in {needs.depth, *(measure.depth for measure in looking), *([None] if whole else [])}:
        strange = documents.find_missing(system.runs[0].cut(qids, depth).docnos)
        unknown[depth] = int(strange.sum()), len(strange)
    of = {measure: unknown[measure.depth] for measure in looking}
    doubtful = [measure for measure, (some, every) in of.items() if some > every * MOST_UNKNOWN]
    some, every = unknown[needs.depth]
    how = _what(documents)
    notes = [UNKNOWN_IN_RANKS.note(unknown=some, documents=every, **how)] if some else []
    if whole and needs.depth is not None and unknown[None][0] > some:
        some, every = unknown[None]
        notes.append(UNKNOWN_BELOW.note(unknown=some, documents=every, option=", ".join(whole), **how))
    return (*notes, *(MOSTLY_UNKNOWN.note(measure=measure) for measure in doubtful)), frozenset(doubtful)


def note_unknown_sources(
    qids: Sequence[str], needs: Needs, context: EvaluationContext, documents: Documents
) -> list[Note]:
    """Count the unknown documents of each thing beside the runs, such as backgrounds and judgments.

    They are those of the first ranks of a background, also where others below take the place of the unknown.
    """
    choices = replace(documents.choices, bounds=None, missing="neutral")
    how, notes = _what(documents), []
    for thing in reversed(context.things):
        parts = [np.empty(0, "S1"), *thing.collect_documents(context, needs, qids, choices)]
        strange = documents.find_missing(Docnos.collect(*parts).names)
        if several := int(strange.sum()):
            notes.append(
                UNKNOWN_IN_SOURCES.note(unknown=several, documents=len(strange), where=thing.documents_place, **how)
            )
    return notes


def _what(documents: Documents) -> dict[str, str]:
    """Say what is unknown of documents, and what they count as."""
    return {"what": _name_missing(documents), "taken": TAKEN[documents.missing]}


def _name_missing(documents: Documents) -> str:
    return "label" if documents.of_labels else "text or counts"


def find_unknown(system: System, qids: Sequence[str], documents: Documents) -> InputError | None:
    """Find a document of the run that has no counts, the topmost, and say so."""
    for run, known in product(system.runs, documents.every):
        part = run.cut(qids, None)
        hits = np.flatnonzero(known.find_missing(part.docnos))
        if len(hits):
            place = {qid: i for i, qid in enumerate(qids)}
            query = np.searchsorted(part.starts, hits, side="right") - 1
            ranks = part.find_ranks(hits) - 1
            first = np.lexsort((np.array([place[qid] for qid in part.qids])[query], ranks))[0]
            docno, qid = part.docnos[hits[first]].decode(), part.qids[query[first]]
            return _unknown(known, f"{docno} at rank {ranks[first] + 1} of query {qid}", system.name)
    return None


def refuse_unknown(
    runs: Sequence[tuple[System | None, Sequence[str]]],
    needs: Needs,
    context: EvaluationContext,
    documents: Documents,
) -> None:
    """Raise InputError for a document of runs or beside them that has no counts, if there is one."""
    for system, qids in runs:
        if system is not None and (fault := find_unknown(system, qids, documents)):
            raise fault
    parts = collect_documents([(None, qids) for _, qids in runs], needs, context, documents.choices)
    for docnos, known in product(parts, documents.every):
        strange = known.find_missing(docnos)
        if strange.any():
            raise _unknown(known, docnos[strange.argmax()].decode(), None)


def _unknown(documents: Documents, example: str, name: str | None) -> InputError:
    what = _name_missing(documents)
    many = write_missing("documents that the measures look at", "", what).format(
        unknown=documents.missing_count, documents=len(documents.document_counts.known)
    )
    way = "label them" if documents.of_labels else "pass the whole collection"
    worth = "or choose how they count with --missing neutral|skip|worst"
    return InputError(f"{many}, such as {example}; {way}, {worth}", name)
