"""Oracle: what relevance alone would give, from the judgments."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from fairtrec.lab.reranker import MISSING, NEW, Floats, Ints, NoteKind, Order, Reranker

NOT_JUDGED = NoteKind(
    "no judged document",
    "order kept in {many} of {queries} queries: no judged document of grade {grade} or more",
)


@dataclass(frozen=True)
class Oracle(Reranker):
    """What would a ranking be, if it knew the qrels?

        insert   the judged documents of grade >= rel, retrieved or not, by falling grade, then by rising docno;
                 then the others in their order
        move     the retrieved ones of grade >= rel in their order; then the others in theirs
        graded   the retrieved ones of grade >= rel by falling grade, then in their order; then the others in theirs

    It is +QRels of the paper, which says "by relevance": only the reading 'insert' gives its values. On the 30 queries
    of TREC DL_FAIR its NFaiRR@10 is .96460 for each of the ten runs; the paper prints .965.

    Groups: none.
    Chance: none.
    Edges: a query without a document of that grade keeps its order. If a document is judged several times, its highest
    grade counts. Inserted documents can lack a text or be outside the background. -l sets rel.
    Source: Rekabsaz, Kopeinik, Schedl: Societal Biases in Retrieved Contents. SIGIR 2021, section 7.2.
    https://doi.org/10.1145/3404835.3462949
    """

    mode: Literal["insert", "move", "graded"] = "insert"
    rel: int = 1

    limits = (("rel", 0, 1_000_000, "rel is {rel}; a grade from which a document is placed is 0 or more"),)

    def __call__(self, judged_relevance: Floats, judged_ranks: Ints, lengths: Ints) -> Order:
        """Return the order of the judged documents [query, place]."""
        chosen = judged_relevance >= self.rel
        if self.mode != "insert":
            chosen &= (judged_ranks != MISSING) & (judged_ranks < lengths[:, None])
        at = np.broadcast_to(np.arange(chosen.shape[1]), chosen.shape)
        within = -at if self.mode == "insert" else judged_ranks  # they come by falling docno
        grades = np.zeros(chosen.shape) if self.mode == "move" else -np.nan_to_num(judged_relevance)
        order = np.lexsort((within, grades, ~chosen), axis=1)
        codes = np.take_along_axis(np.where(judged_ranks == MISSING, NEW - at, judged_ranks), order, axis=1)
        many = chosen.sum(axis=1)
        ranks = np.where(at < many[:, None], codes, MISSING)[:, : int(many.max(initial=0))]
        note = NOT_JUDGED.note(grade=str(self.rel), many=int(np.sum(many == 0)), queries=len(many))
        return Order(ranks, (note,))
