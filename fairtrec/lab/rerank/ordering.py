"""Which documents a reranker puts at the first ranks, from the inputs that it asks for; and whole rankings of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairtrec.data import MISSING, Docs, Ints, Run
from fairtrec.data.parameters import list_required_inputs
from fairtrec.data.ranking.composition import make_falling_scores
from fairtrec.evaluation.session import Evaluator
from fairtrec.lab.rerank.inputs import RerankerInputs, list_inputs
from fairtrec.lab.reranker import NEW, Chance, Note, Reranker
from fairtrec.support.errors import UsageError


@dataclass(frozen=True, eq=False)
class Placement:
    """What stands at the first ranks of some queries [query, place], as ``Order.ranks`` has it.

    ``judged`` are the documents that NEW - j means [query, j].
    """

    qids: Sequence[str]
    ranks: Ints
    judged: Docs | None = None
    notes: tuple[Note, ...] = ()


def reorder_run(run: Run, several: Sequence[Placement], by: object) -> Run:
    """Put the documents of a run into their places; scores fall from the number of documents to 1.

    Raises UsageError for an order that places a document twice, or leaves a place open.
    """
    for placed in several:
        _refuse_faulty(run, placed, by)
    if all(placed.ranks.min(initial=MISSING) >= MISSING for placed in several):  # none from outside of the run
        docnos = run.docnos.copy()
        for placed in several:
            _move(run, placed, docnos)
        return replace(run, docnos=docnos, scores=make_falling_scores(run.starts))
    found = {qid: docs for placed in several for qid, docs in zip(placed.qids, _rankings(run, placed), strict=True)}
    rankings = [found[qid] for qid in run.qids]
    starts = np.concatenate(([0], np.cumsum([len(docs) for docs in rankings]))).astype(np.int64)
    return replace(run, starts=starts, docnos=np.concatenate(rankings), scores=make_falling_scores(starts))


def _move(run: Run, placed: Placement, docnos: Docs) -> None:
    """Put documents of the run into the first places, and those that they pass behind them in their order."""
    ranks, there = placed.ranks, placed.ranks != MISSING
    deepest = ranks.max(axis=1, initial=MISSING)[:, None]  # below it nothing moves
    first = run.starts[_numbers(run, placed)][:, None]
    rank = np.arange(int(deepest.max(initial=MISSING)) + 1)
    moves, passed, lines = rank <= deepest, rank <= deepest, first + rank
    passed[np.nonzero(there)[0], ranks[there]] = False
    is_first = moves & (rank < there.sum(axis=1, keepdims=True))
    docnos[lines[is_first]] = run.docnos[(first + ranks)[there]]
    docnos[lines[moves & ~is_first]] = run.docnos[lines[passed]]


def _numbers(run: Run, placed: Placement) -> Ints:
    """Say which query of the run each of them is."""
    number = {qid: row for row, qid in enumerate(run.qids)}
    return np.array([number[qid] for qid in placed.qids], dtype=np.int64)


def _refuse_faulty(run: Run, placed: Placement, by: object) -> None:
    ranks = placed.ranks
    there = ranks != MISSING
    lowest = int(ranks.min(initial=0))
    known = np.zeros((len(ranks), int(ranks.max(initial=0)) + 1 - lowest), dtype=np.bool_)
    known[np.nonzero(there)[0], ranks[there] - lowest] = True
    lengths = np.diff(run.starts)[_numbers(run, placed)]
    what = ""
    if int(known.sum()) < int(there.sum()):
        what = "places a document twice"
    elif (ranks >= lengths[:, None]).any():
        what = "places what is not there"
    elif (~there[:, :-1] & there[:, 1:]).any():
        what = "leaves a rank open"
    if what:
        raise UsageError(f"{by} {what}; report this bug to the authors of the plug-in")


def _rankings(run: Run, placed: Placement) -> list[Docs]:
    """List the documents of each query, those that are placed first."""
    lines = run.top(placed.qids, None)
    taken = np.zeros(lines.shape, dtype=np.bool_)
    old = placed.ranks >= 0
    taken[np.nonzero(old)[0], placed.ranks[old]] = True
    rankings: list[Docs] = []
    for query, ranks in enumerate(placed.ranks):
        rest = run.docnos[lines[query, (lines[query] != MISSING) & ~taken[query]]]
        first = ranks[ranks != MISSING]
        docs: Docs = np.empty(len(first), dtype=run.docnos.dtype)
        if placed.judged is not None:
            docs = docs.astype(np.promote_types(run.docnos.dtype, placed.judged.dtype))
            docs[first < 0] = placed.judged[query, NEW - first[first < 0]]
        docs[first >= 0] = run.docnos[lines[query, first[first >= 0]]]
        rankings.append(np.concatenate([docs, rest]))
    return rankings


CELLS = 1 << 20  # documents whose inputs are held at a time
LOOKS = 4  # times the cutoff: how deep is looked first, where that may be enough; then four times as deep, and so on


@dataclass(frozen=True, eq=False, kw_only=True)
class Ordering:
    """What one reranker does to a run: one sample of it, if there are several."""

    session: Evaluator
    by: Reranker
    seed: int
    sample: int | None
    candidates: int | None

    def place_candidates(self, run: Run) -> list[Placement]:
        """Order each query's candidates; only the first of them are looked at, where that is enough."""
        qids: Sequence[str] = run.qids
        lengths = dict(zip(qids, np.diff(run.starts).tolist(), strict=True))
        deepest = min(max(lengths.values(), default=0), self.candidates or len(run.docnos))
        several: list[Placement] = []
        looks = LOOKS * (self.by.depth or 1)
        while self._looks_first and qids and looks < deepest:
            several += self._ordered(run, qids, looks, by_lengths=lengths)
            settled = {qid for placed in several for qid in placed.qids}
            qids = [qid for qid in qids if qid not in settled]
            looks *= 4
        return [*several, *(self._ordered(run, qids, self.candidates) if qids else ())]

    @property
    def _looks_first(self) -> bool:
        """Whether the reranker can tell that the ranks looked at are enough."""
        return type(self.by).deep_enough is not Reranker.deep_enough and self.by.depth is not None

    def _ordered(
        self, run: Run, qids: Sequence[str], depth: int | None, by_lengths: dict[str, int] | None = None
    ) -> list[Placement]:
        """Order these queries; with their lengths given, only those for which the ranks looked at are enough."""
        context = self.session.make_context(run, qids, depth)
        longest = int(np.diff(run.starts).max(initial=1))
        many = max(1, CELLS // (longest if depth is None else min(longest, depth)))
        many = max(len(qids), 1) if self.by.orders_together else many
        several = []
        for start in range(0, len(qids), many):
            some = qids[start : start + many]
            chance = Chance(self.seed, some, self.sample)
            inputs = RerankerInputs(run, some, context, depth, self.candidates, chance)
            if by_lengths is not None and depth is not None:
                asked = list_required_inputs(type(self.by).deep_enough)
                enough = self.by.deep_enough(**{name: getattr(inputs, name) for name in asked})
                settled = np.array([by_lengths[qid] <= depth for qid in some]) | np.asarray(enough, dtype=np.bool_)
                if not settled.any():
                    continue
                inputs = inputs.keep_queries(settled)
            several.append(self._order(inputs))
        return several

    def _order(self, inputs: RerankerInputs) -> Placement:
        names = list_inputs(self.by, self.session.given.inputs)
        order = self.by(**{name: getattr(inputs, name) for name in names})
        if order.ranks.ndim != 2 or len(order.ranks) != len(inputs.qids):
            what = f"{self.by} gave an order of the shape {order.ranks.shape} for {len(inputs.qids)} queries"
            raise UsageError(f"{what}; report this bug to the authors of the plug-in")
        qrels = inputs.context.qrels if "judged_ranks" in names else None
        judged = None if qrels is None else qrels.docnos[inputs.judged_lines]
        return Placement(inputs.qids, order.ranks, judged, order.notes)
