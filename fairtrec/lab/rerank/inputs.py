"""What a reranker asks for, settled and looked up as for measures; and the inputs that rerankers alone have."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fairtrec.data import MISSING, Bools, Docnos, Floats, Ints, Run, take
from fairtrec.evaluation.given.reference import Plan
from fairtrec.evaluation.inputs.documents import OF_QRELS, EvaluationContext
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.formulas.distribution import quotient
from fairtrec.lab.reranker import Chance, NoteKind, NoteSeverity, Reranker
from fairtrec.measures.catalogue.needs import NEEDS, OF_GROUPS, OF_JUDGMENTS
from fairtrec.support.errors import InputError

MADE_OF = {"group_of": "membership", "judged_ranks": "judged_relevance"}  # inputs that only rerankers have
JUDGED = NoteKind("upper bound", "upper bound: uses the qrels", NoteSeverity.MISLEADING)
OF_THE_RUN = frozenset({"scores", "scaled", "scaled_below", "chance"})  # for which nothing is asked


@dataclass(frozen=True)
class Wanted:
    """What one reranker asks for; ``given`` are the inputs that can be made of what was given."""

    reranker: Reranker
    given: frozenset[str]
    depth: None = None  # all ranks, as far as they are looked at
    is_of_all: bool = False

    @property
    def by(self) -> str:
        """The attribute whose groups it looks at."""
        return self.reranker.by

    @property
    def needs(self) -> tuple[str, ...]:
        """The inputs of measures that its own are made of."""
        asked = list_inputs(self.reranker, self.given)
        made = [MADE_OF.get(name, name) for name in asked if name not in OF_THE_RUN]
        ranked = ["ranked"] if "counts" in made else []
        return tuple(dict.fromkeys([*made, *ranked]))

    @property
    def worst_known(self) -> bool:
        """Whether it can place the worst document that there can be."""
        return self.reranker.worst_known

    def check(self, groups: Sequence[str]) -> None:
        """Raise UsageError if the reranker does not fit these groups."""
        self.reranker.check(groups)

    def counts_at_ends(self, groups: int) -> None:
        """Give nothing: no reranker tells what a missing text could be."""

    def __str__(self) -> str:
        return str(self.reranker)


def list_inputs(by: Reranker, given: frozenset[str]) -> list[str]:
    """Name what a reranker is called on: what it needs, and of what it wishes for all that a system could have."""
    return [*by.needs, *(name for name in by.preferences if name in given and name not in OF_JUDGMENTS)]


def sees_judgments(needs: Iterable[str], plan: Plan) -> bool:
    """Tell whether the order depends on judgments: by what is asked for, by the target, or by what the groups are."""
    made = {MADE_OF.get(name, name) for name in needs}
    of_groups, context = bool(made & OF_GROUPS) or "counts" in made, plan.context
    judged_groups = context.labels is not None and context.qrels is not None  # read so early, as they are labels
    judged_target = "target" in made and bool(OF_QRELS & context.sources)
    return bool(made & OF_JUDGMENTS) or judged_target or (of_groups and judged_groups)


def has_input(name: str) -> bool:
    """Tell whether there is an input of this name."""
    return name in OF_THE_RUN or name in MADE_OF or name in NEEDS


OF_QUERIES = frozenset({"lines", "ranked", "membership", "relevance", "group_of", "scores", "scaled"})  # [query, ...]


class RerankerInputs(Inputs):
    """The inputs of one run's queries, of measures and:

    ``group_of``      Ints [query, rank]: the one group of each document; MISSING is unknown, or no document.
    ``scores``        Floats [query, rank]: as the run has them; nan is no document.
    ``scaled``        the same, scaled to 0 to 1 over the query's candidates; 0 where all are equal.
    ``scaled_below``  Floats [query]: the greatest of them below the ranks looked at; -inf where there is none.
    ``judged_ranks``  Ints [query, n]: where each judged document (by falling docno) stands, from 0; MISSING is nowhere.
    ``chance``        Chance: what is drawn at random, for each query on its own.
    """

    def __init__(
        self,
        run: Run,
        qids: Sequence[str],
        context: EvaluationContext,
        depth: int | None,
        candidates: int | None,
        chance: Chance,
    ) -> None:
        super().__init__(run, qids, context, depth)
        self.candidates, self.chance = candidates, chance

    def keep_queries(self, rows: Bools) -> "RerankerInputs":
        """Keep some of the queries; what has been computed is not computed again."""
        qids = [qid for qid, is_kept in zip(self.qids, rows.tolist(), strict=True) if is_kept]
        chance = replace(self.chance, qids=qids)
        kept = RerankerInputs(self.run, qids, self.context, self.depth, self.candidates, chance)
        computed = {name: value for name, value in vars(self).items() if name in OF_QUERIES}
        vars(kept).update({name: value[rows] for name, value in computed.items()})
        return kept

    @cached_property
    def group_of(self) -> Ints:
        """The one group of each document. Raises InputError for a document of two."""
        belongs = self.membership > 0
        many = belongs.sum(axis=2)
        if (many > 1).any():
            query, rank = np.argwhere(many > 1)[0].tolist()
            two = " and ".join(group for group, is_in in zip(self.groups, belongs[query, rank], strict=True) if is_in)
            docno = self.run.docnos[self.lines[query, rank]].decode()
            of_labels = "cross two attributes with --labels A*B, or label it once"
            way = of_labels if self.context.labels is not None else "add --membership majority"
            message = (
                f"{docno} (query {self.qids[query]}) belongs to {two}, and the reranker takes documents of one group"
            )
            raise InputError(f"{message}; {way}", self.run.name)
        return np.where(many == 1, belongs.argmax(axis=2), MISSING)

    @cached_property
    def scores(self) -> Floats:
        """The scores of the ranked documents."""
        return take(self.run.scores, self.lines)

    @cached_property
    def scaled(self) -> Floats:
        """The scores of the ranked documents, scaled to 0 to 1 over the candidates."""
        return self._scaled(self.scores)

    @cached_property
    def scaled_below(self) -> Floats:
        """The greatest scaled score below the ranks that were looked at."""
        greatest = self._extreme(np.maximum, len(self.run.docnos) if self.depth is None else self.depth)
        return np.nan_to_num(self._scaled(greatest[:, None])[:, 0], nan=-np.inf)

    def _scaled(self, scores: Floats) -> Floats:
        """Scale scores [query, ...] by those of all candidates."""
        least, most = (self._extreme(of)[:, None] for of in (np.minimum, np.maximum))
        with np.errstate(invalid="ignore", over="ignore"):
            half = most / 2 - least / 2  # of numbers as large as there are the whole has no number
        return np.where(np.isnan(scores), np.nan, quotient(scores / 2 - least / 2, half, 0.0))

    def _extreme(self, of: np.ufunc, below: int = 0) -> Floats:
        """Give the least or greatest score of the candidates below so many [query]; nan where there is none."""
        number = {qid: i for i, qid in enumerate(self.run.qids)}
        query = np.array([number[qid] for qid in self.qids], dtype=np.int64)
        first, end = self.run.starts[query], self.run.starts[query + 1]
        end = end if self.candidates is None else np.minimum(end, first + self.candidates)
        first = np.minimum(first + below, end)
        found = np.full(len(query), np.nan)
        some = first < end
        last = end[some] - 1  # which may be the last of all, where no other part begins behind
        parts = np.stack([first[some], last], axis=1).ravel()
        if some.any():
            found[some] = of(of.reduceat(self.run.scores, parts)[::2], self.run.scores[last])
        return found

    @cached_property
    def judged_ranks(self) -> Ints:
        """Where the judged documents stand."""
        names, docnos = Docnos.collect(self.qrels.docnos), self.qrels.docnos
        lines = self.run.top(self.qids, None)  # of the whole run, so that no document is inserted that is there
        judged, there = self.judged_lines != MISSING, lines != MISSING
        wanted = np.nonzero(judged)[0] * len(names) + names.rows(docnos[self.judged_lines[judged]])
        query, rank = np.nonzero(there)
        rows = names.rows(self.run.docnos[lines[there]])
        keys = np.where(rows == MISSING, MISSING, query * len(names) + rows)
        order = np.argsort(keys, kind="stable")
        at = np.searchsorted(keys, wanted, side="right", sorter=order) - 1
        at = np.where(at < 0, MISSING, order[at]) if len(order) else np.full(len(wanted), MISSING)
        found = np.full(judged.shape, MISSING, dtype=np.int64)
        found[judged] = np.where((at != MISSING) & (keys[at] == wanted), rank[at], MISSING) if len(order) else MISSING
        return found
