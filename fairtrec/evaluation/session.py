"""A session: what is given beside the runs is read once, for any number of runs that come one after the other."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fairtrec.data import MISSING, Counts, Docnos, Run
from fairtrec.data.ranking.depth import find_depth
from fairtrec.evaluation.answers import Signature, aggregates
from fairtrec.evaluation.answers.result import InputFile, Part, Result
from fairtrec.evaluation.answers.scores import Scores, fill_undefined
from fairtrec.evaluation.given import SOURCE_NAMES
from fairtrec.evaluation.given.given_rows import NamedRuns, RankingsLike
from fairtrec.evaluation.given.reference import Plan
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.documents import (
    Documents,
    EvaluationContext,
    Needs,
    collect_documents,
    note_unknown_sources,
    refuse_unknown,
)
from fairtrec.evaluation.inputs.groups import describe_attributes
from fairtrec.evaluation.inputs.options import Choices
from fairtrec.evaluation.jobs import processes
from fairtrec.evaluation.query_columns import add_query_columns
from fairtrec.evaluation.reading import (
    Batch,
    Failed,
    LoadedRun,
    Reading,
    finish_runs,
    read,
    same_rankings,
)
from fairtrec.evaluation.score import note_few_judged, note_own_ids
from fairtrec.evaluation.signature import list_input_files, name_input_files, waiting_for, write_signature
from fairtrec.formats.first_lines import note_first_lines
from fairtrec.measure import Note, NoteKind, NoteSeverity
from fairtrec.measures.catalogue.needs import is_of_ranked_groups
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.files import submissions

if TYPE_CHECKING:
    from fairtrec.evaluation.relevance.dict_runs import DictRunEvaluator

TextWatcher = Callable[[Docnos, Iterator[tuple[int, str]]], Iterator[tuple[int, str]]]
MIXED = NoteKind(
    "runs of two tasks",
    "one ranking of each query in {one} and several in {several}, as in tasks 1 and 2 of TREC "
    "Fair Ranking; their values are not comparable, so evaluate them separately",
    NoteSeverity.MISLEADING,
)
TOGETHER = 1000  # runs that are held until what they look up has been read; of more, so many at a time


class SessionFacts(NamedTuple):
    """What all results of a session say."""

    signature: Signature
    notes: tuple[Note, ...]  # on what is opened when runs come
    options: dict[str, Any]
    groups: dict[str, Any]


class Evaluator:
    """Evaluates runs as they come, with the values that ``evaluate`` gives them, to the last bit.

    It keeps the plan, all that stands beside the runs, and what is known of all documents that were looked up so far.
    Of the next run's only those are read that no run before had. So the file in which documents are looked up must
    stay as it is; one of the others may change, and changes no value.

    Call its stages if you need more than the values: ``prepare_reading`` collects the other inputs and how runs are
    read, ``documents`` looks up the documents, ``score_runs`` computes the values, ``result`` does all of it.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan, given, choices = plan, plan.given, plan.choices
        self.given, self.choices = given, choices
        self.measures = plan.measures  # what is computed, one for each group where they ask for that
        if (waiting := waiting_for.get()) is not None and waiting.options:
            waiting.check(plan)
        if choices.aggregate != aggregates.MEAN:
            aggregates.refuse_unfit(
                plan.measures, choices.aggregate, lambda name: plan.context.take_attribute(name).target
            )
        priors = choices.prior.values() if isinstance(choices.prior, Mapping) else (choices.prior,)
        self._whole = choices.reads_whole or "known" in priors  # rankings are read
        deep = None if self._whole or not plan.measures else find_depth(plan.measures)
        self.depth = min((each for each in (deep, choices.depth) if each is not None), default=None)
        of_groups = any(map(is_of_ranked_groups, plan.measures))
        self._looks_for_ties = of_groups and choices.order == "score" and not choices.samples
        self._reading: Reading | None = None  # None until a run comes
        self.files: dict[Part, InputFile] = {}  # beside the runs
        self._counts: Counts | None = None  # of the documents that were looked up so far
        self._looked_up: Documents | None = None  # last
        self._facts: dict[tuple[int, int], SessionFacts] = {}
        self._of_dicts: DictRunEvaluator | None = None
        self._takes_dicts = True  # False: measures or options ask for more than plain measures of relevance

    def __repr__(self) -> str:
        """Write the measures, and what was given: files by their names."""
        given = {name: thing for name, thing in self.given.record(SOURCE_NAMES).items() if thing is not None}
        shown = [f"{name}:{'given' if thing is True else thing}" for name, thing in given.items()]
        measures = " ".join(map(str, self.measures))
        return f"<{' | '.join([f'Evaluator {measures}', *shown])}>"

    def scores(self, run: RankingsLike) -> Scores:
        """Evaluate one run: a path, ``{qid: {docno: score}}``, or a frame. Raises UsageError if they are several."""
        result = self._evaluate_plainly("run", run)
        if result is None:
            result = self.evaluate(run)
        if len(result.scores) != 1:
            raise UsageError(f"these are {len(result.scores)} runs, and scores takes one; call evaluate")
        return replace(result.scores[0], result=result)

    def _evaluate_plainly(self, name: str, run: Any) -> Result | None:
        """Evaluate a dict or a small run in plain Python; None if any but plain measures of relevance are asked for."""
        is_run = isinstance(run, Run)
        if not (is_run or type(run) is dict) or not self._takes_dicts:
            return None
        reading = self.prepare_reading()
        if self._of_dicts is None:
            self._of_dicts = self._open_dicts(reading)
            self._takes_dicts = self._of_dicts is not None
        if self._of_dicts is None:
            return None
        found = self._of_dicts.evaluate_ranked(run) if is_run else self._of_dicts.evaluate(run)
        judge = reading.context.judge
        if found is None or judge is None or found.may_be_foreign:
            return None
        own = note_own_ids(len(found.own), found.ranked, next(iter(found.own), ""))
        notes = (*own, *note_few_judged(found.counts, judge.checked))
        scores = Scores(
            name,
            run.tag if is_run else name,
            self.measures,
            found.qids,
            found.values,
            notes,
            target=reading.context.target,
        )
        return self.result([(name, run)], [scores], {}, None, reading)

    def _open_dicts(self, reading: Reading) -> "DictRunEvaluator | None":
        """Prepare the evaluation of dicts; None if it takes more than plain measures of relevance."""
        judge, usual = reading.context.judge, Choices()
        is_usual = replace(self.choices, relevance_level=usual.relevance_level) == usual
        of_runs = (
            any(reference.of_runs for reference in self.given.references.values())
            or None in reading.context.opened.values()
        )
        is_alone = not (reading.others or reading.border or of_runs)
        if judge is None or not is_usual or not is_alone or len(judge.plain) < len(self.measures):
            return None
        from fairtrec.evaluation.relevance.dict_runs import DictRunEvaluator

        return DictRunEvaluator(judge, self.depth, reading.context.queries)

    def evaluate(self, runs: Any, *, jobs: int | None = 1, keep_going: bool = False) -> Result:
        """Evaluate runs, named and passed as for ``fairtrec.evaluate``, with its ``jobs`` and ``keep_going``.

        Raises UsageError if there is no run, InputError for a run or another input that cannot be read.
        """
        named = loading.name_rankings(runs)
        if len(named) == 1 and (found := self._evaluate_plainly(*named[0])) is not None:
            return found
        return self.evaluate_named(named, processes([thing for _, thing in named], jobs), keep_going=keep_going)

    def evaluate_named(self, named: NamedRuns, jobs: int, *, keep_going: bool = False) -> Result:
        """Evaluate runs that have names, in so many processes, as many at a time as are held together."""
        reading = self.prepare_reading(named, jobs)
        scores, failed, documents = self._score_named(named, reading, jobs, keep_going=keep_going)
        return self.result(named, scores, failed, documents, reading)

    def _score_named(
        self, named: NamedRuns, reading: Reading, jobs: int, *, keep_going: bool
    ) -> tuple[list[Scores], Failed, Documents | None]:
        """Compute the values of runs; the documents are those that any of them looked at."""
        loaded = named
        for reference in self.given.references.values():
            with_ties = self._looks_for_ties
            loaded = reference.take_runs(self.plan, reading.context, loaded, self.depth, with_ties=with_ties)
        together = TOGETHER if reading.two_pass else max(len(loaded), 1)
        scores: list[Scores] = []
        failed: Failed = {}
        documents: Documents | None = None
        for first in range(0, len(named), together):
            several, loaded = loaded[:together], loaded[together:]
            runs, broken = read(several, reading, jobs, keep_going=keep_going, of=(first, len(named)))
            several = []  # and with it whole rankings, of which the runs have what is looked at
            looked_up = self.documents(runs, reading) if reading.two_pass and runs else None
            found, lacking = finish_runs(runs, reading, looked_up, jobs, keep_going=keep_going)
            scores += found
            failed |= broken | lacking
            documents = self._all_of(documents, looked_up) if documents and looked_up else documents or looked_up
            runs = []  # which are let go before the next are read
        if self.choices.undefined != "skip":
            scores, incomplete = self._filled(scores, keep_going=keep_going)
            failed |= incomplete
        return scores, failed, documents

    def _score_all(self, named: NamedRuns, reading: Reading, jobs: int) -> Sequence[Scores]:
        """Compute the values of the runs that can be read."""
        return self._score_named(named, reading, jobs, keep_going=True)[0]

    def batch(self, named: NamedRuns, reading: Reading, jobs: int) -> Batch:
        """Read runs together, compute their values, and keep the runs and their documents."""
        reading = replace(reading, looks_for_ties=False)
        runs, _ = read(named, reading, jobs, keep_going=False)
        documents = self.documents(runs, reading) if reading.two_pass and runs else None
        return Batch(runs, documents, self.score_runs(runs, reading, documents, jobs))

    def prepare_reading(self, named: NamedRuns = (), jobs: int = 1) -> Reading:
        """Open what stands beside these runs, the first time, and say how they are read.

        If their values decide which queries are evaluated, they are evaluated once for it, in so many processes.
        """
        plan, references = self.plan, self.given.references
        if self._reading is None:
            self.files = list_input_files(plan)
            opened = dict(plan.context.opened)
            for name, reference in references.items():
                if reference.opened_by == "runs" and reference.plays(plan):
                    opened[name] = reference.open_beside(plan, named, self.depth)
            context = replace(plan.context, opened=opened)
            for reference in references.values():
                context = reference.complete_context(plan, context)
            self._reading = Reading(
                measures=plan.measures,
                others=plan.others,
                needs=plan.needs,
                context=context,
                choices=self.choices,
                depth=self.depth,
                kept=None if self._whole else find_depth(plan.others),
                two_pass="documents" in plan.uses,
                looks_for_ties=self._looks_for_ties,
                border=submissions.border(),
            )
        reading, context = self._reading, self._reading.context
        if named:
            for name, value in context.opened.items():
                if (of_runs := references[name].match_runs(plan, value, context, named, self.depth)) is not value:
                    context = replace(context, opened={**context.opened, name: of_runs})
            score = partial(self._score_all, named, replace(reading, context=context), jobs)
            for name, value in context.opened.items():
                if (of_values := references[name].match_values(plan, value, named, score)) is not value:
                    context = replace(context, opened={**context.opened, name: of_values})
        return reading if context is reading.context else replace(reading, context=context)

    def documents(
        self,
        runs: Sequence[LoadedRun],
        reading: Reading,
        needs: Needs | None = None,
        *,
        watched: TextWatcher | None = None,
    ) -> Documents:
        """Look up all documents that are looked at in any of the runs; those of runs before are known.

        ``needs``  what else is to be looked at than ``reading.needs``; ``watched`` is handed the texts of documents on
                   their way to where they are counted.
        """
        reference = self.given.group_reference
        assert reference is not None
        needs, rankings = needs or reading.needs, [(run.rest, run.qids) for run in runs]
        parts = collect_documents(rankings, needs, reading.context, self.choices)
        looked_at = Docnos.collect(*parts)
        longer = [(run.tied, run.qids) for run in runs if run.tied is not None and run.tied is not run.rest]
        every = looked_at.add(*(run.cut(qids, needs.depth, with_ties=True).docnos for run, qids in longer))
        fresh = every
        if self._counts is not None:
            fresh = Docnos.collect(every.names[self._counts.docnos.rows(every.names) == MISSING])
        if self._counts is None or len(fresh):
            counts = reference.count_documents(self.plan, fresh, watched)
            self._counts = counts if self._counts is None else self._counts.insert(counts)
        counts = self._counts
        if len(counts.known) > len(looked_at):  # runs before have looked at more
            counts = counts.take_documents(looked_at)
        behind = None
        if every is not looked_at:
            behind = reference.make_documents(self.plan, self._counts.take_documents(every))
        documents = reference.make_documents(self.plan, counts, behind)
        if self._looked_up is not None:
            documents.last = self._looked_up.last  # its counts of the background stay, whatever run comes
        self._looked_up = documents
        return documents

    def score_runs(
        self, runs: Sequence[LoadedRun], reading: Reading, documents: Documents | None, jobs: int = 1
    ) -> list[Scores]:
        """Compute the values that are still to come, and give undefined ones what they count as."""
        scores, _ = finish_runs(runs, reading, documents, jobs, keep_going=False)
        return self._filled(scores, keep_going=False)[0]

    def _filled(self, several: Sequence[Scores], *, keep_going: bool) -> tuple[list[Scores], Failed]:
        """Give undefined values what they count as; where there must be none, a run that has some is broken."""
        scores: list[Scores] = []
        failed: Failed = {}
        for each in several:
            try:
                scores.append(fill_undefined(each, self.choices.undefined))
            except InputError as fault:
                if not keep_going:
                    raise
                failed[each.run] = str(fault)
        return scores, failed

    def make_context(
        self, run: Run, qids: Sequence[str], depth: int | None, needs: Needs | None = None
    ) -> EvaluationContext:
        """Give what stands beside a run, and all documents looked at of these queries down to a depth.

        Raises InputError for what cannot be read, and for a document that nobody knows, unless told what it is worth.
        """
        reading = self.prepare_reading()
        if not reading.two_pass:
            return reading.context
        top = run.cut(qids, depth)
        documents = self.documents([LoadedRun(run.name, tuple(qids), None, top)], reading, needs)
        if documents.refuses_missing:
            refuse_unknown([(top, qids)], needs or reading.needs, reading.context, documents)
        return replace(reading.context, documents=documents)

    def _all_of(self, first: Documents, second: Documents) -> Documents:
        """Put together the documents that two batches of runs looked at."""
        assert self._counts is not None
        names = np.concatenate((first.document_counts.docnos.names, second.document_counts.docnos.names))
        return first.with_counts(self._counts.take_documents(Docnos.collect(names)))

    def result(
        self, named: NamedRuns, scores: Sequence[Scores], failed: Failed, documents: Documents | None, reading: Reading
    ) -> Result:
        """Put together what is needed to have the scores again; ``documents`` are those that they were computed of."""
        plan, choices = self.plan, self.choices
        unknown = 0 if documents is None or choices.missing == "error" else documents.missing_count
        facts = self._find_facts(reading, unknown)
        files = self.files | name_input_files({Part("run", name): run for name, run in named if name not in failed})
        of_sources: Sequence[Note] = ()
        if documents is not None and unknown and scores:
            every = sorted({qid for each in scores for qid in each.qids})
            of_sources = note_unknown_sources(every, reading.needs, reading.context, documents)
        notes = (*plan.notes, *of_sources, *facts.notes, *note_mixed(scores), *self._note_names(files))
        if any(getattr(each, "is_of_group", False) for each in plan.measures):
            from fairtrec.evaluation.columns.group_gaps import GroupGaps

            scores = [replace(each, columns={**each.columns, GroupGaps.name: GroupGaps()}) for each in scores]
        if choices.aggregate != aggregates.MEAN:
            notes = (*notes, *aggregates.note_aggregates(choices.aggregate))
            scores = [aggregates.aggregate_scores(each, choices.aggregate) for each in scores]
        result = Result(
            tuple(scores),
            facts.signature,
            notes,
            files,
            tuple((name, failed[name]) for name, _ in named if name in failed),
            {**facts.options},
            {**facts.groups},
            same_rankings(scores) if len(scores) > 1 else (),
            untrusted=reading.border is not None and reading.border.untrusted,
        )
        for reference in self.given.references.values():
            result = reference.complete_result(result, self.plan, reading.context)
        return result if choices.columns is None else add_query_columns(result, choices.roles, named)

    def _note_names(self, files: Mapping[Part, InputFile]) -> list[Note]:
        """Note which files have names of columns in their first lines, of those that need none."""
        named_anyway = {name for name, reference in self.given.references.items() if reference.needs_header}
        tables = {file.place for part, file in files.items() if part.of == "run"} if self.choices.columns else set()
        named = ((part.of, file.place) for part, file in files.items() if part.of not in named_anyway)
        return note_first_lines((of, place) for of, place in named if place not in tables)

    def _find_facts(self, reading: Reading, unknown: int) -> SessionFacts:
        """Compute what is the same for all runs that are read in one way; it is kept for the next run."""
        key = id(reading), unknown
        if key not in self._facts or reading is not self._reading:
            plan = self.plan
            late = (reference for reference in self.given.references.values() if reference.opened_by == "runs")
            facts = SessionFacts(
                write_signature(plan, reading, self.files, unknown),
                tuple(note for reference in late for note in reference.list_notes(plan)),
                {**self.given.record(SOURCE_NAMES), **asdict(self.choices)},
                describe_attributes(map(plan.context.take_attribute, plan.context.given)) if plan.context.given else {},
            )
            if reading is not self._reading:
                return facts
            self._facts[key] = facts
        return self._facts[key]


def note_mixed(scores: Sequence[Scores]) -> Iterator[Note]:
    """Note if several rankings of a query are in some runs only."""
    sampled = [each.sampled for each in scores]
    if any(sampled) and not all(sampled):
        several = sum(sampled)
        yield MIXED.note(one=runs_of(len(sampled) - several), several=runs_of(several))


def runs_of(number: int) -> str:
    """Count runs.

    >>> runs_of(1), runs_of(3)
    ('1 run', '3 runs')
    """
    return "1 run" if number == 1 else f"{number} runs"
