"""The queries that are evaluated: a query set, those common to all runs, those with all values, or the judged ones."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from os import fspath
from typing import Any

import numpy as np

from fairtrec.data import Bools, Qrels, Queries
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.given.given_rows import Files, NamedRuns, Written
from fairtrec.evaluation.given.reference import OpenedReferences, Plan, Reference, References
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.documents import EvaluationContext
from fairtrec.evaluation.inputs.options import Choices
from fairtrec.evaluation.slices import align_values
from fairtrec.support.errors import PATH, InputError, UsageError
from fairtrec.support.files import opening, submissions

COMMON, DEFINED = "common", "defined"  # in the place of a query set
FEWEST = 2  # queries that are defined, if there are others


class QueryReference(Reference):
    """A query set, or a word for one."""

    opened_by = "runs"
    is_listed = True

    def refuse(self, given: References) -> None:
        """Raise UsageError for judged queries without judgments."""
        if loading.is_judged(given.things[self.name]) and "qrels" not in given.things:
            raise UsageError(loading.NO_QRELS)

    def read(self, opened: OpenedReferences) -> Queries | None:
        """Read the query set; None: it follows from the runs."""
        if self.name not in opened.given.words:
            return loading.queries(opened.given.things[self.name])
        return None if follows_runs(opened.given) else Queries(loading.JUDGED, opened.read("qrels").qids)

    def match_runs(
        self,
        plan: Plan,
        value: Any,
        context: EvaluationContext,
        named: NamedRuns,
        depth: int | None,
    ) -> Queries | None:
        """Find the queries that all runs have, if these are asked for."""
        found: Queries | None = common_queries(named, plan.choices, context.qrels) if is_common(plan.given) else value
        return found

    def match_values(
        self,
        plan: Plan,
        value: Queries | None,
        named: NamedRuns,
        score: Callable[[], Sequence[Scores]],
    ) -> Queries | None:
        """Find the queries in which all runs have a value of each measure, if these are asked for."""
        if not is_defined(plan.given):
            return value
        refuse_streams(named, DEFINED)
        return defined_queries(score())

    def sign(self, plan: Plan, context: EvaluationContext, files: Files) -> Written:
        """Write the queries."""
        queries = context.queries
        return {self.name: loading.short(queries.name, queries.sha256)} if queries else {}


QUERIES = QueryReference("queries")


def is_common(given: References) -> bool:
    """Tell whether the queries are those that every run has."""
    return QUERIES.name in given.words and given.things[QUERIES.name] == COMMON


def is_defined(given: References) -> bool:
    """Tell whether the queries are those in which every run has a value of every measure."""
    return QUERIES.name in given.words and given.things[QUERIES.name] == DEFINED


def follows_runs(given: References) -> bool:
    """Tell whether the queries follow from the runs."""
    return is_common(given) or is_defined(given)


def common_queries(named: Sequence[tuple[str, Any]], choices: Choices, qrels: Qrels | None) -> Queries | None:
    """Find the queries that every run has, whose rankings are read for it down to the first rank; None of no run.

    A run that is broken, or has no judged query, is passed over: that is said where it is evaluated.
    Raises InputError if no query is common to all, UsageError for a run that can be read only once.
    """
    found: set[str] | None = None
    refuse_streams(named, COMMON)
    for _, thing in named:
        try:
            qids = set(loading.load_run(thing, "", choices, 1).qids)
        except InputError:
            continue
        if qrels is None or not qids.isdisjoint(qrels.qids):
            found = qids if found is None else found & qids
    if found is not None and not found:
        raise InputError("no query is common to all runs; leave out --queries common")
    return name_queries(COMMON, sorted(found)) if found else None


def refuse_streams(named: NamedRuns, word: str) -> None:
    """Raise UsageError for a run that can be read only once, if the queries that this word means follow from runs."""
    for _, thing in named:
        if isinstance(thing, PATH) and opening.is_stream(thing) and not submissions.is_untrusted():
            raise UsageError(f"{fspath(thing)} can be read once, but --queries {word} reads runs twice; pass a file")


def defined_queries(several: Sequence[Scores]) -> Queries | None:
    """Find the queries in which each run has a value of each measure; None of no run.

    A run without any value of a measure plays no part for this measure.
    Raises InputError if there are fewer than two such queries, of more that any run has.
    """
    every = sorted({qid for scores in several for qid in scores.qids})
    if not every:
        return None
    rows = [row for row, measure in enumerate(several[0].measures) if measure.has_query_values]
    valued = ~np.isnan(align_values(several, every)[:, rows])
    has_none = ~valued.any(axis=2, keepdims=True)
    kept: Bools = np.asarray((valued | has_none).all(axis=(0, 1)))
    if kept.sum() < min(FEWEST, len(every)):
        counts = {0: "no query has", 1: "only 1 query has"}[int(kept.sum())]
        row = rows[int((valued | has_none).all(axis=0).sum(axis=1).argmin())]
        what = f"{counts} a value of every measure for all runs; {several[0].measures[row]} has the fewest"
        raise InputError(f"{what}: leave it out, or --queries defined")
    return name_queries(DEFINED, [qid for qid, is_kept in zip(every, kept.tolist(), strict=True) if is_kept])


def name_queries(word: str, qids: Sequence[str]) -> Queries:
    """Name queries by the word that they were asked for with, and by their digest."""
    return Queries(word, tuple(qids), sha256("\n".join(qids).encode()).hexdigest())
