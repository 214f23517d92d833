"""Which documents the measures look at, and which of them nobody knows."""

from collections.abc import Sequence

import numpy as np

from fairtrec.data import MISSING, Docnos, Docs, Run, System, judged
from fairtrec.errors import InputError
from fairtrec.evaluation.documents import Documents
from fairtrec.evaluation.reference import Reference
from fairtrec.literals import Missing
from fairtrec.measure import Measure


def depth_of(measures: Sequence[Measure]) -> int | None:
    """Give the deepest rank that any of the measures reads; None is all."""
    depths = [measure.depth for measure in measures]
    return None if None in depths else max((depth for depth in depths if depth), default=1)


def documents_of(
    runs: Sequence[tuple[System, Sequence[str]]],
    measures: Sequence[Measure],
    reference: Reference,
    missing: Missing,
    *,
    ties: bool = False,
) -> Docnos:
    """Collect the documents that the measures look at, in runs with their chosen queries and in what is beside them.

    ``ties``: those too that are tied with them.
    """
    parts = _beside([qids for _, qids in runs], measures, reference, missing)
    reading = [measure for measure in measures if {"ranked", "membership"} & set(measure.needs)]
    if reading:
        depth = None if missing == "skip" else depth_of(reading)
        for system, qids in runs:
            for run, ranked in system.parts(qids):
                parts.append((run.cut_behind_ties(depth) if ties else run).cut(ranked, None if ties else depth).docnos)
    return Docnos.of(np.concatenate(parts) if parts else np.empty(0, "S1"))


def _beside(
    chosen: Sequence[Sequence[str]], measures: Sequence[Measure], reference: Reference, missing: Missing
) -> list[Docs]:
    """Collect the documents beside the runs: those of the background, and judged ones."""
    parts: list[Docs] = []
    every = sorted(set().union(*chosen))
    if isinstance(reference.background, Run):
        depth = None if missing == "skip" else reference.background_depth
        parts.append(reference.background.cut(every, depth).docnos)
    ideal = any("judged_membership" in measure.needs for measure in measures)
    if reference.qrels is not None and (ideal or reference.target_of in ("qrels", "relevance")):
        lines = judged(reference.qrels, every)
        lines = lines[lines != MISSING]
        least = reference.relevance_level if reference.target_of == "qrels" else 1
        parts.append(reference.qrels.docnos[lines if ideal else lines[reference.qrels.grades[lines] >= least]])
    return parts


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


def refuse_unknown(
    chosen: Sequence[Sequence[str]], measures: Sequence[Measure], reference: Reference, documents: Documents
) -> None:
    """Raise InputError if a document beside the runs has no annotation, where no option says what it is worth."""
    for docnos in _beside(chosen, measures, reference, documents.missing):
        rows = documents.annotations.docnos.rows(docnos)
        unknown = ~documents.annotations.known[rows]
        if unknown.any():
            raise _unknown(documents, docnos[unknown.argmax()].decode(), None)


def _unknown(documents: Documents, example: str, name: str | None) -> InputError:
    """Count the documents that nobody knows, of all runs and of what is beside them."""
    known = documents.annotations.known[: len(documents.annotations.docnos)]
    if documents.of_labels:
        return InputError(
            f"{int((~known).sum())} of {len(known)} documents that the measures look at have no known label, such as "
            f"{example}; label them, or say what they are worth with --missing neutral|skip|worst|bounds",
            name,
        )
    return InputError(
        f"there are no text or counts of {int((~known).sum())} of {len(known)} documents that the measures look at, "
        f"such as {example}; give the whole collection, or say what they are worth with --missing neutral|skip|worst",
        name,
    )
