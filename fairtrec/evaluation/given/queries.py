"""The queries that are evaluated: a query set, those that are common to all runs, or the judged ones."""

from collections.abc import Sequence
from hashlib import sha256
from os import fspath
from typing import Any

from fairtrec.data import Qrels, Queries
from fairtrec.evaluation.given.reference import Files, NamedRuns, OpenedReferences, Plan, Reference, References, Written
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.documents import EvaluationContext
from fairtrec.evaluation.inputs.options import Choices
from fairtrec.support.errors import PATH, InputError, UsageError
from fairtrec.support.files import opening, submissions


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
        return None if is_common(opened.given) else Queries(loading.JUDGED, opened.read("qrels").qids)

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

    def sign(self, plan: Plan, context: EvaluationContext, files: Files) -> Written:
        """Write the queries."""
        queries = context.queries
        return {self.name: loading.short(queries.name, queries.sha256)} if queries else {}


QUERIES = QueryReference("queries")


def is_common(given: References) -> bool:
    """Tell whether the queries are those that every run has, so that they follow from the runs."""
    return QUERIES.name in given.words and not loading.is_judged(given.things[QUERIES.name])


def common_queries(named: Sequence[tuple[str, Any]], choices: Choices, qrels: Qrels | None) -> Queries | None:
    """Find the queries that every run has, whose rankings are read for it down to the first rank; None of no run.

    A run that is broken, or has no judged query, is passed over: that is said where it is evaluated.
    Raises InputError if no query is common to all, UsageError for a run that can be read only once.
    """
    found: set[str] | None = None
    for _, thing in named:
        if isinstance(thing, PATH) and opening.is_stream(thing) and not submissions.is_untrusted():
            raise UsageError(f"{fspath(thing)} can be read once, but --queries common reads runs twice; pass a file")
        try:
            qids = set(loading.load_run(thing, "", choices, 1).qids)
        except InputError:
            continue
        if qrels is None or not qids.isdisjoint(qrels.qids):
            found = qids if found is None else found & qids
    if found is not None and not found:
        raise InputError("no query is common to all runs; leave out --queries common")
    several = tuple(sorted(found or ()))
    return Queries("common", several, sha256("\n".join(several).encode()).hexdigest()) if several else None
