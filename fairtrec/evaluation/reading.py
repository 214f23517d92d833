"""Reading a batch of runs, in one process or in several: each run is read once, and no more of it kept than is needed.

Where measures look documents up, a run is scored in two steps: its utility measures at once, the others when the
documents that all runs look at have been read. In between it is kept down to the ranks that these others look at.
"""

from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat
from operator import attrgetter, itemgetter
from os import fspath
from typing import Any

import numpy as np

from fairtrec.data import MISSING, Qrels, Queries, Run, System, encode_ids, fingerprints
from fairtrec.data.ranking.empty import write_empty
from fairtrec.data.spellings import compare, guess
from fairtrec.evaluation.answers.scores import Scores, join_scores
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.documents import (
    Documents,
    EvaluationContext,
    Needs,
    find_unknown,
    keep_documents,
    note_unknown,
    refuse_unknown,
)
from fairtrec.evaluation.inputs.options import Choices
from fairtrec.evaluation.score import score
from fairtrec.measure import Measure
from fairtrec.measures.catalogue.needs import needs_judgments
from fairtrec.support.errors import PATH, InputError
from fairtrec.support.files import submissions
from fairtrec.support.jobs import map_ordered
from fairtrec.support.notes import NoteKind, list_runs
from fairtrec.support.progress import RUNS, listener, report

EMPTY = NoteKind("empty rankings", write_empty)
MANY = 10_000  # queries, from which they are sorted as integers
Failed = dict[str, str]  # what is wrong with each run that is broken, by its name


@dataclass(frozen=True, eq=False)
class LoadedRun:
    """A run that has been read: the queries that are evaluated, its scores so far, and what is left of it."""

    name: str
    qids: tuple[str, ...]
    scores: Scores | None  # of the measures that look up no documents, where there are such
    rest: System | None  # for the measures that are still to come
    tied: Run | None = None  # that, and all that is tied with the last documents; None: ties are not looked for

    def rename(self, name: str) -> "LoadedRun":
        """Give the same under another name."""
        scores = None if self.scores is None else replace(self.scores, run=name)
        rest = None if self.rest is None else replace(self.rest, name=name)
        return replace(self, name=name, scores=scores, rest=rest)


@dataclass(frozen=True, eq=False)
class Batch:
    """Runs that were read together, the documents that are looked up in them, and their scores."""

    runs: Sequence[LoadedRun]
    documents: Documents | None
    scores: list[Scores]


@dataclass(frozen=True, eq=False, kw_only=True)
class Reading:
    """What the reading of every run needs beside the run."""

    measures: tuple[Measure, ...]
    others: tuple[Measure, ...]  # those that are no measures of relevance
    needs: Needs  # of all of these, or of what else is asked for
    context: EvaluationContext  # its documents come later
    choices: Choices
    depth: int | None  # how deep anything looks into a run
    kept: int | None  # how many ranks of it are kept for what looks documents up
    two_pass: bool  # whether any measure looks documents up
    looks_for_ties: bool = False  # of documents of different groups, which docnos decide
    border: submissions.Border | None = None  # what is refused of runs that are untrusted

    def begin(self) -> Callable[[Any], Any]:
        """Give what reads a run; what computes the rest of it, once its documents are known."""
        submissions.resume(self.border)
        return self.read_run if self.context.documents is None else self.rest_of

    def read_run(self, named: tuple[str, Any]) -> LoadedRun | InputError:
        """Read a run of this name, and compute what looks up no documents; of a broken one, give what is wrong."""
        choices, (name, thing) = self.choices, named
        judge = self.context.judge
        measures = self.measures if not self.two_pass else judge.measures if judge else ()
        try:
            deep = choices.depth if choices.drops_documents else self.depth
            with_ties = self.looks_for_ties and not (choices.drops_documents or choices.keeps_ties)
            whole = loading.load_run(thing, name, choices, deep, with_ties=with_ties)
            empty = {qid for run in whole.runs for qid in run.empty}
            whole = keep_documents(whole, choices, self.context.qrels)
            system = whole.cut(whole.qids, deep) if with_ties else whole
            qids = choose_queries(
                system,
                self.context.qrels,
                self.context.queries,
                complete=choices.complete,
                only_judged=self.only_judged,
            )
            if empty := empty.intersection(qids):
                system = note_empty(system, sorted(empty), len(qids))
            tied = whole if self.looks_for_ties and isinstance(whole, Run) else None
            scores = score(system, measures, qids, self.context, choices, tied) if measures else None
        except InputError as fault:
            return fault
        if not self.two_pass:
            return LoadedRun(name, qids, scores, None)
        rest = system.cut(qids, self.kept, with_ties=choices.keeps_ties)
        if tied is not None and isinstance(rest, Run):
            longer = tied.cut(qids, self.kept, with_ties=True)
            tied = rest if len(longer.docnos) == len(rest.docnos) else longer  # one of the two is let go
        return LoadedRun(name, qids, scores, rest, tied)

    @cached_property
    def only_judged(self) -> bool:
        """Whether all measures have values for judged queries only."""
        return all(map(needs_judgments, self.measures))

    def rest_of(self, run: LoadedRun) -> Scores:
        """Compute what looks up documents, and join it to the scores. Raises InputError for labels that know none."""
        assert run.rest is not None
        told = run.scores is not None
        later = score(run.rest, self.others, run.qids, self.context, self.choices, run.tied, told=told)
        return later if run.scores is None else join_scores(self.measures, run.scores, later)


def read(
    named: Sequence[tuple[str, Any]], reading: Reading, jobs: int, *, keep_going: bool, of: tuple[int, int] = (0, 0)
) -> tuple[list[LoadedRun], Failed]:
    """Read each run, once if it is named twice, and list those that are broken with what is wrong with them.

    ``of``  how many have been read before, and of how many in all, where these are a part of them.

    Raises InputError for the first that is broken, unless told to keep going.
    """
    context = reading.context
    keys = [
        (
            fspath(thing) if isinstance(thing, PATH) else id(thing),
            *(id(given.find_own(context.opened.get(given.name), name)) for given in context.things),
        )
        for name, thing in named
    ]
    once: dict[Any, tuple[str, Any]] = {}
    for key, each in zip(keys, named, strict=True):
        once.setdefault(key, each)  # under the first of its names
    found: dict[Any, LoadedRun | InputError] = {}
    things = list(once.values())
    several = map_ordered(reading, things, jobs, called=itemgetter(0), shared=True) if jobs > 1 else None
    with nullcontext() if several is None else closing(several):  # a broken run ends the processes at once
        for key, outcome in zip(once, several or map(reading.read_run, things), strict=True):
            if isinstance(outcome, InputError) and not keep_going:
                raise outcome
            found[key] = outcome
            if listener.get() is not None:
                report(RUNS, of[0] + len(found), of[1] if len(named) < of[1] else len(once))
    runs: list[LoadedRun] = []
    failed: Failed = {}
    for key, (name, _) in zip(keys, named, strict=True):
        outcome = found[key]
        if isinstance(outcome, InputError):
            failed[name] = str(outcome)
        else:
            runs.append(outcome if outcome.name == name else outcome.rename(name))
    return runs, failed


def finish_runs(
    runs: Sequence[LoadedRun], reading: Reading, documents: Documents | None, jobs: int = 1, *, keep_going: bool
) -> tuple[list[Scores], Failed]:
    """Compute the measures that were still to come; a run is broken if it has a document that is not known."""
    if documents is None:
        return [run.scores for run in runs if run.scores is not None], {}
    context = replace(reading.context, documents=documents, judge=None)  # whose work is done
    whole = replace(reading, context=context)
    scores: list[Scores] = []
    failed: Failed = {}
    several = None
    if jobs > 1 and len(runs) > 1:
        several = map_ordered(whole, runs, jobs, called=attrgetter("name"), shared=True)
    with nullcontext() if several is None else closing(several):
        for run, outcome in zip(runs, several or repeat(None), strict=False):
            assert run.rest is not None
            fault = find_unknown(run.rest, run.qids, documents) if documents.refuses_missing else None
            if fault is None:
                complete = outcome or whole.rest_of(run)
                if isinstance(complete, InputError):
                    raise complete
                if documents.has_missing and not documents.refuses_missing:
                    notes, strange = note_unknown(run.rest, run.qids, reading.needs, reading.others, documents)
                    complete = replace(complete, notes=complete.notes + notes, strange=strange)
                scores.append(complete)
            elif keep_going:
                failed[run.name] = str(fault)
            else:
                raise fault
    if documents.refuses_missing:
        refuse_unknown([(None, run.qids) for run in runs], reading.needs, reading.context, documents)
    return scores, failed


def note_empty(system: System, empty: Sequence[str], queries: int) -> System:
    """Note on a run that it names queries, of so many, without documents; of samples nothing can say it."""
    if not isinstance(system, Run):
        return system
    return replace(system, notes=(*system.notes, EMPTY.note(empty=len(empty), queries=queries, which=list_runs(empty))))


def _explain_misfit(ours: Sequence[str], judged: Sequence[str]) -> str:
    """Say what would make the queries of a run judged ones, or what to check."""
    if judged and (hint := guess(ours, set(judged), judged[0])):
        return hint
    own, other, hint = compare(ours, judged) if judged else ("", "", "")
    return f"; the run has {own}, the qrels {other}{hint}" if hint else "; check that they are of the same collection"


def choose_queries(
    run: System, qrels: Qrels | None, queries: Queries | None, *, complete: bool = False, only_judged: bool = False
) -> tuple[str, ...]:
    """Choose the queries of a run that are evaluated.

    These are its own, of those the wanted ones; of these the judged ones, where ``only_judged`` is said.

    ``complete``: all the wanted ones, or all the judged ones where none are named, whether the run has them or not.
    Raises InputError if nothing remains, and for a run that shares no query with the judgments that are given: its
    queries are of something else, even where no measure looks at a judgment.
    """
    names = own = run.qids
    numbers = None if qrels is None else qrels.numbers(own)
    if own and qrels is not None and np.all(numbers == MISSING):
        raise InputError(f"the run and the qrels have no query in common{_explain_misfit(names, qrels.qids)}", run.name)
    if complete:
        names = names if qrels is None else qrels.qids
        names = names if queries is None else tuple(set(queries.qids))
    elif queries is not None:
        names = tuple(set(queries.qids).intersection(names))
    if only_judged and qrels is not None:
        rows = np.flatnonzero((numbers if names is own else qrels.numbers(names)) != MISSING)
        names = names if len(rows) == len(names) else tuple(map(names.__getitem__, rows.tolist()))
        if not names:
            raise InputError("the run has none of the wanted queries that are judged; check --queries", run.name)
    if not names:
        raise InputError("the run has none of the wanted queries; check --queries", run.name)
    if len(names) < MANY:
        return tuple(sorted(names))
    column = encode_ids(names)
    order = np.argsort(fingerprints(column) if column.dtype.itemsize <= 8 else column)  # exact: qids differ
    return tuple(map(names.__getitem__, order.tolist()))


def same_rankings(scores: Sequence[Scores]) -> tuple[tuple[str, ...], ...]:
    """Find the runs that have the same values and rank the same documents in the same order, as deep as is looked."""
    alike: dict[Any, list[str]] = {}
    for each in scores:
        alike.setdefault((each.top, each.qids, each.values.tobytes()), []).append(each.run)
    return tuple(tuple(runs) for (top, *_), runs in alike.items() if top and len(runs) > 1)


def list_wanted_queries(run: System, qrels: Qrels | None, queries: Queries | None) -> tuple[str, ...]:
    """Name the wanted queries of a run in its own order, judged or not. Raises as ``choose_queries`` does."""
    among = set(choose_queries(run, qrels, queries))
    return tuple(qid for qid in run.qids if qid in among)
