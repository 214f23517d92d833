"""The documents that measures look at: which they are, what is known of them, and what stands beside a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol, cast

import numpy as np

from fairtrec.data import (
    MISSING,
    Annotations,
    Bools,
    Candidates,
    Docnos,
    Docs,
    Floats,
    Ints,
    Labels,
    Qrels,
    Run,
    System,
    judged,
)
from fairtrec.errors import InputError
from fairtrec.evaluation.choices import Choices
from fairtrec.literals import Membership, Missing
from fairtrec.measure import Measure, Remark

TargetOf = Literal["background", "collection", "qrels", "relevance", "ideal"]
OF_QRELS: frozenset[TargetOf] = frozenset({"qrels", "relevance", "ideal"})
MOST_UNKNOWN = 0.1  # of the ranks that are measured; above, a run has no mark
OF_RUNS = frozenset({"ranked", "membership"})  # inputs for which the documents of runs are looked up


class Asking(Protocol):
    """What looks at inputs: a measure, or a reranker."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The names of the inputs."""

    @property
    def depth(self) -> int | None:
        """The deepest rank that is looked at; None is the last."""


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
    what was counted, ``annotations`` what the choices make of it.

    ``last`` changes: it keeps what was asked of a background last (run, depth, queries), and what was found.
    """

    counted: Annotations
    choices: Choices
    annotations: Annotations = field(init=False)
    missing: Missing = field(init=False)
    of_labels: bool = field(default=False, kw_only=True)  # which stand for counts
    last: tuple[tuple[Run, int, tuple[str, ...]], Candidates] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.annotations, self.missing = self.counted, self.choices.missing

    @property
    def unknown(self) -> int:
        """How many documents nobody knows."""
        return int((~self.annotations.known).sum())

    @cached_property
    def dropped(self) -> Bools:
        """Which documents are passed over [document], and last whether what is in no row is, which it is not."""
        known = self.annotations.known
        return np.append(~known if self.missing == "skip" else np.zeros(len(known), dtype=np.bool_), False)

    @cached_property
    def counts(self) -> Floats:
        """Occurrences [document, group]; infinite for the worst document that there could be."""
        counts = self.annotations.counts.astype(np.float64)
        if self.missing == "worst":
            counts[~self.annotations.known] = np.inf
        return counts

    def with_counts(self, counted: Annotations) -> "Documents":
        """Take other counts in the place of these, by the same choices."""
        return Documents(counted, self.choices, of_labels=self.of_labels)

    def lines(self, run: Run, qids: Sequence[str], depth: int | None) -> Ints:
        """Give the lines of each query's first documents [query, rank], without those that are passed over."""
        lines = run.top(qids, None)
        there = lines != MISSING
        rows = self.annotations.docnos.rows(run.docnos[lines[there]])
        lines[there] = np.where(self.dropped[rows], MISSING, lines[there])
        together = np.argsort(lines == MISSING, axis=1, kind="stable")
        return np.take_along_axis(lines, together, axis=1)[:, :depth]

    def rows(self, run: Run, qids: Sequence[str], depth: int | None) -> Ints:
        """Give the rows of each query's first documents [query, rank], without those that are passed over."""
        lines = self.lines(run, qids, depth) if self.missing == "skip" else run.top(qids, depth)
        rows = np.full(lines.shape, MISSING, dtype=np.int64)
        there = lines != MISSING
        rows[there] = self.annotations.docnos.rows(run.docnos[lines[there]])
        return rows


@dataclass(frozen=True, eq=False, kw_only=True)
class Reference:
    """What stands beside the runs when it has been read; shared by all runs."""

    qrels: Qrels | None = None
    documents: Documents | None = None
    background: Run | Literal["collection"] | None = None
    background_depth: int = 200
    target: Floats | None = None  # the same for all queries; None: taken from the documents of ``target_of``
    target_of: MixedTarget | None = None
    targets: Mapping[str, Floats] | None = None  # a target for each query
    labels: Labels | None = None
    extras: Mapping[str, Any] = field(default_factory=dict)  # what was given for single measures, by name
    membership: Membership = "share"
    relevance_level: int = 1
    gold: Any = None  # the Gold of evaluation/gold/, which imports this
    prior: Floats | None = None  # of the groups of unknown documents; None: as among the query's known ones

    def looks_at(self, *words: TargetOf) -> bool:
        """Tell whether a part of the target is taken from these documents."""
        return self.target_of is not None and any(word in words for _, word in self.target_of.of)


class RunContext:
    """One run's evaluation over ``qids``, to a depth, before any input is computed; all that a module of an extra sees.

    The inputs proper are ``inputs.Inputs``.
    """

    def __init__(self, run: Run, qids: Sequence[str], reference: Reference, depth: int | None) -> None:
        self.run, self.qids, self.reference, self.depth = run, qids, reference, depth
        self.documents: Documents = cast("Documents", reference.documents)  # there is one where an input needs it


def depth_of(measures: "Sequence[Asking]") -> int | None:
    """Give the deepest rank that any of the measures reads; None is all."""
    depths = [measure.depth for measure in measures]
    return None if None in depths else max((depth for depth in depths if depth), default=1)


def documents_of(
    runs: Sequence[tuple[System, Sequence[str]]], needs: Needs, context: "Reference", choices: Choices
) -> Docnos:
    """Collect the documents that are looked at, in runs with their chosen queries and in what is beside them.

    Where there are ties, these are those too that are tied with them.
    """
    parts = _beside([qids for _, qids in runs], needs, context, choices.missing)
    if OF_RUNS & needs.inputs:
        depth = None if choices.missing == "skip" else needs.depth
        for system, qids in runs:
            for run, ranked in system.parts(qids):
                whole = run.cut_behind_ties(depth) if choices.bounds == "ties" else run
                parts.append(whole.cut(ranked, None if choices.bounds == "ties" else depth).docnos)
    return Docnos.of(np.concatenate(parts) if parts else np.empty(0, "S1"))


def _beside(chosen: Sequence[Sequence[str]], needs: Needs, reference: Reference, missing: Missing) -> list[Docs]:
    """Collect the documents beside the runs: those of the background, and judged ones."""
    parts: list[Docs] = []
    every = sorted(set().union(*chosen))
    if isinstance(reference.background, Run):
        depth = None if missing == "skip" else reference.background_depth
        parts.append(reference.background.cut(every, depth).docnos)
    ideal = "judged_membership" in needs.inputs
    if reference.qrels is not None and (ideal or reference.looks_at(*OF_QRELS)):
        lines = judged(reference.qrels, every)
        lines = lines[lines != MISSING]
        least = 1 if reference.looks_at("relevance") else reference.relevance_level
        parts.append(reference.qrels.docnos[lines if ideal else lines[reference.qrels.grades[lines] >= least]])
    return parts


def remark_on(
    system: System, qids: Sequence[str], needs: Needs, measures: Sequence[Measure], documents: Documents
) -> tuple[tuple[Remark, ...], frozenset[Measure]]:
    """Say how many documents nobody knows in the ranks of a run that are measured, and of which measures too many."""
    looking = [measure for measure in measures if OF_RUNS.intersection(measure.needs)]
    unknown: dict[int | None, tuple[int, int]] = {}  # and all, by depth
    for depth in {needs.depth, *(measure.depth for measure in looking)}:
        rows = documents.annotations.docnos.rows(system.runs[0].cut(qids, depth).docnos)
        unknown[depth] = int(((rows != MISSING) & ~documents.annotations.known[rows]).sum()), len(rows)
    of = {measure: unknown[measure.depth] for measure in looking}
    strange = [measure for measure, (some, every) in of.items() if some > every * MOST_UNKNOWN]
    words = f"{{}} of {{}} documents in the measured ranks have no {_what(documents)}; --missing {documents.missing}"
    remarks = [Remark(words, unknown[needs.depth])] if unknown[needs.depth][0] else []
    unsure = "no rank and no mark, as more than a tenth of the documents are unknown"
    return (*remarks, *(Remark(unsure, measure=measure) for measure in strange)), frozenset(strange)


def remark_beside(qids: Sequence[str], needs: Needs, reference: Reference, documents: Documents) -> list[str]:
    """Say how many documents nobody knows of those that are looked at beside the runs."""
    parts = _beside([qids], needs, reference, documents.missing)
    names = Docnos.of(np.concatenate(parts)).names if parts else np.empty(0, "S1")
    rows = documents.annotations.docnos.rows(names)
    unknown = int(((rows != MISSING) & ~documents.annotations.known[rows]).sum())
    where = "backgrounds" if isinstance(reference.background, Run) else "judgements"
    what = (
        f"{unknown} of {len(rows)} documents in the {where} have no {_what(documents)}; --missing {documents.missing}"
    )
    return [what] if unknown else []


def _what(documents: Documents) -> str:
    return "known label" if documents.of_labels else "text or counts"


def unknown_in(system: System, qids: Sequence[str], documents: Documents) -> InputError | None:
    """Find a document of the run that has no annotation, where no option says what it is worth."""
    for run in system.runs:
        part = run.cut(qids, None)
        rows = documents.annotations.docnos.rows(part.docnos)
        hits = np.flatnonzero((rows != MISSING) & ~documents.annotations.known[rows])
        if len(hits):
            place = {qid: i for i, qid in enumerate(qids)}
            query = np.searchsorted(part.starts, hits, side="right") - 1
            ranks = hits - part.starts[query]
            first = np.lexsort((np.array([place[qid] for qid in part.qids])[query], ranks))[0]
            docno, qid = part.docnos[hits[first]].decode(), part.qids[query[first]]
            example = f"{docno} at rank {ranks[first] + 1} of query {qid}"
            return _unknown(documents, example, system.name)
    return None


def refuse_unknown(chosen: Sequence[Sequence[str]], needs: Needs, reference: Reference, documents: Documents) -> None:
    """Raise InputError if a document beside the runs has no annotation, where no option says what it is worth."""
    for docnos in _beside(chosen, needs, reference, documents.missing):
        rows = documents.annotations.docnos.rows(docnos)
        unknown = ~documents.annotations.known[rows]
        if unknown.any():
            raise _unknown(documents, docnos[unknown.argmax()].decode(), None)


def _unknown(documents: Documents, example: str, name: str | None) -> InputError:
    known = documents.annotations.known[: len(documents.annotations.docnos)]
    if documents.of_labels:
        return InputError(
            f"{int((~known).sum())} of {len(known)} documents that the measures look at have no known label, such as "
            f"{example}; label them, or say what they are worth with --missing neutral|skip|worst",
            name,
        )
    return InputError(
        f"there are no text or counts of {int((~known).sum())} of {len(known)} documents that the measures look at, "
        f"such as {example}; give the whole collection, or say what they are worth with "
        "--missing neutral|skip|worst",
        name,
    )


CELLS = 1 << 24  # of a matrix [query, rank] that is made whatever stands in it
TIMES = 4  # so many cells for each document are no waste


def evenly(run: Run, qids: Sequence[str], depth: int | None) -> list[Ints]:
    """Deal the queries, by number, to parts whose matrices [query, rank] hold few empty cells; mostly that is one.

    Rankings of one part are at most twice as long as each other, down to 16 ranks.
    """
    many = dict(zip(run.qids, np.diff(run.starts).tolist(), strict=True))
    lengths = np.array([many.get(qid, 0) for qid in qids], dtype=np.int64)
    if depth is not None:
        lengths = np.minimum(lengths, depth)
    return dealt(lengths)


def dealt(lengths: Ints) -> list[Ints]:
    """Deal rows of these lengths to parts in the same way."""
    every = np.arange(len(lengths))
    if len(lengths) * int(lengths.max(initial=0)) <= max(CELLS, TIMES * int(lengths.sum())):
        return [every]
    steps = np.ceil(np.log2(np.maximum(lengths, 16)))
    return [every[steps == step] for step in np.unique(steps)]
