"""Measuring the runs by every variant of the instrument, as ``evaluate`` would, and reading each file once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

import numpy as np

from fairtrec.counting.counter import TermTable
from fairtrec.data import MISSING, Bools, Counts, Docnos, Floats, GroupTerms, Run
from fairtrec.evaluation.answers import aggregates
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.evaluate import evaluator
from fairtrec.evaluation.given.counts import find_lexicon
from fairtrec.evaluation.given.qrels import refuse_unjudged
from fairtrec.evaluation.given.queries import is_defined
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.evaluation.inputs.options import CHOICES, RANKING, ChoiceKeywords, Choices
from fairtrec.evaluation.inputs.several_attributes import refuse_several
from fairtrec.evaluation.inputs.table_roles import take_group
from fairtrec.evaluation.jobs import processes
from fairtrec.evaluation.reading import Batch, LoadedRun, Reading
from fairtrec.evaluation.session import Evaluator
from fairtrec.evaluation.slices import align_values
from fairtrec.formulas.rounding import same
from fairtrec.lab.ablate.factors import EACH, Setting
from fairtrec.lab.ablate.terms import Entries, Pool, pool
from fairtrec.measure import Measure
from fairtrec.measures.utility import refuse_geometric
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.files import submissions
from fairtrec.support.jobs import map_ordered
from fairtrec.support.literals import Undefined
from fairtrec.support.notes import Note, NoteKind, NoteSeverity
from fairtrec.support.progress import RUNS, report

OF_ONE_TABLE = NoteKind(
    "documents of one table",
    "counts={table}: {fewer} documents have counts only in the base, {more} only in this table",
    NoteSeverity.MISLEADING,
)
RAW = frozenset(row.name for row in CHOICES.values() if row.section == RANKING)  # by which runs are ranked anew


@dataclass(frozen=True, eq=False)
class VariantScores:
    """The values of all runs by one variant: ``values`` [run, query], nan where a run has none; ``means`` [run]."""

    setting: Setting
    variant: str
    measure: Measure
    qids: tuple[str, ...]
    values: Floats
    means: Floats
    documents: int | None = None  # in which a term that is left out stands

    def take_queries(self, qids: Sequence[str]) -> Floats:
        """Give the values of these queries [run, query], nan for those that it has not."""
        place = {qid: number for number, qid in enumerate(qids)}
        values = np.full((len(self.values), len(qids)), np.nan)
        values[:, [place[qid] for qid in self.qids]] = self.values
        return values


@dataclass(frozen=True)
class _Loading:
    choices: Choices
    border: submissions.Border | None

    def begin(self) -> Any:
        submissions.resume(self.border)
        return self.load

    def load(self, named: tuple[str, Any]) -> Any:
        name, thing = named
        return loading.load_run(thing, name, self.choices, self.choices.depth)


class Measuring:
    """Evaluates runs by settings; ``results`` are those of each evaluation, the first that of the base."""

    def __init__(
        self,
        runs: Any,
        keywords: Mapping[str, Any],
        measure: Measure,
        table: TermTable | None,
        lists: Mapping[Any, GroupTerms],
        seed: int,
        jobs: int | None,
    ) -> None:
        self.named = dict(loading.name_rankings(runs))
        self.keywords = take_group(list(self.named.items()), keywords)
        self.measure, self.table, self.lists, self.seed = measure, table, lists, seed
        self.results: list[Result] = []
        self.terms: tuple[int, int] | None = None
        self.notes: list[Note] = []
        self._varied: set[str] = set()  # factors
        self._known: tuple[Docnos, Bools] | None = None  # which documents have counts in the base
        self._base: tuple[Evaluator, Reading, Batch, list[tuple[str, Any]]] | None = None
        aggregates.refuse_given(keywords, "what changes is told of")
        chosen = {name: value for name, value in keywords.items() if name in ChoiceKeywords.__annotations__}
        self._choices = Choices(**chosen)
        self._jobs = processes(list(self.named.values()), jobs)
        self._loaded = self.named if self._choices.samples else self._load()

    def _load(self) -> dict[str, Any]:
        loaded: dict[str, Any] = {}
        work, things = _Loading(self._choices, submissions.border()), list(self.named.items())
        for outcome in map_ordered(work, things, self._jobs, called=itemgetter(0)):
            if isinstance(outcome, InputError):
                raise outcome
            loaded[things[len(loaded)][0]] = outcome
            report(RUNS, len(loaded), len(things))
        return loaded

    def measure_settings(self, settings: Sequence[Setting]) -> Iterator[VariantScores]:
        """Give the values by each setting, in their order; those that differ by a parameter alone are read together.

        The first, which is the base, is evaluated by itself.
        """
        self._varied = {change.factor for setting in settings for change in setting.changes}
        together: dict[Any, list[int]] = {}
        for number, setting in enumerate(settings):
            measure = setting.measure(self.measure)
            which = measure if setting.terms is not None else (measure.name, measure.needs)
            key = (number == 0, tuple(setting.keywords.items()), setting.ties, which)
            together.setdefault(key, []).append(number)
        found: dict[int, list[VariantScores]] = {}
        for numbers in together.values():
            several = [settings[number] for number in numbers]
            found.update(zip(numbers, self._evaluated(several), strict=True))
        for number in range(len(settings)):
            yield from found[number]

    def _evaluated(self, settings: Sequence[Setting]) -> Iterator[list[VariantScores]]:
        """Evaluate settings that differ by the measure, or by the list of terms, alone."""
        first = settings[0]
        measures = [setting.measure(self.measure) for setting in settings]
        session = evaluator(list(dict.fromkeys(measures)), **{**self.keywords, **first.keywords})
        refuse_several(session.measures, session.plan.context.given)
        refuse_geometric(session.measures)
        if is_defined(session.given):
            raise UsageError("--queries defined would be other queries for each variant; choose a query set, or common")
        if "qrels" in self._varied:
            refuse_unjudged(session.plan)
        if len(session.measures) > len(set(measures)):
            raise UsageError(f"{measures[0]} has a value for each group; choose one group, as in TE(group='f')@10")
        named, jobs = list(self._runs(first).items()), self._jobs if RAW & first.keywords.keys() else 1
        reading = session.prepare_reading(named)
        batch = session.batch(named, reading, jobs)
        result = session.result(named, batch.scores, {}, batch.documents, reading)
        self.results.append(result)
        if self._base is None:
            self._base = session, reading, batch, named
        self._compare_tables(first, batch)
        scores, qids = result.scores, _all_qids(result.scores)
        values, means = align_values(scores, qids), np.array([each.means for each in scores])
        for setting, measure in zip(settings, measures, strict=True):
            row = scores[0].measures.index(measure)
            if setting.terms is None:
                variant = setting.name_variant() if setting.changes else ""
                own = np.ascontiguousarray(values[:, row]), np.ascontiguousarray(means[:, row])
                yield [VariantScores(setting, variant, measure, qids, *own)]
            else:
                yield list(self._of_terms(setting, measure, session, reading, batch))

    def list_base_inputs(self) -> tuple[list[Inputs], Undefined]:
        """List the inputs of the measure of each run of the base, and what a query without a value counts as."""
        assert self._base is not None
        session, reading, batch, named = self._base
        whole = replace(reading, two_pass=True, kept=None, looks_for_ties=False)  # so that runs are kept
        context = replace(reading.context, documents=batch.documents)
        (measure,) = session.measures
        inputs = []
        for each in named:
            loaded = whole.read_run(each)
            assert isinstance(loaded, LoadedRun)
            assert isinstance(loaded.rest, Run)
            inputs.append(Inputs(loaded.rest, loaded.qids, context, measure.depth).take_attribute(measure.by))
        return inputs, session.choices.undefined

    def _compare_tables(self, setting: Setting, batch: Batch) -> None:
        """Note the documents that have counts only in the base, or only in another table."""
        if batch.documents is None:
            return
        counted = batch.documents.counted
        if self._known is None:
            self._known = counted.docnos, counted.known
        if "counts" not in setting.keywords:
            return
        docnos, known = self._known
        rows = docnos.rows(counted.docnos.names)
        in_base = (rows != MISSING) & known[rows]
        fewer, more = int((in_base & ~counted.known).sum()), int((counted.known & ~in_base).sum())
        note = OF_ONE_TABLE.note(table=setting.keywords["counts"], fewer=fewer, more=more)
        if fewer + more and note not in self.notes:
            self.notes.append(note)

    def _runs(self, setting: Setting) -> dict[str, Any]:
        if self._choices.samples and setting.ties is not None:
            raise UsageError("ties are looked for among the scores of one ranking; leave out ties=, or --samples")
        if RAW & setting.keywords.keys():
            return self.named
        if setting.ties is None:
            return self._loaded
        number = setting.ties
        return {
            name: _shuffled(run, (self.seed, number, place)) for place, (name, run) in enumerate(self._loaded.items())
        }

    def _of_terms(
        self, setting: Setting, measure: Measure, session: Evaluator, reading: Reading, batch: Batch
    ) -> Iterator[VariantScores]:
        """Leave out terms: other counts of the documents that the session has looked up."""
        if batch.documents is None:
            raise UsageError(f"{measure} uses no terms, so {setting.name_variant()} varies nothing; leave it out")
        assert self.table is not None
        assert setting.terms is not None
        documents = batch.documents
        docnos = documents.counted.docnos
        lexicon = find_lexicon(session.plan)
        assert lexicon is not None
        how = lexicon.tokenizer, lexicon.case_sensitive
        occurrences = self.table.occurrences(docnos, how[0], case_sensitive=how[1])
        entries = Entries.find(self.lists[setting.keywords.get("terms")], occurrences, docnos, how)
        self.terms = self.terms or (len(entries.documents), len(set(entries.names)))
        pooled = pool(batch.runs, reading, documents) if session.choices.undefined == "skip" else None
        called = next(change.value for change in setting.changes if change.terms is not None).partition(" x")[0]
        for number, (name, kept) in enumerate(entries.leave_out(setting.terms, called, self.seed)):
            counts, variant = entries.counts(kept), setting.name_variant(name)
            of_term = entries.documents[name] if setting.terms == EACH else None
            if pooled is not None and not number and not _is_sum(pooled, session, reading, batch, counts):
                pooled = None
            if pooled is None:
                scores = _again(session, reading, batch, counts)
                qids = _all_qids(scores)
                values, means = align_values(scores, qids)[:, 0], np.array([each.means[0] for each in scores])
                yield VariantScores(setting, variant, measure, qids, values, means, of_term)
                continue
            pooled_values = pooled.values(replace(reading.context, documents=documents.with_counts(counts)))
            assert pooled_values is not None
            qids = pooled.run.qids
            means = Scores("", "", (measure,) * len(pooled_values), qids, pooled_values).means
            yield VariantScores(setting, variant, measure, qids, pooled_values, means, of_term)


def _again(session: Evaluator, reading: Reading, batch: Batch, counts: Counts) -> list[Scores]:
    assert batch.documents is not None
    return session.score_runs(batch.runs, reading, batch.documents.with_counts(counts))


def _is_sum(pooled: Pool, session: Evaluator, reading: Reading, batch: Batch, counts: Counts) -> bool:
    """Tell by the base and by one variant whether what documents add makes the values, as it should."""
    assert batch.documents is not None
    for other, slow in ((batch.documents.counted, batch.scores), (counts, _again(session, reading, batch, counts))):
        values = pooled.values(replace(reading.context, documents=batch.documents.with_counts(other)))
        expected = np.array([each.values[0] for each in slow])
        if values is None or not (same(values, expected) | (np.isnan(values) & np.isnan(expected))).all():
            return False
    return True


def _all_qids(scores: Sequence[Scores]) -> tuple[str, ...]:
    return tuple(sorted({qid for each in scores for qid in each.qids}))


def _shuffled(run: Run, seed: tuple[int, int, int]) -> Run:
    lengths = np.diff(run.starts)
    query = np.repeat(np.arange(len(lengths)), lengths)
    block = np.cumsum(np.append(True, (query[1:] != query[:-1]) | (run.scores[1:] != run.scores[:-1])))
    order = np.lexsort((np.random.default_rng(seed).random(len(query)), block[: len(query)]))
    return replace(run, docnos=run.docnos[order])
