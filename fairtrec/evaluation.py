"""From runs and what was given beside them to scores [measure, query], and their means over defined queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fairtrec.data import NOTHING, Docnos, Docs, Floats, Ints, Qrels, Queries, Run, Samples
from fairtrec.distribution import quotient
from fairtrec.documents import Documents, Missing, judged
from fairtrec.errors import InputError, UsageError
from fairtrec.inputs import Given, Inputs, InputsOfSamples
from fairtrec.measure import Measure
from fairtrec.measures.utility import Judge, Utility
from fairtrec.ties import ENDS, Ties, whole

OF_JUDGEMENTS = {"relevance", "judged_relevance", "judged_membership"}


@dataclass(frozen=True, eq=False)
class Scores:
    """One run's values [measure, query], nan where a measure is undefined for a query; queries sorted by id."""

    run: str
    tag: str
    measures: tuple[Measure, ...]
    qids: tuple[str, ...]
    values: Floats
    remarks: tuple[str, ...] = ()
    ties: Ties | None = None  # where they were asked for

    @cached_property
    def ends(self) -> dict[str, "Scores"]:
        """The least, greatest and expected values over the orders of tied documents, where they were asked for."""
        return {end: replace(self, values=getattr(self.ties, end), ties=None) for end in ENDS} if self.ties else {}

    @cached_property
    def defined(self) -> Ints:
        """How many queries each measure is defined for [measure]."""
        many: Ints = (~np.isnan(self.values)).sum(axis=1)
        return many

    @cached_property
    def means(self) -> Floats:
        """Each measure's mean over the queries that it is defined for (the sum for one that counts) [measure]."""
        with np.errstate(invalid="ignore"):  # the sum of both infinities is undefined
            sums = np.where(np.isnan(self.values), 0.0, self.values).sum(axis=1)
        totals = np.array([measure.total for measure in self.measures], dtype=np.bool_)
        divisor = np.where(totals, 1, self.defined)
        return quotient(sums, np.where(self.defined > 0, divisor, 0))


def depth_of(measures: Sequence[Measure]) -> int | None:
    """Give the deepest rank that any of the measures reads; None is all."""
    depths = [measure.depth for measure in measures]
    return None if None in depths else max((depth for depth in depths if depth), default=1)


def evaluated(
    run: Run | Samples, measures: Sequence[Measure], qrels: Qrels | None, queries: Queries | None, *, complete: bool
) -> tuple[str, ...]:
    """Choose a run's queries: its own, of those the wanted ones; the judged ones if every measure needs judgements.

    ``complete``: all the wanted ones, or all the judged ones where none are named, whether the run has them or not.
    Raises InputError if nothing remains.
    """
    wanted = None if queries is None else set(queries.qids)
    with_judgements = None if qrels is None else set(qrels.qids)
    if complete:
        chosen = wanted if wanted is not None else with_judgements or set(run.qids)
    else:
        chosen = set(run.qids) if wanted is None else wanted.intersection(run.qids)
    if with_judgements is not None and all(OF_JUDGEMENTS & set(measure.needs) for measure in measures):
        chosen &= with_judgements
        if not chosen:
            message = "the run and the qrels have no query in common; are they of the same collection?"
            raise InputError(message, run.name)
    if not chosen:
        raise InputError("the run has none of the wanted queries; check --queries", run.name)
    return tuple(sorted(chosen))


def looked_at(
    runs: Sequence[Run | Samples],
    chosen: Sequence[Sequence[str]],
    measures: Sequence[Measure],
    given: Given,
    missing: Missing,
    *,
    ties: bool = False,
) -> Docnos:
    """Collect the documents that the measures look at, in the chosen queries of the runs and in what is beside them.

    ``ties``: those too that are tied with them.
    """
    parts: list[Docs] = []
    reading = [measure for measure in measures if {"ranked", "membership"} & set(measure.needs)]
    if reading:
        depth = None if missing == "skip" else depth_of(reading)
        for run, qids in zip(runs, chosen, strict=True):
            parts += [_top(whole(one, depth), qids, None) if ties else _top(one, qids, depth) for one in single(run)]
    parts += _beside(chosen, measures, given, missing)
    return Docnos.of(np.concatenate(parts) if parts else np.empty(0, "S1"))


def _beside(chosen: Sequence[Sequence[str]], measures: Sequence[Measure], given: Given, missing: Missing) -> list[Docs]:
    """Collect the documents beside the runs: those of the background, and judged ones."""
    parts: list[Docs] = []
    every = sorted(set().union(*chosen))
    if isinstance(given.background, Run):
        parts.append(_top(given.background, every, None if missing == "skip" else given.background_depth))
    ideal = any("judged_membership" in measure.needs for measure in measures)
    if given.qrels is not None and (ideal or given.target_of in ("qrels", "relevance")):
        lines = judged(given.qrels, every)
        lines = lines[lines != NOTHING]
        least = given.relevance_level if given.target_of == "qrels" else 1
        parts.append(given.qrels.docnos[lines if ideal else lines[given.qrels.grades[lines] >= least]])
    return parts


def cut(run: Run | Samples, qids: Sequence[str], depth: int | None) -> Run | Samples:
    """Keep of a run only the first ``depth`` documents of these queries, of those that it has."""
    if isinstance(run, Samples):
        return replace(run, runs=tuple(_cut(one, qids, depth) for one in run.runs))
    return _cut(run, qids, depth)


def _cut(run: Run, qids: Sequence[str], depth: int | None) -> Run:
    there = set(run.qids)
    kept = tuple(qid for qid in qids if qid in there)
    if len(kept) == len(there) and (depth is None or depth >= np.diff(run.starts).max(initial=0)):
        return run
    lines = run.top(kept, depth)
    starts = np.concatenate(([0], np.cumsum((lines != NOTHING).sum(axis=1))))
    lines = lines[lines != NOTHING]
    return replace(run, qids=kept, starts=starts, docnos=run.docnos[lines], scores=run.scores[lines])


def _top(run: Run, qids: Sequence[str], depth: int | None) -> Docs:
    lines = run.top(qids, depth)
    docnos: Docs = run.docnos[lines[lines != NOTHING]]
    return docnos


def single(run: Run | Samples) -> tuple[Run, ...]:
    """Give the runs that hold one ranking for a query."""
    return run.runs if isinstance(run, Samples) else (run,)


def unknown_in(run: Run | Samples, qids: Sequence[str], documents: Documents) -> InputError | None:
    """Find a document of the run that has no annotation, where no option says what it is worth."""
    if documents.missing != "error" or documents.annotations.known.all():
        return None
    for one in single(run):
        lines = one.top(qids, None)
        rows = documents.docnos.rows(one.docnos[lines[lines != NOTHING]])
        unknown = np.zeros(lines.shape, dtype=np.bool_)
        unknown[lines != NOTHING] = (rows != NOTHING) & ~documents.annotations.known[rows]
        hit = np.argwhere(unknown)
        if len(hit):
            query, rank = hit[np.argmin(hit[:, 1])]
            docno = one.docnos[lines[query, rank]].decode()
            example = f"{docno} at rank {rank + 1} of query {qids[query]}"
            return _unknown(documents, np.unique(rows[rows != NOTHING]), example, run.name)
    return None


def refuse_unknown(
    chosen: Sequence[Sequence[str]], measures: Sequence[Measure], given: Given, documents: Documents
) -> None:
    """Raise InputError if a document beside the runs has no annotation, where no option says what it is worth."""
    if documents.missing != "error" or documents.annotations.known.all():
        return
    for docnos in _beside(chosen, measures, given, documents.missing):
        rows = documents.docnos.rows(docnos)
        unknown = ~documents.annotations.known[rows]
        if unknown.any():
            raise _unknown(documents, np.unique(rows), docnos[unknown.argmax()].decode(), None)


def _unknown(documents: Documents, rows: Ints, example: str, name: str | None) -> InputError:
    many = int((~documents.annotations.known[rows]).sum())
    return InputError(
        f"there are no text or counts of {many} of {len(rows)} documents that the measures look at, "
        f"such as {example}; give the whole collection, or say what they are worth with --missing neutral|skip|worst",
        name,
    )


def joined(measures: Sequence[Measure], first: Scores, second: Scores) -> Scores:
    """Put the scores of one run together in the order of ``measures``, each of which is in one of the two."""
    rows = {str(measure): row for row, measure in enumerate(first.measures + second.measures)}
    order = [rows[str(measure)] for measure in measures]
    values = np.concatenate((first.values, second.values))[order]
    ties = first.ties.joined(second.ties, order) if first.ties and second.ties else None
    return replace(first, measures=tuple(measures), values=values, remarks=first.remarks + second.remarks, ties=ties)


def score(
    run: Run | Samples, measures: Sequence[Measure], qids: Sequence[str], given: Given, judge: Judge | None
) -> Scores:
    """Compute the measures of one run."""
    if isinstance(run, Samples):
        return _expected(run, measures, qids, given, judge)
    return _score(run, measures, qids, given, judge)


def _expected(
    run: Samples, measures: Sequence[Measure], qids: Sequence[str], given: Given, judge: Judge | None
) -> Scores:
    """Compute the measures of a system that ranks at random.

    The value of a query is the mean over its rankings for which the measure is defined; a measure of expected
    exposure looks at all rankings of a query at once.
    """
    at_once = [row for row, measure in enumerate(measures) if "sample_of" in measure.needs]
    one_by_one = [row for row in range(len(measures)) if row not in at_once]
    column = {qid: i for i, qid in enumerate(qids)}
    values = np.full((len(measures), len(qids)), np.nan)
    total, defined = np.zeros((2, len(one_by_one), len(qids)))
    remarks: dict[str, None] = {}
    ordinary = [measures[row] for row in one_by_one]
    known = set(run.qids)
    ranked_by_none = [qid for qid in qids if qid not in known]
    wanted = set(qids)
    parts = [(one, [qid for qid in one.qids if qid in wanted]) for one in run.runs]
    for one, ranked in [*parts, (run.runs[0], ranked_by_none)]:
        scores = _score(one, ordinary, ranked, given, judge) if ranked and ordinary else None
        if scores is not None:
            at = [column[qid] for qid in ranked]
            total[:, at] += np.where(np.isnan(scores.values), 0.0, scores.values)
            defined[:, at] += ~np.isnan(scores.values)
            remarks = remarks or dict.fromkeys(
                f"{each} (the first of {len(run.runs)} samples)" for each in scores.remarks
            )
    values[one_by_one] = quotient(total, defined)
    for row in at_once:
        inputs = InputsOfSamples(run, qids, given, measures[row].depth)
        values[row] = measures[row](**inputs.named(measures[row].needs))
    return Scores(run.name, run.tag, tuple(measures), tuple(qids), values, tuple(remarks))


def _score(run: Run, measures: Sequence[Measure], qids: Sequence[str], given: Given, judge: Judge | None) -> Scores:
    depth = depth_of([measure for measure in measures if not isinstance(measure, Utility)])
    inputs = Inputs(run, qids, given, depth)
    needs = {row: measure.needs for row, measure in enumerate(measures) if not isinstance(measure, Utility)}
    values = values_of(inputs, measures, needs, judge)
    remarks: dict[str, None] = {}
    for row in needs:
        measure, remarks_on = measures[row], measures[row].remarks_on
        given_to_remark = inputs.named([name for name in remarks_on if name != "values"])
        if "values" in remarks_on:
            given_to_remark["values"] = values[row]
        remark = measure.remark(**given_to_remark)
        if remark:
            remarks[f"{measure}: {remark}"] = None
    asked = {name for names in needs.values() for name in names}
    if "membership" in asked:
        remarks[_known(inputs)] = None
    if "positions" in asked:
        _refuse_strangers(inputs, inputs.positions, "positions")
    return Scores(run.name, run.tag, tuple(measures), tuple(qids), values, tuple(remarks))


def values_of(
    inputs: Inputs, measures: Sequence[Measure], needs: Mapping[int, Sequence[str]], judge: Judge | None
) -> Floats:
    """Compute the measures [measure, query]: from what they need if they stand in ``needs``, else by the judge."""
    queries = len(inputs.qids)
    values = np.full((len(measures), queries), np.nan)
    utility = [row for row in range(len(measures)) if row not in needs]
    if utility and judge is not None:
        values[utility] = judge.values(inputs.run, inputs.qids)
    for row, names in needs.items():
        value = measures[row](**inputs.named(names))
        if np.shape(value) not in ((queries,), (1,)):
            what = f"{measures[row]} gave values of the shape {np.shape(value)} for {queries} queries"
            raise UsageError(f"{what}; it has a fault, report it to its authors")
        values[row] = value
    return values


def _known(inputs: Inputs) -> str:
    """Say for what share of the ranks looked at the groups are known."""
    there = inputs.lines != NOTHING
    known = there & ~np.isnan(inputs.membership).any(axis=2)
    if inputs.given.labels is not None:
        _refuse_strangers(inputs, inputs.membership, "labels")
    line = f"groups are known for {int(known.sum())} of the {int(there.sum())} ranks looked at"
    silent = int((there.any(axis=1) & ~known.any(axis=1)).sum())
    if silent * 10 > len(there):
        line += f"; {silent} of {len(there)} queries have no document of known group, are these the right labels?"
    return line


def _refuse_strangers(inputs: Inputs, values: Floats, what: str) -> None:
    """Raise InputError if labels or positions are known of none of the documents that were looked at."""
    if (inputs.lines != NOTHING).any() and np.isnan(values).all():
        raise InputError(f"the {what} know none of its documents; are they of the same collection?", inputs.run.name)
