"""One run whose front is looked for: its documents, what each adds to the two sums, and what orders are worth."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, permutations
from typing import Any

import numpy as np

from fairtrec.data import MISSING, Bools, Candidates, Docs, Floats, Ints, take
from fairtrec.data.parameters import list_required_inputs
from fairtrec.data.ranking.composition import reorder_documents
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.evaluation.measure_values import compute_measures
from fairtrec.evaluation.relevance.trec_eval import Ranked, find_formula, tells_unjudged
from fairtrec.formulas import discount
from fairtrec.formulas.two_sums import fill_ranks
from fairtrec.formulas.weighted_sums import weigh, weighted_sum
from fairtrec.measure import First, Measure, Precisions, RankForm, SumOverRanks, badness
from fairtrec.measures.utility import Utility, split_relevance

LOOKS = ("membership", "relevance", "stances")  # what measures see of documents, [query, rank, ...]
TABLES = frozenset({"counts", "log_counts", "tokens", "groups"})  # the same for all queries
OF_QUERY = frozenset({"target", "background", "collection", "judged_relevance", "judged_membership",
                      "background_stances"})  # fmt: skip
COUNTED = frozenset({"lengths", "is_filled", "queries", "sample_of"})  # of orders, each of which stands for a query
KNOWN = frozenset(
    {*LOOKS, *TABLES, *OF_QUERY, *COUNTED, "ranked", "greatest_grade", "order"}
)  # of orders that are made up
PORTION = 20_000  # orders that are evaluated at once
ORDERS = 100_000  # of a query, which are looked at one by one


def count_orders(lengths: Ints, width: int) -> dict[str, Any]:
    """Give what orders of so many documents [order] are as rankings, by input; each stands for a query."""
    is_filled = np.arange(width) < lengths[:, None]
    return {"lengths": lengths, "is_filled": is_filled, "queries": len(lengths), "sample_of": np.arange(len(lengths))}


@dataclass(frozen=True, eq=False)
class Problem:
    """One run over some queries.

    ``inputs`` are of all documents that each query may rank, those of the run first; ``own`` are of the ranking as it
    is, as deep as anything sees, with ``lengths`` [query] ranks. ``utility`` None is the DCG of the scores of the run,
    of which ``scores`` [query, document] are the scaled ones, down to the rank ``scores_cutoff``, None the last.
    """

    qids: tuple[str, ...]
    inputs: Inputs
    own: Inputs
    lengths: Ints
    there: Bools  # where there is a document [query, document]
    elsewhere: Sequence[int]  # the first place [query] of documents that are not of the run itself
    utility: Measure | None
    fairness: Measure
    scores: Floats | None = None
    scores_cutoff: int | None = None
    pin_unjudged: bool = False
    candidates: int | None = None
    worst: bool = False  # whether the least fair orders are looked for
    by_value: bool = False  # whether greater values are looked for, whichever are better; the least, if ``worst``

    @property
    def candidate_counts(self) -> Ints:
        """How many documents each query may rank."""
        return self.inputs.lengths

    def docnos(self, query: int) -> Docs:
        """Name the documents that a query may rank, by their places."""
        first = int(self.inputs.lines[query, 0]) if self.candidate_counts[query] else 0
        return np.asarray(self.inputs.run.docnos[first : first + int(self.candidate_counts[query])])

    def terms(self, measure: Measure | None) -> RankForm | None:
        """Say what a measure makes of its ranks: gains of all documents, but weights and divisors of the ranking.

        Of a sum the gains [query, document] are divided, nan where there is no document; the weights [query, rank] are
        0 where nothing counts, or the ranking has ended.
        """
        if measure is None:
            assert self.scores is not None
            every: RankForm | None = SumOverRanks(
                self.scores, discount.log2(self.scores_cutoff or self.scores.shape[1])
            )
            own = every
        else:
            every = measure.formula(**{name: getattr(self.inputs, name) for name in measure.needs}).over_ranks()
            asked = {name: getattr(self.own, name) for name in measure.needs}
            own = None if every is None else measure.formula(**asked).over_ranks()
        if isinstance(every, SumOverRanks) and isinstance(own, SumOverRanks):
            gains = np.where(self.there, every.gains, np.nan)
            weights = np.zeros((len(self.qids), int(self.lengths.max(initial=0))))
            weights[:, : own.weights.shape[-1]] = own.weights[..., : weights.shape[1]]
            weights[np.arange(weights.shape[1]) >= self.lengths[:, None]] = 0.0
            return SumOverRanks(own.divide_ranks(gains), weights)
        if isinstance(every, Precisions) and isinstance(own, Precisions):
            return Precisions(every.relevant, own.cutoff, own.divisor)
        return First(every.relevant, own.worth) if isinstance(every, First) and isinstance(own, First) else None

    def grades(self) -> Ints | None:
        """Number the grades of the documents [query, document], from the least; None if nothing is judged.

        One that is not judged is of grade 0; of a grade of its own, just below, if the utility tells these apart.
        """
        if self.inputs.context.qrels is None:
            return None
        is_apart = isinstance(self.utility, Utility) and tells_unjudged(self.utility)
        grades = np.nan_to_num(self.inputs.relevance, nan=-0.5 if is_apart else 0.0)
        numbers = np.unique(grades, return_inverse=True)[1].reshape(grades.shape)
        alone = numbers.max(initial=0) + 1 + np.arange(grades.shape[1])
        return np.where(self.there, np.where(self.held, alone, numbers), MISSING)

    @cached_property
    def held(self) -> Bools:
        """Which documents stay where they are [query, document]: behind the candidates, and unjudged ones if wanted."""
        place = np.arange(self.inputs.lines.shape[1])
        behind = len(place) if self.candidates is None else self.candidates
        held: Bools = (place >= behind) & (place < self.lengths[:, None])
        return np.asarray(held | np.isnan(self.inputs.relevance) & self.there) if self.pin_unjudged else held

    def ranks(self, query: int) -> Ints:
        """Give the ranks of a query whose documents may be others."""
        return np.flatnonzero(~self.held[query, : self.lengths[query]])

    def find_movable(self, query: int) -> Ints:
        """Give the places of the documents of a query that may stand anywhere."""
        return np.flatnonzero(self.there[query] & ~self.held[query])

    def every_order(self, query: int, most: int | None = None) -> Ints | None:
        """List the orders of a query [order, rank], by the places of its documents; None if they are too many."""
        ranks, movable = len(self.ranks(query)), self.find_movable(query)
        number = math.perm(len(movable), ranks)
        if number > (ORDERS if most is None else most):
            return None
        orders = np.fromiter(chain.from_iterable(permutations(movable.tolist(), ranks)), np.int64, number * ranks)
        return self.fill_ranks(query, orders.reshape(number, ranks))

    def fill_ranks(self, query: int, tops: Ints) -> Ints:
        """Put orders [order, place] on the ranks that are free, where held documents keep theirs [order, rank]."""
        return fill_ranks(tops, self.ranks(query), int(self.lengths[query]))

    @property
    def sign(self) -> float:
        """What values of the fairness measure, or their sizes, are multiplied by so that more is what is looked for."""
        is_more = self.by_value or self.fairness.better == "higher"
        return 1.0 if is_more is not self.worst else -1.0

    def fair(self, values: Floats) -> Floats:
        """Turn values of the fairness measure so that more is what is looked for."""
        if self.by_value:
            return self.sign * values
        return badness(values, self.fairness.better) * (1.0 if self.worst else -1.0)

    def compute_fairness(self, query: int, tops: Ints) -> Floats:
        """Evaluate orders of one query [order, place], by the places of its documents; more is better [order]."""
        values = self.fair(self.compute_values(query, tops))
        return np.where(np.isfinite(values), values, -np.inf)

    def compute_values(self, query: int, tops: Ints) -> Floats:
        """Compute the fairness measure for orders of one query [order]; nan where it is undefined."""
        return self._evaluate(self.fairness, query, tops)

    def compute_utility(self, query: int, tops: Ints) -> Floats | None:
        """Evaluate the utility of orders of one query [order]; None if each needs a program of its own."""
        if self.utility is None:
            terms = self.terms(None)
            assert isinstance(terms, SumOverRanks)
            return weighted_sum(terms.gains[query][tops], terms.weights[query])
        return self._evaluate(self.utility, query, tops) if is_evaluated_at_once(self.utility) else None

    def _evaluate(self, measure: Measure, query: int, tops: Ints) -> Floats:
        """Compute a measure for orders of one query [order]."""
        utility, _ = split_relevance([measure])
        if not utility:
            return self._values_of(measure, query, tops)
        formula = find_formula(utility[0])
        assert formula is not None
        grades = self.inputs.relevance[query][tops]
        judged_first = np.argsort(np.isnan(grades), axis=1, kind="stable")
        grades = np.take_along_axis(grades, judged_first, axis=1)
        places = np.where(np.isnan(grades), 0, judged_first + 1)
        judged = -np.sort(-self.inputs.judged_relevance[query])
        every = np.broadcast_to(judged, (len(tops), len(judged)))
        return formula(Ranked(places, grades, np.full(len(tops), tops.shape[1]), every))

    def _values_of(self, measure: Measure, query: int, tops: Ints) -> Floats:
        parts = [self._part(measure, query, tops[at : at + PORTION]) for at in range(0, len(tops), PORTION)]
        return np.concatenate(parts)

    def _part(self, measure: Measure, query: int, tops: Ints) -> Floats:
        made = self.look_up_orders(measure, query, tops)
        return np.broadcast_to(np.asarray(measure(**made)), (len(tops),))

    def look_up_orders(self, measure: Measure, query: int, tops: Ints) -> dict[str, Any]:
        """Look up what a measure sees of orders of one query, each as a query of its own."""
        counted = count_orders(np.full(len(tops), tops.shape[1]), tops.shape[1])
        made: dict[str, Any] = {name: counted[name] for name in COUNTED.intersection(measure.needs)}
        for name in set(measure.needs) - COUNTED:
            value = getattr(self.inputs, name)
            if name in LOOKS or name == "ranked":
                made[name] = value[query][tops]
            elif isinstance(value, Candidates):
                made[name] = Candidates(_row(value.counts, query), _row(value.documents, query))
            elif name in OF_QUERY:
                row = _row(value, query)
                made[name] = row if name == "target" else np.broadcast_to(row, (len(tops), *row.shape[1:]))
            else:
                made[name] = value
        return made

    def looks(self, query: int) -> Floats:
        """Say what the measure sees of each document of a query [document, feature]."""
        parts = []
        for name in self.fairness.needs:
            if name in LOOKS:
                parts.append(getattr(self.inputs, name)[query])
            elif name in TABLES - {"groups"}:
                parts.append(take(getattr(self.inputs, name), self.inputs.ranked[query]))
        columns = [part.reshape(len(part), -1) for part in parts]
        table = np.column_stack(columns) if columns else np.zeros((self.inputs.lines.shape[1], 1))
        seen = np.nan_to_num(table[self.there[query]], nan=-1.0, posinf=np.finfo(np.float64).max)
        return np.asarray(seen, dtype=np.float64)

    def utilities(self, tops: Sequence[Ints]) -> Floats:
        """Evaluate the utility of one order of each query [query]."""
        if self.utility is None:
            terms = self.terms(None)
            assert isinstance(terms, SumOverRanks)
            return np.array([weigh(terms.gains[row, top], terms.weights[row]) for row, top in enumerate(tops)])
        ordered = reorder_documents(self.inputs.run, self.qids, tops)
        inputs = Inputs(ordered, self.qids, self.inputs.context, self.own.depth)
        (values,) = compute_measures(inputs, (self.utility,))
        return np.asarray(values, dtype=np.float64)

    def share_with_terms(self, tops: Sequence[Ints]) -> float:
        """Give the share of ranks whose document holds a group term, or belongs to a group; nan if none is known."""
        if self.inputs.context.labels is not None:
            held: Bools = np.asarray(np.nan_to_num(self.inputs.membership).any(axis=2))
        elif self.inputs.context.documents is not None:
            counts = self.inputs.counts
            held = np.asarray(take(counts, self.inputs.ranked).sum(axis=2) > 0)
        else:
            return float("nan")
        every = np.concatenate([held[row, top] for row, top in enumerate(tops)] or [np.zeros(0)])
        return float(every.mean()) if len(every) else float("nan")

    def find_end_order(self, query: int) -> Ints | None:
        """Give the order of a query, by the places of its documents, at the end looked for; None if nobody can tell."""
        whole = int(self.lengths[query])
        asked = [name for name in list_required_inputs(type(self.fairness).order_at_end) if name in LOOKS]
        if not asked or whole != self.candidate_counts[query] or self.held[query].any():
            return None
        seen = {name: getattr(self.inputs, name)[query][:whole] for name in asked}
        worst = self.worst is (self.fairness.better == "higher") if self.by_value else self.worst
        return self.fairness.order_at_end(**seen, worst=worst)

    def greatest(self, query: int) -> float:
        """Give what fairness, turned, can be at most, with these parameters; inf if nobody knows."""
        low, high = self.fairness.bounds
        if "target" in self.fairness.needs:
            target = self.inputs.target
            low, high = self.fairness.bounds_against(target[query if len(target) > 1 else 0])
        if self.fairness.better == "nearer 0" and not self.by_value:
            return 0.0 if not self.worst else np.inf if low is None or high is None else max(abs(low), abs(high))
        bound = high if self.sign > 0 else low
        return np.inf if bound is None else self.sign * float(bound)

    def spell_inputs(self, query: int) -> list[bytes]:
        """Spell what the measure sees of the query beside the documents that are ranked."""
        parts = []
        for name in sorted(OF_QUERY.intersection(self.fairness.needs)):
            value = getattr(self.inputs, name)
            tables = (value.counts, value.documents) if isinstance(value, Candidates) else (value,)
            parts += [table[query if len(table) > 1 else 0].tobytes() for table in tables]
        return parts


def is_evaluated_at_once(measure: Measure) -> bool:
    """Tell whether a measure can be computed for many orders at once, and not by a program of its own for each."""
    utility, others = split_relevance([measure])
    is_known = all(
        (KNOWN | {"order"}).issuperset(each.needs) and not getattr(each, "is_of_group", False) for each in others
    )
    return is_known and all(find_formula(each) is not None for each in utility)


def _row(table: Any, query: int) -> Any:
    return table[query : query + 1] if len(table) > 1 else table
