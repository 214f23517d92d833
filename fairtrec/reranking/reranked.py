"""What reranking gives: each run in its new order, and what is needed to have it again."""

from dataclasses import dataclass

from fairtrec.data import Run, Samples, System, decode
from fairtrec.data.parameters import Remark
from fairtrec.errors import UsageError
from fairtrec.evaluation.answer import Answer
from fairtrec.evaluation.signature import Signature
from fairtrec.reranker import Reranker


@dataclass(frozen=True, eq=False)
class Reranked:
    """One run and its new order, of the same queries."""

    run: str
    by: Reranker
    before: Run
    after: System
    remarks: tuple[Remark, ...] = ()

    @property
    def rankings(self) -> dict[str, dict[str, float]]:
        """The new rankings, for who wants to go on with them. Raises UsageError if there are several of a query."""
        if isinstance(self.after, Samples):
            raise UsageError("these are several rankings of each query; write them, and read them as samples")
        after = self.after
        spans = zip(after.qids, after.starts[:-1].tolist(), after.starts[1:].tolist(), strict=True)
        names, scores = decode(after.docnos), after.scores.tolist()
        return {qid: dict(zip(names[start:end], scores[start:end], strict=True)) for qid, start, end in spans}


@dataclass(frozen=True, eq=False, repr=False)
class Reranking(Answer):
    """The runs in their new order, one behind the other for each reranker, and the choices that made it."""

    runs: tuple[Reranked, ...]
    signature: Signature
    notes: tuple[str, ...] = ()
