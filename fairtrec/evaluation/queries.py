"""Which queries of a run are evaluated."""

from fairtrec.data import Qrels, Queries, System
from fairtrec.data.spellings import guess
from fairtrec.errors import InputError


def chosen(
    run: System, qrels: Qrels | None, queries: Queries | None, *, complete: bool = False, only_judged: bool = False
) -> tuple[str, ...]:
    """Choose the queries of a run that are evaluated.

    These are its own, of those the wanted ones; of these the judged ones, where ``only_judged`` is said.

    ``complete``: all the wanted ones, or all the judged ones where none are named, whether the run has them or not.
    Raises InputError if nothing remains, and for a run that shares no query with the judgements that are given: its
    queries are of something else, even where no measure looks at a judgement.
    """
    wanted = None if queries is None else set(queries.qids)
    with_judgements = None if qrels is None else set(qrels.qids)
    if complete:
        found = wanted if wanted is not None else with_judgements or set(run.qids)
    else:
        found = set(run.qids) if wanted is None else wanted.intersection(run.qids)
    if with_judgements is not None:
        if with_judgements.isdisjoint(run.qids):
            hint = guess(run.qids, with_judgements, qrels.qids[0]) if qrels is not None and qrels.qids else ""
            why = hint or "; are they of the same collection?"
            raise InputError(f"the run and the qrels have no query in common{why}", run.name)
        if only_judged:
            found &= with_judgements
            if not found:
                raise InputError("the run has none of the wanted queries that are judged; check --queries", run.name)
    if not found:
        raise InputError("the run has none of the wanted queries; check --queries (queries= in Python)", run.name)
    return tuple(sorted(found))


def wanted(run: System, qrels: Qrels | None, queries: Queries | None) -> tuple[str, ...]:
    """Name the wanted queries of a run in its own order, judged or not. Raises InputError as ``chosen`` does."""
    among = set(chosen(run, qrels, queries))
    return tuple(qid for qid in run.qids if qid in among)
