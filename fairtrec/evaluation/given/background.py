"""The background: the documents of each query that define its ideal, of a run or of the whole collection."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from fairtrec.data import MISSING, Candidates, Docs, Floats, Run, digest_queries, refuse_large, take
from fairtrec.evaluation.given.given_rows import Files, NamedRuns, Written
from fairtrec.evaluation.given.reference import MeasuredReference, OpenedReferences, Plan, References
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.documents import Documents, EvaluationContext, Needs
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.evaluation.inputs.options import Choices
from fairtrec.support.errors import PATH, InputError, UsageError
from fairtrec.support.files import submissions

PIECE = 1 << 15  # documents that are looked up at a time, as caches have them
MANY, WORKERS = 16, 2  # pieces, from which it pays to look them up in so many threads


class BackgroundReference(MeasuredReference):
    """A run of the documents that a system could have shown; or all documents of the collection."""

    opened_by = "runs"
    parts = frozenset({"background"})
    documents_place = "backgrounds"
    is_large = True

    def refuse(self, given: References) -> None:
        """Raise InputError if there is no such file, UsageError for a collection of which nothing is known."""
        thing = given.things[self.name]
        if self.name not in given.words:
            if isinstance(thing, PATH) and not loading.is_file(thing):
                raise InputError("there is no such file; check --background", thing)
        elif given.things.keys().isdisjoint({"counts", "labels"}):
            raise UsageError("--background collection needs the counts of the collection; add --counts FILE")

    def list_inputs(self, given: References) -> Iterable[str]:
        """Name the inputs that can be made of it, if groups are known."""
        return () if given.group_reference is None else super().list_inputs(given)

    def open_beside(self, plan: Plan, named: NamedRuns, depth: int | None) -> Run | str:
        """Read it as deep as it is looked at; one that is evaluated, too, is read once, as deep as a run."""
        choices, thing = plan.choices, plan.given.things[self.name]
        if self.name not in plan.opened and self.name not in plan.given.words:
            deep = None if choices.missing == "skip" else choices.background_depth
            if any(self._find_same(plan, named)):
                deep = None if deep is None or depth is None or choices.keeps_ties else max(deep, depth)
            plan.opened[self.name] = loading.ranking(thing, self.name, choices, deep)
            plan.depths[self.name] = deep
        opened: Run | str = plan.opened.get(self.name, thing)
        return opened

    def take_runs(
        self, plan: Plan, context: EvaluationContext, named: NamedRuns, depth: int | None, *, with_ties: bool
    ) -> NamedRuns:
        """Put it in the place of the runs that are the same, if it was read deep enough."""
        same, whole, tied = self._find_same(plan, named), context.background, plan.choices.keeps_ties
        if not any(same) or not isinstance(whole, Run):
            return named
        deep = plan.depths[self.name]
        if deep is not None and (depth is None or depth > deep or tied):
            return named
        run = whole.cut(whole.qids, depth, with_ties=tied or with_ties)
        if deep is not None and with_ties and np.diff(run.starts).max(initial=0) >= deep > (depth or 0):
            return named  # what is tied may go on below
        return [(name, run if is_same else thing) for (name, thing), is_same in zip(named, same, strict=True)]

    def _find_same(self, plan: Plan, named: NamedRuns) -> list[bool]:
        """Tell which runs are the same file; none that is a stranger's, as each of these passes what refuses some."""
        path = plan.given.things[self.name]
        is_read = isinstance(path, PATH) and not plan.choices.samples and submissions.border() is None
        return [is_read and isinstance(thing, PATH) and thing == path for _, thing in named]

    def list_effects(self, plan: Plan) -> Iterable[str]:
        """Name what is in effect: its depth, if it has one."""
        return ["background"] * (self.plays(plan) and self.name not in plan.given.words)

    def list_docnos(self, opened: OpenedReferences) -> Iterator[Docs] | None:
        """List its documents; what is wrong with it is said where it is read. None: it is the collection."""
        return None if self.name in opened.given.words else self._list_docnos(opened)

    def _list_docnos(self, opened: OpenedReferences) -> Iterator[Docs]:
        with suppress(InputError):
            yield loading.ranking(opened.given.things[self.name], self.name, opened.choices, None).docnos

    def collect_documents(
        self,
        context: EvaluationContext,
        needs: Needs,
        qids: Sequence[str],
        choices: Choices,
    ) -> Iterator[Docs]:
        """Give its documents, as far as they are looked at."""
        if isinstance(context.background, Run):
            depth = None if choices.missing == "skip" else choices.background_depth
            yield context.background.cut(qids, depth).docnos

    def sign(self, plan: Plan, context: EvaluationContext, files: Files) -> Written:
        """Write it, and how many documents of each query it has."""
        told = super().sign(plan, context, files)
        return (
            told if self.name in plan.given.words else {self.name: f"{told[self.name]}/{plan.choices.background_depth}"}
        )

    def digest(self, read: Any) -> str:
        """Hash the documents of each query in their order."""
        return digest_ranking(read) if isinstance(read, Run) else ""


BACKGROUND = BackgroundReference("background")


def digest_ranking(run: Run) -> str:
    """Hash the documents of each query in their order."""
    return digest_queries(run.qids, lambda row: [run.docnos[run.starts[row] : run.starts[row + 1]]])


def background(inputs: Inputs) -> Candidates:
    """Take the documents that define each query's ideal."""
    if inputs.context.background == "collection":
        return inputs.collection
    assert inputs.context.background is not None
    run, depth, documents = inputs.context.background, inputs.context.choices.background_depth, inputs.documents
    asked = run, depth, tuple(inputs.qids)
    if documents.last is None or documents.last[0] != asked:  # runs of a batch have mostly the same queries
        documents.last = None  # before memory is taken for the next
        # its unknown documents are neutral: as worst ones they would ease the ideal
        counts = documents.document_counts.counts if documents.missing == "worst" else inputs.counts
        documents.last = asked, _gather(documents, run, inputs.qids, depth, counts)
    return documents.last[1]


def _gather(documents: Documents, run: Run, qids: Sequence[str], depth: int, counts: Floats) -> Candidates:
    """Gather the counts [document, group] of the first documents of these queries of a run, some queries at a time."""
    numbers = run.numbers(qids)
    longest = int(run.find_depths(numbers).max(initial=0))
    widest = min(depth, longest)
    shape = len(qids), widest
    refuse_large(queries=len(qids), documents=widest, groups=counts.shape[1])
    found, is_there = np.empty((*shape, counts.shape[1])), np.zeros(shape, dtype=np.bool_)
    step = max(PIECE // max(longest if documents.missing == "skip" else widest, 1), 1)

    def fill(first: int) -> None:
        part = slice(first, first + step)
        rows = documents.document_counts.docnos.rows(run.docnos, documents.find_lines(run, numbers[part], depth))
        cells = part, slice(rows.shape[1])
        found[cells], is_there[cells] = take(counts, rows), rows != MISSING
        found[part, rows.shape[1] :] = np.nan

    pieces = range(0, len(qids), step)
    if len(pieces) < MANY:
        for first in pieces:
            fill(first)
    else:
        from concurrent.futures import ThreadPoolExecutor

        _ = documents.document_counts.docnos.slots, documents.is_skipped  # which are computed by one thread
        with ThreadPoolExecutor(WORKERS) as workers:
            list(workers.map(fill, pieces))
    one = np.ones((), dtype=np.int64)
    return Candidates(found, np.broadcast_to(one, shape) if is_there.all() else is_there.astype(np.int64))
