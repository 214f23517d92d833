"""Which documents stand at the first ranks of each query: the inputs of a reranker, and what it makes of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairtrec.data import Run
from fairtrec.data.parameters import named
from fairtrec.errors import UsageError
from fairtrec.evaluation.session import Evaluator
from fairtrec.reranker import Chance, Reranker
from fairtrec.reranking.arranging import Placed
from fairtrec.reranking.inputs import RerankerInputs
from fairtrec.reranking.wanted import inputs_of

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

    def placed(self, run: Run) -> list[Placed]:
        """Order each query's candidates; only the first of them are looked at, where that is enough."""
        qids: Sequence[str] = run.qids
        lengths = dict(zip(qids, np.diff(run.starts).tolist(), strict=True))
        deepest = min(max(lengths.values(), default=0), self.candidates or len(run.docnos))
        several: list[Placed] = []
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
    ) -> list[Placed]:
        """Order these queries; with their lengths given, only those for which the ranks looked at are enough."""
        reference = self.session.beside(run, qids, depth)
        longest = int(np.diff(run.starts).max(initial=1))
        many = max(1, CELLS // (longest if depth is None else min(longest, depth)))
        many = max(len(qids), 1) if self.by.together else many
        several = []
        for start in range(0, len(qids), many):
            some = qids[start : start + many]
            inputs = self._drawing(RerankerInputs(run, some, reference, depth, self.candidates))
            if by_lengths is not None and depth is not None:
                enough = self.by.deep_enough(
                    **{name: getattr(inputs, name) for name in named(type(self.by).deep_enough)}
                )
                settled = np.array([by_lengths[qid] <= depth for qid in some]) | np.asarray(enough, dtype=np.bool_)
                if not settled.any():
                    continue
                inputs = self._drawing(inputs.only(settled))
            several.append(self._order(inputs))
        return several

    def _drawing(self, inputs: RerankerInputs) -> RerankerInputs:
        inputs.chance = Chance(self.seed, inputs.qids, self.sample)
        return inputs

    def _order(self, inputs: RerankerInputs) -> Placed:
        names = inputs_of(self.by, self.session.given.inputs)
        order = self.by(**{name: getattr(inputs, name) for name in names})
        if order.ranks.ndim != 2 or len(order.ranks) != len(inputs.qids):
            what = f"{self.by} gave an order of the shape {order.ranks.shape} for {len(inputs.qids)} queries"
            raise UsageError(f"{what}; it has a fault, report it to its authors")
        judged = inputs.judged_docnos if "judged_ranks" in names else None
        return Placed(inputs.qids, order.ranks, judged, order.remarks)
