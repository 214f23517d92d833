"""Which documents are looked at, of runs and beside them; and those of which nobody has said what they are."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from fairtrec.data import MISSING, Docnos, Docs, Run, System, judged
from fairtrec.errors import InputError
from fairtrec.inputs.choices import Choices
from fairtrec.inputs.documents import OF_QRELS, OF_RUNS, Documents, Needs, Reference
from fairtrec.literals import Missing
from fairtrec.measure import Measure, Remark

MOST_UNKNOWN = 0.1  # of the ranks that are measured; above, a run has no mark


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
    for run, known in product(system.runs, documents.every):
        part = run.cut(qids, None)
        rows = known.annotations.docnos.rows(part.docnos)
        hits = np.flatnonzero((rows != MISSING) & ~known.annotations.known[rows])
        if len(hits):
            place = {qid: i for i, qid in enumerate(qids)}
            query = np.searchsorted(part.starts, hits, side="right") - 1
            ranks = hits - part.starts[query]
            first = np.lexsort((np.array([place[qid] for qid in part.qids])[query], ranks))[0]
            docno, qid = part.docnos[hits[first]].decode(), part.qids[query[first]]
            example = f"{docno} at rank {ranks[first] + 1} of query {qid}"
            return _unknown(known, example, system.name)
    return None


def refuse_unknown(chosen: Sequence[Sequence[str]], needs: Needs, reference: Reference, documents: Documents) -> None:
    """Raise InputError if a document beside the runs has no annotation, where no option says what it is worth."""
    for docnos, each in product(_beside(chosen, needs, reference, documents.missing), documents.every):
        rows = each.annotations.docnos.rows(docnos)
        unknown = ~each.annotations.known[rows]
        if unknown.any():
            raise _unknown(each, docnos[unknown.argmax()].decode(), None)


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
