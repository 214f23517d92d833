"""What reranking does to measures: the runs before and after, evaluated alike."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fairtrec.evaluation import counterfactual
from fairtrec.evaluation.answer import Answer
from fairtrec.evaluation.evaluate import evaluator
from fairtrec.evaluation.result import Result
from fairtrec.evaluation.signature import Signature
from fairtrec.measure import Measure
from fairtrec.reranking.reranked import Reranking


@dataclass(frozen=True, eq=False, repr=False)
class Effect(Answer):
    """The results of the runs as they were and in their new order, in the order of ``reranking.runs``."""

    reranking: Reranking
    before: Result
    after: Result

    @property
    def signature(self) -> Signature:
        """Every choice that changes a number, of the reranking and of the measures."""
        return self.reranking.signature | self.before.signature


class Effects:
    """What measures them; what does not fit together is refused before any run is read."""

    def __init__(self, measures: str | Measure | Iterable[str | Measure], keywords: dict[str, Any]) -> None:
        self._keywords, self._measures = keywords, measures
        self._ordinary = evaluator(measures, **keywords)

    def of(self, reranking: Reranking) -> Effect:
        """Evaluate the runs before and after. Raises InputError for what cannot be read."""
        before = {_name(number, each.run): each.before for number, each in enumerate(reranking.runs)}
        after = {_name(number, each.run): each.after for number, each in enumerate(reranking.runs)}
        keywords, ordinary = dict(self._keywords), self._ordinary
        if keywords.get("counterfactual") is not None:  # found by what the runs are called, not by their new names
            of = counterfactual.read(keywords["counterfactual"]).of
            several = enumerate(reranking.runs)
            keywords["counterfactual"] = {_name(number, each.run): of(each.run, each.run) for number, each in several}
            ordinary = evaluator(self._measures, **keywords)
        earlier = ordinary.evaluate(before)
        if any(each.after.sampled for each in reranking.runs):
            sampled = evaluator(self._measures, **{**keywords, "samples": True})
            return Effect(reranking, earlier, sampled.evaluate(after))
        return Effect(reranking, earlier, ordinary.evaluate(after))


def _name(number: int, run: str) -> str:
    return f"{number} {run}"
