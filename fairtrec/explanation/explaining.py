"""``fairtrec.explain``: from whatever the caller has to what made each value."""

from collections.abc import Iterable
from typing import Any, Unpack

from fairtrec.evaluation import loading
from fairtrec.evaluation.batch import processes
from fairtrec.evaluation.evaluate import Keywords, evaluator
from fairtrec.evaluation.given import JudgementsLike
from fairtrec.explanation import variants
from fairtrec.explanation.assemble import assemble
from fairtrec.explanation.cases import Request, cases
from fairtrec.explanation.explained import Explanation
from fairtrec.measure import Measure

CANDIDATES = 100


def explain(
    measure: str | Measure,
    runs: Any,
    qrels: JudgementsLike | None = None,
    *,
    query: str | Iterable[str] = (),
    candidates: int = CANDIDATES,
    what_if: str | Iterable[str] = (),
    query_texts: Any = None,
    jobs: int | None = 1,
    **keywords: Unpack[Keywords],
) -> Explanation:
    """Say which words in which documents at which ranks made the values of a measure.

    ``measure``     one, in the notation of measures, or of ``fairtrec.measures``.
    ``runs``, ``qrels`` and all else are those of `evaluate`.
    ``query``       the queries to look at closely, one or several: what the value would be without each document, and
                    which exchange of two documents would better it most. None: all queries, without these.
    ``candidates``  down to which rank documents are taken for an exchange.
    ``what_if``     terms of the list, each of which is taken away for once.
    ``query_texts`` what each query asks, for readers: a file of lines qid<TAB>text, an ir_datasets id, or a dict.
    ``jobs``        how many processes read the runs, as for `evaluate`.

    Raises UsageError for several measures at once and what does not fit together, InputError for a query that no run
    has, and what `evaluate` raises.
    """
    named = loading.named_runs(runs)
    number = processes([thing for _, thing in named], jobs)
    queries = [query] if isinstance(query, str) else list(dict.fromkeys(query))
    dropped = [what_if] if isinstance(what_if, str) else list(what_if)
    evaluation = evaluator(measure, qrels, **keywords)
    request = Request.of(evaluation, queries, candidates, dropped)
    found, result = cases(request, named, number)
    several = [assemble(case, request) for case in found]
    first = several[0]
    complete = all(each.complete for each in several)
    return Explanation(
        measure=request.measure,
        kind=first.kind,
        ceiling=first.ceiling,
        gain=first.gain,
        explained=tuple(one for each in several for one in each.explained),
        groups=first.groups,
        result=result,
        notes=() if complete else (f"of exchanges the first {variants.MOST} of each query were tried",),
        lexicon=evaluation.plan.lexicon if "documents" in evaluation.plan.uses else None,
        detailed=bool(queries),
        what_if=tuple(request.dropped),
        texts={}
        if query_texts is None
        else loading.query_texts(query_texts, sorted({one.qid for each in several for one in each.explained})),
    )
