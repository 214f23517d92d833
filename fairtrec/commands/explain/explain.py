"""``fairtrec.explain``: from whatever the caller has to what made each value: rank by rank, word by word."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import nan
from typing import Any, Unpack, overload

import numpy as np

from fairtrec.commands.explain import variants
from fairtrec.commands.explain.cases import Case, Request, cases, evaluate_without_term
from fairtrec.commands.explain.difference import Differences, RunDifference, subtract_queries
from fairtrec.commands.explain.explanation import Exchange, Explained, Explanation, RankRow, Word, rank_worst
from fairtrec.commands.explain.split import Split, split
from fairtrec.data import MISSING, Floats, take
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.evaluate import evaluator
from fairtrec.evaluation.given import Keywords
from fairtrec.evaluation.given.counts import find_lexicon
from fairtrec.evaluation.given.given_rows import JudgmentsLike
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.calls import require_names
from fairtrec.evaluation.inputs.table_roles import take_group
from fairtrec.evaluation.jobs import processes
from fairtrec.formulas import discount
from fairtrec.formulas.elementary import log_of_number
from fairtrec.measure import Measure
from fairtrec.measures.catalogue import docstrings
from fairtrec.measures.exposure import surplus
from fairtrec.support.errors import InputError
from fairtrec.support.files.arguments import find_run
from fairtrec.support.notes import NoteKind, list_runs

RankColumns = list[list[list[float]]]  # [query][rank]: gain, adds, loses, ideal, behind
OTHER_QUERIES = NoteKind(
    "queries without a partner",
    "{which} {verb} other queries than the baseline; the difference is over queries that both have",
)
EXCHANGES = NoteKind("exchanges", "only the first {most} exchanges of each query were tried")


def assemble(case: Case, request: Request) -> tuple[list[Explained], Split | None, tuple[str, ...], bool]:
    """Explain each query of a run; give the split of its values, the groups, and whether all exchanges were tried."""
    parts = split(case)
    closely = request.looks_closely
    left_out = variants.evaluate_without_documents(case) if closely else [[] for _ in case.qids]
    swaps: list[Exchange | None] = [None] * len(case.qids)
    swaps, complete = variants.exchanges(case, request.candidates) if closely else (swaps, True)
    after = {term: evaluate_without_term(case, term).tolist() for term in request.dropped}
    why = docstrings.part(type(case.measure), "Undefined") if np.isnan(case.values).any() else ""
    docnos, words = case.docnos, _Words(case, parts)
    columns: RankColumns = [[] for _ in case.qids]
    if parts is not None:
        columns = _columns(parts)
    elif not request.is_compared:
        columns = [_steps(values) for values in variants.prefixes(case)]
    explained = []
    for at, (qid, value) in enumerate(zip(case.qids, case.values.tolist(), strict=True)):
        told: dict[str, Any] = {"run": case.run.name, "qid": qid, "value": value}
        told["what_if"] = {term: values[at] for term, values in after.items()}
        if math.isnan(value):
            explained.append(Explained(why=why, **told))
            continue
        places = tuple(_places(at, columns[at], docnos[at], left_out[at], words))
        if parts is not None:
            told |= {"rest": float(parts.rest[at]), "ceiling": float(parts.ceiling[at])}
        explained.append(Explained(places=_ended(places), exchange=swaps[at], **told))
    return explained, parts, words.groups, complete


def _ended(places: tuple[RankRow, ...]) -> tuple[RankRow, ...]:
    """Leave out the ranks behind the end that neither add nor lose anything."""
    many = len(places)
    while many and places[many - 1].docno is None and not (places[many - 1].loses or places[many - 1].behind > 0):
        many -= 1
    return places[:many]


def _steps(values: Sequence[float]) -> list[list[float]]:
    """Say what each rank changes the value by, which is 0 before the first that has one; the rest is unknown."""
    before, columns = 0.0, []
    for value in values:
        columns.append([nan, value - before if math.isfinite(value) else nan, nan, nan, nan])
        before = value if math.isfinite(value) else before
    return columns


def _places(
    at: int, columns: list[list[float]], docnos: Sequence[str], left_out: Sequence[float], words: "_Words"
) -> Iterator[RankRow]:
    for rank, (gain, adds, loses, ideal, behind) in enumerate(columns):
        if rank < len(docnos):
            without = left_out[rank] if rank < len(left_out) else nan
            of_document = words.describe_document(at, rank)
            yield RankRow(rank + 1, docnos[rank], gain, adds, loses, *of_document, ideal, behind, without)
        else:
            yield RankRow(rank + 1, None, nan, adds, loses, ideal=ideal, behind=behind)


def _columns(parts: Split) -> RankColumns:
    """Give gain, adds, loses, ideal and behind of each rank of each query."""
    ideal = np.full(parts.adds.shape, nan) if parts.ideal is None else parts.ideal
    columns = parts.gains, parts.adds, parts.loses, ideal, parts.scale * (ideal - parts.gains)
    rows: RankColumns = np.stack(columns, axis=2).tolist()
    return rows


class _Words:
    """The words of documents, or their groups where there are no texts, and what they add."""

    def __init__(self, case: Case, parts: Split | None) -> None:
        inputs, needs = case.inputs, set(case.measure.needs)
        self.better, self.texts, self.logs = case.measure.better, case.texts, "log_counts" in needs
        self.groups: tuple[str, ...] = ()
        self.counts: list[list[list[float]]] | None = None
        self.rows: list[list[int]] = []  # of the texts [query, rank]
        if case.context.documents is not None:
            self.groups = inputs.groups
            counts = take(inputs.counts, inputs.ranked)
            rows = np.full(inputs.ranked.shape, MISSING)
            if case.texts is not None:
                there = inputs.ranked != MISSING
                rows[there] = case.texts.docnos.rows(
                    inputs.documents.document_counts.docnos.names[inputs.ranked[there]]
                )
            self.rows = rows.tolist()
        elif "membership" in needs:
            self.groups, counts = inputs.groups, inputs.membership
        if self.groups:
            self.counts = np.nan_to_num(counts, nan=0.0, posinf=0.0).tolist()
        self.known: list[list[bool]] = case.find_known(inputs).tolist()
        each, rough = (None, None) if parts is None else (parts.per_word, parts.rough)
        self.each: list[list[list[float]]] | None = None if each is None else each.tolist()
        self.rough: list[list[bool]] | None = None if rough is None else rough.tolist()

    def describe_document(self, at: int, rank: int) -> tuple[tuple[Word, ...], bool, bool, str | None]:
        """Say what is known of the document at a rank: words, whether they are rough, whether it is known, its text."""
        if self.counts is None:
            return (), False, True, None
        texts, text = self.texts, None
        named: list[tuple[str, int, float]]
        if texts is not None and (row := self.rows[at][rank]) in texts.terms:
            named = [(term, number, times) for (term, numbers), times in texts.terms[row].items() for number in numbers]
            text = texts.texts[row]
        else:
            counts = self.counts[at][rank]
            named = [(self.groups[number], number, times) for number, times in enumerate(counts) if times]
        rough, known = self.rough is not None and self.rough[at][rank], self.known[at][rank]
        if not named:
            return (), rough, known, text
        words = [self._word(at, rank, *each) for each in named]
        if len(words) > 1:
            words.sort(key=lambda word: (rank_worst(word.adds, self.better), -word.times, word.term))
        return tuple(words), rough, known, text

    def _word(self, at: int, rank: int, term: str, number: int, times: float) -> Word:
        adds = nan
        if self.each is not None and rank < len(self.each[at]):
            adds = self.each[at][rank][number] * (log_of_number(times) if self.logs else times)
        return Word(term, self.groups[number], round(times) if times == round(times) else times, adds)


CANDIDATES = 100


@overload
def explain(
    measure: str | Measure,
    runs: Any,
    *,
    qrels: JudgmentsLike | None = None,
    query: str | Iterable[str] = (),
    exchanges: int = CANDIDATES,
    what_if: str | Iterable[str] = (),
    baseline: None = None,
    query_texts: Any = None,
    jobs: int | None = 1,
    **keywords: Unpack[Keywords],
) -> Explanation: ...


@overload
def explain(
    measure: str | Measure,
    runs: Any,
    *,
    qrels: JudgmentsLike | None = None,
    query: str | Iterable[str] = (),
    exchanges: int = CANDIDATES,
    what_if: str | Iterable[str] = (),
    baseline: Any,
    query_texts: Any = None,
    jobs: int | None = 1,
    **keywords: Unpack[Keywords],
) -> Differences: ...


@require_names
def explain(
    measure: str | Measure,
    runs: Any,
    *,
    qrels: JudgmentsLike | None = None,
    query: str | Iterable[str] = (),
    exchanges: int = CANDIDATES,
    what_if: str | Iterable[str] = (),
    baseline: Any = None,
    query_texts: Any = None,
    jobs: int | None = 1,
    **keywords: Unpack[Keywords],
) -> Explanation | Differences:
    """Show which words in which documents at which ranks made the values of a measure, or a difference of two runs.

    Args:
        measure: one measure, as text or of ``fairtrec.measures``.
        runs: as for ``evaluate``, with its inputs.
        qrels: as for ``evaluate``.
        query: one or several queries to look at closely: the value without each document, and the exchange of two
            documents that would improve it most. By default all queries, without these.
        exchanges: the rank down to which documents are exchanged. Default 100.
        what_if: terms of the list. Each is removed once.
        baseline: a run, or the name of one of the runs. The answer then explains why the values of each other run
            differ from those of this one, over the queries that both have.
        query_texts: the text of each query, for readers: a file of lines ``qid<TAB>text``, an ir_datasets id, or a
            dict.
        jobs: how many processes read the runs, as for ``evaluate``.

    Raises:
        UsageError: several measures, inputs that do not fit together, or no other run than the baseline.
        InputError: a query that no run has; and what ``evaluate`` raises.
    """
    named, against = loading.name_rankings(runs), None
    if baseline is not None:
        against, every = loading.join_run(dict(named), baseline)
        find_run(list(every), against)
        named = list(every.items())
    number = processes([thing for _, thing in named], jobs)
    queries = [query] if isinstance(query, str) else list(dict.fromkeys(query))
    dropped = [what_if] if isinstance(what_if, str) else list(what_if)
    evaluation = evaluator(measure, qrels, **take_group(named, keywords))
    request = Request.settle(evaluation, queries, exchanges, dropped, is_compared=against is not None)
    found, result = cases(request, named, number)
    texts = {}
    if query_texts is not None:
        texts = loading.query_texts(query_texts, sorted({qid for case in found for qid in case.qids}))
    if against is not None:
        return explain_differences(request, found, result, against, texts)
    several = [assemble(case, request) for case in found]
    explained = [one for each, *_ in several for one in each]
    _, parts, groups, _ = several[0]
    complete = all(each[-1] for each in several)
    return Explanation(
        measure=request.measure,
        kind="prefix" if parts is None else parts.kind,
        ceiling="" if parts is None else parts.ceiling_is,
        gain="" if parts is None else parts.gain_is,
        explained=tuple(explained),
        groups=groups,
        result=result,
        notes=() if complete else (EXCHANGES.note(most=variants.MOST),),
        lexicon=find_lexicon(evaluation.plan) if "documents" in evaluation.plan.uses else None,
        detailed=bool(queries),
        what_if=tuple(request.dropped),
        texts=texts,
    )


def explain_differences(
    request: Request, found: Sequence[Case], result: Result, baseline: str, texts: Mapping[str, str]
) -> Differences:
    """Explain why the values of each run differ from those of the baseline, over the queries that both have.

    Raises InputError if the baseline has none of the queries that are asked for, or no query of a run.
    """
    ours = {case.run.name: (case, *assemble(case, request)) for case in found}
    if baseline not in ours:
        raise InputError(f"no value for query {', '.join(request.closely)}; choose a query that it has", baseline)
    base, theirs, parts, groups, _ = ours.pop(baseline)
    of_losses = parts is not None and parts.is_shared and request.measure.better == "higher" and bool(parts.ceiling_is)
    runs, others = [], []
    for run, (case, explained, *_) in ours.items():
        shared = {*case.qids} & {*base.qids}
        if not shared:
            raise InputError(
                f"it has no query that the baseline {baseline} has; check that the query ids of both are the same", run
            )
        if {*case.qids} != {*base.qids}:
            others.append(run)
        queries = subtract_queries(explained, theirs, of_losses=of_losses)
        exposure = {} if parts is not None or not groups else _compare_exposure(case, base)
        runs.append(RunDifference(run=run, baseline=baseline, shared=len(shared), queries=queries, exposure=exposure))
    if not runs:
        raise InputError(f"only the baseline has query {', '.join(request.closely)}; choose one that another run has")
    notes = [OTHER_QUERIES.note(which=list_runs(others), verb="has" if len(others) == 1 else "have")] if others else []
    return Differences(
        measure=request.measure,
        kind="prefix" if parts is None else parts.kind,
        of_losses=of_losses,
        baseline=baseline,
        runs=tuple(runs),
        groups=groups,
        result=result,
        notes=tuple(notes),
        has_texts=base.texts is not None,
        detailed=bool(request.closely),
        what_if=tuple(request.dropped),
        texts=texts,
    )


def _compare_exposure(case: Case, base: Case) -> dict[str, tuple[float, float]]:
    """Give by group its mean share of the exposure in a run and a baseline, over the queries that have one in both."""
    mine, theirs = (dict(zip(each.qids, _share_exposure(each), strict=True)) for each in (case, base))
    both = [(mine[qid], theirs[qid]) for qid in mine if qid in theirs]
    known = [pair for pair in both if not np.isnan(pair).any()]
    if not known:
        return {}
    means = [
        [math.fsum(column) / len(known) for column in zip(*rows, strict=True)] for rows in zip(*known, strict=True)
    ]
    return {group: (one, other) for group, one, other in zip(case.inputs.groups, *means, strict=True)}


def _share_exposure(case: Case) -> Floats:
    """Compute each group's share of the exposure of the ranks that a measure reads [query, group], by log2.

    A measure with the clipped log2, such as AWRF, has that.
    """
    membership = case.inputs.membership
    name: discount.Discount = "log2_clipped" if getattr(case.measure, "discount", None) == "log2_clipped" else "log2"
    weights, mass = discount.compute_weights(name, membership.shape[1]), np.nan_to_num(membership.sum(axis=2))
    held = np.moveaxis(np.nan_to_num(membership), 2, 0)
    return np.stack([surplus(each, mass, np.zeros(1), weights) for each in held], axis=1)
