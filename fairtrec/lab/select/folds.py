"""Folds of queries; choosing a variant in each, for each beta; what is chosen, and what that rests on."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import fspath
from pathlib import Path

import numpy as np

from fairtrec.commands.check.requirement import Requirement
from fairtrec.commands.compare.comparison import Comparison, Comparisons
from fairtrec.data import Bools, Floats, Ints, list_distinct
from fairtrec.evaluation.answers import Answer, Signature
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.inputs.loading import short
from fairtrec.evaluation.slices import keep_common_queries, keep_queries
from fairtrec.formats import tsv
from fairtrec.formulas.distribution import quotient
from fairtrec.formulas.rounding import same
from fairtrec.formulas.weighted_sums import multiply_counts
from fairtrec.lab.select.criterion import Variants, choose_best, f_beta, scale_means, worth
from fairtrec.support.errors import FilePath, InputError, UsageError
from fairtrec.support.files import opening


@dataclass(frozen=True, eq=False)
class Folds:
    """Which fold each query is in: ``of`` [query] are places in ``names``; one fold alone means no folds at all."""

    names: tuple[str, ...]
    of: Ints
    spelled: str  # as a signature names them
    how: str  # as a reader is told

    @property
    def is_held_out(self) -> bool:
        """Whether a query's variant is chosen without it."""
        return len(self.names) > 1

    @property
    def training(self) -> Bools:
        """The queries that the variant of each fold is chosen by [fold, query]."""
        inside: Bools = self.of == np.arange(len(self.names))[:, None]
        return ~inside if self.is_held_out else inside

    @property
    def sizes(self) -> str:
        """How many folds of how many queries there are."""
        many = np.bincount(self.of, minlength=len(self.names))
        of = f"{many.min()}" if many.min() == many.max() else f"{many.min()} to {many.max()}"
        return f"{len(self.names)} folds of {of}"


def divide(qids: tuple[str, ...], folds: int | FilePath) -> Folds:
    """Deal sorted queries to so many folds in turn, or as the lines of a file say: qid and fold.

    Raises UsageError for fewer than one fold or fewer queries than folds, InputError for a file that leaves out a
    query or has it in two folds.
    """
    if isinstance(folds, str) and folds.strip().lstrip("+-").isdecimal():
        folds = int(folds)
    if not isinstance(folds, int):
        return _as_told(qids, folds)
    if folds < 1:
        raise UsageError(f"{folds} folds were asked for; there is 1 or more, like --folds 5")
    if len(qids) < folds:
        raise UsageError(f"{folds} folds were asked for, of {len(qids)} queries; ask for fewer folds")
    names = tuple(map(str, range(1, folds + 1)))
    return Folds(names, np.arange(len(qids)) % folds, str(folds), f"sorted qid, index mod {folds}")


def _as_told(qids: tuple[str, ...], path: FilePath) -> Folds:
    parts = tsv.slices(path)
    twice = [qid for qid, many in Counter(qid for part in parts.values() for qid in part).items() if many > 1]
    if twice:
        raise InputError(f"query {twice[0]} is in more than one fold; leave it in one", path)
    fold_of = {qid: name for name, part in parts.items() for qid in part}
    outside = [qid for qid in qids if qid not in fold_of]
    if outside:
        more = f", and {len(outside) - 1} more" if len(outside) > 1 else ""
        raise InputError(f"query {outside[0]}{more} is in no fold; add a line of qid and fold for each", path)
    there = {fold_of[qid] for qid in qids}
    names = tuple(name for name in parts if name in there)
    place = {name: number for number, name in enumerate(names)}
    of = np.array([place[fold_of[qid]] for qid in qids], dtype=np.int64)
    name = Path(fspath(path)).name
    return Folds(names, of, short(name, opening.sha256(path)), f"as {name} says")


@dataclass(frozen=True, eq=False)
class ScoredVariants:
    """What is chosen from: utility and fairness over the training queries, unscaled, and what is allowed."""

    names: tuple[str, ...]
    utility: Floats  # [fold, variant]
    fairness: Floats
    allowed: Bools

    def choose(self, beta: float) -> Ints:
        """Choose a variant for each fold [fold]."""
        return choose_best(f_beta(*self._scaled, beta), self.names, self.allowed)

    @cached_property
    def _scaled(self) -> tuple[Floats, Floats]:
        return scale_means(self.utility), scale_means(self.fairness)

    def leave_out(self, variant: int) -> "ScoredVariants":
        """Leave a variant out of the pool."""
        kept = np.arange(len(self.names)) != variant
        names = tuple(name for place, name in enumerate(self.names) if place != variant)
        return ScoredVariants(names, self.utility[:, kept], self.fairness[:, kept], self.allowed[:, kept])

    def find_worst(self) -> Iterator[tuple[int, int, str]]:
        """Give each variant that is the least on an axis in some fold: its place, in how many folds, the axis.

        Its criterion is 0 there for each beta above 0 and below infinity.
        """
        for axis, means in (("utility", self.utility), ("fairness", self.fairness)):
            least, most = means.min(axis=1, keepdims=True), means.max(axis=1, keepdims=True)
            at_the_end = same(means, least) & ~same(means, most)
            for variant in np.flatnonzero(at_the_end.any(axis=0)).tolist():
                yield variant, int(at_the_end[:, variant].sum()), axis

    def count_forced(self) -> tuple[int, int]:
        """Count the folds in which the scale makes the choice for each beta above 0 and below infinity.

        The criterion of a variant that is the worst on an axis is 0 there. First the folds in which it is above 0 for
        one variant only, unless this is the best on both axes; then those in which it is above 0 for none, so that
        names decide. In a fold in which one variant is allowed, the requirements make the choice.
        """
        utility, fairness = self._scaled
        worst, best = np.zeros(1), np.ones(1)
        counts = self.allowed & ~same(utility, worst) & ~same(fairness, worst)
        is_best = (counts & same(utility, best) & same(fairness, best)).any(axis=1)
        several, number = self.allowed.sum(axis=1) > 1, counts.sum(axis=1)
        return int((several & (number == 1) & ~is_best).sum()), int((several & (number == 0)).sum())

    def find_swayed(self, betas: Sequence[float]) -> Iterator[tuple[int, float, int, int, int]]:
        """Find variants whose absence changes a choice that is not of them, since the scale of an axis moves.

        Gives for each its place, and the first beta and fold of which that is so; the place of what is chosen there,
        and of what would be.
        """
        chosen = {beta: self.choose(beta) for beta in betas}
        ends = [f(means, axis=1) for means in (self.utility, self.fairness) for f in (np.argmin, np.argmax)]
        several = list_distinct(np.concatenate(ends)).tolist() if len(self.names) > 2 else []
        for variant in several:  # that set the scale of an axis in some fold; the absence of others moves nothing
            rest = self.leave_out(variant)
            for beta, now in chosen.items():
                then = rest.choose(beta)
                then = then + (then >= variant)  # its place among all
                moved = np.flatnonzero((now != variant) & (now != then))
                if len(moved):
                    fold = int(moved[0])
                    yield variant, beta, fold, int(now[fold]), int(then[fold])
                    break


def settle_choice(
    variants: Variants, folds: Folds, requirements: Sequence[Requirement] = (), baseline: Scores | None = None
) -> ScoredVariants:
    """Settle what is chosen from. Raises UsageError where no variant meets the requirements in some fold."""
    training = folds.training
    allowed = np.ones((len(folds.names), len(variants.names)), dtype=np.bool_)
    for requirement in requirements:
        allowed &= meets(requirement, variants, training, baseline)
    for fold in np.flatnonzero(~allowed.any(axis=1)).tolist():
        where = f"on the training queries of fold {folds.names[fold]}" if folds.is_held_out else "on these queries"
        asked = " and ".join(map(str, requirements))
        raise UsageError(f"no variant meets {asked} {where}; ask for less with --require")
    utility, fairness = (worth(variants.take_values(axis), axis.better, training) for axis in variants.axes)
    return ScoredVariants(variants.names, utility, fairness, allowed)


def meets(requirement: Requirement, variants: Variants, training: Bools, baseline: Scores | None) -> Bools:
    """Tell which variants meet a requirement by their mean itself over the training queries [fold, variant]."""
    if requirement.scope:
        raise UsageError(f"{requirement}: a choice is about all queries and one value; leave out {requirement.scope!r}")
    values = variants.take_values(requirement.measure)
    others = np.zeros(values.shape)
    if requirement.relative:
        if baseline is None:
            raise UsageError(f"{requirement}: which baseline? add --baseline RUN")
        others = np.broadcast_to(_of(baseline, variants, requirement), values.shape)
    if requirement.unsigned:
        values, others = np.abs(values), np.abs(others)
    means, bounds = (_means(each, values, others, training, requirement) for each in (values, others))
    bounds = requirement.factor * bounds + requirement.offset
    met = [
        [requirement.holds(mean, bound) for mean, bound in zip(*row, strict=True)]  # of nan, it does not
        for row in zip(means.tolist(), bounds.tolist(), strict=True)
    ]
    return np.array(met, dtype=np.bool_)


def _of(baseline: Scores, variants: Variants, requirement: Requirement) -> Floats:
    """Give the baseline's values for the queries of the variants; nan where it has none."""
    mine, theirs = keep_common_queries(keep_queries(variants.scores[0], variants.qids), baseline)
    found = dict(zip(mine.qids, theirs.values[theirs.measures.index(requirement.measure)].tolist(), strict=True))
    return np.array([found.get(qid, np.nan) for qid in variants.qids])


def _means(what: Floats, values: Floats, others: Floats, training: Bools, requirement: Requirement) -> Floats:
    """Average over the training queries for which both have a value, or add up what is a sum [fold, variant]."""
    both = ~(np.isnan(values) | np.isnan(others))
    sums, many = (multiply_counts(training, each.T) for each in (np.where(both, what, 0.0), both))
    return quotient(sums, many if not requirement.measure.total else np.where(many > 0, 1.0, 0.0))


@dataclass(frozen=True, eq=False)
class SelectedVariants:
    """The choice for one beta: a variant per fold, and each query's values under the variant chosen without it.

    Attributes:
        chosen: the run of each fold.
        scores: the values of queries.
    """

    beta: float  # the weight of fairness: 0 is utility only, infinity fairness only
    chosen: Mapping[str, str]  # fold to run
    scores: Scores

    @property
    def counts(self) -> dict[str, int]:
        """In how many folds each variant is chosen, most often first, then by name."""
        many = Counter(self.chosen.values())
        return dict(sorted(many.items(), key=lambda each: (-each[1], each[0])))

    @property
    def means(self) -> dict[str, float]:
        """The mean of each measure over all queries."""
        return dict(zip(map(str, self.scores.measures), self.scores.means.tolist(), strict=True))


@dataclass(frozen=True, eq=False, repr=False)
class Selection(Answer):
    """The choice for each beta.

    Attributes:
        rows: one per beta.
        variants: the runs among which it chooses.
        choice: how the variants are scored.
        folds: the queries of each fold.
        requirements: what a variant must meet.
        result: the values of the variants.
        comparisons: with the baseline, whose scores are the first of their result.
    """

    rows: tuple[SelectedVariants, ...]
    variants: Variants
    choice: ScoredVariants
    folds: Folds
    requirements: tuple[Requirement, ...]
    result: Result  # of the variants
    comparisons: Comparisons | None  # with the baseline, whose scores are the first of their result

    def tests(self, row: SelectedVariants) -> dict[str, Comparison]:
        """Give the comparison of a row with the baseline by each measure; none where there is no baseline.

        Rows that choose the same are compared once, under the name of the first.
        """
        name = next(each.scores.run for each in self.rows if each.chosen == row.chosen)
        compared = () if self.comparisons is None else self.comparisons.rows
        return {each.measure: each for each in compared if each.run == name}

    @property
    def signature(self) -> Signature:
        """Every choice that changes a number."""
        utility, fairness = self.variants.axes
        required = "; ".join(map(str, self.requirements))
        own = {"utility": str(utility), "fairness": str(fairness), "folds": self.folds.spelled, "require": required}
        of = self.result if self.comparisons is None else self.comparisons
        return of.signature | own
