"""Orders that are looked for by two measures, any two: what ``fairtrec headroom`` finds, written down."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fairtrec.data import MISSING, Docs, Floats, Ints, Run
from fairtrec.data.ranking.composition import reorder_documents
from fairtrec.evaluation.fronts.problem import Problem
from fairtrec.evaluation.fronts.solve import Cached, Solved, solve
from fairtrec.evaluation.given.given_rows import NamedRuns
from fairtrec.lab.rerank.candidate_pool import Search
from fairtrec.lab.rerank.effects import Reranked
from fairtrec.lab.rerank.front_choice import Picked, pick_orders
from fairtrec.lab.rerank.inputs import JUDGED, sees_judgments
from fairtrec.lab.rerank.ordering import Placement, reorder_run
from fairtrec.lab.reranker import NEW, Reranker, count_queries
from fairtrec.lab.rerankers.optimal import TOLD, K, Optimal
from fairtrec.measures.catalogue import notation
from fairtrec.support.errors import UsageError
from fairtrec.support.notes import Note, NoteKind

KEPT = NoteKind(
    "no finite values",
    "order kept in {many} of {queries} queries: no finite value of both measures",
)
NOT_PROVEN = NoteKind("not proven", "not proven: the mean {what} is {value}, and no order has {beyond} than {bound}")


def spell_measure(text: str, default: str, cutoff: int | None, by: Optimal) -> str:
    """Spell a measure of a reranker, with its cutoff where the measure names none. Raises UsageError for several."""
    if not text:
        return f"{default}@{cutoff or K}"
    several = list(notation.read(text))
    if len(several) != 1:
        raise UsageError(f"{by}: {text!r} is not one measure; write one, like {default}@{cutoff or K}")
    if cutoff is None or several[0].cutoff is not None or "cutoff" in several[0].params:
        return text
    return f"{text}@{cutoff}"


@dataclass(frozen=True, eq=False)
class FoundSoFar:
    """What has been found so far, by the two measures and the documents, and by which end and which orders."""

    cases: dict[tuple[Any, ...], tuple[list[Problem], list[Floats]]] = field(default_factory=dict)
    listed: dict[tuple[Any, ...], Cached] = field(default_factory=dict)
    found: dict[tuple[Any, ...], list[Solved | None]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class TwoMeasureSearch:
    """A reranker whose orders are looked for, and what they are looked for by."""

    by: Optimal
    search: Search

    @classmethod
    def settle(cls, by: Any, keywords: Mapping[str, Any], candidates: int | None, *, cut: bool) -> "TwoMeasureSearch":
        """Settle what is looked for. Raises UsageError or InputError for what does not fit together."""
        assert isinstance(by, Optimal)
        tau = "" if by.tau == 1 else f"(tau={by.tau})"
        fairness = spell_measure(
            by.fairness, ("FaiRR" if keywords.get("background") is None else "NFaiRR") + tau, by.cutoff, by
        )
        utility = spell_measure(by.utility, "nDCG", by.cutoff, by)
        search = Search.settle(
            keywords, utility, fairness, by.from_, candidates, pin_unjudged=by.pin_unjudged, worst=by.worst, by=str(by)
        )
        if cut and search.ranks is None:
            raise UsageError(f"{by} has no cutoff to cut at; leave out --cut")
        return cls(by, search)

    @property
    def uses_judgments(self) -> bool:
        """Whether the orders depend on judgments."""
        measures = [each for each in (self.search.utility, self.search.fairness) if each is not None]
        return sees_judgments([need for each in measures for need in each.needs], self.search.evaluator.plan)

    def rerank(self, named: NamedRuns, jobs: int, *, cut: bool, known: FoundSoFar) -> list[Reranked]:
        """Rerank runs, and keep the ranks that count if they are ``cut``. Raises InputError as ``evaluate`` does.

        What others that look for the same, at another loss or the other end, have found is ``known``.
        """
        search, ends = self.search, (self.by.worst, self.by.same_grades)
        of = (str(search.utility), search.scores_cutoff, str(search.fairness), search.from_, search.pin_unjudged)
        if of not in known.cases:
            known.cases[of] = search.cases(named, jobs)[:2]
        problems, values = known.cases[of]
        if self.by.worst is not problems[0].worst:
            problems = [replace(problem, worst=self.by.worst) for problem in problems]
            values = [own * np.array([[1.0], [-1.0]]) for own in values]
        listed = known.listed.setdefault((of, self.by.worst), Cached())
        if (of, ends) not in known.found:
            known.found[of, ends] = [
                solve(problem, own, listed, grades_only=self.by.same_grades) if problem.qids else None
                for problem, own in zip(problems, values, strict=True)
            ]
        several = zip(named, problems, values, known.found[of, ends], strict=True)
        return [self._of(run, problem, own, found, cut=cut) for (_, run), problem, own, found in several]

    def _of(self, run: Run, problem: Problem, own: Floats, found: Solved | None, *, cut: bool) -> Reranked:
        by = self.by
        said: tuple[Note, ...] = (JUDGED.note(),) if self.uses_judgments else ()
        placed: list[Placement] = []
        if found is not None:
            if not by.same_grades:
                found = replace(found, fronts=found.bound_fronts(problem, own[0], (by.loss,)))
            chosen = pick_orders(problem, own, found, by.loss, each=by.each, same_grades=by.same_grades)
            placed.append(_placed(problem, run, chosen.tops))
            said += _note_bound(problem, chosen)
        left = [qid for qid in run.qids if qid not in set(problem.qids)]
        placed.append(Placement(left, np.zeros((len(left), 0), dtype=np.int64)))
        new = reorder_run(run, placed, by)
        if self.search.ranks is None and by.from_ != "run":  # all ranks count, and no more of them than before
            lengths = np.diff(run.starts).tolist()
            new = reorder_documents(new, new.qids, [np.arange(many) for many in lengths])
        new = new.cut(new.qids, self.search.ranks) if cut else new
        if left:
            said += (count_queries(KEPT, [qid in set(left) for qid in run.qids]),)
        tag = f"{run.tag}-{by.name}{'-judgments' if self.uses_judgments else ''}"
        return Reranked(run.name, by, run, replace(new, tag=tag), said)


def _placed(problem: Problem, run: Run, tops: Sequence[Ints]) -> Placement:
    """Say which ranks of the run stand first; documents from elsewhere are numbered as new."""
    number = {qid: row for row, qid in enumerate(run.qids)}
    ranks = np.full((len(tops), max(map(len, tops), default=0)), MISSING)
    new: list[Docs] = []
    for row, (qid, top) in enumerate(zip(problem.qids, tops, strict=True)):
        ranks[row, : len(top)] = top
        if problem.elsewhere[row] > top.max(initial=0):
            new.append(run.docnos[:0])
            continue
        start, end = run.starts[number[qid] : number[qid] + 2].tolist()
        docnos = problem.docnos(row)[top]
        at = {docno: rank for rank, docno in enumerate(run.docnos[start:end].tolist())}
        strange = [docno for docno in docnos.tolist() if docno not in at]
        at |= {docno: NEW - j for j, docno in enumerate(strange)}
        ranks[row, : len(top)] = [at[docno] for docno in docnos.tolist()]
        new.append(np.array(strange, dtype=docnos.dtype))
    wide = max(map(len, new), default=0)
    judged = np.zeros((len(new), wide), dtype=problem.inputs.run.docnos.dtype)
    for row, docs in enumerate(new):
        judged[row, : len(docs)] = docs
    return Placement(problem.qids, ranks, judged if wide else None)


def _note_bound(problem: Problem, chosen: Picked) -> tuple[Note, ...]:
    """Give the bound that no order exceeds if the best order is not proven."""
    many = len(problem.qids)
    if chosen.bound - chosen.fairness <= TOLD * many:
        return ()
    size = "size of " if problem.fairness.better == "nearer 0" else ""
    beyond = "more" if problem.sign > 0 else "less"
    value, bound = (round(problem.sign * value / many, 6) for value in (chosen.fairness, chosen.bound))
    what = f"{size}{problem.fairness}"
    return (NOT_PROVEN.note(what=what, value=value, beyond=beyond, bound=bound),)


def rerank_runs(
    several: Sequence[TwoMeasureSearch], named: NamedRuns, jobs: int, *, cut: bool
) -> dict[Reranker, list[Reranked]]:
    """Rerank runs by each of several."""
    known = FoundSoFar()
    return {one.by: one.rerank(named, jobs, cut=cut, known=known) for one in several}
