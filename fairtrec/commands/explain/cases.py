"""An evaluation that keeps what explains it: longer rankings, the texts of what is ranked, and what terms count."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from typing import Any

import numpy as np

from fairtrec.counting.counter import Lexicon, Term
from fairtrec.data import MISSING, Bools, Docnos, Floats, Ints, Run, decode
from fairtrec.data.ranking.depth import find_depth
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.given.counts import find_lexicon
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.documents import Documents, EvaluationContext, Needs, collect_documents, refuse_unknown
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.evaluation.inputs.several_attributes import refuse_several
from fairtrec.evaluation.reading import LoadedRun, Reading, read
from fairtrec.evaluation.score import score
from fairtrec.evaluation.session import Evaluator
from fairtrec.formulas.elementary import log_of_number
from fairtrec.measure import Measure
from fairtrec.measures.utility import refuse_by_group
from fairtrec.support.errors import InputError, UsageError

SAME = frozenset({"background", "collection", "target", "judged_membership"})  # inputs that no ranking changes


@dataclass(eq=False)
class RankedTexts:
    """The texts of ranked documents and the terms in them, by rows of ``docnos``; and what some terms count anywhere.

    ``counts`` [document, group] and ``logs``, of each term that is to be no term, is what it has part in. All of it is
    filled while the documents are counted.
    """

    lexicon: Lexicon
    dropped: dict[str, Term]
    ranked: Docnos  # whose texts are kept
    docnos: Docnos = field(default_factory=lambda: Docnos.collect(np.empty(0, "S1")))
    texts: dict[int, str] = field(default_factory=dict)
    terms: dict[int, dict[Term, int]] = field(default_factory=dict)
    counts: dict[str, tuple[Ints, Floats]] = field(default_factory=dict)

    def keep_wanted(self, docnos: Docnos, texts: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        """Give each text on to be counted, and keep what is wanted of it."""
        self.docnos, shape = docnos, (len(docnos), len(self.lexicon.groups))
        self.counts = {name: (np.zeros(shape, dtype=np.int64), np.zeros(shape)) for name in self.dropped}
        ranked = set(docnos.rows(self.ranked.names).tolist())
        for row, words in texts:
            if row in ranked or self.dropped:
                terms = self.lexicon.occurrences(self.lexicon.tokens(words))
                if row in ranked:
                    self.texts[row], self.terms[row] = words, terms
                for name, term in self.dropped.items():
                    counts, logs = self.counts[name]
                    counts[row, list(term[1])] = terms.get(term, 0)
                    logs[row, list(term[1])] = log_of_number(max(terms.get(term, 0), 1))
            yield row, words


@dataclass(frozen=True, eq=False)
class Case:
    """One run whose values are to be explained; ``deep`` sees as far down as exchanges are looked for."""

    measure: Measure
    run: Run
    qids: tuple[str, ...]
    values: Floats  # [query]
    context: EvaluationContext
    deep: int | None
    texts: RankedTexts | None
    shares: dict[bytes, Any]  # of words, by the counts of their document; the same for all runs
    same: dict[tuple[str, ...], dict[str, Any]]  # what all runs of the same queries have in common

    @cached_property
    def inputs(self) -> Inputs:
        """The inputs that the values were computed of."""
        inputs = Inputs(self.run, self.qids, self.context, self.measure.depth)
        same = self.same.setdefault(self.qids, {})
        for name in SAME.intersection(self.measure.needs):
            vars(inputs)[name] = same[name] if name in same else same.setdefault(name, getattr(inputs, name))
        return inputs

    @cached_property
    def deeper_inputs(self) -> Inputs:
        """The same down to where exchanges are looked for."""
        return Inputs(self.run, self.qids, self.context, self.deep)

    def find_known(self, inputs: Inputs) -> Bools:
        """Tell which documents [query, rank] have counts, where that matters."""
        there: Bools = inputs.lines != MISSING
        if self.context.documents is None:
            return there
        of_rows = np.append(self.context.documents.document_counts.known, False)
        return np.asarray(there & of_rows[inputs.ranked])

    @cached_property
    def docnos(self) -> list[list[str]]:
        """The documents of each query."""
        return [decode(self.run.docnos[row[row != MISSING]]) for row in self.inputs.lines]


@dataclass(frozen=True, eq=False)
class Request:
    """What is to be explained by an evaluation of one measure.

    ``closely`` are the queries to be looked at closely, of which exchanges are looked for among the first
    ``candidates``; none: all queries, as they are. Each of the terms ``dropped`` is to be no term, for once. If runs
    are compared with a baseline (``is_compared``), nothing is exchanged.
    """

    evaluator: Evaluator
    measure: Measure
    closely: tuple[str, ...]
    candidates: int
    dropped: dict[str, Term]
    is_compared: bool = False

    @classmethod
    def settle(
        cls,
        evaluator: Evaluator,
        queries: Sequence[str],
        candidates: int,
        what_if: Sequence[str],
        *,
        is_compared: bool = False,
    ) -> "Request":
        """Settle what is asked for. Raises UsageError for what cannot be explained."""
        refuse_several(evaluator.measures, evaluator.plan.context.given)
        if len(evaluator.measures) != 1:
            named = ", ".join(map(str, evaluator.measures))
            raise UsageError(f"these are {len(evaluator.measures)} measures ({named}); explain one at a time")
        refuse_by_group(evaluator.measures, "explain shows what all judgments make of a ranking")
        evaluator.choices.refuse("explain", "explain shows")
        if candidates < 1:
            raise UsageError(f"exchanges are {candidates}; look at 1 document or more")
        return cls(
            evaluator, evaluator.measures[0], tuple(queries), candidates, _terms(evaluator, what_if), is_compared
        )

    @property
    def looks_closely(self) -> bool:
        """Whether values without each document, and after exchanges, are wanted."""
        return bool(self.closely) and not self.is_compared

    @property
    def deep(self) -> int | None:
        """Down to which rank documents are looked at: those that the value sees, and those that may be exchanged."""
        reach, cut = self.evaluator.depth, self.evaluator.choices.depth
        if reach is None or not self.looks_closely:
            return reach
        return max(reach, min(self.candidates, cut or self.candidates))

    @property
    def needs(self) -> Needs:
        """What is looked at, documents too that may come into the ranking by an exchange."""
        needs, reach, deep = self.evaluator.plan.needs, self.measure.depth, self.deep
        further = deep is not None and reach is not None and deep > reach and "cutoff" in vars(self.measure)
        return replace(needs, depth=deep) if further else needs


def _terms(evaluator: Evaluator, asked: Sequence[str]) -> dict[str, Term]:
    lexicon = find_lexicon(evaluator.plan)
    if asked and (lexicon is None or "documents" not in evaluator.plan.uses):
        raise UsageError("--what-if removes a term, and there is no word list; add --terms with --docs")
    terms = {}
    for each in dict.fromkeys(asked):
        assert lexicon is not None
        phrase = tuple(lexicon.tokens(each))
        numbers = lexicon.listed.get(phrase)
        if numbers is None:
            near = get_close_matches(" ".join(phrase), map(" ".join, lexicon.listed), 1)
            hint = f"did you mean {near[0]}?" if near else "give one that is"
            raise UsageError(f"{each!r} is not a term of the list; {hint}")
        terms[each] = (" ".join(phrase), numbers)
    return terms


def cases(request: Request, named: Sequence[tuple[str, Any]], jobs: int) -> tuple[list[Case], Result]:
    """Evaluate runs, as ``evaluate`` does, and keep what explains their values."""
    evaluator, measure, choices = request.evaluator, request.measure, request.evaluator.choices
    reading = evaluator.prepare_reading(named)
    runs = _read(request, named, reading, jobs)
    texts, documents, looked_at = None, None, None
    if reading.two_pass:
        if (lexicon := find_lexicon(evaluator.plan)) is not None:
            deep = None if choices.missing == "skip" else measure.depth
            parts = [run.rest.cut(run.qids, deep).docnos for run in runs if isinstance(run.rest, Run)]
            ranked = Docnos.collect(*parts)
            texts = RankedTexts(lexicon, request.dropped, ranked)
        watched = None if texts is None else texts.keep_wanted
        documents = evaluator.documents(runs, reading, request.needs, watched=watched)
        looked_at = _shallow(runs, reading, documents)
    context = replace(reading.context, documents=documents)
    scores = [score(run.rest, (measure,), run.qids, context, choices) for run in runs if run.rest]
    several, shares, same = [], dict[bytes, Any](), dict[tuple[str, ...], dict[str, Any]]()
    for run, values in zip(runs, scores, strict=True):
        if not isinstance(run.rest, Run):
            raise loading.several_rankings_error(run.name)
        of_run = run.rest, run.qids, values.values[0]
        several.append(Case(measure, *of_run, context, request.deep, texts, shares, same))
    of_files = [each for each in named if each[0] in {run.name for run in runs}]
    result = evaluator.result(of_files, scores, {}, looked_at, reading)
    return several, replace(result, judged=0) if request.closely else result


def _read(request: Request, named: Sequence[tuple[str, Any]], reading: Reading, jobs: int) -> list[LoadedRun]:
    """Read the runs down to where anything is looked at, and keep the queries that are asked for."""
    how = replace(reading, depth=request.deep, kept=request.deep, two_pass=True, looks_for_ties=False)
    runs, _ = read(named, how, jobs, keep_going=False)
    if not request.closely:
        return runs
    for qid in request.closely:
        if not any(qid in run.qids for run in runs):
            near = get_close_matches(qid, runs[-1].qids, 1)
            hint = f"did you mean {near[0]}?" if near else f"queries are called like {runs[-1].qids[0]}"
            raise InputError(f"no value for query {qid}; {hint}", runs[-1].name)
    asked = [replace(run, qids=tuple(qid for qid in request.closely if qid in set(run.qids))) for run in runs]
    return [run for run in asked if run.qids]


def _shallow(several: Sequence[LoadedRun], reading: Reading, documents: Documents) -> Documents:
    """Keep the documents that the values are computed of. Raises InputError if nobody knows one of them."""
    runs = [(run.rest, run.qids) for run in several if run.rest is not None]
    docnos = Docnos.collect(*collect_documents(runs, reading.needs, reading.context, documents.choices))
    shallow = documents.with_counts(documents.counted.take_documents(docnos))
    if shallow.refuses_missing:
        tops = [(system.cut(qids, find_depth(reading.measures)), qids) for system, qids in runs]
        refuse_unknown(tops, reading.needs, reading.context, shallow)
    return shallow


def evaluate_without_term(case: Case, term: str) -> Floats:
    """Evaluate a run again where a term is none [query]."""
    assert case.texts is not None
    assert case.context.documents is not None
    documents = case.context.documents
    old = documents.counted
    rows = case.texts.docnos.rows(old.docnos.names)
    counts, logs = case.texts.counts[term]
    assert old.log_counts is not None
    less = replace(old, counts=old.counts - counts[rows], log_counts=old.log_counts - logs[rows])
    context = replace(case.context, documents=documents.with_counts(less))
    return np.asarray(score(case.run, (case.measure,), case.qids, context, documents.choices).values[0])
