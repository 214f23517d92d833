"""Lemma 2 where fairness goes by exposure: sums grow rank by rank with the sequences of kinds, up to a million.

What runs of the same documents have in common is found once.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from fairtrec.data import MISSING, Floats, Ints
from fairtrec.evaluation.fronts.exposure_fairness import ExposureFairness
from fairtrec.evaluation.fronts.problem import Problem
from fairtrec.formulas.fronts import Front, find_candidates, sort_undominated
from fairtrec.formulas.prefix_fronts import Found
from fairtrec.formulas.rounding import NEAR
from fairtrec.formulas.sequences import SequenceSteps, group_by_kind, number_kinds
from fairtrec.measure import RankForm, SumOverRanks

KINDS = 64
SHARED = 100_000  # so few sequences are listed once for all queries
SHARED_BY = 1_000  # orders that are as fair, of which the first is taken
TANGENT_PAYS, SAMPLE = 5_000, 1_000  # sequences, of which some are rated first
MARGIN = 1e-7  # of fairness, far more than rounding
ALIKE = 20_000  # orders on fronts, which are kept for other runs of the same documents


@dataclass(frozen=True, eq=False)
class _Documents:
    """The documents of one query by kind: what each adds to utility and exposure, and the number of each kind.

    ``docs`` and ``worth`` [kind, number] are places among the ``movable`` documents, and their gains.
    """

    problem: Problem
    row: int
    useful: SumOverRanks
    exposed: ExposureFairness
    movable: Ints
    kinds: Ints
    examples: Ints
    docs: Ints
    worth: Floats
    supply: Ints
    key: bytes

    @classmethod
    def sort_documents(cls, problem: Problem, row: int, useful: SumOverRanks) -> Self | None:
        """Sort the documents; None where fairness goes by more than exposure, or few sequences are listed once."""
        movable, ranks = problem.find_movable(row), problem.ranks(row)
        looks, first, kinds = np.unique(problem.looks(row)[movable], axis=0, return_index=True, return_inverse=True)
        kinds, many = kinds.ravel(), len(looks)
        if many > KINDS or many ** len(ranks) <= SHARED:  # exact: whole numbers
            return None
        exposed = ExposureFairness.find(problem, np.array([row]), problem.terms(problem.fairness))
        if exposed is None:
            return None
        docs, supply = group_by_kind(kinds, useful.gains[row, movable], many, len(ranks))
        worth = np.where(docs == MISSING, 0.0, useful.gains[row, movable][np.maximum(docs, 0)])
        examples, every = movable[first], int(problem.lengths[row])
        parts = [looks, supply, worth, exposed.weights[0], exposed.shares[0, examples], useful.weights[row, :every]]
        key = b"|".join([*(part.tobytes() for part in parts), *problem.spell_inputs(row)])
        return cls(problem, row, useful, exposed, movable, kinds, examples, docs, worth, supply, key)

    def sums(self, steps: SequenceSteps, examples: Ints, worth: Floats | None) -> tuple[Floats, Floats]:
        """Add up utility, unless nobody asks for it, and exposure; give utility and fairness [sequence].

        If nobody asks for utility, fairness is -inf for sequences that are not the fairest.
        """
        problem, row, useful, shares = self.problem, self.row, self.useful, self.exposed.shares[0]
        utility, exposure, place = np.zeros(1), np.zeros((1, shares.shape[1])), 0
        for rank, weight in enumerate(self.exposed.weights[0, : problem.lengths[row]].tolist()):
            if problem.held[row, rank]:
                utility = utility + useful.weights[row, rank] * useful.gains[row, rank]
                exposure = exposure + weight * shares[rank]
                continue
            if worth is not None:
                utility = steps.add_up(useful.weights[row, rank] * worth, place, utility)
            exposure = exposure[steps.ways[place]] + (weight * shares[examples])[steps.kinds[place]]
            place += 1
        return utility, self._rate_fairest(exposure) if worth is None else self.exposed.value(exposure[None])[0]

    def _rate_fairest(self, exposure: Floats) -> Floats:
        """Give the fairness [sequence] of those that may be the fairest; -inf for what a tangent shows to be worse."""
        if len(exposure) < TANGENT_PAYS or not self.exposed.concave[0]:
            return np.asarray(self.exposed.value(exposure[None])[0])
        some = np.arange(0, len(exposure), len(exposure) // SAMPLE)
        known = self.exposed.value(exposure[None, some])[0]
        best = int(known.argmax())
        if not np.isfinite(known[best]):
            return np.asarray(self.exposed.value(exposure[None])[0])
        point = exposure[some[best]]
        slope = self.exposed.slope(point[None, None])[0, 0]
        bound = known[best] + ((exposure - point) * slope).sum(axis=1)
        kept = np.flatnonzero(bound >= known[best] - MARGIN)
        fairness = np.full(len(exposure), -np.inf)
        fairness[kept] = self.exposed.value(exposure[None, kept])[0]
        return fairness

    def front(self) -> Found | None:
        """Find the orders on the front, with those that are alike; None where there are too many sequences."""
        steps = SequenceSteps.enumerate_steps(self.supply, len(self.problem.ranks(self.row)))
        if steps is None:
            return None
        utility, fairness = self.sums(steps, self.examples, self.worth)
        chosen = find_candidates(utility, fairness)
        order, starts, ends = sort_undominated(np.zeros(len(chosen), dtype=np.int64), utility[chosen], fairness[chosen])
        alike = [order[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        chosen = np.sort(chosen[np.concatenate(alike)])
        chosen = chosen[np.isfinite(fairness[chosen])]
        return Found(utility[chosen], fairness[chosen], steps.take(chosen).astype(np.int64))

    def same_grades(self, grades: Ints) -> Ints:
        """Find the fairest order [rank] that leaves a document of the same grade at each rank."""
        problem, row, movable = self.problem, self.row, self.movable
        ranks = problem.ranks(row)
        pairs, count = np.unique(np.column_stack([grades[movable], self.kinds]), axis=0, return_counts=True)
        grade, of_kind = pairs.T
        steps = SequenceSteps.enumerate_steps(count, len(ranks), grade == grades[ranks][:, None])
        assert steps is not None
        _, fairness = self.sums(steps, self.examples[of_kind], None)
        if not np.isfinite(fairness).any():
            return np.arange(problem.lengths[row])
        best = np.flatnonzero(fairness >= fairness.max() - NEAR)[:SHARED_BY]
        several = [
            movable[place_kinds(of_kind[each], grades[ranks], grades[movable], self.kinds)] for each in steps.take(best)
        ]
        return np.asarray(problem.fill_ranks(row, min(several, key=np.ndarray.tolist)[None])[0])


def front_by_exposure(
    problem: Problem, row: int, useful: RankForm | None, grades: Ints | None, kept: dict[bytes, Found]
) -> tuple[Front, Ints] | None:
    """Find the front of a query and its fairest order of the same grades; None where this is not the way."""
    documents = (
        _Documents.sort_documents(problem, row, useful) if isinstance(useful, SumOverRanks) and useful.falls else None
    )
    if documents is None:
        return None
    found = kept.get(documents.key) if not problem.held[row].any() else None
    found = documents.front() if found is None else found
    if found is None or not len(found.utility):
        return None
    if len(found.utility) <= ALIKE and not problem.held[row].any():
        kept[documents.key] = found
    tops = problem.fill_ranks(row, documents.movable[documents.docs[found.kinds, number_kinds(found.kinds)]])
    front = Front.keep_best(found.utility, found.fairness, tops)
    return front, np.arange(problem.lengths[row]) if grades is None else documents.same_grades(grades)


def place_kinds(kinds: Ints, wanted: Ints, grades: Ints, of: Ints) -> Ints:
    """Put documents of these kinds on the ranks, each of the grade that is wanted there, the first ones first."""
    left: dict[tuple[int, int], list[int]] = {}
    for doc in range(len(grades) - 1, -1, -1):
        left.setdefault((int(grades[doc]), int(of[doc])), []).append(doc)
    ranks = zip(wanted.tolist(), kinds.tolist(), strict=True)
    return np.array([left[pair].pop() for pair in ranks], dtype=np.int64)
